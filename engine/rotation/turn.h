#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/rotation/orientation.h"
#include "engine/rotation/sampler.h"

namespace flcc::rotation {

namespace detail {
struct RowOfPlaces;
}

/// A template in one pose.
struct TurnedTemplate {
    base::AnyImage pixels;             ///< float32 or float64; 0 where `support` is 0
    base::Image<std::uint8_t> support; ///< 1 where the voxel counts
    base::Image<float> weights{};      ///< above 0 where it counts; empty without weights
    bool whole = false;                ///< all voxels count, without weights
};

/// Brings a template into poses about its centre, (m - 1) / 2 on each axis.
///
/// **Values.** The voxel at offset o from the centre of the pose gets the template's value at
/// p = A^-1 o, A = matrixOf(pose), by cubic convolution along each axis of the template: the kernel
/// of Keys with a = -1/2, which reproduces polynomials of degree 2. Where the template becomes
/// smaller, the kernel is 1 / scale times as wide, so that nothing finer than the new grid is left
/// to alias, and is divided by the sum of its weights. If a voxel under the kernel does not count,
/// the value is the mean of the voxels that count, with the weights of a triangle of half that
/// width: nothing from outside of the support enters.
///
/// **Support.** The voxel counts if the voxel of the template that is nearest to p counts; outside
/// of the template nothing does. A round support (all voxels within a radius of the centre) stays
/// round: the voxel counts if |o| <= scale radius, so that a turn does not change it.
///
/// **Weights.** A voxel that counts has the linear mean of the weights about p, by the rule above.
///
/// A turn by 90 degrees gives the voxels of the template bit for bit, if float32 holds them and the
/// axes that change places have extents that are both even or both odd.
/// **Source**: Keys, IEEE Trans. ASSP 29, 1981, equation 15. **Threads**: const functions may be
/// called at once.
class Turner {
  public:
    /// `support` and `weights`: without voxels, or of the extents of the template; weights lie
    /// between 0 and 1, and above 0 where the voxel counts. `flat`: the slices of the
    /// template are turned on their own, each in its plane, by turns in the plane. `inDouble`: the
    /// pixels of poses are float64.
    Turner(const base::AnyView& pixels, const base::View<const std::uint8_t>& support, bool flat,
           bool inDouble, const base::View<const float>& weights = {});

    [[nodiscard]] const base::Extents& extents() const { return m_voxels.extents(); }
    /// The radius in voxels of a round support; else negative.
    [[nodiscard]] double radius() const { return m_voxels.radius; }
    [[nodiscard]] bool isWeighted() const { return !m_voxels.weights.empty(); }
    /// Whether all poses are the same.
    [[nodiscard]] bool isSameAs(const Turner& other) const;

    /// The least extents, not below those of the template and odd or even as they are, that hold
    /// all voxels that count in this pose.
    [[nodiscard]] base::Extents extentsOf(const Pose& pose) const;

    /// The template in a pose, in a box that differs from the template by an even number on each
    /// axis. **Cost**: 16 (flat) or 64 products for each voxel that counts; more where it is
    /// smaller.
    [[nodiscard]] TurnedTemplate turned(const Pose& pose, const base::Extents& box) const;

    /// Whether support and pose leave no voxel of `box` out. **Cost**: that of the support alone.
    [[nodiscard]] bool isWhole(const Pose& pose, const base::Extents& box) const;

  private:
    template <class Voxel>
    void fillRows(const Pose& pose, base::Image<Voxel>& image, TurnedTemplate& made) const;
    void leaveOut(detail::RowOfPlaces& row, const base::Point& offset, double scale) const;

    detail::TemplateVoxels m_voxels;
    bool m_inDouble;
};

} // namespace flcc::rotation
