#include "engine/filter/detail/box_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/filter/simd/box.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::filter::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;

void slide(double* sums, const double* enters, const double* leaves, std::int64_t count) {
    const Tag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        auto sum = hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, enters + i));
        if (leaves != nullptr) {
            sum = hn::Sub(sum, hn::LoadU(d, leaves + i));
        }
        hn::StoreU(sum, d, sums + i);
    }
    for (; i < count; ++i) {
        sums[i] += enters[i];
        sums[i] -= leaves != nullptr ? leaves[i] : 0;
    }
}

// to[i] = a[i] + b[i]; whole vectors, up to kBoxSlack - 1 values behind the last.
HWY_INLINE void addRows(const double* a, const double* b, double* to, std::int64_t count) {
    const Tag d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = 0; i < count; i += lanes) {
        hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
    }
}

// to = (a[i] + b[i]) / divisor.
template <class Real>
HWY_INLINE void divideSums(const double* a, const double* b, double divisor, Real* to,
                           std::int64_t count) {
    const Tag d;
    const auto by = hn::Set(d, divisor);
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto value = hn::Div(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), by);
        if constexpr (std::is_same_v<Real, float>) {
            const hn::Rebind<float, Tag> singles;
            hn::StoreU(hn::DemoteTo(singles, value), singles, to + i);
        } else {
            hn::StoreU(value, d, to + i);
        }
    }
    for (; i < count; ++i) {
        to[i] = static_cast<Real>((a[i] + b[i]) / divisor);
    }
}

template <class Real>
HWY_INLINE void windows(const double* from, std::int64_t m, std::int64_t count, double divisor,
                        double* wide, double* sums, Real* to) {
    if (m == 1) {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<Real>(from[i] / divisor);
        }
        return;
    }
    const double* now = from;      // sums of `width` voxels
    const double* taken = nullptr; // sums of the `done` first voxels of the window
    std::int64_t width = 1;
    std::int64_t done = 0;
    std::int64_t left = count + m - 1;
    for (std::int64_t bits = m; bits > 1; bits >>= 1) {
        if ((bits & 1) != 0) {
            if (taken == nullptr && now == from) {
                taken = from;
            } else if (taken == nullptr) {
                std::copy_n(now, count, sums);
                taken = sums;
            } else {
                addRows(taken, now + done, sums, count);
                taken = sums;
            }
            done += width;
        }
        if (bits < 4 && taken == nullptr) { // a power of two: its last sum is the result
            divideSums(now, now + width, divisor, to, count);
            return;
        }
        left -= width;
        addRows(now, now + width, wide, left);
        now = wide;
        width *= 2;
    }
    divideSums(taken, now + done, divisor, to, count);
}

void windowsSingle(const double* from, std::int64_t m, std::int64_t count, double divisor,
                   double* wide, double* sums, float* to) {
    windows(from, m, count, divisor, wide, sums, to);
}
void windowsDouble(const double* from, std::int64_t m, std::int64_t count, double divisor,
                   double* wide, double* sums, double* to) {
    windows(from, m, count, divisor, wide, sums, to);
}

} // namespace flcc::filter::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::filter::detail {

HWY_EXPORT(slide);
HWY_EXPORT(windowsSingle);
HWY_EXPORT(windowsDouble);

void slideSums(double* sums, const double* enters, const double* leaves, std::int64_t count) {
    HWY_DYNAMIC_DISPATCH(slide)(sums, enters, leaves, count);
}
void boxRow(const double* from, std::int64_t m, std::int64_t count, double divisor, double* wide,
            double* sums, float* to) {
    HWY_DYNAMIC_DISPATCH(windowsSingle)(from, m, count, divisor, wide, sums, to);
}
void boxRow(const double* from, std::int64_t m, std::int64_t count, double divisor, double* wide,
            double* sums, double* to) {
    HWY_DYNAMIC_DISPATCH(windowsDouble)(from, m, count, divisor, wide, sums, to);
}

} // namespace flcc::filter::detail
#endif
