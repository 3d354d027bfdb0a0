#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/double_transform.h"
#include "engine/cpu/methods.h"
#include "engine/cpu/support_run.h"
#include "engine/cpu/tile_run.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/canonical.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;

/// Real tiles that share one complex transform.
constexpr std::int64_t kTogether = 2;

/// Placements a tile of `points` gives.
Extents outputTile(const Extents& points, const Extents& m, const Extents& map) {
    return {std::min(points.x - m.x + 1, map.x), std::min(points.y - m.y + 1, map.y),
            std::min(points.z - m.z + 1, map.z)};
}

class TiledPrepared final : public method::Prepared {
  public:
    TiledPrepared(const Problem& problem, const Extents& points, const method::MaskedView& templ)
        : m_points(points), m_canonical(templ),
          m_support(supportTemplate(problem, m_canonical, templ)) {
        if (m_support) {
            m_spectra.emplace(points, *m_support);
        }
        if (allGeneral(problem, m_canonical)) {
            (void)m_spectra->of(Weights::That);
            (void)m_spectra->of(Weights::Support);
            return;
        }
        if (problem.precision == method::Precision::Single) {
            m_transform = TileTransform::of(points);
            m_spectrum = m_transform->templateSpectrum(m_canonical.values());
        } else {
            (void)twofold();
        }
    }

    /// A template in double and its transform.
    struct Twofold {
        std::shared_ptr<const DoubleTransform> transform;
        base::Image<double> spectrum;
    };

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    /// Empty where all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<SupportTemplate>& support() const { return m_support; }
    [[nodiscard]] const std::optional<SupportSpectra>& spectra() const { return m_spectra; }
    [[nodiscard]] const TileTransform& transform() const { return *m_transform; }
    [[nodiscard]] const base::Image<float>& spectrum() const { return m_spectrum; }
    /// Made when the first tile asks for it.
    [[nodiscard]] const Twofold& twofold() const {
        std::call_once(m_once, [this] {
            m_twofold.transform = DoubleTransform::of(m_points);
            m_twofold.spectrum = m_twofold.transform->templateSpectrum(m_canonical.values());
        });
        return m_twofold;
    }

  private:
    Extents m_points;
    method::CanonicalTemplate m_canonical;
    std::optional<SupportTemplate> m_support;
    std::optional<SupportSpectra> m_spectra;
    std::shared_ptr<const TileTransform> m_transform;
    base::Image<float> m_spectrum;
    mutable std::once_flag m_once;
    mutable Twofold m_twofold;
};

/// The buffers of a tile in double.
struct TwofoldTile {
    base::Image<double> voxels;
    base::Image<double> numerators;
    base::Image<double> pairs;

    explicit TwofoldTile(const Extents& points)
        : voxels(whole(points), 0.0), numerators(whole(points), 0.0),
          pairs({2 * DoubleTransform::spectrumPairs(points), 1, 1}) {}

    static Extents whole(const Extents& points) {
        return {base::voxelCount(points) + simd::kSlack, 1, 1};
    }
    static std::int64_t bytes(const Extents& points) {
        return 8 * (2 * whole(points).x + 2 * DoubleTransform::spectrumPairs(points));
    }
};

/// Two tiles of centred voxels and their transform. The two tiles of numerators lie in a buffer the
/// transform is done with.
struct TilePair {
    base::Image<float> voxels;
    TransformBuffers transform;
    base::Image<float> lines;
    std::int64_t tileFloats;

    explicit TilePair(const Extents& points)
        : voxels({kTogether * floats(points), 1, 1}, 0.0F),
          transform(TileTransform::of(points)->makeBuffers()),
          lines({lineCount(points), 1, 1}, 0.0F), tileFloats(floats(points)) {
        const std::int64_t numerators = kTogether * tileFloats;
        if (transform.rows.count() < numerators) {
            transform.rows = base::Image<float>({numerators, 1, 1}, 0.0F);
        }
    }

    [[nodiscard]] float* tile(std::int64_t i) { return voxels.data() + i * tileFloats; }
    [[nodiscard]] float* numerator(std::int64_t i) {
        return transform.rows.data() + i * tileFloats;
    }

    static std::int64_t floats(const Extents& points) {
        return (base::voxelCount(points) + simd::kSlack + 15) / 16 * 16;
    }
    static std::int64_t lineCount(const Extents& points) { return points.x + points.x * points.y; }
    /// Without making a transform, so that a prediction costs nothing.
    static std::int64_t bytes(const Extents& points) {
        const std::int64_t complexFloats =
            2 * (points.x + simd::kSlack / 8) * points.y * points.z + simd::kSlack;
        const std::int64_t column = 16 * std::max(points.y, points.z) + simd::kSlack;
        return 4 * (kTogether * floats(points) + 2 * complexFloats + column + lineCount(points));
    }
};

/// The buffers of one worker; those of a precision are made when it is first needed.
class TiledBuffers {
  public:
    TiledBuffers(const Extents& points, const Extents& m, const Extents& tile)
        : scorer(m, tile), m_points(points) {}

    TileScorer scorer;

    [[nodiscard]] TilePair& pair() { return made(m_pair); }
    [[nodiscard]] TwofoldTile& twofold() { return made(m_twofold); }
    [[nodiscard]] SupportScorer& support(const SupportSpectra& spectra) {
        if (!m_support) {
            auto correlator = std::make_unique<FourierCorrelator>(m_points);
            m_correlator = correlator.get();
            m_support = std::make_unique<SupportScorer>(std::move(correlator));
        }
        m_correlator->use(spectra);
        return *m_support;
    }

    static std::int64_t bytes(const Problem& problem, const Extents& points, const Extents& tile) {
        const bool single = problem.precision == method::Precision::Single;
        const std::int64_t general =
            needsSupport(problem) ? FourierCorrelator::bytes(problem, points) : 0;
        if (problem.mask || problem.statistics == method::WindowStatistics::Fourier) {
            return TileScorer::bytes(problem.templ, tile) + general;
        }
        return TileScorer::bytes(problem.templ, tile) + general +
               (single ? TilePair::bytes(points) : 0) +
               (!single || problem.recompute ? TwofoldTile::bytes(points) : 0);
    }

  private:
    template <class Buffers> Buffers& made(std::unique_ptr<Buffers>& buffers) {
        if (!buffers) {
            buffers = std::make_unique<Buffers>(m_points);
        }
        return *buffers;
    }

    Extents m_points;
    std::unique_ptr<SupportScorer> m_support;
    FourierCorrelator* m_correlator = nullptr; ///< of m_support
    std::unique_ptr<TilePair> m_pair;
    std::unique_ptr<TwofoldTile> m_twofold;
};

/// The length to use where `target` is meant: no longer than the scene needs.
std::int64_t fittedLength(std::int64_t target, std::int64_t scene) {
    if (scene == 1) {
        return 1;
    }
    // Whole registers and cache lines keep FFTW's kernels vectorised.
    return std::min(target, nextSmooth((scene + 7) / 8) * 8);
}

class TiledMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled"; }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& m = problem.templ;
        // What the placements see, beyond the scene too.
        const Extents map = method::mapExtents(problem);
        const Extents n{map.x + m.x - 1, map.y + m.y - 1, map.z + m.z - 1};
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            const Candidate candidate{std::string(name()), std::string(device()), points,
                                      limits.threads};
            if (std::find(result.begin(), result.end(), candidate) == result.end()) {
                result.push_back(candidate);
            }
        };
        if (tile.x > 0) {
            add({tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z});
            return result;
        }
        const auto fitted = [&](const Extents& target) {
            const Extents points{fittedLength(target.x, n.x), fittedLength(target.y, n.y),
                                 fittedLength(target.z, n.z)};
            const auto worth = [](std::int64_t length, std::int64_t templ, std::int64_t scene) {
                return length >= std::min(scene, templ + (templ + 3) / 4);
            };
            if (worth(points.x, m.x, n.x) && worth(points.y, m.y, n.y) &&
                worth(points.z, m.z, n.z)) {
                add(points);
            }
        };
        // Long rows and columns of a power of two are what FFTW does best.
        if (n.z > 1) {
            for (const std::int64_t column : {32, 48, 64, 96, 128, 192}) {
                for (const std::int64_t row : {column, 2 * column}) {
                    fitted({row, column, column});
                }
            }
        } else {
            for (const std::int64_t column : {64, 128, 192, 256, 512, 1024}) {
                for (const std::int64_t row : {64, 128, 256, 320, 400, 640, 1024}) {
                    if (row >= column / 2 && row <= 5 * column) {
                        fitted({row, column, 1});
                    }
                }
            }
        }
        if (result.empty()) {
            fitted({nextSmooth(m.x / 4) * 8, nextSmooth(m.y / 4) * 8, nextSmooth(m.z / 4) * 8});
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        if (std::string reason = statisticsRefusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Extents& m = problem.templ;
        const Extents& points = candidate.tile;
        const Extents map = method::mapExtents(problem);
        if (points.x < m.x || points.y < m.y || points.z < m.z) {
            return method::Refusal{"tile " + base::toString(points) + " is smaller than template " +
                                   base::toString(m)};
        }
        const std::int64_t count = base::voxelCount(points);
        if (count > INT32_MAX / 2) {
            return method::Refusal{"tile " + base::toString(points) +
                                   " has more points than FFTW can plan"};
        }
        const Extents tile = outputTile(points, m, map);
        const TileGrid grid(map, tile);
        method::Prediction prediction;
        prediction.fftPlanning = cpu::name(TileTransform::effortOf(points));
        // The template is prepared first, in double; then every thread has its buffers.
        const std::int64_t spectrum = 8 * (points.x + simd::kSlack / 8) * points.y * points.z;
        const SupportCost general = supportCost(problem, tile);
        const std::int64_t generalBytes =
            needsSupport(problem)
                ? SupportTemplate::bytes(problem) + FourierCorrelator::spectraBytes(problem, points)
                : 0;
        prediction.hostBytes =
            mapBytes(problem) + base::byteCount(m, 8) + spectrum + generalBytes +
            std::max(2 * spectrum, TiledBuffers::bytes(problem, points, tile) * candidate.threads);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double placements = static_cast<double>(base::voxelCount(map)) - general.placements;
        const double tiles =
            placements > 0 ? std::max(1.0, static_cast<double>(grid.count()) - general.tiles) : 0;
        const double pointCount = static_cast<double>(count);
        const double halves = static_cast<double>(general.inputs + general.products);
        // Two half transforms a tile (Karas (23)), 2.5 M log2 M operations each.
        prediction.operations =
            (2 * tiles + halves * general.tiles) *
            (2.5 * pointCount * std::log2(std::max(2.0, pointCount)) + 1.5 * pointCount);
        const method::ShapeTime shape = model.timeOf(points);
        const double tileNs = shape.tileNs + model.tileOverheadNs;
        // Threads take pairs of tiles; the last round may leave some idle.
        const double threads = static_cast<double>(candidate.threads);
        const double pairs = std::ceil(tiles / kTogether);
        const double rounds = std::ceil(pairs / threads);
        const double busy = tiles > 0 ? rounds * threads * kTogether / tiles : 1;
        const double workers = model.speedUp(candidate.threads);
        const double buffers =
            static_cast<double>(TiledBuffers::bytes(problem, points, tile) * candidate.threads);
        const double generalNs =
            general.tiles * (halves * pointCount * kHalfNs + kSupportLoads * model.loadNs(points)) +
            general.placements * kSupportScoreNs;
        prediction.setupMs =
            1e-6 * (shape.prepareNs * (general.tiles > 0 ? 3 : 1) + buffers * model.bufferByteNs);
        prediction.ms = prediction.setupMs +
                        1e-6 * (tileNs * tiles + denominatorNs(placements, problem, tile, model)) *
                            std::min(busy, threads) / workers +
                        1e-6 * generalNs / workers;
        prediction.tilesInFlight = candidate.threads * kTogether;
        prediction.paddingWaste = 1 - static_cast<double>(base::voxelCount(map)) /
                                          ((pairs * kTogether + general.tiles) * pointCount);
        if (statistics != nullptr) {
            const double root = std::sqrt(std::log2(std::max(2.0, pointCount)));
            prediction.errorBound = kUnitSingle * 8 * root * 2 * predictedK(*statistics) /
                                        std::sqrt(static_cast<double>(base::voxelCount(m))) +
                                    4 * kUnitSingle;
        }
        return prediction;
    }

    void warmUp(const Problem& problem, const Candidate& candidate) const override {
        if (needsSupport(problem)) {
            (void)DoubleTransform::of(candidate.tile);
        }
        if (problem.precision == method::Precision::Single) {
            (void)TileTransform::of(candidate.tile);
        } else {
            (void)DoubleTransform::of(candidate.tile);
        }
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate,
            const method::MaskedView& templ) const override {
        return std::make_shared<TiledPrepared>(problem, candidate.tile, templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<ThreadBuffers<TiledBuffers>>(
            candidate.threads, candidate.tile, problem.templ,
            outputTile(candidate.tile, problem.templ, method::mapExtents(problem)));
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& templ = dynamic_cast<const TiledPrepared&>(prepared);
        auto& buffers = dynamic_cast<ThreadBuffers<TiledBuffers>&>(workspace);
        const Extents mapExtents = method::mapExtents(problem);
        const method::MaskedView seen = withoutIdleMask(problem, scene);
        const bool general = allGeneral(problem, templ.canonical());
        const MapGrid grid(problem, outputTile(candidate.tile, problem.templ, mapExtents), general);
        const Run run{problem, candidate.tile, templ, seen.pixels, partOf(map, grid.inner().box)};
        return runTiles(
            grid, kTogether, execution, {"load", "transform", "denominator", "recomputation"},
            [&](const std::vector<base::Box>& boxes, int worker, WorkerTally& tally) {
                TiledBuffers& own = buffers.of(worker);
                std::vector<base::Box> plain;
                for (const base::Box& box : boxes) {
                    if (general || isPartial(seen, seenBy(problem, box))) {
                        own.support(templ.spectra().value())
                            .tile({problem, templ.support().value(), templ.canonical(), seen, map},
                                  box, {kLoad, kTransform, kDenominator, kRecomputation}, tally);
                    } else {
                        plain.push_back(grid.inValid(box));
                    }
                }
                plainTiles(run, plain, own, tally);
            });
    }

  private:
    enum Stage : std::size_t { kLoad, kTransform, kDenominator, kRecomputation };

    /// What all tiles of a run share.
    struct Run {
        const Problem& problem;
        const Extents& points;
        const TiledPrepared& templ;
        const base::AnyView& scene;
        method::MapView map; ///< of the placements inside the scene
    };

    /// Tiles of placements inside the scene, at most two.
    static void plainTiles(const Run& run, const std::vector<base::Box>& boxes,
                           TiledBuffers& buffers, WorkerTally& tally) {
        if (boxes.empty()) {
            return;
        }
        if (run.problem.precision == method::Precision::Single) {
            runPair(run, boxes, buffers, tally);
            return;
        }
        for (const base::Box& box : boxes) {
            finish(run, box, runTwofold(run, box, buffers, tally), buffers, tally);
        }
    }

    /// A point of a tile in double, forward and back; only what it is against a canonical value
    /// matters.
    static constexpr double kDoubleNs = 15;
    /// A point of a half transform in double of FFTW_ESTIMATE's plans, with its product.
    static constexpr double kHalfNs = 9;

    /// What is known of one of the two tiles.
    struct Tile {
        CentredTile centred;
        simd::LineEnergy in;
        simd::LineEnergy out;
    };

    template <class Real> static simd::VoxelBox<Real> boxOf(Real* data, const Extents& points) {
        return {data, points.x, points.x * points.y};
    }

    template <class Real> static CentredTile load(const Run& run, const base::Box& out, Real* to) {
        const base::Box seen = footprint(out, run.problem.templ);
        if (seen.extents != run.points) {
            std::fill_n(to, base::voxelCount(run.points), Real{0});
        }
        return loadCentred(run.scene, seen, base::voxelCount(run.problem.templ),
                           boxOf(to, run.points));
    }

    /// The power of two that brings the second tile to the first one's brightest line, so that
    /// neither drowns in the other's rounding errors.
    static float balance(const Tile& first, const Tile& second) {
        if (!(first.in.largestMeanSquare > 0) || !(second.in.largestMeanSquare > 0)) {
            return 1;
        }
        const double ratio = std::sqrt(first.in.largestMeanSquare / second.in.largestMeanSquare);
        return static_cast<float>(std::exp2(std::clamp(std::round(std::log2(ratio)), -60.0, 60.0)));
    }

    static void runPair(const Run& run, const std::vector<base::Box>& boxes, TiledBuffers& buffers,
                        WorkerTally& tally) {
        const Extents& points = run.points;
        TilePair& own = buffers.pair();
        std::array<Tile, kTogether> tiles;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            float* const to = own.tile(static_cast<std::int64_t>(i));
            tiles[i].centred = load(run, boxes[i], to);
            tiles[i].in = simd::lineEnergy(to, points, own.lines.data());
        }
        if (boxes.size() < kTogether) {
            std::fill_n(own.tile(1), base::voxelCount(points), 0.0F);
        }
        tally.clock.lap(kLoad);
        const float factor = balance(tiles[0], tiles[1]);
        correlate(points, run.templ, factor, own);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            tiles[i].out = simd::lineEnergy(own.numerator(static_cast<std::int64_t>(i)), points,
                                            own.lines.data());
        }
        tally.clock.lap(kTransform);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            // Seen from this tile, the other one is as bright as the transform made it.
            const double scale = std::pow(static_cast<double>(factor), i == 0 ? 1.0 : -1.0);
            const Tile& mine = tiles[i];
            const Tile& other = tiles[1 - i];
            const auto joined = [&](double a, double b) {
                return std::sqrt(a + b * scale * scale);
            };
            const BoundTerms terms = fourierTerms(
                base::voxelCount(points),
                joined(mine.in.largestMeanSquare, other.in.largestMeanSquare),
                joined(mine.out.largestMeanSquare, other.out.largestMeanSquare),
                joined(mine.in.total, other.in.total), mine.centred.exact, kUnitSingle);
            TileResult result =
                buffers.scorer.score(run.problem, run.scene, boxes[i],
                                     boxOf(own.tile(static_cast<std::int64_t>(i)), points),
                                     boxOf(own.numerator(static_cast<std::int64_t>(i)), points),
                                     mine.centred, terms, run.map);
            tally.clock.lap(kDenominator);
            const double twofoldNs = static_cast<double>(base::voxelCount(points)) * kDoubleNs;
            if (TileScorer::wantsDouble(run.problem, result, twofoldNs)) {
                result = runTwofold(run, boxes[i], buffers, tally);
            }
            finish(run, boxes[i], result, buffers, tally);
        }
    }

    /// One tile in double.
    static TileResult runTwofold(const Run& run, const base::Box& out, TiledBuffers& buffers,
                                 WorkerTally& tally) {
        const Extents& points = run.points;
        const TiledPrepared::Twofold& templ = run.templ.twofold();
        TwofoldTile& own = buffers.twofold();
        const CentredTile tile = load(run, out, own.voxels.data());
        const simd::LineEnergy in = simd::lineEnergy(own.voxels.data(), points);
        tally.clock.lap(kLoad);
        templ.transform->correlate(templ.spectrum, own.voxels.data(), own.pairs.data(),
                                   own.numerators.data());
        const simd::LineEnergy through = simd::lineEnergy(own.numerators.data(), points);
        tally.clock.lap(kTransform);
        const BoundTerms terms = fourierTerms(
            base::voxelCount(points), std::sqrt(in.largestMeanSquare),
            std::sqrt(through.largestMeanSquare), std::sqrt(in.total), tile.exact, kUnitDouble);
        const TileResult result =
            buffers.scorer.score(run.problem, run.scene, out, boxOf(own.voxels.data(), points),
                                 boxOf(own.numerators.data(), points), tile, terms, run.map);
        tally.clock.lap(kDenominator);
        return result;
    }

    static void finish(const Run& run, const base::Box& out, const TileResult& result,
                       TiledBuffers& buffers, WorkerTally& tally) {
        buffers.scorer.finish(run.problem, run.scene, out, run.templ.canonical(), result, run.map,
                              tally.facts);
        tally.clock.lap(kRecomputation);
    }

    static void correlate(const Extents& points, const TiledPrepared& templ, float factor,
                          TilePair& own) {
        const std::int64_t stride = 2 * templ.transform().rowStride();
        const std::int64_t lines = points.y * points.z;
        float* const packed = own.transform.tile.data();
        for (std::int64_t line = 0; line < lines; ++line) {
            simd::packPairs(own.tile(0) + line * points.x, own.tile(1) + line * points.x, factor,
                            points.x, packed + line * stride);
        }
        templ.transform().correlate(templ.spectrum(), own.transform);
        for (std::int64_t line = 0; line < lines; ++line) {
            simd::unpackPairs(packed + line * stride, factor, points.x,
                              own.numerator(0) + line * points.x,
                              own.numerator(1) + line * points.x);
        }
    }
};

} // namespace

const method::Method& tiledMethod() {
    static const TiledMethod method;
    return method;
}

} // namespace flcc::cpu
