#include "ui/judge/histogram_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kAxisWidth = 44;
constexpr double kAxisHeight = 20;
constexpr double kEdge = 8;
/// Below this number a curve says nothing; it is where the axis begins.
constexpr double kLeast = 0.1;

/// A step of 1, 2 or 5 times a power of ten that gives about `wanted` steps.
double niceStep(double range, int wanted) {
    const double raw = range / wanted;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double share = raw / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

} // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(200, 90);
    setCursor(Qt::SizeHorCursor);
}

void HistogramView::setHistogram(ScoreHistogram histogram) {
    m_histogram = std::move(histogram);
    m_most = 10;
    for (const std::int64_t count : m_histogram.bins) {
        m_most = std::max(m_most, static_cast<double>(count));
    }
    update();
}

void HistogramView::setLaw(Curve voxels, Curve falsePositives) {
    m_voxels = std::move(voxels);
    m_falsePositives = std::move(falsePositives);
    update();
}

void HistogramView::setSurvivors(Curve survivors) {
    m_survivors = std::move(survivors);
    update();
}

void HistogramView::setThreshold(double score, double step) {
    m_threshold = score;
    m_step = step;
    update();
}

void HistogramView::setSuggestion(std::optional<double> score) {
    m_suggestion = score;
    update();
}

QRectF HistogramView::room() const {
    return QRectF(rect()).adjusted(kAxisWidth, kEdge, -kEdge, -kAxisHeight);
}

double HistogramView::placeOf(double score) const {
    const QRectF r = room();
    const double range = m_histogram.high - m_histogram.low;
    const double share = range > 0 ? (score - m_histogram.low) / range : 0;
    return r.left() + std::clamp(share, 0.0, 1.0) * r.width();
}

double HistogramView::scoreAt(double x) const {
    const QRectF r = room();
    const double share = std::clamp((x - r.left()) / std::max(r.width(), 1.0), 0.0, 1.0);
    return m_histogram.low + share * (m_histogram.high - m_histogram.low);
}

double HistogramView::heightOf(double count) const {
    const QRectF r = room();
    const double share =
        std::log(std::max(count, kLeast) / kLeast) / std::log(m_most * 1.3 / kLeast);
    return r.bottom() - std::clamp(share, 0.0, 1.0) * r.height();
}

void HistogramView::drawAxes(QPainter& painter) const {
    const QRectF r = room();
    painter.setPen(accents().line);
    painter.drawLine(r.bottomLeft(), r.bottomRight());
    for (double count = 1; count <= m_most * 1.3; count *= 10) {
        const double y = heightOf(count);
        painter.setPen(accents().line);
        painter.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
        painter.setPen(accents().muted);
        const QString text = count < 1e4
                                 ? QString::number(count)
                                 : QStringLiteral("1e%1").arg(std::lround(std::log10(count)));
        const bool crowded = r.height() < 14 * std::log10(m_most / kLeast) &&
                             std::lround(std::log10(count)) % 2 != 0;
        if (!crowded) {
            painter.drawText(QRectF(0, y - 8, r.left() - 4, 16), Qt::AlignRight | Qt::AlignVCenter,
                             text);
        }
    }
    const double step =
        niceStep(m_histogram.high - m_histogram.low, std::max(2, static_cast<int>(r.width() / 70)));
    painter.setPen(accents().muted);
    for (double score = std::ceil(m_histogram.low / step) * step; score <= m_histogram.high;
         score += step) {
        const double x = placeOf(score);
        painter.drawLine(QPointF(x, r.bottom()), QPointF(x, r.bottom() + 3));
        painter.drawText(QRectF(x - 40, r.bottom() + 3, 80, kAxisHeight - 3), Qt::AlignCenter,
                         QString::number(std::abs(score) < step / 2 ? 0 : score, 'g', 4));
    }
}

void HistogramView::drawCurve(QPainter& painter, const Curve& curve, const QColor& colour) const {
    if (!curve) {
        return;
    }
    const QRectF r = room();
    QPolygonF line;
    for (double x = r.left(); x <= r.right(); x += 1) {
        const double count = curve(scoreAt(x));
        if (std::isfinite(count) && count >= kLeast) {
            line << QPointF(x, heightOf(count));
        } else if (line.size() > 1) {
            line << QPointF(x, r.bottom());
            break;
        }
    }
    painter.setPen(QPen(colour, 1.6));
    painter.drawPolyline(line);
}

void HistogramView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    if (m_histogram.total == 0) {
        painter.setPen(accents().muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("No map to count scores in"));
        return;
    }
    const QRectF r = room();
    drawAxes(painter);
    const double width = r.width() / static_cast<double>(m_histogram.bins.size());
    const QColor above = palette().color(QPalette::Highlight);
    QColor below = accents().muted;
    below.setAlpha(120);
    for (std::size_t bin = 0; bin < m_histogram.bins.size(); ++bin) {
        const auto count = static_cast<double>(m_histogram.bins[bin]);
        if (count > 0) {
            const double score =
                m_histogram.low + (static_cast<double>(bin) + 0.5) * m_histogram.width();
            const double top = heightOf(count);
            painter.fillRect(QRectF(r.left() + static_cast<double>(bin) * width, top,
                                    std::max(width, 1.0), r.bottom() - top),
                             score >= m_threshold ? above : below);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
    drawCurve(painter, m_voxels, palette().color(QPalette::Text));
    drawCurve(painter, m_survivors, accents().good);
    drawCurve(painter, m_falsePositives, accents().bad);
    if (m_suggestion) {
        painter.setPen(QPen(accents().warning, 1.5, Qt::DashLine));
        painter.drawLine(QPointF(placeOf(*m_suggestion), r.top()),
                         QPointF(placeOf(*m_suggestion), r.bottom()));
    }
    const double x = placeOf(m_threshold);
    painter.setPen(QPen(palette().color(QPalette::Text), hasFocus() ? 3 : 2));
    painter.drawLine(QPointF(x, r.top() - 4), QPointF(x, r.bottom()));
    painter.setBrush(palette().color(QPalette::Text));
    painter.drawEllipse(QPointF(x, r.top()), 4, 4);
}

void HistogramView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_histogram.total > 0) {
        Q_EMIT pressed();
        Q_EMIT thresholdMoved(scoreAt(event->position().x()));
    }
}

void HistogramView::mouseMoveEvent(QMouseEvent* event) {
    if (m_histogram.total == 0) {
        return;
    }
    if (event->buttons().testFlag(Qt::LeftButton)) {
        Q_EMIT thresholdMoved(scoreAt(event->position().x()));
    }
    Q_EMIT hovered(scoreAt(event->position().x()));
}

void HistogramView::leaveEvent(QEvent* /*event*/) { Q_EMIT hovered(std::nullopt); }

void HistogramView::keyPressEvent(QKeyEvent* event) {
    const int way = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (way == 0 || m_histogram.total == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (!event->isAutoRepeat()) {
        Q_EMIT pressed();
    }
    const int steps = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    Q_EMIT thresholdMoved(
        std::clamp(m_threshold + way * steps * m_step, m_histogram.low, m_histogram.high));
}

} // namespace flcc::ui
