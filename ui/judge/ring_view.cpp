#include "ui/judge/ring_view.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kHighest = 0.5; ///< cycles a voxel
/// The axis begins below 0: halves without anything in common scatter about it.
constexpr double kLow = -0.25;

} // namespace

RingView::RingView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("ringView"));
    setAccessibleName(tr("Agreement of the odd and the even half"));
    setToolTip(tr("Correlation of the means of odd and even peaks over the spatial frequency. The "
                  "resolution is read where it first falls below 0.143. One template placed both "
                  "halves, so the true resolution is this one or worse"));
    setMinimumSize(220, 140);
}

void RingView::show(const prepare::RingCorrelation& halves, bool volume) {
    m_halves = halves;
    m_volume = volume;
    update();
}

void RingView::clear() {
    m_halves.reset();
    update();
}

QRectF RingView::room() const {
    const QFontMetrics metrics = fontMetrics();
    return QRectF(rect()).adjusted(metrics.horizontalAdvance(QStringLiteral("0.143")) + 8,
                                   metrics.height() + 4, -10, -2.4 * metrics.height());
}

QPointF RingView::placeOf(double frequency, double correlation) const {
    const QRectF r = room();
    const double height = (std::clamp(correlation, kLow, 1.0) - kLow) / (1 - kLow);
    return {r.left() + frequency / kHighest * r.width(), r.bottom() - height * r.height()};
}

void RingView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    const QRectF r = room();
    painter.setPen(accents().muted);
    if (!m_halves || m_halves->frequency.empty()) {
        painter.drawText(rect(), Qt::AlignCenter, tr("Two peaks at least make halves"));
        return;
    }
    const int line = fontMetrics().height();
    painter.drawText(QRectF(0, 0, width(), line + 2), Qt::AlignCenter,
                     m_volume ? tr("FSC of odd and even half") : tr("FRC of odd and even half"));
    for (const double value : {0.0, prepare::kRingThreshold, 0.5, 1.0}) {
        const bool limit = value == prepare::kRingThreshold;
        painter.setPen(limit ? QPen(accents().warning, 1, Qt::DashLine) : QPen(accents().line));
        painter.drawLine(placeOf(0, value), placeOf(kHighest, value));
        painter.setPen(limit ? accents().warning : accents().muted);
        if (value != 0) {
            painter.drawText(QRectF(0, placeOf(0, value).y() - line, r.left() - 4, 2 * line),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(value));
        }
    }
    painter.setPen(accents().muted);
    for (const int period : {2, 4, 8}) {
        const double x = placeOf(1.0 / period, 0).x();
        painter.drawLine(QPointF(x, r.bottom()), QPointF(x, r.bottom() + 3));
        painter.drawText(QRectF(x - 30, r.bottom() + 3, 60, line), Qt::AlignCenter,
                         tr("1/%1").arg(period));
    }
    painter.drawText(QRectF(r.left(), r.bottom() + 3 + line, r.width(), line), Qt::AlignCenter,
                     m_volume ? tr("cycles a voxel") : tr("cycles a pixel"));
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF curve;
    for (std::size_t i = 0; i < m_halves->frequency.size(); ++i) {
        if (std::isfinite(m_halves->correlation[i])) {
            curve << placeOf(m_halves->frequency[i], m_halves->correlation[i]);
        }
    }
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1.8));
    painter.drawPolyline(curve);
    if (m_halves->resolution) {
        const QPointF at = placeOf(1 / *m_halves->resolution, prepare::kRingThreshold);
        painter.setBrush(accents().warning);
        painter.setPen(Qt::NoPen);
        painter.drawEllipse(at, 4, 4);
    }
}

} // namespace flcc::ui
