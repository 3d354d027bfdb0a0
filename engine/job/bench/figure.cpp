#include "engine/job/figure.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "engine/base/tile_pool.h"
#include "engine/job/bench/figure_file.h"
#include "engine/job/bench/method_times.h"
#include "engine/job/benchmark.h"

namespace flcc::job {

namespace {

/// The sides of fig1: those of the images in the benchmark where methods cross.
std::vector<std::int64_t> templateSides(bool quick) {
    if (quick) {
        return {2, 8, 16};
    }
    std::vector<std::int64_t> list;
    for (const BenchmarkProblem& problem : benchmarkProblems(BenchmarkSet::Crossover)) {
        if (base::isFlat2D(problem.scene)) {
            list.push_back(problem.templ.x);
        }
    }
    return list;
}

/// False if cancelled.
bool measureCurves(Figure& figure, const std::stop_token& stop, const CrossoverProgress& progress) {
    constexpr std::int64_t kSide = 2000; // FLCC Fig. 1
    constexpr std::int64_t kQuickSide = 160;
    const FigureOptions& options = figure.options;
    const std::int64_t side = options.quick ? kQuickSide : kSide;
    figure.scene = {side, side, 1};
    figure.templates = templateSides(options.quick);
    const std::unique_ptr<detail::MethodTimes> times =
        detail::methodTimes(options.operation, options.threads, options.device);
    const std::size_t count = figure.templates.size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t templ = figure.templates[i];
        if (progress) {
            progress("measuring a template of side " + std::to_string(templ),
                     static_cast<double>(i) / static_cast<double>(count));
        }
        const std::vector<detail::MethodTime> row =
            times->measured(figure.scene, {templ, templ, 1}, {}, options.repeat, stop);
        if (stop.stop_requested()) {
            return false;
        }
        for (const detail::MethodTime& time : row) {
            auto curve =
                std::find_if(figure.curves.begin(), figure.curves.end(),
                             [&](const TimesCurve& known) { return known.method == time.method; });
            if (curve == figure.curves.end()) {
                constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
                figure.curves.push_back({time.method, std::vector<double>(count, kNaN),
                                         std::vector<double>(count, kNaN),
                                         std::vector<std::string>(count, "refused")});
                curve = figure.curves.end() - 1;
            }
            curve->notRun[i] = time.notRun;
            if (time.notRun.empty()) {
                curve->singleMs[i] = time.singleMs;
                curve->streamMs[i] = time.streamMs;
            }
        }
    }
    return true;
}

} // namespace

std::string_view name(FigureKind kind) { return kind == FigureKind::Times ? "fig1" : "fig3"; }

std::string_view name(FigureOperation operation) {
    return operation == FigureOperation::Lcc ? "lcc" : "convolve";
}

std::optional<Figure> makeFigure(const FigureOptions& options, const std::stop_token& stop,
                                 const CrossoverProgress& progress) {
    Figure figure;
    figure.options = options;
    figure.threads = options.threads > 0 ? options.threads : base::availableThreads();
    if (options.kind == FigureKind::Times) {
        return measureCurves(figure, stop, progress) ? std::optional(figure) : std::nullopt;
    }
    figure.maps = crossovers({.operation = options.operation,
                              .device = options.device,
                              .threads = options.threads,
                              .repeat = options.repeat,
                              .measured = true,
                              .quick = options.quick},
                             stop, progress);
    return figure.maps.empty() ? std::nullopt : std::optional(figure);
}

void requireFigureFile(const std::filesystem::path& path, const FigureOptions& options) {
    detail::checkFigureFile(path, options.device);
}

void writeFigure(const std::filesystem::path& path, const Figure& figure) {
    requireFigureFile(path, figure.options);
    detail::writeFigureFile(path, toJson(figure), drawingOf(figure));
}

} // namespace flcc::job
