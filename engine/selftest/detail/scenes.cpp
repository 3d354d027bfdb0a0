#include "engine/selftest/detail/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace flcc::selftest {

namespace {

template <class T> T rounded(double value) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
    } else {
        // The largest double of a 64-bit type lies one above its largest value.
        constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
        constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
        const double nearest = std::nearbyint(value);
        return nearest <= kLow    ? std::numeric_limits<T>::min()
               : nearest >= kHigh ? std::numeric_limits<T>::max()
                                  : static_cast<T>(nearest);
    }
}

template <class Fill> void forEach(const base::Extents& extents, Fill&& fill) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                fill(base::Index{x, y, z});
            }
        }
    }
}

template <class Image> using VoxelOf = std::remove_cvref_t<decltype(*std::declval<Image>().data())>;

} // namespace

std::int64_t Random::below(std::int64_t count) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(count));
}

double Random::normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
        sum += uniform();
    }
    return sum;
}

base::Index Random::corner(const base::Extents& scene, const base::Extents& templ) {
    const base::Extents map = base::validExtents(scene, templ);
    const std::int64_t x = below(map.x);
    const std::int64_t y = below(map.y);
    return {x, y, below(map.z)};
}

base::AnyImage makeScene(base::PixelType type, const base::Extents& extents,
                         const VoxelValue& value) {
    base::AnyImage image = base::makeImage(type, extents);
    std::visit(
        [&](auto& typed) {
            forEach(extents, [&](const base::Index& i) {
                typed.view().at(i) = rounded<VoxelOf<decltype(typed)>>(value(i));
            });
        },
        image);
    return image;
}

base::AnyImage makeIntegerScene(base::PixelType type, const base::Extents& extents,
                                const std::function<std::int64_t(const base::Index&)>& value) {
    base::AnyImage image = base::makeImage(type, extents);
    std::visit(
        [&](auto& typed) {
            forEach(extents, [&](const base::Index& i) {
                typed.view().at(i) = static_cast<VoxelOf<decltype(typed)>>(value(i));
            });
        },
        image);
    return image;
}

base::AnyImage noise(base::PixelType type, const base::Extents& extents, std::uint64_t seed) {
    Random random(seed);
    if (base::isInteger(type)) {
        return makeScene(type, extents, [&](const base::Index&) {
            return static_cast<double>(random.below(121));
        });
    }
    return makeScene(type, extents, [&](const base::Index&) { return 1 + random.normal(); });
}

base::AnyImage texture(base::PixelType type, const base::Extents& extents, std::uint64_t seed) {
    struct Wave {
        std::array<double, 3> frequency;
        double phase;
        double height;
    };
    Random random(seed);
    std::array<Wave, 5> waves{};
    for (Wave& wave : waves) {
        for (double& frequency : wave.frequency) {
            frequency = 0.6 * (random.uniform() - 0.5);
        }
        wave.phase = 2 * std::numbers::pi * random.uniform();
        wave.height = 4 + 8 * random.uniform();
    }
    return makeScene(type, extents, [&](const base::Index& i) {
        double value = 60 + 2 * random.normal();
        for (const Wave& wave : waves) {
            value +=
                wave.height * std::sin(wave.frequency[0] * static_cast<double>(i.x) +
                                       wave.frequency[1] * static_cast<double>(i.y) +
                                       wave.frequency[2] * static_cast<double>(i.z) + wave.phase);
        }
        return std::clamp(value, 0.0, 120.0);
    });
}

base::AnyImage oneCountOver(base::PixelType type, const base::Extents& extents, std::int64_t offset,
                            std::uint64_t seed) {
    Random random(seed);
    // Modulo 2^64, so that values above the greatest signed offset continue upwards in an unsigned
    // scene.
    return makeIntegerScene(type, extents, [&](const base::Index&) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + random.bits() % 2);
    });
}

base::AnyImage ramp(base::PixelType type, const base::Extents& extents, double low, double high) {
    const auto steps = static_cast<double>(extents.x + extents.y + extents.z - 3);
    return makeScene(type, extents, [&](const base::Index& i) {
        return low + (high - low) * static_cast<double>(i.x + i.y + i.z) / std::max(steps, 1.0);
    });
}

base::AnyImage crop(const base::AnyImage& image, const base::Box& box) {
    return base::copyOf(base::partOf(base::viewOf(image), box));
}

void paste(base::AnyImage& image, const base::AnyImage& patch, const base::Index& corner) {
    std::visit(
        [&](auto& typed) {
            const auto& source = std::get<std::remove_cvref_t<decltype(typed)>>(patch);
            const auto target = typed.view().part({corner, source.extents()});
            forEach(source.extents(),
                    [&](const base::Index& i) { target.at(i) = source.view().at(i); });
        },
        image);
}

void setVoxel(base::AnyImage& image, const base::Index& index, double value) {
    std::visit(
        [&](auto& typed) { typed.view().at(index) = static_cast<VoxelOf<decltype(typed)>>(value); },
        image);
}

base::AnyImage mapped(const base::AnyImage& image, base::PixelType type,
                      const std::function<double(double)>& function) {
    const base::AnyView view = base::viewOf(image);
    return makeScene(type, base::extentsOf(image),
                     [&](const base::Index& i) { return function(base::valueAt(view, i)); });
}

base::AnyImage flipped(const base::AnyImage& image, bool x, bool y, bool z) {
    const base::Extents extents = base::extentsOf(image);
    const base::AnyView view = base::viewOf(image);
    return makeScene(base::pixelType(image), extents, [&](const base::Index& i) {
        return base::valueAt(view, {x ? extents.x - 1 - i.x : i.x, y ? extents.y - 1 - i.y : i.y,
                                    z ? extents.z - 1 - i.z : i.z});
    });
}

} // namespace flcc::selftest
