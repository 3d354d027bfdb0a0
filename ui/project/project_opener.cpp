#include "ui/project/project_opener.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/option_names.h"
#include "ui/base/question.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/project/project_keeper.h"
#include "ui/project/project_value.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

QString nameOf(const fs::path& file) { return pathText(file.filename()); }

bool hasVoxels(const std::shared_ptr<const job::SceneImage>& image) {
    return image != nullptr && base::extentsOf(image->pixels).x > 0;
}

/// Whether the pixels of a scene have to be in memory, as in every document.
bool isNeeded(const job::Project& project, std::size_t scene) {
    return scene == 0 || std::cmp_equal(scene, project.activeScene);
}

} // namespace

ProjectOpener::ProjectOpener(Document& document, RunController& controller, ProjectKeeper& keeper,
                             Show show, QWidget& window)
    : QObject(&window), m_document(document), m_controller(controller), m_keeper(keeper),
      m_show(std::move(show)), m_window(window) {}

void ProjectOpener::end(const Way& way, const QString& sentence) {
    if (!sentence.isEmpty()) {
        Q_EMIT failed(sentence);
    }
    if (way->then) {
        way->then(false);
    }
}

/// Calls `reading` on the background thread, and goes on with offerUnsaved().
void ProjectOpener::read(const Way& way, const std::function<void()>& reading) {
    m_controller.start(
        RunController::Task::Load,
        tr("Opening %1").arg(way->file.empty() ? tr("unsaved work") : nameOf(way->file)),
        [this, way, reading](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                reading();
                if (stop.stop_requested()) {
                    return [this, way] { end(way, {}); };
                }
                return [this, way] { offerUnsaved(way); };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, way, sentence = inWindowWords(error)] { end(way, sentence); };
            }
        });
}

void ProjectOpener::open(const fs::path& file, std::function<void(bool)> then) {
    const Way way = std::make_shared<Opening>();
    std::error_code error;
    way->file = fs::absolute(file, error).lexically_normal();
    way->then = std::move(then);
    way->work = std::make_shared<UnsavedWork>(UnsavedWork::baseOf(way->file, m_keeper.folder()));
    read(way, [way] {
        way->project = job::readProject(way->file);
        if (way->project.fromNewer) {
            way->readOnly = tr("%1 is of a newer version of the program. It can be looked at, and "
                               "saved under another name.")
                                .arg(nameOf(way->file));
        } else if (!way->work->lock()) {
            way->readOnly = tr("%1 is open in another window (%2). It can be looked at, and saved "
                               "under another name.")
                                .arg(nameOf(way->file), way->work->holder());
        } else {
            way->unsaved = way->work->read(way->project);
        }
        if (!way->readOnly.isEmpty()) {
            way->work.reset();
        }
    });
}

void ProjectOpener::openEarlier(const fs::path& version, const fs::path& file,
                                std::function<void(bool)> then) {
    const Way way = std::make_shared<Opening>();
    way->then = std::move(then);
    way->file = file;
    way->recovered = true;
    read(way, [way, version] { way->project = job::readProject(version); });
}

void ProjectOpener::recover(const fs::path& base, std::function<void(bool)> then) {
    const Way way = std::make_shared<Opening>();
    way->then = std::move(then);
    way->recovered = true;
    way->work = std::make_shared<UnsavedWork>(base);
    read(way, [way] {
        std::optional<job::Project> unsaved =
            way->work->lock() ? way->work->read(std::nullopt) : std::nullopt;
        if (!unsaved) {
            throw base::Error(base::ErrorCode::Input, "the unsaved work is not there any more");
        }
        way->project = std::move(*unsaved);
    });
}

void ProjectOpener::offerUnsaved(const Way& way) {
    if (!way->unsaved) {
        look(way);
        return;
    }
    QMessageBox* box = makeQuestion(
        m_window, "recoverQuestion", tr("Unsaved work"),
        tr("%1 was not saved after it was changed on %2. The unsaved work holds %3; the saved file "
           "%4.")
            .arg(nameOf(way->file), momentText(way->work->when()), contentText(*way->unsaved),
                 contentText(way->project)));
    QPushButton* usual =
        addAnswer(*box, "openRecovered", tr("Open the unsaved work"),
                  tr("Opens it; the file stays as it is until you save"), [this, way] {
                      way->project = std::move(*way->unsaved);
                      way->recovered = true;
                      look(way);
                  });
    addAnswer(*box, "openSaved", tr("Open the saved file"),
              tr("The unsaved work is kept as an earlier version"), [this, way] {
                  const fs::path kept = way->file.native() + "~unsaved";
                  try {
                      job::saveProject(kept, job::toText(*way->unsaved, way->file.parent_path()));
                      way->work->forgetBefore(way->work->nextJournal());
                  } catch (const std::exception& error) {
                      end(way, inWindowWords(error));
                      return;
                  }
                  look(way);
              });
    connect(box, &QMessageBox::rejected, this, [this, way] { end(way, {}); });
    box->setDefaultButton(usual); // Return loses nothing
    box->open();
}

/// Looks for the files of the scenes.
void ProjectOpener::look(const Way& way) {
    m_controller.start(
        RunController::Task::Load, tr("Looking for the files of the project"),
        [this, way](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            way->files.clear();
            for (const job::ProjectScene& scene : way->project.scenes) {
                way->files.push_back(scene.file.path.empty()
                                         ? job::FoundFile{job::FoundFile::How::Found, {}}
                                         : job::findFile(scene.file, way->project.folder,
                                                         way->file.parent_path(), way->mended));
                if (stop.stop_requested()) {
                    return [this, way] { end(way, {}); };
                }
            }
            return [this, way] { askForFiles(way); };
        });
}

/// Asks for the first file that is missing or another one; goes on if there is none.
void ProjectOpener::askForFiles(const Way& way) {
    for (std::size_t i = 0; i < way->files.size(); ++i) {
        if (way->files[i].how != job::FoundFile::How::Found) {
            askForFile(way, i);
            return;
        }
    }
    load(way);
}

void ProjectOpener::askForFile(const Way& way, std::size_t scene) {
    job::ProjectScene& entry = way->project.scenes[scene];
    const job::FoundFile file = way->files[scene];
    const bool changed = file.how == job::FoundFile::How::Changed;
    const auto missing = std::ranges::count_if(way->files, [](const job::FoundFile& each) {
        return each.how != job::FoundFile::How::Found;
    });
    QString text = changed ? tr("The file %1 is another one than when the project was saved: peaks "
                                "and decisions may not belong to it.")
                                 .arg(pathText(file.path))
                           : tr("The file %1 is not there.").arg(pathText(file.path));
    if (missing > 1) {
        text += tr(" %1 more files of the project are missing or changed; those beside the one "
                   "that you find are found with it.")
                    .arg(missing - 1);
    }
    QMessageBox* box = makeQuestion(m_window, "fileQuestion", tr("Files of the project"), text);
    const auto take = [way, scene](const fs::path& path) {
        way->project.scenes[scene].file = {path, job::identityOf(path)};
        way->files[scene] = {job::FoundFile::How::Found, path};
        way->mended.push_back(path.parent_path());
        way->notes.append(tr("%1 is read from %2.").arg(nameOf(path), pathText(path)));
    };
    QPushButton* usual = addAnswer(
        *box, "findFile", tr("Find …"), tr("Asks where the file lies now"),
        [this, way, take, name = entry.name] {
            auto* dialog = new QFileDialog(&m_window, tr("Find %1").arg(toQString(name)),
                                           Settings::folder(QStringLiteral("open")));
            dialog->setObjectName(QStringLiteral("findFileDialog"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setFileMode(QFileDialog::ExistingFile);
            connect(dialog, &QFileDialog::fileSelected, this, [this, way, take](const QString& of) {
                take(toPath(of));
                look(way); // others may lie beside it
            });
            connect(dialog, &QFileDialog::rejected, this, [this, way] { askForFiles(way); });
            dialog->open();
        });
    if (changed) {
        addAnswer(*box, "takeChanged", tr("Take the changed file"),
                  tr("Opens the project with the file as it is now"),
                  [this, way, take, path = file.path] {
                      take(path);
                      askForFiles(way);
                  });
    }
    addAnswer(*box, "openWithout", tr("Open without it"),
              tr("Peaks, decisions and pictures are in the project. The scene is black, and cannot "
                 "be searched"),
              [this, way] {
                  for (std::size_t i = 0; i < way->files.size(); ++i) {
                      if (way->files[i].how != job::FoundFile::How::Found) {
                          way->files[i].how = job::FoundFile::How::Found;
                          way->project.scenes[i].missing = true;
                      }
                  }
                  askForFiles(way);
              });
    connect(box, &QMessageBox::rejected, this, [this, way] { end(way, {}); });
    box->setDefaultButton(usual);
    box->open();
}

/// Reads what has to be in memory.
void ProjectOpener::load(const Way& way) {
    m_controller.start(
        RunController::Task::Load, tr("Reading the scenes of the project"),
        [this, way](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            try {
                loadPixels(*way, stop);
                if (stop.stop_requested()) {
                    return [this, way] { end(way, {}); };
                }
                return [this, way] { finish(way); };
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                return [this, way, sentence = inWindowWords(error)] { end(way, sentence); };
            }
        });
}

/// Leaves out filtered scenes that were too large for the project, and their results.
void ProjectOpener::leaveOutVoxelless(Opening& way) {
    job::Project& project = way.project;
    for (std::size_t i = project.scenes.size(); i-- > 1;) {
        const job::ProjectScene& scene = project.scenes[i];
        if (!scene.file.path.empty() || !scene.sample.empty() || hasVoxels(scene.image)) {
            continue;
        }
        const auto number = static_cast<int>(i);
        way.notes.append(tr("%1 is left out with its results: it was too large for the project.")
                             .arg(toQString(project.scenes[i].name)));
        std::erase_if(project.results,
                      [&](const job::ProjectResult& each) { return each.scene == number; });
        for (job::ProjectResult& each : project.results) {
            each.scene -= each.scene > number ? 1 : 0;
        }
        project.activeScene = project.activeScene == number  ? 0
                              : project.activeScene > number ? project.activeScene - 1
                                                             : project.activeScene;
        project.shownResult = -1;
        project.selectedPeak = -1;
        project.scenes.erase(project.scenes.begin() + number);
        way.files.erase(way.files.begin() + number);
    }
}

void ProjectOpener::loadPixels(Opening& way, const std::stop_token& stop) const {
    job::Project& project = way.project;
    leaveOutVoxelless(way);
    way.images.assign(project.scenes.size(), nullptr);
    for (std::size_t i = 0; i < project.scenes.size() && !stop.stop_requested(); ++i) {
        job::ProjectScene& scene = project.scenes[i];
        if (!scene.file.path.empty() && way.files[i].path != scene.file.path) {
            scene.file.path = way.files[i].path;
        }
        if (scene.file.path.empty() && scene.sample.empty()) {
            if (!hasVoxels(scene.image)) { // one that was too large
                throw base::Error(base::ErrorCode::Problem,
                                  "the voxels of " + scene.name +
                                      " are not in the project, and no file holds them");
            }
            way.images[i] = scene.image;
        } else if (scene.missing) {
            auto black = std::make_shared<job::SceneImage>();
            black->pixels = base::Image<std::uint8_t>(scene.extents, 0);
            black->source = scene.file.path.native();
            way.images[i] = isNeeded(project, i) ? std::move(black) : nullptr;
        } else if (!scene.sample.empty()) {
            way.images[i] = job::sampleImages(scene.sample).scene;
        } else if (isNeeded(project, i)) {
            way.images[i] =
                job::loadImage(scene.file.path, scene.channel, scene.frame, stop, 0, scene.reading);
            if (way.images[i] && way.images[i]->extents() != scene.extents) {
                throw base::Error(base::ErrorCode::Problem,
                                  scene.name + " has " + base::toString(way.images[i]->extents()) +
                                      " voxels, and had " + base::toString(scene.extents) +
                                      " when the project was saved");
            }
        }
    }
    // Images too large for the project are where they came from.
    const auto restoreVoxels = [&](job::ProjectTemplate& templ) {
        if (hasVoxels(templ.image)) {
            return true;
        }
        try {
            templ.image = templ.crop
                              ? job::cutTemplate(*way.images.front(), *templ.crop, project.spacing)
                              : job::loadCompanion(templ.path, {}, {}, stop);
        } catch (const base::Error& error) {
            way.notes.append(tr("The template %1 is left out: %2.")
                                 .arg(toQString(templ.name), inWindowWords(error)));
            return false;
        }
        return hasVoxels(templ.image);
    };
    auto& templates = project.inputs.templates;
    std::erase_if(templates, [&](job::ProjectTemplate& each) { return !restoreVoxels(each); });
    project.inputs.active = std::min(project.inputs.active, static_cast<int>(templates.size()) - 1);
    if (project.inputs.masks.size() > 1 && project.inputs.masks.size() != templates.size()) {
        project.inputs.masks.clear();
    }
    std::erase_if(project.results, [&](const job::ProjectResult& each) {
        const bool whole = std::ranges::all_of(each.result.job->templates, hasVoxels);
        if (!whole) {
            way.notes.append(tr("The result %1 is left out: its templates are too large for the "
                                "project.")
                                 .arg(toQString(each.title)));
        }
        return !whole;
    });
    if (project.shownResult >= static_cast<int>(project.results.size())) {
        project.shownResult = -1;
    }
}

void ProjectOpener::finish(const Way& way) {
    const DocumentState state = stateOf(way->project, way->images);
    m_keeper.fill([this, &way, &state] {
        m_document.restore(state);
        m_show(way->project);
    });
    const bool mended = !way->mended.empty();
    m_keeper.adopt(way->project, way->file, way->recovered || mended, way->work, way->readOnly);
    if (!way->file.empty()) {
        Settings::addRecentFile(pathText(way->file));
    }
    QString sentence = way->file.empty()
                           ? tr("Unsaved work: %1").arg(contentText(way->project))
                           : tr("%1: %2").arg(nameOf(way->file), contentText(way->project));
    sentence += QStringLiteral(". ") + way->notes.join(QStringLiteral(" "));
    Q_EMIT opened((sentence + QStringLiteral(" ") + way->readOnly).trimmed());
    if (way->then) {
        way->then(true);
    }
}

} // namespace flcc::ui
