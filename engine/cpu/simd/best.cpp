#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/best.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/best_rows.h"
#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

BestSums take(const BestArguments& a) {
    RowTaker row(a.to);
    for (std::int64_t z = 0; z < a.to.extents.z; ++z) {
        for (std::int64_t y = 0; y < a.to.extents.y; ++y) {
            row(StoredScores{a.score.data + z * a.score.sliceStride + y * a.score.rowStride},
                a.to.extents.x, y, z);
        }
    }
    return row.sums();
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(take);

BestSums takeBest(const BestArguments& arguments) { return HWY_DYNAMIC_DISPATCH(take)(arguments); }

} // namespace flcc::cpu::simd
#endif
