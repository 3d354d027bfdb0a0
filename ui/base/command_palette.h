#pragma once

#include <QDialog>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;
class QMenuBar;

namespace flcc::ui {

/// Finds an action by words of its name and runs it; lists every action with its menu and key.
class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    explicit CommandPalette(const std::vector<QAction*>& actions, QWidget* parent = nullptr);
    /// `actions` and every other entry of the menus, such as themes and colours.
    [[nodiscard]] static std::vector<QAction*> withMenus(std::vector<QAction*> actions,
                                                         const QMenuBar& menus);

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
