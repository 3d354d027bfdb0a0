#pragma once

#include <cstdint>

#include "engine/cuda/kernels/merge_launch.h"
#include "engine/cuda/kernels/reduce_launch.h"
#include "engine/cuda/kernels/tiled_block.h"
#include "engine/method/device_reduction.h"

/// The kernel that finds the voxels of a map that may be peaks and sums up all scores.
namespace flcc::cuda {

struct ReduceMap {
    enum Slot : int {
        kSum,
        kSquares,
        kLeast,
        kMost,
        kScores,
        kKept,
        kOk,
        kFlat,
        kNonFinite,
        kNotComputed,
        kOwn
    };
    static_assert(kOwn < VoxelTally::kSlots);

    FLCC_HOST_DEVICE static base::Status statusAt(const ReduceLaunch& launch, std::int64_t at) {
        const std::uint8_t status = launch.status[at];
        return (status & kOpenStatus) != 0 ? base::Status::LowConf
                                           : static_cast<base::Status>(status);
    }
    FLCC_HOST_DEVICE static double exactAt(const ReduceLaunch& launch, std::int64_t at) {
        return launch.exact != nullptr ? launch.exact[at] : static_cast<double>(launch.value[at]);
    }
    FLCC_HOST_DEVICE static bool takesPart(const ReduceLaunch& launch, base::Status status) {
        return status == base::Status::Ok || (launch.partial && status == base::Status::Partial);
    }

    /// True if a voxel may be a peak and is kept; sets its `marks` (KeptVoxel). A LOWCONF voxel is
    /// always kept, and counts as possibly as high as any neighbour.
    FLCC_HOST_DEVICE static bool keeps(const ReduceLaunch& launch, const base::Index& voxel,
                                       std::uint32_t& marks) {
        const base::Extents& map = launch.map;
        const std::int64_t at = (voxel.z * map.y + voxel.y) * map.x + voxel.x;
        const base::Status status = statusAt(launch, at);
        const bool open = status == base::Status::LowConf;
        const float value = launch.value[at];
        if (!open && (!takesPart(launch, status) || value < launch.threshold)) {
            return false;
        }
        marks = 0;
        for (std::int64_t dz = voxel.z > 0 ? -1 : 0; dz <= 1 && voxel.z + dz < map.z; ++dz) {
            for (std::int64_t dy = voxel.y > 0 ? -1 : 0; dy <= 1 && voxel.y + dy < map.y; ++dy) {
                for (std::int64_t dx = voxel.x > 0 ? -1 : 0; dx <= 1 && voxel.x + dx < map.x;
                     ++dx) {
                    const std::int64_t other = at + (dz * map.y + dy) * map.x + dx;
                    const base::Status its = statusAt(launch, other);
                    const bool unsure = open || its == base::Status::LowConf;
                    if (other == at || (its != base::Status::LowConf && !takesPart(launch, its))) {
                        continue;
                    }
                    if (!unsure && launch.value[other] > value + launch.margin) {
                        return false;
                    }
                    if (unsure || launch.value[other] >= value - launch.margin) {
                        marks |= method::neighbourMark(dx, dy, dz);
                    }
                }
            }
        }
        const std::uint8_t stored = launch.status[at];
        marks = method::marksOf(static_cast<base::Status>(stored & ~kOpenStatus), marks) |
                ((stored & kOpenStatus) != 0 ? method::kOpenMark : 0);
        return true;
    }

    FLCC_HOST_DEVICE static void look(const ReduceLaunch& launch, std::int64_t block, int thread,
                                      TiledShared& all) {
        double reported[kOwn] = {0, 0, 2, -2};
        forOwnVoxels(launch.map, block, thread, [&](const base::Index& voxel, std::int64_t at) {
            const base::Status status = statusAt(launch, at);
            if (status == base::Status::Ok || status == base::Status::Partial) {
                const auto value = static_cast<double>(launch.value[at]);
                reported[kSum] += method::inScoreUnits(value);
                reported[kSquares] += method::inScoreUnits(value * value);
                reported[kLeast] = least(reported[kLeast], value);
                reported[kMost] = most(reported[kMost], value);
                reported[kScores] += 1;
            }
            reported[kOk] += status == base::Status::Ok ? 1 : 0;
            reported[kFlat] += status == base::Status::Flat ? 1 : 0;
            reported[kNonFinite] += status == base::Status::NonFinite ? 1 : 0;
            reported[kNotComputed] += status == base::Status::NotComputed ? 1 : 0;
            std::uint32_t marks = 0;
            reported[kKept] += keeps(launch, voxel, marks) ? 1 : 0;
        });
        for (int slot = 0; slot < kOwn; ++slot) {
            all.slots[slot][thread] = reported[slot];
        }
        all.slots[kOwn][thread] = reported[kKept];
    }

    FLCC_HOST_DEVICE static void foldAll(int thread, TiledShared& all) {
        for (int slot = 0; slot < kOwn; ++slot) {
            if (slot == kLeast) {
                fold(all.slots[slot], thread, least);
            } else if (slot == kMost) {
                fold(all.slots[slot], thread, most);
            } else {
                fold(all.slots[slot], thread, plus);
            }
        }
    }

    /// Writes the results of the block. Thread 0 writes the ReducedBlock. Each thread writes its
    /// kept voxels after those of lower threads. The first block also writes the voxels that are
    /// asked for.
    FLCC_HOST_DEVICE static void tell(const ReduceLaunch& launch, std::int64_t block, int thread,
                                      const TiledShared& all) {
        if (thread == 0) {
            ReducedBlock& to = launch.blocks[block];
            to.sum = folded(all.slots[kSum], plus);
            to.squares = folded(all.slots[kSquares], plus);
            to.minimum = static_cast<float>(folded(all.slots[kLeast], least));
            to.maximum = static_cast<float>(folded(all.slots[kMost], most));
            const auto count = [&](int slot) {
                return static_cast<std::int32_t>(folded(all.slots[slot], plus));
            };
            to.scores = count(kScores);
            to.kept = count(kKept);
            to.ok = count(kOk);
            to.flat = count(kFlat);
            to.nonFinite = count(kNonFinite);
            to.notComputed = count(kNotComputed);
        }
        if (block == 0 && thread < launch.askedCount) {
            const std::uint32_t at = launch.asked[thread];
            launch.reported[thread] = {exactAt(launch, at),
                                       static_cast<std::uint32_t>(statusAt(launch, at)),
                                       launch.index != nullptr ? launch.index[at] : 0};
        }
        // The host copies from every block as many entries as the fullest block has, so unused
        // entries must be initialised.
        const auto used = static_cast<int>(folded(all.slots[kKept], plus));
        for (int i = used + thread; i < kKeptMost; i += shared::kBlockThreads) {
            launch.kept[block * kKeptMost + i] = {};
            if (launch.index != nullptr) {
                launch.keptTempl[block * kKeptMost + i] = -1;
            }
        }
        if (all.slots[kOwn][thread] == 0) {
            return;
        }
        int next = 0;
        for (int before = 0; before < thread; ++before) {
            next += static_cast<int>(all.slots[kOwn][before]);
        }
        forOwnVoxels(launch.map, block, thread, [&](const base::Index& voxel, std::int64_t at) {
            std::uint32_t marks = 0;
            if (next < kKeptMost && keeps(launch, voxel, marks)) {
                launch.kept[block * kKeptMost + next] = {exactAt(launch, at),
                                                         static_cast<std::uint32_t>(at), marks};
                if (launch.index != nullptr) {
                    launch.keptTempl[block * kKeptMost + next] = launch.index[at];
                }
                ++next;
            }
        });
    }

    /// Computes a whole block; `each` as in runStep() (tiled_steps.h).
    template <class Each>
    FLCC_HOST_DEVICE static void run(const ReduceLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        each([&](int thread) { look(launch, block, thread, all); });
        each([&](int thread) { foldAll(thread, all); });
        each([&](int thread) { tell(launch, block, thread, all); });
    }
};
static_assert(kAskedMost <= shared::kBlockThreads, "a thread tells one voxel");

/// Reduces a part of a map; `blocks` as in runStep().
template <class Blocks> void runReduce(const ReduceLaunch& launch, Blocks&& blocks) {
    blocks(countOf(shared::blockGrid(launch.map)), ReduceMap{});
}

} // namespace flcc::cuda
