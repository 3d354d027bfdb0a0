#include "ui/judge/profile_view.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr double kMostReach = 12;

/// The score at the place between voxels, as far as the parabola tells.
double topOf(const match::Peak& peak, std::size_t axis) {
    const double by = peak.shift[axis];
    return peak.refinement ? peak.refinement->score
                           : peak.score - peak.curvature[axis] * by * by / 2;
}

QColor axisColour(std::size_t axis) {
    return axis == 0 ? accents().bad : axis == 1 ? accents().good : accents().warning;
}

} // namespace

ProfileView::ProfileView(QWidget* parent) : QWidget(parent) {
    setMinimumSize(110, 56);
    setObjectName(QStringLiteral("profileView"));
    setAccessibleName(tr("Scores beside the peak"));
    setToolTip(tr("Scores of the map beside the peak along each axis, in steps of a voxel, and a "
                  "parabola of their curvature at the place between voxels"));
}

void ProfileView::show(const match::Peak& peak, const job::Explanation& explanation, bool volume) {
    m_peak = peak;
    m_explanation = explanation;
    m_volume = volume;
    m_low = peak.score;
    m_high = peak.refinement ? std::max(peak.score, peak.refinement->score) : peak.score;
    m_reach = 4;
    for (const job::ScoreProfile& profile : explanation.profiles) {
        const auto last = profile.first + std::ssize(profile.scores) - 1;
        m_reach = std::max(m_reach, static_cast<double>(std::max(-profile.first, last)));
        m_reach = std::min(m_reach, kMostReach);
        for (std::size_t i = 0; i < profile.scores.size(); ++i) {
            const auto step = static_cast<double>(profile.first + static_cast<std::int64_t>(i));
            if (profile.scores[i] && std::abs(step) <= m_reach) {
                m_low = std::min(m_low, *profile.scores[i]);
                m_high = std::max(m_high, *profile.scores[i]);
            }
        }
    }
    const double pad = std::max(1e-6, 0.06 * (m_high - m_low));
    m_low -= pad;
    m_high += pad;
    update();
}

void ProfileView::clear() {
    m_explanation.reset();
    update();
}

QRectF ProfileView::room() const { return QRectF(rect()).adjusted(8, 16, -8, -6); }

QPointF ProfileView::placeOf(double step, double score) const {
    const QRectF r = room();
    return {r.center().x() + step / m_reach * r.width() / 2,
            r.bottom() - (score - m_low) / (m_high - m_low) * r.height()};
}

void ProfileView::drawAxis(QPainter& painter, std::size_t axis, const QColor& colour) const {
    const job::ScoreProfile& profile = m_explanation->profiles[axis];
    QPolygonF line;
    for (std::size_t i = 0; i < profile.scores.size(); ++i) {
        const auto step = static_cast<double>(profile.first + static_cast<std::int64_t>(i));
        if (profile.scores[i] && std::abs(step) <= m_reach) {
            line << placeOf(step, *profile.scores[i]);
        }
    }
    QColor faint = colour;
    faint.setAlpha(110);
    painter.setPen(QPen(faint, 1));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (const QPointF& dot : line) {
        painter.drawEllipse(dot, 2, 2);
    }
    const double curvature = m_peak.curvature[axis];
    if (curvature != 0) {
        const double shift = m_peak.shift[axis];
        const double top = topOf(m_peak, axis);
        QPolygonF fit;
        for (double step = shift - 1.5; step <= shift + 1.5; step += 0.05) {
            const double score = top + curvature * (step - shift) * (step - shift) / 2;
            if (score >= m_low && score <= m_high) {
                fit << placeOf(step, score);
            }
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, 1.8));
        painter.drawPolyline(fit);
        painter.drawLine(placeOf(shift, top) - QPointF(0, 3), placeOf(shift, top) - QPointF(0, 9));
    }
}

void ProfileView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    if (!m_explanation) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(accents().line);
    painter.drawLine(placeOf(0, m_low), placeOf(0, m_high));
    const std::size_t axes = m_volume ? 3 : 2;
    for (std::size_t axis = axes; axis-- > 0;) {
        drawAxis(painter, axis, axisColour(axis));
    }
    QStringList names;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        names << QStringLiteral("xyz").mid(static_cast<int>(axis), 1) +
                     QStringLiteral(" %1").arg(m_peak.shift[axis], 0, 'f', 2);
    }
    // Below each other where the view is narrow.
    const bool narrow =
        fontMetrics().horizontalAdvance(names.join(QString(2, QChar(' ')))) > width() - 8;
    QPointF at(4, 12);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const QString& name = names[static_cast<qsizetype>(axis)];
        painter.setPen(axisColour(axis));
        painter.drawText(at, name);
        at += narrow ? QPointF(0, fontMetrics().height())
                     : QPointF(fontMetrics().horizontalAdvance(name) + 8, 0);
    }
}

} // namespace flcc::ui
