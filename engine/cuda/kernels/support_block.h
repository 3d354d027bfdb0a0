#pragma once

#include <cmath>
#include <cstdint>

#include "engine/cuda/kernels/support_launch.h"
#include "engine/cuda/kernels/support_panel.h"
#include "engine/cuda/kernels/tiled_block.h"
#include "engine/method/shared/template_error.h"

/// The kernels of tiles whose panels are not full boxes inside the scene, before and after their
/// transforms. The form is that of tiled_block.h.
namespace flcc::cuda {

/// The kernels for voxels of type T. All values are in double.
template <class T> struct SupportVoxels {
    using Plain = TiledVoxels<T, double>;
    using Panels = SupportPanels<T>;
    using Line = typename Panels::Line;

    /// Calls `visit(voxel)` for this thread's voxels of a share that lie in the scene and its mask.
    template <class Visit>
    FLCC_HOST_DEVICE static void forInside(const SupportLaunch& launch, const TilePlace& place,
                                           std::int64_t share, int thread, Visit&& visit) {
        Plain::forRows(launch, share, thread, [&](std::int64_t, std::int64_t y, std::int64_t z) {
            if (y >= place.seen.y || z >= place.seen.z) {
                return;
            }
            const Line line = Panels::lineAt(launch, place.corner, y, z);
            const int lanes = rowLanes(launch.points);
            for (std::int64_t x = thread % lanes; x < place.seen.x; x += lanes) {
                if (Panels::counts(launch, line, x)) {
                    visit(Panels::voxelAt(launch, line, x));
                }
            }
        });
    }

    // --- The frame: as in TiledVoxels ------------------------------------------------------------

    template <class Each>
    FLCC_HOST_DEVICE static void range(const SupportLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            shared::VoxelRange range;
            std::int64_t inside = 0;
            forInside(launch, place, block % shares, thread, [&](T voxel) {
                shared::addVoxel(range, voxel);
                ++inside;
            });
            Plain::leaveRange(range, thread, all);
            all.slots[3][thread] = static_cast<double>(inside);
        });
        each([&](int thread) {
            Plain::foldRange(thread, all);
            fold(all.slots[3], thread, plus);
        });
        each([&](int thread) {
            if (thread == 0) {
                TileShare& share = sharesOf(launch, place.tile)[block % shares];
                share.values[0] = folded(all.slots[0], least);
                share.values[1] = folded(all.slots[1], most);
                share.values[2] = folded(all.slots[2], plus);
                share.values[3] = folded(all.slots[3], plus);
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinRange(const SupportLaunch& launch, std::int64_t tile,
                                           TiledShared& all, Each&& each) {
        each([&](int thread) {
            double inside = 0;
            for (std::int64_t i = thread; i < rowShares(launch.points);
                 i += shared::kBlockThreads) {
                inside += sharesOf(launch, tile)[i].values[3];
            }
            all.slots[3][thread] = inside;
        });
        each([&](int thread) { fold(all.slots[3], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                launch.facts[tile].inside = static_cast<std::int64_t>(folded(all.slots[3], plus));
            }
        });
        Plain::joinRange(launch, tile, all, each);
    }

    template <class Each>
    FLCC_HOST_DEVICE static void sum(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const double scale =
                std::ldexp(1.0, -shared::preExponent<T>(launch.facts[place.tile].range));
            double sum = 0;
            forInside(launch, place, block % shares, thread, [&](T voxel) {
                sum += base::finite(voxel) ? static_cast<double>(voxel) * scale : 0.0;
            });
            all.slots[0][thread] = sum;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                sharesOf(launch, place.tile)[block % shares].values[0] = folded(all.slots[0], plus);
            }
        });
    }

    /// Adds up values[0] of the shares of a tile, and calls `use(sum)` on thread 0.
    template <class Each, class Use>
    FLCC_HOST_DEVICE static void join(const SupportLaunch& launch, std::int64_t tile,
                                      TiledShared& all, Each&& each, Use&& use) {
        each([&](int thread) {
            double sum = 0;
            for (std::int64_t i = thread; i < rowShares(launch.points);
                 i += shared::kBlockThreads) {
                sum += sharesOf(launch, tile)[i].values[0];
            }
            all.slots[0][thread] = sum;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                use(folded(all.slots[0], plus));
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinSum(const SupportLaunch& launch, std::int64_t tile,
                                         TiledShared& all, Each&& each) {
        join(launch, tile, all, each, [&](double sum) {
            TileFacts& facts = launch.facts[tile];
            facts.frame = supportFrame<T>(facts.range, sum, facts.inside - facts.range.nonFinite,
                                          static_cast<std::int64_t>(launch.constants.count));
        });
    }

    // --- What is transformed ---------------------------------------------------------------------

    FLCC_HOST_DEVICE static double inputOf(T voxel, SupportInput input,
                                           const shared::TileFrame& frame) {
        switch (input) {
        case SupportInput::Inside:
            return 1;
        case SupportInput::NonFinite:
            return base::finite(voxel) ? 0 : 1;
        case SupportInput::Voxels:
        case SupportInput::Squares:
            break;
        }
        const double x = base::finite(voxel) ? shared::centred<double>(voxel, frame) : 0.0;
        return input == SupportInput::Voxels ? x : x * x;
    }

    /// Writes the input of a share to `data`, 0 where no voxel counts, and the sum of its squares
    /// to the TileShare.
    template <class Each>
    FLCC_HOST_DEVICE static void gather(const SupportLaunch& launch, std::int64_t block,
                                        TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const shared::TileFrame frame = launch.facts[place.tile].frame;
            double* const tile = dataOf<double>(launch) + place.tile * tileValues(launch.points);
            double squares = 0;
            Plain::forRows(launch, block % shares, thread,
                           [&](std::int64_t at, std::int64_t y, std::int64_t z) {
                               const bool seen = y < place.seen.y && z < place.seen.z;
                               const Line line = Panels::lineAt(launch, place.corner, y, z);
                               double* const to = tile + at * rowValues(launch.points);
                               const int lanes = rowLanes(launch.points);
                               for (std::int64_t x = thread % lanes; x < rowValues(launch.points);
                                    x += lanes) {
                                   const bool counted =
                                       seen && x < place.seen.x && Panels::counts(launch, line, x);
                                   const double value =
                                       counted ? inputOf(Panels::voxelAt(launch, line, x),
                                                         launch.input, frame)
                                               : 0.0;
                                   to[x] = value;
                                   squares += value * value;
                               }
                           });
            all.slots[0][thread] = squares;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                sharesOf(launch, place.tile)[block % shares].values[0] = folded(all.slots[0], plus);
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinNorm(const SupportLaunch& launch, std::int64_t tile,
                                          TiledShared& all, Each&& each) {
        join(launch, tile, all, each, [&](double squares) {
            launch.facts[tile].norms[static_cast<int>(launch.input)] = std::sqrt(squares);
        });
    }

    // --- Scores ----------------------------------------------------------------------------------

    /// The constants and error bounds that the panels of a tile share. A voxel is rounded once when
    /// it is loaded, its square twice more.
    FLCC_HOST_DEVICE static shared::PanelFrame panelFrame(const SupportLaunch& launch,
                                                          const TileFacts& facts) {
        constexpr double kUnit = 0x1p-53;
        const double tile = launch.tileError;
        const double* const weights = launch.weightNorms; // That, B_T, That^2
        const double x = facts.norms[static_cast<int>(SupportInput::Voxels)];
        const double squares = facts.norms[static_cast<int>(SupportInput::Squares)];
        const double inside = std::sqrt(static_cast<double>(facts.inside));
        shared::PanelFrame frame = Panels::panelFrame(launch, facts.frame);
        frame.errors.cnTile = tile * x * weights[0];
        frame.errors.cnPanel = 2 * kUnit + shared::kTemplateError;
        frame.errors.s1Tile = tile * x * weights[1];
        frame.errors.s1Panel = 2 * kUnit;
        frame.errors.s2Tile = tile * squares * weights[1];
        frame.errors.s2Panel = 4 * kUnit;
        frame.errors.t1Tile =
            tile * inside * weights[0] + (kUnit + shared::kTemplateError) * frame.rootCount;
        frame.errors.t2Tile = tile * inside * weights[2] + 2 * kUnit + 2 * shared::kTemplateError;
        return frame;
    }

    FLCC_HOST_DEVICE static Judged judge(const SupportLaunch& launch, const base::Index& at) {
        const base::Extents grid = tileGrid(launch.map, launch.out);
        const base::Index in{at.x / launch.out.x, at.y / launch.out.y, at.z / launch.out.z};
        const TilePlace place = tilePlace(launch, (in.z * grid.y + in.y) * grid.x + in.x);
        const base::Index own{at.x - place.corner.x, at.y - place.corner.y, at.z - place.corner.z};
        const std::int64_t value = place.tile * tileValues(launch.points) +
                                   (own.z * launch.points.y + own.y) * rowValues(launch.points) +
                                   own.x;
        const TileFacts& facts = launch.facts[place.tile];
        const auto sum = [&](SupportSum which) { return launch.sums[which][value]; };
        const bool partial = facts.inside < countOf(place.seen);
        const double inside =
            partial ? shared::detail::nearest(sum(kSumN)) : launch.constants.count;
        const bool nonFinite = launch.sums[kSumNonFinite] != nullptr && sum(kSumNonFinite) > 0.5;
        return Panels::judge(launch, at, facts.frame, inside, nonFinite, [&](bool whole) {
            shared::PanelSums sums{sum(kSumCn), sum(kSumS1), sum(kSumS2), inside, 0, 1};
            if (!whole) { // for the whole template they are 0 and 1 by definition
                sums.t1 = sum(kSumT1);
                sums.t2 = launch.outside == method::Outside::Overlap ? sum(kSumT2) : 1.0;
            }
            return shared::scorePanel(sums, panelFrame(launch, facts));
        });
    }

    /// Writes scores, statuses and the tally of a block of the map.
    template <class Each>
    FLCC_HOST_DEVICE static void score(const SupportLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        scoreBlock(launch, block, all, each,
                   [&](const base::Index& at) { return judge(launch, at); });
    }
};

/// Multiplies a value of a tile's spectrum by that of the weights. The product goes to the buffer
/// of a sum, so that the spectrum stays for further sums.
FLCC_HOST_DEVICE inline void multiplyApart(const SupportLaunch& launch, std::int64_t item) {
    const std::int64_t items = tileValues(launch.points) / 2;
    const double* const by = static_cast<const double*>(launch.spectrum) + 2 * (item % items);
    const double* const value = dataOf<double>(launch) + 2 * item;
    double* const to = launch.sums[launch.sum] + 2 * item;
    to[0] = value[0] * by[0] - value[1] * by[1];
    to[1] = value[0] * by[1] + value[1] * by[0];
}

} // namespace flcc::cuda
