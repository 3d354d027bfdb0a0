// Reads the bytes as the description of a TIFF file of four pages: header, then all pixels.

#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using flcc::fuzz::require;
    flcc::test::TiffRecipe recipe;
    recipe.width = 5;
    recipe.height = 3;
    recipe.pages.assign(4, flcc::test::Bytes(15, 7));
    recipe.description.assign(data, data + size);
    const flcc::test::Bytes file = flcc::test::makeTiff(recipe);
    const std::filesystem::path& path = flcc::fuzz::inputFile(file.data(), file.size());
    try {
        flcc::io::ReadOptions options;
        options.maxBytes = options.maxBufferBytes = std::int64_t{8} << 20;
        const flcc::io::ImageInfo info = flcc::io::readImageInfo(path);
        require(info.channels > 0 && info.frames > 0 && info.images > 0);
        require(static_cast<std::int64_t>(info.channels) * info.frames <= 10'000'000);
        options.channel = info.channels > 1 ? std::optional(info.channels - 1) : std::nullopt;
        options.frame = info.frames > 1 ? std::optional(info.frames - 1) : std::nullopt;
        const flcc::io::LoadedImage image = flcc::io::readImage(path, options);
        require(image.info.extents == info.extents);
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    return 0;
}
