#pragma once

#include <cstdint>
#include <functional>
#include <string>

/// Random cases: a fixed number of them in the check, more on request.
namespace flcc::test {

/// Calls `judge(seed)` with the seeds from FLCC_RANDOM_SEED (1) on: `usual` of them or, where
/// FLCC_RANDOM_SECONDS is set, as many as fit into that time. Stops at the first that returns a
/// sentence, and returns it with its seed; empty if all are right. Writes the number of cases to
/// the log. Under a sanitizer no case is run.
[[nodiscard]] std::string judgeRandomCases(std::int64_t usual,
                                           const std::function<std::string(std::uint64_t)>& judge);

} // namespace flcc::test
