#pragma once

/// Errors that a template normalised in double (CanonicalTemplate) adds to scores.
namespace flcc::method::shared {

/// Bound on the norm of the errors of the template's values, whose own norm is 1. It counts one
/// rounding of the differences, which are at most 4 times as large as the values, three roundings
/// of each value, and the error of the mean: 5 roundings of sums of eight terms of one sign, and 2
/// of the sum of these.
inline constexpr double kTemplateError = 16 * 0x1p-53;

/// Bound on the error of a score whose numerator and D are exact: the roundings of the score itself
/// and those of the template's norm.
inline constexpr double kNormedError = 8 * 0x1p-53;

} // namespace flcc::method::shared
