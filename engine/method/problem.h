#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"

namespace flcc::method {

/// What is computed for every placement.
enum class Operation { Lcc };

/// Which placements a map covers (METHODS 1).
enum class Extent { Valid };

/// The arithmetic scores are computed in. Double also gives the map in double.
enum class Precision { Single, Double };

/// A kind of problem: all that a plan depends on, and no pixel (METHODS 5).
struct Problem {
    Operation operation = Operation::Lcc;
    Extent extent = Extent::Valid;
    base::Extents scene;
    base::Extents templ;
    base::PixelType scenePixel = base::PixelType::Float32;
    base::PixelType templPixel = base::PixelType::Float32;
    /// Largest error of a score that is not marked LOWCONF.
    double promise = 1e-4;
    Precision precision = Precision::Single;
    /// What breaks the promise is computed again in double (METHODS 2.2); else it is LOWCONF.
    bool recompute = true;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Extents of the map of `problem`. **Errors**: Problem when the template is larger than the scene.
[[nodiscard]] inline base::Extents mapExtents(const Problem& problem) {
    return base::validExtents(problem.scene, problem.templ);
}

[[nodiscard]] constexpr std::string_view name(Operation) { return "lcc"; }
[[nodiscard]] constexpr std::string_view name(Extent) { return "valid"; }
[[nodiscard]] constexpr std::string_view name(Precision precision) {
    return precision == Precision::Single ? "single" : "double";
}

/// What a run may use.
struct Limits {
    int threads = 1;
    /// Host bytes a run may take beyond the scene it is given, map and status included.
    std::int64_t memoryBytes = INT64_MAX;
};

/// What is known of a scene's pixels before a plan is made (METHODS 5); no part of a plan's key.
struct SceneStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    std::int64_t nonFinite = 0;
    /// Standard deviation of the panels of a coarse grid: its 1st percentile.
    double lowContrast = 0;
    /// First voxels of the placements nearest to the panels of that grid with the lowest contrast
    /// above 0, lowest first, at most 64.
    std::vector<base::Index> lowest;
};

/// Reads every finite voxel once. `templ` sets the size of the panels of the coarse grid. Stopped,
/// which is looked for in every row, it returns what means nothing.
[[nodiscard]] SceneStatistics sceneStatistics(const base::AnyView& scene,
                                              const base::Extents& templ,
                                              const std::stop_token& stop = {});

} // namespace flcc::method
