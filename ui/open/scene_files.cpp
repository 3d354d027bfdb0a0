#include "ui/open/scene_files.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/open/losses.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

namespace {

/// Why a file cannot be in one list with `first`, whose extents are `extents`; empty if it can.
QString reasonAgainst(const io::ImageInfo& info, const SceneEntry& first,
                      const base::Extents& extents) {
    if (info.extents != extents) {
        return SceneFiles::tr("it has %1, the scenes of the list have %2")
            .arg(sizeText(info.extents), sizeText(extents));
    }
    // A job has one choice of channel and frame for all its scenes.
    const auto differs = [](int count, const std::optional<int>& choice) {
        return choice ? *choice >= count || count < 2 : count > 1;
    };
    if (differs(info.channels, first.channel) || differs(info.frames, first.frame)) {
        return SceneFiles::tr("it has %1 channel(s) and %2 frame(s), unlike the first scene")
            .arg(info.channels)
            .arg(info.frames);
    }
    return {};
}

bool fitsInto(const base::Extents& templ, const base::Extents& scene) {
    return templ.x <= scene.x && templ.y <= scene.y && templ.z <= scene.z;
}

} // namespace

SceneFiles::Fit SceneFiles::fit(const std::vector<std::filesystem::path>& paths,
                                const SceneEntry& first,
                                const std::vector<base::Extents>& templates,
                                const std::stop_token& stop) {
    Fit fit{!first.path.empty(), true};
    for (const std::filesystem::path& path : paths) {
        try {
            const io::ImageInfo info = io::readImageInfo(path, stop, first.reading);
            fit.list = fit.list && reasonAgainst(info, first, first.extents).isEmpty();
            fit.templates =
                fit.templates && std::ranges::any_of(templates, [&info](const base::Extents& each) {
                    return fitsInto(each, info.extents);
                });
        } catch (const base::Error&) {
            continue;
        }
    }
    return fit;
}

void SceneFiles::add(const std::filesystem::path& path, const ThenOpened& then) {
    m_controller.start(
        RunController::Task::Load, tr("Adding %1").arg(pathText(path.filename())),
        [this, path, then, reading = m_document.scenes().front().reading](
            const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                const io::ImageInfo info = io::readImageInfo(path, stop, reading);
                if (stop.stop_requested()) {
                    return [then] { tellOpened(then, false); };
                }
                return [this, path, info, then] { tellOpened(then, accept(path, info)); };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, sentence = inWindowWords(error), then] {
                    Q_EMIT failed(sentence);
                    tellOpened(then, false);
                };
            }
        });
}

bool SceneFiles::accept(const std::filesystem::path& path, const io::ImageInfo& info) {
    const QString name = fileName(path);
    const SceneEntry& first = m_document.scenes().front();
    if (first.path.empty()) {
        Q_EMIT failed(tr("%1 cannot be added: a list of scenes begins with a file. Open a file as "
                         "the first scene.")
                          .arg(name));
        return false;
    }
    const QString reason = reasonAgainst(info, first, first.extents);
    if (!reason.isEmpty()) {
        Q_EMIT failed(
            tr("%1 cannot be added: %2. Open it as a scene of its own.").arg(name, reason));
        return false;
    }
    SceneEntry entry{nullptr, name, path, {}, first.channel, first.frame, info.pixel};
    entry.extents = info.extents;
    entry.reading = first.reading;
    m_document.addScene(std::move(entry));
    Q_EMIT opened(withNotes(
        tr("%1 is scene %2 of the list, counted from 0. It is read when it is shown or searched.")
            .arg(name)
            .arg(m_document.scenes().size() - 1),
        info.notes));
    return true;
}

void SceneFiles::show(int index, const ThenOpened& then) {
    if (index < 0 || index >= static_cast<int>(m_document.scenes().size())) {
        return;
    }
    if (m_controller.isPending(RunController::Task::Run)) {
        Q_EMIT warned(tr(
            "Another scene cannot be shown during a run: wait until the run ends, or cancel it."));
        tellOpened(then, false);
        return;
    }
    const SceneEntry entry = m_document.scenes()[static_cast<std::size_t>(index)];
    if (entry.image) {
        m_document.showScene(index, entry.image);
        tellOpened(then, true);
        return;
    }
    m_controller.start(
        RunController::Task::Load, tr("Opening %1").arg(entry.name),
        [this, index, entry, then](const std::stop_token& stop,
                                   job::JobSink*) -> RunController::Done {
            try {
                const auto image =
                    job::loadImage(entry.path, entry.channel, entry.frame, stop, 0, entry.reading);
                if (stop.stop_requested()) {
                    return [then] { tellOpened(then, false); };
                }
                return [this, index, entry, image, then] {
                    const auto& scenes = m_document.scenes();
                    const auto at = static_cast<std::size_t>(index);
                    if (at >= scenes.size() || scenes[at].path != entry.path) {
                        return tellOpened(then, false); // the list is another one by now
                    }
                    if (base::extentsOf(image->pixels) != entry.extents) {
                        Q_EMIT failed(
                            tr("%1 has changed since it was added: it has %2 now; "
                               "remove it from the list or add it again.")
                                .arg(entry.name, sizeText(base::extentsOf(image->pixels))));
                        return tellOpened(then, false);
                    }
                    m_document.showScene(index, image);
                    tellOpened(then, true);
                };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, sentence = inWindowWords(error), then] {
                    Q_EMIT failed(sentence);
                    tellOpened(then, false);
                };
            }
        });
}

void SceneFiles::remove(int index) {
    if (index != 0) {
        take(index);
        return;
    }
    // Show the second scene first: it becomes the first, whose pixels must be in memory.
    show(1, [this](bool shown) {
        if (shown) {
            take(0);
        }
    });
}

void SceneFiles::take(int index) {
    if (index < 0 || index >= static_cast<int>(m_document.scenes().size())) {
        return;
    }
    const QString name = m_document.scenes()[static_cast<std::size_t>(index)].name;
    const QString losses = lossText(m_document, index);
    m_document.removeScene(index);
    Q_EMIT removed(losses.isEmpty()
                       ? tr("%1 was removed from the list.").arg(name)
                       : tr("%1 was removed from the list, and with it %2.").arg(name, losses));
}

} // namespace flcc::ui
