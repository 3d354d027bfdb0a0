#include "ui/compare/curve_view.h"

#include <QGuiApplication>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kLabelWidth = 34;
constexpr double kLabelHeight = 20;
constexpr double kCurveEdge = 8;

} // namespace

QColor curveColour(Rate rate) {
    return rate == Rate::Precision ? accents().warning
           : rate == Rate::Recall  ? accents().good
                                   : QGuiApplication::palette().color(QPalette::Text);
}

CurveView::CurveView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setMinimumSize(160, 90);
}

void CurveView::setCurve(std::vector<match::ThresholdPoint> curve,
                         std::optional<match::ThresholdPoint> best, const QString& why) {
    m_curve = std::move(curve);
    m_best = best;
    m_why = why;
    if (!m_curve.empty()) {
        const auto [low, high] =
            std::ranges::minmax(m_curve, {}, &match::ThresholdPoint::threshold);
        const double pad = std::max(1e-6, 0.02 * (high.threshold - low.threshold));
        m_low = low.threshold - pad;
        m_high = high.threshold + pad;
    }
    update();
}

QRectF CurveView::room() const {
    return QRectF(rect()).adjusted(kLabelWidth, kCurveEdge, -kCurveEdge, -kLabelHeight);
}

double CurveView::placeOf(double score) const {
    const QRectF r = room();
    return r.left() + std::clamp((score - m_low) / (m_high - m_low), 0.0, 1.0) * r.width();
}

void CurveView::drawAxes(QPainter& painter) const {
    const QRectF r = room();
    for (const double share : {0.0, 0.5, 1.0}) {
        const double y = r.bottom() - share * r.height();
        painter.setPen(accents().line);
        painter.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
        painter.setPen(accents().muted);
        painter.drawText(QRectF(0, y - 8, r.left() - 4, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(share));
    }
    const int count = std::max(2, static_cast<int>(r.width() / 80));
    painter.setPen(accents().muted);
    for (int i = 0; i <= count; ++i) {
        const double score = m_low + (m_high - m_low) * i / count;
        const double x = placeOf(score);
        const auto align = i == 0 ? Qt::AlignLeft : i == count ? Qt::AlignRight : Qt::AlignHCenter;
        const double left = i == 0 ? x : i == count ? x - 80 : x - 40;
        painter.drawText(QRectF(left, r.bottom() + 3, 80, kLabelHeight - 3), align,
                         QString::number(score, 'g', 3));
    }
}

void CurveView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    if (m_curve.empty()) {
        painter.setPen(accents().muted);
        painter.drawText(rect().adjusted(8, 0, -8, 0), Qt::AlignCenter | Qt::TextWordWrap, m_why);
        return;
    }
    drawAxes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF r = room();
    const std::array<std::pair<double match::ThresholdPoint::*, QColor>, 3> lines{
        {{&match::ThresholdPoint::precision, curveColour(Rate::Precision)},
         {&match::ThresholdPoint::recall, curveColour(Rate::Recall)},
         {&match::ThresholdPoint::f1, curveColour(Rate::F1)}}};
    for (const auto& [value, colour] : lines) {
        QPolygonF line;
        for (const match::ThresholdPoint& point : m_curve) {
            line << QPointF(placeOf(point.threshold), r.bottom() - point.*value * r.height());
        }
        painter.setPen(QPen(colour, 1.8));
        painter.drawPolyline(line);
    }
    if (m_best) {
        const QPointF at(placeOf(m_best->threshold), r.bottom() - m_best->f1 * r.height());
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5, Qt::DashLine));
        painter.drawLine(QPointF(at.x(), r.top()), QPointF(at.x(), r.bottom()));
        painter.setBrush(palette().color(QPalette::Highlight));
        painter.drawEllipse(at, 4, 4);
    }
}

void CurveView::mouseMoveEvent(QMouseEvent* event) {
    if (m_curve.empty()) {
        return;
    }
    const double x = event->position().x();
    const auto nearest = std::ranges::min_element(
        m_curve, {}, [&](const auto& point) { return std::abs(placeOf(point.threshold) - x); });
    Q_EMIT hovered(*nearest);
}

void CurveView::leaveEvent(QEvent* /*event*/) { Q_EMIT hovered(std::nullopt); }

} // namespace flcc::ui
