#include "engine/cpu/score/tile_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "engine/base/text.h"

namespace flcc::cpu {

method::Outcome outcomeOf(const std::vector<WorkerTally>& tallies,
                          const std::vector<std::string>& stages, bool done) {
    method::Outcome outcome;
    outcome.cancelled = !done;
    FactsCollector facts;
    for (const WorkerTally& tally : tallies) {
        facts.merge(tally.facts);
    }
    outcome.facts = facts.facts();
    method::MapFacts best;
    bool bank = false;
    for (const WorkerTally& tally : tallies) {
        if (tally.best) {
            bank = true;
            method::addTemplate(*tally.best, best);
            for (std::size_t i = 0; i < best.statusCounts.size(); ++i) {
                best.statusCounts[i] += tally.best->statusCounts[i];
            }
        }
    }
    if (bank) {
        outcome.facts.statusCounts = best.statusCounts;
        outcome.facts.scores = best.scores;
    }
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        double ms = 0;
        for (const WorkerTally& tally : tallies) {
            ms += tally.clock.ms(stage);
        }
        outcome.stagesMs.emplace_back(stages[stage], ms);
    }
    return outcome;
}

std::int64_t BestTile::bytes(const method::Problem& problem, const base::Extents& tile) {
    const bool inDouble = problem.precision == method::Precision::Double;
    return problem.templates > 1 ? base::byteCount(tile, inDouble ? 13 : 5) : 0;
}

method::MapView BestTile::of(std::int32_t templ, const BestPart& part) {
    const method::MapView& map = part.view.map;
    if (templ == 0) {
        return map;
    }
    if (!m_scores) {
        m_scores.emplace(m_tile, m_problem.precision == method::Precision::Double);
    }
    const base::Extents& extents = map.value.extents();
    method::MapView scores{{m_scores->value.data(), extents}, {m_scores->status.data(), extents}};
    if (map.exact.data() != nullptr) {
        scores.exact = {m_scores->exact.data(), extents};
    }
    return scores;
}

void BestTile::take(std::int32_t templ, BestPart& part, bool plain, WorkerTally& tally) {
    if (part.view.index.data() == nullptr) {
        return;
    }
    plain =
        plain && part.view.map.exact.data() == nullptr && m_problem.operation.traits().inScoreUnits;
    base::Box box{{0, 0, 0}, part.view.map.value.extents()};
    if (templ == 0) { // its scores are the best ones
        part.plain = !method::leaveOut(of(templ, part), templ, part.view.counted) && plain;
        plain = part.plain;
    } else {
        box = part.view.counted.of(templ, box.extents);
        part.plain = part.plain && plain;
    }
    addUp(templ, part, merge(templ, part, box, plain), tally);
}

void BestTile::addUp(std::int32_t templ, const BestPart& part, const method::ScoreSums& sums,
                     WorkerTally& tally) {
    if (!tally.best) {
        tally.best.emplace();
    }
    method::MapFacts one;
    one.scores = sums;
    method::addTemplate(one, *tally.best);
    if (templ + 1 < m_problem.templates) {
        return;
    }
    if (part.plain) {
        tally.best->statusCounts[static_cast<std::size_t>(base::Status::Ok)] +=
            base::voxelCount(part.view.map.value.extents());
    } else {
        method::addStatuses(part.view.map, *tally.best);
    }
}

namespace {

template <class T> auto boxOf(const base::View<T>& view) {
    return simd::VoxelBox<T>{view.data(), view.rowStride(), view.sliceStride()};
}

/// The sums over the scores of a box, which may be empty.
method::ScoreSums sumsOf(const base::Box& box, const simd::BestSums& sums) {
    const base::Extents& n = box.extents;
    return method::ofPart({n.x * n.y * n.z, sums.sum, sums.squares});
}

} // namespace

simd::BestRows BestTile::rowsOf(std::int32_t templ, const BestPart& part,
                                const base::Box& box) const {
    const method::BankView best = method::partOf(part.view, box);
    simd::BestRows to{templ, box.extents, boxOf(best.map.value), boxOf(best.index)};
    if (!part.plain) {
        to.status = {reinterpret_cast<std::uint8_t*>(best.map.status.data()),
                     best.map.status.rowStride(), best.map.status.sliceStride()};
        to.wholeFirst = best.counted.wholeFirst;
    }
    return to;
}

method::ScoreSums BestTile::merge(std::int32_t templ, const BestPart& part, const base::Box& box,
                                  bool plain) {
    const method::MapView scores = method::partOf(of(templ, part), box);
    const method::BankView best = method::partOf(part.view, box);
    method::addScores(scores, best.sums);
    if (plain) {
        const simd::BestSums sums = simd::takeBest(
            {rowsOf(templ, part, box), boxOf(base::View<const float>(scores.value))});
        return sumsOf(box, sums);
    }
    const method::ScoreSums sums = m_problem.operation.traits().inScoreUnits
                                       ? method::scoreSums(scores)
                                       : method::valueSums(scores);
    if (templ == 0) {
        method::startBest(best);
    } else {
        method::mergeBest(scores, templ, best, m_problem.operation.traits().best);
    }
    return sums;
}

std::optional<simd::MergeArguments> BestTile::mergeOf(std::int32_t templ,
                                                      const BestPart& part) const {
    if (templ == 0 || part.view.sums.wanted() || part.view.map.exact.data() != nullptr) {
        return std::nullopt;
    }
    const base::Box box = part.view.counted.of(templ, part.view.map.value.extents());
    simd::MergeArguments merge;
    merge.to = rowsOf(templ, part, box);
    merge.corner = box.corner;
    return merge;
}

void BestTile::takeMerged(std::int32_t templ, const BestPart& part, const simd::BestSums& sums,
                          WorkerTally& tally) {
    const base::Box box = part.view.counted.of(templ, part.view.map.value.extents());
    addUp(templ, part, sumsOf(box, sums), tally);
}

void addCandidate(const method::Method& method, const base::Extents& tile,
                  const method::Limits& limits, std::vector<method::Candidate>& to,
                  method::Transforms transforms) {
    const method::Candidate candidate{.method = std::string(method.name()),
                                      .device = std::string(method.device()),
                                      .tile = tile,
                                      .threads = limits.threads,
                                      .transforms = transforms};
    if (std::find(to.begin(), to.end(), candidate) == to.end()) {
        to.push_back(candidate);
    }
}

std::int64_t oneByOneBytes(const method::Problem& problem, std::int64_t preparedBytes) {
    method::Problem one = problem;
    one.templates = 1;
    const std::int64_t others = problem.templates - 1;
    return others > 0 ? others * preparedBytes + method::mapBytes(one) : 0;
}

void timeOneByOne(const method::Problem& problem, method::Prediction& prediction) {
    prediction.operations *= problem.templates;
    prediction.setupMs *= problem.templates;
    prediction.ms *= problem.templates;
}

std::int64_t littleBytes(const method::Problem& problem, int threads) {
    constexpr std::int64_t kOnce = std::int64_t{5} << 20;
    constexpr std::int64_t kThread = std::int64_t{1} << 20;
    return std::min(kOnce + threads * kThread, 4 * base::voxelCount(problem.scene));
}

std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits) {
    if (bytes <= limits.memoryBytes) {
        return {};
    }
    return "needs " + base::bytesText(bytes) + ", the limit is " +
           base::bytesText(limits.memoryBytes);
}

std::string operationRefusal(const method::Problem& problem) {
    if (problem.operation.traits().choosesDenominator) {
        return {};
    }
    const std::string name(method::name(problem.operation));
    if (problem.outside == method::Outside::Eibl) {
        return "operation " + name + " has no --outside eibl; use zero or overlap";
    }
    if (problem.statistics != method::WindowStatistics::Auto) {
        return "operation " + name + " has no choice of --statistics; use auto";
    }
    return {};
}

std::string statisticsRefusal(const method::Problem& problem) {
    if (std::string reason = operationRefusal(problem); !reason.empty()) {
        return reason;
    }
    if (problem.statistics == method::WindowStatistics::Box &&
        (problem.mask || problem.sceneMask)) {
        return std::string(
                   "use --statistics auto: window sums need a support that is a box, and the ") +
               (problem.mask ? "template" : "scene") + " has a mask";
    }
    return {};
}

double denominatorNs(double placements, const method::Problem& problem, const base::Extents& tile,
                     const method::CostModel& model) {
    return placements * model.denominatorNs(problem.templ, tile);
}

} // namespace flcc::cpu
