// Products of pairs of 16-bit integers. Files that include <hwy/foreach_target.h> compile this one
// once for every instruction set.
#if defined(FLCC_PAIR_PRODUCTS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_PAIR_PRODUCTS_ONCE
#undef FLCC_PAIR_PRODUCTS_ONCE
#else
#define FLCC_PAIR_PRODUCTS_ONCE
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds to every 32-bit element of `sum` the products of the lower 16-bit halves and of the upper
// halves of `weight` and `loaded`.
template <class D, class Vector = hn::Vec<D>>
HWY_INLINE Vector addPairProducts(D d, Vector weight, Vector loaded, Vector sum) {
#if HWY_TARGET == HWY_EMU128
    const auto low = [](Vector v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
    const auto high = [](Vector v) { return hn::ShiftRight<16>(v); };
    (void)d;
    return hn::Add(sum,
                   hn::Add(hn::Mul(low(weight), low(loaded)), hn::Mul(high(weight), high(loaded))));
#else
    const hn::Repartition<std::int16_t, D> halves;
    auto rest = hn::Zero(d); // these instruction sets leave it 0
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(halves, weight),
                                         hn::BitCast(halves, loaded), sum, rest);
#endif
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
