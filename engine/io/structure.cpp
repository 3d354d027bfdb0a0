// Checks that the image library does not make: truncated files, and units.

#include <algorithm>
#include <array>
#include <bit>

#include "engine/io/detail/headers.h"

namespace flcc::io::detail {

namespace {

struct MrcHeader {
    std::int64_t dataOffset = 0;
    std::int64_t dataBytes = 0;
    bool swapped = false;
    bool signedBytes = false;
    std::array<float, 3> lengths{};
};

MrcHeader parseMrc(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, 1024);
    if (bytes.size() < 1024) {
        failInput(path, "the file is truncated; an MRC header has 1024 bytes");
    }
    // Old files have no machine stamp. Their byte order follows from the mode, which is a small
    // number.
    const bool littleFile = bytes[212] == 0x44;
    const bool bigFile = bytes[212] == 0x11;
    constexpr bool kLittle = std::endian::native == std::endian::little;
    const auto turnedMode = field<std::int32_t>(bytes, 12, true);
    const bool swapped = littleFile || bigFile
                             ? bigFile == kLittle
                             : field<std::int32_t>(bytes, 12, false) > 101 && turnedMode <= 101;
    const auto mode = field<std::int32_t>(bytes, 12, swapped);
    std::int64_t bytesPerVoxel = 0;
    switch (mode) {
    case 0:
        bytesPerVoxel = 1;
        break;
    case 1:
    case 6:
        bytesPerVoxel = 2;
        break;
    case 2:
        bytesPerVoxel = 4;
        break;
    default:
        failInput(path,
                  "its MRC mode " + std::to_string(mode) + " cannot be read; 0, 1, 2 and 6 can");
    }
    MrcHeader header;
    header.swapped = swapped;
    std::int64_t bytesInAll = bytesPerVoxel;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto length = field<std::int32_t>(bytes, 4 * axis, swapped);
        if (length < 1 || length > (std::int64_t{1} << 55) / bytesInAll) {
            failInput(path, "its header gives an axis of " + std::to_string(length) + " voxels");
        }
        bytesInAll *= length;
        header.lengths[axis] = field<float>(bytes, 40 + 4 * axis, swapped);
    }
    const auto extension = field<std::int32_t>(bytes, 92, swapped);
    if (extension < 0) {
        failInput(path,
                  "its header gives an extended header of " + std::to_string(extension) + " bytes");
    }
    header.dataOffset = 1024 + std::int64_t{extension};
    header.dataBytes = bytesInAll;
    // MRC2014: bytes are signed. Old IMOD files say otherwise in a flag of their own.
    const bool imod = field<std::int32_t>(bytes, 152, swapped) == 1146047817;
    header.signedBytes =
        mode == 0 && (!imod || (field<std::int32_t>(bytes, 156, swapped) & 1) != 0);
    return header;
}

VoxelPlace mrcPlace(const std::filesystem::path& path) {
    const MrcHeader header = parseMrc(path);
    VoxelPlace place;
    place.layout.offset = header.dataOffset;
    place.layout.swapped = header.swapped;
    return place;
}

/// The file must be able to hold what its header promises.
void requireRoom(const std::filesystem::path& path, const ImageInfo& info,
                 const VoxelPlace& place) {
    const RawLayout& layout = place.layout;
    const std::int64_t present = requireRegularFile(layout.file) - layout.offset;
    const std::int64_t voxel =
        base::bytesPerVoxel(place.stored.value_or(info.pixel)) * info.components * info.channels;
    // As few bytes as `voxel` bytes of a voxel can be written in, times 1040.
    std::int64_t least = 0;
    switch (layout.encoding) {
    case Encoding::Plain:
        requireRawBytes(layout.file, info.extents, voxel, info.frames, present);
        return;
    case Encoding::Packed:
        least = voxel; // zlib packs no more than 1032 bytes into one
        break;
    case Encoding::Text:
        least = std::int64_t{1040} * info.components * info.channels;
        break;
    case Encoding::Hex:
        least = 2080 * voxel;
        break;
    }
    if (base::voxelCount(info.extents) > present * 1040 / least / info.frames + 1) {
        failInput(path, "its header promises more voxels than the file can hold");
    }
}

} // namespace

void checkStructure(const std::filesystem::path& path, Format format, const std::stop_token& stop) {
    const std::int64_t size = requireRegularFile(path);
    switch (format) {
    case Format::Nifti:
        checkNifti(path, size, stop);
        break;
    case Format::Mrc: {
        const MrcHeader header = parseMrc(path);
        requireBytes(path, header.dataBytes, size - header.dataOffset);
        break;
    }
    case Format::Nrrd:
        checkNrrd(path);
        break;
    case Format::Jpeg:      // see jpeg_file.cpp
    case Format::MetaImage: // see mha_file.cpp
    case Format::Png:       // see png_file.cpp
    case Format::Tiff:      // see tiff_reader.cpp
        break;
    }
}

void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
    switch (format) {
    case Format::Nifti: {
        // The library hands everything over in mm.
        geometry.unit = "mm";
        geometry.unitSource = base::UnitSource::Header;
        if (niftiIsMicron(path)) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                geometry.spacing[axis] *= 1000;
                geometry.origin[axis] *= 1000;
            }
            geometry.unit = "um";
        }
        break;
    }
    case Format::Mrc: {
        const MrcHeader header = parseMrc(path);
        if (header.signedBytes && info.pixel == base::PixelType::UInt8) {
            info.pixel = base::PixelType::Int8;
        }
        if (std::all_of(header.lengths.begin(), header.lengths.end(),
                        [](float length) { return length > 0; })) {
            geometry.unit = "A";
            geometry.unitSource = base::UnitSource::Header;
        }
        break;
    }
    case Format::Nrrd:
        refineNrrd(path, geometry);
        break;
    case Format::Jpeg:
    case Format::MetaImage:
    case Format::Png:
    case Format::Tiff:
        break;
    }
}

VoxelPlace voxelPlace(const std::filesystem::path& path, Format format, const ImageInfo& info) {
    VoxelPlace place;
    if (format == Format::Nifti) {
        place = niftiPlace(path, info);
    } else if (format == Format::Nrrd) {
        place = nrrdPlace(path, info);
    } else {
        place = mrcPlace(path);
    }
    if (place.layout.file.empty()) {
        place.layout.file = path;
    }
    requireRoom(path, info, place);
    return place;
}

} // namespace flcc::io::detail
