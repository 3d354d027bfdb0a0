#pragma once

#include <array>
#include <memory>

#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

namespace flcc::ui {

/// The scenes of the four views: XY, XZ, YZ and 3D.
struct ViewScenes {
    std::array<std::shared_ptr<viz::SliceScene>, 3> slices;
    std::shared_ptr<viz::VolumeScene> volume;
};

} // namespace flcc::ui
