#include "engine/filter/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/local_check.h"
#include "engine/method/method.h"

namespace flcc::filter {

namespace {

using base::Error;
using base::ErrorCode;
using base::Extents;
using detail::FilterMethod;
using method::Candidate;
using method::CandidateReport;
using method::CandidateVerdict;

/// The one table of methods; the first of equally fast ones is preferred.
const std::array<const FilterMethod*, 7>& methods() {
    static const std::array<const FilterMethod*, 7> kMethods{
        &detail::directFilter(), &detail::separableFilter(), &detail::recursiveFilter(),
        &detail::tiledFilter(),  &detail::fourierFilter(),   &detail::tiledTemplateFilter(),
        &detail::difFilter()};
    return kMethods;
}

const FilterMethod& methodOf(const std::string& name) {
    for (const FilterMethod* const method : methods()) {
        if (method->name() == name) {
            return *method;
        }
    }
    std::string list;
    for (const FilterMethod* const method : methods()) {
        list += ", " + std::string(method->name());
    }
    throw Error(ErrorCode::CommandLine, "there is no method \"" + name + "\"; use auto" + list);
}

constexpr double kMostError = 2e-3; ///< of a candidate that `auto` takes, over sum |weights|
constexpr double kMostErrorInDouble = 1e-9;
constexpr std::size_t kMostShown = 3; ///< candidates of one method in a plan
constexpr double kPlausible = 2.5;    ///< candidates within this factor of the best are timed
constexpr std::size_t kMostTimed = 4;
constexpr int kMostTurns = 5;
constexpr double kShortTurn = 10;  ///< milliseconds
constexpr double kWorthTiming = 2; ///< milliseconds

std::string memoryRefusal(std::int64_t bytes, std::int64_t limit) {
    return fmt::format("needs {:.1f} MiB, more than the limit of {:.1f} MiB",
                       static_cast<double>(bytes) / 0x1p20, static_cast<double>(limit) / 0x1p20);
}

CandidateReport considered(const FilterMethod& method, const Problem& problem, const Kernel& kernel,
                           const Candidate& candidate, const method::Limits& limits,
                           const method::CostModel& model, bool any) {
    CandidateReport row{.candidate = candidate, .verdict = CandidateVerdict::Refused};
    std::string missing = any ? std::string() : method::withoutTransforms(candidate, limits);
    method::Verdict verdict = missing.empty() ? method.predict(problem, kernel, candidate, model)
                                              : method::Refusal{std::move(missing)};
    if (const auto* const refusal = std::get_if<method::Refusal>(&verdict)) {
        row.reason = refusal->reason;
        return row;
    }
    const method::Prediction& prediction = std::get<method::Prediction>(verdict);
    if (prediction.hostBytes > limits.memoryBytes) {
        row.reason = memoryRefusal(prediction.hostBytes, limits.memoryBytes);
        row.forMemory = true;
        return row;
    }
    const double share = prediction.errorBound * kernel.divisor() / kernel.sumOfMagnitudes();
    const double most =
        problem.precision == method::Precision::Single ? kMostError : kMostErrorInDouble;
    if (any && share > most) {
        row.reason = fmt::format("approximates the kernel within {:.1e} of its sum of magnitudes, "
                                 "and auto allows {:.0e}; --method {} uses it all the same",
                                 share, most, method.name());
        return row;
    }
    row.verdict = CandidateVerdict::Slower;
    row.prediction = prediction;
    return row;
}

/// Keeps the fastest few candidates of each method, so that a plan can be read.
void dropSlowShapes(std::vector<CandidateReport>& rows) {
    std::vector<CandidateReport> kept;
    for (CandidateReport& row : rows) {
        const auto same =
            std::count_if(kept.begin(), kept.end(), [&](const CandidateReport& other) {
                return other.candidate.label() == row.candidate.label();
            });
        // One refusal of a method says enough.
        if (row.prediction ? static_cast<std::size_t>(same) < kMostShown : same == 0) {
            kept.push_back(std::move(row));
        }
    }
    rows = std::move(kept);
}

/// The part of the scene on which candidates are timed: some tiles for each thread.
Extents sampleOf(const Problem& problem) {
    const Extents& n = problem.scene;
    const Extents& m = problem.kernel;
    const auto part = [](std::int64_t scene, std::int64_t kernel, std::int64_t usual) {
        return std::min(scene, std::max(usual, 4 * kernel));
    };
    return n.z > 1 ? Extents{part(n.x, m.x, 128), part(n.y, m.y, 128), part(n.z, m.z, 64)}
                   : Extents{part(n.x, m.x, 1024), part(n.y, m.y, 768), 1};
}

void timeCandidates(Plan& plan, const Kernel& kernel, const method::CostModel& model,
                    const Wanted& wanted, const base::AnyView& scene, base::TilePool& pool,
                    const std::stop_token& stop) {
    std::vector<CandidateReport>& rows = plan.candidates;
    const bool whole = wanted.timing == Wanted::Timing::Whole;
    const double best = rows.front().expectedMs().value_or(HUGE_VAL);
    const auto plausible = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const CandidateReport& row) {
            return row.prediction && (whole || row.prediction->ms <= kPlausible * best);
        }));
    if (plausible < 2 || (!whole && best < kWorthTiming)) {
        return;
    }
    Problem sample = plan.problem;
    sample.scene = whole ? plan.problem.scene : sampleOf(plan.problem);
    const base::AnyView part = base::partOf(scene, {{}, sample.scene});
    const std::size_t count = whole ? plausible : std::min(plausible, kMostTimed);
    struct Timed {
        std::size_t row;
        Candidate candidate;
        double predictedMs;
        double ms = HUGE_VAL;
    };
    std::vector<Timed> timed;
    for (std::size_t i = 0; i < count; ++i) {
        Candidate candidate = rows[i].candidate;
        const FilterMethod& method = methodOf(candidate.method);
        method::Verdict verdict = method.predict(sample, kernel, candidate, model);
        if (!std::holds_alternative<method::Prediction>(verdict)) {
            // A whole transform or a box has another tile on a part of the scene.
            method::Limits limits = plan.limits;
            limits.transforms = candidate.transforms;
            candidate = method.candidates(sample, kernel, limits, detail::Shape{}).front();
            verdict = method.predict(sample, kernel, candidate, model);
        }
        const auto* const predicted = std::get_if<method::Prediction>(&verdict);
        if (predicted != nullptr && predicted->hostBytes <= plan.limits.memoryBytes) {
            timed.push_back({i, std::move(candidate), predicted->ms});
        }
    }
    // The shortest of a few short runs: the first one also fills caches and new pages. Candidates
    // take turns, so that other work of the machine slows all of them down.
    for (int turn = 0; turn < kMostTurns; ++turn) {
        for (Timed& one : timed) {
            if (turn > 0 && one.ms >= kShortTurn) {
                continue;
            }
            const base::Stopwatch watch;
            const Convolved result = convolve(sample, kernel, one.candidate, part, pool, stop);
            one.ms = std::min(one.ms, watch.ms());
            if (result.cancelled) {
                plan.cancelled = true;
                return;
            }
        }
    }
    for (const Timed& one : timed) {
        CandidateReport& row = rows[one.row];
        row.measuredMs = row.sampleMs = one.ms * row.prediction->ms / one.predictedMs;
    }
    (void)method::scaleUntimed(method::reportsOf(rows));
}

void requireUsable(const Problem& problem, const Kernel& kernel) {
    (void)resultExtents(problem);
    constexpr double kMostInSingle = 1e30;
    if (problem.precision == method::Precision::Single &&
        !(kernel.sumOfMagnitudes() <= kMostInSingle)) {
        throw Error(ErrorCode::Problem,
                    fmt::format("the weights of kernel {} add up to {:.3g}, too large for single "
                                "precision; use --precision double",
                                kernel.name(), kernel.sumOfMagnitudes()));
    }
}

template <class Real>
Convolved convolveAs(const Problem& problem, const Kernel& kernel, const Candidate& candidate,
                     const base::AnyView& scene, base::TilePool& pool, const std::stop_token& stop,
                     const std::function<void(double)>& progress) {
    base::Image<Real> result(resultExtents(problem));
    Convolved convolved =
        convolveTo(problem, kernel, candidate, scene, result.view(), pool, stop, progress);
    convolved.pixels = std::move(result);
    return convolved;
}

} // namespace

const CandidateReport* Plan::chosen() const {
    return !candidates.empty() && candidates.front().verdict == CandidateVerdict::Chosen
               ? &candidates.front()
               : nullptr;
}

bool hasParts(std::string_view method) { return method == detail::difFilter().name(); }

void requireParts(int parts, const std::string& method) {
    if (parts == 0) {
        return;
    }
    if (parts < 2) {
        throw Error(ErrorCode::CommandLine,
                    fmt::format("--parts {} divides nothing; use --parts 2 or more", parts));
    }
    if (!hasParts(method)) {
        throw Error(ErrorCode::CommandLine,
                    "--parts is of method dif, not of " + method + "; use --method dif");
    }
}

std::vector<std::string> methodNames() {
    std::vector<std::string> names;
    for (const FilterMethod* const method : methods()) {
        names.emplace_back(method->name());
    }
    return names;
}

bool isByDefinition(const std::string& method) { return methodOf(method).byDefinition(); }

Plan makePlan(const Problem& problem, const Kernel& kernel, const method::Limits& limits,
              const method::CostModel& model, const Wanted& wanted, const base::AnyView& scene,
              base::TilePool& pool, const std::stop_token& stop) {
    if (limits.threads == 0) {
        method::Limits resolved = limits;
        resolved.threads = pool.threads();
        return makePlan(problem, kernel, resolved, model, wanted, scene, pool, stop);
    }
    const base::Stopwatch watch;
    requireUsable(problem, kernel);
    requireParts(wanted.parts, wanted.method);
    Plan plan{.problem = problem, .limits = limits, .candidates = {}};
    const bool any = wanted.method == "auto" && !wanted.candidate;
    std::vector<CandidateReport>& rows = plan.candidates;
    if (wanted.candidate) {
        rows.push_back(considered(methodOf(wanted.candidate->method), problem, kernel,
                                  *wanted.candidate, limits, model, false));
    } else {
        for (const FilterMethod* const method : methods()) {
            if (!any && method != &methodOf(wanted.method)) {
                continue;
            }
            for (const Candidate& candidate :
                 method->candidates(problem, kernel, limits, {wanted.tile, wanted.parts})) {
                rows.push_back(considered(*method, problem, kernel, candidate, limits, model, any));
            }
        }
    }
    method::sortByTime(rows);
    dropSlowShapes(rows);
    if (wanted.timing != Wanted::Timing::None) {
        timeCandidates(plan, kernel, model, wanted, scene, pool, stop);
        method::sortByTime(rows);
    }
    method::explain(method::reportsOf(rows),
                    wanted.timing == Wanted::Timing::Whole ? "timed on the whole problem"
                                                           : "timed on a sample of the scene",
                    wanted.candidate.has_value());
    plan.planningMs = watch.ms();
    return plan;
}

Convolved convolve(const Problem& problem, const Kernel& kernel, const Candidate& candidate,
                   const base::AnyView& scene, base::TilePool& pool, const std::stop_token& stop,
                   const std::function<void(double)>& progress) {
    return problem.precision == method::Precision::Single
               ? convolveAs<float>(problem, kernel, candidate, scene, pool, stop, progress)
               : convolveAs<double>(problem, kernel, candidate, scene, pool, stop, progress);
}

template <class Real>
Convolved convolveTo(const Problem& problem, const Kernel& kernel, const Candidate& candidate,
                     const base::AnyView& scene, const base::View<Real>& to, base::TilePool& pool,
                     const std::stop_token& stop, const std::function<void(double)>& progress) {
    const detail::Task<Real> task{problem, kernel, candidate, scene, to, pool, stop, progress};
    const detail::Outcome outcome = methodOf(candidate.method).run(task);
    detail::LocalFindings found{.cancelled = outcome.cancelled};
    if (!outcome.cancelled) {
        found = detail::checkLocally(task, outcome, detail::mostSpread(problem.precision));
    }
    if (!found.cancelled && outcome.nonFinite > 0) {
        detail::markNonFinite(problem, scene, to);
    }
    return {.cancelled = found.cancelled,
            .pixels = {},
            .largest = outcome.largest,
            .nonFinite = outcome.nonFinite > 0,
            .bound = outcome.bound,
            .relativeBound = found.largest,
            .repeated = found.repeated,
            .prepareMs = outcome.prepareMs};
}

template Convolved convolveTo(const Problem&, const Kernel&, const Candidate&, const base::AnyView&,
                              const base::View<float>&, base::TilePool&, const std::stop_token&,
                              const std::function<void(double)>&);
template Convolved convolveTo(const Problem&, const Kernel&, const Candidate&, const base::AnyView&,
                              const base::View<double>&, base::TilePool&, const std::stop_token&,
                              const std::function<void(double)>&);

} // namespace flcc::filter
