// An image in space on a grid of other directions.

#include <algorithm>
#include <cmath>

#include "engine/base/spacing.h"
#include "engine/filter/detail/axis_average.h"
#include "engine/filter/resample.h"
#include "engine/rotation/orientation.h"

namespace flcc::filter {

namespace {

/// The voxels about a place along one axis, clamped to the image, and their weights.
struct Neighbours {
    std::array<std::int64_t, 4> at{};
    std::array<double, 4> weights{};
};

Neighbours neighboursOf(double place, std::int64_t length, Interpolation interpolation) {
    const double whole = std::floor(place);
    const double t = place - whole;
    Neighbours found;
    for (std::int64_t i = 0; i < 4; ++i) {
        found.at[static_cast<std::size_t>(i)] =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(whole) + i - 1, 0, length - 1);
    }
    if (interpolation == Interpolation::Linear) {
        found.weights = {0, 1 - t, t, 0};
    } else { // Keys, IEEE Trans. ASSP 29, 1981, equation 15
        found.weights = {t * (-0.5 + t * (1 - 0.5 * t)), 1 + t * t * (-2.5 + 1.5 * t),
                         t * (0.5 + t * (2 - 1.5 * t)), t * t * (-0.5 + 0.5 * t)};
    }
    return found;
}

double valueAt(const base::Image<double>& image, const base::Point& place,
               Interpolation interpolation) {
    const base::Extents& n = image.extents();
    const Neighbours x = neighboursOf(place[0], n.x, interpolation);
    const Neighbours y = neighboursOf(place[1], n.y, interpolation);
    const Neighbours z = neighboursOf(place[2], n.z, interpolation);
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t j = 0; z.weights[k] != 0 && j < 4; ++j) {
            const double* const row = image.data() + n.x * (y.at[j] + n.y * z.at[k]);
            double line = 0;
            for (std::size_t i = 0; y.weights[j] != 0 && i < 4; ++i) {
                line += x.weights[i] != 0 ? x.weights[i] * row[x.at[i]] : 0; // 0 NaN is NaN
            }
            sum += y.weights[j] != 0 ? z.weights[k] * y.weights[j] * line : 0;
        }
    }
    return sum;
}

} // namespace

base::Point VoxelMap::at(const base::Point& voxel) const {
    const base::Point way = rotation::apply(matrix, voxel);
    return {offset[0] + way[0], offset[1] + way[1], offset[2] + way[2]};
}

VoxelMap voxelMap(const base::Geometry& own, const base::Geometry& target) {
    // Lengths of one unit of the target in that of `own`, by geometries that differ in nothing
    // else.
    base::Geometry one;
    base::Geometry other;
    one.unit = target.unit;
    other.unit = own.unit;
    const double unit = base::spacingRatio(one, other)[0];
    const rotation::Matrix back = rotation::inverse(own.direction);
    VoxelMap map;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < 3; ++i) { // the inverse of D S, row by column
            const double inverse = back[3 * row + i] / own.spacing[row];
            map.offset[row] += inverse * (unit * target.origin[i] - own.origin[i]);
            for (std::size_t column = 0; column < 3; ++column) {
                map.matrix[3 * row + column] +=
                    inverse * unit * target.direction[3 * i + column] * target.spacing[column];
            }
        }
    }
    return map;
}

OnGrid onGrid(const base::AnyView& source, const base::Geometry& own, const base::Geometry& target,
              const base::Extents& extents, Interpolation interpolation,
              const std::stop_token& stop) {
    constexpr double kRounding = 1e-6; // voxels
    const VoxelMap map = voxelMap(own, target);
    const base::Extents from = base::extentsOf(source);
    const std::array<std::int64_t, 3> lengths{from.x, from.y, from.z};
    base::Image<double> image = detail::asDoubles(source);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double step = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            step = std::max(step, std::abs(map.matrix[3 * axis + column]));
        }
        if (lengths[axis] > 1 && step > 1 + kRounding) {
            image = detail::averaged(image, axis, step, stop);
        }
    }
    // Half a voxel beyond the last centres belongs to it, but only a flat one and a mask have a
    // value there.
    const auto rim = [&](std::size_t axis) {
        return interpolation == Interpolation::Linear || lengths[axis] == 1 ? 0.5 : 0.0;
    };
    OnGrid made{base::Image<double>(extents, 0.0),
                base::Image<std::uint8_t>(extents, std::uint8_t{0})};
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y && !stop.stop_requested(); ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                base::Point place = map.at(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                bool in = true;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const auto last = static_cast<double>(lengths[axis] - 1);
                    in = in && place[axis] >= -rim(axis) - kRounding &&
                         place[axis] <= last + rim(axis) + kRounding;
                    const double whole = std::round(place[axis]);
                    place[axis] = std::clamp(
                        std::abs(place[axis] - whole) < kRounding ? whole : place[axis], 0.0, last);
                }
                if (in) {
                    made.inside.view().at(x, y, z) = 1;
                    made.values.view().at(x, y, z) = valueAt(image, place, interpolation);
                }
            }
        }
    }
    return made;
}

} // namespace flcc::filter
