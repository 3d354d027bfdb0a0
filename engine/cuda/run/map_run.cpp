#include "engine/cuda/run/map_run.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

/// Waits for all work in flight when a run ends, also by an error or a stop.
struct Drain {
    const Pipeline& pipe;
    ~Drain() { pipe.drain(); }
};

std::string mebi(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

std::int64_t tallyBytes(const Extents& part) {
    return base::byteCount(shared::blockGrid(part), static_cast<std::int64_t>(sizeof(BlockTally)));
}

/// Bytes of score and status of a placement.
std::int64_t placementBytes(const Problem& problem) { return isDouble(problem) ? 13 : 5; }

base::Index moved(const base::Index& at, const base::Index& by) {
    return {at.x + by.x, at.y + by.y, at.z + by.z};
}

} // namespace

namespace {

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

method::MaskedView withoutIdleMask(const Problem& problem, const method::MaskedView& scene) {
    if (!method::isMasked(scene)) {
        return scene.pixels;
    }
    if (!problem.sceneMask) {
        throw base::Error(base::ErrorCode::Problem,
                          "the scene has a mask that the problem does not name");
    }
    return scene;
}

void requireUnmasked(const method::CanonicalTemplate& templ) {
    if (!templ.support().empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          "the template has a mask that the problem does not name");
    }
}

method::Outcome MapRun::operator()(const std::string& what, const Lane& lane) {
    const auto giveBack = [this] {
        for (const PartSlot* slot : m_underWay) {
            m_parts.giveBack(slot->box);
        }
        m_underWay.clear();
    };
    try {
        const Drain drain{lane.pipe};
        const base::Stopwatch watch;
        lane.prepare();
        if (m_merger) { // sized once: kernels in flight use them
            PartLaunch largest;
            largest.map = m_parts.largest();
            scoreIn(lane.pipe.scores, largest);
        }
        lane.pipe.compute.wait("preparing the template");
        m_times.setup += watch.ms();
        m_times.uploads = m_held == nullptr || m_held->slabs() == 0 ? 1 : 0;
        share(what, lane);
    } catch (...) {
        giveBack();
        throw;
    }
    giveBack();
    m_times.upload += lane.pipe.toDevice.takeMs();
    m_times.download += lane.pipe.fromDevice.takeMs();
    method::Outcome outcome;
    outcome.stagesMs = {{"setup", m_times.setup},       {"packing", m_times.packing},
                        {"upload", m_times.upload},     {"kernel", m_times.compute},
                        {"download", m_times.download}, {"joining", m_times.joining},
                        {"recomputation", m_repairMs}};
    outcome.onDevice.times = m_times;
    outcome.onDevice.times->joining += m_repairMs;
    return outcome;
}

/// Computes parts until none is left or a stop is requested.
void MapRun::share(const std::string& what, const Lane& lane) {
    for (std::size_t sent = 0; !m_execution.stop.stop_requested();) {
        std::optional<base::Box> taken;
        PartSlot* free = nullptr;
        if (std::ssize(m_underWay) < lane.inFlight) {
            // Make the slot before a part is taken: if this throws, no part is lost from the queue.
            free = &lane.pipe.slot(sent % static_cast<std::size_t>(lane.inFlight));
            taken = m_parts.take(m_underWay.empty());
        }
        if (taken) {
            free->box = *taken;
            m_underWay.push_back(free);
            send(*free, lane);
            ++sent;
        } else if (m_underWay.empty()) {
            return;
        } else {
            PartSlot& slot = *m_underWay.front();
            receive(slot, what, lane);
            if (m_merger ? !finishBank(slot, what, lane) : !finish(slot)) {
                return;
            }
            m_underWay.pop_front();
        }
    }
}

/// Stages a part and starts its upload, kernels and downloads.
void MapRun::send(PartSlot& slot, const Lane& lane) {
    const base::Box& box = slot.box;
    const std::int64_t blocks = base::voxelCount(shared::blockGrid(box.extents));
    PartLaunch launch;
    bringScene(slot, launch, lane.pipe);
    launch.pixel = stagedPixel(m_problem.scenePixel);
    launch.templ = m_problem.templ;
    launch.map = box.extents;
    if (m_merger) {
        scoreIn(lane.pipe.scores, launch);
    } else {
        scoreIn(slot, launch);
    }
    const std::int64_t tallies = blocks * std::ssize(m_templates);
    launch.tallies = slot.tallies.room(tallies);
    slot.launch = launch;
    slot.reported.room(tallies);

    const auto& upload = lane.pipe.upload;
    const auto& compute = lane.pipe.compute;
    const auto& download = lane.pipe.download;
    upload.record(slot.uploaded);
    compute.follow(slot.uploaded);
    compute.record(slot.start);
    startAll(slot, lane);
    if (m_reducer) {
        m_reducer->start(slot, compute);
    }
    compute.record(slot.computed);
    download.follow(slot.computed);
    download.record(slot.download);
    const auto bring = [&](auto* to, const void* from, std::int64_t count) {
        const std::int64_t size = count * static_cast<std::int64_t>(sizeof(*to));
        download.download({to, size, from, size, size, 1});
        m_times.downloaded += size;
    };
    if (m_reducer) {
        m_reducer->bring(slot, download);
    }
    if (m_merger) {
        m_times.downloaded += m_merger->bring(slot, download);
    }
    bring(slot.reported.data(), launch.tallies, tallies);
    download.record(slot.downloaded);
}

/// Waits for a part and copies its results from the device.
void MapRun::receive(PartSlot& slot, const std::string& what, const Lane& lane) {
    slot.uploaded.wait("copying to the device");
    slot.computed.wait("running " + what);
    slot.downloaded.wait("copying from the device");
    m_times.compute += slot.computed.since(slot.start);
    m_times.download += slot.downloaded.since(slot.download);
    base::Stopwatch watch;
    if (m_merger) {
        m_times.downloaded += m_merger->receive(slot, lane.pipe.fetch());
        m_times.download += watch.ms();
        if (slot.openMost > kOpenMost) {
            return; // finishBank() computes it again
        }
        watch = {};
    }
    if (m_reducer) {
        m_times.downloaded += m_reducer->receive(slot, lane.pipe.fetch());
        m_times.download += watch.ms();
        return;
    }
    bringMap(slot, lane.pipe);
}

method::BankView viewOf(const RunInput& input, const base::Box& box) {
    if (input.reduced == nullptr) {
        return method::partOf(input.map, box);
    }
    method::ReducedMap::Part& part = input.reduced->to.partAt(box.corner);
    return part.whole ? method::BankView{{part.value.view(), part.status.view(), part.exact.view()},
                                         part.index.view()}
                      : method::BankView{};
}

void clearPart(const RunInput& input, const base::Box& box) {
    if (input.reduced != nullptr) {
        input.reduced->to.partAt(box.corner) = {};
    } else {
        method::clearBest(viewOf(input, box));
    }
}

/// True if recomputation is on and canonical values of a template keep the promise.
bool MapRun::repairs(const method::CanonicalTemplate& templ) const {
    return m_problem.recompute &&
           method::canonicalBound(templ.count()) + m_stored <= m_problem.promise;
}

/// Calls `repairOne` for each of `count` blocks on the threads of the host. Returns false if a stop
/// was requested. Canonical values of a whole block may take long, so `repairOne` ends early at a
/// stop, and its results are then unspecified.
bool MapRun::repairEach(std::int64_t count,
                        const std::function<void(std::int64_t)>& repairOne) const {
    return m_execution.pool.run(
               count, [&](std::int64_t item, int) { repairOne(item); }, m_execution.stop) &&
           !m_execution.stop.stop_requested();
}

/// Replaces the voxels whose bound exceeds the promise by canonical values of the host's pixels,
/// block by block, and reports the part as finished. Returns false if a stop was requested; the
/// part of the map is then reset.
bool MapRun::finish(const PartSlot& slot) {
    const base::Stopwatch watch;
    const base::Box& box = slot.box;
    const method::MapView part = viewOf(m_input, box).map;
    const method::CanonicalTemplate& templ = *m_templates.front();
    const Extents grid = shared::blockGrid(box.extents);
    const BlockTally* const reported = slot.reported.data();
    std::vector<BlockRepair> repaired(static_cast<std::size_t>(base::voxelCount(grid)));
    std::vector<std::int64_t> open;
    std::vector<method::ScoreTally> scores; // of LOWCONF voxels, if the map stays on the device
    const bool looks = part.value.data() != nullptr ? repairs(templ) : m_reducer.has_value();
    for (std::int64_t i = 0; i < base::voxelCount(grid) && looks; ++i) {
        if (reported[i].lowConf > 0) {
            open.push_back(i);
        }
    }
    scores.resize(open.size());
    const bool done = repairEach(std::ssize(open), [&](std::int64_t item) {
        const std::int64_t block = open[static_cast<std::size_t>(item)];
        repaired[static_cast<std::size_t>(block)] =
            part.value.data() != nullptr
                ? repair(box, templ, part, shared::blockCorner(block, grid))
                : m_reducer->repair(m_reducer->partOf(slot), block, m_stored, m_execution.stop,
                                    scores[static_cast<std::size_t>(item)]);
    });
    if (!done) {
        clearPart(m_input, box);
        return false;
    }
    if (m_reducer) {
        m_reducer->addUp(slot, scores);
    }
    m_repairMs += watch.ms();
    m_parts.finished(box, {reported, repaired});
    return true;
}

/// Replaces the LOWCONF voxels of the block at `corner` of a part by canonical values, where these
/// keep the promise.
BlockRepair MapRun::repair(const base::Box& box, const method::CanonicalTemplate& templ,
                           const method::MapView& part, const base::Index& corner) const {
    const std::int64_t right = std::min(box.extents.x, corner.x + shared::kBlockWidth);
    const std::int64_t bottom = std::min(box.extents.y, corner.y + shared::kBlockHeight);
    const base::Index first = moved(box.corner, method::firstPlacement(m_problem));
    BlockRepair done;
    for (std::int64_t y = corner.y; y < bottom; ++y) {
        for (std::int64_t x = corner.x; x < right; ++x) {
            base::Status& status = part.status.at(x, y, corner.z);
            if (status != base::Status::LowConf) {
                continue;
            }
            if (m_execution.stop.stop_requested()) {
                return done;
            }
            const base::Index at = moved(first, {x, y, corner.z});
            const method::CanonicalValue value =
                method::canonicalValue(m_scene, templ, at, m_problem.outside);
            const double bound = value.bound + m_stored;
            if (bound > m_problem.promise) {
                continue;
            }
            part.value.at(x, y, corner.z) = static_cast<float>(value.score);
            if (part.exact.data() != nullptr) {
                part.exact.at(x, y, corner.z) = value.score;
            }
            const bool whole = method::isWhole(m_scene, templ, at);
            status = whole ? base::Status::Ok : base::Status::Partial;
            ++(whole ? done.ok : done.partial);
            done.largestBound = std::max(done.largestBound, bound);
        }
    }
    return done;
}

} // namespace flcc::cuda
