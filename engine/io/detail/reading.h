#pragma once

#include <cstdint>
#include <filesystem>
#include <locale.h>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/image_file.h"

namespace flcc::io::detail {

enum class Format { Png, Tiff, Nrrd, MetaImage, Nifti, Mrc, Jpeg };

/// Thrown inside this room when a stop was asked for, and caught at its door: cancelling is a
/// result, not an error.
struct Stopped {};
inline void throwIfStopped(const std::stop_token& stop) {
    if (stop.stop_requested()) {
        throw Stopped{};
    }
}

/// "PNG", "TIFF" and so on, as ImageInfo::format says it.
[[nodiscard]] std::string_view name(Format format);

/// The path in one line, without control characters: for sentences.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

/// Throws Input: "cannot read PATH: REASON".
[[noreturn]] void failInput(const std::filesystem::path& path, const std::string& reason);

/// "the header promises X bytes of pixels, the file holds Y" as an Input error when X > Y.
void requireBytes(const std::filesystem::path& path, std::int64_t promised, std::int64_t present);

/// Bytes of a readable regular file. Never opens anything else, so a FIFO does not block.
/// **Errors**: Input for missing, empty, unreadable, a directory, a device.
[[nodiscard]] std::int64_t requireRegularFile(const std::filesystem::path& path);

/// The file a header names as the place of its pixels: one file, in the header's own folder, so
/// that opening an image never reads elsewhere. **Errors**: Input.
[[nodiscard]] std::filesystem::path requireNeighbour(const std::filesystem::path& header,
                                                     const std::string& file);

/// Up to `count` bytes from `offset`.
[[nodiscard]] std::vector<unsigned char> readBytes(const std::filesystem::path& path,
                                                   std::int64_t offset, std::int64_t count);

/// The format by the first bytes; by the extension only where the bytes cannot tell.
/// **Errors**: Input when it is none of ours.
[[nodiscard]] Format detectFormat(const std::filesystem::path& path);

/// The extension in lower case, ".nii.gz" taken as one.
[[nodiscard]] std::string extensionOf(const std::filesystem::path& path);

/// Which channel and frame to read.
struct Choice {
    int channel = 0;
    int frame = 0;
};

/// **Errors**: Problem when there are several and none was chosen, or one that does not exist;
/// Memory when the pixels need more than `options.maxBytes`.
[[nodiscard]] Choice choose(const std::filesystem::path& path, const ImageInfo& info,
                            const ReadOptions& options);

/// Reads numbers with a point for as long as it lives, whatever the locale of the process: the
/// libraries below parse headers with sscanf. **Threads**: this thread only.
class PointLocale {
  public:
    PointLocale();
    ~PointLocale();
    PointLocale(const PointLocale&) = delete;
    PointLocale& operator=(const PointLocale&) = delete;

  private:
    locale_t m_point;
    locale_t m_before;
};

/// Checks extents and spacing that came from a file. **Errors**: Input.
void requireSaneHeader(const std::filesystem::path& path, const ImageInfo& info);

/// Turns the order of the bytes of every voxel round.
void swapBytes(void* data, std::int64_t count, std::int64_t bytesPerVoxel);

/// The bytes of an image's pixels.
[[nodiscard]] void* bytesOf(base::AnyImage& image);

/// The unit written as `text` and the factor to it: "um" for "micron", "mm" and 10 for "cm".
/// The name is empty when the text is no length we know.
struct Unit {
    std::string name;
    double factor = 1;
};
[[nodiscard]] Unit parseUnit(std::string_view text);

/// Metres of one "mm", "um", "nm" or "A".
[[nodiscard]] double unitLength(std::string_view unit);

} // namespace flcc::io::detail
