#pragma once

#include <cstdint>

namespace flcc::method::shared {

/// `length` without its factors `kPrime`; a constant, as planning asks often.
template <std::int64_t kPrime> [[nodiscard]] constexpr std::int64_t without(std::int64_t length) {
    while (length > 1 && length % kPrime == 0) {
        length /= kPrime;
    }
    return length;
}

/// True for products of 2, 3, 5 and 7, which transforms are fast and exact for.
[[nodiscard]] constexpr bool isSmooth(std::int64_t length) {
    return without<7>(without<5>(without<3>(without<2>(length)))) == 1;
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
