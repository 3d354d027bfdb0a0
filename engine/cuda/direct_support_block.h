#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/cuda/direct_block.h"
#include "engine/cuda/support_panel.h"
#include "engine/method/shared/template_error.h"

/// The direct method where panels may leave the scene or its mask (METHODS 2.0): all sums are taken
/// by their definition, in double; as direct_block.h.
namespace flcc::cuda {

/// What the threads of a block share. Its arrays need no initialisation.
struct DirectSupportShared {
    static constexpr int kPiece = shared::kTwofoldPiece; ///< columns and rows at once
    static constexpr int kSeenHeight = shared::kBlockHeight + kPiece - 1;
    static constexpr int kSeenWidth = shared::kBlockWidth + kPiece - 1;

    union {
        double seen[kSeenHeight][kSeenWidth + 1]; ///< voxels under a piece; 0 where none counts
        Slots slots[VoxelTally::kSlots];          ///< of what threads reduce
    };
    double weights[kPiece][kPiece];
    std::uint8_t marks[kSeenHeight][kSeenWidth + 1]; ///< of `seen`: VoxelMark
    bool support[kPiece][kPiece];
};

/// What a voxel under a panel is.
enum VoxelMark : std::uint8_t { kBeyond, kCounts, kNotFinite };

/// The sums of a panel.
struct DirectSums {
    shared::PanelSums sums{0, 0, 0, 0, 0, 0};
    std::int32_t nonFinite = 0;
};

/// What a thread keeps between phases.
struct DirectSupportThread {
    DirectSums panels[shared::kBlockOwn] = {};
    shared::TileFrame frame; ///< the same in all threads of a block
};

/// Longest chain of additions of such a sum: those of a piece, and the pieces.
[[nodiscard]] inline std::int64_t supportChain(const base::Extents& m) {
    const auto within = [](std::int64_t length) {
        return length < shared::kTwofoldPiece ? length : shared::kTwofoldPiece;
    };
    return within(m.x) * within(m.y) + shared::pieceCount(m, true);
}

/// Voxels of type T.
template <class T> struct DirectSupportBlock {
    using Shared = DirectSupportShared;
    using Thread = DirectSupportThread;
    using Panels = SupportPanels<T>;
    static constexpr int kPiece = Shared::kPiece;
    static constexpr int kWarp = 32; ///< neighbours in a warp read neighbours along x

    /// Calls `visit` with this thread's share of the voxels that count of those the block sees.
    template <class Visit>
    FLCC_HOST_DEVICE static void forInside(const DirectLaunch& launch, const DirectPlace& place,
                                           int thread, Visit&& visit) {
        const std::int64_t lines = place.seen.y * place.seen.z;
        for (std::int64_t i = thread / kWarp; i < lines; i += shared::kBlockThreads / kWarp) {
            const auto line =
                Panels::lineAt(launch, place.corner, i % place.seen.y, i / place.seen.y);
            for (std::int64_t x = thread % kWarp; x < place.seen.x; x += kWarp) {
                if (Panels::counts(launch, line, x)) {
                    visit(Panels::voxelAt(launch, line, x));
                }
            }
        }
    }

    // --- The frame -------------------------------------------------------------------------------

    FLCC_HOST_DEVICE static void findRange(const DirectLaunch& launch, const DirectPlace& place,
                                           int thread, Shared& all) {
        shared::VoxelRange range;
        double inside = 0;
        forInside(launch, place, thread, [&](T voxel) {
            shared::addVoxel(range, voxel);
            inside += 1;
        });
        all.slots[0][thread] = range.minimum;
        all.slots[1][thread] = range.maximum;
        all.slots[2][thread] = static_cast<double>(range.nonFinite);
        all.slots[3][thread] = inside;
    }
    FLCC_HOST_DEVICE static void foldRange(int thread, Shared& all) {
        fold(all.slots[0], thread, least);
        fold(all.slots[1], thread, most);
        fold(all.slots[2], thread, plus);
        fold(all.slots[3], thread, plus);
    }
    FLCC_HOST_DEVICE static shared::VoxelRange rangeOf(const Shared& all) {
        return {folded(all.slots[0], least), folded(all.slots[1], most),
                static_cast<std::int64_t>(folded(all.slots[2], plus))};
    }
    FLCC_HOST_DEVICE static void addUp(const DirectLaunch& launch, const DirectPlace& place,
                                       int thread, Shared& all) {
        const double scale = std::ldexp(1.0, -shared::preExponent<T>(rangeOf(all)));
        double sum = 0;
        forInside(launch, place, thread, [&](T voxel) {
            sum += base::finite(voxel) ? static_cast<double>(voxel) * scale : 0.0;
        });
        all.slots[4][thread] = sum;
    }
    FLCC_HOST_DEVICE static shared::TileFrame frameOf(const DirectLaunch& launch,
                                                      const Shared& all) {
        const shared::VoxelRange range = rangeOf(all);
        const auto inside = static_cast<std::int64_t>(folded(all.slots[3], plus));
        return supportFrame<T>(range, folded(all.slots[4], plus), inside - range.nonFinite,
                               static_cast<std::int64_t>(launch.constants.count));
    }

    // --- A piece of the template -----------------------------------------------------------------

    /// The voxels, weights and support of the piece that begins at `at`.
    FLCC_HOST_DEVICE static void load(const DirectLaunch& launch, const DirectPlace& place,
                                      const base::Index& at, int thread,
                                      const shared::TileFrame& frame, Shared& all) {
        for (int y = thread / kWarp; y < Shared::kSeenHeight; y += shared::kBlockThreads / kWarp) {
            const auto line = Panels::lineAt(launch, place.corner, at.y + y, at.z);
            for (int x = thread % kWarp; x < Shared::kSeenWidth; x += kWarp) {
                VoxelMark mark = kBeyond;
                double value = 0;
                if (at.y + y < place.seen.y && at.x + x < place.seen.x &&
                    Panels::counts(launch, line, at.x + x)) {
                    const T voxel = Panels::voxelAt(launch, line, at.x + x);
                    const bool finite = base::finite(voxel);
                    mark = finite ? kCounts : kNotFinite;
                    value = finite ? shared::centred<double>(voxel, frame) : 0.0;
                }
                all.seen[y][x] = value;
                all.marks[y][x] = mark;
            }
        }
        const auto* const weights = static_cast<const double*>(launch.weights);
        const base::Extents& m = launch.templ;
        for (int i = thread; i < kPiece * kPiece; i += shared::kBlockThreads) {
            const std::int64_t x = at.x + i % kPiece;
            const std::int64_t y = at.y + i / kPiece;
            const std::int64_t from = (at.z * m.y + y) * m.x + x;
            const bool counts = x < m.x && y < m.y && launch.support[from] != 0;
            all.weights[i / kPiece][i % kPiece] = counts ? weights[from] : 0.0;
            all.support[i / kPiece][i % kPiece] = counts;
        }
    }

    /// Adds a piece to the sums of a thread's panels.
    FLCC_HOST_DEVICE static void add(int thread, const Shared& all, Thread& own) {
        const int column = thread % shared::kBlockWidth;
        const int first = thread / shared::kBlockWidth * shared::kBlockOwn;
        unrolled(std::make_integer_sequence<int, shared::kBlockOwn>{}, [&](auto r) {
            DirectSums part;
            for (int y = 0; y < kPiece; ++y) {
                for (int x = 0; x < kPiece; ++x) {
                    const std::uint8_t mark = all.marks[first + r + y][column + x];
                    if (!all.support[y][x] || mark == kBeyond) {
                        continue;
                    }
                    const double voxel = all.seen[first + r + y][column + x];
                    const double weight = all.weights[y][x];
                    part.sums.cn += weight * voxel;
                    part.sums.s1 += voxel;
                    part.sums.s2 += voxel * voxel;
                    part.sums.n += 1;
                    part.sums.t1 += weight;
                    part.sums.t2 += weight * weight;
                    part.nonFinite += mark == kNotFinite ? 1 : 0;
                }
            }
            DirectSums& panel = own.panels[r];
            panel.sums.cn += part.sums.cn;
            panel.sums.s1 += part.sums.s1;
            panel.sums.s2 += part.sums.s2;
            panel.sums.n += part.sums.n;
            panel.sums.t1 += part.sums.t1;
            panel.sums.t2 += part.sums.t2;
            panel.nonFinite += part.nonFinite;
        });
    }

    // --- The end ---------------------------------------------------------------------------------

    /// What panels have in common. A voxel is rounded once when it is loaded, its square twice
    /// more; the norm of That over a panel is 1 at most.
    FLCC_HOST_DEVICE static shared::PanelFrame panelFrame(const DirectLaunch& launch,
                                                          const shared::TileFrame& tile) {
        constexpr double kUnit = 0x1p-53;
        const double sum = launch.constants.boundPanel;
        shared::PanelFrame frame = Panels::panelFrame(launch, tile);
        frame.errors.cnPanel = sum + 2 * kUnit + shared::kTemplateError;
        frame.errors.s1Panel = sum + 2 * kUnit;
        frame.errors.s2Panel = sum + 4 * kUnit;
        frame.errors.t1Tile = (sum + kUnit + shared::kTemplateError) * frame.rootCount;
        frame.errors.t2Tile = sum + 2 * kUnit + 2 * shared::kTemplateError;
        return frame;
    }

    FLCC_HOST_DEVICE static Judged judge(const DirectLaunch& launch, const base::Index& at,
                                         const DirectSums& panel, const shared::TileFrame& tile) {
        return Panels::judge(launch, at, tile, panel.sums.n, panel.nonFinite > 0, [&](bool whole) {
            shared::PanelSums sums = panel.sums;
            if (whole) { // by definition
                sums.t1 = 0;
                sums.t2 = 1;
            }
            return shared::scorePanel(sums, panelFrame(launch, tile));
        });
    }

    /// Scores and statuses of a thread's outputs, and what it has to tell.
    FLCC_HOST_DEVICE static void score(const DirectLaunch& launch, const DirectPlace& place,
                                       int thread, const Thread& own, Shared& all) {
        VoxelTally tally;
        int r = 0;
        forOwnVoxels(launch.map, place.block, thread,
                     [&](const base::Index& voxel, std::int64_t at) {
                         const Judged judged = judge(launch, voxel, own.panels[r], own.frame);
                         VoxelTally::write(launch, at, judged);
                         tally.add(judged, r == 0);
                         ++r;
                     });
        tally.leave(thread, all.slots);
    }

    /// All of a block; `each` as in DirectBlock::run().
    template <class Each>
    FLCC_HOST_DEVICE static void run(const DirectLaunch& launch, std::int64_t block, Shared& all,
                                     Each&& each) {
        const DirectPlace place = placeOf(launch, block);
        each([&](int thread, Thread&) { findRange(launch, place, thread, all); });
        each([&](int thread, Thread&) { foldRange(thread, all); });
        each([&](int thread, Thread&) { addUp(launch, place, thread, all); });
        each([&](int thread, Thread&) { fold(all.slots[4], thread, plus); });
        each([&](int, Thread& own) { own.frame = frameOf(launch, all); });
        const base::Extents& m = launch.templ;
        for (base::Index at; at.z < m.z; ++at.z) {
            for (at.y = 0; at.y < m.y; at.y += kPiece) {
                for (at.x = 0; at.x < m.x; at.x += kPiece) {
                    each([&](int thread, Thread& own) {
                        load(launch, place, at, thread, own.frame, all);
                    });
                    each([&](int thread, Thread& own) { add(thread, all, own); });
                }
            }
        }
        each([&](int thread, Thread& own) { score(launch, place, thread, own, all); });
        each([&](int thread, Thread&) { VoxelTally::foldAll(thread, all.slots); });
        each([&](int thread, Thread&) {
            VoxelTally::tell(thread, all.slots, launch.tallies[place.block]);
        });
    }
};

/// Calls `run(DirectSupportBlock<...>{})` with the form of the block that a launch of partial
/// panels needs.
template <class Run> void withDirectSupportBlock(const DirectLaunch& launch, Run&& run) {
    withPixel(launch.pixel, [&]<class T>(T) { run(DirectSupportBlock<T>{}); });
}

} // namespace flcc::cuda
