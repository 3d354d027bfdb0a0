#pragma once

#include <cmath>

namespace flcc::method {

/// A number and a bound on its error. Operations add the rounding error that they make, found
/// exactly (by error-free transformations), so results of whole numbers below 2^53 keep the bound
/// 0. **Source**: Dekker's and Knuth's error-free transformations.
struct Bounded {
    double value = 0;
    double error = 0;
};

[[nodiscard]] inline Bounded operator-(const Bounded& a) { return {-a.value, a.error}; }

[[nodiscard]] inline Bounded operator+(const Bounded& a, const Bounded& b) {
    const double sum = a.value + b.value;
    const double second = sum - a.value;
    const double lost = (a.value - (sum - second)) + (b.value - second);
    return {sum, a.error + b.error + std::abs(lost)};
}

[[nodiscard]] inline Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }

[[nodiscard]] inline Bounded operator*(const Bounded& a, const Bounded& b) {
    const double product = a.value * b.value;
    const double lost = std::fma(a.value, b.value, -product);
    return {product, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                         std::abs(lost)};
}

/// The error is infinite if the divisor may be 0; 0 / 0 is NaN.
[[nodiscard]] inline Bounded operator/(const Bounded& a, const Bounded& b) {
    const double quotient = a.value / b.value;
    const double least = std::abs(b.value) - b.error;
    const double lost = std::abs(std::fma(-quotient, b.value, a.value));
    const double error = (a.error + std::abs(quotient) * b.error + lost) / least;
    return {quotient, least > 0 ? error : INFINITY};
}

/// The root of a number that is not negative, though its value may be within its error. For an
/// error e of the square, the error of the root is at most both sqrt(e) and e / root; the smaller
/// of them is found without a branch, so that loops over Bounded become vectors.
[[nodiscard]] inline Bounded sqrt(const Bounded& a) {
    const double root = std::sqrt(0.5 * (a.value + std::abs(a.value)));
    const double error = a.error + std::abs(std::fma(-root, root, a.value));
    const double spread = std::sqrt(error);
    const double most = 0.5 * (root + spread + std::abs(root - spread)); // the larger of the two
    constexpr double kTiny = 1e-300; // 0 / 0 must be 0; squares of floats are far larger
    return {root, error / (most + kTiny)};
}

} // namespace flcc::method
