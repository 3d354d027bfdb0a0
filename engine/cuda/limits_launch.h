#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::cuda {

/// Kernels that do one thing alone, to see how much of it a device can do.
enum class LimitStep : std::int32_t {
    MultiplyAdds, ///< in float, in registers
    Move,         ///< memory of the device is read and written once, in order
};

inline constexpr int kLimitThreads = 256; ///< of a block
inline constexpr int kLimitChains = 16;   ///< sums of a thread that do not wait for each other

/// Four values that are moved by one instruction.
struct alignas(16) FourValues {
    float values[4];
};

struct LimitLaunch {
    std::int64_t blocks = 1;
    std::int64_t rounds = 1; ///< MultiplyAdds: kLimitChains a thread in each
    std::int64_t count = 0;  ///< Move: FourValues
    const FourValues* from = nullptr;
    FourValues* to = nullptr; ///< MultiplyAdds: room for `blocks`, which get what nobody reads

    [[nodiscard]] FLCC_HOST_DEVICE std::int64_t threads() const { return blocks * kLimitThreads; }
    /// All multiply-adds of the launch.
    [[nodiscard]] double multiplyAdds() const {
        return static_cast<double>(threads()) * static_cast<double>(rounds) * kLimitChains;
    }
    /// All bytes that it reads and writes.
    [[nodiscard]] double movedBytes() const {
        return 2.0 * static_cast<double>(count) * static_cast<double>(sizeof(FourValues));
    }
};

/// What thread `thread` of all does.
struct LimitThread {
    FLCC_HOST_DEVICE static void run(LimitStep step, const LimitLaunch& launch,
                                     std::int64_t thread) {
        if (step == LimitStep::Move) {
            for (std::int64_t i = thread; i < launch.count; i += launch.threads()) {
                launch.to[i] = launch.from[i];
            }
            return;
        }
        // Both factors depend on the thread, so that nothing is known before it runs.
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
        if (thread % kLimitThreads == 0 || all < 0) { // which it never is: no sum can be left out
            launch.to[thread / kLimitThreads] = {{all, 0, 0, 0}};
        }
    }
};

} // namespace flcc::cuda
