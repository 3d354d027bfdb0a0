#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/integer_template.h"
#include "engine/cpu/score/support_run.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/mask_weights.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/bank.h"
#include "engine/method/canonical.h"

/// Method `tiled`: what a run of tiles through transforms needs, and the run (overlap-save, Karas
/// (22)-(23)).
namespace flcc::cpu {

/// True if tiles inside the scene under masks of templates are no general ones: in single
/// precision, and wherever there are weights.
[[nodiscard]] inline bool masksInTiles(const method::Problem& problem) {
    return problem.mask && problem.operation.traits().hasRowScorer &&
           (problem.precision == method::Precision::Single || problem.weights);
}

/// True if `problem` has general tiles in this method; needsSupport() of others.
[[nodiscard]] inline bool needsGeneral(method::Problem problem) {
    problem.mask = problem.mask && !masksInTiles(problem);
    return needsSupport(problem);
}

/// Everything that method `tiled` prepares from a template alone.
class TiledPrepared final : public method::Prepared {
  public:
    /// `keep`: the spectrum in double stays in memory once it is made.
    TiledPrepared(const method::Problem& problem, const method::Candidate& candidate,
                  const method::MaskedView& templ, bool keep, base::TilePool& pool);

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_forms.canonical; }
    /// Empty if all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<OperationPrepared>& general() const { return m_general; }
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_forms.integers ? &*m_forms.integers : nullptr;
    }
    [[nodiscard]] const TileTransform<float>& transform() const { return *m_transform; }
    [[nodiscard]] const base::Image<float>& spectrum() const { return m_spectrum; }
    /// Of a template with a mask, if masksInTiles(); else null.
    [[nodiscard]] const MaskWeights* mask() const { return m_mask.get(); }
    /// True if every tile is a general one.
    [[nodiscard]] bool allGeneral() const { return m_allGeneral; }
    /// The spectrum in double for tiles of doublePoints(). If it is kept, the first call makes it,
    /// with `work` as scratch. Otherwise every call makes it in `to`.
    [[nodiscard]] const double* inDouble(double* work, double* to) const;

    /// Bytes kept of a template, its spectrum in double included if a run may need it.
    [[nodiscard]] static std::int64_t bytes(const Counted& counted, const TransformShape& points,
                                            bool keep);
    /// Bytes of the mask that all templates of a bank share; 0 where each has its own.
    [[nodiscard]] static std::int64_t sharedBytes(const method::Problem& problem,
                                                  const TransformShape& points, bool keep);
    /// Bytes of the spectrum in single precision.
    [[nodiscard]] static std::int64_t spectrumBytes(const TransformShape& points) {
        return 4 * TileTransform<float>::spectrumValues(points);
    }

  private:
    TransformShape m_points;
    TransformShape m_doublePoints;
    TemplateForms m_forms;
    std::optional<OperationPrepared> m_general;
    bool m_allGeneral = false;
    std::shared_ptr<const MaskWeights> m_mask;
    std::shared_ptr<const TileTransform<float>> m_transform;
    base::Image<float> m_spectrum;
    bool m_keep;
    mutable std::once_flag m_once;
    mutable base::Image<double> m_inDouble;
};

/// Points of the tiles in which a tile of `points` is computed in double. In a run in double they
/// are `points`. Otherwise they are those of parts whose buffers fit where the tile's buffers in
/// single precision were, or `points` if the template leaves such parts too few placements.
[[nodiscard]] TransformShape doublePoints(const method::Problem& problem,
                                          const TransformShape& points);

/// The buffers of one tile in one precision, side by side in one piece of memory.
template <class Real> struct TileBuffers {
    Real* voxels;
    Real* numerators;
    Real* work;     ///< scratch of the transform
    Real* spectrum; ///< with spectra: of the tile, shared by templates and masks; else null
    Real* squares;  ///< with two spectra: of the squares of the tile; else null

    /// Clears nothing: every value is written before it is read.
    TileBuffers(base::Image<double>& room, const TransformShape& points, int spectra)
        : voxels(reinterpret_cast<Real*>(room.data())), numerators(voxels + values(points)),
          work(numerators + values(points)),
          spectrum(spectra > 0 ? work + values(points) : nullptr),
          squares(spectra > 1 ? spectrum + values(points) : nullptr) {}

    [[nodiscard]] static std::int64_t bytes(const TransformShape& points, int spectra) {
        return static_cast<std::int64_t>(sizeof(Real)) * values(points) * (3 + spectra);
    }
    /// Bytes of the numerators that a correlation never writes.
    [[nodiscard]] static std::int64_t idleBytes(const TransformShape& points,
                                                const base::Extents& tile) {
        const std::int64_t written = TileTransform<Real>::writtenValues(points, tile);
        return static_cast<std::int64_t>(sizeof(Real)) *
               std::max<std::int64_t>(0, values(points) - written - simd::kSlack);
    }

  private:
    /// Values that hold the voxels with slack, or a half spectrum, whichever is more.
    static std::int64_t values(const TransformShape& points) {
        return roundUp(std::max(base::voxelCount(points) + simd::kSlack,
                                TileTransform<Real>::spectrumValues(points)),
                       16);
    }
};

/// The buffers of one worker. Those of a precision are made when they are first needed.
class TiledBuffers {
  public:
    /// `tile`: the placements of one tile.
    TiledBuffers(const method::Problem& problem, const TransformShape& points,
                 const base::Extents& tile);

    TileScorer scorer;
    BestTile best;

    /// The buffers of a tile in the precision of the run, with the number of spectra it keeps.
    template <class Real> [[nodiscard]] TileBuffers<Real> tile(int spectra);
    /// The buffers of a part that is recomputed in double. They replace those of the tile, except
    /// in a bank, whose next template still needs the tile.
    [[nodiscard]] TileBuffers<double> again(bool bank);
    /// The window sums of a tile that the templates of a bank share, or that a mask has.
    [[nodiscard]] KeptTile& kept() { return m_kept ? *m_kept : m_kept.emplace(m_tile); }
    /// The same for parts of a tile under a mask that are recomputed in double.
    [[nodiscard]] KeptTile& keptAgain() {
        return m_keptAgain ? *m_keptAgain : m_keptAgain.emplace(m_tile);
    }
    /// The values of general tiles.
    [[nodiscard]] PlacementValues& values();

    /// Bytes that are written of the buffers for the first tile, without the scorer's.
    [[nodiscard]] static std::int64_t bytes(const Counted& counted, const TransformShape& points,
                                            const base::Extents& tile);

  private:
    /// Bytes of the buffers of a tile in the precision of a run.
    static std::int64_t tileBytes(const method::Problem& problem, const TransformShape& points,
                                  int spectra);

    method::Problem m_problem;
    TransformShape m_points;
    TransformShape m_doublePoints;
    base::Extents m_tile;
    std::unique_ptr<PlacementValues> m_values;
    base::Image<double> m_room;
    base::Image<double> m_again; ///< of a bank: for recomputing in double
    std::optional<KeptTile> m_kept;
    std::optional<KeptTile> m_keptAgain;
};

/// A run of one template or of a bank.
struct TiledRun {
    const method::Problem& problem;
    const TransformShape& points;
    std::vector<const TiledPrepared*> templs;
    method::MaskedView scene; ///< has no mask if the mask is all ones
    method::BankView to;      ///< has no index if there is one template

    [[nodiscard]] bool bank() const { return templs.size() > 1; }
    /// Runs the problem in tiles of `tile` placements.
    [[nodiscard]] method::Outcome operator()(const base::Extents& tile,
                                             ThreadBuffers<TiledBuffers>& buffers,
                                             const method::Execution& execution) const;
};

} // namespace flcc::cpu
