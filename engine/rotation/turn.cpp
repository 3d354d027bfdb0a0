#include "engine/rotation/turn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/rotation/detail/cubic_row.h"

namespace flcc::rotation {

using detail::kSnap;
using detail::Sampler;

namespace {

/// scale^-1 F M^T, which takes offsets of a pose to offsets of the template.
Matrix inverseOf(const Pose& pose) {
    Matrix m = transposed(matrixOf(pose.turn));
    for (std::size_t i = 0; i < 9; ++i) {
        m[i] *= (i < 3 && pose.mirrored ? -1 : 1) / pose.scale;
    }
    return m;
}

double onVoxel(double place) {
    const double whole = std::round(place);
    return std::abs(place - whole) < kSnap ? whole : place;
}

base::Point times(const base::Point& a, const base::Point& b) {
    return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

/// Edges in the shortest one of a scene voxel: where all are equal, all are exactly 1. Slices on
/// their own have no edge along z.
VoxelEdges inShortest(const VoxelEdges& edges, bool flat) {
    const std::size_t axes = flat ? 2 : 3;
    const double unit = *std::min_element(edges.scene.begin(), edges.scene.begin() + axes);
    VoxelEdges made;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        made.templ[axis] = edges.templ[axis] / unit;
        made.scene[axis] = edges.scene[axis] / unit;
    }
    return made;
}

/// The axis of the template that a pose takes to this axis of the scene; empty if it takes none.
std::optional<std::size_t> axisAt(const Matrix& turn, std::size_t axis) {
    for (std::size_t from = 0; from < 3; ++from) {
        if (std::abs(turn[3 * axis + from]) == 1) {
            return from;
        }
    }
    return std::nullopt;
}

} // namespace

Turner::Turner(const base::AnyView& pixels, const base::View<const std::uint8_t>& support,
               bool flat, bool inDouble, const base::View<const double>& weights,
               const VoxelEdges& edges)
    : m_edges(inShortest(edges, flat)), m_voxels(pixels, support, flat, weights, m_edges.templ),
      m_inDouble(inDouble) {}

bool Turner::isSameAs(const Turner& other) const {
    return m_inDouble == other.m_inDouble && m_edges == other.m_edges &&
           m_voxels.isSameAs(other.m_voxels);
}

base::Extents Turner::unturned() const {
    const base::Extents& n = extents();
    const auto scaled = [&](std::int64_t length, std::size_t axis) {
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(length) *
                                                      m_edges.templ[axis] / m_edges.scene[axis]));
    };
    return {scaled(n.x, 0), scaled(n.y, 1), m_voxels.flat ? n.z : scaled(n.z, 2)};
}

Matrix Turner::matrixOf(const Pose& pose) const {
    Matrix m = rotation::matrixOf(pose);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            m[3 * row + column] *= m_edges.templ[column] / m_edges.scene[row];
        }
    }
    return m;
}

/// From offsets of a pose to offsets of the template, in voxels of each.
Matrix Turner::backOf(const Pose& pose) const {
    Matrix m = inverseOf(pose);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            m[3 * row + column] *= m_edges.scene[column] / m_edges.templ[row];
        }
    }
    return m;
}

/// Along each axis of the template the distance of two grid points of the scene, at least 1 voxel:
/// of the ellipsoid about a scene voxel, the half axis in that direction.
base::Point Turner::widthsOf(const Pose& pose) const {
    const Matrix turn = rotation::matrixOf(pose.turn);
    base::Point widths{1, 1, 1};
    for (std::size_t axis = 0; axis < (m_voxels.flat ? 2U : 3U); ++axis) {
        double square = 0; // 1 of cubes
        for (std::size_t row = 0; row < 3; ++row) {
            const double edge = turn[3 * row + axis] * m_edges.scene[row];
            square += edge * edge;
        }
        constexpr double kRounding = 1e-12;
        const double length = std::abs(square - 1) < kRounding ? 1 : std::sqrt(square);
        const double width = length / (m_edges.templ[axis] * pose.scale);
        widths[axis] = width > 1 + kRounding ? width : 1;
    }
    return widths;
}

Turner::Reach Turner::reachOf(const Pose& pose) const {
    const base::Extents& n = extents();
    const Matrix m = matrixOf(pose);
    Reach reach;
    if (m_voxels.radius >= 0) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            reach.high[axis] = m_voxels.radius * pose.scale / m_edges.scene[axis];
            reach.low[axis] = -reach.high[axis];
        }
        return reach;
    }
    // The outermost voxels of each row that count; half a voxel more belongs to each.
    base::Point half{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t column = 0; column < (m_voxels.flat ? 2U : 3U); ++column) {
            half[axis] += std::abs(m[3 * axis + column]) / 2;
        }
    }
    constexpr double kNone = std::numeric_limits<double>::infinity();
    reach = {{kNone, kNone, kNone}, {-kNone, -kNone, -kNone}};
    const auto take = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const base::Point far =
            rotation::apply(m, {static_cast<double>(x) - m_voxels.centre[0],
                                static_cast<double>(y) - m_voxels.centre[1],
                                m_voxels.flat ? 0.0 : static_cast<double>(z) - m_voxels.centre[2]});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            reach.low[axis] = std::min(reach.low[axis], far[axis] - half[axis]);
            reach.high[axis] = std::max(reach.high[axis], far[axis] + half[axis]);
        }
    };
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            const std::uint8_t* const row =
                m_voxels.support.empty() ? nullptr : m_voxels.support.view().row(y, z);
            const auto in = [row](std::int64_t x) { return row == nullptr || row[x] != 0; };
            std::int64_t first = 0;
            while (first < n.x && !in(first)) {
                ++first;
            }
            std::int64_t last = n.x - 1;
            while (last > first && !in(last)) {
                --last;
            }
            if (first < n.x) {
                take(first, y, z);
                take(last, y, z);
            }
        }
    }
    return reach.low[0] <= reach.high[0] ? reach : Reach{}; // nothing counts
}

std::array<bool, 3> Turner::isBetween(const Pose& pose) const {
    const base::Extents own = extents();
    const base::Extents whole = unturned();
    const std::array<std::int64_t, 3> lengths{own.x, own.y, own.z};
    const std::array<std::int64_t, 3> resting{whole.x, whole.y, whole.z};
    const Matrix turn = rotation::matrixOf(pose.turn);
    const Matrix m = matrixOf(pose);
    std::array<bool, 3> between{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        between[axis] = resting[axis] % 2 == 0;
        const auto from = axisAt(turn, axis);
        if (!from || (m_voxels.flat && axis == 2)) {
            continue;
        }
        constexpr double kNear = 1e-6;
        const double length = std::abs(m[3 * axis + *from]) * static_cast<double>(lengths[*from]);
        if (std::abs(length - std::round(length)) < kNear) { // whole voxels of the scene
            between[axis] = std::llround(length) % 2 == 0;
        }
    }
    return between;
}

/// Lines of the scene, and whether a voxel of one counts in a pose.
class Turner::Lines {
  public:
    Lines(const Turner& of, const Pose& pose)
        : m_of(of), m_scale(pose.scale), m_back(of.backOf(pose)) {}

    /// Whether a voxel counts of those from `first` to `last` along `axis`; the others of `offset`
    /// are those of the line. All are offsets from the centre of the pose.
    [[nodiscard]] bool count(base::Point offset, std::size_t axis, double first,
                             double last) const {
        if (m_of.m_voxels.radius >= 0) { // the nearest one decides
            first = last = std::clamp(first - std::round(first), first, last);
        } else {
            narrow(offset, axis, first, last);
        }
        for (offset[axis] = first; offset[axis] <= last; ++offset[axis]) {
            base::Point place = rotation::apply(m_back, offset);
            for (std::size_t i = 0; i < 3; ++i) {
                place[i] = onVoxel(place[i] + m_of.m_voxels.centre[i]);
            }
            if (m_of.m_voxels.counts(times(m_of.m_edges.scene, offset), place, m_scale)) {
                return true;
            }
        }
        return false;
    }

  private:
    /// Leaves out most voxels that lie outside of the template.
    void narrow(base::Point offset, std::size_t axis, double& first, double& last) const {
        offset[axis] = 0;
        const base::Point rest = rotation::apply(m_back, offset);
        const base::Extents& n = m_of.extents();
        const base::Point reach{static_cast<double>(n.x) / 2, static_cast<double>(n.y) / 2,
                                static_cast<double>(n.z) / 2};
        double low = first;
        double high = last;
        for (std::size_t i = 0; i < (m_of.m_voxels.flat ? 2U : 3U); ++i) {
            const double slope = m_back[3 * i + axis];
            const double most = reach[i] + kSnap;
            if (std::abs(slope) > kSnap) {
                const double one = (-most - rest[i]) / slope;
                const double other = (most - rest[i]) / slope;
                low = std::max(low, std::min(one, other));
                high = std::min(high, std::max(one, other));
            } else if (std::abs(rest[i]) > most + std::abs(slope) * (last - first + 1)) {
                high = low - 1;
            }
        }
        // Voxels of the line, one more at each end for rounding.
        const double before = std::max(0.0, std::floor(low - first));
        last = std::min(last, first + std::ceil(high - first));
        first += before;
    }

    const Turner& m_of;
    double m_scale;
    Matrix m_back;
};

Frame Turner::frameOf(const Pose& pose) const {
    const Reach reach = reachOf(pose);
    const std::array<bool, 3> between = isBetween(pose);
    const std::size_t axes = m_voxels.flat ? 2 : 3;
    base::Point low{0, 0, 0}; // offsets of the outermost voxels
    base::Point high{0, 0, 0};
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double part = between[axis] ? 0.5 : 0; // of a voxel, from one to the centre
        low[axis] = std::ceil(reach.low[axis] + part - kSnap) - part;
        high[axis] = std::max(low[axis], std::floor(reach.high[axis] + part + kSnap) - part);
    }
    // The outline holds corners of voxels that have no voxel of the scene in them.
    const Lines lines(*this, pose);
    const auto isEmpty = [&](std::size_t axis, double at) {
        const std::size_t along = axis == 0 ? 1 : 0;
        const std::size_t across = axis == 2 ? 1 : 2;
        base::Point offset{0, 0, 0};
        offset[axis] = at;
        for (offset[across] = low[across]; offset[across] <= high[across]; ++offset[across]) {
            if (lines.count(offset, along, low[along], high[along])) {
                return false;
            }
        }
        return true;
    };
    Frame frame{extents(), m_voxels.centre};
    std::array<std::int64_t, 3> lengths{1, 1, extents().z};
    const bool shrinks = !m_voxels.flat || extents().z == 1; // else slices may have other masks
    for (std::size_t axis = 0; axis < axes; ++axis) {
        while (shrinks && low[axis] < high[axis] && isEmpty(axis, low[axis])) {
            ++low[axis];
        }
        while (shrinks && low[axis] < high[axis] && isEmpty(axis, high[axis])) {
            --high[axis];
        }
        lengths[axis] = std::llround(high[axis] - low[axis]) + 1;
        frame.centre[axis] = -low[axis];
    }
    frame.extents = {lengths[0], lengths[1], lengths[2]};
    return frame;
}

/// Calls `visit` for the voxels of a box with their offset in lengths and their place; it returns
/// false to end.
template <class Visit>
void Turner::forPlaces(const Pose& pose, const Frame& frame, const Visit& visit) const {
    const Matrix back = backOf(pose);
    const base::Extents& box = frame.extents;
    for (std::int64_t z = 0; z < box.z; ++z) {
        for (std::int64_t y = 0; y < box.y; ++y) {
            for (std::int64_t x = 0; x < box.x; ++x) {
                const base::Point offset{static_cast<double>(x) - frame.centre[0],
                                         static_cast<double>(y) - frame.centre[1],
                                         m_voxels.flat ? 0.0
                                                       : static_cast<double>(z) - frame.centre[2]};
                base::Point place = rotation::apply(back, offset);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    place[axis] = onVoxel(place[axis] + m_voxels.centre[axis]);
                }
                if (m_voxels.flat) {
                    place[2] = static_cast<double>(z);
                }
                if (!visit(base::Index{x, y, z}, times(m_edges.scene, offset), place)) {
                    return;
                }
            }
        }
    }
}

/// What turned() makes where the new grid is not coarser. Runs of voxels that lie deep in
/// the support are vectors.
template <class Voxel>
void Turner::fillRows(const Pose& pose, const base::Point& middle, base::Image<Voxel>& image,
                      TurnedTemplate& made) const {
    const base::Extents& box = image.extents();
    const base::Extents& n = extents();
    const Matrix back = backOf(pose);
    detail::RowOfPlaces row(box.x);
    std::vector<double> line(static_cast<std::size_t>(box.x));
    Sampler sampler{m_voxels, {1, 1, 1}};
    for (std::int64_t z = 0; z < box.z; ++z) {
        const std::int64_t slice = m_voxels.flat ? z : -1;
        const std::int64_t first = m_voxels.flat ? z * n.x * n.y : 0;
        for (std::int64_t y = 0; y < box.y; ++y) {
            const base::Point offset{-middle[0], static_cast<double>(y) - middle[1],
                                     m_voxels.flat ? 0.0 : static_cast<double>(z) - middle[2]};
            row.set(back, offset, m_voxels.centre, n, slice, kSnap, box.x);
            leaveOut(row, offset, pose.scale);
            Voxel* const values = image.view().row(y, z);
            std::uint8_t* const support = made.support.view().row(y, z);
            double* const weights =
                m_voxels.weights.empty() ? nullptr : made.weights.view().row(y, z);
            std::fill_n(values, row.from, Voxel{0});
            std::fill(values + row.to, values + box.x, Voxel{0});
            made.whole = made.whole && row.from == 0 && row.to == box.x;
            const std::int64_t count = row.to - row.from;
            for (std::int64_t i = 0; i < count;) {
                std::int64_t end = i;
                while (end < count && row.deep[static_cast<std::size_t>(end)] != 0) {
                    ++end;
                }
                if (end > i) {
                    detail::cubicRow(row, i, end, m_voxels.flat, m_voxels.values.data() + first, n,
                                     line.data());
                    if (weights != nullptr) {
                        detail::linearRow(row, i, end, m_voxels.flat,
                                          m_voxels.weights.data() + first, n, weights + row.from);
                    }
                    std::fill(support + row.from + i, support + row.from + end, 1);
                    std::transform(line.begin() + i, line.begin() + end, values + row.from + i,
                                   [](double value) { return static_cast<Voxel>(value); });
                    i = end;
                    continue;
                }
                const auto at = static_cast<std::size_t>(i);
                const std::int64_t x = row.from + i;
                const bool in = row.inside[at] != 0;
                const base::Point place{row.place[0][at], row.place[1][at], row.place[2][at]};
                support[x] = in ? 1 : 0;
                values[x] = in ? static_cast<Voxel>(sampler.atRim(place)) : Voxel{0};
                if (in && weights != nullptr) {
                    weights[x] = sampler.weightAt(place);
                }
                made.whole = made.whole && in;
                ++i;
            }
        }
    }
}

/// Of a template with a support, which voxels of a row count, and which lie deep in it.
void Turner::leaveOut(detail::RowOfPlaces& row, const base::Point& offset, double scale) const {
    if (m_voxels.support.empty()) {
        return;
    }
    const base::Extents& n = extents();
    const std::int64_t count = row.to - row.from;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const base::Point place{row.place[0][at], row.place[1][at], row.place[2][at]};
        if (row.deep[at] != 0) {
            const auto x = static_cast<std::int64_t>(place[0]);
            const auto y = static_cast<std::int64_t>(place[1]);
            const auto z = static_cast<std::int64_t>(place[2]);
            row.deep[at] = m_voxels.deep[static_cast<std::size_t>((z * n.y + y) * n.x + x)];
        }
        if (m_voxels.radius >= 0 || (row.deep[at] == 0 && row.inside[at] != 0)) {
            const base::Point own{offset[0] + static_cast<double>(row.from + i), offset[1],
                                  offset[2]};
            row.inside[at] = m_voxels.counts(times(m_edges.scene, own), place, scale) ? 1 : 0;
            row.deep[at] = row.deep[at] & row.inside[at];
        }
    }
}

TurnedTemplate Turner::turned(const Pose& pose, const Frame& frame) const {
    const base::Extents& box = frame.extents;
    TurnedTemplate made;
    made.support = base::Image<std::uint8_t>(box, 0);
    made.whole = m_voxels.weights.empty();
    if (!m_voxels.weights.empty()) {
        made.weights = base::Image<double>(box, 0.0);
    }
    const base::Point widths = widthsOf(pose);
    const auto fill = [&](auto& image) {
        using Voxel = std::remove_cvref_t<decltype(*image.data())>;
        if (widths == base::Point{1, 1, 1}) {
            fillRows(pose, frame.centre, image, made);
            return;
        }
        Sampler sampler{m_voxels, widths};
        forPlaces(pose, frame,
                  [&](const base::Index& at, const base::Point& offset, const base::Point& place) {
                      const bool in = m_voxels.counts(offset, place, pose.scale);
                      made.support.view().at(at) = in ? 1 : 0;
                      image.view().at(at) = in ? static_cast<Voxel>(sampler.at(place)) : Voxel{0};
                      if (in && !m_voxels.weights.empty()) {
                          made.weights.view().at(at) = sampler.weightAt(place);
                      }
                      made.whole = made.whole && in;
                      return true;
                  });
    };
    if (m_inDouble) {
        base::Image<double> image(box);
        fill(image);
        made.pixels = std::move(image);
    } else {
        base::Image<float> image(box);
        fill(image);
        made.pixels = std::move(image);
    }
    return made;
}

base::Image<std::uint8_t> Turner::supportOf(const Pose& pose, const Frame& frame) const {
    base::Image<std::uint8_t> support(frame.extents, 0);
    forPlaces(pose, frame,
              [&](const base::Index& at, const base::Point& offset, const base::Point& place) {
                  support.view().at(at) = m_voxels.counts(offset, place, pose.scale) ? 1 : 0;
                  return true;
              });
    return support;
}

bool Turner::isWhole(const Pose& pose, const Frame& frame) const {
    bool whole = m_voxels.weights.empty();
    forPlaces(pose, frame,
              [&](const base::Index&, const base::Point& offset, const base::Point& place) {
                  whole = whole && m_voxels.counts(offset, place, pose.scale);
                  return whole;
              });
    return whole;
}

} // namespace flcc::rotation
