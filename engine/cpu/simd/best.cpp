#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/best.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Merges one row: keeps the larger of both scores and sums the new ones.
class RowTaker {
  public:
    RowTaker(std::int32_t templ, BestSums& sums) : m_templ(templ), m_sums(sums) {}

    void operator()(const float* score, std::int64_t count, float* best, std::int32_t* index) {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        auto sum = hn::Zero(DD());
        auto squares = hn::Zero(DD());
        const auto addUp = [&](hn::Vec<D> now) {
            const auto low = hn::PromoteTo(DD(), hn::LowerHalf(H(), now));
            const auto high = hn::PromoteTo(DD(), hn::UpperHalf(H(), now));
            sum = hn::Add(sum, hn::Add(low, high));
            squares = hn::MulAdd(low, low, hn::MulAdd(high, high, squares));
        };
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            addUp(takeLarger(score + i, best + i, index + i));
        }
        if (i > 0 && i < count) { // a whole vector, some of which was merged before
            const std::int64_t last = count - lanes;
            const auto now = takeLarger(score + last, best + last, index + last);
            addUp(hn::IfThenZeroElse(hn::FirstN(d, static_cast<std::size_t>(i - last)), now));
            i = count;
        }
        m_sums.sum += hn::GetLane(hn::SumOfLanes(DD(), sum));
        m_sums.squares += hn::GetLane(hn::SumOfLanes(DD(), squares));
        for (; i < count; ++i) {
            const double now = static_cast<double>(score[i]);
            m_sums.sum += now;
            m_sums.squares += now * now;
            if (m_templ == 0 || score[i] > best[i]) {
                best[i] = score[i];
                index[i] = m_templ;
            }
        }
    }

  private:
    using D = hn::ScalableTag<float>;
    using I = hn::RebindToSigned<D>;
    using DD = hn::Repartition<double, D>;
    using H = hn::Half<D>;

    // Merges one vector; returns the new scores.
    HWY_INLINE hn::Vec<D> takeLarger(const float* score, float* best, std::int32_t* index) const {
        const D d;
        const I integers;
        const auto templ = hn::Set(integers, m_templ);
        const auto now = hn::LoadU(d, score);
        if (m_templ == 0) {
            hn::StoreU(templ, integers, index);
            return now;
        }
        const auto old = hn::LoadU(d, best);
        const auto larger = hn::Gt(now, old);
        hn::StoreU(hn::IfThenElse(larger, now, old), d, best);
        hn::StoreU(
            hn::IfThenElse(hn::RebindMask(integers, larger), templ, hn::LoadU(integers, index)),
            integers, index);
        return now;
    }

    std::int32_t m_templ;
    BestSums& m_sums;
};

BestSums take(const BestArguments& a) {
    BestSums sums;
    RowTaker row(a.templ, sums);
    for (std::int64_t z = 0; z < a.extents.z; ++z) {
        for (std::int64_t y = 0; y < a.extents.y; ++y) {
            row(a.score.data + z * a.score.sliceStride + y * a.score.rowStride, a.extents.x,
                a.best.data + z * a.best.sliceStride + y * a.best.rowStride,
                a.index.data + z * a.index.sliceStride + y * a.index.rowStride);
        }
    }
    return sums;
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(take);

BestSums takeBest(const BestArguments& arguments) { return HWY_DYNAMIC_DISPATCH(take)(arguments); }

} // namespace flcc::cpu::simd
#endif
