#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"
#include "engine/base/status.h"

/// Voxels of a map that are copied back from a device when the device keeps only what a search for
/// peaks needs.
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

} // namespace flcc::method
