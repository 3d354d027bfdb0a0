#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/random.h"
#include "tests/support/scenes.h"

namespace flcc::test {

[[nodiscard]] inline double apart(const base::Point& a, const base::Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// A picture that is known between its voxels: a sum of waves of random directions, whose amplitude
/// falls with their frequency as in photographs.
class Waves {
  public:
    /// `finest`: the shortest wave, voxels. `flat`: the same at every z.
    Waves(std::uint64_t seed, double finest, bool flat, int count = 60) {
        base::Random random(seed);
        for (int i = 0; i < count; ++i) {
            const double length = finest * std::pow(8.0, random.uniform(0, 1));
            base::Point way{random.normal(), random.normal(), flat ? 0 : random.normal()};
            const double norm = std::hypot(way[0], way[1], way[2]);
            for (double& each : way) {
                each *= 2 * 3.14159265358979323846 / (length * norm);
            }
            m_waves.push_back({way, random.uniform(0, 6.3), length});
        }
    }

    [[nodiscard]] double at(const base::Point& p) const {
        double sum = 0;
        for (const Wave& each : m_waves) {
            sum += each.height * std::cos(each.way[0] * p[0] + each.way[1] * p[1] +
                                          each.way[2] * p[2] + each.phase);
        }
        return sum;
    }

    /// The picture at the places that `placeOf` gives to the voxels, with white noise.
    [[nodiscard]] base::AnyImage
    seenBy(const base::Extents& extents,
           const std::function<base::Point(const base::Point&)>& placeOf, double noise = 0,
           std::uint64_t seed = 1) const {
        base::Random random(seed);
        return makeScene(base::PixelType::Float32, extents, [&](const base::Index& at) {
            return this->at(placeOf({static_cast<double>(at.x), static_cast<double>(at.y),
                                     static_cast<double>(at.z)})) +
                   noise * random.normal();
        });
    }

    /// The root of the mean square.
    [[nodiscard]] double contrast() const {
        double sum = 0;
        for (const Wave& each : m_waves) {
            sum += each.height * each.height / 2;
        }
        return std::sqrt(sum);
    }

  private:
    struct Wave {
        base::Point way;
        double phase;
        double height;
    };
    std::vector<Wave> m_waves;
};

} // namespace flcc::test
