#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/method/method.h"

namespace flcc::selftest {

/// What a problem asks for beyond its pixels.
struct Asked {
    method::Extent extent = method::Extent::Valid;
    method::Outside outside = method::Outside::Zero;
    double minOverlap = method::Problem{}.minOverlap;
    method::WindowStatistics statistics = method::WindowStatistics::Auto;
};

/// One way to run: a method of the table with one of the candidates it accepts.
struct Way {
    const method::Method* method = nullptr;
    method::Candidate candidate;
    method::Precision precision = method::Precision::Single;
    bool recompute = true;
    double promise = method::Problem{}.promise;
    Asked asked{};

    /// `posed` with precision, recomputing, promise and questions of this way.
    [[nodiscard]] method::Problem of(method::Problem posed) const;
    /// "direct cpu 64x32x1 2 threads"
    [[nodiscard]] std::string words() const;
};

/// The problem that `scene` and `templ` pose.
[[nodiscard]] method::Problem problemOf(const method::MaskedView& scene,
                                        const method::MaskedView& templ, const Asked& asked = {});

/// Every candidate that the methods accept for the problem; `tile` other than 0 fixes the tile.
[[nodiscard]] std::vector<Way> acceptedWays(const std::vector<const method::Method*>& methods,
                                            const method::Problem& problem, int threads,
                                            const base::Extents& tile = {0, 0, 0});

/// What a run left behind.
struct MethodRun {
    method::MatchMap map;
    method::Outcome outcome;
    std::vector<base::Box> regions; ///< in the order in which they were finished
};

struct RunOptions {
    std::stop_token stop{};
    /// Called after each finished region with the number of those so far.
    std::function<void(std::int64_t)> finished{};
    int threads = 0; ///< threads of the pool; 0 = those of the candidate
    /// Runs on this pool instead of one of its own.
    base::TilePool* pool = nullptr;
};

/// Prepares and executes.
[[nodiscard]] MethodRun runMethod(const Way& way, const method::MaskedView& scene,
                                  const method::MaskedView& templ, const RunOptions& options = {});

/// What every run must leave behind, in words; empty when it does: regions that lie in the map and
/// do not overlap, and cover it unless the run was cancelled; outside them 0 and NOT_COMPUTED;
/// counts that agree with the map; no score out of range by more than its bound.
[[nodiscard]] std::string runFault(const MethodRun& run);

} // namespace flcc::selftest
