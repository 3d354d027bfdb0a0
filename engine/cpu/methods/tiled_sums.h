#pragma once

#include <algorithm>
#include <optional>

#include "engine/cpu/methods/tiled_run.h"
#include "engine/cpu/score/masked_sums.h"

/// Method `tiled`: tiles under masks of templates, whose sums are correlations or sums of runs.
namespace flcc::cpu {

template <class Real> simd::VoxelBox<Real> boxOf(Real* data, const base::Extents& points) {
    return {data, points.x, points.x * points.y};
}

/// Loads the voxels under the placements `out` into a tile of `points`.
template <class Real, class... Known>
CentredTile loadTile(const TiledRun& run, const base::Extents& points, const base::Box& out,
                     Real* to, Known... known) {
    const std::int64_t count = base::voxelCount(points);
    const base::Box seen = footprint(out, run.problem.templ);
    if (seen.extents != points) {
        std::fill_n(to, count, Real{0});
    }
    const CentredTile tile = loadCentred(
        run.scene.pixels, seen, base::voxelCount(run.problem.templ), boxOf(to, points), known...);
    std::fill_n(to + count, TileTransform<Real>::kZeros, Real{0});
    return tile;
}

/// A tile that has been transformed: its frame and its energies.
struct Passed {
    CentredTile centred;
    TileEnergies energies;
};

/// The sums of one tile in single precision under one mask after the other, in a KeptTile.
class MaskedTile {
  public:
    /// `own` holds the voxels of the placements `out` and their spectrum.
    MaskedTile(const TiledRun& run, const base::Box& out, const Passed& passed,
               TileBuffers<float>& own, KeptTile& kept)
        : m_run(run), m_out(out), m_passed(passed), m_own(own), m_kept(kept) {}

    /// Makes the sums under a mask, by transforms if that is enough. The voxels may be replaced.
    void under(const MaskWeights& mask, const TileTransform<float>& transform);

  private:
    [[nodiscard]] base::Extents seen() const {
        return footprint(m_out, m_run.problem.templ).extents;
    }
    [[nodiscard]] bool expectsPoor();
    void square(const TileTransform<float>& transform);
    [[nodiscard]] bool isPoor(const MaskedSums& sums) const;
    void alongEdges(const MaskWeights& mask);
    void inParts(const MaskWeights& mask, const TileTransform<float>& transform);
    void load() { (void)loadTile(m_run, m_run.points, m_out, m_own.voxels); }

    /// The squares of the tile, whose spectrum has been made.
    struct Squares {
        double level = 0;
        method::shared::TileEnergy in;
    };
    const TiledRun& m_run;
    const base::Box& m_out;
    const Passed& m_passed;
    TileBuffers<float>& m_own;
    KeptTile& m_kept;
    std::optional<Squares> m_squares;
    std::optional<bool> m_poor; ///< of expectsPoor()
};

/// A part of a tile in double.
struct DoublePart {
    const TiledRun& run;
    const base::Extents& points;
    const base::Box& out;
    const CentredTile* frame; ///< known of single precision, or null
};

/// Makes the sums of a part under a mask, in double. `own` is scratch.
void sumInDouble(const DoublePart& part, const MaskWeights& mask,
                 const TileTransform<double>& transform, TileBuffers<double>& own, KeptTile& kept);

} // namespace flcc::cpu
