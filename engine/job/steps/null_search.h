#pragma once

#include <stop_token>
#include <vector>

#include "engine/job/input/inputs.h"
#include "engine/job/steps/scene_search.h"

namespace flcc::job::detail {

/// The search for the null templates of a job that names a kind of them; of other jobs, nothing.
class NullSearch {
  public:
    /// Before the job's own run, whose map would need its memory. `so`: scene, templates and masks
    /// as they are matched. A null that explains the template itself, somewhere in some pose that
    /// is searched, is withdrawn and not searched for. False if stopped. **Errors**: as runJob().
    [[nodiscard]] bool search(const Job& job, const JobResult& so, SceneSearch searchScene,
                              const std::stop_token& stop, JobSink& sink);
    /// The law of the search after its own run: the null's peaks compete with those in `maps`. A
    /// null that takes the places of peaks that stand out from the noise is withdrawn.
    [[nodiscard]] match::SearchLaw law(const Job& job, const Inputs& inputs, const JobResult& so,
                                       const std::vector<match::SearchedMap>& maps, double searches,
                                       const std::stop_token& stop) const;

  private:
    std::vector<match::Peak> m_peaks;
    match::NullCheck m_check;
};

/// The best peaks that the mirrored templates have in the scene of `inputs`, as many as the job may
/// list and of any score, best first. Empty if cancelled. **Errors**: as runJob().
[[nodiscard]] std::vector<match::Peak> mirroredPeaks(const Job& job, const JobResult& inputs,
                                                     SceneSearch searchScene,
                                                     const std::stop_token& stop, JobSink& sink);

/// Whether the null templates of a job look alike in all turns, so that they are searched in one.
[[nodiscard]] bool isRoundNull(const Job& job);

/// The job of lcc whose peaks have any score.
[[nodiscard]] Job allPeaks(Job job);

} // namespace flcc::job::detail
