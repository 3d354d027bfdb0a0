// The pages of a TIFF file and their meaning. libtiff detects truncated files, reads pages one by
// one and gives access to the description; ITK's reader does none of this.

#include "engine/io/raster/tiff_pages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <string_view>

#include <tiffio.h>

#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

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

/// The tags on which the image depends, as libtiff names them.
constexpr std::array<std::string_view, 28> kTags{
    "SubfileType",      "ImageWidth",     "ImageLength",
    "BitsPerSample",    "Compression",    "PhotometricInterpretation",
    "FillOrder",        "StripOffsets",   "ColorMap",
    "SamplesPerPixel",  "RowsPerStrip",   "StripByteCounts",
    "XResolution",      "YResolution",    "PlanarConfiguration",
    "ImageDescription", "Group3Options",  "Group4Options",
    "Predictor",        "TileWidth",      "TileLength",
    "TileOffsets",      "TileByteCounts", "SampleFormat",
    "JPEGTables",       "ExtraSamples",   "YCbCrSubsampling",
    "LercParameters"};

/// Keeps a warning that one of these tags is ignored, which `"NAME"` and "ignored" say; drops
/// others. They tell of private tags and of oddities that change no pixel.
int keepWarning(TIFF* /*file*/, void* user, const char* /*module*/, const char* format,
                va_list arguments) {
    std::array<char, 200> text{};
    (void)std::vsnprintf(text.data(), text.size(), format, arguments);
    const std::string_view warning(text.data());
    const bool ours = std::any_of(kTags.begin(), kTags.end(), [&](std::string_view tag) {
        return warning.find("\"" + std::string(tag) + "\"") != std::string_view::npos;
    });
    auto& message = *static_cast<std::string*>(user);
    if (message.empty() && ours && warning.find("ignored") != std::string_view::npos) {
        message = oneLine(warning);
    }
    return 1;
}

} // namespace

/// After a failed allocation the library counts entries of a list that it does not have, and
/// follows a null pointer when it closes the file. A leak is better.
void CloseTiff::operator()(tiff* file) const {
    if (errno != ENOMEM) {
        ::TIFFClose(file);
    }
}

Tiff openTiff(const std::filesystem::path& path, const char* mode, std::string& message,
              std::int64_t mostBytes) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(
        ::TIFFOpenOptionsAlloc(), ::TIFFOpenOptionsFree);
    if (!options) {
        throw std::bad_alloc();
    }
    ::TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keepMessage, &message);
    ::TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keepWarning, &message);
    ::TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), mostBytes);
    return Tiff(::TIFFOpenExt(path.c_str(), mode, options.get()));
}

void failTiff(const std::filesystem::path& path, const std::string& message) {
    failInput(path, "the file is truncated, damaged or not supported (" +
                        (message.empty() ? "no reason given" : message) + ")");
}

namespace {

TiffPage pageNow(TIFF* file) {
    TiffPage page;
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

PixelType pixelOf(const std::filesystem::path& path, const TiffPage& page) {
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

void setComponents(const std::filesystem::path& path, TiffFile& open) {
    const TiffPage& page = open.page;
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
        failInput(
            path,
            "it has several samples per pixel and several channels, which cannot be read together");
    }
    open.info.channels = std::max(open.info.channels, samplesAsChannels);
}

/// Visits the directories; all pages that count must have equal properties.
void collectPages(const std::filesystem::path& path, TiffFile& open, const std::stop_token& stop) {
    TIFF* file = open.file.get();
    do {
        throwIfStopped(stop);
        std::uint32_t kind = 0;
        ::TIFFGetFieldDefaulted(file, TIFFTAG_SUBFILETYPE, &kind);
        if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0) {
            continue;
        }
        const TiffPage page = pageNow(file);
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
        addSizes(path, file, page, open.sizes);
        open.directories.push_back(::TIFFCurrentDirOffset(file));
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

/// ImageJ over 4 GiB: one directory, the other pages follow its pixels as they are.
void requirePagesBehindFirst(const std::filesystem::path& path, TiffFile& open) {
    const ImageInfo& info = open.info;
    if (open.page.compression != COMPRESSION_NONE || open.page.samples != 1 ||
        open.page.bits % 8 != 0) {
        failInput(path, "its description names more pages than the file has");
    }
    const auto first = static_cast<std::int64_t>(::TIFFGetStrileOffset(open.file.get(), 0));
    requireRawBytes(path, {info.extents.x, info.extents.y, 1}, base::bytesPerVoxel(info.pixel),
                    planesOf(open.stack), requireRegularFile(path) - first);
}

/// Uncompressed pixels must be in the file; libtiff would report a missing page only when it reads
/// it.
void requireAllPages(const std::filesystem::path& path, TiffFile& open) {
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
            failInput(path, "the file is truncated; its pixels end at byte " +
                                std::to_string(offset + bytes) + ", the file at byte " +
                                std::to_string(size));
        }
    }
}

} // namespace

std::unique_ptr<TiffFile> openStack(const std::filesystem::path& path, const std::stop_token& stop,
                                    std::int64_t mostBytes) {
    auto open = std::make_unique<TiffFile>();
    open->file = openTiff(path, "rm", open->message, mostBytes);
    if (!open->file) {
        failTiff(path, open->message);
    }
    collectPages(path, *open, stop);
    TIFF* file = open->file.get();
    goToPage(path, *open, 0);
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
    requireProportion(path, *open);
    requireAllPages(path, *open);
    if (open->stack.oneDirectory) {
        requirePagesBehindFirst(path, *open);
    }
    return open;
}

void goToPage(const std::filesystem::path& path, TiffFile& open, std::int64_t page) {
    const std::uint64_t directory = open.directories[static_cast<std::size_t>(page)];
    if (::TIFFSetSubDirectory(open.file.get(), directory) == 0) {
        failTiff(path, open.message);
    }
}

ImageInfo tiffInfo(const std::filesystem::path& path, const std::stop_token& stop) {
    return openStack(path, stop, kDirectoryBytes)->info;
}

} // namespace flcc::io::detail
