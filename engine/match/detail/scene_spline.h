#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/method/masked_view.h"

namespace flcc::match::detail {

/// The voxels of a box of a scene, interpolated between them by cubic B-splines.
/// A voxel that is NaN, infinite or outside of the mask takes the mean of its neighbours, one
/// beyond the border the value of the nearest voxel; places nearest to such voxels do not count.
/// Values are (scene - level) / unit, near 0 and at most about 1.
/// **Source**: Unser, Aldroubi, Eden, IEEE Trans. Signal Processing 41, 1993, part I, 2.
/// **Threads**: const functions may be called at once.
class SceneSpline {
  public:
    /// `box`: in scene voxels; it may leave the scene. `deep`: interpolated along z too; if not,
    /// places have a whole z. **Cost**: three passes over the box.
    SceneSpline(const method::MaskedView& scene, const base::Box& box, bool deep);

    /// The values at `from` + i `step`, i below `count`, in scene voxels; `counts[i]` is 1, or 0
    /// where the place does not count. **Cost**: 16 or 64 products a value.
    void row(const base::Point& from, const base::Point& step, std::int64_t count, float* values,
             float* counts) const;

  private:
    void read(const method::MaskedView& scene, const base::Box& box,
              std::vector<std::uint8_t>& unknown);
    void fill(std::vector<std::uint8_t>& unknown);
    void filter();

    base::Extents m_box;  ///< with a margin for the kernel
    base::Index m_corner; ///< of m_box in the scene
    bool m_deep;
    std::vector<float> m_values;        ///< coefficients of the splines
    std::vector<std::uint8_t> m_counts; ///< empty where all voxels count
};

} // namespace flcc::match::detail
