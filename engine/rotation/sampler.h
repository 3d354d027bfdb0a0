#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/image.h"
#include "engine/base/pixels.h"

namespace flcc::rotation::detail {

/// Places as near to a voxel as this lie on it: rounding of a matrix must not blur a quarter turn.
inline constexpr double kSnap = 1e-9;

[[nodiscard]] base::Point centreOf(const base::Extents& n);

template <class Visit> void forVoxels(const base::Extents& n, const Visit& visit) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                visit(x, y, z);
            }
        }
    }
}

/// A template, which of its voxels count, and what is looked up of them.
struct TemplateVoxels {
    base::Image<double> values;        ///< 0 where a voxel does not count
    base::Image<double> weights;       ///< without voxels if there are none
    base::Image<std::uint8_t> support; ///< without voxels if all of them count
    std::vector<std::int64_t> sums;    ///< of the support before each voxel, one voxel larger
    std::vector<std::uint8_t> deep;    ///< all voxels from one before to two behind this one count
    base::Point centre{0, 0, 0};
    double radius = -1; ///< of a round support, in the unit of `edges`; else negative
    bool flat = false;  ///< slices are on their own
    base::Point edges;  ///< of a voxel

    /// `voxelEdges`: edge lengths of a voxel; in them a round support is round.
    TemplateVoxels(const base::AnyView& pixels, const base::View<const std::uint8_t>& mask,
                   bool isFlat, const base::View<const double>& weightView,
                   const base::Point& voxelEdges);

    [[nodiscard]] const base::Extents& extents() const { return values.extents(); }
    [[nodiscard]] bool isSameAs(const TemplateVoxels& other) const;
    /// Whether a voxel of a pose counts, at an offset from its centre in the unit of `edges` and a
    /// place in the template.
    [[nodiscard]] bool counts(const base::Point& offset, const base::Point& place,
                              double scale) const;
    /// Voxels of the support in a box from one voxel up to but not another.
    [[nodiscard]] std::int64_t countIn(const base::Index& from, const base::Index& to) const;

  private:
    void findRadius();
    void sumSupport();
    void findDeep();
};

/// The voxels under a kernel along one axis, and their weights.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weights;

    [[nodiscard]] std::int64_t end() const { return first + std::ssize(weights); }
};

/// Values of a pose at places in the template, one by one. **Threads**: one.
class Sampler {
  public:
    /// `width`: of the kernel along each axis, in voxels of the template.
    Sampler(const TemplateVoxels& of, const base::Point& width) : m_of(of), m_width(width) {}

    /// By the rule of turn.h, where the voxel counts.
    [[nodiscard]] double at(const base::Point& place);
    /// The same, for a place that is not deep, and a kernel of one voxel.
    [[nodiscard]] double atRim(const base::Point& place);
    [[nodiscard]] double weightAt(const base::Point& place);

  private:
    template <class Kernel> void set(const base::Point& place, double half, const Kernel& kernel);
    [[nodiscard]] bool allCount() const;
    [[nodiscard]] double sum() const;
    template <class T>
    [[nodiscard]] double linear(const base::Point& place, const base::Image<T>& of) const;
    template <class T>
    [[nodiscard]] double mean(const base::Point& place, const base::Image<T>& of);

    const TemplateVoxels& m_of;
    base::Point m_width;
    std::array<Taps, 3> m_taps{};
};

} // namespace flcc::rotation::detail
