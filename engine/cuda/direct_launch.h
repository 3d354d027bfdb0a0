#pragma once

#include <cstdint>

#include "engine/cuda/block_launch.h"
#include "engine/method/shared/box_score.h"

namespace flcc::cuda {

/// One run of the direct method on a part of a map. **Shapes**: weights and support as the
/// template.
struct DirectLaunch : PartLaunch {
    /// That, in float, or in double where `exact` is; with `constants.integers` the template as it
    /// is, in float.
    const void* weights = nullptr;
    const std::uint8_t* support = nullptr; ///< 1 on it; null where all of the template counts
    method::shared::BoxConstants constants;
};

} // namespace flcc::cuda
