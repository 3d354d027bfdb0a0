#include "engine/cpu/tile_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        double ms = 0;
        for (const WorkerTally& tally : tallies) {
            ms += tally.clock.ms(stage);
        }
        outcome.stagesMs.emplace_back(stages[stage], ms);
    }
    return outcome;
}

std::string memoryRefusal(std::int64_t bytes, const method::Limits& limits) {
    if (bytes <= limits.memoryBytes) {
        return {};
    }
    const auto mebi = [](std::int64_t count) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.1f MiB", static_cast<double>(count) / 0x1p20);
        return std::string(text);
    };
    return "needs " + mebi(bytes) + ", the limit is " + mebi(limits.memoryBytes);
}

std::string statisticsRefusal(const method::Problem& problem) {
    if (problem.statistics == method::WindowStatistics::Box &&
        (problem.mask || problem.sceneMask)) {
        return std::string("window sums need a support that is a box, and the ") +
               (problem.mask ? "template" : "scene") + " has a mask";
    }
    return {};
}

double denominatorNs(double placements, const method::Problem& problem, const base::Extents& tile,
                     const method::CostModel& model) {
    return placements * model.denominatorNs(problem.templ, tile);
}

double predictedK(const method::SceneStatistics& statistics) {
    // A tile sees a part of the scene's range; a third of it is typical of pictures.
    const double spread = (statistics.maximum - statistics.minimum) / 3;
    if (!(statistics.lowContrast > 0)) {
        return spread > 0 ? 1e6 : 1;
    }
    return std::clamp(spread / statistics.lowContrast, 1.0, 1e6);
}

} // namespace flcc::cpu
