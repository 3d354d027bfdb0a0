#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flcc::job::detail {

/// How a run goes on after a step.
enum class Next : std::uint8_t {
    Go,      ///< the next step
    Stopped, ///< the run was cancelled
    Again, ///< what was computed does not count: once more from the last step before that `repeats`
};

/// Of a part that says whether it came to its end.
[[nodiscard]] constexpr Next goIf(bool done) { return done ? Next::Go : Next::Stopped; }

/// A step of a run. `State`: what is known while it runs; `J`: the kind of its job.
template <class State, class J> struct Step {
    std::string_view name;
    /// Null: always.
    bool (*isWanted)(const J&) = nullptr;
    Next (*run)(State&) = nullptr;
    /// Throws where options of the step exclude each other or others, before a file is read; also
    /// where the step is not wanted. Null: nothing to refuse. **Errors**: CommandLine, Problem.
    void (*refuse)(const J&) = nullptr;
    /// Writes to the report of the state how long the step will take beside the plan; needs a plan.
    /// Null: next to nothing, or a part of the plan.
    void (*expect)(State&) = nullptr;
    bool repeats = false; ///< where Next::Again goes on

    [[nodiscard]] bool in(const J& job) const { return isWanted == nullptr || isWanted(job); }
};

/// Asks each of the steps whether it refuses the job. **Errors**: those of Step::refuse.
template <class State, class J>
void requireSteps(std::span<const Step<State, J>> steps, const J& job) {
    for (const Step<State, J>& step : steps) {
        if (step.refuse != nullptr) {
            step.refuse(job);
        }
    }
}

/// Takes the steps that `job` wants, in their order. False if one was stopped. **Errors**: those of
/// the steps.
template <class State, class J>
[[nodiscard]] bool take(std::span<const Step<State, J>> steps, State& state, const J& job) {
    for (auto step = steps.begin(); step != steps.end();) {
        const Next next = step->in(job) ? step->run(state) : Next::Go;
        if (next == Next::Stopped) {
            return false;
        }
        if (next == Next::Go) {
            ++step;
        } else {
            do {
                --step;
            } while (!step->repeats);
        }
    }
    return true;
}

} // namespace flcc::job::detail
