#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// Pixel types that simd::voxelFacts and simd::loadVoxels take.
template <class T>
inline constexpr bool kHasKernel =
    std::is_same_v<T, float> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::int16_t>;

/// A tile in its own frame: x = (S - c) 2^-e, c the mean of its finite voxels (a multiple of the
/// quantum where there is one, 1 for integer scenes), 2^e the power of two just above max |S - c|
/// (METHODS 2).
struct CentredTile {
    double unit = 1;  ///< 2^e
    double level = 0; ///< c
    /// A power of two of which every finite S - c is known to be a multiple; 0 for none.
    double quantum = 0;
    double steps = 0; ///< largest |S - c| / quantum
    /// With a quantum: sums of squares of (S - c) / quantum over the template stay below 2^53, so
    /// that the window sums are exact.
    bool exactSums = false;
    bool exact = false;         ///< S - c was not rounded
    double largestRounding = 0; ///< largest |x 2^e - (S - c)|, or a bound on it
    bool direct = false;        ///< x is (S - c) 2^-e as a kernel computes it
    std::int64_t nonFinite = 0; ///< voxels replaced by c

    /// Times this x is an integer where there is a quantum.
    [[nodiscard]] double stepsPerUnit() const { return quantum > 0 ? unit / quantum : unit; }
};

/// Looks for the largest power of two of which all finite voxels of some rows are multiples, as of
/// pictures of few bits that are kept as float32.
class GridSearch {
  public:
    /// The range of all the voxels.
    GridSearch(double minimum, double maximum);

    /// False when there is none: differences of its multiples may need more than 24 bits.
    [[nodiscard]] bool add(const base::View<const float>& voxels);
    /// What another one found in others of these voxels.
    void join(const GridSearch& other);

    /// The power of two, or 0.
    [[nodiscard]] double quantum() const;

  private:
    double m_finest = 0;        ///< the last digit of the largest voxel
    std::uint32_t m_beyond = 0; ///< bits of a multiple of it that differences have no room for
    std::uint32_t m_bits = 0;
    bool m_found = true;
};

/// Loads the part `footprint` of a scene into `to`. `templCount` is N of the template; `known` what
/// the same part was when it was loaded in single precision.
[[nodiscard]] CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                                      std::int64_t templCount, const simd::FloatBox& to);
[[nodiscard]] CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                                      std::int64_t templCount, const simd::DoubleBox& to,
                                      const CentredTile* known = nullptr);

/// For every placement of a template of extents `m` in `footprint`: 1 where the panel is constant
/// on the original values (METHODS 2.1). Beyond the scene its nearest voxels are repeated, so that
/// what of a panel lies inside decides. O(1) a voxel.
[[nodiscard]] std::vector<std::uint8_t>
flatPanels(const base::AnyView& scene, const base::Box& footprint, const base::Extents& m);

/// Likewise: 1 where the panel touches a NaN or an infinity.
[[nodiscard]] std::vector<std::uint8_t>
nonFinitePanels(const base::AnyView& scene, const base::Box& footprint, const base::Extents& m);

} // namespace flcc::cpu
