#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/kept_map.h"
#include "engine/match/decision.h"

namespace flcc::job {

/// The result of a match with the peaks that are listed now, and what a person decides on them.
struct Result {
    /// Images, map or null, plan, statistics, digests of the inputs, and the listed peaks.
    std::shared_ptr<const JobResult> job;
    Job settings; ///< the job of the run, with the thresholds of the listed peaks
    /// The map for extractPeaks(); null until keepMap() is called, and without a map.
    std::shared_ptr<const KeptMap> kept{};
    match::DecisionList decisions{};
    /// Peaks that a person added. They stay in every list of this result, wherever its threshold.
    std::vector<match::Peak> added{};
    /// The list without them; null while there are none.
    std::shared_ptr<const std::vector<match::Peak>> found{};
};

/// The value that the listed peaks reach.
[[nodiscard]] double thresholdOf(const Result& result);

/// Lists other peaks.
struct PeaksEdit {
    FoundPeaks found;
    Job settings; ///< with the thresholds of `found`
};
/// Decides on peaks.
struct DecisionEdit {
    std::vector<std::pair<match::PeakKey, match::Decision>> decisions;
};
/// Puts other peaks in the place of Result::added, and decides on peaks in the same step.
struct AddedEdit {
    std::vector<match::Peak> added;
    DecisionEdit decisions{};
};
using ResultEdit = std::variant<PeaksEdit, DecisionEdit, AddedEdit>;

/// Changes a result and returns the edit that undoes the change. Decisions on peaks that a new list
/// lacks are kept, and so are peaks that a person added.
ResultEdit apply(Result& result, ResultEdit edit);

/// Decisions belong to places of a scene: those on peaks of an earlier result that hold for the
/// peaks of another one of the same scene. A peak takes the decision of the place that
/// match::compareLists() pairs with it, within 3 voxels and a quarter of the shortest edge of its
/// template, at least 1 voxel; frames of a stream do not mix. **Cost**: of compareLists() over the
/// decided places.
[[nodiscard]] match::DecisionList carriedDecisions(const Result& earlier, const JobResult& now);

} // namespace flcc::job
