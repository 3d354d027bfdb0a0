#include "ui/match/flow/scene_binning.h"

#include <algorithm>
#include <memory>

#include "engine/base/error.h"
#include "engine/job/binned.h"
#include "engine/job/mask_shape.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/match/match_panel.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

namespace {

/// Settings in voxels, for a scene with half as many along each axis.
job::Job halved(job::Job job, const base::Extents& scene) {
    if (job.region) {
        const base::Box& old = *job.region;
        const base::Extents size = job::binnedExtents(old.extents);
        const auto corner = [](std::int64_t at, std::int64_t length, std::int64_t most) {
            return std::min(at / 2, most - length);
        };
        job.region =
            base::Box{{corner(old.corner.x, size.x, scene.x), corner(old.corner.y, size.y, scene.y),
                       corner(old.corner.z, size.z, scene.z)},
                      size};
    }
    if (job.minDistance && job.distanceUnit.empty()) {
        job.minDistance = *job.minDistance / 2;
    }
    return job;
}

/// `grid`: of the binned scene.
MaskEntry binnedMask(const MaskEntry& mask, const base::Geometry& grid) {
    if (auto shape = job::maskShapeOf(mask.path)) {
        const bool flat = mask.image->support.extents().z == 1;
        for (double* length : {&shape->radius, &shape->soft, &shape->height, &shape->sides[0],
                               &shape->sides[1], &shape->sides[2]}) {
            const bool across = flat && length == &shape->sides[2];
            *length /= shape->unit.empty() && !across ? 2 : 1;
        }
        return {job::makeMask(*shape, job::binnedExtents(mask.image->support.extents()), grid),
                toQString(shape->text()), shape->text()};
    }
    return {job::binned(*mask.image), SceneBinning::tr("%1, binned").arg(mask.name), {}};
}

} // namespace

SceneBinning::SceneBinning(Document& document, RunController& controller, MatchPanel& panel,
                           ViewsPanel& views, QObject* parent)
    : QObject(parent), m_document(document), m_controller(controller), m_panel(panel),
      m_views(views) {}

void SceneBinning::bin() {
    if (!m_document.hasScene() || m_document.searchedScenes() != 1 ||
        m_document.scenes().front().image == nullptr) {
        return;
    }
    if (m_document.templates().empty()) {
        try {
            m_document.cutTemplate();
        } catch (const base::Error& error) {
            Q_EMIT message(MessageBar::Kind::Error, inWindowWords(error));
            return;
        }
    }
    m_controller.start(
        RunController::Task::Filter, tr("Binning"),
        [this, scene = m_document.scenes().front(), inputs = m_document.inputs()](
            const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            SceneEntry entry;
            entry.image = job::binned(*scene.image, stop);
            entry.name = tr("%1, binned by 2").arg(scene.name);
            entry.origin = scene.made ? scene.origin : scene.path;
            auto small = std::make_shared<RunInputs>(inputs);
            for (TemplateEntry& templ : small->templates) {
                templ.image = job::binned(*templ.image, stop);
                if (stop.stop_requested()) {
                    return [this] {
                        Q_EMIT message(MessageBar::Kind::Warning, tr("Binning was cancelled."));
                    };
                }
                templ.name = tr("%1, binned by 2").arg(templ.name);
                templ.place = templ.name;
                templ.path.clear();
                templ.crop.reset();
            }
            for (MaskEntry& mask : small->masks) {
                mask = binnedMask(mask, entry.image->geometry);
            }
            if (small->sceneMask) {
                small->sceneMask = binnedMask(*small->sceneMask, entry.image->geometry);
            }
            return [this, entry, small, image = scene.image] {
                if (m_document.scenes().front().image != image) {
                    return; // another scene was opened
                }
                const job::Job job =
                    halved(m_panel.settings(), base::extentsOf(entry.image->pixels));
                base::Point crosshair = m_views.crosshair();
                std::ranges::for_each(crosshair, [](double& at) { at /= 2; });
                m_document.replaceByBinned(entry, *small);
                m_views.setCrosshair(crosshair);
                m_panel.setSettings(job);
                Q_EMIT message(
                    MessageBar::Kind::Info,
                    tr("%1: %2, spacing doubled. The run searches this scene; "
                       "the first one is kept in the list (Ctrl+Z goes back to it).")
                        .arg(entry.name, sizeText(base::extentsOf(entry.image->pixels))));
            };
        });
}

} // namespace flcc::ui
