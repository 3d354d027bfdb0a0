// The header of Stimulate, lines of text; the voxels lie in another file.

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "engine/io/rare/companions.h"
#include "engine/io/rare/headers.h"

namespace flcc::io::detail {

using base::PixelType;

namespace {

/// What ITK looks for in a line before it looks for the name of the voxels.
constexpr std::array<std::string_view, 14> kEarlier{
    "numDim",     "dim",      "origin",          "extent",     "fov",
    "interval",   "dataType", "displayRange",    "fidName",    "sdtOrient",
    "dsplyThres", "endian",   "mapParmFileName", "mapTypeName"};

/// The lines "key: value" of a header.
struct SprFields {
    std::optional<std::int64_t> dimensions;
    std::vector<double> sizes;
    std::vector<double> origin;
    std::vector<double> fov;
    std::vector<double> interval;
    std::string type;
};

std::vector<double> numbersOf(const std::vector<std::string>& words) {
    std::vector<double> numbers;
    for (std::size_t i = 1; i < words.size() && i < 5; ++i) {
        numbers.push_back(numberOf(words[i]));
    }
    return numbers;
}

/// Whether a line has a word that ITK takes for sizes, places or the type, but does not begin with
/// a word that the format knows: it is damaged.
bool isDamaged(const std::string& line, std::string word) {
    constexpr std::array<std::string_view, 3> kLater{"stimFileName", "mapConf", "periodStr"};
    constexpr std::array<std::string_view, 6> kTaken{"dim", "numDim",   "origin",
                                                     "fov", "interval", "dataType"};
    if (word.ends_with(':')) {
        word.pop_back();
        if (std::ranges::count(kEarlier, word) + std::ranges::count(kLater, word) > 0) {
            return false;
        }
    }
    return !line.starts_with("stimFileName:") &&
           std::ranges::any_of(
               kTaken, [&](std::string_view key) { return line.find(key) != std::string::npos; });
}

SprFields readSpr(const std::filesystem::path& file) {
    constexpr std::size_t kLongest = 250; // ITK gives up at a line of 254
    SprFields fields;
    std::ifstream in(file);
    std::string line;
    for (int count = 0; std::getline(in, line); ++count) {
        if (line.size() > kLongest || count > 1000) {
            refuseItk(
                "its header is not that of a Stimulate file: a line is too long, or there are "
                "too many");
        }
        const std::vector<std::string> words = wordsOf(line);
        const auto is = [&](std::string_view key) { return words[0] == key; };
        if (words.empty()) {
            continue;
        }
        if (isDamaged(line, words[0])) {
            refuseItk("its header has a line that begins with \"" + words[0].substr(0, 32) +
                      "\", which may be damaged");
        }
        if (is("numDim:") && words.size() > 1) {
            fields.dimensions = lengthOf(numberOf(words[1]));
        } else if (is("dim:")) {
            fields.sizes = numbersOf(words);
        } else if (is("origin:")) {
            fields.origin = numbersOf(words);
        } else if (is("fov:")) {
            fields.fov = numbersOf(words);
        } else if (is("interval:")) {
            fields.interval = numbersOf(words);
        } else if (is("dataType:") && words.size() > 1) {
            fields.type = words[1];
        } else if (is("endian:") && words.size() > 1 && words[1] == "ieee-le") {
            refuseItk("its voxels have the low byte first, which ITK does not read; name them as "
                      "FILE.sdt:WxHxD:int16:le");
        } else if (line.find("stimFileName:") != std::string::npos) {
            for (const std::string_view key : kEarlier) {
                if (line.find(key) != std::string::npos) {
                    refuseItk("the name of its voxels holds \"" + std::string(key) +
                              "\", which ITK takes for another line of the header; rename them");
                }
            }
        }
    }
    return fields;
}

} // namespace

ItkHeader stimulateHeader(const std::filesystem::path& file) {
    const SprFields fields = readSpr(file);
    const auto axes = static_cast<std::size_t>(fields.dimensions.value_or(4));
    const auto enough = [axes](const std::vector<double>& numbers) {
        return numbers.empty() || numbers.size() >= axes;
    };
    if (axes < 2 || axes > 4 || fields.sizes.size() < axes || !enough(fields.origin) ||
        !enough(fields.fov) || !enough(fields.interval)) {
        refuseItk("its header does not have a size, or not as many numbers as axes in the lines "
                  "dim, origin, fov and interval");
    }
    ItkHeader header;
    header.voxels = sdtFileOf(file);
    if (!isBeside(file, header.voxels)) {
        refuseItk("its voxels lie in another folder; put " + header.voxels.filename().string() +
                  " beside it");
    }
    const auto length = [&](std::size_t axis) {
        return axis < axes ? lengthOf(fields.sizes[axis]) : 1;
    };
    header.extents = {length(0), length(1), length(2)};
    header.frames = length(3);
    if (fields.type == "BYTE") {
        header.stored = PixelType::Int8;
        header.notes.emplace_back("its bytes were read as signed numbers, as ITK does");
    } else if (fields.type == "WORD") {
        header.stored = PixelType::Int16;
    } else if (fields.type == "REAL") {
        header.stored = PixelType::Float32;
    } else {
        refuseItk("its voxels are of the type \"" + fields.type.substr(0, 32) +
                  "\", which ITK does not read; BYTE, WORD and REAL can be read");
    }
    header.pixel = header.stored;
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, axes); ++axis) {
        double& spacing = header.geometry.spacing[axis];
        if (!fields.interval.empty()) {
            spacing = fields.interval[axis];
        } else if (!fields.fov.empty()) {
            spacing = fields.fov[axis] / fields.sizes[axis];
        }
        if (!fields.origin.empty()) {
            header.geometry.origin[axis] = fields.origin[axis];
        } else if (!fields.fov.empty()) { // centred
            header.geometry.origin[axis] = (spacing - fields.fov[axis]) / 2;
        }
    }
    return header;
}

} // namespace flcc::io::detail
