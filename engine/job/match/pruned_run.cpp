#include "engine/job/match/pruned_run.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/input/limits.h"
#include "engine/job/match/pruned_options.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/report/machine.h"
#include "engine/job/report/spread.h"
#include "engine/job/report/text.h"
#include "engine/match/overlap.h"
#include "engine/match/refine.h"
#include "engine/method/bank.h"
#include "engine/search/pruned_search.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

/// The share of a limit's unseen part that a heuristic search counts.
constexpr double kTrust = 0.5;
/// Of the time, as far as anybody can say before.
constexpr double kPreparing = 0.8;

void requireTemplates(const Inputs& inputs) {
    for (const TemplateInput& templ : inputs.templates) {
        if (method::hasWeights(templ.view())) {
            throw Error(ErrorCode::Problem, "a pruned search takes no mask with weights; use a "
                                            "mask of 0 and 1, or --search exhaustive");
        }
        if (templ.extents().z > 1) {
            throw Error(ErrorCode::Problem,
                        "a pruned search is for pictures, not for templates of " +
                            base::toString(templ.extents()) + " voxels; use --search exhaustive");
        }
    }
}

void requireRoom(const Inputs& inputs, std::int64_t memory) {
    const std::int64_t needed = prunedBytes(inputs);
    if (needed > memory) {
        throw Error(ErrorCode::Memory, "a pruned search takes about " + bytesText(needed) +
                                           " for its templates, more than the limit of " +
                                           bytesText(memory) +
                                           "; use fewer rotations or --search exhaustive");
    }
}

std::vector<match::SearchedMap> mapsOf(const Inputs& inputs) {
    std::vector<match::SearchedMap> maps;
    for (std::size_t i = 0; i < inputs.banks.size(); ++i) {
        match::SearchedMap& map = maps.emplace_back();
        map.numbers = inputs.groups[i];
        map.poses = inputs.banks[i];
        map.room = inputs.room();
    }
    return maps;
}

/// The templates of a further scene are the same; repetitions are timed whole.
bool preparePruned(SceneState& s, base::TilePool& pool, bool reuse, double& ms) {
    const base::Stopwatch watch;
    bool isNew = false;
    const auto& banks = s.inputs().banks;
    s.stream.pruned.resize(banks.size());
    for (std::size_t i = 0; i < banks.size(); ++i) {
        auto& prepared = s.stream.pruned[i];
        if (reuse && prepared && search::isOf(*prepared, *banks[i])) {
            continue;
        }
        isNew = true;
        prepared = search::prepare(
            banks[i], s.inputs().plainView().extents(), pool, s.stop,
            [&](double share) { s.sink.progress(kPreparing * std::min(1.0, share)); });
        if (!prepared) {
            return false;
        }
    }
    ms = isNew ? watch.ms() : 0;
    return true;
}

search::Options optionsOf(const SceneState& s, bool heuristic) {
    const match::PeakOptions asked = peakOptions(s.job, s.inputs().geometry, s.inputs().isVolume());
    return {.minScore = *s.job.minScore,
            .maxPeaks = s.job.maxPeaks,
            .minDistance = asked.minDistance,
            .edges = asked.edges,
            .maxOverlap = asked.maxOverlap,
            .trust = heuristic ? kTrust : 1};
}

std::string against(SceneState& s) {
    if (std::string reason = againstPruning(s.job); !reason.empty()) {
        return reason;
    }
    requireTemplates(s.inputs());
    requireRoom(s.inputs(), s.request.limits.memoryBytes);
    return {};
}

/// The rehearsal tells what will be looked at; where plans measure, also how fast this machine does
/// so.
template <bool kHeuristic> std::optional<Forecast> predict(SceneState& s, double within) {
    base::TilePool pool(threadsOf(s.job));
    const double most = within > 0 ? within : std::numeric_limits<double>::infinity();
    const std::optional<search::Expected> expected = search::rehearse(
        s.inputs().plainView(), s.inputs().banks, optionsOf(s, kHeuristic), most, pool, s.stop);
    if (!expected) {
        return std::nullopt;
    }
    const bool measures = s.request.planning != plan::Planning::Estimate;
    return Forecast{expected->ms(), measures ? expected->slower : 1, expected->isMore};
}

/// Where the prediction was too low, both searches together take twice the time of all scores.
double patienceMs(const SceneState& s) {
    constexpr double kLeast = 200;
    return s.stream.exhaustiveModelMs > 0 ? std::max(kLeast, s.stream.exhaustiveModelMs)
                                          : std::numeric_limits<double>::infinity();
}

template <bool kHeuristic> Next searchPruned(SceneState& s) {
    s.sink.enter(Phase::Run);
    const PeakMeter meter;
    s.sink.verification(Verification::NotNeeded, {});
    base::TilePool pool(threadsOf(s.job));
    search::Options options = optionsOf(s, kHeuristic);
    options.mostMs = patienceMs(s);
    RunReport run;
    run.threads = pool.threads();
    run.device = "cpu";
    std::vector<double> whole;
    std::vector<double> alone;
    search::Found found;
    PrunedReport facts;
    for (int turn = 0; turn < s.job.repeat; ++turn) {
        const base::Stopwatch all;
        if (!preparePruned(s, pool, turn == 0, facts.prepareMs)) {
            return Next::Stopped;
        }
        std::vector<search::Part> parts;
        for (std::size_t i = 0; i < s.stream.pruned.size(); ++i) {
            parts.push_back({s.stream.pruned[i], s.inputs().groups[i]});
        }
        const base::Stopwatch one;
        found = search::searchPruned(
            s.inputs().plainView(), parts, s.result.geometry, options, pool, s.stop,
            [&s](double share) { s.sink.progress(kPreparing + (1 - kPreparing) * share); });
        if (found.cancelled) {
            return Next::Stopped;
        }
        if (found.gaveUp) {
            s.failedSearch = "after " + fixed(one.ms() / 1000, 2) +
                             " s it had looked at far more than its rehearsal had let expect";
            s.stream.pruned.clear();
            return Next::Stopped;
        }
        alone.push_back(one.ms());
        whole.push_back(all.ms());
        const double threads = pool.threads();
        method::addStages({{"preparing", facts.prepareMs * threads},
                           {"scene cells", found.facts.cellsMs * threads},
                           {"coarse", found.facts.coarseMs * threads},
                           {"fine", found.facts.fineMs * threads}},
                          run.stagesMs);
    }
    facts.edge = found.facts.edge;
    facts.placements = found.facts.placements;
    facts.nodes = found.facts.nodes;
    facts.kept = found.facts.kept;
    facts.points = found.facts.points;
    facts.limits = found.facts.limits;
    facts.scores = found.facts.scores;
    run.executeMs = spreadOf(whole);
    run.streamMs = spreadOf(alone);
    facts.searchMs = run.streamMs.median;
    s.stream.searches.front().measuredMs = run.executeMs.median;
    run.peakHostBytes = meter.rise();
    s.result.peaks = std::move(found.peaks);
    const base::Index margin = s.inputs().room().corner;
    for (match::Peak& peak : s.result.peaks) { // from the scene with a margin on
        peak.corner.x += margin.x;
        peak.corner.y += margin.y;
        peak.centre[0] += static_cast<double>(margin.x);
        peak.centre[1] += static_cast<double>(margin.y);
    }
    s.result.report.run = std::move(run);
    s.result.report.poses->pruned = facts;
    return Next::Go;
}

Next listPruned(SceneState& s) {
    s.sink.enter(Phase::Peaks);
    const base::Stopwatch watch;
    base::TilePool pool(threadsOf(s.job));
    if (s.job.poses.refine) {
        match::refinePeaks(s.result.peaks, s.inputs().sceneView(), mapsOf(s.inputs()),
                           peakOptions(s.job, s.inputs().geometry, s.inputs().isVolume()), pool,
                           s.stop, [&s](double share) { s.sink.progress(share); });
    }
    if (s.stopped()) {
        return Next::Stopped;
    }
    match::setOverlaps(s.result.peaks, mapsOf(s.inputs()));
    JobReport& report = s.result.report;
    report.run->readMs = s.work->readMs;
    report.run->peaksMs = watch.ms();
    report.audit = AuditReport{.reason = "a pruned search lists scores by the definition alone"};
    report.threshold = ThresholdReport{.value = *s.job.minScore, .chosenBy = "score"};
    reportGroups(s);
    report.poses->done = report.poses->members;
    if (s.stream.searches.front().search == name(job::Search::Heuristic)) {
        report.peaksIncomplete = "the search was heuristic and may have missed peaks; --search "
                                 "pruned misses none";
    }
    return Next::Go;
}

/// A scene after the first one is not planned by the choice of the search.
Next planPruned(SceneState& s) {
    const bool done =
        s.groups().front().report().plan.chosen() != nullptr || planBy(s, plan::Planning::Estimate);
    countChoice(s);
    return goIf(done);
}

template <bool kHeuristic>
constexpr std::array kPrunedSteps{
    MatchStep{.name = "plan", .run = planPruned},
    MatchStep{.name = "pruned search", .run = searchPruned<kHeuristic>},
    MatchStep{.name = "peaks", .run = listPruned},
};

} // namespace

std::int64_t prunedBytes(const Inputs& inputs) {
    std::int64_t bytes = 0;
    for (const auto& bank : inputs.banks) {
        bytes += search::preparedBytes(*bank, inputs.plainView().extents());
    }
    return bytes;
}

const Strategy& prunedStrategy() {
    static constexpr Strategy kStrategy{.search = job::Search::Pruned,
                                        .refuse = requireSearch,
                                        .against = against,
                                        .predict = predict<false>,
                                        .steps = kPrunedSteps<false>};
    return kStrategy;
}

const Strategy& heuristicStrategy() {
    static constexpr Strategy kStrategy{.search = job::Search::Heuristic,
                                        .against = against,
                                        .predict = predict<true>,
                                        .steps = kPrunedSteps<true>};
    return kStrategy;
}

} // namespace flcc::job::detail
