// Reads the bytes as an image file of one extension: header, then all pixels.

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::filesystem::path path = flcc::fuzz::inputFile(data, size);
    try {
        flcc::io::ReadOptions options;
        options.maxBytes = std::int64_t{64} << 20;
        const flcc::io::ImageInfo info = flcc::io::readImageInfo(path);
        options.channel = info.channels > 1 ? std::optional(0) : std::nullopt;
        options.frame = info.frames > 1 ? std::optional(0) : std::nullopt;
        (void)flcc::io::readImage(path, options);
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    return 0;
}
