#include "engine/job/report/frame_report.h"

#include <algorithm>
#include <utility>

#include "engine/job/report/joined_moments.h"
#include "engine/job/report/spread.h"

namespace flcc::job::detail {

namespace {

FrameReport frameRow(const JobReport& one, int number) {
    FrameReport row;
    row.frame = number;
    if (one.run) {
        row.executeMs = one.run->executeMs.median;
        row.streamMs = one.run->streamMs.median;
        row.peaksMs = one.run->peaksMs;
        row.device = one.run->device;
    }
    if (one.map) {
        row.statistics = one.map->statistics;
        row.facts = one.map->facts;
    }
    row.verdict = one.audit ? one.audit->verdict : AuditVerdict::Off;
    row.peaks = static_cast<std::int64_t>(one.peaks.size());
    if (!one.peaks.empty()) {
        row.best = one.peaks.front();
    }
    row.peaksIncomplete = one.peaksIncomplete;
    row.threshold = one.threshold;
    return row;
}

/// Sums of the frames; the spreads follow in endFrames().
void addRun(RunReport& all, const RunReport& one) {
    all.readMs += one.readMs;
    all.writeMs += one.writeMs;
    all.peaksMs += one.peaksMs;
    for (const auto& [stage, ms] : one.stagesMs) {
        const auto found =
            std::ranges::find(all.stagesMs, stage, &std::pair<std::string, double>::first);
        if (found == all.stagesMs.end()) {
            all.stagesMs.emplace_back(stage, ms);
        } else {
            found->second += ms;
        }
    }
    all.failures.insert(all.failures.end(), one.failures.begin(), one.failures.end());
    all.peakHostBytes = std::max(all.peakHostBytes, one.peakHostBytes);
    all.threads = std::max(all.threads, one.threads);
}

/// The statistics of the values of both maps.
void addStatistics(match::MapStatistics& all, const match::MapStatistics& one) {
    if (one.count == 0) {
        return;
    }
    if (all.count == 0) {
        all = one;
        return;
    }
    joinMoments(all, one);
    all.roundingDeviation = std::max(all.roundingDeviation, one.roundingDeviation);
}

void addFacts(method::MapFacts& all, const method::MapFacts& one) {
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        all.statusCounts[i] += one.statusCounts[i];
    }
    all.overRange += one.overRange;
    all.recomputed += one.recomputed;
    all.boundMedian = std::max(all.boundMedian, one.boundMedian);
    all.largestBound = std::max(all.largestBound, one.largestBound);
    all.largestLowConf = std::max(all.largestLowConf, one.largestLowConf);
    all.largestRounding = std::max(all.largestRounding, one.largestRounding);
    all.scores.add(one.scores);
}

void addBest(std::optional<match::BestPlaces>& all, const std::optional<match::BestPlaces>& one,
             double sign) {
    if (!one) {
        return;
    }
    if (all && all->value == one->value) {
        all->occurrences += one->occurrences;
    } else if (!all || sign * one->value > sign * all->value) {
        all = one;
    }
}

void addAudit(AuditReport& all, const AuditReport& one) {
    if (static_cast<int>(one.verdict) > static_cast<int>(all.verdict)) { // off, passed, failed
        all.verdict = one.verdict;
        all.reason = one.reason;
    }
    all.checked += one.checked;
    all.wrongStatus += one.wrongStatus;
    all.largestDeviation = std::max(all.largestDeviation, one.largestDeviation);
    all.largestOverBound = std::max(all.largestOverBound, one.largestOverBound);
    all.medianOverBound = std::max(all.medianOverBound, one.medianOverBound);
    all.ms += one.ms;
}

Spread spreadOver(const std::vector<FrameReport>& frames, double FrameReport::*ms) {
    std::vector<double> all;
    for (const FrameReport& frame : frames) {
        all.push_back(frame.*ms);
    }
    return spreadOf(std::move(all));
}

} // namespace

void addFrame(JobReport& all, JobReport one, int number) {
    FrameReport row = frameRow(one, number);
    if (all.frames.empty()) {
        all = std::move(one);
        all.stream.reset();
        all.peaks.clear(); // the rows and the list of peaks have those of all frames
        all.peaksIncomplete.clear();
    } else {
        if (all.run && one.run) {
            addRun(*all.run, *one.run);
        }
        if (all.map && one.map) {
            addStatistics(all.map->statistics, one.map->statistics);
            addFacts(all.map->facts, one.map->facts);
            addBest(all.map->best, one.map->best, one.plan.problem.operation.traits().sign());
        }
        if (all.audit && one.audit) {
            addAudit(*all.audit, *one.audit);
        }
    }
    if (all.peaksIncomplete.empty() && !row.peaksIncomplete.empty()) {
        all.peaksIncomplete = "frame " + std::to_string(number) + ": " + row.peaksIncomplete;
    }
    all.frames.push_back(std::move(row));
}

void joinThreshold(std::optional<ThresholdReport>& all,
                   const std::optional<ThresholdReport>& frame) {
    if (!frame) {
        return;
    }
    if (!all) {
        all = frame;
        all->law = {.null = frame->law.null};
        all->values.clear();
        all->falsePositives.reset();
    }
    all->value = std::min(all->value, frame->value);
    for (const std::string& sentence : frame->warnings) {
        if (std::ranges::find(all->warnings, sentence) == all->warnings.end()) {
            all->warnings.push_back(sentence);
        }
    }
    const match::SearchLaw& law = frame->law;
    all->law.maps.insert(all->law.maps.end(), law.maps.begin(), law.maps.end());
    all->values.insert(all->values.end(), frame->values.begin(), frame->values.end());
    if (frame->falsePositives) { // each frame expects its share
        all->falsePositives =
            all->falsePositives.value_or(0) + *frame->falsePositives / law.searches;
    }
}

void endFrames(JobReport& all) {
    all.threshold.reset();
    for (const FrameReport& frame : all.frames) {
        joinThreshold(all.threshold, frame.threshold);
    }
    if (all.run) {
        all.run->executeMs = spreadOver(all.frames, &FrameReport::executeMs);
        all.run->streamMs = spreadOver(all.frames, &FrameReport::streamMs);
    }
}

} // namespace flcc::job::detail
