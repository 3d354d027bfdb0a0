#include "engine/selftest/detail/support_cases.h"

#include <array>
#include <cmath>

#include "engine/selftest/detail/scenes.h"

namespace flcc::selftest {

namespace {

using base::AnyImage;
using base::Extents;
using base::Index;
using base::PixelType;
using method::MaskedView;

using Mask = base::Image<std::uint8_t>;

template <class Inside> Mask maskOf(const Extents& extents, Inside&& inside) {
    Mask mask(extents);
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        const Index at{i % extents.x, i / extents.x % extents.y, i / (extents.x * extents.y)};
        mask.data()[i] = inside(at) ? 1 : 0;
    }
    return mask;
}

Mask disc(const Extents& extents) {
    return maskOf(extents, [&](const Index& at) { // in half voxels from the middle
        const std::int64_t x = 2 * at.x + 1 - extents.x;
        const std::int64_t y = 2 * at.y + 1 - extents.y;
        return x * x + y * y <= extents.x * extents.x;
    });
}

Asked askedFor(method::Extent extent, method::Outside outside) {
    Asked asked;
    asked.extent = extent;
    asked.outside = outside;
    return asked;
}

constexpr std::array kRules{method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap};

} // namespace

void masks(CaseRun& run) {
    const Extents m{11, 10, 1};
    const Mask round = disc(m);
    const Mask parts = maskOf(m, [](const Index& at) { return at.x < 3 || at.x > 7; });
    for (const PixelType type : {PixelType::UInt8, PixelType::Int32, PixelType::Float32}) {
        AnyImage scene = oneCountOver(type, {70, 60, 1}, type == PixelType::UInt8 ? 200 : 60000, 1);
        const AnyImage templ = crop(scene, {{40, 22, 0}, m});
        for (std::int64_t i = 0; i < round.count(); ++i) { // constant under the disc alone
            if (round.data()[i] != 0) {
                setVoxel(scene, {10 + i % m.x, 20 + i / m.x, 0}, 77);
            }
        }
        if (type ==
            PixelType::Float32) { // beside the disc of one placement, under the disc of others
            setVoxel(scene, {40, 22, 0}, std::nan(""));
        }
        run.judge(scene, {base::viewOf(templ), round.view()});
        run.judge(scene, {base::viewOf(templ), parts.view()});
    }
    const Extents ball{5, 6, 4};
    const AnyImage volume = oneCountOver(PixelType::UInt16, {18, 17, 16}, 60000, 2);
    const AnyImage part = crop(volume, {{6, 5, 7}, ball});
    const Mask some = maskOf(ball, [](const Index& at) { return (at.x + at.y + at.z) % 3 != 0; });
    run.judge(volume, {base::viewOf(part), some.view()});
}

void borders(CaseRun& run) {
    const AnyImage scene = oneCountOver(PixelType::UInt16, {60, 50, 1}, 60000, 3);
    const AnyImage templ = crop(scene, {{0, 0, 0}, {9, 8, 1}});
    const Mask seen =
        maskOf({60, 50, 1}, [](const Index& at) { return (at.x * 7 + at.y * 3) % 11 != 0; });
    for (const method::Outside outside : kRules) {
        for (const method::Extent extent : {method::Extent::Same, method::Extent::Full}) {
            run.judge(scene, templ, {0, 0, 0}, askedFor(extent, outside));
        }
        run.judge({base::viewOf(scene), seen.view()}, templ, {0, 0, 0},
                  askedFor(method::Extent::Same, outside));
    }
}

} // namespace flcc::selftest
