#include "engine/job/benchmark.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/median.h"
#include "engine/base/random.h"
#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/job/detail/text.h"
#include "engine/job/knowledge.h"
#include "engine/job/report.h"
#include "engine/method/canonical.h"
#include "engine/plan/planner.h"

namespace flcc::job {

namespace {

using base::Extents;
using detail::fixed;
using method::Candidate;
using method::Problem;

constexpr double kLongestMs = 10'000; ///< predicted; longer ones are not run
constexpr double kSeriesMs = 4'000;   ///< a series of runs ends after it ...
constexpr std::size_t kFewest = 3;    ///< ... when it has so many
constexpr int kChecked = 64;

Extents cubeOf(std::int64_t side, bool volume) { return {side, side, volume ? side : 1}; }

/// Sums of four even numbers: mean 100, deviation 20, within 30 to 170.
base::AnyImage noise(base::PixelType type, const Extents& extents) {
    base::AnyImage made = base::makeImage(type, extents);
    std::visit(
        [](auto& image) {
            using T = std::remove_pointer_t<decltype(image.data())>;
            constexpr double kMean = 2 * 65535.0;
            const double scale = 20 / (65536 * std::sqrt(4 / 12.0));
            base::Random random(1);
            for (std::int64_t i = 0; i < image.count(); ++i) {
                const std::uint64_t bits = random.bits();
                const auto sum = static_cast<double>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) +
                                                     (bits >> 32 & 0xFFFF) + (bits >> 48));
                image.data()[i] = static_cast<T>(100 + scale * (sum - kMean));
            }
        },
        made);
    return made;
}

base::AnyImage cutFrom(const base::AnyImage& scene, const Extents& templ) {
    const Extents n = base::extentsOf(scene);
    const base::Index corner{(n.x - templ.x) / 3, (n.y - templ.y) / 3, (n.z - templ.z) / 3};
    return base::copyOf(base::partOf(base::viewOf(scene), {corner, templ}));
}

/// One way to solve the problem under way, timed.
class Timing {
  public:
    Timing(const method::Method& method, const base::AnyImage& scene, const base::AnyImage& templ,
           base::TilePool& pool, const std::stop_token& stop, BenchmarkRow& row)
        : m_method(method), m_scene(base::viewOf(scene)), m_templ(base::viewOf(templ)),
          m_pool(pool), m_stop(stop), m_row(row), m_map(method::mapExtents(row.problem)) {}

    /// False when stopped.
    bool run(int repeat) {
        m_method.warmUp(m_row.problem, m_row.candidate);
        if (!series(m_row.singleMs, repeat, [this] { // prepared anew each time
                m_prepared = m_method.prepare(m_row.problem, m_row.candidate, m_templ);
                m_workspace = m_method.makeWorkspace(m_row.problem, m_row.candidate);
                execute();
            })) {
            return false;
        }
        std::map<std::string, std::vector<double>> stages;
        std::vector<std::string> order;
        if (!series(m_row.streamMs, repeat, [&] {
                execute();
                for (const auto& [name, ms] : m_outcome.stagesMs) {
                    std::vector<double>& all = stages[name];
                    if (all.empty()) {
                        order.push_back(name);
                    }
                    all.push_back(ms);
                }
            })) {
            return false;
        }
        for (const std::string& name : order) {
            m_row.stagesMs.emplace_back(name, base::median(stages[name]));
        }
        judge();
        return true;
    }

  private:
    void execute() {
        m_outcome = m_method.execute(m_row.problem, m_row.candidate, *m_prepared, m_scene,
                                     *m_workspace, {m_pool, m_stop, {}}, method::viewOf(m_map));
    }

    template <class Run> bool series(std::vector<double>& times, int repeat, Run&& once) {
        once(); // warms up
        const base::Stopwatch all;
        while (times.size() < kFewest || (std::ssize(times) < repeat && all.ms() < kSeriesMs)) {
            if (m_stop.stop_requested()) {
                return false;
            }
            const base::Stopwatch watch;
            once();
            times.push_back(watch.ms());
        }
        return !m_stop.stop_requested();
    }

    void judge() {
        const method::MapFacts& facts = m_outcome.facts;
        m_row.recomputed = facts.recomputed;
        m_row.lowConf = facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
        m_row.largestBound = std::max(facts.largestBound, facts.largestLowConf);
        const method::CanonicalTemplate templ(m_templ);
        const Extents& n = m_map.value.extents();
        base::Random random(2);
        const auto below = [&random](std::int64_t count) {
            return static_cast<std::int64_t>(random.bits() % static_cast<std::uint64_t>(count));
        };
        for (int i = 0; i < kChecked; ++i) {
            const std::int64_t x = below(n.x);
            const std::int64_t y = below(n.y);
            const base::Index at{x, y, below(n.z)};
            const double error = std::fabs(static_cast<double>(m_map.value.view().at(at)) -
                                           method::canonicalScore(m_scene, templ, at));
            m_row.largestError = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                                   : std::max(m_row.largestError, error);
        }
    }

    const method::Method& m_method;
    method::MaskedView m_scene;
    method::MaskedView m_templ;
    base::TilePool& m_pool;
    const std::stop_token& m_stop;
    BenchmarkRow& m_row;
    method::MatchMap m_map;
    method::Outcome m_outcome;
    std::shared_ptr<const method::Prepared> m_prepared;
    std::unique_ptr<method::Workspace> m_workspace;
};

/// The candidate of `method` with the shortest predicted time, or why there is none.
BenchmarkRow rowOf(const method::Method& method, const Problem& problem, int threads) {
    BenchmarkRow row;
    row.problem = problem;
    row.predictedMs = std::numeric_limits<double>::infinity();
    row.candidate = {std::string(method.name()), std::string(method.device()), {0, 0, 0}, threads};
    const auto known = knowledge();
    const method::CostModel model = known->model.value_or(method::CostModel{});
    method::Limits limits;
    limits.threads = threads;
    for (const Candidate& candidate : method.candidates(problem, limits, {0, 0, 0})) {
        const auto verdict = method.predict(problem, candidate, limits, model, nullptr);
        if (const auto* refusal = std::get_if<method::Refusal>(&verdict)) {
            row.notRun = std::isinf(row.predictedMs) ? refusal->reason : row.notRun;
        } else if (const double ms = std::get<method::Prediction>(verdict).ms;
                   ms < row.predictedMs) {
            row.predictedMs = ms;
            row.candidate = candidate;
            row.notRun.clear();
        }
    }
    if (std::isinf(row.predictedMs)) {
        row.predictedMs = 0;
    } else if (row.predictedMs > kLongestMs) {
        row.notRun = "predicted to take " + fixed(row.predictedMs / 1000, 0) + " s";
    }
    return row;
}

/// A device; of "cuda" all GPUs that can be used as one.
plan::Device deviceOf(const std::string& id) {
    plan::Device all;
    for (plan::Device& device : plan::devices(plan::DeviceDetail::Names)) {
        if (device.id == id && !device.name.empty()) {
            return std::move(device);
        }
        if (id == "cuda" && device.id != "cpu" && device.usable) {
            all.name += (all.name.empty() ? "" : " + ") + device.name;
            all.peakMultiplyAdds += device.peakMultiplyAdds;
        }
    }
    if (!all.name.empty()) {
        return all;
    }
    throw base::Error(base::ErrorCode::Device,
                      "device '" + id +
                          "' does not tell its name, without which a time is no "
                          "result");
}

std::string sizeText(const Extents& extents) {
    return base::isFlat2D(extents) ? std::to_string(extents.x) + "x" + std::to_string(extents.y)
                                   : base::toString(extents);
}

/// Median milliseconds of a stage; nothing where the method has none of that name.
std::optional<double> stageOf(const BenchmarkRow& row, std::string_view name) {
    for (const auto& [stage, ms] : row.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<BenchmarkProblem> benchmarkProblems() {
    struct Sides {
        bool volume;
        std::int64_t scene;
        std::vector<std::int64_t> templates;
    };
    std::vector<BenchmarkProblem> problems;
    for (const Sides& sides :
         {Sides{false, 2000, {4, 8, 16, 32, 64}}, Sides{false, 8192, {4, 8, 16, 32, 64}},
          Sides{false, 4096, {16, 32, 64, 128, 256}}, Sides{true, 256, {8, 16, 32}},
          Sides{true, 513, {8, 16, 32}}}) {
        for (const std::int64_t templ : sides.templates) {
            problems.push_back({cubeOf(sides.scene, sides.volume), cubeOf(templ, sides.volume)});
        }
    }
    return problems;
}

bool BenchmarkRow::sound() const {
    return lowConf == 0 && largestError <= largestBound + 0x1p-24 + 1e-12;
}

std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, const std::stop_token& stop,
                                    const BenchmarkTold& told) {
    const std::vector<const method::Method*> methods = plan::methodsOn(options.device);
    const int threads = options.threads > 0 ? options.threads : base::availableThreads();
    base::TilePool pool(threads);
    std::vector<BenchmarkRow> rows;
    base::AnyImage scene;
    for (const BenchmarkProblem& posed : options.problems) {
        Problem problem;
        problem.scene = posed.scene;
        problem.templ = posed.templ;
        problem.scenePixel = options.pixel;
        problem.templPixel = options.pixel;
        (void)method::mapExtents(problem); // before anything is made
        if (!(base::extentsOf(scene) == posed.scene)) {
            scene = noise(options.pixel, posed.scene);
        }
        const base::AnyImage templ = cutFrom(scene, posed.templ);
        for (const method::Method* method : methods) {
            BenchmarkRow row = rowOf(*method, problem, threads);
            const plan::Device device = deviceOf(row.candidate.device);
            row.deviceName = device.name;
            row.peakMultiplyAdds = device.peakMultiplyAdds;
            try {
                if (row.notRun.empty() &&
                    !Timing(*method, scene, templ, pool, stop, row).run(options.repeat)) {
                    return rows;
                }
            } catch (const base::Error& error) {
                if (error.code() != base::ErrorCode::Memory) {
                    throw;
                }
                row.notRun = error.what();
            }
            told(row);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::string benchmarkVersions() {
    std::string text;
    for (const auto& [library, version] : environment().versions) {
        text += (text.empty() ? "" : "; ") + library + " " + version;
    }
    return text;
}

std::string benchmarkHead() {
    return "| device | scene | type | template | method | threads | single, ms | stream, ms | "
           "upload, ms | download, ms | compute, ms | predicted, ms | multiply-adds, G/s | of "
           "peak, % "
           "| error of " +
           std::to_string(kChecked) +
           " voxels | bound |\n|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:"
           "|---:|---:|\n";
}

std::string toMarkdown(const BenchmarkRow& row) {
    const Extents& tile = row.candidate.tile;
    std::string text = "| " + row.deviceName + " (" + row.candidate.device + ") | " +
                       sizeText(row.problem.scene) + " | " +
                       std::string(base::name(row.problem.scenePixel)) + " | " +
                       sizeText(row.problem.templ) + " | " + row.candidate.method +
                       (tile.x > 0 ? " " + sizeText(tile) : "") + " | " +
                       std::to_string(row.candidate.threads) + " | ";
    if (!row.notRun.empty()) {
        return text + "not run: " + row.notRun + " | | | | | | | | | |\n";
    }
    const double stream = base::median(row.streamMs);
    const std::optional<double> up = stageOf(row, "upload");
    const std::optional<double> down = stageOf(row, "download");
    // On a device beside the transfers; a processor does nothing else.
    const double compute = std::max(stageOf(row, "kernel").value_or(stream), 1e-6);
    const double products = static_cast<double>(base::voxelCount(row.problem.templ)) *
                            static_cast<double>(base::voxelCount(method::mapExtents(row.problem)));
    const std::optional<double> single = base::median(row.singleMs);
    for (const auto& ms : {single, std::optional(stream), up, down, std::optional(compute),
                           std::optional(row.predictedMs)}) {
        text += (ms ? fixed(*ms, 3) : "-") + " | ";
    }
    const auto brief = [](double value) {
        char buffer[32];
        std::snprintf(buffer, sizeof(buffer), "%.1e", value);
        return std::string(buffer);
    };
    const double rate = 1e-6 * products / compute;
    const std::string share =
        row.peakMultiplyAdds > 0 ? fixed(100 * rate / row.peakMultiplyAdds, 1) : "-";
    return text + fixed(rate, 1) + " | " + share + " | " + brief(row.largestError) + " | " +
           brief(row.largestBound) + (row.sound() ? "" : " WRONG") + " |\n";
}

std::string toJson(const std::vector<BenchmarkRow>& rows) {
    using Json = nlohmann::ordered_json;
    const auto extents = [](const Extents& e) { return Json::array({e.x, e.y, e.z}); };
    Json list = Json::array();
    for (const BenchmarkRow& row : rows) {
        Json stages = Json::object();
        for (const auto& [name, ms] : row.stagesMs) {
            stages[name] = ms;
        }
        list.push_back({{"device", row.candidate.device},
                        {"device_name", row.deviceName},
                        {"peak_multiply_adds_per_ns", row.peakMultiplyAdds},
                        {"scene", extents(row.problem.scene)},
                        {"pixel", base::name(row.problem.scenePixel)},
                        {"template", extents(row.problem.templ)},
                        {"method", row.candidate.method},
                        {"tile", extents(row.candidate.tile)},
                        {"threads", row.candidate.threads},
                        {"not_run", row.notRun},
                        {"predicted_ms", row.predictedMs},
                        {"single_ms", row.singleMs},
                        {"stream_ms", row.streamMs},
                        {"stages_ms", stages},
                        {"recomputed", row.recomputed},
                        {"low_confidence", row.lowConf},
                        {"largest_error", row.largestError},
                        {"largest_bound", row.largestBound},
                        {"sound", row.sound()}});
    }
    const Environment around = environment();
    Json versions = Json::object();
    for (const auto& [library, version] : around.versions) {
        versions[library] = version;
    }
    const Json json{{"versions", versions},
                    {"processor", around.processor},
                    {"instructions", around.instructions},
                    {"devices", around.devices},
                    {"rows", list}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::job
