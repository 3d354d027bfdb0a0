#pragma once

#include "engine/cuda/block_launch.h"
#include "engine/method/shared/box_score.h"

namespace flcc::cuda {

/// One run of the direct method on a part of a map. **Shapes**: weights as the template.
struct DirectLaunch : PartLaunch {
    /// That, in float, or in double where `exact` is; with `constants.integers` the template as it
    /// is, in float.
    const void* weights = nullptr;
    method::shared::BoxConstants constants;
};

} // namespace flcc::cuda
