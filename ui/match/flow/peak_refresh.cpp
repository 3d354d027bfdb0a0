#include "ui/match/flow/peak_refresh.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/job/any_job.h"
#include "engine/job/kept_map.h"
#include "ui/document/document.h"
#include "ui/match/match_panel.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

namespace {

constexpr int kPeaksDelayMs = 120;
/// Limit of a count: beyond it the number tells nothing, and its search takes long.
constexpr std::int64_t kMostCounted = 20'000;

bool hasPeaksOfMap(const ResultEntry* result) {
    return result != nullptr && result->job->map && result->job->report.map &&
           job::isWhole(*result->job) && job::isVerified(result->job->report);
}

/// Whether both jobs choose the threshold by the same rule and number.
bool sameThreshold(const job::Job& a, const job::Job& b) {
    const job::PeakThresholds one = job::thresholdsOf(a);
    const job::PeakThresholds other = job::thresholdsOf(b);
    return one.threshold == other.threshold && one.falsePositives == other.falsePositives &&
           one.zscore == other.zscore;
}

/// Whether a threshold may let peaks through that are not listed. That of a law is not known before
/// it was asked for.
bool looser(const job::Job& wanted, const job::Result& result) {
    if (job::mapDecidesThreshold(wanted)) {
        return !sameThreshold(wanted, result.settings);
    }
    const double sign = wanted.operation.traits().sign();
    return sign * job::thresholdOf(wanted) < sign * job::thresholdOf(result);
}

/// Whether a number asks for a part of the list, which a filter gives.
bool stricter(const job::Job& wanted, const job::Result& result) {
    return !job::mapDecidesThreshold(wanted) && wanted.operation.traits().hasThreshold() &&
           job::thresholdOf(wanted) > job::thresholdOf(result);
}

/// The peak options of `from` in the job of a result.
job::Job withPeakOptions(job::Job job, const job::Job& from) {
    job.minScore = from.minScore;
    job.maxScore = from.maxScore;
    job.falsePositives = from.falsePositives;
    job.zscore = from.zscore;
    job.maxPeaks = from.maxPeaks;
    job.minDistance = from.minDistance;
    job.distanceUnit = from.distanceUnit;
    job.maxOverlap = from.maxOverlap;
    job.partialPeaks = from.partialPeaks;
    return job;
}

} // namespace

PeakRefresh::PeakRefresh(Document& document, RunController& controller, MatchPanel& panel,
                         QObject* parent)
    : QObject(parent), m_document(document), m_controller(controller), m_panel(panel) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kPeaksDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &PeakRefresh::search);
    connect(&m_panel, &MatchPanel::settingsChanged, this, &PeakRefresh::schedule);
    connect(&m_document, &Document::resultShown, this, [this] {
        m_countedFor.clear();
        schedule();
    });
}

void PeakRefresh::schedule() {
    const ResultEntry* result = m_document.result();
    if (!hasPeaksOfMap(result) || m_controller.isPending(RunController::Task::Run)) {
        m_delay.stop();
        return;
    }
    const job::Job wanted = m_panel.settings();
    const job::Job& has = result->settings;
    if (wanted.operation != has.operation) {
        m_delay.stop(); // the threshold belongs to another kind of values
        return;
    }
    // Of a stream the options count for each frame.
    const auto count = has.stream ? has.maxPeaks : std::ssize(result->job->peaks);
    const bool all = has.stream || count < has.maxPeaks; // nothing was cut off
    const bool fewer =
        looser(wanted, *result) || (wanted.maxPeaks > has.maxPeaks && (has.stream || !all));
    const bool moved =
        !has.operation.traits().hasThreshold() && job::thresholdOf(wanted) != job::thresholdOf(has);
    const bool other = moved || wanted.minDistance != has.minDistance ||
                       wanted.distanceUnit != has.distanceUnit ||
                       wanted.maxOverlap != has.maxOverlap ||
                       wanted.partialPeaks != has.partialPeaks || wanted.maxPeaks < count;
    // The run of an unfinished search lists none.
    const bool unlisted = result->job->cancelled && !result->kept;
    if (fewer || other || !all || unlisted) {
        m_delay.start();
    } else {
        m_delay.stop();
    }
}

void PeakRefresh::search() {
    const ResultEntry* result = m_document.result();
    if (!hasPeaksOfMap(result)) {
        return;
    }
    if (m_controller.isBusy()) {
        m_delay.start(); // a plan that waits must not be dropped
        return;
    }
    if (m_panel.settings().operation != result->settings.operation) {
        return;
    }
    job::Job wanted = withPeakOptions(result->settings, m_panel.settings());
    if (stricter(wanted, *result)) {
        wanted.minScore = result->settings.minScore;
        wanted.falsePositives = result->settings.falsePositives;
        wanted.zscore = result->settings.zscore;
    }
    const std::shared_ptr<const job::JobResult> before = result->job;
    // The count of a list that is cut off: once for each map and options.
    job::Job all = wanted;
    if (!wanted.stream) {
        all.maxPeaks = std::max(kMostCounted, wanted.maxPeaks);
    }
    const std::string key = job::toCommandLine(all) + " " +
                            std::to_string(reinterpret_cast<std::uintptr_t>(before->map.get()));
    const job::Job& has = result->settings;
    const bool same = job::thresholdsOf(wanted) == job::thresholdsOf(has);
    if (same && key == m_countedFor) {
        return;
    }
    m_countedFor = key;
    m_controller.start(
        RunController::Task::Peaks, tr("Searching peaks"),
        [this, before, wanted, all, listed = job::thresholdsOf(has), known = result->kept,
         scene = m_document.scene().image](const std::stop_token& stop,
                                           job::JobSink*) -> RunController::Done {
            const auto kept = known ? known : job::keepMap(*before, all, scene, stop);
            job::FoundPeaks found =
                kept ? job::extractPeaks(*kept, job::thresholdsOf(all), stop) : job::FoundPeaks();
            if (stop.stop_requested()) {
                return [this] {
                    m_countedFor.clear();
                    schedule();
                };
            }
            const auto total = std::ssize(found.peaks);
            const bool more = !wanted.stream && total == all.maxPeaks;
            if (!wanted.stream && total > wanted.maxPeaks) {
                found.peaks.resize(
                    static_cast<std::size_t>(wanted.maxPeaks)); // the best come first
            }
            return [this, before, wanted, listed, kept, found = std::move(found), total,
                    more]() mutable {
                const ResultEntry* now = m_document.result();
                if (now != nullptr && job::thresholdsOf(now->settings) != listed) {
                    // The threshold was dragged meanwhile: that list is the newer one.
                    m_countedFor.clear();
                    schedule();
                } else if (now != nullptr && now->job->map == before->map &&
                           now->settings.spacing == wanted.spacing &&
                           now->settings.world == wanted.world) {
                    m_document.replacePeaks({std::move(found), wanted}, kept);
                    Q_EMIT counted(total, more);
                }
            };
        });
}

void PeakRefresh::showAll() {
    job::Job job = m_panel.settings();
    job.maxPeaks = kMostCounted;
    m_panel.setSettings(job);
}

} // namespace flcc::ui
