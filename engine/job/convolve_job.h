#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/filter/planner.h"
#include "engine/filter/slice.h"
#include "engine/job/command_line.h"
#include "engine/job/job.h"
#include "engine/job/report.h"

namespace flcc::job {

/// What a convolution is asked.
struct ConvolveQuestion : PlannedJob {
    std::string kernel; ///< a name (filter::kernelByName) or a file
    method::Extent extent = method::Extent::Same;
    filter::Border border = filter::Border::Zero;
    int parts = 0; ///< of method dif; 0: the plan chooses

    friend bool operator==(const ConvolveQuestion&, const ConvolveQuestion&) = default;
};

/// A convolution from files to files, as `flcc-cli convolve` and its job files describe it. With
/// `stream`, `output` is one stack for all frames.
struct ConvolveJob : ConvolveQuestion, CommonOutputs {
    std::filesystem::path output;

    /// The same convolution without any output.
    [[nodiscard]] ConvolveJob asked() const;

    friend bool operator==(const ConvolveJob&, const ConvolveJob&) = default;
};

/// What the report says about the kernel.
struct KernelReport {
    std::string name;
    base::Extents extents{0, 0, 0};
    int terms = 0;       ///< separable terms; 0 for a kernel that is not separable
    double residual = 0; ///< of the rank-one test: ||h - outer product|| / ||h||
    double sumOfMagnitudes = 0;
};

/// The values of a result that are not NaN.
struct ResultReport {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double standardDeviation = 0;
    std::int64_t count = 0;
    std::int64_t nan = 0;      ///< results that NaN or Inf of the scene reach
    double bound = 0;          ///< on the error of every value, in units of the result
    double relativeBound = 0;  ///< filter::Convolved::relativeBound
    std::int64_t repeated = 0; ///< filter::Convolved::repeated
};

/// One frame of a stack that is convolved frame by frame.
struct ConvolvedFrame {
    int frame = 0; ///< its number, from 0
    double executeMs = 0;
    ResultReport result;
};

struct ConvolveReport {
    filter::Problem problem;
    method::Limits limits;
    plan::Planning planning = plan::Planning::Measure;
    bool calibrated = false;
    base::Extents scene{0, 0, 0}; ///< the whole scene
    base::Geometry geometry{};    ///< of the whole scene, with the job's spacing
    std::optional<base::Box> region;
    KernelReport kernel;
    std::vector<plan::CandidateReport> candidates;
    /// What a decomposition into parts takes by formula, for `parts` of the first candidate of
    /// method dif; empty if there is none.
    std::vector<filter::Decomposition> decompositions;
    int parts = 0;
    double planningMs = 0;
    std::optional<RunReport> run;
    std::optional<ResultReport> result;
    std::string mapSha256; ///< of the values of the result; empty without a report file
    Environment environment;
    std::string commandLine; ///< the job that gave this report, as a line for a shell
    std::string jobFile;     ///< the same as a job file
    std::vector<InputReport> inputs;
    /// Of a stack (Job::stream): one row for each frame. The plan is that of the first frame;
    /// `run` has the spread of the times over the frames, `result` is that of all of them, its
    /// bound the largest.
    std::vector<ConvolvedFrame> frames;
    bool readAhead = false; ///< memory allowed to read a frame while another one was computed
};

struct ConvolveResult {
    bool cancelled = false; ///< nothing was written
    ConvolveReport report;
    base::AnyImage pixels; ///< float32, or float64 in double precision; of a stack, none
    base::Geometry geometry;
    std::vector<std::string> notes;
};

/// Images that are in memory already. The job reads the file of one that is null.
struct ConvolveImages {
    std::shared_ptr<const SceneImage> scene{};
    std::shared_ptr<const SceneImage> kernel{}; ///< of a job whose kernel is a file
};

/// Runs the whole job on the calling thread and writes its outputs, all of them or none. Of a
/// stack, one frame is read and one is written while another one is computed.
/// **Errors**: Error; Memory when every candidate is refused for memory, Problem when a forced
/// method refuses, Device for a device other than the processor.
[[nodiscard]] ConvolveResult runConvolve(const ConvolveJob& job, const ConvolveImages& images = {},
                                         std::stop_token stop = {}, JobSink* sink = nullptr);

/// What can be shown of a job before it runs.
struct ConvolvePreview {
    bool cancelled = false;
    ConvolveReport report;                ///< the plan, without measured times
    std::optional<base::Error> refused{}; ///< why the plan has no chosen candidate
    base::AnyImage plane;                 ///< filter::convolvePlane()
    double ms = 0;                        ///< planning and computing, without reading
};

/// Plans the job without timing candidates, and computes one plane of the result. Writes nothing.
/// **Errors**: as runConvolve, except that a refusal of all candidates is a result.
[[nodiscard]] ConvolvePreview previewConvolve(const ConvolveJob& job, const ConvolveImages& images,
                                              const filter::Plane& plane,
                                              std::stop_token stop = {});

/// True if `kernel` is read as a file and not as the name of a kernel.
[[nodiscard]] bool isKernelFile(const std::string& kernel);

/// The files that the job reads, and those that it writes.
[[nodiscard]] io::ProtectedFiles inputFiles(const ConvolveJob& job);
[[nodiscard]] std::vector<std::filesystem::path> outputFiles(const ConvolveJob& job);

[[nodiscard]] std::string toJson(const ConvolveReport& report);
/// Some lines for a terminal; `verbose` adds the candidates with their reasons.
[[nodiscard]] std::string toSummary(const ConvolveReport& report, bool verbose);

} // namespace flcc::job
