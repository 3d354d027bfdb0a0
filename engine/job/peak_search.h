#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job {

/// A list of peaks, and why it may lack peaks or depend on the method (match::findPeaks); empty if
/// it does not.
struct FoundPeaks {
    std::vector<match::Peak> peaks;
    std::string incomplete;
};

/// The peaks of the map of `result`, searched again with minScore, maxPeaks, minDistance and
/// partialPeaks of `job`; the rest of `job` is the job of the run. `scene` is the scene of the
/// result, with its pixels. The list equals the list of a run with these options.
/// If cancelled, the list is empty.
/// **Errors**: Problem for a cancelled result and for one without a map; Memory.
/// **Cost**: one pass over the map and some canonical scores for each peak.
[[nodiscard]] FoundPeaks searchPeaks(const JobResult& result, const Job& job,
                                     const std::shared_ptr<const SceneImage>& scene,
                                     const std::stop_token& stop = {});

} // namespace flcc::job
