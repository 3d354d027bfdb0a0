#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

class QMenu;

namespace flcc::ui {

class Dialogs;

/// The menu Tools.
class ToolsMenu {
    Q_DECLARE_TR_FUNCTIONS(ToolsMenu)

  public:
    ToolsMenu(const Parts& parts, Dialogs& dialogs);

  private:
    void addTools(QMenu* menu);
    void addMoves(QMenu* menu);
    void addBox(QMenu* menu);
    void addDialogs(QMenu* menu);

    const Parts& m_parts;
    Dialogs& m_dialogs;
};

} // namespace flcc::ui
