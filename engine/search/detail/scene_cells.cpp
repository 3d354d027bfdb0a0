#include "engine/search/detail/scene_cells.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "engine/base/widest.h"

namespace flcc::search::detail {

namespace {

/// Sums over a cell less the level.
struct Cell {
    double sum = 0;
    double squares = 0;
    double fine = 0;
    double least = 0;
    double most = 0;
};

/// Cells of one edge without margins.
struct Plain {
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    std::vector<Cell> cells;
};

double roughMean(const base::AnyView& scene) {
    return std::visit(
        [](const auto& view) {
            using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
            const base::Extents& n = view.extents();
            double sum = 0;
            std::int64_t count = 0;
            for (std::int64_t y = 0; y < n.y; y += 16) {
                for (std::int64_t x = y / 16 % 16; x < n.x; x += 16) {
                    const auto value = static_cast<double>(view.at(x, y, 0));
                    sum += std::isfinite(value) ? value : 0;
                    ++count;
                }
            }
            const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
            return std::is_integral_v<T> ? std::round(mean) : mean;
        },
        scene);
}

/// Adds a row of pixels to the sums of the columns of cells.
template <class T>
void addRow(const T* row, std::int64_t width, std::int64_t edge, double level, Cell* to) {
    for (std::int64_t from = 0, column = 0; from < width; from += edge, ++column) {
        const std::int64_t end = std::min(from + edge, width);
        double sum = 0;
        double squares = 0;
        double least = to[column].least;
        double most = to[column].most;
        for (std::int64_t x = from; x < end; ++x) {
            const double value = static_cast<double>(row[x]) - level;
            sum += value;
            squares += value * value;
            least = std::min(least, value);
            most = std::max(most, value);
        }
        to[column].sum += sum;
        to[column].squares += squares;
        to[column].least = least;
        to[column].most = most;
    }
}

/// The same for 4 bytes of a cell, exactly in integers.
void addBytes(const std::uint8_t* row, std::int64_t width, int level, Cell* to) {
    std::int64_t column = 0;
    for (; 4 * column + 4 <= width; ++column) {
        const std::uint8_t* const at = row + 4 * column;
        const int a = at[0] - level;
        const int b = at[1] - level;
        const int c = at[2] - level;
        const int d = at[3] - level;
        Cell& cell = to[column];
        cell.sum += a + b + c + d;
        cell.squares += a * a + b * b + c * c + d * d;
        cell.least = std::min(cell.least, static_cast<double>(std::min({a, b, c, d})));
        cell.most = std::max(cell.most, static_cast<double>(std::max({a, b, c, d})));
    }
    if (4 * column < width) {
        addRow(row + 4 * column, width - 4 * column, 4, level, to + column);
    }
}

double fineOf(const Cell& cell, std::int64_t edge) {
    const auto count = static_cast<double>(edge * edge);
    return std::max(0.0, cell.squares - cell.sum * cell.sum / count) + 1e-14 * cell.squares;
}

Plain smallestCells(const base::AnyView& scene, std::int64_t edge, double level,
                    base::TilePool& pool) {
    const base::Extents n = base::extentsOf(scene);
    Plain plain{(n.x + edge - 1) / edge, (n.y + edge - 1) / edge, {}};
    plain.cells.resize(static_cast<std::size_t>(plain.columns * plain.rows));
    constexpr std::int64_t kTogether = 16;
    (void)pool.run((plain.rows + kTogether - 1) / kTogether, [&](std::int64_t item, int) {
        const std::int64_t last = std::min(plain.rows, (item + 1) * kTogether);
        for (std::int64_t row = item * kTogether; row < last; ++row) {
            Cell* const to = plain.cells.data() + row * plain.columns;
            const bool whole = (row + 1) * edge <= n.y;
            std::visit(
                [&](const auto& view) {
                    using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
                    for (std::int64_t column = 0; column < plain.columns; ++column) {
                        // The continuation takes part in cells that reach behind the scene.
                        const bool inside = whole && (column + 1) * edge <= n.x;
                        const double first =
                            inside
                                ? static_cast<double>(view.at(column * edge, row * edge, 0)) - level
                                : 0;
                        to[column] = {0, 0, 0, first, first};
                    }
                    base::inWidest([&] {
                        for (std::int64_t y = row * edge; y < std::min(n.y, (row + 1) * edge);
                             ++y) {
                            if constexpr (std::is_same_v<T, const std::uint8_t> ||
                                          std::is_same_v<T, std::uint8_t>) {
                                if (edge == 4) {
                                    addBytes(view.row(y, 0), n.x, static_cast<int>(level), to);
                                    continue;
                                }
                            }
                            addRow(view.row(y, 0), n.x, edge, level, to);
                        }
                    });
                },
                scene);
            for (std::int64_t column = 0; column < plain.columns; ++column) {
                to[column].fine = fineOf(to[column], edge);
            }
        }
    });
    return plain;
}

Plain pooled(const Plain& small, std::int64_t edge) {
    Plain plain{(small.columns + 1) / 2, (small.rows + 1) / 2, {}};
    plain.cells.resize(static_cast<std::size_t>(plain.columns * plain.rows));
    for (std::int64_t y = 0; y < plain.rows; ++y) {
        for (std::int64_t x = 0; x < plain.columns; ++x) {
            Cell& to = plain.cells[static_cast<std::size_t>(y * plain.columns + x)];
            for (std::int64_t part = 0; part < 4; ++part) {
                const std::int64_t column = 2 * x + part % 2;
                const std::int64_t row = 2 * y + part / 2;
                const Cell from =
                    column < small.columns && row < small.rows
                        ? small.cells[static_cast<std::size_t>(row * small.columns + column)]
                        : Cell{};
                to.sum += from.sum;
                to.squares += from.squares;
                to.least = part == 0 ? from.least : std::min(to.least, from.least);
                to.most = part == 0 ? from.most : std::max(to.most, from.most);
            }
            to.fine = fineOf(to, edge);
        }
    }
    return plain;
}

/// The sums and means of one row; returns its sum of squares.
double setRow(CellLevel& level, const Plain& plain, std::int64_t y) {
    constexpr std::int64_t kMargin = CellLevel::kMargin;
    const auto size = static_cast<double>(level.edge * level.edge);
    const bool inside = y >= kMargin && y < kMargin + plain.rows;
    Cell before;
    CellLevel::Sums sums;
    for (std::int64_t x = 0; x < level.columns; ++x) {
        Cell cell;
        if (inside && x >= kMargin && x < kMargin + plain.columns) {
            cell =
                plain.cells[static_cast<std::size_t>((y - kMargin) * plain.columns + x - kMargin)];
        }
        const auto at = static_cast<std::size_t>(y * level.columns + x);
        const auto to = static_cast<std::size_t>(y * level.stride() + x);
        level.means[at] = static_cast<float>(cell.sum / size);
        level.norms[at] = static_cast<float>(std::sqrt(cell.fine) * (1 + 1e-7));
        const bool constant = cell.least == cell.most;
        level.constant[at] = constant ? 1 : 0;
        sums.pixels += cell.sum;
        sums.squares += cell.squares;
        sums.fine += cell.fine;
        const bool same = cell.least == before.least && cell.most == before.most;
        sums.uneven += constant && same ? 0 : 1;
        level.sums[to + 1] = sums;
        before = cell;
    }
    return sums.squares;
}

CellLevel levelOf(const Plain& plain, std::int64_t edge, bool exact, base::TilePool& pool) {
    constexpr std::int64_t kMargin = CellLevel::kMargin;
    constexpr std::int64_t kTogether = 16;
    CellLevel level;
    level.edge = edge;
    level.columns = plain.columns + 2 * kMargin;
    level.rows = plain.rows + 2 * kMargin;
    const auto count = static_cast<std::size_t>(level.columns * level.rows);
    level.means.assign(count + CellLevel::kPadding, 0.0F);
    level.norms.assign(count + CellLevel::kPadding, 0.0F);
    level.constant.assign(count, 1);
    level.sums.resize(static_cast<std::size_t>(level.stride() * level.rows));
    std::vector<double> squares(static_cast<std::size_t>(level.rows));
    (void)pool.run((level.rows + kTogether - 1) / kTogether, [&](std::int64_t item, int) {
        const std::int64_t last = std::min(level.rows, (item + 1) * kTogether);
        for (std::int64_t y = item * kTogether; y < last; ++y) {
            squares[static_cast<std::size_t>(y)] = setRow(level, plain, y);
        }
    });
    if (!exact) {
        level.slack = 16 * static_cast<double>(level.columns) * static_cast<double>(level.rows) *
                      0x1p-53 * *std::ranges::max_element(squares);
    }
    return level;
}

} // namespace

SceneCells cellsOf(const base::AnyView& scene, std::int64_t edge, base::TilePool& pool) {
    SceneCells made;
    made.level = roughMean(scene);
    Plain plain = smallestCells(scene, edge, made.level, pool);
    for (const Cell& cell : plain.cells) {
        made.energy += cell.squares;
    }
    made.finite = std::isfinite(made.energy);
    if (!made.finite) {
        return made;
    }
    std::vector<Plain> all{std::move(plain)};
    all.push_back(pooled(all[0], 2 * edge));
    all.push_back(pooled(all[1], 4 * edge));
    const base::PixelType type = base::pixelType(scene);
    const bool exact = base::isInteger(type) && base::bytesPerVoxel(type) <= 2;
    for (const Plain& each : all) {
        made.levels.push_back(levelOf(each, edge << made.levels.size(), exact, pool));
    }
    return made;
}

} // namespace flcc::search::detail
