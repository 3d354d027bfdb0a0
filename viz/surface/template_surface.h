#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <vtkActor.h>
#include <vtkFloatArray.h>
#include <vtkGlyph3DMapper.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkUnsignedCharArray.h>

#include "engine/base/extents.h"
#include "engine/match/colour_map.h"
#include "viz/scene.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// The surface between the object of a template and its surroundings, in the world, around the
/// template's centre; closed. Empty where all voxels are alike. The level is Otsu's between the two
/// classes of voxels; the surroundings are the class of most voxels at the edge, so that dark
/// objects have a surface as well. `longestSide`: cells along the longest side at most; voxels of a
/// cell are averaged. **Cost**: at most about 2^21 voxels are read.
[[nodiscard]] vtkSmartPointer<vtkPolyData>
templateSurface(const TemplateShape& shape, const base::Point& aspect, std::int64_t longestSide);

/// The surfaces of one template at its peaks.
class PeakSurfaces {
  public:
    explicit PeakSurfaces(vtkRenderer& renderer);
    ~PeakSurfaces();
    PeakSurfaces(const PeakSurfaces&) = delete;
    PeakSurfaces& operator=(const PeakSurfaces&) = delete;

    void clear();
    /// `size`: factor of the surface's size.
    void add(const base::Point& at, double size, const match::Colour& colour);
    /// Shows what was added. `surface` may be shared.
    void finish(vtkPolyData& surface);
    void hide() { m_actor->VisibilityOff(); }

  private:
    vtkRenderer& m_renderer;
    vtkNew<vtkPoints> m_points;
    vtkNew<vtkFloatArray> m_sizes;
    vtkNew<vtkUnsignedCharArray> m_colours;
    vtkNew<vtkPolyData> m_data;
    vtkNew<vtkGlyph3DMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
