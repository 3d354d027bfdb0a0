#include "ui/match/fields/angle_dial.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kKnobReach = 9; // pixels to a knob
constexpr double kKnobRadius = 4.5;
constexpr double kDialMargin = 24; // for the numbers around the circle
constexpr int kMostTicks = 720;

/// The angle equal to `degrees` that is nearest to `to`.
double nearestTo(double degrees, double to) {
    return degrees + 360 * std::round((to - degrees) / 360);
}

} // namespace

AngleDial::AngleDial(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void AngleDial::setAngles(std::vector<double> degrees, const std::optional<Range>& range,
                          double period) {
    m_angles = std::move(degrees);
    m_range = range;
    m_period = period;
    if (std::ranges::count(knobs(), m_selected) == 0) {
        m_selected = Knob::Step;
    }
    update();
}

double AngleDial::radius() const { return std::min(width(), height()) / 2.0 - kDialMargin; }

QPointF AngleDial::placeOf(double degrees, double share) const {
    const double angle = degrees * std::numbers::pi / 180;
    const double r = radius() * share;
    return {width() / 2.0 - r * std::sin(angle), height() / 2.0 - r * std::cos(angle)};
}

double AngleDial::angleOf(Knob knob) const {
    const double from = m_range->whole ? 0 : m_range->from;
    return knob == Knob::From ? from
           : knob == Knob::To ? (m_range->whole ? m_period : m_range->to)
                              : from + m_range->step;
}

/// The first angle of a whole circle stays where it is.
std::vector<AngleDial::Knob> AngleDial::knobs() const {
    return !m_range         ? std::vector<Knob>{}
           : m_range->whole ? std::vector<Knob>{Knob::Step, Knob::To}
                            : std::vector<Knob>{Knob::Step, Knob::From, Knob::To};
}

std::optional<AngleDial::Knob> AngleDial::knobAt(const QPointF& place) const {
    std::optional<Knob> best;
    double reach = kKnobReach;
    for (const Knob knob : knobs()) {
        const QPointF apart = placeOf(angleOf(knob)) - place;
        const double distance = std::hypot(apart.x(), apart.y());
        if (distance < reach) {
            reach = distance;
            best = knob;
        }
    }
    return best;
}

void AngleDial::move(Knob knob, double degrees) {
    Range next = *m_range;
    if (next.whole && knob != Knob::Step) {
        next = {.from = 0, .to = m_period, .step = next.step, .whole = false};
    }
    if (next.from == next.to && !next.whole) { // one angle: both ends are there, and no step
        next.whole = knob == Knob::Step;
        knob = next.whole ? knob : nearestTo(degrees, next.to) < next.to ? Knob::From : Knob::To;
    }
    const double from = next.whole ? 0 : next.from;
    const double to = next.whole ? m_period : next.to;
    if (knob == Knob::Step) {
        const double apart = std::max(0.0, std::round(nearestTo(degrees, from + 180) - from));
        next.step = std::clamp(apart, 1.0, std::max(1.0, to - from));
    } else if (knob == Knob::To) {
        next.to = std::clamp(std::round(nearestTo(degrees, to)), from, from + 360);
        next.whole = next.to - from >= m_period;
    } else {
        next.from = std::clamp(std::round(nearestTo(degrees, from)), to - 360, to);
    }
    next.step = std::max(next.step, 0.001);
    m_selected = knob;
    if (next != *m_range) {
        m_range = next;
        Q_EMIT edited(next);
    }
    update();
}

void AngleDial::mousePressEvent(QMouseEvent* event) {
    const auto knob = knobAt(event->position());
    m_dragging = event->button() == Qt::LeftButton && knob.has_value();
    m_selected = knob.value_or(m_selected);
    update();
}

void AngleDial::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragging && m_range) {
        const double x = width() / 2.0 - event->position().x();
        const double y = height() / 2.0 - event->position().y();
        move(m_selected, std::atan2(x, y) * 180 / std::numbers::pi);
    }
}

void AngleDial::mouseReleaseEvent(QMouseEvent*) { m_dragging = false; }

bool AngleDial::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && m_range) { // arrow keys are shortcuts
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up ||
            key == Qt::Key_Down || key == Qt::Key_Space) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void AngleDial::keyPressEvent(QKeyEvent* event) {
    const std::vector<Knob> all = knobs();
    if (all.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Space: {
        const auto now = std::ranges::find(all, m_selected);
        m_selected = now == all.end() || now + 1 == all.end() ? all.front() : *(now + 1);
        update();
        break;
    }
    case Qt::Key_Left: // counter-clockwise
    case Qt::Key_Up:
        move(m_selected, angleOf(m_selected) + 1);
        break;
    case Qt::Key_Right:
    case Qt::Key_Down:
        move(m_selected, angleOf(m_selected) - 1);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void AngleDial::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void AngleDial::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double r = radius();
    const QPointF middle(width() / 2.0, height() / 2.0);
    painter.setBrush(palette().base());
    painter.setPen(QPen(accents().line, 1.5));
    painter.drawEllipse(middle, r, r);
    painter.setPen(accents().muted);
    for (const int degrees : {0, 90, 180, 270}) {
        const QPointF at = placeOf(degrees, 1 + (degrees % 180 == 0 ? 12 : 17) / r);
        painter.drawText(QRectF(at.x() - 20, at.y() - 8, 40, 16), Qt::AlignCenter,
                         QString::number(degrees));
    }
    const QColor ink = palette().color(QPalette::Highlight);
    if (std::ssize(m_angles) <= kMostTicks) {
        painter.setPen(QPen(ink, m_angles.size() > 120 ? 1 : 2));
        for (const double angle : m_angles) {
            painter.drawLine(placeOf(angle, 0.78), placeOf(angle, 0.98));
        }
    }
    if (m_range || std::ssize(m_angles) > kMostTicks) {
        const double from = m_range && !m_range->whole ? m_range->from : 0;
        const double to = m_range && !m_range->whole ? m_range->to : m_period;
        painter.setPen(QPen(ink, 3));
        // Qt counts from the right, in sixteenths.
        painter.drawArc(QRectF(middle.x() - r, middle.y() - r, 2 * r, 2 * r),
                        static_cast<int>(std::lround((from + 90) * 16)),
                        static_cast<int>(std::lround((to - from) * 16)));
    }
    for (const Knob knob : knobs()) {
        const bool chosen = knob == m_selected && hasFocus();
        painter.setPen(QPen(chosen ? palette().color(QPalette::Text) : ink, chosen ? 2.5 : 1.5));
        painter.setBrush(knob == Knob::Step ? palette().base() : QBrush(ink));
        painter.drawEllipse(placeOf(angleOf(knob)), kKnobRadius, kKnobRadius);
    }
    painter.setPen(palette().color(QPalette::Text));
    const QRectF inside(middle.x() - 0.7 * r, middle.y() - 0.4 * r, 1.4 * r, 0.8 * r);
    QString text = m_angles.size() == 1 ? tr("1 angle") : tr("%L1 angles").arg(m_angles.size());
    if (m_range) {
        text += QChar('\n') + (m_range->whole ? tr("step %1°").arg(m_range->step)
                                              : tr("%1° to %2°\nstep %3°")
                                                    .arg(m_range->from)
                                                    .arg(m_range->to)
                                                    .arg(m_range->step));
    }
    painter.drawText(inside, Qt::AlignCenter, text);
}

} // namespace flcc::ui
