#include "engine/rotation/orientation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flcc::rotation {

namespace {

constexpr double kDegree = std::numbers::pi / 180;

double snapped(double value) {
    constexpr double kNear = 1e-14;
    const double whole = std::round(value);
    return std::abs(value - whole) < kNear ? whole + 0.0 : value; // + 0.0 makes -0 positive
}

Quaternion normalised(const Quaternion& q) {
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    const double sign = q.w < 0 ? -1 : 1;
    const double by = sign / length;
    return {q.w * by, q.x * by, q.y * by, q.z * by};
}

/// Sine and cosine of half an angle in degrees; exact at multiples of 90 degrees up to rounding of
/// square roots.
Quaternion aboutZ(double degrees) { return aboutAxis({0, 0, 1}, degrees); }

/// An angle of at most six decimals without the rounding of functions: 80, not 79.99999999999999.
double tidy(double degrees) {
    constexpr double kDigits = 1e6;
    constexpr double kRounding = 4e-13;
    const double near = std::round(degrees * kDigits) / kDigits;
    return std::abs(degrees - near) < kRounding ? near + 0.0 : degrees;
}

double halfOpen(double given) {
    const double degrees = tidy(given);
    const double turned = degrees - 360 * std::floor((degrees + 180) / 360);
    return turned >= 180 ? turned - 360 : turned;
}

} // namespace

Quaternion product(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix made{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            for (std::size_t i = 0; i < 3; ++i) {
                made[3 * row + column] += a[3 * row + i] * b[3 * i + column];
            }
        }
    }
    return made;
}

Quaternion inverse(const Quaternion& q) { return {q.w, -q.x, -q.y, -q.z}; }

Matrix transposed(const Matrix& m) {
    return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

namespace {

Matrix adjugate(const Matrix& m) {
    const auto minor = [&m](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return m[a] * m[d] - m[b] * m[c];
    };
    return {minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5),
            minor(5, 3, 8, 6), minor(0, 2, 6, 8), minor(2, 0, 5, 3),
            minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4)};
}

} // namespace

double determinant(const Matrix& m) {
    const Matrix by = adjugate(m);
    return m[0] * by[0] + m[1] * by[3] + m[2] * by[6];
}

Matrix inverse(const Matrix& m) {
    Matrix made = adjugate(m);
    const double divisor = determinant(m);
    for (double& entry : made) {
        entry /= divisor;
    }
    return made;
}

Matrix matrixOf(const Quaternion& given) {
    const Quaternion q = normalised(given);
    Matrix m{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z),
             2 * (q.x * q.z + q.w * q.y),     2 * (q.x * q.y + q.w * q.z),
             1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x),
             2 * (q.x * q.z - q.w * q.y),     2 * (q.y * q.z + q.w * q.x),
             1 - 2 * (q.x * q.x + q.y * q.y)};
    std::ranges::transform(m, m.begin(), snapped);
    return m;
}

Quaternion quaternionOf(const Matrix& m) {
    // The largest of the four is computed by a root, which keeps the others exact.
    const std::array<double, 4> squares{1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8],
                                        1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]};
    const auto largest = std::ranges::max_element(squares) - squares.begin();
    const double twice = std::sqrt(squares[static_cast<std::size_t>(largest)]);
    const double by = 0.5 / twice;
    switch (largest) {
    case 0:
        return normalised({twice / 2, (m[7] - m[5]) * by, (m[2] - m[6]) * by, (m[3] - m[1]) * by});
    case 1:
        return normalised({(m[7] - m[5]) * by, twice / 2, (m[1] + m[3]) * by, (m[2] + m[6]) * by});
    case 2:
        return normalised({(m[2] - m[6]) * by, (m[1] + m[3]) * by, twice / 2, (m[5] + m[7]) * by});
    default:
        return normalised({(m[3] - m[1]) * by, (m[2] + m[6]) * by, (m[5] + m[7]) * by, twice / 2});
    }
}

Quaternion aboutAxis(const base::Point& axis, double degrees) {
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    const double sine = std::sin(degrees * kDegree / 2) / length;
    return normalised(
        {std::cos(degrees * kDegree / 2), axis[0] * sine, axis[1] * sine, axis[2] * sine});
}

double angleBetween(const Quaternion& a, const Quaternion& b) {
    const Quaternion way = product(b, inverse(a));
    return 2 * std::atan2(std::hypot(way.x, way.y, way.z), std::abs(way.w)) / kDegree;
}

Quaternion fromEuler(const base::Point& degrees) {
    return normalised(product(aboutZ(-degrees[2]),
                              product(aboutAxis({0, 1, 0}, -degrees[1]), aboutZ(-degrees[0]))));
}

base::Point eulerOf(const Quaternion& q) {
    const Matrix m = matrixOf(q);
    const double sine = std::hypot(m[2], m[5]);
    if (sine <
        kEulerStep / 2 * kDegree) { // only the sum or the difference of rot and psi is determined
        const double sign = m[8] > 0 ? 1 : -1;
        return {0, m[8] > 0 ? 0.0 : 180.0,
                halfOpen(-std::atan2(sign * m[3], sign * m[0]) / kDegree)};
    }
    return {halfOpen(-std::atan2(-m[7], m[6]) / kDegree), tidy(std::atan2(sine, m[8]) / kDegree),
            halfOpen(-std::atan2(-m[5], -m[2]) / kDegree)};
}

base::Point settledEuler(const base::Point& degrees, double step) {
    const auto [rot, tilt, psi] = degrees;
    return std::abs(tilt) < step / 2                   ? base::Point{0, 0, halfOpen(psi + rot)}
           : std::abs(std::abs(tilt) - 180) < step / 2 ? base::Point{0, 180, halfOpen(psi - rot)}
                                                       : degrees;
}

base::Point roundedEuler(const Quaternion& q, double step) {
    base::Point euler = settledEuler(eulerOf(q), step);
    for (double& angle : euler) {
        angle = std::round(angle / step) * step;
    }
    return {halfOpen(euler[0]), euler[1], halfOpen(euler[2])};
}

Quaternion inPlane(double degrees) { return aboutZ(-degrees); }

double inPlaneDegrees(const Quaternion& q) {
    const Matrix m = matrixOf(q);
    const double degrees = tidy(-std::atan2(m[3], m[0]) / kDegree);
    const double positive = degrees < 0 ? degrees + 360 : degrees + 0.0;
    return positive >= 360 - kEulerStep / 2 ? 0 : positive;
}

double roundedInPlane(const Quaternion& q, double step) {
    const double degrees = tidy(std::round(inPlaneDegrees(q) / step) * step);
    return degrees >= 360 ? 0 : degrees;
}

Matrix matrixOf(const Pose& pose) {
    Matrix m = matrixOf(pose.turn);
    for (std::size_t row = 0; row < 3; ++row) {
        m[3 * row] *= pose.mirrored ? -1 : 1;
        for (std::size_t column = 0; column < 3; ++column) {
            m[3 * row + column] *= pose.scale;
        }
    }
    return m;
}

Matrix matrixOf(const Pose& pose, const base::Point& edges) {
    Matrix m = matrixOf(pose);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            m[3 * row + column] *= edges[column] / edges[row];
        }
    }
    return m;
}

base::Point apply(const Matrix& m, const base::Point& point) {
    base::Point to{};
    for (std::size_t row = 0; row < 3; ++row) {
        to[row] = m[3 * row] * point[0] + m[3 * row + 1] * point[1] + m[3 * row + 2] * point[2];
    }
    return to;
}

base::Point toReferenceVoxel(const base::Extents& box) {
    const auto half = [](std::int64_t edge) { return edge > 0 && edge % 2 == 0 ? 0.5 : 0.0; };
    return {half(box.x), half(box.y), half(box.z)};
}

} // namespace flcc::rotation
