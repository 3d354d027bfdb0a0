#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"

namespace flcc::search::detail {

/// Cells of a row from `from` up to but not `to`.
struct Run {
    std::int32_t row = 0;
    std::int32_t from = 0;
    std::int32_t to = 0;
};
using Runs = std::vector<Run>;

/// How many pixels of each cell of the box of a template count.
struct CellCounts {
    std::int64_t edge = 1;
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    std::vector<std::int32_t> counts;

    /// Of a cell anywhere; 0 outside of the box.
    [[nodiscard]] std::int32_t at(std::int64_t x, std::int64_t y) const {
        return x < 0 || y < 0 || x >= columns || y >= rows
                   ? 0
                   : counts[static_cast<std::size_t>(y * columns + x)];
    }
};

/// `support`: without voxels if all pixels count.
[[nodiscard]] CellCounts countsOf(const base::Extents& box,
                                  const base::View<const std::uint8_t>& support, std::int64_t edge);
[[nodiscard]] CellCounts pooled(const CellCounts& small);

/// For each row of cells the run that holds all cells with a pixel that counts.
[[nodiscard]] Runs touched(const CellCounts& counts);
/// Runs that hold these cells moved right and down by -`before` .. `after` cells.
[[nodiscard]] Runs widened(const Runs& runs, std::int32_t before, std::int32_t after);
/// The cells all of whose pixels count, whichever pixel from 0 to `edge` - 1 the template is moved
/// right and down by.
[[nodiscard]] Runs alwaysInside(const CellCounts& counts);
/// Runs that hold both; the cells that both have.
[[nodiscard]] Runs unionOf(const Runs& a, const Runs& b);
[[nodiscard]] Runs commonOf(const Runs& a, const Runs& b);

[[nodiscard]] std::int64_t cellsOf(const Runs& runs);

} // namespace flcc::search::detail
