#include "engine/search/detail/member_cells.h"

#include <algorithm>
#include <array>
#include <cmath>

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
};

constexpr std::int64_t kMargin = 2; ///< cells about a field

/// `sums` holds sums over boxes of kEdge x kEdge pixels; its first row and column lie `before`
/// pixels before the template.
template <std::size_t kEdge>
Squares squaresOf(const float* sums, std::int64_t stride, std::int64_t before, const Field& field,
                  const std::array<Weights, 16>& weights) {
    constexpr auto kPixels = static_cast<std::int64_t>(kEdge);
    Squares made;
    made.rest.assign(kEdge * kEdge, 0);
    made.all.assign(kEdge * kEdge, 0);
    const std::int64_t columns = field.columns - 2 * kMargin; // cells, and one behind them
    const std::int64_t rows = field.rows - 2 * kMargin;
    std::vector<float> line(static_cast<std::size_t>(field.columns));
    std::array<std::array<float, kEdge>, 4> by{};
    for (std::size_t q = 0; q < kEdge; ++q) { // places from left to right: moved by kEdge - 1 - q
        for (std::size_t k = 0; k < 4; ++k) {
            by[k][q] = weights[kEdge - 1 - q][k];
        }
    }
    base::inWidest([&] {
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::size_t moved = 0; moved < kEdge; ++moved) {
                const Weights& down = weights[moved];
                const float* const at =
                    field.sums.data() + (row + kMargin) * field.columns; // moved by 0
                for (std::int64_t x = 0; x < field.columns; ++x) {
                    line[static_cast<std::size_t>(x)] =
                        down[0] * at[x + field.columns] + down[1] * at[x] +
                        down[2] * at[x - field.columns] + down[3] * at[x - 2 * field.columns];
                }
                const float* const from =
                    sums + (row * kPixels - static_cast<std::int64_t>(moved) + before) * stride +
                    before - (kPixels - 1);
                const float* const cells = line.data() + kMargin;
                std::array<float, kEdge> rest{};
                std::array<float, kEdge> all{};
                for (std::int64_t column = 0; column < columns; ++column) {
                    const float a = cells[column + 1];
                    const float b = cells[column];
                    const float c = cells[column - 1];
                    const float d = cells[column - 2];
                    const float* const place = from + column * kPixels;
                    for (std::size_t q = 0; q < kEdge; ++q) {
                        const float difference =
                            place[q] - (by[0][q] * a + by[1][q] * b + by[2][q] * c + by[3][q] * d);
                        rest[q] += difference * difference;
                        all[q] += place[q] * place[q];
                    }
                }
                for (std::size_t q = 0; q < kEdge; ++q) {
                    const std::size_t to = moved * kEdge + kEdge - 1 - q;
                    made.rest[to] += static_cast<double>(rest[q]);
                    made.all[to] += static_cast<double>(all[q]);
                }
            }
        }
    });
    // The rows were summed in floats.
    const double rounding = static_cast<double>(columns + 16) * 0x1p-24;
    constexpr double kCell = kEdge * kEdge;
    for (std::size_t i = 0; i < made.all.size(); ++i) {
        made.rest[i] *= (1 + rounding) / kCell;
        made.all[i] *= (1 - rounding) / kCell;
    }
    return made;
}

Squares squaresOf(std::int64_t edge, const float* sums, std::int64_t stride, std::int64_t before,
                  const Field& field, bool isCubic) {
    std::array<Weights, 16> weights{};
    for (std::size_t moved = 0; moved < static_cast<std::size_t>(edge); ++moved) {
        const double share = static_cast<double>(moved) / static_cast<double>(edge);
        weights[moved] = isCubic ? cubicWeights(share) : linearWeights(share);
    }
    switch (edge) {
    case 16:
        return squaresOf<16>(sums, stride, before, field, weights);
    case 8:
        return squaresOf<8>(sums, stride, before, field, weights);
    case 4:
        return squaresOf<4>(sums, stride, before, field, weights);
    case 2:
        return squaresOf<2>(sums, stride, before, field, weights);
    default:
        return squaresOf<1>(sums, stride, before, field, weights);
    }
}

} // namespace

CellMaker::CellMaker(const base::Extents& box, std::int64_t edge) : m_box(box), m_edge(edge) {
    // An edge of zeros before the box; behind it what rounds it up to cells, and two edges more.
    const auto padded = [edge](std::int64_t n) { return (n + edge - 1) / edge * edge + 4 * edge; };
    m_stride = padded(box.x);
    m_height = padded(box.y);
}

bool CellMaker::load(const rotation::TurnedTemplate& member) {
    m_sums.assign(static_cast<std::size_t>(m_stride * m_height), 0.0F);
    const Scatter of = scatterOf(member);
    m_count = of.count;
    // Where all voxels are equal, rounding of the mean is all that is left.
    if (!(of.squares > 1e-20 * of.mean * of.mean * static_cast<double>(of.count)) ||
        !std::isfinite(of.squares)) {
        return false;
    }
    const double scale = 1 / std::sqrt(of.squares);
    forRuns(member, [&](const auto* values, std::int64_t length, std::int64_t x, std::int64_t y) {
        float* const to = m_sums.data() + (y + m_edge) * m_stride + x + m_edge;
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

/// From sums over boxes of one edge to those of another, a power of two times as long.
void CellMaker::addSteps(std::int64_t from, std::int64_t to) {
    base::inWidest([&] {
        for (std::int64_t step = from; step < to; step *= 2) {
            for (std::int64_t y = 0; y < m_height; ++y) {
                float* const row = m_sums.data() + y * m_stride;
                for (std::int64_t x = 0; x + step < m_stride; ++x) {
                    row[x] += row[x + step];
                }
            }
            for (std::int64_t y = 0; y + step < m_height; ++y) {
                float* const row = m_sums.data() + y * m_stride;
                const float* const below = row + step * m_stride;
                for (std::int64_t x = 0; x < m_stride; ++x) {
                    row[x] += below[x];
                }
            }
        }
    });
}

Field CellMaker::fieldOf(std::int64_t edge) const {
    Field field{(m_box.x + edge - 1) / edge + 1 + 2 * kMargin,
                (m_box.y + edge - 1) / edge + 1 + 2 * kMargin,
                {}};
    field.sums.assign(static_cast<std::size_t>(field.columns * field.rows), 0.0F);
    for (std::int64_t y = 0; y < field.rows - 2 * kMargin - 1; ++y) {
        for (std::int64_t x = 0; x < field.columns - 2 * kMargin - 1; ++x) {
            field.sums[static_cast<std::size_t>((y + kMargin) * field.columns + x + kMargin)] =
                m_sums[static_cast<std::size_t>((y * edge + m_edge) * m_stride + x * edge +
                                                m_edge)];
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

MemberCells CellMaker::take(const rotation::TurnedTemplate& member) {
    if (!load(member)) {
        method::requireUsableTemplate(method::viewOf(member)); // says what is wrong
        throw base::Error(base::ErrorCode::Problem,
                          "the contrast of a turned template is too small for a pruned search; "
                          "use --search exhaustive");
    }
    MemberCells made;
    made.count = m_count;
    const std::int64_t half = m_edge / 2;
    const CellCounts fine = countsOf(m_box, member.support.view(), half);
    const CellCounts coarse = pooled(fine);
    const CellCounts sector = pooled(coarse);
    addSteps(1, half);
    made.fine = sumsOf(fine);
    const Field fineField = fieldOf(half);
    const Squares cubicSquares = squaresOf(half, m_sums.data(), m_stride, m_edge, fineField, true);
    const Squares linear = squaresOf(half, m_sums.data(), m_stride, m_edge, fineField, false);
    made.fineSeen = normOf(*std::ranges::max_element(linear.rest));
    for (std::size_t i = 0; i < cubicSquares.all.size(); ++i) {
        made.pointSeen.push_back(i == 0 ? static_cast<float>(kRounding)
                                        : normOf(cubicSquares.rest[i]));
        made.pointUnseen.push_back(half == 1 ? static_cast<float>(kRounding)
                                             : normOf(1 + kRounding - cubicSquares.all[i]));
    }
    made.fineUnseen = *std::ranges::max_element(made.pointUnseen);
    addSteps(half, m_edge);
    made.coarse = sumsOf(coarse);
    m_field = fieldOf(m_edge);
    const Squares squares = squaresOf(m_edge, m_sums.data(), m_stride, m_edge, m_field, false);
    made.seen = normOf(*std::ranges::max_element(squares.rest));
    made.unseen = normOf(1 + kRounding - *std::ranges::min_element(squares.all));
    made.between = made.seen;
    made.node = {widened(made.coarse.runs, 0, 1), alwaysInside(coarse)};
    made.point = {widened(made.fine.runs, 1, 2), alwaysInside(fine)};
    made.sector = {widened(touched(sector), 0, 1), alwaysInside(sector)};
    return made;
}

float CellMaker::between(const Field& a, const Field& b, double share) {
    Field mixed = a;
    const auto part = static_cast<float>(share);
    for (std::size_t i = 0; i < mixed.sums.size(); ++i) {
        mixed.sums[i] = (1 - part) * a.sums[i] + part * b.sums[i];
    }
    const Squares squares = squaresOf(m_edge, m_sums.data(), m_stride, m_edge, mixed, false);
    return normOf(*std::ranges::max_element(squares.rest));
}

} // namespace flcc::search::detail
