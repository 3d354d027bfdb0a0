#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/match/peaks.h"

namespace flcc::match {

/// The place of a peak. Canonical scores give a peak the same place in every list of its map, so a
/// decision finds its peak again after a new extraction.
struct PeakKey {
    base::Index corner;
    int templ = 0;

    friend bool operator==(const PeakKey&, const PeakKey&) = default;
    /// By z, y, x of the corner, then by template.
    friend bool operator<(const PeakKey& a, const PeakKey& b);
};

[[nodiscard]] inline PeakKey keyOf(const Peak& peak) { return {peak.corner, peak.templ}; }

/// What a person decides on a peak.
enum class Decision : std::uint8_t { Undecided, Keep, Reject, Unsure };
inline constexpr std::size_t kDecisionCount = 4;
/// "undecided", "keep", "reject", "unsure".
[[nodiscard]] std::string_view name(Decision decision);
[[nodiscard]] std::optional<Decision> decisionNamed(std::string_view name);

/// Decisions on the peaks of one map. It keeps those on peaks that a list leaves out, so that they
/// come back with their peaks.
class DecisionList {
  public:
    /// Undecided for a peak on which nothing was decided.
    [[nodiscard]] Decision of(const PeakKey& key) const;
    /// Returns the decision before.
    Decision set(const PeakKey& key, Decision decision);

    /// One for each peak, in their order.
    [[nodiscard]] std::vector<Decision> of(const std::vector<Peak>& peaks) const;
    /// The numbers of peaks with each decision.
    [[nodiscard]] std::array<std::int64_t, kDecisionCount>
    counts(const std::vector<Peak>& peaks) const;

    /// The decided ones, ordered by key.
    [[nodiscard]] const std::map<PeakKey, Decision>& all() const { return m_decisions; }
    friend bool operator==(const DecisionList&, const DecisionList&) = default;

  private:
    std::map<PeakKey, Decision> m_decisions; ///< none of them is Undecided
};

} // namespace flcc::match
