#pragma once

#include <array>
#include <cstdint>

#include "viz/volume/slice_quad.h"
#include "viz/volume/volume_model.h"

namespace flcc::viz::detail {

/// The slices of a 3D view through its crosshair.
class VolumeSlices {
  public:
    VolumeSlices(vtkRenderer& renderer, VolumeModel& model)
        : m_model(model), m_quads{SliceQuad(renderer, Orientation::XY),
                                  SliceQuad(renderer, Orientation::XZ),
                                  SliceQuad(renderer, Orientation::YZ)} {}

    void update();

  private:
    VolumeModel& m_model;
    std::array<std::int64_t, 3> m_drawn{-1, -1, -1}; ///< by axis; another one is drawn anew
    std::array<SliceQuad, 3> m_quads;
};

} // namespace flcc::viz::detail
