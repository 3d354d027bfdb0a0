#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/cuda/plugin/plugin.h"
#include "tests/engine/cuda/stream_double.h"

/// A device without a device: the plug-in's table with memory of the host, in which kernels run
/// phase by phase for one thread of a block after the other, and FFTW transforms. Every call can be
/// made to fail. Several devices are as many that look alike where nothing else is said; they do
/// one thing at a time.
namespace flcc::test {

/// The kinds of calls that can fail.
enum class Call {
    OpenStream,
    Allocate,
    Pin,
    Upload,
    Direct,
    Download,
    Wait,
    MakeEvent,
    Record,
    Follow,
    Await,
    Elapsed,
    MakeTransform,
    Transform,
    Tiled,
    Support,
    Limit,
    Merge,
    Reduce
};
inline constexpr int kCalls = 19;

/// What the double is told and what it saw; one for the process.
struct DeviceDouble {
    cuda::PluginStart start{0, 13000, 13000, 1};
    cuda::PluginDevice about;
    std::int64_t freeBytes = std::int64_t{6} << 30;

    /// Call number `turn` of `call` (from 1, as `calls` counts) and the following ones, `turns` of
    /// them, fail with `result`; 0 = none.
    Call call = Call::Wait;
    std::int64_t turn = 0;
    std::int64_t turns = 1;
    cuda::Result result = 0;
    /// The calls of this device alone count for that; -1 = those of all.
    std::int32_t failing = -1;
    /// Told before the kernels of a part are started, by the thread that asks; others go on.
    std::function<void(std::int32_t device)> starting;

    /// Added to every score that the device computes.
    float wrong = 0;
    /// What every block tells of its largest bound instead of what it found; 0 = that.
    double reported = 0;
    /// Changes what a device is, which is `about` without.
    std::function<void(std::int32_t device, cuda::PluginDevice& own)> unlike;
    /// What the driver says when it is asked to describe a device.
    cuda::Result describes = 0;
    /// Runs the threads of a phase from the last to the first: what one of them writes and another
    /// reads before they have waited for each other then differs.
    bool backwards = false;
    /// When copies and kernels are done.
    Order order = Order::AtOnce;

    static constexpr int kDevices = 4;
    std::int64_t calls[kCalls] = {}; ///< made so far
    std::int64_t sumsTaken = 0;      ///< calls of Direct that take window sums
    std::int64_t callsOf[kDevices][kCalls] = {};
    std::int64_t memoryAsked = 0;     ///< how often a device was woken to tell its free memory
    std::int64_t memoryBlocks = 0;    ///< not given back
    std::int64_t memoryBytes = 0;     ///< of them
    std::int64_t mostBytes = 0;       ///< at any time
    std::int64_t pinnedBlocks = 0;    ///< not given back
    std::int64_t pinnedBytes = 0;     ///< of them
    std::int64_t mostPinned = 0;      ///< bytes at any time
    std::int64_t releasedBusy = 0;    ///< memory of the device that kernels may still use
    std::int64_t loose = 0;           ///< copies from or to memory of the host that is not pinned
    std::int64_t waiting = 0;         ///< kernels that wait in a stream
    std::int64_t mostWaiting = 0;     ///< at any time
    std::int64_t events = 0;          ///< not given back
    std::int64_t streams = 0;         ///< not closed
    std::int64_t transforms = 0;      ///< not given back
    cuda::Result lost[kDevices] = {}; ///< a sticky error that came: every call gives it again

    /// A sound device again.
    void reset();
    /// One so fast that plans choose it.
    void resetFast();
    /// As an illegal address on the device.
    static constexpr cuda::Result kIllegalAddress = 700;
    /// An invalid argument: ends one call alone.
    static constexpr cuda::Result kInvalidValue = 1;
    /// As cuFFT's CUFFT_INTERNAL_ERROR.
    static constexpr cuda::Result kNoPlan = cuda::kTransformError + 5;
};
[[nodiscard]] DeviceDouble& deviceDouble();

/// Calls of a kind that were made so far.
[[nodiscard]] inline std::int64_t calls(Call call) {
    return deviceDouble().calls[static_cast<std::size_t>(call)];
}
/// From now on call number `turn` of a kind and the following ones, `turns` of them, fail; may be
/// said while others use the device.
void failAt(Call call, std::int64_t turn, cuda::Result result, std::int64_t turns = 1);
/// What came of failing every call of a kind in turn.
struct CallFailures {
    std::int64_t errors = 0; ///< runs that ended with one
    std::string fault;       ///< empty where all is as it is to be
};
/// Fails call after call of a kind in runs of their own, until one makes no further call. `run`
/// says what is wrong with what it brings. A run ends with an error of the device, or goes on where
/// the call was a wait on the way out of a scope, which has nobody to tell; nothing of it is left.
[[nodiscard]] CallFailures failEach(Call call, const std::function<void()>& pose,
                                    const std::function<std::string()>& run);
[[nodiscard]] const cuda::PluginTable& doubleTable();

} // namespace flcc::test
