#include <QTime>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/log.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"
#include "ui/views/views_panel.h"

// What a run that has ended leaves: results, messages, released maps.

namespace flcc::ui {
namespace {

constexpr double kLeastShare = 0.01; // of a map; a cancelled run that has less leaves no result

/// What tells a result from others: scene, what is unusual about its job, and the time.
QString runTitle(const Document& document, const SceneEntry& scene, const job::Job& job,
                 const job::JobReport& report) {
    QStringList parts{scene.made ? scene.name : scene.name.section(QChar('.'), 0, 0)};
    const auto say = [&parts](bool applies, const QString& word) {
        parts << (applies ? QStringList(word) : QStringList());
    };
    say(report.templates.size() > 1,
        report.groups.empty() ? MatchFlow::tr("%1 templates").arg(report.templates.size())
                              : MatchFlow::tr("%1 templates of %2 sizes")
                                    .arg(report.templates.size())
                                    .arg(report.groups.size()));
    say(!job.operation.isLcc(), toQString(method::name(job.operation)));
    say(job.invert, MatchFlow::tr("inverted"));
    say(job.stream, MatchFlow::tr("stream"));
    say(job.region.has_value(), MatchFlow::tr("region"));
    say(!job.masks.empty() || !job.sceneMask.empty(), MatchFlow::tr("masked"));
    say(job.extent != method::Extent::Valid, toQString(method::name(job.extent)));
    say(job.precision == method::Precision::Double, MatchFlow::tr("double"));
    say(job.method != "auto", toQString(job.method));
    say(job.transforms == method::Transforms::Fftw, QStringLiteral("FFTW"));
    const QTime now = QTime::currentTime();
    QString title = (parts << now.toString(QStringLiteral("HH:mm"))).join(QStringLiteral(" · "));
    const auto taken = [&document](const QString& name) {
        return std::ranges::any_of(document.results(),
                                   [&name](const ResultEntry& each) { return each.title == name; });
    };
    if (taken(title)) {
        parts.back() = now.toString(QStringLiteral("HH:mm:ss"));
        title = parts.join(QStringLiteral(" · "));
    }
    const QString base = title;
    for (int number = 2; taken(title); ++number) {
        title = QStringLiteral("%1 (%2)").arg(base).arg(number);
    }
    return title;
}

} // namespace

double MatchFlow::finishedShare(const method::MatchMap& map) {
    const base::Status* status = map.status.data();
    const auto open = std::count(status, status + map.status.count(), base::Status::NotComputed);
    return 1 - static_cast<double>(open) / static_cast<double>(map.status.count());
}

void MatchFlow::onMapsReleased(const QStringList& released, const QStringList& removed) {
    const QString why =
        tr("All maps together needed more than %1.").arg(bytesText(kMostResultBytes));
    QStringList said;
    if (!released.isEmpty()) {
        said << tr("Released the map of %1 and kept its peaks.", nullptr,
                   static_cast<int>(released.size()))
                    .arg(released.join(QStringLiteral(", ")));
    }
    if (!removed.isEmpty()) {
        said << tr("Removed the partial result %1.").arg(removed.join(QStringLiteral(", ")));
    }
    m_released = why + QChar(' ') + said.join(QChar(' '));
}

/// Shows what there is to say of a run that has ended, and which maps went for its result.
void MatchFlow::say(MessageBar::Kind kind, const QString& text) {
    const QString released = std::exchange(m_released, {});
    if (!text.isEmpty() || !released.isEmpty()) {
        Q_EMIT message(kind, text + (text.isEmpty() || released.isEmpty() ? "" : " ") + released);
    }
}

void MatchFlow::finishRun(const std::shared_ptr<job::JobResult>& result, const job::Job& job,
                          double share, const QImage& thumbnail) {
    if (result->cancelled && (!result->map || share < kLeastShare)) {
        m_plannedJob.reset();
        Q_EMIT message(MessageBar::Kind::Warning,
                       tr("The run was cancelled before it had a result."));
        return;
    }
    m_plannedJob = planKey(job); // this report is the plan of that job
    m_reportRun = 0;
    showReport(result->report);
    tellDevice(result->report);
    logNotes(*result, *result);
    m_document.addResult({{result, job},
                          runTitle(m_document, m_document.scenes().front(), job, result->report),
                          0,
                          0,
                          m_runInputs,
                          thumbnail});
    const auto failed = job::auditFailure(result->report);
    if (failed) {
        say(MessageBar::Kind::Error, toQString(failed->what()));
    } else if (result->cancelled) {
        say(MessageBar::Kind::Warning,
            tr("The run was cancelled: %1 % of the map is finished and kept as a partial result; "
               "the rest is hatched.")
                .arg(std::floor(share * 100)));
    } else {
        tellWarnings(*result);
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

void MatchFlow::tellDevice(const job::JobReport& report) {
    if (!report.run) {
        return;
    }
    const job::RunReport& run = report.run.value();
    const QString name = m_panel.deviceName(run.device);
    if (run.device == "cpu" || name.isEmpty()) {
        Q_EMIT deviceUsed(tr("ran on %1, %2").arg(deviceText(run.device), threadsText(run.threads)),
                          tr("The device that ran the last job: %1")
                              .arg(toQString(report.environment.processor)));
    } else {
        Q_EMIT deviceUsed(tr("ran on %1, %2").arg(deviceText(run.device), name),
                          tr("The device that ran the last job: %1, with %2 of the CPU")
                              .arg(name, threadsText(run.threads)));
    }
}

/// Shows the last warning, such as that another device than planned did the run.
void MatchFlow::tellWarnings(const job::JobResult& all) {
    say(all.warnings.empty() ? MessageBar::Kind::Info : MessageBar::Kind::Warning,
        all.warnings.empty() ? QString() : inWindowWords(all.warnings.back()));
}

/// Logs the notes of a job; `result` is the result of one of its scenes.
void MatchFlow::logNotes(const job::JobResult& all, const job::JobResult& result) {
    for (const std::string& note : all.notes) {
        // Notes about reading were shown when the image was opened. tellWarnings() logs the warning
        // that it shows.
        if (note != result.scene->note && (all.warnings.empty() || note != all.warnings.back()) &&
            std::ranges::none_of(result.templates,
                                 [&](const auto& templ) { return templ->note == note; })) {
            base::log(base::LogLevel::Info, note);
        }
    }
}

void MatchFlow::keepScene(int number, const std::shared_ptr<const job::JobResult>& result,
                          const QImage& ofScene, const QImage& ofMap) {
    if (!result->cancelled || (result->map && finishedShare(*result->map) >= kLeastShare)) {
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
    logNotes(all, *std::ranges::find_if(results, [](const SceneResult& one) {
                       return one.job != nullptr;
                   })->job);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].job) {
            const job::JobReport& report = results[i].job->report;
            tellDevice(report);
            m_document.addResult({{results[i].job, job},
                                  runTitle(m_document, m_document.scenes()[i], job, report),
                                  static_cast<int>(i),
                                  m_reportRun,
                                  m_runInputs,
                                  results[i].thumbnail});
        }
    }
    if (all.cancelled) {
        say(MessageBar::Kind::Warning,
            tr("The run was cancelled: %1 of %2 scenes are finished%3.")
                .arg(finished)
                .arg(results.size())
                .arg(partial > 0 ? tr(", one is kept as a partial result") : QString()));
    } else if (const auto failed = job::auditFailure(all.report)) {
        say(MessageBar::Kind::Error, toQString(failed->what()));
    } else {
        tellWarnings(all);
    }
    const ResultEntry* shown = m_document.result();
    if (shown != nullptr && shown->run == m_reportRun && !shown->job->peaks.empty()) {
        m_document.selectPeak(0);
        m_views.setCrosshair(shown->job->peaks.front().centre);
    }
}

} // namespace flcc::ui
