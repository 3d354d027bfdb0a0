#include "ui/match/fields/match_fields.h"

#include <QDoubleSpinBox>
#include <QSpinBox>

namespace flcc::ui {

QString tileText(const base::Extents& tile) {
    if (tile.x == 0) {
        return {};
    }
    QString text = QStringLiteral("%1,%2").arg(tile.x).arg(tile.y);
    if (tile.z > 0) {
        text += QStringLiteral(",%1").arg(tile.z);
    }
    return text;
}

QString memoryText(std::int64_t bytes) {
    constexpr std::int64_t kMiB = 1024LL * 1024;
    if (bytes == 0) {
        return {};
    }
    if (bytes % (1024 * kMiB) == 0) {
        return QStringLiteral("%1 GiB").arg(bytes / (1024 * kMiB));
    }
    if (bytes % kMiB == 0) {
        return QStringLiteral("%1 MiB").arg(bytes / kMiB);
    }
    return bytes % 1024 == 0 ? QStringLiteral("%1 KiB").arg(bytes / 1024) : QString::number(bytes);
}

QString promiseText(double promise) { return QString::number(promise, 'g', 12); }

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
