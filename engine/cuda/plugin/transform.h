#pragma once

#include <cstdint>

#include "engine/cuda/plugin/plugin.h"

/// cuFFT behind plain functions, for the current device. The functions do what PluginTable says.
namespace flcc::cuda {

[[nodiscard]] Result makeTransform(const TransformShape& shape, void** made,
                                   std::int64_t* workBytes);
[[nodiscard]] Result releaseTransform(void* made);
[[nodiscard]] Result runTransform(void* made, void* stream, void* data, void* work);
/// The text of an error of cuFFT; null for any other result.
[[nodiscard]] const char* describeTransformError(Result result);

} // namespace flcc::cuda
