#include "app/cli_bench.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>

#include "app/cli_commands.h"
#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/job/benchmark.h"
#include "engine/job/crossover.h"
#include "engine/plan/planner.h"

namespace flcc::app {

namespace {

using base::Error;
using base::ErrorCode;

constexpr const char* kKnown = "--device D, --scene X,Y[,Z], --template X,Y[,Z], --pixel TYPE, "
                               "--threads N, --repeat N and --report FILE.json, or --crossover "
                               "FILE.png and --threads N";

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

/// The options by name, each with its value.
std::map<std::string, std::string> valuesOf(const std::vector<std::string>& args) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::size_t equals = args[i].find('=');
        const std::string name = args[i].substr(0, equals);
        static const std::vector<std::string> known{"--device", "--scene",    "--template",
                                                    "--pixel",  "--threads",  "--repeat",
                                                    "--report", "--crossover"};
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            refuse("unknown option " + name + "; bench knows " + kKnown);
        }
        if (values.contains(name)) {
            refuse("option " + name + " is given twice");
        }
        if (equals == std::string::npos && i + 1 == args.size()) {
            refuse("option " + name + " needs a value");
        }
        values[name] = equals == std::string::npos ? args[++i] : args[i].substr(equals + 1);
    }
    return values;
}

std::int64_t number(const std::string& option, std::string_view text, std::int64_t least,
                    std::int64_t most) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < least ||
        value > most) {
        refuse(option + " takes whole numbers from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not \"" + std::string(text) + "\"");
    }
    return value;
}

base::Extents extents(const std::string& option, const std::string& text) {
    constexpr std::int64_t kMost = 1 << 20;
    std::vector<std::int64_t> lengths;
    for (std::size_t begin = 0; begin <= text.size() && lengths.size() <= 3;) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        lengths.push_back(
            number(option, std::string_view(text).substr(begin, end - begin), 1, kMost));
        begin = end + 1;
    }
    if (lengths.size() < 2 || lengths.size() > 3) {
        refuse(option + " takes two or three lengths, X,Y or X,Y,Z, not \"" + text + "\"");
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

int threadsOf(const std::map<std::string, std::string>& values) {
    constexpr int kMostThreads = 4096;
    const auto found = values.find("--threads");
    return found == values.end()
               ? 0
               : static_cast<int>(number("--threads", found->second, 1, kMostThreads));
}

job::BenchmarkOptions optionsOf(const std::map<std::string, std::string>& values) {
    constexpr int kMostRepeats = 1000;
    job::BenchmarkOptions options;
    options.threads = threadsOf(values);
    job::BenchmarkProblem posed;
    for (const auto& [name, value] : values) {
        if (name == "--device") {
            options.device = value;
        } else if (name == "--pixel") {
            options.pixel = pixelType(value);
        } else if (name == "--repeat") {
            options.repeat = static_cast<int>(number(name, value, 1, kMostRepeats));
        } else if (name == "--scene") {
            posed.scene = extents(name, value);
        } else if (name == "--template") {
            posed.templ = extents(name, value);
        }
    }
    if (!plan::isDeviceName(options.device)) {
        refuse("--device takes auto, cpu, cuda or cuda:N, not \"" + options.device + "\"");
    }
    if (values.contains("--scene") != values.contains("--template")) {
        refuse("--scene and --template go together: the problem that is timed");
    }
    if (values.contains("--scene")) {
        options.problems = {posed};
    }
    return options;
}

void print(const std::string& text) {
    std::cout << text << std::flush;
    if (!std::cout) {
        throw Error(ErrorCode::Output, "cannot write to standard output; is the pipe closed?");
    }
}

} // namespace

int bench(const std::vector<std::string>& args, const std::stop_token& stop) {
    const std::map<std::string, std::string> values = valuesOf(args);
    if (values.contains("--crossover")) {
        if (values.size() > (values.contains("--threads") ? 2U : 1U)) {
            refuse("--crossover goes with --threads alone; bench knows " + std::string(kKnown));
        }
        job::writeCrossover(values.at("--crossover"), threadsOf(values));
        return 0;
    }
    const job::BenchmarkOptions options = optionsOf(values);
    const std::filesystem::path report =
        values.contains("--report") ? values.at("--report") : std::string();
    if (report.has_parent_path() && !std::filesystem::is_directory(report.parent_path())) {
        throw Error(ErrorCode::Output, "cannot write " + report.string() + ": the folder " +
                                           report.parent_path().string() + " does not exist");
    }
    bool headed = false;
    const std::vector<job::BenchmarkRow> rows =
        job::benchmark(options, stop, [&headed](const job::BenchmarkRow& row) {
            if (!headed) {
                print(job::benchmarkVersions() + "\n\n" + job::benchmarkHead());
                headed = true;
            }
            print(job::toMarkdown(row));
        });
    if (stop.stop_requested()) {
        std::cerr << "flcc-cli: interrupted; no report was written\n" << std::flush;
        return kInterrupted;
    }
    if (!report.empty()) {
        io::writeText(report, job::toJson(rows));
    }
    const auto wrong = std::count_if(rows.begin(), rows.end(),
                                     [](const job::BenchmarkRow& row) { return !row.sound(); });
    if (wrong > 0) {
        throw Error(ErrorCode::Internal,
                    std::to_string(wrong) + " of the maps that were timed are wrong");
    }
    return 0;
}

} // namespace flcc::app
