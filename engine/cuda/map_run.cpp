#include "engine/cuda/map_run.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/cuda/map_parts.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

/// Waits for what is under way even when an error ends the run: it writes into the map.
struct Drain {
    const Stream& stream;
    ~Drain() { stream.drain(); }
};

std::string mebi(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

std::int64_t tallyBytes(const Extents& part) {
    return base::byteCount(shared::blockGrid(part), static_cast<std::int64_t>(sizeof(BlockTally)));
}

void clear(const method::MapView& part) {
    const Extents& extents = part.value.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            std::fill_n(part.value.row(y, z), extents.x, 0.0F);
            std::fill_n(part.status.row(y, z), extents.x, base::Status::NotComputed);
            if (part.exact.data() != nullptr) {
                std::fill_n(part.exact.row(y, z), extents.x, 0.0);
            }
        }
    }
}

} // namespace

std::int64_t partBytes(const Problem& problem, const Extents& part) {
    const Extents& m = problem.templ;
    return base::byteCount({part.x + m.x - 1, part.y + m.y - 1, part.z + m.z - 1},
                           base::bytesPerVoxel(problem.scenePixel)) +
           base::byteCount(part, isTwofold(problem) ? 13 : 5) + tallyBytes(part);
}

std::int64_t hostBytes(const Problem& problem, const Extents& part) {
    Problem one = problem;
    one.templates = 1;
    return method::mapBytes(problem) + (problem.templates > 1 ? method::mapBytes(one) : 0) +
           problem.templates * base::byteCount(problem.templ, 12) + tallyBytes(part);
}

std::string refusalOf(const Problem& problem, const std::string& against) {
    if (!against.empty()) {
        return against;
    }
    if (problem.sceneMask) {
        return "on a GPU it solves problems without masks of the scene only";
    }
    if (problem.extent != method::Extent::Valid) {
        return "on a GPU it finds placements inside the scene only, not the extent " +
               std::string(method::name(problem.extent));
    }
    return {};
}

std::string refusalOf(const method::Prediction& prediction, const method::Limits& limits,
                      std::int64_t deviceBytes) {
    if (prediction.hostBytes > limits.memoryBytes) {
        return "needs " + mebi(prediction.hostBytes) + ", the limit is " + mebi(limits.memoryBytes);
    }
    if (prediction.deviceBytes > deviceBytes) {
        return "needs " + mebi(prediction.deviceBytes) + " of the device, which has " +
               mebi(deviceBytes);
    }
    return {};
}

void requireUnmasked(const method::MaskedView& scene) {
    if (method::isMasked(scene)) {
        throw base::Error(base::ErrorCode::Problem,
                          "the scene has a mask that the problem does not name");
    }
}

void requireUnmasked(const method::CanonicalTemplate& templ) {
    if (!templ.support().empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          "the template has a mask that the problem does not name");
    }
}

method::Outcome MapRun::operator()(const Extents& part, const std::string& what,
                                   const std::function<void()>& prepare,
                                   const std::function<void(const PartLaunch&)>& start) {
    const Drain drain{m_stream};
    base::Stopwatch watch;
    prepare();
    m_stream.wait("preparing the template");
    m_uploadMs += watch.ms();
    bool done = true;
    for (const base::Box& box : mapParts(m_map.value.extents(), part)) {
        if (m_execution.stop.stop_requested() || !matchPart(box, what, start)) {
            done = false;
            break;
        }
    }
    method::Outcome outcome;
    outcome.cancelled = !done;
    outcome.facts = m_tally.facts();
    outcome.facts.recomputed = isTwofold(m_problem) ? 0 : outcome.facts.recomputed;
    outcome.stagesMs = {{"upload", m_uploadMs},
                        {"kernel", m_kernelMs},
                        {"download", m_downloadMs},
                        {"recomputation", m_repairMs}};
    return outcome;
}

bool MapRun::matchPart(const base::Box& box, const std::string& what,
                       const std::function<void(const PartLaunch&)>& start) {
    base::Stopwatch watch;
    const auto lap = [&watch] { return std::exchange(watch, {}).ms(); };
    const Extents& m = m_problem.templ;
    const base::Box seen{
        box.corner, {box.extents.x + m.x - 1, box.extents.y + m.y - 1, box.extents.z + m.z - 1}};
    PartLaunch launch;
    launch.scene = std::visit([&](const auto& view) { return upload(view.part(seen)); }, m_scene);
    launch.pixel = m_problem.scenePixel;
    launch.extents = seen.extents;
    launch.templ = m;
    launch.map = box.extents;
    launch.value = m_own.value.room(base::voxelCount(box.extents));
    launch.exact = isTwofold(m_problem) ? m_own.exact.room(base::voxelCount(box.extents)) : nullptr;
    launch.status = m_own.status.room(base::voxelCount(box.extents));
    const std::int64_t blocks = base::voxelCount(shared::blockGrid(box.extents));
    launch.tallies = m_own.tallies.room(blocks);
    m_stream.wait("copying to the device");
    m_uploadMs += lap();
    start(launch);
    m_stream.wait("running " + what);
    m_kernelMs += lap();
    const method::MapView part = method::partOf(m_map, box);
    download(launch.value, part.value);
    download(launch.status, part.status);
    if (launch.exact != nullptr && part.exact.data() != nullptr) {
        download(launch.exact, part.exact);
    }
    m_own.told.resize(static_cast<std::size_t>(blocks));
    const auto bytes = blocks * static_cast<std::int64_t>(sizeof(BlockTally));
    m_stream.download({m_own.told.data(), bytes, launch.tallies, bytes, bytes, 1});
    m_stream.wait("copying from the device");
    m_downloadMs += lap();
    const bool done = finish(box, part);
    m_repairMs += lap();
    return done;
}

/// Packs the voxels of a view on the device.
template <class T> const void* MapRun::upload(const base::View<const T>& view) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const Extents& extents = view.extents();
    const std::int64_t row = extents.x * kSize;
    std::byte* to = m_own.scene.room(base::byteCount(extents, kSize));
    void* const begin = to;
    for (std::int64_t z = 0; z < extents.z; ++z, to += row * extents.y) {
        m_stream.upload({to, row, view.row(0, z), view.rowStride() * kSize, row, extents.y});
    }
    return begin;
}

template <class T> void MapRun::download(const void* from, const base::View<T>& view) const {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const Extents& extents = view.extents();
    const std::int64_t row = extents.x * kSize;
    const auto* packed = static_cast<const std::byte*>(from);
    for (std::int64_t z = 0; z < extents.z; ++z, packed += row * extents.y) {
        m_stream.download({view.row(0, z), view.rowStride() * kSize, packed, row, row, extents.y});
    }
}

/// Keeps the promise and tells that the part is done. What breaks it is replaced by canonical
/// values of the host's pixels, block by block. False when stopped.
bool MapRun::finish(const base::Box& box, const method::MapView& part) {
    const double bound = method::canonicalBound(m_templ.count()) + storedError(m_map);
    const bool repairs = m_problem.recompute && bound <= m_problem.promise;
    const Extents grid = shared::blockGrid(box.extents);
    std::vector<std::int64_t> open;
    for (std::size_t i = 0; i < m_own.told.size() && repairs; ++i) {
        if (m_own.told[i].lowConf > 0) {
            open.push_back(static_cast<std::int64_t>(i));
        }
    }
    const bool done = m_execution.pool.run(
        std::ssize(open),
        [&](std::int64_t item, int) {
            const std::int64_t block = open[static_cast<std::size_t>(item)];
            repair(box, part, shared::blockCorner(block, grid));
        },
        m_execution.stop);
    if (!done) {
        clear(part);
        return false;
    }
    for (const BlockTally& told : m_own.told) {
        m_tally.add(told, repairs ? std::optional(bound) : std::nullopt);
    }
    if (m_execution.regionFinished) {
        m_execution.regionFinished(box);
    }
    return true;
}

void MapRun::repair(const base::Box& box, const method::MapView& part,
                    const base::Index& corner) const {
    const std::int64_t right = std::min(box.extents.x, corner.x + shared::kBlockWidth);
    const std::int64_t bottom = std::min(box.extents.y, corner.y + shared::kBlockHeight);
    for (std::int64_t y = corner.y; y < bottom; ++y) {
        for (std::int64_t x = corner.x; x < right; ++x) {
            base::Status& status = part.status.at(x, y, corner.z);
            if (status == base::Status::LowConf) {
                const double score = method::canonicalScore(
                    m_scene, m_templ,
                    {box.corner.x + x, box.corner.y + y, box.corner.z + corner.z});
                part.value.at(x, y, corner.z) = static_cast<float>(score);
                if (part.exact.data() != nullptr) {
                    part.exact.at(x, y, corner.z) = score;
                }
                status = base::Status::Ok;
            }
        }
    }
}

} // namespace flcc::cuda
