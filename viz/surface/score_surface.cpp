#include "viz/surface/score_surface.h"

#include <vtkImageData.h>
#include <vtkProperty.h>

namespace flcc::viz::detail {

ScoreSurface::ScoreSurface() {
    m_filter->ComputeScalarsOff();
    m_filter->ComputeNormalsOn();
    m_clip->SetInputConnection(m_filter->GetOutputPort());
    m_clip->SetClipFunction(m_box);
    m_mapper->SetInputConnection(m_filter->GetOutputPort());
    m_mapper->ScalarVisibilityOff();
    m_actor->SetMapper(m_mapper);
    m_actor->PickableOff();
    m_actor->VisibilityOff();
    m_actor->GetProperty()->SetSpecular(0.2);
}

void ScoreSurface::show(vtkImageData& volume, double level, const match::Colour& colour) {
    m_filter->SetInputData(&volume);
    m_filter->SetValue(0, level);
    m_actor->GetProperty()->SetColor(colour[0] / 255.0, colour[1] / 255.0, colour[2] / 255.0);
    m_actor->VisibilityOn();
}

void ScoreSurface::cut(const std::optional<Cut>& cut) {
    if (!cut) {
        m_mapper->SetInputConnection(m_filter->GetOutputPort());
        return;
    }
    m_box->SetXMin(cut->low[0], cut->low[1], cut->low[2]);
    m_box->SetXMax(cut->high[0], cut->high[1], cut->high[2]);
    m_clip->SetInsideOut(cut->inside ? 1 : 0); // a box is negative inside
    m_mapper->SetInputConnection(m_clip->GetOutputPort());
}

void ScoreSurface::hide() { m_actor->VisibilityOff(); }

} // namespace flcc::viz::detail
