#pragma once

#include <cstdint>

#include "engine/cuda/kernels/block_launch.h"
#include "engine/method/shared/box_score.h"

namespace flcc::cuda {

/// The arguments of the direct method for one part of a map. Every panel is a full box inside the
/// scene, without masks. **Shapes**: weights as the template, x fastest.
struct DirectLaunch : PartLaunch {
    bool inDouble = false; ///< weights and products are in double, else in float
    /// That (engine/method/NUMERICS.md, section 1), in float or double. With `constants.integers`:
    /// the stored bytes of the template, as floats.
    const void* weights = nullptr;
    method::shared::BoxConstants constants;
    /// The window sums of each placement and the frame of each block, which the templates of a bank
    /// share. The launch of the first template writes them, later launches (`known`) read them.
    /// Null for a single template.
    PanelSum* sums = nullptr;
    method::shared::TileFrame* frames = nullptr;
    bool known = false;
};

} // namespace flcc::cuda
