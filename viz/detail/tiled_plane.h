#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

class vtkRenderer;

namespace flcc::viz::detail {

/// A rectangle of texels: first and one past the last on each axis.
struct TexelRect {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;
    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
};
[[nodiscard]] TexelRect common(const TexelRect& a, const TexelRect& b);

/// A picture in the plane z = depth of the VTK world, cut into textures so that a change uploads
/// only what it touches.
class TiledPlane {
  public:
    /// The format of a texel.
    enum class Kind {
        Grey,   ///< one byte, opaque
        Colour, ///< RGBA; A above 3/4: the colour, below 1/4: nothing, between: hatched
    };
    /// Writes the texels of `rect` row by row to `out`, `rowBytes` from row to row.
    using Fill =
        std::function<void(const TexelRect& rect, std::uint8_t* out, std::int64_t rowBytes)>;

    TiledPlane(vtkRenderer& renderer, Kind kind, double depth);
    ~TiledPlane();
    TiledPlane(const TiledPlane&) = delete;
    TiledPlane& operator=(const TiledPlane&) = delete;

    /// Makes new textures, all to be filled by update(). Texel (i, j) is centred on (first + (i,
    /// j)) * step of the world.
    void setShape(std::int64_t width, std::int64_t height, const std::array<double, 2>& first,
                  const std::array<double, 2>& step);
    void clear();
    void invalidate(); ///< marks everything as to be filled
    void invalidate(const TexelRect& rect);
    /// Fills the parts that are marked as to be filled.
    void update(const Fill& fill);

    void setVisible(bool on);
    void setOpacity(double opacity);
    void setInterpolated(bool on);
    void setPixelRatio(double ratio); ///< width of the hatch

  private:
    struct Tile;
    void place(Tile& tile) const;

    vtkRenderer& m_renderer;
    Kind m_kind;
    double m_depth;
    std::array<double, 2> m_first{0, 0};
    std::array<double, 2> m_step{1, 1};
    bool m_visible = true;
    double m_opacity = 1;
    bool m_interpolated = false;
    double m_pixelRatio = 1;
    std::vector<std::unique_ptr<Tile>> m_tiles;
};

} // namespace flcc::viz::detail
