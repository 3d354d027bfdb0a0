#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/image.h"
#include "tests/support/scenes.h"

/// Binary supports of templates and scenes.
namespace flcc::test {

using Mask = base::Image<std::uint8_t>;

struct NamedMask {
    std::string name;
    Mask mask;
};

/// 1 where `inside(index)` says so.
template <class Inside> [[nodiscard]] Mask maskOf(const base::Extents& extents, Inside&& inside) {
    Mask mask(extents);
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        mask.data()[i] = inside(base::Index{i % extents.x, i / extents.x % extents.y,
                                            i / (extents.x * extents.y)})
                             ? std::uint8_t{1}
                             : std::uint8_t{0};
    }
    return mask;
}

[[nodiscard]] inline Mask disc(const base::Extents& extents) {
    const auto square = [](std::int64_t at, std::int64_t length) {
        const double half = static_cast<double>(length) / 2;
        const double from = (static_cast<double>(at) + 0.5 - half) / half;
        return from * from;
    };
    return maskOf(extents, [&](const base::Index& i) {
        return square(i.x, extents.x) + square(i.y, extents.y) + square(i.z, extents.z) <= 1 + 1e-9;
    });
}

[[nodiscard]] inline Mask lShape(const base::Extents& extents) {
    return maskOf(extents, [&](const base::Index& i) {
        return i.x < (extents.x + 2) / 3 || i.y >= extents.y - (extents.y + 2) / 3;
    });
}

/// What a box that turns about its centre leaves of the box.
[[nodiscard]] inline Mask turnedBox(const base::Extents& extents, double degrees) {
    const double angle = degrees * std::acos(-1.0) / 180;
    const auto half = [](std::int64_t length) { return static_cast<double>(length - 1) / 2; };
    return maskOf(extents, [&](const base::Index& i) {
        const double x = static_cast<double>(i.x) - half(extents.x);
        const double y = static_cast<double>(i.y) - half(extents.y);
        return std::abs(std::cos(angle) * x + std::sin(angle) * y) <= half(extents.x) + 1e-9 &&
               std::abs(std::cos(angle) * y - std::sin(angle) * x) <= half(extents.y) + 1e-9;
    });
}

/// Two parts with nothing between them.
[[nodiscard]] inline Mask twoParts(const base::Extents& extents) {
    return maskOf(extents, [&](const base::Index& i) {
        return i.x < extents.x / 3 || i.x >= extents.x - extents.x / 3;
    });
}

[[nodiscard]] inline Mask someOf(const base::Extents& extents, double share, std::uint64_t seed) {
    Random random(seed);
    return maskOf(extents, [&](const base::Index&) { return random.uniform() < share; });
}

/// Disc, L, two parts, chance and all ones.
[[nodiscard]] inline std::vector<NamedMask> masksFor(const base::Extents& extents) {
    std::vector<NamedMask> masks;
    masks.push_back({"disc", disc(extents)});
    masks.push_back({"L", lShape(extents)});
    masks.push_back({"two parts", twoParts(extents)});
    masks.push_back({"chance", someOf(extents, 0.5, 7)});
    masks.push_back({"ones", maskOf(extents, [](const base::Index&) { return true; })});
    return masks;
}

} // namespace flcc::test
