#include "engine/io/tilts/tilt_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"

namespace flcc::io::detail::tilts {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

prepare::Tilt tiltAt(double angle) {
    return {.angle = angle, .dose = {}, .defocus = {}, .phaseShift = {}};
}

std::string lineText(std::size_t line) { return "line " + std::to_string(line + 1); }

/// A time that orders, of "05-Nov-2015  15:21:38"; empty for another text.
std::optional<double> timeIn(std::string_view text) {
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::vector<std::string_view> words = wordsIn(text);
    if (words.size() != 2) {
        return std::nullopt;
    }
    const auto parts = [](std::string_view word, char between) {
        std::vector<std::string_view> found;
        while (!word.empty()) {
            const std::size_t end = std::min(word.find(between), word.size());
            found.push_back(word.substr(0, end));
            word.remove_prefix(std::min(end + 1, word.size()));
        }
        return found;
    };
    const auto day = parts(words[0], '-');
    const auto hour = parts(words[1], ':');
    if (day.size() != 3 || hour.size() != 3) {
        return std::nullopt;
    }
    const auto month = std::ranges::find(kMonths, day[1]);
    const std::array numbers{numberIn(day[2]), numberIn(day[0]), numberIn(hour[0]),
                             numberIn(hour[1]), numberIn(hour[2])};
    if (month == kMonths.end() ||
        !std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); })) {
        return std::nullopt;
    }
    const double days = (*numbers[0] * 12 + static_cast<double>(month - kMonths.begin())) * 31;
    return ((days + *numbers[1]) * 24 + *numbers[2]) * 3600 + *numbers[3] * 60 + *numbers[4];
}

/// An image of a file of SerialEM.
struct Section {
    std::optional<double> angle{};
    std::optional<double> dose{};
    std::optional<double> prior{};
    std::optional<double> time{};
};

/// The dose before each section, where the file tells it.
std::vector<std::optional<double>> dosesOf(const std::vector<Section>& sections) {
    const auto all = [&](auto has) { return std::ranges::all_of(sections, has); };
    std::vector<std::optional<double>> doses(sections.size());
    if (all([](const Section& each) { return each.prior.has_value(); })) {
        std::ranges::transform(sections, doses.begin(), &Section::prior);
        return doses;
    }
    if (!all([](const Section& each) { return each.dose.has_value(); }) ||
        all([](const Section& each) { return *each.dose == 0; })) { // not calibrated
        return doses;
    }
    std::vector<std::size_t> order(sections.size());
    std::iota(order.begin(), order.end(), 0);
    if (all([](const Section& each) { return each.time.has_value(); })) {
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *sections[i].time; });
    }
    double before = 0;
    for (const std::size_t i : order) {
        doses[i] = before;
        before += *sections[i].dose;
    }
    return doses;
}

} // namespace

std::vector<std::string_view> wordsIn(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

std::vector<std::string_view> linesIn(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::optional<double> numberIn(std::string_view text) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

prepare::TiltSeries parseAngles(std::string_view text, const std::filesystem::path& path) {
    prepare::TiltSeries series;
    const auto lines = linesIn(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto words = wordsIn(lines[i]);
        if (words.empty() || words[0].starts_with('#')) {
            continue;
        }
        const auto angle = numberIn(words[0]);
        const auto dose = words.size() > 1 ? numberIn(words[1]) : std::nullopt;
        if (!angle || words.size() > 2 || (words.size() == 2 && !dose)) {
            failInput(path, lineText(i) + " is \"" + base::excerpt(lines[i]) +
                                "\"; a list of tilts has an angle a line and, after it, a dose");
        }
        series.tilts.push_back(tiltAt(*angle));
        series.tilts.back().dose = dose;
    }
    return series;
}

prepare::TiltSeries parseMdoc(std::string_view text, const std::filesystem::path& path) {
    prepare::TiltSeries series;
    std::vector<Section> sections;
    for (const std::string_view line : linesIn(text)) {
        const auto words = wordsIn(line);
        if (words.empty()) {
            continue;
        }
        if (words[0].starts_with('[')) {
            if (words[0] == "[ZValue" || words[0] == "[FrameSet") {
                sections.emplace_back();
            }
            continue;
        }
        if (words.size() < 3 || words[1] != "=") {
            continue;
        }
        const auto value = numberIn(words[2]);
        if (words[0] == "Voltage" && sections.empty()) {
            series.voltage = value;
        } else if (sections.empty()) {
            continue;
        } else if (words[0] == "TiltAngle") {
            sections.back().angle = value;
        } else if (words[0] == "ExposureDose") {
            sections.back().dose = value;
        } else if (words[0] == "PriorRecordDose") {
            sections.back().prior = value;
        } else if (words[0] == "DateTime") {
            sections.back().time = timeIn(line.substr(line.find('=') + 1));
        }
    }
    const std::vector<std::optional<double>> doses = dosesOf(sections);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (!sections[i].angle) {
            failInput(path, "image " + std::to_string(i) + " has no TiltAngle");
        }
        series.tilts.push_back(tiltAt(*sections[i].angle));
        series.tilts.back().dose = doses[i];
    }
    return series;
}

prepare::TiltSeries parseDefocus(std::string_view text, const std::filesystem::path& path) {
    // View numbers, angles and defocus of a row; the first row ends with the version. From version
    // 3 on the first row has flags instead, and rows may hold astigmatism (the second defocus and
    // its axis) and then a phase shift after the defocus.
    // **Source**: IMOD, manual page of ctfphaseflip, "defocus file".
    constexpr double kAngstroms = 10; // in a nanometre
    constexpr double kHalfTurn = 180; // degrees
    constexpr int kBoth = 1;
    constexpr int kShifts = 4;
    constexpr int kShiftsInRadians = 8;
    prepare::TiltSeries series;
    const auto lines = linesIn(text);
    bool flags = false;
    bool both = false;   // the defocus of both axes
    bool shifts = false; // phase shifts
    double degrees = 1;  // in the unit of the phase shifts
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto words = wordsIn(lines[i]);
        if (words.empty()) {
            continue;
        }
        std::vector<double> row;
        for (const std::string_view word : words) {
            const auto number = numberIn(word);
            if (!number) {
                break;
            }
            row.push_back(*number);
        }
        if (series.tilts.empty() && !flags && row.size() == 6 && row[5] >= 3 && row[2] == 0 &&
            row[3] == 0 && row[4] == 0) {
            flags = true;
            const int flag = static_cast<int>(std::clamp(row[0], 0.0, 255.0));
            both = (flag & kBoth) != 0;
            shifts = (flag & kShifts) != 0;
            degrees = (flag & kShiftsInRadians) != 0 ? kHalfTurn / std::numbers::pi : 1;
            continue;
        }
        const std::size_t shift = both ? 7 : 5; // the column of the phase shift
        if (row.size() != words.size() || row.size() < (shifts ? shift + 1 : both ? 6U : 5U)) {
            failInput(path, lineText(i) + " is \"" + base::excerpt(lines[i]) +
                                "\"; a row of defocus has two views, two angles and the defocus");
        }
        series.tilts.push_back(tiltAt((row[2] + row[3]) / 2));
        series.tilts.back().defocus = kAngstroms * (both ? (row[4] + row[5]) / 2 : row[4]);
        if (shifts) {
            series.tilts.back().phaseShift = row[shift] * degrees;
        }
    }
    return series;
}

} // namespace flcc::io::detail::tilts
