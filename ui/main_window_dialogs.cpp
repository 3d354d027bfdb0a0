#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

#include "engine/job/knowledge.h"
#include "engine/job/report.h"
#include "ui/calibrate_dialog.h"
#include "ui/exporter.h"
#include "ui/features_panel.h"
#include "ui/figure_dialog.h"
#include "ui/filter_dialog.h"
#include "ui/focused_field.h"
#include "ui/job_text.h"
#include "ui/main_window.h"
#include "ui/manual.h"
#include "ui/manual_window.h"
#include "ui/match_flow.h"
#include "ui/match_panel.h"
#include "ui/open_question.h"
#include "ui/pairs_dialog.h"
#include "ui/self_test_dialog.h"
#include "ui/settings.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "viz/messages.h"

namespace flcc::ui {
namespace {

/// What the mouse does in the views, for the key sheet.
std::vector<std::pair<QString, QString>> mouseGestures() {
    const auto tr = [](const char* text) { return MainWindow::tr(text); };
    return {
        {tr("Left drag"), tr("What the active tool does; rotates the 3D view")},
        {tr("Left click"), tr("Sets the crosshair or picks a peak; in 3D picks a peak")},
        {tr("Left click with tool 4"), tr("Fits the template box to the object under the cursor")},
        {tr("Ctrl+left drag with tool 4"), tr("Draws a new template box, also inside the old one")},
        {tr("Middle drag, Shift+left drag"), tr("Moves the picture")},
        {tr("Right drag"), tr("Zooms (View > Right drag: window and level)")},
        {tr("Right click"), tr("Opens the menu of the view")},
        {tr("Double-click"), tr("Maximises the view, or shows all views again")},
        {tr("Wheel"), tr("Zooms an image; goes through the slices of a volume")},
        {tr("Shift+wheel"), tr("Goes ten slices in a volume")},
        {tr("Ctrl+wheel"), tr("Zooms at the cursor")},
        {tr("Shift+move"), tr("Moves the crosshair in all views")},
        {tr("Drop files"), tr("Opens them as scenes; with Shift as templates")}};
}

} // namespace

void MainWindow::stepThreshold(double step) { m_match->setThreshold(m_match->threshold() + step); }

void MainWindow::showContextMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("viewMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const char* name : {"toolCrosshair", "toolBox", "cutTemplateAction", "clearBox", "fitView",
                             "resetView", "actualSize", "interpolation", "autoWindow", "overlay",
                             "showPeaks", "layout", "screenshot"}) {
        menu->addAction(findChild<QAction*>(QLatin1String(name)));
        if (QLatin1String(name) == QLatin1String("clearBox") ||
            QLatin1String(name) == QLatin1String("autoWindow")) {
            menu->addSeparator();
        }
    }
    menu->popup(position); // not exec(), which would hold what quits the program
}

void MainWindow::copyCommandLine() {
    commitFocusedField();
    const QString unnamed = templateWithoutFile(*m_document);
    if (!unnamed.isEmpty()) {
        tell(MessageBar::Kind::Error,
             tr("A command line cannot name the template %1, which is not in a file: save it "
                "(Save template) and open it.")
                 .arg(unnamed));
        return;
    }
    const QString made = sceneWithoutFile(*m_document);
    if (!made.isEmpty()) {
        tell(MessageBar::Kind::Error,
             tr("A command line cannot name the scene %1, which is not in a file: show it and save "
                "it (File > Export > Scene), or remove it from the list.")
                 .arg(made));
        return;
    }
    if (const QString unsaved = maskWithoutFile(*m_document); !unsaved.isEmpty()) {
        tell(MessageBar::Kind::Error, unsaved);
        return;
    }
    QApplication::clipboard()->setText(commandLineOf(*m_document, m_flow->currentJob()));
    tell(MessageBar::Kind::Info, tr("The job was copied to the clipboard as a command line."));
}

void MainWindow::askJob() {
    auto* dialog = new QFileDialog(this, tr("Load job"), Settings::folder(QStringLiteral("job")),
                                   tr("Job (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("jobDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        Settings::rememberFolder(QStringLiteral("job"), file);
        askBeforeOpening(*this, *m_document, QFileInfo(file).fileName(), false,
                         m_controller->isPending(RunController::Task::Run), true,
                         [this, file](OpenAs) { loadJob(file); });
    });
    dialog->open();
}

void MainWindow::askPlanReport() {
    auto* dialog = new QFileDialog(this, tr("Plan report"), Settings::folder(QStringLiteral("job")),
                                   tr("Plan report (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("planReportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        Settings::rememberFolder(QStringLiteral("job"), file);
        m_match->setPlanReport(toPath(file));
    });
    dialog->open();
}

/// Opens the page of the panel with the focus, or the page shown last if there is none.
void MainWindow::showManual() {
    if (!m_manual) {
        m_manual = std::make_unique<ManualWindow>();
    }
    m_manual->open(manualPageOf(QApplication::focusWidget()));
}

void MainWindow::showKeySheet() {
    auto* dialog = new QDialog(this);
    dialog->setObjectName(QStringLiteral("keySheet"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Keys"));
    auto* list = new QWidget(dialog);
    auto* form = new QFormLayout(list);
    QFont bold = list->font();
    bold.setBold(true);
    const auto addRow = [form, list, &bold](const QString& keys, const QString& effect) {
        auto* key = new QLabel(keys, list);
        key->setFont(bold);
        auto* text = new QLabel(effect, list);
        text->setWordWrap(true);
        form->addRow(key, text);
    };
    const auto addHeading = [form, list](const QString& text) {
        auto* heading = new QLabel(text, list);
        heading->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
        form->addRow(heading);
    };
    addHeading(tr("Mouse in a view"));
    for (const auto& [gesture, effect] : mouseGestures()) {
        addRow(gesture, effect);
    }
    addHeading(tr("Keys"));
    for (const QAction* action : m_actions->all()) {
        if (!action->shortcuts().isEmpty()) {
            addRow(QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                   action->whatsThis());
        }
    }
    auto* note = new QLabel(tr("Single letters, digits and arrows work while a view has the "
                               "focus."),
                            dialog);
    note->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
    auto* scroll = new QScrollArea(dialog);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(list);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(scroll, 1);
    layout->addWidget(note);
    layout->addWidget(buttons);
    dialog->resize(680, 640);
    dialog->open();
}

void MainWindow::showCalibrate() { (new CalibrateDialog(*m_controller, this))->open(); }

void MainWindow::showFeatures() {
    m_bottomDock->show();
    m_tabs->setCurrentWidget(m_features);
    m_features->find();
}

PairsDialog* MainWindow::showPairs() {
    auto* dialog = new PairsDialog(
        *m_document, *m_controller, *m_views,
        {[this] { return m_features->job(); }, [this] { return m_exporter->inputs(); }}, this);
    setManualPage(*dialog, "blobs");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
    return dialog;
}

void MainWindow::showFilter() {
    if (m_filter) {
        m_filter->raise();
        m_filter->activateWindow();
        return;
    }
    m_filter = new FilterDialog(
        *m_document, *m_controller, *m_views,
        {[this] { return m_match->settings(); }, [this] { return m_exporter->inputs(); }}, this);
    setManualPage(*m_filter, "filters");
    connect(m_filter, &FilterDialog::applied, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_filter, &FilterDialog::calibrateRequested, this, &MainWindow::showCalibrate);
    m_filter->show();
}

void MainWindow::stepBack(bool redo) {
    if (m_document->stepChangesScenes(redo) && m_controller->isPending(RunController::Task::Run)) {
        tell(MessageBar::Kind::Warning,
             tr("Scenes cannot change during a run: wait until the run ends, or cancel it."));
        return;
    }
    m_message->hide(); // it may be about what is undone
    QUndoStack& stack = m_document->undoStack();
    redo ? stack.redo() : stack.undo();
}

void MainWindow::showFigures() {
    const auto inputs = [this] { return m_exporter->inputs(); };
    (new FigureDialog(*m_controller, inputs, this))->open();
}

/// Offers calibration once. Later the plan and the Tools menu lead there.
void MainWindow::offerCalibration() {
    const QString offered = QStringLiteral("calibration/declined");
    if (job::knowledge()->model || Settings::flag(offered, false)) {
        return;
    }
    Settings::setFlag(offered, true);
    m_message->offer(
        tr("This machine is not calibrated. Calibrating takes two minutes, can be stopped at any "
           "time, and makes plans better."),
        tr("Calibrate …"), [this] { showCalibrate(); }, {});
}

void MainWindow::showSelfTest() { (new SelfTestDialog(*m_controller, this))->open(); }

void MainWindow::showAbout() {
    const job::Environment about = job::environment();
    QString text =
        tr("<h3>FLCC %1</h3><p>Template matching by local correlation coefficients."
           "</p><p>%2, %3</p><p>")
            .arg(QApplication::applicationVersion(), toQString(about.processor).toHtmlEscaped(),
                 toQString(about.instructions).toHtmlEscaped());
    text += QStringLiteral("Qt %1<br>VTK %2<br>")
                .arg(QLatin1String(qVersion()), toQString(viz::vtkVersionText()));
    for (const auto& [name, version] : about.versions) {
        text += QStringLiteral("%1 %2<br>")
                    .arg(toQString(name).toHtmlEscaped(), toQString(version).toHtmlEscaped());
    }
    text += QStringLiteral("</p><p>");
    for (const std::string& device : about.devices) {
        text += toQString(device).toHtmlEscaped() + QStringLiteral("<br>");
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About FLCC"),
                                text + QStringLiteral("</p>"), QMessageBox::Close, this);
    box->setObjectName(QStringLiteral("about"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64, 64));
    box->open();
}

} // namespace flcc::ui
