#include "engine/cpu/methods/tiled_run.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/tile_pool.h"
#include "engine/cpu/methods/tiled_sums.h"
#include "engine/cpu/operation/rim_values.h"
#include "engine/cpu/score/edge_sums.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

using base::Extents;
using base::Image;
using method::Problem;

namespace {

/// The shape of a part that is recomputed in double.
struct Again {
    TransformShape points;
    Extents out; ///< placements

    Again(const Problem& problem, const TransformShape& of)
        : points(doublePoints(problem, of)), out{points.x - problem.templ.x + 1,
                                                 points.y - problem.templ.y + 1,
                                                 points.z - problem.templ.z + 1} {}

    /// Predicted nanoseconds for all parts of a tile in double. Only their ratio to a canonical
    /// value matters.
    [[nodiscard]] double ns(const Extents& tile) const {
        constexpr double kScoresNs = 7; // loading, energies and scores, for each point
        return static_cast<double>(TileGrid(tile, out).count()) *
               (2 * doubleHalfNs(points) + kScoresNs) *
               static_cast<double>(base::voxelCount(points));
    }
};

/// A tile of placements inside the scene.
struct PlainTile {
    base::Box out; ///< in the `valid` map
    BestPart part; ///< where its scores go
};

/// Computes the tiles of one worker.
class Worker {
  public:
    Worker(const TiledRun& run, TiledBuffers& buffers, WorkerTally& tally)
        : m_run(run), m_buffers(buffers), m_tally(tally), m_again(run.problem, run.points) {}

    /// Scores a general tile. False if it was stopped before anything was written; only the first
    /// template can be stopped.
    [[nodiscard]] bool general(const base::Box& out, const std::stop_token& stop) {
        std::vector<const OperationPrepared*> templs;
        for (const TiledPrepared* templ : m_run.templs) {
            templs.push_back(&templ->general().value());
        }
        return runGeneralTile({m_run.problem, m_run.scene}, templs, out, m_buffers.values(),
                              m_buffers.best, partOf(m_run.to, out), m_tally, stop);
    }

    /// Scores a tile of placements inside the scene.
    void plain(PlainTile tile) {
        const bool isMasked = m_run.templs.front()->mask() != nullptr;
        if (m_run.problem.precision == method::Precision::Single) {
            isMasked ? masked(tile) : single(tile);
        } else {
            isMasked ? maskedInDouble(tile) : inDouble(tile);
        }
    }

  private:
    void take(std::size_t templ, BestPart& part, bool plain) {
        m_buffers.best.take(static_cast<std::int32_t>(templ), part, plain, m_tally);
        m_tally.clock.lap(kDenominator);
    }

    [[nodiscard]] method::MapView scoresOf(std::size_t templ, const PlainTile& tile) {
        return m_buffers.best.of(static_cast<std::int32_t>(templ), tile.part);
    }

    [[nodiscard]] const float* spectrumOf(const TiledPrepared& templ, TileBuffers<float>&) const {
        return templ.spectrum().data();
    }
    [[nodiscard]] const double* spectrumOf(const TiledPrepared& templ,
                                           TileBuffers<double>& own) const {
        return templ.inDouble(own.work, own.numerators);
    }

    /// Loads a tile and, in a bank, makes its spectrum.
    template <class Real>
    Passed enter(const TileTransform<Real>& transform, const PlainTile& tile,
                 const TileBuffers<Real>& own) {
        Passed passed{loadTile(m_run, m_run.points, tile.out, own.voxels), {}};
        m_tally.clock.lap(kLoad);
        if (own.spectrum != nullptr) {
            m_buffers.kept().forget();
            passed.energies.in = transform.forward(own.voxels, own.work, own.spectrum);
        }
        return passed;
    }

    /// Correlates a loaded tile with template `i`.
    template <class Real>
    void correlate(const TileTransform<Real>& transform, std::size_t i, const PlainTile& tile,
                   Passed& passed, TileBuffers<Real>& own) {
        const Real* const templ = spectrumOf(*m_run.templs[i], own);
        const Extents& wanted = tile.out.extents;
        if (own.spectrum != nullptr) {
            passed.energies.out =
                transform.inverse(templ, own.spectrum, own.work, own.numerators, wanted);
        } else {
            passed.energies =
                transform.correlate(templ, own.voxels, own.work, own.numerators, wanted);
        }
        m_tally.clock.lap(kNumerator);
    }

    /// Scores a tile that has been correlated with template `i`.
    template <class Real>
    TileResult scored(std::size_t i, const PlainTile& tile, const Passed& passed,
                      const TileBuffers<Real>& own) {
        return score(m_run.points, tile.out, passed, *m_run.templs[i], scoresOf(i, tile), own,
                     own.spectrum != nullptr ? &m_buffers.kept() : nullptr);
    }

    /// Merges its scores without a map of them. False if they need one.
    bool merged(std::size_t i, PlainTile& tile, const Passed& passed,
                const TileBuffers<float>& own) {
        auto merge = m_run.bank() ? m_buffers.best.mergeOf(static_cast<std::int32_t>(i), tile.part)
                                  : std::nullopt;
        if (!merge) {
            return false;
        }
        const Problem& problem = m_run.problem;
        const BoundTerms terms = fourierTerms(m_run.points, problem.templ, passed.energies,
                                              passed.centred.exact, kUnitSingle);
        const auto result =
            m_buffers.scorer.merge(problem, tile.out.extents, boxOf(own.numerators, m_run.points),
                                   passed.centred, terms, m_buffers.kept(), *merge);
        if (result) {
            m_buffers.scorer.finish(problem, m_run.scene.pixels, tile.out,
                                    m_run.templs[i]->canonical(), *result, {}, m_tally.facts);
            m_buffers.best.takeMerged(static_cast<std::int32_t>(i), tile.part, merge->sums,
                                      m_tally);
        }
        m_tally.clock.lap(kDenominator);
        return result.has_value();
    }

    void single(PlainTile& tile) {
        const TileTransform<float>& transform = m_run.templs.front()->transform();
        TileBuffers<float> own = m_buffers.tile<float>(m_run.bank() ? 1 : 0);
        Passed passed = enter(transform, tile, own);
        const double againNs = m_again.ns(tile.out.extents);
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            const TiledPrepared& templ = *m_run.templs[i];
            correlate(transform, i, tile, passed, own);
            if (merged(i, tile, passed, own)) {
                continue;
            }
            TileResult result = scored(i, tile, passed, own);
            // The numerators are not needed any more, so their memory serves as scratch.
            auto* const steps = reinterpret_cast<std::int16_t*>(own.numerators);
            m_buffers.scorer.scoreAgain(
                m_run.problem,
                {boxOf(own.voxels, m_run.points), templ.canonical(), templ.integers(), steps},
                scoresOf(i, tile), againNs, result);
            m_tally.clock.lap(kRecomputation);
            if (TileScorer::wantsDouble(m_run.problem, result, againNs)) {
                again(i, tile, &passed.centred);
            } else {
                finish(i, tile, result);
            }
        }
    }

    void inDouble(PlainTile& tile) {
        const auto transform = TileTransform<double>::of(m_run.points);
        TileBuffers<double> own = m_buffers.tile<double>(m_run.bank() ? 1 : 0);
        Passed passed = enter(*transform, tile, own);
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            correlate(*transform, i, tile, passed, own);
            finish(i, tile, scored(i, tile, passed, own));
        }
    }

    /// TileScorer::scoreAgain() of a tile under a mask, whose voxels may have been replaced.
    void scoreAgainMasked(std::size_t i, const PlainTile& tile, double againNs,
                          TileBuffers<float>& own, TileResult& result) {
        if (result.lowConf == 0 || !m_run.problem.recompute) {
            return;
        }
        (void)loadTile(m_run, m_run.points, tile.out, own.voxels);
        const TiledPrepared& templ = *m_run.templs[i];
        m_buffers.scorer.scoreAgain(m_run.problem,
                                    {boxOf(own.voxels, m_run.points), templ.canonical(), nullptr,
                                     nullptr, &m_buffers.kept().masked()},
                                    scoresOf(i, tile), againNs, result);
        m_tally.clock.lap(kRecomputation);
    }

    /// Scores a tile under masks: the sums of a mask serve the templates that follow with the same
    /// one.
    void masked(PlainTile& tile) {
        const TileTransform<float>& transform = m_run.templs.front()->transform();
        TileBuffers<float> own = m_buffers.tile<float>(2);
        Passed passed = enter(transform, tile, own);
        MaskedTile sums(m_run, tile.out, passed, own, m_buffers.kept());
        const double partsNs = m_again.ns(tile.out.extents);
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            const MaskWeights* const mask = m_run.templs[i]->mask();
            if (mask != m_buffers.kept().masked().mask) {
                sums.under(*mask, transform);
                m_tally.clock.lap(kNumerator);
            }
            // Without exact sums, these are made in double too.
            const double againNs =
                (hasExactSums(*m_run.templs[i], &passed.centred) ? 1 : 3) * partsNs;
            correlate(transform, i, tile, passed, own);
            if (merged(i, tile, passed, own)) {
                continue;
            }
            TileResult result = scored(i, tile, passed, own);
            scoreAgainMasked(i, tile, againNs, own, result);
            if (TileScorer::wantsDouble(m_run.problem, result, againNs)) {
                again(i, tile, &passed.centred);
                if (!m_run.bank()) {
                    return; // the tile's buffers were replaced
                }
            } else {
                finish(i, tile, result);
            }
        }
    }

    /// Scores a tile under masks in double.
    void maskedInDouble(PlainTile& tile) {
        if (!m_run.bank()) {
            (void)m_buffers.tile<double>(0); // makes the buffers
        }
        for (std::size_t i = 0; i < m_run.templs.size(); ++i) {
            again(i, tile, nullptr);
        }
    }

    /// Recomputes a tile in double, part by part. `known` is its frame in single precision.
    void again(std::size_t i, PlainTile& tile, const CentredTile* known) {
        const TiledPrepared& templ = *m_run.templs[i];
        const TransformShape& points = m_again.points;
        const auto transform = TileTransform<double>::of(points);
        TileBuffers<double> own = m_buffers.again(m_run.bank());
        const method::MapView scores = scoresOf(i, tile);
        const TileGrid parts(tile.out.extents, m_again.out);
        const bool summed = hasExactSums(templ, known);
        bool plain = true;
        for (std::int64_t number = 0; number < parts.count(); ++number) {
            const base::Box box = parts.box(number);
            const base::Index& corner = tile.out.corner;
            const base::Box out{
                {corner.x + box.corner.x, corner.y + box.corner.y, corner.z + box.corner.z},
                box.extents};
            const method::MapView part = method::partOf(scores, box);
            const CentredTile* const frame = summed || parts.count() == 1 ? known : nullptr;
            KeptTile* const kept = templ.mask() != nullptr ? &m_buffers.keptAgain() : nullptr;
            if (summed) {
                kept->copyMasked(m_buffers.kept(), tile.out.extents, box);
            } else if (kept != nullptr) {
                sumInDouble({m_run, points, out, frame}, *templ.mask(), *transform, own, *kept);
                m_tally.clock.lap(kNumerator);
            }
            const double* const spectrum = spectrumOf(templ, own);
            Passed passed{loadTile(m_run, points, out, own.voxels, frame), {}};
            m_tally.clock.lap(kLoad);
            passed.energies =
                transform->correlate(spectrum, own.voxels, own.work, own.numerators, out.extents);
            m_tally.clock.lap(kNumerator);
            const TileResult result = score(points, out, passed, templ, part, own, kept);
            settle(templ, out, result, part);
            plain = plain && result.plain();
        }
        take(i, tile.part, plain);
    }

    /// True if the sums of the tile under the template's mask serve scores in double: they are
    /// exact or were made in double, and its parts can be loaded in its frame, `known`.
    [[nodiscard]] bool hasExactSums(const TiledPrepared& templ, const CentredTile* known) {
        if (templ.mask() == nullptr || known == nullptr || !known->direct) {
            return false;
        }
        const MaskedSums& sums = m_buffers.kept().masked();
        return sums.mask == templ.mask() && sums.square <= 16 * kUnitDouble;
    }

    /// Scores placements whose tile has been correlated.
    template <class Real>
    TileResult score(const Extents& points, const base::Box& out, const Passed& passed,
                     const TiledPrepared& templ, const method::MapView& part,
                     const TileBuffers<Real>& own, KeptTile* kept) {
        const BoundTerms terms = fourierTerms(points, m_run.problem.templ, passed.energies,
                                              passed.centred.exact, kUnitOf<Real>);
        const TileResult result = m_buffers.scorer.score(
            m_run.problem, m_run.scene.pixels, out, boxOf(own.voxels, points),
            boxOf(own.numerators, points), passed.centred, terms, templ.canonical(), part, kept);
        m_tally.clock.lap(kDenominator);
        return result;
    }

    void settle(const TiledPrepared& templ, const base::Box& out, const TileResult& result,
                const method::MapView& part) {
        m_buffers.scorer.finish(m_run.problem, m_run.scene.pixels, out, templ.canonical(), result,
                                part, m_tally.facts);
        m_tally.clock.lap(kRecomputation);
    }
    void finish(std::size_t i, PlainTile& tile, const TileResult& result) {
        settle(*m_run.templs[i], tile.out, result, scoresOf(i, tile));
        take(i, tile.part, result.plain());
    }

    const TiledRun& m_run;
    TiledBuffers& m_buffers;
    WorkerTally& m_tally;
    Again m_again;
};

/// Returns `room`, enlarged to at least `bytes` bytes. An enlarged buffer is not initialised.
base::Image<double>& roomy(base::Image<double>& room, std::int64_t bytes) {
    if (8 * room.count() < bytes) {
        room = {}; // free the old buffer first
        room = Image<double>({(bytes + 7) / 8, 1, 1});
    }
    return room;
}

} // namespace

TransformShape doublePoints(const Problem& problem, const TransformShape& points) {
    if (problem.precision == method::Precision::Double) {
        return points;
    }
    constexpr std::int64_t kLeast = 8; // along an axis at least 1/8 of the points are placements
    const std::int64_t room = TileBuffers<float>::bytes(points, 0);
    Extents part = points;
    while (TileBuffers<double>::bytes(points.with(part), 0) > room + room / kLeast) {
        struct Axis {
            std::int64_t* length;
            std::int64_t templ;

            [[nodiscard]] std::int64_t half() const {
                return method::shared::lastSmooth(*length / 2);
            }
            [[nodiscard]] double share() const {
                return *length == 1
                           ? 0.0
                           : static_cast<double>(half() - templ + 1) / static_cast<double>(half());
            }
        };
        std::array<Axis, 3> axes{Axis{&part.x, problem.templ.x}, Axis{&part.y, problem.templ.y},
                                 Axis{&part.z, problem.templ.z}};
        const Axis& axis =
            *std::max_element(axes.begin(), axes.end(),
                              [](const Axis& a, const Axis& b) { return a.share() < b.share(); });
        if (kLeast * axis.share() < 1) {
            return points;
        }
        *axis.length = axis.half();
    }
    return points.with(part);
}

TiledPrepared::TiledPrepared(const Problem& problem, const method::Candidate& candidate,
                             const method::MaskedView& templ, bool keep, base::TilePool& pool)
    : m_points(candidate), m_doublePoints(doublePoints(problem, m_points)),
      m_forms(TemplateForms::of(problem, templ, pool)), m_keep(keep) {
    requireNamedMask(problem, m_forms.canonical);
    const bool hasMask = !m_forms.canonical.support().empty();
    m_allGeneral =
        cpu::allGeneral(problem, m_forms.canonical) && !(hasMask && masksInTiles(problem));
    if (needsGeneral(problem) || m_allGeneral) {
        m_general.emplace(problem, m_forms.canonical, templ, m_points);
    }
    if (m_allGeneral) {
        (void)m_general->spectra()->of(Weights::That);
        (void)m_general->spectra()->of(Weights::Support);
        return;
    }
    if (hasMask) {
        m_mask = MaskWeights::of(m_forms.canonical, m_points, m_doublePoints, keep);
    }
    if (problem.precision == method::Precision::Single) {
        m_transform = TileTransform<float>::of(m_points);
        m_spectrum =
            m_transform->templateSpectrum(m_forms.canonical.values().view(), itemsOf(pool));
    } else {
        Image<double> work({TileTransform<double>::spectrumValues(m_points), 1, 1});
        (void)inDouble(work.data(), nullptr);
    }
}

const double* TiledPrepared::inDouble(double* work, double* to) const {
    const auto make = [&](double* spectrum) {
        TileTransform<double>::of(m_doublePoints)
            ->templateSpectrum(m_forms.canonical.values().view(), oneAfterTheOther(), work,
                               spectrum);
    };
    if (!m_keep) {
        make(to);
        return to;
    }
    std::call_once(m_once, [&] {
        m_inDouble = Image<double>({TileTransform<double>::spectrumValues(m_doublePoints), 1, 1});
        make(m_inDouble.data());
    });
    return m_inDouble.data();
}

TiledBuffers::TiledBuffers(const Problem& problem, const TransformShape& points,
                           const Extents& tile)
    : scorer(problem.templ, tile), best(problem, tile), m_problem(problem), m_points(points),
      m_doublePoints(doublePoints(problem, points)), m_tile(tile) {}

std::int64_t TiledBuffers::tileBytes(const Problem& problem, const TransformShape& points,
                                     int spectra) {
    if (problem.precision == method::Precision::Double) {
        return TileBuffers<double>::bytes(points, spectra);
    }
    const std::int64_t again = problem.recompute && problem.templates == 1
                                   ? TileBuffers<double>::bytes(doublePoints(problem, points), 0)
                                   : 0;
    return std::max(TileBuffers<float>::bytes(points, spectra), again);
}

template <class Real> TileBuffers<Real> TiledBuffers::tile(int spectra) {
    return {roomy(m_room, tileBytes(m_problem, m_points, spectra)), m_points, spectra};
}
template TileBuffers<float> TiledBuffers::tile(int);
template TileBuffers<double> TiledBuffers::tile(int);

TileBuffers<double> TiledBuffers::again(bool bank) {
    return {bank ? roomy(m_again, TileBuffers<double>::bytes(m_doublePoints, 0)) : m_room,
            m_doublePoints, 0};
}

PlacementValues& TiledBuffers::values() {
    if (!m_values) {
        m_values = makeValues(m_problem, m_tile, m_points);
    }
    return *m_values;
}

std::int64_t TiledBuffers::bytes(const Counted& counted, const TransformShape& points,
                                 const Extents& tile) {
    const Problem& problem = counted.problem;
    const bool single = problem.precision == method::Precision::Single;
    const bool bank = problem.templates > 1;
    // The border needs double only where scores may break the promise.
    const bool rims = takesRims(problem, points);
    const bool exactly = needsGeneral(problem) && !weightedByDefinition(problem, points) &&
                         !(rims && !problem.recompute);
    const std::int64_t common = BestTile::bytes(problem, tile) +
                                (rims ? RimValues::bytes(problem, points) : 0) +
                                (exactly ? FourierCorrelator::bytes(problem, points) : 0);
    const std::int64_t scratch = TileTransform<double>::scratchBytes(points);
    if (masksInTiles(problem)) {
        const std::int64_t again =
            bank && problem.recompute ? TileBuffers<double>::bytes(doublePoints(problem, points), 0)
                                      : 0;
        return common + scratch + tileBytes(problem, points, single ? 2 : 0) +
               KeptTile::bytes(tile) + again +
               (single && !problem.weights ? edgeSumsBytes(problem.templ, tile) : 0);
    }
    if (problem.mask || problem.statistics == method::WindowStatistics::Fourier) {
        return common + scratch;
    }
    std::int64_t bytes = common + scratch + tileBytes(problem, points, bank ? 1 : 0);
    if (!single) {
        bytes -= TileBuffers<double>::idleBytes(points, tile);
    } else if (!problem.recompute) { // else the numerators serve as scratch too
        bytes -= TileBuffers<float>::idleBytes(points, tile);
    }
    if (bank) {
        bytes += KeptTile::bytes(tile) +
                 (single && problem.recompute
                      ? TileBuffers<double>::bytes(doublePoints(problem, points), 0)
                      : 0);
    }
    return bytes;
}

std::int64_t TiledPrepared::bytes(const Counted& counted, const TransformShape& points, bool keep) {
    const Problem& problem = counted.problem;
    const bool single = problem.precision == method::Precision::Single;
    const bool rims = takesRims(problem, points);
    const bool exactly = needsGeneral(problem) && !weightedByDefinition(problem, points) &&
                         !(rims && !problem.recompute);
    const std::int64_t general = (needsGeneral(problem) ? SupportTemplate::bytes(problem) : 0) +
                                 (rims ? RimTemplate::bytes(problem, points) : 0) +
                                 (exactly ? FourierCorrelator::spectraBytes(problem, points) : 0);
    if (masksInTiles(problem)) {
        const TransformShape inDouble = doublePoints(problem, points);
        const bool keeps = (!single || problem.recompute) && keep;
        return counted.templateBytes() + spectrumBytes(points) + general +
               (problem.ownMasks ? MaskWeights::bytes(problem.templ, points, inDouble, keeps) : 0) +
               (keeps ? 8 * TileTransform<double>::spectrumValues(inDouble) : 0);
    }
    const bool plain = !problem.mask && problem.statistics != method::WindowStatistics::Fourier;
    const bool inDouble = plain && (!single || (problem.recompute && keep));
    return counted.templateBytes() + (single && plain ? spectrumBytes(points) : 0) + general +
           (inDouble ? 8 * TileTransform<double>::spectrumValues(doublePoints(problem, points))
                     : 0);
}

std::int64_t TiledPrepared::sharedBytes(const Problem& problem, const TransformShape& points,
                                        bool keep) {
    const bool keeps =
        (problem.precision == method::Precision::Double || problem.recompute) && keep;
    return masksInTiles(problem) && !problem.ownMasks
               ? MaskWeights::bytes(problem.templ, points, doublePoints(problem, points), keeps)
               : 0;
}

method::Outcome TiledRun::operator()(const Extents& tile, ThreadBuffers<TiledBuffers>& buffers,
                                     const method::Execution& execution) const {
    const bool general = templs.front()->allGeneral();
    const MapGrid grid = mapGrid(problem, points, tile, general);
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
