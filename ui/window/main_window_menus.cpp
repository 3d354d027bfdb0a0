#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

#include <array>
#include <cmath>

#include "engine/sample/sample.h"
#include "ui/base/command_palette.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/open/spacing_dialog.h"
#include "ui/results/exporter.h"
#include "ui/results/peaks_panel.h"
#include "ui/views/box_tool.h"
#include "ui/views/views_panel.h"
#include "ui/window/main_window.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

void MainWindow::buildMenus() {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildHeatmapMenu();
    buildVolumeMenu();
    buildToolsMenu();
    buildMatchMenu();
    buildHelpMenu();
    buildToolBar();
}

void MainWindow::buildFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    const auto add = [this](QMenu* to, Actions::Definition definition, std::function<void()> slot) {
        return m_actions->add(to, definition, [call = std::move(slot)](bool) { call(); });
    };
    add(menu,
        {"open",
         tr("&Open …"),
         tr("Opens an image or a volume. Several files make a list of scenes"),
         {QKeySequence::Open},
         "open"},
        [this] { m_opener->askScene(); });
    add(menu,
        {"openSeries",
         tr("Open folder of &DICOM …"),
         tr("Opens the DICOM series of a folder as a volume"),
         {}},
        [this] { m_opener->askSeries(); });
    add(menu,
        {"addScenesAction",
         tr("Add sce&nes …"),
         tr("Adds more scenes. All scenes are searched for the same templates"),
         {}},
        [this] { m_opener->askMoreScenes(); });
    add(menu,
        {"openRaw",
         tr("Open ra&w volume …"),
         tr("Opens voxels without a header: you say their extents and type"),
         {}},
        [this] { m_opener->askRaw(); });
    QAction* turns =
        add(menu,
            {"orientationAction",
             tr("T&urn pictures as their files say"),
             tr("Turns pictures that are opened from now on as the camera or the program stored in "
                "them (EXIF, TIFF); off: rows as they are stored"),
             {}},
            [this] {
                const auto* action = findChild<QAction*>(QStringLiteral("orientationAction"));
                m_opener->setOrientation(action->isChecked() ? io::Orientation::Applied
                                                             : io::Orientation::Stored);
            });
    turns->setCheckable(true);
    turns->setChecked(true);
    m_recentMenu = menu->addMenu(tr("Open &recent"));
    QMenu* samples = menu->addMenu(tr("&Samples"));
    for (const sample::SampleInfo& info : sample::sampleList()) {
        const QString name = toQString(info.name);
        QAction* action =
            samples->addAction(QStringLiteral("%1: %2").arg(name, toQString(info.title)));
        action->setObjectName(QStringLiteral("openSample_") + name);
        connect(action, &QAction::triggered, this, [this, name] { m_opener->offerSample(name); });
    }
    menu->addSeparator();
    add(menu,
        {"openTemplateAction",
         tr("Open &template …"),
         tr("Opens a template that replaces the active one. If you choose several files, the "
            "others are added"),
         {}},
        [this] { m_opener->askTemplate(); });
    add(menu,
        {"addTemplatesAction",
         tr("&Add templates …"),
         tr("Opens more templates. One run searches for all of them"),
         {}},
        [this] { m_opener->askMoreTemplates(); });
    add(menu,
        {"saveTemplateAction",
         tr("Sa&ve template …"),
         tr("Saves the active template with its position and source"),
         {}},
        [this] { m_exporter->saveTemplate(); });
    add(menu,
        {"openMaskAction",
         tr("Open &mask …"),
         tr("Opens a mask of the template voxels to use: one mask for all templates, or one for "
            "each"),
         {}},
        [this] { m_opener->askMask(Opener::Target::Mask); });
    add(menu,
        {"saveMaskAction",
         tr("Save mas&k …"),
         tr("Saves the mask of the active template as a file, which a job can name"),
         {}},
        [this] { m_exporter->saveMask(false); });
    add(menu,
        {"openSceneMaskAction",
         tr("Open mask of s&cene …"),
         tr("Opens a mask of the scene voxels to use"),
         {}},
        [this] { m_opener->askMask(Opener::Target::SceneMask); });
    add(menu,
        {"saveSceneMaskAction",
         tr("Save mask of scene …"),
         tr("Saves the mask of the scene as a file, which a job can name"),
         {}},
        [this] { m_exporter->saveMask(true); });
    menu->addSeparator();
    add(menu, {"loadJob", tr("&Load job …"), tr("Loads the settings and files of a job file"), {}},
        [this] { askJob(); });
    add(menu,
        {"saveJob",
         tr("Save &job …"),
         tr("Saves the job as a file, which flcc-cli can read too"),
         {QKeySequence::Save},
         "save"},
        [this] { m_exporter->saveJob(); });
    menu->addSeparator();
    QMenu* exports = menu->addMenu(tr("&Export"));
    exports->menuAction()->setProperty("iconName", QStringLiteral("export"));
    exports->setIcon(icon(QStringLiteral("export")));
    add(exports,
        {"exportScene",
         tr("S&cene …"),
         tr("Writes the scene that is shown as an image, such as the result of a filter"),
         {}},
        [this] { m_exporter->scene(); });
    add(exports, {"exportPeaks", tr("&Peaks …"), tr("Writes the peaks for a program that you choose"), {}},
        [this] { m_exporter->peaks(); });
    add(exports, {"exportMap", tr("&Map …"), tr("Writes the scores as an image"), {}},
        [this] { m_exporter->map(); });
    add(exports, {"exportStatus", tr("&Status …"), tr("Writes the status of every voxel"), {}},
        [this] { m_exporter->status(); });
    add(exports,
        {"exportIndex",
         tr("&Index of templates …"),
         tr("Writes the number of the template that gave each score, -1 where there is no score"),
         {}},
        [this] { m_exporter->index(); });
    add(exports,
        {"exportHeatmap", tr("&Heatmap …"), tr("Writes the heatmap of the slice in view"), {}},
        [this] { m_exporter->heatmap(); });
    add(exports,
        {"exportReport", tr("Plan &report …"), tr("Writes the plan report as JSON or text"), {}},
        [this] { m_exporter->report(); });
    add(menu,
        {"screenshot",
         tr("S&creenshot …"),
         tr("Saves the views as a picture"),
         {QKeySequence(Qt::Key_F12)},
         "screenshot"},
        [this] { m_exporter->screenshot(); });
    add(menu,
        {"cleanScreenshot",
         tr("Clean screenshot …"),
         tr("Saves the active view without texts and marks, on a transparent background"),
         {QKeySequence(Qt::CTRL | Qt::Key_F12)}},
        [this] { m_exporter->cleanScreenshot(); });
    menu->addSeparator();
    add(menu, {"quit", tr("&Quit"), tr("Ends the program"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}},
        [this] { close(); });
    fillRecentMenu();
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    const QStringList files = Settings::recentFiles();
    m_recentMenu->setEnabled(!files.isEmpty());
    for (const QString& file : files) {
        connect(m_recentMenu->addAction(file), &QAction::triggered, this,
                [this, file] { m_opener->offerScenes({toPath(file)}); });
    }
}

void MainWindow::buildEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QUndoStack& stack = m_document->undoStack();
    QAction* undo = m_actions->add(
        menu,
        {"undo",
         tr("&Undo"),
         tr("Undoes the last change of the box, a template or a mask, or the last filter"),
         {QKeySequence::Undo},
         "undo"},
        [this](bool) { stepBack(false); });
    QAction* redo = m_actions->add(
        menu,
        {"redo",
         tr("&Redo"),
         tr("Redoes the change that was undone"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
         "redo"},
        [this](bool) { stepBack(true); });
    undo->setEnabled(false);
    redo->setEnabled(false);
    connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::undoTextChanged, undo,
            [undo](const QString& what) { undo->setText(tr("&Undo %1").arg(what).trimmed()); });
    connect(&stack, &QUndoStack::redoTextChanged, redo,
            [redo](const QString& what) { redo->setText(tr("&Redo %1").arg(what).trimmed()); });
    menu->addSeparator();
    m_actions->add(menu,
                   {"cutTemplateAction",
                    tr("Cut &template"),
                    tr("Cuts the template from the box"),
                    {QKeySequence(Qt::CTRL | Qt::Key_T)},
                    "crop"},
                   [this](bool) { cutTemplate(); });
    m_actions->add(menu,
                   {"addCutTemplateAction",
                    tr("Cut another te&mplate"),
                    tr("Adds a template cut from the box and keeps the others"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)}},
                   [this](bool) { addCutTemplate(); });
    m_actions->add(menu, {"clearBox", tr("Remove &box"), tr("Removes the template box"), {}},
                   [this](bool) { m_document->setBox(std::nullopt); });
    m_actions->add(menu,
                   {"setSpacing",
                    tr("Set &spacing …"),
                    tr("States spacing and unit of the scenes in place of those of their files"),
                    {}},
                   [this](bool) { askSpacing(*this, *m_document); });
    m_actions->add(menu,
                   {"resampleTemplateAction",
                    tr("Resa&mple the template"),
                    tr("Adds a copy of the active template with the spacing of the scene"),
                    {}},
                   [this](bool) { m_opener->resampleTemplate(m_document->activeTemplate()); });
    menu->addAction(findChild<QAction*>(QStringLiteral("renameResult")));
    menu->addAction(findChild<QAction*>(QStringLiteral("removeResult")));
    menu->addSeparator();
    m_actions->add(menu,
                   {"copyCommandLine",
                    tr("Copy as &command line"),
                    tr("Copies the job to the clipboard as a flcc-cli command"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                    "copy"},
                   [this](bool) { copyCommandLine(); });
}

void MainWindow::buildToolsMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Tools"));
    auto* group = new QActionGroup(this);
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        const char* icon;
    };
    const std::array<Entry, 6> entries{
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
          "mask"}}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto tool = static_cast<Tool>(i);
        QAction* action =
            m_actions->add(menu,
                           {entry.name,
                            entry.text,
                            entry.tip,
                            {QKeySequence(static_cast<int>(Qt::Key_1) + static_cast<int>(i))},
                            entry.icon,
                            Scope::Views,
                            true},
                           [this, tool](bool) { m_tools->setTool(tool); });
        action->setActionGroup(group);
        m_toolActions.push_back(action);
    }
    m_toolActions.front()->trigger();
    menu->addSeparator();
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
                m_actions->add(moves,
                               {"",
                                text,
                                tr("Moves the box (tool 4) or the crosshair"),
                                {key},
                                nullptr,
                                Scope::Views},
                               [this, nudge, step](bool) {
                                   m_tools->nudge(nudge.right * step, nudge.down * step);
                               });
            action->setObjectName(name);
        }
    }
    addBoxEntries(menu);
    addMachineEntries(menu);
}

void MainWindow::addBoxEntries(QMenu* menu) {
    QMenu* box = menu->addMenu(tr("Template bo&x"));
    m_actions->add(
        box,
        {"fitBox",
         tr("&Fit to the object at the crosshair"),
         tr("Fits the template box to the object at the crosshair. With tool 4, a click "
            "on an object does it, too"),
         {}},
        [this](bool) {
            const base::Point& at = m_views->crosshair();
            m_boxTool->fitTo({std::llround(at[0]), std::llround(at[1]), std::llround(at[2])});
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
          Qt::Key_BracketLeft, [this] { m_boxTool->resize(-1); }},
         {"growBox", tr("&Grow"), tr("Lengthens every side of the template box at both ends"),
          Qt::Key_BracketRight, [this] { m_boxTool->resize(1); }},
         {"oddBox", tr("&Odd or even sides"),
          tr("Makes all sides of the template box odd, or even if they are odd"), Qt::Key_O,
          [this] { m_boxTool->changeParity(); }}}};
    for (const Entry& entry : entries) {
        m_actions->add(
            box,
            {entry.name, entry.text, entry.tip, {QKeySequence(entry.key)}, nullptr, Scope::Views},
            [slot = entry.slot](bool) { slot(); });
    }
}

void MainWindow::addMachineEntries(QMenu* menu) {
    menu->addSeparator();
    m_actions->add(menu,
                   {"featuresAction",
                    tr("&Features: find blobs"),
                    tr("Finds distinctive places of all sizes and suggests templates"),
                    {},
                    "peak"},
                   [this](bool) { showFeatures(); });
    m_actions->add(menu,
                   {"pairsAction",
                    tr("Match &blobs of two scenes …"),
                    tr("Finds blobs of two scenes that look alike"),
                    {},
                    "peak"},
                   [this](bool) { showPairs(); });
    m_actions->add(menu,
                   {"filterAction",
                    tr("Fi&lter …"),
                    tr("Convolves the scene with a named kernel or a file and adds the result as a "
                       "scene"),
                    {},
                    "interpolation"},
                   [this](bool) { showFilter(); });
    menu->addSeparator();
    m_actions->add(menu,
                   {"calibrateAction",
                    tr("Calibrate this &machine …"),
                    tr("Measures how fast this machine computes, to make plans better"),
                    {},
                    "settings"},
                   [this](bool) { showCalibrate(); });
    m_actions->add(menu,
                   {"figureAction",
                    tr("Figu&res of methods …"),
                    tr("Draws how long each method takes over the size of the template, and which "
                       "method is chosen for each size of scene and template"),
                    {},
                    "overlay"},
                   [this](bool) { showFigures(); });
}

void MainWindow::buildMatchMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Match"));
    m_actions->add(menu,
                   {"plan",
                    tr("&Plan"),
                    tr("Plans the run without starting it"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)},
                    "plan"},
                   [this](bool) { m_flow->planNow(); });
    m_actions->add(
        menu,
        {"run",
         tr("&Run"),
         tr("Finds the template in the scene"),
         {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
         "run"},
        [this](bool) { m_flow->run(); });
    m_actions->add(menu,
                   {"cancel",
                    tr("&Cancel"),
                    tr("Cancels the current work. A cancelled run keeps its partial result"),
                    {QKeySequence(Qt::Key_Escape)},
                    "cancel"},
                   [this](bool) { m_flow->cancel(); });
}

void MainWindow::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    m_actions->add(menu,
                   {"manual",
                    tr("&Manual"),
                    tr("Opens the manual at the page of the panel that has the focus"),
                    {QKeySequence::HelpContents},
                    "help"},
                   [this](bool) { showManual(); });
    m_actions->add(menu,
                   {"keySheet",
                    tr("&Keys"),
                    tr("Lists every keyboard shortcut"),
                    {QKeySequence(Qt::Key_Question)},
                    nullptr,
                    Scope::Views},
                   [this](bool) { showKeySheet(); });
    m_actions->add(
        menu,
        {"commandPaletteAction",
         tr("&Commands …"),
         tr("Finds any command by its name and runs it"),
         {QKeySequence(Qt::CTRL | Qt::Key_K)}},
        [this](bool) {
            (new CommandPalette(CommandPalette::withMenus(m_actions->all(), *menuBar()), this))
                ->open();
        });
    m_actions->add(menu,
                   {"selfTestAction",
                    tr("&Self-test..."),
                    tr("Compares this machine's scores with exact results"),
                    {},
                    "info"},
                   [this](bool) { showSelfTest(); });
    m_actions->add(menu, {"about", tr("&About FLCC"), tr("Shows versions and devices"), {}, "info"},
                   [this](bool) { showAbout(); });
}

void MainWindow::buildToolBar() {
    QToolBar* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setIconSize({20, 20});
    const auto put = [this, bar](const char* name) {
        bar->addAction(findChild<QAction*>(QLatin1String(name)));
    };
    put("open");
    bar->addSeparator();
    for (QAction* action : m_toolActions) {
        bar->addAction(action);
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

void MainWindow::updateActions() {
    const bool scene = m_document->hasScene();
    const bool working = m_controller->isWorking();
    const bool running = m_controller->isRunning(RunController::Task::Run);
    const bool ready = scene && (m_document->templ() || m_document->box());
    const ResultEntry* result = m_document->result();
    const bool map = result != nullptr && result->job->map != nullptr;
    const auto enable = [this](std::initializer_list<const char*> names, bool on) {
        for (const char* name : names) {
            findChild<QAction*>(QLatin1String(name))->setEnabled(on);
        }
    };
    enable({"fitView",         "resetView",
            "actualSize",      "zoomIn",
            "zoomOut",         "interpolation",
            "autoWindow",      "screenshot",
            "cleanScreenshot", "openTemplateAction",
            "openMaskAction",  "openSceneMaskAction",
            "copyCommandLine", "saveJob",
            "overlay",         "opacityUp",
            "opacityDown",     "showPeaks",
            "exportScene",     "filterAction",
            "pairsAction",     "fitBox"},
           scene);
    for (QAction* action : m_toolActions) {
        action->setEnabled(scene);
    }
    enable({"nextSlice", "previousSlice", "nextTenSlices", "previousTenSlices", "layout"},
           m_document->isVolume());
    enable({"resampleTemplateAction"}, m_opener->canResample(m_document->activeTemplate()));
    enable({"setSpacing"}, scene && !m_controller->isPending(RunController::Task::Run));
    enable(
        {"cutTemplateAction", "addCutTemplateAction", "clearBox", "shrinkBox", "growBox", "oddBox"},
        m_document->box().has_value());
    enable({"saveTemplateAction"}, m_document->templ() != nullptr);
    enable({"saveMaskAction"}, m_document->mask() != nullptr);
    enable({"saveSceneMaskAction"}, m_document->sceneMask().has_value());
    enable({"addTemplatesAction"}, m_document->templ() != nullptr);
    enable({"addScenesAction"}, scene && !m_document->scenes().front().path.empty() && !running);
    enable({"plan"}, ready && !running);
    enable({"run"}, ready && !running && m_match->reasonAgainstRun().isEmpty());
    enable({"cancel"}, working);
    const bool peaks = result != nullptr && (map || !result->job->peaks.empty());
    enable({"exportPeaks"}, peaks);
    enable({"exportMap", "exportStatus", "exportHeatmap"}, map);
    enable({"exportIndex"}, map && result->job->index != nullptr);
    enable({"nextPeak", "previousPeak"}, peaks && !result->job->peaks.empty());
    enable({"removeResult", "renameResult"}, result != nullptr);
    enable({"exportReport"}, m_flow->report().has_value());
}

} // namespace flcc::ui
