#pragma once

#include <cstdint>

#include "engine/cuda/kernels/merge_launch.h"
#include "engine/cuda/kernels/tiled_block.h"
#include "engine/method/device_reduction.h"
#include "engine/method/shared/best_score.h"

/// The kernel that merges the scores of one template into the best scores of a bank.
namespace flcc::cuda {

struct MergeMap {
    enum Slot : int { kSum, kSquares, kScores, kOpen, kOwn };
    static_assert(kOwn < VoxelTally::kSlots);

    /// Merges voxel `at`. A LOWCONF score is not merged but marked with kOpenStatus: the host
    /// repairs and merges it later.
    FLCC_HOST_DEVICE static void take(const MergeLaunch& launch, const base::Index& place,
                                      std::int64_t at) {
        const base::Status status = statusAt(launch, place, at);
        const bool open = status == base::Status::LowConf;
        const bool scored = status == base::Status::Ok || status == base::Status::Partial;
        if (launch.templ == 0) {
            launch.bestStatus[at] =
                open ? kOpenStatus | static_cast<std::uint8_t>(base::Status::NotComputed)
                     : static_cast<std::uint8_t>(status);
            write(launch, at, scored ? 0 : -1);
            return;
        }
        if (open) {
            launch.bestStatus[at] |= kOpenStatus;
            return;
        }
        const std::int32_t index = launch.index[at];
        const auto bestStatus = static_cast<base::Status>(launch.bestStatus[at] & ~kOpenStatus);
        const bool partial = status == base::Status::Partial;
        const bool decided =
            launch.wholeFirst && index >= 0 && partial != (bestStatus == base::Status::Partial);
        const bool larger =
            launch.exact != nullptr
                ? method::shared::isBetter(launch.exact[at], launch.templ, launch.bestExact[at],
                                           index)
                : method::shared::isBetter(launch.value[at], launch.templ, launch.best[at], index);
        if (scored && (decided ? !partial : larger)) {
            launch.bestStatus[at] = static_cast<std::uint8_t>(
                launch.status[at] | (launch.bestStatus[at] & kOpenStatus));
            write(launch, at, launch.templ);
        }
    }

    /// Computes a whole block; `each` as in runStep() (tiled_steps.h).
    template <class Each>
    FLCC_HOST_DEVICE static void run(const MergeLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        each([&](int thread) { look(launch, block, thread, all); });
        each([&](int thread) {
            for (int slot = 0; slot < kOwn; ++slot) {
                fold(all.slots[slot], thread, plus);
            }
        });
        each([&](int thread) { tell(launch, block, thread, all); });
    }

  private:
    /// The status of a score; NOT_COMPUTED where it does not count.
    FLCC_HOST_DEVICE static base::Status statusAt(const MergeLaunch& launch,
                                                  const base::Index& place, std::int64_t at) {
        const base::Index& from = launch.counted.corner;
        const base::Extents& n = launch.counted.extents;
        const bool counts = place.x >= from.x && place.x < from.x + n.x && place.y >= from.y &&
                            place.y < from.y + n.y && place.z >= from.z && place.z < from.z + n.z;
        return counts ? static_cast<base::Status>(launch.status[at]) : base::Status::NotComputed;
    }

    /// Makes the score of voxel `at` the best one, with template `index`. A negative `index` writes
    /// score 0: no template has a score.
    FLCC_HOST_DEVICE static void write(const MergeLaunch& launch, std::int64_t at,
                                       std::int32_t index) {
        launch.index[at] = index;
        launch.best[at] = index < 0 ? 0.0F : launch.value[at];
        if (launch.exact != nullptr) {
            launch.bestExact[at] = index < 0 ? 0.0 : launch.exact[at];
        }
    }

    FLCC_HOST_DEVICE static void look(const MergeLaunch& launch, std::int64_t block, int thread,
                                      TiledShared& all) {
        double reported[kOwn] = {};
        forOwnVoxels(launch.map, block, thread, [&](const base::Index& place, std::int64_t at) {
            const base::Status status = statusAt(launch, place, at);
            if (status == base::Status::Ok || status == base::Status::Partial) {
                const auto value = static_cast<double>(launch.value[at]);
                reported[kSum] += method::inScoreUnits(value);
                reported[kSquares] += method::inScoreUnits(value * value);
                reported[kScores] += 1;
            }
            reported[kOpen] += status == base::Status::LowConf ? 1 : 0;
            take(launch, place, at);
        });
        for (int slot = 0; slot < kOwn; ++slot) {
            all.slots[slot][thread] = reported[slot];
        }
        all.slots[kOwn][thread] = reported[kOpen];
    }

    /// Writes the results of the block. Thread 0 writes the MergedBlock. Each thread lists its
    /// LOWCONF scores after those of earlier templates and of lower threads.
    FLCC_HOST_DEVICE static void tell(const MergeLaunch& launch, std::int64_t block, int thread,
                                      const TiledShared& all) {
        const std::int32_t before = launch.before != nullptr ? launch.before[block].open : 0;
        const auto own = static_cast<std::int32_t>(folded(all.slots[kOpen], plus));
        if (thread == 0) {
            MergedBlock& to = launch.blocks[block];
            to.sum = folded(all.slots[kSum], plus);
            to.squares = folded(all.slots[kSquares], plus);
            to.scores = static_cast<std::int32_t>(folded(all.slots[kScores], plus));
            to.open = before + own;
        }
        if (launch.before == nullptr) {
            // The host copies from every block as many entries as the fullest block has, so unused
            // entries must be initialised.
            for (std::int32_t i = own + thread; i < kOpenMost; i += shared::kBlockThreads) {
                launch.open[block * kOpenMost + i] = {};
            }
        }
        if (all.slots[kOwn][thread] == 0) {
            return;
        }
        std::int32_t next = before;
        for (int other = 0; other < thread; ++other) {
            next += static_cast<std::int32_t>(all.slots[kOwn][other]);
        }
        forOwnVoxels(launch.map, block, thread, [&](const base::Index& place, std::int64_t at) {
            if (statusAt(launch, place, at) == base::Status::LowConf && next < kOpenMost) {
                launch.open[block * kOpenMost + next] = {
                    launch.exact != nullptr ? launch.exact[at]
                                            : static_cast<double>(launch.value[at]),
                    static_cast<std::uint32_t>(at), launch.templ};
                ++next;
            }
        });
    }
};

/// Merges the scores of one template; `blocks` as in runStep().
template <class Blocks> void runMerge(const MergeLaunch& launch, Blocks&& blocks) {
    blocks(countOf(shared::blockGrid(launch.map)), MergeMap{});
}

} // namespace flcc::cuda
