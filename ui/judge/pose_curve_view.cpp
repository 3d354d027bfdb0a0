#include "ui/judge/pose_curve_view.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

QColor colourOf(match::PoseAxis axis, bool alone) {
    switch (axis) {
    case match::PoseAxis::X:
        return accents().bad;
    case match::PoseAxis::Y:
        return accents().good;
    case match::PoseAxis::Z:
        return alone ? accents().good : accents().warning;
    case match::PoseAxis::Scale:
        return accents().muted;
    }
    return accents().muted;
}

/// "rotation ±10°", "scale 0.90–1.10".
QString nameOf(const match::PoseCurve& curve) {
    const QString name = QString::fromStdString(curve.name);
    return curve.axis == match::PoseAxis::Scale
               ? QStringLiteral("%1 %2–%3")
                     .arg(name)
                     .arg(curve.at.front(), 0, 'f', 2)
                     .arg(curve.at.back(), 0, 'f', 2)
               : QStringLiteral("%1 ±%2°").arg(name).arg(curve.at.back(), 0, 'g', 3);
}

} // namespace

PoseCurveView::PoseCurveView(QWidget* parent) : QWidget(parent) {
    setMinimumSize(110, 56);
    setObjectName(QStringLiteral("poseCurveView"));
    setAccessibleName(tr("Scores in poses beside"));
    setToolTip(tr("Scores at the place of the peak when the template is turned or scaled further, "
                  "up to a step of the search to both sides. In the middle is the pose of the "
                  "peak; a sharp top means that the angle is well known"));
    hide();
}

void PoseCurveView::show(std::vector<match::PoseCurve> curves) {
    m_curves = std::move(curves);
    std::erase_if(m_curves, [](const match::PoseCurve& curve) { return curve.at.size() < 2; });
    setVisible(!m_curves.empty());
    update();
}

void PoseCurveView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    double low = 1;
    double high = -1;
    for (const match::PoseCurve& curve : m_curves) {
        for (const std::optional<double>& score : curve.scores) {
            low = std::min(low, score.value_or(low));
            high = std::max(high, score.value_or(high));
        }
    }
    if (low > high) {
        return;
    }
    const double pad = std::max(1e-6, 0.06 * (high - low));
    const int lines = static_cast<int>(m_curves.size());
    QStringList names;
    for (const match::PoseCurve& curve : m_curves) {
        names << nameOf(curve);
    }
    const bool stacked =
        fontMetrics().horizontalAdvance(names.join(QStringLiteral("  "))) > width() - 8;
    const int head = 4 + (stacked ? lines : 1) * fontMetrics().height();
    const QRectF room = QRectF(rect()).adjusted(8, std::min(head, height() / 2), -8, -6);
    const auto y = [&](double score) {
        return room.bottom() - (score - low + pad) / (high - low + 2 * pad) * room.height();
    };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(accents().line);
    painter.drawLine(QPointF(room.center().x(), room.top()),
                     QPointF(room.center().x(), room.bottom()));
    QPointF at(4, 12);
    for (qsizetype number = 0; number < names.size(); ++number) {
        const match::PoseCurve& curve = m_curves[static_cast<std::size_t>(number)];
        const QColor colour = colourOf(curve.axis, lines == 1);
        QPolygonF line;
        for (std::size_t i = 0; i < curve.scores.size(); ++i) {
            if (curve.scores[i]) {
                const double share =
                    static_cast<double>(i) / static_cast<double>(curve.scores.size() - 1);
                line << QPointF(room.left() + share * room.width(), y(*curve.scores[i]));
            }
        }
        painter.setPen(QPen(colour, 1.6));
        painter.drawPolyline(line);
        painter.drawText(at, names[number]);
        at += stacked ? QPointF(0, fontMetrics().height())
                      : QPointF(fontMetrics().horizontalAdvance(names[number]) + 8, 0);
    }
}

} // namespace flcc::ui
