#pragma once

#include <cstdint>

namespace flcc::method::shared {

/// `length` without its factors `kPrime`. The prime is a template parameter because divisions by
/// constants are fast and planning makes many.
template <std::int64_t kPrime> [[nodiscard]] constexpr std::int64_t without(std::int64_t length) {
    while (length > 1 && length % kPrime == 0) {
        length /= kPrime;
    }
    return length;
}

/// True for products of 2, 3, 5 and 7. Transforms of these lengths are fast and accurate.
[[nodiscard]] constexpr bool isSmooth(std::int64_t length) {
    return without<7>(without<5>(without<3>(without<2>(length)))) == 1;
}

/// The smallest smooth length (isSmooth) that is at least `length`.
[[nodiscard]] constexpr std::int64_t nextSmooth(std::int64_t length) {
    std::int64_t candidate = length < 1 ? 1 : length;
    while (!isSmooth(candidate)) {
        ++candidate;
    }
    return candidate;
}

/// The largest smooth length (isSmooth) that is at most `length`, and at least 1.
[[nodiscard]] constexpr std::int64_t lastSmooth(std::int64_t length) {
    std::int64_t candidate = length < 1 ? 1 : length;
    while (!isSmooth(candidate)) {
        --candidate;
    }
    return candidate;
}

} // namespace flcc::method::shared
