// Reads the bytes as an EXIF block.

#include <span>

#include "engine/io/raster/exif.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const unsigned char> block(data, size);
    const auto exif = flcc::io::detail::parseExif(block);
    if (exif && exif->orientation) { // what was read does not depend on what lies behind
        flcc::fuzz::require(size >= 22);
    }
    return 0;
}
