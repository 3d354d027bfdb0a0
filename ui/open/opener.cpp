#include "ui/open/opener.h"
#include "engine/job/project.h"

#include <QFileDialog>

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/raw_volume.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/document/thumbnail.h"
#include "ui/open/image_questions.h"
#include "ui/open/open_question.h"
#include "ui/open/raw_dialog.h"
#include "ui/open/stack_files.h"
#include "ui/open/template_spacing.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {
namespace {

SceneEntry sceneWithoutPixels(SceneEntry scene) {
    scene.image.reset();
    return scene;
}

/// The images behind a name that cannot be opened as one image; empty if there are none.
std::vector<io::ImageChoice> severalImages(const std::filesystem::path& path,
                                           const std::stop_token& stop) {
    try {
        return io::imagesIn(path, stop);
    } catch (const base::Error&) { // what opening said stands
        return {};
    }
}

/// "first at 3,4,0 of cells.mha", when the file says where it was cut.
QString placeOf(const io::ImageInfo& info) {
    const auto box = info.metadata.find("flcc_box");
    const auto source = info.metadata.find("flcc_source");
    if (box == info.metadata.end()) {
        return {};
    }
    const QString where = toQString(box->second);
    return source == info.metadata.end()
               ? Opener::tr("cut at %1").arg(where)
               : Opener::tr("cut at %1 from %2").arg(where, toQString(source->second));
}

} // namespace

Opener::Opener(Document& document, RunController& controller, QWidget& window)
    : QObject(&window), m_document(document), m_controller(controller), m_window(window),
      m_sceneFiles(new SceneFiles(document, controller, this)),
      m_stack(new StackFiles(document, controller, this)),
      m_spacing(new TemplateSpacing(document, controller, this)) {
    connect(m_sceneFiles, &SceneFiles::opened, this, &Opener::opened);
    connect(m_sceneFiles, &SceneFiles::warned, this, &Opener::warned);
    connect(m_sceneFiles, &SceneFiles::failed, this, &Opener::failed);
    connect(m_sceneFiles, &SceneFiles::removed, this, &Opener::sceneRemoved);
    connect(m_stack, &StackFiles::opened, this, &Opener::opened);
    connect(m_stack, &StackFiles::failed, this, &Opener::failed);
    connect(m_stack, &StackFiles::offered, this, &Opener::stackOffered);
    connect(m_spacing, &TemplateSpacing::opened, this, &Opener::opened);
    connect(m_spacing, &TemplateSpacing::failed, this, &Opener::failed);
    connect(m_spacing, &TemplateSpacing::resampleOffered, this, &Opener::resampleOffered);
    connect(m_spacing, &TemplateSpacing::storedOffered, this, &Opener::storedOffered);
}

QString Opener::filters() {
    QStringList all;
    QStringList single;
    for (const std::string& extension : io::readableExtensions()) {
        const QString name = toQString(extension);
        const QString pattern = QStringLiteral("*.") + name;
        all << pattern;
        single << QStringLiteral("%1 (%2)").arg(name.toUpper(), pattern);
    }
    QStringList filters{tr("All images and volumes (%1)").arg(all.join(QChar(' ')))};
    filters << single << tr("Raw voxels (*.%1)").arg(rawExtensions().join(QStringLiteral(" *.")))
            << tr("All files (*)");
    return filters.join(QStringLiteral(";;"));
}

void Opener::askSeries() {
    auto* dialog = new QFileDialog(&m_window, tr("Open folder of DICOM"),
                                   Settings::folder(QStringLiteral("series")));
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        Settings::rememberFolder(QStringLiteral("series"), folder);
        offerScenes({toPath(folder)});
    });
    dialog->open();
}

void Opener::askScene() {
    ask(QStringLiteral("open"), tr("Open images or volumes"), true,
        [this](const auto& files) { offerScenes(files); });
}

void Opener::askTemplate() {
    ask(QStringLiteral("template"), tr("Open template"), true,
        [this](const auto& files) { openTemplates(files, false); });
}

void Opener::askMoreTemplates() {
    ask(QStringLiteral("template"), tr("Add templates"), true,
        [this](const auto& files) { openTemplates(files, true); });
}

void Opener::askMask(Target target) {
    if (target == Target::SceneMask) {
        ask(QStringLiteral("mask"), tr("Open mask of the scene"), false,
            [this](const auto& files) { open(Target::SceneMask, files.front()); });
        return;
    }
    ask(QStringLiteral("mask"), tr("Open mask of the template"), true,
        [this](const auto& files) { openMasks(files); });
}

void Opener::ask(const QString& purpose, const QString& title, bool several,
                 const std::function<void(const std::vector<std::filesystem::path>&)>& then,
                 const QString& filter) {
    auto* dialog = new QFileDialog(&m_window, title, Settings::folder(purpose), filter);
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(several ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::filesSelected, this, [purpose, then](const QStringList& names) {
        std::vector<std::filesystem::path> files;
        for (const QString& name : names) {
            files.push_back(toPath(name));
        }
        if (!files.empty()) {
            Settings::rememberFolder(purpose, names.front());
            then(files);
        }
    });
    dialog->open();
}

void Opener::openTemplates(const std::vector<std::filesystem::path>& paths, bool added) {
    Files files;
    for (const std::filesystem::path& path : paths) {
        files.emplace_back(added || !files.empty() ? Target::MoreTemplate : Target::Template, path);
    }
    openAll(std::move(files));
}

void Opener::openMasks(const std::vector<std::filesystem::path>& paths) {
    Files files;
    for (const std::filesystem::path& path : paths) {
        files.emplace_back(files.empty() ? Target::Mask : Target::MoreMask, path);
    }
    openAll(std::move(files));
}

void Opener::openAll(Files files, const Choice& choice, const Then& then) {
    if (files.empty()) {
        tellOpened(then, true);
        return;
    }
    const auto [target, file] = files.front();
    files.erase(files.begin());
    open(target, file, choice, [this, files, choice, then](bool opened) {
        if (opened) {
            openAll(files, choice, then);
        } else if (then) {
            then(false);
        }
    });
}

void Opener::open(Target target, const std::filesystem::path& path, const Choice& wanted,
                  Then then) {
    if (target == Target::MoreScene) {
        m_sceneFiles->add(path, then);
        return;
    }
    const QString name = fileName(path);
    if (target == Target::Scene && m_controller.isPending(RunController::Task::Run)) {
        m_controller.cancel();
    }
    const bool scene = target == Target::Scene;
    const io::Reading reading = wanted.reading.value_or(
        scene ? io::Reading{.orientation = m_orientation} : m_document.scenes().front().reading);
    m_controller.start(
        RunController::Task::Load, tr("Opening %1").arg(name),
        [this, target, path, wanted, scene, reading, then](const std::stop_token& stop,
                                                           job::JobSink*) -> RunController::Done {
            try {
                Choice choice = wanted;
                choice.reading = scene ? reading : job::companionReading(path, reading, stop);
                const io::ImageInfo info = io::readImageInfo(path, stop, *choice.reading);
                const bool several = info.images > 1 || ImageQuestions::isSlide(info);
                if (scene && several && !wanted.reading) {
                    return [this, target, path, info, choice, then] {
                        askChoice(target, path, info, choice, then);
                    };
                }
                if (target != Target::Scene) {
                    // The job's channel and frame are those of the scene: use them only where the
                    // file has several.
                    choice.channel = info.channels > 1 ? choice.channel : std::nullopt;
                    choice.frame = info.frames > 1 ? choice.frame : std::nullopt;
                }
                if ((info.channels > 1 && !choice.channel) || (info.frames > 1 && !choice.frame)) {
                    return [this, target, path, info, choice, then] {
                        askChoice(target, path, info, choice, then);
                    };
                }
                auto image =
                    job::loadImage(path, choice.channel, choice.frame, stop, 0, *choice.reading);
                if (stop.stop_requested()) {
                    return [then] { tellOpened(then, false); };
                }
                if (target == Target::Mask || target == Target::MoreMask ||
                    target == Target::SceneMask) {
                    auto mask = job::maskOf(*image);
                    mask = target == Target::SceneMask ? job::sceneMaskOf(mask) : mask;
                    return [this, target, path, mask, asStored = choice.asStored, then] {
                        acceptMask(target, {mask, fileName(path), path}, asStored);
                        tellOpened(then, true);
                    };
                }
                // Here and not in the document: it reads all over a large image.
                const QImage thumbnail =
                    target == Target::Scene
                        ? thumbnailOf(base::viewOf(image->pixels), kThumbnailSide)
                        : QImage();
                return [this, target, path, choice, image, info, thumbnail, then] {
                    accept(target, path, choice, image, info, thumbnail);
                    tellOpened(then, true);
                };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                const auto* known = dynamic_cast<const base::Error*>(&error);
                if (known != nullptr && known->code() == base::ErrorCode::Problem) {
                    if (const auto images = severalImages(path, stop); !images.empty()) {
                        return [this, target, path, images, wanted, then] {
                            askImage(target, path, images, wanted, then);
                        };
                    }
                }
                return [this, path, sentence = inWindowWords(error), then] {
                    Settings::removeRecentFile(pathText(path));
                    Q_EMIT failed(sentence);
                    tellOpened(then, false);
                };
            }
        });
}

void Opener::accept(Target target, const std::filesystem::path& path, const Choice& choice,
                    const std::shared_ptr<const job::SceneImage>& image, const io::ImageInfo& info,
                    const QImage& thumbnail) {
    const QString name = fileName(path);
    if (target == Target::Scene) {
        Settings::addRecentFile(pathText(path));
        SceneEntry scene{image, name, path, {}, choice.channel, choice.frame};
        scene.thumbnail = thumbnail;
        scene.reading = choice.reading.value_or(io::Reading{});
        m_document.setScene(std::move(scene));
        Q_EMIT opened(
            announcement(name, *image, image->geometry) +
            (image->opacity ? tr("; its opacity is ignored, all of its pixels count") : QString()));
        return;
    }
    TemplateEntry templ{image, name, path, {}, placeOf(info)};
    templ.asStored = choice.asStored;
    acceptTemplate(std::move(templ), target == Target::MoreTemplate);
}

void Opener::acceptMask(Target target, MaskEntry entry, bool asStored) {
    if (!m_document.hasScene()) {
        Q_EMIT failed(tr("A mask cannot be opened without a scene: open a scene first."));
        return;
    }
    if (!asStored) {
        const int number = target == Target::SceneMask ? -1
                           : target == Target::MoreMask
                               ? static_cast<int>(m_document.masks().size())
                               : std::max(0, m_document.activeTemplate());
        entry = m_spacing->turned(std::move(entry), number);
    }
    const base::Image<std::uint8_t>& support = entry.image->support;
    const auto inside = std::count(support.data(), support.data() + support.count(), 1);
    const QString text = withNotes(tr("%1: mask of %2, %3 of them inside, %4")
                                       .arg(entry.name, sizeText(support.extents()))
                                       .arg(inside)
                                       .arg(toQString(entry.image->counts)),
                                   {entry.image->note, entry.image->warning});
    if (target == Target::SceneMask) {
        m_document.setSceneMask(std::move(entry));
    } else {
        std::vector<MaskEntry> masks =
            target == Target::MoreMask ? m_document.masks() : std::vector<MaskEntry>{};
        masks.push_back(std::move(entry));
        m_document.setMasks(std::move(masks));
    }
    Q_EMIT opened(text);
}

void Opener::acceptTemplate(TemplateEntry entry, bool added) {
    if (!m_document.hasScene()) {
        Q_EMIT failed(tr("A template cannot be opened without a scene: open a scene first."));
        return;
    }
    entry = m_spacing->turned(std::move(entry));
    const QString name = entry.name;
    const auto image = entry.image;
    QString text = announcement(name, *image, image->geometry);
    if (!entry.place.isEmpty()) {
        text += QStringLiteral("; ") + entry.place;
    }
    if (image->opacity && m_document.masks().empty()) {
        text += tr("; its opaque part is its mask");
    }
    if (added) {
        m_document.addTemplate(std::move(entry));
    } else {
        m_document.setTemplate(std::move(entry));
    }
    Q_EMIT opened(text);
    m_spacing->warn(m_document.activeTemplate());
}

void Opener::openSample(const QString& name, Then then) {
    if (m_controller.isPending(RunController::Task::Run)) {
        m_controller.cancel();
    }
    m_controller.start(
        RunController::Task::Load, tr("Making the sample %1").arg(name),
        [this, name, then](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                job::JobImages images = job::sampleImages(name.toStdString());
                if (stop.stop_requested()) {
                    return [then] { tellOpened(then, false); };
                }
                return [this, name, images, then] {
                    m_document.setScene({images.scene, name, {}, name, {}, {}});
                    m_document.startWith(
                        {{{images.templates.front(), tr("template of %1").arg(name), {}, {}, {}}},
                         0,
                         {},
                         {}});
                    Q_EMIT opened(announcement(name, *images.scene, images.scene->geometry));
                    Q_EMIT sampleOpened();
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

void Opener::askRaw() {
    ask(
        QStringLiteral("raw"), tr("Open raw volume"), false,
        [this](const auto& files) { askLayout(files.front()); },
        tr("Raw voxels (*.%1);;All files (*)").arg(rawExtensions().join(QStringLiteral(" *."))));
}

void Opener::askLayout(const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (error || bytes == 0) {
        Q_EMIT failed(
            error ? tr("%1 cannot be read: %2").arg(pathText(file), toQString(error.message()))
                  : tr("%1 cannot be read: the file is empty").arg(pathText(file)));
        return;
    }
    auto* dialog = new RawDialog(file, bytes, m_controller, &m_window);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const std::optional<base::Spacing> spacing = dialog->spacing();
        offerScenes({io::rawPath(dialog->volume())}, [this, spacing](bool opened) {
            if (opened && spacing) {
                m_document.setSpacing(spacing);
            }
        });
    });
    dialog->open();
}

void Opener::askImage(Target target, const std::filesystem::path& path,
                      const std::vector<io::ImageChoice>& images, const Choice& choice,
                      const Then& then) {
    ImageQuestions::askImage(m_window, path, images,
                             [this, target, choice, then](const auto& chosen) {
                                 if (chosen) {
                                     open(target, *chosen, choice, then);
                                 } else {
                                     tellOpened(then, false);
                                 }
                             });
}

void Opener::askChoice(Target target, const std::filesystem::path& path, const io::ImageInfo& info,
                       const Choice& known, const Then& then) {
    ImageQuestions::askPart(m_window, path, info, known,
                            [this, target, path, then](const auto& chosen) {
                                if (chosen) {
                                    open(target, path, *chosen, then);
                                } else {
                                    tellOpened(then, false);
                                }
                            });
}

void Opener::askMoreScenes() {
    ask(QStringLiteral("open"), tr("Add scenes"), true,
        [this](const auto& files) { openScenes(files, true); });
}

void Opener::openScenes(const std::vector<std::filesystem::path>& paths, bool added, Then then) {
    if (paths.size() == 1 && job::isProject(paths.front())) {
        Q_EMIT projectRequested(paths.front(), then);
        return;
    }
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
    if (paths.size() == 1 && job::isProject(paths.front())) {
        Q_EMIT projectRequested(paths.front(), then);
        return;
    }
    if (paths.size() == 1 && isRawName(paths.front()) && !hasHeader(paths.front())) {
        askLayout(paths.front());
        return;
    }
    if (!m_document.holdsWork() || m_controller.isPending(RunController::Task::Run)) {
        askHow(paths, {}, then); // nobody looks at files during a run
        return;
    }
    const QString name =
        paths.size() == 1 ? fileName(paths.front()) : tr("%1 files").arg(paths.size());
    std::vector<base::Extents> templates;
    for (const TemplateEntry& each : m_document.templates()) {
        templates.push_back(base::extentsOf(each.image->pixels));
    }
    m_controller.start(
        RunController::Task::Load, tr("Looking at %1").arg(name),
        [this, paths, then, templates, scene = sceneWithoutPixels(m_document.scenes().front())](
            const std::stop_token& stop, job::JobSink*) {
            const SceneFiles::Fit fit = SceneFiles::fit(paths, scene, templates, stop);
            return RunController::Done([this, paths, fit, then, stopped = stop.stop_requested()] {
                if (stopped) {
                    tellOpened(then, false);
                } else {
                    askHow(paths, fit, then);
                }
            });
        });
}

/// Asks what becomes of templates and results, if there are some.
void Opener::askHow(const std::vector<std::filesystem::path>& paths, const SceneFiles::Fit& fit,
                    const Then& then) {
    const QString name =
        paths.size() == 1 ? fileName(paths.front()) : tr("%1 files").arg(paths.size());
    askBeforeOpening(m_window, m_document, name,
                     {.add = fit.list,
                      .keep = fit.templates,
                      .running = m_controller.isPending(RunController::Task::Run)},
                     [this, paths, then](OpenAs as) {
                         if (as == OpenAs::KeepTemplates) {
                             openKeepingTemplates(paths, then);
                         } else if (as == OpenAs::Add) {
                             openScenes(paths, true); // which has its spacing from the others
                         } else {
                             openScenes(paths, false, [this, paths, then](bool opened) {
                                 tellOpened(then, opened);
                                 if (opened && paths.size() > 1) {
                                     m_stack->offer(paths);
                                 }
                             });
                         }
                     });
}

void Opener::offerSample(const QString& name) {
    askBeforeOpening(m_window, m_document, name,
                     {.running = m_controller.isPending(RunController::Task::Run), .onlyNew = true},
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
            RunInputs inputs = kept;
            for (TemplateEntry& templ : inputs.templates) {
                templ = m_spacing->turned(std::move(templ));
            }
            m_document.startWith(inputs);
        }
        tellOpened(then, opened);
    });
}

void Opener::showScene(int index, const Then& then) { m_sceneFiles->show(index, then); }

void Opener::removeScene(int index) { m_sceneFiles->remove(index); }

void Opener::warnOfSpacings() { m_spacing->warnOfFirst(); }

bool Opener::canResample(int number) const { return m_spacing->differs(number); }

void Opener::keepStored(int number) { m_spacing->keepStored(number); }

void Opener::resampleTemplate(int number) { m_spacing->resample(number); }

void Opener::resampleTemplates(const Then& then) { m_spacing->resampleAll(then); }

void Opener::openStack(const std::vector<std::filesystem::path>& paths) { m_stack->open(paths); }

} // namespace flcc::ui
