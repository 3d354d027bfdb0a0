#pragma once

#include <stop_token>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// The scores of the peaks that the null templates of Job::null have in the scene of `inputs`, best
/// first: at least 1000 and four times the false positives that the job asks for, where the scene
/// has so many. `inputs` has scene, templates and masks as they are matched; it gets a note where a
/// template is like its null. Empty if cancelled. **Errors**: as runJob().
[[nodiscard]] std::vector<double> nullScores(const Job& job, JobResult& inputs,
                                             const std::stop_token& stop, JobSink& sink);

/// The best peaks that the mirrored templates have in the scene of `inputs`, as many as the job may
/// list and of any score, best first. Empty if cancelled. **Errors**: as runJob().
[[nodiscard]] std::vector<match::Peak> mirroredPeaks(const Job& job, const JobResult& inputs,
                                                     const std::stop_token& stop, JobSink& sink);

/// The job of lcc whose peaks have any score.
[[nodiscard]] Job allPeaks(Job job);

} // namespace flcc::job::detail
