#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/pixels.h"

namespace flcc::match {

/// How many voxels have one value in A and another one in B.
struct ValueChange {
    int a = 0;
    int b = 0;
    std::int64_t voxels = 0;
    friend bool operator==(const ValueChange&, const ValueChange&) = default;
};

/// What the voxels of two images A and B of the same extents have in common.
struct MapComparison {
    bool cancelled = false; ///< nothing else is known
    std::int64_t voxels = 0;
    /// Voxels with |A - B| above the tolerance, with NaN in one image only, or with an infinity
    /// that the other image has not.
    std::int64_t differing = 0;
    std::int64_t nanBoth = 0; ///< NaN in both counts as equal
    std::int64_t nanOnlyA = 0;
    std::int64_t nanOnlyB = 0;
    std::int64_t infinite = 0; ///< of `differing`: an infinity in one image only, or of other sign
    /// The largest finite |A - B|, at the first voxel that has it, and both values there.
    double greatest = 0;
    base::Index greatestAt{};
    double a = 0;
    double b = 0;
    /// Of the voxels whose values are finite in both; the first difference is in `greatest`.
    std::int64_t finite = 0;
    double rms = 0;  ///< root of the mean of (A - B)^2
    double mean = 0; ///< of A - B
    /// Pearson's coefficient; empty where one image is constant, and below two voxels.
    std::optional<double> correlation{};
    /// The smallest box that holds all differing voxels.
    std::optional<base::Box> where{};
    /// Of two images of uint8 that hold no values but those of statuses (0 to 5): the pairs of
    /// different values that occur.
    std::vector<ValueChange> changes{};

    [[nodiscard]] bool same() const { return differing == 0; }
};

/// Compares two images voxel by voxel. Values are compared as doubles, where one image holds 64-bit
/// integers as long doubles. **Shapes**: equal extents. **Errors**: Problem for other extents.
/// **Cost**: two passes over both images. Stopped, the result is `cancelled`.
[[nodiscard]] MapComparison compareMaps(const base::AnyView& a, const base::AnyView& b,
                                        double tolerance, const std::stop_token& stop = {});

/// A - B as float32, or as float64 if one image holds more than 24 bits; NaN where one image has
/// NaN. **Shapes**: equal extents. Stopped, the values are unspecified.
[[nodiscard]] base::AnyImage differenceMap(const base::AnyView& a, const base::AnyView& b,
                                           const std::stop_token& stop = {});

} // namespace flcc::match
