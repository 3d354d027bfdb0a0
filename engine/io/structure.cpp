// What the image library does not tell of a file: that it was cut short, and units.

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
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
    header.units = second ? field<std::int32_t>(bytes, 500, swapped) : bytes[123];
    const Bytes start = readBytes(path, 0, 2);
    header.packed = start[0] == 0x1f && start[1] == 0x8b;
    return header;
}

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

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// What an NRRD header says of where its voxels are.
struct NrrdHeader {
    Metadata fields;             ///< "key: value" lines, the keys in lower case
    std::int64_t dataOffset = 0; ///< behind the empty line that ends it

    /// The value behind any of the keys; empty where there is none.
    [[nodiscard]] std::string get(std::initializer_list<const char*> keys) const {
        for (const char* key : keys) {
            if (const auto found = fields.find(key); found != fields.end()) {
                return found->second;
            }
        }
        return {};
    }
};

NrrdHeader parseNrrd(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, 1 << 20);
    const std::string text(bytes.begin(), bytes.end());
    NrrdHeader header;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        while (!line.empty() &&
               (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
            line.pop_back();
        }
        if (line.empty()) {
            header.dataOffset = static_cast<std::int64_t>(at);
            return header;
        }
        const std::size_t colon = line.find(": ");
        if (line[0] != '#' && colon != std::string::npos) {
            const std::size_t value = line.find_first_not_of(" \t", colon + 1);
            header.fields.try_emplace(lowered(line.substr(0, colon)),
                                      value == std::string::npos ? "" : line.substr(value));
        }
    }
    header.dataOffset = static_cast<std::int64_t>(text.size());
    return header;
}

std::string nrrdDataFile(const NrrdHeader& header) { return header.get({"data file", "datafile"}); }

/// A header with its voxels elsewhere.
void checkNrrd(const std::filesystem::path& path) {
    const NrrdHeader header = parseNrrd(path);
    if (header.fields.count("data file") + header.fields.count("datafile") > 0) {
        (void)requireRegularFile(requireNeighbour(path, nrrdDataFile(header)));
    }
}

std::int64_t wholeNumber(const std::filesystem::path& path, const std::string& what,
                         const std::string& text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < -1) {
        failInput(path, what + " in its header is \"" + oneLine(text).substr(0, 40) + "\"");
    }
    return value;
}

/// Where `lines` lines from `offset` on end.
std::int64_t skipLines(const std::filesystem::path& path, std::int64_t offset, std::int64_t lines) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(offset);
    for (; lines > 0 && file; --lines) {
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    if (!file) {
        failInput(path, "the file is truncated");
    }
    return static_cast<std::int64_t>(file.tellg());
}

/// Product of the sizes before the axis that holds the values of a voxel; 1 when that is the first.
std::int64_t valuesBeforeRange(const std::filesystem::path& path, const NrrdHeader& header) {
    std::istringstream kinds(lowered(header.get({"kinds"})));
    std::istringstream sizes(header.get({"sizes"}));
    std::int64_t before = 1;
    std::string size;
    for (std::string kind; kinds >> kind && sizes >> size;) {
        if (kind != "domain" && kind != "space" && kind != "time" && kind != "???" &&
            kind != "none") {
            return before;
        }
        const std::int64_t length = wholeNumber(path, "a size", size);
        if (length < 1 || length > (std::int64_t{1} << 55) / before) {
            failInput(path, "its header gives an axis of " + size + " voxels");
        }
        before *= length;
    }
    return 1;
}

Encoding encodingOf(const std::filesystem::path& path, const std::string& word) {
    const std::string encoding = lowered(word);
    if (encoding == "raw") {
        return Encoding::Plain;
    }
    if (encoding == "gzip" || encoding == "gz") {
        return Encoding::Packed;
    }
    if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
        return Encoding::Text;
    }
    if (encoding == "hex") {
        return Encoding::Hex;
    }
    failInput(path, "its voxels are encoded by \"" + oneLine(word).substr(0, 40) +
                        "\", which cannot be read; raw, gzip, text and hex can");
}

VoxelPlace nrrdPlace(const std::filesystem::path& path, const ImageInfo& info) {
    const NrrdHeader header = parseNrrd(path);
    const std::string file = nrrdDataFile(header);
    VoxelPlace place;
    RawLayout& layout = place.layout;
    layout.file = file.empty() ? path : requireNeighbour(path, file);
    layout.offset = file.empty() ? header.dataOffset : 0;
    layout.encoding = encodingOf(path, header.get({"encoding"}));
    const std::int64_t together = std::int64_t{1} * info.components * info.channels;
    layout.inner = together > 1 ? valuesBeforeRange(path, header) : 1;
    const std::string endian = lowered(header.get({"endian"}));
    layout.swapped =
        !endian.empty() && (endian == "big") != (std::endian::native == std::endian::big);
    if (const auto lines = header.get({"line skip", "lineskip"}); !lines.empty()) {
        layout.offset =
            skipLines(layout.file, layout.offset, wholeNumber(path, "line skip", lines));
    }
    const std::int64_t values = base::voxelCount(info.extents) * together;
    if (const auto bytes = header.get({"byte skip", "byteskip"}); !bytes.empty()) {
        const std::int64_t skip = wholeNumber(path, "byte skip", bytes);
        if (skip >= 0) {
            (layout.encoding == Encoding::Packed ? layout.skip : layout.offset) += skip;
        } else {
            // -1: as much as there is before the voxels.
            const std::int64_t size = requireRegularFile(layout.file);
            const std::int64_t voxel = base::bytesPerVoxel(info.pixel) * together;
            requireRawBytes(layout.file, info.extents, voxel, info.frames, size);
            layout.offset = size - values * base::bytesPerVoxel(info.pixel) * info.frames;
        }
    }
    return place;
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

/// The fields of an NRRD header that the library keeps to itself.
void refineNrrd(const std::filesystem::path& path, base::Geometry& geometry) {
    const NrrdHeader header = parseNrrd(path);
    std::string unit;
    for (const std::string& text : {header.get({"space units"}), header.get({"units"})}) {
        const auto open = text.find('"');
        const auto close = open == std::string::npos ? open : text.find('"', open + 1);
        if (close != std::string::npos && unit.empty()) {
            unit = text.substr(open + 1, close - open - 1);
        }
    }
    setHeaderUnit(geometry, unit);
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
    case Format::Tiff:      // see tiff_file.cpp
        break;
    }
}

void refineInfo(const std::filesystem::path& path, Format format, ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
    switch (format) {
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
