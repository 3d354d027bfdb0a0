#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/base/spacing.h"
#include "engine/io/digest.h"
#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/exports.h"
#include "engine/job/made_of.h"
#include "engine/job/parts.h"
#include "engine/job/preparation.h"
#include "engine/job/report.h"
#include "engine/match/null_template.h"
#include "engine/match/peaks.h"
#include "engine/method/match_map.h"
#include "engine/plan/report.h"

namespace flcc::features {
struct Blob;
}
namespace flcc::match {
struct SearchMaps;
}
namespace flcc::rotation {
struct Cover;
}

namespace flcc::job {

/// A match, as the command line, the job file and the Match panel fill it in.
struct Job : MatchQuestion, MatchOutputs {
    /// The same match without any output.
    [[nodiscard]] Job asked() const;

    friend bool operator==(const Job&, const Job&) = default;
};

/// The value that a peak must reach: minScore or, where the smallest value is best, maxScore; by
/// default that of the operation, which may be infinite. Where mapDecidesThreshold(), the threshold
/// is ThresholdReport::value, and this value serves maps that have no law.
[[nodiscard]] double thresholdOf(const Job& job);

/// Whether the scores of a map decide the threshold: of lcc, unless minScore is given.
[[nodiscard]] bool mapDecidesThreshold(const Job& job);
/// Of a job whose map decides by a number of false positives: that number, by default 1.
[[nodiscard]] std::optional<double> falsePositivesOf(const Job& job);

/// Job::maxOverlap or, where the job states none, 0.3 of a search over poses, whose turned objects
/// have maxima in other poses on their own slopes. Empty where any overlap is listed.
[[nodiscard]] std::optional<double> maxOverlapOf(const Job& job);

/// The jobs of the single scenes. If there are several, outputs carry the number of their scene,
/// from 0 ("map-1.mha"). Crops and the written template belong to the first scene.
[[nodiscard]] std::vector<Job> scenesOf(const Job& job);

/// The name of an output of scene `number` if a job has several scenes: "map-1.mha" for "map.mha".
[[nodiscard]] std::filesystem::path numberedOutput(const std::filesystem::path& file,
                                                   std::size_t number);

/// The files that the job reads: scenes, templates, masks, the plan report, and the files of voxels
/// that headers among them name. No output may replace them.
[[nodiscard]] io::ProtectedFiles inputFiles(const Job& job);

/// The files of mean, deviation and z: "s-mean.mha", "s-deviation.mha" and "s-z.mha" for "s.mha".
[[nodiscard]] std::array<std::filesystem::path, 3>
searchMapFiles(const std::filesystem::path& file);

/// The names of all outputs of the job with several scenes or one; of `plan`, if `planOnly`.
/// `templates`: their number; 0: those that the job names.
[[nodiscard]] std::vector<std::filesystem::path> outputFiles(const Job& job, bool planOnly = false,
                                                             std::size_t templates = 0);

/// Throws if two of the outputs are one file, or if an output is one of the inputs. Links are
/// followed, and a hard link counts as the file. runJob() and planJob() do this for their job; call
/// it for what else a program reads and writes. **Errors**: CommandLine.
void requireOwnFiles(const io::ProtectedFiles& inputs,
                     const std::vector<std::filesystem::path>& outputs);

struct MaskImage;

/// An image in memory that a job works on.
struct SceneImage {
    base::AnyImage pixels;
    base::Geometry geometry;
    std::string source; ///< path, or "sample:cells"
    std::string note;   ///< conversions made on reading (colour to luminance); may be empty
    std::string
        sha256; ///< digest of the file, if the image is a whole file; empty for a crop or a sample
    /// If the file is only a header: the file of voxels beside it.
    std::optional<io::FileDigest> dataFile{};
    /// The files of a DICOM series, sorted by name, or of a set of OME-TIFF files; `sha256` is then
    /// empty. Or the files of voxels, if a header names several.
    std::vector<io::FileDigest> series{};
    io::Reading reading{}; ///< how the file was taken
    /// Millimetres from pixel to pixel by the resolution that the file states, as in io::ImageInfo.
    std::optional<std::array<double, 2>> resolution{};
    /// The opaque part, where the file has opacity and not all of it is opaque: voxels of at least
    /// half of it. The mask of a template; of other images it is ignored.
    std::shared_ptr<const MaskImage> opacity{};
    /// Of a resampled template: from its geometric centre to the voxel m / 2 of its file, voxels.
    std::optional<base::Point> reference{};
    /// Of a template that was resampled along its axes: the image before, on its own grid. Turned
    /// and scaled templates are made from it, so that they are interpolated once.
    std::shared_ptr<const SceneImage> finer{};
    /// Of an average in memory: the places that it was made of. Of a file they stand beside it.
    std::shared_ptr<const MadeOf> madeOf{};
    /// Of a template that was resampled in space: the part of its box that it fills. What lies
    /// beside it never counts, whatever the mask. Null: all of it.
    std::shared_ptr<const MaskImage> inside{};
    /// The file states the directions of `geometry`, or the image was cut from one that does.
    bool directed = false;
    /// Read with kAllChannels: the slices of `pixels` are so many channels of a flat image. Else 0.
    int channels = 0;

    /// The extents of the image, which is flat however many channels it has.
    [[nodiscard]] base::Extents extents() const {
        const base::Extents all = base::extentsOf(pixels);
        return channels > 0 ? base::Extents{all.x, all.y, 1} : all;
    }
    /// Of a template: from its geometric centre to its reference voxel (rotation/orientation.h).
    [[nodiscard]] base::Point toReferenceVoxel() const {
        return reference.value_or(rotation::toReferenceVoxel(extents()));
    }
};

/// A support in memory: 1 inside, 0 outside.
struct MaskImage {
    base::Image<std::uint8_t> support;
    /// Between 0 and 1, above 0 where `support` is 1; empty if all are 0 or 1.
    base::Image<double> weights{};
    std::string source;               ///< as in SceneImage
    std::string note;                 ///< what was assumed on reading; may be empty
    std::string counts = "yes or no"; ///< or "by weights of 0.02 to 1"
    std::string warning{};            ///< that values were clipped, say; may be empty
    base::Geometry geometry{};
    bool directed = false; ///< the file states the directions of `geometry`
    std::string sha256;
    std::optional<io::FileDigest> dataFile{};
    std::vector<io::FileDigest> series{};
};

/// Images that are in memory already. The job reads the file of every image that is null.
struct JobImages {
    std::shared_ptr<const SceneImage> scene; ///< the first scene
    /// All templates in their order, including those of the job's crops, which are cut from the
    /// scene anyway. A null template is read. If empty, the templates are those that the job names.
    std::vector<std::shared_ptr<const SceneImage>> templates{};
    /// One mask for all templates, or one for each template, null where a template has none. If
    /// empty, masks are read.
    std::vector<std::shared_ptr<const MaskImage>> masks{};
    std::shared_ptr<const MaskImage> sceneMask{};
    /// The further scenes in their order, null for those that are read. May be shorter than
    /// Job::furtherScenes; the path of one in memory may be empty.
    std::vector<std::shared_ptr<const SceneImage>> furtherScenes{};

    /// Scene `number` of the job, or null.
    [[nodiscard]] std::shared_ptr<const SceneImage> sceneOf(std::size_t number) const {
        return number == 0                         ? scene
               : number - 1 < furtherScenes.size() ? furtherScenes[number - 1]
                                                   : nullptr;
    }
};

/// Reads a scene or a template as a job does; null if cancelled. With kAllChannels, the colours of
/// a flat image, or its channels, become slices; opacity is left out. `memoryBytes` limits the
/// buffers that decoding takes beside the pixels, as Job::memoryBytes. **Errors**: as
/// io::readImage.
[[nodiscard]] std::shared_ptr<const SceneImage>
loadImage(const std::filesystem::path& path, std::optional<int> channel, std::optional<int> frame,
          const std::stop_token& stop = {}, std::int64_t memoryBytes = 0,
          const io::Reading& reading = {});

/// How a template or a mask is taken in a job that takes its scene by `reading`: the image counts
/// only where the file has several, and a resolution that it does not state is not missed.
/// **Errors**: as io::readImageInfo.
[[nodiscard]] io::Reading companionReading(const std::filesystem::path& path,
                                           const io::Reading& reading,
                                           const std::stop_token& stop = {});

/// Reads a template or mask for a scene, which more often has a single channel or frame than the
/// scene: the chosen channel, frame and image count only if the file has several. Null if
/// cancelled.
[[nodiscard]] std::shared_ptr<const SceneImage>
loadCompanion(const std::filesystem::path& path, std::optional<int> channel,
              std::optional<int> frame, const std::stop_token& stop = {},
              std::int64_t memoryBytes = 0, const io::Reading& reading = {});

/// The mask that an image of any type states: yes or no, or weights between 0 and 1
/// (input/mask_values.h). **Errors**: Problem for values that make no mask.
[[nodiscard]] std::shared_ptr<const MaskImage> maskOf(const SceneImage& image);

/// The mask as one of a scene, which has no weights: voxels of at least half of the full weight lie
/// inside, with a warning. The same mask where it has no weights; null for null. **Errors**:
/// Problem if no voxel is left.
[[nodiscard]] std::shared_ptr<const MaskImage>
sceneMaskOf(const std::shared_ptr<const MaskImage>& mask);

/// Reads a mask as a job does; null if cancelled. **Errors**: as loadCompanion and maskOf.
[[nodiscard]] std::shared_ptr<const MaskImage>
loadMask(const std::filesystem::path& path, std::optional<int> channel, std::optional<int> frame,
         const std::stop_token& stop = {}, std::int64_t memoryBytes = 0,
         const io::Reading& reading = {});

/// The images of a built-in sample, for a job.
[[nodiscard]] JobImages sampleImages(std::string_view name);

enum class Phase { Read, Plan, Run, Peaks, Write };
[[nodiscard]] std::string_view name(Phase phase); ///< "reading", "planning", ...

struct JobResult;

/// Whether the scores being computed are verified. Scores of a GPU do not count before the
/// processor has verified them.
enum class Verification {
    NotNeeded, ///< the processor computes
    Open,      ///< not verified yet
    Passed,
    Failed, ///< the scores never count: they are recomputed elsewhere, or the job ends with an
            ///< error
};

/// Position of one of several scenes; both numbers count from 0.
struct SceneTurn {
    std::filesystem::path scene;
    int number = 0; ///< position in the order given
    int turn = 0;   ///< position in the order of processing
    int count = 1;
    bool isFrame = false; ///< the scene is a frame of the stack `scene`
};

/// Receives the progress of a job. **Threads**: progress() and regionFinished() are called on any
/// worker, one call at a time; all others on the thread that called runJob.
class JobSink {
  public:
    virtual ~JobSink() = default;
    /// Whether maps are displayed, those of JobResult included. If not, a map that no output needs
    /// may stay on the device that made it. Called before all other functions.
    [[nodiscard]] virtual bool wantsMaps() const { return true; }
    /// With several scenes: called before all other calls for a scene.
    virtual void sceneStarted(const SceneTurn&) {}
    /// With several scenes: called after all other calls for a scene, also if it was cancelled. The
    /// result is that of a job with this scene alone. Its outputs do not have their final names
    /// yet.
    virtual void sceneFinished(const SceneTurn&, const JobResult&) {}
    virtual void phase(Phase) {}
    /// What the phase does, in a word or a few: name(Phase), "convolving", "detecting in the second
    /// image". Called after phase().
    virtual void doing(std::string_view) {}
    /// Finished share of the phase, 0..1.
    virtual void progress(double) {}
    /// Called once for each extent that templates have.
    virtual void planned(const plan::PlanReport&) {}
    /// The map that will be filled; JobResult keeps it after the job. Read only finished regions.
    /// Not called if templates have different extents, or if the map stays on a device.
    virtual void mapStarted(std::shared_ptr<const method::MatchMap>) {}
    /// Called when computing begins, after mapStarted() if that is called, and again with the
    /// verdict on the results of a GPU. `reason`: why verification failed, as a sentence.
    virtual void verification(Verification, const std::string& /*reason*/) {}
    /// Of a search over poses: the members searched so far, of so many. Called after each batch of
    /// them on the thread that called runJob.
    virtual void searched(std::int64_t /*members*/, std::int64_t /*of*/) {}
    /// Of a search over poses with one map, if maps are displayed: a copy of the best scores so
    /// far, at most twice a second. The map of mapStarted() is not finished anywhere before the
    /// end of the search.
    virtual void bestSoFar(std::shared_ptr<const method::MatchMap>) {}
    /// The voxels of this box of the map hold their final values.
    virtual void regionFinished(const base::Box&) {}
    /// Of a search for blobs: the maxima found so far, overlaps included, after each scale.
    virtual void found(double /*sigma*/, std::span<const features::Blob>) {}

    /// A phase begins.
    void enter(Phase now, std::string_view word = {}) {
        phase(now);
        doing(word.empty() ? name(now) : word);
        progress(0);
    }
};

/// Result of a job. For a stream, the maps of the frames are the slices of one map, and the peaks
/// of all frames are one list, best first, in which z is the frame; if maps are not wanted
/// (JobSink::wantsMaps), it holds only the report and the notes. For a job with several scenes it
/// holds only `report.scenes` and the notes: JobSink::sceneFinished reports
/// each scene, and its data is freed before the next scene is read.
struct JobResult {
    /// If true, nothing was written. If cancelled during Run, map and status hold the finished
    /// regions; of a search over poses with one map, the best scores of the finished batches if
    /// isUnfinished(report), and keepMap() then gives its peaks.
    bool cancelled = false;
    /// Of a cancelled run: its map is finished, and a law without another search can list its
    /// peaks.
    bool mapFinished = false;
    std::shared_ptr<const SceneImage> scene;
    base::Geometry geometry; ///< of the scene, with the job's spacing
    std::vector<std::shared_ptr<const SceneImage>> templates; ///< as matched, but not inverted
    std::vector<std::shared_ptr<const MaskImage>>
        masks; ///< one for each template, null where a template has none
    std::shared_ptr<const MaskImage> sceneMask; ///< null without a mask
    /// The best score of every placement. Null if the run did not start, if templates have
    /// different extents (then there are only peaks), and if the map stayed on a device because it
    /// was not requested.
    std::shared_ptr<const method::MatchMap> map;
    /// The template that gave each score, -1 without a score. Null for a job with one template that
    /// does not request it.
    std::shared_ptr<const base::Image<std::int32_t>> index;
    /// Of Job::searchStatistics, as the map; else null.
    std::shared_ptr<const match::SearchMaps> search;
    base::Geometry mapGeometry; ///< voxel 0 lies on the centre of the first placement
    base::Index mapCorner;      ///< scene voxel of the first placement; may lie outside the scene
    std::vector<match::Peak> peaks;
    JobReport report;
    std::vector<std::string>
        notes; ///< properties that a format cannot store, conversion to luminance, ...
    /// The notes that report a run by other means than planned, and the reason.
    std::vector<std::string> warnings;
};

/// Runs the whole job on the calling thread and writes its outputs: all of them or none, also if
/// writing fails half way (io::AtomicFile::commitAll names the file systems that allow this).
/// Cancelling is a result and takes less than a second in every phase. Cancelling after the outputs
/// are renamed has no effect: the job is done.
/// Several scenes are processed one after the other; scenes of equal extents and type follow each
/// other and share the plan and the prepared templates. On a GPU up to three such scenes are
/// processed at once if memory allows, with the same results, reported in the same order. All
/// headers are read first; outputs appear when all scenes are done. The last step is keepLearnt().
/// The frames of a stack (Job::stream) are processed likewise, in their order; one frame is read
/// and one is written while another one is computed, and no more of them are in memory.
/// **Errors**: Error; with several scenes its sentence names the scene. Memory when every candidate
/// is refused for memory, Problem when a forced method refuses.
[[nodiscard]] JobResult runJob(const Job& job, const JobImages& images = {},
                               std::stop_token stop = {}, JobSink* sink = nullptr);

/// Plans the job without running it: reads scene and template, computes the scene's statistics and,
/// with Planning::Measure, times a sample. Writes only the report, if the job requests one; new
/// knowledge stays in memory until keepLearnt() or the next runJob(). The report says if planning
/// was cancelled. **Errors**: as runJob, except that the refusal of all candidates is a result: the
/// report has no chosen row.
[[nodiscard]] JobReport planJob(const Job& job, const JobImages& images = {},
                                std::stop_token stop = {}, JobSink* sink = nullptr);

/// The parts of a job that its plan depends on. Of jobs with equal keys and the same images
/// planJob() chooses alike.
[[nodiscard]] Job planKey(const Job& job);

/// What a search over poses turns one template through, without images: neither box nor time.
/// `flat`: the template has one slice; `geometry`: of the scene. The number of orientations is
/// estimated where there are very many. **Errors**: CommandLine and Problem as runJob(); Input for
/// a list that cannot be read.
[[nodiscard]] PosesReport describePoses(const Poses& poses, bool flat,
                                        const base::Geometry& geometry);

/// What such a search turns a template through; without rotations as it is. Reads the list that it
/// names. **Cost**: a million turns take about a second. **Errors**: as rotation::flatCover() and
/// spaceCover(); CommandLine for auto:DIAMETER whose step is outside 0.001 to 360 degrees; Input
/// for a list that cannot be read.
[[nodiscard]] rotation::Cover coverOf(const Poses& poses, bool flat,
                                      const base::Geometry& geometry);

/// Why a plan has no chosen candidate, as the error with which runJob ends: Memory if a larger
/// limit would help, else Problem. Empty if a candidate was chosen. The run needs `besideBytes`
/// more than the plan, under the same limit.
[[nodiscard]] std::optional<base::Error> refusal(const plan::PlanReport& plan,
                                                 std::int64_t besideBytes = 0);
/// The same for the first plan of a report that has no chosen candidate.
[[nodiscard]] std::optional<base::Error> refusal(const JobReport& report);

/// Why options of the job exclude each other, as the error with which runJob() would end before it
/// reads a file. Empty where they do not.
[[nodiscard]] std::optional<base::Error> refusedOptions(const Job& job);

/// True unless a cancelled run left voxels of its map out: peaks can be taken from the map.
[[nodiscard]] bool isWhole(const JobResult& result);

/// A failed self-audit as the error with which the command line ends after writing the outputs.
/// Empty if the audit passed or was off.
[[nodiscard]] std::optional<base::Error> auditFailure(const JobReport& report);

/// False for the results of a GPU that the processor has not verified, for example after a
/// cancelled run.
[[nodiscard]] bool isVerified(const JobReport& report);

/// The template that a crop names, not inverted. `spacing` is that of the job. **Errors**: Problem
/// when the crop leaves the scene.
[[nodiscard]] std::shared_ptr<const SceneImage>
cutTemplate(const SceneImage& scene, const base::Box& crop,
            const std::optional<base::Spacing>& spacing = {});

/// The geometry of an image with the job's spacing and world axes; without them those of the file.
/// **Errors**: Problem for a volume if the spacing has no z.
[[nodiscard]] base::Geometry statedGeometry(const SceneImage& image,
                                            const std::optional<base::Spacing>& spacing,
                                            const std::optional<base::WorldAxes>& world = {});

/// The result as if its job had had this spacing and these axes: geometry of scene and map, peaks
/// and report. **Errors**: as statedGeometry().
void restate(JobResult& result, const std::optional<base::Spacing>& spacing,
             const std::optional<base::WorldAxes>& world = {});

} // namespace flcc::job
