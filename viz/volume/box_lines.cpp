#include "viz/volume/box_lines.h"

#include <algorithm>
#include <cmath>

#include <vtkPointData.h>
#include <vtkProperty.h>

#include "viz/pixels/turned_box.h"

namespace flcc::viz::detail {

std::optional<std::array<double, 2>> insideBox(const base::Point& from, const base::Point& to,
                                               const base::Point& low, const base::Point& high) {
    double enter = 0;
    double leave = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double run = to[axis] - from[axis];
        if (std::abs(run) < 1e-12) {
            if (from[axis] < low[axis] || from[axis] > high[axis]) {
                return std::nullopt;
            }
            continue;
        }
        const double a = (low[axis] - from[axis]) / run;
        const double b = (high[axis] - from[axis]) / run;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter < leave ? std::optional(std::array{enter, leave}) : std::nullopt;
}

BoxLines::BoxLines() {
    m_colours->SetNumberOfComponents(3);
    m_data->SetPoints(m_points);
    m_data->SetLines(m_cells);
    m_data->GetPointData()->SetScalars(m_colours);
    m_mapper->SetInputData(m_data);
    m_actor->SetMapper(m_mapper);
    m_actor->PickableOff();
    m_actor->GetProperty()->LightingOff();
}

void BoxLines::clear() {
    m_points->Reset();
    m_cells->Reset();
    m_colours->Reset();
}

void BoxLines::line(const base::Point& from, const base::Point& to, const match::Colour& colour) {
    const vtkIdType ids[2] = {m_points->InsertNextPoint(from.data()),
                              m_points->InsertNextPoint(to.data())};
    m_colours->InsertNextTypedTuple(colour.data());
    m_colours->InsertNextTypedTuple(colour.data());
    m_cells->InsertNextCell(2, ids);
}

void BoxLines::box(const base::Point& low, const base::Point& high, const match::Colour& colour) {
    std::array<base::Point, 8> corners{};
    for (std::size_t corner = 0; corner < 8; ++corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            corners[corner][axis] = ((corner >> axis) & 1U) != 0 ? high[axis] : low[axis];
        }
    }
    box(corners, colour);
}

void BoxLines::box(const std::array<base::Point, 8>& corners, const match::Colour& colour) {
    eachEdge([&](std::size_t from, std::size_t to) { line(corners[from], corners[to], colour); });
}

void BoxLines::finish(double lineWidth) {
    m_points->Modified();
    m_cells->Modified();
    m_colours->Modified();
    m_data->Modified();
    m_actor->GetProperty()->SetLineWidth(static_cast<float>(lineWidth));
    m_actor->SetVisibility(m_points->GetNumberOfPoints() > 0 ? 1 : 0);
}

void BoxLines::setShown(bool on) {
    m_actor->SetVisibility(on && m_points->GetNumberOfPoints() > 0 ? 1 : 0);
}

} // namespace flcc::viz::detail
