#pragma once

#include <cstdint>

#include "engine/cuda/kernels/direct_launch.h"
#include "engine/cuda/kernels/limits_launch.h"
#include "engine/cuda/kernels/merge_launch.h"
#include "engine/cuda/kernels/reduce_launch.h"
#include "engine/cuda/kernels/support_launch.h"
#include "engine/cuda/kernels/tiled_launch.h"

/// The interface between program and plug-in: plain functions and structures, so that no C++ object
/// and no exception crosses from one library to the other. Every access to a device goes through
/// PluginTable. A test can therefore replace the device, and can make the n-th call of a kind fail.
namespace flcc::cuda {

/// 0 for success, an error number of the CUDA runtime, or kTransformError plus an error number of
/// cuFFT. If cuFFT has too little memory, the result is kOutOfMemory.
using Result = std::int32_t;

inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kDriverTooOld = 35; ///< also returned without any driver
inline constexpr Result kNoDevice = 100;
inline constexpr Result kTransformError = 100000;

/// The versions of driver and runtime, and the number of devices. Versions as CUDA counts them:
/// 12040 is 12.4.
struct PluginStart {
    Result result = 0;
    std::int32_t driver = 0;  ///< 0 if no driver is installed
    std::int32_t runtime = 0; ///< that the plug-in was built with
    std::int32_t devices = 0;
};

/// A device as the driver describes it.
struct PluginDevice {
    char name[256] = {};
    std::int64_t memoryBytes = 0;
    std::int32_t major = 0; ///< compute capability
    std::int32_t minor = 0;
    std::int32_t processors = 0; ///< multiprocessors
    double gigahertz = 0;
    std::int32_t copyEngines = 0; ///< 0 if it cannot copy while it computes
    bool hasCode = false;         ///< the plug-in has machine code or PTX that runs on it
    std::int32_t oldestCode = 0;  ///< lowest compute capability with code in the plug-in: 75 is 7.5
    /// Milliseconds that a run takes to pin memory, allocate and plan transforms, roughly.
    double startMs = 0.5;
};

/// A copy of `rows` rows between host and device. A pitch is the number of bytes from one row to
/// the next.
struct PluginCopy {
    void* to = nullptr;
    std::int64_t toPitch = 0;
    const void* from = nullptr;
    std::int64_t fromPitch = 0;
    std::int64_t rowBytes = 0;
    std::int64_t rows = 0;
};

/// The functions of the plug-in. Every call names its device; streams, events and memory belong to
/// one device. Copies and kernels of a stream run in order and may still be running when the call
/// returns. wait() waits for them and returns their error. Different streams wait for each other
/// only through follow().
struct PluginTable {
    std::uint64_t layout = 0; ///< kPluginLayout as the plug-in was compiled with
    PluginStart (*start)() = nullptr;
    Result (*describe)(std::int32_t device, PluginDevice* to) = nullptr;
    Result (*freeMemory)(std::int32_t device, std::int64_t* bytes) = nullptr;
    Result (*openStream)(std::int32_t device, void** stream) = nullptr;
    Result (*closeStream)(std::int32_t device, void* stream) = nullptr;
    Result (*allocate)(std::int32_t device, std::int64_t bytes, void** memory) = nullptr;
    Result (*release)(std::int32_t device, void* memory) = nullptr;
    /// Allocates pinned host memory, which a device can copy while the caller continues.
    Result (*pin)(std::int32_t device, std::int64_t bytes, void** memory) = nullptr;
    Result (*unpin)(std::int32_t device, void* memory) = nullptr;
    Result (*upload)(std::int32_t device, void* stream, const PluginCopy* copy) = nullptr;
    Result (*download)(std::int32_t device, void* stream, const PluginCopy* copy) = nullptr;
    Result (*direct)(std::int32_t device, void* stream, const DirectLaunch* launch) = nullptr;
    /// Makes a plan, and reports the bytes of the work area that the caller must provide.
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
    /// Makes all later work of `stream` wait for the event.
    Result (*follow)(std::int32_t device, void* stream, void* event) = nullptr;
    /// Blocks the caller until the event has happened.
    Result (*await)(std::int32_t device, void* event) = nullptr;
    /// The time between two events that the caller has waited for.
    Result (*elapsed)(std::int32_t device, void* from, void* to, float* milliseconds) = nullptr;
    const char* (*describeError)(Result result) = nullptr;
    /// True if the error ends all work of the process on the device (an illegal address, a failed
    /// launch, a lost device).
    bool (*isSticky)(Result result) = nullptr;
};

/// A hash of whole numbers (FNV-1a).
template <class... Numbers> [[nodiscard]] constexpr std::uint64_t hashOf(Numbers... numbers) {
    std::uint64_t hash = 0xcbf29ce484222325;
    ((hash = (hash ^ static_cast<std::uint64_t>(numbers)) * 0x100000001b3), ...);
    return hash;
}

/// Increase this number by hand when the meaning of a shared structure changes but no size and no
/// constant in kPluginLayout does: for example the order of fields of one type, or the value of an
/// enumerator.
inline constexpr int kPluginMeaning = 9;

/// The hash of the sizes of all structures that program and plug-in share, and of the constants by
/// which the program sizes buffers and kernels index them. Program and plug-in compute the hash
/// from the headers that they were compiled with. If the two hashes differ, the program does not
/// use the plug-in.
inline constexpr std::uint64_t kPluginLayout = hashOf(
    kPluginMeaning, method::shared::kBlockWidth, method::shared::kBlockHeight, kOpenMost, kKeptMost,
    kAskedMost, kLinesTogether, sizeof(PluginStart), sizeof(PluginDevice), sizeof(PluginCopy),
    sizeof(PluginTable), sizeof(TransformShape), sizeof(DirectLaunch), sizeof(TiledLaunch),
    sizeof(SupportLaunch), sizeof(LimitLaunch), sizeof(MergeLaunch), sizeof(ReduceLaunch),
    sizeof(BlockTally), sizeof(PanelSum), sizeof(method::shared::TileFrame), sizeof(TileFacts),
    sizeof(TileShare), sizeof(FourValues), sizeof(OpenScore), sizeof(MergedBlock),
    sizeof(ReducedBlock), sizeof(method::KeptVoxel), sizeof(AskedVoxel));

/// The one function that a plug-in exports. It returns the table, or null if `layout` is not its
/// own kPluginLayout.
using PluginEntry = const PluginTable* (*)(std::uint64_t layout);
inline constexpr const char* kPluginEntry = "flccCudaPlugin";

} // namespace flcc::cuda
