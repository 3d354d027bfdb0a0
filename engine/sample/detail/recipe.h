#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

namespace flcc::sample::detail {

/// A soft ball (a disc in 2D): `value` inside, 0 outside, with an edge several voxels wide.
struct Ball {
    base::Point centre; ///< relative to the centre of the shape, voxels
    double radius;
    double value;
};

/// Parameters of a sample: scene = light * (background + amplitude * copies + noise).
struct Recipe {
    std::string_view name;
    std::string_view title;
    base::PixelType pixel;
    base::Extents extents;
    base::Extents templ;
    base::Geometry geometry;
    std::vector<Ball> shape;
    double edge; ///< half width of the soft edge, voxels
    int copies;
    double distance;      ///< least distance between the centres of two copies, voxels
    double amplitude;     ///< factor of the shape
    double noiseVariance; ///< in units of the variance of the shape over the template's box
    double backgroundLow; ///< the background varies between backgroundLow and backgroundHigh
    double backgroundHigh;
    double vignette; ///< share of the light that is missing in the farthest corner
    std::uint64_t seed;
    /// Copies are turned, in the plane of a flat scene or in space, and scaled between two factors.
    bool turned = false;
    double smallest = 1;
    double largest = 1;
    std::string_view rotations{}; ///< of SampleInfo
    std::string_view scales{};
    std::string_view mask{};
};

[[nodiscard]] const std::vector<Recipe>& recipes();

} // namespace flcc::sample::detail
