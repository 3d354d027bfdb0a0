#include "engine/cpu/simd/lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/lines.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Outputs of a register block: enough chains of additions to hide their latency. Vectors beside
// each other:
constexpr std::size_t kRows = 4;
#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kWide = 4; // 16 sums, 4 voxels, taps: fits 32 registers
#else
constexpr std::size_t kWide = 2; // 8 sums, 2 voxels, taps: fits 16 registers
#endif
constexpr std::int64_t kStrip = 128; // columns

// Where the voxel of tap k lies: `step` values behind that of tap k - 1.
struct Steps {
    std::int64_t tap;     // from one tap to the next
    std::int64_t fromRow; // from one output row to the next, in `from`
    std::int64_t toRow;
};

constexpr std::int64_t rowOf(std::size_t row) { return static_cast<std::int64_t>(row); }

// kBlockRows x kVectors vectors of outputs. Along y an output row is a tap behind the next, so a
// loaded vector serves all rows; along x every product takes a load.
template <bool kAlongY, std::size_t kBlockRows, std::size_t kVectors, class D, class Real>
HWY_INLINE void block(D d, const Real* from, const LineFilter<Real>& filter, const Steps& steps,
                      Real* to) {
    const std::size_t lanes = hn::Lanes(d);
    for (std::int64_t first = 0; first < filter.count; first += kLongestChain) {
        const std::int64_t last = std::min(first + kLongestChain, filter.count);
        hn::Vec<D> sums[kBlockRows][kVectors];
        for (std::size_t r = 0; r < kBlockRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[r][v] = hn::Zero(d);
            }
        }
        if constexpr (kAlongY) {
            const auto add = [&](std::int64_t k, auto&& uses) HWY_ATTR {
                hn::Vec<D> loaded[kVectors];
                for (std::size_t v = 0; v < kVectors; ++v) {
                    loaded[v] = hn::LoadU(d, from + k * steps.tap + v * lanes);
                }
                for (std::size_t r = 0; r < kBlockRows; ++r) {
                    if (uses(r)) {
                        const auto tap = hn::Set(d, filter.taps[k - rowOf(r)]);
                        for (std::size_t v = 0; v < kVectors; ++v) {
                            sums[r][v] = hn::MulAdd(tap, loaded[v], sums[r][v]);
                        }
                    }
                }
            };
            const std::int64_t more = rowOf(kBlockRows) - 1;
            const std::int64_t begin = std::min(first + more, last);
            const std::int64_t end = std::max(last, begin);
            for (std::int64_t k = first; k < begin; ++k) {
                add(k, [&](std::size_t r) { return k - rowOf(r) >= first; });
            }
            for (std::int64_t k = begin; k < end; ++k) {
                add(k, [](std::size_t) { return true; });
            }
            for (std::int64_t k = end; k < last + more; ++k) {
                add(k, [&](std::size_t r) { return k - rowOf(r) < last && k - rowOf(r) >= first; });
            }
        } else {
            for (std::int64_t k = first; k < last; ++k) {
                const auto tap = hn::Set(d, filter.taps[k]);
                for (std::size_t r = 0; r < kBlockRows; ++r) {
                    for (std::size_t v = 0; v < kVectors; ++v) {
                        sums[r][v] = hn::MulAdd(
                            tap, hn::LoadU(d, from + rowOf(r) * steps.fromRow + k + v * lanes),
                            sums[r][v]);
                    }
                }
            }
        }
        for (std::size_t r = 0; r < kBlockRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                Real* const at = to + rowOf(r) * steps.toRow + v * lanes;
                hn::StoreU(first == 0 ? sums[r][v] : hn::Add(hn::LoadU(d, at), sums[r][v]), d, at);
            }
        }
    }
}

// The outputs of kBlockRows rows. The last vector overlaps the one before: a block computes all of
// its outputs anew, so the same values are stored twice.
template <bool kAlongY, std::size_t kBlockRows, class Real>
HWY_INLINE void rows(const Real* from, const LineFilter<Real>& filter, const Steps& steps,
                     std::int64_t count, Real* to) {
    const hn::ScalableTag<Real> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t x = 0;
    for (; x + static_cast<std::int64_t>(kWide) * lanes <= count;
         x += static_cast<std::int64_t>(kWide) * lanes) {
        block<kAlongY, kBlockRows, kWide>(d, from + x, filter, steps, to + x);
    }
    for (; x + lanes <= count; x += lanes) {
        block<kAlongY, kBlockRows, 1>(d, from + x, filter, steps, to + x);
    }
    if (x < count && count >= lanes) {
        x = count - lanes;
        block<kAlongY, kBlockRows, 1>(d, from + x, filter, steps, to + x);
    } else {
        const hn::CappedTag<Real, 1> one;
        for (; x < count; ++x) {
            block<kAlongY, kBlockRows, 1>(one, from + x, filter, steps, to + x);
        }
    }
}

template <bool kAlongY, class Real>
HWY_INLINE void filterBox(const VoxelBox<Real>& from, const LineFilter<Real>& filter,
                          const base::Extents& out, const VoxelBox<Real>& to) {
    const Steps steps{kAlongY ? from.rowStride : 1, from.rowStride, to.rowStride};
    // Along y in strips, so that the rows under the taps stay in the first cache.
    const std::int64_t strip = kAlongY ? kStrip : out.x;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t x = 0; x < out.x; x += strip) {
            const std::int64_t count = std::min(strip, out.x - x);
            const auto at = [&](const VoxelBox<Real>& box, std::int64_t y) {
                return box.data + z * box.sliceStride + y * box.rowStride + x;
            };
            std::int64_t y = 0;
            for (; y + rowOf(kRows) <= out.y; y += rowOf(kRows)) {
                rows<kAlongY, kRows, Real>(at(from, y), filter, steps, count, at(to, y));
            }
            for (; y < out.y; ++y) {
                rows<kAlongY, 1, Real>(at(from, y), filter, steps, count, at(to, y));
            }
        }
    }
}

void alongXSingle(const VoxelBox<float>& from, const LineFilter<float>& filter,
                  const base::Extents& out, const VoxelBox<float>& to) {
    filterBox<false>(from, filter, out, to);
}
void alongXDouble(const VoxelBox<double>& from, const LineFilter<double>& filter,
                  const base::Extents& out, const VoxelBox<double>& to) {
    filterBox<false>(from, filter, out, to);
}
void alongYSingle(const VoxelBox<float>& from, const LineFilter<float>& filter,
                  const base::Extents& out, const VoxelBox<float>& to) {
    filterBox<true>(from, filter, out, to);
}
void alongYDouble(const VoxelBox<double>& from, const LineFilter<double>& filter,
                  const base::Extents& out, const VoxelBox<double>& to) {
    filterBox<true>(from, filter, out, to);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(alongXSingle);
HWY_EXPORT(alongXDouble);
HWY_EXPORT(alongYSingle);
HWY_EXPORT(alongYDouble);

void filterAlongX(const FloatBox& from, const LineFilter<float>& filter, const base::Extents& out,
                  const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(alongXSingle)(from, filter, out, to);
}
void filterAlongX(const DoubleBox& from, const LineFilter<double>& filter, const base::Extents& out,
                  const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(alongXDouble)(from, filter, out, to);
}
void filterAlongY(const FloatBox& from, const LineFilter<float>& filter, const base::Extents& out,
                  const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(alongYSingle)(from, filter, out, to);
}
void filterAlongY(const DoubleBox& from, const LineFilter<double>& filter, const base::Extents& out,
                  const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(alongYDouble)(from, filter, out, to);
}

} // namespace flcc::cpu::simd
#endif
