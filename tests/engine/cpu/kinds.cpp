#include "tests/engine/cpu/kinds.h"

#include <array>
#include <cmath>
#include <vector>

#include "tests/engine/cpu/harness.h"

namespace flcc::test {

namespace {

using base::Extents;
using base::Index;
using base::PixelType;

base::AnyImage normal(const Extents& extents, Random& random, const VoxelValue& height,
                      const VoxelValue& level) {
    return makeScene(PixelType::Float32, extents, [&](const Index& i) {
        const double noise = random.normal();
        return level(i) + noise * height(i);
    });
}

/// Noise of deviation 1 under `count` voxels of `value`.
base::AnyImage pixels(const Extents& extents, Random& random, std::int64_t count, double value) {
    base::AnyImage scene = noise(PixelType::Float32, extents, random.bits());
    for (std::int64_t i = 0; i < count; ++i) {
        setVoxel(scene, random.corner(extents, {1, 1, 1}), value * (1 + random.uniform()));
    }
    return scene;
}

/// Faint blobs and a few stars on a dark sky, as counts.
base::AnyImage stars(const Extents& extents, Random& random) {
    base::AnyImage sky = makeScene(PixelType::Float32, extents, [&](const Index&) {
        return std::nearbyint(100 + 3 * random.normal());
    });
    for (int i = 0; i < 12; ++i) {
        setVoxel(sky, random.corner(extents, {1, 1, 1}), 60000 * random.uniform());
    }
    return sky;
}

double wave(std::int64_t i, double period) {
    return std::sin(6.283185307179586 * static_cast<double>(i) / period);
}

} // namespace

base::AnyImage separableTemplate(int kind, const Extents& m, std::uint64_t seed) {
    Random random(seed);
    std::array<std::vector<double>, 3> factors;
    const std::array<std::int64_t, 3> lengths{m.x, m.y, m.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto length = static_cast<double>(lengths[axis]);
        for (std::int64_t i = 0; i < lengths[axis]; ++i) {
            const double place = (static_cast<double>(i) - (length - 1) / 2) / length;
            const bool inside = lengths[axis] == 1 || std::abs(place) < 0.25;
            const double wave = lengths[axis] == 1 ? 1 : std::sin(0.5 + 9 * place);
            factors[axis].push_back(kind == 0   ? std::exp(-18 * place * place)
                                    : kind == 1 ? (inside ? 1 : 0)
                                    : kind == 2 ? (inside && lengths[axis] > 1 ? 0 : 1)
                                    : kind == 3 ? (axis == 0 ? wave : 1)
                                    : kind == 4 ? wave
                                    : kind == 5 ? random.uniform()
                                                : random.normal());
        }
    }
    struct Values {
        double level;
        double height;
    };
    constexpr std::array<Values, kSeparableKinds> kValues{
        {{10, 100}, {20, 180}, {200, -180}, {100, 50}, {3, 50}, {0, 1}, {0, 1}}};
    const auto& [level, height] = kValues[static_cast<std::size_t>(kind)];
    return makeScene(kind == 1 || kind == 2 ? PixelType::UInt8 : PixelType::Float32, m,
                     [&, level = level, height = height](const Index& i) {
                         return level + height * factors[0][static_cast<std::size_t>(i.x)] *
                                            factors[1][static_cast<std::size_t>(i.y)] *
                                            factors[2][static_cast<std::size_t>(i.z)];
                     });
}

base::AnyImage sceneOfKind(int kind, const Extents& extents, std::uint64_t seed) {
    Random random(seed);
    const double period = 2 + 30 * random.uniform();
    const std::int64_t line = random.below(extents.y);
    const std::int64_t column = random.below(extents.x);
    const auto one = [](const Index&) { return 1.0; };
    const auto zero = [](const Index&) { return 0.0; };
    switch (kind) {
    case 0:
        return noise(PixelType::Float32, extents, seed);
    case 1:
        return texture(PixelType::Float32, extents, seed);
    case 2: // a bright row
        return normal(extents, random, one, [&](const Index& i) { return i.y == line ? 1e3 : 0; });
    case 3: // a bright column
        return normal(extents, random, one,
                      [&](const Index& i) { return i.x == column ? 1e3 : 0; });
    case 4: // a row of strong noise
        return normal(
            extents, random, [&](const Index& i) { return i.y == line ? 300 : 1.0; }, zero);
    case 5: // stripes along x
        return normal(
            extents, random, [](const Index&) { return 1e-3; },
            [&](const Index& i) { return wave(i.y, period); });
    case 6: // stripes along y
        return normal(
            extents, random, [](const Index&) { return 1e-3; },
            [&](const Index& i) { return wave(i.x, period); });
    case 7:
        return pixels(extents, random, 1, 1e4);
    case 8:
        return pixels(extents, random, 30, 1e6);
    case 9:
        return stars(extents, random);
    case 10:
        return normal(extents, random, one,
                      [](const Index& i) { return 50.0 * static_cast<double>(i.x + i.y); });
    case 11: // an edge between two areas
        return normal(extents, random, one, [&](const Index& i) { return i.x < column ? 0 : 500; });
    case 12: // strong left, faint right
        return normal(
            extents, random, [&](const Index& i) { return i.x < column ? 1e3 : 0.1; }, zero);
    case 13: // a high level with fractions, where S - c rounds
        return normal(extents, random, one, [](const Index&) { return 16000.3; });
    case 14: // vignette
        return normal(
            extents, random, [](const Index&) { return 0.5; },
            [&](const Index& i) {
                const double r = static_cast<double>((i.x - column) * (i.x - column) +
                                                     (i.y - line) * (i.y - line));
                return 2000 / (1 + r / 400);
            });
    case 15: // a chessboard
        return normal(extents, random, one,
                      [](const Index& i) { return (i.x + i.y + i.z) % 2 == 0 ? 100 : 0; });
    case 16: // a single plane wave, no noise at all
        return makeScene(PixelType::Float32, extents, [&](const Index& i) {
            return wave(i.x, period) * wave(i.y, period / 2) + wave(i.z, 7);
        });
    default: // few levels, large constant areas
        return makeScene(PixelType::Float32, extents, [&](const Index& i) {
            return std::nearbyint(2 * wave(i.x, 37) + 2 * wave(i.y, 29));
        });
    }
}

Submitted problemOfKind(int kind, std::uint64_t seed) {
    Random random(seed * 1000 + static_cast<std::uint64_t>(kind));
    const bool volume = random.below(4) == 0;
    const Extents n =
        volume ? Extents{20 + random.below(20), 20 + random.below(20), 10 + random.below(20)}
               : Extents{40 + random.below(110), 40 + random.below(110), 1};
    const Extents m = volume
                          ? Extents{2 + random.below(6), 2 + random.below(6), 1 + random.below(6)}
                          : Extents{2 + random.below(20), 2 + random.below(20), 1};
    base::AnyImage scene = sceneOfKind(kind, n, random.bits());
    constexpr std::array kTypes{PixelType::Float32, PixelType::UInt16, PixelType::Float64};
    const PixelType type = kTypes.at(static_cast<std::size_t>(random.below(3)));
    scene = mapped(scene, type, [](double value) { return value; });
    base::AnyImage templ = templateFor(scene, m, random);
    return {std::move(scene), std::move(templ)};
}

base::AnyImage templateFor(const base::AnyImage& scene, const Extents& m, Random& random) {
    const PixelType type = base::pixelType(scene);
    // A stranger, a smooth one, or a part of the scene.
    const std::int64_t choice = random.below(3);
    base::AnyImage templ = choice == 1 ? texture(type, m, random.bits())
                           : choice == 2
                               ? crop(scene, {random.corner(base::extentsOf(scene), m), m})
                               : noise(type, m, random.bits());
    bool differs = false;
    const double first = base::valueAt(base::viewOf(templ), {0, 0, 0});
    (void)mapped(templ, type, [&](double value) {
        differs = differs || value != first;
        return value;
    });
    if (!differs) {
        setVoxel(templ, {0, 0, 0}, first == 121 ? 122 : 121);
    }
    return templ;
}

std::string judgeKind(int kind, std::uint64_t seed) {
    const Submitted submitted = problemOfKind(kind, seed);
    const std::string fault = judgeAll(submitted.scene, submitted.templ);
    return fault.empty()
               ? fault
               : "kind " + std::to_string(kind) + " seed " + std::to_string(seed) + ": " + fault;
}

} // namespace flcc::test
