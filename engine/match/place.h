#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/method/canonical.h"
#include "engine/method/masked_view.h"

namespace flcc::match {

/// What gave the place of a peak between voxels, from the best to none.
enum class PlacedBy : std::uint8_t {
    Pixels,  ///< least squares between the template and the scene interpolated between its voxels
    Surface, ///< the top of a quadratic surface through 9 or 27 scores
    Axes,    ///< the vertex of one parabola along each axis
    Voxel    ///< nothing: the voxel of the best score
};
[[nodiscard]] std::string_view name(PlacedBy placedBy);

/// A place between voxels, from the voxel of the best score.
struct Place {
    base::Point shift{0, 0, 0};     ///< voxels
    base::Point curvature{0, 0, 0}; ///< second difference of the score along each axis
    /// Standard error of the shift, voxels; of Pixels alone. Where the scene differs from the
    /// template by what is not independent from voxel to voxel, it is too small.
    std::optional<base::Point> error{};
    PlacedBy by = PlacedBy::Voxel;
};

/// The score beside a placement by whole voxels; empty where there is none.
using ScoreBeside = std::function<std::optional<double>(const base::Index& by)>;

/// The place of a template near the placement `corner`, which has `score`, no neighbour a higher
/// one. An axis along which one neighbour has no score gets no shift. With `usesPixels`
/// (OperationTraits::refinesByPixels) by Pixels where the template is found within a voxel, else by
/// Surface; then by Axes, within half a voxel. NUMERICS.md, section 8, gives the errors of each.
/// Signs of `beside` are such that the largest score is best. **Cost**: 4 or 6 scores, then about 5
/// samples of the scene for each voxel of the template, or 4 or 20 more scores.
[[nodiscard]] Place placeOf(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
                            const base::Index& corner, double score, const ScoreBeside& beside,
                            bool usesPixels);

} // namespace flcc::match
