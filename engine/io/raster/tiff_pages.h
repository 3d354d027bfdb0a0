#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/io/raster/orientation.h"
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
    std::uint32_t depth = 1; ///< more: the page is a volume
    std::uint16_t bits = 1;
    std::uint16_t samples = 1;
    std::uint16_t sampleFormat = 1; ///< unsigned
    std::uint16_t photometric = 1;  ///< 0 is black
    std::uint16_t planar = 1;       ///< samples side by side
    std::uint16_t compression = 1;  ///< none
    std::uint16_t orientation = 1;  ///< the first row is the upper one, and runs to the right
    std::uint16_t extras = 0;       ///< samples beside colours
    std::uint16_t extra = 0;        ///< meaning of the first of them

    friend auto operator<=>(const TiffPage&, const TiffPage&) = default;
};

/// Sizes of the pieces in which pages are stored, in bytes.
struct TiffSizes {
    std::int64_t promised = 0; ///< pixels of all pages, as the headers say
    std::int64_t block = 0;    ///< the largest decoded tile, or row of a strip
    std::int64_t smallest = 0; ///< the smallest of these
    std::int64_t stored = 0;   ///< the largest tile or strip in the file
    std::int64_t codec = 0;    ///< most that the decoder of libtiff takes
    std::int64_t ratio = 0;    ///< most bytes that a byte of the file can stand for
    std::uint16_t unknown = 0; ///< a compression that is not read; 0: none
};

/// Pages that can be planes of one image.
struct TiffKind {
    TiffPage page; ///< the first of them
    TiffSizes sizes;
    std::int64_t pages = 0;
    std::int64_t first = 0; ///< number of the first of them in the file
    bool marked = false;    ///< by the file, as reduced copies or masks
};

struct TiffDirectory {
    std::uint64_t position = 0; ///< in the file
    std::uint32_t kind = 0;
};

/// All pages of a file.
struct TiffPages {
    std::vector<TiffDirectory> directories;
    std::vector<TiffKind> kinds;
};

/// A file and the pages of one image.
struct TiffFile {
    std::string message; ///< error text of the library
    Tiff file;
    TiffPages pages;
    std::vector<std::filesystem::path> others; ///< of its set
    /// The file of the set that was read last.
    std::size_t otherNumber = 0;
    Tiff other;
    tiff* now = nullptr; ///< the file that stands at a page: `file` or `other`
    TiffPage page;       ///< where `now` stands
    TiffSizes sizes;     ///< of the pages of the image
    TiffStack stack;
    Turn turn;                    ///< of a page
    bool indices = false;         ///< the values of pages with a palette are its indices
    std::optional<double> noData; ///< TiffTexts::noData
    ImageInfo info;
};

/// Visits the directories of a file, which stands at the first. **Errors**: Input for more strips
/// than the file has bytes, as directories that share a list have; Stopped.
[[nodiscard]] TiffPages collectPages(const std::filesystem::path& path, tiff* file,
                                     std::int64_t fileBytes, const std::stop_token& stop);

/// `page` without what may differ between the planes of an image: how a page is stored.
[[nodiscard]] TiffPage kindOf(TiffPage page);

/// The tags of the page where the file stands.
[[nodiscard]] TiffPage pageNow(tiff* file);

/// Description and resolution of the page where the file stands.
[[nodiscard]] TiffTexts textsOf(tiff* file);

/// "24x25 pixels of 16 bits"
[[nodiscard]] std::string pageText(const TiffPage& page);

/// Reads the headers of all pages and selects those of the image that `reading` names, or of the
/// main one. `mostBytes` as for openTiff(). **Errors**: Input when headers contradict each other or
/// the size of the file; Problem when images of one size differ and none was chosen, or the chosen
/// one does not exist; Stopped.
[[nodiscard]] std::unique_ptr<TiffFile> openStack(const std::filesystem::path& path,
                                                  const std::stop_token& stop,
                                                  std::int64_t mostBytes, const Reading& reading);

/// Sets stack, pages and notes of an image that OME-XML describes, `texts` being those of the first
/// page. Opens the other files of its set. Returns the kind of its pages, or nothing where the
/// description lies in a file that is not there. **Errors**: as openStack.
[[nodiscard]] std::optional<TiffKind> placeOme(const std::filesystem::path& path, TiffFile& open,
                                               const TiffTexts& texts, const Reading& reading,
                                               std::int64_t mostBytes, const std::stop_token& stop);

/// Sizes of the page where the file stands.
[[nodiscard]] TiffSizes sizesOf(tiff* file, const TiffPage& page, std::int64_t fileBytes);
/// Sizes of the pages of both.
[[nodiscard]] TiffSizes together(const TiffSizes& a, const TiffSizes& b);

/// Throws Input for a compression that is not read, for tiles without extents, and when a file of
/// `fileBytes` is too short for the pixels that its headers promise.
void requireSizes(const std::filesystem::path& path, const TiffSizes& sizes,
                  std::int64_t fileBytes);

/// The channel and frame to read of an image with the properties `info`. **Errors**: as choose.
[[nodiscard]] Choice chooseOf(const std::filesystem::path& path, const TiffFile& open,
                              const ImageInfo& info, const ReadOptions& options);

/// Some slices that follow each other.
struct TiffSlices {
    int first = 0;
    int count = 1;
};

/// Reads slices of the chosen channel and frame, one plane for each component. Slices of floats
/// that are missing are NaN. **Errors**: Input; Problem for missing slices of integers; Stopped.
[[nodiscard]] std::vector<base::AnyImage> readSlices(const std::filesystem::path& path,
                                                     TiffFile& open, const Choice& choice,
                                                     const TiffSlices& slices,
                                                     const std::stop_token& stop);

/// The tiles or strips of a page with depth, decoded one by one.
struct TiffBlocks {
    std::int64_t across = 1; ///< tiles in a row
    std::int64_t down = 1;   ///< in a slice
    std::int64_t width = 0;  ///< of a tile or strip
    std::int64_t height = 0;
    std::int64_t depth = 1;
    std::int64_t count = 0;             ///< of all slices and, where these are apart, samples
    std::vector<std::uint64_t> offsets; ///< in the file, slice after slice
    std::vector<std::uint64_t> bytes;
};
/// libtiff keeps the positions of the first slice only. **Errors**: Input.
[[nodiscard]] TiffBlocks blocksOf(const std::filesystem::path& path, const TiffFile& open);

/// Refuses a page whose tags contradict each other in what they count: samples, bits, strips and
/// tiles. **Errors**: Input, with the names of both. **Cost**: the lists of strips or tiles.
void requireAgreement(const std::filesystem::path& path, tiff* file, const TiffPage& page);

/// Selects the page of a plane, and its tags, which agree. **Errors**: Input. **Cost**: one
/// directory, for any number of pages.
void goToPage(const std::filesystem::path& path, TiffFile& open, const TiffPlane& plane);

} // namespace flcc::io::detail
