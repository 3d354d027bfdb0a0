#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/cuda/banks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"

/// A bank of which whole parts break the promise.
namespace flcc::test {

enum Kind { kDirect, kTiled, kFourier };

[[nodiscard]] inline cuda::MakeMethod makerOf(int kind) {
    return std::array{cuda::directMethod, cuda::tiledMethod, cuda::fourierMethod}.at(
        static_cast<std::size_t>(kind));
}

[[nodiscard]] inline base::Extents tileOf(int kind) {
    return kind == kDirect  ? base::Extents{64, 32, 1}
           : kind == kTiled ? base::Extents{96, 80, 1}
                            : base::Extents{0, 0, 0};
}

/// Noise with a bright line, which breaks the promise in whole tiles and blocks; on the right a
/// faint place, where few panels do, a flat one and a NaN. Templates from here and there.
[[nodiscard]] inline Bank uneven() {
    Random random(4);
    const auto isIn = [](const base::Index& at, const base::Box& box) {
        return base::contains(
            box.extents,
            {{at.x - box.corner.x, at.y - box.corner.y, at.z - box.corner.z}, {1, 1, 1}});
    };
    Bank bank{makeScene(base::PixelType::Float32, {260, 130, 1},
                        [&](const base::Index& at) {
                            const bool bright = at.y == 0 && at.x < 150;
                            const double noise = random.uniform();
                            return isIn(at, {{112, 15, 0}, {46, 40, 1}}) ? 2.0
                                   : isIn(at, {{215, 60, 0}, {42, 38, 1}})
                                       ? 2.0 + 1e-5 * noise
                                       : noise + (bright ? 4e5 : 0.0);
                        }),
              {}};
    setVoxel(bank.scene, {200, 20, 0}, std::nan(""));
    const base::Extents m{40, 36, 1};
    bank.templs.push_back(crop(bank.scene, {{170, 60, 0}, m}));
    bank.templs.push_back(noise(base::PixelType::Float32, m, 17));
    bank.templs.push_back(crop(bank.scene, {{20, 70, 0}, m}));
    return bank;
}

/// A device on which a map has several parts, but for `fourier`; `devices` of them.
inline void smallDevice(int kind, std::int32_t copyEngines = 2, std::int32_t devices = 1) {
    DeviceDouble& device = deviceDouble();
    device.resetFast();
    device.start.devices = devices;
    device.about.memoryBytes = kind == kDirect ? 1 << 20 : kind == kTiled ? 3 << 20 : 1 << 24;
    device.about.copyEngines = copyEngines;
}

/// What the templates give alone, taken together.
struct Merged {
    Merged(const OnDouble& own, const Bank& bank, const base::Extents& tile)
        : map(method::mapExtents(bank.problem())), index(map.value.extents(), -1) {
        for (std::size_t i = 0; i < bank.templs.size(); ++i) {
            Bank alone{base::copyOf(base::viewOf(bank.scene)), {}};
            alone.templs.push_back(base::copyOf(base::viewOf(bank.templs[i])));
            if (!bank.masks.empty()) {
                alone.masks.push_back(base::Image<std::uint8_t>(bank.masks[i].extents()));
                std::copy_n(bank.masks[i].data(), bank.masks[i].count(), alone.masks[0].data());
            }
            Ready ready(*own.method, alone.problem(), alone, tile);
            method::MatchMap one(map.value.extents());
            const method::Outcome outcome = own.method->execute(
                ready.problem, ready.candidate, *ready.prepared.front(), ready.scene,
                *ready.workspace, {ready.pool, {}, {}}, method::viewOf(one));
            method::addTemplate(outcome.facts, facts);
            method::mergeBest(method::viewOf(one), static_cast<std::int32_t>(i),
                              {method::viewOf(map), index.view()});
            method::addRow(one.value.data(), one.status.data(), one.value.count(), scores);
        }
        method::addStatuses(method::viewOf(map), facts);
    }

    method::MatchMap map;
    base::Image<std::int32_t> index;
    method::MapFacts facts;
    method::ScoreTally scores;
};

/// What differs, but for what depends on how a map is cut into parts; empty without.
template <class Found>
[[nodiscard]] std::string otherThan(const Merged& expected, const Found& found) {
    const std::string bits = firstDifferentBit(found.map, expected.map);
    if (!bits.empty()) {
        return bits;
    }
    if (!std::equal(found.index.data(), found.index.data() + found.index.count(),
                    expected.index.data())) {
        return "another template";
    }
    const method::MapFacts& a = found.outcome.facts;
    const method::MapFacts& b = expected.facts;
    return a.statusCounts != b.statusCounts          ? "other statuses"
           : a.recomputed != b.recomputed            ? "others were computed again"
           : a.largestBound != b.largestBound        ? "another bound"
           : a.largestLowConf != b.largestLowConf    ? "another bound of LOWCONF voxels"
           : a.largestRounding != b.largestRounding  ? "another rounding"
           : a.overRange != b.overRange              ? "others out of range"
           : a.scores.count != expected.scores.count ? "another number of scores"
           : a.scores.sum != expected.scores.sum.value() * method::kScoreUnit ? "other scores"
                                                                              : "";
}

} // namespace flcc::test
