#include <cmath>
#include <limits>

#include "engine/selftest/detail/case_run.h"
#include "engine/selftest/detail/operation_cases.h"
#include "engine/selftest/detail/scenes.h"
#include "engine/selftest/detail/support_cases.h"

namespace flcc::selftest {

namespace {

using base::AnyImage;
using base::Extents;
using base::Index;
using base::PixelType;

constexpr PixelType kKernelTypes[]{PixelType::UInt8, PixelType::Int16, PixelType::UInt16,
                                   PixelType::Float32};
constexpr PixelType kAllTypes[]{
    PixelType::UInt8, PixelType::Int8,   PixelType::UInt16, PixelType::Int16,   PixelType::UInt32,
    PixelType::Int32, PixelType::UInt64, PixelType::Int64,  PixelType::Float32, PixelType::Float64};

/// `value` to 1/1024, so that floats are judged in exact integers.
double quantised(double value) { return std::nearbyint(value * 1024) / 1024; }

/// Independent voxels over 0 .. 120.
AnyImage counts(PixelType type, const Extents& extents, std::uint64_t seed) {
    Random random(seed);
    return makeScene(type, extents,
                     [&](const Index&) { return static_cast<double>(random.below(121)); });
}

AnyImage normalNoise(PixelType type, const Extents& extents, std::uint64_t seed) {
    Random random(seed);
    return makeScene(type, extents, [&](const Index&) { return quantised(random.normal()); });
}

AnyImage picture(PixelType type, const Extents& extents, std::uint64_t seed) {
    return mapped(texture(PixelType::Float64, extents, seed), type, quantised);
}

AnyImage level(PixelType type, const Extents& extents, double value) {
    return makeScene(type, extents, [value](const Index&) { return value; });
}

void constant(CaseRun& run) {
    const Extents n{80, 70, 1};
    const Extents m{31, 31, 1};
    run.judge(level(PixelType::UInt8, n, 77), counts(PixelType::UInt8, m, 1));
    run.judge(level(PixelType::UInt16, n, 65535), counts(PixelType::UInt16, m, 2));
    run.judge(level(PixelType::Float32, n, 0.1), counts(PixelType::Float32, m, 3));
    run.judge(level(PixelType::Float64, n, 0.1), counts(PixelType::Float64, m, 4));
    run.judge(level(PixelType::Float32, {20, 18, 16}, 0.1),
              counts(PixelType::Float32, {5, 4, 3}, 5));
    // Constant areas among others: 0.1 and its multiples are not exact, nor are sums of them.
    const AnyImage blocks = makeScene(PixelType::Float32, {95, 61, 1}, [](const Index& i) {
        return 0.1F * static_cast<float>((i.x / 16 + i.y / 16) % 3);
    });
    run.judge(blocks, counts(PixelType::Float32, {9, 8, 1}, 6));
    run.refused(blocks, level(PixelType::Float32, {9, 9, 1}, 0.1));
    run.refused(blocks, level(PixelType::Float32, {1, 1, 1}, 5));
    AnyImage spoilt = counts(PixelType::Float32, {9, 9, 1}, 7);
    setVoxel(spoilt, {8, 8, 0}, std::nan(""));
    run.refused(blocks, spoilt);
}

void oneCount(CaseRun& run) {
    const AnyImage image = oneCountOver(PixelType::UInt16, {150, 140, 1}, 60000, 1);
    run.judge(image, crop(image, {{90, 67, 0}, {24, 24, 1}}));
    const AnyImage volume = oneCountOver(PixelType::UInt16, {30, 28, 26}, 60000, 2);
    run.judge(volume, crop(volume, {{10, 11, 7}, {8, 8, 8}}));
}

void contrast(CaseRun& run) {
    for (const PixelType type : {PixelType::Int32, PixelType::Float32}) {
        const AnyImage scene = makeScene(type, {120, 110, 1}, [](const Index& i) {
            return 4096.0 * static_cast<double>(i.x + i.y);
        });
        run.judge(scene, crop(scene, {{60, 50, 0}, {11, 13, 1}}));
    }
    Random random(3);
    const AnyImage scene = makeScene(PixelType::Float32, {160, 100, 1}, [&](const Index& i) {
        return i.x < 80 ? quantised(random.normal() * 1e4)
                        : std::nearbyint(random.normal() * 1e4) / 0x1p20;
    });
    run.judge(scene, crop(scene, {{120, 40, 0}, {12, 12, 1}}));
}

void hotPixel(CaseRun& run) {
    for (const double value : {1e6, -1e6}) {
        AnyImage scene = normalNoise(PixelType::Float32, {120, 110, 1}, 4);
        setVoxel(scene, {75, 70, 0}, value);
        run.judge(scene, crop(scene, {{78, 72, 0}, {11, 9, 1}}));
        run.judge(scene, crop(scene, {{70, 66, 0}, {11, 9, 1}}));
    }
    AnyImage volume = normalNoise(PixelType::Float32, {26, 24, 22}, 5);
    setVoxel(volume, {13, 12, 11}, 1e6);
    run.judge(volume, crop(volume, {{14, 13, 12}, {5, 4, 6}}));
}

void powersOfTwo(CaseRun& run) {
    const auto check = [&run](PixelType type, int power) {
        const AnyImage scene = picture(type, {110, 100, 1}, 1);
        const AnyImage templ = counts(type, {12, 11, 1}, 2);
        const auto scale = [power](double value) { return std::scalbn(value, power); };
        const AnyImage scaled = mapped(scene, type, scale);
        const AnyImage other = mapped(templ, type, scale);
        run.same(base::viewOf(scene), base::viewOf(templ), base::viewOf(scaled),
                 base::viewOf(templ));
        run.same(base::viewOf(scene), base::viewOf(templ), base::viewOf(scene),
                 base::viewOf(other));
        run.judge(scaled, other);
    };
    check(PixelType::Float32, 100);
    check(PixelType::Float32, -100);
    check(PixelType::Float64, 700);
    check(PixelType::Float64, -700);
    for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
        const double unit = type == PixelType::Float32 ? std::numeric_limits<float>::denorm_min()
                                                       : std::numeric_limits<double>::denorm_min();
        Random random(6);
        const AnyImage scene = makeScene(type, {70, 60, 1}, [&](const Index& i) {
            return i.x < 20 ? 0.0 : unit * static_cast<double>(random.below(100));
        });
        run.judge(scene, crop(scene, {{40, 30, 0}, {8, 7, 1}}));
    }
}

void wideIntegers(CaseRun& run) {
    const AnyImage high = oneCountOver(PixelType::Int32, {110, 90, 1}, 1 << 24, 3);
    run.judge(high, crop(high, {{50, 40, 0}, {12, 10, 1}}));
    Random random(2);
    const AnyImage checker = makeScene(PixelType::UInt16, {150, 144, 1}, [&](const Index& i) {
        return ((i.x + i.y) % 2 == 0) != (random.below(64) == 0) ? 65535.0 : 0.0;
    });
    run.judgeSome(checker, crop(checker, {{5, 3, 0}, {128, 128, 1}}), {{5, 3, 0}}, 40);
}

void nonFinite(CaseRun& run) {
    for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            AnyImage scene = picture(type, {110, 90, 1}, 1);
            for (const Index& at :
                 {Index{55, 45, 0}, Index{0, 0, 0}, Index{109, 89, 0}, Index{56, 48, 0}}) {
                setVoxel(scene, at, bad);
            }
            run.judge(scene, counts(type, {9, 7, 1}, 3));
        }
    }
    AnyImage volume = picture(PixelType::Float32, {26, 24, 22}, 2);
    setVoxel(volume, {13, 12, 11}, std::nan(""));
    setVoxel(volume, {0, 23, 11}, HUGE_VAL);
    run.judge(volume, counts(PixelType::Float32, {4, 5, 3}, 4));
    run.judge(level(PixelType::Float32, {60, 50, 1}, std::nan("")),
              counts(PixelType::Float32, {7, 7, 1}, 5));
    AnyImage flat = level(PixelType::Float32, {60, 50, 1}, 0.1);
    setVoxel(flat, {30, 25, 0}, std::nan(""));
    run.judge(flat, counts(PixelType::Float32, {7, 7, 1}, 6));
}

void gainAndLevel(CaseRun& run) {
    const AnyImage scene = counts(PixelType::UInt8, {80, 70, 1}, 1);
    const AnyImage templ = crop(scene, {{30, 20, 0}, {9, 10, 1}});
    struct Change {
        double a, b, c, d;
    };
    for (const Change& change :
         {Change{1, 60000, 1, 0}, Change{3, 7, -2, 1000}, Change{-5, 40000, 1, 3}}) {
        for (const PixelType type : {PixelType::Int32, PixelType::Float32}) {
            run.judge(mapped(scene, type, [&](double v) { return change.a * v + change.b; }),
                      mapped(templ, type, [&](double v) { return change.c * v + change.d; }));
        }
    }
}

void axes(CaseRun& run) {
    const AnyImage volume = counts(PixelType::UInt16, {80, 70, 3}, 4);
    const AnyImage templ = counts(PixelType::UInt16, {8, 9, 1}, 5);
    for (std::int64_t z = 0; z < 3; z += 2) {
        const base::AnyView slice = base::partOf(base::viewOf(volume), {{0, 0, z}, {80, 70, 1}});
        const AnyImage image = base::copyOf(slice);
        run.same(base::viewOf(image), base::viewOf(templ), slice, base::viewOf(templ));
    }
    for (const std::int64_t depth : {1, 4}) {
        // An L, and in 3D one arm more, so that no flip is the same shape.
        const AnyImage shape = makeScene(PixelType::UInt8, {5, 7, depth}, [](const Index& i) {
            return (i.x == 0 && i.z == 0) || (i.y == 6 && i.z == 0) || (i.x == 0 && i.y == 6) ? 200
                                                                                              : 10;
        });
        const Extents n = depth == 1 ? Extents{60, 50, 1} : Extents{34, 28, 12};
        AnyImage scene = counts(PixelType::UInt8, n, 6);
        for (int flips = 0; flips < (depth > 1 ? 8 : 4); ++flips) {
            paste(scene, flipped(shape, (flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0),
                  {3 + 7 * (flips % 4), 4 + 11 * (flips / 4), depth > 1 ? 5 : 0});
        }
        run.judge(scene, shape);
    }
}

void anchor(CaseRun& run) {
    const auto delta = [](const Extents& extents, const Index& at) {
        return makeScene(PixelType::Float32, extents,
                         [&](const Index& i) { return i == at ? 3.0 : 0.0; });
    };
    for (const Extents& m : {Extents{2, 1, 1}, Extents{1, 2, 1}, Extents{3, 2, 1}, Extents{4, 4, 1},
                             Extents{5, 8, 1}, Extents{8, 7, 1}, Extents{2, 3, 4}}) {
        const Extents n{23, 21, m.z > 1 ? 9 : 1};
        const Index place{11, 10, m.z > 1 ? 4 : 0};
        run.judge(delta(n, place), delta(m, {0, 0, 0}));
        run.judge(delta(n, place), delta(m, {m.x - 1, m.y / 2, m.z / 2}));
    }
}

void copies(CaseRun& run) {
    AnyImage scene = counts(PixelType::UInt8, {130, 110, 1}, 7);
    const AnyImage templ = counts(PixelType::UInt8, {11, 9, 1}, 8);
    const std::vector<Index> places{{100, 3, 0}, {17, 20, 0}, {60, 20, 0}, {5, 61, 0}, {90, 90, 0}};
    for (const Index& at : places) {
        paste(scene, templ, at);
    }
    match::PeakOptions options;
    options.minScore = 1; // exact copies still pass
    run.peaks(scene, templ, options, places, 1);
    // Stripes: every row of placements is a plateau of exact copies, which gives one peak.
    const AnyImage stripes =
        makeScene(PixelType::UInt8, {60, 48, 1}, [](const Index& i) { return i.y % 16 * 5; });
    options.minDistance = 0.0;
    run.peaks(stripes, crop(stripes, {{7, 4, 0}, {6, 16, 1}}), options, {{0, 4, 0}, {0, 20, 0}}, 1);
}

void seams(CaseRun& run) {
    const Extents m{7, 6, 1};
    const AnyImage templ = counts(PixelType::UInt8, m, 9);
    AnyImage scene = counts(PixelType::UInt8, {150, 130, 1}, 10);
    for (std::int64_t i = 0; i < 15; ++i) { // copies that walk across the seams
        paste(scene, templ, {9 * i, 7 * i + i % 3, 0});
    }
    for (const std::int64_t side : {16, 24, 32, 40, 64, 96}) {
        run.judge(scene, templ, {side, side, 1});
    }
    run.judge(scene, templ, {64, 32, 1});
    const AnyImage block = counts(PixelType::UInt16, {4, 5, 3}, 11);
    AnyImage volume = counts(PixelType::UInt16, {40, 36, 30}, 12);
    for (std::int64_t i = 0; i < 7; ++i) {
        paste(volume, block, {5 * i, 4 * i, 3 * i + i % 2});
    }
    run.judge(volume, block, {16, 16, 16});
    run.judge(volume, block, {24, 16, 32});
}

void range(CaseRun& run) {
    for (const PixelType type : kKernelTypes) { // of period 7 and 5: r = 1 at many voxels
        const AnyImage tile = counts(type, {7, 5, 1}, 13);
        const AnyImage scene = makeScene(type, {120, 100, 1}, [&](const Index& i) {
            return base::valueAt(base::viewOf(tile), {i.x % 7, i.y % 5, 0});
        });
        const AnyImage templ = crop(scene, {{14, 10, 0}, {21, 15, 1}});
        run.judge(scene, templ);
        run.judge(mapped(scene, type, [](double v) { return 120 - v; }), templ);
    }
}

void stripes(CaseRun& run) {
    for (const bool along : {true, false}) {
        const auto waves = [along](const Extents& extents, double frequency) {
            return makeScene(PixelType::Float32, extents, [&](const Index& i) {
                return quantised(std::sin(frequency * static_cast<double>(along ? i.y : i.x)));
            });
        };
        run.judgeSome(waves({200, 200, 1}, 0.7), waves({83, 83, 1}, 0.31), {}, 60);
    }
    const auto planes = [](const Extents& extents, double frequency) {
        return makeScene(PixelType::Float32, extents, [&](const Index& i) {
            return quantised(std::sin(frequency * static_cast<double>(i.z)));
        });
    };
    run.judgeSome(planes({40, 40, 40}, 0.7), planes({15, 15, 15}, 0.31), {}, 60);
}

void pixelTypes(CaseRun& run) {
    std::uint64_t seed = 20;
    for (const PixelType type : kAllTypes) {
        const AnyImage scene = picture(type, {90, 70, 1}, ++seed);
        run.judge(scene, crop(scene, {{40, 30, 0}, {13, 9, 1}}));
        const AnyImage volume = picture(type, {26, 22, 20}, ++seed);
        run.judge(volume, counts(type, {5, 4, 6}, seed));
    }
}

void products(CaseRun& run) {
    const auto bell = [](const Extents& m) {
        return makeScene(PixelType::Float32, m, [&](const Index& i) {
            const auto from = [](std::int64_t at, std::int64_t length) {
                return static_cast<double>(at) - static_cast<double>(length - 1) / 2;
            };
            const double x = from(i.x, m.x);
            const double y = from(i.y, m.y);
            const double z = from(i.z, m.z);
            return 10 + 100 * std::exp(-(x * x + y * y + z * z) / 8);
        });
    };
    const auto bars = [](const Extents& m) { // 200 less a box of 180 in each corner
        return makeScene(PixelType::UInt8, m, [&](const Index& i) {
            return i.x / 3 == 1 || i.y / 3 == 1 || (m.z > 1 && i.z / 3 == 1) ? 200 : 20;
        });
    };
    const AnyImage scene = picture(PixelType::Float32, {90, 70, 1}, 40);
    run.judge(scene, bell({13, 11, 1}));
    run.judge(counts(PixelType::UInt8, {90, 70, 1}, 41), bars({9, 9, 1}));
    const AnyImage volume = oneCountOver(PixelType::UInt16, {26, 24, 22}, 60000, 42);
    run.judge(volume, bell({7, 8, 6}));
    run.judge(volume, bars({9, 8, 7}));
}

void sizes(CaseRun& run) {
    std::uint64_t seed = 60;
    const auto check = [&](const Extents& n, const Extents& m) {
        const PixelType type = kKernelTypes[++seed % 4];
        run.judge(counts(type, n, seed), counts(type, m, seed + 1000));
    };
    for (const std::int64_t nx : {3, 8, 15, 16, 17, 31, 33, 65, 130}) {
        check({nx, 11, 1}, {2, 2, 1});
        check({nx, 11, 1}, {3, 1, 1});
        check({nx, 11, 1}, {1, 5, 1});
    }
    check({97, 61, 1}, {31, 17, 1});
    check({81, 67, 1}, {16, 16, 1});
    check({80, 40, 1}, {64, 9, 1});
    check({40, 30, 1}, {40, 30, 1}); // one placement
    check({40, 30, 1}, {40, 7, 1});
    check({200, 1, 1}, {19, 1, 1});
    check({1, 200, 1}, {1, 19, 1});
    check({1, 1, 200}, {1, 1, 19});
    check({27, 21, 19}, {5, 4, 3});
    check({33, 9, 20}, {17, 8, 8});
}

} // namespace

const std::vector<Case>& cases() {
    static const std::vector<Case> list{
        {"constant", "constant scenes and areas are FLAT; invalid templates are refused", constant},
        {"one-count", "a contrast of one count over a level of 60000", oneCount},
        {"contrast", "a ramp up to 1e6, and faint matches beside strong contrast", contrast},
        {"hot-pixel", "one pixel of 1e6 beside a texture of 1", hotPixel},
        {"powers-of-two", "scaling by a power of two keeps the bits, subnormals too", powersOfTwo},
        {"wide-integers", "one count over 2^24, and 16-bit checkerboards", wideIntegers},
        {"non-finite", "exactly the panels that touch NaN or Inf are marked", nonFinite},
        {"gain-and-level", "gain, level and sign of scene and template", gainAndLevel},
        {"axes", "a slice gives the bits of the image; an L matches only unflipped", axes},
        {"anchor", "a single voxel is found at its place in the template", anchor},
        {"copies", "identical copies and plateaus are reported once, in order", copies},
        {"seams", "copies across the seams of tiles of every size", seams},
        {"range", "scores of 1 and -1 are not exceeded", range},
        {"stripes", "stripes on which errors of transforms add up", stripes},
        {"pixel-types", "every pixel type in 2D and 3D", pixelTypes},
        {"products", "templates that are a constant plus an outer product", products},
        {"masks", "only voxels under a template's mask count", masks},
        {"borders", "placements that leave the scene or its mask, with every --outside", borders},
        {"operations", "every operation of a match in 2D and 3D; integers are exact", operations},
        {"operation-levels", "operations with levels far apart, NaN and a bright pixel",
         operationLevels},
        {"operation-borders", "operations with masks, and beyond the scene", operationBorders},
        {"sizes", "sizes near the lengths of vectors and lines; a single placement", sizes},
    };
    return list;
}

} // namespace flcc::selftest
