// MetaImage is simple enough to be read and written without a library: a build without one has a
// format, cut files are noticed, and a damaged header cannot end the program.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/io/format/backends.h"
#include "engine/io/format/headers.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

struct ElementType {
    std::string_view word;
    PixelType type;
};

// MET_LONG is 4 bytes in MetaImage whatever the machine.
constexpr std::array<ElementType, 12> kElementTypes{{{"MET_UCHAR", PixelType::UInt8},
                                                     {"MET_CHAR", PixelType::Int8},
                                                     {"MET_USHORT", PixelType::UInt16},
                                                     {"MET_SHORT", PixelType::Int16},
                                                     {"MET_UINT", PixelType::UInt32},
                                                     {"MET_INT", PixelType::Int32},
                                                     {"MET_ULONG_LONG", PixelType::UInt64},
                                                     {"MET_LONG_LONG", PixelType::Int64},
                                                     {"MET_FLOAT", PixelType::Float32},
                                                     {"MET_DOUBLE", PixelType::Float64},
                                                     {"MET_ULONG", PixelType::UInt32},
                                                     {"MET_LONG", PixelType::Int32}}};

/// The "Key = value" lines up to ElementDataFile, and where the voxels begin.
struct Header {
    Metadata fields;
    std::int64_t dataOffset = 0;

    [[nodiscard]] std::string get(const std::string& key, const std::string& otherwise = "") const {
        const auto found = fields.find(key);
        return found == fields.end() ? otherwise : found->second;
    }
    [[nodiscard]] std::string getFirst(std::initializer_list<const char*> keys) const {
        for (const char* key : keys) {
            if (const auto found = fields.find(key); found != fields.end()) {
                return found->second;
            }
        }
        return {};
    }
    [[nodiscard]] bool flag(const std::string& key) const {
        const std::string value = get(key);
        return !value.empty() && (value[0] == 'T' || value[0] == 't' || value[0] == '1');
    }
};

Header parseHeader(const std::filesystem::path& path) {
    const std::int64_t size = requireRegularFile(path);
    const auto bytes = readBytes(path, 0, std::min(size, kLongestHeader));
    const std::string text(bytes.begin(), bytes.end());
    Header header;
    std::size_t position = 0;
    while (position < text.size()) {
        const std::size_t end = text.find('\n', position);
        if (end == std::string::npos) {
            break;
        }
        const std::string line = text.substr(position, end - position);
        position = end + 1;
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) {
            if (trimmed(line).empty()) {
                continue;
            }
            break;
        }
        const std::string key = trimmed(line.substr(0, equals));
        header.fields[key] = trimmed(line.substr(equals + 1));
        if (key == "ElementDataFile") {
            header.dataOffset = static_cast<std::int64_t>(position);
            return header;
        }
    }
    failInput(path, "its MetaImage header has no end");
}

/// Numbers separated by blanks; an Input error when one is none, or there are not `count`.
template <class T>
std::vector<T> numbers(const std::filesystem::path& path, const std::string& what,
                       const std::string& text, std::size_t count) {
    std::vector<T> values;
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
        T value{};
        const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
        if (result.ec != std::errc() || result.ptr != word.data() + word.size()) {
            failInput(path, what + " in its header is " + inQuotes(text));
        }
        values.push_back(value);
    }
    if (values.size() != count) {
        failInput(path, what + " in its header is " + inQuotes(text) + " for " +
                            std::to_string(count) + " values");
    }
    return values;
}

void readGeometry(const std::filesystem::path& path, const Header& header, std::size_t dimensions,
                  base::Geometry& geometry) {
    const std::size_t used = std::min<std::size_t>(3, dimensions);
    if (const auto text = header.getFirst({"ElementSpacing", "ElementSize"}); !text.empty()) {
        const auto values = numbers<double>(path, "ElementSpacing", text, dimensions);
        std::copy_n(values.begin(), used, geometry.spacing.begin());
    }
    if (const auto text = header.getFirst({"Offset", "Position", "Origin"}); !text.empty()) {
        const auto values = numbers<double>(path, "Offset", text, dimensions);
        std::copy_n(values.begin(), used, geometry.origin.begin());
    }
    if (const auto text = header.getFirst({"TransformMatrix", "Rotation", "Orientation"});
        !text.empty()) {
        // The file lists the direction of one axis after the other.
        const auto values = numbers<double>(path, "TransformMatrix", text, dimensions * dimensions);
        for (std::size_t axis = 0; axis < used; ++axis) {
            for (std::size_t row = 0; row < used; ++row) {
                geometry.direction[3 * row + axis] = values[dimensions * axis + row];
            }
        }
    }
    setHeaderUnit(geometry, header.get("DistanceUnits"));
}

ImageInfo infoOf(const std::filesystem::path& path, const Header& header) {
    ImageInfo info;
    info.format = name(Format::MetaImage);
    const auto dimensions = numbers<int>(path, "NDims", header.get("NDims", "0"), 1).front();
    if (dimensions < 1 || dimensions > 4) {
        failInput(path, "it has " + std::to_string(dimensions) + " dimensions; 1 to 4 can be read");
    }
    const auto count = static_cast<std::size_t>(dimensions);
    auto extents = numbers<std::int64_t>(path, "DimSize", header.get("DimSize"), count);
    extents.resize(4, 1);
    info.extents = {extents[0], extents[1], extents[2]};
    if (extents[3] < 1 || extents[3] > 1'000'000'000) {
        failInput(path, "its header gives " + std::to_string(extents[3]) + " frames");
    }
    info.frames = static_cast<int>(extents[3]);
    const std::string word = header.get("ElementType");
    const auto* found = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                     [&](const ElementType& entry) { return entry.word == word; });
    if (found == kElementTypes.end()) {
        failInput(path, "its voxels are of the type " + inQuotes(word) + ", which cannot be read");
    }
    info.pixel = found->type;
    const int values =
        numbers<int>(path, "ElementNumberOfChannels", header.get("ElementNumberOfChannels", "1"), 1)
            .front();
    const bool colour = (values == 3 || values == 4) && base::bytesPerVoxel(info.pixel) <= 2 &&
                        base::isInteger(info.pixel);
    (colour ? info.components : info.channels) = values;
    readGeometry(path, header, count, info.geometry);
    constexpr std::array kOwn{"ObjectType",
                              "NDims",
                              "BinaryData",
                              "BinaryDataByteOrderMSB",
                              "ElementByteOrderMSB",
                              "CompressedData",
                              "CompressedDataSize",
                              "TransformMatrix",
                              "Rotation",
                              "Orientation",
                              "Offset",
                              "Position",
                              "Origin",
                              "CenterOfRotation",
                              "AnatomicalOrientation",
                              "ElementSpacing",
                              "ElementSize",
                              "DimSize",
                              "ElementType",
                              "ElementNumberOfChannels",
                              "ElementDataFile",
                              "DistanceUnits",
                              "HeaderSize",
                              "ObjectSubType"};
    for (const auto& [key, value] : header.fields) {
        if (std::find(kOwn.begin(), kOwn.end(), key) == kOwn.end()) {
            info.metadata[key] = value;
        }
    }
    requireSaneHeader(path, info);
    return info;
}

/// Empty where the voxels follow the header.
std::filesystem::path voxelFileOf(const std::filesystem::path& path, const Header& header) {
    const std::string file = header.get("ElementDataFile");
    const bool inside = file == "LOCAL" || file == "local" || file == "Local";
    return inside ? std::filesystem::path() : requireNeighbour(path, file);
}

/// Where the voxels are; that they are all there.
RawLayout layoutOf(const std::filesystem::path& path, const Header& header, const ImageInfo& info) {
    if (header.get("BinaryData", "True")[0] == 'F') {
        failInput(path, "its voxels are written as text, which cannot be read");
    }
    RawLayout layout;
    if (header.flag("CompressedData")) {
        layout.encoding = Encoding::Packed;
    }
    const bool bigEndian =
        header.flag("BinaryDataByteOrderMSB") || header.flag("ElementByteOrderMSB");
    layout.swapped = bigEndian != (std::endian::native == std::endian::big);
    const std::filesystem::path beside = voxelFileOf(path, header);
    const bool inside = beside.empty();
    layout.file = inside ? path : beside;
    const std::int64_t size = requireRegularFile(layout.file);
    const auto voxel = base::bytesPerVoxel(info.pixel) * info.components * info.channels;
    const auto skip =
        numbers<std::int64_t>(path, "HeaderSize", header.get("HeaderSize", "0"), 1).front();
    if (inside) {
        layout.offset = header.dataOffset;
    } else if (skip >= 0) {
        layout.offset = std::min(skip, size);
    } else {
        // -1: as much as there is before the voxels.
        requireRawBytes(layout.file, info.extents, voxel, info.frames, size);
        layout.offset = size - base::byteCount(info.extents, voxel) * info.frames;
    }
    if (layout.encoding == Encoding::Plain) {
        requireRawBytes(layout.file, info.extents, voxel, info.frames, size - layout.offset);
    } else if (base::byteCount(info.extents, voxel) / 1040 > size / info.frames) {
        failInput(path, "its header promises more voxels than the file can hold");
    }
    return layout;
}

} // namespace

Described describeMha(const std::filesystem::path& path) {
    const Header header = parseHeader(path);
    Described described;
    described.info = infoOf(path, header);
    described.place.layout = layoutOf(path, header, described.info);
    described.info.complete = described.place.layout.encoding == Encoding::Plain;
    return described;
}

std::filesystem::path mhaVoxelFile(const std::filesystem::path& path) {
    return voxelFileOf(path, parseHeader(path));
}

std::string mhaHeader(base::PixelType type, const base::Extents& extents,
                      const base::Geometry& geometry, const Metadata& metadata) {
    const std::size_t dimensions = base::isFlat2D(extents) ? 2 : 3;
    const auto list = [&](const auto& values) {
        std::string text;
        for (std::size_t i = 0; i < dimensions; ++i) {
            text += " " + numberText(values[i]);
        }
        return text;
    };
    std::string matrix;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        for (std::size_t row = 0; row < dimensions; ++row) {
            matrix += " " + numberText(geometry.direction[3 * row + axis]);
        }
    }
    std::string header = "ObjectType = Image\nNDims = " + std::to_string(dimensions) +
                         "\nBinaryData = True\nBinaryDataByteOrderMSB = ";
    header += std::endian::native == std::endian::big ? "True" : "False";
    header += "\nCompressedData = False\nTransformMatrix =" + matrix +
              "\nOffset =" + list(geometry.origin) + "\nElementSpacing =" + list(geometry.spacing);
    if (!geometry.unit.empty() && geometry.unit != "px") {
        header += "\nDistanceUnits = " + geometry.unit;
    }
    header += "\nDimSize = " + std::to_string(extents.x) + " " + std::to_string(extents.y) +
              (dimensions == 3 ? " " + std::to_string(extents.z) : "");
    header += "\nElementType = ";
    header += kElementTypes[static_cast<std::size_t>(type)].word;
    for (const auto& [key, value] : metadata) {
        header += "\n" + requireKey(key) + " = " + oneLine(value);
    }
    return header + "\nElementDataFile = LOCAL\n";
}

} // namespace flcc::io::detail
