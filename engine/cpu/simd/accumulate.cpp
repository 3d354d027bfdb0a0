#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/accumulate.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// (re, im) pairs: the even lanes of a product are re re - im im, the odd ones im re + re im.
template <class Real>
HWY_INLINE void addProducts(const Real* a, const Real* b, std::int64_t count, Real* sum) {
    const hn::ScalableTag<Real> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t values = 2 * count;
    std::int64_t i = 0;
    if (lanes > 1) {
        for (; i + lanes <= values; i += lanes) {
            const auto x = hn::LoadU(d, a + i);
            const auto t = hn::LoadU(d, b + i);
            const auto swapped = hn::Reverse2(d, x); // (im, re)
            const auto real = hn::Mul(x, hn::DupEven(t));
            const auto imaginary = hn::Mul(swapped, hn::DupOdd(t));
            const auto product = hn::OddEven(hn::Add(real, imaginary), hn::Sub(real, imaginary));
            hn::StoreU(hn::Add(hn::LoadU(d, sum + i), product), d, sum + i);
        }
    }
    for (; i < values; i += 2) {
        sum[i] += a[i] * b[i] - a[i + 1] * b[i + 1];
        sum[i + 1] += a[i + 1] * b[i] + a[i] * b[i + 1];
    }
}

void addProductsFloat(const float* a, const float* b, std::int64_t count, float* sum) {
    addProducts(a, b, count, sum);
}
void addProductsDouble(const double* a, const double* b, std::int64_t count, double* sum) {
    addProducts(a, b, count, sum);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(addProductsFloat);
HWY_EXPORT(addProductsDouble);

void addSpectra(const float* spectrum, const float* templ, std::int64_t count, float* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsFloat)(spectrum, templ, count, sum);
}
void addSpectra(const double* spectrum, const double* templ, std::int64_t count, double* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsDouble)(spectrum, templ, count, sum);
}

} // namespace flcc::cpu::simd
#endif
