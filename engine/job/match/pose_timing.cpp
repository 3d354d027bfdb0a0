#include "engine/job/match/pose_timing.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "engine/base/stopwatch.h"

namespace flcc::job::detail {

namespace {

constexpr double kBatchMs = 1000;
constexpr std::int64_t kBatches = 4; // the first one is not timed

double predicted(const PoseRun& run, const method::Problem& problem, const method::Limits& limits) {
    method::Limits all = limits;
    all.memoryBytes = INT64_MAX;
    const auto verdict = run.method.predict(problem, run.candidate, all, {}, nullptr);
    const auto* const prediction = std::get_if<method::Prediction>(&verdict);
    return prediction != nullptr ? prediction->ms : 0;
}

} // namespace

std::optional<double> rehearse(const PoseRun& run, const method::Limits& limits, double predictedMs,
                               base::TilePool& pool, const std::stop_token& stop) {
    // Slices of a volume, rows of an image.
    method::Problem problem = run.problem;
    base::Box box{{0, 0, 0}, problem.scene};
    const bool flat = base::isFlat2D(problem.scene);
    std::int64_t& length = flat ? box.extents.y : box.extents.z;
    const std::int64_t least = 2 * (flat ? problem.templ.y : problem.templ.z);
    const double share = kBatchMs / std::max(predictedMs, kBatchMs);
    length = std::min(length, std::max(least, static_cast<std::int64_t>(
                                                  std::ceil(share * static_cast<double>(length)))));
    problem.scene = box.extents;
    const double whole = predicted(run, run.problem, limits);
    const double part = predicted(run, problem, limits);
    if (part <= 0 || whole <= 0) {
        return std::nullopt;
    }
    const method::MaskedView scene = method::partOf(run.scene, box);
    const base::Extents extents = method::mapExtents(problem);
    method::MatchMap map(extents, problem.precision == method::Precision::Double);
    base::Image<std::int32_t> index(extents, -1);
    std::vector<double> ends;
    const base::Stopwatch watch;
    const PoseRun some{.method = run.method,
                       .problem = problem,
                       .candidate = run.candidate,
                       .bank = run.bank,
                       .scene = scene,
                       .share = {},
                       .searched = [&](std::int64_t) { ends.push_back(watch.ms()); },
                       .kept = nullptr,
                       .most = kBatches};
    const method::Outcome outcome =
        runPoses(some, {.pool = pool, .stop = stop, .regionFinished = {}, .onDevice = {}},
                 {method::viewOf(map), index.view()});
    if (outcome.cancelled || std::ssize(ends) < 2) {
        return std::nullopt;
    }
    const double batch = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
    return batch * whole / part;
}

} // namespace flcc::job::detail
