#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu::simd {

/// A filter of one axis of a box: to(u) = sum over k of from(u + k) taps[k], k along the axis.
/// Products are added in chains of at most kLongestChain, so a product passes through no more
/// roundings than in correlateDirect(). **Shapes**: `from` holds `count` - 1 more voxels
/// than `out` along the axis; nothing outside of `out` is written. `from` and `to` are two buffers.
template <class Real> struct LineFilter {
    const Real* taps;
    std::int64_t count;
};

inline constexpr std::int64_t kLongestChain = 32;

void filterAlongX(const FloatBox& from, const LineFilter<float>& filter, const base::Extents& out,
                  const FloatBox& to);
void filterAlongX(const DoubleBox& from, const LineFilter<double>& filter, const base::Extents& out,
                  const DoubleBox& to);
void filterAlongY(const FloatBox& from, const LineFilter<float>& filter, const base::Extents& out,
                  const FloatBox& to);
void filterAlongY(const DoubleBox& from, const LineFilter<double>& filter, const base::Extents& out,
                  const DoubleBox& to);

/// The most roundings that the product with tap k of `count` passes through: its own, those of its
/// chain, and those of adding chains.
[[nodiscard]] constexpr std::int64_t lineRoundings(std::int64_t k, std::int64_t count) {
    const std::int64_t chains = (count + kLongestChain - 1) / kLongestChain;
    const std::int64_t chain = k / kLongestChain;
    const std::int64_t end = std::min((chain + 1) * kLongestChain, count);
    return end - k + 1 + (chain == 0 ? chains - 1 : chains - chain);
}

/// Filters all axes that have more than one tap, the axis x last: its passes cost most, and then
/// they have no halo. The passes write to the boxes `first` and `second` in turn, the last one to
/// `result` if that is not null. Returns the box that was written last, or `from` without a pass.
/// **Shapes**: `from`, `first` and `second` hold `out` + taps - 1 voxels; `second` may be `from`.
template <class Real>
VoxelBox<Real> filterAxes(const std::array<std::vector<Real>, 3>& taps, const base::Extents& out,
                          VoxelBox<Real> from, VoxelBox<Real> first, VoxelBox<Real> second,
                          const VoxelBox<Real>* result = nullptr) {
    const auto passes = [&](std::size_t axis) { return taps[axis].size() > 1; };
    const auto more = [&](std::size_t axis) { return std::ssize(taps[axis]) - 1; };
    const base::Extents seen{out.x + more(0), out.y + more(1), out.z};
    for (std::size_t axis = 3; axis-- > 0;) {
        if (!passes(axis)) {
            continue;
        }
        const bool last = (axis < 1 || !passes(0)) && (axis < 2 || !passes(1));
        const VoxelBox<Real> to = last && result != nullptr ? *result : first;
        const LineFilter<Real> filter{taps[axis].data(), std::ssize(taps[axis])};
        if (axis == 2) {
            const auto turned = [](const VoxelBox<Real>& box) {
                return VoxelBox<Real>{box.data, box.sliceStride, box.rowStride};
            };
            filterAlongY(turned(from), filter, {seen.x, out.z, seen.y}, turned(to));
        } else if (axis == 1) {
            filterAlongY(from, filter, {seen.x, out.y, out.z}, to);
        } else {
            filterAlongX(from, filter, out, to);
        }
        from = to;
        std::swap(first, second);
    }
    return from;
}

} // namespace flcc::cpu::simd
