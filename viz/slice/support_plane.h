#pragma once

#include "viz/pixels/support.h"
#include "viz/slice/slice_plane.h"
#include "viz/slice/visible_tile.h"

namespace flcc::viz::detail {

/// Shades the voxels of a slice that the scene's support leaves out.
class SupportPlane {
  public:
    explicit SupportPlane(vtkRenderer& renderer)
        : m_tile(renderer, VisibleTile::Kind::Colour, -0.5) {}

    /// Ignored unless it has the extents of the plane.
    void setSupport(Support support, const SlicePlane& plane);
    void clear();
    void invalidate() { m_tile.invalidate(); }
    void update(const SlicePlane& plane);
    [[nodiscard]] std::int64_t bytes() const { return m_tile.bytes(); }

  private:
    void pixels(const SlicePlane& plane, const TexelGrid& grid, const TexelRect& rect,
                std::uint8_t* out, std::int64_t rowBytes) const;

    Support m_support; ///< null: none that fits
    VisibleTile m_tile;
};

} // namespace flcc::viz::detail
