#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// The direct method on device `number` of an engine, which must live as long (METHODS 4.1).
[[nodiscard]] std::unique_ptr<method::Method> directMethod(Engine& engine, std::int32_t number);

/// The Fourier methods (METHODS 3.2, 3.3, 4.2): `tiled`, and `fourier` whose one tile is the scene.
[[nodiscard]] std::unique_ptr<method::Method> tiledMethod(Engine& engine, std::int32_t number);
[[nodiscard]] std::unique_ptr<method::Method> fourierMethod(Engine& engine, std::int32_t number);

/// Names of the methods of this engine.
[[nodiscard]] const std::vector<std::string>& methodNames();

/// Every method on every usable device of the engine of the process.
[[nodiscard]] const std::vector<const method::Method*>& methods();

} // namespace flcc::cuda
