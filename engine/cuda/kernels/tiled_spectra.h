#pragma once

#include <cstdint>

#include "engine/cuda/kernels/tiled_block.h"

/// The kernels of the Fourier methods that do not depend on the pixel type: energies of lines,
/// products of spectra, the spectrum of the template. The form is that of tiled_block.h.
namespace flcc::cuda {

/// The lines of a tile parallel to an axis: number of values of a line, distance of its values in
/// memory, number of lines.
struct TileLines {
    std::int64_t length = 0;
    std::int64_t step = 0;
    std::int64_t count = 0;
};
FLCC_HOST_DEVICE inline TileLines tileLines(const base::Extents& points, int axis) {
    const std::int64_t row = rowValues(points);
    return axis == 0   ? TileLines{points.x, 1, points.y * points.z}
           : axis == 1 ? TileLines{points.y, row, points.x * points.z}
                       : TileLines{points.z, row * points.y, points.x * points.y};
}
/// Offset of the first value of a line in its tile.
FLCC_HOST_DEVICE inline std::int64_t lineBegin(const base::Extents& points, int axis,
                                               std::int64_t line) {
    const std::int64_t row = rowValues(points);
    return axis == 0   ? line * row
           : axis == 1 ? line / points.x * points.y * row + line % points.x
                       : line / points.x * row + line % points.x;
}

/// The energies (sums of squares) of tiles that the error bound needs: shared::TileEnergy, and
/// engine/method/NUMERICS.md, section 5.
template <class Real> struct TiledEnergy {
    static constexpr int kLanes =
        shared::kBlockThreads / kLinesTogether; ///< threads that share a line

    /// Energies of a group of lines of `data`, or of `product` if `out`. TileShare::values holds
    /// the largest mean square, the largest gathered energy, the total energy (for one axis only,
    /// as every axis has the same) and the largest sum of squares of a line.
    template <class Each>
    FLCC_HOST_DEVICE static void lines(const TiledLaunch& launch, std::int64_t block, bool out,
                                       TiledShared& all, Each&& each) {
        const base::Extents& points = launch.points;
        const base::Extents groups = lineGroups(points);
        const std::int64_t shares = lineShares(points);
        const std::int64_t tile = block / shares;
        const std::int64_t share = block % shares;
        const int axis = share < groups.x ? 0 : share < groups.x + groups.y ? 1 : 2;
        const std::int64_t group = share - (axis > 0 ? groups.x : 0) - (axis > 1 ? groups.y : 0);
        const bool counted = axis == (groups.x > 0 ? 0 : groups.y > 0 ? 1 : 2);
        const TileLines of = tileLines(points, axis);
        const Real* const values =
            (out ? productOf<Real>(launch) : dataOf<Real>(launch)) + tile * tileValues(points);
        each([&](int thread) {
            // Neighbouring threads read neighbours along x.
            const int lane = axis == 0 ? thread % kLanes : thread / kLinesTogether;
            const int own = axis == 0 ? thread / kLanes : thread % kLinesTogether;
            const std::int64_t line = group * kLinesTogether + own;
            double sum = 0;
            if (line < of.count) {
                const Real* const begin = values + lineBegin(points, axis, line);
                for (std::int64_t i = lane; i < of.length; i += kLanes) {
                    const auto value = static_cast<double>(begin[i * of.step]);
                    sum += value * value;
                }
            }
            all.slots[0][own * kLanes + lane] = sum;
        });
        each([&](int thread) {
            if (thread < kLinesTogether) {
                double sum = 0;
                for (int lane = 0; lane < kLanes; ++lane) {
                    sum += all.slots[0][thread * kLanes + lane];
                }
                all.slots[1][thread] = sum;
            }
        });
        each([&](int thread) {
            if (thread == 0) {
                double largest = 0;
                double total = 0;
                for (int i = 0; i < kLinesTogether; ++i) {
                    largest = most(largest, all.slots[1][i]);
                    total += all.slots[1][i];
                }
                const auto energy =
                    shared::TileEnergy::ofLines(of.length, largest, counted ? total : 0.0);
                TileShare& reported = sharesOf(launch, tile)[share];
                reported.values[0] = energy.largestMeanSquare;
                reported.values[1] = energy.largestGathered;
                reported.values[2] = energy.total;
                reported.values[3] = largest;
            }
        });
    }

    /// Combines the energies of a tile: of what goes into the transforms, or if `out` of what comes
    /// out, and then computes the bound on its numerators. cuFFT does not say in which order it
    /// makes its passes. So every line is bounded as if it were a column, and lines along x and z
    /// also count as crossing lines, as on the processor with FFTW.
    template <class Each>
    FLCC_HOST_DEVICE static void join(const TiledLaunch& launch, std::int64_t tile, bool out,
                                      TiledShared& all, Each&& each) {
        each([&](int thread) {
            double largest = 0;
            double gathered = 0;
            double total = 0;
            double row = 0;
            double pillar = 0;
            const TileShare* const shares = sharesOf(launch, tile);
            const base::Extents groups = lineGroups(launch.points);
            for (std::int64_t i = thread; i < lineShares(launch.points);
                 i += shared::kBlockThreads) {
                largest = most(largest, shares[i].values[0]);
                gathered = most(gathered, shares[i].values[1]);
                total += shares[i].values[2];
                row = i < groups.x ? most(row, shares[i].values[3]) : row;
                pillar = i >= groups.x + groups.y ? most(pillar, shares[i].values[3]) : pillar;
            }
            all.slots[0][thread] = largest;
            all.slots[1][thread] = gathered;
            all.slots[2][thread] = row;
            all.slots[3][thread] = pillar;
            all.slots[4][thread] = total;
        });
        each([&](int thread) {
            for (int slot = 0; slot < 4; ++slot) {
                fold(all.slots[slot], thread, most);
            }
            fold(all.slots[4], thread, plus);
        });
        each([&](int thread) {
            if (thread != 0) {
                return;
            }
            TileFacts& facts = launch.facts[tile];
            shared::TileEnergy energy{folded(all.slots[0], most), folded(all.slots[1], most),
                                      folded(all.slots[4], plus)};
            if (launch.points.z > 1) {
                energy.countCrossing(launch.points.z, folded(all.slots[3], most));
            }
            energy.countCrossing(launch.points.x, folded(all.slots[2], most));
            if (!out) {
                facts.in = energy;
                return;
            }
            const shared::FourierBound bound =
                shared::fourierBound(launch.points, launch.templ, facts.in, energy, launch.errors);
            facts.boundNumerator = bound.typical < bound.worst ? bound.typical : bound.worst;
        });
    }
};

// --- Items ---------------------------------------------------------------------------------------

/// Number of items of multiply() for each tile: its complex values.
FLCC_HOST_DEVICE inline std::int64_t itemsOfProduct(const TiledLaunch& launch) {
    return tileValues(launch.points) / 2;
}
/// Multiplies a value of a tile's spectrum by that of the template's spectrum.
template <class Real>
FLCC_HOST_DEVICE inline void multiply(const TiledLaunch& launch, std::int64_t item) {
    const std::int64_t items = itemsOfProduct(launch);
    const Real* const by = static_cast<const Real*>(launch.spectrum) + 2 * (item % items);
    const Real* const value = dataOf<Real>(launch) + 2 * item;
    Real* const to = productOf<Real>(launch) + 2 * item;
    const Real re = value[0];
    const Real im = value[1];
    to[0] = re * by[0] - im * by[1];
    to[1] = re * by[1] + im * by[0];
}

/// Writes a value of the template's tile, in double: a weight, or 0 beyond the template.
FLCC_HOST_DEVICE inline void placeTemplate(const TiledLaunch& launch, std::int64_t item) {
    const std::int64_t row = rowValues(launch.points);
    const base::Index at{item % row, item / row % launch.points.y, item / (row * launch.points.y)};
    const base::Extents& m = launch.templ;
    launch.placed[item] = at.x < m.x && at.y < m.y && at.z < m.z
                              ? launch.weights[(at.z * m.y + at.y) * m.x + at.x]
                              : 0.0;
}
/// Writes a value of the template's spectrum: conjugate, divided by the number of points, rounded
/// once.
template <class Real>
FLCC_HOST_DEVICE inline void roundTemplate(const TiledLaunch& launch, std::int64_t item) {
    const double scale = 1.0 / static_cast<double>(countOf(launch.points));
    Real* const to = static_cast<Real*>(launch.spectrum) + 2 * item;
    const double re = launch.placed[2 * item];
    const double im = launch.placed[2 * item + 1];
    to[0] = static_cast<Real>(re * scale);
    to[1] = static_cast<Real>(-im * scale);
}

} // namespace flcc::cuda
