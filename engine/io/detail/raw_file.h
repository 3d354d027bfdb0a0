#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/detail/reading.h"

namespace flcc::io::detail {

/// How the bytes of the voxels are written down.
enum class Encoding {
    Plain,
    Packed, ///< by zlib or gzip, all frames in one stream
    Text,   ///< numbers with blanks between them
    Hex,    ///< two digits a byte
};

/// Where raw voxels lie in a file, frame after frame.
struct RawLayout {
    std::filesystem::path file;
    std::int64_t offset = 0;
    Encoding encoding = Encoding::Plain;
    std::int64_t skip = 0;  ///< bytes before the voxels, once decoded
    bool swapped = false;   ///< the bytes of each value stand in the other order than ours
    std::int64_t inner = 1; ///< values of one component or channel before those of the next; 1: the
                            ///< values of a voxel stand side by side
};

/// **Errors**: Input when `present` bytes hold less than frames * voxels * bytesPerVoxel.
void requireRawBytes(const std::filesystem::path& path, const base::Extents& extents,
                     std::int64_t bytesPerVoxel, std::int64_t frames, std::int64_t present);

class ReadFiles;

/// The planes of one frame: all components, or the chosen channel. Memory is that of the planes and
/// a block. A file of `files`, which may be null, is hashed on the way. **Errors**: Input; Stopped.
[[nodiscard]] std::vector<base::AnyImage> readRaw(const ImageInfo& info, const RawLayout& layout,
                                                  const Choice& choice, ReadFiles* files,
                                                  const std::stop_token& stop);

/// Copies `count` values, value `first`, `first + step`, ... of `source`, which is of the target's
/// type, to the voxels of `target` from number `at` on.
void takeEvery(base::AnyImage& target, std::int64_t at, std::int64_t count, const void* source,
               std::int64_t first, std::int64_t step);

/// `header` followed by the voxels. **Errors**: Output, naming `target`; Stopped.
void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels, const std::stop_token& stop);

/// Throws Output: "cannot write PATH: REASON".
[[noreturn]] void failOutput(const std::filesystem::path& target, const std::string& reason);

/// Fills in the unit a header names: no unit and a spacing of 1 is "px", no unit and another
/// spacing is taken as mm, as ITK and its kin do, and called missing.
void setHeaderUnit(base::Geometry& geometry, const std::string& text);

/// The shortest text that reads back as the same double, with a point.
[[nodiscard]] std::string numberText(double value);

/// The key, if it is made of letters, digits, '_', '.' and '-'. **Errors**: Internal.
[[nodiscard]] std::string requireKey(const std::string& key);

/// `value` without line breaks and control characters.
[[nodiscard]] std::string oneLine(const std::string& value);

} // namespace flcc::io::detail
