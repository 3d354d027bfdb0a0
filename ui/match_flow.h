#pragma once

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/job.h"
#include "ui/document.h"
#include "ui/message_bar.h"
#include "ui/run_controller.h"

namespace flcc::ui {

class MatchPanel;
class ViewsPanel;

/// From the controls to a plan or a result: plans in the background after edits, starts runs and
/// hands what they bring to document, views and plan card.
class MatchFlow : public QObject {
    Q_OBJECT

  public:
    MatchFlow(Document& document, RunController& controller, MatchPanel& panel, ViewsPanel& views,
              QObject* parent = nullptr);

    /// The job as the window stands: the box is the template where none was chosen.
    [[nodiscard]] job::Job currentJob() const;
    void plan();
    void run();
    /// Ends the work under way.
    void cancel();
    /// The report of the last plan or run.
    [[nodiscard]] const std::optional<job::JobReport>& report() const { return m_report; }
    /// True while an edit waits to be planned.
    [[nodiscard]] bool isPlanningDue() const { return m_delay.isActive(); }

  Q_SIGNALS:
    void reportChanged();
    void message(flcc::ui::MessageBar::Kind kind, const QString& text);
    void deviceUsed(const QString& device, const QString& tip);
    /// Whether a GPU computes what is not yet verified.
    void unverifiedChanged(bool unverified);

  private:
    void schedulePlan();
    void forget();
    void showReport(const job::JobReport& report);
    void finishRun(const std::shared_ptr<job::JobResult>& result, const job::Job& job,
                   double finishedShare);
    void finishScenes(const job::JobResult& all, const job::Job& job);
    void keepScene(int number, const std::shared_ptr<const job::JobResult>& result,
                   const QImage& thumbnail);
    void onFailed(RunController::Task task, const QString& sentence);
    [[nodiscard]] bool mapsFit(const plan::PlanReport& plan);
    void showShownReport();
    void onVerification(job::Verification now, const QString& reason);
    void tellDevice(const job::JobReport& report);
    void tellWarnings(const job::JobResult& all);
    static void logNotes(const job::JobResult& all, const job::JobResult& result);
    [[nodiscard]] job::JobImages images() const;
    [[nodiscard]] std::vector<std::shared_ptr<const job::SceneImage>> openedTemplates() const;

    Document& m_document;
    RunController& m_controller;
    MatchPanel& m_panel;
    ViewsPanel& m_views;
    QTimer m_delay;
    method::Problem m_runProblem;         ///< of the run under way: template and extent
    base::Index m_runCorner;              ///< the scene voxel of its first placement
    std::optional<job::Job> m_plannedJob; ///< what the report on the card belongs to
    /// The opened templates it was made for: a sample's own is not named by a job.
    std::vector<std::shared_ptr<const job::SceneImage>> m_plannedTemplates;
    std::optional<job::JobReport> m_report;
    // Of a run over several scenes.
    int m_runScene = 0;  ///< the one at hand, by its place in the list
    int m_runs = 0;      ///< how many there were
    int m_reportRun = 0; ///< the one that the report is of; 0: of none
    QString m_refused;   ///< why it was ended by the window itself
    std::vector<std::shared_ptr<const job::JobResult>> m_sceneResults; ///< null: none yet
};

} // namespace flcc::ui
