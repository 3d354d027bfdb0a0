#include "ui/window/menus/main_menus.h"

#include <QMainWindow>
#include <QMenu>
#include <QToolBar>

#include "ui/views/view_tools.h"

namespace flcc::ui {

MainMenus::MainMenus(const Parts& parts, EditCommands& commands, Dialogs& dialogs, JobLoader& jobs)
    : m_parts(parts), m_file(parts, jobs), m_edit(parts, commands), m_view(parts), m_heatmap(parts),
      m_peaks(parts, dialogs), m_volume(parts), m_tools(parts, dialogs), m_match(parts),
      m_help(parts, dialogs) {
    buildToolBar();
    QObject::connect(&m_parts.tools, &ViewTools::contextMenuRequested, &m_parts.window,
                     [this](const QPoint& position) { showContextMenu(position); });
}

void MainMenus::buildToolBar() {
    QToolBar* bar = m_parts.window.addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setIconSize({20, 20});
    const auto put = [this, bar](const char* name) {
        bar->addAction(m_parts.window.findChild<QAction*>(QLatin1String(name)));
    };
    put("open");
    bar->addSeparator();
    for (const char* name : {"toolCrosshair", "toolPan", "toolWindow", "toolBox", "toolPeaks",
                             "toolLasso", "toolSweep", "toolMask"}) {
        put(name);
    }
    bar->addSeparator();
    put("undo");
    put("redo");
    put("cutTemplateAction");
    bar->addSeparator();
    for (const char* name : {"plan", "run", "cancel"}) {
        put(name);
    }
    bar->addSeparator();
    for (const char* name :
         {"fitView", "resetView", "interpolation", "overlay", "layout", "screenshot"}) {
        put(name);
    }
}

void MainMenus::showContextMenu(const QPoint& position) {
    auto* menu = new QMenu(&m_parts.window);
    menu->setObjectName(QStringLiteral("viewMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const char* name : {"toolCrosshair", "toolBox", "cutTemplateAction", "clearBox", "fitView",
                             "resetView", "actualSize", "interpolation", "autoWindow", "overlay",
                             "showPeaks", "layout", "screenshot"}) {
        menu->addAction(m_parts.window.findChild<QAction*>(QLatin1String(name)));
        if (QLatin1String(name) == QLatin1String("clearBox") ||
            QLatin1String(name) == QLatin1String("autoWindow")) {
            menu->addSeparator();
        }
    }
    menu->popup(position); // not exec(), which would hold what quits the program
}

} // namespace flcc::ui
