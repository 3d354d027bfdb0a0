#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DD = hn::ScalableTag<double>;

/// Two rows of doubles: sums of x and of x^2.
struct Sums {
    double* s1 = nullptr;
    double* s2 = nullptr;
};

/// Rows of sums of x and of x^2 in turn, `stride` doubles each.
struct SumRows {
    double* data = nullptr;
    std::int64_t stride = 0;
    [[nodiscard]] Sums at(std::int64_t j) const {
        return {data + 2 * j * stride, data + (2 * j + 1) * stride};
    }
};

HWY_INLINE void addRows(const double* a, const double* b, double* to, std::int64_t count) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    for (std::int64_t i = 0; i < count; i += lanes) {
        hn::StoreU(hn::Add(hn::LoadU(dd, a + i), hn::LoadU(dd, b + i)), dd, to + i);
    }
}

HWY_INLINE hn::Vec<DD> loadDoubles(const float* x) {
    return hn::PromoteTo(DD(), hn::LoadU(hn::Rebind<float, DD>(), x));
}
HWY_INLINE hn::Vec<DD> loadDoubles(const double* x) { return hn::LoadU(DD(), x); }

// to = x and x^2, or their sums over two neighbours along x. The row may run over its end by less
// than a vector (slack).
template <bool kPairs, class Real>
HWY_INLINE void loadRow(const Real* x, Sums to, std::int64_t count) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto a = loadDoubles(x + i);
        if constexpr (kPairs) {
            const auto b = loadDoubles(x + i + 1);
            hn::StoreU(hn::Add(a, b), dd, to.s1 + i);
            hn::StoreU(hn::MulAdd(b, b, hn::Mul(a, a)), dd, to.s2 + i);
        } else {
            hn::StoreU(a, dd, to.s1 + i);
            hn::StoreU(hn::Mul(a, a), dd, to.s2 + i);
        }
    }
}

// Windows of `width` along `rows` rows that begin at `x`, `stride` apart: `run` holds sums over a
// power of two, and the windows of the set bits of `width` are laid end to end in `to`. Additions
// only. A pass goes over all rows before the next one reads what it stored.
template <class Real>
HWY_INLINE void windowsAlongRows(const Real* x, std::int64_t stride, std::int64_t width,
                                 std::int64_t rows, std::int64_t count, const SumRows& run,
                                 const SumRows& to) {
    const SumRows& pairs = width == 2 ? to : run;
    for (std::int64_t j = 0; j < rows; ++j) {
        if (width % 2 != 0) {
            loadRow<false>(x + j * stride, to.at(j), count);
        }
        if (width > 1) {
            loadRow<true>(x + j * stride, pairs.at(j), count + width - 2);
        }
    }
    const auto forLines = [&](auto&& use) {
        for (std::int64_t line = 0; line < 2 * rows; ++line) {
            use(run.data + line * run.stride, to.data + line * to.stride);
        }
    };
    std::int64_t offset = width % 2;
    for (std::int64_t step = 2; step < width; step *= 2) {
        if ((width & step) != 0 && offset == 0) {
            forLines([&](const double* from, double* at) { std::copy_n(from, count, at); });
        } else if ((width & step) != 0) {
            forLines(
                [&](const double* from, double* at) { addRows(at, from + offset, at, count); });
        }
        offset += width & step;
        if (2 * step == width) {
            forLines(
                [&](const double* from, double* at) { addRows(from, from + step, at, count); });
        } else if (2 * step < width) {
            // The next run reaches as far as its windows are needed.
            forLines(
                [&](double* at, double*) { addRows(at, at + step, at, count + width - 2 * step); });
        }
    }
}

// The vectors scores are made of: of float two vectors of doubles give one.
struct SingleScores {
    using Real = float;
    using Numerator = float;
    using D = hn::Repartition<float, DD>;
    using H = hn::Half<D>;
    using V = hn::Vec<D>;
    static constexpr float kTiny = 0x1p-80F;

    // Of the panels from `i` on: s2, D = s2 - s1^2 / N and the numerators.
    static HWY_INLINE void panels(const Sums& tail, const Sums& head, const float* num,
                                  std::int64_t i, const ScoreConstants& constants, V& square,
                                  V& variance, V& numerator) {
        sums(tail, head, i, constants, square, variance, nullptr);
        numerator = hn::LoadU(D(), num + i);
    }
    static double numeratorOf(float num, double, const ScoreConstants&) {
        return static_cast<double>(num);
    }

    // `s1` takes both vectors of sums where it is asked for.
    static HWY_INLINE void sums(const Sums& tail, const Sums& head, std::int64_t i,
                                const ScoreConstants& constants, V& square, V& variance,
                                hn::Vec<DD>* s1) {
        const D d;
        const H h;
        const DD dd;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        const auto inverseCount = hn::Set(dd, -1.0 / constants.count);
        const auto sum = [&](const double* a, const double* b) {
            return hn::Add(hn::LoadU(dd, a), hn::LoadU(dd, b));
        };
        const auto a1 = sum(tail.s1 + i, head.s1 + i);
        const auto b1 = sum(tail.s1 + i + half, head.s1 + i + half);
        const auto a2 = sum(tail.s2 + i, head.s2 + i);
        const auto b2 = sum(tail.s2 + i + half, head.s2 + i + half);
        const auto aD = hn::MulAdd(hn::Mul(a1, inverseCount), a1, a2);
        const auto bD = hn::MulAdd(hn::Mul(b1, inverseCount), b1, b2);
        variance = hn::Combine(d, hn::DemoteTo(h, bD), hn::DemoteTo(h, aD));
        square = hn::Combine(d, hn::DemoteTo(h, b2), hn::DemoteTo(h, a2));
        if (s1 != nullptr) {
            s1[0] = a1;
            s1[1] = b1;
        }
    }

    // 1 / sqrt(v), 2 u at most: an approximation and Newton steps. AVX-512 begins with 14 bits, the
    // others with 11.
    static HWY_INLINE V inverseRoot(V v) {
        const D d;
        const auto half = hn::Mul(v, hn::Set(d, -0.5F));
        const auto threeHalves = hn::Set(d, 1.5F);
        auto y = hn::ApproximateReciprocalSqrt(v);
        y = hn::Mul(y, hn::MulAdd(hn::Mul(half, y), y, threeHalves));
        if constexpr (HWY_TARGET > HWY_AVX3) {
            y = hn::Mul(y, hn::MulAdd(hn::Mul(half, y), y, threeHalves));
        }
        return y;
    }

    // sqrt(v) from above: the approximation is right to 11 bits.
    static HWY_INLINE V rootAbove(V v) {
        const D d;
        return hn::Mul(hn::Mul(v, hn::Set(d, 1.001F)),
                       hn::ApproximateReciprocalSqrt(hn::Max(v, hn::Set(d, 1e-30F))));
    }

    static HWY_INLINE void store(V v, float* to) { hn::StoreU(v, D(), to); }
};

// Integer numerators, for which no rounding is left but that of the score itself: all products of
// counts stay below 2^53.
struct IntegerScores : SingleScores {
    using Numerator = std::int32_t;

    static HWY_INLINE void panels(const Sums& tail, const Sums& head, const std::int32_t* num,
                                  std::int64_t i, const ScoreConstants& constants, V& square,
                                  V& variance, V& numerator) {
        const D d;
        const H h;
        const DD dd;
        const hn::Rebind<std::int32_t, DD> integers;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        hn::Vec<DD> s1[2];
        sums(tail, head, i, constants, square, variance, s1);
        const auto of = [&](std::int64_t at, hn::Vec<DD> sum) {
            const auto products = hn::PromoteTo(dd, hn::LoadU(integers, num + at));
            const auto counts = hn::MulAdd(sum, hn::Set(dd, constants.unit),
                                           hn::Set(dd, constants.count * constants.level));
            const auto exact = hn::NegMulAdd(counts, hn::Set(dd, constants.templSum),
                                             hn::Mul(products, hn::Set(dd, constants.count)));
            return hn::DemoteTo(h, hn::Mul(exact, hn::Set(dd, constants.numeratorScale)));
        };
        const auto low = of(i, s1[0]);
        numerator = hn::Combine(d, of(i + half, s1[1]), low);
    }
    static double numeratorOf(std::int32_t num, double s1, const ScoreConstants& constants) {
        const double counts = s1 * constants.unit + constants.count * constants.level;
        return (num * constants.count - counts * constants.templSum) * constants.numeratorScale;
    }
};

struct DoubleScores {
    using Real = double;
    using Numerator = double;
    using D = DD;
    using V = hn::Vec<D>;
    static constexpr double kTiny = 0x1p-900;

    static HWY_INLINE void panels(const Sums& tail, const Sums& head, const double* num,
                                  std::int64_t i, const ScoreConstants& constants, V& square,
                                  V& variance, V& numerator) {
        const D d;
        const auto inverseCount = hn::Set(d, -1.0 / constants.count);
        const auto s1 = hn::Add(hn::LoadU(d, tail.s1 + i), hn::LoadU(d, head.s1 + i));
        square = hn::Add(hn::LoadU(d, tail.s2 + i), hn::LoadU(d, head.s2 + i));
        variance = hn::MulAdd(hn::Mul(s1, inverseCount), s1, square);
        numerator = hn::LoadU(d, num + i);
    }
    static double numeratorOf(double num, double, const ScoreConstants&) { return num; }
    static HWY_INLINE V inverseRoot(V v) { return hn::Div(hn::Set(D(), 1.0), hn::Sqrt(v)); }
    static HWY_INLINE V rootAbove(V v) { return hn::Mul(hn::Sqrt(v), hn::Set(D(), 1.001)); }
    static HWY_INLINE void store(V v, float* to) {
        const hn::Rebind<float, D> f;
        hn::StoreU(hn::DemoteTo(f, v), f, to);
    }
};

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

    /// Scores of `count` voxels of row (y, z) from `column` on; their sums are those of `tail` plus
    /// those of `head`.
    void operator()(const Sums& tail, const Sums& head, std::int64_t column, std::int64_t count,
                    std::int64_t y, std::int64_t z) {
        const D d;
        const hn::Rebind<std::uint8_t, D> bytes;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const auto one = hn::Set(d, Real{1});
        auto largest = m_largest;
        const Numerator* const num = m_arguments.num.data + z * m_arguments.num.sliceStride +
                                     y * m_arguments.num.rowStride + column;
        const std::int64_t at =
            z * m_arguments.mapSliceStride + y * m_arguments.mapRowStride + column;
        float* const value = m_arguments.value + at;
        double* const exact = m_arguments.exact == nullptr ? nullptr : m_arguments.exact + at;
        std::uint8_t* const status = m_arguments.status + at;
        float* const bounds = m_arguments.bounds + column;
        for (std::int64_t i = 0; i < count; i += lanes) {
            V square;
            V variance;
            V numerator;
            Scores::panels(tail, head, num, i, constants, square, variance, numerator);
            const auto suspicious =
                hn::Or(hn::Le(variance, hn::Mul(set(constants.suspicious), square)),
                       hn::Le(variance, hn::Set(d, Scores::kTiny)));
            const auto inverse = Scores::inverseRoot(hn::IfThenElse(suspicious, one, variance));
            const auto score = hn::IfThenZeroElse(suspicious, hn::Mul(numerator, inverse));
            const auto bound = boundOf(constants, square, inverse, hn::Abs(score));
            const auto over = hn::AndNot(suspicious, hn::Gt(hn::Abs(score), hn::Add(one, bound)));
            const auto low = hn::AndNot(suspicious, hn::Gt(bound, set(constants.promise)));
            const auto clamped = hn::Min(hn::Max(score, hn::Neg(one)), one);
            const auto marked = hn::Or(low, suspicious);
            if (i + lanes <= count) {
                Scores::store(clamped, value + i);
                if constexpr (std::is_same_v<Real, double>) {
                    if (exact != nullptr) {
                        hn::StoreU(clamped, d, exact + i);
                    }
                }
                hn::StoreU(hn::Zero(bytes), bytes, status + i);
                Scores::store(bound, bounds + i);
                largest = hn::Max(largest, hn::IfThenZeroElse(marked, bound));
                if (!hn::AllFalse(d, hn::Or(marked, over))) {
                    const Marks marks(low, suspicious, over, bound);
                    mark(marks, lanes, tail, head, i, num, value, exact, status);
                }
            } else {
                HWY_ALIGN Real scores[hn::MaxLanes(D())];
                hn::Store(clamped, d, scores);
                const Marks marks(low, suspicious, over, bound);
                for (std::int64_t lane = 0; lane < count - i; ++lane) {
                    value[i + lane] = static_cast<float>(scores[lane]);
                    bounds[i + lane] = static_cast<float>(marks.bound[lane]);
                    if (exact != nullptr) {
                        exact[i + lane] = static_cast<double>(scores[lane]);
                    }
                }
                std::fill_n(status + i, count - i, std::uint8_t{0});
                mark(marks, count - i, tail, head, i, num, value, exact, status);
            }
        }
        m_largest = largest;
    }

    [[nodiscard]] ScoreTally tally() const {
        ScoreTally tally = m_tally;
        tally.largestBound = std::max(
            tally.largestBound, static_cast<double>(hn::GetLane(hn::MaxOfLanes(D(), m_largest))));
        return tally;
    }

  private:
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
    void mark(const Marks& marks, std::int64_t count, const Sums& tail, const Sums& head,
              std::int64_t first, const Numerator* num, float* value, double* exact,
              std::uint8_t* status) {
        for (std::int64_t lane = 0; lane < count; ++lane) {
            const std::int64_t i = first + lane;
            if (marks.suspicious[lane] != 0) {
                const double s1 = tail.s1[i] + head.s1[i];
                double score = 0;
                status[i] = settle(s1, tail.s2[i] + head.s2[i],
                                   Scores::numeratorOf(num[i], s1, m_constants), score);
                value[i] = static_cast<float>(score);
                if (exact != nullptr) {
                    exact[i] = score;
                }
                m_tally.marked += status[i] != 0 ? 1 : 0;
                continue; // settle() knows its bound
            }
            m_tally.overRange += marks.over[lane] != 0 ? 1 : 0;
            const auto bound = static_cast<double>(marks.bound[lane]);
            if (marks.low[lane] != 0) {
                status[i] = static_cast<std::uint8_t>(base::Status::LowConf);
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
};

/// A part of a tile whose sums stay in cache: outputs from (column, row) on.
struct Strip {
    std::int64_t column = 0;
    std::int64_t columns = 0;
    std::int64_t row = 0;
    std::int64_t rows = 0;
};

// Window sums of a strip of one slice, handed on a row at a time as `use(tail, head, y)`: the sums
// are those of both. Van Herk along y: a window of m.y rows is the tail of one block of m.y rows
// and the head of the next.
template <class Real, class Use>
HWY_INLINE void stripSums(const VoxelBox<Real>& x, std::int64_t slice, const base::Extents& m,
                          const Strip& strip, double* scratch, Use&& use) {
    const Real* const corner =
        x.data + slice * x.sliceStride + strip.row * x.rowStride + strip.column;
    const std::int64_t row = sumsRow(strip.columns);
    SumRows now{scratch, row};
    SumRows next{now.data + 2 * row * m.y, row};
    const SumRows head{next.data + 2 * row * m.y, row};
    const SumRows run{head.data + 2 * row, sumsRow(strip.columns + m.x - 1)};
    const auto fill = [&](const SumRows& to, std::int64_t block, std::int64_t from,
                          std::int64_t until) {
        for (std::int64_t j = from; j < until; j += kRowsTogether) {
            windowsAlongRows(corner + (block + j) * x.rowStride, x.rowStride, m.x,
                             std::min(kRowsTogether, until - j), strip.columns, run,
                             {to.at(j).s1, row});
        }
    };
    fill(now, 0, 0, m.y);
    for (std::int64_t block = 0; block < strip.rows; block += m.y) {
        for (std::int64_t j = m.y - 2; j >= 0; --j) {
            addRows(now.at(j).s1, now.at(j + 1).s1, now.at(j).s1, 2 * row);
        }
        std::fill_n(head.data, 2 * row, 0.0);
        const std::int64_t rows = std::min(m.y, strip.rows - block);
        const bool more = block + m.y < strip.rows;
        fill(next, block + m.y, 0, more ? m.y : rows - 1);
        for (std::int64_t j = 0; j < rows; ++j) {
            if (j > 0) {
                addRows(head.data, next.at(j - 1).s1, head.data, 2 * row);
            }
            use(now.at(j), head.at(0), strip.row + block + j);
        }
        std::swap(now, next);
    }
}

// Van Herk along z over the planes of window sums of a strip, a block of m.z slices at a time.
template <class Scores>
void volumeScores(const typename RowScorer<Scores>::Arguments& a, const Strip& strip,
                  RowScorer<Scores>& scorer) {
    const std::int64_t row = sumsRow(strip.columns);
    const std::int64_t plane = 2 * row * strip.rows;
    double* const head = a.scratch;
    double* tails = head + plane;
    double* next = tails + a.m.z * plane;
    double* const scratch = next + a.m.z * plane;
    const auto sums = [&](std::int64_t slice, double* to) {
        stripSums(a.x, slice, a.m, strip, scratch,
                  [&](const Sums& tail, const Sums& rest, std::int64_t y) {
                      addRows(tail.s1, rest.s1, to + 2 * (y - strip.row) * row, 2 * row);
                  });
    };
    for (std::int64_t k = 0; k < a.m.z; ++k) {
        sums(k, tails + k * plane);
    }
    for (std::int64_t block = 0; block < a.out.z; block += a.m.z) {
        for (std::int64_t k = a.m.z - 2; k >= 0; --k) {
            addRows(tails + k * plane, tails + (k + 1) * plane, tails + k * plane, plane);
        }
        std::fill_n(head, plane, 0.0);
        const std::int64_t slices = std::min(a.m.z, a.out.z - block);
        for (std::int64_t k = 0; k < slices; ++k) {
            if (k > 0) {
                double* const entering = next + (k - 1) * plane;
                sums(block + a.m.z + k - 1, entering);
                addRows(head, entering, head, plane);
            }
            const SumRows tail{tails + k * plane, row};
            const SumRows rest{head, row};
            for (std::int64_t y = 0; y < strip.rows; ++y) {
                scorer(tail.at(y), rest.at(y), strip.column, strip.columns, strip.row + y,
                       block + k);
            }
        }
        if (block + a.m.z < a.out.z) {
            sums(block + 2 * a.m.z - 1, next + (a.m.z - 1) * plane);
            std::swap(tails, next);
        }
    }
}

template <class Scores>
HWY_INLINE ScoreTally scoreAll(const typename RowScorer<Scores>::Arguments& a,
                               const ScoreConstants& constants) {
    RowScorer<Scores> scorer(a, constants);
    const base::Extents size = stripExtents(a.m, a.out);
    for (std::int64_t row = 0; row < a.out.y; row += size.y) {
        for (std::int64_t column = 0; column < a.out.x; column += size.x) {
            const Strip strip{column, std::min(size.x, a.out.x - column), row,
                              std::min(size.y, a.out.y - row)};
            if (a.m.z > 1) {
                volumeScores(a, strip, scorer);
                continue;
            }
            for (std::int64_t z = 0; z < a.out.z; ++z) {
                stripSums(a.x, z, a.m, strip, a.scratch,
                          [&](const Sums& tail, const Sums& head, std::int64_t y) {
                              scorer(tail, head, strip.column, strip.columns, y, z);
                          });
            }
        }
    }
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

base::Extents stripExtents(const base::Extents& m, const base::Extents& out) {
    // Two blocks of m.y rows of sums, 16 bytes a voxel, beside the rest of a first-level cache; of
    // a volume two blocks of m.z planes beside that of the second level. The cut to `out` comes
    // last, so that a smaller tile never has a larger strip.
    constexpr std::int64_t kFirst = 2048;
    constexpr std::int64_t kSecond = 32768;
    const auto whole = [](std::int64_t length) { return (length + 15) / 16 * 16; };
    const std::int64_t columns =
        std::max({std::int64_t{128}, 3 * whole(m.x), kFirst / m.y / 16 * 16});
    const std::int64_t rows =
        m.z == 1 ? out.y : std::max({std::int64_t{8}, m.y, kSecond / 2 / m.z / columns});
    return {std::min(out.x, columns), std::min(out.y, rows), 1};
}

std::int64_t scoreScratch(const base::Extents& m, const base::Extents& out) {
    const base::Extents strip = stripExtents(m, out);
    const std::int64_t planes =
        (4 * m.y + 2) * sumsRow(strip.x) + 2 * kRowsTogether * sumsRow(strip.x + m.x - 1);
    const std::int64_t volume = m.z == 1 ? 0 : (2 * m.z + 1) * 2 * sumsRow(strip.x) * strip.y;
    return planes + volume + 64;
}

} // namespace flcc::cpu::simd
#endif
