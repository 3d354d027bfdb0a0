#include <algorithm>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/spectrum.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real> double largestOf(const Real* values, std::int64_t count) {
    const hn::ScalableTag<Real> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto most = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        most = hn::Max(most, hn::LoadU(d, values + i));
    }
    Real largest = hn::GetLane(hn::MaxOfLanes(d, most));
    for (; i < count; ++i) {
        largest = std::max(largest, values[i]);
    }
    return static_cast<double>(largest);
}

template <class Real>
HWY_INLINE TileEnergy energyOf(const Real* tile, const base::Extents& n, Real* scratch) {
    const hn::ScalableTag<Real> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    Real* const columns = scratch;       // lines along y, of one slice
    Real* const pillars = scratch + n.x; // lines along z
    const bool volume = n.z > 1;
    std::fill_n(scratch, n.x + (volume ? n.x * n.y : 0), Real{0});
    double brightestRow = 0;
    double brightestColumn = 0;
    double sum = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
        if (z > 0) {
            std::fill_n(columns, n.x, Real{0});
        }
        for (std::int64_t y = 0; y < n.y; ++y) {
            const Real* const row = tile + (z * n.y + y) * n.x;
            Real* const pillar = pillars + y * n.x;
            auto squares = hn::Zero(d);
            Real rest = 0;
            std::int64_t x = 0;
            for (; x + lanes <= n.x; x += lanes) {
                const auto v = hn::LoadU(d, row + x);
                const auto square = hn::Mul(v, v);
                squares = hn::Add(squares, square);
                hn::StoreU(hn::Add(hn::LoadU(d, columns + x), square), d, columns + x);
                if (volume) {
                    hn::StoreU(hn::Add(hn::LoadU(d, pillar + x), square), d, pillar + x);
                }
            }
            for (; x < n.x; ++x) {
                const Real square = row[x] * row[x];
                rest += square;
                columns[x] += square;
                if (volume) {
                    pillar[x] += square;
                }
            }
            const double ofRow = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares))) +
                                 static_cast<double>(rest);
            brightestRow = std::max(brightestRow, ofRow);
            sum += ofRow;
        }
        brightestColumn = std::max(brightestColumn, largestOf(columns, n.x));
    }
    // FFTW does not say in which order it makes its passes, so every line is bounded as if it were
    // a column.
    TileEnergy result = TileEnergy::ofLines(n.y, brightestColumn, sum);
    result.join(TileEnergy::ofLines(n.x, brightestRow, 0));
    if (volume) {
        const double brightestPillar = largestOf(pillars, n.x * n.y);
        result.join(TileEnergy::ofLines(n.z, brightestPillar, 0));
        result.countCrossing(n.z, brightestPillar);
    }
    result.countCrossing(n.x, brightestRow);
    return result;
}
TileEnergy energy(const float* tile, const base::Extents& n, float* scratch) {
    return energyOf(tile, n, scratch);
}
TileEnergy energyDouble(const double* tile, const base::Extents& n, double* scratch) {
    return energyOf(tile, n, scratch);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(energy);
HWY_EXPORT(energyDouble);

namespace {

/// Scratch values of lineEnergy(): sums of squares of lines along y and, in a volume, along z.
std::size_t crossing(const base::Extents& n) {
    return static_cast<std::size_t>(n.x + (n.z > 1 ? n.x * n.y : 0));
}

} // namespace

TileEnergy lineEnergy(const float* tile, const base::Extents& n) {
    std::vector<float> scratch(crossing(n));
    return HWY_DYNAMIC_DISPATCH(energy)(tile, n, scratch.data());
}

TileEnergy lineEnergy(const double* tile, const base::Extents& n) {
    std::vector<double> scratch(crossing(n));
    return HWY_DYNAMIC_DISPATCH(energyDouble)(tile, n, scratch.data());
}

} // namespace flcc::cpu::simd
#endif
