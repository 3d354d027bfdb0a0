#pragma once

#include <cstdint>
#include <string>

#include "engine/cuda/plugin.h"

/// A device without a device: the plug-in's table with memory of the host, in which the direct
/// method runs phase by phase for one thread of a block after the other. Every call can be made to
/// fail.
namespace flcc::test {

/// The kinds of calls that can fail.
enum class Call { OpenStream, Allocate, Upload, Direct, Download, Wait };

/// What the double is told and what it saw; one for the process.
struct DeviceDouble {
    cuda::PluginStart start{0, 13000, 13000, 1};
    cuda::PluginDevice about;
    std::int64_t freeBytes = std::int64_t{6} << 30;

    /// Call number `turn` of `call` (from 1, as `calls` counts) fails with `result`; 0 = none.
    Call call = Call::Wait;
    std::int64_t turn = 0;
    cuda::Result result = 0;

    /// Added to every score that the device computes.
    float wrong = 0;
    /// Runs the threads of a phase from the last to the first: what one of them writes and another
    /// reads before they have waited for each other then differs.
    bool backwards = false;

    std::int64_t calls[6] = {};    ///< made so far
    std::int64_t memoryBlocks = 0; ///< not given back
    std::int64_t streams = 0;      ///< not closed
    cuda::Result lost = 0;         ///< a sticky error that came: every call gives it again

    /// A sound device again.
    void reset();
    /// As an illegal address on the device.
    static constexpr cuda::Result kIllegalAddress = 700;
    /// An invalid argument: ends one call alone.
    static constexpr cuda::Result kInvalidValue = 1;
};
[[nodiscard]] DeviceDouble& deviceDouble();
[[nodiscard]] const cuda::PluginTable& doubleTable();

} // namespace flcc::test
