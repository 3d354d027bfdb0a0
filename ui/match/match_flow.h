#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/job.h"
#include "ui/base/message_bar.h"
#include "ui/document/document.h"
#include "ui/match/flow/peak_refresh.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

class MatchPanel;
class RunNotes;
class SceneBinning;
class ViewsPanel;

/// Plans and runs the job of the window. Plans in the background after edits, starts runs, and
/// passes reports and results to document, views and plan card.
class MatchFlow : public QObject {
    Q_OBJECT

  public:
    MatchFlow(Document& document, RunController& controller, MatchPanel& panel, ViewsPanel& views,
              QObject* parent = nullptr);

    /// The job of the current controls and document. Without a template, the job cuts the box.
    [[nodiscard]] job::Job currentJob() const;
    /// Facts on the tilt series that currentJob() states from now on.
    void setPeaksUnknowns(const io::ListUnknowns& unknowns);
    void plan() { planTimed(false); }
    /// Plans also if the plan of this job is there, with what the focused field shows.
    void planNow();
    /// As planNow(), and measures although times are remembered.
    void timeAgain();
    void run();
    /// Cancels the current work.
    void cancel();
    /// Lists all peaks of the shown result's map that reach its threshold.
    void showAllPeaks() { m_peaks->showAll(); }
    /// The report of the last plan or run.
    [[nodiscard]] const std::optional<job::JobReport>& report() const { return m_report; }
    /// How long after the last change of the job it is planned, ms.
    void setPlanDelay(int ms) { m_delay.setInterval(ms); }
    /// True while an edit has not been planned yet.
    [[nodiscard]] bool isPlanningDue() const { return m_delay.isActive() || m_peaks->isDue(); }

  Q_SIGNALS:
    void reportChanged();
    /// The map of the shown result has `total` peaks that reach its threshold, or `more`.
    void peaksCounted(std::int64_t total, bool more);
    void message(flcc::ui::MessageBar::Kind kind, const QString& text);
    void deviceUsed(const QString& device, const QString& tip);
    /// True while the map of a GPU is not verified yet.
    void unverifiedChanged(bool unverified);

  private:
    void schedulePlan();
    void planTimed(bool again);
    void forget();
    void showReport(const job::JobReport& report);
    /// `kept`: what keepJob() returned, or nothing.
    void finishRun(const std::shared_ptr<job::JobResult>& result, const job::Job& job, double share,
                   const QImage& thumbnail, const QString& kept);
    /// Share of a map's voxels that were computed.
    [[nodiscard]] static double finishedShare(const method::MatchMap& map);
    void finishScenes(const job::JobResult& all, const job::Job& job);
    void keepScene(int number, const std::shared_ptr<const job::JobResult>& result,
                   const QImage& ofScene, const QImage& ofMap);
    void onFailed(RunController::Task task, const QString& sentence);
    [[nodiscard]] bool isRefused(const job::Job& job) const;
    void showRefusal();
    [[nodiscard]] bool mapsFit(const plan::PlanReport& plan);
    void showShownReport();
    void onVerification(job::Verification now, const QString& reason);
    [[nodiscard]] job::JobImages images() const;
    /// Opened templates and masks, which a job may not name.
    [[nodiscard]] std::vector<std::shared_ptr<const void>> imagesInMemory() const;

    Document& m_document;
    RunController& m_controller;
    MatchPanel& m_panel;
    ViewsPanel& m_views;
    QTimer m_delay;
    PeakRefresh* m_peaks = nullptr;
    SceneBinning* m_binning = nullptr;
    RunNotes* m_notes = nullptr;
    RunInputs m_runInputs;                ///< templates and masks of the current run
    method::Problem m_runProblem;         ///< template and extent of the current run
    base::Index m_runCorner;              ///< the scene voxel of its first placement
    std::optional<job::Job> m_plannedJob; ///< the job of the report on the card
    /// The opened templates and the masks of that plan. Needed because a job does not name a
    /// sample's own template and a drawn mask.
    std::vector<std::shared_ptr<const void>> m_plannedImages;
    std::optional<job::JobReport> m_report;
    /// The job of m_report if it is a plan, and not yet one that is being planned.
    std::optional<job::Job> m_reportedJob;
    bool m_showsRunning = false; ///< the card tells of the run, as it has no plan of this job
    bool m_planRefused = false;  ///< the plan of the current run has no candidate
    // State of a run over several scenes.
    int m_runScene = 0;  ///< number of the current scene in the list
    int m_runs = 0;      ///< number of such runs so far
    int m_reportRun = 0; ///< the run that the report belongs to; 0: none
    QString m_refused;   ///< why the window refused or cancelled the run
    struct SceneResult {
        std::shared_ptr<const job::JobResult> job; ///< null: no result yet
        QImage thumbnail;                          ///< of the map
    };
    std::vector<SceneResult> m_sceneResults;
};

} // namespace flcc::ui
