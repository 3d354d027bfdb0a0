#pragma once

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/match/colour_map.h"

namespace flcc::viz::detail {

/// The faces between used and ignored voxels of a template, as one translucent surface in space.
/// For a large template, a face spans several voxels.
class SupportSurface {
  public:
    SupportSurface();
    [[nodiscard]] vtkActor& actor() { return *m_actor; }

    /// **Cost**: bounded, whatever the support's size.
    void setSupport(const base::Image<std::uint8_t>& support);
    /// Shows the surface with its first voxel on `corner`; `aspect` is the size of a voxel in the
    /// world.
    void show(const base::Index& corner, const base::Point& aspect, const match::Colour& colour);
    void hide() { m_actor->SetVisibility(0); }

  private:
    vtkNew<vtkPoints> m_points;
    vtkNew<vtkCellArray> m_cells;
    vtkNew<vtkPolyData> m_data;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
