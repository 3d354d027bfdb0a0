#pragma once

#include <optional>

#include <vtkActor.h>
#include <vtkBox.h>
#include <vtkClipPolyData.h>
#include <vtkFlyingEdges3D.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>

#include "engine/base/extents.h"
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
    /// Cuts the surface to what lies inside of (or outside of) a box from `low` to `high`; empty:
    /// the whole surface.
    struct Cut {
        base::Point low{};
        base::Point high{};
        bool inside = true;
    };
    void cut(const std::optional<Cut>& cut);
    void hide();

  private:
    vtkNew<vtkFlyingEdges3D> m_filter;
    vtkNew<vtkBox> m_box;
    vtkNew<vtkClipPolyData> m_clip;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
