#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/io/atomic_file.h"
#include "engine/io/digest.h"

namespace flcc::io {

/// Whether a picture is turned as its file says.
enum class Orientation { Applied, Stored };

/// How a file is taken where it can be taken in several ways.
struct Reading {
    Orientation orientation = Orientation::Applied;
    /// Of a file with several images or a slide with several levels, from 0; empty: the main one.
    std::optional<int> image{};
    /// The image is this box of what the file holds, and nothing else is read or looked at as far
    /// as ImageInfo::regions allows; its origin is moved. Empty: all of it.
    std::optional<base::Box> part{};
    /// The pixels on an inch or a centimetre that the file states are the spacing.
    bool resolution = false;

    friend bool operator==(const Reading&, const Reading&) = default;
};

/// What readRegion() reads of a file.
enum class RegionAccess {
    Box,    ///< little more than the box
    Stream, ///< all pixels before the end of the box; memory for the box only
    Whole,  ///< the whole channel and frame, which is then cut
};

/// Properties of an image file that are known without its pixels.
struct ImageInfo {
    /// "PNG", "TIFF", "NRRD", "MetaImage", "NIfTI", "MRC", "JPEG", "DICOM", "HDF5", "BMP", "PNM",
    /// "GIF", "WebP", "JPEG 2000", "MGH", "EM", "SPIDER", "IMAGIC", "DigitalMicrograph", "SER",
    /// "FITS", "EER", "slide", "VTK legacy", "GIPL", "BioRad", "Stimulate", "Bruker 2dseq",
    /// "GE Signa 4.x", "GE Signa 5.x", "GE Advantage", "Siemens Vision", "raw"
    std::string format;
    base::Extents extents;
    base::PixelType pixel = base::PixelType::UInt8;
    int components = 1; ///< 1: grey; 2: grey and opacity; 3 and 4: colour
    int channels = 1;   ///< if more than one, ReadOptions must choose one
    int frames = 1;     ///< if more than one, ReadOptions must choose one
    int images = 1;     ///< of a TIFF file, levels of a slide; Reading::image chooses
    int image = 0;      ///< the one that is described
    base::Geometry geometry;
    bool directed = false; ///< the file states the directions of `geometry`
    /// Millimetres from pixel to pixel along x and y, by the pixels on an inch or a centimetre that
    /// the file states. Programs write them for printing, so they are the spacing only where
    /// Reading::resolution says so.
    std::optional<std::array<double, 2>> resolution{};
    std::map<std::string, std::string> metadata; ///< texts stored in the file
    /// All pixels are known to be in the file: their bytes were counted, or verifyImage read them.
    bool complete = false;
    int files = 1; ///< more for a DICOM series, a set of OME-TIFF files, voxels in several files
    bool series = false; ///< none of the files comes before the others, as in a DICOM series
    std::int64_t skippedFiles = 0;  ///< other files in the folder of a DICOM series
    std::vector<std::string> notes; ///< sentences for the user: what was assumed on reading
    RegionAccess regions = RegionAccess::Whole;
};

struct ReadOptions {
    std::optional<int> channel{}; ///< counted from 0
    std::optional<int> frame{};   ///< counted from 0
    /// A file whose pixels and decoder need more is an error.
    std::int64_t maxBytes = INT64_MAX;
    /// A file whose decoder needs more buffers beside the pixels is an error.
    std::int64_t maxBufferBytes = INT64_MAX;
    std::stop_token stop{}; ///< checked in every row, strip, tile or block
    bool digests = false;   ///< fill in LoadedImage::files
    Reading reading{};
};

/// An image in memory with the values of the file; one plane for each colour component, never
/// interleaved.
struct LoadedImage {
    ImageInfo info;
    std::vector<base::AnyImage> components;
    /// The files that were read, if ReadOptions::digests is set: the image file and, if that is
    /// only a header, the files of voxels beside it; of a DICOM series all files, sorted by name.
    std::vector<FileDigest> files;
};

/// Reads the header only. Packed pixels are not unpacked, so that a file of which they are cut off
/// or damaged can have a header; ImageInfo::complete is then false. If cancelled, the format is
/// empty. **Errors**: Input, one sentence with the path.
[[nodiscard]] ImageInfo readImageInfo(const std::filesystem::path& path,
                                      const std::stop_token& stop = {},
                                      const Reading& reading = {});

/// Whether a file is an image of a known format, by its first bytes or, if it is damaged, by its
/// extension. **Errors**: Input for a missing file.
[[nodiscard]] bool isImage(const std::filesystem::path& path);

/// One of several images that lie behind one name.
struct ImageChoice {
    std::filesystem::path path; ///< opens this one
    std::string name;           ///< path of the dataset, or description of the series
    std::string kind;           ///< pixel type of a dataset; modality of a series
    std::string sizes;          ///< "512x512", x first
    std::int64_t count = 1;     ///< files of a series
};

/// The series of a folder of DICOM files, or the datasets of an HDF5 file, if there are several;
/// otherwise nothing, also if cancelled. Reads headers only. **Errors**: as readImageInfo.
[[nodiscard]] std::vector<ImageChoice> imagesIn(const std::filesystem::path& path,
                                                const std::stop_token& stop = {});

/// Reads the header and every pixel of all channels and frames, and keeps no pixel. If cancelled,
/// the format is empty. **Cost**: the time to read the file; memory for one block, or for one frame
/// of PNG, JPEG and TIFF. **Errors**: Input, also when pixels are cut off or damaged; Memory.
[[nodiscard]] ImageInfo verifyImage(const std::filesystem::path& path,
                                    const std::stop_token& stop = {}, const Reading& reading = {});

/// Reads a file: PNG, TIFF, NRRD, MetaImage, NIfTI, MRC, MGH, EM, SPIDER, IMAGIC, DM3, DM4, SER,
/// FITS, JPEG, BMP, PNM, GIF, WebP, JPEG 2000; a DICOM series (its folder or one of
/// its files); a dataset of an HDF5 file ("FILE.h5:/path", or "FILE.h5" for its only one); voxels
/// without a header ("FILE:WxHxD:TYPE:le:OFFSET", RawVolume). If
/// cancelled, returns an image without components; that takes far less than a second for files of
/// any size. With `options.digests`, the function makes sure that no file changes from before its
/// header is read until after its last pixel is read.
/// **Errors**: Input when the file is missing, empty, truncated, unsupported or contradicts its
/// header, or, with `options.digests`, is changed while it is read; Problem when it has several
/// channels or frames and none was chosen, or the chosen one does not exist; Memory when it exceeds
/// maxBytes or maxBufferBytes, before anything of that size is allocated.
[[nodiscard]] LoadedImage readImage(const std::filesystem::path& path,
                                    const ReadOptions& options = {});

/// Reads the voxels of a box, of all components of the chosen channel and frame. The extents and
/// the geometry of the result are those of the box. Of what a file must hold, only the box is
/// checked.
/// **Cost**: ImageInfo::regions; memory for the box, and for the whole image if that is Whole.
/// **Errors**: as readImage; Problem when the box leaves the image.
[[nodiscard]] LoadedImage readRegion(const std::filesystem::path& path, const base::Box& box,
                                     const ReadOptions& options = {});

/// Makes one scalar image: the only component, or for colour the luminance 0.299 R + 0.587 G +
/// 0.114 B, rounded to the component's type if that is an integer. Opacity has no influence. Moves
/// the pixels out of `image`.
/// If cancelled, the result has no pixels.
struct ScalarImage {
    base::AnyImage pixels;
    std::string note; ///< says that colour was converted to luminance; else empty
};
[[nodiscard]] ScalarImage toScalar(LoadedImage image, const std::stop_token& stop = {});

/// The other files that the image `image` is read from: the voxels that a header names, or the
/// header of an ".img" file, or the other files of a set of OME-TIFF files that are there. Empty
/// for a single file and for a DICOM series. **Errors**: Input for a header that cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> filesBeside(const std::filesystem::path& image);

/// Writes one scalar image to the temporary name of `file`; the caller calls commit(). The
/// extension of the target chooses the format: .mha .nrrd .nii .nii.gz .mrc .mrcs .tif .tiff .h5
/// .png; a build without image libraries writes .mha .nrrd .nii .mrc .mrcs. `metadata` are texts
/// that .mha, .nrrd and .tif store and readImage returns; keys consist of letters, digits, '_',
/// '.', '-'. Returns one sentence for each property that the format cannot store or stores in
/// another way (spacing and unit, origin, direction, uint8 in .mrc). If cancelled, returns nothing.
/// **Errors**: CommandLine when the format cannot store the pixel type or a volume, or the
/// extension is unknown; Output when the file cannot be written.
std::optional<std::vector<std::string>>
writeImage(const AtomicFile& file, const base::AnyView& pixels, const base::Geometry& geometry,
           const std::map<std::string, std::string>& metadata = {},
           const std::stop_token& stop = {});

/// Writes a stack of images of one size, which lie one behind the other in `pixels`, to the
/// temporary name of `file`. MRC: a stack of volumes (ISPG 401, MZ slices each) or, of flat
/// members, of images (ISPG 0). HDF5: a dataset with an axis of members (t) before z, y and x.
/// Other formats hold the slices of all members as one volume. Otherwise as writeImage().
/// **Errors**: also Internal if the slices are not those of `members` images.
std::optional<std::vector<std::string>>
writeStack(const AtomicFile& file, const base::AnyView& pixels, std::int64_t members,
           const base::Geometry& geometry, const std::stop_token& stop = {});

/// Writes the image to `path`, completely or not at all: after an error or a cancellation, an
/// existing file is unchanged. Otherwise as above.
std::optional<std::vector<std::string>>
writeImage(const std::filesystem::path& path, const base::AnyView& pixels,
           const base::Geometry& geometry, const std::map<std::string, std::string>& metadata = {},
           const std::stop_token& stop = {});

/// Reads what writeImage() or writeStack() wrote to the temporary name of `file` and compares all
/// voxels. False if cancelled. **Errors**: Output where other extents or values are read; as
/// readImage().
[[nodiscard]] bool checkWritten(const AtomicFile& file, const base::View<const float>& voxels,
                                const std::stop_token& stop = {});

/// Throws the CommandLine error that writeImage would throw. For a check before computing.
void requireWritable(const std::filesystem::path& path, base::PixelType type,
                     const base::Extents& extents);

/// Extensions, for dialogs, that readImage can read and writeImage can write: "png", "tif", ...
[[nodiscard]] const std::vector<std::string>& readableExtensions();
[[nodiscard]] const std::vector<std::string>& writableExtensions();

/// Versions of the image libraries in use, or that the build has none. For reports and the About
/// box.
[[nodiscard]] std::string imageLibraryVersion();

} // namespace flcc::io
