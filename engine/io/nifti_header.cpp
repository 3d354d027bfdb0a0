#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>

#include <zlib.h>

#include "engine/io/detail/headers.h"

namespace flcc::io::detail {

namespace {

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
std::int64_t unpackedSize(const std::filesystem::path& path, const std::stop_token& stop) {
    Bytes buffer(1 << 20);
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
    if (!file) {
        return -1;
    }
    std::int64_t total = 0;
    int got = 0;
    do {
        throwIfStopped(stop);
        got = ::gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
        total += std::max(0, got);
    } while (got > 0);
    return ::gzclose(file.release()) == Z_OK && got == 0 ? total : -1;
}

/// Kinds of voxels of a NIfTI file that are images of numbers.
struct NiftiType {
    std::int16_t code;
    base::PixelType type;
    int values; ///< of a voxel, side by side
};
constexpr std::array<NiftiType, 12> kNiftiTypes{{{2, base::PixelType::UInt8, 1},
                                                 {4, base::PixelType::Int16, 1},
                                                 {8, base::PixelType::Int32, 1},
                                                 {16, base::PixelType::Float32, 1},
                                                 {64, base::PixelType::Float64, 1},
                                                 {128, base::PixelType::UInt8, 3},
                                                 {256, base::PixelType::Int8, 1},
                                                 {512, base::PixelType::UInt16, 1},
                                                 {768, base::PixelType::UInt32, 1},
                                                 {1024, base::PixelType::Int64, 1},
                                                 {1280, base::PixelType::UInt64, 1},
                                                 {2304, base::PixelType::UInt8, 4}}};

struct NiftiHeader {
    std::int64_t dataOffset = 0;
    std::int64_t dataBytes = 0;
    NiftiType type{};
    double slope = 0;
    double intercept = 0;
    int units = 0;
    bool packed = false;
    bool swapped = false;
};

void setDimensions(const std::filesystem::path& path, const std::vector<std::int64_t>& dimensions,
                   NiftiHeader& header) {
    const std::int64_t bytes = base::bytesPerVoxel(header.type.type) * header.type.values;
    std::int64_t voxels = 1;
    for (const std::int64_t length : dimensions) {
        if (length < 1 || length > (std::int64_t{1} << 55) / voxels / bytes) {
            failInput(path, "its header gives an axis of " + std::to_string(length) + " voxels");
        }
        voxels *= length;
    }
    header.dataBytes = voxels * bytes;
}

void requirePlace(const std::filesystem::path& path, const Bytes& bytes, bool second,
                  bool swapped) {
    // Spacings, then quaternion, offsets and the rows of the matrix.
    struct Run {
        std::size_t at;
        std::size_t count;
    };
    const auto runs =
        second ? std::array{Run{104, 8}, Run{352, 18}} : std::array{Run{76, 8}, Run{256, 18}};
    for (const Run& run : runs) {
        for (std::size_t i = 0; i < run.count; ++i) {
            const double value =
                second ? field<double>(bytes, run.at + 8 * i, swapped)
                       : static_cast<double>(field<float>(bytes, run.at + 4 * i, swapped));
            if (!isPlace(value)) {
                failInput(path,
                          "its header gives a spacing or position of " + std::to_string(value));
            }
        }
    }
}

NiftiHeader parseNifti(const std::filesystem::path& path) {
    const Bytes bytes = unpackedPrefix(path, 540);
    if (bytes.size() < 348) {
        failInput(path, "the file is truncated");
    }
    const auto headerSize = field<std::int32_t>(bytes, 0, false);
    NiftiHeader header;
    header.swapped = headerSize != 348 && headerSize != 540;
    const bool swapped = header.swapped;
    const bool second = field<std::int32_t>(bytes, 0, swapped) == 540;
    if ((!second && field<std::int32_t>(bytes, 0, swapped) != 348) ||
        (second && bytes.size() < 540)) {
        failInput(path, "its NIfTI header is damaged");
    }
    const std::size_t magic = second ? 4 : 344;
    if (bytes[magic] != 'n' || bytes[magic + 1] != '+') {
        failInput(path, "its voxels lie in another file, which cannot be read");
    }
    const auto code = field<std::int16_t>(bytes, second ? 12 : 70, swapped);
    const auto* type =
        std::find_if(kNiftiTypes.begin(), kNiftiTypes.end(),
                     [&](const NiftiType& candidate) { return candidate.code == code; });
    if (type == kNiftiTypes.end()) {
        failInput(path, "its voxels are of the NIfTI type " + std::to_string(code) +
                            ", which cannot be read");
    }
    header.type = *type;
    const auto dimension = [&](std::size_t axis) {
        return second ? field<std::int64_t>(bytes, 16 + 8 * axis, swapped)
                      : std::int64_t{field<std::int16_t>(bytes, 40 + 2 * axis, swapped)};
    };
    if (dimension(0) < 1 || dimension(0) > 7) {
        failInput(path, "its NIfTI header is damaged");
    }
    std::vector<std::int64_t> dimensions;
    for (std::size_t axis = 1; axis <= static_cast<std::size_t>(dimension(0)); ++axis) {
        dimensions.push_back(dimension(axis));
    }
    setDimensions(path, dimensions, header);
    // The voxels follow the header; an offset inside it means its end.
    if (second) {
        header.dataOffset = std::clamp<std::int64_t>(field<std::int64_t>(bytes, 168, swapped), 540,
                                                     std::int64_t{1} << 55);
        header.slope = field<double>(bytes, 176, swapped);
        header.intercept = field<double>(bytes, 184, swapped);
    } else {
        const auto offset = field<float>(bytes, 108, swapped);
        // Written so that NaN fails the comparison.
        header.dataOffset = offset > 348 ? static_cast<std::int64_t>(std::min(offset, 1e15F)) : 348;
        header.slope = static_cast<double>(field<float>(bytes, 112, swapped));
        header.intercept = static_cast<double>(field<float>(bytes, 116, swapped));
    }
    requirePlace(path, bytes, second, swapped);
    header.units = second ? field<std::int32_t>(bytes, 500, swapped) : bytes[123];
    const Bytes start = readBytes(path, 0, 2);
    header.packed = start[0] == 0x1f && start[1] == 0x8b;
    return header;
}

} // namespace

void checkNifti(const std::filesystem::path& path, std::int64_t size, const std::stop_token& stop) {
    const NiftiHeader header = parseNifti(path);
    if (!header.packed) {
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
        const std::int64_t unpacked = unpackedSize(path, stop);
        if (unpacked < 0) {
            failInput(path, "the file is truncated or damaged");
        }
        requireBytes(path, header.dataBytes, unpacked - header.dataOffset);
    }
}

VoxelPlace niftiPlace(const std::filesystem::path& path, const ImageInfo& info) {
    const NiftiHeader header = parseNifti(path);
    VoxelPlace place;
    place.layout.swapped = header.swapped;
    (header.packed ? place.layout.skip : place.layout.offset) = header.dataOffset;
    place.layout.encoding = header.packed ? Encoding::Packed : Encoding::Plain;
    const std::int64_t voxels = base::voxelCount(info.extents) * info.frames;
    // Vectors lie one component after the other, colours side by side.
    place.layout.inner = header.type.values > 1 ? 1 : voxels;
    if (info.components * info.channels % header.type.values != 0 ||
        header.dataBytes / base::bytesPerVoxel(header.type.type) / info.components / info.channels <
            voxels) {
        failInput(path, "its NIfTI header contradicts itself");
    }
    // Without a slope the numbers count as they are.
    const bool scaled = std::isfinite(header.slope) && header.slope != 0;
    if (header.type.type != info.pixel || (scaled && !base::isInteger(info.pixel))) {
        place.stored = header.type.type;
        place.slope = scaled ? header.slope : 1;
        place.intercept = scaled && std::isfinite(header.intercept) ? header.intercept : 0;
    }
    return place;
}

bool niftiIsMicron(const std::filesystem::path& path) {
    constexpr int kMicron = 3;
    return (parseNifti(path).units & 7) == kMicron;
}

} // namespace flcc::io::detail
