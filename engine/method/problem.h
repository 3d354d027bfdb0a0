#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/method/masked_view.h"
#include "engine/method/on_device.h"
#include "engine/method/operation.h"
#include "engine/method/outside.h"
#include "engine/method/transforms.h"

namespace flcc::method {

/// The placements that a map covers.
enum class Extent {
    Valid, ///< the template lies inside the scene
    Same,  ///< the template's middle voxel lies inside the scene: the map has the scene's extents
    Full   ///< the template and the scene have at least one voxel in common
};

/// How the sums over the support (s1, s2) are computed.
enum class WindowStatistics {
    Auto,   ///< the fastest way that applies
    Box,    ///< window sums; the support must be a box
    Fourier ///< correlations with the support by Fourier transforms, as in the papers
};

/// The arithmetic of the scores. A map in Double also holds its scores as doubles.
enum class Precision { Single, Double };

/// Separability::residual of templates of which it is not known.
inline constexpr double kUnknownResidual = std::numeric_limits<double>::infinity();

/// The residual up to which a template is a constant plus an outer product: 4 units of roundoff.
[[nodiscard]] constexpr double largestResidual(Precision precision) {
    return precision == Precision::Single ? 0x1p-22 : 0x1p-51;
}

/// The residual of the templates of a problem. Residuals are equal if they are within the limits of
/// the same precisions: no plan depends on more.
struct Residual {
    double value = kUnknownResidual;

    constexpr Residual() = default;
    constexpr Residual(double residual) : value(residual) {}
    [[nodiscard]] constexpr bool isWithin(Precision precision) const {
        return value <= largestResidual(precision);
    }
    friend constexpr bool operator==(const Residual& a, const Residual& b) {
        return a.isWithin(Precision::Single) == b.isWithin(Precision::Single) &&
               a.isWithin(Precision::Double) == b.isWithin(Precision::Double);
    }
};

/// A kind of problem: everything that a plan depends on, without pixels. Scenes with equal problems
/// share a plan.
struct Problem {
    Operation operation{}; ///< what is computed for every placement
    Extent extent = Extent::Valid;
    base::Extents scene;
    base::Extents templ;
    base::PixelType scenePixel = base::PixelType::Float32;
    base::PixelType templPixel = base::PixelType::Float32;
    /// Largest bound on the error of a score that is not marked LOWCONF (NUMERICS.md, section 6).
    double promise = 1e-4;
    Precision precision = Precision::Single;
    /// True: scores with a bound above `promise` are recomputed in double. False: they are marked
    /// LOWCONF.
    bool recompute = true;
    Outside outside = Outside::Zero;
    /// Smallest share of the support, 0 to 1, that must lie inside the scene and its mask;
    /// placements with less are NOT_COMPUTED. Used with Outside::Overlap only.
    double minOverlap = 0.5;
    bool mask = false;      ///< the template has a mask that is not all ones
    bool weights = false;   ///< the mask has weights other than 0 and 1; implies `mask`
    bool ownMasks = false;  ///< of a bank: its templates have different masks; implies `mask`
    bool sceneMask = false; ///< the scene has a mask that is not all ones
    WindowStatistics statistics = WindowStatistics::Auto;
    /// Number of templates, all of extents `templ` and type `templPixel`, that one run searches
    /// for. More than one are a bank.
    int templates = 1;
    bool searchSums = false; ///< of a bank: sums over the scores of all templates are kept too
    Residual residual{};     ///< the largest Separability::residual of the templates
    ProblemOnDevice onDevice{};

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Extents of the map of `problem`: n - m + 1 (Valid), n (Same) or n + m - 1 (Full) on each axis,
/// for a scene of n and a template of m voxels. **Errors**: Problem when the template is larger
/// than the scene.
[[nodiscard]] inline base::Extents mapExtents(const Problem& problem) {
    const base::Extents valid = base::validExtents(problem.scene, problem.templ);
    const base::Extents& n = problem.scene;
    const base::Extents& m = problem.templ;
    return problem.extent == Extent::Valid ? valid
           : problem.extent == Extent::Same
               ? n
               : base::Extents{n.x + m.x - 1, n.y + m.y - 1, n.z + m.z - 1};
}

/// The scene voxel under the template's first voxel in the placement of map voxel (0, 0, 0): 0
/// (Valid), -floor(m/2) (Same) or -(m - 1) (Full) on each axis.
[[nodiscard]] inline base::Index firstPlacement(const Problem& problem) {
    const base::Extents& m = problem.templ;
    return problem.extent == Extent::Valid  ? base::Index{0, 0, 0}
           : problem.extent == Extent::Same ? base::Index{-(m.x / 2), -(m.y / 2), -(m.z / 2)}
                                            : base::Index{1 - m.x, 1 - m.y, 1 - m.z};
}

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

/// The resources that a run may use.
struct Limits {
    int threads = 1; ///< makePlan() takes 0 for those of its pool; nothing else does
    /// Bytes of host memory that a run may take beyond the scene, including map and statuses.
    std::int64_t memoryBytes = INT64_MAX;
    LimitsOnDevice onDevice{};
    Transforms transforms = Transforms::Auto; ///< the only ones that candidates may use
};

/// Statistics of a scene's pixels, used to predict times. A plan's key holds coarse classes of
/// them.
/// **Units**: those of the scene's values.
struct SceneStatistics {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    std::int64_t nonFinite = 0; ///< voxels that are NaN or Inf
    /// 1st percentile of the standard deviations of panels on a coarse grid.
    double lowContrast = 0;
    /// Share of the panels of that grid whose voxels are all equal.
    double flatShare = 0;
    /// maximum - minimum, divided by the quantum: the largest power of two of which the voxels are
    /// multiples, judged by the first row of each panel of that grid. Small for images of few bits,
    /// even if they are stored as floats.
    double steps = 0;
    /// The placements nearest to the panels of that grid with the lowest standard deviations above
    /// 0, lowest first, at most 64.
    std::vector<base::Index> lowest;
    /// An upper bound on the sum of squared differences of all voxels to their mean, and a lower
    /// bound on that of every panel. Both are 0 where they are not known: for a template shorter
    /// than a quarter of the scene along an axis, a mask, or a voxel that is not finite.
    double energy = 0;
    double leastEnergy = 0;
    /// A lower bound on `steps` of each template, from addTemplates(); 0 where it is not known.
    double templSteps = 0;
};

/// Computes the statistics of the voxels inside the scene's mask. `templ` sets the size of the
/// panels of the coarse grid. **Threads**: `stop` is checked in every row; once it is requested,
/// the result is unspecified. **Cost**: two reads of the scene at most, three for a large template.
[[nodiscard]] SceneStatistics sceneStatistics(const MaskedView& scene, const base::Extents& templ,
                                              const std::stop_token& stop = {});

/// Adds what predictions use of the templates' pixels to the statistics of a scene.
void addTemplates(const std::vector<MaskedView>& templates, SceneStatistics& statistics);

/// K of NUMERICS.md, section 3, that predictions assume: that of panels with the standard deviation
/// SceneStatistics::lowContrast.
[[nodiscard]] double predictedK(const SceneStatistics& statistics);

/// An upper bound on K of NUMERICS.md, section 3, over all panels of the scene and all frames;
/// infinity where SceneStatistics::leastEnergy is not known.
[[nodiscard]] double largestK(const SceneStatistics& statistics);

} // namespace flcc::method
