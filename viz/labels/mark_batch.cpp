#include "viz/labels/mark_batch.h"

#include <algorithm>
#include <cmath>

#include <vtkPointData.h>

namespace flcc::viz::detail {

MarkBatch::MarkBatch() {
    m_colours->SetNumberOfComponents(4);
    m_data->SetPoints(m_points);
    m_data->SetPolys(m_cells);
    m_data->GetPointData()->SetScalars(m_colours);
    m_mapper->SetInputData(m_data);
    m_actor->SetMapper(m_mapper);
    m_actor->PickableOff();
}

void MarkBatch::clear(int viewHeight) {
    m_viewHeight = viewHeight;
    m_points->Reset();
    m_cells->Reset();
    m_colours->Reset();
}

void MarkBatch::quad(const double (&corners)[4][2], const match::Colour& colour,
                     std::uint8_t alpha) {
    vtkIdType ids[4];
    for (int i = 0; i < 4; ++i) {
        ids[i] = m_points->InsertNextPoint(corners[i][0], m_viewHeight - corners[i][1], 0);
        const std::uint8_t rgba[4] = {colour[0], colour[1], colour[2], alpha};
        m_colours->InsertNextTypedTuple(rgba);
    }
    m_cells->InsertNextCell(4, ids);
}

void MarkBatch::rectangle(double left, double top, double right, double bottom,
                          const match::Colour& colour, std::uint8_t alpha) {
    const double l = std::round(left);
    const double t = std::round(top);
    const double r = std::round(right);
    const double b = std::round(bottom);
    quad({{l, t}, {l, b}, {r, b}, {r, t}}, colour, alpha);
}

void MarkBatch::frame(double left, double top, double right, double bottom, double thickness,
                      const match::Colour& colour, std::uint8_t alpha) {
    const double t = std::max(1.0, std::round(thickness));
    const double outside = std::floor(t / 2);
    const double l = std::round(left) - outside;
    const double o = std::round(top) - outside;
    const double r = std::round(right) + outside;
    const double b = std::round(bottom) + outside;
    rectangle(l, o, r, o + t, colour, alpha);
    rectangle(l, b - t, r, b, colour, alpha);
    rectangle(l, o + t, l + t, b - t, colour, alpha);
    rectangle(r - t, o + t, r, b - t, colour, alpha);
}

void MarkBatch::line(double x0, double y0, double x1, double y1, double thickness,
                     const match::Colour& colour, std::uint8_t alpha) {
    const double length = std::hypot(x1 - x0, y1 - y0);
    if (length == 0) {
        return;
    }
    const double nx = -(y1 - y0) / length * thickness / 2;
    const double ny = (x1 - x0) / length * thickness / 2;
    quad({{x0 + nx, y0 + ny}, {x1 + nx, y1 + ny}, {x1 - nx, y1 - ny}, {x0 - nx, y0 - ny}}, colour,
         alpha);
}

void MarkBatch::finish() {
    m_points->Modified();
    m_cells->Modified();
    m_colours->Modified();
    m_data->Modified();
}

} // namespace flcc::viz::detail
