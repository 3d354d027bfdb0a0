#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/score_pass.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/simd/lines.h"
#include "engine/cpu/tile/box_sums.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/method/canonical.h"
#include "engine/method/separation.h"
#include "engine/method/shared/template_error.h"

/// LCC axis by axis (Karas (4)-(8)): That = level + an outer product, so a numerator is a sum of
/// products along each axis in turn, plus the level times s1, which the scorer adds.
namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;

double normOf(const std::vector<double>& values) {
    double square = 0;
    std::for_each(values.begin(), values.end(), [&](double v) { square += v * v; });
    return std::sqrt(square);
}

/// The longest chain of roundings that a product passes through.
double longestChain(const Extents& m) {
    double chain = 0;
    for (const std::int64_t length : {m.x, m.y, m.z}) {
        chain += length > 1 ? static_cast<double>(simd::lineRoundings(0, length)) : 0;
    }
    return chain;
}

/// Why templates of the problem are not of the form that the method needs; empty if they are.
std::string residualRefusal(const Problem& problem) {
    if (problem.residual.isWithin(problem.precision)) {
        return {};
    }
    if (problem.residual.value == method::kUnknownResidual) {
        return "needs templates that are a constant plus an outer product of one line an axis; "
               "these are not known to be";
    }
    char numbers[96];
    std::snprintf(numbers, sizeof(numbers), "residual %.2g, above %.2g", problem.residual.value,
                  method::largestResidual(problem.precision));
    return "the template is not a constant plus an outer product of one line an axis (" +
           std::string(numbers) + "); use direct or tiled";
}

/// A template by axes.
class SeparablePrepared final : public method::Prepared {
  public:
    SeparablePrepared(const Problem& problem, const method::MaskedView& templ)
        : m_canonical(templ, problem.operation),
          m_separation(method::separate(m_canonical.values().view())) {
        Problem own = problem;
        own.residual = m_separation.residual;
        if (const std::string reason = residualRefusal(own); !reason.empty()) {
            throw base::Error(base::ErrorCode::Problem, "method separable: " + reason);
        }
        // The factor of an axis of length 1 goes to the last axis that has a pass.
        std::array<std::vector<double>, 3>& factors = m_separation.product.factors;
        double factor = 1;
        for (std::size_t axis = 3; axis-- > 0;) {
            if (factors[axis].size() == 1) {
                factor *= factors[axis].front();
                factors[axis].front() = 1;
            }
        }
        const auto last = std::find_if(factors.begin(), factors.end(),
                                       [](const auto& f) { return f.size() > 1; });
        std::for_each(last->begin(), last->end(), [&](double& tap) { tap *= factor; });
        for (std::size_t axis = 0; axis < 3; ++axis) {
            m_single[axis].assign(factors[axis].begin(), factors[axis].end());
        }
    }

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    template <class Real> [[nodiscard]] const std::array<std::vector<Real>, 3>& taps() const {
        if constexpr (std::is_same_v<Real, float>) {
            return m_single;
        } else {
            return m_separation.product.factors;
        }
    }

    /// The bound on numerators, engine/method/NUMERICS.md, section 5. `exact`: no voxel was
    /// rounded.
    [[nodiscard]] BoundTerms terms(double unit, bool exact) const {
        const Extents& m = m_canonical.extents();
        const std::array<std::vector<double>, 3>& factors = m_separation.product.factors;
        const double norm = normOf(factors[0]) * normOf(factors[1]) * normOf(factors[2]);
        double roundings = 0; // of a product and of its taps, as a mean over the product's squares
        for (const std::vector<double>& factor : factors) {
            if (factor.size() < 2) {
                continue;
            }
            std::vector<double> weighted(factor);
            for (std::size_t k = 0; k < factor.size(); ++k) {
                weighted[k] *= static_cast<double>(simd::lineRoundings(
                    static_cast<std::int64_t>(k), static_cast<std::int64_t>(factor.size())));
            }
            roundings += normOf(weighted) / normOf(factor) + 1;
        }
        const double level =
            std::abs(m_separation.level) * std::sqrt(static_cast<double>(m_canonical.count()));
        BoundTerms terms;
        terms.templLevel = m_separation.level;
        terms.panel = unit * roundings * norm + (exact ? 0 : unit) + m_separation.residual +
                      method::shared::kTemplateError + 4 * kUnitDouble * norm +
                      2 * (boxSumsError(m) + kUnitDouble) * level;
        terms.score = unit; // adding the level times s1
        return terms;
    }

    /// Bytes of a template.
    static std::int64_t bytes(const Extents& m) { return base::byteCount(m, 8); }

  private:
    method::CanonicalTemplate m_canonical;
    method::Separation m_separation; ///< of That
    std::array<std::vector<float>, 3> m_single;
};

/// The voxels under a tile, and what the passes make of them.
template <class Real> struct SeparableTile {
    SeparableTile(const Extents& m, const Extents& tile)
        : voxels(extentsOf(m, tile), Real{0}), first(extentsOf(m, tile)),
          second(extentsOf(m, tile)) {}

    static simd::VoxelBox<Real> boxOf(base::Image<Real>& image) {
        return {image.data(), image.extents().x, image.extents().x * image.extents().y};
    }
    static std::int64_t bytes(const Extents& m, const Extents& tile) {
        return 3 * base::byteCount(extentsOf(m, tile), static_cast<std::int64_t>(sizeof(Real)));
    }

    base::Image<Real> voxels;
    base::Image<Real> first;
    base::Image<Real> second;

  private:
    /// Rows begin at whole vectors and end with room for further ones.
    static Extents extentsOf(const Extents& m, const Extents& tile) {
        constexpr std::int64_t kLanes = 16;
        return {roundUp(tile.x + m.x - 1, kLanes) + simd::kSlack, tile.y + m.y - 1,
                tile.z + m.z - 1};
    }
};

/// The buffers of one worker. Those of a precision are made when they are first needed.
class SeparableBuffers {
  public:
    SeparableBuffers(const Problem& problem, const Extents& tile)
        : scorer(problem.templ, tile), m_m(problem.templ), m_tile(tile) {}

    template <class Real> [[nodiscard]] SeparableTile<Real>& tile() {
        auto& tile = std::get<std::unique_ptr<SeparableTile<Real>>>(m_tiles);
        if (!tile) {
            tile = std::make_unique<SeparableTile<Real>>(m_m, m_tile);
        }
        return *tile;
    }

    static std::int64_t bytes(const Counted& counted, const Extents& tile) {
        const Extents& m = counted.problem.templ;
        const bool single = counted.problem.precision == method::Precision::Single;
        return counted.scorerBytes(tile) + (single ? SeparableTile<float>::bytes(m, tile) : 0) +
               (!single || counted.problem.recompute ? SeparableTile<double>::bytes(m, tile) : 0);
    }

    TileScorer scorer;

  private:
    Extents m_m;
    Extents m_tile;
    std::tuple<std::unique_ptr<SeparableTile<float>>, std::unique_ptr<SeparableTile<double>>>
        m_tiles;
};

struct SeparableRun {
    const Problem& problem;
    const SeparablePrepared& templ;
    const base::AnyView& scene;
    const method::MapView& map;
};

/// Computes and scores one tile in one precision.
template <class Real>
TileResult matchTile(const SeparableRun& run, const base::Box& out, SeparableBuffers& own,
                     const method::MapView& part, StageClock& clock) {
    using Tile = SeparableTile<Real>;
    const Extents& m = run.problem.templ;
    Tile& buffers = own.tile<Real>();
    const simd::VoxelBox<Real> x = Tile::boxOf(buffers.voxels);
    const CentredTile tile = loadCentred(run.scene, footprint(out, m), base::voxelCount(m), x);
    clock.lap(kLoad);
    const simd::VoxelBox<Real> numerators =
        simd::filterAxes(run.templ.taps<Real>(), out.extents, x, Tile::boxOf(buffers.first),
                         Tile::boxOf(buffers.second));
    clock.lap(kNumerator);
    const TileResult result =
        own.scorer.score(run.problem, run.scene, out, x, numerators, tile,
                         run.templ.terms(kUnitOf<Real>, tile.exact), run.templ.canonical(), part);
    clock.lap(kDenominator);
    return result;
}

/// Products of a placement, with those of the halo of a tile.
struct Products {
    double alongX;
    double alongY;
    double alongZ;
    double passes; ///< values that are loaded and stored

    Products(const Extents& m, const Extents& tile) {
        const auto ratio = [](std::int64_t length, std::int64_t taps) {
            return static_cast<double>(length + taps - 1) / static_cast<double>(length);
        };
        const auto taps = [](std::int64_t length) {
            return length > 1 ? static_cast<double>(length) : 0.0;
        };
        const double haloX = ratio(tile.x, m.x);
        const double haloXy = haloX * ratio(tile.y, m.y);
        alongX = taps(m.x);
        alongY = taps(m.y) * haloX;
        alongZ = taps(m.z) * haloXy;
        passes = (m.x > 1 ? 1 : 0) + (m.y > 1 ? haloX : 0) + (m.z > 1 ? haloXy : 0);
    }

    [[nodiscard]] double all() const { return alongX + alongY + alongZ; }
    /// Nanoseconds of a placement. Passes along x load a vector for every product, so they reach
    /// about half of the rate.
    [[nodiscard]] double ns(double multiplyAddsPerNs) const {
        constexpr double kPassNs = 0.15;
        return (2 * alongX + 1.3 * (alongY + alongZ)) / multiplyAddsPerNs + kPassNs * passes;
    }
};

class SeparableMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "separable"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Separable",
                .byDefinition = true,
                .axisByAxis = true,
                .makes = {.scores = true, .forms = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& t) {
            addCandidate(*this, {std::min(t.x, map.x), std::min(t.y, map.y), std::min(t.z, map.z)},
                         limits, result);
        };
        const auto side = [](std::int64_t templ, std::int64_t least, std::int64_t most) {
            return std::clamp(roundUp(2 * templ, 16), least, most);
        };
        if (tile.x > 0) {
            add(tile);
        } else if (map.z > 1 || m.z > 1) {
            add({64, side(m.y, 16, 64), side(m.z, 16, 64)});
            add({128, side(m.y, 32, 64), side(m.z, 32, 64)});
        } else {
            // Small tiles have levels near the means of their panels; long rows are cheaper.
            add({128, side(m.y, 64, 256), 1});
            add({256, side(m.y, 64, 256), 1});
            add({512, side(m.y, 128, 256), 1});
        }
        if (!residualRefusal(problem).empty()) {
            result.resize(1, result.front());
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        for (const std::string& reason : {ScorePass::refusal(problem), residualRefusal(problem)}) {
            if (!reason.empty()) {
                return method::Refusal{reason};
            }
        }
        if (problem.operation.traits().exactOfIntegers &&
            problem.precision == method::Precision::Double && base::isInteger(problem.scenePixel) &&
            base::isInteger(problem.templPixel)) {
            return method::Refusal{"sums of integers along axes are not exact, as a map in double "
                                   "promises; use direct or tiled"};
        }
        const Extents& m = problem.templ;
        const Extents map = method::mapExtents(problem);
        const Extents& tile = candidate.tile;
        const TileGrid grid(map, tile);
        const Counted counted(problem);
        const std::int64_t buffers = SeparableBuffers::bytes(counted, tile);
        method::Prediction prediction;
        prediction.hostBytes = method::mapBytes(problem) + littleBytes(problem, candidate.threads) +
                               buffers * std::min<std::int64_t>(candidate.threads, grid.count()) +
                               SeparablePrepared::bytes(m) +
                               oneByOneBytes(problem, SeparablePrepared::bytes(m));
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto outputs = static_cast<double>(base::voxelCount(map));
        const Products products(m, tile);
        prediction.operations = 2 * outputs * products.all();
        const bool inDouble = problem.precision == method::Precision::Double;
        const double rate = model.multiplyAddsPerNs * (inDouble ? 0.5 : 1);
        const double loadNs = model.loadNs(footprint({{}, tile}, m).extents) /
                              static_cast<double>(base::voxelCount(tile));
        const double ns = outputs * (products.ns(rate) + loadNs) +
                          denominatorNs(outputs, problem, tile, model) +
                          static_cast<double>(grid.count()) * model.tileOverheadNs;
        prediction.setupMs =
            1e-6 * (static_cast<double>(buffers * candidate.threads) * model.bufferByteNs +
                    kSeparateNs * static_cast<double>(base::voxelCount(m)));
        prediction.ms = prediction.setupMs +
                        1e-6 * ns * model.directFactor /
                            model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
        timeOneByOne(problem, prediction);
        prediction.tilesInFlight = candidate.threads;
        if (statistics != nullptr) {
            prediction.errorBound =
                kUnitSingle * ((4 + longestChain(m) / 2) * predictedK(*statistics) + 5);
        }
        return prediction;
    }

    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::shared_ptr<const method::Prepared> prepare(const Problem& problem,
                                                                  const Candidate&,
                                                                  const method::MaskedView& templ,
                                                                  base::TilePool&) const override {
        ScorePass::requireUnmasked(templ);
        return std::make_shared<SeparablePrepared>(problem, templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<ThreadBuffers<SeparableBuffers>>(candidate.threads, problem,
                                                                 candidate.tile);
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        ScorePass::requireUnmasked(scene);
        const SeparableRun run{problem, dynamic_cast<const SeparablePrepared&>(prepared),
                               scene.pixels, map};
        auto& buffers = dynamic_cast<ThreadBuffers<SeparableBuffers>&>(workspace);
        return runTiles(TileGrid(method::mapExtents(problem), candidate.tile), execution,
                        {"load", "numerator", "denominator", "recomputation"},
                        [&](const base::Box& out, int worker, WorkerTally& tally) {
                            runTile(run, out, buffers.of(worker), tally);
                            return true;
                        });
    }

  private:
    /// Nanoseconds to find the factors, for a voxel of the template.
    static constexpr double kSeparateNs = 30;

    /// Predicted nanoseconds of a tile in double. Only their ratio to a canonical value matters.
    static double doubleNs(const Extents& m, const Extents& tile) {
        constexpr double kScoresNs = 7; // loading and scores
        constexpr double kRate = 8;     // multiply-adds a nanosecond
        return static_cast<double>(base::voxelCount(footprint({{}, tile}, m).extents)) *
               (kScoresNs + Products(m, tile).ns(kRate));
    }

    static void runTile(const SeparableRun& run, const base::Box& out, SeparableBuffers& own,
                        WorkerTally& tally) {
        const method::MapView part = method::partOf(run.map, out);
        const auto match = [&](auto real) {
            return matchTile<decltype(real)>(run, out, own, part, tally.clock);
        };
        TileResult result;
        if (run.problem.precision == method::Precision::Double) {
            result = match(double{});
        } else {
            result = match(float{});
            const double againNs = doubleNs(run.problem.templ, out.extents);
            SeparableTile<float>& tile = own.tile<float>();
            own.scorer.scoreAgain(run.problem,
                                  {SeparableTile<float>::boxOf(tile.voxels), run.templ.canonical()},
                                  part, againNs, result);
            tally.clock.lap(kRecomputation);
            if (TileScorer::wantsDouble(run.problem, result, againNs)) {
                result = match(double{});
            }
        }
        own.scorer.finish(run.problem, run.scene, out, run.templ.canonical(), result, part,
                          tally.facts);
        tally.clock.lap(kRecomputation);
    }
};

} // namespace

const method::Method& separableMethod() {
    static const SeparableMethod method;
    return method;
}

} // namespace flcc::cpu
