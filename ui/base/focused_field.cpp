#include "ui/base/focused_field.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QLineEdit>

namespace flcc::ui {

void commitFocusedField() {
    QWidget* const field = QApplication::focusWidget();
    if (auto* number = qobject_cast<QAbstractSpinBox*>(field)) {
        number->interpretText();
    } else if (auto* text = qobject_cast<QLineEdit*>(field);
               text != nullptr && text->isModified()) {
        Q_EMIT text->editingFinished();
    }
}

} // namespace flcc::ui
