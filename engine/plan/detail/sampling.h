#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/method.h"

namespace flcc::plan {

/// What a candidate is timed on.
struct SampleInput {
    const method::MaskedView& scene;
    const method::MaskedView& templ;
    const method::Limits& limits;
    const method::CostModel& model;
    base::TilePool& pool;
    std::stop_token stop;
    /// Placements of the least contrast (method::SceneStatistics::lowest), or none.
    std::vector<base::Index> lowest;
};

/// A box of these extents in a scene as much like all of it as can be: where a run has most to do
/// again, at places of low contrast, is to be in the sample in proportion. A quarter of the way
/// apart along each axis; in the middle where nothing else is better.
[[nodiscard]] base::Box representativeBox(const base::Extents& scene, const base::Extents& sample,
                                          const base::Extents& templ,
                                          const std::vector<base::Index>& lowest);

/// A candidate's method and its predicted time.
struct Guess {
    const method::Method* method;
    double ms;
};

/// In which order candidates, sorted by their predictions, are timed: the best of each method is
/// among the first `most`, and before all others where it is close, as predictions of one method
/// err together, or where those of different methods are not from this machine.
[[nodiscard]] std::vector<std::size_t> timingOrder(const std::vector<Guess>& guesses,
                                                   std::size_t most, bool calibrated);

/// What the runs of timeOnSample() are predicted to take.
[[nodiscard]] double sampleCostMs(const method::Method& method, const method::Problem& problem,
                                  const method::Candidate& candidate, double predictedMs,
                                  double budgetMs, const SampleInput& input);

/// Runs a candidate on a part of the scene that is predicted to take about `budgetMs` (the whole
/// scene when that is less) and scales its time to the whole by the predictions of both.
/// A bank is timed with one template, the others scaled likewise. Returns the milliseconds of the
/// whole run; negative when stopped.
/// **Errors**: those of the method.
[[nodiscard]] double timeOnSample(const method::Method& method, const method::Problem& problem,
                                  const method::Candidate& candidate, double predictedMs,
                                  double budgetMs, const SampleInput& input);

/// Runs a candidate on the whole problem, often enough for a time worth trusting; of a bank one
/// template, which is scaled by the predictions. Returns milliseconds as timeOnSample().
/// **Errors**: those of the method.
[[nodiscard]] double timeOnWhole(const method::Method& method, const method::Problem& problem,
                                 const method::Candidate& candidate, const SampleInput& input);

} // namespace flcc::plan
