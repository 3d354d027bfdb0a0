#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/cuda/plugin/device_memory.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// A whole scene in the memory of a device, kept between runs: the pixels, then the mask. The scene
/// is uploaded in slabs along its slowest axis, each slab when a part of the first map needs it.
/// Copies then overlap with kernels, and each voxel is copied once.
class DeviceScene final : public method::HeldScene {
  public:
    /// Allocates memory for the scene of `problem` and uploads nothing. **Errors**: as
    /// DeviceBuffer::room().
    DeviceScene(Engine& engine, std::int32_t device, const method::Problem& problem);

    /// The scene that `hold` keeps for `device`. A scene of another device is freed first; a
    /// missing one is made. **Errors**: as the constructor.
    [[nodiscard]] static DeviceScene& of(method::SceneHold& hold, Engine& engine,
                                         std::int32_t device, const method::Problem& problem);
    /// Frees the scene that `hold` keeps for `device`, if there is one. `hold` may be null.
    static void leave(method::SceneHold* hold, std::int32_t device);

    /// Number of slabs along the slowest axis that are on the device or being copied to it.
    [[nodiscard]] std::int64_t slabs() const { return m_slabs; }
    void setSlabs(std::int64_t slabs) { m_slabs = slabs; }
    /// The voxels of the slabs from `begin` to `end` - 1.
    [[nodiscard]] base::Box slabsBetween(std::int64_t begin, std::int64_t end) const;
    /// Number of voxels in the slabs before `slab`.
    [[nodiscard]] std::int64_t voxelsBefore(std::int64_t slab) const {
        return slab * m_extents.x * (m_extents.z > 1 ? m_extents.y : 1);
    }
    /// One past the last slab that a box of voxels lies in.
    [[nodiscard]] std::int64_t endOf(const base::Box& box) const;

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    [[nodiscard]] std::int64_t pixelBytes() const { return m_pixelBytes; }
    [[nodiscard]] std::byte* pixels() const { return m_memory.data(); }
    /// The scene's mask; null without a mask.
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
