#pragma once

#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/job/benchmark.h"

namespace flcc::job::detail {

/// The times of one method on one problem. Single: a scene and a template or kernel that the method
/// has not seen before. Stream: one of many scenes, without what depends on the template or kernel
/// alone.
struct MethodTime {
    std::string method;
    bool byDefinition = false; ///< adds up the products of the definition
    double singleMs = INFINITY;
    double streamMs = INFINITY;
    std::string notRun{}; ///< why a method that was to be measured has no times
};

/// Predicts and measures how long the methods of one operation take.
class MethodTimes {
  public:
    virtual ~MethodTimes() = default;

    /// The shortest predicted times of each method that does not refuse.
    [[nodiscard]] virtual std::vector<MethodTime> predicted(const base::Extents& scene,
                                                            const base::Extents& templ) = 0;

    /// Medians of `repeat` runs on float32 noise after one run to warm up, of `methods` or, if it
    /// is empty, of all. If cancelled, the result is unspecified. **Errors**: Device; Internal for
    /// a method whose result is wrong.
    [[nodiscard]] virtual std::vector<MethodTime>
    measured(const base::Extents& scene, const base::Extents& templ,
             const std::vector<std::string>& methods, int repeat, const std::stop_token& stop) = 0;
};

/// `threads` 0 = all. `device`: "cpu", or GPUs as in `--device`. **Errors**: Device for a device
/// that cannot be used, and for a convolution on a GPU.
[[nodiscard]] std::unique_ptr<MethodTimes> methodTimes(FigureOperation operation, int threads,
                                                       const std::string& device);

/// The time of a method in a run of one kind.
[[nodiscard]] inline double timeOf(const MethodTime& time, bool stream) {
    return stream ? time.streamMs : time.singleMs;
}

} // namespace flcc::job::detail
