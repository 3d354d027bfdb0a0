#include "ui/window/parts/edit_commands.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QUndoStack>
#include <QUndoView>
#include <QVBoxLayout>

#include "engine/base/error.h"
#include "ui/base/focused_field.h"
#include "ui/base/message_bar.h"
#include "ui/base/option_names.h"
#include "ui/document/document.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/job_text.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

void EditCommands::cutTemplate() {
    commitFocusedField();
    try {
        m_parts.document.cutTemplate();
    } catch (const base::Error& error) {
        m_parts.message.tell(MessageBar::Kind::Error, inWindowWords(error));
    }
}

void EditCommands::addCutTemplate() {
    commitFocusedField();
    try {
        m_parts.document.addCutTemplate();
    } catch (const base::Error& error) {
        m_parts.message.tell(MessageBar::Kind::Error, inWindowWords(error));
    }
}

void EditCommands::stepBack(bool redo) {
    if (m_parts.document.stepChangesScenes(redo) &&
        m_parts.controller.isPending(RunController::Task::Run)) {
        m_parts.message.tell(
            MessageBar::Kind::Warning,
            tr("Scenes cannot change during a run: wait until the run ends, or cancel it."));
        return;
    }
    m_parts.message.hide(); // it may be about what is undone
    QUndoStack& stack = m_parts.document.undoStack();
    redo ? stack.redo() : stack.undo();
}

void EditCommands::showHistory() {
    if (auto* open = m_parts.window.findChild<QDialog*>(QStringLiteral("historyDialog"))) {
        open->raise();
        return;
    }
    auto* dialog = new QDialog(&m_parts.window);
    dialog->setObjectName(QStringLiteral("historyDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("History"));
    auto* list = new QUndoView(&m_parts.document.undoStack(), dialog);
    list->setObjectName(QStringLiteral("historyList"));
    list->setAccessibleName(tr("Steps"));
    list->setEmptyLabel(tr("As it was opened"));
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(list);
    // Scenes must not change during a run.
    const auto follow = [this, list] {
        list->setEnabled(!m_parts.controller.isPending(RunController::Task::Run));
    };
    QObject::connect(&m_parts.controller, &RunController::started, list, follow);
    QObject::connect(&m_parts.controller, &RunController::finished, list, follow);
    follow();
    dialog->resize(280, 360);
    dialog->show();
}

void EditCommands::copyCommandLine() {
    commitFocusedField();
    const QString unnamed = templateWithoutFile(m_parts.document);
    if (!unnamed.isEmpty()) {
        m_parts.message.tell(
            MessageBar::Kind::Error,
            tr("A command line cannot name the template %1, which is not in a file: save it "
               "(Save template) and open it.")
                .arg(unnamed));
        return;
    }
    const QString made = sceneWithoutFile(m_parts.document);
    if (!made.isEmpty()) {
        m_parts.message.tell(
            MessageBar::Kind::Error,
            tr("A command line cannot name the scene %1, which is not in a file: show it and save "
               "it (File > Export > Scene), or remove it from the list.")
                .arg(made));
        return;
    }
    if (const QString unsaved = maskWithoutFile(m_parts.document); !unsaved.isEmpty()) {
        m_parts.message.tell(MessageBar::Kind::Error, unsaved);
        return;
    }
    QApplication::clipboard()->setText(commandLineOf(m_parts.document, m_parts.flow.currentJob()));
    m_parts.message.tell(MessageBar::Kind::Info,
                         tr("The job was copied to the clipboard as a command line."));
}

void EditCommands::bringBackJob() {
    const ResultEntry* result = m_parts.document.result();
    if (result != nullptr && !m_parts.controller.isPending(RunController::Task::Run)) {
        const ResultEntry entry = *result;
        m_parts.document.bringBack(entry.inputs);
        m_parts.match.editSettings(entry.settings);
    }
}

} // namespace flcc::ui
