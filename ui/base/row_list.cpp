#include "ui/base/row_list.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

/// Rows in sight; further ones are scrolled to.
constexpr int kRows = 5;
constexpr int kRowGap = 1; ///< between them

/// A button that elides its text when it is too narrow.
class NameButton : public QPushButton {
  public:
    NameButton(const QString& name, QWidget* parent) : QPushButton(parent), m_name(name) {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }

  protected:
    void resizeEvent(QResizeEvent* event) override {
        QPushButton::resizeEvent(event);
        setText(fontMetrics().elidedText(m_name, Qt::ElideMiddle, width() - 10));
    }

  private:
    QString m_name;
};

} // namespace

RowList::RowList(const QString& object, const QString& removeObject, QWidget* parent)
    : QWidget(parent), m_object(object), m_removeObject(removeObject) {
    m_area = new QScrollArea(this);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_area);
}

QWidget* RowList::makeRow(int index, const Row& of, bool active, QWidget* parent) {
    auto* row = new QWidget(parent);
    auto* name = new NameButton(of.name, row);
    name->setObjectName(m_object + QString::number(index));
    name->setAccessibleName(of.spoken);
    name->setToolTip(of.tip);
    name->setCheckable(true);
    name->setChecked(active);
    name->setStyleSheet(
        QStringLiteral("QPushButton { border: none; border-radius: 3px; "
                       "padding: 3px 5px; text-align: left; }"
                       "QPushButton:hover { background: %1; }"
                       "QPushButton:checked { background: %2; color: %3; }")
            .arg(palette().color(QPalette::Active, QPalette::Button).name(),
                 palette().color(QPalette::Active, QPalette::Highlight).name(),
                 palette().color(QPalette::Active, QPalette::HighlightedText).name()));
    auto* word = new QLabel(of.word, row);
    word->setForegroundRole(kMutedText);
    auto* remove = new QToolButton(row);
    remove->setObjectName(m_removeObject + QString::number(index));
    remove->setAccessibleName(of.removeSpoken);
    remove->setToolTip(of.removeTip);
    remove->setAutoRaise(true);
    remove->setIcon(icon(QStringLiteral("close")));
    // Queued, because the receiver may delete the row.
    connect(name, &QPushButton::clicked, name, [name, active] { name->setChecked(active); });
    connect(
        name, &QPushButton::clicked, this, [this, index] { Q_EMIT chosen(index); },
        Qt::QueuedConnection);
    connect(
        remove, &QToolButton::clicked, this, [this, index] { Q_EMIT removed(index); },
        Qt::QueuedConnection);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(name, 1);
    layout->addWidget(word);
    layout->addWidget(remove);
    return row;
}

void RowList::setRows(const std::vector<Row>& rows, int active) {
    const auto count = static_cast<int>(rows.size());
    const QWidget* focused =
        isAncestorOf(QApplication::focusWidget()) ? QApplication::focusWidget() : nullptr;
    const QString kept = focused != nullptr ? focused->objectName() : QString();
    setVisible(count > 1);
    auto* all = new QWidget;
    auto* column = new QVBoxLayout(all);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kRowGap);
    QWidget* shown = nullptr;
    for (int i = 0; i < count; ++i) {
        QWidget* row = makeRow(i, rows[static_cast<std::size_t>(i)], i == active, all);
        column->addWidget(row);
        shown = i == active ? row : shown;
    }
    m_area->setWidget(all);                                // the old rows go
    const int height = all->sizeHint().height() + kRowGap; // all rows are alike
    m_area->setFixedHeight(count > 0 ? height * std::min(count, kRows) / count - kRowGap : 0);
    if (shown != nullptr) {
        all->adjustSize();
        m_area->ensureWidgetVisible(shown, 0, 0);
    }
    if (auto* again = kept.isEmpty() ? nullptr : findChild<QWidget*>(kept)) {
        again->setFocus();
    }
}

} // namespace flcc::ui
