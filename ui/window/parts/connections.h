#pragma once

#include <QCoreApplication>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

class Dialogs;
class EditCommands;
class JobLoader;

/// Joins the parts of the window: what one of them reports, another one does.
class Connections {
    Q_DECLARE_TR_FUNCTIONS(Connections)

  public:
    Connections(const Parts& parts, EditCommands& commands, Dialogs& dialogs, JobLoader& jobs);

  private:
    void connectStartPage();
    void connectDocument();
    void connectMessages();
    void connectOffers();
    void connectOpening();
    void connectRegion();
    void connectMatchPanel();
    void connectFlow();
    void connectPeaks();
    void connectJudging();
    void connectComparing();
    void connectPanels();
    void connectTools();
    void connectRuns();
    void requestDeviceMemory();

    const Parts& m_parts;
    EditCommands& m_commands;
    Dialogs& m_dialogs;
    JobLoader& m_jobs;
};

} // namespace flcc::ui
