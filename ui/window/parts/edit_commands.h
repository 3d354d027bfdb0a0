#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// What menus, keys and panels do to the document.
class EditCommands {
    Q_DECLARE_TR_FUNCTIONS(EditCommands)

  public:
    explicit EditCommands(const Parts& parts) : m_parts(parts) {}

    void cutTemplate();    ///< replaces the active template by the box
    void addCutTemplate(); ///< adds a template cut from the box
    /// Undoes or redoes a change, unless it would change the scenes of a run.
    void stepBack(bool redo);
    void showHistory(); ///< the list of all steps
    void copyCommandLine();
    /// Shows the job of the shown result in the Match panel, so that it can be run again.
    void bringBackJob();

  private:
    const Parts& m_parts;
};

} // namespace flcc::ui
