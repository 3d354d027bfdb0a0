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

// Two functions for each library or format; image_file.cpp chooses. **Shapes**: the path is a
// readable regular file of that format.

namespace flcc::io::detail {

using Metadata = std::map<std::string, std::string>;

/// MetaImage, by our own code: one file, or a header beside a file of voxels. Reads voxels packed
/// by zlib only if the build has zlib.
[[nodiscard]] ImageInfo mhaInfo(const std::filesystem::path& path);
[[nodiscard]] LoadedImage readMha(const std::filesystem::path& path, const ReadOptions& options,
                                  ReadFiles* files);

/// The file of voxels that the header names; empty if the voxels follow the header in the same
/// file. **Errors**: Input.
[[nodiscard]] std::filesystem::path mhaVoxelFile(const std::filesystem::path& path);
[[nodiscard]] std::filesystem::path nrrdVoxelFile(const std::filesystem::path& path);

/// Writes header and raw voxels as one file to the temporary name `path`. **Errors**: Output; the
/// sentence names `target`.
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

/// Rows of pixels without gaps between pixels: grey (8 or 16 bits), RGB or RGBA (8 bits).
struct PngRows {
    const void* pixels = nullptr;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t rowBytes = 0; ///< distance from the start of one row to the start of the next
    int components = 1;
    int bytesPerComponent = 1;
};
void writePng(const std::filesystem::path& path, const std::filesystem::path& target,
              const PngRows& image, const std::stop_token& stop);

/// Through libjpeg.
[[nodiscard]] ImageInfo jpegInfo(const std::filesystem::path& path, const std::stop_token& stop);
[[nodiscard]] LoadedImage readJpeg(const std::filesystem::path& path, const ReadOptions& options);

/// NRRD, NIfTI and MRC: ITK reads the header, readRaw reads the voxels.
[[nodiscard]] ImageInfo itkInfo(const std::filesystem::path& path, Format format,
                                const std::stop_token& stop);
[[nodiscard]] LoadedImage readItk(const std::filesystem::path& path, Format format,
                                  const ReadOptions& options, ReadFiles* files);

/// Where and how the voxels are stored, as far as ITK does not report it.
struct VoxelPlace {
    RawLayout layout;
    /// Type in the file, if it is not the type of the image. Then value in the image = slope *
    /// value in the file + intercept.
    std::optional<base::PixelType> stored;
    double slope = 1;
    double intercept = 0;
};

/// Checks the structure of a file for faults that ITK does not report: a truncated file or
/// contradicting fields. Call it before ITK reads the file. **Errors**: Input.
void checkStructure(const std::filesystem::path& path, Format format, const std::stop_token& stop);

/// Adds to `info` the unit and signedness that only the header holds.
void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info);

/// Position of the voxels in the file. **Errors**: Input when the file is too short for `info`.
[[nodiscard]] VoxelPlace voxelPlace(const std::filesystem::path& path, Format format,
                                    const ImageInfo& info);

} // namespace flcc::io::detail
