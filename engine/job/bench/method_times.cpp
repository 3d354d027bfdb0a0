#include "engine/job/bench/method_times.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/median.h"
#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/planner.h"
#include "engine/job/benchmark.h"
#include "engine/job/input/noise.h"
#include "engine/job/knowledge.h"
#include "engine/method/method_on_device.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

namespace {

using base::Extents;

bool isWanted(const std::vector<std::string>& methods, const std::string& method) {
    return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
}

class LccTimes final : public MethodTimes {
  public:
    LccTimes(int threads, std::string device)
        : m_threads(threads), m_device(std::move(device)), m_methods(plan::methodsOn(m_device)),
          m_model(knowledge()->model.value_or(method::CostModel{})) {
        for (const method::Method* const method : m_methods) {
            m_memory.push_back(method::freeMemoryOf(*method));
        }
    }

    [[nodiscard]] std::vector<MethodTime> predicted(const Extents& scene,
                                                    const Extents& templ) override {
        method::Problem problem;
        problem.scene = scene;
        problem.templ = templ;
        method::Limits limits;
        limits.threads = m_threads;
        std::vector<MethodTime> times;
        for (std::size_t i = 0; i < m_methods.size(); ++i) {
            const method::Method& method = *m_methods[i];
            if (method.traits().savesMemory) {
                continue; // memory is not limited here
            }
            limits.onDevice.memory = m_memory[i];
            MethodTime time{.method = std::string(method.name()),
                            .byDefinition = method.traits().byDefinition};
            for (const method::Candidate& candidate :
                 method.candidates(problem, limits, {0, 0, 0})) {
                const auto verdict = method.predict(problem, candidate, limits, m_model, nullptr);
                if (const auto* const found = std::get_if<method::Prediction>(&verdict)) {
                    time.singleMs = std::min(time.singleMs, found->ms);
                    time.streamMs = std::min(time.streamMs, found->ms - found->setupMs);
                }
            }
            if (std::isfinite(time.singleMs)) {
                times.push_back(std::move(time));
            }
        }
        return times;
    }

    [[nodiscard]] std::vector<MethodTime> measured(const Extents& scene, const Extents& templ,
                                                   const std::vector<std::string>& methods,
                                                   int repeat,
                                                   const std::stop_token& stop) override {
        BenchmarkOptions options;
        options.problems = {{scene, templ}};
        options.device = m_device;
        options.methods = methods;
        options.threads = m_threads;
        options.repeat = repeat;
        options.limits = false;
        std::vector<MethodTime> times;
        for (const BenchmarkRow& row : benchmark(options, stop, [](const BenchmarkRow&) {})) {
            if (row.failed) {
                throw base::Error(base::ErrorCode::Device, row.notRun);
            }
            if (!row.sound()) {
                throw base::Error(base::ErrorCode::Internal,
                                  "a timed map of method " + row.candidate.method +
                                      " has wrong scores; run flcc-cli selftest");
            }
            MethodTime time{.method = row.candidate.method,
                            .byDefinition = plan::traitsOf(row.candidate).byDefinition,
                            .notRun = row.notRun};
            if (row.notRun.empty()) {
                time.singleMs = base::median(row.singleMs);
                time.streamMs = base::median(row.streamMs);
            }
            times.push_back(std::move(time));
        }
        return times;
    }

  private:
    int m_threads;
    std::string m_device;
    std::vector<const method::Method*> m_methods;
    std::vector<std::int64_t> m_memory; ///< free bytes of the device of each method
    method::CostModel m_model;
};

class ConvolveTimes final : public MethodTimes {
  public:
    explicit ConvolveTimes(int threads)
        : m_pool(threads), m_model(knowledge()->model.value_or(method::CostModel{})) {}

    [[nodiscard]] std::vector<MethodTime> predicted(const Extents& scene,
                                                    const Extents& templ) override {
        std::vector<MethodTime> times;
        const filter::Problem problem = problemOf(scene, templ);
        for (const method::CandidateReport& row : planned(problem).candidates) {
            if (!row.prediction) {
                continue;
            }
            const std::string& method = row.candidate.method;
            auto time = std::find_if(times.begin(), times.end(),
                                     [&](const MethodTime& t) { return t.method == method; });
            if (time == times.end()) {
                times.push_back({.method = method, .byDefinition = filter::isByDefinition(method)});
                time = times.end() - 1;
            }
            time->singleMs = std::min(time->singleMs, row.prediction->ms);
            time->streamMs = std::min(time->streamMs, row.prediction->ms - row.prediction->setupMs);
        }
        return times;
    }

    [[nodiscard]] std::vector<MethodTime> measured(const Extents& scene, const Extents& templ,
                                                   const std::vector<std::string>& methods,
                                                   int repeat,
                                                   const std::stop_token& stop) override {
        constexpr double kLongestMs = 10'000; // predicted
        constexpr double kSeriesMs = 4'000;
        constexpr std::size_t kFewest = 3;
        const filter::Problem problem = problemOf(scene, templ);
        if (!(base::extentsOf(m_scene) == scene)) {
            m_scene = noise(base::PixelType::Float32, scene, 1);
        }
        const base::AnyView pixels = base::viewOf(m_scene);
        const filter::Kernel& kernel = kernelOf(templ);
        base::Image<float> result(filter::resultExtents(problem));
        std::vector<MethodTime> times;
        for (const method::CandidateReport& row : planned(problem).candidates) {
            const std::string& method = row.candidate.method;
            if (!row.prediction || !isWanted(methods, method) ||
                std::any_of(times.begin(), times.end(),
                            [&](const MethodTime& t) { return t.method == method; })) {
                continue; // candidates are sorted, so the first of a method is its fastest
            }
            MethodTime time{.method = method, .byDefinition = filter::isByDefinition(method)};
            if (row.prediction->ms > kLongestMs) {
                time.notRun = "predicted to take more than 10 s";
                times.push_back(std::move(time));
                continue;
            }
            std::vector<double> single;
            std::vector<double> stream;
            const auto once = [&] {
                const base::Stopwatch watch;
                (void)filter::convolve(problem, kernel, row.candidate, pixels, m_pool, stop);
                single.push_back(watch.ms());
            };
            const auto again = [&] {
                const base::Stopwatch watch;
                const filter::Convolved done = filter::convolveTo(
                    problem, kernel, row.candidate, pixels, result.view(), m_pool, stop);
                stream.push_back(watch.ms() - done.prepareMs);
            };
            once(); // warms up
            again();
            single.clear();
            stream.clear();
            const base::Stopwatch all;
            while (single.size() < kFewest ||
                   (std::ssize(single) < repeat && all.ms() < kSeriesMs)) {
                if (stop.stop_requested()) {
                    return times;
                }
                once();
                again();
            }
            time.singleMs = base::median(single);
            time.streamMs = base::median(stream);
            times.push_back(std::move(time));
        }
        return times;
    }

  private:
    static filter::Problem problemOf(const Extents& scene, const Extents& templ) {
        filter::Problem problem;
        problem.scene = scene;
        problem.kernel = templ;
        return problem;
    }

    /// Weights of noise, which are not separable. The template's place in a figure is the kernel's.
    const filter::Kernel& kernelOf(const Extents& extents) {
        const std::tuple key{extents.x, extents.y, extents.z};
        auto found = m_kernels.find(key);
        if (found == m_kernels.end()) {
            const base::AnyImage weights = noise(base::PixelType::Float32, extents, 2);
            found = m_kernels
                        .try_emplace(key, "noise", base::viewOf(weights), method::Precision::Single)
                        .first;
        }
        return found->second;
    }

    filter::Plan planned(const filter::Problem& problem) {
        method::Limits limits;
        limits.threads = m_pool.threads();
        filter::Wanted wanted;
        wanted.timing = filter::Wanted::Timing::None;
        return filter::makePlan(problem, kernelOf(problem.kernel), limits, m_model, wanted,
                                base::viewOf(m_scene), m_pool);
    }

    base::TilePool m_pool;
    method::CostModel m_model;
    base::AnyImage m_scene = base::Image<float>(Extents{1, 1, 1}); ///< of the last measurement
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, filter::Kernel> m_kernels;
};

} // namespace

std::unique_ptr<MethodTimes> methodTimes(FigureOperation operation, int threads,
                                         const std::string& device) {
    const int all = threads > 0 ? threads : base::availableThreads();
    if (operation == FigureOperation::Lcc) {
        return std::make_unique<LccTimes>(all, device);
    }
    if (device != method::kProcessor) {
        throw base::Error(base::ErrorCode::Device,
                          "convolutions run on the processor only, not on device '" + device +
                              "'; use --device cpu");
    }
    return std::make_unique<ConvolveTimes>(all);
}

} // namespace flcc::job::detail
