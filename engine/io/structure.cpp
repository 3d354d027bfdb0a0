// What the image library does not tell of a file: that it was cut short, and units.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>

#include <zlib.h>

#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"

namespace flcc::io::detail {

namespace {

using Bytes = std::vector<unsigned char>;

/// A number of a binary header at `offset`, its bytes turned round when `swapped`.
template <class T> T field(const Bytes& bytes, std::size_t offset, bool swapped) {
    std::array<unsigned char, sizeof(T)> raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), raw.begin());
    if (swapped) {
        std::reverse(raw.begin(), raw.end());
    }
    return std::bit_cast<T>(raw);
}

/// Walks the segments to the end mark.
void checkJpeg(const std::filesystem::path& path, std::int64_t size) {
    const Bytes bytes = readBytes(path, 0, size);
    std::size_t at = 2;
    bool scan = false; // inside entropy-coded data, where only FF xx (not 00, not RST) ends it
    while (at + 1 < bytes.size()) {
        const unsigned mark = bytes[at + 1];
        if (bytes[at] != 0xff || mark == 0xff || (scan && (mark == 0 || (mark & 0xf8U) == 0xd0))) {
            ++at;
            continue;
        }
        if (mark == 0xd9) {
            return;
        }
        if (at + 3 >= bytes.size()) {
            break;
        }
        at += 2U + static_cast<std::size_t>(bytes[at + 2] * 256 + bytes[at + 3]);
        scan = mark == 0xda;
    }
    failInput(path, "the file is truncated");
}

/// The first bytes of a file that may be compressed by gzip.
Bytes unpackedPrefix(const std::filesystem::path& path, unsigned count) {
    Bytes bytes(count);
    const gzFile file = ::gzopen(path.c_str(), "rb");
    const int got = file == nullptr ? 0 : ::gzread(file, bytes.data(), count);
    if (file != nullptr) {
        ::gzclose(file);
    }
    bytes.resize(static_cast<std::size_t>(std::max(0, got)));
    return bytes;
}

/// Bytes of a file after unpacking; -1 when it is damaged or ends within its packed data.
std::int64_t unpackedSize(const std::filesystem::path& path) {
    Bytes buffer(1 << 20);
    const gzFile file = ::gzopen(path.c_str(), "rb");
    if (file == nullptr) {
        return -1;
    }
    std::int64_t total = 0;
    int got = 0;
    do {
        got = ::gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
        total += std::max(0, got);
    } while (got > 0);
    return ::gzclose(file) == Z_OK && got == 0 ? total : -1;
}

struct NiftiHeader {
    std::int64_t dataOffset = 0;
    std::int64_t dataBytes = 0;
    int units = 0;
};

NiftiHeader parseNifti(const std::filesystem::path& path) {
    const Bytes bytes = unpackedPrefix(path, 540);
    if (bytes.size() < 348) {
        failInput(path, "the file is truncated");
    }
    const auto headerSize = field<std::int32_t>(bytes, 0, false);
    const bool swapped = headerSize != 348 && headerSize != 540;
    const bool second = field<std::int32_t>(bytes, 0, swapped) == 540;
    if ((!second && field<std::int32_t>(bytes, 0, swapped) != 348) ||
        (second && bytes.size() < 540)) {
        failInput(path, "its NIfTI header is damaged");
    }
    const auto dimension = [&](std::size_t axis) {
        return second ? field<std::int64_t>(bytes, 16 + 8 * axis, swapped)
                      : std::int64_t{field<std::int16_t>(bytes, 40 + 2 * axis, swapped)};
    };
    const std::int64_t dimensions = dimension(0);
    std::int64_t bits = field<std::int16_t>(bytes, second ? 14 : 72, swapped);
    if (dimensions < 1 || dimensions > 7 || bits < 1) {
        failInput(path, "its NIfTI header is damaged");
    }
    NiftiHeader header;
    std::int64_t voxels = 1;
    for (std::size_t axis = 1; axis <= static_cast<std::size_t>(dimensions); ++axis) {
        const std::int64_t length = dimension(axis);
        if (length < 1 || length > (std::int64_t{1} << 55) / voxels / bits) {
            failInput(path, "its header gives an axis of " + std::to_string(length) + " voxels");
        }
        voxels *= length;
    }
    header.dataBytes = (voxels * bits + 7) / 8;
    if (second) {
        header.dataOffset = std::clamp<std::int64_t>(field<std::int64_t>(bytes, 168, swapped), 0,
                                                     std::int64_t{1} << 55);
    } else {
        const auto offset = field<float>(bytes, 108, swapped);
        // Written so that NaN fails the comparison.
        header.dataOffset = offset > 0 ? static_cast<std::int64_t>(std::min(offset, 1e15F)) : 0;
    }
    header.units = second ? field<std::int32_t>(bytes, 500, swapped) : bytes[123];
    return header;
}

void checkNifti(const std::filesystem::path& path, std::int64_t size) {
    const NiftiHeader header = parseNifti(path);
    const Bytes start = readBytes(path, 0, 2);
    if (start[0] != 0x1f || start[1] != 0x8b) {
        requireBytes(path, header.dataBytes, size - header.dataOffset);
        return;
    }
    if (header.dataBytes / 1040 > size) {
        failInput(path, "its header promises more voxels than the file can hold");
    }
    // The last four bytes of a whole gzip file of one member are its unpacked size; a file of
    // several members, or a cut one, is counted.
    const Bytes end = readBytes(path, size - 4, 4);
    const auto stated = field<std::uint32_t>(end, 0, std::endian::native == std::endian::big);
    const std::int64_t promised = header.dataOffset + header.dataBytes;
    if (stated != static_cast<std::uint32_t>(promised & 0xffffffff)) {
        const std::int64_t unpacked = unpackedSize(path);
        if (unpacked < 0) {
            failInput(path, "the file is truncated or damaged");
        }
        requireBytes(path, header.dataBytes, unpacked - header.dataOffset);
    }
}

struct MrcHeader {
    std::int64_t dataOffset = 0;
    std::int64_t dataBytes = 0;
    bool signedBytes = false;
    std::array<float, 3> lengths{};
};

MrcHeader parseMrc(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, 1024);
    if (bytes.size() < 1024) {
        failInput(path, "the file is truncated; an MRC header has 1024 bytes");
    }
    // Old files have no machine stamp: theirs is told by the mode, a small number.
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

/// The lines of an NRRD header, without the carriage returns of other systems.
std::vector<std::string> nrrdLines(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, 1 << 16);
    std::istringstream text(std::string(bytes.begin(), bytes.end()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (line.empty()) {
            break;
        }
        lines.push_back(line);
    }
    return lines;
}

/// A header with its voxels elsewhere.
void checkNrrd(const std::filesystem::path& path) {
    for (const std::string& line : nrrdLines(path)) {
        for (const std::string key : {"data file:", "datafile:"}) {
            if (line.rfind(key, 0) == 0) {
                const auto begin = line.find_first_not_of(" \t", key.size());
                const std::string file = begin == std::string::npos ? "" : line.substr(begin);
                (void)requireRegularFile(requireNeighbour(path, file));
            }
        }
    }
}

/// The fields of an NRRD header that the library keeps to itself.
void refineNrrd(const std::filesystem::path& path, base::Geometry& geometry) {
    std::string unit;
    for (const std::string& line : nrrdLines(path)) {
        for (const std::string key : {"space units:", "units:"}) {
            const auto open = line.find('"');
            const auto close = line.find('"', open + 1);
            if (line.rfind(key, 0) == 0 && open != std::string::npos &&
                close != std::string::npos && unit.empty()) {
                unit = line.substr(open + 1, close - open - 1);
            }
        }
    }
    setHeaderUnit(geometry, unit);
}

} // namespace

void inflateInto(const std::filesystem::path& path, std::int64_t offset, void* target,
                 std::int64_t count) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(offset);
    Bytes packed(1 << 18);
    z_stream stream{};
    // 32: zlib's own format or gzip's, by the first bytes.
    if (::inflateInit2(&stream, 15 + 32) != Z_OK) {
        throw std::bad_alloc();
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> close(&stream, ::inflateEnd);
    auto* out = static_cast<unsigned char*>(target);
    int status = Z_OK;
    while (status == Z_OK && count > 0) {
        if (stream.avail_in == 0) {
            file.read(reinterpret_cast<char*>(packed.data()),
                      static_cast<std::streamsize>(packed.size()));
            stream.next_in = packed.data();
            stream.avail_in = static_cast<uInt>(file.gcount());
        }
        const auto room = static_cast<uInt>(std::min<std::int64_t>(count, 1 << 30));
        stream.next_out = out;
        stream.avail_out = room;
        status = ::inflate(&stream, Z_NO_FLUSH);
        out += room - stream.avail_out;
        count -= room - stream.avail_out;
    }
    if (count > 0) {
        failInput(path, "its packed voxels are truncated or damaged");
    }
}

void checkStructure(const std::filesystem::path& path, Format format) {
    const std::int64_t size = requireRegularFile(path);
    switch (format) {
    case Format::Jpeg:
        checkJpeg(path, size);
        break;
    case Format::Nifti:
        checkNifti(path, size);
        break;
    case Format::Mrc: {
        const MrcHeader header = parseMrc(path);
        requireBytes(path, header.dataBytes, size - header.dataOffset);
        break;
    }
    case Format::Nrrd:
        checkNrrd(path);
        break;
    case Format::MetaImage: // see mha_file.cpp
    case Format::Png:       // see png_file.cpp
    case Format::Tiff:      // see tiff_file.cpp
        break;
    }
}

void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
    switch (format) {
    case Format::Jpeg:
        // Dots per inch are a wish of the printer, not a spacing.
        geometry = base::Geometry{};
        break;
    case Format::Nifti: {
        // The library hands everything over in mm.
        constexpr int kMicron = 3;
        geometry.unit = "mm";
        geometry.unitSource = base::UnitSource::Header;
        if ((parseNifti(path).units & 7) == kMicron) {
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
    case Format::MetaImage:
    case Format::Png:
    case Format::Tiff:
        break;
    }
}

} // namespace flcc::io::detail
