// What the pages of a TIFF file need in memory, before any of it is allocated: a header of some
// hundred bytes can give tiles of gigabytes.

#include <algorithm>
#include <array>

#include <tiffio.h>

#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

namespace {

/// A compression that is read.
struct Codec {
    std::uint16_t number;
    /// Most bytes that one byte of the file can stand for.
    std::int64_t ratio;
};

/// One code of LZW stands for at most 4096 bytes, one byte of deflate for 1032. The others have no
/// such limit, or one far above any picture.
constexpr std::int64_t kAnyRatio = 1 << 16;
constexpr std::array<Codec, 13> kCodecs{{{COMPRESSION_NONE, 1},
                                         {COMPRESSION_PACKBITS, 64},
                                         {COMPRESSION_LZW, 4096},
                                         {COMPRESSION_DEFLATE, 1040},
                                         {COMPRESSION_ADOBE_DEFLATE, 1040},
                                         {COMPRESSION_CCITTRLE, kAnyRatio},
                                         {COMPRESSION_CCITTRLEW, kAnyRatio},
                                         {COMPRESSION_CCITTFAX3, kAnyRatio},
                                         {COMPRESSION_CCITTFAX4, kAnyRatio},
                                         {COMPRESSION_JPEG, kAnyRatio},
                                         {COMPRESSION_ZSTD, kAnyRatio},
                                         {COMPRESSION_WEBP, kAnyRatio},
                                         {COMPRESSION_LERC, kAnyRatio}}};

const Codec* codecOf(std::uint16_t number) {
    const auto* const found = std::find_if(
        kCodecs.begin(), kCodecs.end(), [&](const Codec& codec) { return codec.number == number; });
    return found == kCodecs.end() ? nullptr : found;
}

/// Most that the decoder takes for a tile or strip of `whole` bytes with rows of `row` bytes.
std::int64_t codecBytes(std::uint16_t compression, std::int64_t whole, std::int64_t row) {
    constexpr std::int64_t kMega = std::int64_t{1} << 20;
    switch (compression) {
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
        return cappedProduct(row, 128); // lengths of runs: 16 bytes for each pixel of a row
    case COMPRESSION_JPEG:
        // Coefficients of a progressive file, and what libtiff lets libjpeg take.
        return std::min(cappedProduct(whole, 4), 100 * kMega);
    case COMPRESSION_ZSTD:
        return 128 * kMega; // the largest window that the library accepts
    case COMPRESSION_WEBP:
    case COMPRESSION_LERC:
        return cappedProduct(whole, 4);
    default:
        return 0;
    }
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

} // namespace

TiffSizes sizesOf(tiff* file, const TiffPage& page, std::int64_t fileBytes) {
    TiffSizes sizes;
    const Codec* const codec = codecOf(page.compression);
    sizes.unknown = codec == nullptr ? page.compression : std::uint16_t{0};
    // Uncompressed YCbCr shares colours between pixels.
    const bool shares = page.photometric == PHOTOMETRIC_YCBCR;
    sizes.ratio = shares || codec == nullptr ? kAnyRatio : codec->ratio;
    const bool tiled = ::TIFFIsTiled(file) != 0;
    std::uint32_t width = page.width;
    std::uint32_t height = page.height;
    std::uint32_t depth = 1;
    if (tiled) {
        ::TIFFGetField(file, TIFFTAG_TILEWIDTH, &width);
        ::TIFFGetField(file, TIFFTAG_TILELENGTH, &height);
        ::TIFFGetFieldDefaulted(file, TIFFTAG_TILEDEPTH, &depth);
        depth = std::max<std::uint32_t>(page.depth == 1 ? 1 : depth, 1);
    } else {
        std::uint32_t rows = page.height;
        ::TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &rows);
        height = std::min(rows, page.height);
    }
    if (width == 0 || height == 0) {
        return sizes; // requireSizes() refuses it
    }
    const bool separate = page.planar == PLANARCONFIG_SEPARATE;
    const std::int64_t samples = separate ? 1 : page.samples;
    const std::int64_t row = ceiling(std::int64_t{width} * samples * page.bits, 8);
    const std::int64_t whole = cappedProduct(cappedProduct(row, height), depth);
    // The last strip is shorter than the others, the last tile is not.
    const std::int64_t slice =
        tiled ? cappedProduct(whole, ceiling(page.width, width) * ceiling(page.height, height))
              : cappedProduct(row, page.height);
    const std::int64_t layer = cappedProduct(slice, ceiling(page.depth, depth));
    sizes.promised = cappedProduct(layer, separate ? page.samples : std::int64_t{1});
    // Strips of a page with depth are decoded as a whole.
    sizes.block = tiled || page.depth > 1 ? whole : row;
    sizes.smallest = sizes.block;
    sizes.codec = codecBytes(page.compression, whole, row);
    const std::uint32_t blocks = tiled ? ::TIFFNumberOfTiles(file) : ::TIFFNumberOfStrips(file);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint64_t bytes = ::TIFFGetStrileByteCount(file, block);
        sizes.stored = std::max(sizes.stored, bytes > static_cast<std::uint64_t>(fileBytes)
                                                  ? fileBytes
                                                  : static_cast<std::int64_t>(bytes));
    }
    return sizes;
}

TiffSizes together(const TiffSizes& a, const TiffSizes& b) {
    return {.promised = cappedSum(a.promised, b.promised),
            .block = std::max(a.block, b.block),
            .smallest = std::min(a.smallest, b.smallest),
            .stored = std::max(a.stored, b.stored),
            .codec = std::max(a.codec, b.codec),
            .ratio = std::max(a.ratio, b.ratio),
            .unknown = std::max(a.unknown, b.unknown)};
}

void requireSizes(const std::filesystem::path& path, const TiffSizes& sizes,
                  std::int64_t fileBytes) {
    constexpr int kFirstOfEer = 65000;
    constexpr int kLastOfEer = 65002;
    if (sizes.unknown >= kFirstOfEer && sizes.unknown <= kLastOfEer) {
        failInput(path, "its pages hold EER (events of an electron camera) beside a picture; give "
                        "the file the extension .eer");
    }
    if (sizes.unknown != 0) {
        failInput(path,
                  "its compression, number " + std::to_string(sizes.unknown) +
                      ", cannot be read; store it with LZW or deflate, or without compression");
    }
    if (sizes.smallest == 0) {
        failInput(path, "its header gives tiles or strips without pixels");
    }
    if (sizes.promised / sizes.ratio > fileBytes) {
        failInput(path, "its header promises " + std::to_string(sizes.promised) +
                            " bytes of pixels, more than the file can hold");
    }
}

} // namespace flcc::io::detail
