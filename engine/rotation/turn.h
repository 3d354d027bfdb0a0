#pragma once

#include <array>
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
    base::Image<double> weights{};     ///< above 0 where it counts; empty without weights
    bool whole = false;                ///< all voxels count, without weights
};

/// Edge lengths of the voxels of a template and of the scene that it is compared with, in one unit.
struct VoxelEdges {
    base::Point templ{1, 1, 1};
    base::Point scene{1, 1, 1};
    friend bool operator==(const VoxelEdges&, const VoxelEdges&) = default;
};

/// A box of voxels about a template in a pose, and where the template's centre lies in it, from the
/// centre of its first voxel.
struct Frame {
    base::Extents extents;
    base::Point centre{0, 0, 0};
};

/// Brings a template into poses about its centre, (m - 1) / 2 on each axis. Poses turn and scale
/// lengths: with oblong voxels the object keeps its shape in space, not in voxels.
///
/// **Values.** The voxel at offset o from the centre of the pose gets the template's value at the
/// place p = E_t^-1 A^-1 E_s o, with A = matrixOf(pose) and E_t, E_s the diagonal matrices of the
/// edges, by cubic convolution along each axis of the template: the kernel of Keys with a = -1/2,
/// which reproduces polynomials of degree 2. Where the new grid is coarser along an axis of the
/// template, the kernel is as many times as wide (widthsOf), so that nothing finer than the grid is
/// left to alias, and is divided by the sum of its weights. If a voxel under the kernel does not
/// count, the value is the mean of the voxels that count, with the weights of a triangle of half
/// that width: nothing from outside of the support enters.
///
/// **Support.** The voxel counts if the voxel of the template that is nearest to p counts; outside
/// of the template nothing does. A round support (all voxels within a distance of the centre, in
/// space) stays round: the voxel counts if |E_s o| <= scale radius, so that a turn does not change
/// it.
///
/// **Weights.** A voxel that counts has the linear mean of the weights about p, by the rule above.
///
/// A turn by 90 degrees between axes of equal edges gives the voxels of the template bit for bit,
/// if float32 holds them and the centre lies as frameOf() puts it.
/// **Source**: Keys, IEEE Trans. ASSP 29, 1981, equation 15. **Threads**: const functions may be
/// called at once.
class Turner {
  public:
    /// `support` and `weights`: without voxels, or of the extents of the template; weights lie
    /// between 0 and 1, and above 0 where the voxel counts. `flat`: the slices of the
    /// template are turned on their own, each in its plane, by turns in the plane. `inDouble`: the
    /// pixels of poses are float64.
    Turner(const base::AnyView& pixels, const base::View<const std::uint8_t>& support, bool flat,
           bool inDouble, const base::View<const double>& weights = {},
           const VoxelEdges& edges = {});

    [[nodiscard]] const base::Extents& extents() const { return m_voxels.extents(); }
    /// In the shortest edge of a scene voxel.
    [[nodiscard]] const VoxelEdges& edges() const { return m_edges; }
    /// The radius of a round support, in the unit of the edges; else negative.
    [[nodiscard]] double radius() const { return m_voxels.radius; }
    [[nodiscard]] bool isWeighted() const { return !m_voxels.weights.empty(); }
    /// Whether all poses are the same.
    [[nodiscard]] bool isSameAs(const Turner& other) const;

    /// Extents of the template in scene voxels before it is turned: its own where the edges are
    /// equal, else rounded.
    [[nodiscard]] base::Extents unturned() const;

    /// From offsets of the template, in its voxels, to offsets in the scene, in its voxels.
    [[nodiscard]] Matrix matrixOf(const Pose& pose) const;

    /// The offsets from the centre, in scene voxels, between which all that counts lies.
    struct Reach {
        base::Point low{0, 0, 0};
        base::Point high{0, 0, 0};
    };
    [[nodiscard]] Reach reachOf(const Pose& pose) const;

    /// Whether the centre of a pose lies on a voxel of the scene along an axis or between two.
    /// Where the pose takes axes of the template to axes of the scene, as for the template as it
    /// lies there; else as for unturned().
    [[nodiscard]] std::array<bool, 3> isBetween(const Pose& pose) const;

    /// The least box that holds all voxels that count in this pose, about a centre as isBetween()
    /// says.
    [[nodiscard]] Frame frameOf(const Pose& pose) const;

    /// The template in a pose, in a box; the centre may lie anywhere in it. **Cost**: 16 (flat) or
    /// 64 products for each voxel that counts; more where the new grid is coarser.
    [[nodiscard]] TurnedTemplate turned(const Pose& pose, const Frame& frame) const;

    /// TurnedTemplate::support of turned() alone. **Cost**: a product of matrix and vector for each
    /// voxel of the box.
    [[nodiscard]] base::Image<std::uint8_t> supportOf(const Pose& pose, const Frame& frame) const;

    /// Whether support and pose leave no voxel of the box out. **Cost**: that of the support alone.
    [[nodiscard]] bool isWhole(const Pose& pose, const Frame& frame) const;

  private:
    class Lines;
    [[nodiscard]] Matrix backOf(const Pose& pose) const;
    [[nodiscard]] base::Point widthsOf(const Pose& pose) const;
    template <class Voxel>
    void fillRows(const Pose& pose, const base::Point& centre, base::Image<Voxel>& image,
                  TurnedTemplate& made) const;
    void leaveOut(detail::RowOfPlaces& row, const base::Point& offset, double scale) const;
    template <class Visit>
    void forPlaces(const Pose& pose, const Frame& frame, const Visit& visit) const;

    VoxelEdges m_edges; ///< in the shortest edge of a scene voxel
    detail::TemplateVoxels m_voxels;
    bool m_inDouble;
};

} // namespace flcc::rotation
