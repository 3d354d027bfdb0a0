// Which pages of a TIFF file make an image, and what it is.

#include <algorithm>
#include <utility>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/ome.h"
#include "engine/io/raster/tiff_pages.h"
#include "engine/io/raster/tiff_programs.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

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
        if (isUnsigned || isSigned || isFloat) {
            return isFloat ? PixelType::Float32 : isSigned ? PixelType::Int16 : PixelType::UInt16;
        }
        break;
    case 24:
        if (isFloat) {
            return PixelType::Float32;
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
    ImageInfo& info = open.info;
    const bool opacity = page.extras == 1 && page.extra != EXTRASAMPLE_UNSPECIFIED;
    int samplesAsChannels = 1;
    switch (page.photometric) {
    case PHOTOMETRIC_PALETTE:
        if (open.indices) {
            info.notes.emplace_back("its palette is a lookup table of ImageJ, with which it is "
                                    "shown; its values are the indices");
            break;
        }
        if (page.samples != 1 || page.bits > 8) {
            failInput(path, "its palette cannot be read");
        }
        info.components = 3;
        break;
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_YCBCR:
        if (page.samples < 3 && !open.stack.samplesAreChannels) {
            failInput(path, "PhotometricInterpretation " + std::to_string(page.photometric) +
                                " needs three samples, but SamplesPerPixel is " +
                                std::to_string(page.samples));
        }
        if (!open.stack.samplesAreChannels &&
            (page.samples == 3 || (page.samples == 4 && page.extras == 1))) {
            info.components = opacity ? 4 : 3;
            if (page.samples == 4 && !opacity) {
                info.notes.emplace_back("its fourth sample has no stated meaning and was left out");
            }
        } else {
            samplesAsChannels = page.samples;
        }
        break;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        if (page.photometric == PHOTOMETRIC_MINISWHITE && page.sampleFormat != SAMPLEFORMAT_UINT) {
            info.notes.emplace_back("it states that white is 0, which has no meaning for values "
                                    "with a sign; they were read as they are stored");
        }
        if (page.samples == 2 && opacity) {
            info.components = 2;
        } else {
            samplesAsChannels = page.samples;
        }
        break;
    default:
        failInput(path, "its colours (photometric interpretation " +
                            std::to_string(page.photometric) + ") cannot be read");
    }
    if (info.components % 2 == 0 && page.extra == EXTRASAMPLE_ASSOCALPHA) {
        info.notes.emplace_back("its values are stored multiplied by its opacity; they were "
                                "divided by it");
    }
    if (samplesAsChannels > 1 && info.channels > 1) {
        failInput(
            path,
            "it has several samples per pixel and several channels, which cannot be read together");
    }
    info.channels = std::max(info.channels, samplesAsChannels);
}

std::string countText(std::int64_t pages) {
    return std::to_string(pages) + (pages == 1 ? " page" : " pages");
}

/// The kind of pages that make the image: that of `reading`, or the largest. **Errors**: Problem.
TiffKind chooseKind(const std::filesystem::path& path, TiffFile& open, const Reading& reading) {
    std::vector<const TiffKind*> images;
    std::int64_t marked = 0;
    for (const TiffKind& kind : open.pages.kinds) {
        if (kind.marked) {
            marked += kind.pages;
        } else {
            images.push_back(&kind);
        }
    }
    ImageInfo& info = open.info;
    info.images = static_cast<int>(images.size());
    if (images.empty()) {
        failInput(path, "it holds no picture, only pages that it marks as reduced copies or masks "
                        "of another one");
    }
    requireReading(path, info, {.image = reading.image});
    const auto area = [](const TiffKind* kind) {
        return std::int64_t{kind->page.width} * kind->page.height;
    };
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < images.size(); ++i) {
        chosen = area(images[i]) > area(images[chosen]) ? i : chosen;
    }
    for (std::size_t i = 0; i < images.size() && !reading.image; ++i) {
        if (i != chosen && area(images[i]) == area(images[chosen])) {
            throw base::Error(base::ErrorCode::Problem,
                              shown(path) + " holds pages that differ: page " +
                                  std::to_string(images[chosen]->first) + " has " +
                                  pageText(images[chosen]->page) + ", page " +
                                  std::to_string(images[i]->first) + " has " +
                                  pageText(images[i]->page) + "; choose one kind, 0 to " +
                                  std::to_string(info.images - 1) + " (--image)");
        }
    }
    chosen = reading.image ? static_cast<std::size_t>(*reading.image) : chosen;
    info.image = static_cast<int>(chosen);
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (i != chosen && i < 10) { // more say nothing new
            info.notes.push_back(countText(images[i]->pages) + " of " + pageText(images[i]->page) +
                                 (images[i]->pages == 1 ? " was" : " were") +
                                 " not read (--image " + std::to_string(i) + " reads " +
                                 (images[i]->pages == 1 ? "it)" : "them)"));
        }
    }
    if (marked > 0) {
        info.notes.push_back(countText(marked) +
                             " that the file marks as reduced copies or masks " +
                             (marked == 1 ? "was" : "were") + " not read");
    }
    return *images[chosen];
}

/// Puts the pages of a kind in the order of the stack, one after the other.
void placePages(TiffFile& open, const TiffKind& kind) {
    for (const TiffDirectory& directory : open.pages.directories) {
        const TiffKind& other = open.pages.kinds[directory.kind];
        if (!other.marked && other.first == kind.first) {
            open.stack.planes.push_back({.directory = directory.position});
        }
    }
}

} // namespace

namespace {

/// What may follow the first page of an ImageJ file over 4 GiB: pixels as they are. The indices of
/// a palette are no colours.
TiffRoom roomOf(const TiffFile& open, std::int64_t fileBytes, bool indices) {
    const TiffPage& page = open.page;
    if ((page.photometric == PHOTOMETRIC_PALETTE && !indices) ||
        page.compression != COMPRESSION_NONE || page.samples != 1 || page.depth > 1 ||
        page.bits != 8 * base::bytesPerVoxel(open.info.pixel)) {
        return {};
    }
    const auto first = static_cast<std::int64_t>(::TIFFGetStrileOffset(open.now, 0));
    return {.page = cappedProduct(std::int64_t{page.width} * page.height, page.bits / 8),
            .behind = fileBytes - first,
            .directory = static_cast<std::int64_t>(::TIFFCurrentDirOffset(open.now)) - first};
}

/// Uncompressed pixels must be in the file; libtiff would report a missing page only when it reads
/// it.
void requireAllPages(const std::filesystem::path& path, TiffFile& open, std::int64_t size) {
    if (open.page.compression != COMPRESSION_NONE) {
        return;
    }
    TIFF* file = open.now;
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

namespace {

/// The image of a file without OME-XML.
TiffKind describePages(const std::filesystem::path& path, TiffFile& open, const TiffTexts& texts,
                       const Reading& reading, std::int64_t fileBytes) {
    const TiffKind kind = chooseKind(path, open, reading);
    requireSizes(path, kind.sizes, fileBytes);
    goToPage(path, open,
             {.directory = open.pages.directories[static_cast<std::size_t>(kind.first)].position});
    open.info.pixel = pixelOf(path, open.page);
    if (kind.page.depth > 1) {
        open.stack.slices = static_cast<int>(std::min<std::uint32_t>(kind.page.depth, INT32_MAX));
        open.stack.frames = static_cast<int>(kind.pages);
        open.info.notes.emplace_back("its pages are volumes: ImageDepth is the number of slices");
    } else if (texts.description.rfind("ImageJ=", 0) == 0) {
        open.stack = describeImageJ(path, texts, kind.pages, roomOf(open, fileBytes, true));
        open.indices = open.page.photometric == PHOTOMETRIC_PALETTE;
    } else if (auto stack = describeByProgram(path, open.now, texts, open.page, kind.pages,
                                              roomOf(open, fileBytes, false))) {
        open.stack = std::move(*stack);
    } else {
        open.stack.slices = static_cast<int>(kind.pages);
        if (kind.pages > 1) {
            open.info.notes.push_back("its " + countText(kind.pages) + " were read as slices");
        }
    }
    if (texts.description.rfind("ImageJ=", 0) != 0 && !texts.description.empty()) {
        open.stack.metadata["ImageDescription"] = texts.description;
    }
    if (!open.stack.oneDirectory) {
        placePages(open, kind);
    }
    return kind;
}

/// The first plane that is there.
const TiffPlane* firstPlane(const TiffStack& stack) {
    const auto found = std::find_if(stack.planes.begin(), stack.planes.end(),
                                    [](const TiffPlane& plane) { return plane.directory != 0; });
    return found == stack.planes.end() ? nullptr : &*found;
}

/// Extents, channels, geometry and notes of the stack.
void setInfo(TiffFile& open, const TiffTexts& texts, const Reading& reading) {
    ImageInfo& info = open.info;
    const TiffStack& stack = open.stack;
    info.extents = {open.page.width, open.page.height, stack.slices};
    info.channels = stack.channels;
    info.frames = stack.frames;
    info.geometry = stack.geometry;
    info.metadata = stack.metadata;
    info.files = 1 + static_cast<int>(open.others.size());
    info.series = info.files > 1;
    info.notes.insert(info.notes.end(), stack.notes.begin(), stack.notes.end());
    open.noData = texts.noData;
    if (texts.noData) {
        info.notes.push_back("pixels of the value " + numberText(*texts.noData) +
                             " hold no data (tag GDAL_NODATA): " +
                             (base::isInteger(info.pixel)
                                  ? "they count as they are; leave them out by a mask of the scene"
                                  : "they were read as NaN"));
    }
    const double length = texts.resolutionUnit == RESUNIT_INCH         ? 25.4
                          : texts.resolutionUnit == RESUNIT_CENTIMETER ? 10
                                                                       : 0;
    open.turn = place(info, open.page.orientation, "TIFF",
                      resolutionOf(texts.xResolution, texts.yResolution, length), reading);
}

} // namespace

std::unique_ptr<TiffFile> openStack(const std::filesystem::path& path, const std::stop_token& stop,
                                    std::int64_t mostBytes, const Reading& reading) {
    auto open = std::make_unique<TiffFile>();
    open->file = openTiff(path, "rm", open->message, mostBytes);
    if (!open->file) {
        failTiff(path, open->message);
    }
    const std::int64_t size = requireRegularFile(path);
    const TiffTexts texts = textsOf(open->file.get());
    open->pages = collectPages(path, open->file.get(), size, stop);
    if (!open->message.empty()) {
        failTiff(path, open->message);
    }
    ImageInfo& info = open->info;
    info.format = name(Format::Tiff);
    std::optional<TiffKind> kind;
    if (isOme(texts.description)) {
        kind = placeOme(path, *open, texts, reading, mostBytes, stop);
    }
    if (!kind) {
        kind = describePages(path, *open, texts, reading, size);
    }
    open->sizes = kind->sizes;
    requireSizes(path, open->sizes, size);
    if (const TiffPlane* const plane = firstPlane(open->stack)) {
        goToPage(path, *open, *plane);
    }
    info.pixel = pixelOf(path, open->page);
    setInfo(*open, texts, reading);
    setComponents(path, *open);
    requireSaneHeader(path, info);
    requireAllPages(path, *open, size);
    return open;
}

ImageInfo tiffInfo(const std::filesystem::path& path, const std::stop_token& stop,
                   const Reading& reading) {
    return openStack(path, stop, kDirectoryBytes, reading)->info;
}

} // namespace flcc::io::detail
