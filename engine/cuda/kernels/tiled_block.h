#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/finite.h"
#include "engine/cuda/kernels/block_tally.h"
#include "engine/cuda/kernels/tiled_launch.h"

/// The kernels of the Fourier methods, before and after the transforms of their tiles. A kernel
/// consists of blocks or of items. A block is a sequence of phases, and all its threads wait for
/// each other between two phases. Items do not depend on each other. All are plain functions, so
/// that a test can run them on the processor (README.md, "Kernels are plain functions in phases").
namespace flcc::cuda {

/// The shared memory of a block. It need not be initialised.
struct TiledShared {
    Slots slots[VoxelTally::kSlots];
};

/// The shared memory of a block of a part: the part's own, or TiledShared.
template <class Part> struct SharedOf { using Type = TiledShared; };
template <class Part>
requires requires { typename Part::Shared; }
struct SharedOf<Part> {
    using Type = typename Part::Shared;
};

/// Threads that read neighbours along x of one row of a tile: a warp, or all threads of a block
/// where rows are long.
FLCC_HOST_DEVICE inline int rowLanes(const base::Extents& points) {
    constexpr int kWarp = 32;
    return points.x < shared::kBlockThreads ? kWarp : shared::kBlockThreads;
}

/// A tile of a launch: its first placement, which is also its first voxel, the extents of its
/// placements, and the extents of the voxels under these.
struct TilePlace {
    std::int64_t tile = 0;
    base::Index corner;
    base::Extents out;
    base::Extents seen;
};

FLCC_HOST_DEVICE inline TilePlace tilePlace(const TiledLaunch& launch, std::int64_t tile) {
    const base::Extents grid = tileGrid(launch.map, launch.out);
    TilePlace place;
    place.tile = tile;
    place.corner = {tile % grid.x * launch.out.x, tile / grid.x % grid.y * launch.out.y,
                    tile / (grid.x * grid.y) * launch.out.z};
    const auto within = [](std::int64_t left, std::int64_t most) {
        return left < most ? left : most;
    };
    place.out = {within(launch.map.x - place.corner.x, launch.out.x),
                 within(launch.map.y - place.corner.y, launch.out.y),
                 within(launch.map.z - place.corner.z, launch.out.z)};
    place.seen = {place.out.x + launch.templ.x - 1, place.out.y + launch.templ.y - 1,
                  place.out.z + launch.templ.z - 1};
    return place;
}

FLCC_HOST_DEVICE inline TileShare* sharesOf(const TiledLaunch& launch, std::int64_t tile) {
    return launch.shares + tile * shareCount(launch.points);
}

// --- Blocks: one for each share of each tile, or one for each tile -----------------------------

/// Writes scores, statuses and the tally of a block of the map. `judge(voxel)` returns status and
/// score of a voxel.
template <class Each, class Judge>
FLCC_HOST_DEVICE inline void scoreBlock(const TiledLaunch& launch, std::int64_t block,
                                        TiledShared& all, Each&& each, Judge&& judge) {
    each([&](int thread) {
        VoxelTally tally;
        bool sampled = true; // only the first voxel of a thread
        forOwnVoxels(launch.map, block, thread, [&](const base::Index& voxel, std::int64_t at) {
            const Judged judged = judge(voxel);
            VoxelTally::write(launch, at, judged);
            tally.add(judged, sampled);
            sampled = false;
        });
        tally.leave(thread, all.slots);
    });
    each([&](int thread) { VoxelTally::foldAll(thread, all.slots); });
    each([&](int thread) { VoxelTally::tell(thread, all.slots, launch.tallies[block]); });
}

/// `data` and `product` of a launch, as values of type Real.
template <class Real> FLCC_HOST_DEVICE inline Real* dataOf(const TiledLaunch& launch) {
    return static_cast<Real*>(launch.data);
}

template <class Real> FLCC_HOST_DEVICE inline Real* productOf(const TiledLaunch& launch) {
    return static_cast<Real*>(launch.product);
}

/// The kernels for voxels of type T. Values x in the frames of the tiles are of type Real.
template <class T, class Real> struct TiledVoxels {
    FLCC_HOST_DEVICE static const T* rowAt(const TiledLaunch& launch, const TilePlace& place,
                                           std::int64_t y, std::int64_t z) {
        return static_cast<const T*>(launch.scene) +
               ((place.corner.z + z) * launch.extents.y + place.corner.y + y) * launch.extents.x +
               place.corner.x;
    }

    /// Calls `visit(row, y, z)` for the rows of a share of a tile that this thread's lanes read.
    template <class Visit>
    FLCC_HOST_DEVICE static void forRows(const TiledLaunch& launch, std::int64_t share, int thread,
                                         Visit&& visit) {
        const std::int64_t rows = rowsOfShare(launch.points);
        const std::int64_t all = launch.points.y * launch.points.z;
        const std::int64_t end = (share + 1) * rows < all ? (share + 1) * rows : all;
        const int lanes = rowLanes(launch.points);
        const int step = shared::kBlockThreads / lanes;
        std::int64_t row = share * rows + thread / lanes;
        std::int64_t y = row % launch.points.y;
        std::int64_t z = row / launch.points.y;
        for (; row < end; row += step) {
            visit(row, y, z);
            y += step;
            while (y >= launch.points.y) { // a division for each row takes as long as reading it
                y -= launch.points.y;
                ++z;
            }
        }
    }
    /// Calls `visit(voxel)` for this thread's voxels of a share that placements of the tile see.
    template <class Visit>
    FLCC_HOST_DEVICE static void forVoxels(const TiledLaunch& launch, const TilePlace& place,
                                           std::int64_t share, int thread, Visit&& visit) {
        forRows(launch, share, thread, [&](std::int64_t, std::int64_t y, std::int64_t z) {
            if (y < place.seen.y && z < place.seen.z) {
                const T* const row = rowAt(launch, place, y, z);
                const int lanes = rowLanes(launch.points);
                for (std::int64_t x = thread % lanes; x < place.seen.x; x += lanes) {
                    visit(row[x]);
                }
            }
        });
    }

    /// Finds the range of a share: minimum, maximum, and the number of NaN and Inf.
    template <class Each>
    FLCC_HOST_DEVICE static void range(const TiledLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            shared::VoxelRange range;
            forVoxels(launch, place, block % shares, thread,
                      [&](T voxel) { shared::addVoxel(range, voxel); });
            leaveRange(range, thread, all);
        });
        each([&](int thread) { foldRange(thread, all); });
        each([&](int thread) {
            if (thread == 0) {
                TileShare& share = sharesOf(launch, place.tile)[block % shares];
                share.values[0] = folded(all.slots[0], least);
                share.values[1] = folded(all.slots[1], most);
                share.values[2] = folded(all.slots[2], plus);
            }
        });
    }
    FLCC_HOST_DEVICE static void leaveRange(const shared::VoxelRange& range, int thread,
                                            TiledShared& all) {
        all.slots[0][thread] = range.minimum;
        all.slots[1][thread] = range.maximum;
        all.slots[2][thread] = static_cast<double>(range.nonFinite);
    }
    FLCC_HOST_DEVICE static void foldRange(int thread, TiledShared& all) {
        fold(all.slots[0], thread, least);
        fold(all.slots[1], thread, most);
        fold(all.slots[2], thread, plus);
    }

    /// Combines the ranges of the shares of a tile.
    template <class Each>
    FLCC_HOST_DEVICE static void joinRange(const TiledLaunch& launch, std::int64_t tile,
                                           TiledShared& all, Each&& each) {
        each([&](int thread) {
            shared::VoxelRange range;
            const TileShare* const shares = sharesOf(launch, tile);
            for (std::int64_t i = thread; i < rowShares(launch.points);
                 i += shared::kBlockThreads) {
                range = shared::together(range, {shares[i].values[0], shares[i].values[1],
                                                 static_cast<std::int64_t>(shares[i].values[2])});
            }
            leaveRange(range, thread, all);
        });
        each([&](int thread) { foldRange(thread, all); });
        each([&](int thread) {
            if (thread == 0) {
                launch.facts[tile].range = {folded(all.slots[0], least), folded(all.slots[1], most),
                                            static_cast<std::int64_t>(folded(all.slots[2], plus))};
            }
        });
    }

    /// Sums the finite voxels of a share, scaled by 2^-preExponent() as frameOf() expects.
    template <class Each>
    FLCC_HOST_DEVICE static void sum(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const double scale =
                std::ldexp(1.0, -shared::preExponent<T>(launch.facts[place.tile].range));
            double sum = 0;
            forVoxels(launch, place, block % shares, thread, [&](T voxel) {
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

    /// Adds up the sums of the shares of a tile, and finds its frame.
    template <class Each>
    FLCC_HOST_DEVICE static void joinSum(const TiledLaunch& launch, std::int64_t tile,
                                         TiledShared& all, Each&& each) {
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
                TileFacts& facts = launch.facts[tile];
                const TilePlace place = tilePlace(launch, tile);
                facts.frame = shared::frameOf<T, Real>(facts.range, folded(all.slots[0], plus),
                                                       countOf(place.seen) - facts.range.nonFinite,
                                                       countOf(launch.templ));
            }
        });
    }

    /// Writes the voxels of a share to `data`, in the frame of their tile; 0 beyond the scene, and
    /// after the last point of a row, which cuFFT reads although it does not count.
    template <class Each>
    FLCC_HOST_DEVICE static void gather(const TiledLaunch& launch, std::int64_t block, TiledShared&,
                                        Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const shared::TileFrame frame = launch.facts[place.tile].frame;
            Real* const tile = dataOf<Real>(launch) + place.tile * tileValues(launch.points);
            forRows(launch, block % shares, thread,
                    [&](std::int64_t at, std::int64_t y, std::int64_t z) {
                        const bool inside = y < place.seen.y && z < place.seen.z;
                        const T* const row = rowAt(launch, place, inside ? y : 0, inside ? z : 0);
                        Real* const to = tile + at * rowValues(launch.points);
                        const int lanes = rowLanes(launch.points);
                        for (std::int64_t x = thread % lanes; x < rowValues(launch.points);
                             x += lanes) {
                            to[x] = inside && x < place.seen.x
                                        ? shared::centred<Real>(row[x], frame)
                                        : Real{0};
                        }
                    });
        });
    }

    // --- Scores ----------------------------------------------------------------------------------

    FLCC_HOST_DEVICE static Judged judge(const TiledLaunch& launch, const base::Index& at) {
        const base::Extents grid = tileGrid(launch.map, launch.out);
        const base::Index in{at.x / launch.out.x, at.y / launch.out.y, at.z / launch.out.z};
        const TilePlace place = tilePlace(launch, (in.z * grid.y + in.y) * grid.x + in.x);
        const base::Index own{at.x - place.corner.x, at.y - place.corner.y, at.z - place.corner.z};
        const base::Extents room = windowsAlong(3, launch.out, launch.templ);
        // The sums along z are in `first`. Without an axis z the last sums are those along y.
        const PanelSum* const sums = launch.templ.z > 1 ? launch.first : launch.second;
        const PanelSum sum =
            sums[place.tile * countOf(room) + (own.z * room.y + own.y) * room.x + own.x];
        const TileFacts& facts = launch.facts[place.tile];
        Judged judged;
        judged.rounding = facts.frame.rounding;
        if (facts.frame.nonFinite > 0 && !base::finite(sum.first)) {
            judged.status = base::Status::NonFinite;
            return judged;
        }
        judged.score.flat = facts.frame.constant;
        if (!facts.frame.constant) {
            shared::BoxConstants constants = launch.constants;
            constants.boundNumerator = facts.boundNumerator;
            constants.boundPanel += facts.frame.rounding > 0 ? launch.errors.unit : 0.0;
            const Real num = productOf<Real>(
                launch)[place.tile * tileValues(launch.points) +
                        (own.z * launch.points.y + own.y) * rowValues(launch.points) + own.x];
            judged.score = shared::scoreBox(sum.first, sum.second, static_cast<double>(num),
                                            facts.frame, constants);
        }
        if (judged.score.open) {
            const T* const first = rowAt(launch, place, own.y, own.z) + own.x;
            judged.score.flat = everywhere(first, launch.extents, launch.templ,
                                           [value = *first](T voxel) { return voxel == value; });
        }
        judged.status = statusOf(judged.score, launch.constants.promise);
        return judged;
    }

    /// Writes scores, statuses and the tally of a block of the map.
    template <class Each>
    FLCC_HOST_DEVICE static void score(const TiledLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        scoreBlock(launch, block, all, each,
                   [&](const base::Index& at) { return judge(launch, at); });
    }
};

} // namespace flcc::cuda
