#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/method/masked_view.h"
#include "engine/method/on_device.h"
#include "engine/method/outside.h"

namespace flcc::method {

/// What is computed for every placement.
enum class Operation { Lcc };

/// Which placements a map covers (METHODS 1): those inside the scene, those whose middle is a voxel
/// of the scene, all that touch it.
enum class Extent { Valid, Same, Full };

/// How the sums under the support are taken: by what is fastest, by window sums, which need a
/// support that is a box, or by correlations with the support, the form of the papers.
enum class WindowStatistics { Auto, Box, Fourier };

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
    Outside outside = Outside::Zero;
    /// With Outside::Overlap: a placement with a smaller share of the support inside is
    /// NOT_COMPUTED. 0 to 1.
    double minOverlap = 0.5;
    /// The template, the scene come with a mask that is not all ones.
    bool mask = false;
    bool sceneMask = false;
    WindowStatistics statistics = WindowStatistics::Auto;
    /// Templates of these extents and this pixel type that are searched for at once; more than one
    /// are a bank.
    int templates = 1;
    ProblemOnDevice onDevice{};

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Extents of the map of `problem`. **Errors**: Problem when the template is larger than the scene.
[[nodiscard]] inline base::Extents mapExtents(const Problem& problem) {
    const base::Extents valid = base::validExtents(problem.scene, problem.templ);
    const base::Extents& n = problem.scene;
    const base::Extents& m = problem.templ;
    return problem.extent == Extent::Valid ? valid
           : problem.extent == Extent::Same
               ? n
               : base::Extents{n.x + m.x - 1, n.y + m.y - 1, n.z + m.z - 1};
}

/// The scene voxel that the first voxel of the template lies on in the placement of map voxel 0:
/// 0, -floor(m/2) or -(m-1) on each axis (METHODS 1).
[[nodiscard]] inline base::Index firstPlacement(const Problem& problem) {
    const base::Extents& m = problem.templ;
    return problem.extent == Extent::Valid  ? base::Index{0, 0, 0}
           : problem.extent == Extent::Same ? base::Index{-(m.x / 2), -(m.y / 2), -(m.z / 2)}
                                            : base::Index{1 - m.x, 1 - m.y, 1 - m.z};
}

[[nodiscard]] constexpr std::string_view name(Operation) { return "lcc"; }
[[nodiscard]] constexpr std::string_view name(Extent extent) {
    return extent == Extent::Valid ? "valid" : extent == Extent::Same ? "same" : "full";
}
[[nodiscard]] constexpr std::string_view name(Outside outside) {
    return outside == Outside::Zero ? "zero" : outside == Outside::Eibl ? "eibl" : "overlap";
}
[[nodiscard]] constexpr std::string_view name(WindowStatistics statistics) {
    return statistics == WindowStatistics::Auto  ? "auto"
           : statistics == WindowStatistics::Box ? "box"
                                                 : "fourier";
}
[[nodiscard]] constexpr std::string_view name(Precision precision) {
    return precision == Precision::Single ? "single" : "double";
}

/// What a run may use.
struct Limits {
    int threads = 1;
    /// Host bytes a run may take beyond the scene it is given, map and status included.
    std::int64_t memoryBytes = INT64_MAX;
    LimitsOnDevice onDevice{};
};

/// What is known of a scene's pixels before a plan is made (METHODS 5); no part of a plan's key.
struct SceneStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    std::int64_t nonFinite = 0;
    /// Standard deviation of the panels of a coarse grid: its 1st percentile.
    double lowContrast = 0;
    /// Range of the scene in steps of the largest power of two of which all voxels of the panels'
    /// first rows are multiples: small for pictures of few bits, though they be kept as floats.
    double steps = 0;
    /// First voxels of the placements nearest to the panels of that grid with the lowest contrast
    /// above 0, lowest first, at most 64.
    std::vector<base::Index> lowest;
};

/// Reads every finite voxel inside the scene's mask once. `templ` sets the size of the panels of
/// the coarse grid. Stopped, which is looked for in every row, it returns what means nothing.
[[nodiscard]] SceneStatistics sceneStatistics(const MaskedView& scene, const base::Extents& templ,
                                              const std::stop_token& stop = {});

/// K of METHODS 2.2 at the 1st-percentile contrast of a scene, for predictions.
[[nodiscard]] double predictedK(const SceneStatistics& statistics);

} // namespace flcc::method
