// MGH of FreeSurfer: 284 bytes of header in big endian, then frames of x, y and z.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/instruments.h"
#include "engine/io/volume/nifti_grid.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kMghHeaderBytes = 284;
constexpr bool kMghSwapped = std::endian::native == std::endian::little;

struct MghType {
    std::int32_t code;
    base::PixelType type;
};
constexpr std::array<MghType, 5> kMghTypes{{{0, base::PixelType::UInt8},
                                            {1, base::PixelType::Int32},
                                            {3, base::PixelType::Float32},
                                            {4, base::PixelType::Int16},
                                            {10, base::PixelType::UInt16}}};

std::int32_t mghNumber(const Bytes& bytes, std::size_t at) {
    return field<std::int32_t>(bytes, at, kMghSwapped);
}

base::PixelType mghTypeOf(const std::filesystem::path& path, std::int32_t code) {
    const auto* type = std::ranges::find(kMghTypes, code, &MghType::code);
    if (type == kMghTypes.end()) {
        failInput(path, "its voxels are of the MGH type " + std::to_string(code) +
                            ", which cannot be read; 0, 1, 3, 4 and 10 can");
    }
    return type->type;
}

/// Coronal slices of 1 mm around the origin: so FreeSurfer reads a header that gives no place.
NiftiGrid coronalGrid() {
    NiftiGrid grid;
    grid.matrix = {{{-1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}}};
    return grid;
}

/// Right-anterior-superior: spacing, unit vectors of the axes, and the place of the middle of the
/// grid, which is voxel (width / 2, ...) and lies between two voxels if that is no whole number.
NiftiGrid mghGridOf(const std::filesystem::path& path, const Bytes& bytes, ImageInfo& info) {
    NiftiGrid grid = coronalGrid();
    std::array<double, 3> middle{};
    if (field<std::int16_t>(bytes, 28, kMghSwapped) > 0) {
        info.directed = true;
        const auto real = [&](std::size_t at) {
            const auto value = static_cast<double>(field<float>(bytes, at, kMghSwapped));
            if (!isPlace(value)) {
                failInput(path, "its header gives a spacing or position of " + numberText(value));
            }
            return value;
        };
        for (std::size_t axis = 0; axis < 3; ++axis) {
            grid.spacing[axis] = real(30 + 4 * axis);
            if (grid.spacing[axis] <= 0) {
                failInput(path,
                          "its header gives a voxel spacing of " + numberText(grid.spacing[axis]));
            }
            for (std::size_t row = 0; row < 3; ++row) {
                grid.matrix[row][axis] = real(42 + 12 * axis + 4 * row) * grid.spacing[axis];
            }
            middle[axis] = real(78 + 4 * axis);
        }
    } else {
        info.notes.emplace_back("its header does not place it in space (its flag for that is 0); "
                                "it was read as coronal slices of 1 mm, as FreeSurfer does");
    }
    const std::array<std::int64_t, 3> extents{info.extents.x, info.extents.y, info.extents.z};
    for (std::size_t row = 0; row < 3; ++row) {
        grid.matrix[row][3] = middle[row];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            grid.matrix[row][3] -= grid.matrix[row][axis] * static_cast<double>(extents[axis]) / 2;
        }
    }
    grid.matrixCode = 1;
    return grid;
}

} // namespace

bool isMgh(const FileStart& start) {
    if (!start.has(0, {"\0\0\0\x01", 4})) {
        return false;
    }
    if (start.extension.starts_with(".mgh") || start.extension.starts_with(".mgz")) {
        return true;
    }
    if (start.bytes.size() < static_cast<std::size_t>(kMghHeaderBytes)) {
        return false;
    }
    bool sensible =
        std::ranges::find(kMghTypes, mghNumber(start.bytes, 20), &MghType::code) != kMghTypes.end();
    for (const std::size_t at : {4U, 8U, 12U, 16U}) {
        sensible = sensible && mghNumber(start.bytes, at) > 0;
    }
    // What the standard leaves unused is 0.
    return sensible && std::all_of(start.bytes.begin() + 90, start.bytes.begin() + kMghHeaderBytes,
                                   [](unsigned char byte) { return byte == 0; });
}

Described describeMgh(const std::filesystem::path& path) {
    const bool packed = isGzip(path);
    const Bytes bytes =
        packed ? unpackedStart(path, kMghHeaderBytes) : readBytes(path, 0, kMghHeaderBytes);
    if (bytes.size() < static_cast<std::size_t>(kMghHeaderBytes)) {
        failInput(path, "the file is truncated; an MGH header has 284 bytes");
    }
    if (mghNumber(bytes, 0) != 1) {
        failInput(path, "it is an MGH file of version " + std::to_string(mghNumber(bytes, 0)) +
                            "; version 1 can be read");
    }
    Described described;
    ImageInfo& info = described.info;
    info.format = name(Format::Mgh);
    info.pixel = mghTypeOf(path, mghNumber(bytes, 20));
    const std::vector<std::int64_t> lengths{mghNumber(bytes, 4), mghNumber(bytes, 8),
                                            mghNumber(bytes, 12), mghNumber(bytes, 16)};
    (void)requireProduct(path, lengths, base::bytesPerVoxel(info.pixel));
    info.extents = {lengths[0], lengths[1], lengths[2]};
    info.frames = requireFrames(path, lengths);
    setNiftiGeometry(path, mghGridOf(path, bytes, info), 3, info);
    info.geometry.unit = "mm";
    info.geometry.unitSource = base::UnitSource::Header;
    RawLayout& layout = described.place.layout;
    layout.file = path;
    layout.swapped = kMghSwapped;
    layout.encoding = packed ? Encoding::Packed : Encoding::Plain;
    (packed ? layout.skip : layout.offset) = kMghHeaderBytes;
    described.hasFooter = true; // times of the scan, and tags
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
