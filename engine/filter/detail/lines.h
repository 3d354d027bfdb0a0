#pragma once

#include <cstdint>

#include "engine/cpu/simd/kernels.h"

namespace flcc::filter::detail {

/// A filter of one axis of a box: to(u) = sum over k of from(u + k) taps[k], k along the axis.
/// Products are added in chains of at most kLongestChain, so a product passes through no more
/// roundings than in cpu::simd::correlateDirect(). **Shapes**: `from` holds `count` - 1 more voxels
/// than `out` along the axis; nothing outside of `out` is written. `from` and `to` are two buffers.
template <class Real> struct LineFilter {
    const Real* taps;
    std::int64_t count;
};

inline constexpr std::int64_t kLongestChain = 32;

void filterAlongX(const cpu::simd::FloatBox& from, const LineFilter<float>& filter,
                  const base::Extents& out, const cpu::simd::FloatBox& to);
void filterAlongX(const cpu::simd::DoubleBox& from, const LineFilter<double>& filter,
                  const base::Extents& out, const cpu::simd::DoubleBox& to);
void filterAlongY(const cpu::simd::FloatBox& from, const LineFilter<float>& filter,
                  const base::Extents& out, const cpu::simd::FloatBox& to);
void filterAlongY(const cpu::simd::DoubleBox& from, const LineFilter<double>& filter,
                  const base::Extents& out, const cpu::simd::DoubleBox& to);

} // namespace flcc::filter::detail
