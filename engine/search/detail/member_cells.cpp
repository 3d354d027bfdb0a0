#include "engine/search/detail/member_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/widest.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"
#include "engine/search/detail/bounds.h"

namespace flcc::search::detail {

namespace {

/// Roundings of float sums over cells and of the normalised template, relative to its norm 1.
constexpr double kRounding = 4e-6;

/// A limit on a norm whose square was summed in floats.
float normOf(double squares) {
    return static_cast<float>(std::sqrt(std::max(0.0, squares)) * (1 + 1e-4) + kRounding);
}

/// The kernel of Keys with a = -1/2.
double cubic(double d) {
    return d <= 1 ? (1.5 * d - 2.5) * d * d + 1 : d < 2 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : 0;
}

/// Weights of the cells that are moved by -1, 0, 1 and 2, for a share of a cell.
using Weights = std::array<float, 4>;
Weights linearWeights(double share) {
    return {0, static_cast<float>(1 - share), static_cast<float>(share), 0};
}
Weights cubicWeights(double share) {
    return {static_cast<float>(cubic(1 + share)), static_cast<float>(cubic(share)),
            static_cast<float>(cubic(1 - share)), static_cast<float>(cubic(2 - share))};
}

/// Sums of squares for each place in a cell.
struct Squares {
    std::vector<double> rest; ///< of what the interpolation leaves; a limit from above
    std::vector<double> all;  ///< a limit from below
    /// Of `rest`, means over cells of twice the edge, for their four alignments.
    std::array<std::vector<double>, 4> low;
};

constexpr std::int64_t kMargin = 2; ///< cells about a field

/// What squaresOf() compares.
struct Compared {
    const float* sums; ///< over boxes of the edge, at all places
    std::int64_t stride;
    std::int64_t before; ///< pixels between the first row or column and the box
    const Range* used;   ///< of each row of `sums`
    const Field& field;  ///< at the corners of cells
    std::int64_t edge;   ///< of a cell
};

/// The cells whose places or whose interpolated values are not all 0, of a row of cells that is
/// moved down.
Range columnsOf(const Compared& of, std::int64_t row, std::int64_t line) {
    Range cells;
    for (std::int64_t near = row; near < row + 4; ++near) { // with margins: -2 .. 1
        const Range& used = of.field.used[static_cast<std::size_t>(near)];
        if (used.from < used.to) {
            cells = cells.with({used.from - kMargin - 1, used.to - kMargin + 2});
        }
    }
    const Range& used = of.used[line];
    if (used.from < used.to) {
        const std::int64_t first = used.from - of.before;
        const std::int64_t last = used.to - 2 - of.before + of.edge;
        cells = cells.with(
            {first <= 0 ? 0 : (first + of.edge - 1) / of.edge, last < 0 ? 0 : last / of.edge + 1});
    }
    return {std::max<std::int64_t>(0, cells.from),
            std::min(of.field.columns - 2 * kMargin, cells.to)};
}

/// Loops run over so many places at once.
constexpr std::int64_t kTogether = 16;

/// Sums of squares over cells of twice the edge, of a remainder that comes row by row.
template <std::size_t kEdge> class LowSquares {
  public:
    explicit LowSquares(std::int64_t columns)
        : m_above(kEdge * static_cast<std::size_t>(columns + 2) + 2 * kLanes),
          m_here(m_above.size()) {}

    /// For the places of the next row of cells; zeros outside.
    [[nodiscard]] float* row() { return m_here.data() + kEdge; }
    /// Takes row number `row`, of which only these cells were written, and zeros behind them.
    void add(std::int64_t row, const Range& used) {
        constexpr auto kCell = static_cast<std::int64_t>(kEdge);
        constexpr auto kStep = static_cast<std::int64_t>(kLanes);
        const Range both = used.with(m_used);
        const float* const above = m_above.data() + kEdge;
        const float* const here = m_here.data() + kEdge;
        float sums[kLanes] = {}; // of places in two neighbouring cells, again and again
        if (both.from < both.to) {
            const std::int64_t end = (both.to + 1) * kCell;
            for (std::int64_t i = both.from * kCell / kStep * kStep; i < end; i += kStep) {
                for (std::int64_t k = 0; k < kStep; ++k) {
                    const float sum =
                        (above[i + k] + here[i + k]) + (above[i + k - kCell] + here[i + k - kCell]);
                    sums[k] += sum * sum;
                }
            }
        }
        for (std::size_t k = 0; k < kLanes; ++k) {
            m_sums[2 * static_cast<std::size_t>(row % 2) + k / kEdge % 2][k % kEdge] +=
                static_cast<double>(sums[k]);
        }
        if (m_used.from < m_used.to) {
            std::fill(m_above.begin() + (m_used.from + 1) * kCell,
                      m_above.begin() + (m_used.to + 1) * kCell, 0.0F);
        }
        m_above.swap(m_here);
        m_used = used;
    }
    /// Of each alignment and place from left to right; begins anew.
    [[nodiscard]] std::array<std::array<double, kEdge>, 4> take() {
        return std::exchange(m_sums, {});
    }

  private:
    static constexpr std::size_t kLanes = 32;
    std::vector<float> m_above;
    std::vector<float> m_here;
    Range m_used; ///< of m_above
    std::array<std::array<double, kEdge>, 4> m_sums{};
};

/// The values of a row of cells between those of four rows of a field, each for all places of its
/// cell, with zeros behind the last one. `used`: cells.
template <std::size_t kEdge, bool kCubic>
void spread(const float* at, std::int64_t columns, const Weights& down, const Range& used,
            float* to) {
    constexpr auto kCell = static_cast<std::int64_t>(kEdge);
    for (std::int64_t x = used.from - 2; x < used.to + 2; ++x) {
        const float value = kCubic ? down[0] * at[x + columns] + down[1] * at[x] +
                                         down[2] * at[x - columns] + down[3] * at[x - 2 * columns]
                                   : down[1] * at[x] + down[2] * at[x - columns];
        for (std::int64_t q = 0; q < kCell; ++q) {
            to[x * kCell + q] = value;
        }
    }
    std::fill_n(to + (used.to + 2) * kCell, kTogether, 0.0F);
}

template <std::size_t kEdge, bool kCubic>
Squares squaresOf(const Compared& of, const std::array<Weights, 16>& weights,
                  std::vector<float>* highest) {
    constexpr auto kCell = static_cast<std::int64_t>(kEdge);
    const Field& field = of.field;
    Squares made;
    made.rest.assign(kEdge * kEdge, 0);
    made.all.assign(kEdge * kEdge, 0);
    for (std::vector<double>& each : made.low) {
        each.assign(kEdge * kEdge, 0);
    }
    const std::int64_t columns = field.columns - 2 * kMargin; // cells, and one behind them
    const std::int64_t rows = field.rows - 2 * kMargin;
    std::vector<float> line(kEdge * static_cast<std::size_t>(field.columns + 2) + kTogether);
    float* const spreads = line.data() + kMargin * kCell;
    float by[4][kTogether]; // places from left to right: moved by kEdge - 1 - q
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t q = 0; q < kTogether; ++q) {
            by[k][q] = weights[kEdge - 1 - q % kEdge][k];
        }
    }
    LowSquares<kEdge> low(columns);
    const std::int64_t places = columns * kCell + kTogether;
    std::vector<float> most(highest != nullptr ? static_cast<std::size_t>(rows * places) : 0);
    base::inWidest([&] {
        for (std::size_t moved = 0; moved < kEdge; ++moved) {
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t y = row * kCell - static_cast<std::int64_t>(moved) + of.before;
                const Range used = columnsOf(of, row, y);
                float rest[kTogether] = {};
                float all[kTogether] = {};
                if (used.from < used.to) {
                    spread<kEdge, kCubic>(field.sums.data() + (row + kMargin) * field.columns +
                                              kMargin,
                                          field.columns, weights[moved], used, spreads);
                    const float* const from = of.sums + y * of.stride + of.before - (kCell - 1);
                    float* const remainder = low.row();
                    // Behind the last cell there are zeros alone.
                    for (std::int64_t i = used.from * kCell; i < used.to * kCell; i += kTogether) {
                        for (std::int64_t k = 0; k < kTogether; ++k) {
                            const float* const at = spreads + i + k;
                            const float place = from[i + k];
                            const float difference =
                                place - (kCubic
                                             ? by[0][k] * at[kCell] + by[1][k] * at[0] +
                                                   by[2][k] * at[-kCell] + by[3][k] * at[-2 * kCell]
                                             : by[1][k] * at[0] + by[2][k] * at[-kCell]);
                            rest[k] += difference * difference;
                            all[k] += place * place;
                            if constexpr (!kCubic) {
                                remainder[i + k] = difference;
                            }
                        }
                    }
                    if constexpr (!kCubic) {
                        if (highest != nullptr) {
                            float* const to = most.data() + row * places;
                            for (std::int64_t i = used.from * kCell; i < used.to * kCell; ++i) {
                                to[i] = std::max(to[i], std::abs(remainder[i]));
                            }
                        }
                    }
                }
                for (std::size_t k = 0; k < kTogether; ++k) {
                    const std::size_t to = moved * kEdge + kEdge - 1 - k % kEdge;
                    made.rest[to] += static_cast<double>(rest[k]);
                    made.all[to] += static_cast<double>(all[k]);
                }
                if constexpr (!kCubic) {
                    low.add(row, used);
                }
            }
            if constexpr (!kCubic) {
                low.add(rows, {});
                const auto sums = low.take();
                for (std::size_t i = 0; i < 4 * kEdge; ++i) {
                    made.low[i / kEdge][moved * kEdge + kEdge - 1 - i % kEdge] =
                        sums[i / kEdge][i % kEdge] / 4;
                }
            }
        }
    });
    if (highest != nullptr) {
        highest->assign(static_cast<std::size_t>(columns * rows), 0.0F);
        for (std::int64_t i = 0; i < columns * rows; ++i) {
            const float* const from = most.data() + i / columns * places + i % columns * kCell;
            (*highest)[static_cast<std::size_t>(i)] = *std::max_element(from, from + kCell);
        }
    }
    // The rows were summed in floats.
    const double rounding = static_cast<double>(columns + 16) * 0x1p-24;
    constexpr double kPixels = kEdge * kEdge;
    for (std::size_t i = 0; i < made.all.size(); ++i) {
        made.rest[i] *= (1 + rounding) / kPixels;
        made.all[i] *= (1 - rounding) / kPixels;
        for (std::vector<double>& each : made.low) {
            each[i] *= (1 + rounding) / kPixels;
        }
    }
    return made;
}

/// Limits on the remainder of any place and alignment.
Remainder remainderOf(const Squares& squares) {
    Remainder made;
    for (std::size_t i = 0; i < squares.rest.size(); ++i) {
        made.whole = std::max(made.whole, normOf(squares.rest[i]));
        for (const std::vector<double>& low : squares.low) {
            made.low = std::max(made.low, normOf(low[i]));
            // The sum of four floats has three roundings; normOf() has room for them.
            made.high = std::max(made.high, normOf(squares.rest[i] - low[i] * (1 - 1e-4)));
        }
    }
    return made;
}

template <bool kCubic>
Squares squaresOf(const Compared& of, std::vector<float>* highest = nullptr) {
    std::array<Weights, 16> weights{};
    for (std::size_t moved = 0; moved < static_cast<std::size_t>(of.edge); ++moved) {
        const double share = static_cast<double>(moved) / static_cast<double>(of.edge);
        weights[moved] = kCubic ? cubicWeights(share) : linearWeights(share);
    }
    switch (of.edge) {
    case 16:
        return squaresOf<16, kCubic>(of, weights, highest);
    case 8:
        return squaresOf<8, kCubic>(of, weights, highest);
    case 4:
        return squaresOf<4, kCubic>(of, weights, highest);
    case 2:
        return squaresOf<2, kCubic>(of, weights, highest);
    default:
        return squaresOf<1, kCubic>(of, weights, highest);
    }
}

} // namespace

Range Range::with(const Range& other) const {
    if (from >= to || other.from >= other.to) {
        return from >= to ? other : *this;
    }
    return {std::min(from, other.from), std::max(to, other.to)};
}

Placed placedMember(const rotation::PoseBank& bank, std::int64_t number) {
    if (bank.isPrepared()) {
        return {bank.member(number), {0, 0, 0}};
    }
    rotation::PoseBank::Turned made = bank.turnedWhole(bank.templ(number), bank.pose(number));
    return {std::move(made.templ), made.shift};
}

CellMaker::CellMaker(const base::Extents& box, std::int64_t edge) : m_box(box), m_edge(edge) {
    // An edge of zeros before the box; behind it what rounds it up to cells, and two edges more.
    const auto padded = [edge](std::int64_t n) { return (n + edge - 1) / edge * edge + 4 * edge; };
    m_stride = padded(box.x) + kTogether;
    m_height = padded(box.y);
    m_sums.assign(static_cast<std::size_t>(m_stride * m_height), 0.0F);
    m_used.resize(static_cast<std::size_t>(m_height));
}

bool CellMaker::loadValues(const Placed& member) {
    for (std::int64_t y = 0; y < m_height; ++y) {
        Range& used = m_used[static_cast<std::size_t>(y)];
        if (used.from < used.to) {
            std::fill_n(m_sums.data() + y * m_stride + used.from, used.to - used.from, 0.0F);
        }
        used = {};
    }
    const Scatter of = scatterOf(member.templ);
    // Where all voxels are equal, rounding of the mean is all that is left.
    if (!(of.squares > 1e-20 * of.mean * of.mean * static_cast<double>(of.count)) ||
        !std::isfinite(of.squares)) {
        return false;
    }
    const double scale = 1 / std::sqrt(of.squares);
    forRuns(member.templ, [&](const auto* values, std::int64_t length, std::int64_t x,
                              std::int64_t y) {
        const std::int64_t row = y + member.shift.y + m_edge;
        const std::int64_t column = x + member.shift.x + m_edge;
        Range& used = m_used[static_cast<std::size_t>(row)];
        used = used.with({column, column + length});
        float* const to = m_sums.data() + row * m_stride + column;
        base::inWidest([&] {
            const double mean = of.mean;
            const double rest = of.rest;
            const double factor = scale;
            for (std::int64_t i = 0; i < length; ++i) {
                to[i] = static_cast<float>((static_cast<double>(values[i]) - mean - rest) * factor);
            }
        });
    });
    return true;
}

void CellMaker::load(const Placed& member) {
    if (!loadValues(member)) {
        method::requireUsableTemplate(method::viewOf(member.templ)); // says what is wrong
        throw base::Error(base::ErrorCode::Problem,
                          "the contrast of a turned template is too small for a pruned search; "
                          "use --search exhaustive");
    }
}

/// From pixels to sums over boxes whose edge is a power of two. In front of a row there is room.
void CellMaker::addSteps(std::int64_t edge) {
    base::inWidest([&] {
        for (std::int64_t step = 1; step < edge; step *= 2) {
            for (std::int64_t y = 0; y < m_height; ++y) {
                Range& used = m_used[static_cast<std::size_t>(y)];
                if (used.from >= used.to) {
                    continue;
                }
                float* const row = m_sums.data() + y * m_stride;
                used.from -= step;
                for (std::int64_t x = used.from; x < used.to; ++x) {
                    row[x] += row[x + step];
                }
            }
            for (std::int64_t y = 0; y + step < m_height; ++y) {
                const Range below = m_used[static_cast<std::size_t>(y + step)];
                if (below.from >= below.to) {
                    continue;
                }
                float* const row = m_sums.data() + y * m_stride;
                const float* const from = row + step * m_stride;
                for (std::int64_t x = below.from; x < below.to; ++x) {
                    row[x] += from[x];
                }
                Range& used = m_used[static_cast<std::size_t>(y)];
                used = used.with(below);
            }
        }
    });
}

Field CellMaker::fieldOf(std::int64_t edge) const {
    Field field{(m_box.x + edge - 1) / edge + 1 + 2 * kMargin,
                (m_box.y + edge - 1) / edge + 1 + 2 * kMargin,
                {},
                {}};
    field.sums.assign(static_cast<std::size_t>(field.columns * field.rows), 0.0F);
    field.used.resize(static_cast<std::size_t>(field.rows));
    for (std::int64_t y = 0; y < field.rows - 2 * kMargin - 1; ++y) {
        const std::int64_t row = y * edge + m_edge;
        Range& used = field.used[static_cast<std::size_t>(y + kMargin)];
        for (std::int64_t x = 0; x < field.columns - 2 * kMargin - 1; ++x) {
            const float sum = m_sums[static_cast<std::size_t>(row * m_stride + x * edge + m_edge)];
            if (sum != 0) {
                field.sums[static_cast<std::size_t>((y + kMargin) * field.columns + x + kMargin)] =
                    sum;
                used = used.with({x + kMargin, x + kMargin + 1});
            }
        }
    }
    return field;
}

CellSums CellMaker::sumsOf(const CellCounts& counts) const {
    CellSums made;
    made.runs = touched(counts);
    std::int64_t longest = 0;
    for (const Run& run : made.runs) {
        const std::int64_t length = run.to - run.from;
        longest = std::max(longest, (length + CellSums::kLanes - 1) / CellSums::kLanes);
        for (std::int64_t x = 0; x < length; ++x) {
            const std::int64_t column = (run.from + x) * counts.edge + m_edge;
            const std::int64_t row = run.row * counts.edge + m_edge;
            made.sums.push_back(m_sums[static_cast<std::size_t>(row * m_stride + column)]);
        }
        while (made.sums.size() % CellSums::kLanes != 0) {
            made.sums.push_back(0);
        }
    }
    made.rounding = static_cast<double>(kRunsTogether * longest + CellSums::kLanes + 8) * 0x1p-24;
    return made;
}

void CellMaker::addSquares(std::int64_t edge) {
    m_squares.assign(m_sums.size(), 0.0F);
    base::inWidest([&] {
        for (std::size_t i = 0; i < m_sums.size(); ++i) {
            m_squares[i] = m_sums[i] * m_sums[i];
        }
    });
    const std::vector<Range> used = m_used;
    m_squares.swap(m_sums);
    addSteps(edge);
    m_squares.swap(m_sums);
    m_used = used;
}

CellRemainders CellMaker::remaindersOf(const Runs& runs, const Field& field, std::int64_t edge,
                                       const std::vector<float>& seen) const {
    const std::int64_t columns = field.columns - 2 * kMargin;
    const std::int64_t rows = field.rows - 2 * kMargin;
    std::vector<float> unseen(static_cast<std::size_t>(columns * rows), 0.0F);
    // The highest of the places of each column of pixels, above cell after cell of a row.
    const std::int64_t places = columns * edge;
    std::vector<float> line(static_cast<std::size_t>(places));
    base::inWidest([&] {
        const float share = 1 / static_cast<float>(edge * edge);
        float* const most = line.data();
        for (std::int64_t y = 0; y < rows; ++y) {
            std::fill_n(most, places, 0.0F);
            for (std::int64_t down = 0; down < edge; ++down) {
                const std::int64_t row = y * edge - down + m_edge;
                const Range& used = m_used[static_cast<std::size_t>(row)];
                const std::int64_t first = m_edge - (edge - 1);
                const float* const sums = m_sums.data() + row * m_stride + first;
                const float* const squares = m_squares.data() + row * m_stride + first;
                const std::int64_t end = std::min(places, used.to - first);
                for (std::int64_t i = std::max<std::int64_t>(0, used.from - first); i < end; ++i) {
                    most[i] = std::max(most[i], squares[i] * (1 + 2e-6F) -
                                                    sums[i] * sums[i] * share * (1 - 2e-6F));
                }
            }
            for (std::int64_t x = 0; x < columns; ++x) {
                const float* const from = most + x * edge;
                unseen[static_cast<std::size_t>(y * columns + x)] =
                    std::sqrt(*std::max_element(from, from + edge));
            }
        }
    });
    CellRemainders made;
    made.runs = runs;
    const auto at = [&](const std::vector<float>& of, std::int64_t x, std::int64_t y) {
        return x < 0 || y < 0 || x >= columns || y >= rows
                   ? 0.0F
                   : of[static_cast<std::size_t>(y * columns + x)];
    };
    for (const Run& run : runs) {
        const std::int64_t length =
            (run.to - run.from + CellSums::kLanes - 1) / CellSums::kLanes * CellSums::kLanes;
        for (std::int64_t i = 0; i < length; ++i) {
            const bool in = run.from + i < run.to;
            made.seen.push_back(in ? at(seen, run.from + i, run.row) : 0);
            made.unseen.push_back(in ? at(unseen, run.from + i, run.row) : 0);
        }
    }
    return made;
}

MemberCells CellMaker::take(const Placed& member) {
    load(member);
    MemberCells made;
    const CellCounts counts = countsOf(m_box, member.templ, member.shift, m_edge);
    const CellCounts sector = pooled(counts);
    addSteps(m_edge);
    made.coarse = sumsOf(counts);
    m_field = fieldOf(m_edge);
    const Squares squares =
        squaresOf<false>({m_sums.data(), m_stride, m_edge, m_used.data(), m_field, m_edge});
    made.seen = remainderOf(squares);
    made.unseen = normOf(1 + kRounding - *std::ranges::min_element(squares.all));
    made.between = made.seen;
    made.node = {widened(made.coarse.runs, 0, 1), alwaysInside(counts)};
    made.sector = {widened(touched(sector), 0, 1), alwaysInside(sector)};
    return made;
}

Remainder CellMaker::between(const Field& a, const Field& b, double share) {
    Field mixed = a;
    const auto part = static_cast<float>(share);
    for (std::size_t i = 0; i < mixed.sums.size(); ++i) {
        mixed.sums[i] = (1 - part) * a.sums[i] + part * b.sums[i];
    }
    for (std::size_t i = 0; i < mixed.used.size(); ++i) {
        mixed.used[i] = mixed.used[i].with(b.used[i]);
    }
    const Squares squares =
        squaresOf<false>({m_sums.data(), m_stride, m_edge, m_used.data(), mixed, m_edge});
    return remainderOf(squares);
}

CellRemainders CellMaker::takeRemainders(const Placed& member) {
    load(member);
    const Runs runs = touched(countsOf(m_box, member.templ, member.shift, m_edge));
    addSquares(m_edge);
    addSteps(m_edge);
    const Field field = fieldOf(m_edge);
    std::vector<float> highest;
    (void)squaresOf<false>({m_sums.data(), m_stride, m_edge, m_used.data(), field, m_edge},
                           &highest);
    return remaindersOf(widened(runs, 0, 1), field, m_edge, highest);
}

FineCells CellMaker::takeFine(const Placed& member) {
    load(member);
    FineCells made;
    const std::int64_t edge = m_edge / 2;
    const CellCounts counts = countsOf(m_box, member.templ, member.shift, edge);
    addSquares(edge);
    addSteps(edge);
    made.sums = sumsOf(counts);
    const Field field = fieldOf(edge);
    const Squares cubicSquares =
        squaresOf<true>({m_sums.data(), m_stride, m_edge, m_used.data(), field, edge});
    std::vector<float> highest;
    const Squares linear =
        squaresOf<false>({m_sums.data(), m_stride, m_edge, m_used.data(), field, edge}, &highest);
    made.remainders = remaindersOf(widened(made.sums.runs, 0, 1), field, edge, highest);
    made.seen = remainderOf(linear);
    for (std::size_t i = 0; i < cubicSquares.all.size(); ++i) {
        made.pointSeen.push_back(i == 0 ? static_cast<float>(kRounding)
                                        : normOf(cubicSquares.rest[i]));
        made.pointUnseen.push_back(edge == 1 ? static_cast<float>(kRounding)
                                             : normOf(1 + kRounding - cubicSquares.all[i]));
    }
    made.unseen = *std::ranges::max_element(made.pointUnseen);
    made.point = {widened(made.sums.runs, 1, 2), alwaysInside(counts)};
    made.large = widened(touched(pooled(counts)), 1, 2);
    return made;
}

} // namespace flcc::search::detail
