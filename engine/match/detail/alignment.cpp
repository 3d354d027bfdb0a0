#include "engine/match/detail/alignment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "engine/base/widest.h"

namespace flcc::match::detail {

namespace {

constexpr double kRadian = 180 / std::numbers::pi;
/// Voxels by which the last step moves the farthest voxel of the template.
constexpr double kLastStep = 2e-3;
/// Longer steps may not lower the score. Shorter ones may: where scene and template hold noise, the
/// largest score is drawn to places between voxels, as interpolation lowers the noise there, but
/// the zero of the derivatives is not.
constexpr double kShortStep = 0.5; // voxels

using Eight [[gnu::vector_size(8 * sizeof(float))]] = float;

[[gnu::always_inline]] inline double dot(const float* a, const float* b, std::int64_t count) {
    Eight sum = {};
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        Eight left;
        Eight right;
        std::memcpy(&left, a + i, sizeof left);
        std::memcpy(&right, b + i, sizeof right);
        sum += left * right;
    }
    double all = 0;
    for (; i < count; ++i) {
        all += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    for (int lane = 0; lane < 8; ++lane) {
        all += static_cast<double>(sum[lane]);
    }
    return all;
}

base::Point applied(const rotation::Matrix& m, const base::Point& v) {
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

/// The farthest voxel that counts from `middle`, in scene voxels.
double radiusOf(const method::CanonicalTemplate& templ, const base::Point& middle,
                const rotation::Matrix& forward) {
    const base::Extents& n = templ.extents();
    double radius = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            const std::uint8_t* const row =
                templ.support().empty() ? nullptr : templ.support().view().row(y, z);
            const auto far = [&](std::int64_t x) {
                const base::Point way = applied(forward, {static_cast<double>(x) - middle[0],
                                                          static_cast<double>(y) - middle[1],
                                                          static_cast<double>(z) - middle[2]});
                radius = std::max(radius, std::hypot(way[0], way[1], way[2]));
            };
            std::int64_t first = 0;
            std::int64_t last = n.x - 1;
            while (row != nullptr && first <= last && row[first] == 0) {
                ++first;
            }
            while (row != nullptr && last >= first && row[last] == 0) {
                --last;
            }
            if (first <= last) {
                far(first);
                far(last);
            }
        }
    }
    return radius;
}

/// Scene voxels that an alignment may read.
base::Box readBox(const base::Extents& scene, const method::CanonicalTemplate& canonical,
                  const base::Point& middle, const Reach& reach, const Lie& start,
                  const rotation::Matrix& forward) {
    const base::Extents& templ = canonical.extents();
    const std::array last{static_cast<double>(templ.x), static_cast<double>(templ.y),
                          static_cast<double>(templ.z)};
    const double grows = std::max(1.0, reach.most / start.pose.scale);
    const double radius = radiusOf(canonical, middle, forward);
    const double turned = radius * std::sin(std::min(reach.turn, 90.0) / kRadian);
    const std::array<std::int64_t, 3> room{scene.x, scene.y, scene.z};
    std::array<std::int64_t, 3> low{};
    std::array<std::int64_t, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double far = 0;
        for (std::size_t own = 0; own < 3; ++own) {
            far += std::abs(forward[3 * axis + own]) *
                   (std::max(middle[own], last[own] - 1 - middle[own]) + 1);
        }
        far = grows * std::min(far + turned, radius + 2) + reach.place + 1;
        const auto within = [&](double place) {
            return std::clamp<std::int64_t>(std::llround(place), 0, room[axis] - 1);
        };
        low[axis] = within(start.centre[axis] - far);
        high[axis] = within(start.centre[axis] + far);
    }
    return {{low[0], low[1], low[2]},
            {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1}};
}

base::Extents paddedOf(const base::Extents& n, bool deep) {
    return {n.x + 2, n.y + 2, deep ? n.z + 2 : n.z};
}

bool isDeep(const Freedom& freedom) {
    return freedom.place[2] || (!freedom.flat && (freedom.turn || freedom.scale));
}

} // namespace

Alignment::Alignment(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
                     const base::Point& middle, const Freedom& freedom, const Reach& reach,
                     const Lie& start, MatrixOf matrixOf)
    : m_freedom(freedom), m_reach(reach), m_radius(radiusOf(templ, middle, matrixOf(start.pose))),
      m_start(start), m_middle(middle), m_matrixOf(std::move(matrixOf)),
      m_scene(scene, readBox(scene.extents(), templ, middle, reach, start, m_matrixOf(start.pose)),
              isDeep(freedom)),
      m_templ(templ.extents()), m_padded(paddedOf(m_templ, isDeep(freedom))),
      m_deep(isDeep(freedom)) {
    const std::int64_t count = base::voxelCount(m_templ);
    const base::Image<double>& levels = templ.levels().empty() ? templ.values() : templ.levels();
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        largest = std::max(largest, std::abs(levels.data()[i]));
    }
    m_values.resize(static_cast<std::size_t>(count));
    m_weights.assign(static_cast<std::size_t>(count), 1.0F);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        m_values[at] = static_cast<float>(levels.data()[i] / largest);
        if (!templ.weights().empty()) {
            m_weights[at] = static_cast<float>(templ.weights().data()[i]);
        } else if (!templ.support().empty()) {
            m_weights[at] = templ.support().data()[i] != 0 ? 1.0F : 0.0F;
        }
    }
    // Differences need the voxels beside those that count.
    m_needed.assign(static_cast<std::size_t>(m_padded.y * m_padded.z), {m_padded.x, 0});
    const std::int64_t below = m_deep ? 2 : 0;
    for (std::int64_t z = 0; z < m_templ.z; ++z) {
        for (std::int64_t y = 0; y < m_templ.y; ++y) {
            const float* const row = m_weights.data() + (z * m_templ.y + y) * m_templ.x;
            std::int64_t first = 0;
            std::int64_t last = m_templ.x;
            while (first < last && row[first] == 0) {
                ++first;
            }
            while (last > first && row[last - 1] == 0) {
                --last;
            }
            m_counted.push_back({first, last});
            for (std::int64_t near = 0; first < last && near < 3 * (below + 1); ++near) {
                auto& needed =
                    m_needed[static_cast<std::size_t>((z + near / 3) * m_padded.y + y + near % 3)];
                needed = {std::min(needed[0], first), std::max(needed[1], last + 2)};
            }
        }
    }
    m_sampled.resize(static_cast<std::size_t>(base::voxelCount(m_padded)));
    m_counts.resize(m_sampled.size());
    for (int axis = 0; axis < kMost; ++axis) {
        const bool free = axis < 3    ? freedom.place[static_cast<std::size_t>(axis)]
                          : axis == 6 ? freedom.scale
                                      : freedom.turn && (axis == 5 || !freedom.flat);
        if (free) {
            m_axes.push_back(axis);
        }
    }
}

void Alignment::sample(const Lie& lie, const rotation::Matrix& forward) {
    const base::Point first{m_middle[0] + 1, m_middle[1] + 1, m_middle[2] + (m_deep ? 1 : 0)};
    const base::Point step{forward[0], forward[3], forward[6]};
    for (std::int64_t z = 0; z < m_padded.z; ++z) {
        for (std::int64_t y = 0; y < m_padded.y; ++y) {
            const std::int64_t row = z * m_padded.y + y;
            const auto [begin, end] = m_needed[static_cast<std::size_t>(row)];
            if (begin >= end) {
                continue;
            }
            const base::Point way = applied(forward, {static_cast<double>(begin) - first[0],
                                                      static_cast<double>(y) - first[1],
                                                      static_cast<double>(z) - first[2]});
            m_scene.row({lie.centre[0] + way[0], lie.centre[1] + way[1], lie.centre[2] + way[2]},
                        step, end - begin, m_sampled.data() + row * m_padded.x + begin,
                        m_counts.data() + row * m_padded.x + begin);
        }
    }
}

namespace {

/// From differences in the frame of the template to derivatives by the coordinates.
struct Derivatives {
    std::array<float, 9> dual{};
    std::vector<int> axes;
    /// Of turns and the scale: the way that an offset in the scene takes by a radian or a factor e.
    std::array<rotation::Matrix, 4> ways{};

    /// `differences`: along each axis of the template. `offset`: of the first voxel of the row from
    /// the centre, in the scene; `step`: to the next one. `to`: a row for each coordinate.
    [[gnu::always_inline]] void set(const float* const (&differences)[3], const base::Point& offset,
                                    const base::Point& step, std::int64_t count, float* const* to,
                                    float* room) const {
        float* const slope[3] = {room, room + count, room + 2 * count};
        for (std::size_t k = 0; k < 3; ++k) {
            const float a = dual[3 * k];
            const float b = dual[3 * k + 1];
            const float c = dual[3 * k + 2];
            float* const out = slope[k];
            for (std::int64_t i = 0; i < count; ++i) {
                out[i] = a * differences[0][i] + b * differences[1][i] + c * differences[2][i];
            }
        }
        for (std::size_t number = 0; number < axes.size(); ++number) {
            const int axis = axes[number];
            float* const out = to[number];
            if (axis < 3) {
                std::copy_n(slope[axis], count, out);
                continue;
            }
            const rotation::Matrix& way = ways[static_cast<std::size_t>(axis - 3)];
            float first[3];
            float more[3];
            for (std::size_t k = 0; k < 3; ++k) {
                const auto part = [&](const base::Point& of) {
                    return static_cast<float>(way[3 * k] * of[0] + way[3 * k + 1] * of[1] +
                                              way[3 * k + 2] * of[2]);
                };
                first[k] = part(offset);
                more[k] = part(step);
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const auto at = static_cast<float>(static_cast<std::int32_t>(i));
                out[i] = slope[0][i] * (first[0] + more[0] * at) +
                         slope[1][i] * (first[1] + more[1] * at) +
                         slope[2][i] * (first[2] + more[2] * at);
            }
        }
    }
};

} // namespace

std::optional<Alignment::Sums> Alignment::sumsAt(const Lie& lie, bool withTemplate) {
    const rotation::Matrix forward = m_matrixOf(lie.pose);
    sample(lie, forward);
    const rotation::Matrix dual = rotation::transposed(rotation::inverse(forward));
    Derivatives derivatives{.axes = m_axes};
    for (const int axis : m_axes) {
        if (axis >= 3) {
            derivatives.ways[static_cast<std::size_t>(axis - 3)] = wayOf(lie, axis);
        }
    }
    std::transform(dual.begin(), dual.end(), derivatives.dual.begin(),
                   [](double each) { return static_cast<float>(each); });
    const std::size_t free = m_axes.size();
    const std::size_t rows = withTemplate ? 2 * free + 2 : free + 2;
    const auto length = static_cast<std::size_t>(m_templ.x);
    std::vector<float> room((2 * rows + 8) * length);
    const auto line = [&](std::size_t number) { return room.data() + number * length; };
    std::vector<float*> values;
    for (std::size_t i = 0; i < rows; ++i) {
        values.push_back(line(i));
    }
    float* const weighted = line(rows);
    float* const weights = line(2 * rows);
    float* const differences[3] = {line(2 * rows + 1), line(2 * rows + 2), line(2 * rows + 3)};
    float* const rest = line(2 * rows + 4);
    const base::Point step{forward[0], forward[3], forward[6]};
    Sums sums{.withTemplate = withTemplate};
    std::array<double, 2 * kMost + 2> means{};
    double all = 0;
    base::inWidest([&] {
        for (std::int64_t z = 0; z < m_templ.z; ++z) {
            for (std::int64_t y = 0; y < m_templ.y; ++y) {
                const auto [begin, end] = m_counted[static_cast<std::size_t>(z * m_templ.y + y)];
                const std::int64_t count = end - begin;
                if (count == 0) {
                    continue;
                }
                const std::int64_t padded =
                    ((z + (m_deep ? 1 : 0)) * m_padded.y + y + 1) * m_padded.x + 1 + begin;
                const std::int64_t own = (z * m_templ.y + y) * m_templ.x + begin;
                const float* const scene = m_sampled.data() + padded;
                const float* const templ = m_values.data() + own;
                const float* const given = m_weights.data() + own;
                const float* const in = m_counts.data() + padded;
                double here = 0;
                double counted = 0;
                for (std::int64_t i = 0; i < count; ++i) {
                    here += static_cast<double>(given[i]);
                }
                all += here;
                for (std::int64_t i = 0; i < count; ++i) {
                    weights[i] = given[i] * in[i];
                    counted += weights[i] > 0 ? 1 : 0;
                }
                const base::Point offset =
                    applied(forward, {static_cast<double>(begin) - m_middle[0],
                                      static_cast<double>(y) - m_middle[1],
                                      static_cast<double>(z) - m_middle[2]});
                const std::int64_t down = m_padded.x;
                const std::int64_t deeper = m_deep ? m_padded.x * m_padded.y : 0;
                for (std::int64_t i = 0; i < count; ++i) {
                    differences[0][i] = (scene[i + 1] - scene[i - 1]) / 2;
                    differences[1][i] = (scene[i + down] - scene[i - down]) / 2;
                    differences[2][i] = (scene[i + deeper] - scene[i - deeper]) / 2;
                }
                const float* const slopes[3] = {differences[0], differences[1], differences[2]};
                derivatives.set(slopes, offset, step, count, values.data() + 1, rest);
                std::copy_n(scene, count, values[0]);
                std::copy_n(templ, count, values[free + 1]);
                if (withTemplate) {
                    // Of the template itself, at its rim towards the inside alone.
                    const std::int64_t width = m_templ.x;
                    const std::int64_t area = m_templ.x * m_templ.y;
                    const auto side = [&](std::int64_t i, std::int64_t way, bool exists) {
                        return exists && given[i + way] > 0 ? way : 0;
                    };
                    for (std::int64_t i = 0; i < count; ++i) {
                        const std::int64_t ways[3][2] = {
                            {side(i, -1, i > 0), side(i, 1, i + 1 < count)},
                            {side(i, -width, y > 0), side(i, width, y + 1 < m_templ.y)},
                            {side(i, -area, m_deep && z > 0),
                             side(i, area, m_deep && z + 1 < m_templ.z)}};
                        for (int k = 0; k < 3; ++k) {
                            const int apart = (ways[k][0] != 0 ? 1 : 0) + (ways[k][1] != 0 ? 1 : 0);
                            differences[k][i] =
                                apart == 0 ? 0
                                           : (templ[i + ways[k][1]] - templ[i + ways[k][0]]) /
                                                 static_cast<float>(apart);
                        }
                    }
                    derivatives.set(slopes, offset, step, count, values.data() + free + 2, rest);
                }
                for (std::size_t a = 0; a < rows; ++a) {
                    for (std::int64_t i = 0; i < count; ++i) {
                        weighted[i] = weights[i] * values[a][i];
                    }
                    means[a] += dot(weights, values[a], count);
                    const bool ofTemplate = a > free + 1;
                    for (std::size_t b = 0; b <= (ofTemplate ? free : a); ++b) {
                        sums.of[a][b] += dot(weighted, values[b], count);
                    }
                    if (ofTemplate) {
                        sums.of[a][a] += dot(weighted, values[a], count);
                    }
                }
                for (std::int64_t i = 0; i < count; ++i) {
                    sums.weight += static_cast<double>(weights[i]);
                }
                sums.count += counted;
            }
        }
    });
    // At least half of the template, and more voxels than unknowns.
    if (!(sums.weight >= all / 2) || sums.count < 2 * static_cast<double>(free + 2)) {
        return std::nullopt;
    }
    for (std::size_t a = 0; a < rows; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            sums.of[a][b] -= means[a] * means[b] / sums.weight;
            sums.of[b][a] = sums.of[a][b];
        }
    }
    const double power = sums.of[0][0] * sums.of[free + 1][free + 1];
    if (!(power > 0)) {
        return std::nullopt;
    }
    sums.score = sums.of[0][free + 1] / std::sqrt(power);
    return sums;
}

Lie Alignment::moved(const Lie& lie, const std::array<double, kMost>& step) const {
    Lie to = lie;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        to.centre[axis] += step[axis];
    }
    const base::Point about{step[3], step[4], step[5]};
    const double angle = std::hypot(about[0], about[1], about[2]);
    if (angle > 0) {
        to.pose.turn =
            rotation::product(rotation::aboutAxis(about, angle * kRadian), lie.pose.turn);
    }
    to.pose.scale = std::clamp(lie.pose.scale * std::exp(step[6]), m_reach.least, m_reach.most);
    return to;
}

/// By central differences of the matrix, so that it holds for voxels of any edges.
rotation::Matrix Alignment::wayOf(const Lie& lie, int axis) const {
    constexpr double kSmall = 1e-4;
    const auto at = [&](double by) {
        Lie to = lie;
        if (axis == 6) {
            to.pose.scale *= std::exp(by);
        } else {
            base::Point about{0, 0, 0};
            about[static_cast<std::size_t>(axis - 3)] = 1;
            to.pose.turn =
                rotation::product(rotation::aboutAxis(about, by * kRadian), lie.pose.turn);
        }
        return m_matrixOf(to.pose);
    };
    rotation::Matrix change = at(kSmall);
    const rotation::Matrix before = at(-kSmall);
    for (std::size_t i = 0; i < 9; ++i) {
        change[i] = (change[i] - before[i]) / (2 * kSmall);
    }
    return rotation::product(change, rotation::inverse(m_matrixOf(lie.pose)));
}

double Alignment::lengthOf(const std::array<double, kMost>& step) const {
    const double turned = std::hypot(step[3], step[4], step[5]) * m_radius;
    return std::max({std::abs(step[0]), std::abs(step[1]), std::abs(step[2]), turned,
                     std::abs(step[6]) * m_radius});
}

bool Alignment::inReach(const Lie& lie) const {
    bool near = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        near = near && std::abs(lie.centre[axis] - m_start.centre[axis]) <= m_reach.place;
    }
    return near && (!m_freedom.turn ||
                    rotation::angleBetween(lie.pose.turn, m_start.pose.turn) <= m_reach.turn);
}

std::optional<Aligned> Alignment::run(int limit, const std::stop_token& stop) {
    Aligned found{.lie = m_start};
    std::optional<Sums> sums = sumsAt(found.lie, false);
    double damping = 0;
    int ends = 0; // steps that left the scales
    while (sums && found.steps < limit && !stop.stop_requested()) {
        ++found.steps;
        std::optional<std::array<double, kMost>> step = stepOf(*sums, damping);
        if (!step) {
            return std::nullopt;
        }
        const Lie to = moved(found.lie, *step);
        const double grown = std::log(to.pose.scale / found.lie.pose.scale);
        ends += m_freedom.scale && std::abs(grown - (*step)[6]) > 1e-4 ? 1 : 0;
        (*step)[6] = grown;
        const bool isShort = lengthOf(*step) <= kShortStep;
        // Where the scene is noisy, the derivatives of the scene alone make steps too short.
        constexpr int kPlainSteps = 3;
        const bool near = isShort && (found.steps >= kPlainSteps || sums->withTemplate);
        const std::optional<Sums> there = inReach(to) ? sumsAt(to, near) : std::nullopt;
        if (!there || (!isShort && there->score < sums->score)) {
            constexpr double kMostDamping = 100;
            damping = std::max(0.1, damping * 8);
            if (damping > kMostDamping) {
                return std::nullopt;
            }
            continue;
        }
        damping = damping > 0.2 ? damping / 8 : 0;
        found.lie = to;
        sums = there;
        if (ends == 2) { // the best scale in reach is its end
            found.scaleEnds = true;
            std::erase(m_axes, 6);
            sums = sumsAt(found.lie, false);
            ++ends;
            continue;
        }
        if (lengthOf(*step) < kLastStep && damping == 0) {
            if (!near) {
                sums = sumsAt(found.lie, true);
                continue;
            }
            found.score = sums->score;
            setErrors(*sums, found);
            return found;
        }
    }
    return std::nullopt;
}

} // namespace flcc::match::detail
