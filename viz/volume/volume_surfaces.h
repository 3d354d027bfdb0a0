#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "viz/surface/support_surface.h"
#include "viz/surface/template_surface.h"
#include "viz/volume/volume_model.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// Surfaces of templates at their peaks, and of the template's support.
class VolumeSurfaces {
  public:
    VolumeSurfaces(vtkRenderer& renderer, VolumeModel& model);

    void updatePeaks();
    void updateSupport(const ViewColours& look);
    void clearShapes() { m_shapeSurfaces.clear(); } ///< the templates are others

  private:
    void makeShapeSurfaces(std::int64_t peakCount);
    [[nodiscard]] std::array<double, 9> frameOf(const PeakMark& peak) const;

    vtkRenderer& m_renderer;
    VolumeModel& m_model;
    SupportSurface m_boxSurface;
    SupportSurface m_peakSurface;
    std::vector<vtkSmartPointer<vtkPolyData>> m_shapeSurfaces; ///< as the shapes, made when shown
    std::int64_t m_shapeTriangles = 0; ///< they are made again for less, or for much more of them
    std::vector<std::unique_ptr<PeakSurfaces>> m_peakSurfaces; ///< one a shape
};

} // namespace flcc::viz::detail
