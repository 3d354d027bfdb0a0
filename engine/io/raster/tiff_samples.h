#pragma once

#include <cstdint>
#include <vector>

#include "engine/io/raster/tiff_pages.h"

// From decoded rows of a TIFF page to voxels.

namespace flcc::io::detail {

/// A row of a strip, or a tile, decoded.
struct TiffBlock {
    const unsigned char* data = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t width = 0;  ///< inside the page
    std::int64_t height = 0; ///< inside the page
    std::int64_t step = 1;   ///< samples from one pixel to the next
};

/// Copies sample `sample` of the block to its place in `plane`, slice `z`.
void copySample(const TiffPage& page, const TiffBlock& block, std::int64_t sample, std::int64_t z,
                const Turn& turn, const std::uint16_t* colours, base::AnyImage& plane);

/// MINISWHITE stores darkness; convert it to brightness, as every viewer does.
void invert(const TiffPage& page, std::int64_t z, base::AnyImage& plane);

/// Sets pixels of slice `z` with this value to NaN, if values are not whole numbers.
void leaveOut(double value, std::int64_t z, base::AnyImage& plane);

/// Divides the values of slice `z` by their opacity, which the last plane holds: the program that
/// wrote the file multiplied them by it.
void divideByOpacity(std::int64_t z, std::vector<base::AnyImage>& planes);

} // namespace flcc::io::detail
