#pragma once

#include <cstdint>

#include "engine/base/tile_pool.h"
#include "engine/cuda/run/device_scene.h"
#include "engine/cuda/run/pipeline.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// Copies between the images of the host and a device, in pieces that the threads of the host pack
/// and unpack. Adds to the times of a run.
class PartCopies {
  public:
    /// `held`: the scene on the device, if it stays there.
    PartCopies(const method::Problem& problem, const method::MaskedView& scene, DeviceScene* held,
               base::TilePool& pool, method::DeviceTimes& times)
        : m_problem(problem), m_scene(scene), m_held(held), m_pool(pool), m_times(times) {}

    /// Brings the voxels that a part sees to the device.
    void bringScene(PartSlot& slot, PartLaunch& launch, Pipeline& pipe);
    /// Copies a computed part of the map from the device.
    void bringMap(PartSlot& slot, const method::BankView& to, Pipeline& pipe);

  private:
    void bringHeld(PartLaunch& launch, const base::Box& reach, Pipeline& pipe);
    void uploadBox(const base::Box& box, void* pixels, void* mask, Pipeline& pipe);
    template <class Copy> void forRows(std::int64_t rows, std::int64_t rowBytes, Copy&& copy) const;
    template <class T> void upload(const base::View<const T>& view, void* to, Pipeline& pipe);
    template <class T> void download(const void* from, const base::View<T>& view, Pipeline& pipe);

    const method::Problem& m_problem;
    const method::MaskedView& m_scene;
    DeviceScene* m_held;
    base::TilePool& m_pool;
    method::DeviceTimes& m_times;
};

} // namespace flcc::cuda
