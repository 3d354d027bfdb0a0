#pragma once

#include <cstdint>

#include "engine/cuda/block_launch.h"
#include "engine/method/shared/box_score.h"

namespace flcc::cuda {

/// One run of the direct method on a part of a map. **Shapes**: weights and support as the
/// template.
struct DirectLaunch : PartLaunch, PanelRule {
    /// That, in float, or in double where `exact` is or panels are partial; with
    /// `constants.integers` the template as it is, in float.
    const void* weights = nullptr;
    /// Panels may leave the scene or its mask; else `support` is null where all of the template
    /// counts, and nothing else of the rule.
    bool partial = false;
    /// Of partial panels count, promise, boundConstant, and in boundPanel what their sums are off
    /// by, times the sum of the magnitudes that are added.
    method::shared::BoxConstants constants;
    /// What templates with one support share, where panels are whole: the window sums of each
    /// placement and the frame of each block, which are known or left here; null for one alone.
    PanelSum* sums = nullptr;
    method::shared::TileFrame* frames = nullptr;
    bool known = false;
};

} // namespace flcc::cuda
