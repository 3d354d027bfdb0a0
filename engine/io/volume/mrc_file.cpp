// MRC2014, and older files without a machine stamp.

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/mrc_header.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

/// Space groups (ISPG): an image or a stack of images, and a volume.
constexpr int kImages = 0;
constexpr int kVolume = 1;

/// Voxels of mode 0 that are looked at to see whether they are signed.
constexpr std::int64_t kSample = 1 << 20;

/// Parts of the voxels, in their order; what is packed is taken from the beginning.
Bytes sampleOf(const RawLayout& layout, std::int64_t count) {
    constexpr std::int64_t kMostSkipped = 64 << 20; // unpackedStart keeps what it skips
    constexpr std::int64_t kParts = 16;
    Bytes sample;
    if (layout.encoding == Encoding::Packed) {
        if (layout.skip > kMostSkipped) {
            return sample;
        }
        sample = unpackedStart(layout.file, layout.skip + std::min(count, kSample));
        sample.erase(sample.begin(),
                     sample.begin() + std::min<std::ptrdiff_t>(std::ssize(sample), layout.skip));
        return sample;
    }
    const std::int64_t parts = count > kSample ? kParts : 1;
    for (std::int64_t part = 0; part < parts; ++part) {
        const Bytes bytes = readBytes(layout.file, layout.offset + count / parts * part,
                                      std::min(count, kSample) / parts);
        sample.insert(sample.end(), bytes.begin(), bytes.end());
    }
    return sample;
}

void decideBytes(const RawLayout& layout, ImageInfo& info) {
    const bool without = looksUnsigned(sampleOf(layout, base::voxelCount(info.extents)));
    info.pixel = without ? PixelType::UInt8 : PixelType::Int8;
    info.notes.emplace_back(without
                                ? "its bytes were read as unsigned (mode 0), because neighbours "
                                  "then differ less; its header gives no extremes"
                                : "its bytes were read as signed (mode 0), as the standard "
                                  "says; its header gives no extremes");
}

} // namespace

Described describeMrc(const std::filesystem::path& path) {
    const bool packed = isGzip(path);
    Bytes bytes =
        packed ? unpackedStart(path, kMrcHeaderBytes) : readBytes(path, 0, kMrcHeaderBytes);
    if (bytes.size() < static_cast<std::size_t>(kMrcHeaderBytes)) {
        failInput(path, "the file is truncated; an MRC header has 1024 bytes");
    }
    MrcHeader header(path, std::move(bytes), packed ? INT64_MAX : requireRegularFile(path));
    Described described;
    RawLayout& layout = described.place.layout;
    layout.file = path;
    described.info.format = name(Format::Mrc);
    header.describe(described.info, layout);
    if (packed) {
        layout.encoding = Encoding::Packed;
    } else {
        layout.offset = std::exchange(layout.skip, 0);
    }
    described = requireRoom(path, std::move(described));
    if (header.bytesUndecided()) {
        decideBytes(described.place.layout, described.info);
    }
    return described;
}

void writeMrc(const std::filesystem::path& path, const std::filesystem::path& target,
              const base::AnyView& pixels, const base::Geometry& geometry, std::int64_t members,
              const std::stop_token& stop) {
    const PixelType type = base::pixelType(pixels);
    if (type == PixelType::UInt8) { // mode 0 is signed
        base::AnyImage wide = base::makeImage(PixelType::UInt16, base::extentsOf(pixels));
        auto* voxel = std::get<base::Image<std::uint16_t>>(wide).data();
        forRows(pixels, 1 << 20, stop, [&](const char* bytes, std::int64_t count) {
            voxel = std::transform(bytes, bytes + count, voxel,
                                   [](char byte) { return static_cast<unsigned char>(byte); });
            return true;
        });
        writeMrc(path, target, base::viewOf(wide), geometry, members, stop);
        return;
    }
    const int mode = type == PixelType::Int8     ? 0
                     : type == PixelType::Int16  ? 1
                     : type == PixelType::UInt16 ? 6
                                                 : 2;
    const base::Extents extents = base::extentsOf(pixels);
    const std::array<std::int64_t, 3> lengths{extents.x, extents.y, extents.z};
    // The cell is that of one member of a stack.
    const std::int64_t slices = extents.z / std::max(members, std::int64_t{1});
    const std::array<std::int64_t, 3> cell{extents.x, extents.y, slices};
    const int group = slices == 1 ? kImages : members > 0 ? kVolumeStack + kVolume : kVolume;
    // Without a unit no cell is given, so that readers do not take the spacing for angstrom.
    const bool given = !geometry.unit.empty() && geometry.unit != "px";
    const double factor = given ? unitLength(geometry.unit) / unitLength("A") : 0;
    std::string header(static_cast<std::size_t>(kMrcHeaderBytes), '\0');
    for (std::size_t axis = 0; axis < 3; ++axis) {
        putField(header, 4 * axis, static_cast<std::int32_t>(lengths[axis]));
        putField(header, 28 + 4 * axis, static_cast<std::int32_t>(cell[axis]));
        putField(
            header, 40 + 4 * axis,
            static_cast<float>(geometry.spacing[axis] * factor * static_cast<double>(cell[axis])));
        putField(header, 52 + 4 * axis, 90.0F); // angles of the cell
        putField(header, 64 + 4 * axis, static_cast<std::int32_t>(axis + 1));
        putField(header, 196 + 4 * axis,
                 static_cast<float>(geometry.origin[axis] * (given ? factor : 1)));
    }
    putField(header, 12, std::int32_t{mode});
    // Highest below lowest, and mean below both: not determined.
    putField(header, 80, -1.0F);
    putField(header, 84, -2.0F);
    putField(header, 216, -1.0F); // deviation
    putField(header, 88, std::int32_t{group});
    putField(header, 108, std::int32_t{20140}); // version of the format
    const std::string map = "MAP ";
    std::copy(map.begin(), map.end(), header.begin() + 208);
    constexpr bool kLittle = std::endian::native == std::endian::little;
    header[kMrcStampAt] = header[kMrcStampAt + 1] =
        static_cast<char>(kLittle ? kMrcLittleStamp : kMrcBigStamp);
    putField(header, 220, std::int32_t{1}); // labels
    const std::string label = "written by FLCC";
    std::fill_n(header.begin() + 224, 80, ' ');
    std::copy(label.begin(), label.end(), header.begin() + 224);
    writeRaw(path, target, header, pixels, stop);
}

} // namespace flcc::io::detail
