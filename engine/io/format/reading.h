#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/files/paths.h"
#include "engine/io/image_file.h"

namespace flcc::io::detail {

/// Each has a row in the table of formats (formats.h).
enum class Format {
    Png,
    Tiff,
    Nrrd,
    MetaImage,
    Nifti,
    Mrc,
    Mgh,
    Em,
    Spider,
    Gatan,
    Ser,
    Imagic,
    Fits,
    Jpeg,
    Dicom,
    Hdf5,
    Bmp,
    Pnm,
    Gif,
    WebP,
    Jpeg2000,
    Vtk,
    Gipl,
    BioRad,
    Stimulate,
    Bruker,
    Ge4,
    Ge5,
    GeAdw,
    Siemens,
    Slide,
    Eer,
    Raw
};

/// The text of ImageInfo::format: "PNG", "TIFF" and so on.
[[nodiscard]] std::string_view name(Format format);

/// Throws Input if `promised` > `present`: "the header promises X bytes of pixels, the file holds
/// Y".
void requireBytes(const std::filesystem::path& path, std::int64_t promised, std::int64_t present);

/// The file of "FILE.h5:/path/to/dataset" and the dataset; otherwise the path and an empty text.
struct DatasetPath {
    std::filesystem::path file;
    std::string dataset;
};
[[nodiscard]] DatasetPath splitDataset(const std::filesystem::path& path);

/// Detects the format from the first bytes; uses the extension only if the bytes do not decide. A
/// folder is a DICOM series. **Errors**: Input for an unknown format and as requireRegularFile.
[[nodiscard]] Format detectFormat(const std::filesystem::path& path);

/// True if the file begins as gzip does.
[[nodiscard]] bool isGzip(const std::filesystem::path& path);

/// The extension in lower case; ".nii.gz" counts as one extension.
[[nodiscard]] std::string extensionOf(const std::filesystem::path& path);

/// Throws for a reading that the image cannot have. **Errors**: Input without a resolution that is
/// asked for; Problem for an image that the file does not have, and for the resolution of a volume.
void requireReading(const std::filesystem::path& path, const ImageInfo& info,
                    const Reading& reading);

/// **Errors**: Problem for a box that leaves an image of these extents.
void requireInside(const std::filesystem::path& path, const base::Extents& extents,
                   const base::Box& box);

/// Makes the properties of an image those of a box of it.
void moveTo(ImageInfo& info, const base::Box& box);

/// The channel and frame to read.
struct Choice {
    int channel = 0;
    int frame = 0;
};

/// Call it before pixels or buffers are allocated. `buffers` are the bytes that decoding takes
/// beside the pixels; less than 4 MiB count as none.
/// **Errors**: Problem when there are several channels or frames and none was chosen, or the chosen
/// one does not exist; Memory when pixels and buffers need more than `options` allows.
[[nodiscard]] Choice choose(const std::filesystem::path& path, const ImageInfo& info,
                            const ReadOptions& options, std::int64_t buffers = 0);
/// a * b, or INT64_MAX where the product is larger. **Shapes**: a and b are not negative.
[[nodiscard]] std::int64_t cappedProduct(std::int64_t a, std::int64_t b);
/// a + b, likewise.
[[nodiscard]] std::int64_t cappedSum(std::int64_t a, std::int64_t b);

/// Checks extents and spacing read from a file. **Errors**: Input.
void requireSaneHeader(const std::filesystem::path& path, const ImageInfo& info);

/// Reverses the bytes of every voxel.
void swapBytes(void* data, std::int64_t count, std::int64_t bytesPerVoxel);

/// Address of the first byte of the pixels.
[[nodiscard]] void* bytesOf(base::AnyImage& image);

/// The unit written as `text`, and the factor to it: "um" for "micron", "mm" and 10 for "cm". The
/// name is empty if the text is not a known length.
struct Unit {
    std::string name;
    double factor = 1;
};
[[nodiscard]] Unit parseUnit(std::string_view text);

/// Length in metres of "mm", "um", "nm" or "A".
[[nodiscard]] double unitLength(std::string_view unit);

} // namespace flcc::io::detail
