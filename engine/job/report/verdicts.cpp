#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/job.h"
#include "engine/job/report.h"
#include "engine/job/report/text.h"
#include "engine/plan/planner.h"

// Verdicts on a report: whether a job can run, and whether its result counts.

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

/// The first error that `ask` finds in the reports of several scenes, with the scene's name.
template <class Ask>
std::optional<Error> firstWrong(const std::vector<JobReport>& scenes, const Ask& ask) {
    for (const JobReport& scene : scenes) {
        if (const std::optional<Error> wrong = ask(scene)) {
            return wrong->within("scene " + scene.stream->source + ": ");
        }
    }
    return std::nullopt;
}

bool onGpu(const plan::CandidateReport& row) { return !row.candidate.onProcessor(); }

bool gpusAlone(const plan::PlanReport& plan) {
    return std::all_of(plan.candidates.begin(), plan.candidates.end(), onGpu);
}

} // namespace

std::optional<std::int64_t> leastMemory(const plan::PlanReport& plan) {
    method::Limits unlimited = plan.limits;
    unlimited.memoryBytes = INT64_MAX;
    std::optional<std::int64_t> least;
    for (const plan::CandidateReport& row : plan.candidates) {
        const method::Method* const method = plan::methodOf(row.candidate);
        if (method == nullptr || (onGpu(row) && !gpusAlone(plan)) ||
            !method->refusal(plan.problem).empty()) {
            continue;
        }
        const method::Verdict verdict =
            method->predict(plan.problem, row.candidate, unlimited, {}, &plan.statistics);
        if (const auto* fits = std::get_if<method::Prediction>(&verdict)) {
            least = std::min(least.value_or(INT64_MAX), fits->hostBytes);
        }
    }
    return least;
}

std::optional<Error> refusal(const plan::PlanReport& plan, std::int64_t besideBytes) {
    if (plan.chosen() != nullptr) {
        return std::nullopt;
    }
    std::optional<std::int64_t> needed = leastMemory(plan);
    if (needed) {
        *needed += besideBytes;
    }
    std::string reasons;
    const bool gpuAlone = gpusAlone(plan);
    bool failed = false; // when it was timed
    for (const plan::CandidateReport& row : plan.candidates) {
        if (onGpu(row) && !gpuAlone) {
            continue; // only the processor's reason matters
        }
        failed = failed || row.verdict == plan::CandidateVerdict::Failed;
        if (reasons.find(row.reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + row.candidate.label() +
                       (onGpu(row) ? " on " + row.candidate.device : "") + ": " + row.reason;
        }
    }
    if (needed && *needed > plan.limits.memoryBytes) {
        return Error(ErrorCode::Memory,
                     base::Message("memory-limit-too-small",
                                   "the memory limit of {limit} is too small: scene {scene} with "
                                   "template {template} needs at least {needed}; raise {--memory}, "
                                   "use fewer {--threads} or a smaller scene",
                                   {{"limit", detail::bytesText(plan.limits.memoryBytes)},
                                    {"scene", plan.problem.scene},
                                    {"template", plan.problem.templ},
                                    {"needed", detail::bytesText(*needed)}}));
    }
    return Error(failed && gpuAlone ? ErrorCode::Device : ErrorCode::Problem,
                 "no method can solve this problem: " +
                     (reasons.empty() ? "no method supports these options" : reasons));
}

std::optional<Error> refusal(const JobReport& report) {
    if (!report.scenes.empty()) {
        return firstWrong(report.scenes, [](const JobReport& scene) { return refusal(scene); });
    }
    std::optional<Error> refused = refusal(report.plan, report.besideBytes);
    for (std::size_t i = 0; i < report.groups.size() && !refused; ++i) {
        refused = refusal(report.groups[i].plan, report.groups[i].besideBytes);
    }
    return refused;
}

std::optional<Error> auditFailure(const JobReport& report) {
    if (!report.scenes.empty()) {
        return firstWrong(report.scenes, auditFailure);
    }
    if (!report.audit || report.audit->verdict != AuditVerdict::Failed) {
        return std::nullopt;
    }
    return Error(
        ErrorCode::Internal,
        "the self-audit failed: " + report.audit->reason +
            "; do not trust this result; report the fault with the job file and the report");
}

std::string_view name(AuditVerdict verdict) {
    constexpr std::array<std::string_view, 3> kNames{"off", "passed", "failed"};
    return kNames[static_cast<std::size_t>(verdict)];
}

double recomputedShare(const MapReport& map) {
    std::int64_t voxels = 0;
    for (const std::int64_t count : map.facts.statusCounts) {
        voxels += count;
    }
    // Recomputed scores are counted over all templates of a bank.
    const std::int64_t scores = std::max(voxels, map.facts.scores.count);
    const double share = static_cast<double>(map.facts.recomputed) / static_cast<double>(scores);
    return scores > 0 ? std::min(share, 1.0) : 0;
}

bool isWhole(const JobResult& result) {
    return !result.cancelled || isUnfinished(result.report) ||
           (result.mapFinished && result.report.map);
}

bool isVerified(const JobReport& report) {
    const auto byGpu = [](const plan::PlanReport& plan) {
        const plan::CandidateReport* const chosen = plan.chosen();
        return chosen != nullptr && !chosen->candidate.onProcessor();
    };
    const bool needed = byGpu(report.plan) ||
                        std::any_of(report.groups.begin(), report.groups.end(),
                                    [&](const GroupReport& group) { return byGpu(group.plan); });
    return !needed || (report.audit && report.audit->verdict == AuditVerdict::Passed);
}

} // namespace flcc::job
