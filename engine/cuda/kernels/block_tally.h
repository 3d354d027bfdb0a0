#pragma once

#include <cstdint>

#include "engine/base/host_device.h"
#include "engine/base/status.h"
#include "engine/cuda/kernels/block_launch.h"
#include "engine/method/shared/box_score.h"
#include "engine/method/shared/direct_block.h"

/// The reduction over the threads of a block, and the tally that a block reports. All GPU methods
/// share them.
namespace flcc::cuda {

namespace shared = method::shared;

/// One value of each thread of a block. A reduction has three phases: every thread fills its slot,
/// the first kFolded threads combine the other slots into theirs (fold()), and any thread combines
/// those kFolded values (folded()).
using Slots = double[shared::kBlockThreads];
inline constexpr int kFolded = 8;

FLCC_HOST_DEVICE inline double least(double a, double b) { return a < b ? a : b; }
FLCC_HOST_DEVICE inline double most(double a, double b) { return a > b ? a : b; }
FLCC_HOST_DEVICE inline double plus(double a, double b) { return a + b; }

template <class Join> FLCC_HOST_DEVICE inline void fold(Slots& slots, int thread, Join&& join) {
    if (thread < kFolded) {
        for (int i = thread + kFolded; i < shared::kBlockThreads; i += kFolded) {
            slots[thread] = join(slots[thread], slots[i]);
        }
    }
}
template <class Join> FLCC_HOST_DEVICE inline double folded(const Slots& slots, Join&& join) {
    double value = slots[0];
    for (int i = 1; i < kFolded; ++i) {
        value = join(value, slots[i]);
    }
    return value;
}

/// Status and score of one voxel of the map.
struct Judged {
    base::Status status = base::Status::Ok;
    shared::BoxScore score;
    double rounding = 0; ///< TileFrame::rounding
};

/// The status that a score implies: FLAT, LOWCONF if its bound exceeds the promise, else OK.
FLCC_HOST_DEVICE inline base::Status statusOf(const shared::BoxScore& score, double promise) {
    return score.flat              ? base::Status::Flat
           : score.bound > promise ? base::Status::LowConf
                                   : base::Status::Ok;
}

/// True if `holds(voxel)` is true for every voxel of the panel of extents `m` that begins at
/// `first`.
template <class T, class Holds>
FLCC_HOST_DEVICE inline bool everywhere(const T* first, const base::Extents& scene,
                                        const base::Extents& m, Holds&& holds) {
    for (std::int64_t k = 0; k < m.z; ++k) {
        for (std::int64_t j = 0; j < m.y; ++j) {
            const T* const row = first + (k * scene.y + j) * scene.x;
            for (std::int64_t i = 0; i < m.x; ++i) {
                if (!holds(row[i])) {
                    return false;
                }
            }
        }
    }
    return true;
}

/// Calls `visit(voxel, at)` for each voxel of the map that `thread` of `block` computes: `voxel` is
/// its index, `at` its offset in the map, x fastest.
template <class Visit>
FLCC_HOST_DEVICE inline void forOwnVoxels(const base::Extents& map, std::int64_t block, int thread,
                                          Visit&& visit) {
    const base::Index corner = shared::blockCorner(block, shared::blockGrid(map));
    const std::int64_t x = corner.x + thread % shared::kBlockWidth;
    for (int r = 0; r < shared::kBlockOwn; ++r) {
        const std::int64_t y = corner.y + thread / shared::kBlockWidth * shared::kBlockOwn + r;
        if (x < map.x && y < map.y) {
            visit(base::Index{x, y, corner.z}, (corner.z * map.y + y) * map.x + x);
        }
    }
}

/// Collects the BlockTally of a block: each thread adds its voxels, then the block reduces them.
struct VoxelTally {
    static constexpr int kSlots = 11;
    static constexpr int kLargest = 4; ///< the first kLargest slots hold maxima, the others counts
    double reported[kSlots] = {};

    /// Adds a voxel. If it is `sampled`, its bound enters BlockTally::sample.
    FLCC_HOST_DEVICE void add(const Judged& judged, bool sampled) {
        const bool low = judged.status == base::Status::LowConf;
        const bool ok = judged.status == base::Status::Ok;
        const bool partial = judged.status == base::Status::Partial;
        reported[0] = ok || partial ? most(reported[0], judged.score.bound) : reported[0];
        reported[1] = low ? most(reported[1], judged.score.bound) : reported[1];
        reported[2] = sampled && (ok || low || partial) ? judged.score.bound : reported[2];
        reported[3] = most(reported[3], judged.rounding);
        reported[4] += ok ? 1 : 0;
        reported[5] += judged.status == base::Status::Flat ? 1 : 0;
        reported[6] += judged.status == base::Status::NonFinite ? 1 : 0;
        reported[7] += low ? 1 : 0;
        reported[8] += judged.score.overRange && (ok || low || partial) ? 1 : 0;
        reported[9] += partial ? 1 : 0;
        reported[10] += judged.status == base::Status::NotComputed ? 1 : 0;
    }
    /// Writes score and status of the voxel at offset `at` of the map; the score is 0 where there
    /// is none.
    FLCC_HOST_DEVICE static void write(const PartLaunch& launch, std::int64_t at,
                                       const Judged& judged) {
        const bool scored = judged.status == base::Status::LowConf ||
                            judged.status == base::Status::Partial ||
                            judged.status == base::Status::Ok;
        const double value = scored ? judged.score.value : 0.0;
        launch.value[at] = static_cast<float>(value);
        launch.status[at] = static_cast<std::uint8_t>(judged.status);
        if (launch.exact != nullptr) {
            launch.exact[at] = value;
        }
    }

    // The reduction over the block: three phases, all threads wait after each.
    FLCC_HOST_DEVICE void leave(int thread, Slots (&slots)[kSlots]) const {
        for (int slot = 0; slot < kSlots; ++slot) {
            slots[slot][thread] = reported[slot];
        }
    }
    FLCC_HOST_DEVICE static void foldAll(int thread, Slots (&slots)[kSlots]) {
        for (int slot = 0; slot < kSlots; ++slot) {
            if (slot < kLargest) {
                fold(slots[slot], thread, most);
            } else {
                fold(slots[slot], thread, plus);
            }
        }
    }
    FLCC_HOST_DEVICE static void tell(int thread, const Slots (&slots)[kSlots], BlockTally& tally) {
        if (thread != 0) {
            return;
        }
        const auto count = [&](int slot) {
            return static_cast<std::int32_t>(folded(slots[slot], plus));
        };
        tally = {.largestBound = folded(slots[0], most),
                 .largestLowConf = folded(slots[1], most),
                 .rounding = folded(slots[3], most),
                 .sample = folded(slots[2], most),
                 .ok = count(4),
                 .flat = count(5),
                 .nonFinite = count(6),
                 .lowConf = count(7),
                 .overRange = count(8),
                 .partial = count(9),
                 .notComputed = count(10)};
    }
};

/// Calls `run(Real{})`, where Real is the type that numerators are computed in.
template <class Run> void withReal(bool inDouble, Run&& run) {
    inDouble ? run(double{}) : run(float{});
}

/// Calls `run(T{})`, where T is the type of the staged voxels. float64 is staged only for kernels
/// with Real = double; the host converts all types that are not listed here (device_pixels.h).
template <class Real, class Run> void withPixel(base::PixelType pixel, Run&& run) {
    switch (pixel) {
    case base::PixelType::UInt8:
        return run(std::uint8_t{});
    case base::PixelType::UInt16:
        return run(std::uint16_t{});
    case base::PixelType::Int16:
        return run(std::int16_t{});
    case base::PixelType::Float32:
        return run(float{});
    default:
        if constexpr (sizeof(Real) == sizeof(double)) {
            run(double{});
        }
    }
}

} // namespace flcc::cuda
