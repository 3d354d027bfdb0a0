#pragma once

#include <cstdint>
#include <string>

#include "engine/base/image.h"
#include "engine/base/pixels.h"

namespace flcc::job::detail {

/// How far a weight may lie beyond 0 or 1 by rounding: 32 units in the last place of a float at 1,
/// as sums of a resampling or a transform leave them.
inline constexpr double kMaskRounding = 0x1p-18;

/// How far beyond 0 or 1 values still are those of a soft mask that rings, as a mask cut in Fourier
/// space does (a sharp edge rings by 0.09, a corner of three by 0.3).
inline constexpr double kMaskRinging = 0.5;

/// So many values beside 0 are a picture of weights, fewer are labels.
inline constexpr std::size_t kMostLabels = 8;

/// The values of a mask as they count.
struct MaskValues {
    base::Image<std::uint8_t> support; ///< 1 inside, 0 outside
    /// Above 0 where `support` is 1; empty for yes or no.
    base::Image<double> weights;
    std::string counts;  ///< "yes or no", or "by weights of 0.02 to 1"
    std::string note;    ///< how integers of several values were taken; else empty
    std::string warning; ///< that values beyond 0 to 1 were clipped; else empty
};

/// Reads a mask:
///
/// - one value beside 0, whichever: yes or no;
/// - floats from 0 to 1: weights, doubles as doubles. What lies beyond by kMaskRounding is clipped;
///   if all lie so near to 0 or 1, the mask is yes or no. Weights below the smallest normal float
///   count as 0;
/// - floats beyond that by less than kMaskRinging: clipped, with a warning;
/// - whole numbers from 0 to exactly 255 or 65535 with more than kMostLabels values beside 0:
///   weights, divided by 255 or 65535, with a note; other whole numbers: yes or no, with a note.
///
/// **Errors**: Problem, naming `source`, for all other floats, for NaN and infinities, and for a
/// mask without a voxel inside.
[[nodiscard]] MaskValues maskValues(const base::AnyView& pixels, const std::string& source);

} // namespace flcc::job::detail
