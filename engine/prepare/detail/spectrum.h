#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "engine/base/image.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/prepare/response.h"

namespace flcc::prepare::detail {

/// A real box that becomes its half spectrum in place: rows of 2 (x / 2 + 1) values.
struct Box {
    base::Extents points;
    base::Image<double> values;

    explicit Box(const base::Extents& extents);

    [[nodiscard]] std::int64_t pairs() const { return points.x / 2 + 1; } ///< of a row
    [[nodiscard]] double* row(std::int64_t y, std::int64_t z) {
        return values.data() + 2 * pairs() * (y + points.y * z);
    }
    [[nodiscard]] const double* row(std::int64_t y, std::int64_t z) const {
        return values.data() + 2 * pairs() * (y + points.y * z);
    }
};

using Plans = cpu::BoxPlans<cpu::Double>;
/// FFTW makes and destroys plans in one thread at a time.
struct Destroy {
    void operator()(const Plans* plans) const;
};
using OwnPlans = std::unique_ptr<const Plans, Destroy>;
[[nodiscard]] OwnPlans plansOf(const base::Extents& points);

/// The frequencies of a box of voxels of this spacing, cycles a unit.
class Frequencies {
  public:
    Frequencies(const base::Extents& points, const base::Point& spacing);

    [[nodiscard]] base::Point at(std::int64_t kx, std::int64_t ky, std::int64_t kz) const;
    /// A response at a frequency. Where an axis has half a cycle a voxel, which stands for both
    /// signs, it is the mean of both, so that the spectrum stays that of a real box.
    [[nodiscard]] double response(const Response& of, std::int64_t kx, std::int64_t ky,
                                  std::int64_t kz) const;
    /// The finest step along an axis, and the highest frequency.
    [[nodiscard]] double step() const;
    [[nodiscard]] double highest() const;

  private:
    std::array<std::int64_t, 3> m_points;
    base::Point m_spacing;
};

} // namespace flcc::prepare::detail
