#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/match/search_statistics.h"
#include "engine/method/bank.h"
#include "engine/method/session.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::job::detail {

/// The map of a batch of members, with its index.
struct BatchMap {
    method::MatchMap map;
    base::Image<std::int32_t> index;

    /// `exact`: the map holds doubles too. Values are unspecified.
    BatchMap(const base::Extents& extents, bool exact);
    [[nodiscard]] method::BankView view() { return {method::viewOf(map), index.view()}; }
};

/// Members of a search over poses that are made, prepared, matched and dropped together.
class PoseBatch {
  public:
    /// All but `candidate` must outlive the batch; `likeness` may be null.
    PoseBatch(const method::Method& method, method::Candidate candidate,
              const rotation::PoseBank& bank, match::Likeness* likeness)
        : m_method(method), m_candidate(std::move(candidate)), m_bank(bank), m_likeness(likeness) {}

    /// Makes these members in place of those before. False if cancelled.
    [[nodiscard]] bool make(std::vector<std::int64_t> numbers, base::TilePool& pool,
                            const std::stop_token& stop);
    /// Prepares them and adds them to the likeness. `problem` is of so many templates. **Errors**:
    /// as Method::prepare(), naming the pose.
    void prepare(const method::Problem& problem, base::TilePool& pool);
    /// The best scores of the members, whose index counts them from 0. The sums of `to` are added
    /// to. **Errors**: as Method::executeBank().
    /// `to.counted` is of all members of the bank.
    [[nodiscard]] method::Outcome match(const method::MaskedView& scene,
                                        const method::Execution& execution,
                                        const method::BankView& to);

  private:
    const method::Method& m_method;
    method::Candidate m_candidate;
    const rotation::PoseBank& m_bank;
    match::Likeness* m_likeness;
    std::vector<std::int64_t> m_numbers;
    std::vector<rotation::TurnedTemplate> m_members;
    method::Problem m_problem;
    bool m_planned = false; ///< m_session is of m_problem
    method::Session m_session;
};

/// Merges the scores of a batch into the best so far; its first member has number `first`.
void mergeBatch(const method::BankView& scores, std::int64_t first, const method::BankView& best,
                method::Best which, base::TilePool& pool);

} // namespace flcc::job::detail
