#pragma once

#include <cstdint>
#include <optional>

#include "engine/io/image_file.h"

// What the headers of pictures say on how the rows are turned and how far apart pixels are.

namespace flcc::io::detail {

/// Where the stored pixels lie in the picture as it is shown: pixel (x, y) of the file is number
/// `origin + x * stepX + y * stepY` of a plane.
struct Turn {
    std::int64_t origin = 0;
    std::int64_t stepX = 1;
    std::int64_t stepY = 0;
    bool transposes = false; ///< width and height change places
};

/// The turn of orientation 1 to 8 (EXIF and TIFF number them alike) for a stored picture.
[[nodiscard]] Turn turnOf(int orientation, std::int64_t width, std::int64_t height);

/// The distance of pixels in millimetres along x and y of the stored picture.
struct Resolution {
    double x = 0;
    double y = 0;
};

/// From pixels on a length of `millimetres`. Empty unless both distances are usable.
[[nodiscard]] std::optional<Resolution> resolutionOf(double x, double y, double millimetres);

/// Sets extents, spacing, resolution and notes of `info`, which describes the picture as it is
/// stored, and returns the turn of its pixels. `orientation` is what the file says; `word` names
/// where ("EXIF").
[[nodiscard]] Turn place(ImageInfo& info, const std::optional<std::uint32_t>& orientation,
                         const char* word, const std::optional<Resolution>& resolution,
                         const Reading& reading);

} // namespace flcc::io::detail
