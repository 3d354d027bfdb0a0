#include "ui/window/parts/action_states.h"

#include <QAction>
#include <QMainWindow>

#include <initializer_list>

#include "ui/base/menu_choices.h"
#include "ui/document/document.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

void updateActions(const Parts& parts) {
    const bool scene = parts.document.hasScene();
    const bool working = parts.controller.isWorking();
    const bool running = parts.controller.isRunning(RunController::Task::Run);
    const bool ready = scene && (parts.document.templ() || parts.document.box());
    const ResultEntry* result = parts.document.result();
    const bool there = parts.document.missingScenes().isEmpty();
    const bool map = result != nullptr && result->job->map != nullptr;
    const auto enable = [&parts](std::initializer_list<const char*> names, bool on) {
        for (const char* name : names) {
            parts.window.findChild<QAction*>(QLatin1String(name))->setEnabled(on);
        }
    };
    enable({"fitView",         "resetView",
            "actualSize",      "zoomIn",
            "zoomOut",         "interpolation",
            "autoWindow",      "screenshot",
            "cleanScreenshot", "openTemplateAction",
            "openMaskAction",  "openSceneMaskAction",
            "copyCommandLine", "saveJob",
            "saveProject",     "saveProjectAs",
            "overlay",         "opacityUp",
            "opacityDown",     "showPeaks",
            "pairsAction",     "fitBox"},
           scene);
    enable({"exportScene", "filterAction"}, scene && there);
    enable({"toolCrosshair", "toolPan", "toolWindow", "toolBox", "toolPeaks", "toolMask",
            "toolLasso", "toolSweep"},
           scene);
    enable({"nextSlice", "previousSlice", "nextTenSlices", "previousTenSlices", "layout"},
           parts.document.isVolume());
    enable({"resampleTemplateAction"}, parts.opener.canResample(parts.document.activeTemplate()));
    enable({"setSpacing"}, scene && !parts.controller.isPending(RunController::Task::Run));
    enable(
        {"cutTemplateAction", "addCutTemplateAction", "clearBox", "shrinkBox", "growBox", "oddBox"},
        parts.document.box().has_value());
    enable({"saveTemplateAction"}, parts.document.templ() != nullptr);
    enable({"saveMaskAction"}, parts.document.mask() != nullptr);
    enable({"saveSceneMaskAction"}, parts.document.sceneMask().has_value());
    enable({"addTemplatesAction"}, parts.document.templ() != nullptr);
    enable({"addScenesAction"}, scene && !parts.document.scenes().front().path.empty() && !running);
    enable({"plan"}, ready && !running);
    enable({"run"}, ready && !running && parts.match.reasonAgainstRun().isEmpty());
    enable({"cancel"}, working);
    const bool peaks = result != nullptr && (map || !result->job->peaks.empty());
    enable({"exportPeaks"}, peaks);
    enable({"exportParticles", "averagePeaks"}, there && peaks && !result->job->peaks.empty());
    enable({"exportMap", "exportStatus", "exportHeatmap"}, map);
    enable({"exportSearchMean", "exportSearchDeviation", "exportSearchZ"},
           map && result->job->search != nullptr);
    for (int values = 1; values < 4; ++values) {
        parts.window.findChild<QAction*>(choiceName(QStringLiteral("heatmapValues"), values))
            ->setEnabled(map && result->job->search != nullptr);
    }
    enable({"exportIndex"}, map && result->job->index != nullptr);
    enable({"nextPeak", "previousPeak", "keepPeaks", "rejectPeaks", "unsurePeaks", "removePeaks"},
           peaks && !result->job->peaks.empty());
    enable({"addPeak"}, map && job::isWhole(*result->job));
    enable({"removeResult", "renameResult"}, result != nullptr);
    enable({"exportReport"}, parts.flow.report().has_value());
}

} // namespace flcc::ui
