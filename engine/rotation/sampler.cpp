#include "engine/rotation/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flcc::rotation::detail {

base::Point centreOf(const base::Extents& n) {
    return {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
            static_cast<double>(n.z - 1) / 2};
}

TemplateVoxels::TemplateVoxels(const base::AnyView& pixels,
                               const base::View<const std::uint8_t>& mask, bool isFlat,
                               const base::View<const double>& weightView,
                               const base::Point& voxelEdges)
    : values(base::extentsOf(pixels)), centre(centreOf(values.extents())), flat(isFlat),
      edges(voxelEdges) {
    const base::Extents& n = extents();
    bool whole = true;
    if (mask.data() != nullptr) {
        support = base::Image<std::uint8_t>(n);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const bool in = mask.at(x, y, z) != 0;
            support.view().at(x, y, z) = in ? 1 : 0;
            whole = whole && in;
        });
    }
    if (whole) {
        support = {};
    }
    std::visit(
        [&](const auto& view) {
            forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                const bool in = whole || support.view().at(x, y, z) != 0;
                values.view().at(x, y, z) = in ? static_cast<double>(view.at(x, y, z)) : 0.0;
            });
        },
        pixels);
    if (weightView.data() != nullptr) {
        weights = base::Image<double>(n);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            weights.view().at(x, y, z) = weightView.at(x, y, z);
        });
    }
    if (!whole) {
        findRadius();
        sumSupport();
        findDeep();
    }
}

bool TemplateVoxels::isSameAs(const TemplateVoxels& other) const {
    const auto same = [](const auto& a, const auto& b) {
        return a.extents() == b.extents() && std::equal(a.data(), a.data() + a.count(), b.data());
    };
    return flat == other.flat && edges == other.edges && same(values, other.values) &&
           same(support, other.support) && same(weights, other.weights);
}

/// A round support has a radius that holds all voxels that count and no others, also none outside
/// of the template.
void TemplateVoxels::findRadius() {
    const base::Extents& n = extents();
    double farthest = -1;
    double nearest = std::numeric_limits<double>::infinity();
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double depth = flat ? 0.0 : edges[2] * (static_cast<double>(z) - centre[2]);
        const double distance = std::hypot(edges[0] * (static_cast<double>(x) - centre[0]),
                                           edges[1] * (static_cast<double>(y) - centre[1]), depth);
        if (support.view().at(x, y, z) != 0) {
            farthest = std::max(farthest, distance);
        } else {
            nearest = std::min(nearest, distance);
        }
    });
    const auto outside = [&](std::size_t axis) { return edges[axis] * (centre[axis] + 1); };
    const double room = std::min({outside(0), outside(1), flat ? outside(0) : outside(2)});
    radius = farthest < nearest && farthest < room ? farthest : -1;
}

void TemplateVoxels::sumSupport() {
    const base::Extents& n = extents();
    const std::int64_t row = n.x + 1;
    const std::int64_t slice = row * (n.y + 1);
    sums.assign(static_cast<std::size_t>(slice * (n.z + 1)), 0);
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::int64_t& {
        return sums[static_cast<std::size_t>(x + row * y + slice * z)];
    };
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        at(x + 1, y + 1, z + 1) = support.view().at(x, y, z) + at(x, y + 1, z + 1) +
                                  at(x + 1, y, z + 1) + at(x + 1, y + 1, z) - at(x, y, z + 1) -
                                  at(x, y + 1, z) - at(x + 1, y, z) + at(x, y, z);
    });
}

/// Voxels of the support in a box from one voxel up to but not another.
std::int64_t TemplateVoxels::countIn(const base::Index& from, const base::Index& to) const {
    const base::Extents& n = extents();
    const std::int64_t row = n.x + 1;
    const std::int64_t slice = row * (n.y + 1);
    const auto before = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return sums[static_cast<std::size_t>(x + row * y + slice * z)];
    };
    return before(to.x, to.y, to.z) - before(from.x, to.y, to.z) - before(to.x, from.y, to.z) -
           before(to.x, to.y, from.z) + before(from.x, from.y, to.z) +
           before(from.x, to.y, from.z) + before(to.x, from.y, from.z) -
           before(from.x, from.y, from.z);
}

void TemplateVoxels::findDeep() {
    const base::Extents& n = extents();
    deep.assign(static_cast<std::size_t>(base::voxelCount(n)), 0);
    const std::int64_t all = flat ? 16 : 64;
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const bool isEdge =
            x < 1 || y < 1 || x + 3 > n.x || y + 3 > n.y || (!flat && (z < 1 || z + 3 > n.z));
        const base::Index from{x - 1, y - 1, flat ? z : z - 1};
        const base::Index to{x + 3, y + 3, flat ? z + 1 : z + 3};
        deep[static_cast<std::size_t>((z * n.y + y) * n.x + x)] =
            !isEdge && countIn(from, to) == all ? 1 : 0;
    });
}

bool TemplateVoxels::counts(const base::Point& offset, const base::Point& place,
                            double scale) const {
    if (radius >= 0) {
        const double depth = flat ? 0.0 : offset[2];
        const double reach = radius * scale * (1 + kSnap);
        return offset[0] * offset[0] + offset[1] * offset[1] + depth * depth <= reach * reach;
    }
    const base::Extents& n = extents();
    const std::array<std::int64_t, 3> lengths{n.x, n.y, n.z};
    std::array<std::int64_t, 3> nearest{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double last = static_cast<double>(lengths[axis]) - 0.5;
        if (!(place[axis] >= -0.5 - kSnap && place[axis] <= last + kSnap)) {
            return false;
        }
        nearest[axis] = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::floor(place[axis] + 0.5)), 0, lengths[axis] - 1);
    }
    return support.empty() || support.view().at(nearest[0], nearest[1], nearest[2]) != 0;
}

namespace {

double cubic(double x) {
    const double d = std::abs(x);
    if (d >= 2) {
        return 0;
    }
    return d <= 1 ? (1.5 * d - 2.5) * d * d + 1 : ((-0.5 * d + 2.5) * d - 4) * d + 2;
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

void setTaps(Taps& taps, double place, double width, double half, const auto& kernel) {
    std::vector<double>& weights = taps.weights;
    taps.first = static_cast<std::int64_t>(std::ceil(place - half * width));
    const auto last = static_cast<std::int64_t>(std::floor(place + half * width));
    weights.clear();
    double sum = 0;
    for (std::int64_t i = taps.first; i <= last; ++i) {
        weights.push_back(kernel((static_cast<double>(i) - place) / width));
        sum += weights.back();
    }
    while (!weights.empty() && weights.back() == 0) {
        weights.pop_back();
    }
    const auto begin = std::ranges::find_if(weights, [](double each) { return each != 0; });
    taps.first += begin - weights.begin();
    weights.erase(weights.begin(), begin);
    for (double& weight : weights) {
        weight /= sum;
    }
}

} // namespace

template <class Kernel>
void Sampler::set(const base::Point& place, double half, const Kernel& kernel) {
    setTaps(m_taps[0], place[0], m_width[0], half, kernel);
    setTaps(m_taps[1], place[1], m_width[1], half, kernel);
    if (m_of.flat) {
        m_taps[2].first = static_cast<std::int64_t>(place[2]);
        m_taps[2].weights.assign(1, 1.0);
    } else {
        setTaps(m_taps[2], place[2], m_width[2], half, kernel);
    }
}

bool Sampler::allCount() const {
    const base::Extents& n = m_of.extents();
    const bool inside = m_taps[0].first >= 0 && m_taps[1].first >= 0 && m_taps[2].first >= 0 &&
                        m_taps[0].end() <= n.x && m_taps[1].end() <= n.y && m_taps[2].end() <= n.z;
    if (!inside || m_of.support.empty()) {
        return inside;
    }
    const auto [x0, y0, z0] = std::array{m_taps[0].first, m_taps[1].first, m_taps[2].first};
    const auto [x1, y1, z1] = std::array{m_taps[0].end(), m_taps[1].end(), m_taps[2].end()};
    return m_of.countIn({x0, y0, z0}, {x1, y1, z1}) == (x1 - x0) * (y1 - y0) * (z1 - z0);
}

double Sampler::sum() const {
    double all = 0;
    for (std::int64_t z = m_taps[2].first; z < m_taps[2].end(); ++z) {
        double plane = 0;
        for (std::int64_t y = m_taps[1].first; y < m_taps[1].end(); ++y) {
            const double* const from = m_of.values.data() +
                                       (z * m_of.extents().y + y) * m_of.extents().x +
                                       m_taps[0].first;
            double line = 0;
            for (std::size_t i = 0; i < m_taps[0].weights.size(); ++i) {
                line += m_taps[0].weights[i] * from[i];
            }
            plane += m_taps[1].weights[static_cast<std::size_t>(y - m_taps[1].first)] * line;
        }
        all += m_taps[2].weights[static_cast<std::size_t>(z - m_taps[2].first)] * plane;
    }
    return all;
}

/// mean() for a width of 1.
template <class T>
double Sampler::linear(const base::Point& place, const base::Image<T>& of) const {
    const base::Extents& n = m_of.extents();
    const std::array<std::int64_t, 3> lengths{n.x, n.y, n.z};
    std::array<std::int64_t, 3> from{};
    std::array<std::array<double, 2>, 3> share{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double whole = std::floor(place[axis]);
        from[axis] = static_cast<std::int64_t>(whole);
        const auto isIn = [&](std::int64_t voxel) { return voxel >= 0 && voxel < lengths[axis]; };
        share[axis] = {isIn(from[axis]) ? 1 - (place[axis] - whole) : 0,
                       isIn(from[axis] + 1) ? place[axis] - whole : 0};
    }
    double values = 0;
    double weights = 0;
    for (std::size_t corner = 0; corner < (m_of.flat ? 4U : 8U); ++corner) {
        const std::array<std::size_t, 3> side{corner % 2, corner / 2 % 2, corner / 4};
        const double weight = share[0][side[0]] * share[1][side[1]] * share[2][side[2]];
        const auto offset = [&](std::size_t axis) {
            return from[axis] + static_cast<std::int64_t>(side[axis]);
        };
        if (weight == 0) {
            continue;
        }
        const std::int64_t voxel = (offset(2) * n.y + offset(1)) * n.x + offset(0);
        if (m_of.support.empty() || m_of.support.data()[voxel] != 0) {
            values += weight * static_cast<double>(of.data()[voxel]);
            weights += weight;
        }
    }
    return weights > 0 ? values / weights : 0;
}

/// At least one voxel under the triangle counts: the nearest one or, of a round support, the
/// one next to the place towards the centre.
template <class T> double Sampler::mean(const base::Point& place, const base::Image<T>& of) {
    set(place, 1, triangle);
    const base::Extents& n = m_of.extents();
    double values = 0;
    double weights = 0;
    for (std::int64_t z = std::max<std::int64_t>(0, m_taps[2].first);
         z < std::min(n.z, m_taps[2].end()); ++z) {
        for (std::int64_t y = std::max<std::int64_t>(0, m_taps[1].first);
             y < std::min(n.y, m_taps[1].end()); ++y) {
            for (std::int64_t x = std::max<std::int64_t>(0, m_taps[0].first);
                 x < std::min(n.x, m_taps[0].end()); ++x) {
                if (!m_of.support.empty() && m_of.support.view().at(x, y, z) == 0) {
                    continue;
                }
                const double weight =
                    m_taps[0].weights[static_cast<std::size_t>(x - m_taps[0].first)] *
                    m_taps[1].weights[static_cast<std::size_t>(y - m_taps[1].first)] *
                    m_taps[2].weights[static_cast<std::size_t>(z - m_taps[2].first)];
                values += weight * static_cast<double>(of.view().at(x, y, z));
                weights += weight;
            }
        }
    }
    return weights > 0 ? values / weights : 0;
}

double Sampler::at(const base::Point& place) {
    set(place, 2, cubic);
    return allCount() ? sum() : mean(place, m_of.values);
}

double Sampler::weightAt(const base::Point& place) {
    const bool wide = m_width[0] > 1 || m_width[1] > 1 || m_width[2] > 1;
    return wide ? mean(place, m_of.weights) : linear(place, m_of.weights);
}

double Sampler::atRim(const base::Point& place) {
    const bool between = place[0] != std::floor(place[0]) && place[1] != std::floor(place[1]) &&
                         (m_of.flat || place[2] != std::floor(place[2]));
    return between ? linear(place, m_of.values) : at(place); // four voxels on each axis
}

} // namespace flcc::rotation::detail
