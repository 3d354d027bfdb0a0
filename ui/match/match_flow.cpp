#include "ui/match/match_flow.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/job/knowledge.h"
#include "engine/job/mask_shape.h"
#include "ui/base/focused_field.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/thumbnail.h"
#include "ui/match/flow/field_history.h"
#include "ui/match/flow/paused_search.h"
#include "ui/match/flow/peak_refresh.h"
#include "ui/match/flow/run_notes.h"
#include "ui/match/flow/scene_binning.h"
#include "ui/match/match_panel.h"
#include "ui/plan/job_text.h"
#include "ui/plan/plan_card.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

constexpr int kPlanDelayMs = 350;
constexpr double kLeastShare = 0.01; // of a map; a cancelled run that has less leaves no result

} // namespace

MatchFlow::MatchFlow(Document& document, RunController& controller, MatchPanel& panel,
                     ViewsPanel& views, QObject* parent)
    : QObject(parent), m_document(document), m_controller(controller), m_panel(panel),
      m_views(views) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kPlanDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &MatchFlow::plan);
    new FieldHistory(m_document, m_panel, this);
    connect(&m_panel, &MatchPanel::settingsChanged, this, &MatchFlow::schedulePlan);
    m_peaks = new PeakRefresh(document, controller, panel, this);
    m_binning = new SceneBinning(document, controller, panel, views, this);
    m_notes = new RunNotes(document, panel, this);
    connect(m_peaks, &PeakRefresh::counted, this, &MatchFlow::peaksCounted);
    connect(m_binning, &SceneBinning::message, this, &MatchFlow::message);
    connect(m_notes, &RunNotes::message, this, &MatchFlow::message);
    connect(m_notes, &RunNotes::deviceUsed, this, &MatchFlow::deviceUsed);
    connect(&m_panel, &MatchPanel::planRequested, this, &MatchFlow::planNow);
    connect(&m_panel.planCard(), &PlanCard::timeAgainRequested, this, &MatchFlow::timeAgain);
    connect(&m_panel, &MatchPanel::runRequested, this, &MatchFlow::run);
    connect(&m_panel, &MatchPanel::cancelRequested, this, &MatchFlow::cancel);
    connect(&m_panel, &MatchPanel::binRequested, m_binning, &SceneBinning::bin);
    connect(&m_document, &Document::sceneChanged, this, &MatchFlow::forget);
    connect(&m_document, &Document::scenesChanged, this, &MatchFlow::schedulePlan);
    connect(&m_document, &Document::resultShown, this, &MatchFlow::showShownReport);
    connect(&m_document, &Document::templateChanged, this, &MatchFlow::schedulePlan);
    connect(&m_document, &Document::boxChanged, this, &MatchFlow::schedulePlan);
    connect(&m_document, &Document::masksChanged, this, &MatchFlow::schedulePlan);
    connect(&m_controller, &RunController::mapStarted, this,
            [this](const std::shared_ptr<const method::MatchMap>& map) {
                if (m_controller.isRunning(RunController::Task::Run) &&
                    m_runScene == m_document.activeScene()) {
                    m_views.showRunningMap(map, m_runProblem.templ, m_runCorner,
                                           m_runProblem.operation);
                }
            });
    connect(&m_controller, &RunController::regionsFinished, this,
            [this](const std::vector<base::Box>& regions) {
                if (m_runScene == m_document.activeScene()) {
                    m_views.addRegions(regions);
                }
            });
    connect(&m_controller, &RunController::bestSoFarChanged, this,
            [this](const std::shared_ptr<const method::MatchMap>& map) {
                if (m_controller.isRunning(RunController::Task::Run) &&
                    m_runScene == m_document.activeScene()) {
                    m_views.showBestSoFar(map);
                }
            });
    connect(&m_controller, &RunController::verificationChanged, this, &MatchFlow::onVerification);
    connect(&m_controller, &RunController::sceneStarted, this,
            [this](int number) { m_runScene = number; });
    connect(&m_controller, &RunController::sceneFinished, this, &MatchFlow::keepScene);
    connect(&m_controller, &RunController::planned, this, [this](const plan::PlanReport& plan) {
        if (m_controller.isRunning(RunController::Task::Run)) {
            m_planRefused = plan.chosen() == nullptr;
            if (m_showsRunning && !m_planRefused) {
                m_panel.planCard().showRunning(&plan);
            }
            if (!mapsFit(plan)) {
                m_controller.cancel();
            }
        }
    });
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
            m_panel.refreshDevices(); // one may be lost
            Q_EMIT unverifiedChanged(false);
        } else if (task == RunController::Task::Calibrate) {
            m_plannedJob.reset(); // predictions are others now
        }
        schedulePlan();
    });
}

void MatchFlow::forget() {
    m_plannedJob.reset();
    m_reportedJob.reset();
    m_report.reset();
    m_panel.planCard().showNothing(
        tr("Choose a template: press 4 (the tool Template box) and drag a box in a view, or open a "
           "template."));
    Q_EMIT deviceUsed({}, {});
    Q_EMIT reportChanged();
}

void MatchFlow::setPeaksUnknowns(const io::ListUnknowns& unknowns) {
    m_panel.setPeaksUnknowns(unknowns);
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
    images.scene = m_document.scenes().front().image;
    for (std::size_t i = 1; i < m_document.searchedScenes(); ++i) {
        const SceneEntry& scene = m_document.scenes()[i];
        images.furtherScenes.push_back(scene.made ? scene.image : nullptr);
    }
    for (const TemplateEntry& templ : m_document.templates()) {
        images.templates.push_back(templ.image);
    }
    const auto& masks = m_document.masks();
    // One shape for all templates is made in the size of each.
    if (masks.size() != 1 || !job::maskShapeOf(masks.front().path)) {
        for (const MaskEntry& mask : masks) {
            images.masks.push_back(mask.image);
        }
    }
    if (m_document.sceneMask()) {
        images.sceneMask = m_document.sceneMask()->image;
    }
    return images;
}

std::vector<std::shared_ptr<const void>> MatchFlow::imagesInMemory() const {
    std::vector<std::shared_ptr<const void>> opened;
    for (const TemplateEntry& templ : m_document.templates()) {
        if (!templ.crop) {
            opened.push_back(templ.image);
        }
    }
    for (const MaskEntry& mask : m_document.masks()) {
        opened.push_back(mask.image);
    }
    if (m_document.sceneMask()) {
        opened.push_back(m_document.sceneMask()->image);
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
                imagesInMemory() != m_plannedImages)) {
        m_delay.start();
    }
}

void MatchFlow::planNow() {
    commitFocusedField();
    m_plannedJob.reset();
    plan();
}

void MatchFlow::timeAgain() {
    commitFocusedField();
    m_plannedJob.reset();
    planTimed(true);
}

/// `again`: measures, whatever times are remembered.
void MatchFlow::planTimed(bool again) {
    m_delay.stop();
    if (!m_document.hasScene() || (!m_document.templ() && !m_document.box())) {
        return;
    }
    job::Job job = planKey(currentJob());
    m_plannedJob = job;
    m_plannedImages = imagesInMemory();
    job.furtherScenes.clear(); // what is planned for the first one is for all
    job::Job asked = job;
    asked.timeAgain = asked.timeAgain || again;
    m_controller.start(RunController::Task::Plan, tr("Planning"),
                       [this, job, asked, with = images()](
                           std::stop_token stop, job::JobSink* sink) -> RunController::Done {
                           const job::JobReport report = job::planJob(asked, with, stop, sink);
                           if (job.planning == plan::Planning::Exhaustive) {
                               // It takes as long as many runs; other plans are kept by a run.
                               (void)job::keepLearnt();
                           }
                           if (stop.stop_requested()) {
                               // Other work stopped planning; the plan is made after that work.
                               return [this] { m_plannedJob.reset(); };
                           }
                           return [this, report, job] {
                               m_reportRun = 0;
                               m_reportedJob = job;
                               showReport(report);
                           };
                       });
}

void MatchFlow::showReport(const job::JobReport& report) {
    m_report = report;
    std::set<base::PixelType> types;
    for (const SceneEntry& scene : m_document.scenes()) {
        types.insert(scene.type);
    }
    m_panel.planCard().setScenes(static_cast<int>(m_document.searchedScenes()),
                                 static_cast<int>(types.size()));
    m_panel.planCard().showReport(report);
    Q_EMIT reportChanged();
}

/// Shows the report of the shown scene's part in the last run.
void MatchFlow::showShownReport() {
    const ResultEntry* result = m_document.result();
    if (result != nullptr && m_reportRun != 0 && result->run == m_reportRun) {
        showReport(result->job->report);
    }
}

void MatchFlow::run() {
    if (m_controller.isPending(RunController::Task::Run)) {
        return;
    }
    if (!m_document.hasScene()) {
        Q_EMIT message(MessageBar::Kind::Error,
                       tr("There is no scene to search: open a scene first."));
        return;
    }
    commitFocusedField();
    if (!m_document.templ()) {
        try {
            m_document.cutTemplate();
        } catch (const base::Error& error) {
            Q_EMIT message(MessageBar::Kind::Error, inWindowWords(error));
            return;
        }
    }
    if (const QString reason = m_panel.reasonAgainstRun(); !reason.isEmpty()) {
        Q_EMIT message(MessageBar::Kind::Error, reason);
        return;
    }
    m_delay.stop();
    m_peaks->stop();
    const job::Job job = currentJob();
    m_runInputs = m_document.inputs();
    m_refused.clear();
    m_sceneResults.assign(m_document.searchedScenes(), {});
    m_planRefused = false;
    if (isRefused(job)) {
        showRefusal();
        return;
    }
    if (m_report && m_plannedJob == planKey(job) && !mapsFit(m_report->plan)) {
        Q_EMIT message(MessageBar::Kind::Error, m_refused);
        return;
    }
    m_showsRunning = !m_report || m_plannedJob != planKey(job);
    if (m_showsRunning) { // the card has no plan, or that of another job
        m_panel.planCard().showRunning();
    }
    m_plannedJob = planKey(job);
    m_reportedJob.reset();
    m_plannedImages = imagesInMemory();
    m_runProblem = {};
    m_runProblem.extent = job.extent;
    m_runProblem.templ = m_document.templateExtents();
    const base::Index first = method::firstPlacement(m_runProblem);
    const base::Index corner = job.region ? job.region->corner : base::Index{};
    m_runCorner = {corner.x + first.x, corner.y + first.y, corner.z + first.z};
    m_runScene = 0;
    m_controller.start(RunController::Task::Run, tr("Run"),
                       [this, job, with = images()](std::stop_token stop,
                                                    job::JobSink* sink) -> RunController::Done {
                           const QString kept =
                               job.resume.empty() ? QString() : keepJob(job, with, stop);
                           auto result =
                               std::make_shared<job::JobResult>(job::runJob(job, with, stop, sink));
                           if (!job.furtherScenes.empty()) {
                               return [this, result, job] { finishScenes(*result, job); };
                           }
                           const double share = result->map ? finishedShare(*result->map) : 0;
                           const QImage thumbnail = thumbnailOf(*result, kThumbnailSide);
                           return [this, result, job, share, thumbnail, kept] {
                               finishRun(result, job, share, thumbnail, kept);
                           };
                       });
}

/// Checks the memory limit for the maps of all scenes, because the plan of one scene does not
/// include them.
bool MatchFlow::mapsFit(const plan::PlanReport& plan) {
    const std::int64_t maps =
        m_panel.settings().stream ? m_document.sceneExtents().z : std::ssize(m_sceneResults);
    const auto further = maps - 1;
    const plan::CandidateReport* chosen = plan.chosen();
    const auto otherSize = [this](const TemplateEntry& templ) {
        return base::extentsOf(templ.image->pixels) !=
               base::extentsOf(m_document.templates().front().image->pixels);
    };
    if (further < 1 || chosen == nullptr || !chosen->prediction ||
        std::ranges::any_of(m_document.templates(), otherSize)) { // which has no maps
        return true;
    }
    const std::int64_t all =
        chosen->prediction->hostBytes + further * method::mapBytes(plan.problem);
    if (all <= plan.limits.memoryBytes) {
        return true;
    }
    if (m_panel.settings().stream) {
        m_refused = tr("The memory limit of %1 is too small: the maps of %2 slices need %3. Raise "
                       "the memory limit, or run the job with flcc-cli, which keeps one map at a "
                       "time.")
                        .arg(bytesText(plan.limits.memoryBytes))
                        .arg(maps)
                        .arg(bytesText(all));
        return false;
    }
    m_refused = tr("The memory limit of %1 is too small: the maps of %2 scenes need %3. Raise the "
                   "memory limit, remove scenes from the list, or run the job with flcc-cli, which "
                   "keeps one map at a time.")
                    .arg(bytesText(plan.limits.memoryBytes))
                    .arg(further + 1)
                    .arg(bytesText(all));
    return false;
}

void MatchFlow::cancel() {
    m_delay.stop();
    m_panel.setCancelling();
    m_controller.cancel();
}

void MatchFlow::onFailed(RunController::Task task, const QString& sentence) {
    if (task == RunController::Task::Plan) {
        m_panel.planCard().showProblem(sentence);
        base::log(base::LogLevel::Error, sentence.toStdString());
        return;
    }
    if (task == RunController::Task::Run && m_planRefused) {
        base::log(base::LogLevel::Error, sentence.toStdString());
        m_plannedJob.reset(); // the card gets the report with the reasons and the ways out
        if (!m_panel.planCard().isVisible()) {
            Q_EMIT message(MessageBar::Kind::Error, sentence);
        }
        return;
    }
    if (task == RunController::Task::Run) {
        m_panel.planCard().showProblem(tr("The run failed: see the message above the views."));
    }
    Q_EMIT message(MessageBar::Kind::Error, sentence);
}

/// True if the card shows why this job cannot run.
bool MatchFlow::isRefused(const job::Job& job) const {
    job::Job first = planKey(job);
    first.furtherScenes.clear(); // the plan is that of the first one
    return m_report && m_reportedJob == first && imagesInMemory() == m_plannedImages &&
           job::refusal(*m_report);
}

/// The sentence stands on the card, with the buttons that help; the message bar is for when the
/// card is out of sight.
void MatchFlow::showRefusal() {
    if (m_panel.planCard().isVisible()) {
        m_panel.planCard().focusFixes();
    } else {
        Q_EMIT message(MessageBar::Kind::Error, inWindowWords(*job::refusal(*m_report)));
    }
}

double MatchFlow::finishedShare(const method::MatchMap& map) {
    const base::Status* status = map.status.data();
    const auto open = std::count(status, status + map.status.count(), base::Status::NotComputed);
    return 1 - static_cast<double>(open) / static_cast<double>(map.status.count());
}

void MatchFlow::finishRun(const std::shared_ptr<job::JobResult>& result, const job::Job& job,
                          double share, const QImage& thumbnail, const QString& kept) {
    const bool unfinished = job::isUnfinished(result->report);
    if (result->cancelled && !unfinished && (!result->map || share < kLeastShare)) {
        m_plannedJob.reset();
        Q_EMIT message(MessageBar::Kind::Warning,
                       tr("The run was cancelled before it had a result."));
        return;
    }
    m_plannedJob = planKey(job); // this report is the plan of that job
    m_reportRun = 0;
    showReport(result->report);
    m_notes->tellDevice(result->report);
    RunNotes::logNotes(*result, *result);
    m_document.addResult(
        {{result, job}, m_notes->titleOf(0, job, result->report), 0, 0, m_runInputs, thumbnail});
    const auto failed = job::auditFailure(result->report);
    if (failed) {
        m_notes->say(MessageBar::Kind::Error, toQString(failed->what()));
    } else if (unfinished) {
        const QString searched = searchedText(result->report);
        m_notes->say(
            MessageBar::Kind::Warning,
            kept.isEmpty()
                ? tr("The search was stopped after %1: map and peaks show the best scores so far.")
                      .arg(searched)
                : tr("The search is paused after %1: map and peaks show the best scores so far, "
                     "and Run goes on from there. %2")
                      .arg(searched, kept));
    } else if (result->cancelled) {
        m_notes->say(
            MessageBar::Kind::Warning,
            tr("The run was cancelled: %1 % of the map is finished and kept as a partial result; "
               "the rest is hatched.")
                .arg(std::floor(share * 100)));
    } else {
        m_notes->tellWarnings(*result);
    }
    if (!result->peaks.empty()) {
        m_document.selectPeak(0);
        m_views.setCrosshair(result->peaks.front().centre);
    }
}

/// Marks the map of a GPU as unverified until the CPU has verified it.
void MatchFlow::onVerification(job::Verification now, const QString& reason) {
    if (!m_controller.isRunning(RunController::Task::Run)) {
        return;
    }
    const bool unverified = now == job::Verification::Open;
    Q_EMIT unverifiedChanged(unverified);
    if (m_runScene == m_document.activeScene()) {
        if (now == job::Verification::Failed) {
            m_views.endRunningMap(); // which is wrong
        }
        m_views.setUnverified(unverified);
    }
    if (now == job::Verification::Failed) {
        Q_EMIT message(MessageBar::Kind::Warning, reason);
    }
}

void MatchFlow::keepScene(int number, const std::shared_ptr<const job::JobResult>& result,
                          const QImage& ofScene, const QImage& ofMap) {
    if (job::isWhole(*result) || (result->map && finishedShare(*result->map) >= kLeastShare)) {
        m_sceneResults[static_cast<std::size_t>(number)] = {result, ofMap};
    }
    if (!ofScene.isNull()) {
        m_document.setSceneThumbnail(number, ofScene);
    }
    if (number == m_document.activeScene() && result->map && !result->cancelled) {
        m_views.addRegions({{{}, result->map->value.extents()}}); // regions come by a timer
    }
}

void MatchFlow::finishScenes(const job::JobResult& all, const job::Job& job) {
    int finished = 0;
    int partial = 0;
    for (const auto& [result, thumbnail] : m_sceneResults) {
        finished += result && !result->cancelled ? 1 : 0;
        partial += result && result->cancelled ? 1 : 0;
    }
    const auto results = std::exchange(m_sceneResults, {});
    if (finished + partial == 0 || (all.cancelled && !m_refused.isEmpty())) {
        m_plannedJob.reset();
        if (m_refused.isEmpty()) {
            Q_EMIT message(MessageBar::Kind::Warning,
                           tr("The run was cancelled before it had a result."));
        } else {
            Q_EMIT message(MessageBar::Kind::Error, m_refused);
        }
        return;
    }
    m_plannedJob = planKey(job);
    m_reportRun = ++m_runs;
    RunNotes::logNotes(all, *std::ranges::find_if(results, [](const SceneResult& one) {
                                 return one.job != nullptr;
                             })->job);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].job) {
            const job::JobReport& report = results[i].job->report;
            m_notes->tellDevice(report);
            m_document.addResult({{results[i].job, job},
                                  m_notes->titleOf(i, job, report),
                                  static_cast<int>(i),
                                  m_reportRun,
                                  m_runInputs,
                                  results[i].thumbnail});
        }
    }
    if (all.cancelled) {
        m_notes->say(MessageBar::Kind::Warning,
                     tr("The run was cancelled: %1 of %2 scenes are finished%3.")
                         .arg(finished)
                         .arg(results.size())
                         .arg(partial > 0 ? tr(", one is kept as a partial result") : QString()));
    } else if (const auto failed = job::auditFailure(all.report)) {
        m_notes->say(MessageBar::Kind::Error, toQString(failed->what()));
    } else {
        m_notes->tellWarnings(all);
    }
    const ResultEntry* shown = m_document.result();
    if (shown != nullptr && shown->run == m_reportRun && !shown->job->peaks.empty()) {
        m_document.selectPeak(0);
        m_views.setCrosshair(shown->job->peaks.front().centre);
    }
}

} // namespace flcc::ui
