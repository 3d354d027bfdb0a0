#pragma once

#include "viz/volume_scene.h"

namespace flcc::viz::detail {

/// How a look is ray-cast beside its colours and opacities.
struct LookStyle {
    bool shaded = false;
    bool maximum = false; ///< of the voxels along a ray, instead of all of them
};
[[nodiscard]] LookStyle styleOf(VolumeLook look);

} // namespace flcc::viz::detail
