#include "tests/engine/io/slide_fixture.h"

#include <fstream>
#include <stdexcept>

#include <tiffio.h>

#include "tests/engine/io/fixtures.h"

namespace flcc::test {

std::uint8_t slideValue(int level, std::int64_t x, std::int64_t y, int c) {
    return static_cast<std::uint8_t>((x * 7 + y * 13 + c * 31 + level * 57) % 251);
}

void writeSlide(const std::filesystem::path& path, const SlideRecipe& recipe) {
    TIFF* file = ::TIFFOpen(path.c_str(), "w");
    if (file == nullptr) {
        throw std::runtime_error("cannot write " + path.string());
    }
    const std::uint32_t side = recipe.tile;
    std::vector<std::uint8_t> tile(std::size_t{3} * side * side);
    for (std::size_t i = 0; i < recipe.levels.size(); ++i) {
        const SlideRecipe::Level& level = recipe.levels[i];
        ::TIFFSetField(file, TIFFTAG_IMAGEWIDTH, level.width);
        ::TIFFSetField(file, TIFFTAG_IMAGELENGTH, level.height);
        ::TIFFSetField(file, TIFFTAG_TILEWIDTH, side);
        ::TIFFSetField(file, TIFFTAG_TILELENGTH, side);
        ::TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8);
        ::TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 3);
        ::TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
        ::TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        ::TIFFSetField(file, TIFFTAG_COMPRESSION,
                       recipe.packed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
        if (!recipe.description.empty()) {
            ::TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, recipe.description.c_str());
        }
        if (i > 0) {
            ::TIFFSetField(file, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        }
        for (std::uint32_t y = 0; y < level.height; y += side) {
            for (std::uint32_t x = 0; x < level.width; x += side) {
                for (std::size_t at = 0; at < tile.size(); ++at) {
                    const auto pixel = static_cast<std::int64_t>(at / 3);
                    tile[at] = slideValue(static_cast<int>(i), x + pixel % side, y + pixel / side,
                                          static_cast<int>(at % 3));
                }
                ::TIFFWriteTile(file, tile.data(), x, y, 0, 0);
            }
        }
        ::TIFFWriteDirectory(file);
    }
    ::TIFFClose(file);
}

namespace {

/// Columns of 8 pixels, 16 bits a colour of which 12 count.
void writeNgr(const std::filesystem::path& path, int level, std::uint32_t width,
              std::uint32_t height) {
    constexpr std::uint32_t kColumn = 8;
    constexpr std::uint32_t kHead = 32;
    ByteWriter out;
    out.append({'G', 'N', 0, 0});
    out.put(width).put(height).put(kColumn).put(std::uint64_t{0}).put(kHead).put(std::uint32_t{0});
    for (std::uint32_t column = 0; column < width; column += kColumn) {
        for (std::uint32_t y = 0; y < height; ++y) {
            for (std::uint32_t x = column; x < column + kColumn; ++x) {
                for (int c = 0; c < 3; ++c) {
                    out.put(static_cast<std::uint16_t>(16 * slideValue(level, x, y, c)));
                }
            }
        }
    }
    writeFile(path, out.bytes);
}

} // namespace

void writeVmu(const std::filesystem::path& path, std::uint32_t width, std::uint32_t height) {
    writeNgr(path.parent_path() / "a.ngr", 0, width, height);
    writeNgr(path.parent_path() / "b.ngr", 1, width / 2, height / 2);
    std::ofstream(path) << "[Uncompressed Virtual Microscope Specimen]\n"
                           "NoLayers=1\nImageFile=a.ngr\nMapFile=b.ngr\nBitsPerPixel=36\n"
                           "PixelOrder=RGB\nSourceLens=20\nPhysicalWidth="
                        << width * 500 << "\nPhysicalHeight=" << height * 250 << "\n";
}

} // namespace flcc::test
