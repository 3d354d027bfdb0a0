#include "ui/features/pairs_view.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace flcc::ui {

namespace {

constexpr double kBetweenSides = 12; ///< between both images, pixels
constexpr double kClickReach = 12;   ///< of a click, pixels
constexpr double kEndRadius = 4;     ///< radius of the end of a line

/// Lines differ from their neighbours, and from grey pictures in any theme.
QColor colourOf(std::size_t line) {
    constexpr int kHues = 7;
    return QColor::fromHsv(static_cast<int>(line % kHues) * 360 / kHues, 200, 255);
}

} // namespace

PairsView::PairsView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("pairsView"));
    setAccessibleName(tr("Pairs of blobs as lines between both scenes"));
    setToolTip(tr("Click an end of a line to select the pair"));
}

void PairsView::setSides(Side left, Side right) {
    m_sides = {std::move(left), std::move(right)};
    setLines({});
}

void PairsView::setLines(std::vector<Line> lines) {
    m_lines = std::move(lines);
    m_selected = -1;
    update();
}

void PairsView::select(int line) {
    m_selected = line;
    update();
}

/// Both images have the same height, or less if they would be wider than their half.
QRectF PairsView::frameOf(int side) const {
    const QSize size = m_sides.at(static_cast<std::size_t>(side)).picture.size();
    if (size.isEmpty()) {
        return {};
    }
    const double title = fontMetrics().height() + 4.0;
    const QSizeF space((width() - kBetweenSides) / 2, height() - title);
    const QSizeF fitted = QSizeF(size).scaled(space, Qt::KeepAspectRatio);
    const double left = side == 0 ? space.width() - fitted.width() : space.width() + kBetweenSides;
    return {QPointF(left, title + (space.height() - fitted.height()) / 2), fitted};
}

QPointF PairsView::placeOf(int side, const base::Point& voxel) const {
    const QRectF frame = frameOf(side);
    const base::Extents& n = m_sides.at(static_cast<std::size_t>(side)).extents;
    // The centre of voxel 0 is half a voxel from the border.
    return {frame.left() + (voxel[0] + 0.5) * frame.width() / static_cast<double>(n.x),
            frame.top() + (voxel[1] + 0.5) * frame.height() / static_cast<double>(n.y)};
}

void PairsView::drawLine(QPainter& painter, const Line& line) const {
    const QPointF from = placeOf(0, line.left);
    const QPointF to = placeOf(1, line.right);
    painter.drawLine(from, to);
    painter.drawEllipse(from, kEndRadius, kEndRadius);
    painter.drawEllipse(to, kEndRadius, kEndRadius);
}

void PairsView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    for (int side = 0; side < 2; ++side) {
        const Side& shown = m_sides.at(static_cast<std::size_t>(side));
        const QRectF frame = frameOf(side);
        if (frame.isEmpty()) {
            continue;
        }
        painter.drawImage(frame, shown.picture);
        painter.drawText(QRectF(frame.left(), 0, frame.width(), frame.top()),
                         Qt::AlignHCenter | Qt::AlignBottom,
                         fontMetrics().elidedText(shown.title, Qt::ElideMiddle,
                                                  static_cast<int>(frame.width())));
    }
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        QColor colour = colourOf(i);
        colour.setAlphaF(m_selected < 0 ? 0.8F : 0.3F);
        painter.setPen(QPen(colour, 1.2));
        drawLine(painter, m_lines[i]);
    }
    if (m_selected >= 0 && m_selected < static_cast<int>(m_lines.size())) {
        const Line& line = m_lines[static_cast<std::size_t>(m_selected)];
        painter.setPen(QPen(Qt::black, 5));
        drawLine(painter, line);
        painter.setPen(QPen(Qt::yellow, 2.5));
        drawLine(painter, line);
    }
}

void PairsView::mousePressEvent(QMouseEvent* event) {
    int best = -1;
    double least = kClickReach;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        for (int side = 0; side < 2; ++side) {
            const base::Point& voxel = side == 0 ? m_lines[i].left : m_lines[i].right;
            const double distance = QLineF(placeOf(side, voxel), event->position()).length();
            if (distance < least) {
                least = distance;
                best = static_cast<int>(i);
            }
        }
    }
    select(best);
    Q_EMIT selectedByMouse(best);
}

} // namespace flcc::ui
