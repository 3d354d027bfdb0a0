#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <variant>
#include <vector>

#include "engine/base/image.h"
#include "engine/rotation/turn.h"

namespace flcc::search::detail {

/// Cells of a row from `from` up to but not `to`.
struct Run {
    std::int32_t row = 0;
    std::int32_t from = 0;
    std::int32_t to = 0;
};
using Runs = std::vector<Run>;

/// Calls `use` for the runs of pixels of a flat member that count: values, length, and the place of
/// the first.
template <class Use> void forRuns(const rotation::TurnedTemplate& member, const Use& use) {
    const base::View<const std::uint8_t> support = member.support.view();
    const base::Extents& n = support.extents();
    std::visit(
        [&](const auto& image) {
            for (std::int64_t y = 0; y < n.y; ++y) {
                const auto* const row = image.view().row(y, 0);
                const std::uint8_t* const in = support.row(y, 0);
                const std::uint8_t* const end = in + n.x;
                const auto next = [end](const std::uint8_t* from, int value) {
                    const void* const found =
                        std::memchr(from, value, static_cast<std::size_t>(end - from));
                    return found == nullptr ? end : static_cast<const std::uint8_t*>(found);
                };
                for (const std::uint8_t* from = next(in, 1); from != end;) {
                    const std::uint8_t* const to = next(from, 0);
                    use(row + (from - in), to - from, from - in, y);
                    from = next(to, 1);
                }
            }
        },
        member.pixels);
}

/// The pixels of a member that count.
struct Scatter {
    std::int64_t count = 0;
    double mean = 0;
    double rest = 0;    ///< what the rounding of the mean leaves of it
    double squares = 0; ///< of the distances from the mean
};
[[nodiscard]] Scatter scatterOf(const rotation::TurnedTemplate& member);

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

/// Of a member whose box lies in `box`, `shift` from its first pixel.
[[nodiscard]] CellCounts countsOf(const base::Extents& box, const rotation::TurnedTemplate& member,
                                  const base::Index& shift, std::int64_t edge);
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
