#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::cuda {

/// Kernels that do only one thing, to measure how fast a device can do it.
enum class LimitStep : std::int32_t {
    MultiplyAdds, ///< in float, in registers
    Move,         ///< reads and writes device memory once, in order
};

inline constexpr int kLimitThreads = 256; ///< threads of a block
inline constexpr int kLimitChains = 16;   ///< independent sums of a thread

/// Four values that are moved by one instruction.
struct alignas(16) FourValues {
    float values[4];
};

struct LimitLaunch {
    std::int64_t blocks = 1;
    std::int64_t rounds = 1; ///< MultiplyAdds: each thread does kLimitChains of them in a round
    std::int64_t count = 0;  ///< Move: number of FourValues
    const FourValues* from = nullptr;
    /// Move: `count` elements. MultiplyAdds: `blocks` elements, written so that the compiler keeps
    /// the sums.
    FourValues* to = nullptr;

    [[nodiscard]] FLCC_HOST_DEVICE std::int64_t threads() const { return blocks * kLimitThreads; }
    /// Number of multiply-adds of a launch of MultiplyAdds.
    [[nodiscard]] double multiplyAdds() const {
        return static_cast<double>(threads()) * static_cast<double>(rounds) * kLimitChains;
    }
    /// Bytes that a launch of Move reads and writes.
    [[nodiscard]] double movedBytes() const {
        return 2.0 * static_cast<double>(count) * static_cast<double>(sizeof(FourValues));
    }
};

/// The work of one thread of a launch; `thread` counts over all blocks.
struct LimitThread {
    FLCC_HOST_DEVICE static void run(LimitStep step, const LimitLaunch& launch,
                                     std::int64_t thread) {
        if (step == LimitStep::Move) {
            for (std::int64_t i = thread; i < launch.count; i += launch.threads()) {
                launch.to[i] = launch.from[i];
            }
            return;
        }
        // The factor depends on the thread, so that the compiler cannot compute the sums
        // beforehand.
        const float factor = 0.5F + 1e-9F * static_cast<float>(thread);
        float sums[kLimitChains];
        for (int chain = 0; chain < kLimitChains; ++chain) {
            sums[chain] = static_cast<float>(chain);
        }
        for (std::int64_t round = 0; round < launch.rounds; ++round) {
            for (float& sum : sums) {
                sum = sum * factor + 1.0F;
            }
        }
        float all = 0;
        for (const float sum : sums) {
            all += sum;
        }
        if (thread % kLimitThreads == 0 ||
            all < 0) { // the sums are never below 0, but the compiler cannot know
            launch.to[thread / kLimitThreads] = {{all, 0, 0, 0}};
        }
    }
};

} // namespace flcc::cuda
