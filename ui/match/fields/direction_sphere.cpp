#include "ui/match/fields/direction_sphere.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr std::int64_t kMostDots = 30'000;
constexpr double kCaption = 18; // pixels

/// z of the template on top, towards the viewer.
rotation::Quaternion standardView() {
    return rotation::product(rotation::aboutAxis({1, 0, 0}, 115),
                             rotation::aboutAxis({0, 0, 1}, -30));
}

base::Point times(const rotation::Matrix& m, const base::Point& v) {
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

} // namespace

DirectionSphere::DirectionSphere(QWidget* parent) : QWidget(parent), m_view(standardView()) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void DirectionSphere::setCover(const rotation::Cover& cover, const QString& caption) {
    m_caption = caption;
    m_dots.clear();
    const std::int64_t each = std::max(cover.inPlane, 1); // turns of one direction
    const std::int64_t directions = std::ssize(cover.turns) / each;
    const std::int64_t stride = std::max<std::int64_t>(1, directions / kMostDots);
    for (std::int64_t i = 0; i < directions; i += stride) {
        // Where the z axis of the scene comes from in the frame of the template.
        const rotation::Matrix m =
            rotation::matrixOf(cover.turns[static_cast<std::size_t>(i * each)]);
        m_dots.push_back({{m[6], m[7], m[8]}, 0});
    }
    const std::size_t searched = m_dots.size();
    m_elements = static_cast<int>(cover.group.elements.size());
    if (std::ssize(m_dots) * m_elements <= kMostDots) {
        for (int element = 1; element < m_elements; ++element) {
            const rotation::Matrix m =
                rotation::matrixOf(cover.group.elements[static_cast<std::size_t>(element)]);
            for (std::size_t i = 0; i < searched; ++i) {
                m_dots.push_back({times(m, m_dots[i].at), element});
            }
        }
    }
    update();
}

double DirectionSphere::radius() const {
    return std::min<double>(width(), height() - kCaption) / 2 - 8;
}

/// The scene's x points to the right, y down and z away, as in the 3D view.
DirectionSphere::Shown DirectionSphere::shown(const base::Point& direction) const {
    const base::Point at = times(rotation::matrixOf(m_view), direction);
    return {{width() / 2.0 + radius() * at[0], (height() - kCaption) / 2 + radius() * at[1]},
            at[2] <= 0};
}

void DirectionSphere::turn(double right, double down) {
    // What lies in front follows the mouse.
    const rotation::Quaternion about = rotation::product(rotation::aboutAxis({0, 1, 0}, -right),
                                                         rotation::aboutAxis({1, 0, 0}, down));
    m_view = rotation::product(about, m_view);
    update();
}

void DirectionSphere::mousePressEvent(QMouseEvent* event) { m_last = event->position(); }

void DirectionSphere::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0) {
        const double degrees = 60 / radius();
        turn((event->position().x() - m_last.x()) * degrees,
             (event->position().y() - m_last.y()) * degrees);
        m_last = event->position();
    }
}

void DirectionSphere::mouseDoubleClickEvent(QMouseEvent*) {
    m_view = standardView();
    update();
}

bool DirectionSphere::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) { // arrow keys are shortcuts of the window
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up ||
            key == Qt::Key_Down) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void DirectionSphere::keyPressEvent(QKeyEvent* event) {
    constexpr double kTurn = 10;
    switch (event->key()) {
    case Qt::Key_Left:
        turn(-kTurn, 0);
        break;
    case Qt::Key_Right:
        turn(kTurn, 0);
        break;
    case Qt::Key_Up:
        turn(0, -kTurn);
        break;
    case Qt::Key_Down:
        turn(0, kTurn);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void DirectionSphere::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double r = radius();
    const QPointF middle(width() / 2.0, (height() - kCaption) / 2);
    painter.setBrush(palette().base());
    painter.setPen(QPen(hasFocus() ? palette().color(QPalette::Highlight) : accents().line, 1.5));
    painter.drawEllipse(middle, r, r);
    const double dot =
        std::clamp(r * 0.9 / std::sqrt(static_cast<double>(m_dots.size()) + 1), 0.7, 3.0);
    const auto colourOf = [&](int element) {
        return element == 0 ? palette().color(QPalette::Highlight)
                            : QColor::fromHsv((element * 137) % 360, 110, isDark() ? 170 : 200);
    };
    painter.setPen(Qt::NoPen);
    for (const bool front : {false, true}) {
        for (const bool searched : {false, true}) { // on top of what is equivalent
            for (const Dot& each : m_dots) {
                const Shown at = shown(each.at);
                if (at.front == front && (each.element == 0) == searched) {
                    QColor colour = colourOf(each.element);
                    colour.setAlphaF(front ? 1.0F : 0.25F);
                    painter.setBrush(colour);
                    const double size = searched ? 1.3 * dot : dot;
                    painter.drawEllipse(at.at, size, size);
                }
            }
        }
    }
    constexpr std::array<const char*, 3> kNames{"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        base::Point direction{0, 0, 0};
        direction[axis] = 1;
        const Shown end = shown(direction);
        QColor ink = palette().color(QPalette::Text);
        ink.setAlphaF(end.front ? 1.0F : 0.4F);
        painter.setPen(QPen(ink, 1.2));
        painter.drawLine(middle, end.at);
        const QPointF at = end.at + (end.at - middle) * (7 / r);
        painter.drawText(QRectF(at.x() - 10, at.y() - 10, 20, 20), Qt::AlignCenter,
                         QLatin1String(kNames[axis]));
    }
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(0, height() - kCaption, width(), kCaption), Qt::AlignCenter, m_caption);
}

} // namespace flcc::ui
