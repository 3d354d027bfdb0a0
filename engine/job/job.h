#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/io/digest.h"
#include "engine/job/report.h"
#include "engine/match/peaks.h"
#include "engine/method/match_map.h"
#include "engine/plan/report.h"

namespace flcc::job {

/// Whether scores are computed again by the definition after a run.
enum class Audit { Auto, On, Off };
[[nodiscard]] constexpr std::string_view name(Audit audit) {
    return audit == Audit::Auto ? "auto" : audit == Audit::On ? "on" : "off";
}

/// The smallest error that can be promised.
inline constexpr double kLeastPromise = 1e-15;

/// One job, all of it: what the command line, the job file and the Match panel fill in. Empty paths
/// mean "not asked for". Its templates are the crops, then the files, numbered from 0.
struct Job {
    std::filesystem::path scene;
    /// Searched after the first one, each for itself; scenesOf() says what each is asked for.
    std::vector<std::filesystem::path> furtherScenes;
    std::vector<base::Box> crops; ///< templates cut from the (first) scene
    std::vector<std::filesystem::path> templates;
    std::filesystem::path templateOut; ///< of a job with one template
    bool invert = false;               ///< changes the sign of the templates, so r becomes -r
    /// Supports of the templates, what is not 0 counts: one for all, or one a template.
    std::vector<std::filesystem::path> masks;
    std::filesystem::path sceneMask; ///< support of the scene, likewise
    std::optional<int> channel;
    std::optional<int> frame;
    /// The box of the scene that is searched, the whole panel inside; empty = all of it.
    std::optional<base::Box> region;

    method::Operation operation = method::Operation::Lcc;
    method::Extent extent = method::Extent::Valid;
    method::Outside outside = method::Outside::Zero; ///< of panels that leave the scene or its mask
    double minOverlap = 0.5; ///< with overlap: least share of the support inside
    method::WindowStatistics statistics = method::WindowStatistics::Auto;
    std::string method = "auto";
    base::Extents tile{0, 0, 0};
    method::Precision precision = method::Precision::Single; ///< double: the map is float64
    double promise = 1e-4;                                   ///< largest error without a mark
    bool recompute = true; ///< what breaks the promise is computed again in double, else LOWCONF
    Audit audit = Audit::Auto; ///< auto: when it is predicted to cost under 2 % of the run
    std::string device = "auto";
    int threads = 0;              ///< 0 = all
    std::int64_t memoryBytes = 0; ///< 0 = what the machine has free
    plan::Planning planning = plan::Planning::Measure;
    std::filesystem::path planReport; ///< replay the candidate chosen there
    int repeat = 1;

    double minScore = 0.5;
    std::int64_t maxPeaks = 100;
    std::optional<double> minDistance; ///< empty = auto
    bool partialPeaks = false;         ///< PARTIAL placements take part

    std::filesystem::path map;
    std::filesystem::path status;
    std::filesystem::path index; ///< the template that gave each score; -1 without a score
    std::filesystem::path peaks;
    std::filesystem::path report;
    std::filesystem::path heatmap;
    std::optional<std::int64_t> slice; ///< of the map; empty = through the best peak

    friend bool operator==(const Job&, const Job&) = default;
};

/// What is asked for each scene of a job: its outputs carry its number, from 0, where there are
/// several ("map-1.mha"); crops and the template that is written belong to the first.
[[nodiscard]] std::vector<Job> scenesOf(const Job& job);

/// The name of an output of scene `number` where a job has several: "map-1.mha" of "map.mha".
[[nodiscard]] std::filesystem::path numberedOutput(const std::filesystem::path& file,
                                                   std::size_t number);

/// An image a job works on, in memory.
struct SceneImage {
    base::AnyImage pixels;
    base::Geometry geometry;
    std::string source; ///< path, or "sample:cells"
    std::string note;   ///< what was done on reading (colour to luminance); may be empty
    std::string sha256; ///< of the file it is the whole of; empty for a cut or a sample
    /// Where that file is a header: the file beside it that holds the voxels.
    std::optional<io::FileDigest> dataFile{};
};

/// A support in memory: 1 inside, 0 outside.
struct MaskImage {
    base::Image<std::uint8_t> support;
    std::string source; ///< as in SceneImage
    std::string note;
    std::string sha256;
    std::optional<io::FileDigest> dataFile{};
};

/// Images already in memory; a null one is read from the job's path.
struct JobImages {
    std::shared_ptr<const SceneImage> scene; ///< the first
    /// All templates in order, those of the job's crops, which are cut anyway, included; a null one
    /// is read. Without any they are those that the job names.
    std::vector<std::shared_ptr<const SceneImage>> templates{};
    /// One for all templates, or one for each, null for a template without; without any they are
    /// read.
    std::vector<std::shared_ptr<const MaskImage>> masks{};
    std::shared_ptr<const MaskImage> sceneMask{};
};

/// Reads a scene or a template as a job does; null when stopped. **Errors**: those of
/// io::readImage.
[[nodiscard]] std::shared_ptr<const SceneImage> loadImage(const std::filesystem::path& path,
                                                          std::optional<int> channel,
                                                          std::optional<int> frame,
                                                          const std::stop_token& stop = {});

/// Reads what belongs to a scene, a template or a mask, which has one channel or frame more often
/// than a stack of scenes: the choice counts where there are several. Null when stopped.
[[nodiscard]] std::shared_ptr<const SceneImage> loadCompanion(const std::filesystem::path& path,
                                                              std::optional<int> channel,
                                                              std::optional<int> frame,
                                                              const std::stop_token& stop = {});

/// The voxels of an image of any type that are not 0, as a support. **Errors**: Problem for NaN and
/// for a mask without a voxel inside.
[[nodiscard]] std::shared_ptr<const MaskImage> maskOf(const SceneImage& image);

/// Reads a mask as a job does; null when stopped. **Errors**: those of loadCompanion and maskOf.
[[nodiscard]] std::shared_ptr<const MaskImage> loadMask(const std::filesystem::path& path,
                                                        std::optional<int> channel,
                                                        std::optional<int> frame,
                                                        const std::stop_token& stop = {});

/// A built-in sample as a job's images.
[[nodiscard]] JobImages sampleImages(std::string_view name);

enum class Phase { Read, Plan, Run, Peaks, Write };
[[nodiscard]] std::string_view name(Phase phase); ///< "reading", "planning", ...

struct JobResult;

/// Whether what is being computed counts: that of a GPU does not before the processor verified it.
enum class Verification {
    NotNeeded, ///< the processor computes
    Open,      ///< not yet verified
    Passed,
    Failed, ///< it never counts: it is computed again elsewhere, or the job ends with an error
};

/// One of several scenes; both numbers count from 0.
struct SceneTurn {
    std::filesystem::path scene;
    int number = 0; ///< in the order given
    int turn = 0;   ///< in the order they are done in
    int count = 1;
};

/// Told how a job goes on. **Threads**: progress() and regionFinished() come on any worker, one
/// call at a time, all others on the thread that called runJob.
class JobSink {
  public:
    virtual ~JobSink() = default;
    /// Whether somebody looks at maps, those of JobResult included. A map that nobody looks at, and
    /// that no output is made of, may stay on the device that made it. Asked before all else.
    [[nodiscard]] virtual bool wantsMaps() const { return true; }
    /// Comes before all else of each scene where there are several.
    virtual void sceneStarted(const SceneTurn&) {}
    /// Comes after all else of each of several scenes, also of one that was cancelled: what would
    /// be the result of a job for it alone. Its outputs have no names yet.
    virtual void sceneFinished(const SceneTurn&, const JobResult&) {}
    virtual void phase(Phase) {}
    /// Share of the phase that is done, 0..1.
    virtual void progress(double) {}
    /// Comes once for each extent that templates have.
    virtual void planned(const plan::PlanReport&) {}
    /// The map that will be filled; outlives the job in the JobResult. Read only finished regions.
    /// Not told of templates of different extents, nor of a map that stays on a device.
    virtual void mapStarted(std::shared_ptr<const method::MatchMap>) {}
    /// Comes when something begins to compute, after mapStarted() where there is a map, and again
    /// with the verdict of what a GPU computed. `reason`: why it failed, in a sentence.
    virtual void verification(Verification, const std::string& /*reason*/) {}
    /// These voxels of the map hold their final values.
    virtual void regionFinished(const base::Box&) {}
};

/// Of a job with several scenes `report.scenes` and the notes alone: what belongs to one scene is
/// told by JobSink::sceneFinished and goes before the next one is read.
struct JobResult {
    /// Nothing was written; cancelled during Run, map and status hold what was finished.
    bool cancelled = false;
    std::shared_ptr<const SceneImage> scene;
    std::vector<std::shared_ptr<const SceneImage>> templates; ///< as matched but not inverted
    std::vector<std::shared_ptr<const MaskImage>> masks;      ///< one a template, null without one
    std::shared_ptr<const MaskImage> sceneMask;               ///< null without one
    /// The best score of every placement. Null when it never started, for templates of different
    /// extents, which have peaks only, and where nobody wanted it and it stayed on a device.
    std::shared_ptr<const method::MatchMap> map;
    /// The template that gave each score, -1 where there is none; null for one template whose job
    /// does not ask for it.
    std::shared_ptr<const base::Image<std::int32_t>> index;
    base::Geometry mapGeometry; ///< voxel 0 on the centre of the first placement
    base::Index mapCorner;      ///< scene voxel of the first placement; may lie outside the scene
    std::vector<match::Peak> peaks;
    JobReport report;
    std::vector<std::string> notes; ///< what a written format dropped, colour to luminance, ...
    /// Of the notes those that say that something else did the run than was planned, and why.
    std::vector<std::string> warnings;
};

/// Does the whole job on the calling thread and writes its outputs: all of them or none, also when
/// writing fails half way (see io::AtomicFile::commitAll for the file systems that can). Cancelling
/// is a result, and comes in less than a second in every phase; a stop that comes when the outputs
/// have their names comes too late, and the job is done. Several scenes are done one after the
/// other, those alike together, which share the plan and the prepared templates; on a GPU up to
/// three of these are under way at once, where memory allows, with the same results, told in the
/// same order. All headers are read first, and outputs appear when all scenes are done. Ends with
/// keepLearnt().
/// **Errors**: Error, of one of several scenes with its name; Memory when every candidate is
/// refused for memory, Problem when a forced method refuses.
[[nodiscard]] JobResult runJob(const Job& job, const JobImages& images = {},
                               std::stop_token stop = {}, JobSink* sink = nullptr);

/// Plans the job without running it: reads scene and template, takes the scene's statistics and,
/// with measure, times a sample. Writes the report if the job asks for one, and nothing else: what
/// it learnt is in memory until keepLearnt() or the next runJob(). The report says when planning
/// was cancelled. **Errors**: as runJob, but that all candidates were refused is a result: the
/// report has no chosen row.
[[nodiscard]] JobReport planJob(const Job& job, const JobImages& images = {},
                                std::stop_token stop = {}, JobSink* sink = nullptr);

/// Why a plan has no chosen candidate, as the error runJob ends with: Memory when a larger limit
/// would help, else Problem. Empty when it has one.
[[nodiscard]] std::optional<base::Error> refusal(const plan::PlanReport& plan);
/// Likewise of the first plan of a report that has no chosen candidate.
[[nodiscard]] std::optional<base::Error> refusal(const JobReport& report);

/// What a failed self-audit means, as the error the command line ends with after the outputs are
/// written. Empty when it passed or was off.
[[nodiscard]] std::optional<base::Error> auditFailure(const JobReport& report);

/// False for what a GPU computed and the processor has not verified, as in a run that was
/// cancelled.
[[nodiscard]] bool isVerified(const JobReport& report);

/// The template that a crop names, not inverted. **Errors**: Problem when the crop leaves the
/// scene.
[[nodiscard]] std::shared_ptr<const SceneImage> cutTemplate(const SceneImage& scene,
                                                            const base::Box& crop);

} // namespace flcc::job
