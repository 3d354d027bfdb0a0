#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/fft_plans.h"
#include "engine/cpu/methods.h"
#include "engine/cpu/tile_run.h"
#include "engine/method/canonical.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;

constexpr double kU24 = 0x1p-24;

/// Placements a tile of `points` gives an axis.
Extents outputTile(const Extents& points, const Extents& m, const Extents& map) {
    return {std::min(points.x - m.x + 1, map.x), std::min(points.y - m.y + 1, map.y),
            std::min(points.z - m.z + 1, map.z)};
}

/// conj(F(That)) / M of a tile: computed in double, rounded once (METHODS 2.2).
class TiledPrepared final : public method::Prepared {
  public:
    TiledPrepared(const Extents& points, const base::AnyView& templ)
        : m_plan(transformPair(points)), m_spectrum({2 * spectrumCount(points), 1, 1}) {
        const method::CanonicalTemplate canonical(templ);
        const Extents& m = canonical.extents();
        base::Image<double> padded(points, 0.0);
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                std::copy_n(canonical.values().view().row(y, z), m.x, padded.view().row(y, z));
            }
        }
        base::Image<double> spectrum({2 * spectrumCount(points), 1, 1});
        doubleTransform(points)->forward(padded.data(), spectrum.data());
        const double scale = 1.0 / static_cast<double>(base::voxelCount(points));
        for (std::int64_t i = 0; i < spectrum.count(); i += 2) {
            m_spectrum.data()[i] = static_cast<float>(spectrum.data()[i] * scale);
            m_spectrum.data()[i + 1] = static_cast<float>(-spectrum.data()[i + 1] * scale);
        }
    }
    [[nodiscard]] const TransformPair& plan() const { return *m_plan; }
    [[nodiscard]] const float* spectrum() const { return m_spectrum.data(); }

  private:
    std::shared_ptr<const TransformPair> m_plan;
    base::Image<float> m_spectrum;
};

/// The buffers of one worker: centred voxels, their spectrum, the circular correlation.
struct TiledBuffers {
    base::Image<float> voxels;
    base::Image<float> spectrum;
    base::Image<float> numerators;
    base::Image<float> lines;
    TileScorer scorer;

    TiledBuffers(const Extents& points, const Extents& m, const Extents& tile)
        : voxels(withSlack(base::voxelCount(points)), 0.0F),
          spectrum(withSlack(2 * spectrumCount(points)), 0.0F),
          numerators(withSlack(base::voxelCount(points)), 0.0F),
          lines(withSlack(lineCount(points)), 0.0F), scorer(m, tile) {}

    static Extents withSlack(std::int64_t count) { return {count + simd::kSlack, 1, 1}; }
    static std::int64_t lineCount(const Extents& points) { return points.x + points.x * points.y; }
    static std::int64_t bytes(const Extents& points, const Extents& m, const Extents& tile) {
        return 4 * (2 * base::voxelCount(points) + 2 * spectrumCount(points) + lineCount(points) +
                    4 * simd::kSlack) +
               TileScorer::bytes(m, tile);
    }
};

class TiledWorkspace final : public method::Workspace {
  public:
    TiledWorkspace(const Extents& points, const Extents& m, const Extents& tile, int threads) {
        for (int i = 0; i < threads; ++i) {
            m_buffers.push_back(std::make_unique<TiledBuffers>(points, m, tile));
        }
    }
    [[nodiscard]] TiledBuffers& buffers(int worker) {
        return *m_buffers[static_cast<std::size_t>(worker)];
    }

  private:
    std::vector<std::unique_ptr<TiledBuffers>> m_buffers;
};

/// The length of transforms near `target` that divides `map` placements into equal tiles.
std::int64_t fittedLength(std::int64_t target, std::int64_t map, std::int64_t m, bool even) {
    if (map + m - 1 <= 1) {
        return 1;
    }
    const std::int64_t gives = std::max<std::int64_t>(1, target - m + 1);
    const std::int64_t tiles = (map + gives - 1) / gives;
    return nextSmooth((map + tiles - 1) / tiles + m - 1, even);
}

/// What a tile of `points` puts through transforms, a thread.
double transformNs(const Extents& points, const method::CostModel& model) {
    const double count = static_cast<double>(base::voxelCount(points));
    const double bytes = 12 * count;
    const double levels = std::log2(std::max(2.0, count));
    // Beyond the caches every pass goes to memory.
    const double crowding = bytes <= model.cacheBytes ? 1.0 : model.transformOutOfCache;
    return count * levels * model.transformPointNs * crowding;
}

class TiledMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled"; }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            const Candidate candidate{std::string(name()), std::string(device()), points,
                                      limits.threads};
            if (std::find(result.begin(), result.end(), candidate) == result.end()) {
                result.push_back(candidate);
            }
        };
        if (tile.x > 0) {
            add({tile.x, problem.scene.y == 1 ? 1 : tile.y, problem.scene.z == 1 ? 1 : tile.z});
            return result;
        }
        const auto fitted = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return Extents{fittedLength(x, map.x, m.x, true), fittedLength(y, map.y, m.y, false),
                           fittedLength(z, map.z, m.z, false)};
        };
        if (problem.scene.z > 1) {
            for (const std::int64_t target : {32, 48, 64, 96, 128, 192}) {
                if (target >= std::max({m.x, m.y, m.z}) + 8) {
                    add(fitted(target, target, target));
                }
            }
        } else {
            for (const std::int64_t target : {64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
                if (target >= std::max(m.x, m.y) + 16) {
                    add(fitted(target, target, 1));
                    add(fitted(2 * target, target, 1));
                }
            }
        }
        if (result.empty()) {
            const auto twice = [](std::int64_t length) { return 2 * length; };
            add(fitted(twice(m.x), twice(m.y), twice(m.z)));
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        const Extents& m = problem.templ;
        const Extents& points = candidate.tile;
        const Extents map = method::mapExtents(problem);
        if (points.x < m.x || points.y < m.y || points.z < m.z) {
            return method::Refusal{"tile " + base::toString(points) + " is smaller than template " +
                                   base::toString(m)};
        }
        const std::int64_t count = base::voxelCount(points);
        if (count > INT32_MAX) {
            return method::Refusal{"tile " + base::toString(points) +
                                   " has more points than FFTW can plan"};
        }
        const Extents tile = outputTile(points, m, map);
        const TileGrid grid(map, tile);
        method::Prediction prediction;
        prediction.fftPlanning = "estimate";
        // The template is prepared in double: padded template, spectrum, spectrum in float.
        prediction.hostBytes = mapBytes(problem) + base::byteCount(m, 8) +
                               8 * spectrumCount(points) +
                               std::max(8 * count + 16 * spectrumCount(points),
                                        TiledBuffers::bytes(points, m, tile) * candidate.threads);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double tiles = static_cast<double>(grid.count());
        const double pointCount = static_cast<double>(count);
        const double outputs = static_cast<double>(base::voxelCount(map));
        // Two half transforms a tile (Karas (23)), 2.5 M log2 M operations each.
        prediction.operations =
            tiles * (5 * pointCount * std::log2(std::max(2.0, pointCount)) + 3 * pointCount);
        const double tileNs = transformNs(points, model) +
                              pointCount * (model.spectrumPointNs + model.loadVoxelNs) +
                              model.tileOverheadNs;
        const double workers =
            model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
        // The last round of tiles may leave threads idle.
        const double threads = static_cast<double>(candidate.threads);
        const double rounds = std::ceil(tiles / threads) * threads;
        prediction.ms =
            1e-6 *
            ((tileNs * std::min(rounds, 2 * tiles) + outputs * model.denominatorVoxelNs) / workers +
             2 * transformNs(points, model)); // the template's, in double
        if (statistics != nullptr) {
            const double root = std::sqrt(std::log2(std::max(2.0, pointCount)));
            prediction.errorBound = kU24 * 8 * root * 2 * predictedK(*statistics) /
                                        std::sqrt(static_cast<double>(base::voxelCount(m))) +
                                    4 * kU24;
        }
        return prediction;
    }

    void warmUp(const Problem&, const Candidate& candidate) const override {
        (void)transformPair(candidate.tile);
        (void)doubleTransform(candidate.tile);
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem&, const Candidate& candidate, const base::AnyView& templ) const override {
        return std::make_shared<TiledPrepared>(candidate.tile, templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<TiledWorkspace>(
            candidate.tile, problem.templ,
            outputTile(candidate.tile, problem.templ, method::mapExtents(problem)),
            candidate.threads);
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const base::AnyView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& templ = dynamic_cast<const TiledPrepared&>(prepared);
        auto& buffers = dynamic_cast<TiledWorkspace&>(workspace);
        const Extents mapExtents = method::mapExtents(problem);
        const TileGrid grid(mapExtents, outputTile(candidate.tile, problem.templ, mapExtents));
        return runTiles(grid, execution, {"load", "transform", "multiply", "denominator"},
                        [&](const base::Box& out, int worker, WorkerTally& tally) {
                            runTile(problem, candidate.tile, templ, scene, out,
                                    buffers.buffers(worker), map, tally);
                        });
    }

  private:
    enum Stage : std::size_t { kLoad, kTransform, kMultiply, kDenominator };

    static void runTile(const Problem& problem, const Extents& points, const TiledPrepared& templ,
                        const base::AnyView& scene, const base::Box& out, TiledBuffers& own,
                        const method::MapView& map, WorkerTally& tally) {
        const Extents& m = problem.templ;
        const base::Box seen = footprint(out, m);
        const simd::FloatBox x{own.voxels.data(), points.x, points.x * points.y};
        const simd::FloatBox num{own.numerators.data(), points.x, points.x * points.y};
        if (seen.extents != points) {
            std::fill_n(own.voxels.data(), own.voxels.count(), 0.0F);
        }
        const CentredTile tile = loadCentred(scene, seen, base::voxelCount(m), x);
        const simd::LineEnergy in = simd::lineEnergy(x.data, points, own.lines.data());
        tally.clock.lap(kLoad);
        templ.plan().forward(x.data, own.spectrum.data());
        tally.clock.lap(kTransform);
        simd::multiplySpectra(own.spectrum.data(), templ.spectrum(), spectrumCount(points));
        tally.clock.lap(kMultiply);
        templ.plan().inverse(own.spectrum.data(), num.data);
        tally.clock.lap(kTransform);
        const simd::LineEnergy result = simd::lineEnergy(num.data, points, own.lines.data());
        const BoundTerms terms =
            fourierTerms(base::voxelCount(points), std::sqrt(in.largestMeanSquare),
                         std::sqrt(result.largestMeanSquare), std::sqrt(in.total), tile.exact);
        own.scorer.score(problem, scene, out, x, num, tile, terms, map, tally.facts);
        tally.clock.lap(kDenominator);
    }
};

} // namespace

const method::Method& tiledMethod() {
    static const TiledMethod method;
    return method;
}

} // namespace flcc::cpu
