#include "ui/data_panel.h"

#include <QApplication>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/theme.h"

namespace flcc::ui {
namespace {

constexpr int kPicture = 44;
constexpr int kMargin = 8;

/// Thumbnail, two lines of text and a badge; headings and hints as one line.
class DataDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override {
        const auto kind = static_cast<DataModel::Kind>(index.data(DataModel::KindRole).toInt());
        const int line = option.fontMetrics.height();
        switch (kind) {
        case DataModel::Kind::Heading:
            return {80, line + 12};
        case DataModel::Kind::Hint:
            return {80, line + 6};
        default:
            return {80, kPicture + 12};
        }
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        const auto kind = static_cast<DataModel::Kind>(index.data(DataModel::KindRole).toInt());
        const QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
        const QString title = index.data(Qt::DisplayRole).toString();
        if (kind == DataModel::Kind::Heading) {
            QFont font = option.font;
            font.setBold(true);
            painter->setFont(font);
            painter->setPen(option.palette.color(QPalette::Text));
            painter->drawText(area.adjusted(0, 6, 0, 0), Qt::AlignVCenter, title);
        } else if (kind == DataModel::Kind::Hint) {
            painter->setPen(accents().muted);
            painter->drawText(area, Qt::AlignVCenter,
                              option.fontMetrics.elidedText(title, Qt::ElideRight, area.width()));
        } else {
            paintEntry(*painter, option, index);
        }
        painter->restore();
    }

  private:
    static void paintEntry(QPainter& painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) {
        const QRect card = option.rect.adjusted(4, 2, -4, -2);
        const bool shown = index.data(DataModel::ShownRole).toBool();
        const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
        if (shown || hovered) {
            painter.setPen(shown ? QPen(option.palette.color(QPalette::Highlight), 1) : Qt::NoPen);
            painter.setBrush(option.palette.color(QPalette::Button));
            painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        }
        const QRect frame(card.left() + 4, card.top() + 4, kPicture, kPicture);
        const auto picture = index.data(Qt::DecorationRole).value<QImage>();
        if (!picture.isNull()) {
            QRect target(QPoint(), picture.size().scaled(frame.size(), Qt::KeepAspectRatio));
            target.moveCenter(frame.center());
            painter.drawImage(target, picture);
        }
        const QFontMetrics metrics = option.fontMetrics;
        QRect text = card.adjusted(kPicture + 12, 4, -6, -4);
        const QString badge = index.data(DataModel::BadgeRole).toString();
        int badgeWidth = 0;
        if (!badge.isEmpty()) {
            badgeWidth = metrics.horizontalAdvance(badge) + 10;
            const QRect pill(text.right() - badgeWidth + 1, text.bottom() - metrics.height() - 1,
                             badgeWidth, metrics.height() + 1);
            painter.setPen(accents().line);
            painter.setBrush(option.palette.color(QPalette::Window));
            painter.drawRoundedRect(pill, 4, 4);
            painter.setPen(accents().muted);
            painter.drawText(pill, Qt::AlignCenter, badge);
        }
        painter.setPen(option.palette.color(QPalette::Text));
        const QRect upper(text.left(), text.top(), text.width(), metrics.height() + 2);
        painter.drawText(upper, Qt::AlignVCenter,
                         metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle,
                                            upper.width()));
        painter.setPen(accents().muted);
        const QRect lower(text.left(), text.bottom() - metrics.height() - 1,
                          text.width() - badgeWidth - 4, metrics.height() + 1);
        painter.drawText(lower, Qt::AlignVCenter,
                         metrics.elidedText(index.data(DataModel::DetailRole).toString(),
                                            Qt::ElideRight, lower.width()));
    }
};

} // namespace

DataPanel::DataPanel(Document& document, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("dataPanel"));
    m_model = new DataModel(document, this);
    m_list = new QListView(this);
    m_list->setObjectName(QStringLiteral("dataList"));
    m_list->setAccessibleName(tr("Scene, template and results"));
    m_list->setToolTip(tr("Scene, template and results; click a result to show it"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new DataDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_list);
    connect(m_list, &QListView::clicked, this, [&document](const QModelIndex& index) {
        const int result = index.data(DataModel::ResultRole).toInt();
        if (result >= 0) {
            document.showResult(result);
        }
    });
    setMinimumWidth(180);
}

} // namespace flcc::ui
