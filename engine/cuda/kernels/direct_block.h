#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/base/finite.h"
#include "engine/cuda/kernels/block_tally.h"
#include "engine/cuda/kernels/direct_launch.h"

/// The direct method (FLCC III.C) on one block of placements, as a sequence of phases. All threads
/// of a block wait for each other between two phases. A phase is a plain function of launch, block,
/// thread and the block's shared memory, so that a test can run it on the processor, one thread
/// after the other (README.md, "Kernels are plain functions in phases").
namespace flcc::cuda {

/// The shared memory of a block, for products of type Real. It need not be initialised.
template <class Real> struct DirectShared {
    static constexpr bool kDouble = std::is_same_v<Real, double>;
    static constexpr int kColumns = shared::pieceColumns(kDouble);
    static constexpr int kMostRows = shared::pieceRows(shared::kPieceRows, kDouble);
    static constexpr int kSeenWidth = shared::kBlockWidth + kColumns - 1;
    static constexpr std::size_t kRoom[2]{
        // rows and columns of `seen`
        static_cast<std::size_t>(shared::kBlockHeight + kMostRows - 1),
        static_cast<std::size_t>(kSeenWidth + 1)};

    Real seen[kRoom[0]][kRoom[1]]; ///< centred voxels under a piece of the template
    Real weights[static_cast<std::size_t>(kColumns)][static_cast<std::size_t>(kMostRows)];
    /// Sums of x and of x^2 over the panels. Neighbouring threads of sumRows() write the same
    /// column of neighbouring rows; the odd pitch puts these into different banks of shared memory.
    double sums[2][shared::kBlockHeight][shared::kBlockWidth + 1];
    union {
        double columns[2][shared::kBlockHeight][kRoom[1] + 1]; ///< window sums of a piece along y
        Slots slots[VoxelTally::kSlots];                       ///< for reductions over the threads
    };
};

/// The values that a thread keeps in registers between phases.
struct DirectThread {
    double total[shared::kBlockOwn] = {}; ///< numerators of its placements
    shared::TileFrame frame;              ///< the same in all threads of a block
};

/// The first placement of a block, and the voxels that its placements see.
struct DirectPlace {
    std::int64_t block = 0;
    base::Index corner;
    base::Extents seen; ///< voxels under its placements that lie in the map
};

FLCC_HOST_DEVICE inline DirectPlace placeOf(const DirectLaunch& launch, std::int64_t block) {
    const base::Index corner = shared::blockCorner(block, shared::blockGrid(launch.map));
    const auto within = [](std::int64_t left, std::int64_t most) {
        return left < most ? left : most;
    };
    return {block,
            corner,
            {within(launch.map.x - corner.x, shared::kBlockWidth) + launch.templ.x - 1,
             within(launch.map.y - corner.y, shared::kBlockHeight) + launch.templ.y - 1,
             launch.templ.z}};
}

/// Calls `body` once for each number, as a compile-time constant: a completely unrolled loop.
template <int... kNumbers, class Body>
FLCC_HOST_DEVICE inline void unrolled(std::integer_sequence<int, kNumbers...>, Body&& body) {
    (body(std::integral_constant<int, kNumbers>{}), ...);
}

/// The direct method for voxels of type T, with products of type Real and pieces of kRows template
/// rows. kIntegers: scene and template are bytes, and the numerators are exact sums of integer
/// products.
template <class T, class Real, int kRows, bool kIntegers> struct DirectBlock {
    using Shared = DirectShared<Real>;
    using Thread = DirectThread;
    static constexpr int kColumns = Shared::kColumns;
    static constexpr int kWarp = 32; ///< threads of a warp; they read neighbours along x

    FLCC_HOST_DEVICE static const T* rowAt(const DirectLaunch& launch, const DirectPlace& place,
                                           std::int64_t y, std::int64_t z) {
        return static_cast<const T*>(launch.scene) +
               ((place.corner.z + z) * launch.extents.y + place.corner.y + y) * launch.extents.x +
               place.corner.x;
    }

    /// Calls `visit(voxel)` for this thread's share of the voxels that the block sees.
    template <class Visit>
    FLCC_HOST_DEVICE static void forSeen(const DirectLaunch& launch, const DirectPlace& place,
                                         int thread, Visit&& visit) {
        const std::int64_t lines = place.seen.y * place.seen.z;
        for (std::int64_t line = thread / kWarp; line < lines;
             line += shared::kBlockThreads / kWarp) {
            const T* const row = rowAt(launch, place, line % place.seen.y, line / place.seen.y);
            for (std::int64_t x = thread % kWarp; x < place.seen.x; x += kWarp) {
                visit(row[x]);
            }
        }
    }

    // --- The frame -------------------------------------------------------------------------------

    FLCC_HOST_DEVICE static void findRange(const DirectLaunch& launch, const DirectPlace& place,
                                           int thread, Shared& all) {
        shared::VoxelRange range;
        forSeen(launch, place, thread, [&](T voxel) { shared::addVoxel(range, voxel); });
        all.slots[0][thread] = range.minimum;
        all.slots[1][thread] = range.maximum;
        all.slots[2][thread] = static_cast<double>(range.nonFinite);
    }
    FLCC_HOST_DEVICE static void foldRange(int thread, Shared& all) {
        fold(all.slots[0], thread, least);
        fold(all.slots[1], thread, most);
        fold(all.slots[2], thread, plus);
    }
    FLCC_HOST_DEVICE static shared::VoxelRange rangeOf(const Shared& all) {
        return {folded(all.slots[0], least), folded(all.slots[1], most),
                static_cast<std::int64_t>(folded(all.slots[2], plus))};
    }
    FLCC_HOST_DEVICE static void addUp(const DirectLaunch& launch, const DirectPlace& place,
                                       int thread, Shared& all) {
        const double scale = std::ldexp(1.0, -shared::preExponent<T>(rangeOf(all)));
        double sum = 0;
        forSeen(launch, place, thread, [&](T voxel) {
            sum += base::finite(voxel) ? static_cast<double>(voxel) * scale : 0.0;
        });
        all.slots[3][thread] = sum;
    }
    FLCC_HOST_DEVICE static void foldSum(int thread, Shared& all) {
        fold(all.slots[3], thread, plus);
    }
    FLCC_HOST_DEVICE static shared::TileFrame frameOf(const DirectLaunch& launch,
                                                      const DirectPlace& place, const Shared& all) {
        const shared::VoxelRange range = rangeOf(all);
        const std::int64_t count = place.seen.x * place.seen.y * place.seen.z - range.nonFinite;
        return shared::frameOf<T, Real>(range, folded(all.slots[3], plus), count,
                                        static_cast<std::int64_t>(launch.constants.count));
    }

    // --- A piece of the template -----------------------------------------------------------------

    /// Position and size of a piece of the template.
    struct Piece {
        base::Index at;
        int columns = 0;
        int rows = 0;
    };
    FLCC_HOST_DEVICE static Piece pieceAt(const base::Extents& m, std::int64_t x, std::int64_t y,
                                          std::int64_t z) {
        const auto within = [](std::int64_t left, int longest) {
            return left < longest ? static_cast<int>(left) : longest;
        };
        return {{x, y, z}, within(m.x - x, kColumns), within(m.y - y, kRows)};
    }

    FLCC_HOST_DEVICE static void clear(int thread, Shared& all) {
        const int column = thread % shared::kBlockWidth;
        for (int y = thread / shared::kBlockWidth; y < shared::kBlockHeight;
             y += shared::kBlockThreads / shared::kBlockWidth) {
            all.sums[0][y][column] = 0;
            all.sums[1][y][column] = 0;
        }
    }

    /// Loads the voxels and weights of a piece into shared memory; 0 beyond the scene and the
    /// template.
    FLCC_HOST_DEVICE static void load(const DirectLaunch& launch, const DirectPlace& place,
                                      const Piece& piece, int thread, const DirectThread& own,
                                      Shared& all) {
        for (int y = thread / kWarp; y < shared::kBlockHeight + kRows - 1;
             y += shared::kBlockThreads / kWarp) {
            const bool inside = piece.at.y + y < place.seen.y;
            const T* const row =
                rowAt(launch, place, inside ? piece.at.y + y : 0, piece.at.z) + piece.at.x;
            for (int x = thread % kWarp; x < Shared::kSeenWidth; x += kWarp) {
                Real value = 0;
                if (inside && piece.at.x + x < place.seen.x) {
                    if constexpr (kIntegers) {
                        value = static_cast<Real>(row[x]);
                    } else {
                        value = shared::centred<Real>(row[x], own.frame);
                    }
                }
                all.seen[y][x] = value;
            }
        }
        const Real* const weights = static_cast<const Real*>(launch.weights);
        for (int i = thread; i < kColumns * kRows; i += shared::kBlockThreads) {
            const int column = i / kRows;
            const int row = i % kRows;
            const bool inside = column < piece.columns && row < piece.rows;
            all.weights[column][row] =
                inside ? weights[(piece.at.z * launch.templ.y + piece.at.y + row) * launch.templ.x +
                                 piece.at.x + column]
                       : Real{0};
        }
    }

    /// Adds the products of a piece to the numerators of a thread. A voxel is read into a register
    /// once and serves all placements of the thread.
    FLCC_HOST_DEVICE static void multiply(const Piece& piece, int thread, const Shared& all,
                                          DirectThread& own) {
        const int column = thread % shared::kBlockWidth;
        const int first = thread / shared::kBlockWidth * shared::kBlockOwn;
        Real part[shared::kBlockOwn] = {};
        for (int x = 0; x < piece.columns; x += shared::kPieceGroup) {
            Real sums[shared::kBlockOwn] = {};
            for (int next = 0; next < shared::kPieceGroup && x + next < piece.columns; ++next) {
                const auto& weights = all.weights[x + next];
                unrolled(
                    std::make_integer_sequence<int, shared::kBlockOwn + kRows - 1>{}, [&](auto y) {
                        const Real voxel = all.seen[first + y][column + x + next];
                        unrolled(std::make_integer_sequence<int, shared::kBlockOwn>{}, [&](auto r) {
                            if constexpr (y - r >= 0 && y - r < kRows) {
                                sums[r] += weights[y - r] * voxel;
                            }
                        });
                    });
            }
            for (int r = 0; r < shared::kBlockOwn; ++r) {
                part[r] += sums[r];
            }
        }
        for (int r = 0; r < shared::kBlockOwn; ++r) {
            own.total[r] += static_cast<double>(part[r]);
        }
    }

    /// Sums of x and x^2 over windows of `width` neighbours, by additions only (van Herk;
    /// engine/method/NUMERICS.md, section 4). `line(i, first, second)` adds element i to the two
    /// sums. For every window i below `count`, `add(i, first, second)` gets the tail of one run of
    /// `width` elements and, unless the window is that run, the head of the next run; the caller
    /// adds both up.
    template <class Line, class Add>
    FLCC_HOST_DEVICE static void addWindows(int width, int count, Line&& line, Add&& add) {
        for (int block = 0; block < count; block += width) {
            double first = 0;
            double second = 0;
            for (int j = width - 1; j >= 0; --j) {
                line(block + j, first, second);
                if (block + j < count) {
                    add(block + j, first, second);
                }
            }
            first = 0;
            second = 0;
            for (int j = 1; j < width && block + j < count; ++j) {
                line(block + width + j - 1, first, second);
                add(block + j, first, second);
            }
        }
    }

    /// Sums windows of a piece along y; one thread for each column.
    FLCC_HOST_DEVICE static void sumColumns(const Piece& piece, int thread, Shared& all) {
        const int column = thread;
        if (column >= shared::kBlockWidth + piece.columns - 1) {
            return;
        }
        for (int y = 0; y < shared::kBlockHeight; ++y) {
            all.columns[0][y][column] = 0;
            all.columns[1][y][column] = 0;
        }
        addWindows(
            piece.rows, shared::kBlockHeight,
            [&](int y, double& first, double& second) {
                const auto x = static_cast<double>(all.seen[y][column]);
                first += x;
                second += x * x;
            },
            [&](int y, double first, double second) {
                all.columns[0][y][column] += first;
                all.columns[1][y][column] += second;
            });
    }

    /// Sums the results of sumColumns() along x and adds them to the sums of the panels; one thread
    /// for each quarter of a row.
    FLCC_HOST_DEVICE static void sumRows(const Piece& piece, int thread, Shared& all) {
        constexpr int kRun = 16;
        if (thread >= shared::kBlockHeight * shared::kBlockWidth / kRun) {
            return;
        }
        const int y = thread % shared::kBlockHeight;
        const int begin = thread / shared::kBlockHeight * kRun;
        addWindows(
            piece.columns, kRun,
            [&](int i, double& first, double& second) {
                first += all.columns[0][y][begin + i];
                second += all.columns[1][y][begin + i];
            },
            [&](int i, double first, double second) {
                all.sums[0][y][begin + i] += first;
                all.sums[1][y][begin + i] += second;
            });
    }

    // --- The end ---------------------------------------------------------------------------------

    FLCC_HOST_DEVICE static Judged judge(const DirectLaunch& launch, const DirectPlace& place,
                                         std::int64_t x, std::int64_t y, double num,
                                         const PanelSum& sum, const shared::TileFrame& frame) {
        Judged judged;
        judged.rounding = frame.rounding;
        const T* const first = rowAt(launch, place, y, 0) + x;
        if (frame.nonFinite > 0 && !everywhere(first, launch.extents, launch.templ,
                                               [](T voxel) { return base::finite(voxel); })) {
            judged.status = base::Status::NonFinite;
            return judged;
        }
        judged.score.flat = frame.constant;
        if (!frame.constant) {
            judged.score = shared::scoreBox(sum.first, sum.second, num, frame, launch.constants);
        }
        if (judged.score.open) {
            judged.score.flat = everywhere(first, launch.extents, launch.templ,
                                           [value = *first](T voxel) { return voxel == value; });
        }
        judged.status = statusOf(judged.score, launch.constants.promise);
        return judged;
    }

    /// Writes scores and statuses of a thread's placements, and leaves its tally for the reduction.
    FLCC_HOST_DEVICE static void score(const DirectLaunch& launch, const DirectPlace& place,
                                       int thread, const DirectThread& own, Shared& all) {
        const int column = thread % shared::kBlockWidth;
        const int first = thread / shared::kBlockWidth * shared::kBlockOwn;
        VoxelTally tally;
        for (int r = 0; r < shared::kBlockOwn; ++r) {
            const int row = first + r;
            const std::int64_t x = place.corner.x + column;
            const std::int64_t y = place.corner.y + row;
            if (x >= launch.map.x || y >= launch.map.y) {
                continue;
            }
            const std::int64_t at = (place.corner.z * launch.map.y + y) * launch.map.x + x;
            const PanelSum sum = launch.known
                                     ? launch.sums[at]
                                     : PanelSum{all.sums[0][row][column], all.sums[1][row][column]};
            if (launch.sums != nullptr && !launch.known) {
                launch.sums[at] = sum;
            }
            const Judged judged = judge(launch, place, column, row, own.total[r], sum, own.frame);
            VoxelTally::write(launch, at, judged);
            tally.add(judged, r == 0);
        }
        tally.leave(thread, all.slots);
    }

    /// Computes a whole block. `each(phase)` runs phase(thread, own) for all threads of the block
    /// and returns when all have finished it.
    template <class Each>
    FLCC_HOST_DEVICE static void run(const DirectLaunch& launch, std::int64_t block, Shared& all,
                                     Each&& each) {
        const DirectPlace place = placeOf(launch, block);
        if constexpr (kIntegers) {
            each([&](int thread, DirectThread& own) {
                own.frame.exactSums = true; // bytes are used as stored
                clear(thread, all);
            });
        } else if (launch.known) {
            each([&](int, DirectThread& own) { own.frame = launch.frames[block]; });
        } else {
            each([&](int thread, DirectThread&) { findRange(launch, place, thread, all); });
            each([&](int thread, DirectThread&) { foldRange(thread, all); });
            each([&](int thread, DirectThread&) { addUp(launch, place, thread, all); });
            each([&](int thread, DirectThread&) { foldSum(thread, all); });
            each([&](int thread, DirectThread& own) {
                own.frame = frameOf(launch, place, all);
                clear(thread, all);
                if (launch.frames != nullptr && thread == 0) {
                    launch.frames[block] = own.frame;
                }
            });
        }
        const base::Extents& m = launch.templ;
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; y += kRows) {
                for (std::int64_t x = 0; x < m.x; x += kColumns) {
                    const Piece piece = pieceAt(m, x, y, z);
                    each([&](int thread, DirectThread& own) {
                        load(launch, place, piece, thread, own, all);
                    });
                    each([&](int thread, DirectThread& own) {
                        if (!launch.known) {
                            sumColumns(piece, thread, all);
                        }
                        multiply(piece, thread, all, own);
                    });
                    if (!launch.known) {
                        each([&](int thread, DirectThread&) { sumRows(piece, thread, all); });
                    }
                }
            }
        }
        each([&](int thread, DirectThread& own) { score(launch, place, thread, own, all); });
        each([&](int thread, DirectThread&) { VoxelTally::foldAll(thread, all.slots); });
        each([&](int thread, DirectThread&) {
            VoxelTally::tell(thread, all.slots, launch.tallies[place.block]);
        });
    }
};

/// Calls `run(DirectBlock<...>{})` with the template arguments that a launch needs.
template <class Run> void withDirectBlock(const DirectLaunch& launch, Run&& run) {
    const bool low = shared::pieceRows(launch.templ.y) < shared::kPieceRows;
    if (launch.inDouble) {
        return withPixel<double>(launch.pixel, [&]<class T>(T) {
            run(DirectBlock<T, double, shared::kDoublePiece, false>{});
        });
    }
    withPixel<float>(launch.pixel, [&]<class T>(T) {
        if constexpr (sizeof(T) == 1) {
            if (launch.constants.integers) {
                low ? run(DirectBlock<T, float, shared::kPieceRows / 2, true>{})
                    : run(DirectBlock<T, float, shared::kPieceRows, true>{});
                return;
            }
        }
        low ? run(DirectBlock<T, float, shared::kPieceRows / 2, false>{})
            : run(DirectBlock<T, float, shared::kPieceRows, false>{});
    });
}

} // namespace flcc::cuda
