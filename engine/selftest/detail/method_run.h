#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/method/method.h"

namespace flcc::selftest {

/// Parts of a problem that do not come from its pixels.
struct Asked {
    method::Extent extent = method::Extent::Valid;
    method::Outside outside = method::Outside::Zero;
    double minOverlap = method::Problem{}.minOverlap;
    method::WindowStatistics statistics = method::WindowStatistics::Auto;
    method::Operation operation{};
};

/// One configuration to run: a method of the table with one of the candidates it accepts.
struct Way {
    const method::Method* method = nullptr;
    method::Candidate candidate;
    method::Precision precision = method::Precision::Single;
    bool recompute = true;
    double promise = method::Problem{}.promise;
    Asked asked{};

    /// `posed` with the precision, recomputing, promise and definitions of this configuration.
    [[nodiscard]] method::Problem of(method::Problem submitted) const;
    /// "direct cpu 64x32x1 2 threads"
    [[nodiscard]] std::string words() const;
};

/// The problem of searching `templ` in `scene`.
[[nodiscard]] method::Problem problemOf(const method::MaskedView& scene,
                                        const method::MaskedView& templ, const Asked& asked = {});

/// All candidates that the methods accept for the problem; `tile` other than 0 fixes the tile.
[[nodiscard]] std::vector<Way> acceptedWays(const std::vector<const method::Method*>& methods,
                                            const method::Problem& problem, int threads,
                                            const base::Extents& tile = {0, 0, 0});

/// Results of a run.
struct MethodRun {
    method::MatchMap map;
    method::Outcome outcome;
    std::vector<base::Box> regions; ///< in the order in which they were finished
    bool mayLack = false; ///< voxels of finished regions may be NOT_COMPUTED: nothing of the
                          ///< support lies inside
};

struct RunOptions {
    std::stop_token stop{};
    /// Called after each finished region with the number of regions so far.
    std::function<void(std::int64_t)> finished{};
    int threads = 0; ///< threads of the pool; 0 = as the candidate says
    /// Pool to run on; null = a pool for this run.
    base::TilePool* pool = nullptr;
};

/// Prepares and executes.
[[nodiscard]] MethodRun runMethod(const Way& way, const method::MaskedView& scene,
                                  const method::MaskedView& templ, const RunOptions& options = {});

/// Checks what holds for every run and returns the fault as a sentence, or an empty text. Regions
/// lie in the map, do not overlap, and cover the map unless the run was cancelled. Outside them the
/// map is 0 and NOT_COMPUTED. The counts agree with the map. No score is out of range by more than
/// its bound.
[[nodiscard]] std::string runFault(const MethodRun& run);

} // namespace flcc::selftest
