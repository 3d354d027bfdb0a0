#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/host_device.h"

/// How a device cuts a map into blocks and a template into pieces (METHODS 4.1), and what that
/// means for the bounds.
namespace flcc::method::shared {

/// Outputs of a block, one slice deep, and the threads that share them: each has kBlockOwn rows of
/// one column.
inline constexpr int kBlockWidth = 64;
inline constexpr int kBlockHeight = 16;
inline constexpr int kBlockOwn = 8;
inline constexpr int kBlockThreads = kBlockWidth * kBlockHeight / kBlockOwn;

/// A piece of the template at once: so many columns and at most so many rows. 256 products of bytes
/// are exact in float.
inline constexpr int kPieceColumns = 16;
inline constexpr int kPieceRows = 16;
/// In double, of which a block has room for half as many each way.
inline constexpr int kDoublePiece = 8;
/// Columns of a piece that share an accumulator before it is added to the piece's.
inline constexpr int kPieceGroup = 2;

/// Rows of the pieces of a template: of low ones no row is multiplied in vain.
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

/// Where block `block` of such a grid begins, x fastest.
[[nodiscard]] FLCC_HOST_DEVICE inline base::Index blockCorner(std::int64_t block,
                                                              const base::Extents& grid) {
    return {block % grid.x * kBlockWidth, block / grid.x % grid.y * kBlockHeight,
            block / (grid.x * grid.y)};
}

/// Pieces of a template.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t pieceCount(const base::Extents& m,
                                                              bool inDouble = false) {
    return ceilDivide(m.x, pieceColumns(inDouble)) * ceilDivide(m.y, pieceRows(m.y, inDouble)) *
           m.z;
}

/// Longest chain of roundings of its numerators that a product passes through: its accumulator,
/// those of its piece, and the step to double, in which pieces are added (METHODS 2.2); in double
/// those of the pieces too.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t blockChain(const base::Extents& m,
                                                              bool inDouble = false) {
    const std::int64_t columns = m.x < pieceColumns(inDouble) ? m.x : pieceColumns(inDouble);
    const std::int64_t rows = m.y < pieceRows(m.y, inDouble) ? m.y : pieceRows(m.y, inDouble);
    const std::int64_t together = columns < kPieceGroup ? columns : kPieceGroup;
    return together * rows + ceilDivide(columns, kPieceGroup) +
           (inDouble ? pieceCount(m, true) : 1);
}

/// Longest chain of additions in double of the window sums: along y, along x, two a piece.
[[nodiscard]] FLCC_HOST_DEVICE inline std::int64_t sumChain(const base::Extents& m,
                                                            bool inDouble = false) {
    return kPieceRows + kPieceColumns + 2 + 2 * pieceCount(m, inDouble);
}

} // namespace flcc::method::shared
