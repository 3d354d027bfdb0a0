// Reads the bytes as an EXIF block.

#include <span>

#include "engine/io/raster/exif.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const unsigned char> block(data, size);
    const auto exif = flcc::io::detail::parseExif(block);
    // Header, number of entries and one entry with a value of a byte; they may overlap.
    flcc::fuzz::require(!exif || !exif->orientation || size >= 11);
    return 0;
}
