#include "engine/prepare/detail/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flcc::prepare::detail {

Box::Box(const base::Extents& extents)
    : points(extents), values({2 * (extents.x / 2 + 1), extents.y, extents.z}) {}

void Destroy::operator()(const Plans* plans) const {
    const std::lock_guard lock(cpu::plannerLock());
    delete plans;
}

OwnPlans plansOf(const base::Extents& points) {
    const std::lock_guard lock(cpu::plannerLock());
    return OwnPlans(new Plans(points, {}, cpu::FftBox::RealInPlace));
}

Frequencies::Frequencies(const base::Extents& points, const base::Point& spacing)
    : m_points{points.x, points.y, points.z}, m_spacing(spacing) {
    for (double& each : m_spacing) {
        each = std::abs(each);
    }
}

base::Point Frequencies::at(std::int64_t kx, std::int64_t ky, std::int64_t kz) const {
    const std::array<std::int64_t, 3> k{kx, ky, kz};
    base::Point g{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t n = m_points[axis];
        const std::int64_t own = 2 * k[axis] > n ? k[axis] - n : k[axis];
        g[axis] = static_cast<double>(own) / (static_cast<double>(n) * m_spacing[axis]);
    }
    return g;
}

double Frequencies::response(const Response& of, std::int64_t kx, std::int64_t ky,
                             std::int64_t kz) const {
    const std::array<std::int64_t, 3> k{kx, ky, kz};
    const base::Point g = at(kx, ky, kz);
    double sum = 0;
    int count = 0;
    for (unsigned signs = 0; signs < 8; ++signs) {
        base::Point each = g;
        bool stands = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if ((signs >> axis & 1U) != 0) {
                stands = stands && k[axis] > 0 && 2 * k[axis] == m_points[axis];
                each[axis] = -each[axis];
            }
        }
        if (stands) {
            sum += of.at(each);
            ++count;
        }
    }
    return sum / count;
}

double Frequencies::step() const {
    double longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        longest = m_points[axis] > 1
                      ? std::max(longest, static_cast<double>(m_points[axis]) * m_spacing[axis])
                      : longest;
    }
    return longest > 0 ? 1 / longest : 1;
}

double Frequencies::highest() const {
    double squares = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double own = m_points[axis] > 1 ? 0.5 / m_spacing[axis] : 0;
        squares += own * own;
    }
    return std::sqrt(squares);
}

} // namespace flcc::prepare::detail
