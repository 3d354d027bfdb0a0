#pragma once

#include <QAction>
#include <QList>
#include <QString>

#include <functional>
#include <vector>

class QMenu;
class QWidget;

namespace flcc::ui {

/// Makes the program's actions, each with a name, a menu entry, a key and a tooltip that names the
/// key. Lists them for the key sheet.
class Actions {
  public:
    /// Where the key of an action works.
    enum class Scope {
        Window, ///< anywhere in the window
        Views,  ///< only while a view has the focus: single letters and arrows
    };

    struct Definition {
        const char* name;
        QString text;
        QString tip;
        QList<QKeySequence> keys;
        const char* icon = nullptr;
        Scope scope = Scope::Window;
        bool checkable = false;
    };

    Actions(QWidget& window, QWidget& views) : m_window(window), m_views(views) {}

    /// `slot` receives the checked state.
    QAction* add(QMenu* menu, const Definition& definition, std::function<void(bool)> slot);
    /// Like add(), for an existing action that already has its text and its slot.
    void adopt(QMenu* menu, QAction* action, const Definition& definition);
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_actions; }

  private:
    QWidget& m_window;
    QWidget& m_views;
    std::vector<QAction*> m_actions;
};

} // namespace flcc::ui
