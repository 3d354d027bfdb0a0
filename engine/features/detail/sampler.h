#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/image.h"

namespace flcc::features::detail {

/// The mean over the voxels around a position, linear between them; positions outside take the
/// border.
class Sampler {
  public:
    explicit Sampler(base::View<const float> image) : m_image(image) {}

    [[nodiscard]] double at(const base::Point& p) const {
        const base::Extents& n = m_image.extents();
        const Place x = place(p[0], n.x);
        const Place y = place(p[1], n.y);
        const Place z = place(p[2], n.z);
        const auto plane = [&](std::int64_t k) {
            const auto row = [&](std::int64_t j) {
                return (1 - x.share) * static_cast<double>(m_image.at(x.low, j, k)) +
                       x.share * static_cast<double>(m_image.at(x.high, j, k));
            };
            return (1 - y.share) * row(y.low) + y.share * row(y.high);
        };
        return z.share == 0 ? plane(z.low) : (1 - z.share) * plane(z.low) + z.share * plane(z.high);
    }

    /// The mean over a cube of side `step` around p, in the unit of the edges of a voxel.
    [[nodiscard]] double mean(const base::Point& p, double step,
                              const base::Point& edges = {1, 1, 1}) const {
        const int count = std::max(1, static_cast<int>(std::ceil(step)));
        const int slices = m_image.extents().z > 1 ? count : 1;
        const auto offset = [&](int i) { return step * ((i + 0.5) / count - 0.5); };
        double sum = 0;
        for (int k = 0; k < slices; ++k) {
            for (int j = 0; j < count; ++j) {
                for (int i = 0; i < count; ++i) {
                    sum += at({p[0] + offset(i) / edges[0], p[1] + offset(j) / edges[1],
                               slices > 1 ? p[2] + offset(k) / edges[2] : p[2]});
                }
            }
        }
        return sum / (static_cast<double>(count) * count * slices);
    }

  private:
    struct Place {
        std::int64_t low = 0;
        std::int64_t high = 0;
        double share = 0;
    };
    static Place place(double position, std::int64_t n) {
        const double inside = std::clamp(position, 0.0, static_cast<double>(n - 1));
        const auto low = static_cast<std::int64_t>(inside);
        return {low, std::min(low + 1, n - 1), inside - static_cast<double>(low)};
    }

    base::View<const float> m_image;
};

} // namespace flcc::features::detail
