#include "engine/cpu/tiled_run.h"

#include <algorithm>
#include <cmath>

#include "engine/base/tile_pool.h"

namespace flcc::cpu {

using base::Extents;
using base::Image;
using method::Problem;

namespace {

enum Stage : std::size_t { kLoad, kTransform, kDenominator, kRecomputation };

/// A tile in double; only what it is against a canonical value matters.
double twofoldNs(const Extents& points) {
    constexpr double kScoresNs = 7; // loading, energies and scores of a point
    return (2 * twofoldHalfNs(points) + kScoresNs) * static_cast<double>(base::voxelCount(points));
}

/// A tile of placements inside the scene.
struct PlainTile {
    base::Box out; ///< in the `valid` map
    BestPart part; ///< where its scores go
};

template <class Real> simd::VoxelBox<Real> boxOf(Real* data, const Extents& points) {
    return {data, points.x, points.x * points.y};
}

template <class Real, class... Known>
CentredTile load(const TiledRun& run, const base::Box& out, Real* to, Known... known) {
    const std::int64_t count = base::voxelCount(run.points);
    const base::Box seen = footprint(out, run.problem.templ);
    if (seen.extents != run.points) {
        std::fill_n(to, count, Real{0});
    }
    const CentredTile tile =
        loadCentred(run.scene.pixels, seen, base::voxelCount(run.problem.templ),
                    boxOf(to, run.points), known...);
    std::fill_n(to + count, TileTransform<Real>::kZeros, Real{0});
    return tile;
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

    /// A tile of placements inside the scene.
    void plain(PlainTile tile) {
        if (m_run.problem.precision == method::Precision::Single) {
            single(tile);
            return;
        }
        Twice twice;
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            finish(i, tile, twofold(i, tile, twice, nullptr));
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

    void single(PlainTile& tile) {
        const Extents& points = m_run.points;
        const bool bank = m_run.bank();
        const TileBuffers<float>& own = m_buffers.tile<float>(bank);
        const CentredTile centred = load(m_run, tile.out, own.voxels);
        const simd::LineEnergy in = simd::lineEnergy(own.voxels, points);
        m_tally.clock.lap(kLoad);
        if (bank) {
            m_buffers.kept<float>().forget();
            m_run.templs.front()->transform().forward(own.voxels, own.work, own.spectrum);
        }
        Twice twice;
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            const TiledPrepared& templ = *m_run.templs[i];
            if (bank) {
                templ.transform().inverse(templ.spectrum().data(), own.spectrum, own.work,
                                          own.numerators);
            } else {
                templ.transform().correlate(templ.spectrum().data(), own.voxels, own.work,
                                            own.numerators);
            }
            const simd::LineEnergy out = simd::lineEnergy(own.numerators, points);
            m_tally.clock.lap(kTransform);
            TileResult result = score(tile, centred, in, out, scoresOf(i, tile), own);
            // The numerators have become scores: their room is free until the next template.
            auto* const steps = reinterpret_cast<std::int16_t*>(own.numerators);
            m_buffers.scorer.scoreAgain(
                m_run.problem,
                {boxOf(own.voxels, points), templ.canonical(), templ.integers(), steps},
                scoresOf(i, tile), twofoldNs(points), result);
            m_tally.clock.lap(kRecomputation);
            if (TileScorer::wantsDouble(m_run.problem, result, twofoldNs(points))) {
                result = twofold(i, tile, twice, &centred);
            }
            finish(i, tile, result);
        }
    }

    /// The scores of a tile that went through transforms.
    template <class Real>
    TileResult score(const PlainTile& tile, const CentredTile& centred, const simd::LineEnergy& in,
                     const simd::LineEnergy& out, const method::MapView& part,
                     const TileBuffers<Real>& own) {
        const Extents& points = m_run.points;
        const BoundTerms terms = fourierTerms(
            base::voxelCount(points), std::sqrt(in.largestMeanSquare),
            std::sqrt(out.largestMeanSquare), std::sqrt(in.total), centred.exact, kUnitOf<Real>);
        const TileResult result = m_buffers.scorer.score(
            m_run.problem, m_run.scene.pixels, tile.out, boxOf(own.voxels, points),
            boxOf(own.numerators, points), centred, terms, part,
            m_run.bank() ? &m_buffers.kept<Real>() : nullptr);
        m_tally.clock.lap(kDenominator);
        return result;
    }

    /// A tile in double. `known`: as it was in single precision, if it was.
    TileResult twofold(std::size_t number, const PlainTile& tile, Twice& twice,
                       const CentredTile* known) {
        const Extents& points = m_run.points;
        const bool bank = m_run.bank();
        const TileBuffers<double>& own = m_buffers.tile<double>(bank);
        if (!m_double) {
            m_double = TileTransform<double>::of(points);
        }
        const double* const templ =
            m_run.templs[number]->twofold(*m_double, own.work, own.numerators);
        if (!twice.made) {
            twice = {true, load(m_run, tile.out, own.voxels, known), {}};
            twice.in = simd::lineEnergy(own.voxels, points);
            m_tally.clock.lap(kLoad);
            if (bank) {
                m_buffers.kept<double>().forget();
                m_double->forward(own.voxels, own.work, own.spectrum);
            }
        }
        if (bank) {
            m_double->inverse(templ, own.spectrum, own.work, own.numerators);
        } else {
            m_double->correlate(templ, own.voxels, own.work, own.numerators);
        }
        const simd::LineEnergy out = simd::lineEnergy(own.numerators, points);
        m_tally.clock.lap(kTransform);
        return score(tile, twice.centred, twice.in, out, scoresOf(number, tile), own);
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
    std::shared_ptr<const TileTransform<double>> m_double; ///< once it is asked for
};

} // namespace

TiledPrepared::TiledPrepared(const Problem& problem, const method::Candidate& candidate,
                             const method::MaskedView& templ, bool keep, base::TilePool& pool)
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
        m_transform = TileTransform<float>::of(m_points);
        m_spectrum = m_transform->templateSpectrum(m_canonical.values(), itemsOf(pool));
    } else {
        Image<double> work({TileTransform<double>::spectrumValues(m_points), 1, 1});
        (void)twofold(*TileTransform<double>::of(m_points), work.data(), nullptr);
    }
}

const double* TiledPrepared::twofold(const TileTransform<double>& transform, double* work,
                                     double* to) const {
    if (!m_keep) {
        transform.templateSpectrum(m_canonical.values(), oneAfterTheOther(), work, to);
        return to;
    }
    std::call_once(m_once, [&] {
        m_twofold = Image<double>({TileTransform<double>::spectrumValues(m_points), 1, 1});
        transform.templateSpectrum(m_canonical.values(), oneAfterTheOther(), work,
                                   m_twofold.data());
    });
    return m_twofold.data();
}

TiledBuffers::TiledBuffers(const Problem& problem, const Extents& points, const Extents& tile)
    : scorer(problem.templ, tile), best(problem, tile), m_points(points), m_tile(tile) {}

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
    const std::int64_t scratch = TileTransform<double>::scratchBytes(points);
    if (problem.mask || problem.statistics == method::WindowStatistics::Fourier) {
        return common + scratch;
    }
    const bool twofold = !single || problem.recompute;
    const std::int64_t kept = bank ? KeptTile::bytes(tile) : 0;
    return common + (single ? TileBuffers<float>::bytes(points, bank) + kept : 0) +
           (twofold ? TileBuffers<double>::bytes(points, bank) + kept : 0) + scratch;
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
           (twofold ? 8 * TileTransform<double>::spectrumValues(points) : 0);
}

method::Outcome TiledRun::operator()(const Extents& tile, ThreadBuffers<TiledBuffers>& buffers,
                                     const method::Execution& execution) const {
    const bool general = allGeneral(problem, templs.front()->canonical());
    const MapGrid grid(problem, tile, general);
    return runTiles(grid, execution, {"load", "transform", "denominator", "recomputation"},
                    [&](const base::Box& box, int number, WorkerTally& tally) {
                        Worker worker(*this, buffers.of(number), tally);
                        if (general || isPartial(scene, seenBy(problem, box))) {
                            return worker.general(box, execution.stop);
                        }
                        worker.plain({grid.inValid(box), {partOf(to, box)}});
                        return true;
                    });
}

} // namespace flcc::cpu
