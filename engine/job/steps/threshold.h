#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/kept_map.h"

namespace flcc::job::detail {

/// The peaks of the maps of a job above the threshold that the job and, by their law, the maps
/// give. Of lcc, each peak gets its expected false positives and its sharpness. `law` has all but
/// the laws of the maps, or also these, which are made anew where they do not fit the job.
/// Positions are voxels of `scene`. **Errors**: as match::findPeaks. If cancelled, the list is
/// empty.
[[nodiscard]] FoundPeaks peaksOf(const Job& job, const method::MaskedView& scene,
                                 const std::vector<match::SearchedMap>& maps,
                                 const base::Geometry& geometry, match::SearchLaw law,
                                 const std::stop_token& stop,
                                 const std::function<void(double)>& progress = {});

/// Whether places of other things than the template are left out where the search tells them
/// (match::hasContrast). A score, deviations and a null template choose by themselves.
[[nodiscard]] bool leavesOthers(const Job& job);

/// Lists peaks of maps by this threshold. Peaks of templates whose scores do not compare
/// (SearchLaw::rare) are ordered by standard deviations above the mean of their map.
void setThreshold(const ThresholdReport& threshold, match::PeakOptions& options);

/// The threshold of a job on a map of lcc with this law.
[[nodiscard]] ThresholdReport thresholdOn(const Job& job, match::SearchLaw law);

} // namespace flcc::job::detail
