#include "ui/window/menus/edit_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

#include "ui/base/actions.h"
#include "ui/document/document.h"
#include "ui/open/opener.h"
#include "ui/open/spacing_dialog.h"
#include "ui/window/parts/edit_commands.h"

namespace flcc::ui {

EditMenu::EditMenu(const Parts& parts, EditCommands& commands)
    : m_parts(parts), m_commands(commands) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&Edit"));
    addUndo(menu);
    menu->addSeparator();
    addTemplates(menu);
}

void EditMenu::addUndo(QMenu* menu) {
    QUndoStack& stack = m_parts.document.undoStack();
    QAction* undo = m_parts.actions.add(
        menu,
        {"undo",
         tr("&Undo"),
         tr("Undoes the last change of a field, the box, a template, a mask, a decision or a "
            "scene"),
         {QKeySequence::Undo},
         "undo"},
        [this](bool) { m_commands.stepBack(false); });
    QAction* redo = m_parts.actions.add(
        menu,
        {"redo",
         tr("&Redo"),
         tr("Redoes the change that was undone"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
         "redo"},
        [this](bool) { m_commands.stepBack(true); });
    m_parts.actions.add(menu,
                        {"history",
                         tr("&History …"),
                         tr("Lists all steps; a click goes back or forward to one"),
                         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H)}},
                        [this](bool) { m_commands.showHistory(); });
    undo->setEnabled(false);
    redo->setEnabled(false);
    QObject::connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    QObject::connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    QObject::connect(&stack, &QUndoStack::undoTextChanged, undo, [undo](const QString& what) {
        undo->setText(tr("&Undo %1").arg(what).trimmed());
    });
    QObject::connect(&stack, &QUndoStack::redoTextChanged, redo, [redo](const QString& what) {
        redo->setText(tr("&Redo %1").arg(what).trimmed());
    });
}

void EditMenu::addTemplates(QMenu* menu) {
    m_parts.actions.add(menu,
                        {"cutTemplateAction",
                         tr("Cut &template"),
                         tr("Cuts the template from the box"),
                         {QKeySequence(Qt::CTRL | Qt::Key_T)},
                         "crop"},
                        [this](bool) { m_commands.cutTemplate(); });
    m_parts.actions.add(menu,
                        {"addCutTemplateAction",
                         tr("Cut another te&mplate"),
                         tr("Adds a template cut from the box and keeps the others"),
                         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)}},
                        [this](bool) { m_commands.addCutTemplate(); });
    m_parts.actions.add(menu, {"clearBox", tr("Remove &box"), tr("Removes the template box"), {}},
                        [this](bool) { m_parts.document.setBox(std::nullopt); });
    m_parts.actions.add(
        menu,
        {"setSpacing",
         tr("Set &spacing …"),
         tr("States spacing and unit of the scenes in place of those of their files"),
         {}},
        [this](bool) { askSpacing(m_parts.window, m_parts.document); });
    m_parts.actions.add(
        menu,
        {"resampleTemplateAction",
         tr("Resa&mple the template"),
         tr("Adds a copy of the active template with the spacing of the scene"),
         {}},
        [this](bool) { m_parts.opener.resampleTemplate(m_parts.document.activeTemplate()); });
    menu->addAction(m_parts.window.findChild<QAction*>(QStringLiteral("renameResult")));
    menu->addAction(m_parts.window.findChild<QAction*>(QStringLiteral("removeResult")));
    menu->addSeparator();
    m_parts.actions.add(menu,
                        {"copyCommandLine",
                         tr("Copy as &command line"),
                         tr("Copies the job to the clipboard as a flcc-cli command"),
                         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                         "copy"},
                        [this](bool) { m_commands.copyCommandLine(); });
}

} // namespace flcc::ui
