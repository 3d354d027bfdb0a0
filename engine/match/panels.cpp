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

Axis axisAt(double centre, std::int64_t size) {
    const double corner = centre - static_cast<double>(size - 1) / 2;
    Axis axis;
    axis.first = static_cast<std::int64_t>(std::floor(corner));
    const double share = corner - static_cast<double>(axis.first);
    axis.whole = share == 0;
    axis.weights = axis.whole ? std::array<double, 4>{0, 1, 0, 0} : cubicWeights(share);
    return axis;
}

std::array<Axis, 3> placeOf(const Peak& peak, const PanelOptions& options) {
    if (!options.subvoxel) {
        const Index corner = nearestCorner(peak.centre, options.size);
        return {{{.first = corner.x}, {.first = corner.y}, {.first = corner.z}}};
    }
    return {axisAt(peak.centre[0], options.size.x), axisAt(peak.centre[1], options.size.y),
            axisAt(peak.centre[2], options.size.z)};
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

/// The value at a position, from up to 4 voxels on each axis. `corner`: the voxel at or before it.
template <class T>
double valueOf(const base::View<const T>& scene, const Index& corner,
               const std::array<Axis, 3>& place) {
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

template <class T>
void cutBox(const base::View<const T>& scene, const std::array<Axis, 3>& place,
            const base::View<double>& box) {
    const Extents& size = box.extents();
    for (std::int64_t z = 0; z < size.z; ++z) {
        for (std::int64_t y = 0; y < size.y; ++y) {
            for (std::int64_t x = 0; x < size.x; ++x) {
                box.at(x, y, z) = valueOf(
                    scene, {place[0].first + x, place[1].first + y, place[2].first + z}, place);
            }
        }
    }
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

void requireSize(const Extents& size, const Extents& scene) {
    if (size.x < 1 || size.y < 1 || size.z < 1 || size.x > scene.x || size.y > scene.y ||
        size.z > scene.z) {
        throw base::Error(base::ErrorCode::Problem, "boxes of " + base::toString(size) +
                                                        " voxels do not fit into the scene of " +
                                                        base::toString(scene));
    }
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
        const std::array<Axis, 3> place = placeOf(peaks[i], options);
        if (!isInside(place, options.size, base::extentsOf(scene))) {
            ++leftOut;
            continue;
        }
        std::visit([&](const auto& view) { cutBox(view, place, box.view()); }, scene);
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

Index nearestCorner(const base::Point& centre, const Extents& size) {
    const auto nearest = [](double middle, std::int64_t edge) {
        return static_cast<std::int64_t>(
            std::ceil(middle - static_cast<double>(edge - 1) / 2 - 0.5));
    };
    return {nearest(centre[0], size.x), nearest(centre[1], size.y), nearest(centre[2], size.z)};
}

Panels cutPanels(const base::AnyView& scene, std::span<const Peak> peaks,
                 const PanelOptions& options, const std::stop_token& stop) {
    requireSize(options.size, base::extentsOf(scene));
    Panels panels;
    panels.size = options.size;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        if (isInside(placeOf(peaks[i], options), options.size, base::extentsOf(scene))) {
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
    placed.subvoxel = true;
    requireSize(options.size, base::extentsOf(scene));
    Average average;
    average.mean = base::Image<double>(options.size, 0);
    average.variance = base::Image<double>(options.size, 0);
    std::array<base::Image<double>, 2> halves{base::Image<double>(options.size, 0),
                                              base::Image<double>(options.size, 0)};
    const std::int64_t voxels = average.mean.count();
    average.leftOut =
        forBoxes(scene, peaks, placed, stop, [&](std::size_t, const base::Image<double>& box) {
            ++average.count; // mean and sum of squares by Welford's update, which loses no digits
            base::Image<double>& half = halves[static_cast<std::size_t>(average.count % 2)];
            for (std::int64_t i = 0; i < voxels; ++i) {
                const double value = box.data()[i];
                const double before = value - average.mean.data()[i];
                average.mean.data()[i] += before / static_cast<double>(average.count);
                average.variance.data()[i] += before * (value - average.mean.data()[i]);
                half.data()[i] += value;
            }
        });
    if (average.count == 0) {
        throw base::Error(base::ErrorCode::Problem,
                          "there is nothing to average: no peak has its box of " +
                              base::toString(options.size) + " voxels inside the scene");
    }
    for (std::int64_t i = 0; i < voxels && average.count > 1; ++i) {
        average.variance.data()[i] /= static_cast<double>(average.count - 1);
    }
    if (average.count > 1 && !stop.stop_requested()) {
        // A factor on one image does not change the correlation, so the sums serve as means.
        average.halves = ringCorrelation(halves[0].view(), halves[1].view(), stop);
    }
    return average;
}

} // namespace flcc::match
