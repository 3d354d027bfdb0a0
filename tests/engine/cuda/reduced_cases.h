#pragma once

#include <string>
#include <vector>

#include "engine/match/peaks.h"
#include "tests/support/scenes.h"

namespace flcc::test {

/// A scene and a template, as images.
struct ReducedCase {
    base::AnyImage scene;
    base::AnyImage templ;

    [[nodiscard]] base::AnyView sceneView() const { return base::viewOf(scene); }
    [[nodiscard]] base::AnyView templView() const { return base::viewOf(templ); }
};

/// Scenes that a search without the map finds hard, by name; fewer names under sanitizers.
[[nodiscard]] ReducedCase caseOf(const std::string& name);
[[nodiscard]] const std::vector<std::string>& caseNames();

/// A template whose left and right edges have that value.
[[nodiscard]] base::AnyImage withLevelEdges(double level);

/// Voxels here and there, those of corners among them.
[[nodiscard]] std::vector<base::Index> someVoxels(const base::Extents& map);

/// The first difference of two lists in anything; empty without.
[[nodiscard]] std::string anyDifference(const std::vector<match::Peak>& a,
                                        const std::vector<match::Peak>& b);

/// As anyDifference(), but for `status` and `zscore`, which are the run's.
[[nodiscard]] std::string otherPeaks(const std::vector<match::Peak>& a,
                                     const std::vector<match::Peak>& b);

[[nodiscard]] bool same(const match::MapStatistics& a, const match::MapStatistics& b);
[[nodiscard]] bool same(const method::MapFacts& a, const method::MapFacts& b);

} // namespace flcc::test
