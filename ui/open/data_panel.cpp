#include "ui/open/data_panel.h"

#include <QAction>
#include <QInputDialog>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

constexpr int kPicture = 44;
constexpr int kMargin = 8;

/// Thumbnail, three lines of text and a badge; headings and hints as one line.
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
            return {80, std::max(kPicture, 3 * line + 4) + 12};
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
        if (picture.isNull()) { // not read yet
            painter.setPen(QPen(accents().line, 1, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(frame).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
        } else {
            QRect target(QPoint(), picture.size().scaled(frame.size(), Qt::KeepAspectRatio));
            target.moveCenter(frame.center());
            painter.drawImage(target, picture);
        }
        const QFontMetrics metrics = option.fontMetrics;
        const QRect text = card.adjusted(kPicture + 12, 4, -6, -4);
        const int height = metrics.height() + 1;
        const auto row = [&text, height](int number) {
            return QRect(text.left(), text.top() + number * height, text.width(), height);
        };
        painter.setPen(option.palette.color(QPalette::Text));
        painter.drawText(row(0), Qt::AlignVCenter,
                         metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle,
                                            text.width()));
        painter.setPen(accents().muted);
        QString detail = index.data(DataModel::DetailRole).toString();
        if (metrics.horizontalAdvance(detail) > text.width()) {
            detail.remove(QChar(' ')); // whole, if closer
        }
        painter.drawText(row(1), Qt::AlignVCenter,
                         metrics.elidedText(detail, Qt::ElideRight, text.width()));
        const QString type = index.data(DataModel::TypeRole).toString();
        painter.drawText(row(2), Qt::AlignVCenter, type);
        const QString badge = index.data(DataModel::BadgeRole).toString();
        if (!badge.isEmpty()) {
            const int left = type.isEmpty() ? 0 : metrics.horizontalAdvance(type) + 8;
            const QRect pill(text.left() + left, row(2).top(),
                             metrics.horizontalAdvance(badge) + 10, height);
            painter.setPen(accents().line);
            painter.setBrush(option.palette.color(QPalette::Window));
            painter.drawRoundedRect(pill, 4, 4);
            painter.setPen(accents().muted);
            painter.drawText(pill, Qt::AlignCenter, badge);
        }
    }
};

} // namespace

DataPanel::DataPanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("dataPanel"));
    m_model = new DataModel(document, this);
    m_list = new QListView(this);
    m_list->setObjectName(QStringLiteral("dataList"));
    m_list->setAccessibleName(tr("Scenes, templates and results"));
    m_list->setToolTip(
        tr("Scenes, templates and results. Click a scene or a result to show it. Click a template "
           "to make it the active one. A result brings back its job. F2 renames a result, Del "
           "removes it"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new DataDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_list);
    connect(m_list, &QListView::clicked, this, [this, &document](const QModelIndex& index) {
        const int result = index.data(DataModel::ResultRole).toInt();
        if (result >= 0) {
            document.showResult(result);
            Q_EMIT resultChosen();
        }
        document.setActiveTemplate(index.data(DataModel::TemplateRole).toInt());
        const int scene = index.data(DataModel::SceneRole).toInt();
        if (scene >= 0) {
            Q_EMIT sceneChosen(scene);
        }
    });
    auto* remove = new QAction(tr("Remove result"), m_list);
    remove->setObjectName(QStringLiteral("removeResult"));
    remove->setToolTip(tr("Removes the result and frees its memory (Del); Undo brings it "
                          "back, without a map of more than 64 MiB"));
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    auto* rename = new QAction(tr("Rename result …"), m_list);
    rename->setObjectName(QStringLiteral("renameResult"));
    rename->setToolTip(tr("Gives the result another name (F2)"));
    rename->setShortcut(QKeySequence(Qt::Key_F2));
    rename->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(rename);
    m_list->addAction(remove);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    const auto resultOf = [](const QModelIndex& index) {
        return index.isValid() ? index.data(DataModel::ResultRole).toInt() : -1;
    };
    connect(rename, &QAction::triggered, this, [this, resultOf] {
        const int current = resultOf(m_list->currentIndex());
        askTitle(current < 0 && !m_list->hasFocus() ? m_document.shownResult() : current);
    });
    connect(remove, &QAction::triggered, this, [this, &document, resultOf] {
        // From the menu, remove the shown result, whatever row is current here.
        const int row = m_list->currentIndex().row();
        const int current = resultOf(m_list->currentIndex());
        document.removeResult(current < 0 && !m_list->hasFocus() ? document.shownResult()
                                                                 : current);
        m_list->setCurrentIndex(m_model->index(std::min(row, m_model->rowCount() - 1)));
    });
    connect(m_list, &QListView::customContextMenuRequested, this,
            [this, rename, remove, resultOf](const QPoint& position) {
                const QModelIndex index = m_list->indexAt(position);
                const int scene = index.isValid() ? index.data(DataModel::SceneRole).toInt() : -1;
                if (resultOf(index) < 0 && scene < 0) {
                    return;
                }
                m_list->setCurrentIndex(index);
                auto* menu = new QMenu(m_list);
                menu->setObjectName(QStringLiteral("dataMenu"));
                menu->setAttribute(Qt::WA_DeleteOnClose);
                menu->setToolTipsVisible(true);
                if (scene >= 0) {
                    Q_EMIT sceneMenuRequested(menu);
                } else {
                    menu->addAction(rename);
                    menu->addAction(remove);
                }
                menu->popup(m_list->viewport()->mapToGlobal(position));
            });
    setMinimumWidth(180);
}

void DataPanel::askTitle(int result) {
    if (result < 0) {
        return;
    }
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("renameDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename result"));
    dialog->setLabelText(tr("Name of the result"));
    dialog->setTextValue(m_document.results()[static_cast<std::size_t>(result)].title);
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, result](const QString& title) { m_document.renameResult(result, title); });
    dialog->open();
}

} // namespace flcc::ui
