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
    if (!(least > 0)) {
        return {quotient, INFINITY};
    }
    const double lost = std::abs(std::fma(-quotient, b.value, a.value));
    return {quotient, (a.error + std::abs(quotient) * b.error + lost) / least};
}

/// The root of a number that is not negative, though its value may be within its error.
[[nodiscard]] inline Bounded sqrt(const Bounded& a) {
    const double root = std::sqrt(std::fmax(0.0, a.value));
    const double lost = std::abs(std::fma(-root, root, a.value));
    return {root, root > 0 ? (a.error + lost) / root : std::sqrt(a.error)};
}

} // namespace flcc::method
