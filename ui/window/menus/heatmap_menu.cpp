#include "ui/window/menus/heatmap_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <array>
#include <utility>

#include "ui/base/menu_choices.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

HeatmapMenu::HeatmapMenu(const Parts& parts) : m_parts(parts) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("He&atmap"));
    addOverlay(menu);
    addLayers();
    menu->addSeparator();
    QMenu* values = menu->addMenu(tr("&Values"));
    values->setObjectName(QStringLiteral("heatmapValues"));
    addChoices(
        values, &m_parts.window, QString(),
        {tr("Scores"), tr("z of the search"), tr("Mean over the search"),
         tr("Deviation over the search")},
        [this](int what) { m_parts.views.setValues(static_cast<SearchValues>(what)); },
        QStringLiteral("heatmapValues"));
    addChoices(menu->addMenu(tr("&Colours")), &m_parts.window, QStringLiteral("heatmap/colours"),
               {tr("Viridis"), tr("Diverging about 0"), tr("Cividis")},
               [this](int map) { m_parts.views.setColourMap(static_cast<match::ColourMap>(map)); });
    addChoices(menu->addMenu(tr("&Range")), &m_parts.window, QStringLiteral("heatmap/range"),
               {tr("Automatic"), tr("From -1 to 1")},
               [this](int range) { m_parts.views.setFixedRange(range == 1); });
}

QAction* HeatmapMenu::add(QMenu* menu, const Actions::Definition& definition,
                          std::function<void(bool)> slot) {
    return m_parts.actions.add(menu, definition, std::move(slot));
}

void HeatmapMenu::addOverlay(QMenu* menu) {
    add(menu,
        {"overlay",
         tr("&Show heatmap"),
         tr("Shows the heatmap over the scene"),
         {QKeySequence(Qt::Key_S)},
         "overlay",
         Scope::Views,
         true},
        [this](bool on) { m_parts.views.setLayerVisible(ViewsPanel::Layer::Heatmap, on); })
        ->setChecked(true);
    add(menu,
        {"opacityDown",
         tr("Less opaque"),
         tr("Makes the heatmap fainter"),
         {QKeySequence(Qt::Key_A)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.setOverlayOpacity(m_parts.views.overlayOpacity() - 0.1); });
    add(menu,
        {"opacityUp",
         tr("More opaque"),
         tr("Makes the heatmap stronger"),
         {QKeySequence(Qt::Key_D)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.views.setOverlayOpacity(m_parts.views.overlayOpacity() + 0.1); });
    add(menu,
        {"showPeaks",
         tr("Show &peaks"),
         tr("Shows the peaks as boxes"),
         {},
         "peak",
         Scope::Window,
         true},
        [this](bool on) { m_parts.views.setLayerVisible(ViewsPanel::Layer::Peaks, on); })
        ->setChecked(true);
}

/// One list of switches, first in the View menu.
void HeatmapMenu::addLayers() {
    using Layer = ViewsPanel::Layer;
    auto* layers = new QMenu(tr("La&yers"), &m_parts.window);
    layers->setObjectName(QStringLiteral("layersMenu"));
    auto* view = m_parts.window.findChild<QMenu*>(QStringLiteral("viewMenuBar"));
    view->insertMenu(view->actions().front(), layers);
    layers->addAction(m_parts.window.findChild<QAction*>(QStringLiteral("overlay")));
    layers->addAction(m_parts.window.findChild<QAction*>(QStringLiteral("showPeaks")));
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
        m_parts.actions
            .add(layers, {entry.name, entry.text, entry.tip, {}, nullptr, Scope::Window, true},
                 [this, layer = entry.layer](bool on) { m_parts.views.setLayerVisible(layer, on); })
            ->setChecked(true);
    }
}

} // namespace flcc::ui
