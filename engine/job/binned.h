#pragma once

#include <memory>
#include <stop_token>

#include "engine/job/job.h"

namespace flcc::job {

/// Extents after binning by 2: each axis that is longer than one voxel has half of its voxels; an
/// odd voxel at the end is left out.
[[nodiscard]] base::Extents binnedExtents(const base::Extents& extents);

/// An image whose voxels are the means of 2 x 2 (x 2) voxels, in the type of the image; integers
/// are rounded to the nearest. The spacing is doubled, and a voxel lies in the middle of those that
/// it stands for. Null if cancelled.
[[nodiscard]] std::shared_ptr<const SceneImage> binned(const SceneImage& image,
                                                       const std::stop_token& stop = {});

/// The support of a binned image: a voxel counts if at least half of those that it stands for do.
[[nodiscard]] std::shared_ptr<const MaskImage> binned(const MaskImage& mask);

} // namespace flcc::job
