#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job {

/// Which peaks of a map are listed.
struct PeakThresholds {
    double threshold = 0.5; ///< as thresholdOf(), unless the map decides
    std::int64_t maxPeaks = 100;
    std::optional<double> minDistance{}; ///< empty = auto
    bool partialPeaks = false;           ///< PARTIAL placements may be peaks
    /// Of lcc, in place of `threshold`: as in Job. One of them at most.
    std::optional<double> falsePositives{};
    std::optional<double> zscore{};
    std::string distanceUnit{};         ///< as in Job
    std::optional<double> maxOverlap{}; ///< as in Job

    friend bool operator==(const PeakThresholds&, const PeakThresholds&) = default;
};
[[nodiscard]] PeakThresholds thresholdsOf(const Job& job);
/// The job with these thresholds.
[[nodiscard]] Job withThresholds(Job job, const PeakThresholds& thresholds);

struct FoundPeaks {
    std::vector<match::Peak> peaks;
    /// Why the list may lack peaks or depend on the method (match::findPeaks); empty if it does
    /// not.
    std::string incomplete{};
    std::optional<ThresholdReport> threshold{}; ///< as JobReport::threshold
};

/// Statistics and facts of a map; of a stream, those of one frame, whose map is a slice.
struct KeptPart {
    int frame = 0;
    match::MapStatistics statistics; ///< of the best scores of a bank
    method::MapFacts facts;
    std::vector<double> nullScores{};    ///< as match::SearchLaw::nullScores
    std::vector<match::ScoreLaw> laws{}; ///< one, if the run made it; else none
    match::NullCheck check{};            ///< as match::SearchLaw::check
};

struct KeptImages;

/// A finished map with what a new extraction of its peaks needs. It outlives its run.
struct KeptMap {
    std::shared_ptr<const method::MatchMap> map;            ///< values, statuses, and exact values
    std::shared_ptr<const base::Image<std::int32_t>> index; ///< null for one template
    std::shared_ptr<const match::SearchMaps> search;        ///< as JobResult::search
    method::Problem problem;
    bool stream = false;                      ///< the slices of `map` are the maps of frames
    std::vector<KeptPart> parts;              ///< one, or one for each frame
    base::Index corner;                       ///< as JobResult::mapCorner
    std::string unfinished{};                 ///< unfinishedText() of the run
    std::shared_ptr<const KeptImages> images; ///< scene and templates as they were matched
};

/// Keeps the map of `result`, which `job` gave. `scene` is the scene of the result, with its
/// pixels. Null if cancelled. **Errors**: Problem unless isWhole(), and for a result without a map;
/// as runJob() where an image must be read again.
[[nodiscard]] std::shared_ptr<const KeptMap> keepMap(const JobResult& result, const Job& job,
                                                     const std::shared_ptr<const SceneImage>& scene,
                                                     const std::stop_token& stop = {});

/// Reads the map that a job wrote, from its files: map, status, report and, for several templates,
/// index. Scene, templates and masks are read too and must be those of the run, by their digests.
/// Null if cancelled. **Errors**: CommandLine for a job without these outputs, with several scenes
/// or with frames; Input for files that do not belong together; as runJob().
[[nodiscard]] std::shared_ptr<const KeptMap> loadKeptMap(const Job& job,
                                                         const std::stop_token& stop = {});

/// What a search of a scene without the template would find in a map of lcc: the law that the
/// threshold and the expected false positives of its peaks come from; of a stream, that of all
/// frames. Its members give the parameters, the expected number of false positives at or above a
/// score, and the score for a number of them. No law exists for other operations.
/// **Cost**: one pass over at most 2^20 voxels of each frame.
[[nodiscard]] match::SearchLaw lawOf(const KeptMap& kept);

/// The peaks of a map with other thresholds, stricter or looser. The list equals the list of a run
/// with these thresholds. If cancelled, it is empty.
/// **Errors**: as match::findPeaks; Memory.
/// **Cost**: one pass over the map and some canonical scores for each peak.
[[nodiscard]] FoundPeaks extractPeaks(const KeptMap& kept, const PeakThresholds& thresholds,
                                      const std::stop_token& stop = {});

/// The list of extractPeaks() with stricter thresholds, taken from one that it gave for `looser`
/// without a look at the map. Empty where the list does not tell: for another distance, for frames,
/// for an incomplete list, for more peaks than it has, and where a score is so near to the
/// threshold that errors of scores decide. **Cost**: of a copy of the peaks.
[[nodiscard]] std::optional<FoundPeaks> stricterPeaks(const KeptMap& kept, const FoundPeaks& list,
                                                      const PeakThresholds& looser,
                                                      const PeakThresholds& wanted);

} // namespace flcc::job
