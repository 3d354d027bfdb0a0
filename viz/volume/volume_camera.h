#pragma once

#include <array>
#include <optional>

#include "viz/volume/volume_model.h"

class vtkCamera;

namespace flcc::viz::detail {

/// The camera of a 3D view: turns, moves and magnifies the volume, and knows what lies under a
/// pixel.
class VolumeCamera {
  public:
    VolumeCamera(vtkCamera& camera, VolumeModel& model) : m_camera(camera), m_model(model) {}

    void setSize(int width, int height);
    [[nodiscard]] bool keepsFit() const { return m_keepsFit; } ///< the user has not moved the view

    // As in VolumeScene.
    void rotate(double dx, double dy);
    void turn(double right, double above);
    void fit();
    void resetView();
    void lookFrom(Side side);
    void setParallel(bool on);
    [[nodiscard]] bool parallel() const;
    void zoomAt(DisplayPoint anchor, double factor);
    void pan(double dx, double dy);

    [[nodiscard]] std::optional<base::Point> voxelAt(DisplayPoint display) const;
    [[nodiscard]] DisplayPoint displayOf(const base::Point& voxel) const;
    using Ray = std::array<base::Point, 2>;
    /// From the near to the far end of what is seen under a pixel, in the world.
    [[nodiscard]] Ray rayAt(DisplayPoint display) const;
    /// Where the ray that hits a point of the world comes from.
    [[nodiscard]] base::Point eyeOf(const base::Point& at) const;
    /// True when a slice plane lies between the eye and the point.
    [[nodiscard]] bool hiddenBySlice(const base::Point& voxel) const;
    [[nodiscard]] bool behindEye(const base::Point& voxel) const;

  private:
    vtkCamera& m_camera;
    VolumeModel& m_model;
    int m_width = 1;
    int m_height = 1;
    bool m_keepsFit = true; ///< refit at every resize until the user moves the view
    std::array<double, 3> m_vertical{0, -1, 0}; ///< upwards, about which the view turns
};

} // namespace flcc::viz::detail
