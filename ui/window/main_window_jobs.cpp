#include "ui/window/main_window.h"

#include <QDockWidget>
#include <QTabWidget>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "engine/job/any_job.h"
#include "engine/job/arguments.h"
#include "engine/job/mask_shape.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/features/features_panel.h"
#include "ui/features/pairs_dialog.h"
#include "ui/filter/filter_dialog.h"
#include "ui/match/match_fields.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"

namespace flcc::ui {

void MainWindow::loadJob(const QString& file, bool run) {
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
        Q_EMIT m_opener->failed(inWindowWords(error.what()));
        return;
    }
    const auto start = [this, job, run, path = toPath(file)](bool opened) {
        if (!opened) {
            return;
        }
        m_document->setJobFile(path);
        try {
            m_document->setSpacing(job.spacing);
            m_document->setWorldAxes(job.world);
        } catch (const base::Error& error) {
            Q_EMIT m_opener->failed(inWindowWords(error.what()));
            return;
        }
        m_match->setSettings(job);
        while (job.scene.empty() && !job.crops.empty() && !m_document->templates().empty()) {
            m_document->removeTemplate(0); // those of the job replace them
        }
        for (const base::Box& crop : job.crops) {
            const base::Extents scene = m_document->sceneExtents();
            if (m_document->hasScene() && !base::contains(scene, crop)) {
                Q_EMIT m_opener->failed(
                    tr("The crop %1 of the job leaves the scene of %2. Open the scene that "
                       "the job was made for, or change the crop.")
                        .arg(regionText(crop, m_document->isVolume()), sizeText(scene)));
                return;
            }
            m_document->setBox(crop);
            addCutTemplate();
        }
        m_document->setActiveTemplate(0);
        if (!job.crops.empty()) {
            m_document->setBox(job.crops.front());
        }
        addShapes(job);
        if (job.resample) {
            m_opener->resampleTemplates([this, run](bool resampled) {
                if (run && resampled) {
                    m_flow->run();
                }
            });
        } else if (run) {
            m_flow->run();
        }
    };
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
    m_opener->openAll(std::move(files), {all ? std::nullopt : job.channel, job.frame, job.reading},
                      start);
}

/// Puts the masks of a job that are shapes, or the opacity of a template, between those that were
/// read.
void MainWindow::addShapes(const job::Job& job) {
    const std::vector<MaskEntry> read = m_document->masks();
    std::vector<MaskEntry> all;
    auto file = read.begin();
    bool shapes = false;
    for (std::size_t i = 0; i < job.masks.size(); ++i) {
        const auto shape = job::maskShapeOf(job.masks[i]);
        if (job.masks[i] == job::kOpacityMask) {
            const bool known = i < m_document->templates().size() && job.masks.size() > 1;
            const auto opacity = known ? m_document->templates()[i].image->opacity : nullptr;
            if (opacity) { // alone, it is what a template has without a mask
                all.push_back({opacity, tr("opacity"), job.masks[i]});
                shapes = true;
            }
        } else if (!shape && file != read.end()) {
            all.push_back(*file++);
        } else if (shape && i < m_document->templates().size()) {
            const auto& templ = *m_document->templates()[i].image;
            all.push_back({job::makeMask(*shape, templ.extents()),
                           job.masks[i] == "none" ? tr("none") : toQString(shape->text()),
                           job.masks[i]});
            shapes = true;
        }
    }
    if (shapes) {
        m_document->setMasks(std::move(all));
    }
}

/// Opens the scene of a job, unless the job has none and a scene is shown, and then calls `then`.
void MainWindow::openForJob(const std::filesystem::path& scene, const Opener::Choice& choice,
                            const std::function<void()>& then) {
    const auto next = [this, then](bool opened) {
        if (!opened) {
            return;
        }
        try {
            then();
        } catch (const base::Error& error) {
            Q_EMIT m_opener->failed(inWindowWords(error.what()));
        }
    };
    if (scene.empty()) {
        next(m_document->hasScene());
        return;
    }
    m_opener->open(Opener::Target::Scene, scene, choice, next);
}

void MainWindow::loadConvolveJob(const job::ConvolveJob& job) {
    openForJob(job.scene, {job.channel, job.frame, job.reading}, [this, job] {
        job::Job settings = m_match->settings();
        settings.threads = job.threads;
        settings.memoryBytes = job.memoryBytes;
        m_match->setSettings(settings);
        m_document->setSpacing(job.spacing);
        showFilter();
        m_filter->setJob(job);
        if (job.region || job.tile.x > 0 || job.stream) {
            tell(MessageBar::Kind::Warning,
                 tr("The Filter dialog convolves the whole scene at once, with tiles of the plan: "
                    "region, tile and stream of the job are left out. flcc-cli convolve --job uses "
                    "them."));
        }
    });
}

void MainWindow::loadFeaturesJob(const job::FeaturesJob& job) {
    openForJob(job.scene, {job.channel, job.frame, job.reading}, [this, job] {
        m_bottomDock->show();
        m_tabs->setCurrentWidget(m_features);
        m_document->setSpacing(job.spacing);
        m_document->setWorldAxes(job.world);
        m_features->findAs(job);
        if (!job.match.empty()) {
            PairsDialog* const pairs = showPairs();
            pairs->setLeastScore(job.minScore);
            pairs->addFile(pathText(job.match));
        }
    });
}

} // namespace flcc::ui
