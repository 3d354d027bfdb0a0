#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"

namespace flcc::search::detail {

/// The scene in square cells of `edge` pixels, aligned to its first pixel, less `level`. Behind the
/// scene, and in a margin of cells about it, the scene is continued by `level`.
struct CellLevel {
    static constexpr std::int64_t kMargin = 4; ///< cells before the first and behind the last one

    std::int64_t edge = 1;
    std::int64_t columns = 0; ///< with margins
    std::int64_t rows = 0;
    std::vector<float> means; ///< of each cell; kPadding zeros behind the last one
    std::vector<float> norms; ///< of the pixels of each cell about its mean; as `means`
    static constexpr std::int64_t kPadding = 16;
    /// Sums over the cells of a row before a cell: of pixels, of their squares, of the squares of
    /// their distances from the mean of their cell, and the number of cells that are not constant
    /// or differ from the cell before them.
    struct Sums {
        double pixels = 0;
        double squares = 0;
        double fine = 0;
        double uneven = 0;
    };
    std::vector<Sums> sums; ///< rows of stride(), of which a row has one more than cells
    /// What rounding may add to a sum of squares over a region; 0 of exact sums.
    double slack = 0;
    std::vector<std::uint8_t> constant;

    [[nodiscard]] std::int64_t cell(std::int64_t x, std::int64_t y) const {
        return (y + kMargin) * columns + x + kMargin;
    }
    /// Of a row of `sums`; odd, since rows a power of two apart share their places in caches.
    [[nodiscard]] std::int64_t stride() const { return (columns + 1) | 1; }
    [[nodiscard]] std::int64_t prefix(std::int64_t x, std::int64_t y) const {
        return (y + kMargin) * stride() + x + kMargin;
    }
};

/// The cells of a scene at three edges.
struct SceneCells {
    double level = 0;  ///< near the mean; a whole number for integers
    double energy = 0; ///< sum of squares of all pixels less `level`
    bool finite = true;
    std::vector<CellLevel> levels; ///< of edges e, 2e, 4e
};

/// **Cost**: one pass over the scene. If a value is NaN or Inf, or squares overflow, `finite` is
/// false and the rest is unspecified.
[[nodiscard]] SceneCells cellsOf(const base::AnyView& scene, std::int64_t edge,
                                 base::TilePool& pool);

} // namespace flcc::search::detail
