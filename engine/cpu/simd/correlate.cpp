#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/correlate.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/pair_products.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real> using Tag = hn::ScalableTag<Real>;
template <class Real> using V = hn::Vec<Tag<Real>>;

constexpr int kRows = static_cast<int>(kBlockRows);

// Voxels from one weight of a row to the next: a pair of integers holds two.
template <class Real> constexpr std::int64_t kAdvance = std::is_same_v<Real, std::int32_t> ? 2 : 1;

template <class D, class Vector>
HWY_INLINE Vector multiplyAdd(D, Vector weight, Vector loaded, Vector sum) {
    return hn::MulAdd(weight, loaded, sum);
}

HWY_INLINE V<std::int32_t> multiplyAdd(Tag<std::int32_t> d, V<std::int32_t> weight,
                                       V<std::int32_t> loaded, V<std::int32_t> sum) {
    return addPairProducts(d, weight, loaded, sum);
}

// Multiplies one row of scene voxels with the template rows that output rows kLow .. kHigh need. A
// loaded vector serves all these rows, a broadcast weight all vectors.
template <int kLow, int kHigh, std::size_t kVectors, class Real>
HWY_INLINE void addSceneRow(Tag<Real> d, const Real* x, const Real* t, std::int64_t width,
                            V<Real> (&sums)[kRows][kVectors]) {
    const std::size_t lanes = hn::Lanes(d);
    for (std::int64_t i = 0; i < width; ++i) {
        V<Real> loaded[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) {
            loaded[v] = hn::LoadU(d, x + i * kAdvance<Real> + v * lanes);
        }
        for (int r = kLow; r <= kHigh; ++r) {
            const auto weight = hn::Set(d, t[i - r * width]);
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[r][v] = multiplyAdd(d, weight, loaded[v], sums[r][v]);
            }
        }
    }
}

template <std::size_t kVectors, class Real>
HWY_INLINE void addEdgeRow(Tag<Real> d, const Real* x, const Real* t, std::int64_t width, int low,
                           int high, V<Real> (&sums)[kRows][kVectors]) {
    static_assert(kRows == 4);
    switch (low * 4 + high) {
    case 0:
        addSceneRow<0, 0, kVectors>(d, x, t, width, sums);
        break;
    case 1:
        addSceneRow<0, 1, kVectors>(d, x, t, width, sums);
        break;
    case 2:
        addSceneRow<0, 2, kVectors>(d, x, t, width, sums);
        break;
    case 5:
        addSceneRow<1, 1, kVectors>(d, x, t, width, sums);
        break;
    case 6:
        addSceneRow<1, 2, kVectors>(d, x, t, width, sums);
        break;
    case 7:
        addSceneRow<1, 3, kVectors>(d, x, t, width, sums);
        break;
    case 10:
        addSceneRow<2, 2, kVectors>(d, x, t, width, sums);
        break;
    case 11:
        addSceneRow<2, 3, kVectors>(d, x, t, width, sums);
        break;
    default:
        addSceneRow<3, 3, kVectors>(d, x, t, width, sums);
        break;
    }
}

// Adds the products with one slice of the template to kRows x kVectors vectors of outputs in `num`.
// `group` rows of the scene share one accumulator.
template <std::size_t kVectors, class Real>
HWY_INLINE void addSlice(Tag<Real> d, const Real* x, std::int64_t xRow, const Real* t,
                         const base::Extents& m, std::int64_t group, Real* num, std::int64_t numRow,
                         bool first) {
    const std::size_t lanes = hn::Lanes(d);
    const std::int64_t sceneRows = m.y + kRows - 1;
    for (std::int64_t from = 0; from < sceneRows; from += group) {
        const std::int64_t to = std::min(from + group, sceneRows);
        V<Real> sums[kRows][kVectors];
        for (int r = 0; r < kRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[r][v] = hn::Zero(d);
            }
        }
        for (std::int64_t row = from; row < to; ++row) {
            const int low = row < m.y ? 0 : static_cast<int>(row - m.y + 1);
            const int high = row < kRows - 1 ? static_cast<int>(row) : kRows - 1;
            if (low == 0 && high == kRows - 1) {
                addSceneRow<0, kRows - 1, kVectors>(d, x + row * xRow, t + row * m.x, m.x, sums);
            } else {
                addEdgeRow<kVectors>(d, x + row * xRow, t + row * m.x, m.x, low, high, sums);
            }
        }
        const bool store = first && from == 0;
        for (int r = 0; r < kRows; ++r) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                Real* const at = num + r * numRow + v * lanes;
                hn::StoreU(store ? sums[r][v] : hn::Add(hn::LoadU(d, at), sums[r][v]), d, at);
            }
        }
    }
}

template <std::size_t kVectors, class Real>
void block(const VoxelBox<Real>& x, const Real* t, const base::Extents& m, std::int64_t group,
           std::int64_t numRow, Real* num) {
    const Tag<Real> d;
    for (std::int64_t k = 0; k < m.z; ++k) {
        addSlice<kVectors>(d, x.data + k * x.sliceStride, x.rowStride, t + k * m.x * m.y, m, group,
                           num, numRow, k == 0);
    }
}

template <class Real>
HWY_INLINE void correlateAll(const VoxelBox<Real>& x, const Real* t, const base::Extents& m,
                             const base::Extents& out, const VoxelBox<Real>& num) {
#if HWY_TARGET <= HWY_AVX3
    constexpr std::size_t kWide =
        4; // 16 accumulators, 4 scene vectors, 4 weights: fits 32 registers
#else
    constexpr std::size_t kWide = 2; // 8 accumulators, 2 scene vectors, weights: fits 16 registers
#endif
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Tag<Real>()));
    // Integer sums have no roundings, so one accumulator takes all rows.
    const std::int64_t group =
        std::is_same_v<Real, std::int32_t> ? m.y + kRows - 1 : rowsPerAccumulator(m.x);
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; y += kRows) {
            std::int64_t column = 0;
            while (column < out.x) {
                const VoxelBox<Real> at{x.data + z * x.sliceStride + y * x.rowStride + column,
                                        x.rowStride, x.sliceStride};
                Real* const to = num.data + z * num.sliceStride + y * num.rowStride + column;
                const std::int64_t left = out.x - column;
                if (left > static_cast<std::int64_t>(kWide / 2) * lanes) {
                    block<kWide>(at, t, m, group, num.rowStride, to);
                    column += static_cast<std::int64_t>(kWide) * lanes;
                } else if (kWide > 2 && left > lanes) {
                    block<2>(at, t, m, group, num.rowStride, to);
                    column += 2 * lanes;
                } else {
                    block<1>(at, t, m, group, num.rowStride, to);
                    column += lanes;
                }
            }
        }
    }
}

void correlateFloat(const FloatBox& x, const float* t, const base::Extents& m,
                    const base::Extents& out, const FloatBox& num) {
    correlateAll(x, t, m, out, num);
}
void correlateDouble(const DoubleBox& x, const double* t, const base::Extents& m,
                     const base::Extents& out, const DoubleBox& num) {
    correlateAll(x, t, m, out, num);
}

void correlateIntegers(const IntegerBox& x, const std::int32_t* t, const base::Extents& m,
                       const base::Extents& out, const IntegerBox& num) {
    correlateAll(x, t, m, out, num);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(correlateFloat);
HWY_EXPORT(correlateDouble);
HWY_EXPORT(correlateIntegers);

std::int64_t rowsPerAccumulator(std::int64_t width) {
    return std::max<std::int64_t>(1, 32 / width);
}

void correlateDirect(const FloatBox& x, const float* t, const base::Extents& m,
                     const base::Extents& out, const FloatBox& num) {
    HWY_DYNAMIC_DISPATCH(correlateFloat)(x, t, m, out, num);
}
void correlateDirect(const DoubleBox& x, const double* t, const base::Extents& m,
                     const base::Extents& out, const DoubleBox& num) {
    HWY_DYNAMIC_DISPATCH(correlateDouble)(x, t, m, out, num);
}
void correlateDirect(const IntegerBox& x, const std::int32_t* t, const base::Extents& m,
                     const base::Extents& out, const IntegerBox& num) {
    HWY_DYNAMIC_DISPATCH(correlateIntegers)(x, t, m, out, num);
}

std::int64_t directChain(const base::Extents& m) {
    const std::int64_t group = rowsPerAccumulator(m.x);
    return std::min(group, m.y) * m.x + ((m.y + kBlockRows - 2) / group + 1) * m.z;
}

} // namespace flcc::cpu::simd
#endif
