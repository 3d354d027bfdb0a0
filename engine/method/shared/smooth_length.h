#pragma once

#include <cstdint>
#include <initializer_list>

namespace flcc::method::shared {

/// True for products of 2, 3, 5 and 7, which transforms are fast and exact for.
[[nodiscard]] constexpr bool isSmooth(std::int64_t length) {
    for (const std::int64_t prime : {2, 3, 5, 7}) {
        while (length > 1 && length % prime == 0) {
            length /= prime;
        }
    }
    return length == 1;
}

/// The smallest such length that is not below `length`.
[[nodiscard]] constexpr std::int64_t nextSmooth(std::int64_t length) {
    std::int64_t candidate = length < 1 ? 1 : length;
    while (!isSmooth(candidate)) {
        ++candidate;
    }
    return candidate;
}

/// The largest such length that is not above `length`.
[[nodiscard]] constexpr std::int64_t lastSmooth(std::int64_t length) {
    std::int64_t candidate = length < 1 ? 1 : length;
    while (!isSmooth(candidate)) {
        --candidate;
    }
    return candidate;
}

} // namespace flcc::method::shared
