#include "engine/io/format/voxel_place.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

std::int64_t valuesOf(const ImageInfo& info) {
    return std::int64_t{1} * info.components * info.channels;
}

/// value * slope + intercept.
base::AnyImage rescaled(const base::AnyImage& stored, const VoxelPlace& place, base::PixelType type,
                        const std::stop_token& stop) {
    base::AnyImage result = base::makeImage(type, base::extentsOf(stored));
    std::visit(
        [&](const auto& from, auto& to) {
            using Voxel = std::remove_pointer_t<decltype(to.data())>;
            const base::Extents& n = from.extents();
            for (std::int64_t z = 0; z < n.z; ++z) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    throwIfStopped(stop);
                    const auto* source = from.view().row(y, z);
                    Voxel* target = to.view().row(y, z);
                    for (std::int64_t x = 0; x < n.x; ++x) {
                        if constexpr (std::is_floating_point_v<Voxel>) {
                            // Rounded to the type of the image first, as other readers do.
                            const auto value = static_cast<double>(static_cast<Voxel>(source[x]));
                            target[x] = static_cast<Voxel>(value * place.slope + place.intercept);
                        }
                    }
                }
            }
        },
        stored, result);
    return result;
}

} // namespace

std::int64_t requireProduct(const std::filesystem::path& path,
                            const std::vector<std::int64_t>& lengths, std::int64_t bytesPerVoxel) {
    std::int64_t product = bytesPerVoxel;
    for (const std::int64_t length : lengths) {
        if (length < 1 || length > (std::int64_t{1} << 55) / product) {
            failInput(path, "its header gives an axis of " + std::to_string(length) + " voxels");
        }
        product *= length;
    }
    return product;
}

int requireFrames(const std::filesystem::path& path, const std::vector<std::int64_t>& lengths) {
    std::int64_t frames = 1;
    for (std::size_t axis = 3; axis < lengths.size(); ++axis) {
        if (lengths[axis] > 1'000'000'000 / frames) {
            failInput(path, "its header gives too many frames");
        }
        frames *= lengths[axis];
    }
    return static_cast<int>(frames);
}

Described requireRoom(const std::filesystem::path& path, Described header) {
    const ImageInfo& info = header.info;
    const RawLayout& layout = header.place.layout;
    requireSaneHeader(path, info);
    const std::int64_t size = requireRegularFile(layout.file);
    const std::int64_t present = size - layout.offset;
    const std::int64_t voxel =
        base::bytesPerVoxel(header.place.stored.value_or(info.pixel)) * valuesOf(info);
    // The fewest bytes that can encode one voxel, times 1040.
    std::int64_t least = 0;
    switch (layout.encoding) {
    case Encoding::Plain:
        requireRawBytes(layout.file, info.extents, voxel, info.frames, present);
        header.info.complete = true;
        return header;
    case Encoding::Packed:
        least = voxel; // zlib packs at most 1032 bytes into one
        break;
    case Encoding::Text:
        least = std::int64_t{1040} * valuesOf(info);
        break;
    case Encoding::Hex:
        least = 2080 * voxel;
        break;
    }
    if (layout.skip / 1040 > present ||
        base::voxelCount(info.extents) > present * 1040 / least / info.frames + 1) {
        failInput(path, "its header promises more voxels than the file can hold");
    }
    return header;
}

LoadedImage readVoxels(const std::filesystem::path& path, const Described& header,
                       const ReadOptions& options, ReadFiles* files) {
    const Choice choice = choose(path, header.info, options);
    return {header.info, VoxelReader(header, files, options.stop).read(choice), {}};
}

namespace {

ImageInfo storedInfo(const Described& header) {
    ImageInfo stored = header.info;
    stored.pixel = header.place.stored.value_or(stored.pixel);
    return stored;
}

} // namespace

VoxelReader::VoxelReader(const Described& header, ReadFiles* files, std::stop_token stop)
    : m_place(header.place), m_pixel(header.info.pixel), m_stop(std::move(stop)),
      m_raw(storedInfo(header), m_place.layout, files, m_stop) {}

std::vector<base::AnyImage> VoxelReader::read(const Choice& choice) {
    std::vector<base::AnyImage> planes = m_raw.read(choice);
    if (m_place.stored) {
        for (base::AnyImage& plane : planes) {
            plane = rescaled(plane, m_place, m_pixel, m_stop);
        }
    }
    return planes;
}

void readThrough(const Described& header, const std::stop_token& stop) {
    const ImageInfo& info = header.info;
    const base::PixelType pixel = header.place.stored.value_or(info.pixel);
    const std::unique_ptr<ByteSource> source = openBytes(header.place.layout, pixel, nullptr, stop);
    constexpr std::int64_t kBlock = 1 << 20;
    std::int64_t left =
        base::voxelCount(info.extents) * info.frames * valuesOf(info) * base::bytesPerVoxel(pixel);
    std::vector<char> block(static_cast<std::size_t>(std::min(left, kBlock)));
    for (; left > 0; left -= std::min(left, kBlock)) {
        source->read(block.data(), std::min(left, kBlock));
    }
    source->finish();
}

} // namespace flcc::io::detail
