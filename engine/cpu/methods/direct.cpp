#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/integer_template.h"
#include "engine/cpu/score/support_run.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/method/canonical.h"

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

/// The canonical template in both precisions, x fastest.
class DirectPrepared final : public method::Prepared {
  public:
    DirectPrepared(const Problem& problem, const method::MaskedView& templ, base::TilePool& pool)
        : m_forms(TemplateForms::of(problem, templ, pool)), m_weights(canonical().extents()) {
        requireNamedMask(problem, canonical());
        if (needsSupport(problem)) {
            m_general.emplace(problem, canonical(), templ, TransformShape{});
        }
        const base::Image<double>& values = canonical().values();
        std::transform(values.data(), values.data() + values.count(), m_weights.data(),
                       [](double value) { return static_cast<float>(value); });
    }
    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_forms.canonical; }
    /// Empty if all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<OperationPrepared>& general() const { return m_general; }
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_forms.integers ? &*m_forms.integers : nullptr;
    }
    template <class Real> [[nodiscard]] const Real* weights() const {
        if constexpr (std::is_same_v<Real, float>) {
            return m_weights.data();
        } else {
            return canonical().values().data();
        }
    }

  private:
    TemplateForms m_forms;
    std::optional<OperationPrepared> m_general;
    base::Image<float> m_weights;
};

/// The voxels of a footprint and the numerators of a tile, both rounded up to whole register
/// blocks.
template <class Real> struct DirectTile {
    base::Image<Real> voxels;
    base::Image<Real> numerators;
    simd::VoxelBox<Real> x;
    simd::VoxelBox<Real> num;

    DirectTile(const Extents& m, const Extents& tile)
        : voxels(directInput(m, tile), Real{0}), numerators(directOutput(tile), Real{0}),
          x(boxOf(voxels)), num(boxOf(numerators)) {}

    static simd::VoxelBox<Real> boxOf(base::Image<Real>& image) {
        return {image.data(), image.extents().x, image.extents().x * image.extents().y};
    }
    static std::int64_t bytes(const Extents& m, const Extents& tile) {
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(Real));
        return base::byteCount(directInput(m, tile), kSize) +
               base::byteCount(directOutput(tile), kSize);
    }
};

/// The buffers of one worker. Those of a precision are made when they are first needed.
class DirectBuffers {
  public:
    DirectBuffers(const Problem& problem, const Extents& tile)
        : best(problem, tile), scorer(problem.templ, tile), m_problem(problem), m_m(problem.templ),
          m_extents(tile) {}

    /// The window sums of a tile of a bank in one precision.
    [[nodiscard]] KeptTile& kept(bool inDouble) {
        std::optional<KeptTile>& kept = m_kept[inDouble ? 1 : 0];
        if (!kept) {
            kept.emplace(m_extents);
        }
        return *kept;
    }
    BestTile best;

    /// The buffers of a precision. Those in double and in integers replace each other.
    template <class Real> [[nodiscard]] DirectTile<Real>& tile() {
        auto& tile = std::get<std::unique_ptr<DirectTile<Real>>>(m_tiles);
        if (!tile) {
            if constexpr (!std::is_same_v<Real, float>) {
                using Other =
                    std::conditional_t<std::is_same_v<Real, double>, std::int32_t, double>;
                std::get<std::unique_ptr<DirectTile<Other>>>(m_tiles).reset();
            }
            tile = std::make_unique<DirectTile<Real>>(m_m, m_extents);
        }
        return *tile;
    }

    static std::int64_t bytes(const Counted& counted, const Extents& tile) {
        const Problem& problem = counted.problem;
        const Extents& m = problem.templ;
        const bool single = problem.precision == method::Precision::Single;
        const std::int64_t general =
            needsSupport(problem) ? DirectCorrelator::bytes(problem, tile) : 0;
        const std::int64_t common =
            counted.scorerBytes(tile) + general + BestTile::bytes(problem, tile);
        if (problem.mask) {
            return common;
        }
        const std::int64_t precisions = single && problem.recompute ? 2 : 1;
        return common + (problem.templates > 1 ? precisions * KeptTile::bytes(tile) : 0) +
               (single ? DirectTile<float>::bytes(m, tile) : 0) +
               (!single || problem.recompute ? DirectTile<double>::bytes(m, tile)
                : counted.integers           ? DirectTile<std::int32_t>::bytes(m, tile)
                                             : 0);
    }

    TileScorer scorer;

    /// The values of general tiles.
    [[nodiscard]] PlacementValues& values() {
        if (!m_values) {
            m_values = makeValues(m_problem, m_extents, {});
        }
        return *m_values;
    }

  private:
    Problem m_problem;
    Extents m_m;
    Extents m_extents;
    std::unique_ptr<PlacementValues> m_values;
    std::array<std::optional<KeptTile>, 2> m_kept;
    std::tuple<std::unique_ptr<DirectTile<float>>, std::unique_ptr<DirectTile<double>>,
               std::unique_ptr<DirectTile<std::int32_t>>>
        m_tiles;
};

/// What the tiles of a run of one template or of a bank share.
struct DirectRun {
    const Problem& problem;
    std::vector<const DirectPrepared*> templs;
    method::MaskedView scene; ///< has no mask if the mask is all ones
    method::BankView to;      ///< has no index if there is one template
    [[nodiscard]] bool bank() const { return templs.size() > 1; }
};

/// A tile of placements inside the scene.
struct PlainTile {
    base::Box out; ///< in the `valid` map
    BestPart part; ///< where its scores go
};

/// A tile whose voxels are loaded in one precision.
struct LoadedTile {
    bool made = false;
    bool paired = false; ///< its voxels are loaded as pairs of integers too
    CentredTile centred;
    KeptTile* kept = nullptr; ///< window sums of a bank; null for one template
};

/// Loads the voxels of a tile, unless they are loaded.
template <class Real>
void loadTile(const DirectRun& run, const base::Box& out, DirectBuffers& own, LoadedTile& tile) {
    if (tile.made) {
        return;
    }
    const Extents& m = run.problem.templ;
    tile.centred =
        loadCentred(run.scene.pixels, footprint(out, m), base::voxelCount(m), own.tile<Real>().x);
    if (run.bank()) {
        tile.kept = &own.kept(std::is_same_v<Real, double>);
        tile.kept->forget();
    }
    tile.made = true;
}

/// Computes and scores one tile of one template in one precision.
template <class Real>
TileResult matchTile(const DirectRun& run, const DirectPrepared& templ, const base::Box& out,
                     LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                     StageClock& clock) {
    const Extents& m = run.problem.templ;
    DirectTile<Real>& buffers = own.tile<Real>();
    loadTile<Real>(run, out, own, tile);
    clock.lap(kLoad);
    simd::correlateDirect(buffers.x, templ.weights<Real>(), m, out.extents, buffers.num);
    clock.lap(kNumerator);
    BoundTerms terms = directTerms(m, kUnitOf<Real>);
    terms.wholeSums = std::is_same_v<Real, double>;
    const TileResult result =
        own.scorer.score(run.problem, run.scene.pixels, out, buffers.x, buffers.num, tile.centred,
                         terms, templ.canonical(), part, tile.kept);
    clock.lap(kDenominator);
    return result;
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

/// Makes the pairs of integers of a tile from its voxels in float.
void loadPairs(const Extents& seen, const CentredTile& tile, const simd::FloatBox& x,
               const simd::IntegerBox& to) {
    const auto steps = static_cast<float>(tile.stepsPerUnit());
    for (std::int64_t z = 0; z < seen.z; ++z) {
        for (std::int64_t y = 0; y < seen.y; ++y) {
            simd::loadPairs(x.data + z * x.sliceStride + y * x.rowStride, seen.x, steps,
                            to.data + z * to.sliceStride + y * to.rowStride);
        }
    }
}

/// Computes and scores one tile of one template whose products are exact in integers. The tile must
/// be loaded.
TileResult matchIntegers(const DirectRun& run, const IntegerTemplate& templ,
                         const method::CanonicalTemplate& canonical, const base::Box& out,
                         LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                         StageClock& clock) {
    const Extents& m = run.problem.templ;
    const simd::FloatBox& x = own.tile<float>().x;
    DirectTile<std::int32_t>& pairs = own.tile<std::int32_t>();
    if (!std::exchange(tile.paired, true)) {
        loadPairs(footprint(out, m).extents, tile.centred, x, pairs.x);
    }
    clock.lap(kLoad);
    simd::correlateDirect(pairs.x, templ.pairs(), {(m.x + 1) / 2, m.y, m.z}, out.extents,
                          pairs.num);
    clock.lap(kNumerator);
    BoundTerms terms;
    terms.templSum = templ.sum();
    terms.templNorm = templ.norm();
    terms.integers = &templ;
    const TileResult result = own.scorer.score(run.problem, run.scene.pixels, out, x, pairs.num,
                                               tile.centred, terms, canonical, part, tile.kept);
    clock.lap(kDenominator);
    return result;
}

/// Computes and scores one tile of one template in single precision: in integers if these are
/// exact.
TileResult matchSingle(const DirectRun& run, const DirectPrepared& templ, const base::Box& out,
                       LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                       StageClock& clock) {
    loadTile<float>(run, out, own, tile);
    const IntegerTemplate* const integers = templ.integers();
    return integers != nullptr && integers->fits(tile.centred)
               ? matchIntegers(run, *integers, templ.canonical(), out, tile, own, part, clock)
               : matchTile<float>(run, templ, out, tile, own, part, clock);
}

class DirectMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Direct", .byDefinition = true};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }
    /// Has every operation.
    [[nodiscard]] std::string refusal(const Problem&) const override { return {}; }

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
            problem.templates *
                (base::byteCount(m, 4) + counted.templateBytes() + generalBytes(problem));
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
        return runAll({problem, {&templ}, withoutIdleMask(problem, scene), {map, {}}}, candidate,
                      workspace, execution);
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
        return runAll({problem, templs, withoutIdleMask(problem, scene), to}, candidate, workspace,
                      execution);
    }

  private:
    /// Speed of products in integers, divided by that in float.
    static constexpr double kIntegerGain = 1.8;
    /// Speed of products in double, divided by that in float.
    static constexpr double kDoubleRate = 0.5;
    /// Speed of differences of bytes, four at a time.
    static constexpr double kQuadRate = 3;
    /// Nanoseconds of a multiply-add in double. Only its ratio to a canonical value matters.
    static constexpr double kDoubleNs = 0.05;

    /// Time of the absolute differences of a tile.
    static double differencesNs(const Problem& problem, const Extents& tile,
                                const method::CostModel& model) {
        const Extents& m = problem.templ;
        const auto voxels = static_cast<double>(base::voxelCount(tile));
        const auto products = voxels * static_cast<double>(base::voxelCount(m));
        const bool quads = problem.scenePixel == base::PixelType::UInt8 &&
                           problem.templPixel == base::PixelType::UInt8;
        return products / (model.multiplyAddsPerNs * (quads ? kQuadRate : kDoubleRate)) +
               kSupportLoads * model.loadNs({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1});
    }

    static std::int64_t generalBytes(const Problem& problem) {
        return needsSupport(problem) ? OperationPrepared::bytes(problem, {}) : 0;
    }

    static std::string statisticsReason(const Problem& problem) {
        return problem.statistics == method::WindowStatistics::Fourier
                   ? "--statistics fourier does not work with method direct; use tiled"
                   : statisticsRefusal(problem);
    }

    static method::Outcome runAll(const DirectRun& run, const Candidate& candidate,
                                  method::Workspace& workspace,
                                  const method::Execution& execution) {
        auto& buffers = dynamic_cast<ThreadBuffers<DirectBuffers>&>(workspace);
        const bool general = allGeneral(run.problem, run.templs.front()->canonical());
        const MapGrid grid(run.problem, candidate.tile, general);
        return runTiles(grid, execution, {"load", "numerator", "denominator", "recomputation"},
                        [&](const base::Box& out, int worker, WorkerTally& tally) {
                            DirectBuffers& own = buffers.of(worker);
                            if (general || isPartial(run.scene, seenBy(run.problem, out))) {
                                return generalTile(run, out, own, execution.stop, tally);
                            }
                            PlainTile tile{grid.inValid(out), {partOf(run.to, out)}};
                            plainTile(run, tile, own, tally);
                            return true;
                        });
    }

    /// Scores a general tile. False if it was stopped before anything was written.
    static bool generalTile(const DirectRun& run, const base::Box& out, DirectBuffers& own,
                            const std::stop_token& stop, WorkerTally& tally) {
        std::vector<const OperationPrepared*> templs;
        for (const DirectPrepared* templ : run.templs) {
            templs.push_back(&templ->general().value());
        }
        return runGeneralTile({run.problem, run.scene}, templs, out, own.values(), own.best,
                              partOf(run.to, out), tally, stop);
    }

    /// Scores a tile of placements inside the scene.
    static void plainTile(const DirectRun& run, PlainTile& tile, DirectBuffers& own,
                          WorkerTally& tally) {
        LoadedTile single;
        LoadedTile twice;
        for (std::size_t i = 0; i < run.templs.size(); ++i) {
            const DirectPrepared& templ = *run.templs[i];
            const auto number = static_cast<std::int32_t>(i);
            const method::MapView scores = own.best.of(number, tile.part);
            const auto runDouble = [&] {
                if (std::exchange(single.paired, false)) {
                    twice = {}; // its buffers gave way to the pairs
                }
                return matchTile<double>(run, templ, tile.out, twice, own, scores, tally.clock);
            };
            const bool inDouble = run.problem.precision == method::Precision::Double;
            TileResult result =
                inDouble ? runDouble()
                         : matchSingle(run, templ, tile.out, single, own, scores, tally.clock);
            const double doubleNs = static_cast<double>(base::voxelCount(tile.out.extents)) *
                                    static_cast<double>(base::voxelCount(run.problem.templ)) *
                                    kDoubleNs;
            if (!inDouble) {
                // No integers here: where they are exact, the first numerators were integers
                // already.
                own.scorer.scoreAgain(run.problem, {own.tile<float>().x, templ.canonical()}, scores,
                                      doubleNs, result);
                tally.clock.lap(kRecomputation);
            }
            if (!inDouble && TileScorer::wantsDouble(run.problem, result, doubleNs)) {
                result = runDouble();
            }
            own.scorer.finish(run.problem, run.scene.pixels, tile.out, templ.canonical(), result,
                              scores, tally.facts);
            tally.clock.lap(kRecomputation);
            own.best.take(number, tile.part, result.plain(), tally);
            tally.clock.lap(kDenominator);
        }
    }
};

} // namespace

const method::Method& directMethod() {
    static const DirectMethod method;
    return method;
}

} // namespace flcc::cpu
