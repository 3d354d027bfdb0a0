#include "engine/reference/csdd.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace flcc::reference {

namespace {

/// One sample of the kernel.
struct Tap {
    base::Index offset;
    double weight = 0;
};

/// LoG(r) = (r^2 / sigma^4 - d / sigma^2) G(r), where it is not negligible.
std::vector<Tap> laplacianOfGaussian(double sigma, const base::Point& edges, bool volume) {
    const auto reach = [&](std::size_t axis) {
        return static_cast<std::int64_t>(std::ceil(6 * sigma / edges[axis]));
    };
    const base::Index radius{reach(0), reach(1), volume ? reach(2) : 0};
    const double voxel = edges[0] * edges[1] * (volume ? edges[2] : 1);
    const int dimensions = volume ? 3 : 2;
    const double norm = std::pow(2 * std::numbers::pi * sigma * sigma, -0.5 * dimensions);
    std::vector<Tap> taps;
    const auto squared = [&](std::int64_t offset, std::size_t axis) {
        const double length = static_cast<double>(offset) * edges[axis];
        return length * length;
    };
    for (std::int64_t z = -radius.z; z <= radius.z; ++z) {
        for (std::int64_t y = -radius.y; y <= radius.y; ++y) {
            for (std::int64_t x = -radius.x; x <= radius.x; ++x) {
                const double square =
                    (squared(x, 0) + squared(y, 1) + squared(z, 2)) / (sigma * sigma);
                if (square <= 36) {
                    taps.push_back({{x, y, z},
                                    voxel * (square - dimensions) / (sigma * sigma) * norm *
                                        std::exp(-square / 2)});
                }
            }
        }
    }
    return taps;
}

} // namespace

base::Image<double> csddResponse(base::View<const double> image, const CsddScale& scale) {
    const base::Extents& n = image.extents();
    const bool volume = n.z > 1;
    const std::vector<Tap> taps = laplacianOfGaussian(scale.sigma, scale.edges, volume);
    const double step = (scale.high - scale.low) / scale.levels;
    const double weight =
        (volume ? 1.080985 : std::numbers::e / 2) * scale.sigma * scale.sigma * step;
    base::Image<double> response(n);
    std::vector<double> sums;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                sums.assign(static_cast<std::size_t>(scale.levels), 0.0);
                for (const Tap& tap : taps) {
                    const double value =
                        image.at(std::clamp(x + tap.offset.x, std::int64_t{0}, n.x - 1),
                                 std::clamp(y + tap.offset.y, std::int64_t{0}, n.y - 1),
                                 std::clamp(z + tap.offset.z, std::int64_t{0}, n.z - 1));
                    for (int k = 0; k < scale.levels; ++k) {
                        if (value <= scale.low + (k + 0.5) * step) {
                            sums[static_cast<std::size_t>(k)] += tap.weight;
                        }
                    }
                }
                double total = 0;
                for (const double sum : sums) {
                    total += std::fabs(sum);
                }
                response.view().at(x, y, z) = weight * total;
            }
        }
    }
    return response;
}

} // namespace flcc::reference
