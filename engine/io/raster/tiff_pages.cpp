// The pages of a TIFF file and their meaning. libtiff detects truncated files, reads pages one by
// one and gives access to the description; ITK's reader does none of this.

#include "engine/io/raster/tiff_pages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/ome.h"

namespace flcc::io::detail {

namespace {

/// Keeps the first complaint of the library; the handler of one file, so threads do not meet.
int keepMessage(TIFF* /*file*/, void* user, const char* /*module*/, const char* format,
                va_list arguments) {
    auto& message = *static_cast<std::string*>(user);
    std::array<char, 200> text{};
    (void)std::vsnprintf(text.data(), text.size(), format, arguments);
    // An orientation that is none, such as 0, counts as the usual one.
    const bool harmless =
        std::string_view(text.data()).find("\"Orientation\"") != std::string_view::npos;
    if (message.empty() && !harmless) {
        message = oneLine(text.data());
    }
    return 1;
}

/// The tags on which the image depends, as libtiff names them.
constexpr std::array<std::string_view, 30> kTags{
    "SubfileType",      "ImageWidth",     "ImageLength",
    "BitsPerSample",    "Compression",    "PhotometricInterpretation",
    "FillOrder",        "StripOffsets",   "ColorMap",
    "SamplesPerPixel",  "RowsPerStrip",   "StripByteCounts",
    "XResolution",      "YResolution",    "PlanarConfiguration",
    "ImageDescription", "Group3Options",  "Group4Options",
    "Predictor",        "TileWidth",      "TileLength",
    "TileOffsets",      "TileByteCounts", "SampleFormat",
    "JPEGTables",       "ExtraSamples",   "YCbCrSubsampling",
    "LercParameters",   "ImageDepth",     "TileDepth"};

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

namespace {

/// After a failed allocation the library goes on with what it has of a directory, and frees what it
/// does not have when it reads the next one. What is called after it may change errno, so it is
/// asked at once. **Errors**: std::bad_alloc.
void requireMemory() {
    if (errno == ENOMEM) {
        throw std::bad_alloc();
    }
}

bool readNextDirectory(tiff* file) {
    const bool more = ::TIFFReadDirectory(file) != 0;
    requireMemory();
    return more;
}

} // namespace

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
    Tiff file(::TIFFOpenExt(path.c_str(), mode, options.get()));
    requireMemory();
    return file;
}

void failTiff(const std::filesystem::path& path, const std::string& message) {
    failInput(path, "the file is truncated, damaged or not supported (" +
                        (message.empty() ? "no reason given" : message) + ")");
}

TiffPage pageNow(tiff* file) {
    TiffPage page;
    ::TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &page.width);
    ::TIFFGetField(file, TIFFTAG_IMAGELENGTH, &page.height);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &page.bits);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &page.sampleFormat);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &page.planar);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &page.compression);
    ::TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &page.photometric);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_IMAGEDEPTH, &page.depth);
    ::TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &page.orientation);
    std::uint16_t* extra = nullptr;
    ::TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &page.extras, &extra);
    page.extra = page.extras > 0 && extra != nullptr ? extra[0] : std::uint16_t{0};
    page.depth = std::max<std::uint32_t>(page.depth, 1);
    if (page.sampleFormat == SAMPLEFORMAT_VOID) {
        page.sampleFormat = SAMPLEFORMAT_UINT;
    }
    return page;
}

TiffPage kindOf(TiffPage page) {
    page.compression = COMPRESSION_NONE;
    page.planar = PLANARCONFIG_CONTIG;
    if (page.photometric == PHOTOMETRIC_MINISWHITE) {
        page.photometric = PHOTOMETRIC_MINISBLACK;
    }
    return page;
}

std::string pageText(const TiffPage& page) {
    return std::to_string(page.width) + "x" + std::to_string(page.height) + " pixels of " +
           (page.samples > 1 ? std::to_string(page.samples) + " times " : "") +
           std::to_string(page.bits) + " bits";
}

TiffPages collectPages(const std::filesystem::path& path, tiff* file, std::int64_t fileBytes,
                       const std::stop_token& stop) {
    std::int64_t strips = 0; // or tiles
    TiffPages pages;
    std::map<std::pair<TiffPage, bool>, std::uint32_t> known;
    do {
        throwIfStopped(stop);
        std::uint32_t subfile = 0;
        ::TIFFGetFieldDefaulted(file, TIFFTAG_SUBFILETYPE, &subfile);
        const bool marked = (subfile & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
        const TiffPage page = pageNow(file);
        const auto number = static_cast<std::int64_t>(pages.directories.size());
        const auto [kind, isNew] = known.emplace(std::pair(kindOf(page), marked),
                                                 static_cast<std::uint32_t>(pages.kinds.size()));
        strips += ::TIFFIsTiled(file) != 0 ? ::TIFFNumberOfTiles(file) : ::TIFFNumberOfStrips(file);
        if (strips > fileBytes) {
            failInput(path, "its pages name more strips or tiles of pixels, " +
                                std::to_string(strips) + ", than it has bytes");
        }
        const TiffSizes sizes = sizesOf(file, page, fileBytes);
        if (isNew) {
            pages.kinds.push_back({page, sizes, 1, number, marked});
        } else {
            TiffKind& same = pages.kinds[kind->second];
            same.sizes = together(same.sizes, sizes);
            ++same.pages;
        }
        pages.directories.push_back({::TIFFCurrentDirOffset(file), kind->second});
    } while (readNextDirectory(file));
    return pages;
}

TiffTexts textsOf(tiff* file) {
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
    std::uint16_t unit = RESUNIT_INCH;
    ::TIFFGetFieldDefaulted(file, TIFFTAG_RESOLUTIONUNIT, &unit);
    texts.resolutionUnit = unit;
    constexpr std::uint32_t kGdalNoData = 42113;
    const char* text = nullptr;
    std::uint32_t count = 0;
    if (::TIFFGetField(file, kGdalNoData, &count, &text) == 1 && text != nullptr && count > 0) {
        double value = 0;
        const char* const end = text + ::strnlen(text, count);
        const char* const begin = std::find_if(text, end, [](char c) { return c != ' '; });
        if (std::from_chars(begin, end, value).ec == std::errc() && std::isfinite(value)) {
            texts.noData = value;
        }
    }
    return texts;
}

void goToPage(const std::filesystem::path& path, TiffFile& open, const TiffPlane& plane) {
    if (plane.file > 0 && plane.file != open.otherNumber) {
        open.otherNumber = 0;
        open.other = openTiff(open.others[plane.file - 1], "rm", open.message, kDirectoryBytes);
        if (!open.other) {
            failTiff(open.others[plane.file - 1], open.message);
        }
        open.otherNumber = plane.file;
    }
    open.now = plane.file > 0 ? open.other.get() : open.file.get();
    const std::filesystem::path& holder = plane.file > 0 ? open.others[plane.file - 1] : path;
    const bool there = ::TIFFSetSubDirectory(open.now, plane.directory) != 0;
    requireMemory();
    if (!there) {
        failTiff(holder, open.message);
    }
    open.page = pageNow(open.now);
    requireAgreement(holder, open.now, open.page);
}

} // namespace flcc::io::detail
