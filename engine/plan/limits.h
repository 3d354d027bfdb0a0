#pragma once

#include <optional>
#include <string_view>

#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::plan {

/// Highest rates that a GPU reaches, measured with kernels that do nothing else.
struct DeviceLimits {
    double multiplyAdds = 0; ///< multiply-adds in float per nanosecond
    double bytes = 0;        ///< bytes of device memory read and written per nanosecond
};

/// Measures the limits of one GPU ("cuda:0"). Empty for the processor, for several GPUs together
/// and for a GPU that cannot be used.
/// **Cost**: about a tenth of a second. **Errors**: Device, Memory.
[[nodiscard]] std::optional<DeviceLimits> measureDeviceLimits(std::string_view device);

/// Milliseconds of the Fourier transforms alone that a candidate on one GPU needs for one scene and
/// template. Empty for a candidate without transforms and for the devices for which
/// measureDeviceLimits() is empty. **Errors**: Device, Memory.
[[nodiscard]] std::optional<double> measureTransforms(const method::Problem& problem,
                                                      const method::Candidate& candidate);

} // namespace flcc::plan
