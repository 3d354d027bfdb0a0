#include <algorithm>
#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using H = hn::Half<D>;
using DD = hn::Repartition<double, D>;

/// Two rows of doubles: sums of x and of x^2.
struct Sums {
    double* s1 = nullptr;
    double* s2 = nullptr;
};

// to = from + (x, x^2). The rows may run over their end by less than a vector (slack).
HWY_INLINE void addSquares(const float* x, Sums from, Sums to, std::int64_t count) {
    const D d;
    const H h;
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto v = hn::LoadU(d, x + i);
        const auto low = hn::PromoteTo(dd, hn::LowerHalf(h, v));
        const auto high = hn::PromoteTo(dd, hn::UpperHalf(h, v));
        hn::StoreU(hn::Add(hn::LoadU(dd, from.s1 + i), low), dd, to.s1 + i);
        hn::StoreU(hn::Add(hn::LoadU(dd, from.s1 + i + half), high), dd, to.s1 + i + half);
        hn::StoreU(hn::MulAdd(low, low, hn::LoadU(dd, from.s2 + i)), dd, to.s2 + i);
        hn::StoreU(hn::MulAdd(high, high, hn::LoadU(dd, from.s2 + i + half)), dd, to.s2 + i + half);
    }
}

HWY_INLINE void addRows(const double* a, const double* b, double* to, std::int64_t count) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    for (std::int64_t i = 0; i < count; i += lanes) {
        hn::StoreU(hn::Add(hn::LoadU(dd, a + i), hn::LoadU(dd, b + i)), dd, to + i);
    }
}

// Windows of `width` along `rows` rows of `count` outputs, `stride` apart: run(i) holds sums over a
// power of two, and the windows of the set bits of `width` are laid end to end in `to`. Additions
// only. Returns where the result stands: `run` or `to`.
HWY_INLINE const double* windowsAlongRows(double* run, double* to, std::int64_t width,
                                          std::int64_t count, std::int64_t rows,
                                          std::int64_t stride) {
    std::int64_t offset = 0;
    for (std::int64_t step = 1; step <= width; step *= 2) {
        const bool last = 2 * step > width;
        if ((width & step) != 0) {
            if (offset == 0 && last) {
                return run;
            }
            for (std::int64_t row = 0; row < rows; ++row) {
                double* const at = to + row * stride;
                const double* const from = run + row * stride + offset;
                if (offset == 0) {
                    std::copy_n(from, count, at);
                } else {
                    addRows(at, from, at, count);
                }
            }
            offset += step;
        }
        if (!last) {
            // The next run reaches as far as its windows are needed.
            for (std::int64_t row = 0; row < rows; ++row) {
                double* const at = run + row * stride;
                addRows(at, at + step, at, count + width - 2 * step);
            }
        }
    }
    return to;
}

// What rows of sums become.
class RowScorer {
  public:
    RowScorer(const ScoreArguments& arguments, const ScoreConstants& constants)
        : m_arguments(arguments), m_constants(constants) {}

    /// Scores of `rows` rows from y on. The sums of x stand at `sums`, `pair` doubles from row to
    /// row, those of x^2 `squares` doubles behind them.
    void operator()(const double* sums, std::int64_t squares, std::int64_t pair, std::int64_t y,
                    std::int64_t rows, std::int64_t z) {
        const D d;
        const H h;
        const DD dd;
        const hn::Rebind<std::uint8_t, D> bytes;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        const std::int64_t count = m_arguments.out.x;
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const auto inverseCount = hn::Set(dd, -1.0 / constants.count);
        const auto tiny = hn::Set(d, 0x1p-80F);
        const auto one = hn::Set(d, 1.0F);
        auto largest = hn::Zero(d);
        auto largestLow = hn::Zero(d);
        std::int64_t overRange = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            const double* const s1 = sums + row * pair;
            const double* const s2 = s1 + squares;
            const float* const num = m_arguments.num.data + z * m_arguments.num.sliceStride +
                                     (y + row) * m_arguments.num.rowStride;
            const std::int64_t at =
                z * m_arguments.mapSliceStride + (y + row) * m_arguments.mapRowStride;
            float* const value = m_arguments.value + at;
            std::uint8_t* const status = m_arguments.status + at;
            for (std::int64_t i = 0; i < count; i += lanes) {
                const auto a1 = hn::LoadU(dd, s1 + i);
                const auto b1 = hn::LoadU(dd, s1 + i + half);
                const auto a2 = hn::LoadU(dd, s2 + i);
                const auto b2 = hn::LoadU(dd, s2 + i + half);
                const auto aD = hn::MulAdd(hn::Mul(a1, inverseCount), a1, a2);
                const auto bD = hn::MulAdd(hn::Mul(b1, inverseCount), b1, b2);
                const auto variance = hn::Combine(d, hn::DemoteTo(h, bD), hn::DemoteTo(h, aD));
                const auto square = hn::Combine(d, hn::DemoteTo(h, b2), hn::DemoteTo(h, a2));
                const auto suspicious =
                    hn::Or(hn::Le(variance, hn::Mul(hn::Set(d, constants.suspicious), square)),
                           hn::Le(variance, tiny));
                const auto inverse = inverseRoot(d, hn::IfThenElse(suspicious, one, variance));
                const auto score =
                    hn::IfThenZeroElse(suspicious, hn::Mul(hn::LoadU(d, num + i), inverse));
                const auto bound = boundOf(d, constants, square, inverse, hn::Abs(score));
                const auto over =
                    hn::AndNot(suspicious, hn::Gt(hn::Abs(score), hn::Add(one, bound)));
                const auto low =
                    hn::AndNot(suspicious, hn::Gt(bound, hn::Set(d, constants.promise)));
                const auto clamped = hn::Min(hn::Max(score, hn::Neg(one)), one);
                if (i + lanes <= count) {
                    hn::StoreU(clamped, d, value + i);
                    hn::StoreU(hn::Zero(bytes), bytes, status + i);
                    hn::StoreU(bound, d, m_arguments.bounds + i);
                    const auto marked = hn::Or(low, suspicious);
                    largest = hn::Max(largest, hn::IfThenZeroElse(marked, bound));
                    if (!hn::AllFalse(d, hn::Or(marked, over))) {
                        overRange += static_cast<std::int64_t>(hn::CountTrue(d, over));
                        largestLow = hn::Max(largestLow, hn::IfThenElseZero(low, bound));
                        mark(d, low, suspicious, status + i, lanes, s1 + i, s2 + i, num + i,
                             value + i);
                    }
                } else {
                    std::fill_n(status + i, count - i, std::uint8_t{0});
                    last(d, clamped, bound, low, suspicious, over, count - i, value + i, status + i,
                         m_arguments.bounds + i, s1 + i, s2 + i, num + i);
                }
            }
        }
        m_tally.overRange += overRange;
        m_tally.largestBound =
            std::max(m_tally.largestBound, hn::GetLane(hn::MaxOfLanes(d, largest)));
        m_tally.largestLowConf =
            std::max(m_tally.largestLowConf, hn::GetLane(hn::MaxOfLanes(d, largestLow)));
    }

    [[nodiscard]] const ScoreTally& tally() const { return m_tally; }

  private:
    // 1 / sqrt(v): an approximation of at least 11 bits and two Newton steps, 2 u at most.
    static hn::Vec<D> inverseRoot(D d, hn::Vec<D> v) {
        const auto half = hn::Mul(v, hn::Set(d, -0.5F));
        const auto threeHalves = hn::Set(d, 1.5F);
        auto y = hn::ApproximateReciprocalSqrt(v);
        y = hn::Mul(y, hn::MulAdd(hn::Mul(half, y), y, threeHalves));
        return hn::Mul(y, hn::MulAdd(hn::Mul(half, y), y, threeHalves));
    }

    static hn::Vec<D> boundOf(D d, const ScoreConstants& constants, hn::Vec<D> squares,
                              hn::Vec<D> inverse, hn::Vec<D> magnitude) {
        const auto k2 = hn::Mul(hn::Mul(squares, inverse), inverse);
        const auto k = hn::Mul(k2, inverseRoot(d, hn::Max(k2, hn::Set(d, 1e-30F))));
        const auto fourier =
            hn::Min(hn::MulAdd(hn::Set(d, constants.boundNumerator), inverse,
                               hn::Mul(hn::Set(d, constants.boundScore), magnitude)),
                    hn::Mul(hn::Set(d, constants.boundWorst), inverse));
        return hn::Add(
            hn::MulAdd(hn::Set(d, constants.boundPanel), k, fourier),
            hn::MulAdd(hn::Set(d, constants.boundSquare), k2, hn::Set(d, constants.boundConstant)));
    }

    template <class M>
    void mark(D d, M low, M suspicious, std::uint8_t* status, std::int64_t count, const double* s1,
              const double* s2, const float* num, float* value) {
        HWY_ALIGN float lowLanes[hn::MaxLanes(D())];
        HWY_ALIGN float suspiciousLanes[hn::MaxLanes(D())];
        const auto one = hn::Set(d, 1.0F);
        hn::Store(hn::IfThenElseZero(low, one), d, lowLanes);
        hn::Store(hn::IfThenElseZero(suspicious, one), d, suspiciousLanes);
        for (std::int64_t i = 0; i < count; ++i) {
            if (suspiciousLanes[i] != 0) {
                status[i] = settle(s1[i], s2[i], num[i], value[i]);
                m_tally.marked += status[i] != 0 ? 1 : 0;
            } else if (lowLanes[i] != 0) {
                status[i] = static_cast<std::uint8_t>(base::Status::LowConf);
                ++m_tally.marked;
            }
        }
    }

    // The rest of a row that is shorter than a vector.
    template <class M>
    void last(D d, hn::Vec<D> score, hn::Vec<D> bound, M low, M suspicious, M over,
              std::int64_t count, float* value, std::uint8_t* status, float* bounds,
              const double* s1, const double* s2, const float* num) {
        HWY_ALIGN float scores[hn::MaxLanes(D())];
        HWY_ALIGN float boundLanes[hn::MaxLanes(D())];
        HWY_ALIGN float overLanes[hn::MaxLanes(D())];
        HWY_ALIGN float suspiciousLanes[hn::MaxLanes(D())];
        const auto one = hn::Set(d, 1.0F);
        hn::Store(score, d, scores);
        hn::Store(bound, d, boundLanes);
        hn::Store(hn::IfThenElseZero(over, one), d, overLanes);
        hn::Store(hn::IfThenElseZero(suspicious, one), d, suspiciousLanes);
        std::copy_n(scores, count, value);
        std::copy_n(boundLanes, count, bounds);
        mark(d, low, suspicious, status, count, s1, s2, num, value);
        for (std::int64_t i = 0; i < count; ++i) {
            m_tally.overRange += overLanes[i] != 0 ? 1 : 0;
            if (suspiciousLanes[i] != 0) {
                continue; // settle() knows its bound
            }
            if (status[i] == 0) {
                m_tally.largestBound = std::max(m_tally.largestBound, boundLanes[i]);
            } else if (status[i] == static_cast<std::uint8_t>(base::Status::LowConf)) {
                m_tally.largestLowConf = std::max(m_tally.largestLowConf, boundLanes[i]);
            }
        }
    }

    // A voxel of too little variance: with exact sums its variance is computed exactly, and with it
    // FLAT or the score; else the caller must look at the pixels.
    std::uint8_t settle(double s1, double s2, float num, float& value) {
        if (!m_constants.exactSums) {
            ++m_tally.suspicious;
            return kSuspicious;
        }
        __extension__ using Wide = __int128;
        const auto sum = static_cast<Wide>(s1 * m_constants.unit);
        const auto square = static_cast<Wide>(s2 * m_constants.unit * m_constants.unit);
        const Wide scaled = static_cast<Wide>(m_constants.count) * square - sum * sum;
        if (scaled == 0) {
            value = 0;
            return static_cast<std::uint8_t>(base::Status::Flat);
        }
        const double variance =
            static_cast<double>(scaled) / (m_constants.count * m_constants.unit * m_constants.unit);
        const double inverse = 1.0 / std::sqrt(variance);
        const double score = static_cast<double>(num) * inverse;
        const double k = std::sqrt(s2) * inverse;
        const double magnitude = std::abs(score);
        const auto wide = [](float factor) { return static_cast<double>(factor); };
        const double bound = std::min(wide(m_constants.boundNumerator) * inverse +
                                          wide(m_constants.boundScore) * magnitude,
                                      wide(m_constants.boundWorst) * inverse) +
                             wide(m_constants.boundPanel) * k + wide(m_constants.boundConstant);
        m_tally.overRange += magnitude > 1 + bound ? 1 : 0;
        value = static_cast<float>(std::clamp(score, -1.0, 1.0));
        if (bound > wide(m_constants.promise)) {
            m_tally.largestLowConf = std::max(m_tally.largestLowConf, static_cast<float>(bound));
            return static_cast<std::uint8_t>(base::Status::LowConf);
        }
        m_tally.largestBound = std::max(m_tally.largestBound, static_cast<float>(bound));
        return 0;
    }

    const ScoreArguments& m_arguments;
    const ScoreConstants& m_constants;
    ScoreTally m_tally;
};

// Window sums of one slice, handed on as `use(sums, squares, pair, y, rows)`, see RowScorer. Van
// Herk along y: a window of m.y rows is the tail of one block of m.y rows and the head of the next.
template <class Use>
HWY_INLINE void planeSums(const float* x, std::int64_t rowStride, const base::Extents& m,
                          const base::Extents& out, double* scratch, Use&& use) {
    const std::int64_t columns = out.x + m.x - 1;
    const std::int64_t row = sumsRow(columns);
    const std::int64_t pair = 2 * row;
    double* const zero = scratch;
    const Sums head{zero + row, zero + 2 * row};
    double* const runs = zero + 3 * row;
    double* const done = runs + kRowsTogether * pair;
    double* const tails = done + kRowsTogether * pair;
    const auto tail = [&](std::int64_t j) {
        return Sums{tails + j * pair, tails + j * pair + row};
    };
    std::fill_n(zero, row, 0.0);
    for (std::int64_t block = 0; block < out.y; block += m.y) {
        Sums before{zero, zero};
        for (std::int64_t j = m.y - 1; j >= 0; --j) {
            addSquares(x + (block + j) * rowStride, before, tail(j), columns);
            before = tail(j);
        }
        std::fill_n(head.s1, pair, 0.0);
        const std::int64_t rows = std::min(m.y, out.y - block);
        for (std::int64_t from = 0; from < rows; from += kRowsTogether) {
            const std::int64_t together = std::min(kRowsTogether, rows - from);
            for (std::int64_t j = from; j < from + together; ++j) {
                if (j > 0) {
                    addSquares(x + (block + m.y + j - 1) * rowStride, head, head, columns);
                }
                double* const run = runs + (j - from) * pair;
                addRows(tail(j).s1, head.s1, run, columns);
                addRows(tail(j).s2, head.s2, run + row, columns);
            }
            // The sums of x and of x^2 of a row are two rows of the same pass.
            const double* const sums = windowsAlongRows(runs, done, m.x, out.x, 2 * together, row);
            use(sums, row, pair, block + from, together);
        }
    }
}

// Van Herk along z over the planes of window sums, a block of m.z slices at a time.
void volumeScores(const ScoreArguments& a, RowScorer& scorer) {
    const std::int64_t row = sumsRow(a.out.x);
    const std::int64_t plane = 2 * row * a.out.y;
    double* const head = a.scratch;
    double* tails = head + plane;
    double* next = tails + a.m.z * plane;
    double* const scratch = next + a.m.z * plane;
    const auto sums = [&](std::int64_t slice, double* to) {
        planeSums(a.x.data + slice * a.x.sliceStride, a.x.rowStride, a.m, a.out, scratch,
                  [&](const double* windows, std::int64_t squares, std::int64_t pair,
                      std::int64_t y, std::int64_t rows) {
                      for (std::int64_t j = 0; j < rows; ++j) {
                          std::copy_n(windows + j * pair, a.out.x, to + 2 * (y + j) * row);
                          std::copy_n(windows + j * pair + squares, a.out.x,
                                      to + (2 * (y + j) + 1) * row);
                      }
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
            double* const windows = tails + k * plane;
            addRows(windows, head, windows, plane);
            scorer(windows, row, 2 * row, 0, a.out.y, block + k);
        }
        if (block + a.m.z < a.out.z) {
            sums(block + 2 * a.m.z - 1, next + (a.m.z - 1) * plane);
            std::swap(tails, next);
        }
    }
}

ScoreTally score(const ScoreArguments& arguments, const ScoreConstants& constants) {
    RowScorer scorer(arguments, constants);
    if (arguments.m.z > 1) {
        volumeScores(arguments, scorer);
        return scorer.tally();
    }
    for (std::int64_t z = 0; z < arguments.out.z; ++z) {
        planeSums(arguments.x.data + z * arguments.x.sliceStride, arguments.x.rowStride,
                  arguments.m, arguments.out, arguments.scratch,
                  [&](const double* windows, std::int64_t squares, std::int64_t pair,
                      std::int64_t y,
                      std::int64_t rows) { scorer(windows, squares, pair, y, rows, z); });
    }
    return scorer.tally();
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(score);

ScoreTally scoreTile(const ScoreArguments& arguments, const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(score)(arguments, constants);
}

std::int64_t scoreScratch(const base::Extents& m, const base::Extents& out) {
    const std::int64_t planes = (3 + 4 * kRowsTogether + 2 * m.y) * sumsRow(out.x + m.x - 1);
    const std::int64_t volume = m.z == 1 ? 0 : (2 * m.z + 1) * 2 * sumsRow(out.x) * out.y;
    return planes + volume + 64;
}

} // namespace flcc::cpu::simd
#endif
