#include "tests/bench/limits.h"
#include "tests/support/fftw_lines.h"

#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/transform/fft_plan.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/contestants.h"
#include "tests/bench/multiply_adds.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using base::Extents;
using nlohmann::json;

constexpr std::int64_t kScene = 2000;

/// The FFTW plans that a pair of flat tiles would pass through, and nothing else: rows and gathered
/// columns forward and back, eight at a time, the same ones again and again. The last eight rows
/// may be some too many.
class LonePasses {
  public:
    explicit LonePasses(const Extents& points)
        : m_points(points), m_stride(strideOf(points.x)), m_tile(floats(), 0.0F),
          m_rows(floats(), 0.0F), m_lines({2 * kTogether * strideOf(points.y), 1, 1}, 0.0F),
          m_images(m_lines.extents(), 0.0F) {
        if (points.x % kTogether != 0 || points.z != 1) {
            throw std::runtime_error("no passes for a tile of " + base::toString(points));
        }
        const auto plan = [&](std::int64_t length, float* from, test::LineLayout in, float* to,
                              test::LineLayout out, int sign) {
            return test::ComplexLines<float>(static_cast<int>(length), kTogether, from, in, to, out,
                                             sign, FFTW_MEASURE);
        };
        const test::LineLayout row{1, static_cast<int>(m_stride)};
        const test::LineLayout line{1, static_cast<int>(strideOf(points.y))};
        const test::LineLayout image{1, static_cast<int>(points.y)};
        float* const tile = m_tile.data();
        float* const rows = m_rows.data();
        float* const lines = m_lines.data();
        float* const images = m_images.data();
        const std::lock_guard lock(cpu::plannerLock());
        m_rowsForward = plan(points.x, tile, row, rows, row, FFTW_FORWARD);
        m_rowsBack = plan(points.x, rows, row, tile, row, FFTW_BACKWARD);
        m_columnsForward = plan(points.y, lines, line, images, image, FFTW_FORWARD);
        m_columnsBack = plan(points.y, images, image, lines, line, FFTW_BACKWARD);
    }

    /// One pair of tiles there and back.
    void pass() {
        const std::int64_t rowBlock = 2 * kTogether * m_stride;
        for (std::int64_t y = 0, at = 0; y < m_points.y; y += kTogether, at += rowBlock) {
            m_rowsForward(m_tile.data() + at, m_rows.data() + at);
        }
        for (std::int64_t x = 0; x < m_points.x; x += kTogether) {
            m_columnsForward(m_lines.data(), m_images.data());
            m_columnsBack(m_images.data(), m_lines.data());
        }
        for (std::int64_t y = 0, at = 0; y < m_points.y; y += kTogether, at += rowBlock) {
            m_rowsBack(m_rows.data() + at, m_tile.data() + at);
        }
    }

  private:
    static constexpr int kTogether = 8;
    /// No large power of two, so that the values of a column do not share a cache set.
    [[nodiscard]] static std::int64_t strideOf(std::int64_t length) {
        return length % 64 == 0 ? length + kTogether : length;
    }
    [[nodiscard]] Extents floats() const {
        return {2 * m_stride * cpu::roundUp(m_points.y, kTogether), 1, 1};
    }

    Extents m_points;
    std::int64_t m_stride;
    base::Image<float> m_tile;
    base::Image<float> m_rows;
    base::Image<float> m_lines;
    base::Image<float> m_images;
    test::ComplexLines<float> m_rowsForward;
    test::ComplexLines<float> m_rowsBack;
    test::ComplexLines<float> m_columnsForward;
    test::ComplexLines<float> m_columnsBack;
};

/// Milliseconds of the transforms of all tiles of a problem, shared out to the threads as `tiled`
/// shares its tiles.
class LoneTransforms {
  public:
    LoneTransforms(const method::Problem& problem, const Extents& points, base::TilePool& pool)
        : m_pool(pool),
          m_pairs((cpu::TileGrid(method::mapExtents(problem), {points.x - problem.templ.x + 1,
                                                               points.y - problem.templ.y + 1, 1})
                       .count() +
                   1) /
                  2) {
        for (int i = 0; i < pool.threads(); ++i) {
            m_passes.push_back(std::make_unique<LonePasses>(points));
        }
    }

    double run() {
        return millisecondsOf([&] {
            m_pool.run(m_pairs, [&](std::int64_t, int worker) {
                m_passes[static_cast<std::size_t>(worker)]->pass();
            });
        });
    }

  private:
    base::TilePool& m_pool;
    std::int64_t m_pairs;
    std::vector<std::unique_ptr<LonePasses>> m_passes;
};

json peakRows(const Case& one, base::TilePool& pool, int repeat) {
    base::TilePool single(1);
    json rows = json::array();
    for (base::TilePool* threads : {&single, &pool}) {
        OwnRun own(one.scene, one.templ, plan::Planning::Estimate, *threads, "direct");
        own.run();
        std::vector<double> totals;
        std::vector<double> numerators; // as long as they take when shared out evenly
        std::vector<double> peaks;
        for (int i = 0; i < repeat; ++i) {
            peaks.push_back(peakMultiplyAddsPerNs(*threads));
            totals.push_back(own.run());
            numerators.push_back(own.stageMs("numerator") / threads->threads());
        }
        const method::Problem& problem = own.report().problem;
        const double products = static_cast<double>(base::voxelCount(problem.templ)) *
                                static_cast<double>(base::voxelCount(method::mapExtents(problem)));
        const double rate = 1e-6 * products / median(numerators);
        const double peak = median(peaks);
        std::cout << "| " << one.name << " | " << threads->threads() << " | " << fixed(peak, 1)
                  << " | " << fixed(rate, 1) << " | " << fixed(100 * rate / peak, 0) << " | "
                  << fixed(median(totals), 2) << " | " << fixed(median(numerators), 2) << " | "
                  << fixed(median(totals) / median(numerators), 2) << " |\n"
                  << std::flush;
        rows.push_back({{"scene", one.name},
                        {"threads", threads->threads()},
                        {"peak_per_ns", peaks},
                        {"numerators_per_ns", rate},
                        {"total_ms", totals},
                        {"numerator_ms", numerators},
                        {"low_confidence", own.lowConf()}});
    }
    return rows;
}

json transformRow(const Case& one, base::TilePool& pool, int repeat) {
    OwnRun own(one.scene, one.templ, plan::Planning::Measure, pool, "tiled");
    const method::Problem& problem = own.report().problem;
    LoneTransforms lone(problem, own.candidate().tile, pool);
    own.run();
    lone.run();
    const std::vector<std::string> stages{"load", "transform", "denominator", "recomputation"};
    std::vector<double> totals;
    std::vector<double> alone;
    std::vector<std::vector<double>> parts(stages.size());
    for (int i = 0; i < repeat; ++i) {
        totals.push_back(own.run());
        alone.push_back(lone.run());
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            parts[stage].push_back(own.stageMs(stages[stage]) / pool.threads());
        }
    }
    json row{{"scene", one.name},
             {"template_extents", sizeText(problem.templ)},
             {"method", methodText(own.candidate())},
             {"total_ms", totals},
             {"fftw_ms", alone},
             {"low_confidence", own.lowConf()}};
    std::cout << "| " << one.name << " | " << sizeText(problem.templ) << " | "
              << methodText(own.candidate()) << " | " << fixed(median(totals), 2) << " | "
              << fixed(median(alone), 2) << " | " << fixed(median(totals) / median(alone), 2);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        std::cout << " | " << fixed(median(parts[stage]), 2);
        row[stages[stage] + "_ms"] = parts[stage];
    }
    std::cout << " |\n" << std::flush;
    return row;
}

} // namespace

json measureLimits(base::TilePool& pool, int repeat) {
    std::cout
        << "2000x2000, medians of " << repeat
        << ". `direct` with 16x16:\n\n"
           "| scene | threads | peak, multiply-adds/ns | numerators, multiply-adds/ns | share, % | "
           "total, ms | numerators alone, ms | total/numerators "
           "|\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
    json rows = json::array();
    for (const Case& one : squareCases(base::PixelType::Float32, kScene, {16})) {
        for (const json& row : peakRows(one, pool, repeat)) {
            rows.push_back(row);
        }
    }
    std::cout << "\n`tiled` on " << pool.threads()
              << " threads; its stages are those of all threads, divided by their number:\n\n"
                 "| scene | template | method | total, ms | FFTW alone, ms | total/FFTW | load | "
                 "transform | denominator | recomputation "
                 "|\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
    for (const Case& one : squareCases(base::PixelType::Float32, kScene, {32, 64})) {
        rows.push_back(transformRow(one, pool, repeat));
    }
    return rows;
}

} // namespace flcc::bench
