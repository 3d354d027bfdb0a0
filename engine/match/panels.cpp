#include "engine/match/panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "engine/base/error.h"

namespace flcc::match {

using base::Extents;
using base::Index;

namespace {

/// Where a box lies along one axis: the voxel before its first position, and the weights of the
/// four voxels about each position. On whole voxels only the second weight counts.
struct Axis {
    std::int64_t first = 0;
    std::array<double, 4> weights{0, 1, 0, 0};
    bool whole = true;
};

/// The cubic convolution kernel of Keys, a = -1/2, at the share `t` of the way from one voxel to
/// the next.
std::array<double, 4> cubicWeights(double t) {
    const double t2 = t * t;
    const double t3 = t2 * t;
    return {-0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3,
            -0.5 * t2 + 0.5 * t3};
}

Axis axisAt(double corner) {
    Axis axis;
    axis.first = static_cast<std::int64_t>(std::floor(corner));
    const double share = corner - static_cast<double>(axis.first);
    axis.whole = share == 0;
    axis.weights = axis.whole ? std::array<double, 4>{0, 1, 0, 0} : cubicWeights(share);
    return axis;
}

std::array<Axis, 3> placeOf(const Peak& peak, const PanelOptions& options) {
    const base::Point reference = referenceOf(peak, options);
    const Extents& size = options.size;
    if (!options.subvoxel) {
        const Index corner = cornerAt(reference, size);
        return {{{.first = corner.x}, {.first = corner.y}, {.first = corner.z}}};
    }
    return {axisAt(reference[0] - static_cast<double>(size.x / 2)),
            axisAt(reference[1] - static_cast<double>(size.y / 2)),
            axisAt(reference[2] - static_cast<double>(size.z / 2))};
}

bool isInside(const std::array<Axis, 3>& place, const Extents& size, const Extents& scene) {
    const std::array<std::int64_t, 3> edges{size.x, size.y, size.z};
    const std::array<std::int64_t, 3> limits{scene.x, scene.y, scene.z};
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t before = place[a].whole ? 0 : 1;
        const std::int64_t after = place[a].whole ? 0 : 2;
        if (place[a].first - before < 0 || place[a].first + edges[a] + after > limits[a]) {
            return false;
        }
    }
    return true;
}

/// The value at a position, from up to 4 voxels on each axis.
template <class T>
double valueOf(const base::View<const T>& scene, const std::array<Axis, 3>& place) {
    const Index corner{place[0].first, place[1].first, place[2].first};
    const auto range = [](const Axis& axis) {
        return axis.whole ? std::pair<int, int>{1, 2} : std::pair<int, int>{0, 4};
    };
    const auto [xBegin, xEnd] = range(place[0]);
    const auto [yBegin, yEnd] = range(place[1]);
    const auto [zBegin, zEnd] = range(place[2]);
    double sum = 0;
    for (int z = zBegin; z < zEnd; ++z) {
        double slice = 0;
        for (int y = yBegin; y < yEnd; ++y) {
            const T* const row = scene.row(corner.y + y - 1, corner.z + z - 1) + corner.x - 1;
            double line = 0;
            for (int x = xBegin; x < xEnd; ++x) {
                line += place[0].weights[static_cast<std::size_t>(x)] * static_cast<double>(row[x]);
            }
            slice += place[1].weights[static_cast<std::size_t>(y)] * line;
        }
        sum += place[2].weights[static_cast<std::size_t>(z)] * slice;
    }
    return sum;
}

/// `placeOf(x, y, z)`: where a voxel of the box lies.
template <class PlaceOf>
void cutBox(const base::AnyView& scene, const PlaceOf& placeOf, const base::View<double>& box) {
    const Extents& size = box.extents();
    std::visit(
        [&](const auto& view) {
            for (std::int64_t z = 0; z < size.z; ++z) {
                for (std::int64_t y = 0; y < size.y; ++y) {
                    for (std::int64_t x = 0; x < size.x; ++x) {
                        box.at(x, y, z) = valueOf(view, placeOf(x, y, z));
                    }
                }
            }
        },
        scene);
}

void normaliseBox(base::Image<double>& box, Normalise normalise) {
    if (normalise == Normalise::None) {
        return;
    }
    double* const values = box.data();
    const std::int64_t count = box.count();
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += values[i];
    }
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    const auto [least, most] = std::minmax_element(values, values + count);
    const bool flat = *least == *most;
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = flat ? 0 : values[i] - mean;
        squares += values[i] * values[i];
    }
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    for (std::int64_t i = 0; i < count && normalise == Normalise::ZScore && deviation > 0; ++i) {
        values[i] /= deviation;
    }
}

/// Mirrors the values of a box about their mean.
void invert(base::Image<double>& box) {
    double sum = 0;
    for (std::int64_t i = 0; i < box.count(); ++i) {
        sum += box.data()[i];
    }
    const double twice = 2 * sum / static_cast<double>(box.count());
    std::transform(box.data(), box.data() + box.count(), box.data(),
                   [twice](double value) { return twice - value; });
}

void requireSize(const Extents& size, const Extents& scene) {
    if (size.x < 1 || size.y < 1 || size.z < 1 || size.x > scene.x || size.y > scene.y ||
        size.z > scene.z) {
        throw base::Error(base::ErrorCode::Problem, "boxes of " + base::toString(size) +
                                                        " voxels do not fit into the scene of " +
                                                        base::toString(scene));
    }
}

/// Where a voxel of a box that is turned back lies in the scene.
class TurnedPlace {
  public:
    TurnedPlace(const Peak& peak, const PanelOptions& options)
        : m_reference(referenceOf(peak, options)),
          m_turn(rotation::matrixOf(*peak.pose, options.edges)), m_size(options.size) {}

    [[nodiscard]] std::array<Axis, 3> of(std::int64_t x, std::int64_t y, std::int64_t z) const {
        const base::Point way = rotation::apply(m_turn, {static_cast<double>(x - m_size.x / 2),
                                                         static_cast<double>(y - m_size.y / 2),
                                                         static_cast<double>(z - m_size.z / 2)});
        return {axisAt(m_reference[0] + way[0]), axisAt(m_reference[1] + way[1]),
                axisAt(m_reference[2] + way[2])};
    }
    /// Whether all that is interpolated lies inside the scene.
    [[nodiscard]] bool isInside(const Extents& scene) const {
        const std::array<std::int64_t, 3> limits{scene.x, scene.y, scene.z};
        const std::array<std::int64_t, 3> edges{m_size.x, m_size.y, m_size.z};
        for (std::size_t a = 0; a < 3; ++a) {
            double least = m_reference[a];
            double most = m_reference[a];
            for (std::size_t b = 0; b < 3; ++b) {
                const std::int64_t before = edges[b] / 2;
                const double one = -m_turn[3 * a + b] * static_cast<double>(before);
                const double other = m_turn[3 * a + b] * static_cast<double>(edges[b] - 1 - before);
                least += std::min(one, other);
                most += std::max(one, other);
            }
            const Axis first = axisAt(least);
            const Axis last = axisAt(most);
            // Only an axis without any extent surely has no voxel between two others.
            const bool whole = least == most && first.whole;
            if (first.first - (whole ? 0 : 1) < 0 || last.first + (whole ? 0 : 2) >= limits[a]) {
                return false;
            }
        }
        return true;
    }

  private:
    base::Point m_reference;
    rotation::Matrix m_turn;
    Extents m_size;
};

bool isTurned(const Peak& peak, const PanelOptions& options) {
    return options.turnedBack && peak.pose;
}

bool isInside(const Peak& peak, const PanelOptions& options, const Extents& scene) {
    return isTurned(peak, options) ? TurnedPlace(peak, options).isInside(scene)
                                   : isInside(placeOf(peak, options), options.size, scene);
}

/// Calls `use` with the number and the values of each box that lies inside the scene; returns how
/// many do not.
template <class Use>
std::int64_t forBoxes(const base::AnyView& scene, std::span<const Peak> peaks,
                      const PanelOptions& options, const std::stop_token& stop, const Use& use) {
    requireSize(options.size, base::extentsOf(scene));
    base::Image<double> box(options.size);
    std::int64_t leftOut = 0;
    for (std::size_t i = 0; i < peaks.size() && !stop.stop_requested(); ++i) {
        if (!isInside(peaks[i], options, base::extentsOf(scene))) {
            ++leftOut;
            continue;
        }
        if (isTurned(peaks[i], options)) {
            const TurnedPlace place(peaks[i], options);
            cutBox(
                scene, [&](auto x, auto y, auto z) { return place.of(x, y, z); }, box.view());
        } else {
            const std::array<Axis, 3> place = placeOf(peaks[i], options);
            cutBox(
                scene,
                [&](auto x, auto y, auto z) {
                    std::array<Axis, 3> at = place;
                    at[0].first += x;
                    at[1].first += y;
                    at[2].first += z;
                    return at;
                },
                box.view());
        }
        normaliseBox(box, options.normalise);
        use(i, box);
    }
    return leftOut;
}

} // namespace

std::string_view name(Normalise normalise) {
    constexpr std::array<std::string_view, 3> kNames{"none", "mean", "zscore"};
    return kNames[static_cast<std::size_t>(normalise)];
}

base::View<const float> Panels::at(std::size_t number) const {
    return voxels.view().part({{0, 0, static_cast<std::int64_t>(number) * size.z}, size});
}

base::Point referenceOf(const Peak& peak, const PanelOptions& options) {
    const auto templ = static_cast<std::size_t>(peak.templ);
    if (templ >= options.references.size()) {
        return peak.centre;
    }
    const base::Point way =
        rotation::apply(rotation::matrixOf(peak.pose.value_or(rotation::Pose{}), options.edges),
                        options.references[templ]);
    return {peak.centre[0] + way[0], peak.centre[1] + way[1], peak.centre[2] + way[2]};
}

Index cornerAt(const base::Point& reference, const Extents& size) {
    const auto first = [](double at, std::int64_t edge) {
        return static_cast<std::int64_t>(std::floor(at + 0.5)) - edge / 2;
    };
    return {first(reference[0], size.x), first(reference[1], size.y), first(reference[2], size.z)};
}

Panels cutPanels(const base::AnyView& scene, std::span<const Peak> peaks,
                 const PanelOptions& options, const std::stop_token& stop) {
    requireSize(options.size, base::extentsOf(scene));
    Panels panels;
    panels.size = options.size;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        if (isInside(peaks[i], options, base::extentsOf(scene))) {
            panels.taken.push_back(i);
        }
    }
    if (!panels.taken.empty()) {
        const auto count = static_cast<std::int64_t>(panels.taken.size());
        panels.voxels =
            base::Image<float>({options.size.x, options.size.y, options.size.z * count});
    }
    float* to = panels.voxels.data();
    panels.leftOut =
        forBoxes(scene, peaks, options, stop, [&](std::size_t, const base::Image<double>& box) {
            to = std::transform(box.data(), box.data() + box.count(), to,
                                [](double value) { return static_cast<float>(value); });
        });
    return panels;
}

Average averageOf(const base::AnyView& scene, std::span<const Peak> peaks,
                  const PanelOptions& options, const std::stop_token& stop) {
    PanelOptions placed = options;
    placed.subvoxel = placed.turnedBack = true;
    requireSize(options.size, base::extentsOf(scene));
    Average average;
    average.mean = base::Image<double>(options.size, 0);
    average.variance = base::Image<double>(options.size, 0);
    std::array<base::Image<double>, 2> halves{base::Image<double>(options.size, 0),
                                              base::Image<double>(options.size, 0)};
    const std::int64_t voxels = average.mean.count();
    average.leftOut =
        forBoxes(scene, peaks, placed, stop, [&](std::size_t i, base::Image<double>& box) {
            if (peaks[i].dark.value_or(false)) {
                ++average.inverted;
                invert(box);
            }
            average.taken.push_back(i);
            ++average.count; // mean and sum of squares by Welford's update, which loses no digits
            base::Image<double>& half = halves[static_cast<std::size_t>(average.count % 2)];
            for (std::int64_t at = 0; at < voxels; ++at) {
                const double value = box.data()[at];
                const double before = value - average.mean.data()[at];
                average.mean.data()[at] += before / static_cast<double>(average.count);
                average.variance.data()[at] += before * (value - average.mean.data()[at]);
                half.data()[at] += value;
            }
        });
    for (std::int64_t i = 0; i < voxels && average.count > 1; ++i) {
        average.variance.data()[i] /= static_cast<double>(average.count - 1);
    }
    if (average.count > 1 && !stop.stop_requested()) {
        // A factor on one image does not change the correlation, so the sums serve as means.
        average.halves = prepare::ringCorrelation(halves[0].view(), halves[1].view(), stop);
    }
    return average;
}

void requireBoxes(const Average& average) {
    if (average.count == 0) {
        throw base::Error(base::ErrorCode::Problem,
                          "there is nothing to average: no peak has its box of " +
                              base::toString(average.mean.extents()) + " voxels inside the scene");
    }
}

} // namespace flcc::match
