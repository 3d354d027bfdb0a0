#include "engine/filter/detail/copy_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/filter/simd/copy_row.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::filter::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real> HWY_INLINE RowFacts copied(const float* from, std::int64_t count, Real* to) {
    // As many lanes as a vector of doubles has, where the copy is in double.
    const hn::ScalableTag<Real> wide;
    const hn::Rebind<float, decltype(wide)> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto most = hn::Zero(d);
    auto spoiled = hn::Zero(d); // 0 as long as all voxels are finite: Inf * 0 and NaN * 0 are NaN
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto voxels = hn::LoadU(d, from + i);
        most = hn::Max(most, hn::Abs(voxels));
        spoiled = hn::MulAdd(voxels, hn::Zero(d), spoiled);
        if constexpr (std::is_same_v<Real, float>) {
            hn::StoreU(voxels, d, to + i);
        } else {
            hn::StoreU(hn::PromoteTo(wide, voxels), wide, to + i);
        }
    }
    float largest = hn::GetLane(hn::MaxOfLanes(d, most));
    float sum = hn::GetLane(hn::SumOfLanes(d, spoiled));
    for (; i < count; ++i) {
        largest = std::max(largest, std::abs(from[i]));
        sum += from[i] * 0;
        to[i] = from[i];
    }
    return {static_cast<double>(largest), sum == 0};
}

RowFacts copySingle(const float* from, std::int64_t count, float* to) {
    return copied(from, count, to);
}
RowFacts copyDouble(const float* from, std::int64_t count, double* to) {
    return copied(from, count, to);
}

} // namespace flcc::filter::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::filter::detail {

HWY_EXPORT(copySingle);
HWY_EXPORT(copyDouble);

RowFacts copyRow(const float* from, std::int64_t count, float* to) {
    return HWY_DYNAMIC_DISPATCH(copySingle)(from, count, to);
}
RowFacts copyRow(const float* from, std::int64_t count, double* to) {
    return HWY_DYNAMIC_DISPATCH(copyDouble)(from, count, to);
}

} // namespace flcc::filter::detail
#endif
