#include "engine/job/match/pruned_run.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/input/limits.h"
#include "engine/job/match/scene_runner.h"
#include "engine/job/match/truth.h"
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

} // namespace

std::int64_t prunedBytes(const Inputs& inputs) {
    std::int64_t bytes = 0;
    for (const auto& bank : inputs.banks) {
        bytes += search::preparedBytes(*bank, inputs.plainView().extents());
    }
    return bytes;
}

/// The templates of a further scene are the same; repetitions are timed whole.
bool SceneRunner::preparePruned(base::TilePool& pool, bool reuse, double& ms) {
    const base::Stopwatch watch;
    bool isNew = false;
    const auto& banks = inputs().banks;
    m_stream.pruned.resize(banks.size());
    for (std::size_t i = 0; i < banks.size(); ++i) {
        auto& prepared = m_stream.pruned[i];
        if (reuse && prepared && search::isOf(*prepared, *banks[i])) {
            continue;
        }
        isNew = true;
        prepared = search::prepare(
            banks[i], inputs().plainView().extents(), pool, m_stop,
            [&](double share) { m_sink.progress(kPreparing * std::min(1.0, share)); });
        if (!prepared) {
            return false;
        }
    }
    ms = isNew ? watch.ms() : 0;
    return true;
}

/// As long as the exhaustive search takes: with that after it, the time is at most twice as long.
/// First what the cost model alone says, and only once that has passed what is measured.
std::function<double()> SceneRunner::patience() {
    static constexpr double kLeast = 200;
    return [this, asked = 0]() mutable {
        if (++asked == 2 && m_request.planning != plan::Planning::Estimate) {
            for (GroupRun& group : groups()) {
                (void)group.plan(requestOf(group, mapBytes()), false, m_stop);
            }
        }
        double ms = 0;
        for (const GroupRun& group : groups()) {
            ms += group.expectedMs();
        }
        return ms > 0 ? std::max(kLeast, ms) : std::numeric_limits<double>::infinity();
    };
}

bool SceneRunner::searchPruned() {
    enter(Phase::Run);
    const PeakMeter meter;
    m_sink.verification(Verification::NotNeeded, {});
    requireTemplates(inputs());
    requireRoom(inputs(), m_request.limits.memoryBytes);
    base::TilePool pool(threadsOf(m_job));
    const match::PeakOptions asked = peakOptions(m_job, inputs().geometry, inputs().isVolume());
    const search::Options options{.minScore = *m_job.minScore,
                                  .maxPeaks = m_job.maxPeaks,
                                  .minDistance = asked.minDistance,
                                  .edges = asked.edges,
                                  .maxOverlap = asked.maxOverlap,
                                  .trust = m_job.poses.search == job::Search::Pruned ? 1 : kTrust,
                                  .mostMs = patience()};
    RunReport run;
    run.threads = pool.threads();
    run.device = "cpu";
    std::vector<double> whole;
    std::vector<double> alone;
    search::Found found;
    PrunedReport facts;
    for (int turn = 0; turn < m_job.repeat; ++turn) {
        const base::Stopwatch all;
        if (!preparePruned(pool, turn == 0, facts.prepareMs)) {
            return false;
        }
        std::vector<search::Part> parts;
        for (std::size_t i = 0; i < m_stream.pruned.size(); ++i) {
            parts.push_back({m_stream.pruned[i], inputs().groups[i]});
        }
        const base::Stopwatch one;
        found = search::searchPruned(
            inputs().plainView(), parts, m_result.geometry, options, pool, m_stop,
            [this](double share) { m_sink.progress(kPreparing + (1 - kPreparing) * share); });
        if (found.cancelled) {
            return false;
        }
        if (found.gaveUp) {
            m_stream.prunedGaveUp = true;
            m_stream.pruned.clear();
            facts.gaveUp = true;
            facts.searchMs = one.ms();
            m_result.report.poses->pruned = facts;
            return true;
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
    run.peakHostBytes = meter.rise();
    m_result.peaks = std::move(found.peaks);
    const base::Index margin = inputs().room().corner;
    for (match::Peak& peak : m_result.peaks) { // from the scene with a margin on
        peak.corner.x += margin.x;
        peak.corner.y += margin.y;
        peak.centre[0] += static_cast<double>(margin.x);
        peak.centre[1] += static_cast<double>(margin.y);
    }
    m_result.report.run = std::move(run);
    return listPruned(facts, pool);
}

bool SceneRunner::listPruned(const PrunedReport& facts, base::TilePool& pool) {
    enter(Phase::Peaks);
    const base::Stopwatch watch;
    if (m_job.poses.refine) {
        match::refinePeaks(m_result.peaks, inputs().sceneView(), mapsOf(inputs()),
                           peakOptions(m_job, inputs().geometry, inputs().isVolume()), pool, m_stop,
                           [this](double share) { m_sink.progress(share); });
    }
    if (m_stop.stop_requested()) {
        return false;
    }
    match::setOverlaps(m_result.peaks, mapsOf(inputs()));
    JobReport& report = m_result.report;
    report.run->readMs = m_work->readMs;
    report.run->peaksMs = watch.ms();
    report.audit = AuditReport{.reason = "a pruned search lists scores by the definition alone"};
    report.threshold = ThresholdReport{.value = *m_job.minScore, .chosenBy = "score"};
    reportGroups();
    report.poses->pruned = facts;
    report.poses->done = report.poses->members;
    if (m_job.poses.search == job::Search::Heuristic) {
        report.peaksIncomplete = "the search was heuristic and may have missed peaks; --search "
                                 "pruned misses none";
    }
    moveToScene(m_result.peaks, inputs(), m_result.geometry);
    report.peaks = m_result.peaks;
    if (m_truth) {
        report.truth = comparedWithTruth(m_job, m_result, *m_truth);
    }
    m_sink.progress(1);
    return true;
}

} // namespace flcc::job::detail
