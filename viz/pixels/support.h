#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/match/colour_map.h"
#include "viz/scene.h"

namespace flcc::viz::detail {

/// The voxels of a scene or a template that are used; voxels where it is 0 are ignored.
using Support = std::shared_ptr<const base::Image<std::uint8_t>>;

// Ignored voxels of the scene are bluish, so that they differ from every grey of the scene.
inline constexpr match::Colour kOutside{52, 58, 96};
inline constexpr double kOutsideOpacity = 0.6;

// Ignored voxels of the template stay visible through the shade.
inline constexpr match::Colour kTemplateShade{12, 13, 15};
inline constexpr double kTemplateShadeOpacity = 0.59;

/// The opacity of the shade over a voxel of a template's support; see
/// SliceScene::setTemplateSupport().
[[nodiscard]] inline double shadeOf(std::uint8_t support) {
    const double weight = support < 2 ? support : (support - 1) / 255.0;
    return kTemplateShadeOpacity * (1 - weight);
}

/// The voxels under a peak's template; the corner is rounded to the nearest voxel.
[[nodiscard]] inline base::Box voxelsUnder(const PeakMark& peak) {
    // Halves are rounded up, so that no voxel is hit twice.
    const auto first = [](double centre, std::int64_t length) {
        return static_cast<std::int64_t>(
            std::floor(centre - static_cast<double>(length - 1) / 2 + 0.5));
    };
    const base::Extents& e = peak.templ;
    return {{first(peak.centre[0], e.x), first(peak.centre[1], e.y), first(peak.centre[2], e.z)},
            e};
}

} // namespace flcc::viz::detail
