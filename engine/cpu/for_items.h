#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/tile_pool.h"

namespace flcc::cpu {

/// Does `work(item, worker)` for every item 0 .. count-1: on the threads of a pool, or one after
/// the other. Returns false when it was stopped before all were done.
using ForItems = std::function<bool(
    std::int64_t count, const std::function<void(std::int64_t item, int worker)>& work)>;

/// All items in this thread, as `worker`.
[[nodiscard]] inline ForItems oneAfterTheOther(int worker = 0) {
    return [worker](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        for (std::int64_t item = 0; item < count; ++item) {
            work(item, worker);
        }
        return true;
    };
}

/// All items, shared out among the threads of a pool.
[[nodiscard]] inline ForItems itemsOf(base::TilePool& pool) {
    return [&pool](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        return pool.run(count, work);
    };
}

} // namespace flcc::cpu
