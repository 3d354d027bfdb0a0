#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/method/method_on_device.h"
#include "tests/engine/cuda/banks.h"

/// A bank whose map stays on a device against one whose map came back.
namespace flcc::test {

struct HowReduced {
    int uploads = 1;
    std::size_t leastParts = 1;
    std::vector<double> minScores{0.6, -0.2};
    bool byProcessor = false; ///< its peaks are those of the processor as well
};

/// The list of a search in a whole map.
[[nodiscard]] inline std::vector<match::Peak> peaksOf(const Ready& ready, const Whole& whole,
                                                      const match::PeakOptions& options,
                                                      const method::ReducedMap* instead = nullptr) {
    std::vector<int> numbers(ready.views.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    match::SearchedMap map{
        .templates = ready.views,
        .numbers = numbers,
        .value = {},
        .status = {},
        .facts = whole.outcome.facts,
        .statistics = match::mapStatistics(whole.map.value.view(), whole.map.status.view()),
        .firstPlacement = method::firstPlacement(ready.problem),
        .index = {},
        .reduced = instead};
    if (instead == nullptr) {
        map.value = whole.map.value.view();
        map.status = whole.map.status.view();
        map.index = whole.index.view();
    }
    return match::findPeaks(ready.scene, {map}, {}, options);
}

/// What differs of what came back of a map, the peaks aside; empty without.
[[nodiscard]] inline std::string otherThanMap(const method::Outcome& outcome, const Whole& whole,
                                              const std::vector<base::Index>& asked) {
    const method::MatchMap& map = whole.map;
    const method::ReducedMap& reduced = *outcome.onDevice.reduced;
    if (!same(outcome.facts, whole.outcome.facts)) {
        return "other facts";
    }
    if (!same(match::statisticsOf(reduced.tally()),
              match::mapStatistics(map.value.view(), map.status.view()))) {
        return "other statistics";
    }
    for (const base::Index& at : asked) {
        const auto voxel = reduced.asked(at);
        const double value = map.exact.data() != nullptr
                                 ? map.exact.view().at(at)
                                 : static_cast<double>(map.value.view().at(at));
        if (!voxel.known || voxel.status != map.status.view().at(at) ||
            voxel.templ != whole.index.view().at(at) || voxel.value != value) {
            return "voxel " + base::toString(at) + " differs";
        }
    }
    return {};
}

/// Runs a bank with its map and without, for the searches that need no map, and tells the first
/// difference; empty without.
[[nodiscard]] inline std::string reducedFault(const method::Method& method,
                                              const base::Extents& tile, method::Problem problem,
                                              const Bank& bank, const HowReduced& how = {}) {
    problem.onDevice.map = false;
    if (method::reducerOf(method, problem) == nullptr) {
        return "the map comes back whole";
    }
    Ready ready(method, problem, bank, tile);
    const Whole whole(ready);
    if (ready.predicted().onDevice.times->uploads != how.uploads ||
        whole.outcome.onDevice.times->uploads != how.uploads) {
        return "other uploads";
    }
    if (whole.regions.size() < how.leastParts) {
        return "the map has few parts";
    }
    std::optional<Ready> onProcessor;
    std::optional<Whole> judge;
    if (how.byProcessor) {
        method::Problem own = bank.problem();
        own.extent = problem.extent;
        own.outside = problem.outside;
        own.minOverlap = problem.minOverlap;
        onProcessor.emplace(cpu::directMethod(), own, bank, base::Extents{});
        judge.emplace(*onProcessor);
    }
    for (const bool partial : {false, true}) {
        if (match::needsWholeMap(problem, ready.views, partial)) {
            continue;
        }
        for (const double minScore : how.minScores) {
            const std::vector<base::Index> asked = someVoxels(whole.map.value.extents());
            const auto outcome = reduced(ready, {minScore, partial, asked});
            const std::string words = " for scores from " + std::to_string(minScore) +
                                      (partial ? ", partial ones too" : "");
            std::string fault = outcome.onDevice.reduced ? otherThanMap(outcome, whole, asked)
                                                         : "nothing came back";
            for (const std::int64_t most : {1, 30}) {
                const match::PeakOptions options{.minScore = minScore,
                                                 .maxPeaks = most,
                                                 .partialPeaks = partial,
                                                 .outside = problem.outside,
                                                 .minOverlap = problem.minOverlap};
                const auto all = peaksOf(ready, whole, options);
                if (!fault.empty() || all.empty()) {
                    return (all.empty() ? "no peaks" : fault) + words;
                }
                fault = anyDifference(
                    peaksOf(ready, whole, options, outcome.onDevice.reduced.get()), all);
                if (fault.empty() && judge) {
                    fault = otherPeaks(all, peaksOf(*onProcessor, *judge, options));
                    fault = fault.empty() ? "" : "on the processor: " + fault;
                }
            }
            if (!fault.empty()) {
                return fault + words;
            }
        }
    }
    return {};
}

} // namespace flcc::test
