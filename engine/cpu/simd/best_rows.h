// Merges rows of scores into the best ones of a bank. Files that include <hwy/foreach_target.h>
// compile this one once for every instruction set.
#if defined(FLCC_BEST_ROWS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_BEST_ROWS_ONCE
#undef FLCC_BEST_ROWS_ONCE
#else
#define FLCC_BEST_ROWS_ONCE
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// A row of scores in memory.
struct StoredScores {
    const float* score;

    HWY_INLINE auto vector(std::int64_t i) const {
        return hn::LoadU(hn::ScalableTag<float>(), score + i);
    }
    [[nodiscard]] float at(std::int64_t i) const { return score[i]; }
};

// A row of scores that are products.
struct ProductScores {
    using D = hn::ScalableTag<float>;
    const float* num;
    const float* inverse;

    HWY_INLINE auto vector(std::int64_t i) const {
        return hn::Mul(hn::LoadU(D(), num + i), hn::LoadU(D(), inverse + i));
    }
    [[nodiscard]] float at(std::int64_t i) const { return num[i] * inverse[i]; }

    // The largest magnitude of `count` scores and of those in `most`.
    HWY_INLINE hn::Vec<D> largest(std::int64_t count, hn::Vec<D> most) const {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            most = hn::Max(most, hn::Abs(vector(i)));
        }
        if (i < count) { // rows have space for a whole vector
            const auto inside = hn::FirstN(d, static_cast<std::size_t>(count - i));
            most = hn::Max(most, hn::IfThenElseZero(inside, hn::Abs(vector(i))));
        }
        return most;
    }
};

// Keeps the larger of both scores of each voxel of a row, and sums the new ones.
class RowTaker {
  public:
    explicit RowTaker(const BestRows& to) : m_to(to), m_templ(to.templ) {}

    /// Of the new scores of all rows.
    [[nodiscard]] BestSums sums() const {
        return {m_rest.sum + hn::GetLane(hn::SumOfLanes(DD(), m_sum)),
                m_rest.squares + hn::GetLane(hn::SumOfLanes(DD(), m_squares))};
    }

    template <class Scores>
    void operator()(const Scores& scores, std::int64_t count, std::int64_t y, std::int64_t z) {
        float* const best = m_to.best.data + z * m_to.best.sliceStride + y * m_to.best.rowStride;
        std::int32_t* const index =
            m_to.index.data + z * m_to.index.sliceStride + y * m_to.index.rowStride;
        std::uint8_t* const status =
            m_to.status.data == nullptr
                ? nullptr
                : m_to.status.data + z * m_to.status.sliceStride + y * m_to.status.rowStride;
        if (status == nullptr) {
            takeRow<false>(scores, count, best, index, status);
        } else {
            takeRow<true>(scores, count, best, index, status);
        }
    }

  private:
    using D = hn::ScalableTag<float>;
    using I = hn::RebindToSigned<D>;
    using H = hn::Half<D>;

    template <bool kStatuses, class Scores>
    HWY_INLINE void takeRow(const Scores& scores, std::int64_t count, float* best,
                            std::int32_t* index, std::uint8_t* status) {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        auto sum = m_sum; // copies that no store can alias
        auto squares = m_squares;
        const auto addUp = [&](hn::Vec<D> now) {
            const auto low = hn::PromoteTo(DD(), hn::LowerHalf(H(), now));
            const auto high = hn::PromoteTo(DD(), hn::UpperHalf(H(), now));
            sum = hn::Add(sum, hn::Add(low, high));
            squares = hn::MulAdd(low, low, hn::MulAdd(high, high, squares));
        };
        const auto take = [&](std::int64_t i) {
            const auto now = scores.vector(i);
            if (kStatuses && !allOk(status + i)) {
                HWY_ALIGN float own[hn::MaxLanes(D())];
                hn::Store(now, d, own);
                for (std::int64_t k = 0; k < lanes; ++k) {
                    takeOne(own[k], best[i + k], index[i + k], status[i + k]);
                }
            } else {
                takeLarger(now, best + i, index + i);
            }
            return now;
        };
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            addUp(take(i));
        }
        if (i > 0 && i < count) { // a whole vector, some of which was merged before
            const std::int64_t last = count - lanes;
            addUp(
                hn::IfThenZeroElse(hn::FirstN(d, static_cast<std::size_t>(i - last)), take(last)));
            i = count;
        }
        m_sum = sum;
        m_squares = squares;
        for (; i < count; ++i) {
            const float now = scores.at(i);
            m_rest.sum += static_cast<double>(now);
            m_rest.squares += static_cast<double>(now) * static_cast<double>(now);
            std::uint8_t ok = 0;
            takeOne(now, best[i], index[i], kStatuses ? status[i] : ok);
        }
    }

    [[nodiscard]] static HWY_INLINE bool allOk(const std::uint8_t* status) {
        const hn::Rebind<std::uint8_t, D> d;
        return hn::AllTrue(d, hn::Eq(hn::LoadU(d, status), hn::Zero(d)));
    }

    // As method::mergeBest() merges a score that is OK.
    void takeOne(float now, float& best, std::int32_t& index, std::uint8_t& status) const {
        const auto old = static_cast<base::Status>(status);
        if (m_templ == 0) {
            index = 0;
        } else if (!base::hasValue(old) || now > best ||
                   (old == base::Status::Partial && m_to.wholeFirst)) {
            best = now;
            index = m_templ;
            status = old == base::Status::LowConf ? status : std::uint8_t{0};
        }
    }

    // Merges one vector.
    HWY_INLINE void takeLarger(hn::Vec<D> now, float* best, std::int32_t* index) const {
        const D d;
        const I integers;
        const auto templ = hn::Set(integers, m_templ);
        if (m_templ == 0) {
            hn::StoreU(templ, integers, index);
            return;
        }
        const auto old = hn::LoadU(d, best);
        const auto larger = hn::Gt(now, old);
        if (hn::AllFalse(d, larger)) {
            return;
        }
        hn::StoreU(hn::IfThenElse(larger, now, old), d, best);
        hn::StoreU(
            hn::IfThenElse(hn::RebindMask(integers, larger), templ, hn::LoadU(integers, index)),
            integers, index);
    }

    const BestRows& m_to;
    std::int32_t m_templ;
    hn::Vec<DD> m_sum = hn::Zero(DD());
    hn::Vec<DD> m_squares = hn::Zero(DD());
    BestSums m_rest; ///< of rows shorter than a vector
};

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
