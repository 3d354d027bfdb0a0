#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/cpu/integer_template.h"
#include "engine/cpu/support_run.h"
#include "engine/cpu/tile_grid.h"
#include "engine/cpu/tile_run.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/bank.h"
#include "engine/method/canonical.h"

/// Tiles that go through transforms (METHODS 3.3): what a run needs, and the run.
namespace flcc::cpu {

/// Everything that depends on the template alone.
class TiledPrepared final : public method::Prepared {
  public:
    /// `keep`: its spectrum in double, once it is made.
    TiledPrepared(const method::Problem& problem, const method::Candidate& candidate,
                  const method::MaskedView& templ, bool keep, base::TilePool& pool);

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_forms.canonical; }
    /// Empty where all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<SupportTemplate>& support() const { return m_support; }
    [[nodiscard]] const std::optional<SupportSpectra>& spectra() const { return m_spectra; }
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_forms.integers ? &*m_forms.integers : nullptr;
    }
    [[nodiscard]] const TileTransform<float>& transform() const { return *m_transform; }
    [[nodiscard]] const base::Image<float>& spectrum() const { return m_spectrum; }
    /// The spectrum in double for tiles of twofoldPoints(): made when the first tile asks for it,
    /// with `work` as scratch; where it is not kept, made each time in `to`.
    [[nodiscard]] const double* inDouble(double* work, double* to) const;

    /// Bytes of what is kept of a template, its spectrum in double with it where a run may ask.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& points, bool keep);
    /// Of its spectrum in single precision.
    [[nodiscard]] static std::int64_t spectrumBytes(const base::Extents& points) {
        return 4 * TileTransform<float>::spectrumValues(points);
    }

  private:
    base::Extents m_points;
    base::Extents m_doublePoints;
    TemplateForms m_forms;
    std::optional<SupportTemplate> m_support;
    std::optional<SupportSpectra> m_spectra;
    std::shared_ptr<const TileTransform<float>> m_transform;
    base::Image<float> m_spectrum;
    bool m_keep;
    mutable std::once_flag m_once;
    mutable base::Image<double> m_inDouble;
};

/// The points of the tiles in which a tile of `points` is done in double: of all of it in a run in
/// double; of parts whose buffers have room where those of the tile in single precision were, if
/// the template leaves such parts enough placements.
[[nodiscard]] base::Extents doublePoints(const method::Problem& problem,
                                         const base::Extents& points);

/// Where a tile in one precision and what is made of it lie.
template <class Real> struct TileBuffers {
    Real* voxels;
    Real* numerators;
    Real* work;     ///< of the transform
    Real* spectrum; ///< of a bank: that of the tile, kept for its templates

    /// All of it is written before it is read.
    TileBuffers(base::Image<double>& room, const base::Extents& points, bool bank)
        : voxels(reinterpret_cast<Real*>(room.data())), numerators(voxels + values(points)),
          work(numerators + values(points)), spectrum(bank ? work + values(points) : nullptr) {}

    [[nodiscard]] static std::int64_t bytes(const base::Extents& points, bool bank) {
        return static_cast<std::int64_t>(sizeof(Real)) * values(points) * (bank ? 4 : 3);
    }

  private:
    /// Room for voxels, and for a half spectrum.
    static std::int64_t values(const base::Extents& points) {
        return roundUp(std::max(base::voxelCount(points) + simd::kSlack,
                                TileTransform<Real>::spectrumValues(points)),
                       16);
    }
};

/// The buffers of one worker; those of a precision are made when it is first needed.
class TiledBuffers {
  public:
    /// `tile`: the placements a tile gives.
    TiledBuffers(const method::Problem& problem, const base::Extents& points,
                 const base::Extents& tile);

    TileScorer scorer;
    BestTile best;

    /// Those of a tile in the precision of the run.
    template <class Real> [[nodiscard]] TileBuffers<Real> tile(bool bank);
    /// Those of a part that is done again in double: where the tile was, but in a bank, whose next
    /// template needs it.
    [[nodiscard]] TileBuffers<double> again(bool bank);
    /// The window sums of a tile, of a bank.
    [[nodiscard]] KeptTile& kept() { return m_kept ? *m_kept : m_kept.emplace(m_tile); }
    [[nodiscard]] SupportScorer& support(const SupportSpectra& spectra);

    /// Of what is made for the first tile; the scorer comes on top.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& points, const base::Extents& tile);

  private:
    /// Of tiles in the precision of a run.
    static std::int64_t tileBytes(const method::Problem& problem, const base::Extents& points,
                                  bool bank);

    method::Problem m_problem;
    base::Extents m_points;
    base::Extents m_doublePoints;
    base::Extents m_tile;
    std::unique_ptr<SupportScorer> m_support;
    FourierCorrelator* m_correlator = nullptr; ///< of m_support
    base::Image<double> m_room;
    base::Image<double> m_again; ///< of a bank: for what is done again
    std::optional<KeptTile> m_kept;
};

/// A run of one template, or of those of a bank.
struct TiledRun {
    const method::Problem& problem;
    const base::Extents& points;
    std::vector<const TiledPrepared*> templs;
    method::MaskedView scene; ///< without a mask where that is all ones
    method::BankView to;      ///< without an index: one template

    [[nodiscard]] bool bank() const { return templs.size() > 1; }
    /// Does it in tiles of `tile` placements.
    [[nodiscard]] method::Outcome operator()(const base::Extents& tile,
                                             ThreadBuffers<TiledBuffers>& buffers,
                                             const method::Execution& execution) const;
};

} // namespace flcc::cpu
