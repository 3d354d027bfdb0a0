#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/candidate.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"

namespace flcc::job {

/// A scene of noise and a template that is cut from it.
struct BenchmarkProblem {
    base::Extents scene;
    base::Extents templ;
};

/// Images of 2000 and 8192 squared with templates of 4 to 64 squared, of 4096 squared with 16 to
/// 256 squared, and volumes of 256 and 513 cubed with 8 to 32 cubed.
[[nodiscard]] std::vector<BenchmarkProblem> benchmarkProblems();

struct BenchmarkOptions {
    std::vector<BenchmarkProblem> problems = benchmarkProblems();
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
    double peakMultiplyAdds = 0; ///< of the device, a nanosecond in float; 0 = not known
    std::string notRun;          ///< why there are no times; empty when there are
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
};

using BenchmarkTold = std::function<void(const BenchmarkRow&)>;

/// Times LCC by every method on the devices asked for, after one run to warm up, and compares 64
/// drawn voxels of each map with their canonical values. A candidate that is predicted to take over
/// ten seconds is a row without times. `told` hears of each row when it is done. Stopped, it
/// returns the rows that were finished.
/// **Errors**: Device for one that cannot be used, or that fails.
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
