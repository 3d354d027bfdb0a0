#include "engine/cuda/run/part_copies.h"

#include <algorithm>

#include "engine/base/stopwatch.h"
#include "engine/cuda/kernels/device_pixels.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

namespace {

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

/// Calls `copy(row)` for the numbers of `rows` rows of `rowBytes` bytes, on the threads of the
/// host.
template <class Copy>
void PartCopies::forRows(std::int64_t rows, std::int64_t rowBytes, Copy&& copy) const {
    constexpr std::int64_t kBytesTogether = std::int64_t{1} << 17;
    const std::int64_t together = std::max<std::int64_t>(1, kBytesTogether / rowBytes);
    m_pool.run(shared::ceilDivide(rows, together), [&](std::int64_t item, int) {
        const std::int64_t end = std::min(rows, (item + 1) * together);
        for (std::int64_t row = item * together; row < end; ++row) {
            copy(row);
        }
    });
}

/// Starts the upload of the voxels of a view, as StagedPixel<T>, to contiguous memory at `to`.
template <class T>
void PartCopies::upload(const base::View<const T>& view, void* to, Pipeline& pipe) {
    using Staged = StagedPixel<T>;
    const Extents n = view.extents();
    const auto bytes = n.x * static_cast<std::int64_t>(sizeof(Staged));
    pipe.toDevice.upload(pipe.upload, to, n.y * n.z, bytes,
                         [&](std::int64_t first, std::int64_t rows, std::byte* piece) {
                             const base::Stopwatch watch;
                             forRows(rows, bytes, [&](std::int64_t row) {
                                 std::copy_n(view.row((first + row) % n.y, (first + row) / n.y),
                                             n.x, reinterpret_cast<Staged*>(piece + row * bytes));
                             });
                             m_times.packing += watch.ms();
                         });
}

/// Copies contiguous values from the device to a view.
template <class T>
void PartCopies::download(const void* from, const base::View<T>& view, Pipeline& pipe) {
    const Extents n = view.extents();
    const auto bytes = n.x * static_cast<std::int64_t>(sizeof(T));
    pipe.fromDevice.download(pipe.download, from, n.y * n.z, bytes,
                             [&](std::int64_t first, std::int64_t rows, const std::byte* piece) {
                                 const base::Stopwatch watch;
                                 forRows(rows, bytes, [&](std::int64_t row) {
                                     std::copy_n(
                                         reinterpret_cast<const T*>(piece + row * bytes), n.x,
                                         view.row((first + row) % n.y, (first + row) / n.y));
                                 });
                                 m_times.joining += watch.ms();
                             });
    m_times.downloaded += n.y * n.z * bytes;
}

/// Starts the upload of the voxels of a box of the scene, and of their mask if the scene has one.
void PartCopies::uploadBox(const base::Box& box, void* pixels, void* mask, Pipeline& pipe) {
    std::visit([&](const auto& view) { upload(view.part(box), pixels, pipe); }, m_scene.pixels);
    if (m_scene.mask.data() != nullptr) {
        upload(m_scene.mask.part(box), mask, pipe);
    }
}

/// Brings the voxels that a part sees to the device.
void PartCopies::bringScene(PartSlot& slot, PartLaunch& launch, Pipeline& pipe) {
    const base::Box reach = reachOf(m_problem, slot.box);
    if (m_held != nullptr) {
        bringHeld(launch, reach, pipe);
        return;
    }
    const base::Box seen = inScene(reach, m_problem.scene);
    const bool masked = m_scene.mask.data() != nullptr;
    const std::int64_t pixels = base::byteCount(seen.extents, stagedBytesPerVoxel(m_problem));
    std::byte* const scene =
        slot.scene.room(pixels + (masked ? base::voxelCount(seen.extents) : 0));
    launch.scene = scene;
    launch.extents = seen.extents;
    launch.corner = {reach.corner.x - seen.corner.x, reach.corner.y - seen.corner.y,
                     reach.corner.z - seen.corner.z};
    if (masked) {
        launch.inside = reinterpret_cast<const std::uint8_t*>(scene + pixels);
    }
    uploadBox(seen, scene, scene + pixels, pipe);
}

/// As bringScene(), for a scene that stays on the device: brings only the slabs that the part needs
/// and that are not on the device yet.
void PartCopies::bringHeld(PartLaunch& launch, const base::Box& reach, Pipeline& pipe) {
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
        return;
    }
    const std::int64_t before = m_held->voxelsBefore(begin);
    uploadBox(m_held->slabsBetween(begin, end), m_held->pixels() + before * m_held->pixelBytes(),
              m_held->mask() + before, pipe);
    m_held->setSlabs(end);
}

/// Copies a computed part of the map from the device.
void PartCopies::bringMap(PartSlot& slot, const method::BankView& to, Pipeline& pipe) {
    const method::MapView& part = to.map;
    download(slot.value.data(), part.value, pipe);
    if (part.exact.data() != nullptr && isDouble(m_problem)) {
        download(slot.exact.data(), part.exact, pipe);
    }
    download(slot.status.data(), part.status, pipe);
    if (to.index.data() != nullptr) {
        download(slot.index.data(), to.index, pipe);
    }
}

} // namespace flcc::cuda
