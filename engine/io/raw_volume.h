#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/pixels.h"

namespace flcc::io {

/// A file of voxels without a header, and what a person says about them. x runs fastest.
struct RawVolume {
    std::filesystem::path file;
    base::Extents extents{1, 1, 1};
    base::PixelType type = base::PixelType::UInt8;
    bool bigEndian = false;
    std::int64_t offset = 0; ///< bytes before the first voxel

    friend bool operator==(const RawVolume&, const RawVolume&) = default;
};

/// Reads the name of such a volume, "FILE:WxH[xD]:TYPE[:le|be][:OFFSET]", which all functions for
/// images take as a path. Nothing for another path, and for one that is the name of a file.
[[nodiscard]] std::optional<RawVolume> rawVolumeOf(const std::filesystem::path& path);

/// The name that rawVolumeOf() reads back: "scan.raw:64x64x32:uint16:le:512".
[[nodiscard]] std::filesystem::path rawPath(const RawVolume& volume);

/// Bytes that a file must have to hold the volume; INT64_MAX where no file can.
[[nodiscard]] std::int64_t bytesNeeded(const RawVolume& volume);

} // namespace flcc::io
