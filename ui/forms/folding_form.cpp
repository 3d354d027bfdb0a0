#include "ui/forms/folding_form.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

#include "ui/base/settings.h"

namespace flcc::ui {

FoldingForm::FoldingForm(QWidget* parent) : QWidget(parent) {
    m_layout = new QFormLayout(this);
    m_layout->setContentsMargins(kFormMargin, 6, kFormMargin, 2);
    m_layout->setHorizontalSpacing(10);
    m_layout->setVerticalSpacing(3);
    m_layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void FoldingForm::addRow(const QString& label, QWidget* field, const char* name,
                         const QString& tip) {
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(label);
    field->setToolTip(tip);
    addRow(label, tip, field);
}

void FoldingForm::addRow(const QString& label, const QString& tip, QWidget* field) {
    auto* text = new QLabel(label, this);
    text->setBuddy(field);
    text->setToolTip(tip);
    m_layout->addRow(text, field);
}

void FoldingForm::addRowWithButtons(const QString& label, const QString& tip, QWidget* field,
                                    std::initializer_list<QToolButton*> buttons) {
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(field, 1);
    for (QToolButton* button : buttons) {
        row->addWidget(button);
    }
    addRow(label, tip, field, row);
}

void FoldingForm::addRow(const QString& label, const QString& tip, QWidget* buddy, QLayout* row) {
    auto* text = new QLabel(label, this);
    text->setBuddy(buddy);
    text->setToolTip(tip);
    m_layout->addRow(text, row);
}

void FoldingForm::add(QWidget* widget) { m_layout->addRow(widget); }

void FoldingForm::setRowVisible(QWidget* field, bool on) { m_layout->setRowVisible(field, on); }

QToolButton* FoldingForm::smallButton(const char* name, const QIcon& icon, const QString& text,
                                      const QString& tip) {
    auto* made = new QToolButton(this);
    made->setObjectName(QLatin1String(name));
    made->setAccessibleName(text);
    made->setToolTip(tip);
    made->setIcon(icon);
    made->setAutoRaise(true);
    return made;
}

void FoldingForm::addSection(const QString& title, const char* name, bool initiallyOpen) {
    QToolButton* head = makeHead(title, name, this);
    const QString key = QStringLiteral("match/open") + QLatin1String(name);
    m_layout->addRow(head);
    const auto index = m_sections.size();
    m_sections.push_back({head, title, m_layout->rowCount(), Settings::flag(key, initiallyOpen)});
    connect(head, &QToolButton::clicked, this, [this, index, key](bool open) {
        Settings::setFlag(key, open);
        unfold(m_sections[index], open);
    });
}

void FoldingForm::restoreFolds() {
    for (Section& section : m_sections) {
        unfold(section, section.open);
    }
}

void FoldingForm::unfold(Section& section, bool open) {
    section.open = open;
    section.head->setChecked(open);
    section.head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    section.head->setToolTip(open ? tr("Folds this section") : tr("Unfolds this section"));
    int row = section.firstRow;
    const auto next = [&] {
        const QLayoutItem* item = m_layout->itemAt(row, QFormLayout::SpanningRole);
        return item == nullptr || std::ranges::none_of(m_sections, [&](const Section& other) {
                   return other.head == item->widget();
               });
    };
    for (; row < m_layout->rowCount() && next(); ++row) {
        m_layout->setRowVisible(row, open);
    }
}

void FoldingForm::markSection(const char* name, bool changed) {
    const QString object = QStringLiteral("fold") + QLatin1String(name);
    for (const Section& section : m_sections) {
        if (section.head->objectName() == object) {
            section.head->setText(changed ? tr("%1, changed").arg(section.title) : section.title);
        }
    }
}

void FoldingForm::alignLabels(std::initializer_list<const FoldingForm*> forms) {
    std::vector<QWidget*> labels;
    int widest = 0;
    for (const FoldingForm* each : forms) {
        const QFormLayout* form = each->m_layout;
        for (int row = 0; row < form->rowCount(); ++row) {
            if (const QLayoutItem* item = form->itemAt(row, QFormLayout::LabelRole)) {
                labels.push_back(item->widget());
                widest = std::max(widest, item->widget()->sizeHint().width());
            }
        }
    }
    for (QWidget* label : labels) {
        label->setMinimumWidth(widest);
    }
}

QToolButton* FoldingForm::makeHead(const QString& title, const char* name, QWidget* parent) {
    auto* head = new QToolButton(parent);
    head->setObjectName(QStringLiteral("fold") + QLatin1String(name));
    head->setText(title);
    head->setAccessibleName(title);
    head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    head->setAutoRaise(true);
    head->setCheckable(true);
    head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QFont bold = parent->font();
    bold.setBold(true);
    head->setFont(bold);
    // Text and arrow begin where the labels do.
    head->setStyleSheet(QStringLiteral("QToolButton { border: none; padding: 1px 0 0 0; "
                                       "margin-left: -2px; text-align: left; }"));
    return head;
}

} // namespace flcc::ui
