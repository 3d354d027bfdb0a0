// MRC2014, and older files without a machine stamp.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/io/format/backends.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

constexpr std::int64_t kHeaderBytes = 1024;
constexpr std::int32_t kImodStamp = 1146047817;
constexpr std::size_t kStampAt = 212;
constexpr unsigned char kLittleStamp = 0x44;
constexpr unsigned char kBigStamp = 0x11;

/// True if the numbers have the other byte order than the processor.
bool isSwapped(const std::filesystem::path& path, const Bytes& bytes) {
    const unsigned char stamp = bytes[kStampAt];
    constexpr bool kBig = std::endian::native == std::endian::big;
    if (stamp == kLittleStamp || stamp == kBigStamp) {
        return (stamp == kBigStamp) != kBig;
    }
    if (stamp != 0) {
        failInput(path, "its machine stamp is " + std::to_string(int{stamp}) + " " +
                            std::to_string(int{bytes[kStampAt + 1]}) +
                            "; 68 (little-endian) and 17 (big-endian) can be read");
    }
    // Old files have no stamp. Their byte order follows from the mode, which is a small number.
    const auto mode = field<std::int32_t>(bytes, 12, false);
    const auto turned = field<std::int32_t>(bytes, 12, true);
    return mode > 101 && turned >= 0 && turned <= 101;
}

/// MRC2014: bytes are signed. Files of IMOD say otherwise in a flag of their own, and lowest and
/// highest value may show it.
bool hasSignedBytes(const Bytes& bytes, bool swapped) {
    const bool imod = field<std::int32_t>(bytes, 152, swapped) == kImodStamp;
    const bool flagged = (field<std::int32_t>(bytes, 156, swapped) & 1) != 0;
    const auto lowest = field<float>(bytes, 76, swapped);
    const auto highest = field<float>(bytes, 80, swapped);
    return !imod || flagged || (lowest < 0 && highest >= lowest);
}

PixelType typeOf(const std::filesystem::path& path, const Bytes& bytes, bool swapped) {
    const auto mode = field<std::int32_t>(bytes, 12, swapped);
    switch (mode) {
    case 0:
        return hasSignedBytes(bytes, swapped) ? PixelType::Int8 : PixelType::UInt8;
    case 1:
        return PixelType::Int16;
    case 2:
        return PixelType::Float32;
    case 6:
        return PixelType::UInt16;
    default:
        failInput(path,
                  "its MRC mode " + std::to_string(mode) + " cannot be read; 0, 1, 2 and 6 can");
    }
}

/// The columns, rows and sections must be three different axes.
void requireAxes(const std::filesystem::path& path, const Bytes& bytes, bool swapped) {
    std::array<std::int32_t, 3> axes{};
    for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = field<std::int32_t>(bytes, 64 + 4 * i, swapped);
    }
    std::array<std::int32_t, 3> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != std::array<std::int32_t, 3>{1, 2, 3}) {
        failInput(path, "its header maps columns, rows and sections to the axes " +
                            std::to_string(axes[0]) + ", " + std::to_string(axes[1]) + " and " +
                            std::to_string(axes[2]));
    }
}

/// Length of the cell divided by its number of intervals, in float32 as other readers do; 1 for all
/// axes if no length is given.
void setSpacing(const Bytes& bytes, bool swapped, base::Geometry& geometry) {
    bool none = true;
    bool all = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto length = field<float>(bytes, 40 + 4 * axis, swapped);
        const auto intervals = field<std::int32_t>(bytes, 28 + 4 * axis, swapped);
        geometry.spacing[axis] = static_cast<double>(length / static_cast<float>(intervals));
        none = none && length == 0;
        all = all && length > 0;
    }
    if (none) {
        geometry.spacing = {1, 1, 1};
    }
    if (all) {
        geometry.unit = "A";
        geometry.unitSource = base::UnitSource::Header;
    }
}

} // namespace

Described describeMrc(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, kHeaderBytes);
    if (bytes.size() < static_cast<std::size_t>(kHeaderBytes)) {
        failInput(path, "the file is truncated; an MRC header has 1024 bytes");
    }
    const auto word = field<std::uint32_t>(bytes, 208, false);
    if (word != 0 && (bytes[208] != 'M' || bytes[209] != 'A' || bytes[210] != 'P')) {
        failInput(path, "its content is not that of an MRC file: the word MAP is missing");
    }
    const bool swapped = isSwapped(path, bytes);
    Described described;
    ImageInfo& info = described.info;
    info.format = name(Format::Mrc);
    info.pixel = typeOf(path, bytes, swapped);
    std::vector<std::int64_t> lengths;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        lengths.push_back(field<std::int32_t>(bytes, 4 * axis, swapped));
        info.geometry.origin[axis] =
            static_cast<double>(field<float>(bytes, 196 + 4 * axis, swapped)) + 0.0; // no -0
    }
    requireAxes(path, bytes, swapped);
    const std::int64_t promised = requireProduct(path, lengths, base::bytesPerVoxel(info.pixel));
    info.extents = {lengths[0], lengths[1], lengths[2]};
    setSpacing(bytes, swapped, info.geometry);
    const auto extension = field<std::int32_t>(bytes, 92, swapped);
    if (extension < 0) {
        failInput(path,
                  "its header gives an extended header of " + std::to_string(extension) + " bytes");
    }
    RawLayout& layout = described.place.layout;
    layout.file = path;
    layout.offset = kHeaderBytes + std::int64_t{extension};
    layout.swapped = swapped;
    requireBytes(path, promised, requireRegularFile(path) - layout.offset);
    return requireRoom(path, std::move(described));
}

void writeMrc(const std::filesystem::path& path, const std::filesystem::path& target,
              const base::AnyView& pixels, const base::Geometry& geometry,
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
        writeMrc(path, target, base::viewOf(wide), geometry, stop);
        return;
    }
    const int mode = type == PixelType::Int8     ? 0
                     : type == PixelType::Int16  ? 1
                     : type == PixelType::UInt16 ? 6
                                                 : 2;
    const base::Extents extents = base::extentsOf(pixels);
    const std::array<std::int64_t, 3> lengths{extents.x, extents.y, extents.z};
    // Without a unit no cell is given, so that readers do not take the spacing for angstrom.
    const bool given = !geometry.unit.empty() && geometry.unit != "px";
    const double factor = given ? unitLength(geometry.unit) / unitLength("A") : 0;
    std::string header(static_cast<std::size_t>(kHeaderBytes), '\0');
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto length = static_cast<std::int32_t>(lengths[axis]);
        putField(header, 4 * axis, length);
        putField(header, 28 + 4 * axis, length);
        putField(header, 40 + 4 * axis,
                 static_cast<float>(geometry.spacing[axis] * factor *
                                    static_cast<double>(lengths[axis])));
        putField(header, 52 + 4 * axis, 90.0F); // angles of the cell
        putField(header, 64 + 4 * axis, static_cast<std::int32_t>(axis + 1));
        putField(header, 196 + 4 * axis,
                 static_cast<float>(geometry.origin[axis] * (given ? factor : 1)));
    }
    putField(header, 12, std::int32_t{mode});
    // Highest below lowest, and mean below both: not determined.
    putField(header, 80, -1.0F);
    putField(header, 84, -2.0F);
    putField(header, 216, -1.0F);                                        // deviation
    putField(header, 88, std::int32_t{base::isFlat2D(extents) ? 0 : 1}); // image or volume
    putField(header, 108, std::int32_t{20140});                          // version of the format
    const std::string map = "MAP ";
    std::copy(map.begin(), map.end(), header.begin() + 208);
    constexpr bool kLittle = std::endian::native == std::endian::little;
    header[kStampAt] = header[kStampAt + 1] = static_cast<char>(kLittle ? kLittleStamp : kBigStamp);
    putField(header, 220, std::int32_t{1}); // labels
    const std::string label = "written by FLCC";
    std::fill_n(header.begin() + 224, 80, ' ');
    std::copy(label.begin(), label.end(), header.begin() + 224);
    writeRaw(path, target, header, pixels, stop);
}

} // namespace flcc::io::detail
