#include "ui/window/menus/match_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include "ui/base/actions.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"

namespace flcc::ui {

MatchMenu::MatchMenu(const Parts& parts) : m_parts(parts) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&Match"));
    m_parts.actions.add(menu,
                        {"plan",
                         tr("&Plan"),
                         tr("Plans the run without starting it"),
                         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)},
                         "plan"},
                        [this](bool) { m_parts.flow.planNow(); });
    m_parts.actions.add(menu,
                        {"timeAgain",
                         tr("&Time again"),
                         tr("Plans with times that are measured anew, not remembered"),
                         {},
                         {}},
                        [this](bool) { m_parts.flow.timeAgain(); });
    m_parts.actions.add(
        menu,
        {"run",
         tr("&Run"),
         tr("Finds the template in the scene"),
         {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
         "run"},
        [this](bool) { m_parts.flow.run(); });
    m_parts.actions.add(menu,
                        {"cancel",
                         tr("&Cancel"),
                         tr("Cancels the current work. A cancelled run keeps its partial result"),
                         {QKeySequence(Qt::Key_Escape)},
                         "cancel"},
                        [this](bool) { m_parts.flow.cancel(); });
    menu->addSeparator();
    m_parts.actions.add(menu,
                        {"resetSettings",
                         tr("Reset &settings"),
                         tr("Sets all settings of the match to those of a new job. Templates, "
                            "masks and results stay"),
                         {},
                         {}},
                        [this](bool) { m_parts.match.editSettings({}); });
}

} // namespace flcc::ui
