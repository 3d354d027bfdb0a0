#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/cuda/block_tally.h"
#include "engine/method/shared/panel_score.h"

/// Panels that are no plain boxes inside the scene: which of their voxels count, and what follows
/// from their sums, however those were taken. Plain functions, as all that a device does.
namespace flcc::cuda {

/// The frame of a tile. One without contrast is as bright as its level, which counts where a panel
/// leaves the scene.
template <class T>
FLCC_HOST_DEVICE inline shared::TileFrame supportFrame(const shared::VoxelRange& range, double sum,
                                                       std::int64_t count,
                                                       std::int64_t templCount) {
    shared::TileFrame frame = shared::frameOf<T, double>(range, sum, count, templCount);
    if (count > 0 && range.minimum == range.maximum) {
        const int exponent = shared::exponentAbove(std::fabs(frame.level * frame.pre));
        frame.half = std::ldexp(1.0, -exponent / 2);
        frame.rest = std::ldexp(1.0, -exponent - -exponent / 2);
        frame.unit = std::ldexp(1.0, exponent + shared::preExponent<T>(range));
    }
    return frame;
}

/// Panels of voxels of type T. A launch is a PartLaunch with a PanelRule and BoxConstants.
template <class T> struct SupportPanels {
    /// A line of voxels in the scene: voxel x of it is voxel begin + x of the part.
    struct Line {
        bool inside = false; ///< some of it may be
        std::int64_t begin = 0;
        std::int64_t left = 0; ///< x of the scene's first voxel of the line, negated
    };
    FLCC_HOST_DEVICE static Line lineAt(const PartLaunch& launch, const base::Index& corner,
                                        std::int64_t y, std::int64_t z) {
        const base::Extents& n = launch.extents;
        const base::Index at{launch.corner.x + corner.x, launch.corner.y + corner.y + y,
                             launch.corner.z + corner.z + z};
        return {at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z,
                (at.z * n.y + at.y) * n.x + at.x, at.x};
    }
    /// Whether voxel x of a line counts.
    FLCC_HOST_DEVICE static bool counts(const PartLaunch& launch, const Line& line,
                                        std::int64_t x) {
        return line.inside && line.left + x >= 0 && line.left + x < launch.extents.x &&
               (launch.inside == nullptr || launch.inside[line.begin + x] != 0);
    }
    FLCC_HOST_DEVICE static T voxelAt(const PartLaunch& launch, const Line& line, std::int64_t x) {
        return static_cast<const T*>(launch.scene)[line.begin + x];
    }

    /// What panels of a tile have in common, but for the errors of their sums.
    template <class Launch>
    FLCC_HOST_DEVICE static shared::PanelFrame panelFrame(const Launch& launch,
                                                          const shared::TileFrame& tile) {
        const double count = launch.constants.count;
        shared::PanelFrame frame;
        frame.count = count;
        frame.rootCount = std::sqrt(count);
        frame.level = tile.level * tile.pre * tile.half * tile.rest;
        frame.unit = tile.unit;
        frame.perUnit = 1 / tile.unit;
        frame.integer = std::is_integral_v<T> && tile.rounding == 0;
        frame.outside = launch.outside;
        frame.constant = launch.constants.boundConstant;
        return frame;
    }

    /// Calls `visit(index in the template, voxel)` for the voxels of the support that count, until
    /// it returns false; returns whether all were visited.
    template <class Launch, class Visit>
    FLCC_HOST_DEVICE static bool forSupport(const Launch& launch, const base::Index& at,
                                            Visit&& visit) {
        const base::Extents& m = launch.templ;
        for (std::int64_t row = 0; row < m.y * m.z; ++row) {
            const Line line = lineAt(launch, at, row % m.y, row / m.y);
            for (std::int64_t x = 0; x < m.x && line.inside; ++x) {
                if (launch.support[row * m.x + x] != 0 && counts(launch, line, x) &&
                    !visit(row * m.x + x, voxelAt(launch, line, x))) {
                    return false;
                }
            }
        }
        return true;
    }

    /// FLAT, decided on the voxels as they are stored.
    template <class Launch>
    FLCC_HOST_DEVICE static bool isFlat(const Launch& launch, const base::Index& at, bool whole) {
        const bool overlap = launch.outside == method::Outside::Overlap;
        T level{0};
        bool known = !whole && !overlap; // beyond the scene the value is 0
        const bool constant = forSupport(launch, at, [&](std::int64_t, T voxel) {
            level = known ? level : voxel;
            known = true;
            return voxel == level;
        });
        if (constant || whole || !overlap) {
            return constant;
        }
        std::int32_t number = -1;
        return forSupport(launch, at, [&](std::int64_t i, T) {
            number = number < 0 ? launch.levels[i] : number;
            return launch.levels[i] == number;
        });
    }

    /// The panel of voxel `at` of the map, of whose support `inside` voxels count. `score(whole)`
    /// is what its sums say.
    template <class Launch, class Score>
    FLCC_HOST_DEVICE static Judged judge(const Launch& launch, const base::Index& at,
                                         const shared::TileFrame& frame, double inside,
                                         bool nonFinite, Score&& score) {
        const double count = launch.constants.count;
        const bool whole = inside == count;
        Judged judged;
        judged.rounding = frame.rounding;
        if (!method::isScored(inside, count, launch.outside, launch.minOverlap)) {
            judged.status = base::Status::NotComputed;
            return judged;
        }
        if (nonFinite) {
            judged.status = base::Status::NonFinite;
            return judged;
        }
        judged.score.flat = whole && frame.constant;
        if (!judged.score.flat) {
            const shared::PanelScore found = score(whole);
            judged.score.flat = found.open && isFlat(launch, at, whole);
            judged.score.bound = found.bound;
            judged.score.overRange = std::fabs(found.value) - 1 > found.bound;
            judged.score.value = found.value < -1 ? -1.0 : found.value > 1 ? 1.0 : found.value;
        }
        judged.status = statusOf(judged.score, launch.constants.promise);
        if (judged.status == base::Status::Ok && !whole) {
            judged.status = base::Status::Partial;
        }
        return judged;
    }
};

} // namespace flcc::cuda
