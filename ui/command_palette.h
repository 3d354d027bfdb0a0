#pragma once

#include <QDialog>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace flcc::ui {

/// Finds an action by words of its name and runs it; lists every action with its menu and key.
class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    explicit CommandPalette(const std::vector<QAction*>& actions, QWidget* parent = nullptr);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void find(const QString& words);
    void choose();

    std::vector<QAction*> m_actions;
    std::vector<QAction*> m_found; ///< one for each row
    QLineEdit* m_words = nullptr;
    QListWidget* m_list = nullptr;
};

} // namespace flcc::ui
