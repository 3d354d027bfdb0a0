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
HWY_INLINE LineEnergies energiesOf(const Real* tile, const base::Extents& n, bool volume,
                                   Real* scratch) {
    const hn::ScalableTag<Real> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    Real* const columns = scratch;       // lines along y, of one slice
    Real* const pillars = scratch + n.x; // lines along z
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
    return {brightestRow, brightestColumn, sum};
}
LineEnergies energies(const float* tile, const base::Extents& n, bool volume, float* scratch) {
    return energiesOf(tile, n, volume, scratch);
}
LineEnergies energiesDouble(const double* tile, const base::Extents& n, bool volume,
                            double* scratch) {
    return energiesOf(tile, n, volume, scratch);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(energies);
HWY_EXPORT(energiesDouble);

namespace {

LineEnergies energiesOf(const float* tile, const base::Extents& n, bool volume, float* scratch) {
    return HWY_DYNAMIC_DISPATCH(energies)(tile, n, volume, scratch);
}
LineEnergies energiesOf(const double* tile, const base::Extents& n, bool volume, double* scratch) {
    return HWY_DYNAMIC_DISPATCH(energiesDouble)(tile, n, volume, scratch);
}

/// The parts of a box along its slowest axis are measured through `each`, then joined.
template <class Real>
TileEnergy energyOf(const Real* tile, const base::Extents& n, std::int64_t parts,
                    const ForItems& each) {
    const bool volume = n.z > 1;
    const std::int64_t slices = volume ? n.z : n.y; // along the slowest axis
    const std::int64_t slice = volume ? n.x * n.y : n.x;
    const std::int64_t part = (slices + parts - 1) / parts;
    // Sums of squares of lines along y and, in a volume, along z.
    const std::int64_t lines = n.x + (volume ? slice : 0);
    const std::int64_t count = (slices + part - 1) / part;
    std::vector<Real> sums(static_cast<std::size_t>(count * lines));
    std::vector<LineEnergies> found(static_cast<std::size_t>(count));
    (void)each(count, [&](std::int64_t i, int) {
        const std::int64_t length = std::min(part, slices - i * part);
        found[static_cast<std::size_t>(i)] =
            energiesOf(tile + i * part * slice,
                       volume ? base::Extents{n.x, n.y, length} : base::Extents{n.x, length, 1},
                       volume, sums.data() + i * lines);
    });
    LineEnergies all;
    for (const LineEnergies& one : found) {
        all.brightestRow = std::max(all.brightestRow, one.brightestRow);
        all.brightestColumn = std::max(all.brightestColumn, one.brightestColumn);
        all.total += one.total;
    }
    double brightest = 0; // of the lines along the slowest axis
    for (std::int64_t i = lines - slice; i < lines; ++i) {
        double line = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            line += static_cast<double>(sums[static_cast<std::size_t>(k * lines + i)]);
        }
        brightest = std::max(brightest, line);
    }
    // FFTW does not say in which order it makes its passes, so every line is bounded as if it were
    // a column.
    TileEnergy result =
        TileEnergy::ofLines(n.y, volume ? all.brightestColumn : brightest, all.total);
    result.join(TileEnergy::ofLines(n.x, all.brightestRow, 0));
    if (volume) {
        result.join(TileEnergy::ofLines(n.z, brightest, 0));
        result.countCrossing(n.z, brightest);
    }
    result.countCrossing(n.x, all.brightestRow);
    return result;
}

} // namespace

TileEnergy lineEnergy(const float* tile, const base::Extents& n, std::int64_t parts,
                      const ForItems& each) {
    return energyOf(tile, n, parts, each);
}

TileEnergy lineEnergy(const double* tile, const base::Extents& n, std::int64_t parts,
                      const ForItems& each) {
    return energyOf(tile, n, parts, each);
}

} // namespace flcc::cpu::simd
#endif
