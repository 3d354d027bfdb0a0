#pragma once

#include <cstdint>

namespace flcc::filter::detail {

/// sums[i] += enters[i] - leaves[i] for `count` values; `leaves` may be null.
void slideSums(double* sums, const double* enters, const double* leaves, std::int64_t count);

/// to[i] = (from[i] + ... + from[i + m - 1]) / divisor, i = 0 .. count - 1, by doubling: additions
/// only, at most 2 log2(m) + 1 for each value. **Shapes**: `from` holds count + m - 1 values;
/// `wide` and `sums` are scratch of as many; all have kBoxSlack values more.
void boxRow(const double* from, std::int64_t m, std::int64_t count, double divisor, double* wide,
            double* sums, float* to);
void boxRow(const double* from, std::int64_t m, std::int64_t count, double divisor, double* wide,
            double* sums, double* to);
inline constexpr std::int64_t kBoxSlack = 8;

} // namespace flcc::filter::detail
