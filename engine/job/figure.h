#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/io/drawing.h"
#include "engine/job/benchmark.h"

/// The figures of the FLCC paper, computed on this machine.
namespace flcc::job {

enum class FigureKind {
    Times,  ///< FLCC Fig. 1: time over the size of the template
    Choices ///< FLCC Fig. 3: the method chosen over the sizes of scene and template
};
/// "fig1", "fig3".
[[nodiscard]] std::string_view name(FigureKind kind);
/// "lcc", "convolve".
[[nodiscard]] std::string_view name(FigureOperation operation);

struct FigureOptions {
    FigureKind kind = FigureKind::Times;
    FigureOperation operation = FigureOperation::Lcc;
    std::string device = "cpu"; ///< "cpu", or GPUs as in `--device`
    int threads = 0;            ///< 0 = all
    int repeat = 5;             ///< number of runs of each measured time; at least 3 are made
    bool quick = false;         ///< small scenes and few sizes: a trial of some seconds
};

/// Times of one method over the sides of templates. **Units**: milliseconds; NaN where the method
/// did not run.
struct TimesCurve {
    std::string method;
    std::vector<double> singleMs;
    std::vector<double> streamMs;
    std::vector<std::string> notRun; ///< the reason, or empty; one for each side
};

struct Figure {
    FigureOptions options;
    int threads = 0; ///< that were used
    // Of FigureKind::Times:
    base::Extents scene{0, 0, 0};
    std::vector<std::int64_t> templates; ///< sides, ascending
    std::vector<TimesCurve> curves;
    // Of FigureKind::Choices:
    std::vector<Crossover> maps;
};

/// Computes a figure; empty if cancelled. **Cost**: `Times` half a minute to two minutes, `Choices`
/// 10 to 30 seconds on two cores. **Errors**: Device; Internal for a method whose measured result
/// is wrong.
[[nodiscard]] std::optional<Figure> makeFigure(const FigureOptions& options,
                                               const std::stop_token& stop = {},
                                               const CrossoverProgress& progress = {});

/// The figure with axes, titles with units and a legend, in greys.
[[nodiscard]] io::Drawing drawingOf(const Figure& figure);

/// The numbers of the figure, and the machine.
[[nodiscard]] std::string toJson(const Figure& figure);

/// Checks a file name and the options of a figure before the work. **Errors**: CommandLine for a
/// format that this build cannot write, and for the device "auto".
void requireFigureFile(const std::filesystem::path& path, const FigureOptions& options);

/// Writes the numbers if the name ends in .json, else the picture. **Errors**: Output; CommandLine
/// as above.
void writeFigure(const std::filesystem::path& path, const Figure& figure);

} // namespace flcc::job
