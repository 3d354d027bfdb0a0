#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "engine/base/extents.h"
#include "engine/base/tile_pool.h"

namespace flcc::cpu {

/// Calls `work(item, worker)` for every item 0 .. count-1, on the threads of a pool or one after
/// the other. Returns false if it was stopped before all items were done.
using ForItems = std::function<bool(
    std::int64_t count, const std::function<void(std::int64_t item, int worker)>& work)>;

/// All items in the calling thread, which is number `worker`.
[[nodiscard]] inline ForItems oneAfterTheOther(int worker = 0) {
    return [worker](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        for (std::int64_t item = 0; item < count; ++item) {
            work(item, worker);
        }
        return true;
    };
}

/// All items on the threads of a pool.
[[nodiscard]] inline ForItems itemsOf(base::TilePool& pool) {
    return [&pool](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        return pool.run(count, work);
    };
}

/// Calls `use(y, z)` for every row of `extents`. One item holds several rows, so that a stop is
/// answered without a test for every row.
template <class Use> bool forRows(const ForItems& each, const base::Extents& extents, Use&& use) {
    constexpr std::int64_t kValues = 1 << 16;
    const std::int64_t together = std::max<std::int64_t>(1, kValues / extents.x);
    const std::int64_t rows = extents.y * extents.z;
    return each((rows + together - 1) / together, [&](std::int64_t item, int) {
        const std::int64_t end = std::min(rows, (item + 1) * together);
        for (std::int64_t row = item * together; row < end; ++row) {
            use(row % extents.y, row / extents.y);
        }
    });
}

} // namespace flcc::cpu
