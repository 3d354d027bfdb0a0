#pragma once

#include <cstdint>

#include "engine/base/extents.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/mask_weights.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/cpu/transform/tile_transform.h"

namespace flcc::cpu {

/// Window sums under a mask, s1 = sum w x and s2 = sum w x^2, of the panels of a tile inside the
/// scene, from two correlations by transforms. The second one is of x^2 less a level, which keeps
/// its rounding errors small (engine/method/NUMERICS.md, section 5, masks).
struct MaskedSums {
    const MaskWeights* mask = nullptr;
    /// The error of D = s2 - s1^2 / W is at most one + root sqrt(s2) + square s2.
    double one = 0;
    double root = 0;
    double square = 0;
    /// Both sums are exact multiples of the tile's quantum and its square, and W s2 - s1^2 fits 128
    /// bits: a panel is flat under the mask if and only if that is 0.
    bool whole = false;
};

/// The level of x^2: near its mean, and such that x^2 less the level stays a whole number of steps
/// where the tile has steps.
[[nodiscard]] double levelOfSquares(const CentredTile& tile, double squares, double voxels);

/// x^2 - level of the voxels of `seen` in place; other elements of `tile` become 0.
template <class Real>
void squareTile(const base::Extents& points, const base::Extents& seen, double level, Real* tile);

/// What is known of the two correlations with w / ||w||.
struct SumsKnown {
    const base::Extents& points;
    const base::Extents& m;
    const CentredTile& tile;
    TileEnergies sums;
    TileEnergies squares;
    double level = 0; ///< levelOfSquares()
};

/// The error of D, and whether sums are whole numbers of steps once they are rounded.
struct SumsErrors {
    MaskedSums of;
    /// Of s1: first + firstOwn |s1|; of s2: second + secondOwn s2. 0 where sums are exact.
    double first = 0;
    double firstOwn = 0;
    double second = 0;
    double secondOwn = 0;
    bool wholeSums = false;
    bool wholeSquares = false;
    bool maySplit = false; ///< the squares are whole numbers, so squarePart() may make sums exact
};
template <class Real>
[[nodiscard]] SumsErrors errorsOf(const MaskWeights& mask, const SumsKnown& known);

/// Where window sums of a box of placements go: rows of s1, each followed by one of s2.
struct SumsRows {
    double* data;
    std::int64_t stride;      ///< from s1 to s2 of a row
    std::int64_t sliceStride; ///< rows of a slice
};

/// Squares that are whole numbers of steps, x^2 - level = low + high, where each part has half of
/// the bits, so that its sums by transforms are exact for pictures of few bits. s1 is exact.
class SquareParts {
  public:
    enum Part : std::size_t { kLow, kHigh };

    SquareParts(const MaskWeights& mask, const base::Extents& points, const base::Extents& m,
                const CentredTile& tile, double level);

    /// Replaces the voxels x of a tile by a part of their squares.
    void take(Part part, const base::Extents& seen, float* tile) const;
    /// Adds the correlations `from` of a part with w / ||w|| to s2, rounded where they are exact
    /// then.
    void add(Part part, const TileEnergies& energies, const float* from, const base::Extents& out,
             const SumsRows& to);
    [[nodiscard]] MaskedSums sums() const;

  private:
    const MaskWeights& m_mask;
    base::Extents m_points;
    base::Extents m_m;
    double m_level;
    double m_half;     ///< of the low part: its largest magnitude in units of its own, at least
    double m_units[2]; ///< the parts are multiples of them
    double m_error = 0;
    bool m_whole = true;
};

/// Sets s2 of all placements.
void setSquares(const base::Extents& out, double value, const SumsRows& to);

/// Writes `from`, correlations with w / ||w||, as s1 = factor from, or as s2 = factor from + added.
/// `steps` is not 0 if the sums are whole numbers of 1 / steps.
template <class Real>
void writeSums(const Real* from, const base::Extents& points, const base::Extents& out,
               double factor, double added, double steps, bool second, const SumsRows& to);

/// Rounds s1 to whole numbers of 1 / steps.
void roundSums(double steps, const base::Extents& out, const SumsRows& rows);

/// Placements whose scores break the promise by the error of D alone, if |r| is 1; about.
[[nodiscard]] std::int64_t poorPlacements(const MaskedSums& sums, const SumsRows& rows,
                                          const base::Extents& out, double promise);

} // namespace flcc::cpu
