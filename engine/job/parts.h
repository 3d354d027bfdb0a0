#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/spacing.h"
#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/difference.h"
#include "engine/job/exports.h"
#include "engine/job/preparation.h"
#include "engine/match/null_template.h"
#include "engine/method/match_map.h"
#include "engine/plan/report.h"

// The parts that jobs are made of. A job that serves another one, such as the search for a null
// template, a plan, or a replay, is made of the parts that it needs (chosen()), so that a new
// field is in no job that did not choose its part. An empty path means "not requested".

namespace flcc::job {

/// The image that a job works on, and how its files are read.
struct SceneFile {
    std::filesystem::path scene;
    std::optional<int> channel{};
    std::optional<int> frame{};
    /// How the files of all images are taken. The image counts only where a file has several, and a
    /// resolution that a template, a mask or a kernel does not state is not missed.
    io::Reading reading{};

    friend bool operator==(const SceneFile&, const SceneFile&) = default;
};

/// What a person states of the voxels of the scene, in place of what its file says.
struct StatedVoxels {
    std::optional<base::Spacing> spacing{}; ///< with a unit
    /// Axes of world positions; empty = those that the scene's file states. Never Unnamed.
    std::optional<base::WorldAxes> world{};

    friend bool operator==(const StatedVoxels&, const StatedVoxels&) = default;
};

/// What a run may take of the machine.
struct Resources {
    int threads = 0;              ///< 0 = all
    std::int64_t memoryBytes = 0; ///< 0 = the free memory of the machine

    friend bool operator==(const Resources&, const Resources&) = default;
};

/// What jobs of every kind are asked.
struct Common : SceneFile, StatedVoxels, Resources {
    friend bool operator==(const Common&, const Common&) = default;
};

/// What a job of any kind can write. Outputs are no part of what is asked: the same job without
/// them (Job::asked(), ...) gives the same result.
struct CommonOutputs {
    std::filesystem::path report; ///< JSON; of a match also a page or a text, by extension

    friend bool operator==(const CommonOutputs&, const CommonOutputs&) = default;
};

/// The part of the scene that counts.
struct Portion {
    /// The scene is a stack whose frames are processed as scenes of their own: its slices or, of a
    /// file with several flat frames, these. Each output is one file for all frames.
    bool stream = false;
    /// The box of the scene that counts, as if it were the whole scene. Empty = the whole scene.
    std::optional<base::Box> region;

    friend bool operator==(const Portion&, const Portion&) = default;
};

/// How the candidate that runs is chosen.
struct Choice {
    std::string method = "auto";
    base::Extents tile{0, 0, 0};
    method::Transforms transforms =
        method::Transforms::Auto; ///< Fourier transforms on the processor
    std::string device = "auto";
    plan::Planning planning = plan::Planning::Measure;

    friend bool operator==(const Choice&, const Choice&) = default;
};

/// A plan that was made before, in place of Choice.
struct GivenPlan {
    std::filesystem::path planReport; ///< if set, run the candidate that this report chose

    friend bool operator==(const GivenPlan&, const GivenPlan&) = default;
};

/// What is timed.
struct Repetition {
    int repeat = 1;         ///< number of runs
    bool timeAgain = false; ///< of a match: planning measures, whatever times are remembered

    friend bool operator==(const Repetition&, const Repetition&) = default;
};

/// The arithmetic of the result.
struct Numbers {
    method::Precision precision = method::Precision::Single; ///< Double: the result is float64

    friend bool operator==(const Numbers&, const Numbers&) = default;
};

/// What jobs are asked whose work is planned: match and convolve.
struct PlannedJob : Common, Portion, Choice, GivenPlan, Repetition, Numbers {
    /// Lets a plan report decide what it holds: Choice and the threads.
    void takePlan(std::filesystem::path report) { // by value: it may be its own
        static_cast<Choice&>(*this) = {};
        threads = Resources().threads;
        planReport = std::move(report);
    }
    friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

/// Whether scores are compared with the definition after a run.
enum class Audit { Auto, On, Off };
[[nodiscard]] constexpr std::string_view name(Audit audit) {
    return audit == Audit::Auto ? "auto" : audit == Audit::On ? "on" : "off";
}

/// The smallest value of `--promise`.
inline constexpr double kLeastPromise = 1e-15;

/// As channel of a match: all channels of a colour image, over which an operation sums (`--channel
/// all`).
inline constexpr int kAllChannels = -1;

/// As a mask of Job::masks: the opaque part of the template.
inline constexpr std::string_view kOpacityMask = "alpha";

/// How a search over poses finds its peaks. Exhaustive: it computes the best score of every
/// placement. Pruned: it leaves out placements whose limits (engine/search/README.md) are below
/// the least score of a peak; the list of peaks is the same, and there is no map. Heuristic: as
/// Pruned with a part of what the limits need, so that it may miss peaks. Auto: the faster of
/// Exhaustive and Pruned, as far as the rest of the job allows. Pruned and Heuristic too are done
/// only where they are predicted to take less time than Exhaustive.
enum class Search { Exhaustive, Pruned, Heuristic, Auto };
[[nodiscard]] constexpr std::string_view name(Search search) {
    return search == Search::Exhaustive ? "exhaustive"
           : search == Search::Pruned   ? "pruned"
           : search == Search::Auto     ? "auto"
                                        : "heuristic";
}

/// The most members of a search over poses that run without Poses::yes.
inline constexpr std::int64_t kMostPoses = 10'000;

/// Rotations, scales and hands in which every template is searched (engine/rotation/cover.h).
/// Without rotations and scales templates are matched as they are.
struct Poses {
    std::string rotations; ///< text of rotation::parseRotations(); empty: none
    std::string scales;    ///< text of rotation::parseScales(); empty: none
    bool mirror = false;   ///< also the mirrored templates
    std::string symmetry;  ///< name of a rotation::pointGroup() of the templates; empty: C1
    bool yes = false;      ///< more than kMostPoses members may run
    /// Poses, scales and places of peaks of lcc are refined between those of the search.
    bool refine = true;
    Search search = Search::Exhaustive;

    /// Whether it may leave placements out.
    [[nodiscard]] bool mayPrune() const { return search != Search::Exhaustive; }
    /// Whether it does so on the processor alone.
    [[nodiscard]] bool prunes() const { return mayPrune() && search != Search::Auto; }
    [[nodiscard]] bool any() const { return !rotations.empty() || !scales.empty() || mirror; }
    friend bool operator==(const Poses&, const Poses&) = default;
};

/// The images of a match beside the first scene, and how they come to its grid. The templates are
/// first the crops, then the files; they are numbered from 0.
struct MatchImages {
    /// Scenes that are searched after the first one, each on its own; see scenesOf().
    std::vector<std::filesystem::path> furtherScenes;
    /// Templates cut from the first scene; of a stream, from the frame that is the z of the corner.
    std::vector<base::Box> crops;
    std::vector<std::filesystem::path> templates;
    /// Templates whose files state another spacing than the scene, or oblique directions, are
    /// resampled to its grid, their masks and the mask of the scene with them. Otherwise spacings
    /// make a warning, and oblique directions are refused. Axes in another order are turned anyway.
    bool resample = false;
    /// Templates and masks are compared as their files store them, whatever directions they state.
    bool ignoreDirections = false;
    /// Supports of the templates, nonzero voxels count, soft ones by weight: one for all templates,
    /// or one for each. A file, a shape (mask_shape.h), or kOpacityMask. Empty: the opacity of
    /// templates that have one.
    std::vector<std::filesystem::path> masks;
    std::filesystem::path sceneMask; ///< support of the scene, nonzero voxels count

    friend bool operator==(const MatchImages&, const MatchImages&) = default;
};

/// The value of every placement. Panels lie inside the region completely.
struct Question {
    method::Operation operation{};
    /// Mirrors the templates' values between the smallest and the largest one under the support, so
    /// that every score of lcc changes its sign.
    bool invert = false;
    method::Extent extent = method::Extent::Valid;
    method::Outside outside =
        method::Outside::Zero; ///< value of voxels outside the scene or its mask
    double minOverlap = 0.5;   ///< with Outside::Overlap: least share of the support inside
    method::WindowStatistics statistics = method::WindowStatistics::Auto;
    double promise = 1e-4; ///< largest empirical error bound of a score that is not marked LOWCONF
    bool recompute = true; ///< recompute scores whose bound is above the promise in double; else
                           ///< mark them LOWCONF

    friend bool operator==(const Question&, const Question&) = default;
};

/// The poses in which every template is searched, and how templates and scene are made ready.
struct Variants {
    Poses poses;
    Preparation preparation; ///< of templates and scene

    friend bool operator==(const Variants&, const Variants&) = default;
};

/// Which places of the map are listed as peaks.
struct Listing {
    /// Threshold of a peak: the least value or, where the smallest is best, the largest one. Empty
    /// = that of the operation.
    std::optional<double> minScore;
    std::optional<double> maxScore;
    /// In place of minScore, of lcc: the score at which so many false positives are expected in the
    /// whole search, or the one that lies so many standard deviations above the mean. Without any
    /// of the three, one false positive is expected.
    std::optional<double> falsePositives;
    std::optional<double> zscore;
    std::int64_t maxPeaks = 100;
    std::optional<double> minDistance; ///< empty = auto
    /// Of minDistance: "m", "cm", "mm", "um", "nm", "A"; empty: shortest edges of a voxel.
    std::string distanceUnit;
    /// Largest share of the smaller support that a peak may have in common with a better listed
    /// one; 1 lists any. Empty: maxOverlapOf().
    std::optional<double> maxOverlap;
    bool partialPeaks = false; ///< PARTIAL placements may be peaks
    /// With a threshold by false positives, lists places of other things too (leavesOthers()).
    bool listOthers = false;

    friend bool operator==(const Listing&, const Listing&) = default;
};

/// What a search over templates and poses also keeps of each placement.
struct Sums {
    /// Mean and deviation of the scores of all members of a search at each voxel, of lcc.
    bool searchStatistics = false;

    friend bool operator==(const Sums&, const Sums&) = default;
};

/// What is searched or checked beside the map of the templates.
struct Checks {
    /// Of lcc: false positives are counted by a search for this template.
    match::NullTemplate null = match::NullTemplate::None;
    bool handedness = false;   ///< of lcc: also searches for the mirrored templates and compares
    Audit audit = Audit::Auto; ///< Auto: audit if its predicted time is under 2 % of the run

    friend bool operator==(const Checks&, const Checks&) = default;
};

/// What is known of the scene, to compare the peaks with.
struct Truth {
    /// A list of true positions that the peaks are compared with, of one scene without frames.
    std::filesystem::path truth;
    Tolerance tolerance;              ///< of that comparison
    std::vector<std::string> species; ///< what the templates are of, for it; empty: by their files

    friend bool operator==(const Truth&, const Truth&) = default;
};

/// Facts for the next reader of the list of peaks that no file of the job states.
struct ListFacts {
    io::ListUnknowns
        peaksUnknowns; ///< facts on the tilt series; not the box, which is the template's

    friend bool operator==(const ListFacts&, const ListFacts&) = default;
};

/// What a match is asked: all that its result depends on. Its channel may be kAllChannels.
struct MatchQuestion : PlannedJob,
                       MatchImages,
                       Question,
                       Variants,
                       Listing,
                       Sums,
                       Checks,
                       Truth,
                       ListFacts {
    friend bool operator==(const MatchQuestion&, const MatchQuestion&) = default;
};

/// What a match can write. An empty path means "not requested".
struct MatchOutputs : CommonOutputs {
    /// A folder that keeps the finished part of a search over poses, from which another run goes
    /// on; empty: nothing is kept. It is made where there is none.
    std::filesystem::path resume;
    std::filesystem::path templateOut; ///< written if the job has one template
    std::filesystem::path map;
    std::filesystem::path status;
    std::filesystem::path index;      ///< the template that gave each score; -1 without a score
    std::filesystem::path searchMaps; ///< searchMapFiles() of them; implies searchStatistics
    std::filesystem::path peaks;
    io::ListFormat peaksFormat = io::ListFormat::Auto; ///< Auto: by the extension of `peaks`
    std::filesystem::path allPeaks;   ///< one list of the peaks of all scenes, in `peaksFormat`
    std::filesystem::path comparison; ///< differenceList() of peaks and truth
    std::filesystem::path heatmap;
    /// Slice of the map that is drawn; empty = the slice of the best peak.
    std::optional<std::int64_t> slice;
    Exports exports;

    friend bool operator==(const MatchOutputs&, const MatchOutputs&) = default;
};

/// A job of the same kind made of these parts of another one; the rest is as in a new job.
template <class... Part, class J> [[nodiscard]] J chosen(const J& from) {
    J made;
    ((static_cast<Part&>(made) = from), ...);
    return made;
}

} // namespace flcc::job
