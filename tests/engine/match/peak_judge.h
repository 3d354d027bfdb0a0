#pragma once

#include <string>
#include <vector>

#include "engine/match/peaks.h"

namespace flcc::test {

/// A map as a method would leave it.
struct MapOf {
    method::MatchMap map;
    method::MapFacts facts;
};

/// The map of the canonical scores, off by `error(i)` times `bound` with error in [-1, 1]; voxels
/// without a value as the definition says.
[[nodiscard]] MapOf mapWithErrors(const base::AnyView& scene, const base::AnyView& templ,
                                  double bound, std::uint64_t seed);

/// The map as findPeaks takes it; must live as long.
[[nodiscard]] match::SearchedMap searchedMap(const method::MaskedView& templ, const MapOf& map);

[[nodiscard]] std::vector<match::Peak> peaksOf(const base::AnyView& scene,
                                               const base::AnyView& templ, const MapOf& map,
                                               const match::PeakOptions& options);

/// A place and its score.
struct Place {
    base::Index corner;
    double score = 0;
    int templ = 0;
};

/// The list by its definition: the canonical score of every placement, whole plateaus, sorted,
/// greedily suppressed.
[[nodiscard]] std::vector<Place> judgedPeaks(const base::AnyView& scene, const base::AnyView& templ,
                                             const match::PeakOptions& options);

/// Templates of one extent and their numbers.
struct JudgedBank {
    std::vector<base::AnyView> templates;
    std::vector<int> numbers;
};
/// Likewise of several banks: the best canonical score of every placement of each, all in one list.
[[nodiscard]] std::vector<Place> judgedPeaks(const base::AnyView& scene,
                                             const std::vector<JudgedBank>& banks,
                                             const match::PeakOptions& options);

/// The first difference, in words; empty when corners and scores agree in every bit.
[[nodiscard]] std::string firstDifference(const std::vector<match::Peak>& peaks,
                                          const std::vector<Place>& judged);

/// As above for two lists, with shifts, curvatures, rivals and bounds.
[[nodiscard]] std::string firstDifference(const std::vector<match::Peak>& a,
                                          const std::vector<match::Peak>& b);

} // namespace flcc::test
