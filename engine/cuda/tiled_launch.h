#pragma once

#include <cstdint>

#include "engine/base/host_device.h"
#include "engine/cuda/block_launch.h"
#include "engine/method/shared/box_score.h"
#include "engine/method/shared/direct_block.h"
#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/tile_frame.h"

namespace flcc::cuda {

/// A transform of `batch` equal tiles that follow each other, in place: real rows of
/// rowValues(points) values, of which points.x count, become half spectra, and back without
/// scaling.
enum class TransformKind : std::int32_t {
    Forward,       ///< real to complex, single precision
    Inverse,       ///< complex to real, single precision
    Double,        ///< real to complex, double precision
    DoubleInverse, ///< complex to real, double precision
};
[[nodiscard]] constexpr bool isForward(TransformKind kind) {
    return kind == TransformKind::Forward || kind == TransformKind::Double;
}
[[nodiscard]] constexpr bool isDouble(TransformKind kind) {
    return kind == TransformKind::Double || kind == TransformKind::DoubleInverse;
}
struct TransformShape {
    TransformKind kind = TransformKind::Forward;
    base::Extents points;
    std::int64_t batch = 1;
};

/// Values from row to row of a tile: those of a half spectrum's row.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowValues(const base::Extents& points) {
    return 2 * (points.x / 2 + 1);
}
/// Values of a tile.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t tileValues(const base::Extents& points) {
    return rowValues(points) * points.y * points.z;
}

/// What is known of a tile.
struct TileFacts {
    method::shared::VoxelRange range;
    method::shared::TileFrame frame;
    method::shared::TileEnergy in;
    double boundNumerator = 0; ///< BoxConstants
    // Of tiles that are no plain boxes:
    std::int64_t inside = 0; ///< voxels inside the scene and its mask
    double norms[4] = {};    ///< Euclidean norms of what was loaded, see SupportInput
};

/// What a block says of its share of a tile, for another one to put together.
struct TileShare {
    double values[4] = {};
};

/// Tiles of a part of a map that go through transforms (METHODS 3.3), all pointers in the memory of
/// the device. Tiles lie x fastest; all have `points` points and `out` placements, those at the end
/// of the part fewer. What a tile has beyond the scene is 0.
struct TiledLaunch : PartLaunch {
    base::Extents points;
    base::Extents out;
    bool inDouble = false;       ///< data and spectrum are in double, else in float
    void* data = nullptr;        ///< of every tile: voxels, then spectrum; tileValues() each
    void* product = nullptr;     ///< products and numerators; `data` where nothing else needs that
    void* spectrum = nullptr;    ///< conj(F(That)) / points, a half spectrum
    TileFacts* facts = nullptr;  ///< of every tile
    TileShare* shares = nullptr; ///< shareCount() of every tile
    PanelSum* first = nullptr;   ///< sums along x; windowCount() of every tile
    PanelSum* second = nullptr;  ///< those along y too
    method::shared::BoxConstants constants;
    method::shared::TransformErrors errors;
    // To make the spectrum, `templ` alone is needed beside these:
    const double* weights = nullptr; ///< That
    double* placed = nullptr;        ///< tileValues(); may be `spectrum` where that is in double
};

/// What a device is asked to do with such a launch. Forward transforms come after Load, inverse
/// ones of `product` after Multiply; Twofold between Place and Round. What Load and Sums leave
/// serves several templates of the same extents.
enum class TiledStep : std::int32_t {
    Place,    ///< the template's weights into `placed`
    Round,    ///< `placed`, transformed, into `spectrum`
    Load,     ///< the voxels of the tiles, in their frames, and their energies
    Sums,     ///< sums of x and x^2 over all windows
    Multiply, ///< spectra by that of the template
    Score,    ///< numerators and sums to scores, statuses and tallies
};

// --- How work is shared out ----------------------------------------------------------------------

/// Tiles of a part along each axis.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents tileGrid(const base::Extents& map,
                                                             const base::Extents& out) {
    using method::shared::ceilDivide;
    return {ceilDivide(map.x, out.x), ceilDivide(map.y, out.y), ceilDivide(map.z, out.z)};
}
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t countOf(const base::Extents& extents) {
    return extents.x * extents.y * extents.z;
}

/// Rows of a tile that one block reads.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowsOfShare(const base::Extents& points) {
    constexpr std::int64_t kVoxels = 32768;
    return points.x < kVoxels ? kVoxels / points.x : 1;
}
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowShares(const base::Extents& points) {
    return method::shared::ceilDivide(points.y * points.z, rowsOfShare(points));
}

/// Lines parallel to an axis whose energies one block finds; several threads share a line.
inline constexpr int kLinesTogether = 32;
/// Groups of lines along x, y and z; none along an axis that is not transformed.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents lineGroups(const base::Extents& points) {
    const auto groups = [&](std::int64_t length) {
        return length > 1 ? method::shared::ceilDivide(countOf(points) / length, kLinesTogether)
                          : std::int64_t{0};
    };
    return {groups(points.x), groups(points.y), groups(points.z)};
}
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t lineShares(const base::Extents& points) {
    const base::Extents groups = lineGroups(points);
    return groups.x + groups.y + groups.z;
}
/// Shares of a tile that there must be room for.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t shareCount(const base::Extents& points) {
    const std::int64_t rows = rowShares(points);
    const std::int64_t lines = lineShares(points);
    return rows > lines ? rows : lines;
}

/// Window sums of a tile along one axis, two and three: extents of each buffer.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents windowsAlong(int axes, const base::Extents& out,
                                                                 const base::Extents& m) {
    return {out.x, axes > 1 ? out.y : out.y + m.y - 1, axes > 2 ? out.z : out.z + m.z - 1};
}

/// Windows that one thread makes the sums of along an axis: whole runs of the template's length.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t windowsOfThread(std::int64_t width) {
    constexpr std::int64_t kLeast = 16;
    return width < kLeast ? width * (kLeast / width) : width;
}

} // namespace flcc::cuda
