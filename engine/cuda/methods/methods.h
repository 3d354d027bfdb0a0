#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

class DeviceMethod;

/// Makes a method on device `number` of `engine`, which must outlive it; `together` as for
/// DeviceMethod.
using MakeMethod = std::unique_ptr<DeviceMethod> (*)(Engine& engine, std::int32_t number,
                                                     const std::vector<std::int32_t>& together);

/// The direct method: products and sums by the definition (FLCC III.C; direct_block.h).
[[nodiscard]] std::unique_ptr<DeviceMethod>
directMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});

/// The Fourier methods: `tiled` transforms the scene tile by tile, `fourier` as one tile.
[[nodiscard]] std::unique_ptr<DeviceMethod>
tiledMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});
[[nodiscard]] std::unique_ptr<DeviceMethod>
fourierMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});

/// A method on two or more devices that share each map (PartQueue); its device is called "cuda".
[[nodiscard]] std::unique_ptr<method::Method> jointMethod(Engine& engine, MakeMethod make,
                                                          const std::vector<std::int32_t>& numbers);

/// Names of the methods that GPUs offer, whether a GPU can be used or not.
[[nodiscard]] const std::vector<std::string>& methodNames();

/// Every method on every usable device of Engine::ofProcess(). If there are several devices, also
/// every method except `fourier` on all of them together.
[[nodiscard]] const std::vector<const method::Method*>& methods();

} // namespace flcc::cuda
