#pragma once

#include <cstdint>

#include "engine/cuda/direct_launch.h"
#include "engine/cuda/limits_launch.h"
#include "engine/cuda/merge_launch.h"
#include "engine/cuda/reduce_launch.h"
#include "engine/cuda/support_launch.h"
#include "engine/cuda/tiled_launch.h"

/// What the plug-in hands over: plain functions and structures, so that nothing of C++ crosses from
/// one library to another. All that touches a device goes through this table, which is why a test
/// can stand in for it (and fail the n-th call of a kind).
namespace flcc::cuda {

/// 0, an error of the CUDA runtime, or kTransformError and an error of cuFFT. What cuFFT says of
/// too little memory is kOutOfMemory.
using Result = std::int32_t;

inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kDriverTooOld = 35; ///< also where there is no driver
inline constexpr Result kNoDevice = 100;
inline constexpr Result kTransformError = 100000;

/// What the driver is and how many devices it finds. Versions as CUDA counts them: 12040 is 12.4.
struct PluginStart {
    Result result = 0;
    std::int32_t driver = 0;  ///< 0 where no driver is installed
    std::int32_t runtime = 0; ///< that the plug-in was built with
    std::int32_t devices = 0;
};

struct PluginDevice {
    char name[256] = {};
    std::int64_t memoryBytes = 0;
    std::int32_t major = 0; ///< compute capability
    std::int32_t minor = 0;
    std::int32_t processors = 0; ///< multiprocessors
    double gigahertz = 0;
    std::int32_t copyEngines = 0; ///< 0 where it cannot copy while it computes
    bool hasCode = false;         ///< the plug-in was built for it, or can be compiled for it
    std::int32_t oldestCode = 0;  ///< the oldest compute capability that it has code for: 75 is 7.5
};

/// A copy of `rows` rows between host and device, pitches from row to row in bytes.
struct PluginCopy {
    void* to = nullptr;
    std::int64_t toPitch = 0;
    const void* from = nullptr;
    std::int64_t fromPitch = 0;
    std::int64_t rowBytes = 0;
    std::int64_t rows = 0;
};

/// Every call names its device; streams, events and memory belong to one. Copies and launches of a
/// stream run in order and may still be under way when the call returns; wait() ends that and
/// returns what went wrong in them. Different streams do not wait for each other unless follow()
/// says so.
struct PluginTable {
    std::uint64_t layout = 0; ///< kPluginLayout of whoever built the plug-in
    PluginStart (*start)() = nullptr;
    Result (*describe)(std::int32_t device, PluginDevice* to) = nullptr;
    Result (*freeMemory)(std::int32_t device, std::int64_t* bytes) = nullptr;
    Result (*openStream)(std::int32_t device, void** stream) = nullptr;
    Result (*closeStream)(std::int32_t device, void* stream) = nullptr;
    Result (*allocate)(std::int32_t device, std::int64_t bytes, void** memory) = nullptr;
    Result (*release)(std::int32_t device, void* memory) = nullptr;
    /// Memory of the host that stays in place, so that a device copies it while the caller goes on.
    Result (*pin)(std::int32_t device, std::int64_t bytes, void** memory) = nullptr;
    Result (*unpin)(std::int32_t device, void* memory) = nullptr;
    Result (*upload)(std::int32_t device, void* stream, const PluginCopy* copy) = nullptr;
    Result (*download)(std::int32_t device, void* stream, const PluginCopy* copy) = nullptr;
    Result (*direct)(std::int32_t device, void* stream, const DirectLaunch* launch) = nullptr;
    /// A plan, and the bytes of the work area that its caller brings.
    Result (*makeTransform)(std::int32_t device, const TransformShape* shape, void** made,
                            std::int64_t* workBytes) = nullptr;
    Result (*releaseTransform)(std::int32_t device, void* made) = nullptr;
    Result (*transform)(std::int32_t device, void* stream, void* made, void* data,
                        void* work) = nullptr;
    Result (*tiled)(std::int32_t device, void* stream, TiledStep step,
                    const TiledLaunch* launch) = nullptr;
    Result (*support)(std::int32_t device, void* stream, SupportStep step,
                      const SupportLaunch* launch) = nullptr;
    Result (*limit)(std::int32_t device, void* stream, LimitStep step,
                    const LimitLaunch* launch) = nullptr;
    Result (*merge)(std::int32_t device, void* stream, const MergeLaunch* launch) = nullptr;
    Result (*reduce)(std::int32_t device, void* stream, const ReduceLaunch* launch) = nullptr;
    Result (*wait)(std::int32_t device, void* stream) = nullptr;
    /// An event marks the place in a stream where it was recorded last.
    Result (*makeEvent)(std::int32_t device, void** event) = nullptr;
    Result (*releaseEvent)(std::int32_t device, void* event) = nullptr;
    Result (*record)(std::int32_t device, void* stream, void* event) = nullptr;
    /// What comes next in `stream` waits for the event.
    Result (*follow)(std::int32_t device, void* stream, void* event) = nullptr;
    /// The caller waits for it.
    Result (*await)(std::int32_t device, void* event) = nullptr;
    /// Between two events that were waited for.
    Result (*elapsed)(std::int32_t device, void* from, void* to, float* milliseconds) = nullptr;
    const char* (*describeError)(Result result) = nullptr;
    /// True when the error ends all work of the process on devices (an illegal address, a failed
    /// launch, a lost device).
    bool (*isSticky)(Result result) = nullptr;
};

/// A hash of whole numbers (FNV-1a).
template <class... Numbers> [[nodiscard]] constexpr std::uint64_t hashOf(Numbers... numbers) {
    std::uint64_t hash = 0xcbf29ce484222325;
    ((hash = (hash ^ static_cast<std::uint64_t>(numbers)) * 0x100000001b3), ...);
    return hash;
}

/// Raised by hand when the meaning of something that crosses changes, but neither a size nor one of
/// the constants below: the order of equal fields, a value of an enum.
inline constexpr int kPluginMeaning = 8;

/// Of the sizes of all structures that cross from one library to the other, or lie in memory that
/// both read, and of the constants by which the program sizes buffers and kernels index them.
/// Program and plug-in compute it from the headers that they were built with. If the two differ,
/// the plug-in is not used.
inline constexpr std::uint64_t kPluginLayout = hashOf(
    kPluginMeaning, method::shared::kBlockWidth, method::shared::kBlockHeight, kOpenMost, kKeptMost,
    kAskedMost, kLinesTogether, sizeof(PluginStart), sizeof(PluginDevice), sizeof(PluginCopy),
    sizeof(PluginTable), sizeof(TransformShape), sizeof(DirectLaunch), sizeof(TiledLaunch),
    sizeof(SupportLaunch), sizeof(LimitLaunch), sizeof(MergeLaunch), sizeof(ReduceLaunch),
    sizeof(BlockTally), sizeof(PanelSum), sizeof(method::shared::TileFrame), sizeof(TileFacts),
    sizeof(TileShare), sizeof(FourValues), sizeof(OpenScore), sizeof(MergedBlock),
    sizeof(ReducedBlock), sizeof(method::KeptVoxel), sizeof(AskedVoxel));

/// The one name that a plug-in exports: its table, or null when its own `layout` is another one.
using PluginEntry = const PluginTable* (*)(std::uint64_t layout);
inline constexpr const char* kPluginEntry = "flccCudaPlugin";

} // namespace flcc::cuda
