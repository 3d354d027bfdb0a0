#include "engine/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/transform/search.h"
#include "engine/cuda/methods/methods.h"
#include "engine/method/canonical.h"
#include "engine/method/method_on_device.h"
#include "engine/plan/detail/critical_size.h"
#include "engine/plan/detail/sampling.h"

namespace flcc::plan {

namespace {

using base::Error;
using base::ErrorCode;

/// A candidate is timed only if its prediction is at most this many times the best prediction.
constexpr double kPlausible = 3.0;
/// At most this many candidates are timed.
constexpr std::ptrdiff_t kTimed = 12;
/// Largest number of rounds in which candidates are timed once more (timeAgain).
constexpr int kRounds = 4;
/// Budget of planning by measurement: this time in milliseconds or this share of the predicted run,
/// whichever is larger.
constexpr double kBudgetMs = 50;
constexpr double kBudgetShare = 0.1;
/// Share of the budget for timing each candidate the first time.
constexpr double kFirstShare = 0.7;

struct Row {
    const method::Method* method = nullptr;
    CandidateReport report;

    [[nodiscard]] bool usable() const {
        return report.verdict != CandidateVerdict::Refused &&
               report.verdict != CandidateVerdict::Failed;
    }
    /// The expected time of a usable candidate, in milliseconds.
    [[nodiscard]] double ms() const { return *report.expectedMs(); }
};

std::string text(const char* format, double value) {
    char buffer[160];
    std::snprintf(buffer, sizeof(buffer), format, value);
    return buffer;
}

/// True if a request for the device `asked` allows `device`. "auto" allows all, "cuda" any GPU.
bool allows(std::string_view asked, std::string_view device) {
    return asked == "auto" || asked == device ||
           (asked == "cuda" && device.substr(0, asked.size()) == asked);
}

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

void sortByTime(std::vector<Row>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        if (a.usable() != b.usable()) {
            return a.usable();
        }
        return a.usable() && a.ms() < b.ms();
    });
}

/// Replaces the candidates on devices that would be chosen or timed by those that fit into the
/// memory that is free there, and sorts the rows by time. Other devices are not asked, since asking
/// makes a context on them, which takes a second and some hundred megabytes.
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

/// Sets the measured time of a row.
void setTime(Row& row, double ms) {
    row.report.measuredMs = ms;
    row.report.sampleMs = ms;
}

/// Times a row with `time(row)`. An exception marks the row as failed. False when cancelled.
template <class Time> bool timeRow(Row& row, Time&& time) {
    try {
        const double ms = time(row);
        if (ms < 0) {
            return false;
        }
        setTime(row, ms);
    } catch (const std::exception& error) {
        row.report.verdict = CandidateVerdict::Failed;
        row.report.reason = std::string("failed while it was timed: ") + error.what();
    }
    return true;
}

/// The rows that were timed, in order of prediction, not of measured time, which may be wrong.
std::vector<Row*> timedRows(std::vector<Row>& rows) {
    std::vector<Row*> timed;
    for (Row& row : rows) {
        if (row.usable() && row.report.measuredMs) {
            timed.push_back(&row);
        }
    }
    std::sort(timed.begin(), timed.end(), [](const Row* a, const Row* b) {
        return a->report.prediction->ms < b->report.prediction->ms;
    });
    return timed;
}

std::vector<Timed> timesOf(const std::vector<Row*>& rows) {
    std::vector<Timed> times;
    for (const Row* row : rows) {
        times.push_back({row->ms(), row->report.prediction->ms});
    }
    return times;
}

/// Times the rows that `pick` chooses of the timed ones once more, as far as `fits(row)` allows,
/// and keeps the shorter time, because samples are short and other programs may have slowed them.
/// False when cancelled.
template <class Time, class Fits>
bool timeAgain(std::vector<Row>& rows, const Time& time,
               std::vector<std::size_t> (*pick)(const std::vector<Timed>&), const Fits& fits) {
    const std::vector<Row*> timed = timedRows(rows);
    for (const std::size_t i : pick(timesOf(timed))) {
        Row& row = *timed[i];
        const double before = row.ms();
        if (!fits(row)) {
            continue;
        }
        if (!timeRow(row, time)) {
            return false;
        }
        if (row.usable() && row.ms() > before) {
            setTime(row, before);
        }
    }
    return true;
}

/// Sorts the rows by time, after some of them were timed.
void settle(std::vector<Row>& rows, Planning planning) {
    // Rows that were not timed have their prediction, corrected by the median error of the others.
    std::vector<double> ratios;
    for (const Row& row : rows) {
        if (row.usable() && row.report.measuredMs) {
            ratios.push_back(*row.report.measuredMs / row.report.prediction->ms);
        }
    }
    if (ratios.empty()) {
        sortByTime(rows);
        return;
    }
    std::nth_element(ratios.begin(),
                     ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    const double correction = std::max(1.0, ratios[ratios.size() / 2]);
    for (Row& row : rows) {
        if (row.usable() && !row.report.measuredMs) {
            row.report.sampleMs = row.report.prediction->ms * correction;
        }
    }
    sortByTime(rows);
    // The chosen candidate must be one that was timed. Where times do not separate candidates, the
    // cost model does.
    const std::vector<Row*> timed = timedRows(rows);
    const double separates = planning == Planning::Exhaustive ? 1 : kSeparates;
    const auto chosen = rows.begin() + (timed[fastestOf(timesOf(timed), separates)] - rows.data());
    std::rotate(rows.begin(), chosen, std::next(chosen));
}

/// Times the plausible candidates on samples, within the budget. False when cancelled.
bool measure(std::vector<Row>& rows, const method::Problem& problem, const SampleInput& input) {
    if (rows.empty() || !rows.front().usable()) {
        return true;
    }
    const double best = rows.front().ms();
    const double budget = std::max(kBudgetMs, kBudgetShare * best);
    std::vector<Row*> worthIt;
    std::vector<Guess> guesses;
    for (Row& row : rows) {
        if (row.usable() && row.ms() <= kPlausible * best) {
            worthIt.push_back(&row);
            guesses.push_back({row.method, row.ms(), row.report.candidate.transforms});
        }
    }
    const auto plausible = static_cast<std::ptrdiff_t>(worthIt.size());
    if (plausible < 2) {
        return true; // nothing to compare
    }
    // A sample runs twice (timeOnSample).
    const double first = kFirstShare * budget;
    const std::ptrdiff_t most = std::min(plausible, kTimed);
    const double share = first / (2.0 * static_cast<double>(most));
    const base::Stopwatch watch;
    const auto time = [&](const Row& one) {
        return timeOnSample(*one.method, problem, one.report.candidate, one.report.prediction->ms,
                            share, input);
    };
    const auto costOf = [&](const Row& one) {
        return sampleCostMs(*one.method, problem, one.report.candidate, one.report.prediction->ms,
                            share, input);
    };
    std::ptrdiff_t timed = 0;
    for (const std::size_t at :
         timingOrder(guesses, static_cast<std::size_t>(most), input.model.calibrated)) {
        Row* const row = worthIt[at];
        if (timed >= most) {
            break;
        }
        // Two candidates are always timed, the others only if they fit into the budget.
        if (timed > 1 && watch.ms() + costOf(*row) > first + share) {
            continue;
        }
        if (!timeRow(*row, time)) {
            return false;
        }
        timed += row->usable() ? 1 : 0;
    }
    bool goesOn = true;
    // Twice more beyond the budget if need be: the least of three times counts, and a wrong choice
    // costs more.
    for (int round = 0; goesOn && round < 2; ++round) {
        goesOn =
            timeAgain(rows, time, doubtful, [&](const Row&) { return watch.ms() < 3 * budget; });
    }
    for (int round = 0; goesOn && round < kRounds; ++round) {
        goesOn = timeAgain(rows, time, nearFastest, [&](const Row& row) {
            const double slower = std::max(1.0, row.ms() / row.report.prediction->ms);
            return watch.ms() + slower * costOf(row) <= budget;
        });
    }
    settle(rows, Planning::Measure);
    return goesOn;
}

/// Times every candidate on the whole problem. False when cancelled.
bool measureAll(std::vector<Row>& rows, const method::Problem& problem, const SampleInput& input) {
    for (Row& row : rows) {
        if (!row.usable()) {
            continue;
        }
        if (row.report.candidate.onProcessor() && !row.report.prediction->fftPlanning.empty()) {
            cpu::searchTransforms(row.report.candidate,
                                  problem.precision == method::Precision::Double, input.pool,
                                  input.stop);
        }
        const bool goesOn = timeRow(row, [&](const Row& one) {
            return timeOnWhole(*one.method, problem, one.report.candidate, input);
        });
        if (!goesOn) {
            return false;
        }
    }
    settle(rows, Planning::Exhaustive);
    return true;
}

/// Sets the times of rows from `known`, which may be null. False if it has none of a usable row.
bool recall(std::vector<Row>& rows, const KnownProblem* known, Planning planning) {
    bool found = false;
    for (Row& row : rows) {
        if (known == nullptr || !row.usable()) {
            continue;
        }
        for (const Timing& timing : known->timings) {
            if (timing.candidate == row.report.candidate) {
                setTime(row, timing.ms);
                found = true;
            }
        }
    }
    if (found) {
        settle(rows, planning);
    }
    return found;
}

/// The measured times of the usable rows, under the problem's key; empty if there are none.
std::optional<KnownProblem> learntFrom(const std::vector<Row>& rows, const std::string& key) {
    KnownProblem learnt{key, {}};
    for (const Row& row : rows) {
        if (row.usable() && row.report.measuredMs) {
            learnt.timings.push_back({row.report.candidate, *row.report.measuredMs});
        }
    }
    return learnt.timings.empty() ? std::nullopt : std::optional(std::move(learnt));
}

/// Sets verdict and reason of the usable rows. The first one is chosen.
void explain(std::vector<Row>& rows, const PlanReport& report, bool replayed) {
    const std::string how =
        (report.planning == Planning::Exhaustive ? ", timed on the whole problem"
                                                 : ", timed on a sample of the scene") +
        std::string(report.known ? " in an earlier planning" : "");
    const auto usable = static_cast<double>(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.usable(); }));
    const Row* chosen = nullptr;
    for (Row& row : rows) {
        if (!row.usable()) {
            continue;
        }
        if (chosen == nullptr) {
            chosen = &row;
            row.report.verdict = CandidateVerdict::Chosen;
            const bool least = std::none_of(rows.begin(), rows.end(), [&](const Row& other) {
                return other.usable() && other.ms() < row.ms();
            });
            const std::string fastest =
                text(least ? "fastest of %.0f candidates"
                           : "predicted to be the fastest of those that no time tells apart, of "
                             "%.0f candidates",
                     usable);
            row.report.reason = replayed ? "replayed from a report"
                                : usable > 1
                                    ? fastest + (row.report.measuredMs ? how : " by prediction")
                                    : "the only candidate";
            continue;
        }
        row.report.verdict = CandidateVerdict::Slower;
        row.report.reason =
            text(row.report.measuredMs ? "takes %.2f times as long as the chosen one, measured"
                                       : "takes %.2f times as long as the chosen one, predicted",
                 row.ms() / chosen->ms());
    }
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
        rows.size() > 1) {
        const std::string key = problemKey(problem, request.limits, name(request.planning),
                                           request.method, request.device, request.tile);
        planned.report.known =
            knowing && recall(rows, request.knowledge->find(key), request.planning);
        if (!planned.report.known) {
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
