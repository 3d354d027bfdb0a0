#pragma once

#include <QObject>

#include <utility>
#include <vector>

class QLineEdit;
class QWidget;

namespace flcc::ui {

/// Text fields of which each may hold a text that is no valid value. Such a field stays as it is,
/// marked, until its text is valid.
class TextFields : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    QLineEdit* make(const QString& placeholder, QWidget* parent);
    void refuse(QLineEdit* field, const QString& sentence);
    void accept(QLineEdit* field);
    /// Why the first of the refused fields holds no valid value; empty: all are valid.
    [[nodiscard]] QString reason() const;

  Q_SIGNALS:
    void changed(); ///< a field was refused, or a refused one is edited
    void problem(const QString& sentence);

  private:
    std::vector<std::pair<QLineEdit*, QString>> m_refused; ///< invalid fields and why
};

} // namespace flcc::ui
