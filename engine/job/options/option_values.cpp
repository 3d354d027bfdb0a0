#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/command_line.h"

namespace flcc::job {

namespace {

[[noreturn]] void refuseText(std::string_view text, const std::string& wanted) {
    throw base::Error(base::ErrorCode::CommandLine,
                      "\"" + base::excerpt(text) + "\" is not " + wanted);
}

const char* pastSpaces(const char* at, const char* end) {
    return std::find_if(at, end, [](char letter) { return letter != ' '; });
}

std::vector<std::int64_t> parseNumbers(std::string_view text) {
    std::vector<std::int64_t> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        std::int64_t number = 0;
        const auto [rest, error] = std::from_chars(pastSpaces(at, end), end, number);
        if (error != std::errc{}) {
            return {};
        }
        numbers.push_back(number);
        const char* const next = pastSpaces(rest, end);
        if (next == end) {
            return numbers;
        }
        if (*next != ',') {
            return {};
        }
        at = next + 1;
    }
}

} // namespace

base::Box parseBox(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::vector<std::int64_t> corner = parseNumbers(text.substr(0, colon));
        const std::vector<std::int64_t> extents = parseNumbers(text.substr(colon + 1));
        const bool positive = std::all_of(extents.begin(), extents.end(),
                                          [](std::int64_t extent) { return extent >= 1; });
        if (corner.size() == extents.size() && positive && corner.size() == 2) {
            return {{corner[0], corner[1], 0}, {extents[0], extents[1], 1}};
        }
        if (corner.size() == extents.size() && positive && corner.size() == 3) {
            return {{corner[0], corner[1], corner[2]}, {extents[0], extents[1], extents[2]}};
        }
    }
    refuseText(text, "a box; write X,Y:W,H or X,Y,Z:W,H,D with extents of at least 1");
}

base::Extents parseTile(std::string_view text) {
    constexpr std::int64_t kLongest = 1 << 24;
    const std::vector<std::int64_t> numbers = parseNumbers(text);
    const bool good = !numbers.empty() && numbers.size() <= 3 &&
                      std::all_of(numbers.begin(), numbers.end(),
                                  [](std::int64_t n) { return n >= 1 && n <= kLongest; });
    if (!good) {
        refuseText(text, "a tile; write P, P,P or P,P,P with numbers from "
                         "1 to " +
                             std::to_string(kLongest));
    }
    if (numbers.size() == 1) {
        return {numbers[0], numbers[0], numbers[0]};
    }
    return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

std::int64_t parseSize(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(pastSpaces(text.data(), end), end, number);
    std::string unit(pastSpaces(rest, end), end);
    unit.erase(unit.find_last_not_of(' ') + 1);
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kPrefixes = "kmgt";
    double factor = unit.empty() || unit == "b" ? 1 : 0;
    if (const std::size_t power = unit.empty() ? kPrefixes.npos : kPrefixes.find(unit.front());
        power != kPrefixes.npos) {
        const std::string tail = unit.substr(1);
        const double base = tail == "b" ? 1000 : (tail.empty() || tail == "ib" ? 1024 : 0);
        factor = base == 0 ? 0 : std::pow(base, static_cast<double>(power + 1));
    }
    const double bytes = number * factor;
    if (error != std::errc{} || !(bytes >= 1 && bytes < 0x1p62)) {
        refuseText(text, "a size; write it as 4GiB, 500 MB or 1048576");
    }
    return static_cast<std::int64_t>(bytes);
}

std::string sizeText(std::int64_t bytes) {
    constexpr std::array<std::string_view, 5> kUnits{"", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + std::string(kUnits[unit]);
}

} // namespace flcc::job
