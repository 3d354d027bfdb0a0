#include "engine/io/lists/roi_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/error.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/lists/text_lists.h"
#include "engine/io/lists/zip.h"

namespace flcc::io::detail::lists {

namespace {

constexpr std::size_t kHeader = 64;
constexpr std::size_t kHeader2 = 64;
constexpr std::size_t kCounters = 48; ///< in the second header
constexpr std::uint8_t kPoint = 10;
constexpr std::uint16_t kVersion = 228;
constexpr std::uint16_t kSubPixel = 128;

/// Big-endian numbers at fixed places.
void set(std::string& bytes, std::size_t at, std::uint32_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        bytes[at + i] = static_cast<char>((value >> (8 * (count - 1 - i))) & 0xffU);
    }
}

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
}

/// **Errors**: Problem for a number beyond float32.
std::uint32_t bitsOf(double value) {
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
        throw base::Error(base::ErrorCode::Problem,
                          "a ROI of ImageJ cannot hold the coordinate " + numberText(value));
    }
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::uint32_t wholeOf(double value, double most) {
    return static_cast<std::uint32_t>(std::clamp(std::floor(value), 0.0, most));
}

std::uint32_t shortOf(double value) { return wholeOf(value, 32767); }

/// A point. `stated`: pixels, and the slice from 1.
std::string roiOf(const base::Point& stated, bool flat, const std::string& label) {
    const std::size_t header2 = kHeader + 4 + 8;
    std::string bytes(header2 + kHeader2 + 2 * label.size(), '\0');
    bytes.replace(0, 4, "Iout");
    set(bytes, 4, kVersion, 2);
    set(bytes, 6, kPoint, 1);
    set(bytes, 8, shortOf(stated[1]), 2);
    set(bytes, 10, shortOf(stated[0]), 2);
    set(bytes, 12, shortOf(stated[1]), 2);
    set(bytes, 14, shortOf(stated[0]), 2);
    set(bytes, 16, 1, 2); // points
    set(bytes, 50, kSubPixel, 2);
    // Of a flat image, position 0: on every slice.
    set(bytes, 56, flat ? 0 : wholeOf(stated[2] + 0.5, 4294967295.0), 4);
    set(bytes, 60, static_cast<std::uint32_t>(header2), 4);
    set(bytes, kHeader + 4, bitsOf(stated[0]), 4);
    set(bytes, kHeader + 8, bitsOf(stated[1]), 4);
    set(bytes, header2 + 16, static_cast<std::uint32_t>(header2 + kHeader2), 4);
    set(bytes, header2 + 20, static_cast<std::uint32_t>(label.size()), 4);
    for (std::size_t i = 0; i < label.size(); ++i) {
        bytes[header2 + kHeader2 + 2 * i + 1] = label[i];
    }
    return bytes;
}

/// Where the second header begins; 0 without one.
std::size_t header2Of(std::string_view bytes) {
    const std::size_t at = number(bytes, 60, 4);
    return at > bytes.size() || bytes.size() - at < 24 ? 0 : at;
}

std::string labelOf(std::string_view bytes) {
    const std::size_t header2 = header2Of(bytes);
    if (header2 == 0) {
        return {};
    }
    const std::size_t at = number(bytes, header2 + 16, 4);
    const std::size_t count = number(bytes, header2 + 20, 4);
    if (at > bytes.size() || count > 1000 || bytes.size() - at < 2 * count) {
        return {};
    }
    std::string label;
    for (std::size_t i = 0; i < count; ++i) {
        label += bytes[at + 2 * i + 1];
    }
    return label;
}

/// All points of a ROI.
void takeRoi(std::string_view bytes, const Preset& preset, PositionList& list,
             const std::filesystem::path& name) {
    if (bytes.size() < kHeader || !bytes.starts_with("Iout")) {
        failInput(name, "an entry is not a ROI of ImageJ");
    }
    if (number(bytes, 6, 1) != kPoint) {
        failInput(name, "it holds a ROI that is not a point; points are read only");
    }
    const std::size_t few = number(bytes, 16, 2);
    const std::size_t count = few > 0 ? few : number(bytes, 18, 4); // more than 65535 points
    const bool subPixel = (number(bytes, 50, 2) & kSubPixel) != 0 && number(bytes, 4, 2) >= 222;
    const std::size_t shorts = kHeader + 4 * count;
    if (count > bytes.size() || bytes.size() < shorts + (subPixel ? 8 * count : 0)) {
        failInput(name, "a ROI is cut");
    }
    const std::size_t header2 = header2Of(bytes);
    // The slice of a stack; of a hyperstack that in z. Points may each have their own.
    const std::uint32_t inZ = header2 > 0 ? number(bytes, header2 + 8, 4) : 0;
    const auto slice = static_cast<double>(inZ > 0 ? inZ : number(bytes, 56, 4));
    const std::size_t counters = header2 > 0 && bytes.size() - header2 >= kCounters + 4
                                     ? number(bytes, header2 + kCounters, 4)
                                     : 0;
    const bool counted = counters > 0 && counters < bytes.size() && count > 0 &&
                         (bytes.size() - counters) / 4 >= count;
    const std::string label = labelOf(bytes);
    std::vector<std::string> words; // number, score, decision
    for (std::size_t at = 0; at < label.size();) {
        const std::size_t end = std::min(label.find(' ', at), label.size());
        words.push_back(label.substr(at, end - at));
        at = end + 1;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t own = counted ? number(bytes, counters + 4 * i, 4) >> 8U : 0;
        const double z = own > 0 ? static_cast<double>(own) : slice;
        base::Point stated{0, 0, z > 0 ? z : preset.base[2]};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::size_t at = axis * count + i;
            const int first = static_cast<std::int16_t>(number(bytes, axis == 0 ? 10 : 8, 2));
            const int left = first < -5000 ? first + 65536 : first; // as ImageJ reads large images
            const auto rest = static_cast<std::int16_t>(number(bytes, kHeader + 2 * at, 2));
            stated[axis] =
                subPixel
                    ? static_cast<double>(std::bit_cast<float>(number(bytes, shorts + 4 * at, 4)))
                    : static_cast<double>(left + rest);
        }
        if (!std::isfinite(stated[0]) || !std::isfinite(stated[1])) {
            failInput(name, "a point of a ROI is not finite");
        }
        ListedPosition position;
        position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
        position.centre = fromFormat(preset, list.place, stated, position.box);
        for (std::size_t word = 1; word < words.size(); ++word) {
            const auto value = numberOf(words[word]);
            position.score = value ? value : position.score;
            position.decision = value ? position.decision : match::decisionNamed(words[word]);
        }
        list.positions.push_back(std::move(position));
    }
}

} // namespace

std::string roiSetText(const PositionList& list, const Preset& preset) {
    std::vector<ZipEntry> entries;
    for (const ListedPosition& position : list.positions) {
        std::string number = std::to_string(entries.size() + 1);
        number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
        const std::string label =
            number + (position.score ? " " + numberText(*position.score) : std::string()) +
            (position.decision ? " " + decisionText(position) : std::string());
        const base::Point stated = toFormat(preset, list.place, position.centre, position.box);
        entries.push_back({number + ".roi", roiOf(stated, list.place.flat(), label)});
    }
    return zipText(entries);
}

void takeRoiSet(std::string_view bytes, const Preset& preset, PositionList& list,
                const std::filesystem::path& name) {
    if (bytes.starts_with("Iout")) {
        takeRoi(bytes, preset, list, name);
        return;
    }
    for (const ZipEntry& entry : readZip(bytes, name)) {
        if (entry.name.ends_with(".roi")) {
            takeRoi(entry.bytes, preset, list, name);
        }
    }
}

} // namespace flcc::io::detail::lists
