#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/cuda/device_memory.h"
#include "engine/cuda/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// A scene that stays whole on a device, pixels and then its mask. It comes along its slowest axis
/// as the parts of the first map need it, so that the copies run beside kernels, and each voxel
/// once.
class DeviceScene final : public method::HeldScene {
  public:
    /// Of the scene of `problem`. **Errors**: as DeviceBuffer::room().
    DeviceScene(Engine& engine, std::int32_t device, const method::Problem& problem);

    /// The one that a hold has for a device; another one goes, and it is made where there is none.
    /// **Errors**: as its constructor.
    [[nodiscard]] static DeviceScene& of(method::SceneHold& hold, Engine& engine,
                                         std::int32_t device, const method::Problem& problem);
    /// Takes that of a device out of a hold.
    static void leave(method::SceneHold* hold, std::int32_t device);

    /// Slabs along the slowest axis that are there or on their way.
    [[nodiscard]] std::int64_t slabs() const { return m_slabs; }
    void setSlabs(std::int64_t slabs) { m_slabs = slabs; }
    /// The slabs from `begin` to `end`.
    [[nodiscard]] base::Box slabsBetween(std::int64_t begin, std::int64_t end) const;
    /// Voxels of the slabs before `slab`.
    [[nodiscard]] std::int64_t voxelsBefore(std::int64_t slab) const {
        return slab * m_extents.x * (m_extents.z > 1 ? m_extents.y : 1);
    }
    /// Where the slabs end that a box of voxels lies in.
    [[nodiscard]] std::int64_t endOf(const base::Box& box) const;

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    [[nodiscard]] std::int64_t pixelBytes() const { return m_pixelBytes; }
    [[nodiscard]] std::byte* pixels() const { return m_memory.data(); }
    /// Null without one.
    [[nodiscard]] std::byte* mask() const;

  private:
    std::int32_t m_device;
    base::Extents m_extents;
    std::int64_t m_pixelBytes;
    bool m_masked;
    std::int64_t m_slabs = 0;
    DeviceBuffer<std::byte> m_memory;
};

} // namespace flcc::cuda
