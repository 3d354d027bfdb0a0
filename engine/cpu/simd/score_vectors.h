// Scores and their terms, one vector at a time. Files that include <hwy/foreach_target.h> compile
// this one once for every instruction set.
#if defined(FLCC_SCORE_VECTORS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_SCORE_VECTORS_ONCE
#undef FLCC_SCORE_VECTORS_ONCE
#else
#define FLCC_SCORE_VECTORS_ONCE
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// Scores in float from float numerators: two vectors of doubles make one vector of scores.
struct SingleScores {
    using Real = float;
    using Numerator = float;
    using D = hn::Repartition<float, DD>;
    using H = hn::Half<D>;
    using V = hn::Vec<D>;
    static constexpr float kTiny = 0x1p-80F;
    static constexpr bool kKeepsInverses = true; ///< 1 / sqrt(D) serves further numerators
    static constexpr bool kSumErrors = false;    ///< ScoreConstants::varianceOne and others count

    // For the panels from `i` on: s2, D = s2 - s1^2 / N and the numerators.
    template <class S>
    static HWY_INLINE void panels(const S& sums, const float* num, std::int64_t i,
                                  const ScoreConstants& constants, V& square, V& variance,
                                  V& numerator) {
        variances(sums, i, constants, square, variance, nullptr);
        numerator = hn::LoadU(D(), num + i);
    }
    static double numeratorOf(float num, double, const ScoreConstants&) {
        return static_cast<double>(num);
    }

    // `s1`, if not null, gets both vectors of s1.
    template <class S>
    static HWY_INLINE void variances(const S& sums, std::int64_t i, const ScoreConstants& constants,
                                     V& square, V& variance, hn::Vec<DD>* s1) {
        const D d;
        const H h;
        const DD dd;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        const auto inverseCount = hn::Set(dd, -1.0 / constants.count);
        const auto a1 = sums.first(i);
        const auto b1 = sums.first(i + half);
        const auto a2 = sums.second(i);
        const auto b2 = sums.second(i + half);
        const auto aD = hn::MulAdd(hn::Mul(a1, inverseCount), a1, a2);
        const auto bD = hn::MulAdd(hn::Mul(b1, inverseCount), b1, b2);
        variance = hn::Combine(d, hn::DemoteTo(h, bD), hn::DemoteTo(h, aD));
        square = hn::Combine(d, hn::DemoteTo(h, b2), hn::DemoteTo(h, a2));
        if (s1 != nullptr) {
            s1[0] = a1;
            s1[1] = b1;
        }
    }

    // 1 / sqrt(v) with a relative error of at most 2 u: an approximation, then Newton steps. The
    // approximation has 14 bits with AVX-512 and 11 bits otherwise.
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

    // An upper bound of sqrt(v): the approximation has 11 bits, the factor 1.001 covers its error.
    static HWY_INLINE V rootAbove(V v) {
        const D d;
        return hn::Mul(hn::Mul(v, hn::Set(d, 1.001F)),
                       hn::ApproximateReciprocalSqrt(hn::Max(v, hn::Set(d, 1e-30F))));
    }

    static HWY_INLINE void store(V v, float* to) { hn::StoreU(v, D(), to); }
};

// Scores in float from numerators with That less a level.
struct LevelScores : SingleScores {
    static constexpr bool kKeepsInverses = false;

    template <class S>
    static HWY_INLINE void panels(const S& sums, const float* num, std::int64_t i,
                                  const ScoreConstants& constants, V& square, V& variance,
                                  V& numerator) {
        const D d;
        const H h;
        const DD dd;
        const hn::Rebind<float, DD> f;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        hn::Vec<DD> s1[2];
        variances(sums, i, constants, square, variance, s1);
        const auto of = [&](const float* at, hn::Vec<DD> sum) {
            return hn::DemoteTo(h, hn::MulAdd(sum, hn::Set(dd, constants.templLevel),
                                              hn::PromoteTo(dd, hn::LoadU(f, at))));
        };
        const auto low = of(num + i, s1[0]);
        numerator = hn::Combine(d, of(num + i + half, s1[1]), low);
    }
    static double numeratorOf(float num, double s1, const ScoreConstants& constants) {
        return static_cast<double>(num) + s1 * constants.templLevel;
    }
};

// Scores in float from integer numerators. Only the score itself is rounded, since all products
// with N stay below 2^53.
struct IntegerScores : SingleScores {
    using Numerator = std::int32_t;
    static constexpr bool kKeepsInverses = false;

    template <class S>
    static HWY_INLINE void panels(const S& sums, const std::int32_t* num, std::int64_t i,
                                  const ScoreConstants& constants, V& square, V& variance,
                                  V& numerator) {
        hn::Vec<DD> s1[2];
        variances(sums, i, constants, square, variance, s1);
        numerator = numerators(num + i, s1, constants, constants.numeratorScale);
    }
    // N D = N s2 - s1^2, rounded once, and the numerators times `scale`.
    template <class S>
    static HWY_INLINE void exactPanels(const S& sums, const std::int32_t* num, std::int64_t i,
                                       const ScoreConstants& constants, double scale, V& variance,
                                       V& numerator) {
        const D d;
        const H h;
        const DD dd;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        const auto count = hn::Set(dd, constants.count);
        const hn::Vec<DD> s1[2] = {sums.first(i), sums.first(i + half)};
        const auto of = [&](hn::Vec<DD> sum, std::int64_t at) {
            return hn::DemoteTo(h, hn::NegMulAdd(sum, sum, hn::Mul(count, sums.second(at))));
        };
        const auto low = of(s1[0], i);
        variance = hn::Combine(d, of(s1[1], i + half), low);
        numerator = numerators(num + i, s1, constants, scale);
    }
    static HWY_INLINE V numerators(const std::int32_t* num, const hn::Vec<DD> (&s1)[2],
                                   const ScoreConstants& constants, double scale) {
        const D d;
        const H h;
        const DD dd;
        const hn::Rebind<std::int32_t, DD> integers;
        const auto half = static_cast<std::int64_t>(hn::Lanes(dd));
        const auto of = [&](std::int64_t at, hn::Vec<DD> sum) {
            const auto products = hn::PromoteTo(dd, hn::LoadU(integers, num + at));
            const auto counts = hn::Mul(sum, hn::Set(dd, constants.unit));
            const auto exact = hn::NegMulAdd(counts, hn::Set(dd, constants.templSum),
                                             hn::Mul(products, hn::Set(dd, constants.count)));
            return hn::DemoteTo(h, hn::Mul(exact, hn::Set(dd, scale)));
        };
        const auto low = of(0, s1[0]);
        return hn::Combine(d, of(half, s1[1]), low);
    }
    static double numeratorOf(std::int32_t num, double s1, const ScoreConstants& constants) {
        return (num * constants.count - s1 * constants.unit * constants.templSum) *
               constants.numeratorScale;
    }
};

struct DoubleScores {
    using Real = double;
    using Numerator = double;
    using D = DD;
    using V = hn::Vec<D>;
    static constexpr double kTiny = 0x1p-900;
    static constexpr bool kKeepsInverses = false;
    static constexpr bool kSumErrors = false;

    template <class S>
    static HWY_INLINE void panels(const S& sums, const double* num, std::int64_t i,
                                  const ScoreConstants& constants, V& square, V& variance,
                                  V& numerator) {
        const D d;
        const auto inverseCount = hn::Set(d, -1.0 / constants.count);
        const auto s1 = sums.first(i);
        square = sums.second(i);
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

// Scores in double from numerators with That less a level.
struct DoubleLevelScores : DoubleScores {
    template <class S>
    static HWY_INLINE void panels(const S& sums, const double* num, std::int64_t i,
                                  const ScoreConstants& constants, V& square, V& variance,
                                  V& numerator) {
        const D d;
        DoubleScores::panels(sums, num, i, constants, square, variance, numerator);
        numerator = hn::MulAdd(sums.first(i), hn::Set(d, constants.templLevel), numerator);
    }
    static double numeratorOf(double num, double s1, const ScoreConstants& constants) {
        return num + s1 * constants.templLevel;
    }
};

// Scores from kept sums that have errors of their own: those under a mask.
struct MaskedScores : SingleScores {
    static constexpr bool kSumErrors = true;
};
struct DoubleMaskedScores : DoubleScores {
    static constexpr bool kSumErrors = true;
};

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
