#include "engine/match/list_comparison.h"

#include <algorithm>
#include <cstddef>

namespace flcc::match {

namespace {

/// Positions of a list by their numbers in it, without scores.
struct Part {
    std::vector<ComparedPosition> positions;
    std::vector<std::size_t> numbers;

    void add(const KindPositions& list, std::size_t number) {
        positions.push_back({list.positions[number].centre, {}});
        numbers.push_back(number);
    }
};

template <class Takes> Part partOf(const KindPositions& list, const Takes& takes) {
    Part part;
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        if (takes(i)) {
            part.add(list, i);
        }
    }
    return part;
}

} // namespace

Confusion confusionOf(const KindPositions& a, const KindPositions& b,
                      const std::vector<int>& speciesOf, const ComparisonOptions& options) {
    const auto rows = static_cast<std::size_t>(b.count);
    const auto columns = static_cast<std::size_t>(a.count);
    const auto kindOf = [&](std::size_t i) { return static_cast<std::size_t>(a.kinds[i]); };
    const auto rowOf = [&](std::size_t i) { return static_cast<std::size_t>(b.kinds[i]); };
    Confusion result;
    result.counts.assign(rows + 1, std::vector<std::int64_t>(columns + 1, 0));
    std::vector<bool> usedA(a.positions.size(), false);
    std::vector<bool> usedB(b.positions.size(), false);
    const auto count = [&](const Part& of, const Part& with) {
        const ListComparison found = compareLists(of.positions, with.positions, options);
        for (const MatchedPair& pair : found.pairs) {
            const std::size_t i = of.numbers[static_cast<std::size_t>(pair.a)];
            const std::size_t j = with.numbers[static_cast<std::size_t>(pair.b)];
            usedA[i] = true;
            usedB[j] = true;
            ++result.counts[rowOf(j)][kindOf(i)];
        }
        return static_cast<std::int64_t>(found.pairs.size());
    };
    for (int species = 0; species < b.count; ++species) {
        const Part own = partOf(a, [&](std::size_t i) { return speciesOf[kindOf(i)] == species; });
        const Part truth = partOf(b, [&](std::size_t i) { return b.kinds[i] == species; });
        const auto present = static_cast<std::int64_t>(truth.numbers.size());
        const std::int64_t matched = count(own, truth);
        result.present.push_back(present);
        result.species.push_back(
            pointOf(0, static_cast<std::int64_t>(own.numbers.size()), matched, present));
        bool searched = false;
        for (const int each : speciesOf) {
            searched = searched || each == species;
        }
        if (searched && present > 0) {
            result.f4 += result.species.back().f4;
            ++result.scored;
        }
    }
    result.f4 /= std::max(result.scored, 1);
    count(partOf(a, [&](std::size_t i) { return !usedA[i]; }),
          partOf(b, [&](std::size_t i) { return !usedB[i]; }));
    for (std::size_t i = 0; i < usedA.size(); ++i) {
        result.counts[rows][kindOf(i)] += usedA[i] ? 0 : 1;
    }
    for (std::size_t i = 0; i < usedB.size(); ++i) {
        result.counts[rowOf(i)][columns] += usedB[i] ? 0 : 1;
    }
    return result;
}

} // namespace flcc::match
