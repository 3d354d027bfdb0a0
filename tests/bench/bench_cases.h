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

/// A picture of scikit-image, continued by reflection until it fills `extents`: its bytes as they
/// are or, for UInt16, times 257. Empty when Debian's python3-skimage is not installed.
[[nodiscard]] std::optional<base::AnyImage> picture(base::PixelType type,
                                                    const base::Extents& extents);

/// A head of mricron-data (magnetic resonance, 8 bit) as float32, continued likewise.
[[nodiscard]] std::optional<base::AnyImage> head(const base::Extents& extents);

/// The part of `scene` of `extents` that begins one of `parts` of the way along every axis.
[[nodiscard]] base::AnyImage cut(const base::AnyImage& scene, const base::Extents& extents,
                                 int parts = 3);

/// Noise and a picture of `scene` squared with templates of each of `sizes` squared.
[[nodiscard]] std::vector<Case> squareCases(base::PixelType type, std::int64_t scene,
                                            const std::vector<std::int64_t>& sizes);

/// Noise and a head of `scene` cubed, float32, with a template of `size` cubed.
[[nodiscard]] std::vector<Case> volumeCases(std::int64_t scene, std::int64_t size);

/// The rows of the comparison with OpenCV: noise and a picture of 2000x2000 with templates of 8,
/// 16, 32 and 64 squared, and the sample "cells".
[[nodiscard]] std::vector<Case> comparisonCases();

/// Ten problems of all sizes, types and dimensions, for the accuracy of predictions.
[[nodiscard]] std::vector<Case> predictionCases();

} // namespace flcc::bench
