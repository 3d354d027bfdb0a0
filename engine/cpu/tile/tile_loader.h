#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// True for pixel types that simd::voxelFacts() and simd::loadVoxels() accept.
template <class T>
inline constexpr bool kHasKernel =
    std::is_same_v<T, float> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::int16_t>;

/// A tile in a frame of its own, x = (S - c) 2^-e (engine/method/NUMERICS.md, section 3). c is the
/// mean of the tile's finite voxels, a multiple of the quantum if there is one; the quantum of
/// integer scenes is 1. 2^e is the power of two just above max |S - c|.
struct CentredTile {
    double unit = 1;  ///< 2^e
    double level = 0; ///< c
    /// Power of two of which every finite S - c is known to be a multiple; 0 if none is known.
    double quantum = 0;
    double steps = 0; ///< largest |S - c| / quantum
    /// True if the window sums are exact: there is a quantum, and over a template the sum of the
    /// squares of (S - c) / quantum stays below 2^53.
    bool exactSums = false;
    bool exact = false;         ///< no S - c was rounded
    double largestRounding = 0; ///< largest |x 2^e - (S - c)|, or a bound on it
    /// A vector kernel loaded the tile: `level` and `unit` suffice to load it in double.
    bool direct = false;
    std::int64_t nonFinite = 0; ///< NaN and Inf voxels, which c replaces

    /// With a quantum, x times this factor is an integer.
    [[nodiscard]] double stepsPerUnit() const { return quantum > 0 ? unit / quantum : unit; }
};

/// Finds the quantum of float voxels: the largest power of two of which all finite voxels of the
/// added rows are multiples. Pictures of few bits that are stored as float32 have one.
class GridSearch {
  public:
    /// `minimum` and `maximum` are the range of all voxels that will be added.
    GridSearch(double minimum, double maximum);

    /// Adds rows. False if there is no quantum: differences of its multiples could need more than
    /// 24 bits.
    [[nodiscard]] bool add(const base::View<const float>& voxels);
    /// Adds the result of a search in other rows of the same voxels.
    void join(const GridSearch& other);

    /// The quantum, or 0 if there is none.
    [[nodiscard]] double quantum() const;

  private:
    double m_finest = 0; ///< unit in the last place of the largest voxel
    /// Low bits of a multiple of m_finest that must be 0, so that differences fit 24 bits.
    std::uint32_t m_beyond = 0;
    std::uint32_t m_bits = 0;
    bool m_found = true;
};

/// Loads the box `footprint` of a scene into `to`, in a frame of its own. `templCount` is the
/// number N of template voxels. `known` is the frame that the same box got in single precision, if
/// it was loaded before.
[[nodiscard]] CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                                      std::int64_t templCount, const simd::FloatBox& to);
[[nodiscard]] CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                                      std::int64_t templCount, const simd::DoubleBox& to,
                                      const CentredTile* known = nullptr);

/// For every placement of a template of extents `m` in `footprint`, x fastest: 1 if all stored
/// voxels of the panel are equal and finite, else 0. A voxel outside the scene has the value of the
/// nearest scene voxel, so the part of a panel inside the scene decides. **Cost**: O(1) a voxel.
[[nodiscard]] std::vector<std::uint8_t>
flatPanels(const base::AnyView& scene, const base::Box& footprint, const base::Extents& m);

/// For every placement in `footprint`, which lies inside the scene: 1 if the panel holds a NaN or
/// an infinity, else 0.
[[nodiscard]] std::vector<std::uint8_t>
nonFinitePanels(const base::AnyView& scene, const base::Box& footprint, const base::Extents& m);

} // namespace flcc::cpu
