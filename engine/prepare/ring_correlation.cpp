#include "engine/prepare/ring_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/cpu/common/for_items.h"
#include "engine/prepare/detail/spectrum.h"

namespace flcc::prepare {

namespace {

/// FFTW's jobs one after the other until a stop.
cpu::ForItems untilStopped(const std::stop_token& stop) {
    return [&stop](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        for (std::int64_t item = 0; item < count; ++item) {
            if (stop.stop_requested()) {
                return false;
            }
            work(item, 0);
        }
        return true;
    };
}

detail::Box transformOf(const base::View<const double>& image, const detail::Plans& plans,
                        const std::stop_token& stop) {
    const base::Extents& n = image.extents();
    detail::Box box(n);
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            std::copy_n(image.row(y, z), n.x, box.row(y, z));
        }
    }
    const cpu::ForItems each = untilStopped(stop);
    const cpu::FftJobs jobs(each);
    plans.forward(box.values.data());
    return box;
}

/// The frequency of number `k` of `length`, cycles a voxel, from -1/2 to 1/2.
double frequencyOf(std::int64_t k, std::int64_t length) {
    return static_cast<double>(2 * k > length ? k - length : k) / static_cast<double>(length);
}

/// The least extent above 1; 1 without one.
std::int64_t leastExtent(const base::Extents& n) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t edge : {n.x, n.y, n.z}) {
        least = edge > 1 ? std::min(least, edge) : least;
    }
    return least == std::numeric_limits<std::int64_t>::max() ? 1 : least;
}

/// The sums over the frequencies of a ring.
struct Ring {
    double products = 0;
    double firstPower = 0;
    double secondPower = 0;
};

std::vector<Ring> ringsOf(const detail::Box& first, const detail::Box& second,
                          const std::stop_token& stop) {
    const base::Extents& n = first.points;
    const std::int64_t least = leastExtent(n);
    std::vector<Ring> rings(static_cast<std::size_t>(least / 2 + 1));
    for (std::int64_t z = 0; z < n.z && !stop.stop_requested(); ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            const double* const one = first.row(y, z);
            const double* const other = second.row(y, z);
            for (std::int64_t x = 0; x < first.pairs(); ++x) {
                const double frequency =
                    std::hypot(frequencyOf(x, n.x), frequencyOf(y, n.y), frequencyOf(z, n.z));
                const auto number =
                    static_cast<std::size_t>(std::llround(frequency * static_cast<double>(least)));
                if (number >= rings.size()) {
                    continue;
                }
                // Pairs beside the first and the last stand for two frequencies.
                const double times = x == 0 || 2 * x == n.x ? 1 : 2;
                const double re = one[2 * x];
                const double im = one[2 * x + 1];
                const double re2 = other[2 * x];
                const double im2 = other[2 * x + 1];
                Ring& ring = rings[number];
                ring.products += times * (re * re2 + im * im2);
                ring.firstPower += times * (re * re + im * im);
                ring.secondPower += times * (re2 * re2 + im2 * im2);
            }
        }
    }
    return rings;
}

std::optional<double> resolutionOf(const RingCorrelation& rings) {
    for (std::size_t r = 1; r < rings.correlation.size(); ++r) {
        const double here = rings.correlation[r];
        if (here < kRingThreshold) {
            const double before = rings.correlation[r - 1];
            const double share =
                r > 1 && before > here ? (before - kRingThreshold) / (before - here) : 1;
            const double step = rings.frequency[r] - rings.frequency[r - 1];
            return 1 / (rings.frequency[r - 1] + std::clamp(share, 0.0, 1.0) * step);
        }
    }
    return {};
}

} // namespace

RingCorrelation ringCorrelation(const base::View<const double>& first,
                                const base::View<const double>& second,
                                const std::stop_token& stop) {
    const base::Extents& n = first.extents();
    const detail::OwnPlans plans = detail::plansOf(n);
    const detail::Box one = transformOf(first, *plans, stop);
    const detail::Box other = transformOf(second, *plans, stop);
    RingCorrelation result;
    for (const Ring& ring : ringsOf(one, other, stop)) {
        const double power = std::sqrt(ring.firstPower) * std::sqrt(ring.secondPower);
        result.frequency.push_back(static_cast<double>(result.frequency.size()) /
                                   static_cast<double>(leastExtent(n)));
        result.correlation.push_back(power > 0 ? ring.products / power
                                               : std::numeric_limits<double>::quiet_NaN());
    }
    result.resolution = resolutionOf(result);
    return result;
}

} // namespace flcc::prepare
