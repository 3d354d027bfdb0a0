// The headers of GIPL and BioRad, which are binary.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <memory>

#include <zlib.h>

#include "engine/io/rare/headers.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;
using Bytes = std::vector<unsigned char>;

/// The first `count` bytes from `offset`; fewer at the end.
Bytes bytesAt(const std::filesystem::path& file, std::int64_t offset, std::int64_t count) {
    std::ifstream in(file, std::ios::binary);
    Bytes bytes(static_cast<std::size_t>(count));
    in.seekg(offset);
    in.read(reinterpret_cast<char*>(bytes.data()), count);
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

Bytes headerBytes(const std::filesystem::path& file, std::int64_t count) {
    Bytes bytes = bytesAt(file, 0, count);
    if (std::ssize(bytes) < count) {
        refuseItk("the file is truncated within its header");
    }
    return bytes;
}

/// A number of a binary header.
template <class Number> Number valueAt(const Bytes& bytes, std::size_t offset, std::endian order) {
    std::array<unsigned char, sizeof(Number)> raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(Number), raw.begin());
    if (order != std::endian::native) {
        std::ranges::reverse(raw);
    }
    return std::bit_cast<Number>(raw);
}

/// Bytes of a file that gzip packed.
std::int64_t unpackedSize(const std::filesystem::path& file) {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(::gzopen(file.c_str(), "rb"), ::gzclose);
    Bytes block(1 << 16);
    std::int64_t size = 0;
    int got = 1;
    while (in && got > 0) {
        got = ::gzread(in.get(), block.data(), static_cast<unsigned>(block.size()));
        size += std::max(got, 0);
    }
    int error = Z_OK;
    if (in) {
        (void)::gzerror(in.get(), &error);
    }
    if (!in || got < 0 || (error != Z_OK && error != Z_STREAM_END)) {
        refuseItk("the file is truncated or damaged: it cannot be unpacked to its end");
    }
    return size;
}

PixelType giplType(int type) {
    switch (type) {
    case 1: // "binary"; ITK takes it as bytes, which the size of the file confirms
    case 8:
        return PixelType::UInt8;
    case 7:
        return PixelType::Int8;
    case 15:
        return PixelType::Int16;
    case 16:
        return PixelType::UInt16;
    case 64:
        return PixelType::Float32;
    case 65:
        return PixelType::Float64;
    default:
        refuseItk("its voxels are of type " + std::to_string(type) +
                  " of GIPL; those of 8 and 16 bits (1, 7, 8, 15, 16), float (64) and double (65) "
                  "can be read");
    }
}

} // namespace

ItkHeader giplHeader(const std::filesystem::path& file) {
    constexpr std::size_t kLength = 256;
    constexpr auto kOrder = std::endian::big;
    Bytes bytes = headerBytes(file, 2);
    const bool packed = bytes[0] == 0x1f && bytes[1] == 0x8b;
    if (packed && !file.string().ends_with(".gipl.gz")) {
        refuseItk("it is packed by gzip; ITK reads it so only if its name ends with .gipl.gz");
    }
    if (!packed && file.string().ends_with(".gz")) {
        refuseItk("its name says that gzip packed it, but it is not packed");
    }
    std::int64_t unpacked = 0;
    if (packed) {
        unpacked = unpackedSize(file);
        bytes.assign(kLength, 0);
        const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(::gzopen(file.c_str(), "rb"),
                                                            ::gzclose);
        if (!in || ::gzread(in.get(), bytes.data(), kLength) != static_cast<int>(kLength)) {
            refuseItk("the file is truncated within its header");
        }
    } else {
        bytes = headerBytes(file, kLength);
    }
    ItkHeader header;
    header.voxels = file;
    header.offset = kLength;
    std::array<std::int64_t, 4> sizes{};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        sizes[axis] = valueAt<std::uint16_t>(bytes, 2 * axis, kOrder);
    }
    // Axes without a length do not exist; the first two must.
    header.extents = {sizes[0], sizes[1], std::max<std::int64_t>(1, sizes[2])};
    header.frames = std::max<std::int64_t>(1, sizes[3]);
    if (sizes[2] == 0 && header.frames > 1) {
        refuseItk("its header gives no length for the third axis, but one for the fourth");
    }
    header.stored = giplType(valueAt<std::uint16_t>(bytes, 8, kOrder));
    header.pixel = header.stored;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool exists = sizes[axis] > 0;
        header.geometry.spacing[axis] =
            exists ? double{valueAt<float>(bytes, 10 + 4 * axis, kOrder)} : 1.0;
        header.geometry.origin[axis] =
            exists ? valueAt<double>(bytes, 204 + 8 * axis, kOrder) : 0.0;
    }
    header.unit = "mm";
    if (valueAt<std::uint32_t>(bytes, 252, kOrder) == 0x2ae389b8U) {
        header.notes.emplace_back("directions that its header may state were not read");
    }
    if (header.geometry.origin != base::Point{0, 0, 0}) {
        header.notes.emplace_back("its origin was taken as the centre of the first voxel, as ITK "
                                  "writes it; IRTK means the centre of the volume");
    }
    if (packed) {
        header.present = unpacked - header.offset;
    }
    return header;
}

namespace {

/// The spacing that the notes of a BioRad file state: text behind all voxels, 96 bytes each.
void takeBioRadNotes(const std::filesystem::path& file, ItkHeader& header, std::int64_t voxels) {
    constexpr std::int64_t kNote = 96;
    constexpr std::int64_t kMostNotes = 4096;
    constexpr int kVariable = 20;
    const Bytes all = bytesAt(file, header.offset + voxels, kNote * kMostNotes);
    bool time = false;
    for (std::size_t at = 0; at + kNote <= all.size(); at += kNote) {
        if (valueAt<std::int16_t>(all, at + 10, std::endian::little) != kVariable) {
            continue;
        }
        const std::string text(all.begin() + static_cast<std::ptrdiff_t>(at) + 16,
                               all.begin() + static_cast<std::ptrdiff_t>(at) + 96);
        const std::vector<std::string> words =
            wordsOf(std::string_view(text).substr(0, text.find('\0')));
        const bool axis =
            words.size() >= 4 && words[0].size() == 6 && words[0].starts_with("AXIS_");
        if (!axis || words[0][5] < '2' || words[0][5] > '4') {
            continue;
        }
        const auto which = static_cast<std::size_t>(words[0][5] - '2');
        const double kindAndMore = numberOf(words[1]);
        const int kind = std::abs(kindAndMore) < 1e6 ? static_cast<int>(kindAndMore) & 255 : 0;
        if (kind == 1) { // a distance in micrometres
            header.geometry.spacing[which] = numberOf(words[3]);
            header.unit = "um";
        }
        time = time || (which == 2 && kind == 2);
    }
    if (time && header.extents.z > 1) {
        std::swap(header.extents.z, header.frames);
        header.notes.emplace_back("its pictures were taken one after the other: they are frames");
    }
}

} // namespace

ItkHeader bioRadHeader(const std::filesystem::path& file) {
    constexpr auto kOrder = std::endian::little;
    const Bytes bytes = headerBytes(file, 76);
    ItkHeader header;
    header.voxels = file;
    header.offset = 76;
    header.extents = {valueAt<std::uint16_t>(bytes, 0, kOrder),
                      valueAt<std::uint16_t>(bytes, 2, kOrder),
                      valueAt<std::uint16_t>(bytes, 4, kOrder)};
    const int bytesOfVoxel = valueAt<std::int16_t>(bytes, 14, kOrder);
    if (bytesOfVoxel != 0 && bytesOfVoxel != 1) {
        refuseItk("its header says neither that a voxel has one byte nor that it has two");
    }
    const std::int64_t count = header.extents.x * header.extents.y * header.extents.z;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file));
    const bool onlyOne = bytesOfVoxel == 0 && size - header.offset == count;
    header.stored = bytesOfVoxel == 1 || onlyOne ? PixelType::UInt8 : PixelType::UInt16;
    header.pixel = header.stored;
    if (onlyOne) {
        header.notes.emplace_back("its header says that a voxel has two bytes; by its size it has "
                                  "one");
    }
    if (valueAt<std::int16_t>(bytes, 50, kOrder) != 0) {
        header.notes.emplace_back("it is a merged picture: its values are indices of colours");
    }
    if (valueAt<std::int32_t>(bytes, 10, kOrder) != 0 && header.extents.x > 0 && count > 0) {
        const std::int64_t voxels = promisedBytes(header);
        takeBioRadNotes(file, header, voxels);
        header.present = std::min(voxels, size - header.offset); // notes follow them
    }
    return header;
}

} // namespace flcc::io::detail
