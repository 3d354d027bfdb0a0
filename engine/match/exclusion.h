#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/extents.h"
#include "engine/rotation/orientation.h"

namespace flcc::match {

/// The corners of accepted peaks in scene voxels, each with the extents of its template. Decides
/// whether another peak is too near to one of them.
class Exclusion {
  public:
    /// `largest`: the largest box of a placement on each axis. `minDistance` and `edges`: as in
    /// PeakOptions.
    Exclusion(const base::Extents& largest, std::optional<double> minDistance,
              const base::Point& edges);

    /// Of a template in a pose: its extents before it was turned, and what takes its offsets to
    /// those of the scene.
    struct Turned {
        base::Extents templ;
        rotation::Matrix matrix;
    };
    /// `box`: extents of the placement, which has the same centre as a turned template in it, up to
    /// half a voxel.
    void add(const base::Index& corner, const base::Extents& box,
             const std::optional<Turned>& turned = {});
    [[nodiscard]] bool covers(const base::Index& corner, const base::Extents& box) const;

  private:
    /// Twice the centre of a placement, which is an integer.
    using Centre = std::array<std::int64_t, 3>;
    using Cell = std::array<std::int64_t, 3>;
    struct Place {
        Centre centre;
        base::Extents templ;
        /// Of a turned template: takes a distance to one of the template's own voxels.
        std::optional<rotation::Matrix> back{};
    };
    [[nodiscard]] bool tooNear(const Place& higher, const Centre& lower) const;
    [[nodiscard]] Cell cellOf(const Centre& centre) const;

    std::optional<double> m_minDistance;
    base::Point m_edges;
    Cell m_cell;    ///< centres further apart than this on any axis are not too near
    Centre m_low{}; ///< of the centres of all places
    Centre m_high{};
    std::map<Cell, std::vector<Place>> m_places;
};

} // namespace flcc::match
