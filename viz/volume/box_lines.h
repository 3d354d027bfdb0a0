#pragma once

#include <array>
#include <optional>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkUnsignedCharArray.h>

#include "engine/base/extents.h"
#include "engine/match/colour_map.h"

namespace flcc::viz::detail {

/// The part of the line from `from` (0) to `to` (1) that lies inside a box; empty: it misses.
[[nodiscard]] std::optional<std::array<double, 2>> insideBox(const base::Point& from,
                                                             const base::Point& to,
                                                             const base::Point& low,
                                                             const base::Point& high);

/// Lines in space, each with its colour: boxes, outlines, a cross-hair.
class BoxLines {
  public:
    BoxLines();
    [[nodiscard]] vtkActor& actor() { return *m_actor; }

    void clear();
    void line(const base::Point& from, const base::Point& to, const match::Colour& colour);
    void box(const base::Point& low, const base::Point& high, const match::Colour& colour);
    /// A box that may be turned, by its corners in the order of TurnedBox::corners().
    void box(const std::array<base::Point, 8>& corners, const match::Colour& colour);
    void finish(double lineWidth);
    void setShown(bool on);

  private:
    vtkNew<vtkPoints> m_points;
    vtkNew<vtkCellArray> m_cells;
    vtkNew<vtkUnsignedCharArray> m_colours;
    vtkNew<vtkPolyData> m_data;
    vtkNew<vtkPolyDataMapper> m_mapper;
    vtkNew<vtkActor> m_actor;
};

} // namespace flcc::viz::detail
