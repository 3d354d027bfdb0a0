// EM of the TOM toolbox, PyTom and Dynamo: 512 bytes of header, then x, y and z.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/io/format/headers.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kEmHeaderBytes = 512;
constexpr unsigned char kLastMachine = 6; ///< PC

struct EmType {
    unsigned char code;
    std::int64_t bytes;
    std::optional<base::PixelType> type; ///< nothing: complex numbers
};
constexpr std::array<EmType, 7> kEmTypes{{{1, 1, base::PixelType::Int8},
                                          {2, 2, base::PixelType::Int16},
                                          {4, 4, base::PixelType::Int32},
                                          {5, 4, base::PixelType::Float32},
                                          {8, 8, std::nullopt},
                                          {9, 8, base::PixelType::Float64},
                                          {10, 16, std::nullopt}}};

const EmType* emTypeOf(const Bytes& bytes) {
    const auto* type = std::ranges::find(kEmTypes, bytes[3], &EmType::code);
    return type == kEmTypes.end() ? nullptr : type;
}

/// The size of a file whose header this is, in this order of bytes; 0 for no such header.
std::int64_t emSize(const Bytes& bytes, bool swapped) {
    std::int64_t size = emTypeOf(bytes)->bytes;
    for (const std::size_t at : {4U, 8U, 12U}) {
        const auto length = field<std::int32_t>(bytes, at, swapped);
        size = length > 0 ? cappedProduct(size, length) : 0;
    }
    return size > 0 ? cappedSum(size, kEmHeaderBytes) : 0;
}

/// By the size of the file where that decides, else as the code of the machine says: VAX and PC
/// have the last byte first.
bool emSwapped(const Bytes& bytes, std::int64_t size) {
    constexpr bool kBig = std::endian::native == std::endian::big;
    const bool plain = emSize(bytes, false) == size;
    const bool swapped = emSize(bytes, true) == size;
    const bool little = bytes[0] == 1 || bytes[0] == kLastMachine;
    return plain != swapped ? swapped : little == kBig;
}

/// Parameter 7 is the size of a pixel in thousandths of an angstrom, the same along all axes.
void setEmSpacing(const Bytes& bytes, bool swapped, base::Geometry& geometry) {
    constexpr std::size_t kAt = 96 + 4 * 6;
    const auto size = field<std::int32_t>(bytes, kAt, swapped);
    if (size > 0) {
        geometry.spacing.fill(static_cast<double>(size) / 1000);
        geometry.unit = "A";
        geometry.unitSource = base::UnitSource::Header;
    }
}

} // namespace

bool isEm(const FileStart& start) {
    const Bytes& bytes = start.bytes;
    if (bytes.size() < static_cast<std::size_t>(kEmHeaderBytes) || bytes[0] > kLastMachine ||
        emTypeOf(bytes) == nullptr) {
        return false;
    }
    const std::int64_t plain = emSize(bytes, false);
    const std::int64_t swapped = emSize(bytes, true);
    const std::int64_t size = requireRegularFile(start.file);
    return plain == size || swapped == size || start.extension == ".em";
}

Described describeEm(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, kEmHeaderBytes);
    const EmType& type = *emTypeOf(bytes);
    if (!type.type) {
        failInput(path, "its voxels are complex numbers (type " + std::to_string(int{type.code}) +
                            "): save the image itself");
    }
    Described described;
    ImageInfo& info = described.info;
    RawLayout& layout = described.place.layout;
    info.format = name(Format::Em);
    info.pixel = *type.type;
    layout.file = path;
    layout.offset = kEmHeaderBytes;
    layout.swapped = emSwapped(bytes, requireRegularFile(path));
    const auto length = [&](std::size_t at) {
        return std::int64_t{field<std::int32_t>(bytes, at, layout.swapped)};
    };
    info.extents = {length(4), length(8), length(12)};
    (void)requireProduct(path, {info.extents.x, info.extents.y, info.extents.z}, type.bytes);
    setEmSpacing(bytes, layout.swapped, info.geometry);
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
