#include "ui/template_list.h"

#include <QApplication>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {
namespace {

/// Rows in sight; further ones are scrolled to.
constexpr int kRows = 5;
constexpr int kGap = 1; ///< between them

/// A button whose text gives way where there is no room for it.
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

TemplateList::TemplateList(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("templateList"));
    setAccessibleName(tr("Templates"));
    m_area = new QScrollArea(this);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_area);
    connect(&m_document, &Document::templateChanged, this, &TemplateList::rebuild);
    rebuild();
}

QWidget* TemplateList::makeRow(int index, QWidget* parent) {
    const TemplateEntry& templ = m_document.templates()[static_cast<std::size_t>(index)];
    auto* row = new QWidget(parent);
    auto* name = new NameButton(tr("%1: %2").arg(index).arg(templ.name), row);
    name->setObjectName(QStringLiteral("template%1").arg(index));
    name->setAccessibleName(tr("Template %1: %2").arg(index).arg(templ.name));
    name->setToolTip(tr("Template %1, the number of its peaks: %2. A click shows it; cutting and "
                        "opening replace the one that is shown")
                         .arg(index)
                         .arg(templ.name));
    name->setCheckable(true);
    name->setChecked(index == m_document.activeTemplate());
    name->setStyleSheet(QStringLiteral("QPushButton { border: none; border-radius: 3px; "
                                       "padding: 3px 5px; text-align: left; }"
                                       "QPushButton:hover { background: %1; }"
                                       "QPushButton:checked { background: %2; color: %3; }")
                            .arg(palette().color(QPalette::Button).name(),
                                 palette().color(QPalette::Highlight).name(),
                                 palette().color(QPalette::HighlightedText).name()));
    auto* extents =
        new QLabel(extentsText(base::extentsOf(templ.image->pixels)).remove(QChar(' ')), row);
    extents->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
    auto* remove = new QToolButton(row);
    remove->setObjectName(QStringLiteral("removeTemplate%1").arg(index));
    remove->setAccessibleName(tr("Remove template %1").arg(index));
    remove->setToolTip(tr("Takes the template out of the list (Ctrl+Z brings it back)"));
    remove->setAutoRaise(true);
    remove->setIcon(icon(QStringLiteral("close")));
    // Queued: the row goes when the list changes.
    connect(name, &QPushButton::clicked, name, [name] { name->setChecked(true); });
    connect(
        name, &QPushButton::clicked, this, [this, index] { m_document.setActiveTemplate(index); },
        Qt::QueuedConnection);
    connect(
        remove, &QToolButton::clicked, this, [this, index] { m_document.removeTemplate(index); },
        Qt::QueuedConnection);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(name, 1);
    layout->addWidget(extents);
    layout->addWidget(remove);
    return row;
}

void TemplateList::rebuild() {
    const auto count = static_cast<int>(m_document.templates().size());
    const QWidget* focused =
        isAncestorOf(QApplication::focusWidget()) ? QApplication::focusWidget() : nullptr;
    const QString kept = focused != nullptr ? focused->objectName() : QString();
    setVisible(count > 1);
    auto* rows = new QWidget;
    auto* column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    QWidget* active = nullptr;
    for (int i = 0; i < count; ++i) {
        QWidget* row = makeRow(i, rows);
        column->addWidget(row);
        active = i == m_document.activeTemplate() ? row : active;
    }
    m_area->setWidget(rows);                             // the old rows go
    const int height = rows->sizeHint().height() + kGap; // all rows are alike
    m_area->setFixedHeight(count > 0 ? height * std::min(count, kRows) / count - kGap : 0);
    if (active != nullptr) {
        rows->adjustSize();
        m_area->ensureWidgetVisible(active, 0, 0);
    }
    if (auto* again = kept.isEmpty() ? nullptr : findChild<QWidget*>(kept)) {
        again->setFocus();
    }
}

void TemplateList::refreshTheme() { rebuild(); }

} // namespace flcc::ui
