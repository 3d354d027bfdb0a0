#pragma once

#include <QString>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/base/extents.h"

class QDoubleSpinBox;
class QSpinBox;

// What the fields of the Match panel show, and what that means.

namespace flcc::ui {

/// What the distance field holds for "auto"; 0 is a distance of its own, that of no suppression.
inline constexpr double kAutoDistance = -1;

[[nodiscard]] QString tileText(const base::Extents& tile); ///< "64,32", empty for the planner's
[[nodiscard]] QString memoryText(std::int64_t bytes);      ///< "4GiB", empty for 0
[[nodiscard]] QString promiseText(double promise);         ///< "0.0001"
/// The box as --region takes it, the third axis only where there is one.
[[nodiscard]] QString regionText(const std::optional<base::Box>& region, bool volume);

/// The number that a field shows: `exact` while the field shows that, rounded or cut to its range.
[[nodiscard]] double numberOf(const QDoubleSpinBox& field, double exact);
[[nodiscard]] std::int64_t numberOf(const QSpinBox& field, std::int64_t exact);

} // namespace flcc::ui
