#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "viz/scene.h"

namespace flcc::viz {
namespace {

constexpr std::int64_t kSamples = 250'000;

/// A step through `count` voxels that gives about `wanted` of them.
std::int64_t stepFor(std::int64_t count, double wanted) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(count) / wanted));
}

template <class T> std::vector<double> samplesOf(const base::View<const T>& view) {
    const base::Extents& n = view.extents();
    const double count =
        static_cast<double>(n.x) * static_cast<double>(n.y) * static_cast<double>(n.z);
    // The same thinning on every axis that is long enough for it.
    const double thin = std::max(1.0, count / static_cast<double>(kSamples));
    const double axes = n.z > 1 ? 3.0 : 2.0;
    const double factor = std::pow(thin, 1.0 / axes);
    const auto step = [&](std::int64_t length) {
        return stepFor(length, std::max(1.0, static_cast<double>(length) / factor));
    };
    const std::int64_t sx = step(n.x);
    const std::int64_t sy = step(n.y);
    const std::int64_t sz = step(n.z);
    std::vector<double> samples;
    samples.reserve(static_cast<std::size_t>(kSamples) + 1);
    for (std::int64_t z = 0; z < n.z; z += sz) {
        for (std::int64_t y = 0; y < n.y; y += sy) {
            const T* row = view.row(y, z);
            for (std::int64_t x = 0; x < n.x; x += sx) {
                const auto value = static_cast<double>(row[x]);
                if (std::isfinite(value)) {
                    samples.push_back(value);
                }
            }
        }
    }
    return samples;
}

double percentile(std::vector<double>& samples, double percent) {
    const double position = percent / 100.0 * static_cast<double>(samples.size() - 1);
    const auto nth = samples.begin() + static_cast<std::ptrdiff_t>(std::llround(position));
    std::nth_element(samples.begin(), nth, samples.end());
    return *nth;
}

} // namespace

std::vector<std::int64_t> histogramOf(const base::AnyView& view, const GreyWindow& window,
                                      int bins) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
    // Halves, whose differences cannot overflow.
    const double range = window.high / 2 - window.low / 2;
    for (const double value :
         std::visit([](const auto& typed) { return samplesOf(typed); }, view)) {
        const double share = (value / 2 - window.low / 2) / range;
        if (share >= 0 && share <= 1) {
            ++counts[static_cast<std::size_t>(std::min(static_cast<int>(share * bins), bins - 1))];
        }
    }
    return counts;
}

GreyWindow autoWindow(const base::AnyView& view, double lowPercent, double highPercent) {
    std::vector<double> samples =
        std::visit([](const auto& typed) { return samplesOf(typed); }, view);
    if (samples.empty()) {
        return {};
    }
    GreyWindow window{percentile(samples, lowPercent), percentile(samples, highPercent)};
    if (!(window.low < window.high)) {
        // Nearly all voxels are alike: the full range, or one step around the only value.
        const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
        window = {*least, *most};
        if (!(window.low < window.high)) {
            // A step that is one at every size, in float too.
            const double step = std::max(0.5, std::abs(window.low) * 1e-6);
            constexpr double kMost = std::numeric_limits<double>::max();
            window = {std::max(window.low - step, -kMost), std::min(window.low + step, kMost)};
        }
    }
    return window;
}

} // namespace flcc::viz
