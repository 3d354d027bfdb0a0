#include <QActionGroup>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>

#include <array>

#include "ui/base/menu_choices.h"
#include "ui/base/settings.h"
#include "ui/results/peaks_panel.h"
#include "ui/views/views_panel.h"
#include "ui/window/main_window.h"

// What the views show: the menus View and Heatmap.

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

void MainWindow::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    menu->setObjectName(QStringLiteral("viewMenuBar"));
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
         tr("Shows the middle slices, fitted, and the 3D view from the front"),
         {QKeySequence(Qt::Key_R)},
         "reset",
         Scope::Views},
        [this](bool) { m_views->resetViews(); });
    add({"actualSize",
         tr("&100 %"),
         tr("Shows one voxel as one pixel of the screen"),
         {QKeySequence(Qt::CTRL | Qt::Key_0)}},
        [this](bool) { m_views->actualSize(); });
    add({"zoomIn", tr("Zoom &in"), tr("Magnifies the active view"), {QKeySequence::ZoomIn}},
        [this](bool) { m_views->zoom(1.25); });
    add({"zoomOut", tr("Zoom &out"), tr("Shrinks the active view"), {QKeySequence::ZoomOut}},
        [this](bool) { m_views->zoom(0.8); });
    add({"interpolation",
         tr("I&nterpolation"),
         tr("Interpolates between voxels instead of drawing squares"),
         {QKeySequence(Qt::Key_I)},
         "interpolation",
         Scope::Views,
         true},
        [this](bool on) { m_views->setInterpolated(on); });
    add({"autoWindow",
         tr("&Auto window"),
         tr("Sets window and level from the scene's values"),
         {QKeySequence(Qt::ALT | Qt::Key_I)},
         "window-level"},
        [this](bool) { m_views->resetGreyWindow(); });
    add({"nextSlice",
         tr("Next slice"),
         tr("Shows the next slice in the active view"),
         {QKeySequence(Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(1); });
    add({"previousSlice",
         tr("Previous slice"),
         tr("Shows the previous slice in the active view"),
         {QKeySequence(Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(-1); });
    add({"nextTenSlices",
         tr("Ten slices forward"),
         tr("Moves ten slices forward in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(10); });
    add({"previousTenSlices",
         tr("Ten slices back"),
         tr("Moves ten slices back in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_views->stepSlice(-10); });
    add({"layout",
         tr("One view or &all"),
         tr("Maximises the active view, or shows all views"),
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
    addChoices(
        menu->addMenu(tr("World &positions")), this, QStringLiteral("view/worldAxes"),
        {tr("As the file states them"), tr("RAS: right, anterior, superior"),
         tr("LPS: left, posterior, superior")},
        [this](int axes) {
            m_document->setWorldAxes(axes == 0   ? std::nullopt
                                     : axes == 1 ? std::optional(base::WorldAxes::Ras)
                                                 : std::optional(base::WorldAxes::Lps));
        },
        QStringLiteral("worldAxes"));
    connect(m_document.get(), &Document::worldAxesChanged, this, [this] {
        const auto& axes = m_document->worldAxes(); // a job file may have chosen them
        const int choice = !axes ? 0 : *axes == base::WorldAxes::Ras ? 1 : 2;
        findChild<QAction*>(choiceName(QStringLiteral("worldAxes"), choice))->setChecked(true);
    });
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
    add({"resetLayout",
         tr("Reset la&yout"),
         tr("Brings back all panels, also those outside the screen, in their first places and "
            "sizes"),
         {}},
        [this](bool) { resetLayout(); });
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
        [this](bool on) { m_views->setLayerVisible(ViewsPanel::Layer::Heatmap, on); })
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
        [this](bool on) { m_views->setLayerVisible(ViewsPanel::Layer::Peaks, on); })
        ->setChecked(true);
    buildLayersMenu();
    menu->addSeparator();
    addChoices(menu->addMenu(tr("&Colours")), this, QStringLiteral("heatmap/colours"),
               {tr("Viridis"), tr("Diverging about 0"), tr("Cividis")},
               [this](int map) { m_views->setColourMap(static_cast<match::ColourMap>(map)); });
    addChoices(menu->addMenu(tr("&Range")), this, QStringLiteral("heatmap/range"),
               {tr("Automatic"), tr("From -1 to 1")},
               [this](int range) { m_views->setFixedRange(range == 1); });
    menu->addSeparator();
    add({"thresholdDown",
         tr("&Lower threshold"),
         tr("Lowers the threshold, so that more peaks are shown"),
         {QKeySequence(Qt::Key_Comma)},
         nullptr,
         Scope::Views},
        [this](bool) { stepThreshold(-0.01); });
    add({"thresholdUp",
         tr("&Higher threshold"),
         tr("Raises the threshold, so that fewer peaks are shown"),
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

/// One list of switches for what the views draw over the scene: first in the View menu.
void MainWindow::buildLayersMenu() {
    using Layer = ViewsPanel::Layer;
    auto* layers = new QMenu(tr("La&yers"), this);
    layers->setObjectName(QStringLiteral("layersMenu"));
    auto* view = findChild<QMenu*>(QStringLiteral("viewMenuBar"));
    view->insertMenu(view->actions().front(), layers);
    layers->addAction(findChild<QAction*>(QStringLiteral("overlay")));
    layers->addAction(findChild<QAction*>(QStringLiteral("showPeaks")));
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        Layer layer;
    };
    const std::array<Entry, 5> entries{
        {{"showBlobs", tr("Show &blobs"), tr("Shows the blobs as circles"), Layer::Blobs},
         {"showBox", tr("Show template b&ox"), tr("Shows the template box"), Layer::Box},
         {"showMasks", tr("Show &masks"), tr("Shades what the masks leave out"), Layer::Mask},
         {"showCrosshair", tr("Show &crosshair"), tr("Shows the lines of the crosshair"),
          Layer::Crosshair},
         {"showBars", tr("Show b&ars"), tr("Shows scale bar and colour bar"), Layer::Bars}}};
    for (const Entry& entry : entries) {
        m_actions
            ->add(layers, {entry.name, entry.text, entry.tip, {}, nullptr, Scope::Window, true},
                  [this, layer = entry.layer](bool on) { m_views->setLayerVisible(layer, on); })
            ->setChecked(true);
    }
}

} // namespace flcc::ui
