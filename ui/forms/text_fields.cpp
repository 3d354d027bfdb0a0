#include "ui/forms/text_fields.h"

#include <QLineEdit>

#include <algorithm>

namespace flcc::ui {

QLineEdit* TextFields::make(const QString& placeholder, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setPlaceholderText(placeholder);
    // Another text may be valid, and a disabled button cannot be clicked to find out.
    connect(field, &QLineEdit::textEdited, this, [this, field] {
        if (field->property("refused").toBool()) {
            accept(field);
            field->setModified(true);
            Q_EMIT changed();
        }
    });
    return field;
}

void TextFields::refuse(QLineEdit* field, const QString& sentence) {
    if (std::ranges::find(m_refused, std::pair(field, sentence)) != m_refused.end()) {
        return; // reported already; the field was only left
    }
    accept(field);
    m_refused.emplace_back(field, sentence);
    field->setProperty("refused", true);
    field->setStyleSheet(QStringLiteral("QLineEdit { border: 1px solid palette(bright-text); }"));
    Q_EMIT changed();
    Q_EMIT problem(sentence);
}

void TextFields::accept(QLineEdit* field) {
    std::erase_if(m_refused, [field](const auto& each) { return each.first == field; });
    field->setModified(false);
    if (field->property("refused").toBool()) {
        field->setProperty("refused", false);
        field->setStyleSheet({});
    }
}

QString TextFields::reason() const {
    return m_refused.empty() ? QString() : m_refused.front().second;
}

} // namespace flcc::ui
