#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/io/detail/reading.h"
#include "engine/io/image_file.h"

// One pair of functions a library or format; image_file.cpp chooses. The path is a readable regular
// file of the format when they are called.

namespace flcc::io::detail {

using Metadata = std::map<std::string, std::string>;

/// MetaImage, our own: one file, or a header beside a file of voxels; packed by zlib only where the
/// build has it.
[[nodiscard]] ImageInfo mhaInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readMha(const std::filesystem::path& path, const ReadOptions& options);

/// Header text and raw voxels in one file, at the temporary name `path`. **Errors**: Output, with
/// `target` in the sentence.
void writeMha(const std::filesystem::path& path, const std::filesystem::path& target,
              const base::AnyView& pixels, const base::Geometry& geometry,
              const Metadata& metadata);
void writeNrrd(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata);

/// Through libtiff.
[[nodiscard]] ImageInfo tiffInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options);
void writeTiff(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata);

/// Through libpng.
[[nodiscard]] ImageInfo pngInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readPng(const std::filesystem::path& path, const ReadOptions& options);

/// Grey (8 or 16 bits) or RGB (8 bits) rows, without gaps.
void writePng(const std::filesystem::path& path, const std::filesystem::path& target,
              const void* pixels, std::int64_t width, std::int64_t height, int components,
              int bytesPerComponent);

/// Through ITK.
[[nodiscard]] ImageInfo itkInfo(const std::filesystem::path& path, Format format);
[[nodiscard]] LoadedImage readItk(const std::filesystem::path& path, Format format,
                                  const ReadOptions& options);

/// Unpacks a zlib stream at `offset` of a file, which must give `count` bytes. **Errors**: Input.
void inflateInto(const std::filesystem::path& path, std::int64_t offset, void* target,
                 std::int64_t count);

/// Looks through the structure of a file for what the libraries do not tell: that it ends early,
/// or contradicts itself. **Errors**: Input.
void checkStructure(const std::filesystem::path& path, Format format);

/// Refines what ITK says of a file with what only its header tells: unit, signedness.
void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info);

} // namespace flcc::io::detail
