#pragma once

/// What a template that was made ready in double (CanonicalTemplate) adds to errors.
namespace flcc::method::shared {

/// Norm of the errors of its values, the norm of the values being 1. The differences that they are
/// made of are at most 4 times as large and rounded once, then each value is rounded three times;
/// the mean is off by what the short sums behind it round off, 5 of their eight additions if all
/// have one sign, and by 2 of the last sum.
inline constexpr double kTemplateError = 16 * 0x1p-53;

/// What is left of the error of a score whose numerator and D are exact: its own roundings, and
/// those of the sum of squares behind the template's norm.
inline constexpr double kNormedError = 8 * 0x1p-53;

} // namespace flcc::method::shared
