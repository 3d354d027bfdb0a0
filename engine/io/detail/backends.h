#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/detail/raw_file.h"
#include "engine/io/detail/reading.h"
#include "engine/io/image_file.h"

// One pair of functions a library or format; image_file.cpp chooses. The path is a readable regular
// file of the format when they are called.

namespace flcc::io::detail {

using Metadata = std::map<std::string, std::string>;

/// MetaImage, our own: one file, or a header beside a file of voxels; packed by zlib only where the
/// build has it.
[[nodiscard]] ImageInfo mhaInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readMha(const std::filesystem::path& path, const ReadOptions& options,
                                  ReadFiles* files);

/// The file beside the header that it names as the place of its voxels; empty when there is none.
/// **Errors**: Input.
[[nodiscard]] std::filesystem::path mhaVoxelFile(const std::filesystem::path& path);
[[nodiscard]] std::filesystem::path nrrdVoxelFile(const std::filesystem::path& path);

/// Header text and raw voxels in one file, at the temporary name `path`. **Errors**: Output, with
/// `target` in the sentence.
void writeMha(const std::filesystem::path& path, const std::filesystem::path& target,
              const base::AnyView& pixels, const base::Geometry& geometry, const Metadata& metadata,
              const std::stop_token& stop);
void writeNrrd(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata, const std::stop_token& stop);

/// Through libtiff.
[[nodiscard]] ImageInfo tiffInfo(const std::filesystem::path& path, const std::stop_token& stop);
[[nodiscard]] LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options);
void writeTiff(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata, const std::stop_token& stop);

/// Through libpng.
[[nodiscard]] ImageInfo pngInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readPng(const std::filesystem::path& path, const ReadOptions& options);

/// Grey (8 or 16 bits), RGB or RGBA (8 bits) rows, each without gaps.
struct PngRows {
    const void* pixels = nullptr;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t rowBytes = 0; ///< from the start of a row to that of the next
    int components = 1;
    int bytesPerComponent = 1;
};
void writePng(const std::filesystem::path& path, const std::filesystem::path& target,
              const PngRows& image, const std::stop_token& stop);

/// Through libjpeg.
[[nodiscard]] ImageInfo jpegInfo(const std::filesystem::path& path, const std::stop_token& stop);
[[nodiscard]] LoadedImage readJpeg(const std::filesystem::path& path, const ReadOptions& options);

/// NRRD, NIfTI and MRC: the header through ITK, the voxels by readRaw.
[[nodiscard]] ImageInfo itkInfo(const std::filesystem::path& path, Format format,
                                const std::stop_token& stop);
[[nodiscard]] LoadedImage readItk(const std::filesystem::path& path, Format format,
                                  const ReadOptions& options, ReadFiles* files);

/// What a header says of the voxels, beside what ITK tells of it.
struct VoxelPlace {
    RawLayout layout;
    /// Type in the file, where it is not that of the image; then
    /// value in the image = slope * value in the file + intercept.
    std::optional<base::PixelType> stored;
    double slope = 1;
    double intercept = 0;
};

/// Looks through the structure of a file for what ITK does not tell: that it ends early, or
/// contradicts itself. To be called before ITK sees the file. **Errors**: Input.
void checkStructure(const std::filesystem::path& path, Format format, const std::stop_token& stop);

/// Refines what ITK says of a file with what only its header tells: unit, signedness.
void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info);

/// Where the voxels lie. **Errors**: Input when the file cannot hold what `info` promises.
[[nodiscard]] VoxelPlace voxelPlace(const std::filesystem::path& path, Format format,
                                    const ImageInfo& info);

} // namespace flcc::io::detail
