#include "ui/base/question.h"

#include <QMessageBox>
#include <QPushButton>

namespace flcc::ui {

QMessageBox* makeQuestion(QWidget& window, const char* name, const QString& title,
                          const QString& text) {
    auto* box = new QMessageBox(QMessageBox::Question, title, text, QMessageBox::Cancel, &window);
    box->setObjectName(QLatin1String(name));
    box->setAttribute(Qt::WA_DeleteOnClose);
    return box;
}

QPushButton* addAnswer(QMessageBox& box, const char* name, const QString& text, const QString& tip,
                       const std::function<void()>& chosen) {
    QPushButton* button = box.addButton(text, QMessageBox::ActionRole);
    button->setObjectName(QLatin1String(name));
    button->setAccessibleName(text);
    button->setToolTip(tip);
    QObject::connect(button, &QPushButton::clicked, &box, chosen);
    return button;
}

} // namespace flcc::ui
