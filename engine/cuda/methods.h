#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/engine.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// The direct method on device `number` of an engine, which must live as long (METHODS 4.1).
[[nodiscard]] std::unique_ptr<method::Method> directMethod(Engine& engine, std::int32_t number);

/// Names of the methods of this engine.
[[nodiscard]] const std::vector<std::string>& methodNames();

/// Every method on every usable device of the engine of the process.
[[nodiscard]] const std::vector<const method::Method*>& methods();

} // namespace flcc::cuda
