#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"

/// How method `direct` on a GPU cuts a map into blocks and a template into pieces, and how long the
/// resulting chains of roundings are, which the bounds need.
namespace flcc::method::shared {

/// Outputs of a block, which is one slice deep, and its threads. Each thread computes kBlockOwn
/// rows of one column.
inline constexpr int kBlockWidth = 64;
inline constexpr int kBlockHeight = 16;
inline constexpr int kBlockOwn = 8;
inline constexpr int kBlockThreads = kBlockWidth * kBlockHeight / kBlockOwn;

/// Columns and most rows of a piece of the template. A piece of 256 voxels keeps the sum of its
/// products of 8-bit integers exact in float.
inline constexpr int kPieceColumns = 16;
inline constexpr int kPieceRows = 16;
/// Columns and rows of a piece in double, of which half as many each way fit into a block's memory.
inline constexpr int kDoublePiece = 8;
/// Columns of a piece that share one accumulator, which is then added to the piece's sum.
inline constexpr int kPieceGroup = 2;

/// Rows of the pieces of a template of `height` rows: fewer where that wastes fewer rows of zeros.
[[nodiscard]] FLCC_HOST_DEVICE constexpr int pieceRows(std::int64_t height, bool inDouble = false) {
    return !inDouble && (height % kPieceRows == 0 || height % kPieceRows > kPieceRows / 2)
               ? kPieceRows
               : kDoublePiece;
}
[[nodiscard]] FLCC_HOST_DEVICE constexpr int pieceColumns(bool inDouble = false) {
    return inDouble ? kDoublePiece : kPieceColumns;
}

[[nodiscard]] FLCC_HOST_DEVICE constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Blocks of a map along each axis.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Extents blockGrid(const base::Extents& map) {
    return {ceilDivide(map.x, kBlockWidth), ceilDivide(map.y, kBlockHeight), map.z};
}

/// First voxel of block number `block` in a grid of blockGrid(); blocks are counted x fastest.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Index blockCorner(std::int64_t block,
                                                              const base::Extents& grid) {
    return {block % grid.x * kBlockWidth, block / grid.x % grid.y * kBlockHeight,
            block / (grid.x * grid.y)};
}

/// Number of pieces of a template of extents `m`.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t pieceCount(const base::Extents& m,
                                                              bool inDouble = false) {
    return ceilDivide(m.x, pieceColumns(inDouble)) * ceilDivide(m.y, pieceRows(m.y, inDouble)) *
           m.z;
}

/// Most roundings that one product of a numerator passes through: those of its accumulator, those
/// of its piece's sum, and the conversion to double. Pieces are added in double, so their sum
/// counts only if the whole run is in double. L of NUMERICS.md, section 5.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t blockChain(const base::Extents& m,
                                                              bool inDouble = false) {
    const std::int64_t columns = m.x < pieceColumns(inDouble) ? m.x : pieceColumns(inDouble);
    const std::int64_t rows = m.y < pieceRows(m.y, inDouble) ? m.y : pieceRows(m.y, inDouble);
    const std::int64_t together = columns < kPieceGroup ? columns : kPieceGroup;
    return together * rows + ceilDivide(columns, kPieceGroup) +
           (inDouble ? pieceCount(m, true) : 1);
}

/// Most additions, in double, that one voxel passes through in the window sums: along y, along x,
/// and two for each piece.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t sumChain(const base::Extents& m,
                                                            bool inDouble = false) {
    return kPieceRows + kPieceColumns + 2 + 2 * pieceCount(m, inDouble);
}

} // namespace flcc::method::shared
