#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan/detail/rows.h"
#include "engine/plan/detail/sampling.h"
#include "engine/plan/knowledge.h"

/// Measured times of candidates.
namespace flcc::plan {

/// Times the plausible candidates on samples, within the budget. False when cancelled.
[[nodiscard]] bool measure(std::vector<Row>& rows, const method::Problem& problem,
                           const SampleInput& input);

/// Times every candidate on the whole problem. False when cancelled.
[[nodiscard]] bool measureAll(std::vector<Row>& rows, const method::Problem& problem,
                              const SampleInput& input);

/// Sets the times of rows from `known`, which may be null. False if it has none of a usable row.
[[nodiscard]] bool recall(std::vector<Row>& rows, const KnownProblem* known, Planning planning);

/// Where the time of the chosen row comes from; `known`: what it was recalled from, else empty.
[[nodiscard]] TimesFrom timesOf(const Row& chosen, const KnownProblem& known, Planning planning);

/// The measured times of the usable rows, under the problem's key; empty if there are none.
[[nodiscard]] std::optional<KnownProblem> learntFrom(const std::vector<Row>& rows,
                                                     const std::string& key);

} // namespace flcc::plan
