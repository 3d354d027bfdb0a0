#include "engine/io/format/voxel_place.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

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

namespace {

base::PixelType storedType(const Described& header) {
    return header.place.stored.value_or(header.info.pixel);
}

/// The fewest bytes of a part that can encode `bytes` bytes or `values` values.
std::int64_t leastBytes(Encoding encoding, std::int64_t bytes, std::int64_t values) {
    switch (encoding) {
    case Encoding::Packed:
        return bytes / 1040; // zlib packs at most 1032 bytes into one
    case Encoding::Text:
        return values;
    case Encoding::Hex:
        return 2 * bytes;
    case Encoding::Plain:
        break;
    }
    return bytes;
}

} // namespace

std::int64_t bytesPerPart(const std::filesystem::path& path, const Described& header) {
    const ImageInfo& info = header.info;
    const RawLayout& layout = header.place.layout;
    requireSaneHeader(path, info);
    std::vector<std::int64_t> lengths{info.extents.x, info.extents.y,  info.extents.z,
                                      info.frames,    info.components, info.channels};
    if (!layout.axes.empty()) {
        lengths.clear();
        for (const FileAxis& axis : layout.axes) {
            lengths.push_back(std::max(axis.length, axis.stored));
        }
    }
    (void)requireProduct(path, lengths, base::bytesPerVoxel(storedType(header)));
    const auto parts = static_cast<std::int64_t>(layout.more.size()) + 1;
    return storedBytes(layout.coding, storedType(header), valuesOf(layout, info) / parts);
}

Described requireRoom(const std::filesystem::path& path, Described header) {
    const RawLayout& layout = header.place.layout;
    const std::int64_t bytes = bytesPerPart(path, header);
    const std::int64_t values =
        valuesOf(layout, header.info) / (static_cast<std::int64_t>(layout.more.size()) + 1);
    const bool plain = layout.encoding == Encoding::Plain;
    header.info.regions = plain ? RegionAccess::Box : RegionAccess::Stream;
    for (const RawPart& part : partsOf(layout)) {
        const std::int64_t present = requireRegularFile(part.file) - part.offset;
        if (plain) {
            requireBytes(part.file, bytes, present);
            if (present > bytes && layout.more.empty() && !header.hasFooter) {
                header.info.notes.push_back("the " + std::to_string(present - bytes) +
                                            " bytes behind the voxels that its header counts "
                                            "were not read");
            }
        } else if (leastBytes(layout.encoding, bytes, values) > present ||
                   layout.skip / 1040 > present) {
            failInput(path, "its header promises more voxels than the file can hold");
        }
    }
    header.info.complete = plain;
    return header;
}

LoadedImage readVoxels(const std::filesystem::path& path, const Described& header,
                       const ReadOptions& options, ReadFiles* files) {
    return readVoxelRegion(path, header, {{}, header.info.extents}, options, files);
}

LoadedImage readVoxelRegion(const std::filesystem::path& path, const Described& header,
                            const base::Box& box, const ReadOptions& options, ReadFiles* files) {
    ImageInfo info = header.info;
    info.extents = box.extents;
    info.geometry = base::movedTo(info.geometry, {static_cast<double>(box.corner.x),
                                                  static_cast<double>(box.corner.y),
                                                  static_cast<double>(box.corner.z)});
    const Choice choice = choose(path, info, options);
    return {std::move(info), VoxelReader(header, files, options.stop).read(box, choice), {}};
}

namespace {

ImageInfo storedInfo(const Described& header) {
    ImageInfo stored = header.info;
    stored.pixel = storedType(header);
    return stored;
}

} // namespace

VoxelReader::VoxelReader(const Described& header, ReadFiles* files, std::stop_token stop)
    : m_place(header.place), m_pixel(header.info.pixel), m_stop(std::move(stop)),
      m_raw(storedInfo(header), m_place.layout, files, m_stop) {}

std::vector<base::AnyImage> VoxelReader::read(const base::Box& box, const Choice& choice) {
    std::vector<base::AnyImage> planes = m_raw.read(box, choice);
    if (m_place.stored) {
        for (base::AnyImage& plane : planes) {
            plane = rescaled(plane, m_place, m_pixel, m_stop);
        }
    }
    return planes;
}

void readThrough(const Described& header, const std::stop_token& stop) {
    const RawLayout& layout = header.place.layout;
    const std::vector<RawPart> parts = partsOf(layout);
    const std::int64_t values =
        valuesOf(layout, header.info) / static_cast<std::int64_t>(parts.size());
    constexpr std::int64_t kBlock = 1 << 20;
    for (const RawPart& part : parts) {
        const std::unique_ptr<ByteSource> source =
            openBytes(layout, part, storedType(header), nullptr, stop);
        std::int64_t left = storedBytes(layout.coding, storedType(header), values);
        std::vector<char> block(static_cast<std::size_t>(std::min(left, kBlock)));
        for (; left > 0; left -= std::min(left, kBlock)) {
            source->read(block.data(), std::min(left, kBlock));
        }
        source->finish();
    }
}

void requireAllFrames(const Described& header, const std::stop_token& stop) {
    const RawLayout& layout = header.place.layout;
    const std::int64_t size = requireRegularFile(layout.file);
    if (layout.encoding != Encoding::Packed || header.info.frames < 2 || layout.offset > 0 ||
        !layout.more.empty() || size < 4 || !isGzip(layout.file)) {
        return;
    }
    const std::int64_t promised =
        layout.skip + storedBytes(layout.coding, header.place.stored.value_or(header.info.pixel),
                                  valuesOf(layout, header.info));
    // The last four bytes of a gzip file of one member are its unpacked size.
    const auto stated = field<std::uint32_t>(readBytes(layout.file, size - 4, 4), 0,
                                             std::endian::native == std::endian::big);
    if (stated != static_cast<std::uint32_t>(promised & 0xffffffff)) {
        readThrough(header, stop);
    }
}

} // namespace flcc::io::detail
