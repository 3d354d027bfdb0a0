#pragma once

#include <QImage>

#include "engine/base/pixels.h"
#include "engine/method/match_map.h"

namespace flcc::ui {

/// Side of the pictures in lists, in pixels.
inline constexpr int kThumbnailSide = 88;

/// The middle slice, `size` pixels along its longer side, grey from dark to bright. A pixel is the
/// average of its voxels, or of 64 of them at irregular places. **Cost**: reads at most
/// 64*size*size voxels and those of viz::autoWindow.
[[nodiscard]] QImage thumbnailOf(const base::AnyView& view, int size);

/// The middle slice of a map in the heatmap's colours, voxels without a value grey. A pixel is the
/// best of the voxels that are read, as above.
[[nodiscard]] QImage thumbnailOf(const method::MatchMap& map, int size);

} // namespace flcc::ui
