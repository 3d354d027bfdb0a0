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

/// What is written, and where.
struct Written {
    const std::filesystem::path& temporary;
    const std::filesystem::path& target;
    const base::AnyView& pixels;
    const base::Geometry& geometry;
    const std::map<std::string, std::string>& metadata;
    std::int64_t members; ///< of a stack of images one behind the other; 0: one image
    const std::stop_token& stop;

    [[nodiscard]] base::PixelType type() const { return base::pixelType(pixels); }
    [[nodiscard]] base::Extents extents() const { return base::extentsOf(pixels); }
};

/// Properties of an image format that can be written.
struct Writable {
    std::string_view extension;
    std::string_view types; ///< names of the pixel types, each between blanks; empty: all
    bool only2D;
    bool spacing; ///< and unit
    bool origin;
    bool direction;
    bool metadata;
    void (*write)(const Written&);
};

void writeMha(const Written& one) {
    const auto header = detail::mhaHeader(one.type(), one.extents(), one.geometry, one.metadata);
    detail::writeRaw(one.temporary, one.target, header, one.pixels, one.stop);
}

void writeNrrd(const Written& one) {
    const auto header = detail::nrrdHeader(one.type(), one.extents(), one.geometry, one.metadata);
    detail::writeRaw(one.temporary, one.target, header, one.pixels, one.stop);
}

void writeNii(const Written& one) {
    detail::writeNifti(one.temporary, one.target, one.pixels, one.geometry, false, one.stop);
}

void writeMrc(const Written& one) {
    detail::writeMrc(one.temporary, one.target, one.pixels, one.geometry, one.members, one.stop);
}

#ifdef FLCC_IMAGE_IO
void writePackedNii(const Written& one) {
    detail::writeNifti(one.temporary, one.target, one.pixels, one.geometry, true, one.stop);
}

void writeHdf5(const Written& one) {
    base::Extents extents = one.extents();
    extents.z /= std::max(one.members, std::int64_t{1});
    const auto header = detail::hdf5Header(one.type(), extents, one.members, one.geometry);
    detail::writeRaw(one.temporary, one.target, header, one.pixels, one.stop);
}

void writeTif(const Written& one) {
    detail::writeTiff(one.temporary, one.target, one.pixels, one.geometry, one.metadata, one.stop);
}

void writeGreyPng(const Written& one) {
    std::visit(
        [&](const auto& view) {
            constexpr int kBytes = sizeof(*view.data());
            detail::writePng(one.temporary, one.target,
                             {.pixels = view.data(),
                              .width = view.extents().x,
                              .height = view.extents().y,
                              .rowBytes = view.rowStride() * kBytes,
                              .components = 1,
                              .bytesPerComponent = kBytes},
                             one.stop);
        },
        one.pixels);
}
#endif

const std::vector<Writable>& writable() {
    // MRC stores uint8 as uint16.
    static const std::vector<Writable> kFormats{
        {".mha", "", false, true, true, true, true, writeMha},
        {".nrrd", "", false, true, true, true, true, writeNrrd},
        {".nii", "", false, true, true, true, false, writeNii},
        {".mrc", " uint8 int8 uint16 int16 float32 ", false, true, true, false, false, writeMrc},
        {".mrcs", " uint8 int8 uint16 int16 float32 ", false, true, true, false, false, writeMrc},
#ifdef FLCC_IMAGE_IO
        {".nii.gz", "", false, true, true, true, false, writePackedNii},
        {".tif", "", false, true, false, false, true, writeTif},
        {".tiff", "", false, true, false, false, true, writeTif},
        {".h5", "", false, true, false, false, false, writeHdf5},
        {".png", " uint8 uint16 ", true, false, false, false, false, writeGreyPng},
#endif
    };
    return kFormats;
}

bool isMrc(const Writable& format) { return format.extension.starts_with(".mrc"); }

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
    if (isMrc(format) && !none && unit != "A") {
        sentences.push_back("lengths are stored in A in a mrc file, not in " + unit);
    }
    if (format.extension == ".h5" && !none && unit != "um") {
        sentences.push_back("lengths are stored in um in a h5 file, not in " + unit);
    }
    if (format.extension == ".h5" && none && geometry.spacing != base::Geometry().spacing) {
        sentences.emplace_back("the voxel spacing is lost in a h5 file: it has no unit");
    }
    if (isMrc(format) && none && geometry.spacing != base::Geometry().spacing) {
        sentences.emplace_back("the voxel spacing is lost in a mrc file: it has no unit");
    }
    if (isMrc(format) && type == PixelType::UInt8) {
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

std::optional<std::vector<std::string>> written(const AtomicFile& file, const base::AnyView& pixels,
                                                std::int64_t members,
                                                const base::Geometry& geometry,
                                                const std::map<std::string, std::string>& metadata,
                                                const std::stop_token& stop) {
    const std::filesystem::path& path = file.target();
    requireWritable(path, base::pixelType(pixels), base::extentsOf(pixels));
    const Writable& format = formatFor(path);
    try {
        detail::withMemoryErrors([&] {
            format.write({file.temporary(), path, pixels, geometry, metadata, members, stop});
        });
    } catch (const detail::Stopped&) {
        return std::nullopt;
    }
    return dropped(format, base::pixelType(pixels), geometry, metadata);
}

} // namespace

std::optional<std::vector<std::string>>
writeImage(const AtomicFile& file, const base::AnyView& pixels, const base::Geometry& geometry,
           const std::map<std::string, std::string>& metadata, const std::stop_token& stop) {
    return written(file, pixels, 0, geometry, metadata, stop);
}

std::optional<std::vector<std::string>>
writeStack(const AtomicFile& file, const base::AnyView& pixels, std::int64_t members,
           const base::Geometry& geometry, const std::stop_token& stop) {
    if (members < 1 || base::extentsOf(pixels).z % members != 0) {
        throw base::Error(base::ErrorCode::Internal,
                          std::to_string(base::extentsOf(pixels).z) + " slices are no " +
                              std::to_string(members) + " members of a stack");
    }
    return written(file, pixels, members, geometry, {}, stop);
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
    if (isMrc(format) &&
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
    const auto refuse = [&](const std::string& why) {
        throw base::Error(base::ErrorCode::Output,
                          detail::shown(file.target()) + " reads back with " + why);
    };
    const base::Extents& all = voxels.extents();
    const int frames = std::max(1, readImageInfo(file.temporary()).frames);
    for (int frame = 0; frame < frames; ++frame) {
        const LoadedImage read =
            readImage(file.temporary(),
                      {.frame = frames > 1 ? std::optional(frame) : std::nullopt, .stop = stop});
        if (stop.stop_requested() || read.components.empty()) {
            return false;
        }
        const auto* const floats = std::get_if<base::Image<float>>(&read.components.front());
        const base::Extents each{all.x, all.y, all.z / frames};
        if (floats == nullptr || !(floats->extents() == each) || each.z * frames != all.z) {
            refuse("other voxels than were written: " + base::toString(read.info.extents) + " of " +
                   std::string(base::name(read.info.pixel)));
        }
        for (std::int64_t z = 0; z < each.z; ++z) {
            for (std::int64_t y = 0; y < each.y; ++y) {
                for (std::int64_t x = 0; x < each.x; ++x) {
                    const base::Index at{x, y, frame * each.z + z};
                    const float a = voxels.at(at);
                    const float b = floats->view().at({x, y, z});
                    if (a != b && !(std::isnan(a) && std::isnan(b))) {
                        refuse("another value at " + base::toString(at));
                    }
                }
            }
        }
    }
    return true;
}

} // namespace flcc::io
