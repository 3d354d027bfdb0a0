#include "ui/project/project_commands.h"

#include <QFileDialog>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include <exception>
#include <vector>

#include "ui/base/focused_field.h"
#include "ui/base/question.h"
#include "ui/base/save_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/open/losses.h"
#include "ui/project/project_keeper.h"
#include "ui/project/project_opener.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

const char* const kFolder = "project";

} // namespace

ProjectCommands::ProjectCommands(Document& document, ProjectKeeper& keeper, ProjectOpener& opener,
                                 QWidget& window)
    : QObject(&window), m_document(document), m_keeper(keeper), m_opener(opener), m_window(window) {
}

QString ProjectCommands::title() const {
    if (!m_document.hasScene()) {
        return {};
    }
    const fs::path& file = m_keeper.file();
    const QString name = file.empty() ? m_document.scene().name : pathText(file.filename());
    const QString shown = file.empty() ? name : tr("%1 · %2").arg(name, m_document.scene().name);
    const QString read =
        m_keeper.reasonAgainstSaving().isEmpty() ? shown : tr("%1 (read only)").arg(shown);
    return m_keeper.wasModified() ? tr("%1 (modified)").arg(read) : read;
}

void ProjectCommands::askOpen() {
    auto* dialog =
        new QFileDialog(&m_window, tr("Open project"), Settings::folder(QLatin1String(kFolder)),
                        tr("Project (*.flcc *.flcc~*);;All files (*)"));
    dialog->setObjectName(QStringLiteral("projectDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        Settings::rememberFolder(QLatin1String(kFolder), file);
        open(toPath(file));
    });
    dialog->open();
}

void ProjectCommands::open(const fs::path& file, const std::function<void(bool)>& then) {
    askBeforeLosing(tr("Open %1").arg(pathText(file.filename())), [this, file, then] {
        m_keeper.throwAway(); // saved or given up; it may be the same project
        m_opener.open(file, afterOpening(then));
    });
}

/// What could not be opened leaves the work as it is: it counts again.
std::function<void(bool)> ProjectCommands::afterOpening(const std::function<void(bool)>& then) {
    return [this, then](bool opened) {
        if (!opened) {
            m_keeper.noteChange();
        }
        if (then) {
            then(opened);
        }
    };
}

void ProjectCommands::save(const std::function<void(bool)>& then) {
    commitFocusedField();
    if (!m_document.hasScene()) {
        return;
    }
    if (m_keeper.file().empty() || !m_keeper.reasonAgainstSaving().isEmpty()) {
        saveAs(then);
    } else {
        m_keeper.save(m_keeper.file(), then);
    }
}

void ProjectCommands::saveAs(const std::function<void(bool)>& then) {
    commitFocusedField();
    if (!m_document.hasScene()) {
        return;
    }
    const fs::path& file = m_keeper.file();
    const QString name =
        file.empty() ? m_document.scene().name.section(QChar('.'), 0, 0) + QStringLiteral(".flcc")
                     : pathText(file.filename());
    askFileName(&m_window,
                {tr("Save project"), tr("Project (*.flcc)"), "saveProjectDialog", name, kFolder},
                [this, then](const QString& chosen) { m_keeper.save(toPath(chosen), then); });
}

void ProjectCommands::askBeforeLosing(const QString& title, const std::function<void()>& then) {
    if (!m_document.hasScene() || !m_keeper.isModified()) {
        then();
        return;
    }
    const QString holds = lossText(m_document);
    const QString name =
        m_keeper.file().empty() ? tr("This work") : pathText(m_keeper.file().filename());
    QMessageBox* box = makeQuestion(m_window, "loseQuestion", title,
                                    holds.isEmpty() ? tr("%1 is not saved.").arg(name)
                                                    : tr("%1 is not saved: %2.").arg(name, holds));
    QPushButton* usual =
        addAnswer(*box, "saveFirst", tr("Save"), tr("Saves the project and goes on"), [this, then] {
            save([then](bool saved) {
                if (saved) {
                    then();
                }
            });
        });
    addAnswer(*box, "loseIt", tr("Do not save"), tr("Goes on; what is not saved is lost"),
              [this, then] {
                  m_keeper.throwAway();
                  then();
              });
    box->setDefaultButton(usual); // Return loses nothing
    box->open();
}

void ProjectCommands::fillEarlier(QMenu& menu) {
    menu.clear();
    const auto versions = m_keeper.file().empty() ? std::vector<job::EarlierVersion>()
                                                  : job::earlierVersions(m_keeper.file());
    for (const job::EarlierVersion& each : versions) {
        QString decisions;
        try {
            const std::int64_t count = job::decisionsIn(job::readProject(each.file));
            decisions = count == 1 ? tr("one decision") : tr("%1 decisions").arg(count);
        } catch (const std::exception&) {
            decisions = tr("cannot be read");
        }
        const QAction* action = menu.addAction(
            tr("%1: %2, %3")
                .arg(momentText(each.when), decisions,
                     QLocale::c().formattedDataSize(each.bytes, 1, QLocale::DataSizeIecFormat)));
        connect(action, &QAction::triggered, this, [this, version = each.file] {
            const fs::path file = m_keeper.file();
            askBeforeLosing(tr("Earlier version"), [this, version, file] {
                m_keeper.throwAway();
                m_opener.openEarlier(version, file, afterOpening({}));
            });
        });
    }
    if (versions.empty()) {
        menu.addAction(tr("None: the project was saved once or never"))->setEnabled(false);
    }
}

void ProjectCommands::offerLeft() {
    const std::vector<fs::path> left = UnsavedWork::leftIn(m_keeper.folder());
    if (left.empty()) {
        return;
    }
    const fs::path base = left.front();
    const auto work = std::make_shared<UnsavedWork>(base);
    QString holds;
    try {
        if (const auto project = work->read(std::nullopt)) {
            holds = tr(" It holds %1.").arg(contentText(*project));
        }
    } catch (const std::exception& error) {
        holds = QChar(' ') + toQString(error.what());
    }
    QMessageBox* box = makeQuestion(
        m_window, "leftQuestion", tr("Unsaved work"),
        tr("The program ended on %1 before work was saved. It was kept.")
                .arg(momentText(work->when())) +
            holds +
            (left.size() > 1
                 ? tr(" There are %1 more of them; the next one is offered at the next start.")
                       .arg(left.size() - 1)
                 : QString()));
    QPushButton* usual = addAnswer(*box, "recoverWork", tr("Recover"), tr("Opens it"),
                                   [this, base] { m_opener.recover(base); });
    addAnswer(*box, "throwWork", tr("Throw away"), tr("Removes it for good"), [work] {
        if (work->lock()) {
            work->remove();
        }
    });
    box->button(QMessageBox::Cancel)->setText(tr("Later"));
    box->setDefaultButton(usual);
    box->open();
}

} // namespace flcc::ui
