#pragma once

#include <vtkActor.h>
#include <vtkFlyingEdges3D.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>

#include "engine/match/colour_map.h"

class vtkImageData;

namespace flcc::viz::detail {

/// The surface on which the first byte of a volume reaches a level. **Cost**: one pass over the
/// volume when it or the level has changed.
class ScoreSurface {
  public:
    ScoreSurface();

    [[nodiscard]] vtkActor& actor() { return *m_actor; }
    void show(vtkImageData& volume, double level, const match::Colour& colour);
    void hide();

  private:
    vtkNew<vtkFlyingEdges3D> m_filter;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
