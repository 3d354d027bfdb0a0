#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/candidate.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/plan/limits.h"

namespace flcc::job {

/// A scene of noise and templates that are cut from it, all of one size.
struct BenchmarkProblem {
    base::Extents scene;
    base::Extents templ;
    int templates = 1; ///< one, or a bank
};

enum class BenchmarkSet {
    /// Images of 2000 and 8192 squared with templates of 4 to 64 squared, of 4096 squared with 16
    /// to 256 squared, and volumes of 256 and 513 cubed with 8 to 32 cubed.
    Sizes,
    /// Where methods cross: 2 to 32 squared in 2000 squared (FLCC Fig. 2), 3 to 12 cubed in 256
    /// cubed (Eibl).
    Crossover,
    /// One, two and eight templates of 16 and 64 squared in 2000 and 8192 squared, of 8 cubed in
    /// 256
    /// cubed.
    Banks,
    /// Volumes of 65 to 513 cubed with 8 cubed (Eibl's headline).
    Volumes,
};
/// "sizes", "crossover", "banks", "volumes".
[[nodiscard]] std::string_view name(BenchmarkSet set);
[[nodiscard]] std::vector<BenchmarkProblem> benchmarkProblems(BenchmarkSet set);

/// Voxels of each map that are compared with their canonical values.
inline constexpr int kBenchmarkChecked = 64;

struct BenchmarkOptions {
    std::vector<BenchmarkProblem> problems = benchmarkProblems(BenchmarkSet::Sizes);
    base::PixelType pixel = base::PixelType::Float32;
    std::string device = "auto"; ///< "auto", "cpu", "cuda", "cuda:0"
    int threads = 0;             ///< 0 = all
    int repeat = 7;              ///< at least 3, and less where a run takes over a second
};

/// One method of one device on one problem: the candidate with the shortest predicted time.
struct BenchmarkRow {
    method::Problem problem;
    method::Candidate candidate;
    std::string deviceName; ///< never empty: a time without the name of its device is no result
    /// Of the device by its clock, a nanosecond in float; 0 = not known.
    double peakMultiplyAdds = 0;
    std::optional<plan::DeviceLimits> limits; ///< of a GPU, measured before its first row
    std::optional<double> transformsMs;       ///< of a GPU: its transforms alone, measured
    std::string notRun;                       ///< why there are no times; empty when there are
    bool failed = false;                      ///< it is an error of a run, and not of memory
    double predictedMs = 0;
    std::vector<double> singleMs; ///< prepare, workspace and execute: a single image
    std::vector<double> streamMs; ///< execute alone: one of many scenes
    method::StagesMs stagesMs;    ///< medians over the runs of the stream
    std::int64_t recomputed = 0;  ///< voxels
    std::int64_t lowConf = 0;     ///< voxels that break the promise: a defect
    double largestError = 0;      ///< of drawn voxels, against canonical values
    double largestBound = 0;      ///< that the run tells

    /// The result is as promised.
    [[nodiscard]] bool sound() const;
    /// Median milliseconds of a stage of the stream; empty where the method has none of that name.
    [[nodiscard]] std::optional<double> stageMs(std::string_view stage) const;
    /// Median of the kernels; on a processor, which does nothing else, of the stream.
    [[nodiscard]] double computeMs() const;
    /// Of the definition, a nanosecond of computeMs().
    [[nodiscard]] double multiplyAdds() const;
    /// What memory allows at most when scene and map cross it once; empty without limits.
    [[nodiscard]] std::optional<double> multiplyAddsOfMemory() const;
};

using BenchmarkTold = std::function<void(const BenchmarkRow&)>;

/// Times LCC by every method on the devices asked for, after one run to warm up, and compares 64
/// drawn voxels of each map with their canonical values. A candidate that is predicted to take over
/// ten seconds is a row without times, and so is one that fails; the first that loses its device
/// says so and is the last one of it. `told` hears of each row when it is done. Stopped, it returns
/// the rows that were finished.
/// **Errors**: Device for one that cannot be used from the start.
std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, const std::stop_token& stop,
                                    const BenchmarkTold& told);

/// The versions of what was measured and with what, in one line: for the head of a table.
[[nodiscard]] std::string benchmarkVersions();

/// The table's head, and a row of it, in Markdown.
[[nodiscard]] std::string benchmarkHead();
[[nodiscard]] std::string toMarkdown(const BenchmarkRow& row);

/// All rows, each with the name of its device and all times, and the environment.
[[nodiscard]] std::string toJson(const std::vector<BenchmarkRow>& rows);

} // namespace flcc::job
