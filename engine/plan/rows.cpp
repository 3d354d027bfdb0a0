#include "engine/plan/detail/rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/cuda/methods/methods.h"
#include "engine/method/method_on_device.h"

namespace flcc::plan {

namespace {

using base::Error;
using base::ErrorCode;

void addRow(std::vector<Row>& rows, const method::Method& method,
            const method::Candidate& candidate, const method::Problem& problem,
            const Request& request, const method::SceneStatistics* statistics,
            const method::CostModel& model) {
    Row row;
    row.method = &method;
    row.report.candidate = candidate;
    row.report.candidate.onDevice.memory = request.limits.onDevice.memory;
    const auto failed =
        std::find_if(request.failed.begin(), request.failed.end(),
                     [&](const CandidateReport& one) { return one.candidate == candidate; });
    if (failed != request.failed.end()) {
        row.report = *failed;
        rows.push_back(std::move(row));
        return;
    }
    std::string missing = method.refusal(problem);
    if (missing.empty() && request.method != "auto") {
        missing = method::withoutTransforms(candidate, request.limits);
    }
    const method::Verdict verdict =
        missing.empty()
            ? method.predict(problem, row.report.candidate, request.limits, model, statistics)
            : method::Refusal{std::move(missing)};
    if (const auto* refusal = std::get_if<method::Refusal>(&verdict)) {
        row.report.verdict = CandidateVerdict::Refused;
        row.report.reason = refusal->reason;
    } else {
        row.report.prediction = std::get<method::Prediction>(verdict);
    }
    rows.push_back(std::move(row));
}

/// Adds a refused row for each method on each requested GPU that cannot be used, so that the report
/// shows the reason.
void addMissing(std::vector<Row>& rows, const Request& request) {
    for (const Device& device : devices(DeviceDetail::Names)) {
        const bool reported = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
            // The methods of a GPU that was lost refuse by themselves.
            return row.report.candidate.device == device.id;
        });
        if (device.usable || reported || !allows(request.device, device.id)) {
            continue;
        }
        for (const std::string& name : cuda::methodNames()) {
            if (request.method == "auto" || request.method == name) {
                Row row;
                row.report.candidate = {name, device.id, {0, 0, 0}, request.limits.threads};
                row.report.verdict = CandidateVerdict::Refused;
                row.report.reason = device.reason;
                rows.push_back(std::move(row));
            }
        }
    }
}

/// Refuses candidates that save memory where a whole transform needs no saving. One row of them
/// says so.
void keepMemorySaversBack(std::vector<Row>& rows) {
    const auto saves = [](const Row& row) {
        return row.method != nullptr && row.usable() && row.method->traits().savesMemory;
    };
    const auto fits = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
        return row.usable() && row.report.candidate.onProcessor() &&
               row.method->traits().wholeScene && !row.method->traits().savesMemory;
    });
    const auto first = std::find_if(rows.begin(), rows.end(), saves);
    if (fits == rows.end() || first == rows.end()) {
        return;
    }
    const std::string other(fits->method->name());
    rows.erase(std::remove_if(std::next(first), rows.end(), saves), rows.end());
    first->report.prediction.reset();
    first->report.verdict = CandidateVerdict::Refused;
    first->report.reason = "meant for memory limits that exclude " + other + ", which fits";
}

} // namespace

bool allows(std::string_view asked, std::string_view device) {
    return asked == "auto" || asked == device ||
           (asked == "cuda" && device.substr(0, asked.size()) == asked);
}

std::vector<Row> considered(const method::Problem& problem, const Request& request,
                            const method::SceneStatistics* statistics,
                            const method::CostModel& model) {
    std::vector<Row> rows;
    if (request.replay) {
        const method::Method* method = methodOf(*request.replay);
        if (method == nullptr) {
            throw Error(ErrorCode::Problem, "the plan to replay names method '" +
                                                base::excerpt(request.replay->method) +
                                                "' on device '" +
                                                base::excerpt(request.replay->device) +
                                                "', which this program does not have; plan again");
        }
        addRow(rows, *method, *request.replay, problem, request, statistics, model);
        return rows;
    }
    for (const method::Method* method : methods()) {
        if ((request.method != "auto" && request.method != method->name()) ||
            !allows(request.device, method->device())) {
            continue;
        }
        for (const method::Candidate& candidate :
             method->candidates(problem, request.limits, request.tile)) {
            addRow(rows, *method, candidate, problem, request, statistics, model);
        }
    }
    addMissing(rows, request);
    if (request.method == "auto") {
        keepMemorySaversBack(rows);
    }
    return rows;
}

void sortByTime(std::vector<Row>& rows) { method::sortByTime(rows, &Row::report); }

void fitIntoDevices(std::vector<Row>& rows, const method::Problem& problem, const Request& request,
                    const method::SceneStatistics* statistics, const method::CostModel& model) {
    const double within = request.planning == Planning::Estimate  ? 1
                          : request.planning == Planning::Measure ? kPlausible
                                                                  : INFINITY;
    std::vector<std::string> asked{std::string(method::kProcessor)};
    for (sortByTime(rows);; sortByTime(rows)) {
        const auto next = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
            return row.usable() && row.ms() <= within * rows.front().ms() &&
                   std::find(asked.begin(), asked.end(), row.report.candidate.device) ==
                       asked.end();
        });
        if (next == rows.end()) {
            return;
        }
        const std::string device = asked.emplace_back(next->report.candidate.device);
        const auto isOf = [&](const Row& row) { return row.report.candidate.device == device; };
        Request own = request;
        own.limits.onDevice.memory = method::freeMemoryOf(*next->method);
        std::erase_if(rows, isOf);
        for (Row& row : considered(problem, own, statistics, model)) {
            if (isOf(row)) {
                rows.push_back(std::move(row));
            }
        }
    }
}

void explain(std::vector<Row>& rows, const PlanReport& report, bool replayed) {
    method::explain(method::reportsOf(rows, &Row::report), toText(report.times), replayed);
}

} // namespace flcc::plan
