#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/detail/tiff_stack.h"
#include "engine/io/image_file.h"

struct tiff; // libtiff's TIFF

namespace flcc::io::detail {

struct CloseTiff {
    void operator()(tiff* file) const;
};
using Tiff = std::unique_ptr<tiff, CloseTiff>;

/// Opens a file with libtiff. The first error text of the library is stored in `message`, which
/// must outlive the handle.
[[nodiscard]] Tiff openTiff(const std::filesystem::path& path, const char* mode,
                            std::string& message);

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

/// A file and its pages, without thumbnails and masks.
struct TiffFile {
    std::string message; ///< error text of the library
    Tiff file;
    TiffPage page;
    std::vector<std::uint64_t> directories; ///< position of each page's directory in the file
    TiffStack stack;
    ImageInfo info;
};

/// Reads the headers of all pages and selects the first page that is neither thumbnail nor mask.
/// **Errors**: Input when headers contradict each other or the size of the file; Stopped.
[[nodiscard]] std::unique_ptr<TiffFile> openStack(const std::filesystem::path& path,
                                                  const std::stop_token& stop);

/// Selects page `page`. **Cost**: one directory, for any number of pages.
void goToPage(const std::filesystem::path& path, TiffFile& open, std::int64_t page);

} // namespace flcc::io::detail
