#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "viz/pixels/plane_view.h"
#include "viz/pixels/texel_grid.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// The visible part of a plane, as one texture in the plane z = depth of the VTK world. A texel is
/// a pixel of the screen where several voxels share one, and a voxel otherwise: the texture is as
/// large as the view, whatever the plane is.
class VisibleTile {
  public:
    /// The format of a texel.
    enum class Kind {
        Grey,   ///< one byte, opaque
        Colour, ///< RGBA; A above 3/4: the colour, below 1/4: nothing, between: hatched
    };
    /// Writes the texels of `rect` row by row to `out`, `rowBytes` from row to row.
    using Fill = std::function<void(const TexelGrid& grid, const TexelRect& rect, std::uint8_t* out,
                                    std::int64_t rowBytes)>;

    VisibleTile(vtkRenderer& renderer, Kind kind, double depth);
    ~VisibleTile();
    VisibleTile(const VisibleTile&) = delete;
    VisibleTile& operator=(const VisibleTile&) = delete;

    /// A plane of width x height voxels. Voxel (0, 0) is centred on `first`, in voxels of the view.
    void setShape(std::int64_t width, std::int64_t height, const std::array<double, 2>& first);
    void clear();      ///< nothing is drawn until setShape()
    void invalidate(); ///< the content has changed
    /// Fills what is visible and was not filled before. Texels that stay visible are kept.
    void update(const PlaneView& view, const Fill& fill);

    void setVisible(bool on);
    void setOpacity(double opacity);
    void setInterpolated(bool on);
    void setPixelRatio(double ratio); ///< width of the hatch
    [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(m_texels.size()); }

  private:
    struct Quad;
    void refill(const TexelGrid& grid, const TexelRect& rect, const Fill& fill);
    void place(const PlaneView& view);

    vtkRenderer& m_renderer;
    Kind m_kind;
    std::unique_ptr<Quad> m_quad;
    bool m_exists = false;
    bool m_visible = true;
    bool m_dirty = true;
    std::array<std::int64_t, 2> m_count{0, 0};
    std::array<double, 2> m_first{0, 0};
    TexelGrid m_grid;
    TexelRect m_rect;                   ///< what m_texels holds
    std::vector<std::uint8_t> m_texels; ///< read by VTK
};

} // namespace flcc::viz::detail
