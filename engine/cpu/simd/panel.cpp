#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/panel.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/pair_products.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

void productsOfPanels(const FloatBox& x, const std::array<std::int64_t, kPanels>& at,
                      const double* that, const base::Extents& m, std::array<double, kPanels>& to) {
    const D d;
    const hn::Rebind<float, D> floats;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t whole = m.x / lanes * lanes;
    const auto inside = hn::FirstN(d, static_cast<std::size_t>(m.x - whole));
    const double* const end = that + m.x * m.y * m.z;
    HWY_ALIGN double last[hn::MaxLanes(D())] = {};
    V sums[kPanels];
    for (V& sum : sums) {
        sum = hn::Zero(d);
    }
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y, that += m.x) {
            const float* const row = x.data + z * x.sliceStride + y * x.rowStride;
            for (std::int64_t i = 0; i < whole; i += lanes) {
                const auto weights = hn::LoadU(d, that + i);
                for (std::size_t p = 0; p < kPanels; ++p) {
                    const auto voxels = hn::PromoteTo(d, hn::LoadU(floats, row + at[p] + i));
                    sums[p] = hn::MulAdd(voxels, weights, sums[p]);
                }
            }
            if (whole < m.x) {
                const double* rest = that + whole;
                if (end - rest < lanes) { // nothing behind the last weight may be read
                    for (std::int64_t i = 0; i < lanes; ++i) {
                        last[i] = i < m.x - whole ? rest[i] : 0.0;
                    }
                    rest = last;
                }
                const auto weights = hn::LoadU(d, rest);
                for (std::size_t p = 0; p < kPanels; ++p) {
                    const auto voxels = hn::PromoteTo(d, hn::LoadU(floats, row + at[p] + whole));
                    sums[p] = hn::MulAdd(hn::IfThenElseZero(inside, voxels), weights, sums[p]);
                }
            }
        }
    }
    for (std::size_t p = 0; p < kPanels; ++p) {
        to[p] = hn::GetLane(hn::SumOfLanes(d, sums[p]));
    }
}

// Products in vectors of D, whose elements hold two voxels each. kRow: one vector holds a row.
// Elements behind a row are multiplied by weights of 0; unlike floats they are never NaN.
template <bool kRow, class D>
HWY_INLINE void stepsTimesPairs(D d, const StepBox& x, const std::array<std::int64_t, kPanels>& at,
                                const std::int32_t* pairs, const base::Extents& m,
                                std::array<double, kPanels>& to) {
    const hn::Repartition<std::int16_t, D> halves;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = (m.x + 1) / 2;
    const std::int64_t whole = kRow ? 0 : (width - 1) / lanes * lanes;
    const auto inside = hn::FirstN(d, static_cast<std::size_t>(width - whole));
    hn::Vec<D> sums[kPanels];
    for (auto& sum : sums) {
        sum = hn::Zero(d);
    }
    const auto add = [&](const std::int16_t* from, hn::Vec<D> weights) HWY_ATTR {
        for (std::size_t p = 0; p < kPanels; ++p) {
            const auto voxels = hn::BitCast(d, hn::LoadU(halves, from + at[p]));
            sums[p] = addPairProducts(d, weights, voxels, sums[p]);
        }
    };
    for (std::int64_t z = 0; z < m.z; ++z) {
        const std::int16_t* row = x.data + z * x.sliceStride;
        for (std::int64_t y = 0; y < m.y; ++y, pairs += width, row += x.rowStride) {
            for (std::int64_t i = 0; i < whole; i += lanes) {
                add(row + 2 * i, hn::LoadU(d, pairs + i));
            }
            add(row + 2 * whole, hn::IfThenElseZero(inside, hn::LoadU(d, pairs + whole)));
        }
    }
    for (std::size_t p = 0; p < kPanels; ++p) {
        to[p] = hn::GetLane(hn::SumOfLanes(d, sums[p]));
    }
}

void integerProductsOfPanels(const StepBox& x, const std::array<std::int64_t, kPanels>& at,
                             const std::int32_t* pairs, const base::Extents& m,
                             std::array<double, kPanels>& to) {
    // Take the shortest vectors that hold a row: half a vector costs half.
    const hn::CappedTag<std::int32_t, 4> quarter;
    const hn::CappedTag<std::int32_t, 8> half;
    const hn::ScalableTag<std::int32_t> d;
    const auto holdsRow = [&](auto tag) {
        return m.x <= 2 * static_cast<std::int64_t>(hn::Lanes(tag));
    };
    if (holdsRow(quarter)) {
        stepsTimesPairs<true>(quarter, x, at, pairs, m, to);
    } else if (holdsRow(half)) {
        stepsTimesPairs<true>(half, x, at, pairs, m, to);
    } else if (holdsRow(d)) {
        stepsTimesPairs<true>(d, x, at, pairs, m, to);
    } else {
        stepsTimesPairs<false>(d, x, at, pairs, m, to);
    }
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(productsOfPanels);
HWY_EXPORT(integerProductsOfPanels);

void panelProducts(const FloatBox& x, const std::array<std::int64_t, kPanels>& at,
                   const double* that, const base::Extents& m, std::array<double, kPanels>& to) {
    HWY_DYNAMIC_DISPATCH(productsOfPanels)(x, at, that, m, to);
}
void panelProducts(const StepBox& x, const std::array<std::int64_t, kPanels>& at,
                   const std::int32_t* pairs, const base::Extents& m,
                   std::array<double, kPanels>& to) {
    HWY_DYNAMIC_DISPATCH(integerProductsOfPanels)(x, at, pairs, m, to);
}

} // namespace flcc::cpu::simd
#endif
