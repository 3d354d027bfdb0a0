#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::match::detail {

/// The places taken by accepted peaks, and whether another one is too near to them. Places are
/// corners, in voxels of the scene, with the extents of their template.
class Exclusion {
  public:
    /// `largest` has the largest extents of any template on each axis; `minDistance` as in
    /// PeakOptions.
    Exclusion(const base::Extents& largest, std::optional<double> minDistance);

    void add(const base::Index& corner, const base::Extents& templ);
    [[nodiscard]] bool covers(const base::Index& corner, const base::Extents& templ) const;

  private:
    /// Twice the centre of a placement, which is a whole number.
    using Centre = std::array<std::int64_t, 3>;
    using Cell = std::array<std::int64_t, 3>;
    struct Place {
        Centre centre;
        base::Extents templ;
    };
    [[nodiscard]] bool tooNear(const Place& higher, const Centre& lower) const;
    [[nodiscard]] Cell cellOf(const Centre& centre) const;

    std::optional<double> m_minDistance;
    Cell m_cell; ///< no two centres further apart than this on an axis are too near
    std::map<Cell, std::vector<Place>> m_places;
};

} // namespace flcc::match::detail
