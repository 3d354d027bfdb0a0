#pragma once

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

/// What a file says of itself, without its pixels.
struct ImageInfo {
    std::string format; ///< "PNG", "TIFF", "NRRD", "MetaImage", "NIfTI", "MRC", "JPEG"
    base::Extents extents;
    base::PixelType pixel = base::PixelType::UInt8;
    int components = 1; ///< 1; 2 grey and opacity; 3 and 4 colour
    int channels = 1;   ///< more than one: the reader must be told which
    int frames = 1;     ///< likewise
    base::Geometry geometry;
    std::map<std::string, std::string> metadata; ///< texts the format carries
};

struct ReadOptions {
    std::optional<int> channel{};      ///< from 0
    std::optional<int> frame{};        ///< from 0
    std::int64_t maxBytes = INT64_MAX; ///< refuse a file whose pixels need more
    std::stop_token stop{};            ///< looked for in every row, strip, tile or block
    bool digests = false;              ///< fill in LoadedImage::files
};

/// An image in memory as it stood in the file; one plane a colour component, never interleaved.
struct LoadedImage {
    ImageInfo info;
    std::vector<base::AnyImage> components;
    /// What it was read from, if ReadOptions::digests asks for that: the file, and after a header
    /// the file beside it that holds its voxels.
    std::vector<FileDigest> files;
};

/// Reads the header only; a packed file may have to be unpacked once to know that it is whole. An
/// info without a format when stopped. **Errors**: Input, one sentence with the path.
[[nodiscard]] ImageInfo readImageInfo(const std::filesystem::path& path,
                                      const std::stop_token& stop = {});

/// Reads a file: PNG, TIFF, NRRD, MetaImage, NIfTI, MRC, JPEG. Stopped, it returns an image without
/// components, in far less than a second however large the file is.
/// With `digests` each file is the one its digest is of, from before its header was read until
/// after its last pixel.
/// **Errors**: Input when it is missing, empty, truncated, unsupported or contradicts its header,
/// or, with `digests`, is changed while it is read;
/// Problem when it has several channels or frames and none was chosen, or one that does not exist;
/// Memory when it exceeds maxBytes.
[[nodiscard]] LoadedImage readImage(const std::filesystem::path& path,
                                    const ReadOptions& options = {});

/// One scalar image: the only component, or the luminance 0.299 R + 0.587 G + 0.114 B of colour,
/// rounded to the component's type when that is an integer. Moves the pixels out of `image`. No
/// pixels when stopped.
struct ScalarImage {
    base::AnyImage pixels;
    std::string note; ///< says so when colour was turned to luminance; else empty
};
[[nodiscard]] ScalarImage toScalar(LoadedImage image, const std::stop_token& stop = {});

/// Writes one scalar image to the temporary name of `file`; commit() is the caller's. Format by the
/// extension of the target: .mha .nrrd .tif .tiff .png; a build without ITK writes .mha only.
/// `metadata` are texts that .mha, .nrrd and .tif keep and readImage returns; keys are made of
/// letters, digits, '_', '.', '-'. Returns one sentence for each thing the format drops (spacing
/// and unit, origin, direction); nothing when it was stopped.
/// **Errors**: CommandLine when the format cannot hold the pixel type or a volume, or the
/// extension is unknown; Output when it cannot be written.
std::optional<std::vector<std::string>>
writeImage(const AtomicFile& file, const base::AnyView& pixels, const base::Geometry& geometry,
           const std::map<std::string, std::string>& metadata = {},
           const std::stop_token& stop = {});

/// Likewise to `path`, whole or not at all: after an error or a stop a file that was there is as it
/// was.
std::optional<std::vector<std::string>>
writeImage(const std::filesystem::path& path, const base::AnyView& pixels,
           const base::Geometry& geometry, const std::map<std::string, std::string>& metadata = {},
           const std::stop_token& stop = {});

/// Throws the CommandLine error writeImage would throw, before anything is computed.
void requireWritable(const std::filesystem::path& path, base::PixelType type,
                     const base::Extents& extents);

/// Extensions that readImage and writeImage know, for dialogs: "png", "tif", ...
[[nodiscard]] const std::vector<std::string>& readableExtensions();
[[nodiscard]] const std::vector<std::string>& writableExtensions();

/// Versions of the image library in use, or that it was left out: for reports and the About box.
[[nodiscard]] std::string imageLibraryVersion();

} // namespace flcc::io
