#include "engine/plan/planner.h"

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/method/canonical.h"
#include "engine/plan/detail/critical_size.h"
#include "engine/plan/detail/measuring.h"
#include "engine/plan/detail/rows.h"

namespace flcc::plan {

namespace {

using base::Error;
using base::ErrorCode;

void checkMethod(const Request& request) {
    std::vector<std::string_view> known{"auto"};
    for (const method::Method* method : methods()) {
        if (std::find(known.begin(), known.end(), method->name()) == known.end()) {
            known.push_back(method->name());
        }
    }
    if (std::find(known.begin(), known.end(), request.method) != known.end()) {
        return;
    }
    std::string list;
    for (const std::string_view name : known) {
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(ErrorCode::CommandLine,
                "there is no method '" + request.method + "'; choose one of " + list);
}

/// Throws unless the requested device exists and can be used; for "cuda", unless one GPU can.
void checkDevice(const std::string& asked) {
    if (asked == "auto") {
        return;
    }
    std::string reason;
    for (const Device& device : devices(DeviceDetail::Names)) {
        const bool named = allows(asked, device.id) || asked.rfind(device.id + ":", 0) == 0;
        if (named && device.usable) {
            return;
        }
        if (named) {
            reason += (reason.empty() ? "" : "; ") +
                      (device.id == asked || device.id == "cuda" ? "" : device.id + ": ") +
                      device.reason;
        }
    }
    if (reason.empty()) {
        throw Error(ErrorCode::Device,
                    "there is no device '" + asked + "'; flcc-cli devices lists all devices");
    }
    throw Error(ErrorCode::Device, "device '" + asked + "' cannot be used: " + reason +
                                       "; choose --device cpu or auto");
}

} // namespace

std::vector<const method::Method*> methodsOn(const std::string& device) {
    checkDevice(device);
    std::vector<const method::Method*> chosen;
    std::copy_if(methods().begin(), methods().end(), std::back_inserter(chosen),
                 [&](const method::Method* method) { return allows(device, method->device()); });
    return chosen;
}

Plan::Plan(const method::Method& method, PlanReport report)
    : m_method(&method), m_report(std::move(report)) {
    if (m_report.chosen() == nullptr) {
        throw Error(ErrorCode::Internal, "a plan needs a chosen candidate");
    }
}

const method::Candidate& Plan::candidate() const { return m_report.chosen()->candidate; }

Planned makePlan(const method::Problem& problem, const Request& request,
                 const method::MaskedView* scene, const method::MaskedView* templ,
                 const method::SceneStatistics* statistics, base::TilePool& pool,
                 std::stop_token stop, const method::CostModel& model) {
    if (request.limits.threads == 0) {
        Request resolved = request;
        resolved.limits.threads = pool.threads();
        return makePlan(problem, resolved, scene, templ, statistics, pool, stop, model);
    }
    if (pool.threads() > request.limits.threads) { // samples run as the run will
        base::TilePool own(request.limits.threads);
        return makePlan(problem, request, scene, templ, statistics, own, stop, model);
    }
    const base::Stopwatch watch;
    (void)method::mapExtents(problem);
    if (problem.templates < 1) {
        throw Error(ErrorCode::Problem, "a problem needs at least one template, not " +
                                            std::to_string(problem.templates));
    }
    checkMethod(request);
    checkDevice(request.device);
    if (templ != nullptr) {
        method::requireUsableTemplate(*templ, problem.operation);
    }
    Planned planned;
    planned.report.problem = problem;
    planned.report.limits = request.limits;
    if (statistics != nullptr) {
        planned.report.statistics = *statistics;
    }
    planned.report.planning = request.planning;
    const bool knowing = request.knowledge != nullptr;
    const method::CostModel& best =
        knowing && request.knowledge->model ? *request.knowledge->model : model;
    planned.report.calibrated = best.calibrated;
    std::vector<Row> rows = considered(problem, request, statistics, best);
    fitIntoDevices(rows, problem, request, statistics, best);
    if (request.planning != Planning::Estimate && scene != nullptr && templ != nullptr &&
        !request.replay) {
        const std::string key =
            problemKey(problem, request.limits, name(request.planning), request.method,
                       request.device, request.tile, statistics);
        planned.key = key;
        const KnownProblem* const known =
            knowing && !request.timeAgain ? request.knowledge->find(key) : nullptr;
        planned.report.known = recall(rows, known, request.planning);
        if (planned.report.known) {
            planned.report.times = timesOf(rows.front(), *known, request.planning);
        } else if (rows.size() > 1) {
            const SampleInput input{*scene,
                                    *templ,
                                    request.limits,
                                    best,
                                    pool,
                                    stop,
                                    statistics != nullptr ? statistics->lowest
                                                          : std::vector<base::Index>()};
            planned.cancelled =
                !(request.planning == Planning::Exhaustive ? measureAll(rows, problem, input)
                                                           : measure(rows, problem, input));
            planned.learnt = learntFrom(rows, key);
            if (planned.learnt) {
                planned.report.times = timesOf(rows.front(), {}, request.planning);
            }
        }
    }
    planned.cancelled = planned.cancelled || stop.stop_requested();
    explain(rows, planned.report, request.replay.has_value());
    for (Row& row : rows) {
        planned.report.candidates.push_back(std::move(row.report));
    }
    planned.report.planningMs = watch.ms();
    if (request.method == "auto" && !request.replay && request.tile.x == 0) {
        planned.report.critical = criticalSize(planned.report, best);
    }
    if (!planned.cancelled && planned.report.chosen() != nullptr) {
        planned.plan = std::make_shared<const Plan>(*methodOf(planned.report.chosen()->candidate),
                                                    planned.report);
    }
    return planned;
}

} // namespace flcc::plan
