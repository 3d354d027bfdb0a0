#pragma once

#include <cstdint>

#include "engine/cuda/plugin.h"

/// cuFFT behind plain functions, for the current device.
namespace flcc::cuda {

[[nodiscard]] Result makeTransform(const TransformShape& shape, void** made,
                                   std::int64_t* workBytes);
[[nodiscard]] Result releaseTransform(void* made);
[[nodiscard]] Result runTransform(void* made, void* stream, void* data, void* work);
/// In words; of what is not an error of cuFFT null.
[[nodiscard]] const char* describeTransformError(Result result);

} // namespace flcc::cuda
