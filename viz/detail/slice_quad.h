#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <vtkActor.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkTexture.h>

#include "viz/detail/map_pixels.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// One slice of a volume as a picture in space, the heatmap blended into it.
class SliceQuad {
  public:
    explicit SliceQuad(Orientation orientation);

    [[nodiscard]] vtkActor& actor() { return *m_actor; }
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
    void blendMap(const Content& content, std::int64_t slice);

    PlaneAxes m_axes;
    std::int64_t m_width = 0;
    std::int64_t m_height = 0;
    std::vector<std::uint8_t> m_grey;
    std::vector<std::uint8_t> m_map;
    vtkNew<vtkImageData> m_picture;
    vtkNew<vtkTexture> m_texture;
    vtkNew<vtkPoints> m_points;
    vtkNew<vtkPolyData> m_corners;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
