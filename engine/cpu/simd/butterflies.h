// Fourier transforms of a few values, one transform in each lane of the vectors. Files that include
// <hwy/foreach_target.h> compile this one once for every instruction set.
#if defined(FLCC_BUTTERFLIES_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_BUTTERFLIES_ONCE
#undef FLCC_BUTTERFLIES_ONCE
#else
#define FLCC_BUTTERFLIES_ONCE
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <hwy/highway.h>

#include "engine/cpu/simd/beam.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::beam::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real> using Tag = hn::CappedTag<Real, kLines>;
template <class Real> using Vector = hn::Vec<Tag<Real>>;
template <class Real> constexpr std::size_t kLanes = hn::MaxLanes(Tag<Real>());

constexpr std::int64_t signedOf(std::size_t value) { return static_cast<std::int64_t>(value); }

// Real and imaginary parts in separate arrays: GCC would move a structure of two vectors through
// memory.
template <class V, std::size_t kCount> struct Complexes {
    V re[kCount];
    V im[kCount];
};

// v[k] *= re + i im
template <class V, std::size_t kCount>
HWY_INLINE void multiply(Complexes<V, kCount>& v, std::size_t k, V re, V im) {
    const V real = hn::NegMulAdd(v.im[k], im, hn::Mul(v.re[k], re));
    v.im[k] = hn::MulAdd(v.im[k], re, hn::Mul(v.re[k], im));
    v.re[k] = real;
}

template <class V> HWY_INLINE V constant(double value) {
    const hn::DFromV<V> d;
    return hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(value));
}

// cos(2 pi k / radix) and sin(2 pi k / radix) of the odd radices.
constexpr double kCosines[][4] = {
    {1, -0.5},
    {1, 0.30901699437494742, -0.80901699437494742},
    {1, 0.62348980185873353, -0.22252093395631440, -0.90096886790241913}};
constexpr double kSines[][4] = {{0, 0.86602540378443865},
                                {0, 0.95105651629515357, 0.58778525229247313},
                                {0, 0.78183148246802981, 0.97492791218182361, 0.43388373911755812}};
constexpr double cosineOf(std::size_t radix, std::size_t k) {
    const std::size_t place = k % radix;
    return kCosines[(radix - 3) / 2][std::min(place, radix - place)];
}
constexpr double sineOf(std::size_t radix, std::size_t k) {
    const std::size_t place = k % radix;
    return place <= radix / 2 ? kSines[(radix - 3) / 2][place]
                              : -kSines[(radix - 3) / 2][radix - place];
}

// The Fourier transform of four values a, b, c, d in place.
template <class V>
HWY_INLINE void fourierOfFour(V& aRe, V& aIm, V& bRe, V& bIm, V& cRe, V& cIm, V& dRe, V& dIm) {
    const V sumRe = hn::Add(aRe, cRe);
    const V sumIm = hn::Add(aIm, cIm);
    const V differenceRe = hn::Sub(aRe, cRe);
    const V differenceIm = hn::Sub(aIm, cIm);
    const V oddSumRe = hn::Add(bRe, dRe);
    const V oddSumIm = hn::Add(bIm, dIm);
    const V oddDifferenceRe = hn::Sub(bRe, dRe);
    const V oddDifferenceIm = hn::Sub(bIm, dIm);
    aRe = hn::Add(sumRe, oddSumRe);
    aIm = hn::Add(sumIm, oddSumIm);
    bRe = hn::Add(differenceRe, oddDifferenceIm);
    bIm = hn::Sub(differenceIm, oddDifferenceRe);
    cRe = hn::Sub(sumRe, oddSumRe);
    cIm = hn::Sub(sumIm, oddSumIm);
    dRe = hn::Sub(differenceRe, oddDifferenceIm);
    dIm = hn::Add(differenceIm, oddDifferenceRe);
}

// (a, b) = (a + b, a - b)
template <class V> HWY_INLINE void sumAndDifference(V& a, V& b) {
    const V difference = hn::Sub(a, b);
    a = hn::Add(a, b);
    b = difference;
}

// The Fourier transform of kRadix values in place.
template <class V, std::size_t kRadix> HWY_INLINE void butterfly(Complexes<V, kRadix>& v) {
    V(&re)[kRadix] = v.re;
    V(&im)[kRadix] = v.im;
    if constexpr (kRadix == 2) {
        sumAndDifference(re[0], re[1]);
        sumAndDifference(im[0], im[1]);
    } else if constexpr (kRadix == 4) {
        fourierOfFour(re[0], im[0], re[1], im[1], re[2], im[2], re[3], im[3]);
    } else if constexpr (kRadix == 8) {
        fourierOfFour(re[0], im[0], re[2], im[2], re[4], im[4], re[6], im[6]);
        fourierOfFour(re[1], im[1], re[3], im[3], re[5], im[5], re[7], im[7]);
        // Values 3 and 7 times exp(-i pi / 4) and its third power, without the factor sqrt(1/2).
        const V half = constant<V>(std::numbers::sqrt2 / 2);
        const V oneRe = hn::Add(re[3], im[3]);
        const V oneIm = hn::Sub(im[3], re[3]);
        const V threeRe = hn::Sub(im[7], re[7]);
        const V threeIm = hn::Add(im[7], re[7]); // negative of the imaginary part
        const V outRe[8] = {hn::Add(re[0], re[1]), hn::MulAdd(half, oneRe, re[2]),
                            hn::Add(re[4], im[5]), hn::MulAdd(half, threeRe, re[6]),
                            hn::Sub(re[0], re[1]), hn::NegMulAdd(half, oneRe, re[2]),
                            hn::Sub(re[4], im[5]), hn::NegMulAdd(half, threeRe, re[6])};
        const V outIm[8] = {hn::Add(im[0], im[1]), hn::MulAdd(half, oneIm, im[2]),
                            hn::Sub(im[4], re[5]), hn::NegMulAdd(half, threeIm, im[6]),
                            hn::Sub(im[0], im[1]), hn::NegMulAdd(half, oneIm, im[2]),
                            hn::Add(im[4], re[5]), hn::MulAdd(half, threeIm, im[6])};
        for (std::size_t k = 0; k < 8; ++k) {
            re[k] = outRe[k];
            im[k] = outIm[k];
        }
    } else if constexpr (kRadix > 1) {
        // Odd primes: sums and differences of the values k and kRadix - k.
        constexpr std::size_t kHalf = kRadix / 2;
        for (std::size_t k = 1; k <= kHalf; ++k) {
            sumAndDifference(re[k], re[kRadix - k]);
            sumAndDifference(im[k], im[kRadix - k]);
        }
        Complexes<V, kRadix> out{};
        out.re[0] = re[0];
        out.im[0] = im[0];
        for (std::size_t k = 1; k <= kHalf; ++k) {
            out.re[0] = hn::Add(out.re[0], re[k]);
            out.im[0] = hn::Add(out.im[0], im[k]);
        }
        for (std::size_t p = 1; p <= kHalf; ++p) {
            V evenRe = hn::MulAdd(constant<V>(cosineOf(kRadix, p)), re[1], re[0]);
            V evenIm = hn::MulAdd(constant<V>(cosineOf(kRadix, p)), im[1], im[0]);
            V oddRe = hn::Mul(constant<V>(sineOf(kRadix, p)), re[kRadix - 1]);
            V oddIm = hn::Mul(constant<V>(sineOf(kRadix, p)), im[kRadix - 1]);
            for (std::size_t k = 2; k <= kHalf; ++k) {
                const V cosine = constant<V>(cosineOf(kRadix, p * k));
                const V sine = constant<V>(sineOf(kRadix, p * k));
                evenRe = hn::MulAdd(cosine, re[k], evenRe);
                evenIm = hn::MulAdd(cosine, im[k], evenIm);
                oddRe = hn::MulAdd(sine, re[kRadix - k], oddRe);
                oddIm = hn::MulAdd(sine, im[kRadix - k], oddIm);
            }
            out.re[p] = hn::Add(evenRe, oddIm);
            out.im[p] = hn::Sub(evenIm, oddRe);
            out.re[kRadix - p] = hn::Sub(evenRe, oddIm);
            out.im[kRadix - p] = hn::Add(evenIm, oddRe);
        }
        for (std::size_t k = 0; k < kRadix; ++k) {
            re[k] = out.re[k];
            im[k] = out.im[k];
        }
    }
}

} // namespace flcc::cpu::beam::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
