#include "engine/rotation/turn.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/rotation/cubic_row.h"

namespace flcc::rotation {

using detail::centreOf;
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

base::Point applied(const Matrix& m, const base::Point& v) {
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

double onVoxel(double place) {
    const double whole = std::round(place);
    return std::abs(place - whole) < kSnap ? whole : place;
}

/// The least extent of at least `least`, odd or even as it is, whose voxels reach as far from the
/// centre as `reach`.
std::int64_t extentFor(double reach, std::int64_t least) {
    const bool even = least % 2 == 0;
    const double far = reach + kSnap;
    const auto needed = even ? 2 * static_cast<std::int64_t>(std::floor(far + 0.5))
                             : 2 * static_cast<std::int64_t>(std::floor(far)) + 1;
    return std::max(least, needed);
}

} // namespace

Turner::Turner(const base::AnyView& pixels, const base::View<const std::uint8_t>& support,
               bool flat, bool inDouble, const base::View<const float>& weights)
    : m_voxels(pixels, support, flat, weights), m_inDouble(inDouble) {}

bool Turner::isSameAs(const Turner& other) const {
    return m_inDouble == other.m_inDouble && m_voxels.isSameAs(other.m_voxels);
}

base::Extents Turner::extentsOf(const Pose& pose) const {
    const base::Extents& n = extents();
    const Matrix m = matrixOf(pose);
    base::Point reach{0, 0, 0};
    if (m_voxels.radius >= 0) {
        reach.fill(m_voxels.radius * pose.scale);
    } else {
        // The outermost voxels of each row that count; half a voxel more belongs to each.
        base::Point half{0, 0, 0};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t column = 0; column < (m_voxels.flat ? 2U : 3U); ++column) {
                half[axis] += std::abs(m[3 * axis + column]) / 2;
            }
        }
        for (std::int64_t z = 0; z < n.z; ++z) {
            for (std::int64_t y = 0; y < n.y; ++y) {
                const auto take = [&](std::int64_t x) {
                    const base::Point far = applied(
                        m, {static_cast<double>(x) - m_voxels.centre[0],
                            static_cast<double>(y) - m_voxels.centre[1],
                            m_voxels.flat ? 0.0 : static_cast<double>(z) - m_voxels.centre[2]});
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        reach[axis] = std::max(reach[axis], std::abs(far[axis]) + half[axis]);
                    }
                };
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
                    take(first);
                    take(last);
                }
            }
        }
    }
    return {extentFor(reach[0], n.x), extentFor(reach[1], n.y),
            m_voxels.flat ? n.z : extentFor(reach[2], n.z)};
}

namespace {

/// Calls `visit` for the voxels of a box with offset and place; it returns false to end.
template <class Visit>
void forPlaces(const Pose& pose, const base::Extents& box, const base::Point& centre, bool flat,
               const Visit& visit) {
    const Matrix back = inverseOf(pose);
    const base::Point middle = centreOf(box);
    for (std::int64_t z = 0; z < box.z; ++z) {
        for (std::int64_t y = 0; y < box.y; ++y) {
            for (std::int64_t x = 0; x < box.x; ++x) {
                const base::Point offset{static_cast<double>(x) - middle[0],
                                         static_cast<double>(y) - middle[1],
                                         flat ? 0.0 : static_cast<double>(z) - middle[2]};
                base::Point place = applied(back, offset);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    place[axis] = onVoxel(place[axis] + centre[axis]);
                }
                if (flat) {
                    place[2] = static_cast<double>(z);
                }
                if (!visit(base::Index{x, y, z}, offset, place)) {
                    return;
                }
            }
        }
    }
}

} // namespace

/// What turned() makes where the template does not become smaller. Runs of voxels that lie deep in
/// the support are vectors.
template <class Voxel>
void Turner::fillRows(const Pose& pose, base::Image<Voxel>& image, TurnedTemplate& made) const {
    const base::Extents& box = image.extents();
    const base::Extents& n = extents();
    const Matrix back = inverseOf(pose);
    const base::Point middle = centreOf(box);
    detail::RowOfPlaces row(box.x);
    std::vector<double> line(static_cast<std::size_t>(box.x));
    Sampler sampler{m_voxels, 1.0};
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
            float* const weights =
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
            row.inside[at] = m_voxels.counts(own, place, scale) ? 1 : 0;
            row.deep[at] = row.deep[at] & row.inside[at];
        }
    }
}

TurnedTemplate Turner::turned(const Pose& pose, const base::Extents& box) const {
    TurnedTemplate made;
    made.support = base::Image<std::uint8_t>(box, 0);
    made.whole = m_voxels.weights.empty();
    if (!m_voxels.weights.empty()) {
        made.weights = base::Image<float>(box, 0.0F);
    }
    const auto fill = [&](auto& image) {
        using Voxel = std::remove_cvref_t<decltype(*image.data())>;
        if (pose.scale >= 1) {
            fillRows(pose, image, made);
            return;
        }
        Sampler sampler{m_voxels, 1 / pose.scale};
        forPlaces(pose, box, m_voxels.centre, m_voxels.flat,
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

bool Turner::isWhole(const Pose& pose, const base::Extents& box) const {
    bool whole = m_voxels.weights.empty();
    forPlaces(pose, box, m_voxels.centre, m_voxels.flat,
              [&](const base::Index&, const base::Point& offset, const base::Point& place) {
                  whole = whole && m_voxels.counts(offset, place, pose.scale);
                  return whole;
              });
    return whole;
}

} // namespace flcc::rotation
