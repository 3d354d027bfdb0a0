#include "ui/match_flow.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "ui/job_text.h"
#include "ui/match_panel.h"
#include "ui/plan_card.h"
#include "ui/text.h"
#include "ui/views_panel.h"

namespace flcc::ui {
namespace {

constexpr int kPlanDelayMs = 350;

/// The part of a job that its plan depends on.
job::Job planKey(job::Job job) {
    const job::Job none;
    job.minScore = none.minScore;
    job.maxPeaks = none.maxPeaks;
    job.minDistance = none.minDistance;
    job.audit = none.audit;
    job.partialPeaks = none.partialPeaks;
    job.map.clear();
    job.status.clear();
    job.index.clear();
    job.peaks.clear();
    job.report.clear();
    job.heatmap.clear();
    job.templateOut.clear();
    return job;
}

/// Share of a map's voxels that were computed.
double finishedShare(const method::MatchMap& map) {
    const base::Status* status = map.status.data();
    const auto open = std::count(status, status + map.status.count(), base::Status::NotComputed);
    return 1 - static_cast<double>(open) / static_cast<double>(map.status.count());
}

QString runTitle(const job::Job& job, const job::JobReport& report) {
    const plan::CandidateReport* chosen = report.plan.chosen();
    QString title = chosen == nullptr ? toQString(job.method) : candidateText(chosen->candidate);
    if (report.templates.size() > 1) {
        title = report.groups.empty()
                    ? MatchFlow::tr("%1 templates, %2").arg(report.templates.size()).arg(title)
                    : MatchFlow::tr("%1 templates of %2 sizes")
                          .arg(report.templates.size())
                          .arg(report.groups.size());
    }
    return job.invert ? MatchFlow::tr("%1, inverted").arg(title) : title;
}

} // namespace

MatchFlow::MatchFlow(Document& document, RunController& controller, MatchPanel& panel,
                     ViewsPanel& views, QObject* parent)
    : QObject(parent), m_document(document), m_controller(controller), m_panel(panel),
      m_views(views) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kPlanDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &MatchFlow::plan);
    connect(&m_panel, &MatchPanel::settingsChanged, this, &MatchFlow::schedulePlan);
    connect(&m_panel, &MatchPanel::planRequested, this, [this] {
        m_plannedJob.reset();
        plan();
    });
    connect(&m_panel, &MatchPanel::runRequested, this, &MatchFlow::run);
    connect(&m_panel, &MatchPanel::cancelRequested, this, &MatchFlow::cancel);
    connect(&m_document, &Document::sceneChanged, this, &MatchFlow::forget);
    connect(&m_document, &Document::templateChanged, this, &MatchFlow::schedulePlan);
    connect(&m_document, &Document::boxChanged, this, &MatchFlow::schedulePlan);
    connect(&m_document, &Document::masksChanged, this, &MatchFlow::schedulePlan);
    connect(&m_controller, &RunController::mapStarted, this,
            [this](const std::shared_ptr<const method::MatchMap>& map) {
                if (m_controller.isRunning(RunController::Task::Run)) {
                    m_views.showRunningMap(map, m_runProblem.templ, m_runCorner);
                }
            });
    connect(&m_controller, &RunController::regionsFinished, &m_views, &ViewsPanel::addRegions);
    connect(&m_controller, &RunController::failed, this, &MatchFlow::onFailed);
    connect(&m_controller, &RunController::started, this, [this](RunController::Task task) {
        m_panel.setRunning(task == RunController::Task::Run);
        if (task == RunController::Task::Plan) {
            m_panel.planCard().showPlanning();
        }
    });
    connect(&m_controller, &RunController::finished, this, [this](RunController::Task task) {
        if (task == RunController::Task::Run) {
            m_panel.setRunning(false);
            m_views.endRunningMap();
        } else if (task == RunController::Task::Calibrate) {
            m_plannedJob.reset(); // predictions are others now
        }
        schedulePlan();
    });
}

void MatchFlow::forget() {
    m_plannedJob.reset();
    m_report.reset();
    m_panel.planCard().showNothing(tr("Choose a template: drag a box in a view (4) and press "
                                      "Ctrl+T, or open one."));
    Q_EMIT deviceUsed({}, {});
    Q_EMIT reportChanged();
}

job::Job MatchFlow::currentJob() const {
    job::Job job = jobOf(m_document, m_panel.settings());
    if (m_document.templates().empty() && m_document.box()) {
        job.crops.push_back(m_document.box().value());
    }
    return job;
}

job::JobImages MatchFlow::images() const {
    job::JobImages images;
    images.scene = m_document.scene().image;
    for (const TemplateEntry& templ : m_document.templates()) {
        images.templates.push_back(templ.image);
    }
    for (const MaskEntry& mask : m_document.masks()) {
        images.masks.push_back(mask.image);
    }
    if (m_document.sceneMask()) {
        images.sceneMask = m_document.sceneMask()->image;
    }
    return images;
}

std::vector<std::shared_ptr<const job::SceneImage>> MatchFlow::openedTemplates() const {
    std::vector<std::shared_ptr<const job::SceneImage>> opened;
    for (const TemplateEntry& templ : m_document.templates()) {
        if (!templ.crop) {
            opened.push_back(templ.image);
        }
    }
    return opened;
}

void MatchFlow::schedulePlan() {
    const bool ready = m_document.hasScene() && (m_document.templ() || m_document.box());
    if (!ready) {
        m_delay.stop();
        if (m_document.hasScene()) {
            forget();
        }
    } else if (!m_controller.isWorking() &&
               (!m_plannedJob || planKey(currentJob()) != *m_plannedJob ||
                openedTemplates() != m_plannedTemplates)) {
        m_delay.start();
    }
}

void MatchFlow::plan() {
    m_delay.stop();
    if (!m_document.hasScene() || (!m_document.templ() && !m_document.box())) {
        return;
    }
    job::Job job = planKey(currentJob());
    m_plannedJob = job;
    m_plannedTemplates = openedTemplates();
    m_controller.start(RunController::Task::Plan, tr("Planning"),
                       [this, job, with = images()](std::stop_token stop,
                                                    job::JobSink* sink) -> RunController::Done {
                           const job::JobReport report = job::planJob(job, with, stop, sink);
                           if (stop.stop_requested()) {
                               // Something else was started; the plan is made again after it.
                               return [this] { m_plannedJob.reset(); };
                           }
                           return [this, report] { showReport(report); };
                       });
}

void MatchFlow::showReport(const job::JobReport& report) {
    m_report = report;
    m_panel.planCard().showReport(report);
    Q_EMIT reportChanged();
}

void MatchFlow::run() {
    if (m_controller.isPending(RunController::Task::Run)) {
        return;
    }
    if (!m_document.hasScene()) {
        Q_EMIT message(MessageBar::Kind::Error, tr("There is no scene to search: open one first."));
        return;
    }
    if (!m_document.templ()) {
        try {
            m_document.cutTemplate();
        } catch (const base::Error& error) {
            Q_EMIT message(MessageBar::Kind::Error, toQString(error.what()));
            return;
        }
    }
    m_delay.stop();
    const job::Job job = currentJob();
    m_plannedJob = planKey(job);
    m_plannedTemplates = openedTemplates();
    m_runProblem = {};
    m_runProblem.extent = job.extent;
    m_runProblem.templ = m_document.templateExtents();
    const base::Index first = method::firstPlacement(m_runProblem);
    const base::Index corner = job.region ? job.region->corner : base::Index{};
    m_runCorner = {corner.x + first.x, corner.y + first.y, corner.z + first.z};
    m_controller.start(RunController::Task::Run, tr("Run"),
                       [this, job, with = images()](std::stop_token stop,
                                                    job::JobSink* sink) -> RunController::Done {
                           auto result =
                               std::make_shared<job::JobResult>(job::runJob(job, with, stop, sink));
                           const double share = result->map ? finishedShare(*result->map) : 0;
                           return [this, result, job, share] { finishRun(result, job, share); };
                       });
}

void MatchFlow::finishRun(const std::shared_ptr<job::JobResult>& result, const job::Job& job,
                          double finishedShare) {
    if (result->cancelled && !result->map) {
        m_plannedJob.reset();
        Q_EMIT message(MessageBar::Kind::Warning,
                       result->templates.size() > 1
                           ? tr("The run was cancelled before it had a result.")
                           : tr("The run was cancelled before its map was begun."));
        return;
    }
    m_plannedJob = planKey(job); // this report is the plan of that job
    showReport(result->report);
    if (result->report.run) {
        const job::RunReport& run = result->report.run.value();
        Q_EMIT deviceUsed(tr("ran on %1, %2").arg(deviceText(run.device), threadsText(run.threads)),
                          tr("The device that ran the last job: %1")
                              .arg(toQString(result->report.environment.processor)));
    }
    for (const std::string& note : result->notes) {
        // What was done on reading was announced when the image was opened.
        if (note != result->scene->note &&
            std::ranges::none_of(result->templates,
                                 [&](const auto& templ) { return templ->note == note; })) {
            base::log(base::LogLevel::Info, note);
        }
    }
    if (result->cancelled) {
        Q_EMIT message(MessageBar::Kind::Warning,
                       tr("The run was cancelled: %1 % of the map is finished and kept as a "
                          "partial result; the rest is hatched.")
                           .arg(std::floor(finishedShare * 100)));
    }
    if (const auto failed = job::auditFailure(result->report)) {
        Q_EMIT message(MessageBar::Kind::Error, toQString(failed->what()));
    }
    m_document.addResult({result, job, runTitle(job, result->report)});
    if (!result->peaks.empty()) {
        m_document.selectPeak(0);
        m_views.setCrosshair(result->peaks.front().centre);
    }
}

void MatchFlow::cancel() {
    m_delay.stop();
    m_controller.cancel();
}

void MatchFlow::onFailed(RunController::Task task, const QString& sentence) {
    if (task == RunController::Task::Plan) {
        m_panel.planCard().showProblem(sentence);
        base::log(base::LogLevel::Error, sentence.toStdString());
        return;
    }
    if (task == RunController::Task::Run) {
        m_panel.planCard().showProblem(sentence);
    }
    Q_EMIT message(MessageBar::Kind::Error, sentence);
}

} // namespace flcc::ui
