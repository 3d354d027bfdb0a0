#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/drawing.h"

namespace flcc::job {

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
