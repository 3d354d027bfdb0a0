#include "engine/io/volume/nrrd_header.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kMostAxes = 16;
constexpr std::int64_t kMostSpaceAxes = 8;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Kinds of axes whose values are not positions, in lower case; `size` 0 allows every size.
struct Kind {
    std::string_view word;
    int size;
    NrrdRole role;
};
constexpr auto kChannels = NrrdRole::Channels;
constexpr auto kColour = NrrdRole::Colour;
constexpr std::array<Kind, 50> kKinds{{{"domain", 0, NrrdRole::Domain},
                                       {"space", 0, NrrdRole::Domain},
                                       {"time", 0, NrrdRole::Time},
                                       {"???", 0, NrrdRole::Domain},
                                       {"none", 0, NrrdRole::Domain},
                                       {"list", 0, kChannels},
                                       {"point", 0, kChannels},
                                       {"vector", 0, kChannels},
                                       {"contravariant-vector", 0, kChannels},
                                       {"covariant-vector", 0, kChannels},
                                       {"normal", 0, kChannels},
                                       {"stub", 1, kChannels},
                                       {"scalar", 1, kChannels},
                                       {"complex", 2, NrrdRole::Complex},
                                       {"2-vector", 2, kChannels},
                                       {"3-color", 3, kColour},
                                       {"rgb-color", 3, kColour},
                                       {"rgbcolor", 3, kColour},
                                       {"rgb", 3, kColour},
                                       {"hsv-color", 3, kChannels},
                                       {"hsvcolor", 3, kChannels},
                                       {"hsv", 3, kChannels},
                                       {"xyz-color", 3, kChannels},
                                       {"4-color", 4, kColour},
                                       {"rgba-color", 4, kColour},
                                       {"rgbacolor", 4, kColour},
                                       {"rgba", 4, kColour},
                                       {"3-vector", 3, kChannels},
                                       {"3-gradient", 3, kChannels},
                                       {"3-normal", 3, kChannels},
                                       {"4-vector", 4, kChannels},
                                       {"quaternion", 4, kChannels},
                                       {"2d-symmetric-matrix", 3, kChannels},
                                       {"2d-sym-matrix", 3, kChannels},
                                       {"2d-symmetric-tensor", 3, kChannels},
                                       {"2d-sym-tensor", 3, kChannels},
                                       {"2d-masked-symmetric-matrix", 4, kChannels},
                                       {"2d-masked-sym-matrix", 4, kChannels},
                                       {"2d-matrix", 4, kChannels},
                                       {"2d-tensor", 4, kChannels},
                                       {"2d-masked-matrix", 5, kChannels},
                                       {"3d-symmetric-matrix", 6, kChannels},
                                       {"3d-sym-matrix", 6, kChannels},
                                       {"3d-symmetric-tensor", 6, kChannels},
                                       {"3d-sym-tensor", 6, kChannels},
                                       {"3d-masked-symmetric-matrix", 7, kChannels},
                                       {"3d-masked-sym-matrix", 7, kChannels},
                                       {"3d-matrix", 9, kChannels},
                                       {"3d-tensor", 9, kChannels},
                                       {"3d-masked-matrix", 10, kChannels}}};

struct Space {
    std::string_view word;
    std::string_view brief;
    std::size_t dimension;
    bool flipX;
    bool flipY;
};
constexpr std::array<Space, 12> kSpaces{{{"right-anterior-superior", "ras", 3, true, true},
                                         {"left-anterior-superior", "las", 3, false, true},
                                         {"left-posterior-superior", "lps", 3, false, false},
                                         {"right-anterior-superior-time", "rast", 4, true, true},
                                         {"left-anterior-superior-time", "last", 4, false, true},
                                         {"left-posterior-superior-time", "lpst", 4, false, false},
                                         {"scanner-xyz", "", 3, false, false},
                                         {"scanner-xyz-time", "", 4, false, false},
                                         {"3d-right-handed", "", 3, false, false},
                                         {"3d-left-handed", "", 3, false, false},
                                         {"3d-right-handed-time", "", 4, false, false},
                                         {"3d-left-handed-time", "", 4, false, false}}};

[[noreturn]] void failField(const std::filesystem::path& path, const std::string& name,
                            const std::string& value) {
    failInput(path, "\"" + name + "\" in its header is " + inQuotes(value));
}

/// The words of a field with one word an axis; empty if the field is not there.
std::vector<std::string> wordsOf(const std::filesystem::path& path, const NrrdLines& lines,
                                 const std::string& name, std::size_t axes) {
    if (!lines.fields.contains(name)) {
        return {};
    }
    std::istringstream text(lines.get(name));
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    if (words.size() != axes) {
        failInput(path, "\"" + name + "\" in its header is " + inQuotes(lines.get(name)) + " for " +
                            std::to_string(axes) + " dimensions");
    }
    return words;
}

/// A number, or NaN where the header says so.
double numberOf(const std::filesystem::path& path, const std::string& name,
                const std::string& word) {
    const char* first = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
    const char* const last = word.data() + word.size();
    double value = 0;
    const auto result = std::from_chars(first, last, value);
    if (result.ec != std::errc() || result.ptr != last || (!std::isnan(value) && !isPlace(value))) {
        failField(path, name, word);
    }
    return value;
}

/// One number an axis; NaN where there is none.
std::vector<double> numbersOf(const std::filesystem::path& path, const NrrdLines& lines,
                              const std::string& name, std::size_t axes) {
    std::vector<double> numbers;
    for (const std::string& word : wordsOf(path, lines, name, axes)) {
        numbers.push_back(numberOf(path, name, word));
    }
    numbers.resize(axes, kNone);
    return numbers;
}

/// Vectors written as "(1,0,0) none (0,1,0)"; an empty one for "none".
std::vector<std::vector<double>> vectorsOf(const std::filesystem::path& path,
                                           const NrrdLines& lines, const std::string& name,
                                           std::size_t count, std::size_t dimension) {
    const std::string text = lines.get(name);
    std::vector<std::vector<double>> vectors;
    for (std::size_t at = text.find_first_not_of(" \t"); at < text.size();
         at = text.find_first_not_of(" \t", at)) {
        const std::size_t end =
            text[at] == '(' ? text.find(')', at) : text.find_first_of(" \t", at);
        if (text[at] != '(') {
            if (text.substr(at, end - at) != "none") {
                failField(path, name, text);
            }
            vectors.emplace_back();
            at = std::min(end, text.size());
            continue;
        }
        if (end == std::string::npos) {
            failField(path, name, text);
        }
        std::istringstream parts(text.substr(at + 1, end - at - 1));
        std::vector<double> vector;
        for (std::string part; std::getline(parts, part, ',');) {
            vector.push_back(numberOf(path, name, trimmed(part)));
        }
        // A vector of NaN stands for "none" in old files; anywhere else NaN is damage.
        if (vector.size() != dimension ||
            std::any_of(vector.begin(), vector.end(), [](double v) { return std::isnan(v); })) {
            failField(path, name, text);
        }
        vectors.push_back(std::move(vector));
        at = end + 1;
    }
    if (vectors.size() != count) {
        failField(path, name, text);
    }
    return vectors;
}

} // namespace

std::int64_t nrrdWhole(const std::filesystem::path& path, const NrrdLines& lines,
                       const std::string& name) {
    const std::string text = lines.get(name);
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < -1) {
        failField(path, name, text);
    }
    return value;
}

NrrdSpace nrrdSpace(const std::filesystem::path& path, const NrrdLines& lines) {
    NrrdSpace space;
    if (lines.fields.contains("space")) {
        const std::string word = lowered(lines.get("space"));
        const auto* found = std::find_if(kSpaces.begin(), kSpaces.end(), [&](const Space& known) {
            return known.word == word || (!known.brief.empty() && known.brief == word);
        });
        if (found == kSpaces.end() || lines.fields.contains("space dimension")) {
            failField(path, "space", lines.get("space"));
        }
        space.dimension = found->dimension;
        space.time = found->dimension == 4;
        space.flipX = found->flipX;
        space.flipY = found->flipY;
    } else if (lines.fields.contains("space dimension")) {
        const std::int64_t dimension = nrrdWhole(path, lines, "space dimension");
        if (dimension < 1 || dimension > kMostSpaceAxes) {
            failField(path, "space dimension", lines.get("space dimension"));
        }
        space.dimension = static_cast<std::size_t>(dimension);
    }
    space.origin.assign(space.dimension, 0);
    if (lines.fields.contains("space origin")) {
        if (space.dimension == 0) {
            failInput(path, "its header gives an origin without a space");
        }
        space.origin = vectorsOf(path, lines, "space origin", 1, space.dimension).front();
        space.origin.resize(space.dimension, 0);
    }
    return space;
}

std::vector<std::string> quotedIn(const std::string& line) {
    std::vector<std::string> texts;
    for (std::size_t open = line.find('"'); open != std::string::npos;) {
        const std::size_t close = line.find('"', open + 1);
        if (close == std::string::npos) {
            break;
        }
        texts.push_back(line.substr(open + 1, close - open - 1));
        open = line.find('"', close + 1);
    }
    return texts;
}

std::vector<NrrdAxis> nrrdAxes(const std::filesystem::path& path, const NrrdLines& lines,
                               const NrrdSpace& space) {
    const std::int64_t dimension = nrrdWhole(path, lines, "dimension");
    if (dimension < 1 || dimension > kMostAxes) {
        failField(path, "dimension", lines.get("dimension"));
    }
    const auto count = static_cast<std::size_t>(dimension);
    const std::vector<std::string> sizes = wordsOf(path, lines, "sizes", count);
    if (sizes.empty()) {
        failInput(path, "its header gives no sizes");
    }
    const std::vector<std::string> kinds = wordsOf(path, lines, "kinds", count);
    const std::vector<std::string> centers = wordsOf(path, lines, "centers", count);
    const std::vector<double> spacings = numbersOf(path, lines, "spacings", count);
    const std::vector<double> mins = numbersOf(path, lines, "axis mins", count);
    const std::vector<double> maxs = numbersOf(path, lines, "axis maxs", count);
    std::vector<std::vector<double>> directions(count);
    if (lines.fields.contains("space directions")) {
        if (space.dimension == 0) {
            failInput(path, "its header gives directions without a space");
        }
        directions = vectorsOf(path, lines, "space directions", count, space.dimension);
    }
    const std::vector<std::string> units = quotedIn(lines.get("units"));
    if (!units.empty() && units.size() != count) {
        failInput(path, "\"units\" in its header has " + std::to_string(units.size()) +
                            " texts for " + std::to_string(count) + " dimensions");
    }
    std::vector<NrrdAxis> axes;
    for (std::size_t i = 0; i < count; ++i) {
        NrrdAxis axis{.spacing = spacings[i], .min = mins[i], .max = maxs[i]};
        const char* const end = sizes[i].data() + sizes[i].size();
        const auto result = std::from_chars(sizes[i].data(), end, axis.size);
        if (result.ec != std::errc() || result.ptr != end || axis.size < 1) {
            failField(path, "sizes", lines.get("sizes"));
        }
        if (!kinds.empty()) {
            const std::string word = lowered(kinds[i]);
            const auto* kind = std::find_if(kKinds.begin(), kKinds.end(),
                                            [&](const Kind& known) { return known.word == word; });
            if (kind == kKinds.end() || (kind->size != 0 && kind->size != axis.size)) {
                failInput(path, "its header calls an axis of " + std::to_string(axis.size) +
                                    " values " + inQuotes(kinds[i]));
            }
            axis.role = kind->role;
            axis.kind = word;
        }
        axis.node = !centers.empty() && lowered(centers[i]) == "node";
        axis.direction = std::move(directions[i]);
        axis.unit = units.empty() ? std::string() : units[i];
        if (space.time && axis.direction.size() == 4 && axis.direction[3] != 0 &&
            axis.role == NrrdRole::Domain) {
            axis.role = NrrdRole::Time;
        }
        // From the outer edge of the first voxel to that of the last, or between their centres.
        const double length = std::abs(axis.max - axis.min);
        const auto agrees = [&](std::int64_t steps) {
            return std::abs(length - std::abs(axis.spacing) * static_cast<double>(steps)) <=
                   0.01 * length;
        };
        if (std::isfinite(length) && std::isfinite(axis.spacing) && !agrees(axis.size) &&
            !agrees(axis.size - 1)) {
            failInput(path, "\"spacings\" gives " + numberText(axis.spacing) + " for axis " +
                                std::to_string(i) +
                                ", but \"axis mins\", \"axis maxs\" and \"sizes\" give " +
                                numberText(length / static_cast<double>(axis.size)));
        }
        if (!std::isnan(axis.spacing) && space.dimension > 0) {
            failInput(path, "its header gives spacings and a space, which contradict each other");
        }
        axes.push_back(std::move(axis));
    }
    return axes;
}

} // namespace flcc::io::detail
