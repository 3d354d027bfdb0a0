#include "app/cli_bench.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/job/benchmark.h"
#include "engine/job/figure.h"

namespace flcc::app {

namespace {

using Values = job::GivenOptions;

base::Extents extents(const std::string& option, const std::string& text) {
    constexpr std::int64_t kMost = 1 << 20;
    std::vector<std::int64_t> lengths;
    for (std::size_t begin = 0; begin <= text.size() && lengths.size() <= 3;) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        lengths.push_back(
            wholeNumber(option, std::string_view(text).substr(begin, end - begin), 1, kMost));
        begin = end + 1;
    }
    if (lengths.size() < 2 || lengths.size() > 3) {
        refuse("--" + option + " takes two or three lengths, X,Y or X,Y,Z, not \"" + text + "\"");
    }
    return {lengths[0], lengths[1], lengths.size() == 3 ? lengths[2] : 1};
}

base::PixelType pixelType(const std::string& text) {
    for (const base::PixelType type :
         {base::PixelType::UInt8, base::PixelType::Int8, base::PixelType::UInt16,
          base::PixelType::Int16, base::PixelType::UInt32, base::PixelType::Int32,
          base::PixelType::UInt64, base::PixelType::Int64, base::PixelType::Float32,
          base::PixelType::Float64}) {
        if (base::name(type) == text) {
            return type;
        }
    }
    refuse("--pixel takes a pixel type such as uint8, uint16 or float32, not \"" + text + "\"");
}

job::BenchmarkSet setOf(const std::string& text) {
    using enum job::BenchmarkSet;
    for (const job::BenchmarkSet set : {Sizes, Crossover, Banks, Volumes}) {
        if (job::name(set) == text) {
            return set;
        }
    }
    refuse("--set takes sizes, crossover, banks or volumes, not \"" + text + "\"");
}

job::BenchmarkOptions benchmarkOf(const Values& values) {
    constexpr int kMostRepeats = 1000;
    constexpr int kMostTemplates = 1000;
    job::BenchmarkOptions options;
    options.threads = threadsOf(values);
    options.device = deviceOf(values);
    options.repeat =
        static_cast<int>(wholeNumber(values, "repeat", 1, kMostRepeats, options.repeat));
    job::BenchmarkProblem submitted;
    submitted.templates =
        static_cast<int>(wholeNumber(values, "templates", 1, kMostTemplates, submitted.templates));
    const auto given = [&](const char* name, const auto& take) {
        if (const std::string* const text = job::valueOf(values, name)) {
            take(*text);
        }
    };
    given("pixel", [&](const std::string& text) { options.pixel = pixelType(text); });
    given("scene", [&](const std::string& text) { submitted.scene = extents("scene", text); });
    given("template",
          [&](const std::string& text) { submitted.templ = extents("template", text); });
    given("set",
          [&](const std::string& text) { options.problems = job::benchmarkProblems(setOf(text)); });
    if (values.contains("scene") != values.contains("template")) {
        refuse("--scene and --template must be given together: they set the problem to time");
    }
    if (values.contains("scene") && values.contains("set")) {
        refuse("--set cannot be combined with --scene and --template: give --set to time a list of "
               "problems, or --scene and --template to time one");
    }
    if (values.contains("templates") && !values.contains("scene")) {
        refuse("--templates needs --scene and --template");
    }
    if (values.contains("scene")) {
        options.problems = {submitted};
    }
    return options;
}

/// The name after `option`. **Errors**: CommandLine if the option is missing.
std::string required(const Values& values, const std::string& option) {
    const std::string* const text = job::valueOf(values, option);
    if (text == nullptr) {
        refuse("--figure needs --" + option);
    }
    return *text;
}

job::FigureOptions figureOf(const Values& values) {
    constexpr int kMostRepeats = 1000;
    job::FigureOptions options;
    const std::string kind = required(values, "figure");
    options.kind = kind == "fig3" ? job::FigureKind::Choices : job::FigureKind::Times;
    if (kind != job::name(options.kind)) {
        refuse("--figure takes fig1 (time over template size) or fig3 (method over the sizes of "
               "scene and template), not \"" +
               kind + "\"");
    }
    if (const std::string* const text = job::valueOf(values, "operation")) {
        options.operation =
            *text == "convolve" ? job::FigureOperation::Convolve : job::FigureOperation::Lcc;
        if (*text != job::name(options.operation)) {
            refuse("--operation of a figure takes lcc or convolve, not \"" + *text + "\"");
        }
    }
    options.device = deviceOf(values, "cpu");
    options.threads = threadsOf(values);
    options.quick = values.contains("quick");
    options.repeat =
        static_cast<int>(wholeNumber(values, "repeat", 1, kMostRepeats, options.repeat));
    return options;
}

int drawFigure(const Values& values, const std::stop_token& stop) {
    for (const auto& [name, value] : values) {
        constexpr std::array<std::string_view, 7> kAllowed{
            "figure", "operation", "output", "device", "threads", "repeat", "quick"};
        if (std::find(kAllowed.begin(), kAllowed.end(), name) == kAllowed.end()) {
            refuse("--" + name + " cannot be combined with --figure");
        }
    }
    const job::FigureOptions options = figureOf(values);
    const std::filesystem::path output = required(values, "output");
    job::requireFigureFile(output, options);
    requireFolderOf(output);
    WorkProgress progress(true);
    const std::optional<job::Figure> figure = job::makeFigure(
        options, stop, [&](std::string_view doing, double share) { progress(doing, share); });
    progress.clear();
    if (!figure) {
        std::cerr << "flcc-cli: interrupted before the figure was complete; nothing was written\n"
                  << std::flush;
        return kInterrupted;
    }
    job::writeFigure(output, *figure);
    return 0;
}

} // namespace

int bench(const std::vector<std::string>& args, const std::stop_token& stop) {
    const Values values = optionsAlone("bench",
                                       {{"device", "D"},
                                        {"scene", "X,Y[,Z]"},
                                        {"template", "X,Y[,Z]"},
                                        {"templates", "N"},
                                        {"set", "sizes|crossover|banks|volumes"},
                                        {"pixel", "TYPE"},
                                        {"threads", "N"},
                                        {"repeat", "N"},
                                        {"report", "FILE.json"},
                                        {"crossover", "FILE.png|FILE.json"},
                                        {"figure", "fig1|fig3"},
                                        {"operation", "lcc|convolve"},
                                        {"output", "FILE.png|FILE.json"},
                                        {"quick"}},
                                       args);
    if (values.contains("figure")) {
        return drawFigure(values, stop);
    }
    for (const std::string option : {"operation", "output", "quick"}) {
        if (values.contains(option)) {
            refuse("--" + option + " needs --figure");
        }
    }
    if (const std::string* const file = job::valueOf(values, "crossover")) {
        for (const auto& [name, value] : values) {
            if (name != "crossover" && name != "threads" && name != "device") {
                refuse("--crossover can only be combined with --threads and --device");
            }
        }
        job::CrossoverOptions options;
        options.device = deviceOf(values, "cpu");
        options.threads = threadsOf(values);
        job::writeCrossover(*file, options);
        return 0;
    }
    const job::BenchmarkOptions options = benchmarkOf(values);
    const std::filesystem::path report =
        values.contains("report") ? *job::valueOf(values, "report") : std::string();
    requireFolderOf(report);
    std::vector<job::BenchmarkRow> rows;
    (void)job::benchmark(options, stop, [&](const job::BenchmarkRow& row) {
        if (rows.empty()) {
            print(job::benchmarkVersions() + "\n\n" + job::benchmarkHead());
        }
        print(job::toMarkdown(row));
        rows.push_back(row);
        if (!report.empty()) { // the finished rows survive if a later one ends the program
            io::writeText(report, job::toJson(rows));
        }
    });
    if (stop.stop_requested()) {
        std::cerr << "flcc-cli: interrupted after " + std::to_string(rows.size()) + " rows\n"
                  << std::flush;
        return kInterrupted;
    }
    const auto wrong = std::count_if(rows.begin(), rows.end(),
                                     [](const job::BenchmarkRow& row) { return !row.sound(); });
    if (wrong > 0) {
        throw base::Error(base::ErrorCode::Internal,
                          std::to_string(wrong) +
                              " of the timed maps have wrong scores; run flcc-cli selftest");
    }
    const auto isFailed = [](const job::BenchmarkRow& row) { return row.failed; };
    if (const auto first = std::find_if(rows.begin(), rows.end(), isFailed); first != rows.end()) {
        throw base::Error(base::ErrorCode::Device,
                          std::to_string(std::count_if(first, rows.end(), isFailed)) + " of " +
                              std::to_string(rows.size()) +
                              " rows failed; the first error is: " + first->notRun);
    }
    return 0;
}

} // namespace flcc::app
