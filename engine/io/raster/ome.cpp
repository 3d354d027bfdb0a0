// OME-XML by pugixml, which expands no entity of a document's own and reads no other file.

#include "engine/io/raster/ome.h"

#include <charconv>
#include <new>
#include <string_view>

#include <pugixml.hpp>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/reading.h"

namespace flcc::io::detail {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view withoutBlanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The name of an element without the prefix of its namespace.
std::string_view localName(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// The elements of a name inside `node`.
std::vector<pugi::xml_node> childrenOf(const pugi::xml_node& node, std::string_view name) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node& child : node.children()) {
        if (child.type() == pugi::node_element && localName(child) == name) {
            found.push_back(child);
        }
    }
    return found;
}

template <class T> std::optional<T> numberOf(std::string_view text) {
    text = withoutBlanks(text);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty()
               ? std::optional(value)
               : std::nullopt;
}

/// A whole number of an attribute, from `least` on; empty without the attribute.
std::optional<std::int64_t> wholeOf(const std::filesystem::path& path, const pugi::xml_node& node,
                                    const char* name, std::int64_t least) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) {
        return std::nullopt;
    }
    constexpr std::int64_t kMost = 1'000'000'000;
    const auto value = numberOf<std::int64_t>(attribute.value());
    if (!value || *value < least || *value > kMost) {
        failInput(path, std::string("its OME description gives ") + name + "=\"" +
                            base::excerpt(attribute.value()) + "\"");
    }
    return value;
}

int countOf(const std::filesystem::path& path, const pugi::xml_node& node, const char* name) {
    return static_cast<int>(wholeOf(path, node, name, 1).value_or(1));
}

OmeBlock blockOf(const std::filesystem::path& path, const pugi::xml_node& node) {
    OmeBlock block;
    block.channel = wholeOf(path, node, "FirstC", 0).value_or(0);
    block.slice = wholeOf(path, node, "FirstZ", 0).value_or(0);
    block.frame = wholeOf(path, node, "FirstT", 0).value_or(0);
    block.page = wholeOf(path, node, "IFD", 0);
    block.planes = wholeOf(path, node, "PlaneCount", 0);
    if (!block.planes) {
        block.planes = wholeOf(path, node, "NumPlanes", 0); // its name before 2008
    }
    for (const pugi::xml_node& file : childrenOf(node, "UUID")) {
        block.file = file.attribute("FileName").value();
        block.uuid = withoutBlanks(file.text().get());
        break;
    }
    return block;
}

/// All axes in the unit of the first that has one.
base::Geometry geometryOf(const pugi::xml_node& pixels) {
    constexpr std::array<const char*, 3> kSizes{"PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ"};
    base::Geometry geometry;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto size = numberOf<double>(pixels.attribute(kSizes[axis]).value());
        const std::string word =
            pixels.attribute((std::string(kSizes[axis]) + "Unit").c_str()).value();
        const Unit unit = parseUnit(word.empty() ? "um" : withoutBlanks(word));
        if (!size || !(*size > 0) || unit.name.empty()) {
            continue;
        }
        if (geometry.unitSource == base::UnitSource::Missing) {
            geometry.unit = unit.name;
            geometry.unitSource = base::UnitSource::Header;
        }
        geometry.spacing[axis] =
            unit.name == geometry.unit
                ? *size * unit.factor
                : *size * unit.factor * unitLength(unit.name) / unitLength(geometry.unit);
    }
    return geometry;
}

/// A note where some axes have a size and z has none.
std::string noteOf(const base::Geometry& geometry, const pugi::xml_node& pixels, int slices) {
    const bool missing =
        slices > 1 && geometry.unitSource != base::UnitSource::Missing &&
        !(numberOf<double>(pixels.attribute("PhysicalSizeZ").value()).value_or(0) > 0);
    return missing ? "its OME description gives no distance of slices; 1 " + geometry.unit +
                         " was taken"
                   : std::string();
}

OmeImage imageOf(const std::filesystem::path& path, const pugi::xml_node& pixels) {
    OmeImage image;
    image.channels = countOf(path, pixels, "SizeC");
    image.slices = countOf(path, pixels, "SizeZ");
    image.frames = countOf(path, pixels, "SizeT");
    image.width = wholeOf(path, pixels, "SizeX", 1);
    image.height = wholeOf(path, pixels, "SizeY", 1);
    image.order = pixels.attribute("DimensionOrder").value();
    image.geometry = geometryOf(pixels);
    image.note = noteOf(image.geometry, pixels, image.slices);
    // Colour is one channel of several samples.
    std::int64_t samples = 0;
    const std::vector<pugi::xml_node> channels = childrenOf(pixels, "Channel");
    for (const pugi::xml_node& channel : channels) {
        samples += countOf(path, channel, "SamplesPerPixel");
    }
    if (!channels.empty() && samples == image.channels) {
        image.samples = static_cast<int>(samples / std::ssize(channels));
        image.channels = static_cast<int>(channels.size());
    } else if (samples > std::ssize(channels)) {
        failInput(path, "SamplesPerPixel of the channels of its OME description makes " +
                            std::to_string(samples) + ", but SizeC is " +
                            std::to_string(image.channels));
    }
    for (const pugi::xml_node& block : childrenOf(pixels, "TiffData")) {
        image.blocks.push_back(blockOf(path, block));
    }
    return image;
}

} // namespace

bool isOme(const std::string& text) {
    std::string_view rest = text;
    rest.remove_prefix(rest.starts_with("\xef\xbb\xbf") ? 3 : 0);
    // What may stand before the outermost element: a declaration, comments, a document type.
    while (true) {
        rest = withoutBlanks(rest);
        if (!rest.starts_with('<')) {
            return false;
        }
        const bool comment = rest.starts_with("<!--");
        const std::string_view end = comment ? "-->" : ">";
        if (!comment && !rest.starts_with("<?") && !rest.starts_with("<!")) {
            break;
        }
        const std::size_t at = rest.find(end);
        if (at == std::string_view::npos) {
            return false;
        }
        rest.remove_prefix(at + end.size());
    }
    std::string_view name = rest.substr(1, rest.find_first_of(" \t\r\n/>") - 1);
    name.remove_prefix(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1);
    return name == "OME";
}

Ome parseOme(const std::filesystem::path& path, const std::string& text) {
    constexpr std::size_t kLongest = std::size_t{64} << 20; // the parser takes some times as much
    if (text.size() > kLongest) {
        failInput(path, "its OME description has " + std::to_string(text.size()) +
                            " bytes; at most " + std::to_string(kLongest) + " are read");
    }
    pugi::xml_document document;
    const pugi::xml_parse_result result =
        document.load_buffer(text.data(), text.size(), pugi::parse_default);
    if (result.status == pugi::status_out_of_memory) {
        throw std::bad_alloc();
    }
    if (!result) {
        failInput(path, "its OME description is no valid XML (" +
                            base::oneLine(result.description()) + " at byte " +
                            std::to_string(result.offset) +
                            "); write the file again with the program that made it");
    }
    const pugi::xml_node root = document.document_element();
    Ome ome;
    ome.uuid = withoutBlanks(root.attribute("UUID").value());
    for (const pugi::xml_node& only : childrenOf(root, "BinaryOnly")) {
        ome.metadataFile = only.attribute("MetadataFile").value();
        ome.uuid = withoutBlanks(only.attribute("UUID").value());
        if (ome.metadataFile.empty()) {
            failInput(path, "its OME description lies in another file, which it does not name");
        }
        return ome;
    }
    for (const pugi::xml_node& image : childrenOf(root, "Image")) {
        for (const pugi::xml_node& pixels : childrenOf(image, "Pixels")) {
            ome.images.push_back(imageOf(path, pixels));
            ome.images.back().name = image.attribute("Name").value();
        }
    }
    for (const pugi::xml_node& pixels : childrenOf(root, "Pixels")) {
        ome.images.push_back(imageOf(path, pixels));
    }
    if (ome.images.empty()) {
        failInput(path, "its OME description names no image");
    }
    return ome;
}

std::array<std::int64_t, 3> omeStrides(const std::filesystem::path& path, const OmeImage& image) {
    const std::array<std::int64_t, 3> lengths{image.channels, image.slices, image.frames};
    constexpr std::string_view kLetters = "CZT";
    std::array<std::int64_t, 3> strides{0, 0, 0};
    std::int64_t stride = 1;
    bool good = image.order.size() == 5 && image.order.starts_with("XY");
    for (std::size_t i = 2; good && i < image.order.size(); ++i) {
        const std::size_t axis = kLetters.find(image.order[i]);
        good = axis != std::string_view::npos && strides[axis] == 0;
        if (good) {
            strides[axis] = stride;
            stride = cappedProduct(stride, lengths[axis]);
        }
    }
    if (!good) {
        failInput(path, "its OME description gives the order of dimensions \"" +
                            base::excerpt(image.order) + "\"");
    }
    return strides;
}

} // namespace flcc::io::detail
