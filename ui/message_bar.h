#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace flcc::ui {

/// One sentence above the views; a new one replaces the old. Never modal.
class MessageBar : public QFrame {
    Q_OBJECT

  public:
    enum class Kind { Info, Warning, Error };

    explicit MessageBar(QWidget* parent = nullptr);
    void show(Kind kind, const QString& sentence);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] Kind kind() const { return m_kind; }
    void refreshTheme();

  private:
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QToolButton* m_close = nullptr;
    Kind m_kind = Kind::Info;
};

} // namespace flcc::ui
