#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/methods/direct_run.h"
#include "engine/cpu/methods/methods.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;

/// True if the products are expected to be summed in integers, which is exact and twice as fast.
bool inIntegers(const Problem& problem, const method::SceneStatistics* statistics) {
    const auto count = static_cast<double>(base::voxelCount(problem.templ));
    const auto fits = [&](double steps) { return IntegerTemplate::fits(count, steps, steps); };
    const bool bytes = problem.scenePixel == base::PixelType::UInt8 &&
                       problem.templPixel == base::PixelType::UInt8;
    return problem.precision == method::Precision::Single && !problem.mask &&
           ((bytes && fits(255)) || (statistics != nullptr && fits(statistics->steps / 2)));
}

/// Extents of a tile: at least `least`, and so large that most voxels read are not margin.
Extents tileOf(const Extents& map, const Extents& m, const Extents& least) {
    const auto side = [](std::int64_t length, std::int64_t shortest) {
        return std::max<std::int64_t>(shortest, length > 16 ? roundUp(2 * length, 32) : shortest);
    };
    Extents tile{std::min(roundUp(side(m.x, least.x), 64), map.x),
                 std::min(side(m.y, least.y), map.y), std::min(side(m.z, least.z), map.z)};
    // A thin map gets longer tiles, so that a tile takes longer than its overhead.
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
    // A run stops between tiles, so no tile may take longer than about 0.1 s.
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
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Direct",
                .byDefinition = true,
                .makes = {.scores = true, .forms = true, .differences = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& extents) {
            addCandidate(*this, extents, limits, result);
        };
        if (tile.x > 0) {
            add({std::min(tile.x, map.x), std::min(tile.y, map.y), std::min(tile.z, map.z)});
        } else if (map.z > 1 || m.z > 1) {
            add(tileOf(map, m, {64, 32, 32}));
        } else {
            // The mean of a square tile is closest to the means of its panels, so that the fewest
            // voxels are recomputed. Tiles with long rows are cheaper to read and to score.
            add(tileOf(map, m, {64, 64, 1}));
            add(tileOf(map, m, {128, 32, 1}));
            add(tileOf(map, m, {256, 32, 1}));
            add(tileOf(map, m, {256, 64, 1}));
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        if (std::string reason = statisticsReason(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (problem.operation.traits().byDefinition) {
            return predictDifferences(problem, candidate,
                                      differencesNs(problem, candidate.tile, model), limits, model);
        }
        const Extents& m = problem.templ;
        const Extents map = method::mapExtents(problem);
        method::Prediction prediction;
        const Counted counted(problem, directTerms(m, kUnitSingle), statistics);
        prediction.hostBytes =
            method::mapBytes(problem) + unlikeBytes(problem) +
            littleBytes(problem, candidate.threads) +
            DirectBuffers::bytes(counted, candidate.tile) *
                std::min<std::int64_t>(candidate.threads,
                                       MapGrid(problem, candidate.tile, problem.mask).count()) +
            problem.templates * (base::byteCount(m, 4) + counted.templateBytes() +
                                 DirectPrepared::generalBytes(problem));
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Extents& tile = candidate.tile;
        const SupportCost general = supportCost(problem, tile);
        const double support = static_cast<double>(base::voxelCount(m));
        const double outputs = static_cast<double>(base::voxelCount(map)) - general.placements;
        const Extents seen{tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1};
        const TileGrid grid(map, tile);
        const double templates = problem.templates;
        prediction.operations = // FLCC Table I: N_y N_T, twice for LCC
            templates * 2 * support *
            (outputs + general.placements * static_cast<double>(general.products));
        // The first and last rows of a register block have fewer products. After
        // rowsPerAccumulator() rows the accumulators are added to their totals.
        const double rows = static_cast<double>(m.y + simd::kBlockRows - 1);
        const double flushes =
            std::ceil(rows / static_cast<double>(simd::rowsPerAccumulator(m.x))) *
            static_cast<double>(m.z);
        const auto correlationNs = [&](double placements, double rate) {
            return placements * (support * rows / (rate * static_cast<double>(m.y)) +
                                 flushes * model.flushVoxelNs);
        };
        const bool integers = inIntegers(problem, statistics);
        const double products = model.multiplyAddsPerNs * (integers ? kIntegerGain : 1);
        const double tileLoads = model.loadNs(seen) / static_cast<double>(base::voxelCount(tile));
        const double generalNs =
            static_cast<double>(general.products) *
                correlationNs(general.blocks, model.multiplyAddsPerNs * kDoubleRate) +
            general.placements * (kSupportScoreNs + kSupportLoads * tileLoads);
        const double ns = templates * (correlationNs(outputs, products) + generalNs) +
                          outputs * tileLoads +
                          denominatorNs(outputs, problem, tile, model) * sharedScores(problem) +
                          static_cast<double>(grid.count()) * model.tileOverheadNs;
        const double buffers =
            static_cast<double>(DirectBuffers::bytes(Counted(problem), tile) * candidate.threads);
        prediction.setupMs = 1e-6 * (buffers * model.bufferByteNs + TemplateForms::ns(problem));
        prediction.ms = prediction.setupMs +
                        1e-6 * ns * model.directFactor /
                            model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
        prediction.tilesInFlight = candidate.threads;
        if (statistics != nullptr) {
            prediction.errorBound =
                integers
                    ? 5 * kUnitSingle
                    : directTerms(m, kUnitSingle).panel * predictedK(*statistics) + 4 * kUnitSingle;
        }
        return prediction;
    }

    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate&, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        return std::make_shared<DirectPrepared>(problem, templ, pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<ThreadBuffers<DirectBuffers>>(candidate.threads, problem,
                                                              candidate.tile);
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& templ = dynamic_cast<const DirectPrepared&>(prepared);
        return DirectRun{problem, {&templ}, withoutIdleMask(problem, scene), {map, {}}}(
            candidate.tile, buffersOf(workspace), execution);
    }

    method::Outcome
    executeBank(const Problem& problem, const Candidate& candidate,
                const std::vector<std::shared_ptr<const method::Prepared>>& prepared,
                const method::MaskedView& scene, method::Workspace& workspace,
                const method::Execution& execution, const method::BankView& to) const override {
        const auto templs = alikeTemplates<DirectPrepared>(problem, prepared);
        if (templs.empty()) {
            return Method::executeBank(problem, candidate, prepared, scene, workspace, execution,
                                       to);
        }
        return DirectRun{problem, templs, withoutIdleMask(problem, scene),
                         to}(candidate.tile, buffersOf(workspace), execution);
    }

  private:
    /// Speed of products in integers, divided by that in float.
    static constexpr double kIntegerGain = 1.8;
    /// Speed of products in double, divided by that in float.
    static constexpr double kDoubleRate = 0.5;
    /// Speed of differences of bytes, four at a time.
    static constexpr double kQuadRate = 3;
    /// Time of the absolute differences of a tile.
    static double differencesNs(const Problem& problem, const Extents& tile,
                                const method::CostModel& model) {
        const Extents& m = problem.templ;
        const auto voxels = static_cast<double>(base::voxelCount(tile));
        const auto products = voxels * static_cast<double>(base::voxelCount(m));
        const bool quads = problem.scenePixel == base::PixelType::UInt8 &&
                           problem.templPixel == base::PixelType::UInt8 && !problem.weights;
        return products / (model.multiplyAddsPerNs * (quads ? kQuadRate : kDoubleRate)) +
               kSupportLoads * model.loadNs({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1});
    }

    static ThreadBuffers<DirectBuffers>& buffersOf(method::Workspace& workspace) {
        return dynamic_cast<ThreadBuffers<DirectBuffers>&>(workspace);
    }

    static std::string statisticsReason(const Problem& problem) {
        return problem.statistics == method::WindowStatistics::Fourier
                   ? "--statistics fourier does not work with method direct; use tiled"
                   : statisticsRefusal(problem);
    }
};

} // namespace

const method::Method& directMethod() {
    static const DirectMethod method;
    return method;
}

} // namespace flcc::cpu
