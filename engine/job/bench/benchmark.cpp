#include "engine/job/benchmark.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/median.h"
#include "engine/base/random.h"
#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/job/input/noise.h"
#include "engine/job/knowledge.h"
#include "engine/job/report/text.h"
#include "engine/method/canonical.h"
#include "engine/method/method_on_device.h"
#include "engine/method/session.h"
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

Extents cubeOf(std::int64_t side, bool volume) { return {side, side, volume ? side : 1}; }

/// As many templates, each from a place of its own.
std::vector<base::AnyImage> cutFrom(const base::AnyImage& scene, const Extents& templ, int count) {
    const Extents n = base::extentsOf(scene);
    std::vector<base::AnyImage> cuts;
    for (std::int64_t number = 1; number <= count; ++number) {
        const auto corner = [&](std::int64_t length, std::int64_t own) {
            return (length - own) * number / (count + 2);
        };
        cuts.push_back(base::copyOf(base::partOf(
            base::viewOf(scene),
            {{corner(n.x, templ.x), corner(n.y, templ.y), corner(n.z, templ.z)}, templ})));
    }
    return cuts;
}

/// Times one method on the current problem.
class Timing {
  public:
    Timing(const method::Method& method, const base::AnyImage& scene,
           const std::vector<base::AnyImage>& templates, base::TilePool& pool,
           const std::stop_token& stop, BenchmarkRow& row)
        : m_method(method), m_scene(base::viewOf(scene)), m_pool(pool), m_stop(stop), m_row(row),
          m_map(method::mapExtents(row.problem)) {
        for (const base::AnyImage& templ : templates) {
            m_templates.emplace_back(base::viewOf(templ));
        }
        if (templates.size() > 1) {
            m_index = base::Image<std::int32_t>(m_map.value.extents());
        }
    }

    /// False when stopped.
    bool run(int repeat) {
        m_method.warmUp(m_row.problem, m_row.candidate);
        if (!series(m_row.singleMs, repeat, [this] { // every run prepares the template
                m_session = {m_method, m_row.problem, m_row.candidate};
                m_session.prepare(m_templates, m_pool);
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
        m_outcome =
            m_session.run(m_scene, {m_pool, m_stop, {}}, {method::viewOf(m_map), m_index.view()});
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
        std::vector<method::CanonicalTemplate> templates;
        for (const method::MaskedView& templ : m_templates) {
            templates.emplace_back(templ);
        }
        const Extents& n = m_map.value.extents();
        base::Random random(2);
        const auto below = [&random](std::int64_t count) {
            return static_cast<std::int64_t>(random.bits() % static_cast<std::uint64_t>(count));
        };
        for (int i = 0; i < kBenchmarkChecked; ++i) {
            const std::int64_t x = below(n.x);
            const std::int64_t y = below(n.y);
            const base::Index at{x, y, below(n.z)};
            double best = -1;
            for (const method::CanonicalTemplate& templ : templates) {
                best = std::max(best, method::canonicalScore(m_scene, templ, at));
            }
            const double error = std::fabs(static_cast<double>(m_map.value.view().at(at)) - best);
            m_row.largestError = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                                   : std::max(m_row.largestError, error);
        }
    }

    const method::Method& m_method;
    method::MaskedView m_scene;
    std::vector<method::MaskedView> m_templates;
    base::TilePool& m_pool;
    const std::stop_token& m_stop;
    BenchmarkRow& m_row;
    method::MatchMap m_map;
    base::Image<std::int32_t> m_index; ///< of a bank
    method::Outcome m_outcome;
    method::Session m_session;
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
    limits.onDevice.memory = method::freeMemoryOf(method);
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
        if (row.notRun.empty()) {
            row.notRun = "there is no tile for these sizes";
        }
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
        if (id == "cuda" && device.id != method::kProcessor && device.usable) {
            all.name += (all.name.empty() ? "" : " + ") + device.name;
            all.peakMultiplyAdds += device.peakMultiplyAdds;
        }
    }
    if (!all.name.empty()) {
        return all;
    }
    throw base::Error(base::ErrorCode::Device,
                      "device '" + id +
                          "' does not report its name; a time is useless without the "
                          "name of its device");
}

/// Whether nothing more can be run on a device; on "cuda", when fewer than two GPUs are left.
bool isLost(const std::string& id) {
    const std::vector<plan::Device> all = plan::devices(plan::DeviceDetail::Names);
    const auto left = std::count_if(all.begin(), all.end(), [&](const plan::Device& device) {
        return device.usable &&
               (device.id == id || (id == "cuda" && device.id != method::kProcessor));
    });
    return left < (id == "cuda" ? 2 : 1);
}

} // namespace

std::string_view name(BenchmarkSet set) {
    constexpr std::array<std::string_view, 4> kNames{"sizes", "crossover", "banks", "volumes"};
    return kNames[static_cast<std::size_t>(set)];
}

std::vector<BenchmarkProblem> benchmarkProblems(BenchmarkSet set) {
    struct Sides {
        bool volume;
        std::int64_t scene;
        std::vector<std::int64_t> templates;
        std::vector<int> counts{1};
    };
    std::vector<Sides> all;
    switch (set) {
    case BenchmarkSet::Sizes:
        all = {{false, 2000, {4, 8, 16, 32, 64}},
               {false, 8192, {4, 8, 16, 32, 64}},
               {false, 4096, {16, 32, 64, 128, 256}},
               {true, 256, {8, 16, 32}},
               {true, 513, {8, 16, 32}}};
        break;
    case BenchmarkSet::Crossover:
        all = {{false, 2000, {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32}},
               {true, 256, {3, 4, 5, 6, 7, 8, 9, 10, 12}}};
        break;
    case BenchmarkSet::Banks:
        all = {{false, 2000, {16, 64}, {1, 2, 8}},
               {false, 8192, {16, 64}, {1, 2, 8}},
               {true, 256, {8}, {1, 2, 8}}};
        break;
    case BenchmarkSet::Volumes:
        all = {{true, 65, {8}}, {true, 129, {8}}, {true, 257, {8}}, {true, 513, {8}}};
        break;
    }
    std::vector<BenchmarkProblem> problems;
    for (const Sides& sides : all) {
        for (const std::int64_t templ : sides.templates) {
            for (const int count : sides.counts) {
                problems.push_back(
                    {cubeOf(sides.scene, sides.volume), cubeOf(templ, sides.volume), count});
            }
        }
    }
    return problems;
}

bool BenchmarkRow::sound() const {
    // A bound above the promise belongs to scores that have a mark.
    return lowConf == 0 && largestBound <= problem.promise &&
           largestError <= largestBound + 0x1p-24 + 1e-12;
}

std::optional<double> BenchmarkRow::stageMs(std::string_view stage) const {
    for (const auto& [name, ms] : stagesMs) {
        if (name == stage) {
            return ms;
        }
    }
    return std::nullopt;
}

double BenchmarkRow::computeMs() const {
    return std::max(stageMs("kernel").value_or(base::median(streamMs)), 1e-6);
}

double BenchmarkRow::multiplyAdds() const {
    const double products = static_cast<double>(problem.templates) *
                            static_cast<double>(base::voxelCount(problem.templ)) *
                            static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    return 1e-6 * products / computeMs();
}

std::optional<double> BenchmarkRow::multiplyAddsOfMemory() const {
    if (!limits) {
        return std::nullopt;
    }
    constexpr double kPlacementBytes = 5; // score and status
    const auto map = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    const double bytes = static_cast<double>(base::voxelCount(problem.scene)) *
                             static_cast<double>(base::bytesPerVoxel(problem.scenePixel)) +
                         kPlacementBytes * map;
    const double products = static_cast<double>(problem.templates) *
                            static_cast<double>(base::voxelCount(problem.templ)) * map;
    return limits->bytes * products / bytes;
}

std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, const std::stop_token& stop,
                                    const BenchmarkReported& reported) {
    const std::vector<const method::Method*> methods = plan::methodsOn(options.device);
    const int threads = options.threads > 0 ? options.threads : base::availableThreads();
    base::TilePool pool(threads);
    std::vector<BenchmarkRow> rows;
    std::map<std::string, std::optional<plan::DeviceLimits>> limits;
    std::set<std::string> lost; // devices, by id
    base::AnyImage scene;
    for (const BenchmarkProblem& submitted : options.problems) {
        Problem problem;
        problem.scene = submitted.scene;
        problem.templ = submitted.templ;
        problem.scenePixel = options.pixel;
        problem.templPixel = options.pixel;
        problem.templates = submitted.templates;
        (void)method::mapExtents(problem); // before anything is made
        if (!(base::extentsOf(scene) == submitted.scene)) {
            scene = detail::noise(options.pixel, submitted.scene, 1);
        }
        const std::vector<base::AnyImage> templates =
            cutFrom(scene, submitted.templ, submitted.templates);
        for (const method::Method* method : methods) {
            const auto& asked = options.methods;
            if (asked.empty()
                    ? method->traits().axisByAxis // refuses noise
                    : std::find(asked.begin(), asked.end(), method->name()) == asked.end()) {
                continue;
            }
            BenchmarkRow row = rowOf(*method, problem, threads);
            const std::string& id = row.candidate.device;
            if (lost.contains(id) || (!lost.empty() && isLost(id))) {
                continue;
            }
            const plan::Device device = deviceOf(id);
            row.deviceName = device.name;
            row.peakMultiplyAdds = device.peakMultiplyAdds;
            try {
                if (options.limits) {
                    if (!limits.contains(id)) {
                        limits[id] = plan::measureDeviceLimits(id);
                    }
                    row.limits = limits[id];
                }
                if (row.notRun.empty()) {
                    if (!Timing(*method, scene, templates, pool, stop, row).run(options.repeat)) {
                        return rows;
                    }
                    if (options.limits) {
                        row.transformsMs = plan::measureTransforms(problem, row.candidate);
                    }
                }
            } catch (const base::Error& error) {
                row.notRun = error.what();
                row.failed = error.code() != base::ErrorCode::Memory;
                if (isLost(id)) {
                    row.notRun += "; the device is lost, its other rows were not run";
                    lost.insert(id);
                }
            }
            reported(row);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace flcc::job
