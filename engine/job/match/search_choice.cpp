// Which way a scene is searched: what suits the job, and of that the fastest.

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/job/match/scene_state.h"

namespace flcc::job::detail {

namespace {

using plan::CandidateVerdict;

std::span<const Strategy* const> strategies() {
    static const std::array kAll{&exhaustiveStrategy(), &prunedStrategy(), &heuristicStrategy()};
    return kAll;
}

const Strategy& strategyOf(std::string_view search) {
    return **std::ranges::find(strategies(), search,
                               [](const Strategy* each) { return name(each->search); });
}

/// Exhaustive always; of the others the one that the job names. A heuristic search, which may miss
/// peaks, is nobody's choice but a person's.
bool isAsked(const Strategy& strategy, job::Search search) {
    return strategy.search == job::Search::Exhaustive || strategy.search == search ||
           (search == job::Search::Auto && strategy.search == job::Search::Pruned);
}

SearchRow rowOf(const Strategy& strategy, const Forecast& forecast) {
    return {.search = std::string(name(strategy.search)),
            .reason = "faster than the others that the job allows",
            .predictedMs = forecast.ms() > 0 ? std::optional(forecast.ms()) : std::nullopt,
            .isMore = forecast.isMore};
}

/// A search that a job names is done unless it clearly loses: for less than this nobody waits.
constexpr double kShortMs = 200;

bool isShort(const SceneState& s, const Forecast& named) {
    return s.job.poses.prunes() && !named.isMore && named.ms() < kShortMs;
}

/// The forecasts of two searches, of which the second one computes all scores.
struct Compared {
    Forecast one;
    Forecast all;
};

/// A plan that measures takes as long as many a pruned search, so that it is made only where the
/// models do not decide. Empty if cancelled.
std::optional<Compared> compare(SceneState& s, const Strategy& other) {
    constexpr double kClearly = 3;
    Compared both;
    if (!planBy(s, plan::Planning::Estimate)) {
        return std::nullopt;
    }
    both.all = exhaustiveStrategy().predict(s, 0).value_or(Forecast{});
    const double modelMs = both.all.modelMs;
    s.stream.exhaustiveModelMs = modelMs;
    const double least = s.job.poses.prunes() ? kShortMs : 0;
    const std::optional<Forecast> forecast =
        other.predict(s, modelMs > 0 ? std::max(least, kClearly * modelMs) : 0);
    if (!forecast) {
        return std::nullopt;
    }
    both.one = *forecast;
    both.all.slower = both.one.slower; // both models are of one machine
    const bool clear = both.one.isMore || both.one.modelMs < modelMs / kClearly ||
                       both.one.modelMs > modelMs * kClearly || isShort(s, both.one);
    if (!clear && s.request.planning != plan::Planning::Estimate) {
        if (!planBy(s, s.request.planning)) {
            return std::nullopt;
        }
        both.all = exhaustiveStrategy().predict(s, 0).value_or(Forecast{});
    }
    return both;
}

bool isFaster(const Compared& both) {
    return both.all.ms() <= 0 || (!both.one.isMore && both.one.ms() < both.all.ms());
}

/// Compares a search with that of all scores, or says why the job or its images rule it out: of a
/// search that the job leaves to the program. One that it names is an error then. `both` is empty
/// if cancelled.
std::string compareOrRefuse(SceneState& s, const Strategy& strategy,
                            std::optional<Compared>& both) {
    try {
        std::string reason = strategy.against(s);
        if (reason.empty()) {
            both = compare(s, strategy);
        }
        return reason;
    } catch (const base::Error& error) {
        if (s.job.poses.search == job::Search::Auto && error.code() != base::ErrorCode::Internal) {
            return error.what();
        }
        throw;
    }
}

} // namespace

bool planBy(SceneState& s, plan::Planning planning) {
    const auto asked = std::exchange(s.request.planning, planning);
    const bool planned = planScene(s, false);
    s.request.planning = asked;
    return planned;
}

const Strategy* chooseStrategy(SceneState& s) {
    if (s.inputs().banks.empty()) {
        return &exhaustiveStrategy();
    }
    std::vector<SearchRow>& rows = s.stream.searches;
    if (!rows.empty() && s.stream.isAlike()) { // as for the scene before
        return &strategyOf(rows.front().search);
    }
    rows.clear();
    const base::Stopwatch watch;
    const job::Search search = s.job.poses.search;
    rows.push_back(rowOf(exhaustiveStrategy(), {}));
    rows.front().reason = "the job asks for it";
    for (const Strategy* const other : strategies()) {
        if (!isAsked(*other, search) || other->search == job::Search::Exhaustive) {
            continue;
        }
        rows.push_back(rowOf(*other, {}));
        std::optional<Compared> both;
        if (std::string reason = compareOrRefuse(s, *other, both); !reason.empty()) {
            rows.front().reason = "it is the only one that the job allows";
            rows.back().reason = std::move(reason);
            rows.back().verdict = CandidateVerdict::Refused;
            continue;
        }
        if (!both) {
            rows.clear();
            return nullptr;
        }
        rows = {rowOf(exhaustiveStrategy(), both->all), rowOf(*other, both->one)};
        const bool faster = isFaster(*both);
        const bool named = !faster && isShort(s, both->one);
        if (faster || named) {
            std::swap(rows.front(), rows.back());
        }
        if (named) {
            rows.front().reason = "the job asks for it, and it is short";
        }
        rows.back().reason = named ? "another one is asked for" : "slower than the chosen one";
    }
    rows.front().verdict = CandidateVerdict::Chosen;
    s.stream.choosingMs = watch.ms();
    return &strategyOf(rows.front().search);
}

void countChoice(SceneState& s) {
    s.groups().front().report().plan.planningMs += std::exchange(s.stream.choosingMs, 0);
    reportGroups(s);
}

const Strategy* chooseInstead(SceneState& s) {
    std::vector<SearchRow>& rows = s.stream.searches;
    rows.front().verdict = CandidateVerdict::Failed;
    rows.front().reason = std::exchange(s.failedSearch, {});
    std::swap(rows.front(), rows.back());
    rows.front().verdict = CandidateVerdict::Chosen;
    rows.front().reason = "the other one failed";
    return &exhaustiveStrategy();
}

} // namespace flcc::job::detail
