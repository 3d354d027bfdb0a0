#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/method/canonical.h"
#include "engine/method/masked_view.h"
#include "engine/rotation/pose_bank.h"
#include "engine/search/detail/member_cells.h"

namespace flcc::search::detail {

/// A member of a bank pixel by pixel.
class FullMember {
  public:
    FullMember(const rotation::PoseBank& bank, std::int64_t number);

    /// A limit from above, at least 0, on the score at a placement, in floats; far nearer to the
    /// score than bounds of cells. `level`: near the mean of the scene.
    [[nodiscard]] double limit(const base::AnyView& scene, std::int64_t x, std::int64_t y,
                               double level) const;
    /// Its canonical score. The template for it is made by the first call.
    [[nodiscard]] method::CanonicalValue score(const method::MaskedView& scene, std::int64_t x,
                                               std::int64_t y) const;
    /// The bound on canonical scores.
    [[nodiscard]] double bound() const { return method::canonicalBound(m_count); }
    [[nodiscard]] const Placed& placed() const { return m_placed; }

  private:
    const rotation::PoseBank& m_bank;
    std::int64_t m_number;
    Placed m_placed;
    Runs m_runs; ///< of pixels, in the box of all members
    std::vector<float> m_values;
    std::int64_t m_count = 0;
    std::int64_t m_longest = 0; ///< run
    mutable std::once_flag m_once;
    mutable std::optional<method::CanonicalTemplate> m_canonical;
};

/// Members that were made last. **Threads**: may be called at once.
class FullMembers {
  public:
    FullMembers(const rotation::PoseBank& bank, std::size_t most) : m_bank(bank), m_most(most) {}

    [[nodiscard]] std::shared_ptr<const FullMember> get(std::int64_t number);
    [[nodiscard]] std::int64_t made() const { return m_made; }

  private:
    struct Entry {
        std::once_flag once;
        std::shared_ptr<const FullMember> member;
    };
    const rotation::PoseBank& m_bank;
    std::size_t m_most;
    std::mutex m_lock;
    std::unordered_map<std::int64_t, std::shared_ptr<Entry>> m_entries;
    std::list<std::int64_t> m_order; ///< the oldest first
    std::int64_t m_made = 0;
};

} // namespace flcc::search::detail
