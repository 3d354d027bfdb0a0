// The steps of an alignment and its errors, from sums of products.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/match/detail/alignment.h"

namespace flcc::match::detail {

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// Solves a x = b for positive definite `a` of `count` rows. False where it is not.
template <std::size_t Size>
bool solve(std::array<std::array<double, Size>, Size> a, std::array<double, Size>& b,
           std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= a[i][k] * a[j][k];
            }
            if (i == j) {
                if (!(sum > 1e-12 * a[i][i])) {
                    return false;
                }
                a[i][i] = std::sqrt(sum);
            } else {
                a[i][j] = sum / a[j][j];
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for (std::size_t i = count; i-- > 0;) {
        for (std::size_t k = i + 1; k < count; ++k) {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    return true;
}

} // namespace

/// The share of the scene in the noise: how much more its derivatives vary than those of the
/// template have in common with them, and the same of the template. Half where nobody can say.
double Alignment::shareOfScene(const Sums& sums) const {
    const std::size_t free = m_axes.size();
    const auto& of = sums.of;
    const double contrast = std::sqrt(of[free + 1][free + 1] / of[0][0]);
    double scene = 0;
    double templ = 0;
    for (std::size_t i = 0; i < free && sums.withTemplate; ++i) {
        const double both = of[i + 1][free + 2 + i] / contrast;
        if (m_axes[i] < 3) {
            scene += of[i + 1][i + 1] - both;
            templ += of[free + 2 + i][free + 2 + i] / (contrast * contrast) - both;
        }
    }
    scene = std::max(scene, 0.0);
    templ = std::max(templ, 0.0);
    return scene + templ > 0 ? scene / (scene + templ) : 0.5;
}

/// Noise of the scene lowers the contrast that the scene seems to have in the template: the place
/// would be drawn to where the scene varies more. So the squares of the scene are taken without
/// their noise, which the score and shareOfScene() tell.
Alignment::Parts Alignment::partsOf(const Sums& sums) const {
    const std::size_t free = m_axes.size();
    Parts parts;
    parts.scene =
        sums.of[0][0] * std::pow(std::max(sums.score * sums.score, 0.01), shareOfScene(sums));
    const auto part = [&](std::size_t a, std::size_t b) {
        return sums.of[a][b] - sums.of[a][0] * sums.of[0][b] / parts.scene;
    };
    for (std::size_t i = 0; i < free; ++i) {
        for (std::size_t j = 0; j < free; ++j) {
            parts.square[i][j] = part(i + 1, j + 1);
            parts.mixed[i][j] = (part(i + 1, free + 2 + j) + part(j + 1, free + 2 + i)) / 2;
        }
        parts.values[i] = part(i + 1, free + 1);
    }
    return parts;
}

/// The step to the largest correlation of the template with the scene taken as linear. With the
/// derivatives of the template it is the step of Newton, in whose matrix noise has no share.
std::optional<std::array<double, Alignment::kMost>> Alignment::stepOf(const Sums& sums,
                                                                      double damping) const {
    const std::size_t free = m_axes.size();
    Parts parts = partsOf(sums);
    const double contrast = sums.of[0][free + 1] / parts.scene; // of the template in the scene's
    std::array<double, kMost> b = parts.values;
    if (!sums.withTemplate || !solve(parts.mixed, b, free)) {
        for (std::size_t i = 0; i < free; ++i) {
            parts.square[i][i] *= 1 + damping;
        }
        b = parts.values;
        if (!solve(parts.square, b, free)) {
            return std::nullopt;
        }
        for (double& each : b) {
            each /= contrast;
        }
    }
    if (!(contrast > 0)) {
        return std::nullopt;
    }
    std::array<double, kMost> step{};
    for (std::size_t i = 0; i < free; ++i) {
        step[static_cast<std::size_t>(m_axes[i])] = b[i];
    }
    constexpr double kLongest = 2; // voxels of the farthest one
    constexpr double kWidest = 8 / kDegrees;
    const double length = std::max({std::abs(step[0]), std::abs(step[1]), std::abs(step[2])});
    const double angle = std::hypot(step[3], step[4], step[5]);
    const double too = std::max({length / kLongest, angle / kWidest, std::abs(step[6]) / 0.1});
    for (double& each : step) {
        each /= std::max(too, 1.0);
    }
    return step;
}

/// With s^2 the variance of what is left, D the derivatives of the scene without what the scene
/// itself explains, and T those of the template, the zero of D (template - scene) has the
/// covariance s^2 (D T)^-1 (D D) (D T)^-1. D T in place of D D: noise of scene and template enters
/// D D, but it differs in D and T.
void Alignment::setErrors(const Sums& sums, Aligned& to) const {
    const std::size_t free = m_axes.size();
    const auto& of = sums.of;
    const Parts parts = partsOf(sums);
    const double left = (1 - sums.score * sums.score) * of[free + 1][free + 1] /
                        (sums.count - static_cast<double>(free) - 2);
    for (std::size_t i = 0; i < free; ++i) {
        std::array<double, kMost> row{};
        row[i] = 1;
        if (!solve(parts.mixed, row, free)) {
            row = {};
            row[i] = 1; // the template alone cannot tell: as if it had no noise
            if (!solve(parts.square, row, free)) {
                return;
            }
            for (double& each : row) {
                each *= parts.scene / std::max(of[0][free + 1], 1e-300);
            }
        }
        double variance = 0;
        for (std::size_t a = 0; a < free; ++a) {
            for (std::size_t b = 0; b < free; ++b) {
                variance += row[a] * parts.square[a][b] * row[b];
            }
        }
        const double error = std::sqrt(std::max(0.0, variance * left));
        const int axis = m_axes[i];
        if (axis < 3) {
            to.place[static_cast<std::size_t>(axis)] = error;
        } else if (axis < 6) {
            to.turn[static_cast<std::size_t>(axis - 3)] = error * kDegrees;
        } else {
            to.scale = error * to.lie.pose.scale;
        }
    }
}

} // namespace flcc::match::detail
