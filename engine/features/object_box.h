#pragma once

#include <array>
#include <cstdint>
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

enum class BoxVerdict { Good, Fair, Poor };

/// What is wrong with a box as a template, the worst first.
enum class BoxFault {
    None,
    Small,     ///< fewer than two voxels count
    NotFinite, ///< it holds NaN or an infinite value
    Flat,      ///< all voxels have one value
    Slides,    ///< the main peak reaches half a box along an axis, as on a line or an edge
    Repeats,   ///< a place beside the box looks like it
    Broad,     ///< the main peak is wide, so that positions are uncertain
    Weak,      ///< the structure of the box is not above the noise
};

/// How well a match can find a box again, from its LCC with its surroundings, one box to each side.
/// Large boxes are compared at up to 31 points an axis, 9 in volumes.
struct BoxQuality {
    BoxVerdict verdict = BoxVerdict::Poor;
    BoxFault fault = BoxFault::None; ///< the reason of a verdict below Good
    /// The scores around the box in the middle, NaN where the box would leave the image; empty if
    /// the box has no score (Small, NotFinite, Flat).
    base::Image<float> scores;
    std::array<std::int64_t, 3> step{1, 1, 1};  ///< voxels between two scores
    std::array<std::int64_t, 3> width{0, 0, 0}; ///< voxels of the main peak at 0.5 along each axis
    std::size_t slides = 0;                     ///< Slides, Broad: the axis
    double second = 0;                          ///< best score beside the main peak
    double distance = 0;                        ///< of that place, in voxels
    /// Standard deviation of the structure over that of the noise; infinite without noise, negative
    /// where the noise is not known (less than 3 voxels along x or y).
    double contrast = 0;
};

// Beyond these values a box is Fair or Poor.
inline constexpr double kFairSecond = 0.7;
inline constexpr double kPoorSecond = 0.9;
inline constexpr double kFairWidth = 0.6;    ///< of a side
inline constexpr double kFairContrast = 1.0; ///< a copy with noise of its own scores about 0.5

/// The LCC that a copy with the same structure and noise of its own is expected to have.
[[nodiscard]] double expectedScore(double contrast);

/// `mask`: voxels of the box where it is 0 do not count; empty: all count. In a box that is
/// compared in blocks of voxels, a block counts if at least half of it does.
/// **Shapes**: `box` lies inside the image, `mask` has its extents. **Cost**: some milliseconds for
/// boxes of any size, unless a large box is flat, which is only known when all of it was read. If
/// cancelled, the result means nothing.
[[nodiscard]] BoxQuality boxQuality(const base::AnyView& image, const base::Box& box,
                                    const std::stop_token& stop = {},
                                    const base::View<const std::uint8_t>& mask = {});

} // namespace flcc::features
