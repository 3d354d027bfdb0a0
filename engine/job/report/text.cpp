#include "engine/job/report/text.h"

#include <array>
#include <charconv>
#include <locale>
#include <sstream>

namespace flcc::job::detail {

std::string shortest(double value) {
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("nan");
}

std::string fixed(double value, int digits) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.setf(std::ios::fixed);
    out.precision(digits);
    out << value;
    return out.str();
}

std::string brief(double value, int digits) {
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            std::chars_format::general, digits);
    return error == std::errc{} ? std::string(buffer.data(), end) : std::string("nan");
}

std::string helpLine(const std::string& option, const std::string& meaning) {
    constexpr std::size_t kColumn = 34;
    constexpr std::size_t kWidth = 100;
    std::string text;
    std::string line = "  " + option;
    const auto breakLine = [&] {
        text += line + "\n";
        line.clear();
    };
    if (line.size() + 1 >= kColumn) {
        breakLine();
    }
    std::istringstream words(meaning);
    for (std::string word; words >> word;) {
        if (line.size() > kColumn && line.size() + 1 + word.size() > kWidth) {
            breakLine();
        }
        const bool first = line.size() < kColumn;
        line += first ? std::string(kColumn - line.size(), ' ') + word : " " + word;
    }
    breakLine();
    return text;
}

} // namespace flcc::job::detail
