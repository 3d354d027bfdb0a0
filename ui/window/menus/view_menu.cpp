#include "ui/window/menus/view_menu.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/base/menu_choices.h"
#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/views/view_tools.h"
#include "ui/views/views_panel.h"
#include "ui/window/parts/docks.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

ViewMenu::ViewMenu(const Parts& parts) : m_parts(parts) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&View"));
    menu->setObjectName(QStringLiteral("viewMenuBar"));
    addZoom(menu);
    addSlices(menu);
    add(menu,
        {"layout",
         tr("One view or &all"),
         tr("Maximises the active view, or shows all views"),
         {},
         "layout-quad"},
        [this](bool) { m_parts.views.maximise(m_parts.views.activeFrame()); });
    menu->addSeparator();
    addPreferences(menu);
    addThemes(menu);
    menu->addSeparator();
    addTabs(menu);
    addLayout(menu);
}

void ViewMenu::add(QMenu* menu, const Actions::Definition& definition,
                   std::function<void(bool)> slot) {
    m_parts.actions.add(menu, definition, std::move(slot));
}

void ViewMenu::addZoom(QMenu* menu) {
    add(menu,
        {"fitView",
         tr("&Fit"),
         tr("Shows the whole scene"),
         {QKeySequence(Qt::Key_F)},
         "fit",
         Scope::Views},
        [this](bool) { m_parts.views.fit(); });
    add(menu,
        {"resetView",
         tr("&Reset views"),
         tr("Shows the middle slices, fitted, and the 3D view from the front"),
         {QKeySequence(Qt::Key_R)},
         "reset",
         Scope::Views},
        [this](bool) { m_parts.views.resetViews(); });
    add(menu,
        {"actualSize",
         tr("&100 %"),
         tr("Shows one voxel as one pixel of the screen"),
         {QKeySequence(Qt::CTRL | Qt::Key_0)}},
        [this](bool) { m_parts.views.actualSize(); });
    add(menu, {"zoomIn", tr("Zoom &in"), tr("Magnifies the active view"), {QKeySequence::ZoomIn}},
        [this](bool) { m_parts.views.zoom(1.25); });
    add(menu, {"zoomOut", tr("Zoom &out"), tr("Shrinks the active view"), {QKeySequence::ZoomOut}},
        [this](bool) { m_parts.views.zoom(0.8); });
    add(menu,
        {"interpolation",
         tr("I&nterpolation"),
         tr("Interpolates between voxels instead of drawing squares"),
         {QKeySequence(Qt::Key_I)},
         "interpolation",
         Scope::Views,
         true},
        [this](bool on) { m_parts.views.setInterpolated(on); });
    add(menu,
        {"autoWindow",
         tr("&Auto window"),
         tr("Sets window and level from the scene's values"),
         {QKeySequence(Qt::ALT | Qt::Key_I)},
         "window-level"},
        [this](bool) { m_parts.views.resetGreyWindow(); });
}

void ViewMenu::addSlices(QMenu* menu) {
    add(menu,
        {"nextSlice",
         tr("Next slice"),
         tr("Shows the next slice in the active view"),
         {QKeySequence(Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.stepSlice(1); });
    add(menu,
        {"previousSlice",
         tr("Previous slice"),
         tr("Shows the previous slice in the active view"),
         {QKeySequence(Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.stepSlice(-1); });
    add(menu,
        {"nextTenSlices",
         tr("Ten slices forward"),
         tr("Moves ten slices forward in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageDown)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.stepSlice(10); });
    add(menu,
        {"previousTenSlices",
         tr("Ten slices back"),
         tr("Moves ten slices back in the active view"),
         {QKeySequence(Qt::SHIFT | Qt::Key_PageUp)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.stepSlice(-10); });
}

void ViewMenu::addPreferences(QMenu* menu) {
    addChoices(menu->addMenu(tr("Mouse &wheel")), &m_parts.window,
               QStringLiteral("navigation/wheel"),
               {tr("Automatic: slices in volumes, zoom in images"), tr("Slices"), tr("Zoom")},
               [this](int mode) { m_parts.tools.setWheelMode(static_cast<WheelMode>(mode)); });
    addChoices(menu->addMenu(tr("Right &drag")), &m_parts.window,
               QStringLiteral("navigation/rightDrag"), {tr("Zoom"), tr("Window and level")},
               [this](int mode) { m_parts.tools.setRightDrag(static_cast<RightDrag>(mode)); });
    addChoices(
        menu->addMenu(tr("World &positions")), &m_parts.window, QStringLiteral("view/worldAxes"),
        {tr("As the file states them"), tr("RAS: right, anterior, superior"),
         tr("LPS: left, posterior, superior")},
        [this](int axes) {
            m_parts.document.setWorldAxes(axes == 0   ? std::nullopt
                                          : axes == 1 ? std::optional(base::WorldAxes::Ras)
                                                      : std::optional(base::WorldAxes::Lps));
        },
        QStringLiteral("worldAxes"));
    QObject::connect(&m_parts.document, &Document::worldAxesChanged, &m_parts.window, [this] {
        const auto& axes = m_parts.document.worldAxes(); // a job file may have chosen them
        const int choice = !axes ? 0 : *axes == base::WorldAxes::Ras ? 1 : 2;
        m_parts.window.findChild<QAction*>(choiceName(QStringLiteral("worldAxes"), choice))
            ->setChecked(true);
    });
}

void ViewMenu::addThemes(QMenu* menu) {
    auto* themes = menu->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(&m_parts.window);
    const std::array<QString, 3> names{tr("Follow the system"), tr("Light"), tr("Dark")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto theme = static_cast<Theme>(i);
        QAction* action = themes->addAction(names[i]);
        action->setObjectName(QStringLiteral("theme%1").arg(i));
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(Settings::theme() == theme);
        QObject::connect(action, &QAction::triggered, &m_parts.window, [this, theme] {
            Settings::setTheme(theme);
            applyTheme(theme);
        });
    }
}

void ViewMenu::addTabs(QMenu* menu) {
    QMenu* tabs = menu->addMenu(tr("Ta&b"));
    constexpr std::array kNames{"showTab1", "showTab2", "showTab3", "showTab4", "showTab5",
                                "showTab6", "showTab7", "showTab8", "showTab9"};
    const QStringList titles = m_parts.docks.tabTitles();
    for (int i = 0; i < std::min(static_cast<int>(titles.size()), static_cast<int>(kNames.size()));
         ++i) {
        add(tabs,
            {kNames[static_cast<std::size_t>(i)],
             titles[i],
             tr("Shows the tab %1 and gives it the keys").arg(titles[i]),
             {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i))}},
            [this, i](bool) { m_parts.docks.showTab(i); });
    }
}

void ViewMenu::addLayout(QMenu* menu) {
    for (QDockWidget* dock : m_parts.docks.all()) {
        menu->addAction(dock->toggleViewAction());
    }
    add(menu,
        {"resetLayout",
         tr("Reset la&yout"),
         tr("Brings back all panels, also those outside the screen, in their first places and "
            "sizes"),
         {}},
        [this](bool) { m_parts.docks.reset(); });
    add(menu,
        {"fullScreen",
         tr("F&ull screen"),
         tr("Fills the screen"),
         {QKeySequence(Qt::Key_F11)},
         nullptr,
         Scope::Window,
         true},
        [this](bool on) { on ? m_parts.window.showFullScreen() : m_parts.window.showNormal(); });
}

} // namespace flcc::ui
