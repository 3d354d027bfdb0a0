#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

class QAction;
class QMenu;

namespace flcc::ui {

class Dialogs;

/// The menu Peaks: steps through them, decides on them, adds and removes some.
class PeaksMenu {
    Q_DECLARE_TR_FUNCTIONS(PeaksMenu)

  public:
    PeaksMenu(const Parts& parts, Dialogs& dialogs);

  private:
    void addKey(QAction* action);
    void addSteps(QMenu* menu);
    void addDecisions(QMenu* menu);
    void addEdits(QMenu* menu);
    void addExplain(QMenu* menu);
    void addAverage(QMenu* menu);
    void addThresholds(QMenu* menu);

    const Parts& m_parts;
    Dialogs& m_dialogs;
};

} // namespace flcc::ui
