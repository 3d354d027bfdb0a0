#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/prepare/response.h"
#include "engine/rotation/turn.h"

namespace flcc::prepare {

/// Filters templates in boxes of one size.
///
/// A template v with the weights w (1 where it counts, without weights) becomes w (v - mean), the
/// mean being sum w v / sum w, times the power of two that brings the largest below 1. This lies in
/// the corner of a box of zeros of at least twice the extents on each axis that has more than one
/// voxel, is transformed, multiplied by the response and transformed back. Voxels that do not count
/// are 0 in the result. **Threads**: const functions may be called at once.
class MemberFilter {
  public:
    /// `spacing`: of the voxels of the scene. **Cost**: one response for each point.
    MemberFilter(const base::Extents& box, const base::Point& spacing, const Response& response);
    ~MemberFilter();
    MemberFilter(const MemberFilter&) = delete;
    MemberFilter& operator=(const MemberFilter&) = delete;

    [[nodiscard]] const base::Extents& points() const { return m_points; }
    /// Memory of a filter for this box while so many threads use it.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& box, int threads);
    /// Whether a template of these extents lies in the box, as it must.
    [[nodiscard]] bool holds(const base::Extents& templ) const {
        return templ.x <= m_box.x && templ.y <= m_box.y && templ.z <= m_box.z;
    }

    /// `support` and `weights` as of rotation::Turner. **Shapes**: equal, and within
    /// the box. **Cost**: two
    /// transforms of points() in double, in this thread.
    [[nodiscard]] base::Image<double> filtered(const base::AnyView& pixels,
                                               const base::View<const std::uint8_t>& support,
                                               const base::View<const double>& weights) const;
    /// The same in place, with the type of the member's pixels, float32 or float64.
    void apply(rotation::TurnedTemplate& member) const;

  private:
    struct Transform;
    base::Extents m_box;
    base::Extents m_points;
    std::unique_ptr<Transform> m_transform;
};

} // namespace flcc::prepare
