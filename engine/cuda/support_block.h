#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "engine/cuda/support_launch.h"
#include "engine/cuda/tiled_block.h"
#include "engine/method/shared/panel_score.h"

/// Tiles that are no plain boxes inside the scene, around their transforms; as tiled_block.h.
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

/// Voxels of type T.
template <class T> struct SupportVoxels {
    using Plain = TiledVoxels<T, double>;

    /// A line of a tile in the scene: voxel x of it is voxel begin + x of the scene.
    struct Line {
        bool inside = false; ///< some of it may be
        std::int64_t begin = 0;
        std::int64_t left = 0; ///< x of the scene's first voxel of the line, negated
    };
    FLCC_HOST_DEVICE static Line lineAt(const SupportLaunch& launch, const base::Index& corner,
                                        std::int64_t y, std::int64_t z) {
        const base::Extents& n = launch.extents;
        const base::Index at{launch.corner.x + corner.x, launch.corner.y + corner.y + y,
                             launch.corner.z + corner.z + z};
        return {at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z,
                (at.z * n.y + at.y) * n.x + at.x, at.x};
    }
    /// Whether voxel x of a line counts.
    FLCC_HOST_DEVICE static bool counts(const SupportLaunch& launch, const Line& line,
                                        std::int64_t x) {
        return line.inside && line.left + x >= 0 && line.left + x < launch.extents.x &&
               (launch.inside == nullptr || launch.inside[line.begin + x] != 0);
    }
    FLCC_HOST_DEVICE static T voxelAt(const SupportLaunch& launch, const Line& line,
                                      std::int64_t x) {
        return static_cast<const T*>(launch.scene)[line.begin + x];
    }

    /// Calls `visit` with this thread's voxels of a share that count.
    template <class Visit>
    FLCC_HOST_DEVICE static void forInside(const SupportLaunch& launch, const TilePlace& place,
                                           std::int64_t share, int thread, Visit&& visit) {
        Plain::forRows(launch, share, thread, [&](std::int64_t, std::int64_t y, std::int64_t z) {
            if (y >= place.seen.y || z >= place.seen.z) {
                return;
            }
            const Line line = lineAt(launch, place.corner, y, z);
            for (std::int64_t x = thread % kTiledWarp; x < place.seen.x; x += kTiledWarp) {
                if (counts(launch, line, x)) {
                    visit(voxelAt(launch, line, x));
                }
            }
        });
    }

    // --- The frame: as in TiledVoxels ------------------------------------------------------------

    template <class Each>
    FLCC_HOST_DEVICE static void range(const SupportLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            shared::VoxelRange range;
            std::int64_t inside = 0;
            forInside(launch, place, block % shares, thread, [&](T voxel) {
                shared::addVoxel(range, voxel);
                ++inside;
            });
            Plain::leaveRange(range, thread, all);
            all.slots[3][thread] = static_cast<double>(inside);
        });
        each([&](int thread) {
            Plain::foldRange(thread, all);
            fold(all.slots[3], thread, plus);
        });
        each([&](int thread) {
            if (thread == 0) {
                TileShare& share = sharesOf(launch, place.tile)[block % shares];
                share.values[0] = folded(all.slots[0], least);
                share.values[1] = folded(all.slots[1], most);
                share.values[2] = folded(all.slots[2], plus);
                share.values[3] = folded(all.slots[3], plus);
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinRange(const SupportLaunch& launch, std::int64_t tile,
                                           TiledShared& all, Each&& each) {
        each([&](int thread) {
            double inside = 0;
            for (std::int64_t i = thread; i < rowShares(launch.points);
                 i += shared::kBlockThreads) {
                inside += sharesOf(launch, tile)[i].values[3];
            }
            all.slots[3][thread] = inside;
        });
        each([&](int thread) { fold(all.slots[3], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                launch.facts[tile].inside = static_cast<std::int64_t>(folded(all.slots[3], plus));
            }
        });
        Plain::joinRange(launch, tile, all, each);
    }

    template <class Each>
    FLCC_HOST_DEVICE static void sum(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const double scale =
                std::ldexp(1.0, -shared::preExponent<T>(launch.facts[place.tile].range));
            double sum = 0;
            forInside(launch, place, block % shares, thread, [&](T voxel) {
                sum += base::finite(voxel) ? static_cast<double>(voxel) * scale : 0.0;
            });
            all.slots[0][thread] = sum;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                sharesOf(launch, place.tile)[block % shares].values[0] = folded(all.slots[0], plus);
            }
        });
    }

    /// What the shares of a tile left, added up; for thread 0 of the last phase.
    template <class Each, class Use>
    FLCC_HOST_DEVICE static void join(const SupportLaunch& launch, std::int64_t tile,
                                      TiledShared& all, Each&& each, Use&& use) {
        each([&](int thread) {
            double sum = 0;
            for (std::int64_t i = thread; i < rowShares(launch.points);
                 i += shared::kBlockThreads) {
                sum += sharesOf(launch, tile)[i].values[0];
            }
            all.slots[0][thread] = sum;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                use(folded(all.slots[0], plus));
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinSum(const SupportLaunch& launch, std::int64_t tile,
                                         TiledShared& all, Each&& each) {
        join(launch, tile, all, each, [&](double sum) {
            TileFacts& facts = launch.facts[tile];
            facts.frame = supportFrame<T>(facts.range, sum, facts.inside - facts.range.nonFinite,
                                          static_cast<std::int64_t>(launch.constants.count));
        });
    }

    // --- What is transformed ---------------------------------------------------------------------

    FLCC_HOST_DEVICE static double inputOf(T voxel, SupportInput input,
                                           const shared::TileFrame& frame) {
        switch (input) {
        case SupportInput::Inside:
            return 1;
        case SupportInput::NonFinite:
            return base::finite(voxel) ? 0 : 1;
        case SupportInput::Voxels:
        case SupportInput::Squares:
            break;
        }
        const double x = base::finite(voxel) ? shared::centred<double>(voxel, frame) : 0.0;
        return input == SupportInput::Voxels ? x : x * x;
    }

    /// The input of a share, 0 where no voxel counts, and the sum of its squares.
    template <class Each>
    FLCC_HOST_DEVICE static void gather(const SupportLaunch& launch, std::int64_t block,
                                        TiledShared& all, Each&& each) {
        const std::int64_t shares = rowShares(launch.points);
        const TilePlace place = tilePlace(launch, block / shares);
        each([&](int thread) {
            const shared::TileFrame frame = launch.facts[place.tile].frame;
            double* const tile = dataOf<double>(launch) + place.tile * tileValues(launch.points);
            double squares = 0;
            Plain::forRows(
                launch, block % shares, thread,
                [&](std::int64_t at, std::int64_t y, std::int64_t z) {
                    const bool seen = y < place.seen.y && z < place.seen.z;
                    const Line line = lineAt(launch, place.corner, y, z);
                    double* const to = tile + at * rowValues(launch.points);
                    for (std::int64_t x = thread % kTiledWarp; x < launch.points.x;
                         x += kTiledWarp) {
                        const bool counted = seen && x < place.seen.x && counts(launch, line, x);
                        const double value =
                            counted ? inputOf(voxelAt(launch, line, x), launch.input, frame) : 0.0;
                        to[x] = value;
                        squares += value * value;
                    }
                });
            all.slots[0][thread] = squares;
        });
        each([&](int thread) { fold(all.slots[0], thread, plus); });
        each([&](int thread) {
            if (thread == 0) {
                sharesOf(launch, place.tile)[block % shares].values[0] = folded(all.slots[0], plus);
            }
        });
    }

    template <class Each>
    FLCC_HOST_DEVICE static void joinNorm(const SupportLaunch& launch, std::int64_t tile,
                                          TiledShared& all, Each&& each) {
        join(launch, tile, all, each, [&](double squares) {
            launch.facts[tile].norms[static_cast<int>(launch.input)] = std::sqrt(squares);
        });
    }

    // --- Scores ----------------------------------------------------------------------------------

    /// What the panels of a tile have in common. A voxel is rounded once when it is loaded, its
    /// square twice more; a value of That four times.
    FLCC_HOST_DEVICE static shared::PanelFrame panelFrame(const SupportLaunch& launch,
                                                          const TileFacts& facts) {
        constexpr double kUnit = 0x1p-53;
        const double tile = launch.tileError;
        const double count = launch.constants.count;
        const double* const weights = launch.weightNorms; // That, B_T, That^2
        const double x = facts.norms[static_cast<int>(SupportInput::Voxels)];
        const double squares = facts.norms[static_cast<int>(SupportInput::Squares)];
        const double inside = std::sqrt(static_cast<double>(facts.inside));
        shared::PanelFrame frame;
        frame.count = count;
        frame.rootCount = std::sqrt(count);
        frame.level = facts.frame.level * facts.frame.pre * facts.frame.half * facts.frame.rest;
        frame.unit = facts.frame.unit;
        frame.perUnit = 1 / facts.frame.unit;
        frame.integer = std::is_integral_v<T> && facts.frame.rounding == 0;
        frame.outside = launch.outside;
        frame.constant = launch.constants.boundConstant;
        frame.errors.cnTile = tile * x * weights[0];
        frame.errors.cnPanel = 6 * kUnit;
        frame.errors.s1Tile = tile * x * weights[1];
        frame.errors.s1Panel = 2 * kUnit;
        frame.errors.s2Tile = tile * squares * weights[1];
        frame.errors.s2Panel = 4 * kUnit;
        frame.errors.t1Tile = tile * inside * weights[0] + 5 * kUnit * frame.rootCount;
        frame.errors.t2Tile = tile * inside * weights[2] + 10 * kUnit;
        return frame;
    }

    /// Calls `visit(index in the template, voxel)` for the voxels of the support that count, until
    /// it returns false; returns whether all were visited.
    template <class Visit>
    FLCC_HOST_DEVICE static bool forSupport(const SupportLaunch& launch, const base::Index& at,
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
    FLCC_HOST_DEVICE static bool isFlat(const SupportLaunch& launch, const base::Index& at,
                                        bool whole) {
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

    FLCC_HOST_DEVICE static Judged judge(const SupportLaunch& launch, const base::Index& at) {
        const base::Extents grid = tileGrid(launch.map, launch.out);
        const base::Index in{at.x / launch.out.x, at.y / launch.out.y, at.z / launch.out.z};
        const TilePlace place = tilePlace(launch, (in.z * grid.y + in.y) * grid.x + in.x);
        const base::Index own{at.x - place.corner.x, at.y - place.corner.y, at.z - place.corner.z};
        const std::int64_t value = place.tile * tileValues(launch.points) +
                                   (own.z * launch.points.y + own.y) * rowValues(launch.points) +
                                   own.x;
        const TileFacts& facts = launch.facts[place.tile];
        const auto sum = [&](SupportSum which) { return launch.sums[which][value]; };
        const double count = launch.constants.count;
        const bool partial = facts.inside < countOf(place.seen);
        shared::PanelSums sums;
        sums.n = partial ? shared::detail::nearest(sum(kSumN)) : count;
        const bool whole = sums.n == count;
        Judged judged;
        judged.rounding = facts.frame.rounding;
        if (!method::isScored(sums.n, count, launch.outside, launch.minOverlap)) {
            judged.status = base::Status::NotComputed;
            return judged;
        }
        if (launch.sums[kSumNonFinite] != nullptr && sum(kSumNonFinite) > 0.5) {
            judged.status = base::Status::NonFinite;
            return judged;
        }
        judged.score.flat = whole && facts.frame.constant;
        if (!judged.score.flat) {
            sums.cn = sum(kSumCn);
            sums.s1 = sum(kSumS1);
            sums.s2 = sum(kSumS2);
            if (!whole) { // of the whole template they are 0 and 1 by definition
                sums.t1 = sum(kSumT1);
                sums.t2 = launch.outside == method::Outside::Overlap ? sum(kSumT2) : 1.0;
            }
            const shared::PanelScore score = shared::scorePanel(sums, panelFrame(launch, facts));
            judged.score.flat = score.open && isFlat(launch, at, whole);
            judged.score.bound = score.bound;
            judged.score.overRange = std::fabs(score.value) - 1 > score.bound;
            judged.score.value = score.value < -1 ? -1.0 : score.value > 1 ? 1.0 : score.value;
        }
        judged.status = statusOf(judged.score, launch.constants.promise);
        if (judged.status == base::Status::Ok && !whole) {
            judged.status = base::Status::Partial;
        }
        return judged;
    }

    /// Scores, statuses and tally of a block of the map.
    template <class Each>
    FLCC_HOST_DEVICE static void score(const SupportLaunch& launch, std::int64_t block,
                                       TiledShared& all, Each&& each) {
        scoreBlock(launch, block, all, each,
                   [&](const base::Index& at) { return judge(launch, at); });
    }
};

/// A value of a tile's spectrum times that of the weights, kept apart from it.
FLCC_HOST_DEVICE inline void multiplyApart(const SupportLaunch& launch, std::int64_t item) {
    const std::int64_t items = tileValues(launch.points) / 2;
    const double* const by = static_cast<const double*>(launch.spectrum) + 2 * (item % items);
    const double* const value = dataOf<double>(launch) + 2 * item;
    double* const to = launch.sums[launch.sum] + 2 * item;
    to[0] = value[0] * by[0] - value[1] * by[1];
    to[1] = value[0] * by[1] + value[1] * by[0];
}

} // namespace flcc::cuda
