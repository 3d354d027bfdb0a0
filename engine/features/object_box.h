#pragma once

#include <optional>
#include <stop_token>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"

namespace flcc::features {

/// The box around the object at a voxel: in a volume around the object in space. Windows of growing
/// size around the voxel are compared. In each, the background is the median of the window's edge,
/// and the object is what hangs together around the voxel and is well above (or below) the
/// background. An object that reaches the edge of the window is not whole, except at the
/// edge of the image. Of the whole objects, the one that differs most from its background counts,
/// measured by the spread of the background; the box has a margin of a tenth of the object on each
/// side, at least two voxels.
/// Returns nothing where no object stands out from its background by four times the spread, and if
/// cancelled. NaN and infinite values count as background.
/// **Shapes**: `voxel` lies inside the image. **Cost**: at most 2^17 voxels are read of a window of
/// an image and 2^20 of a volume, and there are about two windows for each doubling of the size.
[[nodiscard]] std::optional<base::Box> boxAroundObject(const base::AnyView& image,
                                                       const base::Index& voxel,
                                                       const std::stop_token& stop = {});

/// `box` with every side longer, or with a negative `step` shorter, by 2 |step| voxels around the
/// same centre. A side of one voxel stays, so that a flat box stays flat; no other side gets
/// shorter than two voxels. The result lies inside `image`.
[[nodiscard]] base::Box resized(const base::Box& box, std::int64_t step,
                                const base::Extents& image);

/// `box` with odd sides, or with even ones if all are odd already: sides grow by one voxel at their
/// end, or get shorter where the image ends. A side of one voxel stays.
[[nodiscard]] base::Box withOtherParity(const base::Box& box, const base::Extents& image);

} // namespace flcc::features
