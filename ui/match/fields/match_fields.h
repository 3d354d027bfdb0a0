#pragma once

#include <QString>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/base/extents.h"

class QDoubleSpinBox;
class QSpinBox;

// Conversions between the fields of the Match panel and the values of a job.

namespace flcc::ui {

/// The value of the distance field that means "auto". The value 0 means: suppress no peak.
inline constexpr double kAutoDistance = -1;

/// The box in the form that --region takes; the third axis only for a volume.
[[nodiscard]] QString regionText(const std::optional<base::Box>& region, bool volume);

/// The number in a field: `exact` if the field shows `exact` rounded or clamped to its range,
/// otherwise the field's own value.
[[nodiscard]] double numberOf(const QDoubleSpinBox& field, double exact);
[[nodiscard]] std::int64_t numberOf(const QSpinBox& field, std::int64_t exact);

} // namespace flcc::ui
