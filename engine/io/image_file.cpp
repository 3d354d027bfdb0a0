#include "engine/io/image_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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
    std::string_view types; ///< names of the pixel types, each between blanks; empty: all
    bool only2D;
    bool spacing; ///< and unit
    bool origin;
    bool direction;
    bool metadata;
};

const std::vector<Writable>& writable() {
    // MRC stores uint8 as uint16.
    static const std::vector<Writable> kFormats{
        {".mha", "", false, true, true, true, true},
        {".nrrd", "", false, true, true, true, true},
        {".nii", "", false, true, true, true, false},
        {".mrc", " uint8 int8 uint16 int16 float32 ", false, true, true, false, false},
#ifdef FLCC_IMAGE_IO
        {".nii.gz", "", false, true, true, true, false},
        {".tif", "", false, true, false, false, true},
        {".tiff", "", false, true, false, false, true},
        {".png", " uint8 uint16 ", true, false, false, false, false},
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

/// What a NIfTI or MRC file stores in another way than the image has it.
std::vector<std::string> changed(const Writable& format, PixelType type,
                                 const base::Geometry& geometry) {
    const std::string& unit = geometry.unit;
    const bool none = unit.empty() || unit == "px";
    std::vector<std::string> sentences;
    if (format.extension.starts_with(".nii") && unit != "mm" && unit != "um") {
        sentences.push_back(none ? "a nii file has no pixel unit: it will be read in mm"
                                 : "lengths are stored in um in a nii file, not in " + unit);
    }
    if (format.extension == ".mrc" && !none && unit != "A") {
        sentences.push_back("lengths are stored in A in a mrc file, not in " + unit);
    }
    if (format.extension == ".mrc" && none && geometry.spacing != base::Geometry().spacing) {
        sentences.emplace_back("the voxel spacing is lost in a mrc file: it has no unit");
    }
    if (format.extension == ".mrc" && type == PixelType::UInt8) {
        sentences.emplace_back("uint8 pixels are stored as uint16 in a mrc file");
    }
    return sentences;
}

std::vector<std::string> dropped(const Writable& format, PixelType type,
                                 const base::Geometry& geometry,
                                 const std::map<std::string, std::string>& metadata) {
    const base::Geometry plain;
    const std::string word(format.extension.substr(1));
    std::vector<std::string> sentences = changed(format, type, geometry);
    if (!format.spacing && (geometry.spacing != plain.spacing || geometry.unit != plain.unit)) {
        sentences.push_back("the voxel spacing and its unit are lost in a " + word + " file");
    }
    if (!format.origin && geometry.origin != plain.origin) {
        sentences.push_back("the origin is lost in a " + word + " file");
    }
    if (!format.direction && geometry.direction != plain.direction) {
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

/// The header of a format that our own code reads; empty for another format.
std::optional<detail::Described> described(const std::filesystem::path& path, detail::Format format,
                                           const std::stop_token& stop) {
    switch (format) {
    case detail::Format::MetaImage:
        return detail::describeMha(path);
    case detail::Format::Nrrd:
        return detail::describeNrrd(path, stop);
    case detail::Format::Nifti:
        return detail::describeNifti(path);
    case detail::Format::Mrc:
        return detail::describeMrc(path);
    case detail::Format::Jpeg:
    case detail::Format::Png:
    case detail::Format::Tiff:
        return std::nullopt;
    }
    return std::nullopt;
}

#ifndef FLCC_IMAGE_IO
[[noreturn]] void failFormat(const std::filesystem::path& path, detail::Format format) {
    detail::failInput(path, "this build cannot read " + std::string(detail::name(format)) +
                                " files (built without image libraries)");
}
#endif

ImageInfo infoOfFormat(const std::filesystem::path& path, const std::stop_token& stop) {
    (void)detail::requireRegularFile(path);
    const detail::Format format = detail::detectFormat(path);
    detail::throwIfStopped(stop);
    if (const auto header = described(path, format, stop)) {
        return header->info;
    }
#ifdef FLCC_IMAGE_IO
    switch (format) {
    case detail::Format::Png:
        return detail::pngInfo(path);
    case detail::Format::Tiff:
        return detail::tiffInfo(path, stop);
    default:
        return detail::jpegInfo(path, stop);
    }
#else
    failFormat(path, format);
#endif
}

LoadedImage readFormat(const std::filesystem::path& path, const ReadOptions& options,
                       detail::ReadFiles* files) {
    (void)detail::requireRegularFile(path);
    const detail::Format format = detail::detectFormat(path);
    if (const auto header = described(path, format, options.stop)) {
        if (format == detail::Format::Nifti) {
            detail::requireAllFrames(path, *header, options.stop);
        }
        return detail::readVoxels(path, *header, options, files);
    }
#ifdef FLCC_IMAGE_IO
    switch (format) {
    case detail::Format::Png:
        return detail::readPng(path, options);
    case detail::Format::Tiff:
        return detail::readTiff(path, options);
    default:
        return detail::readJpeg(path, options);
    }
#else
    failFormat(path, format);
#endif
}

ImageInfo verifyFormat(const std::filesystem::path& path, const std::stop_token& stop) {
    ImageInfo info = infoOfFormat(path, stop);
    if (const auto header = described(path, detail::detectFormat(path), stop)) {
        detail::readThrough(*header, stop);
    } else {
        for (int frame = 0; frame < info.frames; ++frame) {
            for (int channel = 0; channel < info.channels; ++channel) {
                (void)readFormat(path, {.channel = channel, .frame = frame, .stop = stop}, nullptr);
            }
        }
    }
    info.complete = true;
    return info;
}

/// The file beside a header that holds its voxels; empty where they are in the file itself.
std::filesystem::path voxelFile(const std::filesystem::path& path) {
    switch (detail::detectFormat(path)) {
    case detail::Format::MetaImage:
        return detail::mhaVoxelFile(path);
    case detail::Format::Nrrd:
        return detail::nrrdVoxelFile(path);
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

ImageInfo verifyImage(const std::filesystem::path& path, const std::stop_token& stop) {
    return atTheDoor(path, [&] { return verifyFormat(path, stop); });
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
        const auto& temporary = file.temporary();
        if (format.extension == ".mha") {
            detail::writeMha(temporary, path, pixels, geometry, metadata, stop);
        } else if (format.extension == ".nrrd") {
            detail::writeNrrd(temporary, path, pixels, geometry, metadata, stop);
        } else if (format.extension == ".nii" || format.extension == ".nii.gz") {
            detail::writeNifti(temporary, path, pixels, geometry, format.extension == ".nii.gz",
                               stop);
        } else if (format.extension == ".mrc") {
            detail::writeMrc(temporary, path, pixels, geometry, stop);
        }
#ifdef FLCC_IMAGE_IO
        if (format.extension == ".png") {
            writeGreyPng(temporary, path, pixels, stop);
        } else if (format.extension.starts_with(".tif")) {
            detail::writeTiff(temporary, path, pixels, geometry, metadata, stop);
        }
#endif
    } catch (const detail::Stopped&) {
        return std::nullopt;
    }
    return dropped(format, base::pixelType(pixels), geometry, metadata);
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
                                                            "; .mha, .nrrd, .tif and .nii can");
    }
    const std::string word(base::name(type));
    if (!format.types.empty() && format.types.find(" " + word + " ") == std::string_view::npos) {
        throw base::Error(base::ErrorCode::CommandLine,
                          cannot + word + " pixels; .mha, .nrrd, .tif and .nii can");
    }
    if (format.extension == ".mrc" &&
        std::max({extents.x, extents.y, extents.z}) > std::numeric_limits<std::int32_t>::max()) {
        throw base::Error(base::ErrorCode::CommandLine,
                          cannot + "an image of " + base::toString(extents));
    }
}

const std::vector<std::string>& readableExtensions() {
    static const std::vector<std::string> kExtensions{
        "mha", "mhd", "nrrd", "nhdr", "nii",  "mrc",    "mrcs", "rec", "map", "st",
#ifdef FLCC_IMAGE_IO
        "png", "tif", "tiff", "jpg",  "jpeg", "nii.gz",
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
std::string imageLibraryVersion() { return "none (built without image libraries)"; }
#endif

} // namespace flcc::io
