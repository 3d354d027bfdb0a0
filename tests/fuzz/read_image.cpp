// Reads the bytes as an image file of one extension: header, then all pixels.

#include <optional>
#include <variant>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using flcc::fuzz::require;
    const std::filesystem::path& path = flcc::fuzz::inputFile(data, size);
    try {
        flcc::io::ReadOptions options;
        // More than the 4 MiB of buffers that a limit always grants, and little enough to be quick.
        options.maxBytes = options.maxBufferBytes = std::int64_t{8} << 20;
        const flcc::io::ImageInfo info = flcc::io::readImageInfo(path);
        options.channel = info.channels > 1 ? std::optional(info.channels - 1) : std::nullopt;
        options.frame = info.frames > 1 ? std::optional(info.frames - 1) : std::nullopt;
        const flcc::io::LoadedImage image = flcc::io::readImage(path, options);
        require(image.info.extents == info.extents && image.info.pixel == info.pixel);
        require(static_cast<int>(image.components.size()) == info.components);
        for (const auto& component : image.components) {
            require(std::visit([](const auto& plane) { return plane.extents(); }, component) ==
                    info.extents);
        }
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    return 0;
}
