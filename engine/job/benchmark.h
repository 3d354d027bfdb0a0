#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/io/drawing.h"
#include "engine/method/candidate.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"
#include "engine/plan/calibration.h"

namespace flcc::job {

/// A scene of noise, and templates of one size that are cut from it.
struct BenchmarkProblem {
    base::Extents scene;
    base::Extents templ;
    int templates = 1; ///< 1, or more for a bank
};

enum class BenchmarkSet {
    /// Images of 2000 x 2000 and 8192 x 8192 voxels with templates of 4 x 4 to 64 x 64, images of
    /// 4096 x 4096 with templates of 16 x 16 to 256 x 256, and volumes of side 256 and 513 with
    /// templates of side 8 to 32.
    Sizes,
    /// Sizes where the fastest method changes: templates of side 2 to 32 in images of side 2000
    /// (FLCC Fig. 2), templates of side 3 to 12 in volumes of side 256 (Eibl).
    Crossover,
    /// One, two and eight templates: of side 16 and 64 in images of side 2000 and 8192, of side 8
    /// in volumes of side 256.
    Banks,
    /// Templates of side 8 in volumes of side 65 to 513 (Eibl's headline).
    Volumes,
};
/// "sizes", "crossover", "banks", "volumes".
[[nodiscard]] std::string_view name(BenchmarkSet set);
[[nodiscard]] std::vector<BenchmarkProblem> benchmarkProblems(BenchmarkSet set);

/// Number of voxels of each map that are compared with their canonical values.
inline constexpr int kBenchmarkChecked = 64;

struct BenchmarkOptions {
    std::vector<BenchmarkProblem> problems = benchmarkProblems(BenchmarkSet::Sizes);
    base::PixelType pixel = base::PixelType::Float32;
    std::string device = "auto";        ///< "auto", "cpu", "cuda", "cuda:0"
    std::vector<std::string> methods{}; ///< names; empty: all methods of the device
    int threads = 0;                    ///< 0 = all
    bool limits = true;                 ///< measures GPUs' limits and transforms alone too
    int repeat = 7; ///< number of runs; at least 3; fewer are made where a run takes over a second
};

/// Times of one method of one device on one problem. The candidate is the one with the shortest
/// predicted time.
struct BenchmarkRow {
    method::Problem problem;
    method::Candidate candidate;
    std::string deviceName; ///< never empty: a time is useless without the name of its device
    /// Peak multiply-adds per nanosecond in float, from the clock of the device; 0 = unknown.
    double peakMultiplyAdds = 0;
    std::optional<plan::DeviceLimits> limits; ///< of a GPU, measured before its first row
    std::optional<double> transformsMs;       ///< time of a GPU's transforms alone, measured
    std::string notRun;                       ///< why there are no times; empty if there are
    bool failed = false; ///< the run ended with an error other than lack of memory
    double predictedMs = 0;
    std::vector<double> singleMs; ///< prepare, workspace and execute: the time of a single image
    std::vector<double> streamMs; ///< execute alone: the time of one image of many
    method::StagesMs stagesMs;    ///< medians over the runs of `streamMs`
    std::int64_t recomputed = 0;  ///< number of voxels
    std::int64_t lowConf = 0;     ///< number of voxels whose bound is above the promise: a defect
    double largestError = 0;      ///< of the checked voxels, compared with canonical values
    double largestBound = 0;      ///< reported by the run

    /// True if the result keeps its promise.
    [[nodiscard]] bool sound() const;
    /// Median milliseconds of a stage of `streamMs`; empty if the method has no stage of that name.
    [[nodiscard]] std::optional<double> stageMs(std::string_view stage) const;
    /// Median time of the kernels. On a processor: median of `streamMs`.
    [[nodiscard]] double computeMs() const;
    /// Multiply-adds of the definition per nanosecond of computeMs().
    [[nodiscard]] double multiplyAdds() const;
    /// Upper limit of multiplyAdds() if scene and map cross the device's memory once; empty without
    /// limits.
    [[nodiscard]] std::optional<double> multiplyAddsOfMemory() const;
};

using BenchmarkReported = std::function<void(const BenchmarkRow&)>;

/// Times LCC by every method on the requested devices, after one warm-up run, and compares 64
/// seeded voxels of each map with their canonical values. A candidate with a predicted time above
/// ten seconds gives a row without times, and so does one that fails. If a device is lost, that row
/// says so and is the last row of the device. `told` is called with each finished row. If
/// cancelled, returns the finished rows.
/// **Errors**: Device for a device that cannot be used from the start.
std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, const std::stop_token& stop,
                                    const BenchmarkReported& reported);

/// Versions of the program, its libraries and the devices, in one line for the head of a table.
[[nodiscard]] std::string benchmarkVersions();

/// Head and one row of the table, in Markdown.
[[nodiscard]] std::string benchmarkHead();
[[nodiscard]] std::string toMarkdown(const BenchmarkRow& row);

/// All rows with device names and all times, and the environment.
[[nodiscard]] std::string toJson(const std::vector<BenchmarkRow>& rows);

/// What the methods of a figure compute.
enum class FigureOperation {
    Lcc,
    Convolve ///< with a kernel of noise, which is not separable
};

/// Where methods cross for one side of the scene: sides of square or cubic templates in voxels. A
/// larger template is faster in the Fourier domain. **Source**: FLCC Table II.
struct CriticalSide {
    std::int64_t scene = 0;                  ///< side
    double table = 0;                        ///< tableTwoSide()
    std::optional<std::int64_t> predicted{}; ///< by the cost model; empty: `direct` always wins
    std::optional<std::int64_t> measured{};  ///< by times on noise; empty: likewise
};

/// Sides of a map grow by an eighth of an octave.
inline constexpr int kStepsPerOctave = 8;

/// The method that this machine's cost model chooses for one device, over the sides of scene and
/// template, both square or cubic (FLCC Fig. 3).
struct Crossover {
    bool volume = false;
    bool stream = false;                 ///< many scenes with one template, which is prepared once
    std::vector<std::int64_t> scenes;    ///< sides, ascending
    std::vector<std::int64_t> templates; ///< sides, ascending
    std::vector<std::string> methods;    ///< all methods that are chosen somewhere
    /// Index into `methods`, or -1 where the template does not fit; one row for each scene.
    std::vector<std::vector<int>> chosen;
    std::string device = "cpu"; ///< "cpu", or GPUs as in `--device`
    FigureOperation operation = FigureOperation::Lcc;
    std::vector<CriticalSide> critical{}; ///< of the scenes that were measured, ascending
};

/// The critical size of FLCC's Table II as a side: the square or cube root of 8.75 log2 N (LCC,
/// single images), 6.25 log2 N (LCC, streams), 7.5 log2 N or 5 log2 N (convolution) voxels, for a
/// scene of N voxels.
[[nodiscard]] double tableTwoSide(FigureOperation operation, bool volume, bool stream,
                                  std::int64_t scene);

struct CrossoverOptions {
    FigureOperation operation = FigureOperation::Lcc;
    std::string device = "cpu"; ///< "cpu", or GPUs as in `--device`
    int threads = 0;            ///< 0 = all
    int repeat = 5;             ///< number of runs of each measured time; at least 3 are made
    /// Measures where methods cross in scenes whose side is a power of two: 10 to 30 seconds.
    bool measured = false;
    bool quick = false; ///< small scenes and templates only
};

/// Called with the name of the current work and the finished share of all of it, 0..1.
using CrossoverProgress = std::function<void(std::string_view doing, double share)>;

/// The four maps (2D and 3D, single images and streams) in the order that drawingOf() expects;
/// empty if cancelled. **Cost**: some ten thousand predictions, a few seconds; `measured` in
/// addition.
/// **Errors**: Device; Internal for a method whose measured result is wrong.
[[nodiscard]] std::vector<Crossover> crossovers(const CrossoverOptions& options,
                                                const std::stop_token& stop = {},
                                                const CrossoverProgress& progress = {});

/// The maps as one drawing with axes, ticks and a legend, in greys: 2D above, 3D below, single
/// images on the left, streams on the right. Where critical sides were measured, they are drawn
/// beside those of Table II.
[[nodiscard]] io::Drawing drawingOf(const std::vector<Crossover>& maps);

/// Sides, methods and cells of the maps.
[[nodiscard]] std::string toJson(const std::vector<Crossover>& maps);

/// Computes the four maps without measuring and writes their picture, or their numbers if the name
/// ends in .json, which every build can write. **Errors**: Output; Device; CommandLine for a
/// format that this build cannot write and for the device "auto".
void writeCrossover(const std::filesystem::path& path, const CrossoverOptions& options);

} // namespace flcc::job
