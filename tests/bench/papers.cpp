#include "tests/bench/papers.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/job/convolve_job.h"
#include "engine/job/job.h"
#include "engine/job/report.h"
#include "engine/method/operation.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using base::Extents;
using nlohmann::json;

constexpr int kMostRepeats = 3; ///< of runs that take seconds

std::shared_ptr<const job::SceneImage> inMemory(base::AnyImage pixels) {
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = std::move(pixels);
    image->source = "noise";
    return image;
}

struct PaperRow {
    std::string section; ///< of RESULTS.md
    std::string what;
    std::string_view pixel;
    Extents scene;
    Extents templ;
    /// Times of the paper and what it ran on; the first is compared with.
    std::vector<std::pair<std::string, double>> peers;
    std::string method;
    double ms = 0;
};

json printRow(const PaperRow& row) {
    std::string times;
    json peers = json::array();
    for (const auto& [name, ms] : row.peers) {
        times += (times.empty() ? "" : "; ") + fixed(ms, 0) + " ms, " + name;
        peers.push_back({{"name", name}, {"ms", ms}});
    }
    std::cout << "| " << row.what << ", " << sizeText(row.scene) << " with " << sizeText(row.templ)
              << " | " << times << " | " << row.method << " | " << fixed(row.ms, 0) << " | "
              << fixed(row.peers.front().second / row.ms, 1) << " |\n"
              << std::flush;
    return {{"section", row.section},
            {"what", row.what},
            {"pixel", row.pixel},
            {"scene_extents", sizeText(row.scene)},
            {"template_extents", sizeText(row.templ)},
            {"peers", peers},
            {"method", row.method},
            {"own_ms", row.ms}};
}

/// Karas, 2.0.0.1: "cca for 7 days".
json karas(int threads, int repeat) {
    constexpr double kDayMs = 24 * 3600 * 1000.0;
    job::ConvolveJob task;
    task.kernel = "kernel.mha"; // in memory; the name only says that it is no kernel by name
    task.scene = "scene.mha";
    task.precision = method::Precision::Double;
    task.threads = threads;
    task.repeat = std::min(repeat, kMostRepeats);
    PaperRow row;
    row.section = "filters";
    row.what = "convolution of Karas";
    row.pixel = "float32 in double precision";
    row.scene = {1024, 1024, 100};
    row.templ = {128, 128, 100};
    row.peers = {
        {"by the definition, quad-core Xeon at 2.83 GHz (paper: about 7 days)", 7 * kDayMs}};
    const job::ConvolveResult result =
        job::runConvolve(task, {inMemory(noise(base::PixelType::Float32, row.scene, 1)),
                                inMemory(noise(base::PixelType::Float32, row.templ, 2))});
    row.method = methodText(result.report.candidates.front().candidate);
    row.ms = result.report.run->executeMs.median;
    return printRow(row);
}

/// Gholami, Fig. 3.3.
struct Experiment {
    Extents scene;
    std::int64_t templ;
    double serialMs;
    double gpuMs; ///< with data transfer
};
constexpr std::array<Experiment, 4> kGholami{{{{630, 459, 1}, 116, 10787, 345},
                                              {{1203, 460, 1}, 116, 22615, 665},
                                              {{1211, 1500, 1}, 116, 92204, 1980},
                                              {{3840, 2160, 1}, 214, 1722131, 28977}}};

/// The kernel of the paper adds up three channels, so three searches are one of the paper.
json gholami(const Experiment& one, int threads, int repeat) {
    constexpr int kChannels = 3;
    PaperRow row;
    row.section = "operations";
    row.what = "sad of three channels of Gholami";
    row.pixel = "uint8";
    row.scene = one.scene;
    row.templ = {one.templ, one.templ, 1};
    row.peers = {{"GeForce 850M with transfers (paper)", one.gpuMs},
                 {"serial, Core i7-4710HQ (paper)", one.serialMs}};
    for (std::uint32_t channel = 1; channel <= kChannels; ++channel) {
        const base::AnyImage scene = noise(base::PixelType::UInt8, one.scene, channel);
        job::Job task;
        task.scene = "scene.mha";
        task.templates = {"template.mha"};
        task.operation = method::operationNamed("sad").value();
        task.maxPeaks = 1;
        task.threads = threads;
        task.repeat = std::min(repeat, kMostRepeats);
        const job::JobResult result = job::runJob(
            task, {inMemory(base::copyOf(base::viewOf(scene))), {inMemory(cut(scene, row.templ))}});
        const job::JobReport& report = result.report;
        row.ms += report.run->executeMs.median;
        row.method = methodText(report.plan.chosen()->candidate);
        if (result.peaks.empty() || result.peaks.front().score != 0) {
            throw std::runtime_error("the template was not found where it was cut");
        }
    }
    return printRow(row);
}

} // namespace

json runPapers(int threads, int repeat) {
    std::cout << threads << " threads, medians of at most " << kMostRepeats
              << " runs of prepare + execute; Gholami's rows are sums over three channels\n\n"
              << "| example | time in the paper | our method | ours, ms | times faster |\n"
              << "|---|---|---|---:|---:|\n";
    json rows = json::array();
    for (const Experiment& one : kGholami) {
        rows.push_back(gholami(one, threads, repeat));
    }
    rows.push_back(karas(threads, repeat));
    return rows;
}

} // namespace flcc::bench
