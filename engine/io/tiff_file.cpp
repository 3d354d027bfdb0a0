// TIFF through libtiff: it tells when a file was cut short, reads pages one by one and hands out
// the description, all of which ITK's reader does not.

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"
#include "engine/io/detail/tiff_stack.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;
using Bytes = std::vector<unsigned char>;

struct CloseTiff {
    void operator()(TIFF* file) const { ::TIFFClose(file); }
};
using Tiff = std::unique_ptr<TIFF, CloseTiff>;

/// Keeps the first complaint of the library; the handler of one file, so threads do not meet.
int keepMessage(TIFF* /*file*/, void* user, const char* /*module*/, const char* format,
                va_list arguments) {
    auto& message = *static_cast<std::string*>(user);
    if (message.empty()) {
        std::array<char, 200> text{};
        (void)std::vsnprintf(text.data(), text.size(), format, arguments);
        message = oneLine(text.data());
    }
    return 1;
}

int dropMessage(TIFF* /*file*/, void* /*user*/, const char* /*module*/, const char* /*format*/,
                va_list /*arguments*/) {
    return 1;
}

Tiff openTiff(const std::filesystem::path& path, const char* mode, std::string& message) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(
        ::TIFFOpenOptionsAlloc(), ::TIFFOpenOptionsFree);
    ::TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keepMessage, &message);
    ::TIFFOpenOptionsSetWarningHandlerExtR(options.get(), dropMessage, nullptr);
    return Tiff(::TIFFOpenExt(path.c_str(), mode, options.get()));
}

[[noreturn]] void failTiff(const std::filesystem::path& path, const std::string& message) {
    failInput(path, "the file is truncated, damaged or not supported (" +
                        (message.empty() ? "no reason given" : message) + ")");
}

/// One page as its tags say.
struct Page {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint16_t bits = 1;
    std::uint16_t samples = 1;
    std::uint16_t sampleFormat = SAMPLEFORMAT_UINT;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    std::uint16_t planar = PLANARCONFIG_CONTIG;
    std::uint16_t compression = COMPRESSION_NONE;

    friend bool operator==(const Page&, const Page&) = default;
};

Page pageNow(TIFF* file) {
    Page page;
    ::TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &page.width);
    ::TIFFGetField(file, TIFFTAG_IMAGELENGTH, &page.height);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &page.bits);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &page.sampleFormat);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &page.planar);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &page.compression);
    ::TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &page.photometric);
    if (page.sampleFormat == SAMPLEFORMAT_VOID) {
        page.sampleFormat = SAMPLEFORMAT_UINT;
    }
    return page;
}

PixelType pixelOf(const std::filesystem::path& path, const Page& page) {
    const bool isUnsigned = page.sampleFormat == SAMPLEFORMAT_UINT;
    const bool isSigned = page.sampleFormat == SAMPLEFORMAT_INT;
    const bool isFloat = page.sampleFormat == SAMPLEFORMAT_IEEEFP;
    switch (page.bits) {
    case 8:
        if (isUnsigned || isSigned) {
            return isSigned ? PixelType::Int8 : PixelType::UInt8;
        }
        break;
    case 16:
        if (isUnsigned || isSigned) {
            return isSigned ? PixelType::Int16 : PixelType::UInt16;
        }
        break;
    case 32:
        if (isUnsigned || isSigned || isFloat) {
            return isFloat ? PixelType::Float32 : isSigned ? PixelType::Int32 : PixelType::UInt32;
        }
        break;
    case 64:
        if (isUnsigned || isSigned || isFloat) {
            return isFloat ? PixelType::Float64 : isSigned ? PixelType::Int64 : PixelType::UInt64;
        }
        break;
    default:
        if (isUnsigned && page.bits < 16) {
            return page.bits < 8 ? PixelType::UInt8 : PixelType::UInt16;
        }
    }
    failInput(path, "its pixels have " + std::to_string(page.bits) + " bits of sample format " +
                        std::to_string(page.sampleFormat) + ", which cannot be read");
}

/// A file with the pages that count: not the thumbnails and masks.
struct OpenStack {
    std::string message; ///< of the library
    Tiff file;
    Page page;
    std::vector<tdir_t> directories;
    TiffStack stack;
    ImageInfo info;
};

void setComponents(const std::filesystem::path& path, OpenStack& open) {
    const Page& page = open.page;
    std::uint16_t extraCount = 0;
    std::uint16_t* extra = nullptr;
    ::TIFFGetFieldDefaulted(open.file.get(), TIFFTAG_EXTRASAMPLES, &extraCount, &extra);
    const bool opacity = extraCount == 1 && extra != nullptr && extra[0] != EXTRASAMPLE_UNSPECIFIED;
    int samplesAsChannels = 1;
    switch (page.photometric) {
    case PHOTOMETRIC_PALETTE:
        if (page.samples != 1 || page.bits > 8) {
            failInput(path, "its palette cannot be read");
        }
        open.info.components = 3;
        break;
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_YCBCR:
        if (page.samples == 3 || (page.samples == 4 && extraCount == 1)) {
            open.info.components = page.samples;
        } else {
            samplesAsChannels = page.samples;
        }
        break;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        if (page.samples == 2 && opacity) {
            open.info.components = 2;
        } else {
            samplesAsChannels = page.samples;
        }
        break;
    default:
        failInput(path, "its colours (photometric interpretation " +
                            std::to_string(page.photometric) + ") cannot be read");
    }
    if (samplesAsChannels > 1 && open.info.channels > 1) {
        failInput(path, "it has several samples a pixel and several channels");
    }
    open.info.channels = std::max(open.info.channels, samplesAsChannels);
}

/// Goes through the directories; all that count must be alike.
void collectPages(const std::filesystem::path& path, OpenStack& open) {
    TIFF* file = open.file.get();
    do {
        std::uint32_t kind = 0;
        ::TIFFGetFieldDefaulted(file, TIFFTAG_SUBFILETYPE, &kind);
        if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0) {
            continue;
        }
        const Page page = pageNow(file);
        if (open.directories.empty()) {
            open.page = page;
        } else if (!(page == open.page)) {
            failInput(path,
                      "its pages differ: page " + std::to_string(open.directories.size()) +
                          " has " + std::to_string(page.width) + "x" + std::to_string(page.height) +
                          " pixels of " + std::to_string(page.bits) + " bits, page 0 has " +
                          std::to_string(open.page.width) + "x" + std::to_string(open.page.height) +
                          " of " + std::to_string(open.page.bits) + " bits");
        }
        open.directories.push_back(::TIFFCurrentDirectory(file));
    } while (::TIFFReadDirectory(file) != 0);
    if (!open.message.empty()) {
        failTiff(path, open.message);
    }
    if (open.directories.empty()) {
        failInput(path, "it holds no picture");
    }
}

TiffTexts textsOf(TIFF* file) {
    TiffTexts texts;
    const char* description = nullptr;
    if (::TIFFGetField(file, TIFFTAG_IMAGEDESCRIPTION, &description) == 1) {
        texts.description = description;
    }
    float resolution = 0;
    if (::TIFFGetField(file, TIFFTAG_XRESOLUTION, &resolution) == 1) {
        texts.xResolution = static_cast<double>(resolution);
    }
    if (::TIFFGetField(file, TIFFTAG_YRESOLUTION, &resolution) == 1) {
        texts.yResolution = static_cast<double>(resolution);
    }
    return texts;
}

/// Pixels that are not compressed must be there; the library would tell page by page.
void requireAllPages(const std::filesystem::path& path, OpenStack& open) {
    const std::int64_t size = requireRegularFile(path);
    if (open.page.compression != COMPRESSION_NONE) {
        return;
    }
    TIFF* file = open.file.get();
    const bool tiled = ::TIFFIsTiled(file) != 0;
    const std::uint32_t blocks = tiled ? ::TIFFNumberOfTiles(file) : ::TIFFNumberOfStrips(file);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const auto offset = static_cast<std::int64_t>(::TIFFGetStrileOffset(file, block));
        const auto bytes = static_cast<std::int64_t>(::TIFFGetStrileByteCount(file, block));
        if (offset < 0 || bytes < 0 || offset > size - bytes) {
            failInput(path, "the file is truncated; pixels are promised up to byte " +
                                std::to_string(offset + bytes) + " of " + std::to_string(size));
        }
    }
}

std::unique_ptr<OpenStack> openStack(const std::filesystem::path& path) {
    auto open = std::make_unique<OpenStack>();
    open->file = openTiff(path, "rm", open->message);
    if (!open->file) {
        failTiff(path, open->message);
    }
    collectPages(path, *open);
    TIFF* file = open->file.get();
    if (::TIFFSetDirectory(file, open->directories.front()) == 0) {
        failTiff(path, open->message);
    }
    ImageInfo& info = open->info;
    info.format = name(Format::Tiff);
    info.pixel = pixelOf(path, open->page);
    open->stack =
        describeStack(path, textsOf(file), static_cast<std::int64_t>(open->directories.size()));
    info.extents = {open->page.width, open->page.height, open->stack.slices};
    info.channels = open->stack.channels;
    info.frames = open->stack.frames;
    info.geometry = open->stack.geometry;
    info.metadata = open->stack.metadata;
    setComponents(path, *open);
    requireSaneHeader(path, info);
    requireAllPages(path, *open);
    return open;
}

/// Value `index` of a row of samples of `bits` bits, the first in the highest bits.
unsigned packedSample(const unsigned char* row, std::int64_t index, unsigned bits) {
    unsigned value = 0;
    for (std::int64_t bit = index * bits; bit < (index + 1) * bits; ++bit) {
        value = (value << 1) | ((unsigned{row[bit / 8]} >> (7 - bit % 8)) & 1U);
    }
    return value;
}

/// A strip or a tile, decoded.
struct Block {
    const unsigned char* data = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t width = 0;  ///< inside the page
    std::int64_t height = 0; ///< inside the page
    std::int64_t step = 1;   ///< samples from one pixel to the next
};

/// The colours of a palette, or the values of a packed or inverted sample.
struct Palette {
    std::array<const std::uint16_t*, 3> colours{nullptr, nullptr, nullptr};
};

/// Copies sample `sample` of the block into `plane`, slice `z`.
void copySample(const Page& page, const Block& block, std::int64_t sample, std::int64_t z,
                const std::uint16_t* colours, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            const bool packed = page.bits % 8 != 0;
            for (std::int64_t y = 0; y < block.height; ++y) {
                const unsigned char* source = block.data + y * block.rowBytes;
                Voxel* target = image.view().row(block.top + y, z) + block.left;
                for (std::int64_t x = 0; x < block.width; ++x) {
                    const std::int64_t index = x * block.step + sample;
                    if (colours != nullptr) {
                        const unsigned entry = packedSample(source, index, page.bits);
                        target[x] = static_cast<Voxel>(colours[entry] >> 8);
                    } else if (packed) {
                        target[x] = static_cast<Voxel>(packedSample(source, index, page.bits));
                    } else {
                        std::memcpy(target + x,
                                    source + index * static_cast<std::int64_t>(sizeof(Voxel)),
                                    sizeof(Voxel));
                    }
                }
            }
        },
        plane);
}

/// MINISWHITE counts darkness: turn it into brightness, as every viewer does.
void invert(const Page& page, std::int64_t z, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            if constexpr (std::is_unsigned_v<Voxel>) {
                const auto white = static_cast<Voxel>(page.bits >= 8 * sizeof(Voxel)
                                                          ? std::numeric_limits<Voxel>::max()
                                                          : (1U << page.bits) - 1U);
                const std::int64_t slice = image.extents().x * image.extents().y;
                for (std::int64_t i = z * slice; i < (z + 1) * slice; ++i) {
                    image.data()[i] = static_cast<Voxel>(white - image.data()[i]);
                }
            }
        },
        plane);
}

/// Reads the page the file stands at into slice `z` of the planes. `channel` counts when the
/// samples of a pixel are channels.
void readPage(const std::filesystem::path& path, OpenStack& open, std::int64_t channel,
              std::int64_t z, std::vector<base::AnyImage>& planes) {
    TIFF* file = open.file.get();
    const Page& page = open.page;
    Palette palette;
    if (page.photometric == PHOTOMETRIC_PALETTE) {
        if (::TIFFGetField(file, TIFFTAG_COLORMAP, &palette.colours[0], &palette.colours[1],
                           &palette.colours[2]) != 1) {
            failInput(path, "its palette is missing");
        }
    }
    const bool tiled = ::TIFFIsTiled(file) != 0;
    std::uint32_t blockWidth = page.width;
    std::uint32_t blockHeight = page.height;
    if (tiled) {
        ::TIFFGetField(file, TIFFTAG_TILEWIDTH, &blockWidth);
        ::TIFFGetField(file, TIFFTAG_TILELENGTH, &blockHeight);
    } else {
        ::TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &blockHeight);
        blockHeight = std::min(blockHeight, page.height);
    }
    const tmsize_t bytes = tiled ? ::TIFFTileSize(file) : ::TIFFStripSize(file);
    if (blockWidth == 0 || blockHeight == 0 || bytes <= 0) {
        failTiff(path, open.message);
    }
    Bytes buffer(static_cast<std::size_t>(bytes));
    const bool separate = page.planar == PLANARCONFIG_SEPARATE && page.samples > 1;
    const std::uint32_t layers = separate ? page.samples : 1;
    std::uint32_t number = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        for (std::uint32_t top = 0; top < page.height; top += blockHeight) {
            for (std::uint32_t left = 0; left < page.width; left += blockWidth, ++number) {
                Block block;
                block.data = buffer.data();
                block.rowBytes = tiled ? ::TIFFTileRowSize(file) : ::TIFFScanlineSize(file);
                block.left = left;
                block.top = top;
                block.width = std::min(blockWidth, page.width - left);
                block.height = std::min(blockHeight, page.height - top);
                block.step = separate ? 1 : page.samples;
                const tmsize_t wanted = tiled ? bytes : block.rowBytes * block.height;
                const tmsize_t got =
                    tiled ? ::TIFFReadEncodedTile(file, number, buffer.data(), wanted)
                          : ::TIFFReadEncodedStrip(file, number, buffer.data(), wanted);
                if (got < wanted || !open.message.empty()) {
                    failTiff(path, open.message);
                }
                for (std::size_t plane = 0; plane < planes.size(); ++plane) {
                    const std::int64_t sample = palette.colours[0] != nullptr ? 0
                                                : planes.size() > 1
                                                    ? static_cast<std::int64_t>(plane)
                                                    : channel;
                    if (!separate || sample == layer) {
                        copySample(page, block, separate ? 0 : sample, z,
                                   palette.colours[std::min<std::size_t>(plane, 2)], planes[plane]);
                    }
                }
            }
        }
    }
    if (page.photometric == PHOTOMETRIC_MINISWHITE) {
        invert(page, z, planes.front());
    }
}

/// ImageJ over 4 GiB: one directory, all pages behind its first pixel, in the file's byte order.
std::vector<base::AnyImage> readBehindFirst(const std::filesystem::path& path, OpenStack& open,
                                            const Choice& choice) {
    TIFF* file = open.file.get();
    if (open.page.compression != COMPRESSION_NONE || open.page.samples != 1 ||
        open.page.bits % 8 != 0) {
        failInput(path, "its description speaks of more pages than it holds");
    }
    std::vector<base::AnyImage> planes;
    planes.push_back(base::makeImage(open.info.pixel, open.info.extents));
    const ImageInfo& info = open.info;
    const std::int64_t voxel = base::bytesPerVoxel(info.pixel);
    const std::int64_t pageBytes = info.extents.x * info.extents.y * voxel;
    const auto first = static_cast<std::int64_t>(::TIFFGetStrileOffset(file, 0));
    requireRawBytes(path, {info.extents.x, info.extents.y, 1}, voxel,
                    static_cast<std::int64_t>(open.stack.pages.size()),
                    requireRegularFile(path) - first);
    for (int z = 0; z < info.extents.z; ++z) {
        const std::int64_t page = open.stack.pageOf(choice.channel, z, choice.frame);
        const Bytes bytes = readBytes(path, first + page * pageBytes, pageBytes);
        if (static_cast<std::int64_t>(bytes.size()) != pageBytes) {
            failInput(path, "the file is truncated");
        }
        std::memcpy(static_cast<char*>(bytesOf(planes.front())) + z * pageBytes, bytes.data(),
                    bytes.size());
    }
    if (::TIFFIsByteSwapped(file) != 0) {
        swapBytes(bytesOf(planes.front()), base::voxelCount(info.extents), voxel);
    }
    return planes;
}

} // namespace

ImageInfo tiffInfo(const std::filesystem::path& path) { return openStack(path)->info; }

LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options) {
    const auto open = openStack(path);
    LoadedImage loaded;
    loaded.info = open->info;
    const Choice choice = choose(path, loaded.info, options);
    if (open->stack.oneDirectory) {
        loaded.components = readBehindFirst(path, *open, choice);
        return loaded;
    }
    for (int i = 0; i < loaded.info.components; ++i) {
        loaded.components.push_back(base::makeImage(loaded.info.pixel, loaded.info.extents));
    }
    TIFF* file = open->file.get();
    const bool channelsArePages = open->stack.channels > 1;
    for (int slice = 0; slice < open->stack.slices; ++slice) {
        const auto page = static_cast<std::size_t>(
            open->stack.pageOf(channelsArePages ? choice.channel : 0, slice, choice.frame));
        if (::TIFFSetDirectory(file, open->directories[page]) == 0) {
            failTiff(path, open->message);
        }
        if (open->page.photometric == PHOTOMETRIC_YCBCR) {
            if (open->page.compression != COMPRESSION_JPEG) {
                failInput(path, "its YCbCr colours cannot be read unless JPEG packed them");
            }
            ::TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        }
        readPage(path, *open, channelsArePages ? 0 : choice.channel, slice, loaded.components);
    }
    return loaded;
}

void writeTiff(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata) {
    const base::Extents extents = base::extentsOf(pixels);
    const PixelType type = base::pixelType(pixels);
    const std::int64_t bytes = base::byteCount(extents, base::bytesPerVoxel(type));
    constexpr std::int64_t kClassicLimit = 4'000'000'000;
    std::string message;
    Tiff file = openTiff(path, bytes > kClassicLimit ? "w8" : "w", message);
    const auto check = [&](bool good) {
        if (!good) {
            failOutput(target, message.empty() ? "the disk did not take all of it" : message);
        }
    };
    check(file != nullptr);
    const bool calibrated = !geometry.unit.empty() && geometry.unit != "px";
    const std::string description = imageJDescription(extents.z, geometry, metadata);
    const auto format = base::isInteger(type)
                            ? (base::name(type)[0] == 'u' ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_INT)
                            : SAMPLEFORMAT_IEEEFP;
    const std::int64_t rowBytes = extents.x * base::bytesPerVoxel(type);
    const auto rows = std::clamp<std::int64_t>((1 << 16) / rowBytes, 1, extents.y);
    Bytes row(static_cast<std::size_t>(rowBytes));
    for (std::int64_t z = 0; z < extents.z; ++z) {
        TIFF* out = file.get();
        ::TIFFSetField(out, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(extents.x));
        ::TIFFSetField(out, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(extents.y));
        ::TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * base::bytesPerVoxel(type)));
        ::TIFFSetField(out, TIFFTAG_SAMPLESPERPIXEL, 1);
        ::TIFFSetField(out, TIFFTAG_SAMPLEFORMAT, format);
        ::TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        ::TIFFSetField(out, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        ::TIFFSetField(out, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
        if (z == 0) {
            ::TIFFSetField(out, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
        }
        if (calibrated) {
            ::TIFFSetField(out, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
            ::TIFFSetField(out, TIFFTAG_XRESOLUTION, 1 / geometry.spacing[0]);
            ::TIFFSetField(out, TIFFTAG_YRESOLUTION, 1 / geometry.spacing[1]);
        }
        std::visit(
            [&](const auto& view) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    std::memcpy(row.data(), view.row(y, z), row.size());
                    check(::TIFFWriteScanline(out, row.data(), static_cast<std::uint32_t>(y), 0) ==
                          1);
                }
            },
            pixels);
        check(::TIFFWriteDirectory(out) == 1);
    }
    check(::TIFFFlush(file.get()) == 1);
    file.reset();
    check(message.empty());
}

} // namespace flcc::io::detail
