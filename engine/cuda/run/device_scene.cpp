#include "engine/cuda/run/device_scene.h"

#include <memory>

#include "engine/cuda/run/map_run.h"

namespace flcc::cuda {

DeviceScene::DeviceScene(Engine& engine, std::int32_t device, const method::Problem& problem)
    : m_device(device), m_extents(problem.scene), m_pixelBytes(stagedBytesPerVoxel(problem)),
      m_masked(problem.sceneMask), m_memory(engine, device) {
    (void)m_memory.room(heldBytes(problem));
}

DeviceScene& DeviceScene::of(method::SceneHold& hold, Engine& engine, std::int32_t device,
                             const method::Problem& problem) {
    auto* held = dynamic_cast<DeviceScene*>(hold.scene.get());
    if (held == nullptr || held->m_device != device) {
        hold.scene.reset(); // frees its memory first
        hold.scene = std::make_unique<DeviceScene>(engine, device, problem);
        held = dynamic_cast<DeviceScene*>(hold.scene.get());
    }
    return *held;
}

void DeviceScene::leave(method::SceneHold* hold, std::int32_t device) {
    if (hold == nullptr) {
        return;
    }
    const auto* const held = dynamic_cast<const DeviceScene*>(hold->scene.get());
    if (held != nullptr && held->m_device == device) {
        hold->scene.reset();
    }
}

base::Box DeviceScene::slabsBetween(std::int64_t begin, std::int64_t end) const {
    const base::Extents& n = m_extents;
    return n.z > 1 ? base::Box{{0, 0, begin}, {n.x, n.y, end - begin}}
                   : base::Box{{0, begin, 0}, {n.x, end - begin, 1}};
}

std::int64_t DeviceScene::endOf(const base::Box& box) const {
    return m_extents.z > 1 ? box.corner.z + box.extents.z : box.corner.y + box.extents.y;
}

std::byte* DeviceScene::mask() const {
    return m_masked ? m_memory.data() + base::byteCount(m_extents, m_pixelBytes) : nullptr;
}

} // namespace flcc::cuda
