#pragma once

#include <QImage>

#include "engine/base/pixels.h"
#include "engine/job/job.h"

namespace flcc::ui {

/// Side of the pictures in lists, in pixels.
inline constexpr int kThumbnailSide = 88;

/// The middle slice, `size` pixels along its longer side, grey from dark to bright. A pixel is the
/// average of its voxels, or of 64 of them at irregular places. **Cost**: reads at most
/// 64*size*size voxels and those of viz::autoWindow.
[[nodiscard]] QImage thumbnailOf(const base::AnyView& view, int size);

/// The middle slice of the map of a result in the heatmap's colours, voxels without a value grey; a
/// null image without a map. A pixel is the best of the voxels that are read, as above.
/// **Threads**: any; reading a large map takes tens of milliseconds, too many for the GUI thread.
[[nodiscard]] QImage thumbnailOf(const job::JobResult& result, int size);

} // namespace flcc::ui
