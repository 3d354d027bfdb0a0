#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"
#include "engine/base/status.h"

/// What a device copies back of a map when it keeps only what a search for peaks needs: voxels, and
/// sums of scores.
namespace flcc::method {

/// A voxel that may be a peak: no neighbour in its part of the map is certainly higher.
struct KeptVoxel {
    double value = 0;        ///< score; of a float map a float
    std::uint32_t at = 0;    ///< index in its part of the map, x fastest
    std::uint32_t marks = 0; ///< neighbourMark() of neighbours that may be as high, and the status
};

inline constexpr std::uint32_t kNeighbourMarks = (1U << 27) - 1; ///< bits of all neighbourMark()
inline constexpr int kStatusMark = 28;                           ///< first bit of the status
/// Set in a bank while LOWCONF scores of some templates still have to be recomputed and merged. The
/// value and status are then those of the best of the other templates.
inline constexpr std::uint32_t kOpenMark = 1U << 31;

/// The bit of the neighbour at the offset (dx, dy, dz), each -1, 0 or 1.
[[nodiscard]] FLCC_HOST_DEVICE constexpr std::uint32_t
neighbourMark(std::int64_t dx, std::int64_t dy, std::int64_t dz) {
    return 1U << static_cast<unsigned>(13 + dx + 3 * dy + 9 * dz);
}

[[nodiscard]] FLCC_HOST_DEVICE constexpr base::Status statusOf(const KeptVoxel& voxel) {
    return static_cast<base::Status>((voxel.marks & ~kOpenMark) >> kStatusMark);
}
[[nodiscard]] FLCC_HOST_DEVICE constexpr std::uint32_t marksOf(base::Status status,
                                                               std::uint32_t neighbours) {
    return static_cast<std::uint32_t>(status) << kStatusMark | neighbours;
}

/// The unit in which scores are summed. Rounding to it is far below the rounding of a float, and
/// sums of 8192 scores in it are exact in double, so they do not depend on the order (NUMERICS.md,
/// section 9).
inline constexpr double kScoreUnit = 0x1p-40;

/// `value` in kScoreUnit, rounded to a whole number. |value| must be at most 2^11.
[[nodiscard]] FLCC_HOST_DEVICE inline double inScoreUnits(double value) {
    constexpr double kWhole = 0x1.8p52; // doubles of this size are whole numbers
    return (value * 0x1p40 + kWhole) - kWhole;
}

} // namespace flcc::method
