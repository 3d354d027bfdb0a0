#include "ui/match/fields/match_fields.h"

#include <QDoubleSpinBox>
#include <QSpinBox>

namespace flcc::ui {

QString regionText(const std::optional<base::Box>& region, bool volume) {
    if (!region) {
        return {};
    }
    const base::Index& c = region->corner;
    const base::Extents& e = region->extents;
    return volume ? QStringLiteral("%1,%2,%3:%4,%5,%6")
                        .arg(c.x)
                        .arg(c.y)
                        .arg(c.z)
                        .arg(e.x)
                        .arg(e.y)
                        .arg(e.z)
                  : QStringLiteral("%1,%2:%3,%4").arg(c.x).arg(c.y).arg(e.x).arg(e.y);
}

double numberOf(const QDoubleSpinBox& field, double exact) {
    const double shown = std::clamp(exact, field.minimum(), field.maximum());
    return field.textFromValue(field.value()) == field.textFromValue(shown) ? exact : field.value();
}

std::int64_t numberOf(const QSpinBox& field, std::int64_t exact) {
    const std::int64_t shown = std::clamp<std::int64_t>(exact, field.minimum(), field.maximum());
    return field.value() == shown ? exact : std::int64_t{field.value()};
}

} // namespace flcc::ui
