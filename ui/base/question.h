#pragma once

#include <QString>

#include <functional>

class QMessageBox;
class QPushButton;
class QWidget;

namespace flcc::ui {

/// A question over a window that does not block the program, with Cancel. Add answers, then open()
/// it; it deletes itself. `name`: its object name.
[[nodiscard]] QMessageBox* makeQuestion(QWidget& window, const char* name, const QString& title,
                                        const QString& text);

/// Adds an answer, its name and tooltip included.
QPushButton* addAnswer(QMessageBox& box, const char* name, const QString& text, const QString& tip,
                       const std::function<void()>& chosen);

} // namespace flcc::ui
