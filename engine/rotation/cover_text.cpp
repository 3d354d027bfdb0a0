// What a user writes of rotations and scales.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/rotation/cover.h"

namespace flcc::rotation {

namespace {

using base::Error;
using base::ErrorCode;

[[noreturn]] void refuseText(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && std::isfinite(value)
               ? std::optional(value)
               : std::nullopt;
}

/// The numbers of a text between `separators`; empty if one of them is none.
std::optional<std::vector<double>> numbersOf(std::string_view text, std::string_view separators,
                                             bool joins) {
    std::vector<double> numbers;
    while (true) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0 || !joins) {
            const auto number = numberOf(text.substr(0, end));
            if (!number) {
                return std::nullopt;
            }
            numbers.push_back(*number);
        }
        if (end == text.size()) {
            return numbers;
        }
        text.remove_prefix(end + 1);
    }
}

constexpr const char* kForms = "a step in degrees, FROM:TO:STEP, list:FILE or auto:DIAMETER";

} // namespace

Rotations parseRotations(std::string_view text) {
    Rotations made;
    if (text.empty()) {
        return made;
    }
    const std::string shown = "--rotations '" + base::excerpt(text) + "'";
    constexpr std::string_view kList = "list:";
    constexpr std::string_view kAuto = "auto:";
    if (text.starts_with(kList)) {
        made.kind = Rotations::Kind::List;
        made.file = text.substr(kList.size());
        if (made.file.empty()) {
            refuseText(shown + " names no file; write list:FILE");
        }
        return made;
    }
    if (text.starts_with(kAuto)) {
        const auto diameter = numberOf(text.substr(kAuto.size()));
        if (!diameter || !(*diameter > 0)) {
            refuseText(shown +
                       " needs the diameter of the object, a number above 0, such as auto:250");
        }
        made.kind = Rotations::Kind::Auto;
        made.diameter = *diameter;
        return made;
    }
    const auto numbers = numbersOf(text, ":", false);
    if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) {
        refuseText(shown + " is not " + kForms);
    }
    made.step = numbers->back();
    constexpr double kLeast = 1e-3;
    if (!(made.step >= kLeast) || made.step > 360) {
        refuseText(shown + " has a step outside 0.001 to 360 degrees");
    }
    made.kind = Rotations::Kind::Step;
    if (numbers->size() == 3) {
        made.kind = Rotations::Kind::Range;
        made.from = (*numbers)[0];
        made.to = (*numbers)[1];
        constexpr double kMost = 3600;
        if (made.to < made.from || std::abs(made.from) > kMost || std::abs(made.to) > kMost) {
            refuseText(shown +
                       " must go from a smaller to a larger angle, both within 3600 degrees");
        }
    }
    return made;
}

std::vector<double> parseScales(std::string_view text) {
    if (text.empty()) {
        return {1};
    }
    const std::string shown = "--scales '" + base::excerpt(text) + "'";
    constexpr double kLeast = 0.05;
    constexpr double kLargest = 20;
    constexpr std::size_t kMost = 1000;
    std::vector<double> scales;
    const bool range = text.find(':') != std::string_view::npos;
    const auto numbers = numbersOf(text, range ? ":" : ",", false);
    if (!numbers || (range && numbers->size() != 3)) {
        refuseText(shown + " is neither FROM:TO:FACTOR nor a list such as 0.9,1,1.1");
    }
    if (range) {
        const double factor = (*numbers)[2];
        if (!(factor >= 1.0001)) {
            refuseText(shown + " has a factor below 1.0001, which leads to no larger scale");
        }
        if (!((*numbers)[0] >= kLeast && (*numbers)[0] <= (*numbers)[1])) {
            refuseText(shown + " must go from a smaller to a larger scale");
        }
        for (double i = 0; scales.size() <= kMost; ++i) {
            const double scale = (*numbers)[0] * std::pow(factor, i);
            if (scale > (*numbers)[1] * (1 + 1e-9)) {
                break;
            }
            scales.push_back(scale);
        }
        if (const double last = (*numbers)[1]; last > scales.back() * (1 + 1e-6)) {
            scales.push_back(last);
        }
    } else {
        scales = *numbers;
    }
    for (const double scale : scales) {
        if (!(scale >= kLeast && scale <= kLargest)) {
            refuseText(shown + " has a scale outside 0.05 to 20");
        }
    }
    if (scales.size() > kMost) {
        refuseText(shown + " has more than 1000 scales");
    }
    return scales;
}

std::vector<Quaternion> parseList(std::string_view text, bool flat, const std::string& name) {
    std::vector<Quaternion> turns;
    const auto fail = [&](std::size_t line, const std::string& what) {
        throw Error(ErrorCode::Problem,
                    "the list of rotations " + name +
                        (line > 0 ? ", line " + std::to_string(line) + ": " : " ") + what);
    };
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        constexpr std::string_view kSpaces = " \t\r,";
        const std::size_t first = row.find_first_not_of(kSpaces);
        if (first == std::string_view::npos || row[first] == '#') {
            continue;
        }
        const auto numbers = numbersOf(row, kSpaces, true);
        if (!numbers) {
            fail(line, "a number is expected, not '" + base::excerpt(row) + "'");
        }
        const std::vector<double>& n = *numbers;
        if (n.size() == 1 && flat) {
            turns.push_back(inPlane(n[0]));
        } else if (n.size() == 3) {
            turns.push_back(fromEuler({n[0], n[1], n[2]}));
        } else if (n.size() == 4) {
            constexpr double kRounding = 1e-3;
            const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
            if (std::abs(length - 1) > kRounding) {
                fail(line, "the quaternion has not the length 1");
            }
            turns.push_back(quaternionOf(matrixOf(Quaternion{n[0], n[1], n[2], n[3]})));
        } else {
            fail(line, std::string(flat ? "one angle, " : "") +
                           "rot, tilt and psi or a quaternion is expected, but there are " +
                           std::to_string(n.size()) + " numbers");
        }
        constexpr double kPlane = 1e-9;
        if (flat && std::hypot(turns.back().x, turns.back().y) > kPlane) {
            fail(line, "an image turns in its plane alone; leave tilt at 0");
        }
        if (std::ssize(turns) > kMostTurns) {
            fail(line, "there are more than " + std::to_string(kMostTurns) + " rotations");
        }
    }
    if (turns.empty()) {
        fail(0, "holds no rotation");
    }
    return turns;
}

} // namespace flcc::rotation
