#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/job/input/inputs.h"
#include "engine/job/steps/scene_search.h"
#include "engine/match/overlap.h"

namespace flcc::job::detail {

/// How peaks of both hands lie in the scene, to tell how much of their supports is common.
struct Lies {
    double mostOverlap = 1;         ///< of two places
    base::Extents largest{1, 1, 1}; ///< as match::Overlaps
    /// Empty: only the distance of the centres counts.
    std::function<match::Lying(const match::Peak&, bool mirrored)> of{};
};

/// Tells which hand of the templates a scene holds, from the peaks of the templates and of their
/// mirror images, each list the best of its own search, best first.
///
/// Only peaks that reach `threshold` count. They are taken best first, whatever their hand: a peak
/// within `reach` voxels of the centre of a place, or with more than `lies.mostOverlap` of its
/// support in common with it, belongs to the place; another one makes a place. The hand with the
/// higher score wins the place; without a peak of the other it wins too, and equal scores count for
/// none. If neither hand were better, each would win a place with probability 1/2: the verdict is
/// the hand with more places where the two-sided sign test gives p < 0.05, which takes 6 places at
/// least. Otherwise it is Undecided, and so it is where `alike` is 0.95 or more: the templates are
/// their own mirror images up to a turn.
[[nodiscard]] HandednessReport judgeHands(const std::vector<match::Peak>& given,
                                          const std::vector<match::Peak>& mirrored,
                                          double threshold, double reach, double alike,
                                          const Lies& lies = {});

/// The largest correlation of the mirrored template, as it lies unturned, with the template in one
/// of the searched poses of scale 1, or as it is without them; the least of several templates. A
/// voxel outside of a support counts as the mean. **Cost**: with poses, making every member.
/// Returns 0 if stopped.
[[nodiscard]] double mirrorLikeness(const Inputs& inputs, int threads, const std::stop_token& stop);

/// The reach of judgeHands(): half of the shortest edge of the smallest template, or the least
/// distance of two peaks that the job states, in voxels.
[[nodiscard]] double handReach(const Job& job, const Inputs& inputs);

/// Throws for jobs that cannot compare hands. **Errors**: CommandLine.
void requireHands(const Job& job);

/// The search for the mirrored templates of a job that asks for handedness; of other jobs, nothing.
class HandSearch {
  public:
    /// Before the job's own run, whose map would need its memory. `so`: scene, templates and masks
    /// as they are matched. False if stopped. **Errors**: as runJob().
    [[nodiscard]] bool search(const Job& job, const Inputs& inputs, const JobResult& so,
                              SceneSearch searchScene, const std::stop_token& stop, JobSink& sink);
    /// After the job's peaks are found in `maps`. Empty if the job does not ask, and if stopped.
    [[nodiscard]] std::optional<HandednessReport> judge(const Job& job, const Inputs& inputs,
                                                        const JobResult& so,
                                                        const std::vector<match::SearchedMap>& maps,
                                                        const std::stop_token& stop) const;

  private:
    std::vector<match::Peak> m_mirrored;
    double m_alike = 0;
};

} // namespace flcc::job::detail
