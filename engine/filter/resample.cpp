#include "engine/filter/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/spacing.h"
#include "engine/filter/detail/axis_average.h"

namespace flcc::filter {

namespace {

/// The weights of the source voxels that make one voxel along an axis.
struct AxisWeights {
    std::int64_t first = 0;
    std::vector<double> values;
};

/// Where the voxel `i` of `to` lies among `from` voxels; the middles coincide.
double placeOf(std::int64_t i, std::int64_t from, std::int64_t to, double ratio) {
    return (static_cast<double>(i) - static_cast<double>(to - 1) / 2) / ratio +
           static_cast<double>(from - 1) / 2;
}

/// `half`: half the width of the triangle.
std::vector<AxisWeights> axisWeights(std::int64_t from, std::int64_t to, double ratio,
                                     double half) {
    std::vector<AxisWeights> all(static_cast<std::size_t>(to));
    for (std::int64_t i = 0; i < to; ++i) {
        // Rounding of the extents may place the outermost voxels beyond the source.
        const double place =
            std::clamp(placeOf(i, from, to, ratio), 0.0, static_cast<double>(from - 1));
        AxisWeights& own = all[static_cast<std::size_t>(i)];
        own.first =
            std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(place - half)) + 1);
        const std::int64_t last =
            std::min(from - 1, static_cast<std::int64_t>(std::ceil(place + half)) - 1);
        double sum = 0;
        for (std::int64_t j = own.first; j <= last; ++j) {
            own.values.push_back(1 - std::abs(static_cast<double>(j) - place) / half);
            sum += own.values.back();
        }
        for (double& weight : own.values) {
            weight /= sum;
        }
    }
    return all;
}

/// Resamples one axis; the others stay.
base::Image<double> alongAxis(const base::Image<double>& from, std::size_t axis, std::int64_t count,
                              double ratio, double half, const std::stop_token& stop) {
    const base::Extents& n = from.extents();
    const std::array<std::int64_t, 3> sizes{n.x, n.y, n.z};
    std::array<std::int64_t, 3> out = sizes;
    out[axis] = count;
    base::Image<double> to({out[0], out[1], out[2]});
    const std::vector<AxisWeights> weights = axisWeights(sizes[axis], count, ratio, half);
    const std::int64_t step = axis == 0 ? 1 : axis == 1 ? n.x : n.x * n.y;
    for (std::int64_t z = 0; z < out[2]; ++z) {
        for (std::int64_t y = 0; y < out[1] && !stop.stop_requested(); ++y) {
            double* const row = to.view().row(y, z);
            for (std::int64_t x = 0; x < out[0]; ++x) {
                std::array<std::int64_t, 3> at{x, y, z};
                const AxisWeights& own = weights[static_cast<std::size_t>(at[axis])];
                at[axis] = own.first;
                const double* source = from.data() + at[0] + n.x * (at[1] + n.y * at[2]);
                double sum = 0;
                for (const double weight : own.values) {
                    sum += weight * *source;
                    source += step;
                }
                row[x] = sum;
            }
        }
    }
    return to;
}

} // namespace

namespace detail {

base::Image<double> asDoubles(const base::AnyView& source) {
    base::Image<double> copy(base::extentsOf(source));
    std::visit(
        [&copy](const auto& view) {
            const base::Extents& n = view.extents();
            for (std::int64_t line = 0; line < n.y * n.z; ++line) {
                const auto* const row = view.row(line % n.y, line / n.y);
                std::transform(row, row + n.x, copy.view().row(line % n.y, line / n.y),
                               [](auto value) { return static_cast<double>(value); });
            }
        },
        source);
    return copy;
}

base::Image<double> averaged(const base::Image<double>& image, std::size_t axis, double half,
                             const std::stop_token& stop) {
    const base::Extents& n = image.extents();
    return alongAxis(image, axis, axis == 0 ? n.x : axis == 1 ? n.y : n.z, 1, half, stop);
}

} // namespace detail

base::Extents resampledExtents(const base::Extents& extents, const base::Point& ratio) {
    const auto scaled = [](std::int64_t count, double by) {
        const double most = 1LL << 40; // beyond every scene
        return count == 1 ? 1
                          : std::max<std::int64_t>(
                                1, std::llround(std::min(most, static_cast<double>(count) * by)));
    };
    return {scaled(extents.x, ratio[0]), scaled(extents.y, ratio[1]), scaled(extents.z, ratio[2])};
}

Resampled resample(const base::AnyView& source, const base::Geometry& own,
                   const base::Geometry& target, const std::stop_token& stop) {
    const base::Point ratio = base::spacingRatio(own, target);
    const base::Extents from = base::extentsOf(source);
    const base::Extents to = resampledExtents(from, ratio);
    const std::array<std::int64_t, 3> before{from.x, from.y, from.z};
    const std::array<std::int64_t, 3> after{to.x, to.y, to.z};
    base::Image<double> image = detail::asDoubles(source);
    base::Point first{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (before[axis] > 1) {
            image = alongAxis(image, axis, after[axis], ratio[axis], std::max(1.0, 1 / ratio[axis]),
                              stop);
            first[axis] = placeOf(0, before[axis], after[axis], ratio[axis]);
        }
    }
    Resampled made;
    made.geometry = base::withSpacing(base::movedTo(own, first), {target.spacing, target.unit}, to);
    made.geometry.unitSource = own.unitSource;
    const base::PixelType type = base::pixelType(source);
    if (base::bytesPerVoxel(type) > 4 || type == base::PixelType::Int32 ||
        type == base::PixelType::UInt32) {
        made.pixels = std::move(image);
        return made;
    }
    base::Image<float> single(image.extents());
    std::transform(image.data(), image.data() + image.count(), single.data(),
                   [](double value) { return static_cast<float>(value); });
    made.pixels = std::move(single);
    return made;
}

} // namespace flcc::filter
