#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "engine/base/error.h"
#include "engine/io/files/memory_errors.h"
#include "engine/io/format/backends.h"
#include "engine/io/image_file.h"

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

} // namespace

std::optional<std::vector<std::string>>
writeImage(const AtomicFile& file, const base::AnyView& pixels, const base::Geometry& geometry,
           const std::map<std::string, std::string>& metadata, const std::stop_token& stop) {
    const std::filesystem::path& path = file.target();
    requireWritable(path, base::pixelType(pixels), base::extentsOf(pixels));
    const Writable& format = formatFor(path);
    const auto write = [&] {
        const auto& temporary = file.temporary();
        if (format.extension == ".mha") {
            const auto header = detail::mhaHeader(base::pixelType(pixels), base::extentsOf(pixels),
                                                  geometry, metadata);
            detail::writeRaw(temporary, path, header, pixels, stop);
        } else if (format.extension == ".nrrd") {
            const auto header = detail::nrrdHeader(base::pixelType(pixels), base::extentsOf(pixels),
                                                   geometry, metadata);
            detail::writeRaw(temporary, path, header, pixels, stop);
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
    };
    try {
        detail::withMemoryErrors(write);
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

bool checkWritten(const AtomicFile& file, const base::View<const float>& voxels,
                  const std::stop_token& stop) {
    const LoadedImage read = readImage(file.temporary(), {.stop = stop});
    if (stop.stop_requested() || read.components.empty()) {
        return false;
    }
    const auto* const floats = std::get_if<base::Image<float>>(&read.components.front());
    const auto refuse = [&](const std::string& why) {
        throw base::Error(base::ErrorCode::Output,
                          detail::shown(file.target()) + " reads back with " + why);
    };
    if (floats == nullptr || !(floats->extents() == voxels.extents())) {
        refuse("other voxels than were written: " + base::toString(read.info.extents) + " of " +
               std::string(base::name(read.info.pixel)));
    }
    for (std::int64_t z = 0; z < voxels.extents().z; ++z) {
        for (std::int64_t y = 0; y < voxels.extents().y; ++y) {
            for (std::int64_t x = 0; x < voxels.extents().x; ++x) {
                const float a = voxels.at({x, y, z});
                const float b = floats->view().at({x, y, z});
                if (a != b && !(std::isnan(a) && std::isnan(b))) {
                    refuse("another value at " + base::toString(base::Index{x, y, z}));
                }
            }
        }
    }
    return true;
}

} // namespace flcc::io
