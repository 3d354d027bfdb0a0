#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

class Dialogs;

/// The menu Help.
class HelpMenu {
    Q_DECLARE_TR_FUNCTIONS(HelpMenu)

  public:
    HelpMenu(const Parts& parts, Dialogs& dialogs);

  private:
    const Parts& m_parts;
    Dialogs& m_dialogs;
};

} // namespace flcc::ui
