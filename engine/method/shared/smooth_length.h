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

/// The smallest smooth length (isSmooth) that is at least `length`, which is at most 2^59.
/// **Cost**: some hundred steps for any length.
[[nodiscard]] constexpr std::int64_t nextSmooth(std::int64_t length) {
    constexpr std::int64_t kNear = 4096; // smooth lengths lie close together below
    std::int64_t candidate = length < 1 ? 1 : length;
    if (candidate <= kNear) {
        while (!isSmooth(candidate)) {
            ++candidate;
        }
        return candidate;
    }
    std::int64_t best = INT64_MAX;
    for (std::int64_t seven = 1; seven < 7 * candidate; seven *= 7) {
        for (std::int64_t five = seven; five < 5 * candidate; five *= 5) {
            for (std::int64_t three = five; three < 3 * candidate; three *= 3) {
                std::int64_t product = three;
                while (product < candidate) {
                    product *= 2;
                }
                best = product < best ? product : best;
                if (three >= candidate) {
                    break;
                }
            }
            if (five >= candidate) {
                break;
            }
        }
        if (seven >= candidate) {
            break;
        }
    }
    return best;
}

/// The largest smooth length (isSmooth) that is at most `length`, and at least 1.
[[nodiscard]] constexpr std::int64_t lastSmooth(std::int64_t length) {
    constexpr std::int64_t kNear = 1 << 16;
    std::int64_t candidate = length < 1 ? 1 : length;
    if (candidate <= kNear) {
        while (!isSmooth(candidate)) {
            --candidate;
        }
        return candidate;
    }
    // Twice a smooth length is one too.
    std::int64_t last = 1;
    for (std::int64_t next = nextSmooth(length / 2); next <= length; next = nextSmooth(next + 1)) {
        last = next;
    }
    return last;
}

} // namespace flcc::method::shared
