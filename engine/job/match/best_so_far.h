#pragma once

#include <algorithm>
#include <memory>

#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/method/match_map.h"

namespace flcc::job::detail {

/// Hands out copies of the best scores so far, in intervals that cost little.
class BestSoFar {
  public:
    explicit BestSoFar(const method::MatchMap& map) : m_map(map) {}

    /// A copy, or null if the last one is too young.
    std::shared_ptr<const method::MatchMap> copy(base::TilePool& pool) {
        constexpr double kLeastMs = 500;
        constexpr double kCopies = 50; // times that a copy takes
        if (m_since.ms() < std::max(kLeastMs, kCopies * m_copyMs)) {
            return nullptr;
        }
        const base::Stopwatch watch;
        auto copy = std::make_shared<method::MatchMap>();
        const base::Extents& extents = m_map.value.extents();
        copy->value = base::Image<float>(extents);
        copy->status = base::Image<base::Status>(extents);
        const std::int64_t slice = extents.x * extents.y;
        (void)pool.run(extents.z, [&](std::int64_t z, int) {
            std::copy_n(m_map.value.data() + z * slice, slice, copy->value.data() + z * slice);
            std::copy_n(m_map.status.data() + z * slice, slice, copy->status.data() + z * slice);
        });
        m_copyMs = watch.ms();
        m_since = {};
        return copy;
    }

  private:
    const method::MatchMap& m_map;
    base::Stopwatch m_since;
    double m_copyMs = 0;
};

} // namespace flcc::job::detail
