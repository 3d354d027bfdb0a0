#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/cuda/kernels/block_tally.h"
#include "engine/method/shared/panel_score.h"

/// Panels that are not full boxes inside the scene: which of their voxels count, and the status and
/// score that follow from their sums. All are plain functions, so that tests can run them on the
/// processor.
namespace flcc::cuda {

/// The frame of a tile. If the tile has no contrast, the scale comes from its level instead: where
/// a panel leaves the scene, its contrast is that of the level and the value beyond the scene.
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

/// Panels of voxels of type T. A Launch is a PartLaunch and a PanelRule with BoxConstants
/// `constants`.
template <class T> struct SupportPanels {
    /// A line of voxels along x. Its voxel x is voxel begin + x of `launch.scene`.
    struct Line {
        bool inside = false; ///< false if no voxel of the line is in the scene
        std::int64_t begin = 0;
        std::int64_t left = 0; ///< x in the scene of the line's voxel 0; may be negative
    };
    FLCC_HOST_DEVICE static Line lineAt(const PartLaunch& launch, const base::Index& corner,
                                        std::int64_t y, std::int64_t z) {
        const base::Extents& n = launch.extents;
        const base::Index at{launch.corner.x + corner.x, launch.corner.y + corner.y + y,
                             launch.corner.z + corner.z + z};
        return {at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z,
                (at.z * n.y + at.y) * n.x + at.x, at.x};
    }
    /// True if voxel x of a line lies in the scene and its mask.
    FLCC_HOST_DEVICE static bool counts(const PartLaunch& launch, const Line& line,
                                        std::int64_t x) {
        return line.inside && line.left + x >= 0 && line.left + x < launch.extents.x &&
               (launch.inside == nullptr || launch.inside[line.begin + x] != 0);
    }
    FLCC_HOST_DEVICE static T voxelAt(const PartLaunch& launch, const Line& line, std::int64_t x) {
        return static_cast<const T*>(launch.scene)[line.begin + x];
    }

    /// The constants that the panels of a tile share, without the errors of their sums.
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

    /// Calls `visit(index in the template, voxel)` for the voxels of the support that lie in the
    /// scene and its mask, until `visit` returns false. Returns true if all were visited.
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

    /// True if the panel is FLAT (engine/method/NUMERICS.md, section 2), decided on the stored
    /// voxels.
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

    /// Status and score of voxel `at` of the map. `inside`: voxels of the support that lie in the
    /// scene and its mask. `nonFinite`: one of them is NaN or Inf. `score(whole)` returns the
    /// PanelScore of the panel's sums; `whole` if all of the support is inside.
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
