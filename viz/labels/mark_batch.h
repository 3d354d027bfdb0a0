#pragma once

#include <cstdint>

#include <vtkActor2D.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkUnsignedCharArray.h>

#include "engine/match/colour_map.h"

namespace flcc::viz::detail {

/// Filled rectangles in device pixels (origin top left, y down) for frames, crosshairs and bars.
/// One call draws all of them, in the order in which they were added.
class MarkBatch {
  public:
    MarkBatch();

    [[nodiscard]] vtkActor2D& actor() { return *m_actor; }

    void clear(int viewHeight);
    /// Pixels left .. right - 1, top .. bottom - 1; fractions are rounded to whole pixels.
    void rectangle(double left, double top, double right, double bottom,
                   const match::Colour& colour, std::uint8_t alpha = 255);
    /// The outline of a rectangle, `thickness` pixels wide around its edge.
    void frame(double left, double top, double right, double bottom, double thickness,
               const match::Colour& colour, std::uint8_t alpha = 255);
    /// A straight line of any direction.
    void line(double x0, double y0, double x1, double y1, double thickness,
              const match::Colour& colour, std::uint8_t alpha = 255);
    void finish(); ///< passes the added rectangles to VTK

  private:
    void quad(const double (&corners)[4][2], const match::Colour& colour, std::uint8_t alpha);

    int m_viewHeight = 1;
    vtkNew<vtkPoints> m_points;
    vtkNew<vtkCellArray> m_cells;
    vtkNew<vtkUnsignedCharArray> m_colours;
    vtkNew<vtkPolyData> m_data;
    vtkNew<vtkPolyDataMapper2D> m_mapper;
    vtkNew<vtkActor2D> m_actor;
};

} // namespace flcc::viz::detail
