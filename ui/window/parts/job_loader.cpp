#include "ui/window/parts/job_loader.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>

#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "engine/job/any_job.h"
#include "engine/job/mask_shape.h"
#include "ui/base/message_bar.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/features/features_panel.h"
#include "ui/features/pairs_dialog.h"
#include "ui/filter/filter_dialog.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/open_question.h"
#include "ui/window/parts/dialogs.h"
#include "ui/window/parts/docks.h"
#include "ui/window/parts/edit_commands.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

void JobLoader::ask() {
    auto* dialog =
        new QFileDialog(&m_parts.window, tr("Load job"), Settings::folder(QStringLiteral("job")),
                        tr("Job (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("jobDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(
        dialog, &QFileDialog::fileSelected, &m_parts.window, [this](const QString& file) {
            Settings::rememberFolder(QStringLiteral("job"), file);
            askBeforeOpening(m_parts.window, m_parts.document, QFileInfo(file).fileName(),
                             {.running = m_parts.controller.isPending(RunController::Task::Run),
                              .onlyNew = true},
                             [this, file](OpenAs) { load(file); });
        });
    dialog->open();
}

void JobLoader::load(const QString& file, bool run) {
    job::Job job;
    try {
        const job::AnyJob any = job::anyFromJobFile(job::readJobFile(toPath(file)));
        if (const auto* convolve = std::get_if<job::ConvolveJob>(&any)) {
            loadConvolveJob(*convolve);
            return;
        }
        if (const auto* features = std::get_if<job::FeaturesJob>(&any)) {
            loadFeaturesJob(*features);
            return;
        }
        job = std::get<job::Job>(any);
    } catch (const base::Error& error) {
        Q_EMIT m_parts.opener.failed(inWindowWords(error));
        return;
    }
    open(job, [this, job, run, path = toPath(file)](bool opened) {
        if (opened) {
            show(job, path, run);
        }
    });
}

/// Opens the files of a job.
void JobLoader::open(const job::Job& job, const std::function<void(bool)>& then) {
    // One after the other: scenes, templates, masks; then the rest of the job.
    using Target = Opener::Target;
    Opener::Files files;
    const auto add = [&files](Target target, const std::filesystem::path& path) {
        if (!path.empty()) {
            files.emplace_back(target, path);
        }
    };
    add(Target::Scene, job.scene);
    for (const std::filesystem::path& scene : job.furtherScenes) {
        add(Target::MoreScene, scene);
    }
    // The new scene removes the old templates, so the job's templates are all added.
    for (const std::filesystem::path& templ : job.templates) {
        if (!job.scene.empty()) {
            add(Target::MoreTemplate, templ);
        }
    }
    bool first = true;
    for (const std::filesystem::path& mask : job.masks) {
        if (!job::maskShapeOf(mask) && mask != job::kOpacityMask) {
            add(first ? Target::Mask : Target::MoreMask, mask);
            first = false;
        }
    }
    add(Target::SceneMask, job.sceneMask);
    const bool all = job.channel == job::kAllChannels; // the window shows brightness
    m_parts.opener.openAll(
        std::move(files),
        {all ? std::nullopt : job.channel, job.frame, job.reading, job.ignoreDirections}, then);
}

/// Shows a job whose files are open.
void JobLoader::show(const job::Job& job, const std::filesystem::path& file, bool run) {
    m_parts.document.setJobFile(file);
    try {
        m_parts.document.setSpacing(job.spacing);
        m_parts.document.setWorldAxes(job.world);
    } catch (const base::Error& error) {
        Q_EMIT m_parts.opener.failed(inWindowWords(error));
        return;
    }
    m_parts.match.setSettings(job);
    if (!cut(job)) {
        return;
    }
    addShapes(job);
    if (job.resample) {
        m_parts.opener.resampleTemplates([this, run](bool resampled) {
            if (run && resampled) {
                m_parts.flow.run();
            }
        });
    } else if (run) {
        m_parts.flow.run();
    }
}

/// Cuts the templates of a job from the scene; false if the scene is too small for them.
bool JobLoader::cut(const job::Job& job) {
    while (job.scene.empty() && !job.crops.empty() && !m_parts.document.templates().empty()) {
        m_parts.document.removeTemplate(0); // those of the job replace them
    }
    for (const base::Box& crop : job.crops) {
        const base::Extents scene = m_parts.document.sceneExtents();
        if (m_parts.document.hasScene() && !base::contains(scene, crop)) {
            Q_EMIT m_parts.opener.failed(
                tr("The crop %1 of the job leaves the scene of %2. Open the scene that "
                   "the job was made for, or change the crop.")
                    .arg(regionText(crop, m_parts.document.isVolume()), sizeText(scene)));
            return false;
        }
        m_parts.document.setBox(crop);
        m_commands.addCutTemplate();
    }
    m_parts.document.setActiveTemplate(0);
    if (!job.crops.empty()) {
        m_parts.document.setBox(job.crops.front());
    }
    return true;
}

/// Puts the masks of a job that are shapes, or the opacity of a template, between those that were
/// read.
void JobLoader::addShapes(const job::Job& job) {
    const std::vector<MaskEntry> read = m_parts.document.masks();
    std::vector<MaskEntry> all;
    auto file = read.begin();
    bool shapes = false;
    for (std::size_t i = 0; i < job.masks.size(); ++i) {
        const auto shape = job::maskShapeOf(job.masks[i]);
        if (job.masks[i] == job::kOpacityMask) {
            const bool known = i < m_parts.document.templates().size() && job.masks.size() > 1;
            const auto opacity = known ? m_parts.document.templates()[i].image->opacity : nullptr;
            if (opacity) { // alone, it is what a template has without a mask
                all.push_back({opacity, tr("opacity"), job.masks[i]});
                shapes = true;
            }
        } else if (!shape && file != read.end()) {
            all.push_back(*file++);
        } else if (shape && i < m_parts.document.templates().size()) {
            const auto& templ = *m_parts.document.templates()[i].image;
            all.push_back(
                {job::makeMask(*shape, templ.extents(),
                               job::maskGrid(m_parts.document.geometry(), templ.geometry)),
                 job.masks[i] == "none" ? tr("none") : toQString(shape->text()), job.masks[i]});
            shapes = true;
        }
    }
    if (shapes) {
        m_parts.document.setMasks(std::move(all));
    }
}

/// Opens the scene of a job, unless the job has none and a scene is shown, and then calls `then`.
void JobLoader::openForJob(const std::filesystem::path& scene, const Opener::Choice& choice,
                           const std::function<void()>& then) {
    const auto next = [this, then](bool opened) {
        if (!opened) {
            return;
        }
        try {
            then();
        } catch (const base::Error& error) {
            Q_EMIT m_parts.opener.failed(inWindowWords(error));
        }
    };
    if (scene.empty()) {
        next(m_parts.document.hasScene());
        return;
    }
    m_parts.opener.open(Opener::Target::Scene, scene, choice, next);
}

void JobLoader::loadConvolveJob(const job::ConvolveJob& job) {
    openForJob(job.scene, {job.channel, job.frame, job.reading}, [this, job] {
        job::Job settings = m_parts.match.settings();
        settings.threads = job.threads;
        settings.memoryBytes = job.memoryBytes;
        m_parts.match.setSettings(settings);
        m_parts.document.setSpacing(job.spacing);
        m_dialogs.showFilter().setJob(job);
        if (job.region || job.tile.x > 0 || job.stream) {
            m_parts.message.tell(
                MessageBar::Kind::Warning,
                tr("The Filter dialog convolves the whole scene at once, with tiles of the plan: "
                   "region, tile and stream of the job are left out. flcc-cli convolve --job uses "
                   "them."));
        }
    });
}

void JobLoader::loadFeaturesJob(const job::FeaturesJob& job) {
    openForJob(job.scene, {job.channel, job.frame, job.reading}, [this, job] {
        m_parts.docks.showFeatures();
        m_parts.document.setSpacing(job.spacing);
        m_parts.document.setWorldAxes(job.world);
        m_parts.features.findAs(job);
        if (!job.match.empty()) {
            PairsDialog* const pairs = m_dialogs.showPairs();
            pairs->setLeastScore(job.minScore);
            pairs->addFile(pathText(job.match));
        }
    });
}

void JobLoader::askPlanReport() {
    auto* dialog =
        new QFileDialog(&m_parts.window, tr("Plan report"), Settings::folder(QStringLiteral("job")),
                        tr("Plan report (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("planReportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, &m_parts.window,
                     [this](const QString& file) {
                         Settings::rememberFolder(QStringLiteral("job"), file);
                         m_parts.match.setPlanReport(toPath(file));
                     });
    dialog->open();
}

} // namespace flcc::ui
