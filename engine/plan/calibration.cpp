#include "engine/plan/calibration.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/median.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/plan/detail/least_squares.h"
#include "engine/plan/detail/probe.h"

namespace flcc::plan {

namespace {

using base::Extents;
using Clock = std::chrono::steady_clock;
using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// Most points of a tile that a calibration measures; larger ones take too much memory and time.
constexpr std::int64_t kLargestShape = 4'500'000;

Extents squared(std::int64_t side, bool volume) { return {side, side, volume ? side : 1}; }

/// The tile shapes of method `tiled`, sorted by the number of typical problems for which each is
/// the best, or nearly so; the most used first.
std::vector<Extents> usedShapes(const method::CostModel& model, int threads) {
    std::map<Shape, double> uses;
    const method::Method& tiled = cpu::tiledMethod();
    const auto count = [&](std::int64_t scene, std::int64_t templ, bool volume) {
        method::Problem problem;
        problem.scene = squared(scene, volume);
        problem.templ = squared(templ, volume);
        method::Limits limits;
        limits.threads = threads;
        std::vector<std::pair<double, Shape>> times;
        for (const method::Candidate& candidate : tiled.candidates(problem, limits, {0, 0, 0})) {
            const auto verdict = tiled.predict(problem, candidate, limits, model, nullptr);
            const auto* prediction = std::get_if<method::Prediction>(&verdict);
            if (prediction != nullptr && base::voxelCount(candidate.tile) <= kLargestShape) {
                const Extents& tile = candidate.tile;
                times.emplace_back(prediction->ms, Shape{tile.x, tile.y, tile.z});
            }
        }
        std::sort(times.begin(), times.end());
        for (const auto& [ms, shape] : times) {
            uses[shape] += std::pow(times.front().first / ms, 8);
        }
    };
    for (const std::int64_t scene : {512, 1024, 2000, 4096}) {
        for (const std::int64_t templ : {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}) {
            if (2 * templ <= scene) {
                count(scene, templ, false);
            }
        }
    }
    for (const std::int64_t scene : {64, 128, 200, 256}) {
        for (const std::int64_t templ : {6, 8, 12, 16, 24, 32, 48}) {
            if (2 * templ <= scene) {
                count(scene, templ, true);
            }
        }
    }
    std::vector<std::pair<double, Shape>> ordered;
    for (const auto& [shape, use] : uses) {
        ordered.emplace_back(-use, shape);
    }
    std::sort(ordered.begin(), ordered.end());
    std::vector<Extents> shapes;
    for (const auto& [use, shape] : ordered) {
        shapes.push_back({std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)});
    }
    return shapes;
}

/// The median of `factors`; 1 if there are none.
double medianOf(const std::vector<double>& factors) {
    return factors.empty() ? 1 : base::median(factors);
}

/// Collects probes and turns them into a model.
class Calibrator {
  public:
    Calibrator(double seconds, base::TilePool& pool, std::stop_token stop,
               const CalibrationProgress& progress)
        : m_seconds(seconds), m_pool(pool), m_stop(std::move(stop)), m_progress(progress) {}

    /// Measures the constants of the model. False when cancelled, as all measure...() below.
    [[nodiscard]] bool measureConstants() {
        return measureDirect() && measureSums() && measureOverheads() && measureWhole() &&
               measureInstructions();
    }

    /// Measures tile shapes until the time is spent, at least one, and completes the model.
    [[nodiscard]] bool measureShapes() {
        constexpr double kShare = 0.9; // leaves time for the shape that is begun last
        for (const Extents& shape : usedShapes(m_model, m_pool.threads())) {
            if (!m_model.shapeTimes.empty() && spent() > kShare * m_seconds) {
                break;
            }
            tell("measuring transforms");
            if (!measureShape(shape)) {
                return false;
            }
        }
        fitLengths();
        m_model.calibrated = true;
        return true;
    }

    [[nodiscard]] const method::CostModel& model() const { return m_model; }

  private:
    [[nodiscard]] double spent() const {
        return std::chrono::duration<double>(Clock::now() - m_start).count();
    }

    void tell(std::string_view doing) const {
        if (m_progress) {
            m_progress(doing, std::min(1.0, spent() / m_seconds));
        }
    }

    [[nodiscard]] Probe run(const method::Method& method, const Extents& scene,
                            const Extents& templ, const Extents& tile = {0, 0, 0}) const {
        return probe(method, scene, templ, tile, 3, m_pool, m_stop);
    }

    [[nodiscard]] bool measureDirect() {
        for (const bool volume : {false, true}) {
            const Extents scene = squared(volume ? 72 : 600, volume);
            const std::vector<std::int64_t> sides =
                volume ? std::vector<std::int64_t>{2, 3, 4, 6, 8, 12, 16}
                       : std::vector<std::int64_t>{2, 3, 5, 8, 12, 16, 24, 32, 48, 64, 96};
            for (const std::int64_t side : sides) {
                tell("measuring multiply-adds");
                const Probe one = run(cpu::directMethod(), scene, squared(side, volume));
                if (one.stopped) {
                    return false;
                }
                m_direct.push_back(one);
            }
        }
        std::vector<Observation<2>> sums;
        std::vector<Observation<2>> loads;
        for (const Probe& one : m_direct) {
            const Extents& m = one.problem.templ;
            const double rows = static_cast<double>(m.y + cpu::simd::kBlockRows - 1);
            const double flushes =
                std::ceil(rows / static_cast<double>(cpu::simd::rowsPerAccumulator(m.x))) *
                static_cast<double>(m.z);
            sums.push_back({{static_cast<double>(m.x * m.z) * rows, flushes},
                            one.stage("numerator") / one.outputs});
            const Extents& tile = one.candidate.tile;
            const Extents seen{tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1};
            const double perTile = static_cast<double>(base::voxelCount(tile));
            loads.push_back({{static_cast<double>(base::voxelCount(seen)),
                              static_cast<double>(seen.y * seen.z)},
                             one.stage("load") / one.outputs * perTile});
        }
        const auto [perMultiply, perFlush] = fitted(sums);
        if (perMultiply > 0) {
            m_model.multiplyAddsPerNs = 1 / perMultiply;
            m_model.flushVoxelNs = perFlush;
        }
        std::tie(m_model.loadVoxelNs, m_model.loadRowNs) = std::tuple_cat(fitted(loads));
        return true;
    }

    [[nodiscard]] bool measureSums() {
        std::vector<Probe> probes; // of `direct` they hardly differ in the length of rows
        struct Sums {
            std::int64_t templ;
            Extents tile;
        };
        for (const Sums& one : {Sums{4, {128, 128, 1}},
                                {8, {320, 60, 1}},
                                {16, {64, 189, 1}},
                                {8, {64, 128, 1}},
                                {16, {128, 128, 1}},
                                {16, {512, 64, 1}},
                                {24, {256, 128, 1}},
                                {32, {128, 128, 1}},
                                {32, {512, 128, 1}},
                                {64, {256, 256, 1}},
                                {64, {512, 256, 1}},
                                {4, {48, 48, 48}},
                                {8, {32, 48, 48}},
                                {8, {112, 48, 48}},
                                {12, {64, 64, 64}},
                                {24, {64, 64, 64}},
                                {24, {112, 64, 64}}}) {
            tell("measuring denominators");
            const bool volume = one.tile.z > 1;
            probes.push_back(run(cpu::tiledMethod(), squared(volume ? 112 : 2000, volume),
                                 squared(one.templ, volume), one.tile));
            if (probes.back().stopped) {
                return false;
            }
        }
        std::vector<Observation<3>> flat;
        std::vector<Observation<3>> volume;
        for (const Probe& one : probes) {
            const Extents& m = one.problem.templ;
            const Extents& points = one.candidate.tile;
            const auto terms = method::denominatorTerms(
                m, {points.x - m.x + 1, points.y - m.y + 1, points.z - m.z + 1});
            const double ns = one.stage("denominator") / one.outputs;
            (m.z == 1 ? flat : volume).push_back({terms, ns});
        }
        std::tie(m_model.denominatorVoxelNs, m_model.denominatorRowNs, m_model.denominatorLineNs) =
            std::tuple_cat(fitted(flat));
        std::tie(m_model.volumeVoxelNs, m_model.volumeRowNs, m_model.volumeLineNs) =
            std::tuple_cat(fitted(volume));
        return true;
    }

    [[nodiscard]] bool measureOverheads() {
        tell("measuring overheads");
        const double threads = m_pool.threads();
        const Probe small = run(cpu::directMethod(), {800, 800, 1}, {4, 4, 1}, {32, 16, 1});
        const Probe large = run(cpu::directMethod(), {1000, 1000, 1}, {24, 24, 1});
        const Probe roomy = run(cpu::tiledMethod(), {900, 900, 1}, {16, 16, 1}, {512, 512, 1});
        if (small.stopped || large.stopped || roomy.stopped) {
            return false;
        }
        const double tiles = small.outputs / static_cast<double>(32 * 16);
        m_model.tileOverheadNs =
            std::clamp((small.executeNs * threads - small.workNs()) / tiles, 100.0, 20000.0);
        m_model.threadEfficiency =
            std::clamp(large.workNs() / (large.executeNs * threads), 0.3, 1.0);
        // The number of bytes of a workspace is the increase of the predicted time, in nanoseconds,
        // when the price of a byte is 1 ns instead of 0.
        method::CostModel free = m_model;
        free.bufferByteNs = 0;
        method::CostModel dear = m_model;
        dear.bufferByteNs = 1;
        method::Limits limits;
        limits.threads = m_pool.threads();
        const auto ms = [&](const method::CostModel& model) {
            const auto verdict =
                cpu::tiledMethod().predict(roomy.problem, roomy.candidate, limits, model, nullptr);
            return std::get<method::Prediction>(verdict).ms;
        };
        m_model.bufferByteNs = roomy.workspaceNs / ((ms(dear) - ms(free)) * 1e6);
        // directFactor corrects what the sum of the separately fitted stages misses.
        std::vector<double> off;
        for (const Probe& one : m_direct) {
            const auto verdict =
                cpu::directMethod().predict(one.problem, one.candidate, limits, m_model, nullptr);
            const auto& prediction = std::get<method::Prediction>(verdict);
            off.push_back(one.executeNs * 1e-6 / (prediction.ms - prediction.setupMs));
        }
        m_model.directFactor = medianOf(off);
        if (const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) {
            m_model.cacheBytes = static_cast<double>(bytes);
        }
        return true;
    }

    /// Scales the constants for transforms of whole scenes and of blocks by the ratio of measured
    /// to predicted times.
    [[nodiscard]] bool measureWhole() {
        method::Limits limits;
        limits.threads = m_pool.threads();
        const auto share = [&](const Probe& one, const method::Method& method) {
            const auto verdict =
                method.predict(one.problem, one.candidate, limits, m_model, nullptr);
            const auto& prediction = std::get<method::Prediction>(verdict);
            return std::clamp(one.executeNs * 1e-6 / (prediction.ms - prediction.setupMs), 0.2,
                              5.0);
        };
        std::vector<double> whole;
        std::vector<double> prepares;
        for (const auto& [scene, templ] : {std::pair{Extents{512, 512, 1}, Extents{64, 64, 1}},
                                           {{960, 960, 1}, {100, 100, 1}},
                                           {{1536, 1536, 1}, {64, 64, 1}},
                                           {{80, 80, 80}, {16, 16, 16}},
                                           {{128, 128, 128}, {24, 24, 24}}}) {
            tell("measuring whole scenes");
            const Probe one = run(cpu::fourierMethod(), scene, templ);
            if (one.stopped) {
                return false;
            }
            whole.push_back(share(one, cpu::fourierMethod()));
            const double lines = static_cast<double>(scene.z > 1 ? templ.z : templ.y) /
                                 static_cast<double>(scene.z > 1 ? scene.z : scene.y);
            const double guess = m_model.wholeTransformNs(one.candidate.tile) *
                                 m_model.wholePrepareFactor * (0.25 + 1.2 * lines);
            if (one.prepareNs > 0.1 * guess) { // else execute() makes the spectrum, not prepare()
                prepares.push_back(std::clamp(one.prepareNs / guess, 0.2, 5.0));
            }
        }
        m_model.wholePointNs *= medianOf(whole);
        m_model.wholePrepareFactor *= medianOf(prepares) / medianOf(whole);
        std::vector<double> blocks;
        for (const auto& [side, points] : {std::pair{128, 128}, {200, 256}, {160, 96}}) {
            tell("measuring blocks of templates");
            const Probe one = run(cpu::tiledTemplateMethod(), squared(700, false),
                                  squared(side, false), squared(points, false));
            if (one.stopped) {
                return false;
            }
            blocks.push_back(share(one, cpu::tiledTemplateMethod()));
        }
        m_model.blockFactor *= medianOf(blocks);
        m_model.productPointNs *= medianOf(blocks);
        return true;
    }

    [[nodiscard]] bool measureInstructions() {
        constexpr Extents kScene{400, 400, 1};
        constexpr Extents kTemplate{16, 16, 1};
        bool stopped = false;
        for (const std::string& set : cpu::simd::instructionSets()) {
            tell("measuring instruction sets");
            cpu::simd::forceInstructionSet(set);
            const Probe one = run(cpu::directMethod(), kScene, kTemplate);
            stopped = stopped || one.stopped;
            const double rows = static_cast<double>(kTemplate.y + cpu::simd::kBlockRows - 1);
            m_model.instructionRates.push_back(
                {set, one.outputs * static_cast<double>(kTemplate.x) * rows /
                          std::max(1.0, one.stage("numerator"))});
        }
        cpu::simd::forceInstructionSet({});
        return !stopped;
    }

    [[nodiscard]] bool measureShape(const Extents& points) {
        const auto side = [](std::int64_t length) { return length == 1 ? 1 : length / 4; };
        const Extents m{side(points.x), side(points.y), side(points.z)};
        // Four tiles for each thread.
        const Extents grid{4, m_pool.threads(), 1};
        const Extents scene{grid.x * (points.x - m.x + 1) + m.x - 1,
                            grid.y * (points.y - m.y + 1) + m.y - 1, points.z};
        const Probe one = run(cpu::tiledMethod(), scene, m, points);
        if (one.stopped) {
            return false;
        }
        const double tiles = static_cast<double>(grid.x * grid.y);
        std::erase_if(m_model.shapeTimes,
                      [&](const method::ShapeTime& time) { return time.points == points; });
        m_model.shapeTimes.push_back(
            {points, (one.workNs() - one.stage("denominator")) / tiles, one.prepareNs});
        return true;
    }

    /// Fits the times of lengths, from which the times of shapes that were not measured are
    /// computed, to the measured shapes.
    void fitLengths() {
        method::CostModel plain = m_model;
        plain.shapeTimes.clear();
        struct Sum {
            double off = 0;
            double count = 0;

            void add(double ratio) {
                off += ratio;
                ++count;
            }
            /// The mean; 1 if nothing was added.
            [[nodiscard]] double mean() const { return count > 0 ? off / count : 1; }
        };
        for (int round = 0; round < 20; ++round) {
            std::vector<Sum> rows(plain.transformTimes.size());
            std::vector<Sum> columns(plain.transformTimes.size());
            Sum slices;
            for (const method::ShapeTime& shape : m_model.shapeTimes) {
                const double off = shape.tileNs / plain.timeOf(shape.points).tileNs;
                rows[plain.nearestLength(shape.points.x)].add(off);
                columns[plain.nearestLength(shape.points.y)].add(off);
                if (shape.points.z > 1) {
                    slices.add(off);
                }
            }
            for (std::size_t i = 0; i < plain.transformTimes.size(); ++i) {
                plain.transformTimes[i].rowNs *= std::sqrt(rows[i].mean());
                plain.transformTimes[i].columnNs *= std::sqrt(columns[i].mean());
            }
            plain.sliceColumnFactor *= std::sqrt(slices.mean());
        }
        m_model.transformTimes = plain.transformTimes;
        m_model.sliceColumnFactor = plain.sliceColumnFactor;
        std::vector<double> prepares;
        for (const method::ShapeTime& shape : m_model.shapeTimes) {
            prepares.push_back(shape.prepareNs / plain.timeOf(shape.points).prepareNs);
        }
        m_model.prepareFactor *= medianOf(prepares);
    }

    Clock::time_point m_start = Clock::now();
    double m_seconds;
    base::TilePool& m_pool;
    std::stop_token m_stop;
    const CalibrationProgress& m_progress;
    std::vector<Probe> m_direct;
    method::CostModel m_model;
};

} // namespace

std::optional<Knowledge> calibrate(const Knowledge& known, double seconds, base::TilePool& pool,
                                   std::stop_token stop, const CalibrationProgress& progress) {
    useWisdom(known);
    Calibrator calibrator(seconds, pool, std::move(stop), progress);
    if (!calibrator.measureConstants() || !calibrator.measureShapes()) {
        return std::nullopt;
    }
    Knowledge learnt;
    learnt.model = calibrator.model();
    keepWisdom(learnt);
    return learnt;
}

} // namespace flcc::plan
