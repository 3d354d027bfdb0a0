#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/pixels.h"

namespace flcc::bench {

/// A scene and a template cut from it, or planted in it.
struct Case {
    std::string name; ///< "noise 2000x2000"
    base::AnyImage scene;
    base::AnyImage templ;
};

/// Gaussian noise, mean 100 and deviation 20, converted to `type`; the same for a seed.
[[nodiscard]] base::AnyImage noise(base::PixelType type, const base::Extents& extents,
                                   std::uint32_t seed);

/// A picture of scikit-image as float32, continued by reflection until it fills `extents`; empty
/// when Debian's python3-skimage is not installed.
[[nodiscard]] std::optional<base::Image<float>> picture(const base::Extents& extents);

/// The part of `scene` of `extents` that begins at a third of the way along every axis.
[[nodiscard]] base::AnyImage cut(const base::AnyImage& scene, const base::Extents& extents);

/// Noise and a picture of `scene` squared, float32, with templates of each of `sizes` squared.
[[nodiscard]] std::vector<Case> squareCases(std::int64_t scene,
                                            const std::vector<std::int64_t>& sizes);

/// The rows of the comparison with OpenCV: noise and a picture of 2000x2000 with templates of 8,
/// 16, 32 and 64 squared, and the sample "cells".
[[nodiscard]] std::vector<Case> comparisonCases();

/// Ten problems of all sizes, types and dimensions, for the accuracy of predictions.
[[nodiscard]] std::vector<Case> predictionCases();

} // namespace flcc::bench
