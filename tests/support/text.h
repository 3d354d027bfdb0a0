#pragma once

#include <string_view>

namespace flcc::test {

[[nodiscard]] inline bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace flcc::test
