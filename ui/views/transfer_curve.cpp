#include "ui/views/transfer_curve.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kReach = 9; // pixels to a point
constexpr double kRadius = 5;
constexpr double kGap = 0.002; // between two points of the curve
constexpr double kStep = 0.01; // of an arrow key

QColor qtColour(const match::Colour& colour) { return {colour[0], colour[1], colour[2]}; }

} // namespace

TransferCurve::TransferCurve(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

QRectF TransferCurve::plot() const { return QRectF(rect()).adjusted(8, 8, -8, -8); }

QPointF TransferCurve::placeOf(const viz::TransferPoint& point) const {
    const QRectF area = plot();
    return {area.left() + point.at * area.width(), area.bottom() - point.opacity * area.height()};
}

/// The colour is that of the curve there.
viz::TransferPoint TransferCurve::pointOf(const QPointF& place) const {
    const QRectF area = plot();
    viz::TransferPoint point;
    point.at = std::clamp((place.x() - area.left()) / area.width(), 0.0, 1.0);
    point.opacity = std::clamp((area.bottom() - place.y()) / area.height(), 0.0, 1.0);
    const auto next =
        std::ranges::find_if(m_points, [&](const auto& each) { return each.at >= point.at; });
    if (next == m_points.begin() || next == m_points.end()) {
        point.colour = next == m_points.end() ? m_points.back().colour : m_points.front().colour;
        return point;
    }
    const viz::TransferPoint& before = *std::prev(next);
    const double share = (point.at - before.at) / (next->at - before.at);
    for (std::size_t i = 0; i < 3; ++i) {
        point.colour[i] = static_cast<std::uint8_t>(
            std::lround(before.colour[i] * (1 - share) + next->colour[i] * share));
    }
    return point;
}

int TransferCurve::pointAt(const QPointF& place) const {
    int best = -1;
    double reach = kReach;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF apart = placeOf(m_points[i]) - place;
        const double distance = std::hypot(apart.x(), apart.y());
        if (distance <= reach) {
            reach = distance;
            best = static_cast<int>(i);
        }
    }
    return best;
}

void TransferCurve::setHistogram(std::vector<std::int64_t> counts) {
    m_histogram = std::move(counts);
    update();
}

void TransferCurve::setCurve(std::vector<viz::TransferPoint> points) {
    if (points == m_points) {
        return;
    }
    m_points = std::move(points);
    select(m_selected < static_cast<int>(m_points.size()) ? m_selected : -1);
    update();
}

void TransferCurve::select(int point) {
    m_selected = point;
    update();
    Q_EMIT selectionChanged();
}

void TransferCurve::setSelectedColour(const QColor& colour) {
    if (m_selected < 0) {
        return;
    }
    m_points[static_cast<std::size_t>(m_selected)].colour = {
        static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
        static_cast<std::uint8_t>(colour.blue())};
    update();
    Q_EMIT edited();
}

void TransferCurve::removeSelected() {
    if (m_selected < 0 || m_points.size() <= 2) {
        return;
    }
    m_points.erase(m_points.begin() + m_selected);
    select(-1);
    Q_EMIT edited();
}

/// Points keep their order.
void TransferCurve::moveSelected(double at, double opacity) {
    const auto i = static_cast<std::size_t>(m_selected);
    const double low = i > 0 ? m_points[i - 1].at + kGap : 0.0;
    const double high = i + 1 < m_points.size() ? m_points[i + 1].at - kGap : 1.0;
    m_points[i].at = low < high ? std::clamp(at, low, high) : m_points[i].at;
    m_points[i].opacity = std::clamp(opacity, 0.0, 1.0);
    update();
    Q_EMIT edited();
}

void TransferCurve::mousePressEvent(QMouseEvent* event) {
    const int point = pointAt(event->position());
    select(point);
    if (event->button() == Qt::RightButton) {
        removeSelected();
    }
    m_dragging = event->button() == Qt::LeftButton && point >= 0;
}

void TransferCurve::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragging && m_selected >= 0) {
        const viz::TransferPoint to = pointOf(event->position());
        moveSelected(to.at, to.opacity);
    }
}

void TransferCurve::mouseReleaseEvent(QMouseEvent*) { m_dragging = false; }

void TransferCurve::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || pointAt(event->position()) >= 0 || m_points.empty()) {
        return;
    }
    const viz::TransferPoint added = pointOf(event->position());
    const auto place =
        std::ranges::find_if(m_points, [&](const auto& each) { return each.at > added.at; });
    const auto at = m_points.insert(place, added);
    select(static_cast<int>(at - m_points.begin()));
    m_dragging = true;
    Q_EMIT edited();
}

bool TransferCurve::event(QEvent* event) {
    // The arrow keys are shortcuts of the main window, which work in its tool windows as well.
    if (event->type() == QEvent::ShortcutOverride && m_selected >= 0) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Delete:
            event->accept();
            return true;
        default:
            break;
        }
    }
    return QWidget::event(event);
}

void TransferCurve::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !m_points.empty()) {
        select((m_selected + 1) % static_cast<int>(m_points.size()));
        return;
    }
    if (m_selected < 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const viz::TransferPoint now = m_points[static_cast<std::size_t>(m_selected)];
    switch (event->key()) {
    case Qt::Key_Left:
        moveSelected(now.at - kStep, now.opacity);
        break;
    case Qt::Key_Right:
        moveSelected(now.at + kStep, now.opacity);
        break;
    case Qt::Key_Up:
        moveSelected(now.at, now.opacity + kStep);
        break;
    case Qt::Key_Down:
        moveSelected(now.at, now.opacity - kStep);
        break;
    case Qt::Key_Delete:
        removeSelected();
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void TransferCurve::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = plot();
    painter.setPen(QPen(hasFocus() ? palette().color(QPalette::Highlight) : accents().line));
    painter.setBrush(palette().base());
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));

    // Logarithmic: the background has most of the voxels.
    std::int64_t most = 1;
    for (const std::int64_t count : m_histogram) {
        most = std::max(most, count);
    }
    QColor bars = accents().muted;
    bars.setAlphaF(0.45F);
    const double width =
        area.width() / static_cast<double>(std::max<std::size_t>(m_histogram.size(), 1));
    for (std::size_t i = 0; i < m_histogram.size(); ++i) {
        const double height = area.height() * std::log1p(static_cast<double>(m_histogram[i])) /
                              std::log1p(static_cast<double>(most));
        painter.fillRect(QRectF(area.left() + static_cast<double>(i) * width,
                                area.bottom() - height, width, height),
                         bars);
    }
    if (m_points.empty()) {
        return;
    }
    // Beyond its ends the curve goes on level.
    QPainterPath line(QPointF(area.left(), placeOf(m_points.front()).y()));
    for (const viz::TransferPoint& point : m_points) {
        line.lineTo(placeOf(point));
    }
    line.lineTo(QPointF(area.right(), placeOf(m_points.back()).y()));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Text), 1.5));
    painter.drawPath(line);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const bool chosen = static_cast<int>(i) == m_selected;
        painter.setPen(
            QPen(palette().color(chosen ? QPalette::Highlight : QPalette::Text), chosen ? 3 : 1.2));
        painter.setBrush(qtColour(m_points[i].colour));
        painter.drawEllipse(placeOf(m_points[i]), kRadius, kRadius);
    }
}

} // namespace flcc::ui
