#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/cpu/double_transform.h"
#include "engine/cpu/integer_template.h"
#include "engine/cpu/support_run.h"
#include "engine/cpu/tile_run.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/bank.h"
#include "engine/method/canonical.h"

/// Tiles that go through transforms (METHODS 3.3): what a run needs, and the run.
namespace flcc::cpu {

/// Real tiles that share one complex transform.
inline constexpr std::int64_t kTogether = 2;

/// Everything that depends on the template alone.
class TiledPrepared final : public method::Prepared {
  public:
    /// `keep`: its spectrum in double, once it is made.
    TiledPrepared(const method::Problem& problem, const method::Candidate& candidate,
                  const method::MaskedView& templ, bool keep);

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    /// Empty where all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<SupportTemplate>& support() const { return m_support; }
    [[nodiscard]] const std::optional<SupportSpectra>& spectra() const { return m_spectra; }
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_integers ? &*m_integers : nullptr;
    }
    [[nodiscard]] const TileTransform& transform() const { return *m_transform; }
    [[nodiscard]] const base::Image<float>& spectrum() const { return m_spectrum; }
    /// The spectrum in double for tiles of `transform`: made when the first tile asks for it, with
    /// `work` as scratch; where it is not kept, made each time in `to`.
    [[nodiscard]] const double* twofold(const DoubleTransform& transform, double* work,
                                        double* to) const;

    /// Bytes of what is kept of a template, its spectrum in double with it where a run may ask.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& points, bool keep);
    /// Of its spectrum in single precision.
    [[nodiscard]] static std::int64_t spectrumBytes(const base::Extents& points) {
        return 4 * TileTransform::spectrumValues(points);
    }

  private:
    base::Extents m_points;
    method::CanonicalTemplate m_canonical;
    std::optional<SupportTemplate> m_support;
    std::optional<SupportSpectra> m_spectra;
    std::optional<IntegerTemplate> m_integers;
    std::shared_ptr<const TileTransform> m_transform;
    base::Image<float> m_spectrum;
    bool m_keep;
    mutable std::once_flag m_once;
    mutable base::Image<double> m_twofold;
};

struct TilePair;

/// The buffers of a tile in double.
class TwofoldTile {
  public:
    double* voxels;
    double* numerators;
    double* work;     ///< of the transform
    double* spectrum; ///< of a bank: that of the tile, kept for its templates

    TwofoldTile(const base::Extents& points, bool bank);
    /// In the buffers of a pair that is scored.
    explicit TwofoldTile(TilePair& pair);

    /// Room for voxels, and for a half spectrum.
    static std::int64_t doubles(const base::Extents& points) {
        return roundUp(std::max(base::voxelCount(points) + simd::kSlack,
                                DoubleTransform::spectrumValues(points)),
                       16);
    }
    static std::int64_t bytes(const base::Extents& points, bool bank) {
        return 8 * doubles(points) * (bank ? 4 : 3);
    }

  private:
    base::Image<double> m_own;
};

/// Two tiles of centred voxels and their transform. The two tiles of numerators lie in a buffer the
/// transform is done with.
struct TilePair {
    base::Image<float> voxels;
    TransformBuffers transform;
    base::Image<float> lines;
    base::Image<float> spectrum; ///< of a bank: that of both tiles, kept for its templates
    std::int64_t tileFloats;

    TilePair(const base::Extents& points, bool bank);

    [[nodiscard]] float* tile(std::int64_t i) { return voxels.data() + i * tileFloats; }
    [[nodiscard]] float* numerator(std::int64_t i) {
        return transform.rows.data() + i * tileFloats;
    }

    /// Of a tile: two take the room of one in double.
    static std::int64_t floats(const base::Extents& points) { return TwofoldTile::doubles(points); }
    static std::int64_t lineCount(const base::Extents& points) {
        return points.x + (points.z > 1 ? points.x * points.y : 0);
    }
    /// Without making a transform, so that a prediction costs nothing.
    static std::int64_t bytes(const base::Extents& points, bool bank);
};

/// The buffers of one worker; those of a precision are made when it is first needed.
class TiledBuffers {
  public:
    /// `tile`: the placements a tile gives.
    TiledBuffers(const method::Problem& problem, const base::Extents& points,
                 const base::Extents& tile);

    TileScorer scorer;
    BestTile best;

    [[nodiscard]] TilePair& pair(bool bank);
    [[nodiscard]] TwofoldTile& twofold(bool bank);
    /// The window sums of a tile of a pair, of a tile in double.
    [[nodiscard]] KeptTile& kept(std::size_t tile);
    [[nodiscard]] KeptTile& keptTwofold() { return kept(kTogether); }
    [[nodiscard]] SupportScorer& support(const SupportSpectra& spectra);

    /// Of what is made for the first tile; the scorer comes on top.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& points, const base::Extents& tile);

  private:
    base::Extents m_points;
    base::Extents m_tile;
    std::unique_ptr<SupportScorer> m_support;
    FourierCorrelator* m_correlator = nullptr; ///< of m_support
    std::unique_ptr<TilePair> m_pair;
    std::unique_ptr<TwofoldTile> m_twofold;
    std::array<std::optional<KeptTile>, kTogether + 1> m_kept;
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
