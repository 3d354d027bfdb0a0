#include "ui/judge/hand_view.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

HandView::HandView(QWidget* parent) : QWidget(parent) {
    setMinimumSize(200, 70);
    setObjectName(QStringLiteral("handView"));
    setAccessibleName(tr("Scores of both hands"));
    hide();
}

void HandView::show(const std::optional<job::HandednessReport>& hands) {
    m_hands = hands;
    setVisible(hands.has_value());
    if (!hands) {
        return;
    }
    m_ranks = std::max({hands->given.size(), hands->mirrored.size(), std::size_t{2}});
    // What lies far below the threshold says nothing.
    const auto shown = static_cast<std::size_t>(std::max<std::int64_t>(20, 4 * hands->compared));
    m_ranks = std::min(m_ranks, shown);
    m_low = std::isfinite(hands->threshold) ? hands->threshold : 0;
    m_high = m_low + 1e-6;
    for (const auto* scores : {&hands->given, &hands->mirrored}) {
        for (std::size_t i = 0; i < std::min(m_ranks, scores->size()); ++i) {
            m_low = std::min(m_low, (*scores)[i]);
            m_high = std::max(m_high, (*scores)[i]);
        }
    }
    const double pad = 0.05 * (m_high - m_low);
    m_low -= pad;
    m_high += pad;
    setToolTip(
        text() + QStringLiteral("\n") +
        tr("Scores of the best peaks, best first: of the templates as they are, and, dashed, "
           "mirrored. The dotted line is the threshold"));
    setAccessibleDescription(text());
    update();
}

QString HandView::text() const {
    if (!m_hands) {
        return {};
    }
    const QString verdict = m_hands->verdict == job::Hand::Given      ? tr("as given")
                            : m_hands->verdict == job::Hand::Mirrored ? tr("mirrored")
                                                                      : tr("undecided");
    return tr("Hand: %1 – %2").arg(verdict, toQString(m_hands->reason));
}

QRectF HandView::room() const {
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(fontMetrics().horizontalAdvance(QStringLiteral("0.00")) + 10,
                                   2 * line + 8, -10, -line - 6);
}

QPointF HandView::placeOf(std::size_t rank, double score) const {
    const QRectF r = room();
    return {r.left() + static_cast<double>(rank) / static_cast<double>(m_ranks - 1) * r.width(),
            r.bottom() - (score - m_low) / (m_high - m_low) * r.height()};
}

void HandView::drawCurve(QPainter& painter, const std::vector<double>& scores, const QColor& colour,
                         bool dashed) const {
    QPolygonF line;
    for (std::size_t i = 0; i < std::min(m_ranks, scores.size()); ++i) {
        line << placeOf(i, scores[i]);
    }
    painter.setPen(QPen(colour, 1.8, dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

void HandView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    if (!m_hands) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF r = room();
    const QColor given = palette().color(QPalette::Highlight);
    const QColor mirrored = accents().warning;
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(8, 2, width() - 16, 2 * fontMetrics().height() + 2),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text());
    painter.setPen(accents().line);
    painter.drawLine(r.bottomLeft(), r.bottomRight());
    painter.drawLine(r.bottomLeft(), r.topLeft());
    if (m_hands->threshold >= m_low && m_hands->threshold <= m_high) {
        painter.setPen(QPen(accents().bad, 1, Qt::DotLine));
        painter.drawLine(placeOf(0, m_hands->threshold), placeOf(m_ranks - 1, m_hands->threshold));
    }
    drawCurve(painter, m_hands->given, given, false);
    drawCurve(painter, m_hands->mirrored, mirrored, true);
    painter.setPen(accents().muted);
    const auto number = [](double value) { return QString::number(value, 'f', 2); };
    const double line = fontMetrics().height();
    painter.drawText(QRectF(0, r.top() - line / 2, r.left() - 4, line), Qt::AlignRight,
                     number(m_high));
    painter.drawText(QRectF(0, r.bottom() - line / 2, r.left() - 4, line), Qt::AlignRight,
                     number(m_low));
    double at = r.left();
    for (const auto& [colour, name] :
         {std::pair(given, tr("— as given")), std::pair(mirrored, tr("- - mirrored"))}) {
        painter.setPen(colour);
        painter.drawText(QPointF(at, height() - 5), name);
        at += fontMetrics().horizontalAdvance(name) + 14;
    }
    painter.setPen(accents().muted);
    painter.drawText(QRectF(r.left(), r.bottom() + 3, r.width(), line), Qt::AlignRight,
                     tr("peak 1 to %1").arg(m_ranks));
}

} // namespace flcc::ui
