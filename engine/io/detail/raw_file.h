#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/detail/reading.h"

namespace flcc::io::detail {

/// Where raw voxels lie in a file: components and channels side by side, frame after frame.
struct RawLayout {
    std::filesystem::path file;
    std::int64_t offset = 0;
    bool packed = false;  ///< by zlib, all frames in one stream
    bool swapped = false; ///< the bytes of each value stand in the other order than ours
};

/// **Errors**: Input when `present` bytes hold less than frames * voxels * bytesPerVoxel.
void requireRawBytes(const std::filesystem::path& path, const base::Extents& extents,
                     std::int64_t bytesPerVoxel, std::int64_t frames, std::int64_t present);

/// The planes of one frame: all components, or the chosen channel.
[[nodiscard]] std::vector<base::AnyImage> readRaw(const ImageInfo& info, const RawLayout& layout,
                                                  const Choice& choice);

/// Copies `count` values, value `first`, `first + step`, ... of `source`, which is of the target's
/// type, to the voxels of `target` from number `at` on.
void takeEvery(base::AnyImage& target, std::int64_t at, std::int64_t count, const void* source,
               std::int64_t first, std::int64_t step);

/// `header` followed by the voxels. **Errors**: Output, naming `target`.
void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels);

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
