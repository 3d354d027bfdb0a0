#include "ui/window/menus/tools_menu.h"

#include <QActionGroup>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <array>
#include <cmath>
#include <functional>

#include "ui/base/actions.h"
#include "ui/views/box_tool.h"
#include "ui/views/view_tools.h"
#include "ui/views/views_panel.h"
#include "ui/window/parts/dialogs.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

ToolsMenu::ToolsMenu(const Parts& parts, Dialogs& dialogs) : m_parts(parts), m_dialogs(dialogs) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&Tools"));
    addTools(menu);
    menu->addSeparator();
    addMoves(menu);
    addBox(menu);
    addDialogs(menu);
}

void ToolsMenu::addTools(QMenu* menu) {
    auto* group = new QActionGroup(&m_parts.window);
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        const char* icon;
    };
    const std::array<Entry, 8> entries{
        {{"toolCrosshair", tr("&Crosshair"), tr("Left drag moves the crosshair in every view"),
          "crosshair"},
         {"toolPan", tr("&Pan and zoom"), tr("Left drag moves the picture"), "pan"},
         {"toolWindow", tr("&Window and level"), tr("Left drag changes contrast and brightness"),
          "window-level"},
         {"toolBox", tr("Template &box"),
          tr("Left drag draws, moves and resizes the template box, with Ctrl it always draws a new "
             "one; a click fits it to an object"),
          "box"},
         {"toolPeaks", tr("P&eaks"), tr("A click selects a peak"), "peak"},
         {"toolMask", tr("&Mask"),
          tr("Left drag draws the mask of the template or of the scene; with Ctrl it erases"),
          "mask"},
         {"toolLasso", tr("&Lasso"),
          tr("Left drag selects the peaks that it goes around, with Ctrl further ones; then Space "
             "keeps them, X rejects them"),
          "lasso"},
         {"toolSweep", tr("&Sweep"),
          tr("Left drag rejects every peak that it passes, and removes those that you added; with "
             "Ctrl it takes rejections back"),
          "sweep"}}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto tool = static_cast<Tool>(i);
        QAction* action =
            m_parts.actions.add(menu,
                                {entry.name,
                                 entry.text,
                                 entry.tip,
                                 {QKeySequence(static_cast<int>(Qt::Key_1) + static_cast<int>(i))},
                                 entry.icon,
                                 Scope::Views,
                                 true},
                                [this, tool](bool) { m_parts.tools.setTool(tool); });
        action->setActionGroup(group);
        if (i == 0) {
            action->trigger();
        }
    }
}

void ToolsMenu::addMoves(QMenu* menu) {
    struct Nudge {
        const char* name;
        QString text;
        int key;
        int right;
        int down;
    };
    const std::array<Nudge, 4> nudges{{{"nudgeLeft", tr("Left"), Qt::Key_Left, -1, 0},
                                       {"nudgeRight", tr("Right"), Qt::Key_Right, 1, 0},
                                       {"nudgeUp", tr("Up"), Qt::Key_Up, 0, -1},
                                       {"nudgeDown", tr("Down"), Qt::Key_Down, 0, 1}}};
    QMenu* moves = menu->addMenu(tr("&Move crosshair or box"));
    for (const int step : {1, 5}) {
        for (const Nudge& nudge : nudges) {
            const QString text = step == 1 ? tr("%1 by one voxel").arg(nudge.text)
                                           : tr("%1 by five voxels").arg(nudge.text);
            const QKeySequence key(step == 1 ? nudge.key : static_cast<int>(Qt::SHIFT) | nudge.key);
            const QString name =
                QLatin1String(nudge.name) + (step == 1 ? QString() : QStringLiteral("Five"));
            QAction* action =
                m_parts.actions.add(moves,
                                    {"",
                                     text,
                                     tr("Moves the box (tool 4) or the crosshair"),
                                     {key},
                                     nullptr,
                                     Scope::Views},
                                    [this, nudge, step](bool) {
                                        m_parts.tools.nudge(nudge.right * step, nudge.down * step);
                                    });
            action->setObjectName(name);
        }
    }
}

void ToolsMenu::addBox(QMenu* menu) {
    QMenu* box = menu->addMenu(tr("Template bo&x"));
    m_parts.actions.add(
        box,
        {"fitBox",
         tr("&Fit to the object at the crosshair"),
         tr("Fits the template box to the object at the crosshair. With tool 4, a click "
            "on an object does it, too"),
         {}},
        [this](bool) {
            const base::Point& at = m_parts.views.crosshair();
            m_parts.boxTool.fitTo({std::llround(at[0]), std::llround(at[1]), std::llround(at[2])});
        });
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        int key;
        std::function<void()> slot;
    };
    const std::array<Entry, 3> entries{
        {{"shrinkBox", tr("&Shrink"), tr("Shortens every side of the template box at both ends"),
          Qt::Key_BracketLeft, [this] { m_parts.boxTool.resize(-1); }},
         {"growBox", tr("&Grow"), tr("Lengthens every side of the template box at both ends"),
          Qt::Key_BracketRight, [this] { m_parts.boxTool.resize(1); }},
         {"oddBox", tr("&Odd or even sides"),
          tr("Makes all sides of the template box odd, or even if they are odd"), Qt::Key_O,
          [this] { m_parts.boxTool.changeParity(); }}}};
    for (const Entry& entry : entries) {
        m_parts.actions.add(
            box,
            {entry.name, entry.text, entry.tip, {QKeySequence(entry.key)}, nullptr, Scope::Views},
            [slot = entry.slot](bool) { slot(); });
    }
}

void ToolsMenu::addDialogs(QMenu* menu) {
    menu->addSeparator();
    m_parts.actions.add(menu,
                        {"featuresAction",
                         tr("&Features: find blobs"),
                         tr("Finds distinctive places of all sizes and suggests templates"),
                         {},
                         "peak"},
                        [this](bool) { m_dialogs.showFeatures(); });
    m_parts.actions.add(menu,
                        {"pairsAction",
                         tr("Match &blobs of two scenes …"),
                         tr("Finds blobs of two scenes that look alike"),
                         {},
                         "peak"},
                        [this](bool) { m_dialogs.showPairs(); });
    m_parts.actions.add(menu,
                        {"batchAction",
                         tr("&Many files …"),
                         tr("Runs this match on many files, with a list of the state of each"),
                         {}},
                        [this](bool) { m_dialogs.showBatch(); });
    m_parts.actions.add(
        menu,
        {"filterAction",
         tr("Fi&lter …"),
         tr("Convolves the scene with a named kernel or a file and adds the result as a "
            "scene"),
         {},
         "interpolation"},
        [this](bool) { m_dialogs.showFilter(); });
    menu->addSeparator();
    m_parts.actions.add(menu,
                        {"calibrateAction",
                         tr("Calibrate this &machine …"),
                         tr("Measures how fast this machine computes, to make plans better"),
                         {},
                         "settings"},
                        [this](bool) { m_dialogs.showCalibrate(); });
    m_parts.actions.add(
        menu,
        {"figureAction",
         tr("Figu&res of methods …"),
         tr("Draws how long each method takes over the size of the template, and which "
            "method is chosen for each size of scene and template"),
         {},
         "overlay"},
        [this](bool) { m_dialogs.showFigures(); });
}

} // namespace flcc::ui
