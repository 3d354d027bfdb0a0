#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/finite.h"
#include "engine/cuda/block_tally.h"
#include "engine/cuda/tiled_launch.h"
#include "engine/method/shared/window_sums.h"

/// The kernels of the Fourier methods, before and after the transforms of their tiles. A kernel
/// consists of blocks or of items. A block is a sequence of phases, and all its threads wait for
/// each other between two phases. Items do not depend on each other. All are plain functions, so
/// that a test can run them on the processor (README.md, "Kernels are plain functions in phases").
namespace flcc::cuda {

/// The shared memory of a block. It need not be initialised.
struct TiledShared {
    Slots slots[VoxelTally::kSlots];
};

inline constexpr int kTiledWarp = 32; ///< threads of a warp; they read neighbours along x

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

// --- Window sums: items --------------------------------------------------------------------------

/// Number of items of sumAlongX() for each tile.
FLCC_HOST_DEVICE inline std::int64_t itemsAlongX(const TiledLaunch& launch) {
    const base::Extents seen = windowsAlong(1, launch.out, launch.templ);
    return shared::ceilDivide(seen.x, windowsOfThread(launch.templ.x)) * seen.y * seen.z;
}

/// Writes the sums over windows of `width` elements to to[i * stride], for i from `begin` to `end`
/// - 1. `addAt(i, sum)` adds element i (shared::windowSums).
template <class AddAt>
FLCC_HOST_DEVICE inline void windowSumsTo(std::int64_t width, std::int64_t begin, std::int64_t end,
                                          PanelSum* to, std::int64_t stride, AddAt&& addAt) {
    shared::windowSums<PanelSum>(
        width, begin, end, addAt,
        [&](std::int64_t i, const PanelSum& tail) { to[i * stride] = tail; },
        [&](std::int64_t i, const PanelSum& head) {
            to[i * stride].first += head.first;
            to[i * stride].second += head.second;
        });
}

/// Number of items of sumAcross() for each tile; `axes` as there.
FLCC_HOST_DEVICE inline std::int64_t itemsAcross(const TiledLaunch& launch, int axes) {
    const base::Extents to = windowsAlong(axes, launch.out, launch.templ);
    const std::int64_t width = axes == 2 ? launch.templ.y : launch.templ.z;
    const std::int64_t runs = shared::ceilDivide(axes == 2 ? to.y : to.z, windowsOfThread(width));
    return runs * to.x * (axes == 2 ? to.z : to.y);
}

/// Sums the window sums along x further along y (`axes` = 2), or those along x and y further along
/// z (`axes` = 3). Neighbouring items are neighbours along x.
FLCC_HOST_DEVICE inline void sumAcross(const TiledLaunch& launch, int axes, std::int64_t item) {
    const std::int64_t items = itemsAcross(launch, axes);
    const TilePlace place = tilePlace(launch, item / items);
    const base::Extents before = windowsAlong(axes - 1, launch.out, launch.templ);
    const base::Extents after = windowsAlong(axes, launch.out, launch.templ);
    const bool alongY = axes == 2;
    const std::int64_t width = alongY ? launch.templ.y : launch.templ.z;
    const std::int64_t windows = windowsOfThread(width);
    const std::int64_t runs = shared::ceilDivide(alongY ? after.y : after.z, windows);
    std::int64_t rest = item % items;
    const std::int64_t x = rest % after.x;
    rest /= after.x;
    const std::int64_t begin = rest % runs * windows;
    const std::int64_t other = rest / runs; // z, or y
    if (x >= place.out.x || other >= (alongY ? place.seen.z : place.out.y)) {
        return;
    }
    const std::int64_t length = alongY ? place.out.y : place.out.z;
    const std::int64_t end = begin + windows < length ? begin + windows : length;
    const auto at = [&](const base::Extents& room, PanelSum* sums) {
        return sums + place.tile * countOf(room) + (alongY ? other * room.y : other) * room.x + x;
    };
    const PanelSum* const from = at(before, alongY ? launch.first : launch.second);
    PanelSum* const to = at(after, alongY ? launch.second : launch.first);
    const std::int64_t fromStride = alongY ? before.x : before.x * before.y;
    const std::int64_t toStride = alongY ? after.x : after.x * after.y;
    windowSumsTo(width, begin, end, to, toStride, [&](std::int64_t i, PanelSum& sum) {
        sum.first += from[i * fromStride].first;
        sum.second += from[i * fromStride].second;
    });
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

    /// Calls `visit(row, y, z)` for the rows of a share of a tile that this thread's warp reads.
    template <class Visit>
    FLCC_HOST_DEVICE static void forRows(const TiledLaunch& launch, std::int64_t share, int thread,
                                         Visit&& visit) {
        const std::int64_t rows = rowsOfShare(launch.points);
        const std::int64_t all = launch.points.y * launch.points.z;
        const std::int64_t end = (share + 1) * rows < all ? (share + 1) * rows : all;
        for (std::int64_t row = share * rows + thread / kTiledWarp; row < end;
             row += shared::kBlockThreads / kTiledWarp) {
            visit(row, row % launch.points.y, row / launch.points.y);
        }
    }
    /// Calls `visit(voxel)` for this thread's voxels of a share that placements of the tile see.
    template <class Visit>
    FLCC_HOST_DEVICE static void forVoxels(const TiledLaunch& launch, const TilePlace& place,
                                           std::int64_t share, int thread, Visit&& visit) {
        forRows(launch, share, thread, [&](std::int64_t, std::int64_t y, std::int64_t z) {
            if (y < place.seen.y && z < place.seen.z) {
                const T* const row = rowAt(launch, place, y, z);
                for (std::int64_t x = thread % kTiledWarp; x < place.seen.x; x += kTiledWarp) {
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

    /// Writes the voxels of a share to `data`, in the frame of their tile; 0 beyond the scene.
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
                        for (std::int64_t x = thread % kTiledWarp; x < launch.points.x;
                             x += kTiledWarp) {
                            to[x] = inside && x < place.seen.x
                                        ? shared::centred<Real>(row[x], frame)
                                        : Real{0};
                        }
                    });
        });
    }

    /// Sums the stored voxels along x. A voxel that is NaN or Inf makes the sums of exactly its own
    /// panels NaN.
    FLCC_HOST_DEVICE static void sumAlongX(const TiledLaunch& launch, std::int64_t item) {
        const std::int64_t items = itemsAlongX(launch);
        const TilePlace place = tilePlace(launch, item / items);
        const base::Extents room = windowsAlong(1, launch.out, launch.templ);
        const std::int64_t windows = windowsOfThread(launch.templ.x);
        const std::int64_t runs = shared::ceilDivide(room.x, windows);
        const std::int64_t line = item % items / runs;
        const std::int64_t y = line % room.y;
        const std::int64_t z = line / room.y;
        if (y >= place.seen.y || z >= place.seen.z) {
            return;
        }
        const shared::TileFrame frame = launch.facts[place.tile].frame;
        const T* const row = rowAt(launch, place, y, z);
        PanelSum* const to = launch.first + place.tile * countOf(room) + line * room.x;
        const std::int64_t begin = item % runs * windows;
        const std::int64_t end = begin + windows < place.out.x ? begin + windows : place.out.x;
        windowSumsTo(launch.templ.x, begin, end, to, 1, [&](std::int64_t x, PanelSum& sum) {
            const double voxel = base::finite(row[x])
                                     ? static_cast<double>(shared::centred<Real>(row[x], frame))
                                     : std::numeric_limits<double>::quiet_NaN();
            sum.first += voxel;
            sum.second += voxel * voxel;
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
