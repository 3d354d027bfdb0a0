#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/score_pass.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/scene_frame.h"
#include "engine/cpu/tile/template_spectra.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;
using method::Candidate;
using method::Problem;
using method::shared::nextSmooth;

/// Predicted nanoseconds of one thread for a point of a region in double, all stages together.
constexpr double kDoubleNs = 45;

/// Time of the passes that all threads wait for, as a number of tile overheads; it dominates for
/// tiny scenes.
constexpr double kPasses = 75;

class FourierPrepared final : public method::Prepared {
  public:
    FourierPrepared(const Problem& problem, const TransformShape& points,
                    const TransformShape& regionPoints, const method::MaskedView& templ,
                    base::TilePool& pool)
        : m_forms(TemplateForms::of(problem, templ, pool)),
          m_spectra(m_forms.canonical, points, {{{0, 0, 0}, problem.templ}}),
          m_regions(m_forms.canonical, regionPoints, {{{0, 0, 0}, problem.templ}}) {
        m_spectra.makeIfSmall(problem, pool);
    }

    [[nodiscard]] const TemplateForms& forms() const { return m_forms; }
    /// Spectra for the whole scene, and for a region that is recomputed in double.
    [[nodiscard]] const TemplateSpectra& spectra() const { return m_spectra; }
    [[nodiscard]] const TemplateSpectra& regions() const { return m_regions; }

  private:
    TemplateForms m_forms;
    TemplateSpectra m_spectra;
    TemplateSpectra m_regions;
};

/// Placements that are computed at a time, and the points of the transforms for them.
struct Region {
    Extents placements;
    TransformShape points;
};

/// The scene in its frame, the scratch of its transform, and the numerators.
template <class Real> struct WholeBuffers {
    Image<Real> x;
    Image<Real> work;
    Image<Real> numerators;

    // Writes nothing: memory that is never written costs nothing.
    explicit WholeBuffers(const Region& region)
        : x({sceneValues(region), 1, 1}),
          work({TileTransform<Real>::spectrumValues(region.points), 1, 1}),
          numerators({numeratorValues(region), 1, 1}) {}

    static std::int64_t bytes(const Region& region, int workers) {
        return static_cast<std::int64_t>(sizeof(Real)) *
                   (sceneValues(region) + numeratorValues(region) +
                    TileTransform<Real>::spectrumValues(region.points)) +
               workers * TileTransform<Real>::scratchBytes(region.points);
    }

  private:
    static std::int64_t sceneValues(const Region& region) {
        return base::voxelCount(region.points) +
               std::max<std::int64_t>(simd::kSlack, TileTransform<Real>::kZeros);
    }
    static std::int64_t numeratorValues(const Region& region) {
        return TileTransform<Real>::writtenValues(region.points, region.placements) + simd::kSlack;
    }
};

using FourierWorkspace = PrecisionBuffers<WholeBuffers>;

template <class Real> TemplateSpectra::Part partOf(const Region& region, int threads) {
    return {region.points, WholeBuffers<Real>::bytes(region, threads)};
}

/// The region that is recomputed in double at a time. It consists of as many score tiles as keep
/// the memory of the run in double at that of the run before it, plus a fourteenth; of such
/// regions, it is the one with the fewest points over the whole map. It is the whole map if no
/// region fits, because the template is large, or if the problem is in double.
Region regionOf(const Problem& problem, const TransformShape& points) {
    const Extents map = method::mapExtents(problem);
    const Extents& m = problem.templ;
    const Region whole{map, points};
    if (problem.precision == method::Precision::Double) {
        return whole;
    }
    constexpr int kThreads = 1; // the same regions for any number of threads
    constexpr std::int64_t kLittle = 14;
    const std::int64_t first =
        TemplateSpectra::partBytes<float>(partOf<float>(whole, kThreads), m, 1, kThreads);
    const std::int64_t limit =
        first + (first + method::mapBytes(problem) + base::byteCount(m, 8)) / kLittle -
        TemplateSpectra::bytes<float>(points, 1);
    struct Length {
        std::int64_t placements;
        std::int64_t points;
        std::int64_t pieces;
    };
    const auto lengths = [](std::int64_t tile, std::int64_t ofMap, std::int64_t ofTempl,
                            std::int64_t most) {
        constexpr std::int64_t kPieces = 8;
        const std::int64_t tiles = (ofMap + tile - 1) / tile;
        std::vector<Length> result;
        for (std::int64_t pieces = 1; pieces <= std::min(kPieces, tiles); ++pieces) {
            const std::int64_t length = std::min((tiles + pieces - 1) / pieces * tile, ofMap);
            result.push_back({length, std::min(nextSmooth(length + ofTempl - 1), most),
                              (ofMap + length - 1) / length});
        }
        return result;
    };
    const Extents tile = ScorePass::tileOf(problem);
    Region best = whole;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Length& z : lengths(tile.z, map.z, m.z, points.z)) {
        for (const Length& y : lengths(tile.y, map.y, m.y, points.y)) {
            for (const Length& x : lengths(tile.x, map.x, m.x, points.x)) {
                const Region region{{x.placements, y.placements, z.placements},
                                    points.with({x.points, y.points, z.points})};
                const std::int64_t all =
                    base::voxelCount(region.points) * x.pieces * y.pieces * z.pieces;
                const std::int64_t bytes = TemplateSpectra::partBytes<double>(
                    partOf<double>(region, kThreads), m, 1, kThreads);
                if (bytes <= limit && all < least) {
                    least = all;
                    best = region;
                }
            }
        }
    }
    return best;
}

/// The largest memory of a run, in bytes.
std::int64_t hostBytes(const Counted& counted, const TransformShape& points, int threads) {
    const Problem& problem = counted.problem;
    const Region region = regionOf(problem, points);
    const auto single = partOf<float>({method::mapExtents(problem), points}, threads);
    const auto inDouble = partOf<double>(region, threads);
    const std::int64_t templ = counted.templateBytes();
    return method::mapBytes(problem) + templ + ScorePass::bytes(counted, threads) +
           littleBytes(problem, threads) +
           TemplateSpectra::runBytes(problem, problem.templ, 1, threads, single, inDouble) +
           oneByOneBytes(problem, templ + TemplateSpectra::keptBytes(problem, single, inDouble, 1));
}

class FourierMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "fourier"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Whole-scene Fourier",
                .wholeScene = true,
                .makes = {.scores = true, .forms = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& n = problem.scene;
        constexpr std::int64_t kNarrow = 8; // FFTW would transform narrower scenes
        Extents points{nextSmooth(std::max(n.x, kNarrow)), nextSmooth(n.y), nextSmooth(n.z)};
        if (tile.x > 0) {
            points = {tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z};
        }
        std::vector<Candidate> result;
        for (const method::Transforms transforms : allTransformsFor(points, limits)) {
            result.push_back({.method = std::string(name()),
                              .device = std::string(device()),
                              .tile = points,
                              .threads = limits.threads,
                              .transforms = transforms});
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        const Extents& n = problem.scene;
        const Extents& m = problem.templ;
        const TransformShape points(candidate);
        if (std::string reason = ScorePass::refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (points.x < n.x || points.y < n.y || points.z < n.z) {
            return method::Refusal{"transforms the whole scene " + base::toString(n) +
                                   ", not a tile " + base::toString(points)};
        }
        if (std::string reason = transformsRefusal(candidate, true); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        method::Prediction prediction;
        prediction.fftPlanning = planningOf(points, problem.precision == method::Precision::Double);
        prediction.hostBytes = hostBytes(
            Counted(problem, fourierTerms(points, m, {{.total = 1}, {}}, false, kUnitSingle),
                    statistics),
            points, candidate.threads);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto count = static_cast<double>(base::voxelCount(points));
        const double root = std::log2(std::max(2.0, count));
        // Three half transforms, the template's included, of 2.5 M log2 M operations each (FLCC
        // Table I without the four transforms of the denominators).
        prediction.operations = 7.5 * count * root + 3 * count;
        const double workers = model.speedUp(candidate.threads);
        const double transformNs = timeFactor(points) * model.wholeTransformNs(points);
        // The template is transformed in one direction, in double, and has few rows.
        const bool ahead = TemplateSpectra::areMadeAtOnce(points, 1);
        const double prepareNs = transformNs * model.wholePrepareFactor / (ahead ? 1.0 : workers);
        const auto buffers = static_cast<double>(
            WholeBuffers<float>::bytes({method::mapExtents(problem), points}, candidate.threads));
        prediction.setupMs = 1e-6 * (prepareNs + buffers * model.bufferByteNs / workers +
                                     TemplateForms::ns(problem) + kPasses * model.tileOverheadNs);
        const double runNs =
            transformNs + model.loadNs(n) +
            denominatorNs(static_cast<double>(base::voxelCount(method::mapExtents(problem))),
                          problem, ScorePass::tileOf(problem), model);
        prediction.ms = prediction.setupMs + 1e-6 * runNs / workers;
        timeOneByOne(problem, prediction);
        prediction.tilesInFlight = 1;
        prediction.paddingWaste =
            1 - static_cast<double>(base::voxelCount(method::mapExtents(problem))) / count;
        if (statistics != nullptr) {
            prediction.errorBound =
                method::shared::expectedFourierBound(points, m, predictedK(*statistics), {});
        }
        return prediction;
    }

    void warmUp(const Problem& problem, const Candidate& candidate) const override {
        TemplateSpectra::planTransforms(problem, TransformShape(candidate));
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        ScorePass::requireUnmasked(templ);
        return std::make_shared<FourierPrepared>(
            problem, TransformShape(candidate), regionOf(problem, TransformShape(candidate)).points,
            templ, pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& /*problem*/, const Candidate& /*candidate*/) const override {
        return std::make_unique<FourierWorkspace>();
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        ScorePass::requireUnmasked(scene);
        const auto& templ = dynamic_cast<const FourierPrepared&>(prepared);
        auto& buffers = dynamic_cast<FourierWorkspace&>(workspace);
        const TransformShape points(candidate);
        const Region region = regionOf(problem, points);
        ScorePass pass(
            problem, scene.pixels, templ.forms(), execution, map,
            {region.placements, kDoubleNs * static_cast<double>(base::voxelCount(region.points))});
        const Run run{problem, scene.pixels, execution};
        const Part whole{{method::mapExtents(problem), points}, templ.spectra()};
        const Part again{region, templ.regions()};
        const TileGrid grid = ScorePass::gridOf(problem);
        std::vector<base::Box> tiles;
        for (std::int64_t i = 0; i < grid.count(); ++i) {
            tiles.push_back(grid.box(i));
        }
        return pass.run(tiles, [&](const std::vector<base::Box>& some, auto real) {
            using Real = decltype(real);
            const bool first =
                std::is_same_v<Real, float> || problem.precision == method::Precision::Double;
            return runIn<Real>(run, first ? whole : again, some, buffers, pass);
        });
    }

  private:
    /// The input that both precisions of a run share.
    struct Run {
        const Problem& problem;
        const base::AnyView& scene;
        const method::Execution& execution;
    };
    /// A region and the template spectra for it.
    struct Part {
        Region region;
        const TemplateSpectra& spectra;
    };

    /// Computes the numerators of the box around `tiles`, which is no larger than the part's
    /// region, and scores these tiles. False if stopped.
    template <class Real>
    static bool runIn(const Run& run, const Part& part, const std::vector<base::Box>& tiles,
                      FourierWorkspace& workspace, ScorePass& pass) {
        constexpr bool kDouble = std::is_same_v<Real, double>;
        const Extents& m = run.problem.templ;
        const TransformShape& points = part.region.points;
        const base::Box out = boxAround(tiles);
        const base::AnyView scene = base::partOf(run.scene, footprint(out, m));
        workspace.keepOnly<Real>();
        // The template's spectrum first, since making it takes memory that is free again
        // afterwards.
        const auto& templ = part.spectra.of<Real>(
            {pass.items(kNumerator), run.execution.pool.threads()}, run.execution.stop);
        if (templ.empty()) {
            return false;
        }
        const auto frame = SceneFrame::of(scene, base::voxelCount(m), kDouble, pass.items(kLoad));
        if (!frame) {
            return false;
        }
        WholeBuffers<Real>& own = workspace.of<Real>(part.region);
        const auto boxOf = [&](Image<Real>& voxels) {
            return simd::VoxelBox<Real>{voxels.data(), points.x, points.x * points.y};
        };
        if (!load(scene, *frame, points, own.x, pass)) {
            return false;
        }
        const ForItems each = pass.items(kNumerator);
        const auto energies = TileTransform<Real>::of(points)->correlate(
            {each, run.execution.pool.threads()}, templ.of(0), own.x.data(), own.work.data(),
            own.numerators.data(), out.extents);
        if (!energies) {
            return false;
        }
        const BoundTerms terms = fourierTerms(
            points, m, *energies, frame->tile({{0, 0, 0}, {1, 1, 1}}).exact, kUnitOf<Real>);
        return pass.items(kDenominator)(
            static_cast<std::int64_t>(tiles.size()), [&](std::int64_t item, int worker) {
                const base::Box& tile = tiles[static_cast<std::size_t>(item)];
                base::Box inside = footprint(tile, m);
                inside.corner = {tile.corner.x - out.corner.x, tile.corner.y - out.corner.y,
                                 tile.corner.z - out.corner.z};
                pass.score<Real>(tile, {boxOf(own.x), boxOf(own.numerators), out.corner},
                                 frame->tile(inside), terms, worker);
            });
    }

    /// Loads the scene in its frame, with zeros up to `points` and behind them. False if stopped.
    template <class Real>
    static bool load(const base::AnyView& scene, const SceneFrame& frame, const Extents& points,
                     Image<Real>& x, ScorePass& pass) {
        const Extents n = base::extentsOf(scene);
        std::fill_n(x.data() + base::voxelCount(points), TileTransform<Real>::kZeros, Real{0});
        return forRows(pass.items(kLoad), points, [&](std::int64_t y, std::int64_t z) {
            Real* const row = x.data() + (z * points.y + y) * points.x;
            const bool inside = y < n.y && z < n.z;
            if (inside) {
                frame.place(scene, {0, y, z}, n.x, row);
            }
            std::fill(row + (inside ? n.x : 0), row + points.x, Real{0});
        });
    }
};

} // namespace

const method::Method& fourierMethod() {
    static const FourierMethod method;
    return method;
}

} // namespace flcc::cpu
