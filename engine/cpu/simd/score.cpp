#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/score_vectors.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// The window sums that are kept of row (y, z), from `column` on.
template <class Arguments>
Sums keptSumsAt(const Arguments& a, std::int64_t column, std::int64_t y, std::int64_t z) {
    const std::int64_t stride = sumsRow(a.out.x);
    double* const s1 = a.kept + 2 * (z * a.out.y + y) * stride + column;
    return {s1, s1 + stride};
}

// What rows of sums become.
template <class Scores> class RowScorer {
  public:
    using Real = typename Scores::Real;
    using Numerator = typename Scores::Numerator;
    using Arguments = ScoreArguments<Real, Numerator>;
    using D = typename Scores::D;
    using V = typename Scores::V;

    RowScorer(const Arguments& arguments, const ScoreConstants& constants)
        : m_arguments(arguments), m_constants(constants) {}

    /// Scores of `count` voxels of row (y, z) from `column` on.
    void operator()(const Sums& sums, std::int64_t column, std::int64_t count, std::int64_t y,
                    std::int64_t z) {
        if (m_arguments.kept != nullptr && !m_arguments.recall) {
            const Sums kept = keptSumsAt(m_arguments, column, y, z);
            std::copy_n(sums.s1, count, kept.s1);
            std::copy_n(sums.s2, count, kept.s2);
        }
        const std::int64_t at =
            z * m_arguments.mapSliceStride + y * m_arguments.mapRowStride + column;
        const bool streamed = isStreamed(count);
        const Row row{sums,
                      m_arguments.num.data + z * m_arguments.num.sliceStride +
                          y * m_arguments.num.rowStride + column,
                      streamed ? m_values : m_arguments.value + at,
                      m_arguments.exact == nullptr ? nullptr : m_arguments.exact + at,
                      streamed ? m_statuses : m_arguments.status + at,
                      count};
        scoreRow(row, column, y);
        if (streamed) {
            stream(m_values, count, m_arguments.value + at);
            stream(m_statuses, count, m_arguments.status + at);
        }
    }

    [[nodiscard]] ScoreTally tally() const {
        ScoreTally tally = m_tally;
        tally.largestBound = std::max(
            tally.largestBound, static_cast<double>(hn::GetLane(hn::MaxOfLanes(D(), m_largest))));
        return tally;
    }

  private:
    /// A row of the tile: what scores are made of, and where they go.
    struct Row {
        Sums sums;
        const Numerator* num = nullptr;
        float* value = nullptr;
        double* exact = nullptr;
        std::uint8_t* status = nullptr;
        std::int64_t count = 0;
    };

    /// Whether a row goes past the caches: nobody reads it soon, and what is not written to it need
    /// not be read. Of short rows the cut cache lines would cost more than that.
    [[nodiscard]] bool isStreamed(std::int64_t count) const {
        return count >= 128 && count <= kMostStreamed && m_arguments.kept == nullptr &&
               m_arguments.exact == nullptr;
    }

    template <class T> static HWY_INLINE void stream(const T* from, std::int64_t count, T* to) {
        constexpr std::int64_t kLine = 64; // bytes
        const hn::ScalableTag<T> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine);
        std::int64_t i = (kLine - beyond) % kLine / static_cast<std::int64_t>(sizeof(T));
        std::copy_n(from, i, to);
        for (; i + lanes <= count; i += lanes) {
            hn::Stream(hn::LoadU(d, from + i), d, to + i);
        }
        std::copy_n(from + i, count - i, to + i);
    }

    void scoreRow(const Row& row, std::int64_t column, std::int64_t y) {
        if constexpr (std::is_same_v<Scores, IntegerScores>) {
            if (m_constants.exactVariance) {
                scoreExactly(row);
                std::fill_n(m_arguments.bounds + column, row.count,
                            static_cast<float>(m_constants.boundConstant));
                return;
            }
        }
        // The bounds of the last row are the sample that is asked for.
        const bool sampled = y + 1 == m_arguments.out.y;
        if (!sampled && m_remarkable <= m_plain / 2 + 2) {
            if (scorePlainly(row)) {
                ++m_plain;
                return;
            }
            ++m_remarkable;
        }
        scoreCarefully(row, m_arguments.bounds + column);
    }

    /// Scores without a bound for each: false when one bound for all of the row does not keep the
    /// promise, or a panel may be flat; then what was written means nothing.
    [[nodiscard]] bool scorePlainly(const Row& row) {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const ScoreConstants constants = m_constants; // a copy no store can alias
        auto variances = hn::Set(d, Real{1});
        auto squares = hn::Zero(d);
        auto scores = hn::Zero(d);
        for (std::int64_t i = 0; i < row.count; i += lanes) {
            V square;
            V variance;
            V numerator;
            Scores::panels(row.sums, row.num, i, constants, square, variance, numerator);
            if (i + lanes > row.count) {
                const auto inside = hn::FirstN(d, static_cast<std::size_t>(row.count - i));
                variance = hn::IfThenElse(inside, variance, hn::Set(d, Real{1}));
                square = hn::IfThenElseZero(inside, square);
                numerator = hn::IfThenElseZero(inside, numerator);
            }
            const auto inverse = Scores::inverseRoot(variance);
            const auto score = hn::Mul(numerator, inverse);
            variances = hn::Min(variances, variance);
            squares = hn::Max(squares, hn::Mul(hn::Mul(square, inverse), inverse));
            scores = hn::Max(scores, hn::Abs(score));
            storeScores(row, i, score);
        }
        const Real variance = hn::GetLane(hn::MinOfLanes(d, variances));
        const Real square = hn::GetLane(hn::MaxOfLanes(d, squares));
        // Of a variance that is not positive the others mean nothing.
        if (!(variance > Scores::kTiny && hn::GetLane(hn::MaxOfLanes(d, scores)) <= Real{1} &&
              static_cast<double>(square) * m_constants.suspicious < 0.5)) {
            return false;
        }
        const double bound = boundOfAll(static_cast<double>(square), static_cast<double>(variance));
        if (!(bound <= m_constants.promise)) {
            return false;
        }
        m_tally.largestBound = std::max(m_tally.largestBound, bound);
        return true;
    }

    /// Scores that have no error but their own roundings.
    void scoreExactly(const Row& row) {
        const D d;
        const hn::Rebind<std::int32_t, D> di;
        const hn::Rebind<std::uint8_t, D> bytes;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const double scale = constants.numeratorScale * std::sqrt(constants.count);
        const auto one = hn::Set(d, 1.0F);
        const auto flat = hn::Set(di, static_cast<std::int32_t>(base::Status::Flat));
        const auto most = hn::Set(d, static_cast<float>(1 + constants.boundConstant));
        for (std::int64_t i = 0; i < row.count; i += lanes) {
            V variance;
            V numerator;
            Scores::exactPanels(row.sums, row.num, i, constants, scale, variance, numerator);
            const auto zero = hn::Eq(variance, hn::Zero(d));
            const auto inverse = Scores::inverseRoot(hn::IfThenElse(zero, one, variance));
            const auto score = hn::IfThenZeroElse(zero, hn::Mul(numerator, inverse));
            const auto clamped = hn::Min(hn::Max(score, hn::Neg(one)), one);
            storeScores(row, i, clamped);
            auto over = hn::Gt(hn::Abs(score), most);
            if (i + lanes <= row.count) {
                m_tally.overRange += static_cast<std::int64_t>(hn::CountTrue(d, over));
                if (!hn::AllFalse(d, zero)) {
                    hn::StoreU(
                        hn::DemoteTo(bytes, hn::IfThenElseZero(hn::RebindMask(di, zero), flat)),
                        bytes, row.status + i);
                    m_tally.marked += static_cast<std::int64_t>(hn::CountTrue(d, zero));
                }
                continue;
            }
            over = hn::And(over, hn::FirstN(d, static_cast<std::size_t>(row.count - i)));
            m_tally.overRange += static_cast<std::int64_t>(hn::CountTrue(d, over));
            HWY_ALIGN float last[hn::MaxLanes(D())];
            hn::Store(variance, d, last);
            for (std::int64_t lane = 0; lane < row.count - i; ++lane) {
                if (last[lane] == 0) {
                    row.status[i + lane] = static_cast<std::uint8_t>(base::Status::Flat);
                    ++m_tally.marked;
                }
            }
        }
        m_tally.largestBound = std::max(m_tally.largestBound, constants.boundConstant);
    }

    /// boundOf with the largest K^2, the least D and |r| = 1, and more than its own roundings.
    [[nodiscard]] double boundOfAll(double k2, double variance) const {
        const ScoreConstants& c = m_constants;
        const double inverse = 1 / std::sqrt(variance);
        const double fourier =
            std::min(c.boundNumerator * inverse + c.boundScore, c.boundWorst * inverse);
        return 1.0001 *
               (c.boundPanel * std::sqrt(k2) + fourier + c.boundSquare * k2 + c.boundConstant);
    }

    static HWY_INLINE void storeScores(const Row& row, std::int64_t i, V scores) {
        const D d;
        const hn::Rebind<std::uint8_t, D> bytes;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        if (i + lanes <= row.count) {
            Scores::store(scores, row.value + i);
            if constexpr (std::is_same_v<Real, double>) {
                if (row.exact != nullptr) {
                    hn::StoreU(scores, d, row.exact + i);
                }
            }
            hn::StoreU(hn::Zero(bytes), bytes, row.status + i);
            return;
        }
        HWY_ALIGN Real last[hn::MaxLanes(D())];
        hn::Store(scores, d, last);
        for (std::int64_t lane = 0; lane < row.count - i; ++lane) {
            row.value[i + lane] = static_cast<float>(last[lane]);
            if (row.exact != nullptr) {
                row.exact[i + lane] = static_cast<double>(last[lane]);
            }
        }
        std::fill_n(row.status + i, row.count - i, std::uint8_t{0});
    }

    void scoreCarefully(const Row& row, float* bounds) {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const auto one = hn::Set(d, Real{1});
        auto largest = m_largest;
        for (std::int64_t i = 0; i < row.count; i += lanes) {
            V square;
            V variance;
            V numerator;
            Scores::panels(row.sums, row.num, i, constants, square, variance, numerator);
            const auto suspicious =
                hn::Or(hn::Le(variance, hn::Mul(set(constants.suspicious), square)),
                       hn::Le(variance, hn::Set(d, Scores::kTiny)));
            const auto inverse = Scores::inverseRoot(hn::IfThenElse(suspicious, one, variance));
            const auto score = hn::IfThenZeroElse(suspicious, hn::Mul(numerator, inverse));
            const auto bound = boundOf(constants, square, inverse, hn::Abs(score));
            const auto over = hn::AndNot(suspicious, hn::Gt(hn::Abs(score), hn::Add(one, bound)));
            const auto low = hn::AndNot(suspicious, hn::Gt(bound, set(constants.promise)));
            storeScores(row, i, hn::Min(hn::Max(score, hn::Neg(one)), one));
            const Marks marks(low, suspicious, over, bound);
            const std::int64_t here = std::min(lanes, row.count - i);
            if (here == lanes) {
                const auto marked = hn::Or(low, suspicious);
                Scores::store(bound, bounds + i);
                largest = hn::Max(largest, hn::IfThenZeroElse(marked, bound));
                if (!hn::AllFalse(d, hn::Or(marked, over))) {
                    mark(marks, here, row, i);
                }
            } else {
                std::transform(marks.bound, marks.bound + here, bounds + i,
                               [](Real of) { return static_cast<float>(of); });
                mark(marks, here, row, i);
            }
        }
        m_largest = largest;
    }

    static HWY_INLINE V set(double value) { return hn::Set(D(), static_cast<Real>(value)); }

    static HWY_INLINE V boundOf(const ScoreConstants& constants, V squares, V inverse,
                                V magnitude) {
        const auto k2 = hn::Mul(hn::Mul(squares, inverse), inverse);
        const auto k = Scores::rootAbove(k2);
        const auto fourier = hn::Min(hn::MulAdd(set(constants.boundNumerator), inverse,
                                                hn::Mul(set(constants.boundScore), magnitude)),
                                     hn::Mul(set(constants.boundWorst), inverse));
        return hn::Add(hn::MulAdd(set(constants.boundPanel), k, fourier),
                       hn::MulAdd(set(constants.boundSquare), k2, set(constants.boundConstant)));
    }

    /// What is remarkable about the lanes of a vector.
    struct Marks {
        HWY_ALIGN Real low[hn::MaxLanes(D())];
        HWY_ALIGN Real suspicious[hn::MaxLanes(D())];
        HWY_ALIGN Real over[hn::MaxLanes(D())];
        HWY_ALIGN Real bound[hn::MaxLanes(D())];

        template <class M> Marks(M isLow, M isSuspicious, M isOver, V bounds) {
            const D d;
            const auto one = hn::Set(d, Real{1});
            hn::Store(hn::IfThenElseZero(isLow, one), d, low);
            hn::Store(hn::IfThenElseZero(isSuspicious, one), d, suspicious);
            hn::Store(hn::IfThenElseZero(isOver, one), d, over);
            hn::Store(bounds, d, bound);
        }
    };

    // Statuses and the tally of the `count` lanes that begin at voxel `first` of a row.
    void mark(const Marks& marks, std::int64_t count, const Row& row, std::int64_t first) {
        for (std::int64_t lane = 0; lane < count; ++lane) {
            const std::int64_t i = first + lane;
            if (marks.suspicious[lane] != 0) {
                const double s1 = row.sums.s1[i];
                double score = 0;
                row.status[i] = settle(s1, row.sums.s2[i],
                                       Scores::numeratorOf(row.num[i], s1, m_constants), score);
                row.value[i] = static_cast<float>(score);
                if (row.exact != nullptr) {
                    row.exact[i] = score;
                }
                m_tally.marked += row.status[i] != 0 ? 1 : 0;
                continue; // settle() knows its bound
            }
            m_tally.overRange += marks.over[lane] != 0 ? 1 : 0;
            const auto bound = static_cast<double>(marks.bound[lane]);
            if (marks.low[lane] != 0) {
                row.status[i] = static_cast<std::uint8_t>(base::Status::LowConf);
                ++m_tally.marked;
                ++m_tally.lowConf;
                m_tally.largestLowConf = std::max(m_tally.largestLowConf, bound);
            } else {
                m_tally.largestBound = std::max(m_tally.largestBound, bound);
            }
        }
    }

    // A voxel of too little variance: with exact sums its variance is computed exactly, and with it
    // FLAT or the score; else the caller must look at the pixels.
    std::uint8_t settle(double s1, double s2, double num, double& value) {
        if (!m_constants.exactSums) {
            ++m_tally.suspicious;
            return kSuspicious;
        }
        __extension__ using Wide = __int128;
        const ScoreConstants& c = m_constants;
        const auto sum = static_cast<Wide>(s1 * c.unit);
        const auto square = static_cast<Wide>(s2 * c.unit * c.unit);
        const Wide scaled = static_cast<Wide>(c.count) * square - sum * sum;
        if (scaled == 0) {
            return static_cast<std::uint8_t>(base::Status::Flat);
        }
        const double variance = static_cast<double>(scaled) / (c.count * c.unit * c.unit);
        const double inverse = 1.0 / std::sqrt(variance);
        const double score = num * inverse;
        const double magnitude = std::abs(score);
        const double bound = std::min(c.boundNumerator * inverse + c.boundScore * magnitude,
                                      c.boundWorst * inverse) +
                             c.boundPanel * std::sqrt(s2) * inverse + c.boundConstant;
        m_tally.overRange += magnitude > 1 + bound ? 1 : 0;
        value = std::clamp(score, -1.0, 1.0);
        if (bound > c.promise) {
            m_tally.largestLowConf = std::max(m_tally.largestLowConf, bound);
            ++m_tally.lowConf;
            return static_cast<std::uint8_t>(base::Status::LowConf);
        }
        m_tally.largestBound = std::max(m_tally.largestBound, bound);
        return 0;
    }

    const Arguments& m_arguments;
    const ScoreConstants& m_constants;
    ScoreTally m_tally;
    V m_largest = hn::Zero(D());
    // A row on its way past the caches.
    static constexpr std::int64_t kMostStreamed = 2048;
    alignas(64) float m_values[kMostStreamed];
    alignas(64) std::uint8_t m_statuses[kMostStreamed];
    std::int64_t m_plain = 0;      ///< rows that were scored plainly
    std::int64_t m_remarkable = 0; ///< rows for which that was in vain
};

/// A part of a tile whose sums stay in cache: outputs from (column, row) on.
struct Strip {
    std::int64_t column = 0;
    std::int64_t columns = 0;
    std::int64_t row = 0;
    std::int64_t rows = 0;
};

// Scores of the rows of a strip of one slice, whose voxels (or sums along z) are `from`.
template <class From, class Scores>
HWY_INLINE void scoreSlice(const From& from, const base::Extents& m, const Strip& strip,
                           std::int64_t z, double* scratch, RowScorer<Scores>& scorer) {
    const std::int64_t columns = strip.columns + m.x - 1;
    const std::int64_t together = rowsTogether(columns);
    const SumRows to{scratch, sumsRow(columns)};
    windowsOfRows(from, m.y, strip.rows, 1, columns, together, to.at(together).s1,
                  [&](const SumRows& windows, std::int64_t first, std::int64_t rows) {
                      const SumRows sums = windowsAlongRows(windows, to, m.x, rows, strip.columns);
                      for (std::int64_t j = 0; j < rows; ++j) {
                          scorer(sums.at(j), strip.column, strip.columns, strip.row + first + j, z);
                      }
                  });
}

template <class Scores>
void scoreStrip(const typename RowScorer<Scores>::Arguments& a, const Strip& strip,
                RowScorer<Scores>& scorer) {
    using Real = typename Scores::Real;
    const Real* const corner = a.x.data + strip.row * a.x.rowStride + strip.column;
    if (a.m.z == 1) {
        for (std::int64_t z = 0; z < a.out.z; ++z) {
            scoreSlice(VoxelRows<Real>{corner + z * a.x.sliceStride, a.x.rowStride, 0}, a.m, strip,
                       z, a.scratch, scorer);
        }
        return;
    }
    // Along z first: the longest pass, along x, then has the fewest voxels left.
    const std::int64_t columns = strip.columns + a.m.x - 1;
    const std::int64_t lines = strip.rows + a.m.y - 1;
    double* const rest = a.scratch + (a.m.z + 2) * lines * 2 * sumsRow(columns);
    windowsOfRows(VoxelRows<Real>{corner, a.x.sliceStride, a.x.rowStride}, a.m.z, a.out.z, lines,
                  columns, 1, a.scratch, [&](const SumRows& plane, std::int64_t z, std::int64_t) {
                      scoreSlice(SumRows{plane.data, plane.stride}, a.m, strip, z, rest, scorer);
                  });
}

// As scoreStrip() from the sums it kept, in the same order.
template <class Scores>
void recallStrip(const typename RowScorer<Scores>::Arguments& a, const Strip& strip,
                 RowScorer<Scores>& scorer) {
    for (std::int64_t z = 0; z < a.out.z; ++z) {
        for (std::int64_t y = strip.row; y < strip.row + strip.rows; ++y) {
            scorer(keptSumsAt(a, strip.column, y, z), strip.column, strip.columns, y, z);
        }
    }
}

template <class Scores>
HWY_INLINE ScoreTally scoreAll(const typename RowScorer<Scores>::Arguments& a,
                               const ScoreConstants& constants) {
    RowScorer<Scores> scorer(a, constants);
    const base::Extents& size = a.strip;
    for (std::int64_t row = 0; row < a.out.y; row += size.y) {
        for (std::int64_t column = 0; column < a.out.x; column += size.x) {
            const Strip strip{column, std::min(size.x, a.out.x - column), row,
                              std::min(size.y, a.out.y - row)};
            if (a.recall) {
                recallStrip(a, strip, scorer);
            } else {
                scoreStrip(a, strip, scorer);
            }
        }
    }
    hwy::FlushStream();
    return scorer.tally();
}

ScoreTally scoreFloat(const ScoreArguments<float>& a, const ScoreConstants& constants) {
    return scoreAll<SingleScores>(a, constants);
}
ScoreTally scoreInteger(const ScoreArguments<float, std::int32_t>& a,
                        const ScoreConstants& constants) {
    return scoreAll<IntegerScores>(a, constants);
}
ScoreTally scoreDouble(const ScoreArguments<double>& a, const ScoreConstants& constants) {
    return scoreAll<DoubleScores>(a, constants);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(scoreFloat);
HWY_EXPORT(scoreDouble);
HWY_EXPORT(scoreInteger);

ScoreTally scoreTile(const ScoreArguments<float>& arguments, const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreFloat)(arguments, constants);
}
ScoreTally scoreTile(const ScoreArguments<double>& arguments, const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreDouble)(arguments, constants);
}
ScoreTally scoreTile(const ScoreArguments<float, std::int32_t>& arguments,
                     const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreInteger)(arguments, constants);
}

namespace {
constexpr std::int64_t kTogetherDoubles = 4096; // a quarter of a first-level cache
}

std::int64_t rowsTogether(std::int64_t columns) {
    const std::int64_t rows = kTogetherDoubles / (2 * sumsRow(columns));
    return rows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

base::Extents stripExtents(const base::Extents& m, const base::Extents& out) {
    // A block of m.y rows of sums, 16 bytes a voxel, in half of a second-level cache, or of m.z
    // planes of them in all of it, unless a strip has then more margin than inside.
    constexpr std::int64_t kVoxels = 32768;
    const auto whole = [](std::int64_t length) { return (length + 15) / 16 * 16; };
    const std::int64_t columns =
        std::min(out.x, std::max({std::int64_t{128}, 2 * whole(m.x), whole(kVoxels / m.y) - m.x}));
    const std::int64_t lines = 2 * kVoxels / (m.z + 2) / (columns + m.x - 1);
    const std::int64_t rows =
        m.z == 1 ? out.y : std::min(out.y, std::max({std::int64_t{8}, 2 * m.y, lines - m.y}));
    return {columns, rows, 1};
}

std::int64_t scoreScratch(const base::Extents& m, const base::Extents& strip) {
    const std::int64_t columns = strip.x + m.x - 1;
    const std::int64_t row = 2 * sumsRow(columns);
    // Of a narrower strip more rows are taken together.
    const std::int64_t together = std::max(kTogetherDoubles, row);
    const std::int64_t planes = m.z == 1 ? 0 : (m.z + 2) * (strip.y + m.y - 1);
    return (m.y + 1 + planes) * row + 2 * together + 64;
}

} // namespace flcc::cpu::simd
#endif
