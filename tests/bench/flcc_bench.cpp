// flcc-bench: how long matching takes, beside other programs and beside what the machine allows,
// how well it was predicted, and what memory it takes.

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/allocation.h"
#include "engine/base/tile_pool.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/beside_filters.h"
#include "tests/bench/beside_opencv.h"
#include "tests/bench/beside_operations.h"
#include "tests/bench/beside_skimage.h"
#include "tests/bench/choices.h"
#include "tests/bench/contestants.h"
#include "tests/bench/limits.h"
#include "tests/bench/memory.h"
#include "tests/bench/papers.h"
#include "tests/bench/record.h"
#include "tests/bench/results.h"
#include "tests/bench/text.h"

namespace {

using namespace flcc;
using bench::Case;
using nlohmann::json;

constexpr std::string_view kUsage =
    R"(usage: flcc-bench [TABLE] [--threads N] [--repeat N] [--turn MS] [--ipp PYTHON] [--json FILE]
                  [--record FILE.json]

Without a table: medians of prepare + execute beside OpenCV's matchTemplate(TM_CCOEFF_NORMED) with as
many threads, calls alternating; --turn lets each go on for MS before the other's turn, here and in
--grid, and takes the mean; with --ipp PYTHON, a Python with the packages numpy and ipp of PyPI, beside
Intel IPP's ippiCrossCorrNorm instead, in both. Tables:
  --grid [--pixel float32|uint8|uint16] [--cell SCENE/TEMPLATE]...
                  beside OpenCV: scenes of 512, 2000 and 4096 squared, templates of 4 to 256 squared,
                  or those of the cells alone, as --cell 512/64
  --volumes [--large]
                  beside scikit-image's match_template in 3D; --large adds 513x513x513
  --filters       convolutions and filters beside OpenCV's
  --operations    operations of a match other than lcc beside OpenCV's
  --papers        examples of Karas and Gholami beside the times that their papers state
  --limits        beside the peak of multiply-adds and FFTW's transforms alone
  --memory        predicted and measured rise of the resident peak
  --predictions   predicted and measured times of ten problems
  --choices       what the planner chose against the best candidate, over 60 problems
A table in Markdown goes to standard output, every single time as JSON to FILE. --record FILE.json
writes the figures for RESULTS.md, of this machine and day; goals that the file has stay.
  --results [FOLDER]
                  prints RESULTS.md, made from FOLDER/*.json (tests/bench/results)
The exit code is 1 when a map that was timed holds a LOWCONF voxel.
)";

struct Options {
    std::string table;
    base::PixelType pixel = base::PixelType::Float32;
    std::set<std::string> cells; // of --grid; empty: all
    bool large = false;
    bool help = false;
    int threads = base::availableThreads();
    int repeat = 7;
    double turnMs = 0;
    std::string ipp;
    std::string json;
    std::string record;
    std::optional<std::string> results;   // the folder of the page to print
    std::optional<std::size_t> memoryRow; // one row of --memory, for that table's own use
};

int positive(const std::string& option, const std::string& text) {
    std::size_t used = 0;
    const int value = std::stoi(text, &used);
    if (used != text.size() || value < 1) {
        throw std::invalid_argument(option + " takes a whole number above 0, not " + text);
    }
    return value;
}

base::PixelType pixelOf(const std::string& text) {
    for (const base::PixelType type :
         {base::PixelType::Float32, base::PixelType::UInt8, base::PixelType::UInt16}) {
        if (base::name(type) == text) {
            return type;
        }
    }
    throw std::invalid_argument("--pixel takes float32, uint8 or uint16, not " + text);
}

/// One plan and what it took.
struct Predicted {
    std::string method;
    double predictedMs = 0;
    std::vector<double> measured;

    [[nodiscard]] double ratio() const { return bench::median(measured) / predictedMs; }
};

/// Of several plans, each followed by its runs, the one whose prediction was of median quality: the
/// machine may change its pace between a plan and its runs.
Predicted predictOne(const Case& one, plan::Planning planning, base::TilePool& pool, int repeat) {
    constexpr std::size_t kPlans = 5;
    std::vector<Predicted> plans;
    while (plans.size() < kPlans) {
        bench::OwnRun own(one.scene, one.templ, planning, pool);
        own.run();
        Predicted& last = plans.emplace_back();
        last.method = bench::methodText(own.candidate());
        last.predictedMs = own.predictedMs();
        for (int i = 0; i < repeat; ++i) {
            last.measured.push_back(own.run());
        }
    }
    const auto middle = plans.begin() + kPlans / 2;
    std::nth_element(plans.begin(), middle, plans.end(),
                     [](const auto& a, const auto& b) { return a.ratio() < b.ratio(); });
    return *middle;
}

json predict(base::TilePool& pool, int repeat) {
    std::cout << pool.threads() << " threads, measured: medians of " << repeat
              << " runs; of 5 plans the one of median ratio\n\n"
              << "| scene | type | template | planning | method | predicted, ms | measured, ms | "
                 "measured/predicted |\n|---|---|---|---|---|---:|---:|---:|\n";
    json rows = json::array();
    for (const Case& one : bench::predictionCases()) {
        for (const plan::Planning planning : {plan::Planning::Estimate, plan::Planning::Measure}) {
            const Predicted found = predictOne(one, planning, pool, repeat);
            const method::Problem problem = bench::problemOf(one.scene, one.templ);
            std::cout << "| " << bench::sizeText(problem.scene) << " | "
                      << base::name(problem.scenePixel) << " | " << bench::sizeText(problem.templ)
                      << " | " << plan::name(planning) << " | " << found.method << " | "
                      << bench::fixed(found.predictedMs, 2) << " | "
                      << bench::fixed(bench::median(found.measured), 2) << " | "
                      << bench::fixed(found.ratio(), 2) << " |\n"
                      << std::flush;
            rows.push_back({{"scene_extents", bench::sizeText(problem.scene)},
                            {"pixel", base::name(problem.scenePixel)},
                            {"template_extents", bench::sizeText(problem.templ)},
                            {"planning", plan::name(planning)},
                            {"method", found.method},
                            {"predicted_ms", found.predictedMs},
                            {"measured_ms", found.measured},
                            {"ratio", found.ratio()}});
        }
    }
    return rows;
}

using Table = std::function<json(const Options&, base::TilePool&)>;

const std::map<std::string, Table>& tables() {
    static const std::map<std::string, Table> all{
        {"",
         [](const Options& o, base::TilePool& pool) {
             return bench::compare(pool, {o.repeat, o.turnMs, o.ipp});
         }},
        {"--grid",
         [](const Options& o, base::TilePool& pool) {
             return bench::compareGrid(o.pixel, o.cells, pool, {o.repeat, o.turnMs, o.ipp});
         }},
        {"--filters", [](const Options& o,
                         base::TilePool& pool) { return bench::compareFilters(pool, o.repeat); }},
        {"--operations",
         [](const Options& o, base::TilePool& pool) {
             return bench::compareOperations(pool, o.repeat);
         }},
        {"--papers",
         [](const Options& o, base::TilePool&) { return bench::runPapers(o.threads, o.repeat); }},
        {"--volumes",
         [](const Options& o, base::TilePool& pool) {
             return bench::compareVolumes(o.large, pool, o.repeat);
         }},
        {"--limits", [](const Options& o,
                        base::TilePool& pool) { return bench::measureLimits(pool, o.repeat); }},
        {"--memory",
         [](const Options& o, base::TilePool&) { return bench::measureMemory(o.threads); }},
        {"--predictions",
         [](const Options& o, base::TilePool& pool) { return predict(pool, o.repeat); }},
        {"--choices", [](const Options& o,
                         base::TilePool& pool) { return bench::measureChoices(pool, o.repeat); }},
    };
    return all;
}

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == arguments.size()) {
                throw std::invalid_argument(name + " needs a value");
            }
            return arguments[++i];
        };
        if (tables().contains(name)) {
            options.table = name;
        } else if (name == "--pixel") {
            options.pixel = pixelOf(value());
        } else if (name == "--cell") {
            options.cells.insert(value());
        } else if (name == "--large") {
            options.large = true;
        } else if (name == "--memory-row") {
            options.memoryRow = std::stoul(value());
        } else if (name == "--threads") {
            options.threads = positive(name, value());
        } else if (name == "--repeat") {
            options.repeat = positive(name, value());
        } else if (name == "--turn") {
            options.turnMs = positive(name, value());
        } else if (name == "--ipp") {
            options.ipp = value();
        } else if (name == "--json") {
            options.json = value();
        } else if (name == "--record") {
            options.record = value();
        } else if (name == "--results") {
            options.results = i + 1 < arguments.size() ? value() : FLCC_BENCH_RESULTS;
        } else if (name == "--help") {
            options.help = true;
        } else {
            throw std::invalid_argument("unknown option " + name);
        }
    }
    return options;
}

/// The command line that repeats a run, without the files it writes.
std::string commandOf(const std::vector<std::string>& arguments) {
    std::string command = "flcc-bench";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--json" || arguments[i] == "--record") {
            ++i;
        } else {
            const bool isPython = i > 0 && arguments[i - 1] == "--ipp"; // a path of this machine
            command += " " + (isPython ? "PYTHON" : arguments[i]);
        }
    }
    return command;
}

/// Voxels of all maps that broke the promise.
std::int64_t lowConf(const json& rows) {
    std::int64_t sum = 0;
    for (const json& row : rows) {
        sum += row.value("low_confidence", std::int64_t{0});
    }
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse({argv + 1, argv + argc});
        if (options.help) {
            std::cout << kUsage;
            return 0;
        }
        if (options.results) {
            std::cout << bench::resultsPage(*options.results);
            return 0;
        }
        base::keepFreedBuffers(); // as the programs do
        if (options.memoryRow) {
            std::cout << bench::measureMemoryHere(*options.memoryRow, options.threads) << '\n';
            return 0;
        }
        base::TilePool pool(options.threads);
        const json rows = tables().at(options.table)(options, pool);
        if (!options.json.empty()) {
            std::ofstream file(options.json);
            file << rows.dump(2) << '\n';
            if (!file.flush()) {
                throw std::runtime_error(options.json + " cannot be written");
            }
        }
        if (const std::int64_t broken = lowConf(rows); broken > 0) {
            throw std::runtime_error(std::to_string(broken) + " LOWCONF voxels");
        }
        if (!options.record.empty()) {
            bench::record(options.record, options.table, rows, commandOf({argv + 1, argv + argc}),
                          options.threads);
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "flcc-bench: " << error.what() << '\n';
        return 1;
    }
}
