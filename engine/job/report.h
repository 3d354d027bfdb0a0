#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/io/digest.h"
#include "engine/io/image_file.h"
#include "engine/job/difference.h"
#include "engine/job/exports.h"
#include "engine/job/preparation.h"
#include "engine/match/decision.h"
#include "engine/match/peaks.h"
#include "engine/match/pose_contrast.h"
#include "engine/match/score_gap.h"
#include "engine/match/score_law.h"
#include "engine/method/match_map.h"
#include "engine/method/separation.h"
#include "engine/plan/report.h"

namespace flcc::job {

/// Milliseconds over the repetitions of a run.
struct Spread {
    double min = 0;
    double median = 0;
    double max = 0;
};

/// Times and memory of a run. executeMs = prepare + execute, from scene and template in memory to
/// map and status in memory. streamMs = execute alone; it is the only time if the prepared
/// templates come from an earlier scene. readMs includes reading files, their digests and the
/// scene's statistics. After a run, measuredMs of the plan's chosen row is the median of executeMs.
struct RunReport {
    Spread executeMs;
    Spread streamMs;
    double readMs = 0;
    double writeMs = 0;
    double peaksMs = 0;
    method::StagesMs stagesMs;
    std::optional<method::DeviceTimes> times; ///< for devices: transfers and computing, separately
    std::vector<std::string> failures;        ///< failures of devices, and what was done instead
    std::int64_t peakHostBytes = 0; ///< rise of the peak resident memory, from the operating system
    int threads = 0;
    std::string device; ///< the device that computed the result
};

/// Share of each stage in the time of all threads; the search for peaks comes last.
[[nodiscard]] std::vector<std::pair<std::string, double>> stageShares(const RunReport& run);

struct MapReport {
    match::MapStatistics statistics;
    method::MapFacts facts;
    /// Of an operation other than lcc: its best value and the placements that reach it.
    std::optional<match::BestPlaces> best{};
};

enum class AuditVerdict { Off, Passed, Failed };
/// "off", "passed", "failed".
[[nodiscard]] std::string_view name(AuditVerdict verdict);

/// Comparison of scores with the definition, which is evaluated on the pixels as read.
struct AuditReport {
    AuditVerdict verdict = AuditVerdict::Off;
    std::string reason;           ///< why it is off, or what failed; empty if it passed
    std::int64_t checked = 0;     ///< number of scores and statuses compared
    std::int64_t wrongStatus = 0; ///< number of voxels with a status that contradicts their pixels
    double largestDeviation = 0;  ///< of a score; infinity if a score is NaN
    double largestOverBound = 0;  ///< largest deviation over its bound; above 1 is a failure
    double medianOverBound = 0;   ///< median of deviation over bound
    double ms = 0;                ///< time of the audit
};

/// A template of a job, in the order of the numbers that peaks carry.
struct TemplateReport {
    std::string source; ///< path, or scene and crop
    base::Extents extents{0, 0, 0};
    base::PixelType type = base::PixelType::Float32;
    std::int64_t support = 0;               ///< number of voxels that count
    bool masked = false;                    ///< its mask excludes voxels, or has weights
    bool weighted = false;                  ///< its mask has weights other than 0 and 1
    method::Separability form{};            ///< of the template as it is matched
    std::optional<base::Point> reference{}; ///< SceneImage::reference
};

/// The templates of one extent, which are planned and run together.
struct GroupReport {
    std::vector<int> templates; ///< their numbers
    std::int64_t mapBytes = 0;  ///< memory of the map, which stays while the other groups run
    plan::PlanReport plan;
    /// Memory of the run beside its plan, as for a search over poses or the maps of other groups,
    /// of which a plan that was refused says nothing.
    std::int64_t besideBytes = 0;
    std::optional<RunReport> run;
    std::optional<MapReport> map;
    std::optional<AuditReport> audit;
};

/// A search of the same scene for other templates than the job's, which runs beside its own.
struct OtherSearch {
    std::string of; ///< "the mirrored templates"
    std::optional<double> predictedMs{};
    std::optional<double> ms{}; ///< after it
};
/// The sums of their times; of those that are not known, 0.
[[nodiscard]] double predictedMsOf(const std::vector<OtherSearch>& others);
[[nodiscard]] double msOf(const std::vector<OtherSearch>& others);

/// What a pruned search over poses has looked at; search::Facts.
struct PrunedReport {
    std::int64_t edge = 0;   ///< pixels of a coarse cell
    double placements = 0;   ///< of all members
    std::int64_t nodes = 0;  ///< cells of placements that were bounded
    std::int64_t kept = 0;   ///< of a member, that might hold a peak
    std::int64_t points = 0; ///< placements that might
    std::int64_t limits = 0; ///< compared pixel by pixel
    std::int64_t scores = 0; ///< canonical scores
    double prepareMs = 0;    ///< making all members; 0 where an earlier scene had made them
    double searchMs = 0;     ///< on the scene
};

/// A way to search over poses as the plan compared it with the others.
struct SearchRow {
    std::string search; ///< "exhaustive", "pruned", "heuristic"
    plan::CandidateVerdict verdict = plan::CandidateVerdict::Slower;
    std::string reason; ///< of the verdict, for users
    /// On the planned device, with making the templates; of a row with `isMore` at least this.
    std::optional<double> predictedMs;
    bool isMore = false;
    std::optional<double> measuredMs{}; ///< after it ran
};

/// A search over poses.
struct PosesReport {
    std::int64_t members = 0; ///< templates times rotations, scales and hands
    std::int64_t turns = 0;   ///< rotations of each template
    std::vector<double> scales;
    bool mirror = false;
    bool flat = true;     ///< turns in the plane
    std::string symmetry; ///< "C1"
    double step = 0;      ///< degrees; 0 of a list
    double radius = 0;    ///< every rotation has a searched one within this angle; 0 of a list
    int nside = 0;        ///< of HEALPix; 0 in the plane and of a list
    int inPlane = 0;      ///< angles for each direction of HEALPix
    base::Point edges{1, 1, 1};           ///< of the voxels, in which lengths are turned
    base::Extents box{0, 0, 0};           ///< of all members; of the first extent of templates
    std::int64_t batch = 0;               ///< members that are made and matched at once, at most
    std::int64_t memoryBytes = 0;         ///< predicted, whatever the number of members
    std::string search = "exhaustive";    ///< as the job asks: or "pruned", "heuristic", "auto"
    std::vector<SearchRow> searches{};    ///< the chosen one first; empty without a plan
    std::optional<PrunedReport> pruned{}; ///< after a run that was not exhaustive
    /// Of an exhaustive search.
    std::optional<double> predictedMs; ///< of what is not kept; empty without a plan
    std::optional<double> perSecond;   ///< members matched in a second, after a run
    /// Predicted, of refining one peak on one thread, ms; empty where peaks are not refined.
    std::optional<double> refineMs{};
    std::int64_t kept = 0; ///< members that an earlier run searched (Poses::resume)
    /// Members whose scores map and peaks are made of; 0 before a run. Fewer than all if the
    /// search was stopped.
    std::int64_t done = 0;

    [[nodiscard]] bool isUnfinished() const { return done > 0 && done < members; }
    /// Whether placements are left out.
    [[nodiscard]] bool prunes() const {
        return !searches.empty() && searches.front().search != "exhaustive";
    }
    /// Of the chosen search.
    [[nodiscard]] std::optional<double> chosenMs() const {
        return prunes() ? searches.front().predictedMs : predictedMs;
    }
};

/// The statistics of a search (engine/match/search_statistics.h).
struct SearchReport {
    std::int64_t members = 0;
    double likeness = 0;     ///< how alike the members are, 0 to 1 (match::Likeness)
    std::int64_t voxels = 0; ///< with scores of at least 2 members; the rest is over these
    double mean = 0;
    double deviation = 0;
    double largestZ = 0;
    base::Index at{}; ///< of largestZ, in the map
};

enum class Hand : std::uint8_t { Undecided, Given, Mirrored };
/// "undecided", "given", "mirrored".
[[nodiscard]] std::string_view name(Hand hand);

/// Which hand of the templates a scene holds: the peaks of the templates beside those of their
/// mirror images, each searched for alone (engine/job/steps/handedness.h).
struct HandednessReport {
    std::vector<double> given;    ///< scores of the best peaks, best first
    std::vector<double> mirrored; ///< the same of the mirrored templates
    /// What a peak must reach to count: the threshold of the job, or a higher score that noise
    /// reaches in one of ten scenes only.
    double threshold = 0;
    std::int64_t compared = 0; ///< of the ranks up to where the better one leaves the threshold:
    double above = 0;          ///< share at which the given templates score more; ties: half
    double givenMedian = 0;
    double mirroredMedian = 0;
    std::int64_t places = 0; ///< where a peak of either reaches the threshold, without ties
    std::int64_t won = 0;    ///< of these, by the given templates
    double p = 1;            ///< of the sign test over the places, two-sided
    double alike = 0; ///< largest correlation of a mirrored template with a template in a pose
    Hand verdict = Hand::Undecided;
    std::string reason; ///< why, as a sentence
};

struct InputReport {
    std::string role; ///< "scene", "template", "mask", "scene-mask", "wedge", "ctf"
    std::string path;
    std::string sha256; ///< digest of the file; empty for a crop and for an image without a file
    /// If the file is only a header: the file of voxels beside it.
    std::optional<io::FileDigest> dataFile{};
    /// The files of a DICOM series or of a set of OME-TIFF files; `sha256` is then empty. Or the
    /// files of voxels, if a header names several.
    std::vector<io::FileDigest> series{};
    std::string note{};    ///< what was assumed or converted on reading
    std::string counts{};  ///< of a mask: "yes or no", or "by weights of 0.02 to 1"
    io::Reading reading{}; ///< how the file was taken
};

/// One of several scenes of a job, and what it shares with earlier scenes.
struct StreamReport {
    int scene = 0; ///< its number, from 0, in the order given
    int scenes = 1;
    std::string source;
    std::optional<int> planOf;     ///< the scene whose plan was used; empty: its own
    std::optional<int> preparedOf; ///< the scene whose prepared templates were used; empty: its own
    /// True if the next scene was read while this one was matched; false if memory did not allow
    /// that. Empty if no further scene is to be read. The run's peakHostBytes includes the pixels
    /// of the next scene.
    std::optional<bool> readAhead;
    /// Number of scenes that were processed on a device at once when this one ran, this one
    /// included. The run's peakHostBytes includes the memory of the others.
    int inFlight = 1;
};

/// The least score of peaks and what it means.
struct ThresholdReport {
    double value = 0;                       ///< of the first map
    std::vector<double> values{};           ///< of each map of SearchLaw::maps
    std::string chosenBy{};                 ///< "score", "false-positives", "zscore"
    std::optional<double> asked{};          ///< false positives or deviations that chose the value
    match::SearchLaw law{};                 ///< of a stream, of all frames
    std::optional<double> falsePositives{}; ///< that reach `value`; empty where there is no law
    std::vector<std::string> warnings{};    ///< why more peaks may be false than that
    /// Among the scores of the listed peaks that the law of the noise lists.
    std::optional<match::ScoreGap> gap{};
    /// Places of other things that are left out; empty where they were not looked for.
    std::optional<match::OtherThings> others{};

    /// The least score of a listed peak of any map.
    [[nodiscard]] double least() const {
        return values.empty() ? value : *std::min_element(values.begin(), values.end());
    }
};

/// One frame of a stream.
struct FrameReport {
    int frame = 0; ///< its number, from 0
    double executeMs = 0;
    double streamMs = 0;
    double peaksMs = 0;
    std::string device;
    match::MapStatistics statistics; ///< with templates of different extents: empty
    method::MapFacts facts;
    AuditVerdict verdict = AuditVerdict::Off;
    std::int64_t peaks = 0;          ///< number of peaks in the list
    std::optional<match::Peak> best; ///< the first of them
    std::string peaksIncomplete;
    std::optional<ThresholdReport> threshold; ///< of lcc
};

struct Environment {
    std::vector<std::pair<std::string, std::string>> versions; ///< library, version
    std::string processor;
    std::string instructions;
    std::vector<std::string> devices;
};

/// The report of a job, which toJson() writes.
struct JobReport {
    bool cancelled =
        false; ///< result of planJob: the members below are incomplete, and nothing was written
    /// Its problem's scene is the part that is searched. With several groups: the plan of the first
    /// group.
    plan::PlanReport plan;
    std::int64_t besideBytes = 0;    ///< GroupReport::besideBytes of that plan
    base::Extents scene{0, 0, 0};    ///< the whole scene
    base::Geometry geometry{};       ///< of the whole scene, with the job's spacing
    int channels = 0;                ///< that values are summed over; 0 without kAllChannels
    std::optional<base::Box> region; ///< the part that is searched; empty = the whole scene
    std::vector<TemplateReport> templates;
    std::optional<PosesReport> poses;           ///< of a search over poses
    std::optional<SearchReport> search;         ///< of Job::searchStatistics, after a run
    std::optional<HandednessReport> handedness; ///< of Job::handedness, after a run
    std::vector<OtherSearch> others; ///< in the order in which they run, before the job's own
    std::optional<PreparationReport> preparation; ///< empty where images are compared as read
    /// If templates have several extents: one group for each, in the order of their first
    /// templates; else empty.
    std::vector<GroupReport> groups;
    bool partialPeaks = false;        ///< PARTIAL placements may be peaks
    std::optional<RunReport> run;     ///< sum over all groups
    std::optional<MapReport> map;     ///< empty with several groups
    std::optional<AuditReport> audit; ///< of a finished run, over all groups
    std::vector<match::Peak> peaks;
    /// What a person decided on the peaks; a run decides nothing.
    match::DecisionList decisions{};
    /// Of lcc, of a finished run. Of a stream every frame has its own: `value` is the least one.
    std::optional<ThresholdReport> threshold;
    std::optional<StackReport> stack;    ///< of boxes cut at the peaks
    std::vector<AverageReport> averages; ///< of such boxes, one a template
    /// Digest of the scores and statuses of the map, as bytes of this machine. Empty without a map,
    /// and in a job that writes no report.
    std::string mapSha256;
    /// The job that gave this report: as a line for a shell, and as a job file.
    std::string commandLine;
    std::string jobFile;
    /// Why the list of peaks may lack peaks or depend on the method; empty if it does not.
    std::string peaksIncomplete;
    std::shared_ptr<const ComparedLists> truth{}; ///< the peaks beside Job::truth; may be null
    Environment environment;
    std::vector<InputReport> inputs;
    std::vector<std::string> warnings; ///< about the inputs, such as on spacings that differ
    /// Of a stream: one row for each frame. The plan is that of the first frame; `run` has the
    /// spread of the times over the frames and the sum of the others; `map` is over all frames, its
    /// largest bounds and its median bound the largest of a frame; `peaks` is empty.
    std::vector<FrameReport> frames;
    std::optional<StreamReport> stream; ///< set if the job has several scenes
    /// For a job with several scenes: one report for each, in the order given; all other members
    /// are empty.
    std::vector<JobReport> scenes;
};

/// The largest score that the colours of an lcc map have to tell apart: that of the best peak which
/// is neither the place that its template was cut from (one exact copy of each template) nor one
/// whose noise the template holds (Peak::madeOf), and at least the threshold. Where no such peak is
/// left out, the largest score of the map. Needs JobReport::map.
[[nodiscard]] double largestOfOthers(const JobReport& report);
/// "keep", "reject", "unsure"; empty where nothing was decided.
[[nodiscard]] std::string decisionText(match::Decision decision);
/// "12 kept, 3 rejected, 1 unsure, 4 undecided"; empty where nothing was decided.
[[nodiscard]] std::string decisionsText(const JobReport& report);

/// Versions, processor and devices of this program and machine.
[[nodiscard]] Environment environment();

/// The licences of the sources and of a program made of them, for people.
[[nodiscard]] std::string_view licenceText();

[[nodiscard]] std::string toJson(const JobReport& report);
/// The report as text: the problem, a table of candidates with reasons, and measured beside
/// predicted times.
[[nodiscard]] std::string toText(const JobReport& report);
/// The threshold in one line, with its law: "0.3120; expected false positives of noise 1 (Student's
/// t, mean 0.0012, ...)".
[[nodiscard]] std::string thresholdText(const ThresholdReport& threshold);
/// The law in force and its parameters, without a full stop.
[[nodiscard]] std::string lawText(const match::SearchLaw& law);
/// A search over poses in one line: "36 rotations of 10 degrees, 3 scales, both hands: 216 members
/// in boxes of 90x90x1; about 300 ms, 120 MiB; 700 a second".
[[nodiscard]] std::string posesText(const PosesReport& poses);
/// True for the part of a search over poses that was finished when somebody stopped the search.
[[nodiscard]] bool isUnfinished(const JobReport& report);
/// What a reader must know of such a part: "unfinished: 412 of 7112 orientations are searched, and
/// scores and peaks are the best of these". Empty for other results.
[[nodiscard]] std::string unfinishedText(const JobReport& report);
/// The statistics of a search in one line.
[[nodiscard]] std::string searchText(const SearchReport& search);
/// Whether z hides the objects, since the members are alike; and the warning that says so.
[[nodiscard]] bool isAlike(const SearchReport& search);
[[nodiscard]] std::string likenessWarning(const SearchReport& search);
/// What another search takes or took, in one line; empty where neither is known.
[[nodiscard]] std::string otherText(const OtherSearch& other);
/// The verdict with its reason in one line.
[[nodiscard]] std::string handednessText(const HandednessReport& hands);
/// The pose of a peak, degrees to a tenth: "30", "30.5 x0.95 mirrored", in a volume "rot 10 tilt
/// 20.4 psi -30".
[[nodiscard]] std::string poseText(const rotation::Pose& pose, bool flat);
/// The same with the score of a refined pose in brackets; empty without a pose.
[[nodiscard]] std::string poseText(const match::Peak& peak, bool flat);
/// Of each peak the rank in the list, from 1, of the peak that it overlaps most; empty where it
/// overlaps none of the list.
[[nodiscard]] std::vector<std::optional<std::size_t>>
ranksUnder(const std::vector<match::Peak>& peaks);
/// Which peaks overlap better ones, and what their false positives do not count: "peak 5 overlaps
/// peak 2 by 25 %; ...". Overlaps of less than 1 % are left out. Empty where there is none.
[[nodiscard]] std::string overlapText(const std::vector<match::Peak>& peaks);
/// The largest standard error of the centre along an axis, voxels: "0.012"; empty without one.
[[nodiscard]] std::string placeErrorText(const match::Peak& peak);
/// The audit in one line: "passed; 168 scores compared with the definition; largest deviation
/// 3.1e-08, ...".
[[nodiscard]] std::string auditText(const AuditReport& audit);
/// Share of the scores of all templates that were recomputed in double, 0..1.
[[nodiscard]] double recomputedShare(const MapReport& map);
/// Some lines for a terminal: the best peaks, method, device and time.
[[nodiscard]] std::string toSummary(const JobReport& report);

/// The candidate chosen in a report written by toJson; with several groups, the one for templates
/// of `templ`. **Errors**: Input when the file cannot be read or holds no such candidate.
[[nodiscard]] method::Candidate chosenCandidate(const std::string& path,
                                                const base::Extents& templ = {0, 0, 0});

/// The smallest host memory in bytes with which a candidate of the plan could run if memory were
/// its only limit; empty if none could. GPUs count only if the plan has no candidate of the
/// processor.
[[nodiscard]] std::optional<std::int64_t> leastMemory(const plan::PlanReport& plan);

} // namespace flcc::job
