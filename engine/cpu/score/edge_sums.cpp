#include "engine/cpu/score/edge_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/widest.h"
#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using Term = MaskEdges::Term;

/// Vectors of AVX2: wider ones would be kept in memory on a processor that has no wider ones.
template <class Sum> struct Vectors {
    static constexpr std::int64_t kLanes = 32 / sizeof(Sum);
    using Value = std::conditional_t<std::is_integral_v<Sum>, std::int32_t, double>;
    using Of [[gnu::vector_size(32)]] = Sum;
    using Values [[gnu::vector_size(32)]] = Value;
    using Floats [[gnu::vector_size(4 * kLanes)]] = float;

    template <class Vector, class From> static Vector load(const From* from) {
        Vector value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
};

/// v, plus v moved up by one, two and four lanes: the sums of all lanes up to each one.
template <class Vector> Vector runningSums(Vector v) {
    if constexpr (sizeof(v[0]) == 4) {
        v += __builtin_shufflevector(v, Vector{}, 8, 0, 1, 2, 3, 4, 5, 6);
        v += __builtin_shufflevector(v, Vector{}, 8, 8, 0, 1, 2, 3, 4, 5);
        v += __builtin_shufflevector(v, Vector{}, 8, 8, 8, 8, 0, 1, 2, 3);
    } else {
        v += __builtin_shufflevector(v, Vector{}, 4, 0, 1, 2);
        v += __builtin_shufflevector(v, Vector{}, 4, 4, 0, 1);
    }
    return v;
}
template <class Vector> Vector lastLane(const Vector& v) {
    if constexpr (sizeof(v[0]) == 4) {
        return __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
    } else {
        return __builtin_shufflevector(v, v, 3, 3, 3, 3);
    }
}

/// The prefix sums of a row of x or of x^2, in units of 1 / scale: columns + 1 sums.
template <class Sum, bool Squares>
void sumPrefixes(const float* x, std::int64_t columns, float scale, Sum* to) {
    using V = Vectors<Sum>;
    typename V::Of carry{};
    to[0] = 0;
    std::int64_t i = 0;
    for (; i + V::kLanes <= columns; i += V::kLanes) {
        const auto floats = V::template load<typename V::Floats>(x + i) * scale;
        auto values = __builtin_convertvector(floats, typename V::Values);
        if constexpr (Squares) {
            values *= values;
        }
        const typename V::Of sums =
            carry + runningSums(__builtin_convertvector(values, typename V::Of));
        carry = lastLane(sums);
        std::memcpy(to + i + 1, &sums, sizeof sums);
    }
    Sum sum = carry[0];
    for (; i < columns; ++i) {
        const auto value = static_cast<typename V::Value>(x[i] * scale);
        sum += static_cast<Sum>(Squares ? value * value : value);
        to[i + 1] = sum;
    }
}

/// A row of a part of two. Writes whole vectors.
template <class Sum> void join(const Sum* first, const Sum* second, std::int64_t count, Sum* to) {
    using V = Vectors<Sum>;
    for (std::int64_t i = 0; i < count; i += 2 * V::kLanes) {
        const typename V::Of low = V::template load<typename V::Of>(first + i) +
                                   V::template load<typename V::Of>(second + i);
        const typename V::Of high = V::template load<typename V::Of>(first + i + V::kLanes) +
                                    V::template load<typename V::Of>(second + i + V::kLanes);
        std::memcpy(to + i, &low, sizeof low);
        std::memcpy(to + i + V::kLanes, &high, sizeof high);
    }
}

/// Vectors of a row of sums that are made at a time, and the sums in them.
constexpr std::int64_t kTogether = 8;
template <class Sum> constexpr std::int64_t kBlock = kTogether* Vectors<Sum>::kLanes;

/// A row of placements, in units of `per`: the sum of `pluses` rows less that of `minuses` others
/// behind them. Whole numbers may run over: only the sums over the whole mask must fit.
template <class Sum>
void sumRow(const Sum* const* rows, std::int64_t pluses, std::int64_t minuses, std::int64_t count,
            double per, double* to) {
    using V = Vectors<Sum>;
    for (std::int64_t x = 0; x < count; x += kBlock<Sum>) {
        typename V::Of sums[static_cast<std::size_t>(kTogether)] = {};
        for (std::int64_t j = 0; j < pluses; ++j) {
            const Sum* const row = rows[j] + x;
#pragma GCC unroll 8
            for (std::int64_t i = 0; i < kTogether; ++i) {
                sums[i] += V::template load<typename V::Of>(row + i * V::kLanes);
            }
        }
        for (std::int64_t j = pluses; j < pluses + minuses; ++j) {
            const Sum* const row = rows[j] + x;
#pragma GCC unroll 8
            for (std::int64_t i = 0; i < kTogether; ++i) {
                sums[i] -= V::template load<typename V::Of>(row + i * V::kLanes);
            }
        }
        Sum own[static_cast<std::size_t>(kBlock<Sum>)];
        std::memcpy(own, sums, sizeof sums);
        const std::int64_t here = std::min(kBlock<Sum>, count - x);
        for (std::int64_t i = 0; i < here; ++i) {
            to[x + i] = static_cast<double>(static_cast<typename V::Value>(own[i])) * per;
        }
    }
}

/// Rows that are made together, so that those of a part have left the store buffer when the next
/// part reads them across the borders of vectors.
constexpr std::int64_t kGroup = 4;

/// The last rows of the prefix sums and of all parts, for strips of at most `columns` placements.
template <class Sum> class EdgeRows {
  public:
    EdgeRows(const MaskEdges& edges, std::int64_t height, std::int64_t columns) {
        // Every row begins with a cache line; of prefix sums the second one does, which is the
        // first to be written with others.
        constexpr std::int64_t kLine = 64 / sizeof(Sum);
        std::int64_t room = kLine - 1;
        for (std::int64_t i = 0; i < std::ssize(edges.needs()); ++i) {
            const MaskEdges::Need& need = edges.needs()[static_cast<std::size_t>(i)];
            m_parts.push_back({room, roundUp(columns + need.columns + kBlock<Sum>, kLine),
                               need.rows + kGroup - 1, need.columns, edges.height(i)});
            room += m_parts.back().stride * m_parts.back().rows + (i == 0 ? 1 : 0);
        }
        m_sums = base::Image<Sum>({room, 1, 1});
        const auto placeOf = [&](const Term& term, std::int64_t by) {
            return Place{term.part, term.x, by - edges.height(term.part) - term.y};
        };
        std::size_t number = 0;
        for (const MaskEdges::Part& part : edges.parts()) {
            Ring& ring = m_parts[++number];
            ring.first = placeOf(part.first, part.height);
            ring.second = placeOf(part.second, part.height);
        }
        for (const std::vector<Term>* terms : {&edges.added(), &edges.subtracted()}) {
            for (const Term& term : *terms) {
                m_places.push_back(placeOf(term, height));
            }
        }
        m_rows.resize(m_places.size());
        m_pluses = std::ssize(edges.added());
    }

    /// Must be called before the first row of a strip of `count` placements.
    void start(std::int64_t count) {
        m_count = count;
        m_done = 0;
        for (Ring& ring : m_parts) {
            ring.now = -1;
        }
    }

    /// Adds `rows` rows of voxels, at most kGroup, and makes all rows of parts that end there.
    template <bool Squares>
    void add(const float* x, std::int64_t rowStride, std::int64_t columns, std::int64_t rows,
             float scale) {
        for (std::int64_t j = 0; j < rows; ++j) {
            sumPrefixes<Sum, Squares>(x + j * rowStride, columns, scale, next(m_parts.front()));
        }
        for (std::size_t i = 1; i < m_parts.size(); ++i) {
            Ring& ring = m_parts[i];
            for (std::int64_t j = std::max<std::int64_t>(0, ring.height - 1 - m_done); j < rows;
                 ++j) {
                Sum* const to = next(ring);
                join(at(ring.first, rows - 1 - j), at(ring.second, rows - 1 - j),
                     m_count + ring.columns, to);
            }
        }
        m_done += rows;
    }

    /// Writes the sums of the row of placements that ends `age` rows before the last row of voxels.
    void sum(std::int64_t age, double per, double* to) {
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            m_rows[i] = at(m_places[i], age);
        }
        sumRow(m_rows.data(), m_pluses, std::ssize(m_rows) - m_pluses, m_count, per, to);
    }

  private:
    struct Place {
        std::int64_t part = 0;
        std::int64_t x = 0;
        std::int64_t age = 0; ///< rows of the part that were made later
    };
    struct Ring {
        std::int64_t start;
        std::int64_t stride;
        std::int64_t rows;
        std::int64_t columns; ///< beyond the number of placements
        std::int64_t height;
        std::int64_t now = -1; ///< the last row
        Place first{};
        Place second{};
    };

    [[nodiscard]] Sum* next(Ring& ring) {
        ring.now = ring.now + 1 == ring.rows ? 0 : ring.now + 1;
        return m_sums.data() + ring.start + ring.now * ring.stride;
    }
    [[nodiscard]] const Sum* at(const Place& place, std::int64_t age) const {
        const Ring& ring = m_parts[static_cast<std::size_t>(place.part)];
        const std::int64_t row = ring.now - place.age - age;
        return m_sums.data() + ring.start + (row < 0 ? row + ring.rows : row) * ring.stride +
               place.x;
    }

    std::int64_t m_count = 0; ///< placements
    std::int64_t m_done = 0;  ///< rows of voxels
    std::int64_t m_pluses = 0;
    std::vector<Ring> m_parts;
    std::vector<Place> m_places;
    std::vector<const Sum*> m_rows;
    base::Image<Sum> m_sums;
};

/// Columns of strips of equal width whose rows of sums stay in a near cache.
std::int64_t stripColumns(const Extents& m, const Extents& out) {
    const std::int64_t most = std::max<std::int64_t>(256, m.x);
    const std::int64_t strips = (out.x + most - 1) / most;
    return (out.x + strips - 1) / strips;
}

/// Sums of x or of x^2, in units of 1 / scale.
template <bool Squares, class Sum> struct SumStrips {
    EdgeRows<Sum>& edges;
    float scale;
    const simd::FloatBox& x;
    const Extents& m;
    const Extents& out;
    const SumsRows& to;

    void operator()() const {
        const std::int64_t strip = stripColumns(m, out);
        const std::int64_t strips = (out.x + strip - 1) / strip;
        const double unit = 1 / static_cast<double>(scale);
        const double per = Squares ? unit * unit : unit;
        const std::int64_t lines = out.y + m.y - 1;
        // Slices of a volume under a flat template, each in strips.
        for (std::int64_t part = 0; part < out.z * strips; ++part) {
            const std::int64_t z = part / strips;
            const std::int64_t column = part % strips * strip;
            const std::int64_t count = std::min(strip, out.x - column);
            const float* const from = x.data + z * x.sliceStride + column;
            double* const slice =
                to.data + (2 * z * to.sliceStride + (Squares ? 1 : 0)) * to.stride + column;
            edges.start(count);
            for (std::int64_t line = 0; line < lines; line += kGroup) {
                const std::int64_t rows = std::min(kGroup, lines - line);
                edges.template add<Squares>(from + line * x.rowStride, x.rowStride, count + m.x - 1,
                                            rows, scale);
                const std::int64_t last = line + rows - m.y; // row of placements
                for (std::int64_t y = std::max<std::int64_t>(0, line - m.y + 1); y <= last; ++y) {
                    edges.sum(last - y, per, slice + 2 * y * to.stride);
                }
            }
        }
    }
};

template <class Sum>
void sumBoth(const MaskEdges& edges, float scale, const simd::FloatBox& x, const Extents& m,
             const Extents& out, const SumsRows& to) {
    EdgeRows<Sum> rows(edges, m.y, stripColumns(m, out));
    base::inWidest(SumStrips<false, Sum>{rows, scale, x, m, out, to});
    base::inWidest(SumStrips<true, Sum>{rows, scale, x, m, out, to});
}

} // namespace

bool edgesAreWhole(const MaskWeights& mask, const CentredTile& tile) {
    return tile.exact && tile.quantum > 0 && mask.binary() && tile.steps < 0x1p15 &&
           mask.total() * tile.steps * tile.steps < 0x1p31;
}

bool hasShortEdges(const MaskWeights& mask, bool wholes) {
    constexpr std::int64_t kWhole = 64;
    constexpr std::int64_t kDouble = 160;
    return mask.edges() != nullptr && mask.edges()->additions() <= (wholes ? kWhole : kDouble);
}

MaskedSums sumAlongEdges(const MaskWeights& mask, const CentredTile& tile, const simd::FloatBox& x,
                         const Extents& m, const Extents& out, const SumsRows& to) {
    MaskedSums result;
    result.mask = &mask;
    result.square = 16 * kUnitDouble; // of D in double
    const MaskEdges& edges = *mask.edges();
    if (edgesAreWhole(mask, tile)) {
        const auto scale = static_cast<float>(tile.stepsPerUnit()); // a power of two
        sumBoth<std::uint32_t>(edges, scale, x, m, out, to);
        result.whole = true;
        return result;
    }
    sumBoth<double>(edges, 1, x, m, out, to);
    const double error = edgeSumsError(mask, tile, m, out);
    result.root = 2 * error / std::sqrt(mask.total());
    result.one = error + 2 * error * error / mask.total() + result.root * std::sqrt(error);
    return result;
}

double edgeSumsError(const MaskWeights& mask, const CentredTile& tile, const Extents& m,
                     const Extents& out) {
    if (edgesAreWhole(mask, tile)) {
        return 0;
    }
    // A prefix sum has a magnitude of at most the length of its row and passes through as many
    // roundings. A sum of some of the 2 runs places passes through fewer than these, each of
    // magnitude runs * length at most.
    const auto length = static_cast<double>(stripColumns(m, out) + m.x - 1);
    const auto runs = static_cast<double>(mask.edges()->runs());
    return kUnitDouble * 2 * runs * length * (length + 2 * runs);
}

std::int64_t edgeSumsBytes(const Extents& m, const Extents& out) {
    constexpr std::int64_t kParts = 5; // of the height of the mask
    return m.z == 1 ? 8 * kParts * m.y * (stripColumns(m, out) + m.x) : 0;
}

} // namespace flcc::cpu
