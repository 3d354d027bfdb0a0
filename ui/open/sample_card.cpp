#include "ui/open/sample_card.h"

#include <QPainter>
#include <QPainterPath>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr int kWidth = 212;
constexpr int kPictureHeight = 112;
constexpr int kPadding = 12;

} // namespace

SampleCard::SampleCard(const QString& name, const QString& title, const QString& detail,
                       QWidget* parent)
    : QAbstractButton(parent), m_name(name), m_title(title), m_detail(detail) {
    setObjectName(QStringLiteral("sample_") + name);
    setText(title);
    setAccessibleName(tr("Sample %1").arg(name));
    setAccessibleDescription(title);
    setToolTip(tr("Opens the built-in sample “%1” with its template. Then press Run (Ctrl+Return)")
                   .arg(name));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void SampleCard::setPicture(const QImage& picture) {
    m_picture = picture;
    update();
}

QSize SampleCard::sizeHint() const {
    const int line = fontMetrics().lineSpacing();
    return {kWidth, kPictureHeight + 5 * line + line / 4 + 2 * kPadding};
}

void SampleCard::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    const bool lit = underMouse() || hasFocus();
    const QRectF card = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath outline;
    outline.addRoundedRect(card, 8, 8);
    painter.fillPath(outline,
                     isDown() ? palette().color(QPalette::Button).darker(108) : accents().card);
    painter.save();
    const QRect frame(0, 0, width(), kPictureHeight);
    painter.setClipPath(outline);
    painter.setClipRect(frame, Qt::IntersectClip);
    painter.fillRect(frame, palette().color(QPalette::Base));
    if (!m_picture.isNull()) {
        const QSize size = m_picture.size().scaled(frame.size(), Qt::KeepAspectRatioByExpanding);
        QRect target(QPoint(), size);
        target.moveCenter(frame.center());
        painter.drawImage(target, m_picture);
    }
    painter.restore();
    painter.setPen(QPen(lit ? palette().color(QPalette::Highlight) : accents().line, lit ? 2 : 1));
    painter.drawPath(outline);

    QRect text(kPadding, kPictureHeight + kPadding, width() - 2 * kPadding, 0);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    const int line = fontMetrics().lineSpacing();
    text.setHeight(line);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, m_name);
    painter.setFont(font());
    text.translate(0, line);
    text.setHeight(3 * line);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_title);
    text.translate(0, 3 * line + line / 4);
    text.setHeight(line);
    painter.setPen(accents().muted);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, m_detail);
}

void SampleCard::enterEvent(QEnterEvent* /*event*/) { update(); }

void SampleCard::leaveEvent(QEvent* /*event*/) { update(); }

} // namespace flcc::ui
