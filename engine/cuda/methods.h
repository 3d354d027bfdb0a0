#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

class DeviceMethod;

/// Makes a method on device `number` of an engine, which must live as long; `together` as for
/// DeviceMethod.
using MakeMethod = std::unique_ptr<DeviceMethod> (*)(Engine& engine, std::int32_t number,
                                                     const std::vector<std::int32_t>& together);

/// The direct method (METHODS 4.1).
[[nodiscard]] std::unique_ptr<DeviceMethod>
directMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});

/// The Fourier methods (METHODS 3.2, 3.3, 4.2): `tiled`, and `fourier` whose one tile is the scene.
[[nodiscard]] std::unique_ptr<DeviceMethod>
tiledMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});
[[nodiscard]] std::unique_ptr<DeviceMethod>
fourierMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together = {});

/// A method on two devices or more, as device "cuda" (METHODS 4.4).
[[nodiscard]] std::unique_ptr<method::Method> jointMethod(Engine& engine, MakeMethod make,
                                                          const std::vector<std::int32_t>& numbers);

/// Names of the methods of this engine.
[[nodiscard]] const std::vector<std::string>& methodNames();

/// Every method on every usable device of the engine of the process, and on all of them together
/// where there are several.
[[nodiscard]] const std::vector<const method::Method*>& methods();

} // namespace flcc::cuda
