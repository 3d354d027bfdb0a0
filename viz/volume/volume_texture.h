#pragma once

#include <array>
#include <cstdint>

#include <vtkImageData.h>
#include <vtkNew.h>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/match/colour_map.h"
#include "viz/pixels/map_pixels.h"
#include "viz/scene.h"

namespace flcc::viz::detail {

/// Texels of a texture at most, and those of the first picture of a volume that is being reduced.
inline constexpr std::int64_t kTexelBudget = 8'000'000;
inline constexpr std::int64_t kFirstTexelBudget = 400'000;

/// Voxels per texel on each axis for a texture of at most `budget` texels.
[[nodiscard]] std::array<std::int64_t, 3> texelSteps(const base::Extents& extents,
                                                     std::int64_t budget);
[[nodiscard]] base::Extents texelCount(const base::Extents& extents,
                                       const std::array<std::int64_t, 3>& steps);

/// A volume of bytes for ray-casting: every `step` voxels of its source become one texel, so that
/// it stays within the texture budget.
class VolumeTexture {
  public:
    /// A texture for `extents` voxels of `spacing`, the first one centred on `first` (world); all
    /// texels 0. `marked`: with a second byte for LOWCONF scores or for ignored voxels.
    void setShape(const base::Extents& extents, const base::Point& first,
                  const base::Point& spacing, bool marked = false,
                  std::int64_t budget = kTexelBudget);
    void clear() { m_step = {0, 0, 0}; }

    /// Fills in the grey bytes of an image of the texture's shape, or of one voxel a texel. A
    /// marked texture needs `support`, and only a marked one: greys of voxels where it is 0 are
    /// stored in the second byte only.
    void fillGrey(const base::AnyView& image, const GreyWindow& window,
                  const base::Image<std::uint8_t>* support = nullptr);
    /// Adds a region of a map of the texture's shape: 0 without a value, 1..255 from the low to the
    /// high end of the scale. A texel shows its voxel with the highest score, or for diverging
    /// colours the one farthest from the middle of the scale, so that no peak is lost. In a marked
    /// texture, LOWCONF scores are stored in the second byte only.
    void addRegion(const method::MatchMap& map, const base::Box& region,
                   const match::HeatmapScale& scale);
    void erase(); ///< all texels 0

    [[nodiscard]] bool exists() const { return m_step[0] > 0; }
    [[nodiscard]] bool marked() const { return m_bytes == 2; }
    /// Voxels per texel on the axis with the most voxels per texel.
    [[nodiscard]] std::int64_t thinning() const;
    [[nodiscard]] base::Extents texels() const { return {m_count[0], m_count[1], m_count[2]}; }
    [[nodiscard]] vtkImageData& image() { return *m_image; }
    /// The finest side of a texel in the world.
    [[nodiscard]] double texelSize() const;

  private:
    void touch(); ///< call after bytes have changed
    void sortBySupport(const base::Image<std::uint8_t>& support);

    base::Extents m_source{0, 0, 0};
    std::array<std::int64_t, 3> m_step{0, 0, 0};
    std::array<std::int64_t, 3> m_count{0, 0, 0};
    int m_bytes = 1; ///< a texel
    vtkNew<vtkImageData> m_image;
};

} // namespace flcc::viz::detail
