#include "engine/selftest/detail/operation_cases.h"

#include <cmath>

#include "engine/selftest/detail/scenes.h"

namespace flcc::selftest {

namespace {

using base::AnyImage;
using base::Extents;
using base::PixelType;

constexpr Extents kFlat{43, 31, 1};
constexpr Extents kFlatTemplate{7, 5, 1};

/// Judges every operation but lcc.
void judgeAll(CaseRun& run, const method::MaskedView& scene, const method::MaskedView& templ,
              Asked asked = {}) {
    for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
        asked.operation = method::Operation(row);
        run.judgeOperation(scene, templ, asked);
    }
}

base::Image<std::uint8_t> holes(const Extents& extents) {
    base::Image<std::uint8_t> mask(extents, 1);
    for (std::int64_t i = 0; i < mask.count(); i += 3) {
        mask.data()[i] = 0;
    }
    return mask;
}

} // namespace

void operations(CaseRun& run) {
    for (const PixelType type : {PixelType::UInt8, PixelType::UInt16, PixelType::Int32,
                                 PixelType::Float32, PixelType::Float64}) {
        judgeAll(run, noise(type, kFlat, 1), noise(type, kFlatTemplate, 2));
        judgeAll(run, noise(type, {17, 12, 9}, 3), noise(type, {4, 3, 3}, 4));
    }
}

void operationLevels(CaseRun& run) {
    for (const PixelType type : {PixelType::Int32, PixelType::Float32}) {
        const AnyImage scene = noise(type, kFlat, 5);
        const AnyImage templ = noise(type, kFlatTemplate, 6);
        const auto higher = [](double value) { return value + 3e5; };
        judgeAll(run, mapped(scene, type, higher), templ);
        judgeAll(run, scene, mapped(templ, type, higher));
    }
    AnyImage spoilt = noise(PixelType::Float32, kFlat, 7);
    setVoxel(spoilt, {20, 15, 0}, std::nan(""));
    setVoxel(spoilt, {31, 9, 0}, 1e9);
    judgeAll(run, spoilt, noise(PixelType::Float32, kFlatTemplate, 8));
}

void operationBorders(CaseRun& run) {
    for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
        const AnyImage scene = noise(type, kFlat, 9);
        const AnyImage templ = noise(type, kFlatTemplate, 10);
        const base::Image<std::uint8_t> seen = holes(kFlat);
        const base::Image<std::uint8_t> support = holes(kFlatTemplate);
        judgeAll(run, scene, {base::viewOf(templ), support.view()});
        judgeAll(run, {base::viewOf(scene), seen.view()}, templ);
        for (const method::Outside outside : {method::Outside::Zero, method::Outside::Overlap}) {
            judgeAll(run, scene, templ, {.extent = method::Extent::Full, .outside = outside});
        }
    }
}

} // namespace flcc::selftest
