#pragma once

#include <cstdint>

#include "engine/cuda/block_launch.h"
#include "engine/method/shared/box_score.h"

namespace flcc::cuda {

/// One run of the direct method on a part of a map: every panel is a box inside the scene, all of
/// which counts. **Shapes**: weights as the template.
struct DirectLaunch : PartLaunch {
    bool inDouble = false; ///< products in double
    /// That, in float or double; with `constants.integers` the template as it is, in float.
    const void* weights = nullptr;
    method::shared::BoxConstants constants;
    /// What the templates of a bank share: the window sums of each placement and the frame of each
    /// block, which are known or left here; null for one template alone.
    PanelSum* sums = nullptr;
    method::shared::TileFrame* frames = nullptr;
    bool known = false;
};

} // namespace flcc::cuda
