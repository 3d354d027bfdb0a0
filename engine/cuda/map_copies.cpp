#include <algorithm>

#include "engine/cuda/map_run.h"
#include "engine/method/shared/direct_block.h"

// The members of MapRun that copy between the host's images and pinned memory.

namespace flcc::cuda {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

namespace {

/// Rows of a box that a thread of the host copies at a time.
constexpr std::int64_t kRowsTogether = 64;

/// The part of a box that lies in a scene of extents `n`.
base::Box inScene(const base::Box& box, const Extents& n) {
    const auto begin = [](std::int64_t corner) { return std::max<std::int64_t>(corner, 0); };
    const auto length = [&](std::int64_t corner, std::int64_t extent, std::int64_t all) {
        return std::min(corner + extent, all) - begin(corner);
    };
    const base::Index& at = box.corner;
    return {{begin(at.x), begin(at.y), begin(at.z)},
            {length(at.x, box.extents.x, n.x), length(at.y, box.extents.y, n.y),
             length(at.z, box.extents.z, n.z)}};
}

/// The voxels under the placements of a box of the map, including voxels beyond the scene.
base::Box reachOf(const Problem& problem, const base::Box& box) {
    const Extents& m = problem.templ;
    const base::Index first = method::firstPlacement(problem);
    return {{box.corner.x + first.x, box.corner.y + first.y, box.corner.z + first.z},
            {box.extents.x + m.x - 1, box.extents.y + m.y - 1, box.extents.z + m.z - 1}};
}

} // namespace

/// Calls `copy(row, y, z)` for every row of a box, on the threads of the host.
template <class Copy> void MapRun::forRows(const Extents& extents, Copy&& copy) const {
    const std::int64_t rows = extents.y * extents.z;
    m_execution.pool.run(shared::ceilDivide(rows, kRowsTogether), [&](std::int64_t item, int) {
        const std::int64_t end = std::min(rows, (item + 1) * kRowsTogether);
        for (std::int64_t row = item * kRowsTogether; row < end; ++row) {
            copy(row, row % extents.y, row / extents.y);
        }
    });
}

/// Copies the voxels of a view to contiguous memory at `to`, as StagedPixel<T>.
template <class T> void MapRun::pack(const base::View<const T>& view, std::byte* to) const {
    const std::int64_t length = view.extents().x;
    forRows(view.extents(), [&](std::int64_t row, std::int64_t y, std::int64_t z) {
        std::copy_n(view.row(y, z), length, reinterpret_cast<StagedPixel<T>*>(to) + row * length);
    });
}

template <class T> void MapRun::unpack(const T* from, const base::View<T>& view) const {
    const std::int64_t length = view.extents().x;
    forRows(view.extents(), [&](std::int64_t row, std::int64_t y, std::int64_t z) {
        std::copy_n(from + row * length, length, view.row(y, z));
    });
}

/// Packs the voxels that a part sees into pinned memory. Returns the copies that bring them to the
/// device.
std::vector<PluginCopy> MapRun::stage(PartSlot& slot, PartLaunch& launch) const {
    const base::Box reach = reachOf(m_problem, slot.box);
    const base::Box seen = inScene(reach, m_problem.scene);
    const bool masked = m_scene.mask.data() != nullptr;
    const std::int64_t pixels = base::byteCount(seen.extents, stagedBytesPerVoxel(m_problem));
    const std::int64_t bytes = pixels + (masked ? base::voxelCount(seen.extents) : 0);
    std::byte* const scene = slot.scene.room(bytes);
    std::byte* const staged = slot.sceneStaged.room(bytes);
    launch.scene = scene;
    launch.extents = seen.extents;
    launch.corner = {reach.corner.x - seen.corner.x, reach.corner.y - seen.corner.y,
                     reach.corner.z - seen.corner.z};
    if (masked) {
        launch.inside = reinterpret_cast<const std::uint8_t*>(scene + pixels);
    }
    packBox(seen, staged);
    return {{scene, bytes, staged, bytes, bytes, 1}};
}

/// As stage(), for a scene that stays on the device: packs only the slabs that the part needs and
/// that are not on the device yet.
std::vector<PluginCopy> MapRun::stageHeld(PartSlot& slot, PartLaunch& launch) const {
    const base::Box reach = reachOf(m_problem, slot.box);
    const base::Box seen = inScene(reach, m_problem.scene);
    const Extents& n = m_held->extents();
    const bool inside = m_problem.extent == method::Extent::Valid;
    const base::Index& at = reach.corner;
    // If no placement leaves the scene, `launch.scene` points to the first voxel that the part
    // sees. Else it points to the first voxel of the scene, and `launch.corner` is the offset.
    const std::int64_t first = inside ? (at.z * n.y + at.y) * n.x + at.x : 0;
    launch.scene = m_held->pixels() + first * m_held->pixelBytes();
    launch.extents = n;
    launch.corner = inside ? base::Index{} : at;
    if (m_held->mask() != nullptr) {
        launch.inside = reinterpret_cast<const std::uint8_t*>(m_held->mask()) + first;
    }
    const std::int64_t begin = m_held->slabs();
    const std::int64_t end = m_held->endOf(seen);
    if (end <= begin) {
        return {};
    }
    const base::Box slabs = m_held->slabsBetween(begin, end);
    const std::int64_t voxels = base::voxelCount(slabs.extents);
    const std::int64_t pixels = voxels * m_held->pixelBytes();
    const std::int64_t before = m_held->voxelsBefore(begin);
    const bool masked = m_held->mask() != nullptr;
    std::byte* const staged = slot.sceneStaged.room(pixels + (masked ? voxels : 0));
    packBox(slabs, staged);
    m_held->setSlabs(end);
    std::vector<PluginCopy> copies{
        {m_held->pixels() + before * m_held->pixelBytes(), pixels, staged, pixels, pixels, 1}};
    if (masked) {
        copies.push_back({m_held->mask() + before, voxels, staged + pixels, voxels, voxels, 1});
    }
    return copies;
}

/// Packs the voxels of a box, then the voxels of its mask if the scene has one.
void MapRun::packBox(const base::Box& box, std::byte* to) const {
    std::visit([&](const auto& view) { pack(view.part(box), to); }, m_scene.pixels);
    if (m_scene.mask.data() != nullptr) {
        pack(m_scene.mask.part(box),
             to + base::byteCount(box.extents, stagedBytesPerVoxel(m_problem)));
    }
}

void MapRun::unpackAll(PartSlot& slot) {
    const method::BankView best = viewOf(m_input, slot.box);
    const method::MapView& part = best.map;
    unpack(slot.valueStaged.data(), part.value);
    if (part.exact.data() != nullptr && isDouble(m_problem)) {
        unpack(slot.exactStaged.data(), part.exact);
    }
    unpack(slot.statusStaged.data(), part.status);
    if (m_merger) {
        unpack(slot.indexStaged.data(), best.index);
    }
}

} // namespace flcc::cuda
