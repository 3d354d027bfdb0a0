#pragma once

#include <cstdint>

#include "engine/base/host_device.h"
#include "engine/cuda/kernels/block_launch.h"
#include "engine/method/shared/box_score.h"
#include "engine/method/shared/direct_block.h"
#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/tile_frame.h"

namespace flcc::cuda {

/// Direction and precision of a transform.
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
/// A transform, in place, of `batch` equal tiles that follow each other in memory. Forward, a row
/// of rowValues(points) real values, of which the first points.x count, becomes a row of a half
/// spectrum. Back, the result is not scaled.
struct TransformShape {
    TransformKind kind = TransformKind::Forward;
    base::Extents points;
    std::int64_t batch = 1;
};

/// Number of real values from one row of a tile to the next: as many as a row of its half spectrum
/// has.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowValues(const base::Extents& points) {
    return 2 * (points.x / 2 + 1);
}
/// Number of real values of a tile.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t tileValues(const base::Extents& points) {
    return rowValues(points) * points.y * points.z;
}

/// What kernels find out about a tile, for kernels that come later.
struct TileFacts {
    method::shared::VoxelRange range;
    method::shared::TileFrame frame;
    method::shared::TileEnergy in; ///< of what goes into the transform
    double boundNumerator = 0;     ///< as BoxConstants::boundNumerator
    // For SupportLaunch:
    std::int64_t inside = 0; ///< voxels inside the scene and its mask
    double norms[4] = {};    ///< Euclidean norm of each SupportInput
};

/// The result of a block for its share of a tile. A later kernel combines the shares.
struct TileShare {
    double values[4] = {};
};

/// The arguments for the tiles of a part of a map that go through transforms. All pointers are in
/// device memory. Tiles are stored with x fastest. Each tile has `points` points and `out`
/// placements; the last tiles along an axis may have fewer placements. Points beyond the scene are
/// 0.
struct TiledLaunch : PartLaunch {
    base::Extents points;
    base::Extents out;
    bool inDouble = false;       ///< data and spectrum are in double, else in float
    void* data = nullptr;        ///< tileValues() for each tile: voxels, then spectrum
    void* product = nullptr;     ///< products, then numerators; `data` if that is not needed later
    void* spectrum = nullptr;    ///< conj(F(That)) / points, a half spectrum
    TileFacts* facts = nullptr;  ///< one for each tile
    TileShare* shares = nullptr; ///< shareCount() for each tile
    PanelSum* first = nullptr;   ///< window sums along x, then z; windowsAlong(1) for each tile
    PanelSum* second = nullptr;  ///< window sums along x and y; windowsAlong(2) for each tile
    method::shared::BoxConstants constants;
    method::shared::TransformErrors errors;
    // Only for Place and Round, which need nothing else but `points`, `templ`, `inDouble` and
    // `spectrum`:
    const double* weights = nullptr; ///< That
    double* placed = nullptr;        ///< tileValues(); may be `spectrum` if that is in double
};

/// The steps of such a launch. The caller transforms `placed` with TransformKind::Double between
/// Place and Round, `data` forward after Load, and `product` back after Multiply. The results of
/// Load and Sums serve all templates of the same extents.
enum class TiledStep : std::int32_t {
    Place,    ///< writes the template's weights to `placed`
    Round,    ///< rounds `placed`, transformed, to `spectrum`
    Load,     ///< writes voxels to `data`, in frames of their tiles; finds energies
    Sums,     ///< sums x and x^2 over all windows
    Multiply, ///< multiplies spectra by that of the template
    Score,    ///< computes scores, statuses and tallies
};

// --- How work is shared out ----------------------------------------------------------------------

/// Number of tiles of a part along each axis.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents tileGrid(const base::Extents& map,
                                                             const base::Extents& out) {
    using method::shared::ceilDivide;
    return {ceilDivide(map.x, out.x), ceilDivide(map.y, out.y), ceilDivide(map.z, out.z)};
}
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t countOf(const base::Extents& extents) {
    return extents.x * extents.y * extents.z;
}

/// Number of rows of a tile that one block reads: a share. Small shares keep all multiprocessors
/// busy with one tile; about 1024 of them are enough, and one block joins their results.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowsOfShare(const base::Extents& points) {
    constexpr std::int64_t kVoxels = 4096;
    constexpr std::int64_t kShares = 1024;
    const std::int64_t share = countOf(points) / kShares;
    const std::int64_t voxels = share < kVoxels ? kVoxels : share;
    return points.x < voxels ? voxels / points.x : 1;
}
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t rowShares(const base::Extents& points) {
    return method::shared::ceilDivide(points.y * points.z, rowsOfShare(points));
}

/// Number of lines, parallel to an axis, whose energies one block finds; several threads share a
/// line.
inline constexpr int kLinesTogether = 32;
/// Number of groups of kLinesTogether lines along x, y and z; 0 along an axis that is not
/// transformed.
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
/// Number of TileShare elements of a tile, enough for the shares of rows and of lines.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t shareCount(const base::Extents& points) {
    const std::int64_t rows = rowShares(points);
    const std::int64_t lines = lineShares(points);
    return rows > lines ? rows : lines;
}

/// Extents of a tile's buffer of window sums along x (`axes` = 1), x and y (2), or all axes (3).
/// `m`: extents of the template.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents windowsAlong(int axes, const base::Extents& out,
                                                                 const base::Extents& m) {
    return {out.x, axes > 1 ? out.y : out.y + m.y - 1, axes > 2 ? out.z : out.z + m.z - 1};
}

/// Number of windows along an axis that one thread sums: whole runs of the template's length
/// `width`.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t windowsOfThread(std::int64_t width) {
    constexpr std::int64_t kLeast = 16;
    return width < kLeast ? width * (kLeast / width) : width;
}

} // namespace flcc::cuda
