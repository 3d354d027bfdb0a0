#include <QActionGroup>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>

#include <array>

#include "engine/sample/sample.h"
#include "ui/exporter.h"
#include "ui/main_window.h"
#include "ui/match_flow.h"
#include "ui/opener.h"
#include "ui/peaks_panel.h"
#include "ui/settings.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/views_panel.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

/// A submenu of choices of which one is checked, remembered under `key`.
void addChoices(QMenu* menu, QObject* owner, const QString& key, const QStringList& names,
                const std::function<void(int)>& chosen) {
    auto* group = new QActionGroup(owner);
    const int current = key.isEmpty() ? 0 : QSettings().value(key, 0).toInt();
    for (int i = 0; i < names.size(); ++i) {
        QAction* action = menu->addAction(names[i]);
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(i == current);
        QObject::connect(action, &QAction::triggered, owner, [key, chosen, i] {
            if (!key.isEmpty()) {
                QSettings().setValue(key, i);
            }
            chosen(i);
        });
    }
    chosen(current);
}

} // namespace

void MainWindow::buildMenus() {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildHeatmapMenu();
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
        {"open", tr("&Open …"), tr("Opens an image or a volume"), {QKeySequence::Open}, "open"},
        [this] { m_opener->askScene(); });
    m_recentMenu = menu->addMenu(tr("Open &recent"));
    QMenu* samples = menu->addMenu(tr("&Samples"));
    for (const sample::SampleInfo& info : sample::sampleList()) {
        const QString name = toQString(info.name);
        QAction* action =
            samples->addAction(QStringLiteral("%1: %2").arg(name, toQString(info.title)));
        action->setObjectName(QStringLiteral("openSample_") + name);
        connect(action, &QAction::triggered, this, [this, name] { m_opener->openSample(name); });
    }
    menu->addSeparator();
    add(menu, {"openTemplateAction", tr("Open &template …"), tr("Opens a template"), {}},
        [this] { m_opener->askTemplate(); });
    add(menu,
        {"saveTemplateAction",
         tr("Sa&ve template …"),
         tr("Saves the template with its place and source"),
         {}},
        [this] { m_exporter->saveTemplate(); });
    menu->addSeparator();
    add(menu, {"loadJob", tr("&Load job …"), tr("Reads a job file into the controls"), {}},
        [this] { askJob(); });
    add(menu,
        {"saveJob",
         tr("Save &job …"),
         tr("Writes the job as a file that flcc-cli reads too"),
         {QKeySequence::Save},
         "save"},
        [this] { m_exporter->saveJob(); });
    menu->addSeparator();
    QMenu* exports = menu->addMenu(tr("&Export"));
    exports->setIcon(icon(QStringLiteral("export")));
    add(exports, {"exportPeaks", tr("&Peaks …"), tr("Writes the peaks as CSV or TSV"), {}},
        [this] { m_exporter->peaks(); });
    add(exports, {"exportMap", tr("&Map …"), tr("Writes the scores as an image"), {}},
        [this] { m_exporter->map(); });
    add(exports, {"exportStatus", tr("&Status …"), tr("Writes the status of every voxel"), {}},
        [this] { m_exporter->status(); });
    add(exports,
        {"exportHeatmap", tr("&Heatmap …"), tr("Writes the heatmap of the slice in view"), {}},
        [this] { m_exporter->heatmap(); });
    add(exports, {"exportReport", tr("Plan &report …"), tr("Writes the plan report as JSON"), {}},
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
         tr("Saves the active view without texts and marks, background transparent"),
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
                [this, file] { openFile(file); });
    }
}

void MainWindow::buildEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QUndoStack& stack = m_document->undoStack();
    m_actions->adopt(menu, stack.createUndoAction(this, tr("&Undo")),
                     {"undo",
                      {},
                      tr("Takes back the last change of box or template"),
                      {QKeySequence::Undo},
                      "undo"});
    m_actions->adopt(
        menu, stack.createRedoAction(this, tr("&Redo")),
        {"redo",
         {},
         tr("Makes the change again that was taken back"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
         "redo"});
    menu->addSeparator();
    m_actions->add(menu,
                   {"cutTemplateAction",
                    tr("Cut &template"),
                    tr("Makes the box the template"),
                    {QKeySequence(Qt::CTRL | Qt::Key_T)},
                    "crop"},
                   [this](bool) { cutTemplate(); });
    m_actions->add(menu, {"clearBox", tr("Remove &box"), tr("Removes the template box"), {}},
                   [this](bool) { m_document->setBox(std::nullopt); });
    menu->addAction(findChild<QAction*>(QStringLiteral("removeResult")));
    menu->addSeparator();
    m_actions->add(menu,
                   {"copyCommandLine",
                    tr("Copy as &command line"),
                    tr("Copies the job as a flcc-cli command"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                    "copy"},
                   [this](bool) { copyCommandLine(); });
}

void MainWindow::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    const auto add = [this, menu](const Actions::Definition& definition,
                                  std::function<void(bool)> slot) {
        return m_actions->add(menu, definition, std::move(slot));
    };
    add({"fitView",
         tr("&Fit"),
         tr("Shows the whole scene"),
         {QKeySequence(Qt::Key_F)},
         "fit",
         Scope::Views},
        [this](bool) { m_views->fit(); });
    add({"resetView",
         tr("&Reset views"),
         tr("Middle slices, fitted, from the front"),
         {QKeySequence(Qt::Key_R)},
         "reset",
         Scope::Views},
        [this](bool) { m_views->resetViews(); });
    add({"actualSize",
         tr("&100 %"),
         tr("One pixel of the screen a voxel"),
         {QKeySequence(Qt::CTRL | Qt::Key_0)}},
        [this](bool) { m_views->actualSize(); });
    add({"zoomIn", tr("Zoom &in"), tr("Magnifies the active view"), {QKeySequence::ZoomIn}},
        [this](bool) { m_views->zoom(1.25); });
    add({"zoomOut", tr("Zoom &out"), tr("Shrinks the active view"), {QKeySequence::ZoomOut}},
        [this](bool) { m_views->zoom(0.8); });
    add({"interpolation",
         tr("I&nterpolation"),
         tr("Smooth between voxels instead of squares"),
         {QKeySequence(Qt::Key_I)},
         "interpolation",
         Scope::Views,
         true},
        [this](bool on) { m_views->setInterpolated(on); });
    add({"autoWindow",
         tr("&Auto window"),
         tr("Window and level from the scene's values"),
         {QKeySequence(Qt::ALT | Qt::Key_I)},
         "window-level"},
        [this](bool) { m_views->resetGreyWindow(); });
    add({"nextSlice",
         tr("Next slice"),
         tr("Next slice of the active view"),
         {QKeySequence(Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(1); });
    add({"previousSlice",
         tr("Previous slice"),
         tr("Previous slice of the active view"),
         {QKeySequence(Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(-1); });
    add({"nextTenSlices",
         tr("Ten slices on"),
         tr("Ten slices on in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(10); });
    add({"previousTenSlices",
         tr("Ten slices back"),
         tr("Ten slices back in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(-10); });
    add({"layout",
         tr("One view or &all"),
         tr("Maximises the active view, or shows all again"),
         {},
         "layout-quad"},
        [this](bool) { m_views->maximise(m_views->activeFrame()); });
    menu->addSeparator();
    addChoices(menu->addMenu(tr("Mouse &wheel")), this, QStringLiteral("navigation/wheel"),
               {tr("Automatic: slices in volumes, zoom in images"), tr("Slices"), tr("Zoom")},
               [this](int mode) { m_tools->setWheelMode(static_cast<WheelMode>(mode)); });
    addChoices(menu->addMenu(tr("Right &drag")), this, QStringLiteral("navigation/rightDrag"),
               {tr("Zoom"), tr("Window and level")},
               [this](int mode) { m_tools->setRightDrag(static_cast<RightDrag>(mode)); });
    auto* themes = menu->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const std::array<QString, 3> names{tr("Follow the system"), tr("Light"), tr("Dark")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto theme = static_cast<Theme>(i);
        QAction* action = themes->addAction(names[i]);
        action->setObjectName(QStringLiteral("theme%1").arg(i));
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(Settings::theme() == theme);
        connect(action, &QAction::triggered, this, [this, theme] {
            Settings::setTheme(theme);
            applyTheme(theme);
        });
    }
    menu->addSeparator();
    for (QDockWidget* dock : {m_dataDock, m_matchDock, m_bottomDock}) {
        menu->addAction(dock->toggleViewAction());
    }
    add({"fullScreen",
         tr("F&ull screen"),
         tr("Fills the screen"),
         {QKeySequence(Qt::Key_F11)},
         nullptr,
         Scope::Window,
         true},
        [this](bool on) { on ? showFullScreen() : showNormal(); });
}

void MainWindow::buildHeatmapMenu() {
    QMenu* menu = menuBar()->addMenu(tr("He&atmap"));
    const auto add = [this, menu](const Actions::Definition& definition,
                                  std::function<void(bool)> slot) {
        return m_actions->add(menu, definition, std::move(slot));
    };
    add({"overlay",
         tr("&Show heatmap"),
         tr("Shows the heatmap over the scene"),
         {QKeySequence(Qt::Key_S)},
         "overlay",
         Scope::Views,
         true},
        [this](bool on) { m_views->setOverlayVisible(on); })
        ->setChecked(true);
    add({"opacityDown",
         tr("Less opaque"),
         tr("Makes the heatmap fainter"),
         {QKeySequence(Qt::Key_A)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->setOverlayOpacity(m_views->overlayOpacity() - 0.1); });
    add({"opacityUp",
         tr("More opaque"),
         tr("Makes the heatmap stronger"),
         {QKeySequence(Qt::Key_D)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->setOverlayOpacity(m_views->overlayOpacity() + 0.1); });
    add({"showPeaks",
         tr("Show &peaks"),
         tr("Shows the peaks as boxes"),
         {},
         "peak",
         Scope::Window,
         true},
        [this](bool on) { m_views->setPeaksVisible(on); })
        ->setChecked(true);
    menu->addSeparator();
    addChoices(menu->addMenu(tr("&Colours")), this, QStringLiteral("heatmap/colours"),
               {tr("Viridis"), tr("Diverging about 0"), tr("Cividis")},
               [this](int map) { m_views->setColourMap(static_cast<io::ColourMap>(map)); });
    addChoices(menu->addMenu(tr("&Range")), this, QStringLiteral("heatmap/range"),
               {tr("Automatic"), tr("From -1 to 1")},
               [this](int range) { m_views->setFixedRange(range == 1); });
    addChoices(menu->addMenu(tr("&3D shows")), this, {},
               {tr("Scene"), tr("Heatmap"), tr("Slices and peaks alone")}, [this](int content) {
                   m_views->setVolumeContent(static_cast<viz::VolumeContent>(content));
               });
    menu->addSeparator();
    add({"thresholdDown",
         tr("&Lower threshold"),
         tr("Lets more peaks through"),
         {QKeySequence(Qt::Key_Comma)},
         nullptr,
         Scope::Views},
        [this](bool) { stepThreshold(-0.01); });
    add({"thresholdUp",
         tr("&Higher threshold"),
         tr("Lets fewer peaks through"),
         {QKeySequence(Qt::Key_Period)},
         nullptr,
         Scope::Views},
        [this](bool) { stepThreshold(0.01); });
    add({"nextPeak",
         tr("&Next peak"),
         tr("Goes to the next peak"),
         {QKeySequence(Qt::Key_N)},
         nullptr,
         Scope::Views},
        [this](bool) { m_peaks->step(1); });
    add({"previousPeak",
         tr("Pre&vious peak"),
         tr("Goes to the previous peak"),
         {QKeySequence(Qt::Key_P)},
         nullptr,
         Scope::Views},
        [this](bool) { m_peaks->step(-1); });
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
    const std::array<Entry, 5> entries{
        {{"toolCrosshair", tr("&Crosshair"), tr("Left drag moves the crosshair in every view"),
          "crosshair"},
         {"toolPan", tr("&Pan and zoom"), tr("Left drag moves the picture"), "pan"},
         {"toolWindow", tr("&Window and level"), tr("Left drag changes contrast and brightness"),
          "window-level"},
         {"toolBox", tr("Template &box"), tr("Left drag draws, moves and resizes the template box"),
          "box"},
         {"toolPeaks", tr("P&eaks"), tr("A click picks a peak"), "peak"}}};
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
}

void MainWindow::buildMatchMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Match"));
    m_actions->add(menu,
                   {"plan",
                    tr("&Plan"),
                    tr("Plans the run without starting it"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)},
                    "plan"},
                   [this](bool) { m_flow->plan(); });
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
                    tr("Ends the work under way and keeps what is done"),
                    {QKeySequence(Qt::Key_Escape)},
                    "cancel"},
                   [this](bool) { m_flow->cancel(); });
}

void MainWindow::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    m_actions->add(menu,
                   {"keySheet",
                    tr("&Keys"),
                    tr("Lists every key"),
                    {QKeySequence(Qt::Key_Question)},
                    "help",
                    Scope::Views},
                   [this](bool) { showKeySheet(); });
    m_actions->add(menu,
                   {"selfTestAction",
                    tr("&Self-test..."),
                    tr("Checks the engine with exact cases on this machine"),
                    {},
                    "info"},
                   [this](bool) { showSelfTest(); });
    m_actions->add(menu, {"about", tr("&About FLCC"), tr("Versions and devices"), {}, "info"},
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
    enable({"fitView", "resetView", "actualSize", "zoomIn", "zoomOut", "interpolation",
            "autoWindow", "screenshot", "cleanScreenshot", "openTemplateAction", "copyCommandLine",
            "saveJob", "overlay", "opacityUp", "opacityDown", "showPeaks"},
           scene);
    for (QAction* action : m_toolActions) {
        action->setEnabled(scene);
    }
    enable({"nextSlice", "previousSlice", "nextTenSlices", "previousTenSlices", "layout"},
           m_document->isVolume());
    enable({"cutTemplateAction", "clearBox"}, m_document->box().has_value());
    enable({"saveTemplateAction"}, m_document->templ().has_value());
    enable({"plan", "run"}, ready && !running);
    enable({"cancel"}, working);
    enable({"exportPeaks", "exportMap", "exportStatus", "exportHeatmap"}, map);
    enable({"nextPeak", "previousPeak"}, map && !result->job->peaks.empty());
    enable({"removeResult"}, result != nullptr);
    enable({"exportReport"}, m_flow->report().has_value());
}

} // namespace flcc::ui
