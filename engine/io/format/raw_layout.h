#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/io/image_file.h"

namespace flcc::io::detail {

/// Encoding of the bytes of the voxels.
enum class Encoding {
    Plain,
    Packed, ///< by zlib or gzip; one stream a file
    Text,   ///< numbers separated by white space
    Hex,    ///< two hexadecimal digits for each byte
};

/// Values in the file that are not stored in their pixel type.
enum class Coding {
    Same,
    Half,   ///< 16-bit floating point; the pixel type is float32
    Nibble, ///< two 4-bit values in a byte, the first in the low bits; the pixel type is uint8
};

/// What the steps along an axis of the file are. A file may have several axes of channels or
/// frames; the first of them in FileAxis order then runs fastest.
enum class AxisRole { X, Y, Z, Component, Channel, Frame };

/// An axis of the file.
struct FileAxis {
    AxisRole role = AxisRole::X;
    std::int64_t length = 1;
    std::int64_t stored = 0; ///< values that a step along the next axis skips, if they are more
                             ///< than `length` (rows that are filled up); else 0
};

/// A file of voxels, and the bytes before them.
struct RawPart {
    std::filesystem::path file;
    std::int64_t offset = 0;
};

/// Position, encoding and order of the raw voxels in one or several files.
struct RawLayout {
    std::filesystem::path file;
    std::int64_t offset = 0;
    std::vector<RawPart> more; ///< further files; each holds as many values as the first
    Encoding encoding = Encoding::Plain;
    Coding coding = Coding::Same;
    std::int64_t skip = 0;      ///< bytes before the first voxel of each file, after decoding
    bool swapped = false;       ///< the byte order of the file differs from that of the processor
    std::vector<FileAxis> axes; ///< the fastest first; empty: the values of a voxel are adjacent,
                                ///< then x, y, z and frames
};

/// The files with voxels, in their order.
[[nodiscard]] std::vector<RawPart> partsOf(const RawLayout& layout);

/// The axes of the file with the number of values between two steps along each.
struct Step {
    AxisRole role;
    std::int64_t length;
    std::int64_t stride;
};
[[nodiscard]] std::vector<Step> stepsOf(const RawLayout& layout, const ImageInfo& info);

/// Values of all files, with those that only fill rows up. **Shapes**: requireRoom accepted them.
[[nodiscard]] std::int64_t valuesOf(const RawLayout& layout, const ImageInfo& info);

/// Bytes of `count` values of the type `pixel` as they are stored.
[[nodiscard]] std::int64_t storedBytes(Coding coding, base::PixelType pixel, std::int64_t count);

} // namespace flcc::io::detail
