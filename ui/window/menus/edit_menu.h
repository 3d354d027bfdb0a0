#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

class QMenu;

namespace flcc::ui {

class EditCommands;

/// The menu Edit.
class EditMenu {
    Q_DECLARE_TR_FUNCTIONS(EditMenu)

  public:
    EditMenu(const Parts& parts, EditCommands& commands);

  private:
    void addUndo(QMenu* menu);
    void addTemplates(QMenu* menu);

    const Parts& m_parts;
    EditCommands& m_commands;
};

} // namespace flcc::ui
