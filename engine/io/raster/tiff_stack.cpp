#include "engine/io/raster/tiff_stack.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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
    if (result.ec != std::errc() || value < 1 || value > 1'000'000) { // products fit 64 bits
        failInput(path, "its description gives " + key + "=" + base::excerpt(text));
    }
    return value;
}

void setSpacing(base::Geometry& geometry, std::size_t axis, double spacing, const Unit& unit) {
    geometry.spacing[axis] = spacing * unit.factor;
    geometry.unit = unit.name;
    geometry.unitSource = base::UnitSource::Header;
}

/// "2 channels, 3 slices and 1 frame"
std::string countsText(const TiffStack& stack) {
    const auto count = [](int number, const char* word) {
        return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
    };
    return count(stack.channels, "channel") + ", " + count(stack.slices, "slice") + " and " +
           count(stack.frames, "frame");
}

/// Makes the counts those of `pages`: whole frames or slices if there are any, else slices.
void fitToPages(TiffStack& stack, std::int64_t pages) {
    const std::string promised = countsText(stack);
    const std::int64_t volume = std::int64_t{stack.channels} * stack.slices;
    const auto count = static_cast<int>(pages);
    if (stack.frames > 1 && pages % volume == 0) {
        stack.frames = static_cast<int>(pages / volume);
    } else if (stack.frames == 1 && stack.slices > 1 && pages % stack.channels == 0) {
        stack.slices = count / stack.channels;
    } else if (stack.frames == 1 && stack.slices == 1) {
        stack.channels = count;
    } else {
        stack.channels = 1;
        stack.slices = count;
        stack.frames = 1;
    }
    stack.notes.push_back("its description promises " + promised + ", but the file has " +
                          std::to_string(pages) + (pages == 1 ? " page" : " pages") +
                          ", a part of a stack: they are read as " + countsText(stack));
}

/// Spacing and origin, as ImageJ takes them (FileOpener.java).
void setGeometry(const Texts& lines, const TiffTexts& texts, TiffStack& stack) {
    const auto textAt = [&](const char* key) {
        const auto found = lines.find(key);
        return found == lines.end() ? std::string() : found->second;
    };
    const std::string word = textAt("unit");
    const Unit unit = parseUnit(word);
    if (unit.name.empty() || !(texts.xResolution > 0) || !(texts.yResolution > 0)) {
        return;
    }
    // Pixels on a centimetre beside a unit of micrometres are that: centimetres.
    constexpr int kCentimetre = 3;
    const double length = texts.resolutionUnit == kCentimetre && word == "um" ? 1e4 : 1;
    const auto depth = toNumber(textAt("spacing"));
    if (!depth && stack.slices > 1) {
        stack.notes.push_back("its description gives no distance of slices; 1 " + unit.name +
                              " was taken");
    }
    const std::array<double, 3> sizes{length / texts.xResolution, length / texts.yResolution,
                                      std::abs(depth.value_or(1 / unit.factor))};
    constexpr std::array<const char*, 3> kUnits{"unit", "yunit", "zunit"};
    constexpr std::array<const char*, 3> kOrigins{"xorigin", "yorigin", "zorigin"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Unit own = parseUnit(textAt(kUnits[axis]));
        const bool apart = axis > 0 && !own.name.empty();
        const double size = !apart ? sizes[axis]
                                   : sizes[axis] * own.factor * unitLength(own.name) /
                                         (unitLength(unit.name) * unit.factor);
        setSpacing(stack.geometry, axis, size, unit);
        const double origin = toNumber(textAt(kOrigins[axis])).value_or(0); // in pixels
        stack.geometry.origin[axis] = 0.0 - origin * stack.geometry.spacing[axis];
    }
}

} // namespace

bool followTheFirst(const std::filesystem::path& path, const TiffRoom& room, std::int64_t images) {
    if (room.page <= 0) {
        return false;
    }
    const std::int64_t there = room.behind / room.page;
    const bool apart =
        room.directory < 0 || room.directory >= cappedProduct(room.page, images); // of the pixels
    if (!apart || there < 2) {
        return false;
    }
    if (there < images) {
        requireBytes(path, cappedProduct(room.page, images), room.behind);
    }
    return true;
}

TiffStack describeImageJ(const std::filesystem::path& path, const TiffTexts& texts,
                         std::int64_t pages, const TiffRoom& room) {
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
    stack.oneDirectory = pages == 1 && images > 1 && followTheFirst(path, room, images);
    const std::int64_t there = stack.oneDirectory ? images : pages;
    if (planesOf(stack) != there) {
        fitToPages(stack, there);
    }
    setGeometry(lines, texts, stack);
    if (lines.contains("cf")) { // a function of calibration, with c0, c1, ...
        stack.notes.emplace_back(
            "its description gives a calibration of its values; they were read "
            "as they are stored");
    }
    for (const auto& [key, value] : lines) {
        constexpr std::array kOwn{"ImageJ", "images",  "channels",   "slices", "frames",
                                  "unit",   "spacing", "hyperstack", "mode",   "loop",
                                  "min",    "max",     "finterval",  "fps",    "yunit",
                                  "zunit",  "xorigin", "yorigin",    "zorigin"};
        if (std::find(kOwn.begin(), kOwn.end(), key) == kOwn.end()) {
            stack.metadata[key] = value;
        }
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
