#include <exception>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/raw_volume.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/open/open_question.h"
#include "ui/open/opener.h"
#include "ui/work/run_controller.h"

// The list of scenes. The header of a file is read when it is added, its pixels when it is shown.

namespace flcc::ui {
namespace {

void tell(const Opener::Then& then, bool opened) {
    if (then) {
        then(opened);
    }
}

QString nameOf(const std::filesystem::path& path) {
    const auto raw = io::rawVolumeOf(path);
    return pathText(raw ? raw->file.filename() : path.filename());
}

/// True if the format of the file is known, whatever its name.
bool hasHeader(const std::filesystem::path& path) {
    try {
        (void)io::readImageInfo(path);
        return true;
    } catch (const base::Error&) {
        return false;
    }
}

/// Why a file cannot be in one list with `first`, whose extents are `extents`; empty if it can.
QString reasonAgainst(const io::ImageInfo& info, const SceneEntry& first,
                      const base::Extents& extents) {
    if (info.extents != extents) {
        return Opener::tr("it has %1, the scenes of the list have %2")
            .arg(sizeText(info.extents), sizeText(extents));
    }
    // A job has one choice of channel and frame for all its scenes.
    const auto differs = [](int count, const std::optional<int>& choice) {
        return choice ? *choice >= count || count < 2 : count > 1;
    };
    if (differs(info.channels, first.channel) || differs(info.frames, first.frame)) {
        return Opener::tr("it has %1 channel(s) and %2 frame(s), unlike the first scene")
            .arg(info.channels)
            .arg(info.frames);
    }
    return {};
}

SceneEntry sceneWithoutPixels(SceneEntry scene) {
    scene.image.reset();
    return scene;
}

/// False if the header says that the file cannot be in the list of `first`. What cannot be read is
/// said when it is added.
bool fitsList(const std::filesystem::path& path, const SceneEntry& first,
              const std::stop_token& stop) {
    try {
        const io::ImageInfo info = io::readImageInfo(path, stop, first.reading);
        return reasonAgainst(info, first, first.extents).isEmpty();
    } catch (const base::Error&) {
        return true;
    }
}

} // namespace

void Opener::askMoreScenes() {
    ask(QStringLiteral("open"), tr("Add scenes"), true,
        [this](const auto& files) { openScenes(files, true); });
}

void Opener::openScenes(const std::vector<std::filesystem::path>& paths, bool added, Then then) {
    Files files;
    for (const std::filesystem::path& path : paths) {
        files.emplace_back(added || !files.empty() ? Target::MoreScene : Target::Scene, path);
    }
    openAll(std::move(files), {}, then);
}

void Opener::offerScenes(const std::vector<std::filesystem::path>& paths, const Then& then) {
    if (paths.empty()) {
        return;
    }
    if (paths.size() == 1 && isRawName(paths.front()) && !hasHeader(paths.front())) {
        askLayout(paths.front());
        return;
    }
    const SceneEntry& first = m_document.scenes().front();
    if (!m_document.holdsWork() || first.path.empty() ||
        m_controller.isPending(RunController::Task::Run)) {
        askHow(paths, false, then);
        return;
    }
    const QString name =
        paths.size() == 1 ? nameOf(paths.front()) : tr("%1 files").arg(paths.size());
    m_controller.start(RunController::Task::Load, tr("Looking at %1").arg(name),
                       [this, paths, then, scene = sceneWithoutPixels(first)](
                           const std::stop_token& stop, job::JobSink*) -> RunController::Done {
                           bool fits = true;
                           for (const std::filesystem::path& path : paths) {
                               fits = fits && fitsList(path, scene, stop);
                           }
                           return [this, paths, fits, then, stopped = stop.stop_requested()] {
                               if (stopped) {
                                   tell(then, false);
                               } else {
                                   askHow(paths, fits, then);
                               }
                           };
                       });
}

/// Asks what becomes of templates and results, if there are some. `canAdd`: all files fit the list.
void Opener::askHow(const std::vector<std::filesystem::path>& paths, bool canAdd,
                    const Then& then) {
    const QString name =
        paths.size() == 1 ? nameOf(paths.front()) : tr("%1 files").arg(paths.size());
    askBeforeOpening(m_window, m_document, name, canAdd,
                     m_controller.isPending(RunController::Task::Run), false,
                     [this, paths, then](OpenAs as) {
                         if (as == OpenAs::KeepTemplates) {
                             openKeepingTemplates(paths, then);
                         } else if (as == OpenAs::Add) {
                             openScenes(paths, true); // which has its spacing from the others
                         } else {
                             openScenes(paths, false, [this, paths, then](bool opened) {
                                 tell(then, opened);
                                 if (opened && paths.size() > 1) {
                                     offerStack(paths);
                                 }
                             });
                         }
                     });
}

void Opener::offerSample(const QString& name) {
    askBeforeOpening(m_window, m_document, name, false,
                     m_controller.isPending(RunController::Task::Run), true,
                     [this, name](OpenAs) { openSample(name); });
}

void Opener::openKeepingTemplates(const std::vector<std::filesystem::path>& paths,
                                  const Then& then) {
    RunInputs kept = m_document.inputs();
    kept.sceneMask.reset();
    const QString scene = m_document.scenes().front().name;
    for (TemplateEntry& templ : kept.templates) {
        if (templ.crop) { // the new scene holds other voxels there
            templ.place = tr("%1 from %2").arg(templ.name, scene);
            templ.name = templ.place;
            templ.crop.reset();
        }
    }
    openScenes(paths, false, [this, kept, then](bool opened) {
        if (opened) {
            m_document.bringBack(kept);
            m_document.undoStack().clear();
        }
        tell(then, opened);
    });
}

void Opener::addScene(const std::filesystem::path& path, const Then& then) {
    m_controller.start(
        RunController::Task::Load, tr("Adding %1").arg(pathText(path.filename())),
        [this, path, then, reading = m_document.scenes().front().reading](
            const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                const io::ImageInfo info = io::readImageInfo(path, stop, reading);
                if (stop.stop_requested()) {
                    return [then] { tell(then, false); };
                }
                return [this, path, info, then] { tell(then, acceptScene(path, info)); };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, sentence = inWindowWords(error), then] {
                    Q_EMIT failed(sentence);
                    tell(then, false);
                };
            }
        });
}

bool Opener::acceptScene(const std::filesystem::path& path, const io::ImageInfo& info) {
    const QString name = nameOf(path);
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

void Opener::showScene(int index, Then then) {
    if (index < 0 || index >= static_cast<int>(m_document.scenes().size())) {
        return;
    }
    if (m_controller.isPending(RunController::Task::Run)) {
        Q_EMIT warned(tr(
            "Another scene cannot be shown during a run: wait until the run ends, or cancel it."));
        tell(then, false);
        return;
    }
    const SceneEntry entry = m_document.scenes()[static_cast<std::size_t>(index)];
    if (entry.image) {
        m_document.showScene(index, entry.image);
        tell(then, true);
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
                    return [then] { tell(then, false); };
                }
                return [this, index, entry, image, then] {
                    const auto& scenes = m_document.scenes();
                    const auto at = static_cast<std::size_t>(index);
                    if (at >= scenes.size() || scenes[at].path != entry.path) {
                        return tell(then, false); // the list is another one by now
                    }
                    if (base::extentsOf(image->pixels) != entry.extents) {
                        Q_EMIT failed(
                            tr("%1 has changed since it was added: it has %2 now; "
                               "remove it from the list or add it again.")
                                .arg(entry.name, sizeText(base::extentsOf(image->pixels))));
                        return tell(then, false);
                    }
                    m_document.showScene(index, image);
                    tell(then, true);
                };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, sentence = inWindowWords(error), then] {
                    Q_EMIT failed(sentence);
                    tell(then, false);
                };
            }
        });
}

void Opener::removeScene(int index) {
    if (index != 0) {
        m_document.removeScene(index);
        return;
    }
    // Show the second scene first: it becomes the first, whose pixels must be in memory.
    showScene(1, [this](bool shown) {
        if (shown) {
            m_document.removeScene(0);
        }
    });
}

} // namespace flcc::ui
