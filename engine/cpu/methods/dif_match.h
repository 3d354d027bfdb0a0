#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/cpu/score/score_pass.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/scene_frame.h"
#include "engine/cpu/transform/decimated_correlation.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/template_error.h"

/// How method dif computes.
namespace flcc::cpu {

[[nodiscard]] inline bool isVolume(const method::Problem& problem) { return problem.scene.z > 1; }

/// Voxels or numerators in rows that vectors may overrun.
template <class Real> struct ScoreBox {
    explicit ScoreBox(const base::Extents& extents) : values({valuesOf(extents), 1, 1}, Real{0}) {}

    [[nodiscard]] simd::VoxelBox<Real> of(const base::Extents& extents) {
        return {values.data(), rowOf(extents), rowOf(extents) * extents.y};
    }
    static std::int64_t bytes(const base::Extents& extents) {
        return static_cast<std::int64_t>(sizeof(Real)) * valuesOf(extents);
    }

    base::Image<Real> values;

  private:
    static std::int64_t rowOf(const base::Extents& extents) { return roundUp(extents.x, 16); }
    static std::int64_t valuesOf(const base::Extents& extents) {
        return rowOf(extents) * extents.y * extents.z + simd::kSlack;
    }
};

/// How the voxels under the score tiles are held: of each worker's tile, or of all tiles at once
/// where that takes less, since large templates see most of the scene from every tile.
struct ScoreVoxels {
    base::Extents tile; ///< seen by one tile
    base::Extents all;  ///< seen by all
    std::int64_t workers;

    ScoreVoxels(const method::Problem& problem, const base::Extents& placements, int threads)
        : tile(footprint({{0, 0, 0}, ScorePass::tileOf(problem)}, problem.templ).extents),
          all(footprint({{0, 0, 0}, placements}, problem.templ).extents),
          workers(std::min<std::int64_t>(threads, ScorePass::gridOf(problem).count())) {}

    [[nodiscard]] bool together() const {
        return base::voxelCount(all) <= workers * base::voxelCount(tile);
    }
    /// With the numerators of each worker's tile.
    template <class Real> [[nodiscard]] std::int64_t bytes(const method::Problem& problem) const {
        return (together() ? ScoreBox<Real>::bytes(all) : workers * ScoreBox<Real>::bytes(tile)) +
               workers * ScoreBox<Real>::bytes(ScorePass::tileOf(problem));
    }
};

/// Placements that are computed at a time, and how.
struct DifRegion {
    base::Extents placements;
    Decimation cut;

    /// Most bytes that a computation holds: first those of the parts, then those of the scores.
    /// Numerators in double do not fit into a map of floats.
    template <class Real>
    [[nodiscard]] std::int64_t bytes(const method::Problem& problem, int threads) const {
        const bool own =
            std::is_same_v<Real, double> && problem.precision == method::Precision::Single;
        return std::max(cut.bytes<Real>(threads),
                        ScoreVoxels(problem, placements, threads).bytes<Real>(problem)) +
               (own ? base::byteCount(placements, 8) : 0);
    }
};

/// The region that is recomputed in double at a time: of those whose memory stays at that of the
/// run before it, plus a fourteenth, the one with the least work over the whole map; if there is
/// none, the one with the least memory. It is the whole map if the problem is in double.
[[nodiscard]] inline DifRegion difRegionOf(const method::Problem& problem,
                                           const method::Candidate& candidate) {
    const base::Extents map = method::mapExtents(problem);
    const base::Extents& m = problem.templ;
    const bool slices = isVolume(problem);
    const DifRegion whole{map, Decimation::of(candidate, slices)};
    if (problem.precision == method::Precision::Double) {
        return whole;
    }
    constexpr int kThreads = 1; // the same regions for any number of threads
    constexpr std::int64_t kLittle = 14;
    constexpr std::int64_t kPieces = 8; // along an axis, a power of two
    const std::int64_t first = whole.bytes<float>(problem, kThreads);
    const std::int64_t limit =
        first + (first + method::mapBytes(problem) + base::byteCount(m, 8)) / kLittle;
    const base::Extents tile = ScorePass::tileOf(problem);
    const auto piece = [](std::int64_t ofTile, std::int64_t ofMap, std::int64_t pieces) {
        const std::int64_t tiles = (ofMap + ofTile - 1) / ofTile;
        return std::min((tiles + pieces - 1) / pieces * ofTile, ofMap);
    };
    const auto count = [](std::int64_t length, std::int64_t of) { return (length + of - 1) / of; };
    DifRegion best = whole;
    double least = std::numeric_limits<double>::infinity();
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t z = 1; z <= std::min(kPieces, count(map.z, tile.z)); z *= 2) {
        for (std::int64_t y = 1; y <= std::min(kPieces, count(map.y, tile.y)); y *= 2) {
            for (std::int64_t x = 1; x <= std::min(kPieces, count(map.x, tile.x)); x *= 2) {
                const base::Extents out{piece(tile.x, map.x, x), piece(tile.y, map.y, y),
                                        piece(tile.z, map.z, z)};
                const double pieces =
                    static_cast<double>(count(map.x, out.x) * count(map.y, out.y)) *
                    static_cast<double>(count(map.z, out.z));
                const base::Extents needed =
                    Decimation::turned(footprint({{0, 0, 0}, out}, m).extents, slices);
                for (const int times : {1, 2, 4, 8}) {
                    const DifRegion region{out, Decimation::into(times * whole.cut.parts, needed,
                                                                 slices, whole.cut.fftw)};
                    if (!region.cut.refusal(needed).empty()) {
                        continue;
                    }
                    constexpr double kTransform = 10; // beside reading the scene for each part
                    const double work = pieces * static_cast<double>(region.cut.wholePoints()) *
                                        (kTransform + region.cut.parts);
                    const std::int64_t bytes = region.bytes<double>(problem, kThreads);
                    const bool fits = bytes <= limit;
                    if (fits ? work < least : fewest > limit && bytes < fewest) {
                        least = fits ? work : least;
                        fewest = std::min(fewest, bytes);
                        best = region;
                    }
                }
            }
        }
    }
    return best;
}

[[nodiscard]] inline BoundTerms difTerms(const Decimation& cut, double energy, bool exact,
                                         double unit) {
    BoundTerms terms;
    terms.worst = cut.error(unit) * std::sqrt(energy);
    terms.numerator = terms.worst;
    // The template is rounded to the precision of its transform; so are the voxels of some scenes.
    terms.panel =
        (exact ? unit : 2 * unit) + (unit < kUnitSingle ? method::shared::kTemplateError : 0);
    return terms;
}

/// One run.
class DifMatch {
  public:
    DifMatch(const method::Problem& problem, const method::CanonicalTemplate& templ,
             const base::AnyView& scene, const method::Execution& execution,
             const method::MapView& map, ScorePass& pass)
        : m_problem(problem), m_templ(templ), m_scene(scene), m_execution(execution), m_map(map),
          m_pass(pass) {}

    /// Computes the numerators of the box around `tiles`, which is no larger than the region, and
    /// scores these tiles. False if stopped.
    template <class Real>
    bool run(const DifRegion& region, const std::vector<base::Box>& tiles) const {
        const base::Box out = boxAround(tiles);
        const base::AnyView scene = base::partOf(m_scene, footprint(out, m_problem.templ));
        const auto frame = SceneFrame::of(scene, base::voxelCount(m_problem.templ),
                                          std::is_same_v<Real, double>, m_pass.items(kLoad));
        if (!frame) {
            return false;
        }
        base::Image<Real> own;
        const base::View<Real> numerators = numeratorsOf(out.extents, own);
        double energy = 0;
        std::vector<char> scored(tiles.size(), 0);
        const bool done = correlate<Real>(region.cut, scene, *frame, numerators, energy) &&
                          score<Real>(region.cut, scene, *frame, energy, numerators, tiles, scored);
        if (!done && own.empty()) { // numerators lie in the map
            for (std::size_t i = 0; i < tiles.size(); ++i) {
                if (scored[i] == 0) {
                    const base::View<Real> part = numerators.part(tiles[i]);
                    forRows(oneAfterTheOther(), part.extents(),
                            [&](std::int64_t y, std::int64_t z) {
                                std::fill_n(part.row(y, z), part.extents().x, Real{0});
                            });
                }
            }
        }
        return done;
    }

  private:
    /// Where numerators are added up: in the map, unless its values have another type or it was
    /// scored before.
    template <class Real>
    base::View<Real> numeratorsOf(const base::Extents& out, base::Image<Real>& own) const {
        if constexpr (std::is_same_v<Real, float>) {
            return m_map.value;
        } else {
            if (m_problem.precision == method::Precision::Double && m_map.exact.data() != nullptr) {
                return m_map.exact;
            }
            own = base::Image<Real>(out);
            return own.view();
        }
    }

    template <class Real>
    bool correlate(const Decimation& cut, const base::AnyView& scene, const SceneFrame& frame,
                   const base::View<Real>& numerators, double& energy) const {
        using Correlation = DecimatedCorrelation<Real>;
        using Rows = typename Correlation::Rows;
        Correlation correlation(cut, m_execution.pool.threads());
        // Calls `use(first voxel, to)` for each row of a strip.
        const auto forRowsOf = [&](const Rows& rows, Real* to, auto&& use) {
            for (std::int64_t row = 0; row < rows.rows; ++row) {
                base::Index at = rows.corner;
                (cut.slices ? at.z : at.y) += row;
                use(at, to + row * kStrip);
            }
        };
        typename Correlation::Target target{numerators};
        const bool done = correlation.run(
            [&](int, std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
                return m_pass.items(kNumerator)(count, work);
            },
            {base::extentsOf(scene),
             [&](const Rows& rows, Real* to, int) {
                 forRowsOf(rows, to, [&](const base::Index& at, Real* row) {
                     frame.place(scene, at, rows.columns, row);
                 });
             }},
            {m_templ.extents(),
             [&](const Rows& rows, Real* to, int) {
                 const base::View<const double> values = m_templ.values().view();
                 forRowsOf(rows, to, [&](const base::Index& at, Real* row) {
                     std::transform(values.row(at.y, at.z) + at.x,
                                    values.row(at.y, at.z) + at.x + rows.columns, row,
                                    [](double value) { return static_cast<Real>(value); });
                 });
             }},
            target);
        energy = correlation.energy();
        return done;
    }

    template <class Real>
    bool score(const Decimation& cut, const base::AnyView& scene, const SceneFrame& frame,
               double energy, const base::View<Real>& numerators,
               const std::vector<base::Box>& tiles, std::vector<char>& scored) const {
        const base::Extents& m = m_problem.templ;
        const base::Index corner = boxAround(tiles).corner;
        const bool exact = frame.tile({{0, 0, 0}, {1, 1, 1}}).exact;
        const BoundTerms terms = difTerms(cut, energy, exact, kUnitOf<Real>);
        const base::Extents seenByAll = base::extentsOf(scene);
        const ScoreVoxels voxels(m_problem, boxAround(tiles).extents, m_execution.pool.threads());
        const auto place = [&](const base::Index& first, const base::Extents& extents,
                               const simd::VoxelBox<Real>& to, const ForItems& each) {
            return forRows(each, extents, [&](std::int64_t y, std::int64_t z) {
                frame.place(scene, {first.x, first.y + y, first.z + z}, extents.x,
                            to.data + z * to.sliceStride + y * to.rowStride);
            });
        };
        ThreadBuffers<ScoreBox<Real>> own(m_execution.pool.threads(), voxels.tile);
        ThreadBuffers<ScoreBox<Real>> copies(m_execution.pool.threads(),
                                             ScorePass::tileOf(m_problem));
        std::optional<ScoreBox<Real>> shared;
        if (voxels.together()) {
            shared.emplace(seenByAll);
            if (!place({0, 0, 0}, seenByAll, shared->of(seenByAll), m_pass.items(kLoad))) {
                return false;
            }
        }
        return m_pass.items(kDenominator)(
            static_cast<std::int64_t>(tiles.size()), [&](std::int64_t item, int worker) {
                const base::Box& tile = tiles[static_cast<std::size_t>(item)];
                const base::Box inside{
                    {tile.corner.x - corner.x, tile.corner.y - corner.y, tile.corner.z - corner.z},
                    tile.extents};
                const base::Box seen = footprint(inside, m);
                simd::VoxelBox<Real> x;
                if (shared) {
                    x = shared->of(seenByAll);
                    x.data +=
                        seen.corner.z * x.sliceStride + seen.corner.y * x.rowStride + seen.corner.x;
                } else {
                    x = own.of(worker).of(seen.extents);
                    (void)place(seen.corner, seen.extents, x, oneAfterTheOther());
                }
                // Copied, since the scores take the place of the numerators.
                const simd::VoxelBox<Real> copy = copies.of(worker).of(tile.extents);
                forRows(oneAfterTheOther(), tile.extents, [&](std::int64_t y, std::int64_t z) {
                    std::copy_n(
                        numerators.row(inside.corner.y + y, inside.corner.z + z) + inside.corner.x,
                        tile.extents.x, copy.data + z * copy.sliceStride + y * copy.rowStride);
                });
                m_pass.score<Real>(tile, {x, copy, tile.corner}, frame.tile(seen), terms, worker);
                scored[static_cast<std::size_t>(item)] = 1;
            });
    }

    const method::Problem& m_problem;
    const method::CanonicalTemplate& m_templ;
    const base::AnyView& m_scene;
    const method::Execution& m_execution;
    const method::MapView& m_map;
    ScorePass& m_pass;
};

} // namespace flcc::cpu
