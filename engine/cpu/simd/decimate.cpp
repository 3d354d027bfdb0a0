#include "engine/cpu/simd/decimate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/decimate.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kHalf = kStrip / 2;

template <class Real> using Tag = hn::CappedTag<Real, kHalf>;
template <class Real> constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag<Real>()));

template <class Real>
HWY_INLINE void added(const Real* strip, std::int64_t rows, Real factor, Real* sums) {
    const Tag<Real> d;
    const auto by = hn::Set(d, factor);
    for (std::int64_t i = 0; i < rows * kStrip; i += kLanes<Real>) {
        hn::Store(hn::MulAdd(by, hn::Load(d, strip + i), hn::Load(d, sums + i)), d, sums + i);
    }
}
void addedFloat(const float* strip, std::int64_t rows, float factor, float* sums) {
    added(strip, rows, factor, sums);
}
void addedDouble(const double* strip, std::int64_t rows, double factor, double* sums) {
    added(strip, rows, factor, sums);
}

template <class Real>
HWY_INLINE void addedTo(const Real* strip, std::int64_t rows, Factor<Real> factor, Real* beams) {
    const Tag<Real> d;
    const auto re = hn::Set(d, factor.re);
    const auto im = hn::Set(d, factor.im);
    for (std::int64_t half = 0; half < 2; ++half) {
        const Real* from = strip + half * kHalf;
        Real* to = beams + half * rows * kStrip;
        for (std::int64_t row = 0; row < rows; ++row, from += kStrip, to += kStrip) {
            for (std::int64_t lane = 0; lane < kHalf; lane += kLanes<Real>) {
                const auto value = hn::Load(d, from + lane);
                Real* const imaginary = to + kHalf + lane;
                hn::Store(hn::MulAdd(re, value, hn::Load(d, to + lane)), d, to + lane);
                hn::Store(hn::MulAdd(im, value, hn::Load(d, imaginary)), d, imaginary);
            }
        }
    }
}
void addedToFloat(const float* strip, std::int64_t rows, Factor<float> factor, float* beams) {
    addedTo(strip, rows, factor, beams);
}
void addedToDouble(const double* strip, std::int64_t rows, Factor<double> factor, double* beams) {
    addedTo(strip, rows, factor, beams);
}

template <class Real>
HWY_INLINE void turned(const Factor<Real>* factors, std::int64_t rows, bool conjugate, Real* beam) {
    const Tag<Real> d;
    for (std::int64_t row = 0; row < rows; ++row, beam += kStrip) {
        const auto re = hn::Set(d, factors[row].re);
        const auto im = hn::Set(d, conjugate ? -factors[row].im : factors[row].im);
        for (std::int64_t lane = 0; lane < kHalf; lane += kLanes<Real>) {
            const auto a = hn::Load(d, beam + lane);
            const auto b = hn::Load(d, beam + kHalf + lane);
            hn::Store(hn::NegMulAdd(b, im, hn::Mul(a, re)), d, beam + lane);
            hn::Store(hn::MulAdd(b, re, hn::Mul(a, im)), d, beam + kHalf + lane);
        }
    }
}
void turnedFloat(const Factor<float>* factors, std::int64_t rows, bool conjugate, float* beam) {
    turned(factors, rows, conjugate, beam);
}
void turnedDouble(const Factor<double>* factors, std::int64_t rows, bool conjugate, double* beam) {
    turned(factors, rows, conjugate, beam);
}

// Whole vectors of a row, then its last columns one by one.
template <class Real>
HWY_INLINE void stored(const Real* strip, Real factor, bool add, const StripTarget<Real>& target) {
    const Tag<Real> d;
    const auto by = hn::Set(d, factor);
    for (std::int64_t row = 0; row < target.rows; ++row, strip += kStrip) {
        Real* const to = target.to + row * target.stride;
        std::int64_t i = 0;
        for (; i + kLanes<Real> <= target.columns; i += kLanes<Real>) {
            const auto old = add ? hn::LoadU(d, to + i) : hn::Zero(d);
            hn::StoreU(hn::MulAdd(by, hn::Load(d, strip + i), old), d, to + i);
        }
        for (; i < target.columns; ++i) {
            to[i] = factor * strip[i] + (add ? to[i] : Real{0});
        }
    }
}
void storedFloat(const float* strip, float factor, bool add, const StripTarget<float>& target) {
    stored(strip, factor, add, target);
}
void storedDouble(const double* strip, double factor, bool add, const StripTarget<double>& target) {
    stored(strip, factor, add, target);
}

template <class Real>
HWY_INLINE void storedReal(const Real* beams, std::int64_t length, Factor<Real> factor,
                           const StripTarget<Real>& target) {
    const Tag<Real> d;
    const auto re = hn::Set(d, factor.re);
    const auto im = hn::Set(d, factor.im);
    for (std::int64_t half = 0; half < 2 && half * kHalf < target.columns; ++half) {
        const Real* beam = beams + half * length * kStrip;
        const std::int64_t columns =
            target.columns - half * kHalf < kHalf ? target.columns - half * kHalf : kHalf;
        for (std::int64_t row = 0; row < target.rows; ++row, beam += kStrip) {
            Real* const to = target.to + row * target.stride + half * kHalf;
            std::int64_t i = 0;
            for (; i + kLanes<Real> <= columns; i += kLanes<Real>) {
                const auto sum = hn::MulAdd(re, hn::Load(d, beam + i), hn::LoadU(d, to + i));
                hn::StoreU(hn::NegMulAdd(im, hn::Load(d, beam + kHalf + i), sum), d, to + i);
            }
            for (; i < columns; ++i) {
                to[i] = to[i] + factor.re * beam[i] - factor.im * beam[kHalf + i];
            }
        }
    }
}
void storedRealFloat(const float* beams, std::int64_t length, Factor<float> factor,
                     const StripTarget<float>& target) {
    storedReal(beams, length, factor, target);
}
void storedRealDouble(const double* beams, std::int64_t length, Factor<double> factor,
                      const StripTarget<double>& target) {
    storedReal(beams, length, factor, target);
}

} // namespace flcc::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu {

HWY_EXPORT(addedFloat);
HWY_EXPORT(addedDouble);
HWY_EXPORT(addedToFloat);
HWY_EXPORT(addedToDouble);
HWY_EXPORT(turnedFloat);
HWY_EXPORT(turnedDouble);
HWY_EXPORT(storedFloat);
HWY_EXPORT(storedDouble);
HWY_EXPORT(storedRealFloat);
HWY_EXPORT(storedRealDouble);

void addStrip(const float* strip, std::int64_t rows, float factor, float* sums) {
    HWY_DYNAMIC_DISPATCH(addedFloat)(strip, rows, factor, sums);
}
void addStrip(const double* strip, std::int64_t rows, double factor, double* sums) {
    HWY_DYNAMIC_DISPATCH(addedDouble)(strip, rows, factor, sums);
}
void addStrip(const float* strip, std::int64_t rows, Factor<float> factor, float* beams) {
    HWY_DYNAMIC_DISPATCH(addedToFloat)(strip, rows, factor, beams);
}
void addStrip(const double* strip, std::int64_t rows, Factor<double> factor, double* beams) {
    HWY_DYNAMIC_DISPATCH(addedToDouble)(strip, rows, factor, beams);
}
void turnStrip(const Factor<float>* factors, std::int64_t rows, bool conjugate, float* beam) {
    HWY_DYNAMIC_DISPATCH(turnedFloat)(factors, rows, conjugate, beam);
}
void turnStrip(const Factor<double>* factors, std::int64_t rows, bool conjugate, double* beam) {
    HWY_DYNAMIC_DISPATCH(turnedDouble)(factors, rows, conjugate, beam);
}
void storeStrip(const float* strip, float factor, bool add, const StripTarget<float>& target) {
    HWY_DYNAMIC_DISPATCH(storedFloat)(strip, factor, add, target);
}
void storeStrip(const double* strip, double factor, bool add, const StripTarget<double>& target) {
    HWY_DYNAMIC_DISPATCH(storedDouble)(strip, factor, add, target);
}
void storeStrip(const float* beams, std::int64_t length, Factor<float> factor,
                const StripTarget<float>& target) {
    HWY_DYNAMIC_DISPATCH(storedRealFloat)(beams, length, factor, target);
}
void storeStrip(const double* beams, std::int64_t length, Factor<double> factor,
                const StripTarget<double>& target) {
    HWY_DYNAMIC_DISPATCH(storedRealDouble)(beams, length, factor, target);
}

} // namespace flcc::cpu
#endif
