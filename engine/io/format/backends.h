#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/drawing.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"
#include "engine/io/format/voxel_place.h"
#include "engine/io/image_file.h"

// Two functions for each library or format; image_file.cpp chooses. **Shapes**: the path is a
// readable regular file of that format.

namespace flcc::io::detail {

using Metadata = std::map<std::string, std::string>;

/// Headers that our own code reads; their voxels are read by readVoxels. Voxels packed by zlib need
/// a build with zlib. MetaImage and NRRD: one file, or a header beside files of voxels. NIfTI and
/// Analyze 7.5: one file, or header and voxels. **Errors**: Input; Stopped.
[[nodiscard]] Described describeMha(const std::filesystem::path& path);
[[nodiscard]] Described describeNrrd(const std::filesystem::path& path,
                                     const std::stop_token& stop);
[[nodiscard]] Described describeNifti(const std::filesystem::path& path);
[[nodiscard]] Described describeMrc(const std::filesystem::path& path);
/// **Shapes**: rawVolumeOf() reads the path.
[[nodiscard]] Described describeRaw(const std::filesystem::path& path);

/// True if the first bytes can be those of an MRC file of `size` bytes: mode, extents and axes make
/// sense in one of the two byte orders, and the voxels fit into the file. `size` is INT64_MAX for a
/// packed file.
[[nodiscard]] bool looksLikeMrc(const std::vector<unsigned char>& bytes, std::int64_t size);

/// For a header ".hdr" or the voxels ".img" of NIfTI and Analyze 7.5, packed or not: both files.
/// The file of the voxels is empty if it is missing. Nothing for other files.
struct HeaderAndVoxels {
    std::filesystem::path header;
    std::filesystem::path voxels;
};
[[nodiscard]] std::optional<HeaderAndVoxels> niftiPairOf(const std::filesystem::path& path);

/// The header of a file whose raw voxels follow it.
[[nodiscard]] std::string mhaHeader(base::PixelType type, const base::Extents& extents,
                                    const base::Geometry& geometry, const Metadata& metadata);
[[nodiscard]] std::string nrrdHeader(base::PixelType type, const base::Extents& extents,
                                     const base::Geometry& geometry, const Metadata& metadata);

/// The same of HDF5: one dataset with the axes z, y and x, or y and x of a flat image. Of a stack
/// of `members` images (0: one image), t comes first and the extents are those of a member.
[[nodiscard]] std::string hdf5Header(base::PixelType type, const base::Extents& extents,
                                     std::int64_t members, const base::Geometry& geometry);

/// Writes to the temporary name `path`. **Errors**: Output; the sentence names `target`.
/// NIfTI-1, or NIfTI-2 if an axis is longer than 32767; `packed` writes gzip. MRC stores uint8 as
/// uint16; `members` as in writeStack(), 0 for one image.
void writeNifti(const std::filesystem::path& path, const std::filesystem::path& target,
                const base::AnyView& pixels, const base::Geometry& geometry, bool packed,
                const std::stop_token& stop);
void writeMrc(const std::filesystem::path& path, const std::filesystem::path& target,
              const base::AnyView& pixels, const base::Geometry& geometry, std::int64_t members,
              const std::stop_token& stop);

/// Through libtiff.
[[nodiscard]] ImageInfo tiffInfo(const std::filesystem::path& path, const std::stop_token& stop,
                                 const Reading& reading);
[[nodiscard]] LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options);
/// Decodes every page once: reading one of the samples of a pixel decodes the others.
void verifyTiff(const std::filesystem::path& path, const std::stop_token& stop,
                const Reading& reading);
/// The other files of an OME-TIFF set that are there. Empty if the file cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> tiffSetFiles(const std::filesystem::path& path);
void writeTiff(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata, const std::stop_token& stop);

/// Through libpng.
[[nodiscard]] ImageInfo pngInfo(const std::filesystem::path& path, const Reading& reading);
[[nodiscard]] LoadedImage readPng(const std::filesystem::path& path, const ReadOptions& options);

/// Rows of pixels without gaps between pixels: grey (8 or 16 bits), RGB or RGBA (8 bits).
struct PngRows {
    const void* pixels = nullptr;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t rowBytes = 0; ///< distance from the start of one row to the start of the next
    int components = 1;
    int bytesPerComponent = 1;
    std::int64_t pixelsPerMetre = 0; ///< resolution for printing; 0: not stated
};
void writePng(const std::filesystem::path& path, const std::filesystem::path& target,
              const PngRows& image, const std::stop_token& stop);
/// The same in memory. **Errors**: Output.
[[nodiscard]] std::vector<unsigned char> pngBytes(const PngRows& image);

/// Draws by cairo: .png with image libraries, else .pdf. **Errors**: Output.
void drawByCairo(const AtomicFile& file, const Drawing& drawing);

/// Through libjpeg.
[[nodiscard]] ImageInfo jpegInfo(const std::filesystem::path& path, const std::stop_token& stop,
                                 const Reading& reading);
[[nodiscard]] LoadedImage readJpeg(const std::filesystem::path& path, const ReadOptions& options);

/// DICOM and HDF5: the process flcc-reader reads them. `path` may be a folder (DICOM) or have the
/// path of a dataset at its end (HDF5). The files of a DICOM series are added to `files`, which may
/// be null.
[[nodiscard]] ImageInfo processInfo(const std::filesystem::path& path, Format format,
                                    const std::stop_token& stop, const Reading& reading);
[[nodiscard]] std::vector<ImageChoice> processChoices(const std::filesystem::path& path,
                                                      Format format, const std::stop_token& stop);
/// `box`: only this box is read; of a format whose ImageInfo::regions is Box.
[[nodiscard]] LoadedImage readByProcess(const std::filesystem::path& path, Format format,
                                        const ReadOptions& options,
                                        const std::optional<base::Box>& box, ReadFiles* files);

} // namespace flcc::io::detail
