#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::match::detail {

/// The places taken by accepted peaks, and whether another one is too near to them.
class Exclusion {
  public:
    /// As PeakOptions::minDistance.
    Exclusion(const base::Extents& map, const base::Extents& templ,
              std::optional<double> minDistance);

    void add(const base::Index& corner);
    [[nodiscard]] bool covers(const base::Index& corner) const;

  private:
    [[nodiscard]] bool tooNear(const base::Index& a, const base::Index& b) const;
    [[nodiscard]] base::Index cellOf(const base::Index& corner) const;
    [[nodiscard]] std::int64_t keyOf(const base::Index& cell) const;

    base::Extents m_templ;
    std::optional<double> m_minDistance;
    base::Extents m_cell;  ///< no two places further apart than this on an axis are too near
    base::Extents m_cells; ///< their number on each axis, one more on either side
    std::map<std::int64_t, std::vector<base::Index>> m_places;
};

} // namespace flcc::match::detail
