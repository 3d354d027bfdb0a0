#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "viz/detail/map_pixels.h"
#include "viz/slice_scene.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// One slice of a volume as a picture in space, the heatmap blended into it; cut into textures that
/// every graphics driver takes.
class SliceQuad {
  public:
    SliceQuad(vtkRenderer& renderer, Orientation orientation);
    ~SliceQuad();
    SliceQuad(SliceQuad&&) noexcept;
    SliceQuad& operator=(SliceQuad&&) = delete;

    void setVisible(bool on);
    [[nodiscard]] const PlaneAxes& axes() const { return m_axes; }

    /// What is drawn and where: `aspect` is the size of a voxel in the world.
    struct Content {
        const base::AnyView& image;
        const GreyWindow& window;
        const ShownMap* map = nullptr; ///< null: none
        const io::HeatmapScale& scale;
        const ColourTable& colours;
        double opacity = 1; ///< of the map
        const base::Point& aspect;
    };
    void update(const Content& content, std::int64_t slice);

  private:
    struct Tile;
    void cut();
    void blendMap(const Content& content, std::int64_t slice);
    void place(Tile& tile, const base::Point& aspect, std::int64_t slice) const;

    vtkRenderer& m_renderer;
    PlaneAxes m_axes;
    std::int64_t m_width = 0;
    std::int64_t m_height = 0;
    bool m_visible = false;
    std::vector<std::uint8_t> m_grey;
    std::vector<std::uint8_t> m_map;
    std::vector<std::uint8_t> m_rgb; ///< the whole slice
    std::vector<std::unique_ptr<Tile>> m_tiles;
};

} // namespace flcc::viz::detail
