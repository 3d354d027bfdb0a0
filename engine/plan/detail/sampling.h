#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/method/method.h"
#include "engine/plan/sample.h"

namespace flcc::plan {

/// Pixels, limits and threads with which candidates are timed.
struct SampleInput {
    const method::MaskedView& scene;
    const method::MaskedView& templ;
    const method::Limits& limits;
    const method::CostModel& model;
    base::TilePool& pool;
    std::stop_token stop;
    /// Placements of the lowest contrast (method::SceneStatistics::lowest); may be empty.
    std::vector<base::Index> lowest;
};

/// A box of extents `sample` in the scene that represents the whole: its share of the placements
/// `lowest` is nearest to its share of the map. Scores at low contrast are the ones that a run
/// recomputes. Five positions along each axis are compared; the middle wins ties.
[[nodiscard]] base::Box representativeBox(const base::Extents& scene, const base::Extents& sample,
                                          const base::Extents& templ,
                                          const std::vector<base::Index>& lowest);

/// A candidate's method, its predicted time and its transforms.
struct Guess {
    const method::Method* method;
    double ms;
    method::Transforms transforms = method::Transforms::Auto;
};

/// The order in which candidates are timed, as indices of `guesses`, which must be sorted by
/// predicted time. The best candidate of each method, of each kind of transforms, is among the
/// first `most`. It precedes the other candidates if its prediction is close to the best, because
/// the predictions of one method have a common error; and always if the cost model is not
/// `calibrated`, because then predictions of different methods cannot be compared.
[[nodiscard]] std::vector<std::size_t> timingOrder(const std::vector<Guess>& guesses,
                                                   std::size_t most, bool calibrated);

/// A candidate's measured and predicted time.
struct Timed {
    double ms = 0;
    double predictedMs = 1;
};

/// A time of more than this many times its prediction, compared with the other candidates,
/// contradicts it: other work of the machine may have slowed the sample.
inline constexpr double kContradicts = 1.4;
/// Times within this factor are not told apart by samples.
inline constexpr double kSeparates = 1.04;

/// The candidates whose time contradicts its prediction.
[[nodiscard]] std::vector<std::size_t> doubtful(const std::vector<Timed>& timed);

/// Up to three candidates whose time is close to the least.
[[nodiscard]] std::vector<std::size_t> nearFastest(const std::vector<Timed>& timed);

/// The fastest candidate: of those whose time is within `separates` of the least, the one of the
/// least prediction. `timed` is not empty.
[[nodiscard]] std::size_t fastestOf(const std::vector<Timed>& timed, double separates = kSeparates);

/// Predicted milliseconds of all runs that timeOnSample() makes.
[[nodiscard]] double sampleCostMs(const method::Method& method, const method::Problem& problem,
                                  const method::Candidate& candidate, double predictedMs,
                                  double budgetMs, const SampleInput& input);

/// Measures a candidate on a sample of the scene that is predicted to take about `budgetMs`, or on
/// the whole scene if that takes less. The time is scaled to the whole problem by the predictions
/// for both. Only one template of a bank is used; the others are part of the scaling. Returns the
/// milliseconds of the whole run; negative when cancelled.
/// **Errors**: those of the method.
[[nodiscard]] double timeOnSample(const method::Method& method, const method::Problem& problem,
                                  const method::Candidate& candidate, double predictedMs,
                                  double budgetMs, const SampleInput& input);

/// Measures a candidate on the whole scene, several times if a run is short. Only one template of a
/// bank is used; the time is scaled by the predictions. Returns milliseconds as timeOnSample().
/// **Errors**: those of the method.
[[nodiscard]] double timeOnWhole(const method::Method& method, const method::Problem& problem,
                                 const method::Candidate& candidate, const SampleInput& input);

} // namespace flcc::plan
