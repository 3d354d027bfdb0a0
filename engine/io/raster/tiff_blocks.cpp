// Where the tiles or strips of a page lie, and whether its fields agree. libtiff reads the list of
// strips up to the end of the first slice, drops entries that it does not need and replaces counts
// of bytes that it takes for wrong, so that both lists are read here.

#include <algorithm>
#include <string>

#include <tiffio.h>

#include "engine/io/raster/tiff_entries.h"
#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

namespace {

/// The extents of the tiles or strips; `rows` is the height of a strip, 0 that of the page.
TiffBlocks shapeOf(const std::filesystem::path& path, tiff* file, const TiffPage& page,
                   std::uint32_t rows) {
    std::uint32_t width = page.width;
    std::uint32_t height = page.height;
    std::uint32_t depth = 1;
    if (::TIFFIsTiled(file) != 0) {
        ::TIFFGetField(file, TIFFTAG_TILEWIDTH, &width);
        ::TIFFGetField(file, TIFFTAG_TILELENGTH, &height);
        if (page.depth > 1) {
            ::TIFFGetFieldDefaulted(file, TIFFTAG_TILEDEPTH, &depth);
        }
    } else {
        height = rows > 0 ? std::min(rows, page.height) : page.height;
    }
    if (width == 0 || height == 0 || depth == 0) {
        failInput(path, "its header gives tiles or strips without pixels");
    }
    TiffBlocks blocks;
    blocks.width = width;
    blocks.height = height;
    blocks.depth = depth;
    blocks.across = (std::int64_t{page.width} + width - 1) / width;
    blocks.down = (std::int64_t{page.height} + height - 1) / height;
    const std::int64_t slabs = (std::int64_t{page.depth} + depth - 1) / depth;
    const std::int64_t layers = page.planar == PLANARCONFIG_SEPARATE ? page.samples : 1;
    blocks.count =
        cappedProduct(cappedProduct(blocks.across, blocks.down), cappedProduct(slabs, layers));
    return blocks;
}

std::string sampleText(const TiffPage& page) {
    return "SamplesPerPixel is " + std::to_string(page.samples);
}

/// Samples of a pixel that the colours need.
int coloursOf(const TiffPage& page) {
    return page.photometric == PHOTOMETRIC_RGB || page.photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
}

/// The lists that have one value a sample.
void requireSamples(const std::filesystem::path& path, const TiffEntries& entries,
                    const TiffPage& page) {
    struct List {
        std::uint16_t tag;
        const char* name;
    };
    for (const List& list : {List{TIFFTAG_BITSPERSAMPLE, "BitsPerSample"},
                             List{TIFFTAG_SAMPLEFORMAT, "SampleFormat"}}) {
        const std::uint64_t count = entries.count(list.tag).value_or(1);
        if (count != 1 && count != page.samples) { // one value counts for all samples
            failInput(path, std::string(list.name) + " has " + std::to_string(count) +
                                " values, but " + sampleText(page));
        }
    }
    // libtiff adds extra samples that the tag leaves out; it does not count too many.
    if (page.extras > 0 && page.extras + coloursOf(page) > page.samples) {
        failInput(path, "ExtraSamples has " + std::to_string(page.extras) +
                            (page.extras == 1 ? " value" : " values") + " beside " +
                            std::to_string(coloursOf(page)) +
                            (coloursOf(page) == 1 ? " sample" : " samples") + " of colour, but " +
                            sampleText(page));
    }
}

/// Bytes that block `number` needs in the file if it is not packed; 0: unknown.
std::int64_t leastBytes(const TiffPage& page, const TiffBlocks& blocks, bool tiled,
                        std::int64_t number) {
    if (page.compression != COMPRESSION_NONE || page.photometric == PHOTOMETRIC_YCBCR) {
        return 0;
    }
    const std::int64_t samples = page.planar == PLANARCONFIG_SEPARATE ? 1 : page.samples;
    const std::int64_t row = (cappedProduct(blocks.width, samples * page.bits) + 7) / 8;
    const std::int64_t top = number % blocks.down * blocks.height;
    const std::int64_t rows = tiled ? blocks.height : std::min(blocks.height, page.height - top);
    return cappedProduct(cappedProduct(row, rows), tiled ? blocks.depth : 1);
}

} // namespace

void requireAgreement(const std::filesystem::path& path, tiff* file, const TiffPage& page) {
    const TiffEntries entries(path, ::TIFFCurrentDirOffset(file));
    requireSamples(path, entries, page);
    const bool tiled = ::TIFFIsTiled(file) != 0;
    // libtiff divides a large strip into smaller ones, and then says so.
    const std::vector<std::uint64_t> rows = entries.numbers(TIFFTAG_ROWSPERSTRIP, 1);
    const TiffBlocks blocks =
        shapeOf(path, file, page, rows.empty() ? 0 : static_cast<std::uint32_t>(rows.front()));
    const std::uint16_t offsetsTag = tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS;
    const std::uint16_t bytesTag = tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS;
    const std::string word = tiled ? "Tile" : "Strip";
    for (const std::uint16_t tag : {offsetsTag, bytesTag}) {
        const auto count = entries.count(tag);
        if (count && *count != static_cast<std::uint64_t>(blocks.count)) {
            failInput(path, word + (tag == bytesTag ? "ByteCounts has " : "Offsets has ") +
                                std::to_string(*count) + (*count == 1 ? " value" : " values") +
                                ", but ImageWidth, ImageLength and " +
                                (tiled ? "TileWidth, TileLength" : "RowsPerStrip") + " make " +
                                std::to_string(blocks.count) + (tiled ? " tile" : " strip") +
                                (blocks.count == 1 ? "" : "s"));
        }
    }
    const std::vector<std::uint64_t> bytes = entries.numbers(bytesTag, blocks.count);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::int64_t least = leastBytes(page, blocks, tiled, static_cast<std::int64_t>(i));
        // Some programs write 0 for what they leave open.
        if (bytes[i] > 0 && bytes[i] < static_cast<std::uint64_t>(least)) {
            failInput(path, word + "ByteCounts gives " + std::to_string(bytes[i]) + " bytes for " +
                                (tiled ? "tile " : "strip ") + std::to_string(i) +
                                ", but its extents and BitsPerSample need " +
                                std::to_string(least));
        }
    }
}

TiffBlocks blocksOf(const std::filesystem::path& path, const TiffFile& open) {
    const bool tiled = ::TIFFIsTiled(open.now) != 0;
    std::uint32_t rows = 0;
    ::TIFFGetField(open.now, TIFFTAG_ROWSPERSTRIP, &rows);
    TiffBlocks blocks = shapeOf(path, open.now, open.page, rows);
    const std::int64_t size = requireRegularFile(path);
    const std::int64_t most = std::min(blocks.count, size);
    const TiffEntries entries(path, ::TIFFCurrentDirOffset(open.now));
    blocks.offsets = entries.numbers(tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, most);
    blocks.bytes = entries.numbers(tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS, most);
    for (std::size_t i = 0; i < std::min(blocks.offsets.size(), blocks.bytes.size()); ++i) {
        const auto end = static_cast<std::uint64_t>(size);
        if (blocks.bytes[i] > end || blocks.offsets[i] > end - blocks.bytes[i]) {
            failInput(path, "the file is truncated; its pixels end behind it");
        }
    }
    return blocks;
}

} // namespace flcc::io::detail
