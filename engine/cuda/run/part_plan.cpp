#include "engine/cuda/run/part_plan.h"

#include <algorithm>

#include "engine/cuda/kernels/device_pixels.h"
#include "engine/cuda/run/merger.h"
#include "engine/cuda/run/part_queue.h"
#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/reduction.h"
#include "engine/cuda/run/staging.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

namespace {

std::string mebi(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

std::int64_t tallyBytes(const Extents& part) {
    return base::byteCount(shared::blockGrid(part), static_cast<std::int64_t>(sizeof(BlockTally)));
}

/// Bytes of score and status of a placement.
std::int64_t placementBytes(const Problem& problem) { return isDouble(problem) ? 13 : 5; }

/// Bytes of a voxel of the scene, with its mask.
std::int64_t sceneVoxelBytes(const Problem& problem) {
    return stagedBytesPerVoxel(problem) + (problem.sceneMask ? 1 : 0);
}

/// Bytes of the voxels that a part sees.
std::int64_t seenBytes(const Problem& problem, const Extents& part) {
    const Extents& m = problem.templ;
    const Extents& n = problem.scene;
    return base::byteCount({std::min(part.x + m.x - 1, n.x), std::min(part.y + m.y - 1, n.y),
                            std::min(part.z + m.z - 1, n.z)},
                           sceneVoxelBytes(problem));
}

} // namespace

std::int64_t heldBytes(const Problem& submitted) {
    return isHeld(submitted) ? base::byteCount(submitted.scene, sceneVoxelBytes(submitted)) : 0;
}

std::int64_t partBytes(const Problem& problem, const Extents& part) {
    return (isHeld(problem) ? 0 : seenBytes(problem, part)) +
           base::byteCount(part, placementBytes(problem)) + problem.templates * tallyBytes(part) +
           mergeBytes(problem, part) + (isReduced(problem) ? reductionBytes(part) : 0);
}

std::int64_t scoreBytes(const Problem& submitted, const Extents& part) {
    return submitted.templates > 1 ? base::byteCount(part, placementBytes(submitted)) : 0;
}

std::int64_t slotPinnedBytes(const Problem& problem, const Extents& part) {
    const std::int64_t index = problem.templates > 1 ? base::byteCount(part, 4) : 0;
    return problem.templates * tallyBytes(part) + mergeBytes(problem, part) - index +
           (isReduced(problem) ? reductionBytes(part) : 0);
}

std::int64_t stagingBytes(const Problem& problem, const Extents& part) {
    const Extents& m = problem.templ;
    const Extents& n = problem.scene;
    const bool slabs = isHeld(problem);
    const Extents seen{slabs ? n.x : std::min(part.x + m.x - 1, n.x),
                       slabs ? n.y : std::min(part.y + m.y - 1, n.y),
                       std::min(part.z + m.z - 1, n.z)};
    const auto staged = [](const Extents& of, std::int64_t bytes) {
        return Staging::bytesFor(of.y * of.z, of.x * bytes);
    };
    return staged(seen, stagedBytesPerVoxel(problem)) +
           (isReduced(problem) ? 0 : staged(part, isDouble(problem) ? 8 : 4));
}

std::int64_t partsInFlight(const Problem& problem, const Extents& part, const DeviceFacts& device,
                           int asked) {
    using shared::ceilDivide;
    const std::int64_t parts = PartQueue::count(method::mapExtents(problem), part);
    const std::int64_t most =
        asked > 0 ? std::min<std::int64_t>(asked, kMostInFlight) : kMostInFlight;
    return device.about.copyEngines > 0 ? std::min(ceilDivide(parts, device.together), most) : 1;
}

bool isShared(const Extents& map, const Extents& part, const DeviceFacts& device) {
    constexpr std::int64_t kEach = 4; // keeps the wait for the last device short
    return device.together == 1 || PartQueue::count(map, part) >= kEach * device.together;
}

Problem oneOf(const Problem& problem) {
    Problem one = problem;
    one.templates = 1;
    one.onDevice.map = problem.onDevice.map || problem.templates > 1;
    return one;
}

std::int64_t hostBytes(const Problem& problem, const Problem& submitted, const Extents& part,
                       std::int64_t inFlight) {
    const bool alone = problem.templates > 1 && submitted.templates == 1;
    return method::mapBytes(problem) + (alone ? method::mapBytes(oneOf(problem)) : 0) +
           problem.templates * base::byteCount(problem.templ, 12) +
           inFlight * slotPinnedBytes(submitted, part) + stagingBytes(submitted, part) +
           scoreBytes(submitted, part);
}

void PartTraffic::add(const Problem& submitted, const Extents& part, double count) {
    const bool reduced = isReduced(submitted);
    const std::int64_t map =
        reduced ? reducedBytes(submitted, part) : base::byteCount(part, placementBytes(submitted));
    const double voxels = count * static_cast<double>(base::voxelCount(part));
    parts += count;
    launches += count * submitted.templates;
    sceneBytes += count * static_cast<double>(seenBytes(submitted, part));
    mapBytes += count * static_cast<double>(map + submitted.templates * tallyBytes(part) +
                                            mergedBytes(submitted, part));
    reducedVoxels += reduced ? voxels : 0.0;
    mergedVoxels += submitted.templates > 1 ? submitted.templates * voxels : 0.0;
}

void PartTraffic::hold(const Problem& submitted, const DeviceFacts& device,
                       const method::Limits& limits) {
    held = isHeld(submitted);
    if (held) {
        sceneBytes =
            limits.onDevice.scene == device.id() ? 0.0 : static_cast<double>(heldBytes(submitted));
    }
}

method::DeviceTimes PartTraffic::times(int rounds, double kernelNs,
                                       const DeviceFacts& device) const {
    // Built-in values: bytes per nanosecond that the bus copies from pinned memory and that the
    // host's threads copy, and nanoseconds of a kernel launch. The machine of an H100 with 16
    // threads copies 52 and 28 bytes; most buses and hosts are slower.
    constexpr double kBus = 20;
    constexpr double kHost = 12;
    constexpr double kLaunchNs = 30'000;
    // Bytes that a reduction and a merge move for each voxel, and bytes that a multiprocessor moves
    // per clock cycle.
    constexpr double kReduced = 12;
    constexpr double kMerged = 24;
    constexpr double kPerCycle = 8;
    const double deviceBytesPerNs =
        std::max(1.0, kPerCycle * device.about.processors * device.about.gigahertz);
    const double unit = 1e-6 * rounds;
    const double movedBytes = reducedVoxels * kReduced + mergedVoxels * kMerged;
    const double brought = sceneBytes * (held ? 1 : rounds);
    method::DeviceTimes times;
    times.packing = 1e-6 * brought / kHost;
    times.upload = 1e-6 * brought / kBus + (brought > 0 ? unit * parts * kLaunchNs / 2 : 0.0);
    times.compute = unit * (kernelNs + launches * kLaunchNs + movedBytes / deviceBytesPerNs);
    times.download = unit * (mapBytes / kBus + parts * kLaunchNs / 2);
    times.joining = unit * mapBytes / kHost;
    times.devices = device.together;
    times.uploads = !held ? rounds : sceneBytes > 0 ? 1 : 0;
    times.downloaded = static_cast<std::int64_t>(rounds * mapBytes);
    return times;
}

double overlappedMs(const method::DeviceTimes& times, double parts, std::int64_t inFlight) {
    const double compute = times.compute / times.devices;
    if (inFlight < 2 || parts < 2) {
        return times.setup + std::max(times.packing, times.upload) + compute +
               std::max(times.joining, times.download);
    }
    // Measured on an H200 with 16 threads: 0.77 to 0.94.
    constexpr double kLeft = 0.85;
    return times.setup +
           kLeft * (times.packing + times.upload + compute + times.download + times.joining);
}

std::string refusalOf(const method::Prediction& prediction, const method::Limits& limits,
                      std::int64_t deviceBytes) {
    if (prediction.hostBytes > limits.memoryBytes) {
        return "needs " + mebi(prediction.hostBytes) + ", the limit is " + mebi(limits.memoryBytes);
    }
    if (prediction.onDevice.bytes > prediction.onDevice.memory) {
        const std::string needs = "needs " + mebi(prediction.onDevice.bytes) + " of the device, ";
        return prediction.onDevice.memory < deviceBytes
                   ? needs + mebi(prediction.onDevice.memory) + " of whose " + mebi(deviceBytes) +
                         " are free"
                   : needs + "which has " + mebi(deviceBytes);
    }
    return {};
}

} // namespace flcc::cuda
