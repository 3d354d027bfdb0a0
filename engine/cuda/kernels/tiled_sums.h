#pragma once

#include <cstdint>
#include <limits>

#include "engine/cuda/kernels/tiled_block.h"
#include "engine/method/shared/window_sums.h"

/// The kernels that sum x and x^2 over the windows of the Fourier methods: along x, then y, then z.
/// The form is that of tiled_block.h.
namespace flcc::cuda {

/// Writes the sums over windows of `width` elements to to[i * stride], for i from `begin` to `end`
/// - 1. `addAt(i, sum)` adds element i (shared::windowSums).
template <class AddAt>
FLCC_HOST_DEVICE inline void windowSumsTo(std::int64_t width, std::int64_t begin, std::int64_t end,
                                          PanelSum* to, std::int64_t stride, AddAt&& addAt) {
    shared::windowSums<PanelSum>(
        width, begin, end, addAt,
        [&](std::int64_t i, const PanelSum& tail) { to[i * stride] = tail; },
        [&](std::int64_t i, const PanelSum& head) {
            to[i * stride].first += head.first;
            to[i * stride].second += head.second;
        });
}

// --- Along x -------------------------------------------------------------------------------------

/// The widest window that sums along x take through shared memory; wider ones are summed item by
/// item. Neighbouring threads then read and write places that lie a window apart, which takes ten
/// times as long on an H100.
inline constexpr int kWidestShared = 256;

/// True if sums along x are made by blocks (AlongX::block), else by items (AlongX::item).
FLCC_HOST_DEVICE inline bool sumsInBlocks(const TiledLaunch& launch) {
    return launch.templ.x <= kWidestShared;
}

/// Number of items of AlongX::item() for each tile.
FLCC_HOST_DEVICE inline std::int64_t itemsAlongX(const TiledLaunch& launch) {
    const base::Extents seen = windowsAlong(1, launch.out, launch.templ);
    return shared::ceilDivide(seen.x, windowsOfThread(launch.templ.x)) * seen.y * seen.z;
}

/// The shared memory of a block that sums along x: elements and window sums of some rows. It need
/// not be initialised.
template <class Real> struct AlongXShared {
    static constexpr int kSums = 1152;
    static constexpr int kElements = 2304;

    double first[kSums];
    double second[kSums];
    Real elements[kElements];
};

/// How a block that sums along x shares out its memory: whole runs of the template's length, and as
/// many rows as fit.
struct AlongXPlan {
    int width = 1; ///< of a window
    /// Distance of two runs in memory. It is odd, so that threads that read neighbouring runs side
    /// by side read different banks.
    int pitch = 1;
    int runs = 1; ///< of windows of a row
    int rows = 1;

    FLCC_HOST_DEVICE [[nodiscard]] int windows() const { return runs * width; }
    /// Place of element or window `i` of a row.
    FLCC_HOST_DEVICE [[nodiscard]] int at(int i) const {
        return pitch == width ? i : i + i / width;
    }
    FLCC_HOST_DEVICE [[nodiscard]] int sumsOfRow() const { return runs * pitch; }
    FLCC_HOST_DEVICE [[nodiscard]] int elementsOfRow() const { return (runs + 1) * pitch; }
};

template <class Real> FLCC_HOST_DEVICE inline AlongXPlan alongXPlan(const TiledLaunch& launch) {
    using Shared = AlongXShared<Real>;
    const auto within = [](std::int64_t value, int most) {
        return value < most ? static_cast<int>(value) : most;
    };
    AlongXPlan plan;
    plan.width = static_cast<int>(launch.templ.x);
    plan.pitch = plan.width | 1;
    plan.runs = within(shared::ceilDivide(launch.out.x, plan.width), kWidestShared / plan.width);
    const int sums = Shared::kSums / plan.sumsOfRow();
    const int elements = Shared::kElements / plan.elementsOfRow();
    plan.rows = sums < elements ? sums : elements;
    return plan;
}

/// Sums of voxels of type T, in frames of type Real, along x. A voxel that is NaN or Inf makes the
/// sums of exactly its own panels NaN.
template <class T, class Real> struct AlongX {
    using Shared = AlongXShared<Real>;

    FLCC_HOST_DEVICE static Real elementOf(T voxel, const shared::TileFrame& frame) {
        return base::finite(voxel) ? shared::centred<Real>(voxel, frame)
                                   : std::numeric_limits<Real>::quiet_NaN();
    }

    /// Number of blocks for each tile.
    FLCC_HOST_DEVICE static std::int64_t blocks(const TiledLaunch& launch) {
        const AlongXPlan plan = alongXPlan<Real>(launch);
        const base::Extents room = windowsAlong(1, launch.out, launch.templ);
        return shared::ceilDivide(room.x, plan.windows()) *
               shared::ceilDivide(room.y * room.z, plan.rows);
    }

    template <class Each>
    FLCC_HOST_DEVICE static void block(const TiledLaunch& launch, std::int64_t block, Shared& all,
                                       Each&& each) {
        const AlongXPlan plan = alongXPlan<Real>(launch);
        const std::int64_t perTile = blocks(launch);
        const TilePlace place = tilePlace(launch, block / perTile);
        const base::Extents room = windowsAlong(1, launch.out, launch.templ);
        const std::int64_t strips = shared::ceilDivide(room.x, plan.windows());
        const std::int64_t inTile = block % perTile;
        const std::int64_t begin = inTile % strips * plan.windows();
        const std::int64_t line = inTile / strips * plan.rows; // the first one
        const std::int64_t left = place.out.x - begin;
        const int windows = static_cast<int>(left < 0                ? 0
                                             : left < plan.windows() ? left
                                                                     : plan.windows());
        const int lanes = windows < shared::kBlockThreads ? 32 : shared::kBlockThreads;
        // Calls `visit(row, y, z)` for the rows of this thread's lanes that placements see.
        const auto forRows = [&](int thread, auto&& visit) {
            int row = thread / lanes;
            std::int64_t y = (line + row) % room.y;
            std::int64_t z = (line + row) / room.y;
            for (; row < plan.rows && z < place.seen.z; row += shared::kBlockThreads / lanes) {
                if (y < place.seen.y) {
                    visit(row, y, z);
                }
                y += shared::kBlockThreads / lanes;
                while (y >= room.y) {
                    y -= room.y;
                    ++z;
                }
            }
        };
        each([&](int thread) {
            const shared::TileFrame frame = launch.facts[place.tile].frame;
            const int elements = windows > 0 ? windows + plan.width - 1 : 0;
            forRows(thread, [&](int row, std::int64_t y, std::int64_t z) {
                const T* const from = TiledVoxels<T, Real>::rowAt(launch, place, y, z) + begin;
                Real* const to = all.elements + row * plan.elementsOfRow();
                for (int i = thread % lanes; i < elements; i += lanes) {
                    to[plan.at(i)] = elementOf(from[i], frame);
                }
            });
        });
        // Van Herk's scheme, as shared::windowSums. Rows that no placement sees have sums that
        // nobody reads.
        each([&](int thread) {
            const int runs = (windows + plan.width - 1) / plan.width;
            for (int job = thread; job < runs * plan.rows; job += shared::kBlockThreads) {
                const int row = job / runs;
                const int run = job % runs;
                const Real* const own =
                    all.elements + row * plan.elementsOfRow() + run * plan.pitch;
                const int to = row * plan.sumsOfRow() + run * plan.pitch;
                const int last = windows - run * plan.width; // windows from here on
                const int count = last < plan.width ? last : plan.width;
                PanelSum sum{};
                const auto add = [&](Real element) {
                    const auto value = static_cast<double>(element);
                    sum.first += value;
                    sum.second += value * value;
                };
                for (int j = plan.width - 1; j >= 0; --j) {
                    add(own[j]);
                    if (j < count) {
                        all.first[to + j] = sum.first;
                        all.second[to + j] = sum.second;
                    }
                }
                sum = {};
                for (int j = 1; j < count; ++j) {
                    add(own[plan.pitch + j - 1]);
                    all.first[to + j] += sum.first;
                    all.second[to + j] += sum.second;
                }
            }
        });
        each([&](int thread) {
            forRows(thread, [&](int row, std::int64_t y, std::int64_t z) {
                PanelSum* const to =
                    launch.first + place.tile * countOf(room) + (z * room.y + y) * room.x + begin;
                for (int i = thread % lanes; i < windows; i += lanes) {
                    const int from = row * plan.sumsOfRow() + plan.at(i);
                    to[i] = {all.first[from], all.second[from]};
                }
            });
        });
    }

    FLCC_HOST_DEVICE static void item(const TiledLaunch& launch, std::int64_t item) {
        const std::int64_t items = itemsAlongX(launch);
        const TilePlace place = tilePlace(launch, item / items);
        const base::Extents room = windowsAlong(1, launch.out, launch.templ);
        const std::int64_t windows = windowsOfThread(launch.templ.x);
        const std::int64_t runs = shared::ceilDivide(room.x, windows);
        const std::int64_t line = item % items / runs;
        const std::int64_t y = line % room.y;
        const std::int64_t z = line / room.y;
        if (y >= place.seen.y || z >= place.seen.z) {
            return;
        }
        const shared::TileFrame frame = launch.facts[place.tile].frame;
        const T* const row = TiledVoxels<T, Real>::rowAt(launch, place, y, z);
        PanelSum* const to = launch.first + place.tile * countOf(room) + line * room.x;
        const std::int64_t begin = item % runs * windows;
        const std::int64_t end = begin + windows < place.out.x ? begin + windows : place.out.x;
        windowSumsTo(launch.templ.x, begin, end, to, 1, [&](std::int64_t x, PanelSum& sum) {
            const auto value = static_cast<double>(elementOf(row[x], frame));
            sum.first += value;
            sum.second += value * value;
        });
    }
};

// --- Along y and z -------------------------------------------------------------------------------

/// Number of items of sumAcross() for each tile; `axes` as there.
FLCC_HOST_DEVICE inline std::int64_t itemsAcross(const TiledLaunch& launch, int axes) {
    const base::Extents to = windowsAlong(axes, launch.out, launch.templ);
    const std::int64_t width = axes == 2 ? launch.templ.y : launch.templ.z;
    const std::int64_t runs = shared::ceilDivide(axes == 2 ? to.y : to.z, windowsOfThread(width));
    return runs * to.x * (axes == 2 ? to.z : to.y);
}

/// Sums the window sums along x further along y (`axes` = 2), or those along x and y further along
/// z (`axes` = 3). Neighbouring items are neighbours along x.
FLCC_HOST_DEVICE inline void sumAcross(const TiledLaunch& launch, int axes, std::int64_t item) {
    const std::int64_t items = itemsAcross(launch, axes);
    const TilePlace place = tilePlace(launch, item / items);
    const base::Extents before = windowsAlong(axes - 1, launch.out, launch.templ);
    const base::Extents after = windowsAlong(axes, launch.out, launch.templ);
    const bool alongY = axes == 2;
    const std::int64_t width = alongY ? launch.templ.y : launch.templ.z;
    const std::int64_t windows = windowsOfThread(width);
    const std::int64_t runs = shared::ceilDivide(alongY ? after.y : after.z, windows);
    std::int64_t rest = item % items;
    const std::int64_t x = rest % after.x;
    rest /= after.x;
    const std::int64_t begin = rest % runs * windows;
    const std::int64_t other = rest / runs; // z, or y
    if (x >= place.out.x || other >= (alongY ? place.seen.z : place.out.y)) {
        return;
    }
    const std::int64_t length = alongY ? place.out.y : place.out.z;
    const std::int64_t end = begin + windows < length ? begin + windows : length;
    const auto at = [&](const base::Extents& room, PanelSum* sums) {
        return sums + place.tile * countOf(room) + (alongY ? other * room.y : other) * room.x + x;
    };
    const PanelSum* const from = at(before, alongY ? launch.first : launch.second);
    PanelSum* const to = at(after, alongY ? launch.second : launch.first);
    const std::int64_t fromStride = alongY ? before.x : before.x * before.y;
    const std::int64_t toStride = alongY ? after.x : after.x * after.y;
    windowSumsTo(width, begin, end, to, toStride, [&](std::int64_t i, PanelSum& sum) {
        sum.first += from[i * fromStride].first;
        sum.second += from[i * fromStride].second;
    });
}

} // namespace flcc::cuda
