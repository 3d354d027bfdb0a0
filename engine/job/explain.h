#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/job/kept_map.h"
#include "engine/match/refine.h"

namespace flcc::job {

/// The scores beside a peak along one axis.
struct ScoreProfile {
    std::int64_t first = 0; ///< step of the first score from the peak's placement
    /// Of the map, one a voxel; empty where the map has none. They end with the map.
    std::vector<std::optional<double>> scores;
};

/// Why a place is a peak.
struct Explanation {
    /// Of the scene under the support of the template, and of the template there.
    double panelMean = 0;
    double panelDeviation = 0; ///< square root of the mean squared distance from the mean
    double templateMean = 0;
    double templateDeviation = 0;
    std::array<ScoreProfile, 3> profiles; ///< along x, y, z
    /// Of a peak with a pose, by lcc: scores at its placement in poses beside its own.
    std::vector<match::PoseCurve> poseCurves{};
    /// Lower local maxima inside the peak's exclusion zone, the best ones first: the peak keeps
    /// them out of every list.
    std::vector<match::Peak> suppressed;
    /// The best other peak of the map: the one that Peak::rival is about. Empty if there is none.
    std::optional<match::Peak> runnerUp;
};

/// Explains a peak of the map. `thresholds`: distance and statuses of the list. Empty if cancelled.
/// **Errors**: as extractPeaks. **Cost**: one pass over the map for the runner-up.
[[nodiscard]] std::optional<Explanation> explain(const KeptMap& kept, const match::Peak& peak,
                                                 const PeakThresholds& thresholds,
                                                 const std::stop_token& stop = {});

/// The peak to which the map climbs from the best placement within `reach` voxels of the one whose
/// corner is `corner`, with its canonical score, whatever that is. Its `rival` is empty. Empty if
/// no placement there has a value. **Errors**: Problem for the map of a stream; as extractPeaks.
/// **Cost**: (2 reach + 1)^3 voxels, some canonical scores, and those of match::scoreLaw.
[[nodiscard]] std::optional<match::Peak> peakNear(const KeptMap& kept, const base::Index& corner,
                                                  std::int64_t reach,
                                                  const PeakThresholds& thresholds);

} // namespace flcc::job
