#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/method/canonical.h"
#include "engine/method/match_map.h"

namespace flcc::match::detail {

/// A score and how far it may be from the exact one.
struct Score {
    double value = 0;
    double bound = 0;
};

/// The map with what is known of its errors, and the canonical scores computed so far.
class Scores {
  public:
    Scores(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
           const base::View<const float>& value, const base::View<const base::Status>& status,
           const method::MapFacts& facts);

    [[nodiscard]] const base::Extents& extents() const { return m_value.extents(); }
    [[nodiscard]] const base::View<const float>& values() const { return m_value; }
    [[nodiscard]] const base::View<const base::Status>& statuses() const { return m_status; }

    /// Linear index, whose order is that of z, y, x.
    [[nodiscard]] std::int64_t linear(const base::Index& at) const {
        return (at.z * extents().y + at.y) * extents().x + at.x;
    }
    [[nodiscard]] base::Index index(std::int64_t linear) const {
        const std::int64_t row = linear / extents().x;
        return {linear % extents().x, row % extents().y, row / extents().y};
    }

    /// Largest difference between the map and the canonical score of voxels with this status.
    [[nodiscard]] double margin(base::Status status) const {
        return status == base::Status::LowConf ? m_lowConfMargin : m_margin;
    }
    [[nodiscard]] double largestMargin() const { return std::max(m_margin, m_lowConfMargin); }

    /// The canonical score of the panel at `at`; the map's value once the budget is spent.
    [[nodiscard]] Score score(const base::Index& at);

    /// The sign of score(at) - reference; computes the score only where the map leaves it open.
    [[nodiscard]] int compare(const base::Index& at, double reference);

  private:
    method::MaskedView m_scene;
    const method::CanonicalTemplate* m_templ;
    base::View<const float> m_value;
    base::View<const base::Status> m_status;
    double m_canonicalBound;
    double m_margin;
    double m_lowConfMargin;
    std::int64_t m_budget;
    std::unordered_map<std::int64_t, double> m_known;
};

} // namespace flcc::match::detail
