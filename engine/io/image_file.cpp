#include "engine/io/image_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"
#include "engine/io/detail/read_files.h"

namespace flcc::io {

namespace {

using base::PixelType;

/// Properties of an image format that can be written.
struct Writable {
    std::string_view extension;
    bool onlyBytesAndShorts;
    bool only2D;
    bool spacing;  ///< and unit
    bool position; ///< origin and direction
    bool metadata;
};

const std::vector<Writable>& writable() {
    static const std::vector<Writable> kFormats{
        {".mha", false, false, true, true, true},
#ifdef FLCC_IMAGE_IO
        {".nrrd", false, false, true, true, true},  {".tif", false, false, true, false, true},
        {".tiff", false, false, true, false, true}, {".png", true, true, false, false, false},
#endif
    };
    return kFormats;
}

std::string listed(const std::vector<std::string>& extensions) {
    std::string text;
    for (const std::string& extension : extensions) {
        text += (text.empty() ? "." : ", .") + extension;
    }
    return text;
}

const Writable& formatFor(const std::filesystem::path& path) {
    const std::string extension = detail::extensionOf(path);
    const auto& formats = writable();
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const Writable& format) {
        return format.extension == extension;
    });
    if (found == formats.end()) {
        throw base::Error(base::ErrorCode::CommandLine, "cannot write " + detail::shown(path) +
                                                            ": images are written as " +
                                                            listed(writableExtensions()));
    }
    return *found;
}

std::vector<std::string> dropped(const Writable& format, const base::Geometry& geometry,
                                 const std::map<std::string, std::string>& metadata) {
    const base::Geometry plain;
    const std::string word(format.extension.substr(1));
    std::vector<std::string> sentences;
    if (!format.spacing && (geometry.spacing != plain.spacing || geometry.unit != plain.unit)) {
        sentences.push_back("the voxel spacing and its unit are lost in a " + word + " file");
    }
    if (!format.position && geometry.origin != plain.origin) {
        sentences.push_back("the origin is lost in a " + word + " file");
    }
    if (!format.position && geometry.direction != plain.direction) {
        sentences.push_back("the direction of the axes is lost in a " + word + " file");
    }
    if (!format.metadata && !metadata.empty()) {
        sentences.push_back("the texts that belong to the image are lost in a " + word + " file");
    }
    return sentences;
}

#ifdef FLCC_IMAGE_IO
void writeGreyPng(const std::filesystem::path& path, const std::filesystem::path& target,
                  const base::AnyView& pixels, const std::stop_token& stop) {
    std::visit(
        [&](const auto& view) {
            constexpr int kBytes = sizeof(*view.data());
            detail::writePng(path, target,
                             {.pixels = view.data(),
                              .width = view.extents().x,
                              .height = view.extents().y,
                              .rowBytes = view.rowStride() * kBytes,
                              .components = 1,
                              .bytesPerComponent = kBytes},
                             stop);
        },
        pixels);
}
#endif

/// `value` to the nearest integer of the type, or the end of its range. As doubles, the ends of
/// 64-bit types lie outside of them.
template <class Voxel> Voxel rounded(double value) {
    if constexpr (std::is_integral_v<Voxel>) {
        constexpr auto kLow = static_cast<double>(std::numeric_limits<Voxel>::min());
        constexpr auto kBeyond = 2 * static_cast<double>(std::numeric_limits<Voxel>::max() / 2 + 1);
        const double whole = std::floor(value + 0.5);
        return whole >= kBeyond ? std::numeric_limits<Voxel>::max()
               : whole < kLow   ? std::numeric_limits<Voxel>::min()
                                : static_cast<Voxel>(whole);
    } else {
        return static_cast<Voxel>(value);
    }
}

/// The plane of luminance, in the type of the components. **Errors**: Stopped.
template <class Voxel>
base::Image<Voxel> luminance(const base::Image<Voxel>& red, const base::Image<Voxel>& green,
                             const base::Image<Voxel>& blue, const std::stop_token& stop) {
    base::Image<Voxel> result(red.extents());
    for (std::int64_t i = 0; i < result.count(); ++i) {
        if (i % (1 << 20) == 0) {
            detail::throwIfStopped(stop);
        }
        result.data()[i] = rounded<Voxel>(0.299 * static_cast<double>(red.data()[i]) +
                                          0.587 * static_cast<double>(green.data()[i]) +
                                          0.114 * static_cast<double>(blue.data()[i]));
    }
    return result;
}

ImageInfo infoOfFormat(const std::filesystem::path& path, const std::stop_token& stop) {
    (void)detail::requireRegularFile(path);
    const detail::Format format = detail::detectFormat(path);
    if (format == detail::Format::MetaImage) {
        return detail::mhaInfo(path);
    }
#ifdef FLCC_IMAGE_IO
    switch (format) {
    case detail::Format::Png:
        return detail::pngInfo(path);
    case detail::Format::Tiff:
        return detail::tiffInfo(path, stop);
    case detail::Format::Jpeg:
        return detail::jpegInfo(path, stop);
    default:
        return detail::itkInfo(path, format, stop);
    }
#else
    (void)stop;
    detail::failInput(path, "this build reads MHA files only (built without ITK)");
#endif
}

LoadedImage readFormat(const std::filesystem::path& path, const ReadOptions& options,
                       detail::ReadFiles* files) {
    (void)detail::requireRegularFile(path);
    const detail::Format format = detail::detectFormat(path);
    if (format == detail::Format::MetaImage) {
        return detail::readMha(path, options, files);
    }
#ifdef FLCC_IMAGE_IO
    switch (format) {
    case detail::Format::Png:
        return detail::readPng(path, options);
    case detail::Format::Tiff:
        return detail::readTiff(path, options);
    case detail::Format::Jpeg:
        return detail::readJpeg(path, options);
    default:
        return detail::readItk(path, format, options, files);
    }
#else
    detail::failInput(path, "this build reads MHA files only (built without ITK)");
#endif
}

/// The file beside a header that holds its voxels; empty where they are in the file itself.
std::filesystem::path voxelFile(const std::filesystem::path& path) {
    switch (detail::detectFormat(path)) {
    case detail::Format::MetaImage:
        return detail::mhaVoxelFile(path);
#ifdef FLCC_IMAGE_IO
    case detail::Format::Nrrd:
        return detail::nrrdVoxelFile(path);
#endif
    default:
        return {};
    }
}

LoadedImage readWithDigests(const std::filesystem::path& path, const ReadOptions& options) {
    detail::ReadFiles files;
    files.add(path);
    if (const std::filesystem::path voxels = voxelFile(path); !voxels.empty()) {
        files.add(voxels);
    }
    LoadedImage image = readFormat(path, options, &files);
    image.files = files.digests(options.stop);
    return image;
}

/// Runs `read`. Returns an empty result if cancelled, and translates errors of memory, as the
/// header says.
template <class Read> auto atTheDoor(const std::filesystem::path& path, Read read) {
    using Result = decltype(read());
    try {
        return read();
    } catch (const detail::Stopped&) {
        return Result{};
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory,
                          detail::shown(path) + " does not fit into the memory of this machine");
    }
}

} // namespace

ImageInfo readImageInfo(const std::filesystem::path& path, const std::stop_token& stop) {
    return atTheDoor(path, [&] { return infoOfFormat(path, stop); });
}

LoadedImage readImage(const std::filesystem::path& path, const ReadOptions& options) {
    return atTheDoor(path, [&] {
        return options.digests ? readWithDigests(path, options)
                               : readFormat(path, options, nullptr);
    });
}

ScalarImage toScalar(LoadedImage image, const std::stop_token& stop) {
    if (image.components.empty() || stop.stop_requested()) {
        return {};
    }
    if (image.components.size() < 3) {
        std::string note = image.components.size() == 2 ? "the transparency was ignored" : "";
        return {std::move(image.components.front()), std::move(note)};
    }
    ScalarImage scalar;
    scalar.note = "colour was converted to luminance, 0.299 R + 0.587 G + 0.114 B";
    scalar.note += image.components.size() == 4 ? "; the transparency was ignored" : "";
    try {
        std::visit(
            [&](const auto& red) {
                using Plane = std::decay_t<decltype(red)>;
                scalar.pixels = luminance(red, std::get<Plane>(image.components[1]),
                                          std::get<Plane>(image.components[2]), stop);
            },
            image.components[0]);
    } catch (const detail::Stopped&) {
        return {};
    }
    return scalar;
}

std::optional<std::vector<std::string>>
writeImage(const AtomicFile& file, const base::AnyView& pixels, const base::Geometry& geometry,
           const std::map<std::string, std::string>& metadata, const std::stop_token& stop) {
    const std::filesystem::path& path = file.target();
    requireWritable(path, base::pixelType(pixels), base::extentsOf(pixels));
    const Writable& format = formatFor(path);
    try {
        if (format.extension == ".mha") {
            detail::writeMha(file.temporary(), path, pixels, geometry, metadata, stop);
        }
#ifdef FLCC_IMAGE_IO
        if (format.extension == ".nrrd") {
            detail::writeNrrd(file.temporary(), path, pixels, geometry, metadata, stop);
        } else if (format.extension == ".png") {
            writeGreyPng(file.temporary(), path, pixels, stop);
        } else if (format.extension != ".mha") {
            detail::writeTiff(file.temporary(), path, pixels, geometry, metadata, stop);
        }
#endif
    } catch (const detail::Stopped&) {
        return std::nullopt;
    }
    return dropped(format, geometry, metadata);
}

std::optional<std::vector<std::string>>
writeImage(const std::filesystem::path& path, const base::AnyView& pixels,
           const base::Geometry& geometry, const std::map<std::string, std::string>& metadata,
           const std::stop_token& stop) {
    requireWritable(path, base::pixelType(pixels), base::extentsOf(pixels));
    AtomicFile file(path);
    auto notes = writeImage(file, pixels, geometry, metadata, stop);
    if (notes) {
        file.commit();
    }
    return notes;
}

void requireWritable(const std::filesystem::path& path, base::PixelType type,
                     const base::Extents& extents) {
    const Writable& format = formatFor(path);
    const std::string cannot = "cannot write " + detail::shown(path) + ": a " +
                               std::string(format.extension.substr(1)) + " file cannot hold ";
    if (format.only2D && !base::isFlat2D(extents)) {
        throw base::Error(base::ErrorCode::CommandLine, cannot + "a volume of " +
                                                            base::toString(extents) +
                                                            "; .mha, .nrrd and .tif can");
    }
    if (format.onlyBytesAndShorts && type != PixelType::UInt8 && type != PixelType::UInt16) {
        throw base::Error(base::ErrorCode::CommandLine, cannot + std::string(base::name(type)) +
                                                            " pixels; .mha, .nrrd and .tif can");
    }
}

const std::vector<std::string>& readableExtensions() {
    static const std::vector<std::string> kExtensions{
        "mha",
#ifdef FLCC_IMAGE_IO
        "mhd",  "png", "tif",    "tiff", "jpg",  "jpeg", "nrrd",
        "nhdr", "nii", "nii.gz", "mrc",  "mrcs", "rec",  "map",
#endif
    };
    return kExtensions;
}

const std::vector<std::string>& writableExtensions() {
    static const std::vector<std::string> kExtensions = [] {
        std::vector<std::string> extensions;
        for (const Writable& format : writable()) {
            extensions.emplace_back(format.extension.substr(1));
        }
        return extensions;
    }();
    return kExtensions;
}

#ifndef FLCC_IMAGE_IO
std::string imageLibraryVersion() { return "none (built without ITK)"; }
#endif

} // namespace flcc::io
