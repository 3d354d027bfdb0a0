// flcc-bench: how long matching takes, beside OpenCV's matchTemplate, and how well it was
// predicted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/status.h"
#include "engine/base/tile_pool.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/choices.h"
#include "tests/bench/contestants.h"

namespace {

using namespace flcc;
using bench::Case;
using nlohmann::json;

constexpr std::string_view kUsage =
    R"(usage: flcc-bench [--grid | --predictions | --choices] [--threads N] [--repeat N] [--json FILE]

Without: medians of prepare + execute beside OpenCV's matchTemplate(TM_CCOEFF_NORMED)
with as many threads, calls alternating. With --grid: scenes of 512, 2000 and 4096 squared with
templates of 4 to 256 squared. With --predictions: predicted and measured times of ten problems.
With --choices: what the planner chose against the best candidate, over 60 problems.
A table in Markdown goes to standard output, the same rows as JSON to FILE.
)";

struct Options {
    bool grid = false;
    bool predictions = false;
    bool choices = false;
    bool help = false;
    int threads = base::availableThreads();
    int repeat = 7;
    std::string json;
};

int positive(const std::string& option, const std::string& text) {
    std::size_t used = 0;
    const int value = std::stoi(text, &used);
    if (used != text.size() || value < 1) {
        throw std::invalid_argument(option + " takes a whole number above 0, not " + text);
    }
    return value;
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
        if (name == "--grid") {
            options.grid = true;
        } else if (name == "--predictions") {
            options.predictions = true;
        } else if (name == "--choices") {
            options.choices = true;
        } else if (name == "--threads") {
            options.threads = positive(name, value());
        } else if (name == "--repeat") {
            options.repeat = positive(name, value());
        } else if (name == "--json") {
            options.json = value();
        } else if (name == "--help") {
            options.help = true;
        } else {
            throw std::invalid_argument("unknown option " + name);
        }
    }
    return options;
}

/// "512x512" for images, "64x64x64" for volumes.
std::string sizeText(const base::Extents& extents) {
    const std::string text = base::toString(extents);
    return base::isFlat2D(extents) ? text.substr(0, text.rfind('x')) : text;
}

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string methodText(const method::Candidate& candidate) {
    return candidate.method + (candidate.tile.x > 0 ? " " + sizeText(candidate.tile) : "");
}

struct Difference {
    double largest = 0;
    std::int64_t compared = 0;
};

/// The largest difference over the voxels where both have a finite value.
Difference difference(const method::MatchMap& own, const base::View<const float>& peer) {
    Difference found;
    const auto values = own.value.view();
    const auto status = own.status.view();
    const base::Extents extents = values.extents();
    for (std::int64_t y = 0; y < extents.y; ++y) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const double distance = std::abs(static_cast<double>(values.at(x, y, 0)) -
                                             static_cast<double>(peer.at(x, y, 0)));
            if (base::hasValue(status.at(x, y, 0)) && std::isfinite(distance)) {
                found.largest = std::max(found.largest, distance);
                ++found.compared;
            }
        }
    }
    return found;
}

/// One row, printed and as JSON.
json compareOne(const Case& one, int repeat, base::TilePool& pool) {
    bench::OwnRun own(one.scene, one.templ, plan::Planning::Measure, pool);
    bench::OpenCvRun peer(one.scene, one.templ);
    own.run();
    peer.run();
    std::vector<double> ownMs;
    std::vector<double> peerMs;
    for (int i = 0; i < repeat; ++i) {
        ownMs.push_back(own.run());
        peerMs.push_back(peer.run());
    }
    const method::Problem problem = bench::problemOf(one.scene, one.templ);
    const Difference apart = difference(own.map(), peer.map());
    const method::Candidate& chosen = own.report().chosen()->candidate;
    const double ours = bench::median(ownMs);
    const double theirs = bench::median(peerMs);
    std::cout << "| " << one.name << " | " << sizeText(problem.scene) << " | "
              << base::name(problem.scenePixel) << " | " << sizeText(problem.templ) << " | "
              << methodText(chosen) << " | " << fixed(ours, 2) << " | " << fixed(theirs, 2) << " | "
              << fixed(theirs / ours, 1) << " | " << apart.largest << " |\n"
              << std::flush;
    return {{"scene", one.name},
            {"scene_extents", sizeText(problem.scene)},
            {"pixel", base::name(problem.scenePixel)},
            {"template_extents", sizeText(problem.templ)},
            {"method", methodText(chosen)},
            {"own_ms", ownMs},
            {"opencv_ms", peerMs},
            {"ratio", theirs / ours},
            {"largest_difference", apart.largest},
            {"voxels_compared", apart.compared}};
}

void printComparisonHead(const Options& options) {
    bench::OpenCvRun::setThreads(options.threads);
    std::cout << "OpenCV " << bench::OpenCvRun::version() << ", " << options.threads
              << " threads, medians of " << options.repeat << " alternating calls\n\n"
              << "| scene | size | type | template | method | ours, ms | OpenCV, ms | ratio | "
                 "largest difference |\n|---|---|---|---|---|---:|---:|---:|---:|\n";
}

json compare(const Options& options, base::TilePool& pool) {
    printComparisonHead(options);
    json rows = json::array();
    for (const Case& one : bench::comparisonCases()) {
        rows.push_back(compareOne(one, options.repeat, pool));
    }
    return rows;
}

/// Of each cell the worse of noise and picture counts.
json compareGrid(const Options& options, base::TilePool& pool) {
    printComparisonHead(options);
    json rows = json::array();
    std::map<std::string, double> cells;
    for (const std::int64_t scene : {512, 2000, 4096}) {
        for (const std::int64_t size : {4, 8, 11, 16, 24, 32, 64, 128, 256}) {
            for (const Case& one : bench::squareCases(scene, {size})) {
                const json row = compareOne(one, options.repeat, pool);
                const double ratio = row.at("ratio").get<double>();
                double& cell =
                    cells.try_emplace(std::to_string(scene) + "/" + std::to_string(size), ratio)
                        .first->second;
                cell = std::min(cell, ratio);
                rows.push_back(row);
            }
        }
    }
    double logarithms = 0;
    double least = cells.begin()->second;
    for (const auto& [name, ratio] : cells) {
        logarithms += std::log(ratio);
        least = std::min(least, ratio);
    }
    std::cout << "\nGeometric mean of the cells "
              << fixed(std::exp(logarithms / static_cast<double>(cells.size())), 1) << ", least "
              << fixed(least, 1) << "\n";
    return rows;
}

json predict(const Options& options, base::TilePool& pool) {
    std::cout << options.threads << " threads, measured: medians of " << options.repeat << "\n\n"
              << "| scene | type | template | planning | method | predicted, ms | measured, ms | "
                 "measured/predicted |\n|---|---|---|---|---|---:|---:|---:|\n";
    json rows = json::array();
    for (const Case& one : bench::predictionCases()) {
        for (const plan::Planning planning : {plan::Planning::Estimate, plan::Planning::Measure}) {
            bench::OwnRun own(one.scene, one.templ, planning, pool);
            own.run();
            std::vector<double> measured;
            for (int i = 0; i < options.repeat; ++i) {
                measured.push_back(own.run());
            }
            const method::Problem problem = bench::problemOf(one.scene, one.templ);
            const std::string method = methodText(own.report().chosen()->candidate);
            const double predictedMs = own.predictedMs();
            const double measuredMs = bench::median(measured);
            std::cout << "| " << sizeText(problem.scene) << " | " << base::name(problem.scenePixel)
                      << " | " << sizeText(problem.templ) << " | " << plan::name(planning) << " | "
                      << method << " | " << fixed(predictedMs, 2) << " | " << fixed(measuredMs, 2)
                      << " | " << fixed(measuredMs / predictedMs, 2) << " |\n"
                      << std::flush;
            rows.push_back({{"scene_extents", sizeText(problem.scene)},
                            {"pixel", base::name(problem.scenePixel)},
                            {"template_extents", sizeText(problem.templ)},
                            {"planning", plan::name(planning)},
                            {"method", method},
                            {"predicted_ms", predictedMs},
                            {"measured_ms", measured},
                            {"ratio", measuredMs / predictedMs}});
        }
    }
    return rows;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse({argv + 1, argv + argc});
        if (options.help) {
            std::cout << kUsage;
            return 0;
        }
        base::TilePool pool(options.threads);
        const json rows = options.choices       ? bench::measureChoices(pool, options.repeat)
                          : options.predictions ? predict(options, pool)
                          : options.grid        ? compareGrid(options, pool)
                                                : compare(options, pool);
        if (!options.json.empty()) {
            std::ofstream file(options.json);
            file << rows.dump(2) << '\n';
            if (!file.flush()) {
                throw std::runtime_error(options.json + " cannot be written");
            }
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "flcc-bench: " << error.what() << '\n';
        return 1;
    }
}
