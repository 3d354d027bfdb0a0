#include "engine/filter/recursive.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace flcc::filter {

namespace {

using Complex = std::complex<double>;
using Weights = std::array<double, 4>; // A1, B1, A2, B2

struct Fit {
    std::array<double, 2> om;
    std::array<double, 2> l;
    Weights weights;
};

// Minimax fits of p^n (A cos + B sin) to the Gaussian and its derivatives.
constexpr std::array<Fit, 3> kFits{
    Fit{{0.596734295765544, 1.92988836381549},
        {1.85388987445902, 1.74029874791014},
        {1.81395392504755, 4.15482266966872, -0.814183943223649, -0.26987914175492}},
    Fit{{0.659611573399374, 2.06330477434326},
        {1.49912041920338, 1.48351927150204},
        {-0.689534224876963, -4.26393382517477, 0.689534224876963, 0.860319454282159}},
    Fit{{0.657995049440179, 2.08013430268227},
        {1.33155344161737, 1.29806869116813},
        {-1.10350573052127, 4.47044395363096, 0.0999820072944173, -1.99112607800755}},
};

void requireOrder(int order) {
    if (order < 0 || order > 2) {
        throw base::Error(base::ErrorCode::CommandLine,
                          fmt::format("a Gaussian derivative of order {} does not exist here; use "
                                      "0, 1 or 2",
                                      order));
    }
}

/// exp(z) - 1 without cancellation.
Complex expm1(Complex z) {
    const double half = std::sin(z.imag() / 2);
    return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
            std::exp(z.real()) * std::sin(z.imag())};
}

double dot(const Weights& a, const Weights& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

Weights scaled(Weights weights, double factor) {
    for (double& weight : weights) {
        weight *= factor;
    }
    return weights;
}

/// The moment sum n^k h(n) over all n as a linear form of the weights; h is odd for k = 1.
Weights momentOf(int k, const Fit& fit, double sigma) {
    Weights form{};
    for (std::size_t j = 0; j < 2; ++j) {
        const Complex log(-fit.l[j] / sigma, fit.om[j] / sigma);
        const Complex q = std::exp(log);
        const Complex less = -expm1(log);                  // 1 - q
        const Complex moment = k == 0   ? (1.0 + q) / less // 2 / (1 - q) - 1: n = 0 counts once
                               : k == 1 ? 2.0 * q / (less * less)
                                        : 2.0 * q * (1.0 + q) / (less * less * less);
        form[2 * j] = moment.real();
        form[2 * j + 1] = moment.imag();
    }
    return form;
}

Weights normalised(int order, const Fit& fit, double sigma) {
    const Weights first = momentOf(order, fit, sigma);
    const double wanted = order == 0 ? 1 : order == 1 ? -1 : 2;
    Weights weights = scaled(fit.weights, wanted / dot(first, fit.weights));
    if (order < 2) {
        return weights; // order 1: A1 = -A2, so h(0) = 0 as it is
    }
    // The smallest change with which sum h = 0 too. Rows of unit length, as moments differ by
    // sigma^2.
    const Weights zeroth = momentOf(0, fit, sigma);
    const double length0 = std::sqrt(dot(zeroth, zeroth));
    const double length2 = std::sqrt(dot(first, first));
    const Weights row0 = scaled(zeroth, 1 / length0);
    const Weights row2 = scaled(first, 1 / length2);
    const double cross = dot(row0, row2);
    for (int step = 0; step < 2; ++step) { // the second step removes the rounding of the first
        const double miss0 = -dot(row0, weights);
        const double miss2 = wanted / length2 - dot(row2, weights);
        const double det = 1 - cross * cross;
        const double of0 = (miss0 - cross * miss2) / det;
        const double of2 = (miss2 - cross * miss0) / det;
        for (std::size_t i = 0; i < 4; ++i) {
            weights[i] += of0 * row0[i] + of2 * row2[i];
        }
    }
    return weights;
}

} // namespace

RecursiveGaussian::RecursiveGaussian(int order, double sigma) : m_order(order), m_sigma(sigma) {
    requireOrder(order);
    if (!(sigma >= kLeastSigma && sigma <= kMostSigma)) {
        throw base::Error(
            base::ErrorCode::CommandLine,
            fmt::format("sigma {} is outside the range of recursive filters, {} to {} voxels",
                        sigma, kLeastSigma, kMostSigma));
    }
    const Fit& fit = kFits[static_cast<std::size_t>(order)];
    const Weights weights = normalised(order, fit, sigma);
    for (std::size_t j = 0; j < 2; ++j) {
        RecursiveSection& section = m_sections[j];
        section.decay = fit.l[j] / sigma;
        section.angle = fit.om[j] / sigma;
        section.cosine = weights[2 * j];
        section.sine = weights[2 * j + 1];
        const double p = std::exp(-section.decay);
        const double half = std::sin(section.angle / 2);
        const double less = std::expm1(-section.decay);
        section.a1 = -2 * p * std::cos(section.angle);
        section.a2 = p * p;
        section.gain = less * less + 4 * p * half * half;
        section.b0 = section.cosine;
        section.b1 =
            p * (section.sine * std::sin(section.angle) - section.cosine * std::cos(section.angle));
        section.c1 = section.b1 - section.a1 * section.b0;
        section.c2 = -section.a2 * section.b0;
    }
}

double RecursiveGaussian::response(std::int64_t n) const {
    const auto away = static_cast<double>(std::abs(n));
    double sum = 0;
    for (const RecursiveSection& section : m_sections) {
        sum += std::exp(-section.decay * away) * (section.cosine * std::cos(section.angle * away) +
                                                  section.sine * std::sin(section.angle * away));
    }
    if (m_order == 1) {
        return n == 0 ? 0 : n < 0 ? -sum : sum;
    }
    return sum;
}

std::int64_t RecursiveGaussian::memory() const {
    const double slowest = std::min(m_sections[0].decay, m_sections[1].decay);
    return static_cast<std::int64_t>(std::ceil(60 * std::numbers::ln2 / slowest)) + 2;
}

double RecursiveGaussian::roundingBound() const {
    // Running error analysis: each step of a pass rounds at most four products and three sums of
    // terms that are no larger than (|b0| + |b1|) max|x| + (|a1| + |a2|) max|y|. The recursion
    // multiplies such an error by the sum of |g|, g(n) = p^n sin((n + 1) w) / sin(w).
    constexpr double kUnit = 0x1p-53;
    double bound = 0;
    double total = 0; // of |h|, which bounds the result
    for (const RecursiveSection& section : m_sections) {
        double noise = 0;
        double largest = 0; // max|y| of the two passes
        double before = 0;  // g(n - 1)
        double g = 1;
        const std::int64_t count = memory();
        for (std::int64_t n = 0; n < count; ++n) {
            noise += std::abs(g);
            largest += std::abs(section.b0 * g + section.b1 * before);
            const double next = -section.a1 * g - section.a2 * before;
            before = g;
            g = next;
        }
        const double inputs = std::max(std::abs(section.b0) + std::abs(section.b1),
                                       std::abs(section.c1) + std::abs(section.c2));
        const double terms = inputs + (std::abs(section.a1) + std::abs(section.a2)) * largest;
        // Coefficients are rounded too: as if each product had one rounding more.
        bound += 2 * 8 * kUnit * terms * noise;
        total += 2 * largest;
    }
    return bound + 4 * kUnit * total;
}

std::int64_t gaussianRadius(double sigma) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(6 * sigma)));
}

std::vector<double> gaussianTaps(int order, double sigma, std::int64_t radius) {
    requireOrder(order);
    if (!(sigma > 0) || !std::isfinite(sigma)) {
        throw base::Error(base::ErrorCode::CommandLine,
                          fmt::format("sigma is {}; it must be a number above 0", sigma));
    }
    std::vector<double> taps(static_cast<std::size_t>(2 * radius + 1));
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    // From the ends, so that small values are added first.
    for (std::int64_t n = radius; n >= 0; --n) {
        const double ratio = static_cast<double>(n) / sigma;
        const double value = std::exp(-ratio * ratio / 2);
        taps[static_cast<std::size_t>(radius + n)] = value;
        taps[static_cast<std::size_t>(radius - n)] = value;
        const double both = n == 0 ? value : 2 * value;
        const double square = static_cast<double>(n) * static_cast<double>(n);
        sum += both;
        squares += both * square;
        fourths += both * square * square;
    }
    // Order 2: (a n^2 - b) exp(...) with sum 0 and second moment 2. Its a is finite as long as
    // exp(...) of some n >= 1 is not lost beside that of 0.
    const double spread = fourths - squares * squares / sum;
    for (std::int64_t n = -radius; n <= radius; ++n) {
        double& tap = taps[static_cast<std::size_t>(radius + n)];
        const auto at = static_cast<double>(n);
        if (order == 0) {
            tap /= sum;
        } else if (order == 1) {
            tap = squares > 0 ? tap * (-at / squares) : std::abs(n) == 1 ? -at / 2 : 0;
        } else {
            tap = spread > 0 ? tap * (at * at - squares / sum) * (2 / spread)
                             : (n == 0             ? -2.0
                                : std::abs(n) == 1 ? 1.0
                                                   : 0.0);
        }
    }
    return taps;
}

} // namespace flcc::filter
