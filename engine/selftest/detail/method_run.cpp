#include "engine/selftest/detail/method_run.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/method/separation.h"
#include "engine/method/session.h"

namespace flcc::selftest {

std::string Way::words() const {
    return std::string(method->name()) + " " + candidate.device + " " +
           base::toString(candidate.tile) + " " + std::to_string(candidate.threads) + " threads " +
           std::string(method::name(precision)) + (recompute ? "" : " without recomputing") +
           (asked.extent == method::Extent::Valid
                ? ""
                : " " + std::string(method::name(asked.extent)) + " " +
                      std::string(method::name(asked.outside))) +
           (asked.statistics == method::WindowStatistics::Auto
                ? ""
                : " statistics " + std::string(method::name(asked.statistics))) +
           (method::nameUnlessDefault(asked.operation).empty()
                ? ""
                : " " + std::string(method::name(asked.operation)));
}

method::Problem Way::of(method::Problem submitted) const {
    submitted.precision = precision;
    submitted.recompute = recompute;
    submitted.promise = promise;
    submitted.extent = asked.extent;
    submitted.outside = asked.outside;
    submitted.minOverlap = asked.minOverlap;
    submitted.statistics = asked.statistics;
    submitted.operation = asked.operation;
    return submitted;
}

method::Problem problemOf(const method::MaskedView& scene, const method::MaskedView& templ,
                          const Asked& asked) {
    method::Problem problem;
    problem.scene = scene.extents();
    problem.templ = templ.extents();
    problem.scenePixel = base::pixelType(scene.pixels);
    problem.templPixel = base::pixelType(templ.pixels);
    problem.mask = method::isMasked(templ);
    problem.weights = method::hasWeights(templ);
    problem.sceneMask = method::isMasked(scene);
    problem.extent = asked.extent;
    problem.outside = asked.outside;
    problem.minOverlap = asked.minOverlap;
    problem.statistics = asked.statistics;
    problem.operation = asked.operation;
    problem.residual = method::separabilityOf(templ).residual;
    if (asked.operation.traits().byDefinition) {
        problem.precision = method::Precision::Double; // the only one
    }
    return problem;
}

std::vector<Way> acceptedWays(const std::vector<const method::Method*>& methods,
                              const method::Problem& problem, int threads,
                              const base::Extents& tile) {
    method::Limits limits;
    limits.threads = threads;
    std::vector<Way> ways;
    for (const method::Method* method : methods) {
        if (!method->refusal(problem).empty()) {
            continue;
        }
        for (const method::Candidate& candidate : method->candidates(problem, limits, tile)) {
            const method::Verdict verdict =
                method->predict(problem, candidate, limits, method::CostModel{}, nullptr);
            if (std::holds_alternative<method::Prediction>(verdict)) {
                ways.push_back({.method = method,
                                .candidate = candidate,
                                .precision = problem.precision,
                                .asked = {problem.extent, problem.outside, problem.minOverlap,
                                          problem.statistics, problem.operation}});
            }
        }
    }
    return ways;
}

MethodRun runMethod(const Way& way, const method::MaskedView& scene,
                    const method::MaskedView& templ, const RunOptions& options) {
    const method::Problem problem = way.of(problemOf(scene, templ));
    const bool mayLack = problem.sceneMask || problem.extent != method::Extent::Valid;
    std::optional<base::TilePool> own;
    if (options.pool == nullptr) {
        own.emplace(options.threads > 0 ? options.threads : way.candidate.threads);
    }
    base::TilePool& pool = own ? *own : *options.pool;
    method::Candidate candidate = way.candidate;
    candidate.threads = pool.threads();
    method::Session session(*way.method, problem, candidate);
    session.warmUp();
    session.prepare({templ}, pool);
    const bool inDouble = way.precision == method::Precision::Double;
    MethodRun run{method::MatchMap(method::mapExtents(problem), inDouble), {}, {}, mayLack};
    const method::Execution execution{pool, options.stop, [&](const base::Box& box) {
                                          run.regions.push_back(box);
                                          if (options.finished) {
                                              options.finished(
                                                  static_cast<std::int64_t>(run.regions.size()));
                                          }
                                      }};
    run.outcome = session.run(scene, execution, method::viewOf(run.map));
    return run;
}

std::string runFault(const MethodRun& run) {
    const base::Extents& extents = run.map.value.extents();
    base::Image<std::uint8_t> covered(extents, std::uint8_t{0});
    for (const base::Box& box : run.regions) {
        if (!base::contains(extents, box)) {
            return "region " + base::toString(box) + " leaves the map";
        }
        const auto part = covered.view().part(box);
        for (std::int64_t z = 0; z < box.extents.z; ++z) {
            for (std::int64_t y = 0; y < box.extents.y; ++y) {
                for (std::int64_t x = 0; x < box.extents.x; ++x) {
                    if (part.at(x, y, z)++ != 0) {
                        return "region " + base::toString(box) + " was finished before";
                    }
                }
            }
        }
    }
    std::array<std::int64_t, base::kStatusCount> counts{};
    for (std::int64_t i = 0; i < covered.count(); ++i) {
        const base::Status status = run.map.status.data()[i];
        const bool done = covered.data()[i] != 0;
        if (!done && !run.outcome.cancelled) {
            return "voxel " + std::to_string(i) + " of the map was never reported finished";
        }
        if (done == (status == base::Status::NotComputed) && !(done && run.mayLack)) {
            return "voxel " + std::to_string(i) + " has status " + std::string(base::name(status)) +
                   (done ? " in a finished region" : " outside the finished regions");
        }
        if (!done && run.map.value.data()[i] != 0) {
            return "voxel " + std::to_string(i) + " has a value outside the finished regions";
        }
        if (done) {
            ++counts[static_cast<std::size_t>(status)];
        }
    }
    for (std::size_t status = 0; status < counts.size(); ++status) {
        const std::int64_t reported = run.outcome.facts.statusCounts[status];
        if (status != static_cast<std::size_t>(base::Status::NotComputed) &&
            reported != counts[status]) {
            return "the outcome counts " + std::to_string(reported) + " voxels " +
                   std::string(base::name(static_cast<base::Status>(status))) + ", the map " +
                   std::to_string(counts[status]);
        }
    }
    if (run.outcome.facts.overRange != 0) {
        return std::to_string(run.outcome.facts.overRange) +
               " scores were out of range by more than their bound";
    }
    return {};
}

} // namespace flcc::selftest
