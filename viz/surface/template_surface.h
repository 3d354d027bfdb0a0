#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <vtkActor.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkSmartPointer.h>

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

/// The surfaces of one template at its peaks, as one mesh.
class PeakSurfaces {
  public:
    explicit PeakSurfaces(vtkRenderer& renderer);
    ~PeakSurfaces();
    PeakSurfaces(const PeakSurfaces&) = delete;
    PeakSurfaces& operator=(const PeakSurfaces&) = delete;

    void clear() { m_placed.clear(); }
    /// `frame`: row-major, takes points of the surface about its centre to where they lie about
    /// `at`; may mirror.
    void add(const base::Point& at, const std::array<double, 9>& frame,
             const match::Colour& colour);
    /// Shows what was added. **Cost**: that of copying so many surfaces.
    void finish(vtkPolyData& surface);
    void hide() { m_actor->VisibilityOff(); }

  private:
    struct Placed {
        base::Point at;
        std::array<double, 9> frame;
        match::Colour colour;
    };

    vtkRenderer& m_renderer;
    std::vector<Placed> m_placed;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
