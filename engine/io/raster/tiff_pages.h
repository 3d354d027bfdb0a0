#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/io/raster/tiff_stack.h"

struct tiff; // libtiff's TIFF

namespace flcc::io::detail {

struct CloseTiff {
    void operator()(tiff* file) const;
};
using Tiff = std::unique_ptr<tiff, CloseTiff>;

/// More than the lists of strips and tiles of any directory take.
constexpr std::int64_t kDirectoryBytes = std::int64_t{256} << 20;

/// Opens a file with libtiff, which allocates at most `mostBytes` at a time; 0: no limit. The first
/// error text of the library is stored in `message`, which must outlive the handle. A warning that
/// a tag read here is ignored counts as an error: without its description a file is another image.
[[nodiscard]] Tiff openTiff(const std::filesystem::path& path, const char* mode,
                            std::string& message, std::int64_t mostBytes = 0);

/// Throws Input with the error text of the library.
[[noreturn]] void failTiff(const std::filesystem::path& path, const std::string& message);

/// Tags of one page; the numbers are those of the TIFF format.
struct TiffPage {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint16_t bits = 1;
    std::uint16_t samples = 1;
    std::uint16_t sampleFormat = 1; ///< unsigned
    std::uint16_t photometric = 1;  ///< 0 is black
    std::uint16_t planar = 1;       ///< samples side by side
    std::uint16_t compression = 1;  ///< none

    friend bool operator==(const TiffPage&, const TiffPage&) = default;
};

/// Sizes of the pieces in which the pages are stored, in bytes.
struct TiffSizes {
    std::int64_t promised = 0; ///< pixels of all pages, as the headers say
    std::int64_t block = 0;    ///< the largest decoded tile, or row of a strip
    std::int64_t stored = 0;   ///< the largest tile or strip in the file
    std::int64_t codec = 0;    ///< most that the decoder of libtiff takes
};

/// A file and its pages, without thumbnails and masks.
struct TiffFile {
    std::string message; ///< error text of the library
    Tiff file;
    TiffPage page;
    TiffSizes sizes;
    std::vector<std::uint64_t> directories; ///< position of each page's directory in the file
    TiffStack stack;
    ImageInfo info;
};

/// Reads the headers of all pages and selects the first page that is neither thumbnail nor mask.
/// `mostBytes` as for openTiff(). **Errors**: Input when headers contradict each other or the size
/// of the file; Stopped.
[[nodiscard]] std::unique_ptr<TiffFile>
openStack(const std::filesystem::path& path, const std::stop_token& stop, std::int64_t mostBytes);

/// Adds the sizes of the page where the file stands. **Errors**: Input for a compression that is
/// not read, or a tile without extents.
void addSizes(const std::filesystem::path& path, tiff* file, const TiffPage& page,
              TiffSizes& sizes);

/// Throws Input when the file is too short for the pixels that its headers promise.
void requireProportion(const std::filesystem::path& path, const TiffFile& open);

/// The channel and frame to read of an image with the properties `info`. **Errors**: as choose.
[[nodiscard]] Choice chooseOf(const std::filesystem::path& path, const TiffFile& open,
                              const ImageInfo& info, const ReadOptions& options);

/// Some slices that follow each other.
struct TiffSlices {
    int first = 0;
    int count = 1;
};

/// Reads slices of the chosen channel and frame, one plane for each component. **Errors**: Input;
/// Stopped.
[[nodiscard]] std::vector<base::AnyImage> readSlices(const std::filesystem::path& path,
                                                     TiffFile& open, const Choice& choice,
                                                     const TiffSlices& slices,
                                                     const std::stop_token& stop);

/// Selects page `page`. **Cost**: one directory, for any number of pages.
void goToPage(const std::filesystem::path& path, TiffFile& open, std::int64_t page);

} // namespace flcc::io::detail
