#pragma once

#include <optional>
#include <string_view>

#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::plan {

/// What a GPU did at most in kernels that do nothing else: the roof of its methods.
struct DeviceLimits {
    double multiplyAdds = 0; ///< in float a nanosecond
    double bytes = 0;        ///< of its memory a nanosecond, read and written
};

/// Measures the limits of a GPU, "cuda:0"; empty for the processor and for several GPUs together.
/// **Cost**: about a tenth of a second. **Errors**: Device, Memory.
[[nodiscard]] std::optional<DeviceLimits> measureDeviceLimits(std::string_view device);

/// Milliseconds of the transforms alone that a candidate of a GPU needs for one scene and template;
/// empty for one without transforms, or as above. **Errors**: Device, Memory.
[[nodiscard]] std::optional<double> measureTransforms(const method::Problem& problem,
                                                      const method::Candidate& candidate);

} // namespace flcc::plan
