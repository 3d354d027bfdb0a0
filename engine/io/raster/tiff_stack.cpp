#include "engine/io/raster/tiff_stack.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include "engine/io/format/raw_file.h"

namespace flcc::io::detail {

namespace {

using Texts = std::map<std::string, std::string>;

std::optional<double> toNumber(const std::string& text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// A positive count among `texts`; 1 where there is none.
int countOf(const std::filesystem::path& path, const Texts& texts, const std::string& key) {
    const auto found = texts.find(key);
    if (found == texts.end()) {
        return 1;
    }
    int value = 0;
    const std::string& text = found->second;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || value < 1 || value > 1'000'000'000) {
        failInput(path, "its description gives " + key + "=" + base::excerpt(text));
    }
    return value;
}

void setSpacing(base::Geometry& geometry, std::size_t axis, double spacing, const Unit& unit) {
    geometry.spacing[axis] = spacing * unit.factor;
    geometry.unit = unit.name;
    geometry.unitSource = base::UnitSource::Header;
}

void requirePages(const std::filesystem::path& path, const TiffStack& stack, std::int64_t pages) {
    if (stack.channels > 1'000'000 || stack.slices > 1'000'000 || stack.frames > 1'000'000 ||
        planesOf(stack) != pages) {
        failInput(path, "its description gives " + std::to_string(stack.channels) + " channels, " +
                            std::to_string(stack.slices) + " slices and " +
                            std::to_string(stack.frames) + " frames, but the file has " +
                            std::to_string(pages) + " pages");
    }
}

TiffStack describeImageJ(const std::filesystem::path& path, const TiffTexts& texts,
                         std::int64_t pages) {
    Texts lines;
    std::istringstream text(texts.description);
    for (std::string line; std::getline(text, line);) {
        if (const auto equals = line.find('='); equals != std::string::npos) {
            const auto end = line.find_last_not_of("\r");
            lines[line.substr(0, equals)] = line.substr(equals + 1, end - equals);
        }
    }
    TiffStack stack;
    stack.channels = countOf(path, lines, "channels");
    stack.slices = countOf(path, lines, "slices");
    stack.frames = countOf(path, lines, "frames");
    const int images = countOf(path, lines, "images");
    if (planesOf(stack) == 1 && pages > 1) {
        stack.slices = static_cast<int>(pages);
    }
    // A hyperstack over 4 GiB has one directory; the other pages follow its pixels.
    stack.oneDirectory = pages == 1 && images > 1;
    requirePages(path, stack, stack.oneDirectory ? images : pages);
    const Unit unit = parseUnit(lines["unit"]);
    if (!unit.name.empty() && texts.xResolution > 0 && texts.yResolution > 0) {
        setSpacing(stack.geometry, 0, 1 / texts.xResolution, unit);
        setSpacing(stack.geometry, 1, 1 / texts.yResolution, unit);
        const double depth = toNumber(lines["spacing"]).value_or(1 / unit.factor);
        setSpacing(stack.geometry, 2, depth < 0 ? -depth : depth, unit);
    }
    for (const auto& [key, value] : lines) {
        constexpr std::array kOwn{"ImageJ", "images",  "channels",   "slices", "frames",
                                  "unit",   "spacing", "hyperstack", "mode",   "loop",
                                  "min",    "max",     "finterval",  "fps"};
        if (std::find(kOwn.begin(), kOwn.end(), key) == kOwn.end()) {
            stack.metadata[key] = value;
        }
    }
    return stack;
}

/// The attributes of the XML element that begins at `at`.
Texts attributesAt(const std::string& xml, std::size_t at) {
    Texts attributes;
    const std::size_t end = std::min(xml.find('>', at), xml.size());
    std::size_t position = at;
    while (true) {
        const std::size_t equals = xml.find('=', position);
        if (equals == std::string::npos || equals > end || equals + 1 >= xml.size()) {
            return attributes;
        }
        const std::size_t begin = xml.find_last_of(" \t\r\n", equals) + 1;
        const char quote = xml[equals + 1];
        const std::size_t close = xml.find(quote, equals + 2);
        if ((quote != '"' && quote != '\'') || close == std::string::npos) {
            return attributes;
        }
        attributes[xml.substr(begin, equals - begin)] = xml.substr(equals + 2, close - equals - 2);
        position = close + 1;
    }
}

/// Where elements of a name begin, with or without a name space before it.
std::vector<std::size_t> elements(const std::string& xml, const std::string& name) {
    std::vector<std::size_t> found;
    for (std::size_t at = xml.find(name); at != std::string::npos; at = xml.find(name, at + 1)) {
        const std::size_t open = xml.find_last_of('<', at);
        const std::string before = xml.substr(open + 1, at - open - 1);
        const char after = at + name.size() < xml.size() ? xml[at + name.size()] : '\0';
        const bool prefixed = before.empty() || (before.back() == ':' &&
                                                 before.find_first_of(" />") == std::string::npos);
        if (open != std::string::npos && prefixed &&
            (after == ' ' || after == '\t' || after == '\n' || after == '\r' || after == '/' ||
             after == '>')) {
            found.push_back(at);
        }
    }
    return found;
}

/// Pages in the order that DimensionOrder names ("XYCZT": channel fastest).
void orderPages(const std::filesystem::path& path, const std::string& order, TiffStack& stack) {
    const std::array<char, 3> letters{'C', 'Z', 'T'};
    const std::array<std::int64_t, 3> lengths{stack.channels, stack.slices, stack.frames};
    std::array<std::int64_t, 3> strides{0, 0, 0};
    std::int64_t stride = 1;
    for (const char letter : order.substr(std::min<std::size_t>(2, order.size()))) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (letters[i] == letter) {
                strides[i] = stride;
                stride *= lengths[i];
            }
        }
    }
    if (order.size() != 5 || stride != planesOf(stack)) {
        failInput(path, "its OME description gives the order of dimensions \"" +
                            oneLine(order).substr(0, 20) + "\"");
    }
    for (int frame = 0; frame < stack.frames; ++frame) {
        for (int slice = 0; slice < stack.slices; ++slice) {
            for (int channel = 0; channel < stack.channels; ++channel) {
                stack.pages.push_back(channel * strides[0] + slice * strides[1] +
                                      frame * strides[2]);
            }
        }
    }
}

/// TiffData elements that say for single planes in which page they lie.
void placePages(const std::filesystem::path& path, const std::string& xml, std::int64_t pages,
                TiffStack& stack) {
    for (const std::size_t at : elements(xml, "TiffData")) {
        const Texts data = attributesAt(xml, at);
        const auto value = [&](const std::string& key) {
            const auto found = data.find(key);
            return found == data.end() ? 0.0 : toNumber(found->second).value_or(-1);
        };
        if (data.count("IFD") == 0 || value("PlaneCount") > 1) {
            continue; // the order of dimensions says where they are
        }
        const double channel = value("FirstC");
        const double slice = value("FirstZ");
        const double frame = value("FirstT");
        const double page = value("IFD");
        if (!(channel >= 0 && channel < stack.channels && slice >= 0 && slice < stack.slices &&
              frame >= 0 && frame < stack.frames && page >= 0 &&
              page < static_cast<double>(pages))) {
            failInput(path, "its OME description names planes that the file does not have");
        }
        const auto plane =
            (static_cast<std::size_t>(frame) * static_cast<std::size_t>(stack.slices) +
             static_cast<std::size_t>(slice)) *
                static_cast<std::size_t>(stack.channels) +
            static_cast<std::size_t>(channel);
        stack.pages[plane] = static_cast<std::int64_t>(page);
    }
}

TiffStack describeOme(const std::filesystem::path& path, const std::string& xml,
                      std::int64_t pages) {
    const auto pixels = elements(xml, "Pixels");
    if (pixels.size() != 1) {
        failInput(path, "its OME description names " + std::to_string(pixels.size()) +
                            " images; only files with one image can be read");
    }
    Texts attributes = attributesAt(xml, pixels.front());
    TiffStack stack;
    stack.channels = countOf(path, attributes, "SizeC");
    stack.slices = countOf(path, attributes, "SizeZ");
    stack.frames = countOf(path, attributes, "SizeT");
    // Colour is one channel of several samples.
    int samples = 0;
    for (const std::size_t at : elements(xml, "Channel")) {
        samples += countOf(path, attributesAt(xml, at), "SamplesPerPixel");
    }
    const auto channels = static_cast<int>(elements(xml, "Channel").size());
    if (channels > 0 && samples == stack.channels) {
        stack.channels = channels;
    }
    requirePages(path, stack, pages);
    orderPages(path, attributes["DimensionOrder"], stack);
    placePages(path, xml, pages, stack);
    const std::array<std::string, 3> axes{"X", "Y", "Z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto size = toNumber(attributes["PhysicalSize" + axes[axis]]);
        const std::string word = attributes["PhysicalSize" + axes[axis] + "Unit"];
        const Unit unit = parseUnit(word.empty() ? "um" : word);
        if (size && *size > 0 && !unit.name.empty()) {
            // All axes in the unit of the first.
            const bool first = stack.geometry.unitSource == base::UnitSource::Missing;
            const double factor =
                first ? unit.factor
                      : unit.factor * unitLength(unit.name) / unitLength(stack.geometry.unit);
            setSpacing(stack.geometry, axis, *size,
                       {first ? unit.name : stack.geometry.unit, factor});
        }
    }
    return stack;
}

} // namespace

TiffStack describeStack(const std::filesystem::path& path, const TiffTexts& texts,
                        std::int64_t pages) {
    if (texts.description.rfind("ImageJ=", 0) == 0) {
        return describeImageJ(path, texts, pages);
    }
    if (texts.description.find("<OME") != std::string::npos ||
        texts.description.find(":OME ") != std::string::npos) {
        return describeOme(path, texts.description, pages);
    }
    TiffStack stack;
    stack.slices = static_cast<int>(pages);
    if (!texts.description.empty()) {
        stack.metadata["ImageDescription"] = texts.description;
    }
    return stack;
}

std::string imageJDescription(std::int64_t slices, const base::Geometry& geometry,
                              const std::map<std::string, std::string>& metadata) {
    std::string text = "ImageJ=1.53t\nimages=" + std::to_string(slices) +
                       "\nslices=" + std::to_string(slices) + "\nloop=false\n";
    if (!geometry.unit.empty() && geometry.unit != "px") {
        text += "unit=" + (geometry.unit == "A" ? "angstrom" : geometry.unit) +
                "\nspacing=" + numberText(geometry.spacing[2]) + "\n";
    }
    for (const auto& [key, value] : metadata) {
        text += requireKey(key) + "=" + oneLine(value) + "\n";
    }
    return text;
}

} // namespace flcc::io::detail
