#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "viz/pixels/map_pixels.h"
#include "viz/pixels/support.h"
#include "viz/slice_scene.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// One slice of a volume as a picture in space, with masks and heatmap blended into it. It is cut
/// into textures that are small enough for every graphics driver.
class SliceQuad {
  public:
    SliceQuad(vtkRenderer& renderer, Orientation orientation);
    ~SliceQuad();
    SliceQuad(SliceQuad&&) noexcept;
    SliceQuad& operator=(SliceQuad&&) = delete;

    void setVisible(bool on);
    [[nodiscard]] const PlaneAxes& axes() const { return m_axes; }

    /// What is drawn and where. `aspect` is the size of a voxel in the world.
    struct Content {
        const base::AnyView& image;
        const GreyWindow& window;
        const ShownMap* map = nullptr; ///< null: none
        const match::HeatmapScale& scale;
        const ColourTable& colours;
        double opacity = 1; ///< of the map
        const base::Point& aspect;
        const base::Image<std::uint8_t>* sceneSupport = nullptr; ///< of the image's extents
        const base::Image<std::uint8_t>* templSupport = nullptr;
        /// The boxes, of the support's extents, in which the template's support shades ignored
        /// voxels.
        const std::vector<base::Box>& shaded;
        bool clearBlack = false; ///< leave out voxels at or below the low end of the window
    };
    void update(const Content& content, std::int64_t slice);

  private:
    struct Tile;
    void cut();
    void blendMap(const Content& content, std::int64_t slice);
    void tintOutside(const base::Image<std::uint8_t>& support, std::int64_t slice);
    void shade(const base::Image<std::uint8_t>& support, const base::Box& at, std::int64_t slice);
    void place(Tile& tile, const base::Point& aspect, std::int64_t slice) const;

    vtkRenderer& m_renderer;
    PlaneAxes m_axes;
    std::int64_t m_width = 0;
    std::int64_t m_height = 0;
    bool m_visible = false;
    std::vector<std::uint8_t> m_grey;
    std::vector<std::uint8_t> m_map;
    std::vector<std::uint8_t> m_rgba; ///< the whole slice
    std::vector<std::unique_ptr<Tile>> m_tiles;
};

} // namespace flcc::viz::detail
