#include "engine/cpu/tiled_run.h"

#include <algorithm>
#include <cmath>

#include "engine/base/tile_pool.h"
#include "engine/cpu/half_transform.h"

namespace flcc::cpu {

using base::Extents;
using base::Image;
using method::Problem;

namespace {

enum Stage : std::size_t { kLoad, kTransform, kDenominator, kRecomputation };

/// A tile in double; only what it is against a canonical value matters.
double twofoldNs(const Extents& points) {
    constexpr double kScoresNs = 7; // loading, energies and scores of a point
    return (2 * DoubleTransform::halfNs(points) + kScoresNs) *
           static_cast<double>(base::voxelCount(points));
}

/// A tile of placements inside the scene.
struct PlainTile {
    base::Box out; ///< in the `valid` map
    BestPart part; ///< where its scores go
};

/// What is known of one of the two tiles.
struct Tile {
    CentredTile centred;
    simd::LineEnergy in;
    simd::LineEnergy out;
};

template <class Real> simd::VoxelBox<Real> boxOf(Real* data, const Extents& points) {
    return {data, points.x, points.x * points.y};
}

template <class Real, class... Known>
CentredTile load(const TiledRun& run, const base::Box& out, Real* to, Known... known) {
    const base::Box seen = footprint(out, run.problem.templ);
    if (seen.extents != run.points) {
        std::fill_n(to, base::voxelCount(run.points), Real{0});
    }
    return loadCentred(run.scene.pixels, seen, base::voxelCount(run.problem.templ),
                       boxOf(to, run.points), known...);
}

/// The power of two that brings the second tile to the first one's brightest line, so that
/// neither drowns in the other's rounding errors.
float balance(const Tile& first, const Tile& second) {
    if (!(first.in.largestMeanSquare > 0) || !(second.in.largestMeanSquare > 0)) {
        return 1;
    }
    const double ratio = std::sqrt(first.in.largestMeanSquare / second.in.largestMeanSquare);
    return static_cast<float>(std::exp2(std::clamp(std::round(std::log2(ratio)), -60.0, 60.0)));
}

/// The tiles that one worker does.
class Worker {
  public:
    Worker(const TiledRun& run, TiledBuffers& buffers, WorkerTally& tally)
        : m_run(run), m_buffers(buffers), m_tally(tally) {}

    /// A tile that is no plain box inside the scene. False: stopped before anything was written,
    /// which only the first template does.
    [[nodiscard]] bool general(const base::Box& out, const std::stop_token& stop) {
        BestPart part{partOf(m_run.to, out)};
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            const TiledPrepared& templ = *m_run.templs[i];
            const auto number = static_cast<std::int32_t>(i);
            const method::MapView scores = m_buffers.best.of(number, part);
            if (!m_buffers.support(templ.spectra().value())
                     .tile({m_run.problem, templ.support().value(), templ.canonical(), m_run.scene,
                            scores, i == 0 ? stop : std::stop_token()},
                           out, {kLoad, kTransform, kDenominator, kRecomputation}, m_tally)) {
                return false;
            }
            take(i, part, false);
        }
        return true;
    }

    /// Tiles of placements inside the scene, at most two.
    void plain(std::vector<PlainTile>& tiles) {
        if (tiles.empty()) {
            return;
        }
        if (m_run.problem.precision == method::Precision::Single) {
            pair(tiles);
            return;
        }
        for (PlainTile& tile : tiles) {
            Twice twice;
            for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
                finish(i, tile, twofold(i, tile, twice, nullptr));
            }
        }
    }

  private:
    /// A tile in double, once it is loaded.
    struct Twice {
        bool made = false;
        CentredTile centred;
        simd::LineEnergy in;
    };

    void take(std::size_t templ, BestPart& part, bool plain) {
        m_buffers.best.take(static_cast<std::int32_t>(templ), part, plain, m_tally);
        m_tally.clock.lap(kDenominator);
    }

    [[nodiscard]] method::MapView scoresOf(std::size_t templ, const PlainTile& tile) {
        return m_buffers.best.of(static_cast<std::int32_t>(templ), tile.part);
    }

    void pair(std::vector<PlainTile>& plain) {
        const Extents& points = m_run.points;
        TilePair& own = m_buffers.pair(m_run.bank());
        std::array<Tile, kTogether> tiles;
        std::array<bool, kTogether> repeat{};
        m_twiceTile.reset();
        for (std::size_t i = 0; i < plain.size(); ++i) {
            float* const to = own.tile(static_cast<std::int64_t>(i));
            tiles[i].centred = load(m_run, plain[i].out, to);
            tiles[i].in = simd::lineEnergy(to, points, own.lines.data());
            if (m_run.bank()) {
                m_buffers.kept(i).forget();
            }
        }
        if (plain.size() < kTogether) {
            std::fill_n(own.tile(1), base::voxelCount(points), 0.0F);
        }
        m_tally.clock.lap(kLoad);
        const float factor = balance(tiles[0], tiles[1]);
        const Planes<const float> from{own.tile(0), own.tile(1), factor, points.x};
        if (m_run.bank()) {
            m_run.templs.front()->transform().forward(from, own.transform, own.spectrum);
        }
        for (std::size_t templ = 0; templ < m_run.templs.size(); ++templ) {
            correlate(*m_run.templs[templ], from, own);
            for (std::size_t i = 0; i < plain.size(); ++i) {
                tiles[i].out = simd::lineEnergy(own.numerator(static_cast<std::int64_t>(i)), points,
                                                own.lines.data());
            }
            m_tally.clock.lap(kTransform);
            for (std::size_t i = 0; i < plain.size(); ++i) {
                repeat[i] = !scoreOfPair(templ, plain[i], i, tiles, factor);
            }
            // Both are scored by now, so that a tile in double may lie where they were.
            for (std::size_t i = 0; i < plain.size(); ++i) {
                if (repeat[i]) {
                    if (m_twiceTile != i) {
                        m_twiceTile = i;
                        m_twice = {};
                    }
                    finish(templ, plain[i], twofold(templ, plain[i], m_twice, &tiles[i].centred));
                }
            }
            if (!m_run.bank() && (repeat[0] || repeat[1])) {
                m_run.templs[templ]->transform().clear(own.transform);
            }
        }
    }

    /// The numerators of both tiles.
    void correlate(const TiledPrepared& templ, const Planes<const float>& from,
                   TilePair& own) const {
        const Planes<float> to{own.numerator(0), own.numerator(1), 1 / from.factor, m_run.points.x};
        if (m_run.bank()) {
            templ.transform().inverse(own.spectrum, templ.spectrum(), own.transform, to);
        } else {
            templ.transform().correlate(from, templ.spectrum(), own.transform, to);
        }
    }

    /// False: the tile is to be done in double instead.
    bool scoreOfPair(std::size_t templ, PlainTile& tile, std::size_t i,
                     const std::array<Tile, kTogether>& tiles, float factor) {
        const Extents& points = m_run.points;
        TilePair& own = m_buffers.pair(m_run.bank());
        // Seen from this tile, the other one is as bright as the transform made it.
        const double scale = std::pow(static_cast<double>(factor), i == 0 ? 1.0 : -1.0);
        const Tile& mine = tiles[i];
        const Tile& other = tiles[1 - i];
        const auto joined = [&](double a, double b) { return std::sqrt(a + b * scale * scale); };
        const BoundTerms terms = fourierTerms(
            base::voxelCount(points), joined(mine.in.largestMeanSquare, other.in.largestMeanSquare),
            joined(mine.out.largestMeanSquare, other.out.largestMeanSquare),
            joined(mine.in.total, other.in.total), mine.centred.exact, kUnitSingle);
        const simd::FloatBox x = boxOf(own.tile(static_cast<std::int64_t>(i)), points);
        TileResult result = m_buffers.scorer.score(
            m_run.problem, m_run.scene.pixels, tile.out, x,
            boxOf(own.numerator(static_cast<std::int64_t>(i)), points), mine.centred, terms,
            scoresOf(templ, tile), m_run.bank() ? &m_buffers.kept(i) : nullptr);
        m_tally.clock.lap(kDenominator);
        // The numerators have become scores: their room is free until the next template.
        auto* const steps =
            reinterpret_cast<std::int16_t*>(own.numerator(static_cast<std::int64_t>(i)));
        m_buffers.scorer.scoreAgain(
            m_run.problem,
            {x, m_run.templs[templ]->canonical(), m_run.templs[templ]->integers(), steps},
            scoresOf(templ, tile), twofoldNs(points), result);
        m_tally.clock.lap(kRecomputation);
        if (TileScorer::wantsDouble(m_run.problem, result, twofoldNs(points))) {
            return false;
        }
        finish(templ, tile, result);
        return true;
    }

    /// One tile in double. `known`: as it was in single precision, if it was.
    TileResult twofold(std::size_t number, const PlainTile& tile, Twice& twice,
                       const CentredTile* known) {
        const Extents& points = m_run.points;
        const bool bank = m_run.bank();
        const TwofoldTile& own = m_buffers.twofold(bank);
        if (!m_double) {
            m_double = DoubleTransform::of(points);
        }
        const double* const templ =
            m_run.templs[number]->twofold(*m_double, own.work, own.numerators);
        if (!twice.made) {
            twice = {true, load(m_run, tile.out, own.voxels, known), {}};
            std::fill_n(own.voxels + base::voxelCount(points), DoubleTransform::kZeros, 0.0);
            twice.in = simd::lineEnergy(own.voxels, points);
            if (bank) {
                m_buffers.keptTwofold().forget();
            }
            m_tally.clock.lap(kLoad);
            if (bank) {
                m_double->forward(own.voxels, own.work, own.spectrum);
            }
        }
        if (bank) {
            m_double->inverse(templ, own.spectrum, own.work, own.numerators);
        } else {
            m_double->correlate(templ, own.voxels, own.work, own.numerators);
        }
        const simd::LineEnergy through = simd::lineEnergy(own.numerators, points);
        m_tally.clock.lap(kTransform);
        const BoundTerms terms =
            fourierTerms(base::voxelCount(points), std::sqrt(twice.in.largestMeanSquare),
                         std::sqrt(through.largestMeanSquare), std::sqrt(twice.in.total),
                         twice.centred.exact, kUnitDouble);
        const TileResult result = m_buffers.scorer.score(
            m_run.problem, m_run.scene.pixels, tile.out, boxOf(own.voxels, points),
            boxOf(own.numerators, points), twice.centred, terms, scoresOf(number, tile),
            bank ? &m_buffers.keptTwofold() : nullptr);
        m_tally.clock.lap(kDenominator);
        return result;
    }

    void finish(std::size_t templ, PlainTile& tile, const TileResult& result) {
        m_buffers.scorer.finish(m_run.problem, m_run.scene.pixels, tile.out,
                                m_run.templs[templ]->canonical(), result, scoresOf(templ, tile),
                                m_tally.facts);
        m_tally.clock.lap(kRecomputation);
        take(templ, tile.part, result.plain());
    }

    const TiledRun& m_run;
    TiledBuffers& m_buffers;
    WorkerTally& m_tally;
    std::shared_ptr<const DoubleTransform> m_double; ///< once it is asked for
    std::optional<std::size_t> m_twiceTile;          ///< which tile of the pair m_twice is of
    Twice m_twice;
};

} // namespace

TiledPrepared::TiledPrepared(const Problem& problem, const method::Candidate& candidate,
                             const method::MaskedView& templ, bool keep)
    : m_points(candidate.tile), m_canonical(templ),
      m_support(supportTemplate(problem, m_canonical, templ)),
      m_integers(IntegerTemplate::of(problem, m_canonical, templ.pixels)), m_keep(keep) {
    if (m_support) {
        m_spectra.emplace(m_points, *m_support);
    }
    if (allGeneral(problem, m_canonical)) {
        (void)m_spectra->of(Weights::That);
        (void)m_spectra->of(Weights::Support);
        return;
    }
    if (problem.precision == method::Precision::Single) {
        m_transform = TileTransform::of(m_points);
        // Threads of its own, where they are worth their start.
        constexpr std::int64_t kWorth = 1 << 16;
        base::TilePool pool(base::voxelCount(m_points) < kWorth ? 1 : candidate.threads);
        m_spectrum = m_transform->templateSpectrum(
            m_canonical.values(), [&](std::int64_t count, const base::TilePool::Work& work) {
                return pool.run(count, work);
            });
    } else {
        Image<double> work({DoubleTransform::spectrumValues(m_points), 1, 1});
        (void)twofold(*DoubleTransform::of(m_points), work.data(), nullptr);
    }
}

const double* TiledPrepared::twofold(const DoubleTransform& transform, double* work,
                                     double* to) const {
    if (!m_keep) {
        transform.templateSpectrum(m_canonical.values(), work, to);
        return to;
    }
    std::call_once(m_once, [&] {
        m_twofold = Image<double>({DoubleTransform::spectrumValues(m_points), 1, 1});
        transform.templateSpectrum(m_canonical.values(), work, m_twofold.data());
    });
    return m_twofold.data();
}

TwofoldTile::TwofoldTile(const Extents& points, bool bank)
    : m_own({doubles(points) * (bank ? 4 : 3), 1, 1}, 0.0) {
    voxels = m_own.data();
    numerators = voxels + doubles(points);
    work = numerators + doubles(points);
    spectrum = bank ? work + doubles(points) : nullptr;
}

TwofoldTile::TwofoldTile(TilePair& pair)
    // All of it is written before it is read, as floats or as doubles. Voxels have the slack of
    // floats, some vectors of doubles.
    : voxels(reinterpret_cast<double*>(pair.transform.tile.data())),
      numerators(reinterpret_cast<double*>(pair.transform.rows.data())),
      work(reinterpret_cast<double*>(pair.voxels.data())), spectrum(nullptr) {}

TilePair::TilePair(const Extents& points, bool bank)
    : voxels(largeBuffer<float>(kTogether * floats(points))),
      transform(TileTransform::of(points)->makeBuffers()), lines({lineCount(points), 1, 1}, 0.0F),
      tileFloats(floats(points)) {
    if (bank) {
        spectrum = base::Image<float>({TileTransform::spectrumValues(points), 1, 1});
    }
    const std::int64_t numerators = kTogether * tileFloats;
    if (transform.rows.count() < numerators) {
        transform.rows = {};
        transform.rows = largeBuffer<float>(numerators);
    }
}

std::int64_t TilePair::bytes(const Extents& points, bool bank) {
    const std::int64_t tiles = kTogether * floats(points);
    return 4 * (tiles + TileTransform::bufferValues(points) +
                std::max(TileTransform::rowsValues(points), tiles) +
                (bank ? TileTransform::spectrumValues(points) : 0) + lineCount(points));
}

TiledBuffers::TiledBuffers(const Problem& problem, const Extents& points, const Extents& tile)
    : scorer(problem.templ, tile), best(problem, tile), m_points(points), m_tile(tile) {}

TilePair& TiledBuffers::pair(bool bank) {
    if (!m_pair || (bank && m_pair->spectrum.empty())) {
        m_pair = std::make_unique<TilePair>(m_points, bank);
    }
    return *m_pair;
}

TwofoldTile& TiledBuffers::twofold(bool bank) {
    if (!bank && m_pair) {
        m_twofold = std::make_unique<TwofoldTile>(*m_pair);
    } else if (!m_twofold || (bank && m_twofold->spectrum == nullptr)) {
        m_twofold = std::make_unique<TwofoldTile>(m_points, bank);
    }
    return *m_twofold;
}

KeptTile& TiledBuffers::kept(std::size_t tile) {
    std::optional<KeptTile>& kept = m_kept[tile];
    if (!kept) {
        kept.emplace(m_tile);
    }
    return *kept;
}

SupportScorer& TiledBuffers::support(const SupportSpectra& spectra) {
    if (!m_support) {
        auto correlator = std::make_unique<FourierCorrelator>(m_points);
        m_correlator = correlator.get();
        m_support = std::make_unique<SupportScorer>(std::move(correlator));
    }
    m_correlator->use(spectra);
    return *m_support;
}

std::int64_t TiledBuffers::bytes(const Problem& problem, const Extents& points,
                                 const Extents& tile) {
    const bool single = problem.precision == method::Precision::Single;
    const bool bank = problem.templates > 1;
    const std::int64_t common =
        BestTile::bytes(problem, tile) +
        (needsSupport(problem) ? FourierCorrelator::bytes(problem, points) : 0);
    const std::int64_t scratch = DoubleTransform::scratchBytes(points);
    if (problem.mask || problem.statistics == method::WindowStatistics::Fourier) {
        return common + scratch;
    }
    const bool twofold = !single || problem.recompute;
    const std::int64_t kept = (single ? kTogether : 0) + (twofold ? 1 : 0);
    return common + (bank ? kept * KeptTile::bytes(tile) : 0) +
           (single ? TilePair::bytes(points, bank) : 0) +
           // One template's tiles in double lie where the pair was.
           (twofold && (bank || !single) ? TwofoldTile::bytes(points, bank) : 0) +
           (twofold || needsSupport(problem) ? scratch : 0);
}

std::int64_t TiledPrepared::bytes(const Problem& problem, const Extents& points, bool keep) {
    const bool single = problem.precision == method::Precision::Single;
    const std::int64_t general =
        needsSupport(problem)
            ? SupportTemplate::bytes(problem) + FourierCorrelator::spectraBytes(problem, points)
            : 0;
    const bool plain = !problem.mask && problem.statistics != method::WindowStatistics::Fourier;
    const bool twofold = plain && (!single || (problem.recompute && keep));
    return base::byteCount(problem.templ, 8) + IntegerTemplate::bytes(problem) +
           (single && plain ? spectrumBytes(points) : 0) + general +
           (twofold ? 8 * DoubleTransform::spectrumValues(points) : 0);
}

method::Outcome TiledRun::operator()(const Extents& tile, ThreadBuffers<TiledBuffers>& buffers,
                                     const method::Execution& execution) const {
    const bool general = allGeneral(problem, templs.front()->canonical());
    const MapGrid grid(problem, tile, general);
    return runTiles(grid, kTogether, execution,
                    {"load", "transform", "denominator", "recomputation"},
                    [&](std::vector<base::Box>& boxes, int number, WorkerTally& tally) {
                        Worker worker(*this, buffers.of(number), tally);
                        std::vector<PlainTile> plain;
                        std::erase_if(boxes, [&](const base::Box& box) {
                            if (general || isPartial(scene, seenBy(problem, box))) {
                                return !worker.general(box, execution.stop);
                            }
                            plain.push_back({grid.inValid(box), {partOf(to, box)}});
                            return false;
                        });
                        worker.plain(plain);
                    });
}

} // namespace flcc::cpu
