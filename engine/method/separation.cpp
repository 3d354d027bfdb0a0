#include "engine/method/separation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/canonical.h"

namespace flcc::method {

namespace {

using base::Extents;
using base::Image;
using base::View;
using Vector = std::vector<double>;

/// An axis varies if the part of the values that depends on it is larger than this share of all.
constexpr double kVaries = 0x1p-22;

std::int64_t lengthOf(const Extents& m, std::size_t axis) {
    return axis == 0 ? m.x : axis == 1 ? m.y : m.z;
}

/// Calls `use(value, x, y, z)` for every value.
template <class Values, class Use> void forValues(const Values& values, Use&& use) {
    const Extents& m = values.extents();
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y) {
            auto* const row = values.row(y, z);
            for (std::int64_t x = 0; x < m.x; ++x) {
                use(row[x], x, y, z);
            }
        }
    }
}

double normOf(const View<const double>& values, double level) {
    double square = 0;
    forValues(values, [&](double value, auto...) { square += (value - level) * (value - level); });
    return std::sqrt(square);
}

double meanOf(const View<const double>& values) {
    double sum = 0;
    forValues(values, [&](double value, auto...) { sum += value; });
    return sum / static_cast<double>(base::voxelCount(values.extents()));
}

/// The means along an axis, whose length becomes 1.
Image<double> meansAlong(const View<const double>& values, std::size_t axis) {
    Extents to = values.extents();
    (axis == 0 ? to.x : axis == 1 ? to.y : to.z) = 1;
    Image<double> means(to, 0.0);
    forValues(values, [&](double value, std::int64_t x, std::int64_t y, std::int64_t z) {
        means.view().at(axis == 0 ? 0 : x, axis == 1 ? 0 : y, axis == 2 ? 0 : z) += value;
    });
    const auto length = static_cast<double>(lengthOf(values.extents(), axis));
    std::for_each(means.data(), means.data() + means.count(), [&](double& v) { v /= length; });
    return means;
}

/// The values less their means along an axis.
Image<double> centredAlong(const View<const double>& values, std::size_t axis) {
    const Image<double> means = meansAlong(values, axis);
    const View<const double> mean = means.view();
    Image<double> centred(values.extents());
    forValues(values, [&](double value, std::int64_t x, std::int64_t y, std::int64_t z) {
        centred.view().at(x, y, z) =
            value - mean.at(axis == 0 ? 0 : x, axis == 1 ? 0 : y, axis == 2 ? 0 : z);
    });
    return centred;
}

/// The values averaged over the axes along which they do not vary.
Image<double> collapsed(const View<const double>& values, double scale) {
    Image<double> kept(values.extents());
    forValues(values, [&](double value, std::int64_t x, std::int64_t y, std::int64_t z) {
        kept.view().at(x, y, z) = value;
    });
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (lengthOf(kept.extents(), axis) > 1 &&
            normOf(centredAlong(kept.view(), axis).view(), 0) <= kVaries * scale) {
            kept = meansAlong(kept.view(), axis);
        }
    }
    return kept;
}

/// The level for which the values, which vary along all axes longer than 1, may be an outer
/// product; their mean if there is none. `found`: there is one.
double levelOf(const View<const double>& values, double mean, double scale, bool& found) {
    const Extents& m = values.extents();
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (lengthOf(m, axis) > 1) {
            axes.push_back(axis);
        }
    }
    found = axes.size() < 2;
    if (found) {
        return mean; // any level will do
    }
    Image<double> varying = centredAlong(values, axes.front());
    for (std::size_t i = 1; i < axes.size(); ++i) {
        varying = centredAlong(varying.view(), axes[i]);
    }
    constexpr double kPromising = 0.01;
    if (!(normOf(varying.view(), 0) > 0x1p-40 * scale) ||
        base::rankOne(varying.view(), 0).residual > kPromising) {
        return mean;
    }
    std::array<Vector, 3> p = base::rankOne(varying.view()).factors;
    std::array<double, 3> squares{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double sum = 0;
        double square = 0;
        std::for_each(p[axis].begin(), p[axis].end(), [&](double v) { sum += v; });
        for (double& value : p[axis]) {
            value -= p[axis].size() > 1 ? sum / static_cast<double>(p[axis].size()) : 0;
            square += value * value;
        }
        squares[axis] = square;
    }
    // An axis of length 1 belongs to the factor of the first one that varies.
    std::array<double, 3> sums{};
    forValues(values, [&](double value, std::int64_t x, std::int64_t y, std::int64_t z) {
        const std::array<double, 3> at{p[0][static_cast<std::size_t>(x)],
                                       p[1][static_cast<std::size_t>(y)],
                                       p[2][static_cast<std::size_t>(z)]};
        sums[0] += (value - mean) * at[1] * at[2];
        sums[1] += (value - mean) * at[0] * at[2];
        sums[2] += (value - mean) * at[0] * at[1];
    });
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double others = squares[0] * squares[1] * squares[2] / squares[axis];
        product *= lengthOf(m, axis) > 1
                       ? sums[axis] / (others * static_cast<double>(lengthOf(m, axis)))
                       : p[axis].front();
    }
    found = std::isfinite(product);
    return found ? mean - product : mean;
}

Separation fitted(const View<const double>& values, int rounds) {
    const double mean = meanOf(values);
    const double scale = normOf(values, mean);
    Separation result;
    bool found = false;
    result.level = levelOf(collapsed(values, scale).view(), mean, scale, found);
    // Products as large as that would lose more to rounding than the fewer products save.
    constexpr double kFarthest = 64;
    const auto count = static_cast<double>(base::voxelCount(values.extents()));
    if (!(std::abs(result.level - mean) * std::sqrt(count) <= kFarthest * scale)) {
        result.level = mean;
        found = false;
    }
    Image<double> rest(values.extents());
    forValues(values, [&](double value, std::int64_t x, std::int64_t y, std::int64_t z) {
        rest.view().at(x, y, z) = value - result.level;
    });
    result.product = base::rankOne(rest.view(), found ? rounds : 1);
    result.residual = result.product.residual * normOf(rest.view(), 0) / scale;
    return result;
}

/// Some voxels of a large template, evenly spread; empty for a small one.
Image<double> someOf(const base::AnyView& templ) {
    const Extents m = base::extentsOf(templ);
    const std::int64_t most = m.z > 1 ? 10 : 32;
    const Extents some{std::min(m.x, most), std::min(m.y, most), std::min(m.z, most)};
    if (some == m) {
        return {};
    }
    const auto at = [](std::int64_t i, std::int64_t count, std::int64_t length) {
        return count > 1 ? i * (length - 1) / (count - 1) : 0;
    };
    Image<double> voxels(some);
    for (std::int64_t z = 0; z < some.z; ++z) {
        for (std::int64_t y = 0; y < some.y; ++y) {
            for (std::int64_t x = 0; x < some.x; ++x) {
                voxels.view().at(x, y, z) = base::valueAt(
                    templ, {at(x, some.x, m.x), at(y, some.y, m.y), at(z, some.z, m.z)});
            }
        }
    }
    return voxels;
}

} // namespace

Separation separate(const View<const double>& values) {
    constexpr int kRounds = 4;
    return fitted(values, kRounds);
}

Separability separabilityOf(const MaskedView& templ) {
    if (isMasked(templ)) {
        return {};
    }
    const Image<double> some = someOf(templ.pixels);
    if (!some.empty()) {
        constexpr double kHopeless = 1e-3;
        const double scale = normOf(some.view(), meanOf(some.view()));
        if (std::isfinite(scale) && scale > 0) {
            const Separation part = fitted(some.view(), 1);
            if (part.residual > kHopeless) {
                return {part.level, part.residual};
            }
        }
    }
    try {
        const CanonicalTemplate canonical(templ);
        const Separation whole = separate(canonical.values().view());
        // T = low + gain (That - least)
        const auto [least, largest] = std::minmax_element(
            canonical.values().data(), canonical.values().data() + canonical.values().count());
        const auto valueOf = [&](const double* voxel) {
            const std::int64_t i = voxel - canonical.values().data();
            const Extents& m = canonical.extents();
            return base::valueAt(templ.pixels, {i % m.x, i / m.x % m.y, i / (m.x * m.y)});
        };
        const double low = valueOf(least);
        const double gain = (valueOf(largest) - low) / (*largest - *least);
        return {low + gain * (whole.level - *least), whole.residual};
    } catch (const base::Error&) {
        return {};
    }
}

} // namespace flcc::method
