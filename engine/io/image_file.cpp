#include "engine/io/image_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"

namespace flcc::io {

namespace {

using base::PixelType;

/// What a format can write.
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
/// PNG wants its rows without gaps.
void writeFlatPng(const std::filesystem::path& path, const std::filesystem::path& target,
                  const base::AnyView& pixels) {
    base::AnyImage copy = base::copyOf(pixels);
    const base::Extents extents = base::extentsOf(copy);
    detail::writePng(path, target, detail::bytesOf(copy), extents.x, extents.y, 1,
                     static_cast<int>(base::bytesPerVoxel(base::pixelType(copy))));
}
#endif

/// The plane of luminance, in the type of the components.
template <class Voxel>
base::Image<Voxel> luminance(const base::Image<Voxel>& red, const base::Image<Voxel>& green,
                             const base::Image<Voxel>& blue) {
    base::Image<Voxel> result(red.extents());
    for (std::int64_t i = 0; i < result.count(); ++i) {
        const double value = 0.299 * static_cast<double>(red.data()[i]) +
                             0.587 * static_cast<double>(green.data()[i]) +
                             0.114 * static_cast<double>(blue.data()[i]);
        if constexpr (std::is_integral_v<Voxel>) {
            result.data()[i] = static_cast<Voxel>(std::floor(value + 0.5));
        } else {
            result.data()[i] = static_cast<Voxel>(value);
        }
    }
    return result;
}

} // namespace

ImageInfo readImageInfo(const std::filesystem::path& path) {
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
        return detail::tiffInfo(path);
    default:
        return detail::itkInfo(path, format);
    }
#else
    detail::failInput(path, "this build reads MHA files only (built without ITK)");
#endif
}

LoadedImage readImage(const std::filesystem::path& path, const ReadOptions& options) {
    (void)detail::requireRegularFile(path);
    const detail::Format format = detail::detectFormat(path);
    try {
        if (format == detail::Format::MetaImage) {
            return detail::readMha(path, options);
        }
#ifdef FLCC_IMAGE_IO
        switch (format) {
        case detail::Format::Png:
            return detail::readPng(path, options);
        case detail::Format::Tiff:
            return detail::readTiff(path, options);
        default:
            return detail::readItk(path, format, options);
        }
#else
        detail::failInput(path, "this build reads MHA files only (built without ITK)");
#endif
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory,
                          detail::shown(path) + " does not fit into the memory of this machine");
    }
}

ScalarImage toScalar(LoadedImage image) {
    if (image.components.size() < 3) {
        std::string note = image.components.size() == 2 ? "the transparency was left out" : "";
        return {std::move(image.components.front()), std::move(note)};
    }
    ScalarImage scalar;
    scalar.note = "colour was turned to luminance, 0.299 R + 0.587 G + 0.114 B";
    scalar.note += image.components.size() == 4 ? "; the transparency was left out" : "";
    std::visit(
        [&](const auto& red) {
            using Plane = std::decay_t<decltype(red)>;
            scalar.pixels = luminance(red, std::get<Plane>(image.components[1]),
                                      std::get<Plane>(image.components[2]));
        },
        image.components[0]);
    return scalar;
}

std::vector<std::string> writeImage(const std::filesystem::path& path, const base::AnyView& pixels,
                                    const base::Geometry& geometry,
                                    const std::map<std::string, std::string>& metadata) {
    requireWritable(path, base::pixelType(pixels), base::extentsOf(pixels));
    const Writable& format = formatFor(path);
    AtomicFile file(path);
    if (format.extension == ".mha") {
        detail::writeMha(file.temporary(), path, pixels, geometry, metadata);
    }
#ifdef FLCC_IMAGE_IO
    if (format.extension == ".nrrd") {
        detail::writeNrrd(file.temporary(), path, pixels, geometry, metadata);
    } else if (format.extension == ".png") {
        writeFlatPng(file.temporary(), path, pixels);
    } else if (format.extension != ".mha") {
        detail::writeTiff(file.temporary(), path, pixels, geometry, metadata);
    }
#endif
    file.commit();
    return dropped(format, geometry, metadata);
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
