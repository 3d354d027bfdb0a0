#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/engine/io/fixtures.h"

// Pictures of 5x3 pixels in the formats that flcc-reader reads.

namespace flcc::test {

/// The stored number of a pixel.
[[nodiscard]] int pictureValue(int x, int y, int component = 0);

[[nodiscard]] Bytes withHead(const std::string& head, const Bytes& data);

/// A BMP file, each pixel `bits` long. `pixels` are rows of whole multiples of four bytes, in the
/// order of the file; `packing` is the number in its header.
[[nodiscard]] Bytes makeBmp(int bits, bool topDown, std::uint32_t packing, const Bytes& table,
                            const Bytes& pixels);
/// A table of grey colours, or of others.
[[nodiscard]] Bytes bmpTable(int colours, bool grey);
/// Rows of indices; that of a pixel is x + 5 y.
[[nodiscard]] Bytes bmpIndices(int bits, bool topDown);

/// A GIF file with a table of 256 colours, blue reversed unless `grey`. `transparent` is an index,
/// or -1. With `left`, the picture lies so far from the left edge of its canvas.
[[nodiscard]] Bytes makeGif(int pictures, bool grey, int transparent, bool interlaced,
                            int left = 0);

/// A WebP file, packed without loss, with opacity if `components` is 4.
[[nodiscard]] Bytes makeWebP(int components);

/// A JPEG 2000 file, packed without loss. Signed values are 60 less pictureValue().
void writeJpeg2000(const std::filesystem::path& path, int components, int bits, bool sign,
                   bool boxes);

} // namespace flcc::test
