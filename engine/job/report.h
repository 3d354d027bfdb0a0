#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/io/digest.h"
#include "engine/match/peaks.h"
#include "engine/method/match_map.h"
#include "engine/plan/report.h"

namespace flcc::job {

/// Milliseconds over the repeats of a run.
struct Spread {
    double min = 0;
    double median = 0;
    double max = 0;
};

/// What a run cost. executeMs = prepare + execute, from scene and template in memory to map and
/// status in memory; streamMs = execute alone, all there is where an earlier scene's prepared
/// templates were taken over. readMs holds files, their digests and the scene's
/// statistics. After a run, the chosen row of the plan holds the median of executeMs as measuredMs.
struct RunReport {
    Spread executeMs;
    Spread streamMs;
    double readMs = 0;
    double writeMs = 0;
    double peaksMs = 0;
    method::StagesMs stagesMs;
    std::optional<method::DeviceTimes> times; ///< of a run on devices: transfers and compute apart
    std::vector<std::string> failures;        ///< of devices, and what was done instead
    std::int64_t peakHostBytes = 0; ///< rise of the resident peak, from the operating system
    int threads = 0;
    std::string device; ///< the one that really ran
};

/// What part of a run each stage took, peaks the last: shares of the time of all threads.
[[nodiscard]] std::vector<std::pair<std::string, double>> stageShares(const RunReport& run);

struct MapReport {
    match::MapStatistics statistics;
    method::MapFacts facts;
};

enum class AuditVerdict { Off, Passed, Failed };
/// "off", "passed", "failed".
[[nodiscard]] std::string_view name(AuditVerdict verdict);

/// What became of the scores that were computed again by the definition, from the pixels as read.
struct AuditReport {
    AuditVerdict verdict = AuditVerdict::Off;
    std::string reason;           ///< why it is off, or what failed; empty when it passed
    std::int64_t checked = 0;     ///< scores and statuses compared
    std::int64_t wrongStatus = 0; ///< voxels whose status is not that of their pixels
    double largestDeviation = 0;  ///< of a score; infinity for one that is no number
    double largestOverBound = 0;  ///< largest deviation over its bound; above 1 is a failure
    double medianOverBound = 0;   ///< median of deviation over bound
    double ms = 0;                ///< time of the audit
};

/// A template as it takes part, in the order of the numbers that peaks carry.
struct TemplateReport {
    std::string source; ///< path, or scene and crop
    base::Extents extents{0, 0, 0};
    base::PixelType type = base::PixelType::Float32;
    std::int64_t support = 0; ///< voxels that count
    bool masked = false;      ///< its mask leaves voxels out
};

/// What became of the templates of one extent, which are planned and run as a whole.
struct GroupReport {
    std::vector<int> templates; ///< their numbers
    std::int64_t mapBytes = 0;  ///< of the map, which stays while the other groups run
    plan::PlanReport plan;
    std::optional<RunReport> run;
    std::optional<MapReport> map;
    std::optional<AuditReport> audit;
};

struct InputReport {
    std::string role; ///< "scene", "template", "mask", "scene-mask"
    std::string path;
    std::string sha256; ///< of the file; empty for a cut and for an image that has none
    /// Where the file is a header: the file beside it that holds the voxels.
    std::optional<io::FileDigest> dataFile{};
};

/// A scene of a job that has several, and what it took over of an earlier one.
struct StreamReport {
    int scene = 0; ///< its number, from 0 in the order given
    int scenes = 1;
    std::string source;
    std::optional<int> planOf;     ///< the scene it was planned for; empty: for this one
    std::optional<int> preparedOf; ///< the scene that its templates were prepared for, likewise
    /// Whether the next scene was read while this one was matched, or there was no room for it;
    /// empty without a next one that is to be read. Its pixels are in the run's peakHostBytes.
    std::optional<bool> readAhead;
    /// Scenes that were under way on a device when this one ran, this one among them; what the
    /// others take during its turn is in the run's peakHostBytes too.
    int inFlight = 1;
};

struct Environment {
    std::vector<std::pair<std::string, std::string>> versions; ///< library, version
    std::string processor;
    std::string instructions;
    std::vector<std::string> devices;
};

/// The report of a job, which toJson() writes.
struct JobReport {
    bool cancelled = false; ///< of planJob: what follows is not complete, and nothing was written
    /// Its problem's scene is the part that is searched; of the first group where there are
    /// several.
    plan::PlanReport plan;
    base::Extents scene{0, 0, 0};    ///< the whole scene
    std::optional<base::Box> region; ///< what of it is searched; empty = all of it
    std::vector<TemplateReport> templates;
    /// One for each extent that templates have, in the order of their first ones, where there are
    /// several extents; else empty.
    std::vector<GroupReport> groups;
    bool partialPeaks = false;        ///< PARTIAL placements take part in the peaks
    std::optional<RunReport> run;     ///< of all groups together
    std::optional<MapReport> map;     ///< none with several groups
    std::optional<AuditReport> audit; ///< of a finished run; of all groups together
    std::vector<match::Peak> peaks;
    Environment environment;
    std::vector<InputReport> inputs;
    std::optional<StreamReport> stream; ///< of one of several scenes
    /// Of a job with several scenes one report each, in the order given, and nothing else.
    std::vector<JobReport> scenes;
};

/// Versions, processor and devices of this program and machine.
[[nodiscard]] Environment environment();

[[nodiscard]] std::string toJson(const JobReport& report);
/// The report for people: the problem, a table of candidates with reasons, measured beside
/// predicted.
[[nodiscard]] std::string toText(const JobReport& report);
/// The audit in one line: "passed; 168 scores computed again, largest deviation 3.1e-08, ...".
[[nodiscard]] std::string auditText(const AuditReport& audit);
/// Share of the scores of all templates that were computed again in double, 0..1.
[[nodiscard]] double recomputedShare(const MapReport& map);
/// A few lines for a terminal: the best peaks, method, device and time.
[[nodiscard]] std::string toSummary(const JobReport& report);

/// The candidate chosen in a report written by toJson; of one with several groups, that for
/// templates of `templ`. **Errors**: Input when the file cannot be read or is no report with such a
/// candidate.
[[nodiscard]] method::Candidate chosenCandidate(const std::string& path,
                                                const base::Extents& templ = {0, 0, 0});

} // namespace flcc::job
