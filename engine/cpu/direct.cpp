#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/methods.h"
#include "engine/cpu/tile_run.h"
#include "engine/method/canonical.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;

constexpr double kU24 = 0x1p-24;

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

/// The canonical template in float, x fastest.
class DirectPrepared final : public method::Prepared {
  public:
    explicit DirectPrepared(const base::AnyView& templ) {
        const method::CanonicalTemplate canonical(templ);
        m_weights = base::Image<float>(canonical.extents());
        std::transform(canonical.values().data(),
                       canonical.values().data() + canonical.values().count(), m_weights.data(),
                       [](double value) { return static_cast<float>(value); });
    }
    [[nodiscard]] const float* weights() const { return m_weights.data(); }

  private:
    base::Image<float> m_weights;
};

/// The buffers of one worker: a footprint of voxels and a tile of numerators, both rounded up to
/// whole register blocks.
struct DirectBuffers {
    base::Image<float> voxels;
    base::Image<float> numerators;
    simd::FloatBox x;
    simd::FloatBox num;
    TileScorer scorer;

    DirectBuffers(const Extents& m, const Extents& tile)
        : voxels(voxelExtents(m, tile), 0.0F), numerators(numeratorExtents(tile), 0.0F),
          x(boxOf(voxels)), num(boxOf(numerators)), scorer(m, tile) {}

    static Extents voxelExtents(const Extents& m, const Extents& tile) {
        return {roundUp(tile.x, simd::kBlockColumns) + roundUp(m.x, 16) + simd::kSlack,
                roundUp(tile.y, simd::kBlockRows) + m.y - 1, tile.z + m.z - 1};
    }
    static Extents numeratorExtents(const Extents& tile) {
        return {roundUp(tile.x, simd::kBlockColumns) + simd::kSlack,
                roundUp(tile.y, simd::kBlockRows), tile.z};
    }
    static simd::FloatBox boxOf(base::Image<float>& image) {
        return {image.data(), image.extents().x, image.extents().x * image.extents().y};
    }
    static std::int64_t bytes(const Extents& m, const Extents& tile) {
        return base::byteCount(voxelExtents(m, tile), 4) +
               base::byteCount(numeratorExtents(tile), 4) + TileScorer::bytes(m, tile);
    }
};

/// Small enough that the mean of the tile is close to that of each panel, large enough that the
/// halo does not dominate.
Extents defaultTile(const Extents& map, const Extents& m) {
    const bool volume = map.z > 1 || m.z > 1;
    const auto side = [](std::int64_t length, std::int64_t least) {
        return std::max<std::int64_t>(least, length > 16 ? roundUp(2 * length, 32) : least);
    };
    Extents tile{std::min(roundUp(side(m.x, 64), 64), map.x),
                 std::min(side(m.y, volume ? 32 : 64), map.y), std::min(side(m.z, 32), map.z)};
    // A thin map gets longer tiles, so that a tile stays worth its overhead.
    constexpr std::int64_t kWorth = 4096;
    const std::int64_t thin = tile.y * tile.z;
    if (tile.x * thin < kWorth && map.x > tile.x) {
        tile.x = std::min(map.x, roundUp(kWorth / thin, 64));
    }
    if (tile.x * thin < kWorth && map.y > tile.y) {
        tile.y = std::min(map.y, roundUp(kWorth / (tile.x * tile.z), 4));
    }
    if (tile.x * tile.y * tile.z < kWorth && map.z > tile.z) {
        tile.z = std::min(map.z, kWorth / (tile.x * tile.y));
    }
    // A run is stopped between tiles: none may take longer than about a tenth of a second.
    constexpr double kLongest = 4e9;
    const auto work = [&] {
        return static_cast<double>(base::voxelCount(tile)) *
               static_cast<double>(base::voxelCount(m));
    };
    const auto halve = [&](std::int64_t& length, std::int64_t step) {
        while (work() > kLongest && length > step) {
            length = std::max(step, roundUp(length / 2, step));
        }
    };
    halve(tile.z, 1);
    halve(tile.y, simd::kBlockRows);
    halve(tile.x, simd::kBlockColumns);
    return tile;
}

class DirectMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        const Extents chosen =
            tile.x > 0
                ? Extents{std::min(tile.x, map.x), std::min(tile.y, map.y), std::min(tile.z, map.z)}
                : defaultTile(map, problem.templ);
        return {{std::string(name()), std::string(device()), chosen, limits.threads}};
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        const Extents& m = problem.templ;
        const Extents map = method::mapExtents(problem);
        method::Prediction prediction;
        prediction.hostBytes = mapBytes(problem) +
                               DirectBuffers::bytes(m, candidate.tile) * candidate.threads +
                               base::byteCount(m, 12);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double outputs = static_cast<double>(base::voxelCount(map));
        const double support = static_cast<double>(base::voxelCount(m));
        const Extents& tile = candidate.tile;
        const Extents seen{tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1};
        const TileGrid grid(map, tile);
        prediction.operations = 2 * outputs * support; // FLCC Table I: N_y N_T, twice for LCC
        // The first and last rows of a register block have less to do; after every few rows the
        // accumulators are added to their totals.
        const double rows = static_cast<double>(m.y + simd::kBlockRows - 1);
        const double flushes =
            std::ceil(rows / static_cast<double>(simd::rowsPerAccumulator(m.x))) *
            static_cast<double>(m.z);
        const double ns =
            outputs * support * rows / (model.multiplyAddsPerNs * static_cast<double>(m.y)) +
            outputs * flushes * model.flushVoxelNs +
            outputs / static_cast<double>(base::voxelCount(tile)) * model.loadNs(seen) +
            denominatorNs(problem, tile, model) +
            static_cast<double>(grid.count()) * model.tileOverheadNs;
        const double buffers =
            static_cast<double>(DirectBuffers::bytes(m, tile) * candidate.threads);
        prediction.setupMs = 1e-6 * buffers * model.bufferByteNs;
        prediction.ms =
            prediction.setupMs +
            1e-6 * ns / model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
        prediction.tilesInFlight = candidate.threads;
        prediction.errorBound =
            statistics == nullptr ? 0 : directTerms(m).panel * predictedK(*statistics) + 4 * kU24;
        return prediction;
    }

    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem&, const Candidate&, const base::AnyView& templ) const override {
        return std::make_shared<DirectPrepared>(templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<ThreadBuffers<DirectBuffers>>(candidate.threads, problem.templ,
                                                              candidate.tile);
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const base::AnyView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const Extents& m = problem.templ;
        const auto& weights = dynamic_cast<const DirectPrepared&>(prepared);
        auto& buffers = dynamic_cast<ThreadBuffers<DirectBuffers>&>(workspace);
        const std::int64_t count = base::voxelCount(m);
        const BoundTerms terms = directTerms(m);
        enum Stage : std::size_t { kLoad, kNumerator, kDenominator };
        return runTiles(
            TileGrid(method::mapExtents(problem), candidate.tile), 1, execution,
            {"load", "numerator", "denominator"},
            [&](const std::vector<base::Box>& boxes, int worker, WorkerTally& tally) {
                const base::Box& out = boxes.front();
                DirectBuffers& own = buffers.of(worker);
                const CentredTile tile = loadCentred(scene, footprint(out, m), count, own.x);
                tally.clock.lap(kLoad);
                simd::correlateDirect(own.x, weights.weights(), m, out.extents, own.num);
                tally.clock.lap(kNumerator);
                own.scorer.score(problem, scene, out, own.x, own.num, tile, terms, map,
                                 tally.facts);
                tally.clock.lap(kDenominator);
            });
    }
};

} // namespace

const method::Method& directMethod() {
    static const DirectMethod method;
    return method;
}

} // namespace flcc::cpu
