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
#include "engine/io/volume/several_files.h"

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
    std::vector<std::string> files; ///< lines after ElementDataFile = LIST
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

/// The lines that are not blank.
std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line = trimmed(line); !line.empty()) {
            lines.push_back(line);
        }
    }
    return lines;
}

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
        if (header.fields.contains(key)) {
            failInput(path, "its header gives " + inQuotes(key) + " twice");
        }
        header.fields[key] = trimmed(line.substr(equals + 1));
        if (key == "ElementDataFile") {
            header.dataOffset = static_cast<std::int64_t>(position);
            if (isList(header.fields[key])) {
                header.files = linesOf(text.substr(position));
            }
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
                  ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
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
        info.directed = true;
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
    readGeometry(path, header, count, info);
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

/// The files of voxels beside the header, one for each step along the axes behind the first `axes`.
void setFilesBeside(const std::filesystem::path& path, const Header& header,
                    const std::string& file, Described& described) {
    const auto sizes = wholeNumbers(header.get("DimSize"));
    const auto filesOf = [&](std::size_t axes) {
        std::int64_t count = 1;
        for (std::size_t axis = axes; axis < sizes.size(); ++axis) {
            count = cappedProduct(count, sizes[axis]);
        }
        return count;
    };
    const std::size_t flat = sizes.size() - 1;
    if (isList(file)) {
        std::string word = trimmed(file.substr(4)); // "LIST 2D": axes of each file
        word = word.substr(0, word.find_first_not_of("0123456789"));
        const auto axes = wholeNumbers(word);
        const bool given = !axes.empty() && axes[0] > 0 && axes[0] <= std::ssize(sizes);
        setFiles(path, header.files, filesOf(given ? static_cast<std::size_t>(axes[0]) : flat),
                 described);
        return;
    }
    const std::size_t blank = file.find_first_of(" \t", file.find('%'));
    const auto range =
        blank == std::string::npos ? std::vector<std::int64_t>{} : wholeNumbers(file.substr(blank));
    if (file.find('%') == std::string::npos || range.size() > 3 ||
        (blank != std::string::npos && range.empty())) {
        setFiles(path, {file}, 1, described);
        return;
    }
    NumberedFiles files;
    files.pattern = file.substr(0, blank);
    files.first = !range.empty() ? range[0] : 1;
    files.last = range.size() > 1 ? range[1] : cappedSum(files.first, filesOf(flat) - 1);
    files.step = range.size() > 2 ? range[2] : 1;
    setFiles(path, namesOf(path, files, filesOf(flat)), filesOf(flat), described);
}

/// Where the voxels are.
void setLayout(const std::filesystem::path& path, const Header& header, Described& described) {
    RawLayout& layout = described.place.layout;
    const bool bigEndian =
        header.flag("BinaryDataByteOrderMSB") || header.flag("ElementByteOrderMSB");
    if (!header.get("BinaryDataByteOrderMSB").empty() &&
        !header.get("ElementByteOrderMSB").empty() &&
        header.flag("BinaryDataByteOrderMSB") != header.flag("ElementByteOrderMSB")) {
        failInput(path, "BinaryDataByteOrderMSB and ElementByteOrderMSB in its header contradict "
                        "each other");
    }
    layout.swapped = bigEndian != (std::endian::native == std::endian::big);
    const std::string binary = header.get("BinaryData");
    const bool letters =
        !binary.empty() && std::string_view("Ff0").find(binary[0]) != std::string::npos;
    layout.encoding = header.flag("CompressedData") ? Encoding::Packed
                      : letters                     ? Encoding::Text
                                                    : Encoding::Plain;
    const auto skip =
        numbers<std::int64_t>(path, "HeaderSize", header.get("HeaderSize", "0"), 1).front();
    const std::string file = header.get("ElementDataFile");
    if (file == "LOCAL" || file == "local" || file == "Local") {
        layout.file = path;
        // A number of bytes to the voxels counts from the begin of the file, as for other files.
        if (skip > 0 && skip < header.dataOffset) {
            failInput(path, "HeaderSize is " + std::to_string(skip) +
                                ", but its header ends at byte " +
                                std::to_string(header.dataOffset));
        }
        layout.offset = skip > 0 ? skip
                        : skip == 0
                            ? header.dataOffset
                            : std::max(header.dataOffset,
                                       requireRegularFile(path) - bytesPerPart(path, described));
        return;
    }
    setFilesBeside(path, header, file, described);
    const std::int64_t bytes = bytesPerPart(path, described);
    forParts(layout, [&](RawPart& part) {
        // -1: as much as there is before the voxels.
        const std::int64_t size = requireRegularFile(part.file);
        part.offset = skip >= 0 ? std::min(skip, size) : std::max<std::int64_t>(0, size - bytes);
    });
}

} // namespace

Described describeMha(const std::filesystem::path& path) {
    const Header header = parseHeader(path);
    Described described;
    described.info = infoOf(path, header);
    setLayout(path, header, described);
    const RawLayout& layout = described.place.layout;
    if (layout.encoding == Encoding::Packed && layout.more.empty() &&
        !header.get("CompressedDataSize").empty()) {
        const auto stated =
            numbers<std::int64_t>(path, "CompressedDataSize", header.get("CompressedDataSize"), 1)
                .front();
        const std::int64_t there = requireRegularFile(layout.file) - layout.offset;
        if (stated != there && stated != 0) {
            failInput(path, "CompressedDataSize is " + std::to_string(stated) +
                                ", but the file has " + std::to_string(there) + " bytes of voxels");
        }
    }
    return requireRoom(path, std::move(described));
}

std::string mhaHeader(base::PixelType type, const base::Extents& extents,
                      const base::Geometry& geometry, const Metadata& metadata) {
    const std::size_t dimensions = isPicture(extents, geometry) ? 2 : 3;
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
