#pragma once

#include <cstdint>
#include <string>

#include "engine/base/text.h"

namespace flcc::job::detail {

/// The shortest text that reads back to the same number, with a decimal point in every locale.
[[nodiscard]] std::string shortest(double value);

/// A number with `digits` decimals, with a decimal point in every locale.
[[nodiscard]] std::string fixed(double value, int digits);
/// With so many significant digits: "0.05", "3e-05".
[[nodiscard]] std::string brief(double value, int digits = 2);

using base::bytesText;

/// An option and what it means, as lines of a help text of at most 100 columns.
[[nodiscard]] std::string helpLine(const std::string& option, const std::string& meaning);

} // namespace flcc::job::detail
