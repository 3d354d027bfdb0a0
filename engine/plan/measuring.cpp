#include "engine/plan/detail/measuring.h"

#include <algorithm>
#include <exception>

#include "engine/base/stopwatch.h"
#include "engine/cpu/transform/search.h"

namespace flcc::plan {

namespace {

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
    const bool anyTimed = method::scaleUntimed(method::reportsOf(rows, &Row::report));
    sortByTime(rows);
    if (!anyTimed) {
        return;
    }
    // The chosen candidate must be one that was timed. Where times do not separate candidates, the
    // cost model does.
    const std::vector<Row*> timed = timedRows(rows);
    const double separates = planning == Planning::Exhaustive ? 1 : kSeparates;
    const auto chosen = rows.begin() + (timed[fastestOf(timesOf(timed), separates)] - rows.data());
    std::rotate(rows.begin(), chosen, std::next(chosen));
}

} // namespace

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

TimesFrom timesOf(const Row& chosen, const KnownProblem& known, Planning planning) {
    using Kind = TimesFrom::Kind;
    TimesFrom from{.kind = planning == Planning::Exhaustive ? Kind::Whole : Kind::Sample,
                   .remembered = !known.timings.empty(),
                   .when = known.when};
    for (const Timing& timing : known.timings) {
        if (timing.candidate == chosen.report.candidate && !timing.runs.empty()) {
            from.kind = Kind::Run;
        }
    }
    return from;
}

std::optional<KnownProblem> learntFrom(const std::vector<Row>& rows, const std::string& key) {
    KnownProblem learnt{key, {}};
    for (const Row& row : rows) {
        if (row.usable() && row.report.measuredMs) {
            learnt.timings.push_back({row.report.candidate, *row.report.measuredMs});
        }
    }
    return learnt.timings.empty() ? std::nullopt : std::optional(std::move(learnt));
}

} // namespace flcc::plan
