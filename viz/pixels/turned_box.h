#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/base/extents.h"
#include "engine/rotation/orientation.h"
#include "viz/scene.h"

namespace flcc::viz::detail {

/// The box of a peak's template as PeakMark::turn places it; without a turn along the axes. Points
/// are voxels of the scene, offsets voxels of the template from its centre.
class TurnedBox {
  public:
    explicit TurnedBox(const PeakMark& peak);

    [[nodiscard]] base::Point placed(const base::Point& offset) const;
    [[nodiscard]] base::Point offsetOf(const base::Point& point) const;
    /// Half the size of the template.
    [[nodiscard]] const base::Point& half() const { return m_half; }
    /// Half of the length that the box takes on an axis of the scene.
    [[nodiscard]] double reach(std::size_t axis) const;
    /// Whether a point lies in the box made larger by `slack` voxels of the scene.
    [[nodiscard]] bool contains(const base::Point& point, double slack) const;
    /// Corner i: bit 0, 1 and 2 say whether it lies at the high end of x, y and z of the template.
    [[nodiscard]] std::array<base::Point, 8> corners() const;
    /// The corners, one after the other around it, of the part of the plane in which coordinate
    /// `axis` is `at` that lies in the box; empty where the plane misses it.
    [[nodiscard]] std::vector<base::Point> crossSection(std::size_t axis, double at) const;

  private:
    base::Point m_centre;
    base::Point m_half{};
    std::array<double, 9> m_turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::array<double, 9> m_back{1, 0, 0, 0, 1, 0, 0, 0, 1}; ///< the inverse
};

/// Calls `edge` with the corners of TurnedBox::corners() at both ends of each of the 12 edges.
template <class Edge> void eachEdge(const Edge& edge) {
    for (std::size_t corner = 0; corner < 8; ++corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (((corner >> axis) & 1U) == 0) {
                edge(corner, corner | (std::size_t{1} << axis));
            }
        }
    }
}

} // namespace flcc::viz::detail
