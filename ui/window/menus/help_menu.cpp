#include "ui/window/menus/help_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include "ui/base/actions.h"
#include "ui/base/command_palette.h"
#include "ui/window/parts/dialogs.h"

namespace flcc::ui {

HelpMenu::HelpMenu(const Parts& parts, Dialogs& dialogs) : m_parts(parts), m_dialogs(dialogs) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&Help"));
    m_parts.actions.add(menu,
                        {"manual",
                         tr("&Manual"),
                         tr("Opens the manual at the page of the panel that has the focus"),
                         {QKeySequence::HelpContents},
                         "help"},
                        [this](bool) { m_dialogs.showManual(); });
    m_parts.actions.add(menu,
                        {"keySheet",
                         tr("&Keys"),
                         tr("Lists every keyboard shortcut"),
                         {QKeySequence(Qt::Key_Question)},
                         nullptr,
                         Actions::Scope::Views},
                        [this](bool) { m_dialogs.showKeySheet(); });
    m_parts.actions.add(
        menu,
        {"commandPaletteAction",
         tr("&Commands …"),
         tr("Finds any command by its name and runs it"),
         {QKeySequence(Qt::CTRL | Qt::Key_K)}},
        [this](bool) {
            (new CommandPalette(
                 CommandPalette::withMenus(m_parts.actions.all(), *m_parts.window.menuBar()),
                 &m_parts.window))
                ->open();
        });
    m_parts.actions.add(menu,
                        {"selfTestAction",
                         tr("&Self-test..."),
                         tr("Compares this machine's scores with exact results"),
                         {},
                         "info"},
                        [this](bool) { m_dialogs.showSelfTest(); });
    m_parts.actions.add(menu,
                        {"about", tr("&About FLCC"), tr("Shows versions and devices"), {}, "info"},
                        [this](bool) { m_dialogs.showAbout(); });
}

} // namespace flcc::ui
