#include "engine/io/image_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "engine/base/error.h"
#include "engine/io/files/memory_errors.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/formats.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raw_volume.h"

namespace flcc::io {

std::optional<detail::Described> detail::describedBy(const std::filesystem::path& path,
                                                     detail::Format format,
                                                     const std::stop_token& stop) {
    const auto describe = rowOf(format).describe;
    return describe != nullptr ? std::optional(describe(path, stop)) : std::nullopt;
}

namespace {

/// The other files of a set that are there.
std::vector<std::filesystem::path> namedSetFiles(const std::filesystem::path& path) {
    const detail::FormatRow& row = detail::rowOf(detail::detectFormat(path));
    return row.set != nullptr ? row.set(path) : std::vector<std::filesystem::path>{};
}

/// Where the files of an image that our own code describes lie; at least one.
std::vector<std::filesystem::path> describedFiles(const detail::Described& header) {
    std::vector<std::filesystem::path> files;
    if (!header.headerFile.empty()) {
        files.push_back(header.headerFile);
    }
    for (const detail::RawPart& part : partsOf(header.place.layout)) {
        if (files.empty() || part.file != files.back()) { // a file may hold several parts
            files.push_back(part.file);
        }
    }
    return files;
}

} // namespace

void detail::addFiles(ReadFiles& files, const std::filesystem::path& path,
                      const std::stop_token& stop) {
    constexpr std::size_t kMostOpen = 16;
    const Format format = detectFormat(path);
    if (const auto header = describedBy(path, format, stop)) {
        const std::vector<std::filesystem::path> all = describedFiles(*header);
        for (const std::filesystem::path& file : all) {
            all.size() > kMostOpen ? files.addUnopened(file) : files.add(file);
        }
    } else if (!rowOf(format).series) {
        files.add(splitDataset(path).file);
    }
    for (const std::filesystem::path& file : namedSetFiles(path)) {
        files.add(file);
    }
}

namespace {

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

/// **Errors**: Input for a format that this build has no library for.
void requireLibrary(const std::filesystem::path& path, const detail::FormatRow& row) {
    if (const std::string_view missing = detail::missingLibrary(row); !missing.empty()) {
        detail::failInput(path, "this build cannot read " + std::string(row.name) + " files (" +
                                    std::string(missing) + ")");
    }
}

ImageInfo infoOfFormat(const std::filesystem::path& path, const std::stop_token& stop,
                       const Reading& reading) {
    const detail::FormatRow& row = detail::rowOf(detail::detectFormat(path));
    detail::throwIfStopped(stop);
    if (row.describe != nullptr) {
        return row.describe(path, stop).info;
    }
    requireLibrary(path, row);
    if (row.info != nullptr) {
        return row.info(path, stop, reading);
    }
#ifdef FLCC_IMAGE_IO
    return detail::processInfo(path, row.format, stop, reading);
#else
    return {};
#endif
}

/// All of what the file holds, whatever part was chosen.
LoadedImage readWhole(const std::filesystem::path& path, const ReadOptions& options,
                      detail::ReadFiles* files) {
    const detail::FormatRow& row = detail::rowOf(detail::detectFormat(path));
    if (row.describe != nullptr) {
        const detail::Described header = row.describe(path, options.stop);
        detail::requireAllFrames(header, options.stop);
        return detail::readVoxels(path, header, options, files);
    }
    requireLibrary(path, row);
    if (row.read != nullptr) {
        return row.read(path, options);
    }
#ifdef FLCC_IMAGE_IO
    return detail::readByProcess(path, row.format, options, std::nullopt, files);
#else
    return {};
#endif
}

ImageInfo checkedInfo(const std::filesystem::path& path, const std::stop_token& stop,
                      const Reading& reading) {
    ImageInfo info = infoOfFormat(path, stop, reading);
    detail::requireReading(path, info, reading);
    if (reading.part) {
        detail::requireInside(path, info.extents, *reading.part);
        detail::moveTo(info, *reading.part);
    }
    return info;
}

/// The part of an image that lies in the box.
LoadedImage cut(LoadedImage image, const base::Box& box) {
    if (box.extents != image.info.extents) {
        for (base::AnyImage& component : image.components) {
            component = base::copyOf(base::partOf(base::viewOf(component), box));
        }
        detail::moveTo(image.info, box);
    }
    return image;
}

/// A box of what the file holds, whatever part was chosen.
LoadedImage readBox(const std::filesystem::path& path, const base::Box& box,
                    const ReadOptions& options, detail::ReadFiles* files) {
    const detail::Format format = detail::detectFormat(path);
    const auto header = detail::describedBy(path, format, options.stop);
    const ImageInfo info =
        header ? header->info : infoOfFormat(path, options.stop, options.reading);
    detail::requireInside(path, info.extents, box);
    if (header) {
        return detail::readVoxelRegion(path, *header, box, options, files);
    }
#ifdef FLCC_IMAGE_IO
    if (info.regions == RegionAccess::Box) {
        return detail::readByProcess(path, format, options, box, files);
    }
#endif
    return cut(readWhole(path, options, files), box);
}

LoadedImage readFormat(const std::filesystem::path& path, const ReadOptions& options,
                       detail::ReadFiles* files) {
    return options.reading.part ? readBox(path, *options.reading.part, options, files)
                                : readWhole(path, options, files);
}

ImageInfo verifyFormat(const std::filesystem::path& path, const std::stop_token& stop,
                       const Reading& reading) {
    ImageInfo info = checkedInfo(path, stop, reading);
    const detail::FormatRow& row = detail::rowOf(detail::detectFormat(path));
    if (row.describe != nullptr) {
        detail::readThrough(row.describe(path, stop), stop);
    } else if (row.verify != nullptr) {
        row.verify(path, stop, reading);
    } else {
        for (int frame = 0; frame < info.frames; ++frame) {
            for (int channel = 0; channel < info.channels; ++channel) {
                (void)readFormat(
                    path, {.channel = channel, .frame = frame, .stop = stop, .reading = reading},
                    nullptr);
            }
        }
    }
    info.complete = true;
    return info;
}

/// The box in what the file holds; `box` counts from the corner of the part that was chosen.
base::Box placed(const std::filesystem::path& path, base::Box box,
                 const std::optional<base::Box>& part) {
    if (part) {
        detail::requireInside(path, part->extents, box);
        box.corner = {box.corner.x + part->corner.x, box.corner.y + part->corner.y,
                      box.corner.z + part->corner.z};
    }
    return box;
}

/// Calls `read`; with `options.digests`, adds the digests of the files.
template <class Read>
LoadedImage withDigests(const std::filesystem::path& path, const ReadOptions& options,
                        const Read& read) {
    if (!options.digests) {
        return read(nullptr);
    }
    detail::ReadFiles files;
    detail::addFiles(files, path, options.stop);
    LoadedImage image = read(&files);
    image.files = files.digests(options.stop);
    return image;
}

/// Runs `read`. Returns an empty result if cancelled, and translates errors of memory, as the
/// header says.
template <class Read> auto atTheDoor(const std::filesystem::path& path, Read read) {
    using Result = decltype(read());
    try {
        return detail::withMemoryErrors(read);
    } catch (const detail::Stopped&) {
        return Result{};
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory,
                          detail::shown(path) + " does not fit into the memory of this machine");
    }
}

} // namespace

std::vector<std::filesystem::path> filesBeside(const std::filesystem::path& image) {
    return atTheDoor(image, [&] {
        std::vector<std::filesystem::path> others;
        if (const auto header = detail::describedBy(image, detail::detectFormat(image), {})) {
            others = describedFiles(*header);
        } else {
            others = namedSetFiles(image);
        }
        std::erase(others, image);
        return others;
    });
}

bool isImage(const std::filesystem::path& path) {
    const std::filesystem::path file = detail::splitDataset(path).file;
    if (!std::filesystem::exists(file) && !rawVolumeOf(path)) {
        detail::failInput(path, ENOENT);
    }
    const std::string extension = detail::extensionOf(file);
    const auto& known = readableExtensions();
    if (!extension.empty() && std::ranges::find(known, extension.substr(1)) != known.end()) {
        return true;
    }
    try {
        (void)detail::detectFormat(path);
        return true;
    } catch (const base::Error&) {
        return false;
    }
}

ImageInfo readImageInfo(const std::filesystem::path& path, const std::stop_token& stop,
                        const Reading& reading) {
    return atTheDoor(path, [&] { return checkedInfo(path, stop, reading); });
}

std::vector<ImageChoice> imagesIn(const std::filesystem::path& path, const std::stop_token& stop) {
    return atTheDoor(path, [&]() -> std::vector<ImageChoice> {
#ifdef FLCC_IMAGE_IO
        const detail::FormatRow& row = detail::rowOf(detail::detectFormat(path));
        if (!row.reader.empty() && detail::missingLibrary(row).empty()) {
            return detail::processChoices(path, row.format, stop);
        }
#endif
        detail::throwIfStopped(stop);
        return {};
    });
}

ImageInfo verifyImage(const std::filesystem::path& path, const std::stop_token& stop,
                      const Reading& reading) {
    return atTheDoor(path, [&] { return verifyFormat(path, stop, reading); });
}

LoadedImage readImage(const std::filesystem::path& path, const ReadOptions& options) {
    return atTheDoor(path, [&] {
        return withDigests(path, options, [&](detail::ReadFiles* files) {
            return readFormat(path, options, files);
        });
    });
}

LoadedImage readRegion(const std::filesystem::path& path, const base::Box& box,
                       const ReadOptions& options) {
    return atTheDoor(path, [&] {
        return withDigests(path, options, [&](detail::ReadFiles* files) {
            return readBox(path, placed(path, box, options.reading.part), options, files);
        });
    });
}

ScalarImage toScalar(LoadedImage image, const std::stop_token& stop) {
    if (image.components.empty() || stop.stop_requested()) {
        return {};
    }
    if (image.components.size() < 3) {
        return {std::move(image.components.front()), {}};
    }
    ScalarImage scalar;
    scalar.note = "colour was converted to luminance, 0.299 R + 0.587 G + 0.114 B";
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

#ifndef FLCC_IMAGE_IO
std::string imageLibraryVersion() { return "none (built without image libraries)"; }
#endif

} // namespace flcc::io
