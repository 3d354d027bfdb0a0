#pragma once

#include <array>

#include "viz/scene.h"

class vtkCamera;

namespace flcc::viz::detail {

/// Strips at the edges of a view, in device pixels, that a fitted picture leaves free.
struct Margins {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

/// The camera of a plane: converts between voxel positions in the plane and device pixels.
/// Positions in the VTK world are voxel * aspect, with y downwards.
class PlaneView {
  public:
    /// `aspect`: size of a voxel on each axis of the plane in units of its finer one.
    void setPlane(const std::array<double, 2>& count, const std::array<double, 2>& aspect);
    /// Mirrors the picture: the first axis runs to the left, the second one upwards.
    void setFlips(bool right, bool down) { m_flips = {right, down}; }
    [[nodiscard]] const std::array<bool, 2>& flips() const { return m_flips; }
    void setSize(int width, int height);

    /// Fits the range between two edges on each axis, in voxels, into the view without its
    /// margins. The range lies in the middle of the view, or as near to it as the margins allow.
    void fit(const std::array<std::array<double, 2>, 2>& edges, const Margins& margins);
    /// The zoom that fit() would choose.
    [[nodiscard]] double fittingZoom(const std::array<std::array<double, 2>, 2>& edges,
                                     const Margins& margins) const;
    void setZoom(double zoom); ///< keeps the middle of the view
    void zoomAt(DisplayPoint anchor, double factor);
    void pan(double dx, double dy);
    void centreOn(const std::array<double, 2>& voxel);

    [[nodiscard]] double zoom() const { return m_zoom; }
    [[nodiscard]] const std::array<double, 2>& aspect() const { return m_aspect; }
    [[nodiscard]] const std::array<double, 2>& count() const { return m_count; }
    [[nodiscard]] DisplayPoint toDisplay(const std::array<double, 2>& voxel) const;
    [[nodiscard]] std::array<double, 2> toVoxel(DisplayPoint display) const;

    /// The edges of the visible part on each axis, in voxels, low before high.
    [[nodiscard]] std::array<std::array<double, 2>, 2> visible() const;

    void apply(vtkCamera& camera) const;

  private:
    /// The outer edge of voxel 0, in pixels from the view's edge. It is a whole number, so that
    /// voxels fall on pixels at 100 %.
    [[nodiscard]] double edge(std::size_t axis) const;
    void limit();
    /// Pixels that stay free before and after the unmirrored picture on an axis.
    [[nodiscard]] std::array<double, 2> taken(const Margins& margins, std::size_t axis) const;
    /// A display position of the mirrored picture in the one that is not, and back.
    [[nodiscard]] DisplayPoint mirrored(DisplayPoint display) const;

    std::array<double, 2> m_count{1, 1};
    std::array<double, 2> m_aspect{1, 1};
    std::array<bool, 2> m_flips{false, false};
    std::array<double, 2> m_size{1, 1};
    std::array<double, 2> m_centre{0, 0}; ///< world
    double m_zoom = 1;                    ///< pixels per world unit
};

} // namespace flcc::viz::detail
