#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/match/detail/scene_spline.h"
#include "engine/method/canonical.h"
#include "engine/method/masked_view.h"
#include "engine/rotation/orientation.h"

namespace flcc::match::detail {

/// What an alignment may change.
struct Freedom {
    std::array<bool, 3> place{}; ///< the centre along each axis of the scene
    bool turn = false;           ///< about z of a flat template, about all axes of others
    bool scale = false;
    bool flat = true; ///< turns in the plane alone, and each slice is on its own
};

/// How far an alignment may go from its start.
struct Reach {
    double place = 1; ///< voxels on each axis
    double turn = 0;  ///< degrees
    double least = 1; ///< scale
    double most = 1;  ///< scale
};

/// A pose and a place in the scene.
struct Lie {
    rotation::Pose pose{};
    base::Point centre{0, 0, 0}; ///< of the template, scene voxels
};

struct Aligned {
    Lie lie;
    /// The correlation coefficient of the template with the scene between its voxels there.
    double score = 0;
    /// Standard errors of what was free, 0 of the rest: voxels, degrees about the axes of the
    /// scene, and a factor. They hold where what is left of the scene differs from voxel to voxel
    /// by chance.
    base::Point place{0, 0, 0};
    base::Point turn{0, 0, 0};
    double scale = 0;
    bool scaleEnds = false; ///< the best scale may lie beyond the reach
    int steps = 0;
};

/// Aligns a template with a scene by least squares: the scene, interpolated between its voxels by
/// cubic B-splines, is compared with the template's own voxels, and pose and place are changed
/// until the correlation coefficient is largest. Derivatives are differences of the interpolated
/// scene two voxels of the template apart.
/// Why the scene is interpolated and not the template: all voxels of the template take part
/// whatever the pose is, and the blur of interpolation draws no place to the grid.
/// **Source**: Evangelidis, Psarakis, IEEE Trans. PAMI 30, 2008 (the step); NUMERICS.md, section 8.
class Alignment {
  public:
    /// From offsets of the template, in voxels from its centre, to offsets in the scene.
    using MatrixOf = std::function<rotation::Matrix(const rotation::Pose&)>;

    /// `templ`: as it lies where `matrixOf` is the identity; must outlive this object. `middle`:
    /// its centre, from its first voxel. All lies are within `reach` of `start`.
    Alignment(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
              const base::Point& middle, const Freedom& freedom, const Reach& reach,
              const Lie& start, MatrixOf matrixOf);

    /// Empty where the template is not like the scene there, too little of it counts, or the best
    /// lie is out of reach. `limit`: at most so many steps. **Cost**: about 5 to 10 samples of the
    /// scene a voxel of the template.
    [[nodiscard]] std::optional<Aligned> run(int limit, const std::stop_token& stop = {});

  private:
    static constexpr int kMost = 7; ///< coordinates: place, turn, scale

    /// Weighted sums of products of: the scene, its derivatives, the template, and 1.
    struct Sums {
        double score = 0;
        /// About the means: scene, derivatives, template; then derivatives of the template.
        std::array<std::array<double, 2 * kMost + 2>, 2 * kMost + 2> of{};
        double weight = 0;
        double count = 0;
        bool withTemplate = false; ///< the derivatives of the template are there
    };
    /// Of the coordinates, without what the scene itself explains: scene by scene, scene by
    /// template, and by the template's values.
    struct Parts {
        std::array<std::array<double, kMost>, kMost> square{};
        std::array<std::array<double, kMost>, kMost> mixed{};
        std::array<double, kMost> values{};
        double scene = 0; ///< squares of the scene without noise
    };
    [[nodiscard]] double shareOfScene(const Sums& sums) const;
    [[nodiscard]] Parts partsOf(const Sums& sums) const;

    [[nodiscard]] std::optional<Sums> sumsAt(const Lie& lie, bool withTemplate);
    void sample(const Lie& lie, const rotation::Matrix& forward);
    [[nodiscard]] std::optional<std::array<double, kMost>> stepOf(const Sums& sums,
                                                                  double damping) const;
    [[nodiscard]] Lie moved(const Lie& lie, const std::array<double, kMost>& step) const;
    [[nodiscard]] bool inReach(const Lie& lie) const;
    [[nodiscard]] rotation::Matrix wayOf(const Lie& lie, int axis) const;
    [[nodiscard]] double lengthOf(const std::array<double, kMost>& step) const;
    void setErrors(const Sums& sums, Aligned& to) const;

    Freedom m_freedom;
    Reach m_reach;
    double m_radius = 0; ///< scene voxels from the centre to the farthest voxel at the start
    Lie m_start;
    base::Point m_middle;
    MatrixOf m_matrixOf;
    SceneSpline m_scene;
    base::Extents m_templ;
    base::Extents m_padded; ///< a voxel more to each side, also along z where the scene is deep
    bool m_deep;
    std::vector<float> m_values;
    std::vector<float> m_weights;
    /// Of each row of the template, the first voxel that counts and the one behind the last.
    std::vector<std::array<std::int64_t, 2>> m_counted;
    std::vector<std::array<std::int64_t, 2>> m_needed; ///< the same of rows of m_padded
    std::vector<float> m_sampled;                      ///< the scene at the voxels of m_padded
    std::vector<float> m_counts;
    std::vector<int> m_axes; ///< coordinates that are free: 0 to 2 place, 3 to 5 turn, 6 scale
};

} // namespace flcc::match::detail
