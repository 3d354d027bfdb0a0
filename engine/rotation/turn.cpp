#include "engine/rotation/turn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/rotation/cubic_row.h"

namespace flcc::rotation {

namespace {

/// Places as near to a voxel as this lie on it: rounding of a matrix must not blur a quarter turn.
constexpr double kSnap = 1e-9;

base::Point centreOf(const base::Extents& n) {
    return {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
            static_cast<double>(n.z - 1) / 2};
}

double cubic(double x) {
    const double d = std::abs(x);
    if (d >= 2) {
        return 0;
    }
    return d <= 1 ? (1.5 * d - 2.5) * d * d + 1 : ((-0.5 * d + 2.5) * d - 4) * d + 2;
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

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

template <class Visit> void forVoxels(const base::Extents& n, const Visit& visit) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                visit(x, y, z);
            }
        }
    }
}

/// The voxels under a kernel along one axis, and their weights.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weights;

    [[nodiscard]] std::int64_t end() const { return first + std::ssize(weights); }

    template <class Kernel>
    void set(double place, double width, double half, const Kernel& kernel) {
        first = static_cast<std::int64_t>(std::ceil(place - half * width));
        const auto last = static_cast<std::int64_t>(std::floor(place + half * width));
        weights.clear();
        double sum = 0;
        for (std::int64_t i = first; i <= last; ++i) {
            weights.push_back(kernel((static_cast<double>(i) - place) / width));
            sum += weights.back();
        }
        while (!weights.empty() && weights.back() == 0) {
            weights.pop_back();
        }
        const auto begin = std::ranges::find_if(weights, [](double each) { return each != 0; });
        first += begin - weights.begin();
        weights.erase(weights.begin(), begin);
        for (double& weight : weights) {
            weight /= sum;
        }
    }
    /// The one voxel at a place that is none of the axis' business.
    void only(std::int64_t at) {
        first = at;
        weights.assign(1, 1.0);
    }
};

} // namespace

Turner::Turner(const base::AnyView& pixels, const base::View<const std::uint8_t>& support,
               bool flat, bool inDouble, const base::View<const float>& weights)
    : m_values(base::extentsOf(pixels)), m_centre(centreOf(m_values.extents())), m_flat(flat),
      m_inDouble(inDouble) {
    const base::Extents& n = m_values.extents();
    bool whole = true;
    if (support.data() != nullptr) {
        m_support = base::Image<std::uint8_t>(n);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const bool in = support.at(x, y, z) != 0;
            m_support.view().at(x, y, z) = in ? 1 : 0;
            whole = whole && in;
        });
    }
    if (whole) {
        m_support = {};
    }
    std::visit(
        [&](const auto& view) {
            forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                const bool in = whole || m_support.view().at(x, y, z) != 0;
                m_values.view().at(x, y, z) = in ? static_cast<double>(view.at(x, y, z)) : 0.0;
            });
        },
        pixels);
    if (weights.data() != nullptr) {
        m_weights = base::Image<float>(n);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            m_weights.view().at(x, y, z) = weights.at(x, y, z);
        });
    }
    if (!whole) {
        findRadius();
        sumSupport();
    }
}

bool Turner::isSameAs(const Turner& other) const {
    const auto same = [](const auto& a, const auto& b) {
        return a.extents() == b.extents() && std::equal(a.data(), a.data() + a.count(), b.data());
    };
    return m_flat == other.m_flat && m_inDouble == other.m_inDouble &&
           same(m_values, other.m_values) && same(m_support, other.m_support) &&
           same(m_weights, other.m_weights);
}

/// A round support has a radius that holds all voxels that count and no others, also none outside
/// of the template.
void Turner::findRadius() {
    const base::Extents& n = m_values.extents();
    double farthest = -1;
    double nearest = std::numeric_limits<double>::infinity();
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double depth = m_flat ? 0.0 : static_cast<double>(z) - m_centre[2];
        const double distance = std::hypot(static_cast<double>(x) - m_centre[0],
                                           static_cast<double>(y) - m_centre[1], depth);
        if (m_support.view().at(x, y, z) != 0) {
            farthest = std::max(farthest, distance);
        } else {
            nearest = std::min(nearest, distance);
        }
    });
    const double room = m_flat ? std::min(m_centre[0], m_centre[1])
                               : std::min({m_centre[0], m_centre[1], m_centre[2]});
    m_radius = farthest < nearest && farthest < room + 1 ? farthest : -1;
}

void Turner::sumSupport() {
    const base::Extents& n = m_values.extents();
    const std::int64_t row = n.x + 1;
    const std::int64_t slice = row * (n.y + 1);
    m_sums.assign(static_cast<std::size_t>(slice * (n.z + 1)), 0);
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::int64_t& {
        return m_sums[static_cast<std::size_t>(x + row * y + slice * z)];
    };
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        at(x + 1, y + 1, z + 1) = m_support.view().at(x, y, z) + at(x, y + 1, z + 1) +
                                  at(x + 1, y, z + 1) + at(x + 1, y + 1, z) - at(x, y, z + 1) -
                                  at(x, y + 1, z) - at(x + 1, y, z) + at(x, y, z);
    });
}

base::Extents Turner::extentsOf(const Pose& pose) const {
    const base::Extents& n = m_values.extents();
    const Matrix m = matrixOf(pose);
    base::Point reach{0, 0, 0};
    if (m_radius >= 0) {
        reach.fill(m_radius * pose.scale);
    } else {
        // The outermost voxels of each row that count; half a voxel more belongs to each.
        base::Point half{0, 0, 0};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t column = 0; column < (m_flat ? 2U : 3U); ++column) {
                half[axis] += std::abs(m[3 * axis + column]) / 2;
            }
        }
        for (std::int64_t z = 0; z < n.z; ++z) {
            for (std::int64_t y = 0; y < n.y; ++y) {
                const auto take = [&](std::int64_t x) {
                    const base::Point far =
                        applied(m, {static_cast<double>(x) - m_centre[0],
                                    static_cast<double>(y) - m_centre[1],
                                    m_flat ? 0.0 : static_cast<double>(z) - m_centre[2]});
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        reach[axis] = std::max(reach[axis], std::abs(far[axis]) + half[axis]);
                    }
                };
                const std::uint8_t* const row =
                    m_support.empty() ? nullptr : m_support.view().row(y, z);
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
            m_flat ? n.z : extentFor(reach[2], n.z)};
}

bool Turner::counts(const base::Point& offset, const base::Point& place, double scale) const {
    if (m_radius >= 0) {
        const double depth = m_flat ? 0.0 : offset[2];
        return std::hypot(offset[0], offset[1], depth) <= m_radius * scale * (1 + kSnap);
    }
    const base::Extents& n = m_values.extents();
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
    return m_support.empty() || m_support.view().at(nearest[0], nearest[1], nearest[2]) != 0;
}

/// The values of a pose, voxel by voxel.
struct Turner::Sampler {
    const Turner& turner;
    double width; ///< of the kernel in voxels of the template
    std::array<Taps, 3> taps{};

    [[nodiscard]] double at(const base::Point& place) {
        set(place, 2, cubic);
        return allCount() ? sum() : mean(place, turner.m_values);
    }
    [[nodiscard]] float weightAt(const base::Point& place) {
        return static_cast<float>(mean(place, turner.m_weights));
    }

  private:
    template <class Kernel> void set(const base::Point& place, double half, const Kernel& kernel) {
        taps[0].set(place[0], width, half, kernel);
        taps[1].set(place[1], width, half, kernel);
        if (turner.m_flat) {
            taps[2].only(static_cast<std::int64_t>(place[2]));
        } else {
            taps[2].set(place[2], width, half, kernel);
        }
    }

    [[nodiscard]] bool allCount() const {
        const base::Extents& n = turner.extents();
        const bool inside = taps[0].first >= 0 && taps[1].first >= 0 && taps[2].first >= 0 &&
                            taps[0].end() <= n.x && taps[1].end() <= n.y && taps[2].end() <= n.z;
        if (!inside || turner.m_support.empty()) {
            return inside;
        }
        const std::int64_t row = n.x + 1;
        const std::int64_t slice = row * (n.y + 1);
        const auto before = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return turner.m_sums[static_cast<std::size_t>(x + row * y + slice * z)];
        };
        const auto [x0, y0, z0] = std::array{taps[0].first, taps[1].first, taps[2].first};
        const auto [x1, y1, z1] = std::array{taps[0].end(), taps[1].end(), taps[2].end()};
        const std::int64_t count = before(x1, y1, z1) - before(x0, y1, z1) - before(x1, y0, z1) -
                                   before(x1, y1, z0) + before(x0, y0, z1) + before(x0, y1, z0) +
                                   before(x1, y0, z0) - before(x0, y0, z0);
        return count == (x1 - x0) * (y1 - y0) * (z1 - z0);
    }

    [[nodiscard]] double sum() const {
        double all = 0;
        for (std::int64_t z = taps[2].first; z < taps[2].end(); ++z) {
            double plane = 0;
            for (std::int64_t y = taps[1].first; y < taps[1].end(); ++y) {
                const double* const from = turner.m_values.data() +
                                           (z * turner.extents().y + y) * turner.extents().x +
                                           taps[0].first;
                double line = 0;
                for (std::size_t i = 0; i < taps[0].weights.size(); ++i) {
                    line += taps[0].weights[i] * from[i];
                }
                plane += taps[1].weights[static_cast<std::size_t>(y - taps[1].first)] * line;
            }
            all += taps[2].weights[static_cast<std::size_t>(z - taps[2].first)] * plane;
        }
        return all;
    }

    /// At least one voxel under the triangle counts: the nearest one or, of a round support, the
    /// one next to the place towards the centre.
    template <class T>
    [[nodiscard]] double mean(const base::Point& place, const base::Image<T>& of) {
        set(place, 1, triangle);
        const base::Extents& n = turner.extents();
        double values = 0;
        double weights = 0;
        for (std::int64_t z = std::max<std::int64_t>(0, taps[2].first);
             z < std::min(n.z, taps[2].end()); ++z) {
            for (std::int64_t y = std::max<std::int64_t>(0, taps[1].first);
                 y < std::min(n.y, taps[1].end()); ++y) {
                for (std::int64_t x = std::max<std::int64_t>(0, taps[0].first);
                     x < std::min(n.x, taps[0].end()); ++x) {
                    if (!turner.m_support.empty() && turner.m_support.view().at(x, y, z) == 0) {
                        continue;
                    }
                    const double weight =
                        taps[0].weights[static_cast<std::size_t>(x - taps[0].first)] *
                        taps[1].weights[static_cast<std::size_t>(y - taps[1].first)] *
                        taps[2].weights[static_cast<std::size_t>(z - taps[2].first)];
                    values += weight * static_cast<double>(of.view().at(x, y, z));
                    weights += weight;
                }
            }
        }
        return weights > 0 ? values / weights : 0;
    }
};

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

/// What turned() makes of a flat template all of whose voxels count, where it does not become
/// smaller. The rows are vectors.
template <class Voxel>
void Turner::fillFlat(const Pose& pose, base::Image<Voxel>& image, TurnedTemplate& made) const {
    const base::Extents& box = image.extents();
    const base::Extents& n = m_values.extents();
    const Matrix back = inverseOf(pose);
    const base::Point middle = centreOf(box);
    detail::PlacesOfRow places(box.x);
    std::vector<double> line(static_cast<std::size_t>(box.x));
    Sampler sampler{*this, 1.0};
    for (std::int64_t z = 0; z < box.z; ++z) {
        const double* const values = m_values.data() + z * n.x * n.y;
        for (std::int64_t y = 0; y < box.y; ++y) {
            places.set(back, -middle[0], static_cast<double>(y) - middle[1], m_centre, n, kSnap);
            Voxel* const row = image.view().row(y, z);
            std::uint8_t* const support = made.support.view().row(y, z);
            std::int64_t x = 0;
            while (x < box.x) {
                const auto at = static_cast<std::size_t>(x);
                std::int64_t end = x;
                while (end < box.x && places.deep[static_cast<std::size_t>(end)] != 0) {
                    ++end;
                }
                detail::cubicRow(places, x, end, values, n.x, line.data());
                for (; x < end; ++x) {
                    support[x] = 1;
                    row[x] = static_cast<Voxel>(line[static_cast<std::size_t>(x)]);
                }
                if (x == box.x || end > static_cast<std::int64_t>(at)) {
                    continue;
                }
                const bool in = places.inside[at] != 0;
                const base::Point place{places.x[at], places.y[at], static_cast<double>(z)};
                support[x] = in ? 1 : 0;
                row[x] = in ? static_cast<Voxel>(sampler.at(place)) : Voxel{0};
                made.whole = made.whole && in;
                ++x;
            }
        }
    }
}

TurnedTemplate Turner::turned(const Pose& pose, const base::Extents& box) const {
    TurnedTemplate made;
    made.support = base::Image<std::uint8_t>(box, 0);
    made.whole = m_weights.empty();
    if (!m_weights.empty()) {
        made.weights = base::Image<float>(box, 0.0F);
    }
    const auto fill = [&](auto& image) {
        using Voxel = std::remove_cvref_t<decltype(*image.data())>;
        if (m_flat && m_support.empty() && m_weights.empty() && pose.scale >= 1) {
            fillFlat(pose, image, made);
            return;
        }
        Sampler sampler{*this, std::max(1.0, 1 / pose.scale)};
        forPlaces(pose, box, m_centre, m_flat,
                  [&](const base::Index& at, const base::Point& offset, const base::Point& place) {
                      const bool in = counts(offset, place, pose.scale);
                      made.support.view().at(at) = in ? 1 : 0;
                      image.view().at(at) = in ? static_cast<Voxel>(sampler.at(place)) : Voxel{0};
                      if (in && !m_weights.empty()) {
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
    bool whole = m_weights.empty();
    forPlaces(pose, box, m_centre, m_flat,
              [&](const base::Index&, const base::Point& offset, const base::Point& place) {
                  whole = whole && counts(offset, place, pose.scale);
                  return whole;
              });
    return whole;
}

} // namespace flcc::rotation
