#include "ui/base/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace flcc::ui {

void ElidedLabel::showText(const QString& text, const QString& tip) {
    setText(text);
    setToolTip(tip.isEmpty() ? text : tip);
}

QSize ElidedLabel::minimumSizeHint() const { return {1, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRect area = contentsRect();
    style()->drawItemText(
        &painter, area, static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())),
        palette(), isEnabled(), fontMetrics().elidedText(text(), Qt::ElideMiddle, area.width()),
        foregroundRole());
}

} // namespace flcc::ui
