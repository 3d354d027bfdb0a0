#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "engine/cuda/kernels/direct_kernel.h"
#include "engine/cuda/kernels/limits_kernel.h"
#include "engine/cuda/kernels/merge_kernel.h"
#include "engine/cuda/kernels/reduce_kernel.h"
#include "engine/cuda/kernels/support_kernel.h"
#include "engine/cuda/kernels/tiled_kernel.h"
#include "engine/cuda/plugin/built_code.h"
#include "engine/cuda/plugin/plugin.h"
#include "engine/cuda/plugin/sticky_errors.h"
#include "engine/cuda/plugin/transform.h"

// The plug-in: CUDA behind plain functions. A function selects its device for the calling thread
// and does not restore the previous one. No function leaves an error in the CUDA runtime that a
// later call could mistake for its own.

namespace flcc::cuda {

namespace {

/// The error of a call as a Result. Clears the thread's last error.
Result resultOf(cudaError_t error) {
    (void)cudaGetLastError();
    return static_cast<Result>(error);
}

/// Selects a device and calls `use`, which returns a cudaError_t.
template <class Use> Result on(std::int32_t device, Use&& use) {
    const cudaError_t chosen = cudaSetDevice(device);
    return resultOf(chosen != cudaSuccess ? chosen : use());
}

PluginStart start() {
    PluginStart start;
    int driver = 0;
    int runtime = 0;
    int devices = 0; // not written when there is no driver
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    start.result = resultOf(cudaGetDeviceCount(&devices));
    start.driver = driver;
    start.runtime = runtime;
    start.devices = devices;
    return start;
}

/// The compute capabilities that CMake was set to build for.
const BuiltCode& builtCode() {
    static const BuiltCode built{capabilitiesOf(FLCC_CUDA_BINARIES),
                                 capabilitiesOf(FLCC_CUDA_TEXTS)};
    return built;
}

Result describe(std::int32_t device, PluginDevice* to) {
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) {
        return resultOf(error);
    }
    int kilohertz = 0;
    (void)cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
    std::snprintf(to->name, sizeof(to->name), "%s", properties.name);
    to->memoryBytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    to->major = properties.major;
    to->minor = properties.minor;
    to->processors = properties.multiProcessorCount;
    to->gigahertz = kilohertz * 1e-6;
    to->copyEngines = properties.asyncEngineCount;
    to->hasCode = builtCode().runsOn(10 * properties.major + properties.minor);
    to->oldestCode = builtCode().oldest();
    to->startMs = 10; // on the machine of an H100
    return resultOf(cudaSuccess);
}

Result freeMemory(std::int32_t device, std::int64_t* bytes) {
    return on(device, [&] {
        std::size_t free = 0;
        std::size_t total = 0;
        const cudaError_t error = cudaMemGetInfo(&free, &total);
        *bytes = static_cast<std::int64_t>(free);
        return error;
    });
}

Result openStream(std::int32_t device, void** stream) {
    return on(device, [&] {
        cudaStream_t made = nullptr;
        const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
        *stream = made;
        return error;
    });
}

Result closeStream(std::int32_t device, void* stream) {
    return on(device, [&] {
        (void)cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
        return cudaStreamDestroy(static_cast<cudaStream_t>(stream));
    });
}

Result allocate(std::int32_t device, std::int64_t bytes, void** memory) {
    return on(device, [&] { return cudaMalloc(memory, static_cast<std::size_t>(bytes)); });
}

Result release(std::int32_t device, void* memory) {
    return on(device, [&] { return cudaFree(memory); });
}

Result pin(std::int32_t device, std::int64_t bytes, void** memory) {
    return on(device, [&] {
        return cudaHostAlloc(memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable);
    });
}

Result unpin(std::int32_t device, void* memory) {
    return on(device, [&] { return cudaFreeHost(memory); });
}

Result copy(std::int32_t device, void* stream, const PluginCopy& copy, cudaMemcpyKind kind) {
    return on(device, [&] {
        if (copy.rows == 1) { // a row may be longer than the largest pitch
            return cudaMemcpyAsync(copy.to, copy.from, static_cast<std::size_t>(copy.rowBytes),
                                   kind, static_cast<cudaStream_t>(stream));
        }
        return cudaMemcpy2DAsync(
            copy.to, static_cast<std::size_t>(copy.toPitch), copy.from,
            static_cast<std::size_t>(copy.fromPitch), static_cast<std::size_t>(copy.rowBytes),
            static_cast<std::size_t>(copy.rows), kind, static_cast<cudaStream_t>(stream));
    });
}

Result upload(std::int32_t device, void* stream, const PluginCopy* what) {
    return copy(device, stream, *what, cudaMemcpyHostToDevice);
}

Result download(std::int32_t device, void* stream, const PluginCopy* what) {
    return copy(device, stream, *what, cudaMemcpyDeviceToHost);
}

Result direct(std::int32_t device, void* stream, const DirectLaunch* launch) {
    return on(device, [&] { return startDirect(*launch, static_cast<cudaStream_t>(stream)); });
}

/// Selects a device and calls `use`, which returns a Result.
template <class Use> Result with(std::int32_t device, Use&& use) {
    const cudaError_t chosen = cudaSetDevice(device);
    return chosen != cudaSuccess ? resultOf(chosen) : use();
}

Result planTransform(std::int32_t device, const TransformShape* shape, void** made,
                     std::int64_t* workBytes) {
    return with(device, [&] { return makeTransform(*shape, made, workBytes); });
}

Result releasePlan(std::int32_t device, void* made) {
    return with(device, [&] { return releaseTransform(made); });
}

Result transform(std::int32_t device, void* stream, void* made, void* data, void* work) {
    return with(device, [&] { return runTransform(made, stream, data, work); });
}

Result tiled(std::int32_t device, void* stream, TiledStep step, const TiledLaunch* launch) {
    return on(device, [&] { return startTiled(step, *launch, static_cast<cudaStream_t>(stream)); });
}

Result support(std::int32_t device, void* stream, SupportStep step, const SupportLaunch* launch) {
    return on(device,
              [&] { return startSupport(step, *launch, static_cast<cudaStream_t>(stream)); });
}

Result limit(std::int32_t device, void* stream, LimitStep step, const LimitLaunch* launch) {
    return on(device, [&] { return startLimit(step, *launch, static_cast<cudaStream_t>(stream)); });
}

Result merge(std::int32_t device, void* stream, const MergeLaunch* launch) {
    return on(device, [&] { return startMerge(*launch, static_cast<cudaStream_t>(stream)); });
}

Result reduce(std::int32_t device, void* stream, const ReduceLaunch* launch) {
    return on(device, [&] { return startReduce(*launch, static_cast<cudaStream_t>(stream)); });
}

Result wait(std::int32_t device, void* stream) {
    return on(device, [&] { return cudaStreamSynchronize(static_cast<cudaStream_t>(stream)); });
}

Result makeEvent(std::int32_t device, void** event) {
    return on(device, [&] {
        // A thread that waits for the event sleeps instead of spinning.
        cudaEvent_t made = nullptr;
        const cudaError_t error = cudaEventCreateWithFlags(&made, cudaEventBlockingSync);
        *event = made;
        return error;
    });
}

Result releaseEvent(std::int32_t device, void* event) {
    return on(device, [&] { return cudaEventDestroy(static_cast<cudaEvent_t>(event)); });
}

Result record(std::int32_t device, void* stream, void* event) {
    return on(device, [&] {
        return cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream));
    });
}

Result follow(std::int32_t device, void* stream, void* event) {
    return on(device, [&] {
        return cudaStreamWaitEvent(static_cast<cudaStream_t>(stream),
                                   static_cast<cudaEvent_t>(event), 0);
    });
}

Result await(std::int32_t device, void* event) {
    return on(device, [&] { return cudaEventSynchronize(static_cast<cudaEvent_t>(event)); });
}

Result elapsed(std::int32_t device, void* from, void* to, float* milliseconds) {
    return on(device, [&] {
        return cudaEventElapsedTime(milliseconds, static_cast<cudaEvent_t>(from),
                                    static_cast<cudaEvent_t>(to));
    });
}

const char* describeError(Result result) {
    const char* const words = describeTransformError(result);
    return words != nullptr ? words : cudaGetErrorString(static_cast<cudaError_t>(result));
}

static_assert(isStickyError(cudaErrorIllegalAddress) && isStickyError(cudaErrorLaunchTimeout) &&
              isStickyError(cudaErrorLaunchFailure) && isStickyError(cudaErrorHardwareStackError) &&
              isStickyError(cudaErrorIllegalInstruction) &&
              isStickyError(cudaErrorMisalignedAddress) &&
              isStickyError(cudaErrorInvalidAddressSpace) && isStickyError(cudaErrorInvalidPc) &&
              isStickyError(cudaErrorAssert) && isStickyError(cudaErrorECCUncorrectable) &&
              isStickyError(cudaErrorNvlinkUncorrectable) &&
              isStickyError(cudaErrorMpsClientTerminated) &&
              isStickyError(cudaErrorExternalDevice) && isStickyError(cudaErrorUnknown));
static_assert(kOutOfMemory == cudaErrorMemoryAllocation && !isStickyError(kOutOfMemory) &&
              kDriverTooOld == cudaErrorInsufficientDriver && kNoDevice == cudaErrorNoDevice);

PluginTable makeTable() {
    PluginTable table;
    table.layout = kPluginLayout;
    table.start = start;
    table.describe = describe;
    table.freeMemory = freeMemory;
    table.openStream = openStream;
    table.closeStream = closeStream;
    table.allocate = allocate;
    table.release = release;
    table.pin = pin;
    table.unpin = unpin;
    table.upload = upload;
    table.download = download;
    table.direct = direct;
    table.makeTransform = planTransform;
    table.releaseTransform = releasePlan;
    table.transform = transform;
    table.tiled = tiled;
    table.support = support;
    table.limit = limit;
    table.merge = merge;
    table.reduce = reduce;
    table.wait = wait;
    table.makeEvent = makeEvent;
    table.releaseEvent = releaseEvent;
    table.record = record;
    table.follow = follow;
    table.await = await;
    table.elapsed = elapsed;
    table.describeError = describeError;
    table.isSticky = [](Result result) { return isStickyError(result); };
    return table;
}

} // namespace

} // namespace flcc::cuda

extern "C" __attribute__((visibility("default"))) const flcc::cuda::PluginTable*
flccCudaPlugin(std::uint64_t layout) {
    static const flcc::cuda::PluginTable table = flcc::cuda::makeTable();
    return layout == flcc::cuda::kPluginLayout ? &table : nullptr;
}
