#pragma once

#include <QCoreApplication>

#include "ui/window/menus/edit_menu.h"
#include "ui/window/menus/file_menu.h"
#include "ui/window/menus/heatmap_menu.h"
#include "ui/window/menus/help_menu.h"
#include "ui/window/menus/match_menu.h"
#include "ui/window/menus/peaks_menu.h"
#include "ui/window/menus/tools_menu.h"
#include "ui/window/menus/view_menu.h"
#include "ui/window/menus/volume_menu.h"
#include "ui/window/parts/parts.h"

class QPoint;

namespace flcc::ui {

/// The menu bar, the tool bar and the menu of the views.
class MainMenus {
    Q_DECLARE_TR_FUNCTIONS(MainMenus)

  public:
    MainMenus(const Parts& parts, EditCommands& commands, Dialogs& dialogs, JobLoader& jobs);

    void fillRecent() { m_file.fillRecent(); }

  private:
    void buildToolBar();
    void showContextMenu(const QPoint& position);

    const Parts& m_parts;
    FileMenu m_file;
    EditMenu m_edit;
    ViewMenu m_view;
    HeatmapMenu m_heatmap;
    PeaksMenu m_peaks;
    VolumeMenu m_volume;
    ToolsMenu m_tools;
    MatchMenu m_match;
    HelpMenu m_help;
};

} // namespace flcc::ui
