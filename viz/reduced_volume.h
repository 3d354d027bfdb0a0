#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/base/pixels.h"

namespace flcc::viz {

/// A volume too large to be ray-cast as it is, in averages of blocks of voxels.
class ReducedVolume {
  public:
    /// Whether a volume of these extents is ray-cast from a ReducedVolume.
    [[nodiscard]] static bool serves(const base::Extents& extents);

    /// Averages the finite voxels of each block; a block without any is NaN. **Cost**: reads every
    /// voxel; after a stop, the content is unspecified.
    ReducedVolume(const base::AnyView& image, const std::stop_token& stop);

    /// Real numbers as wide as the image needs.
    [[nodiscard]] const base::AnyImage& pixels() const { return m_pixels; }
    [[nodiscard]] const base::Extents& source() const { return m_source; }
    [[nodiscard]] std::int64_t bytes() const;

  private:
    base::Extents m_source;
    base::AnyImage m_pixels;
};

} // namespace flcc::viz
