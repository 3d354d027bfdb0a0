#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

#include <array>

#include "ui/main_window.h"
#include "ui/menu_choices.h"
#include "ui/views_panel.h"
#include "ui/volume_editor.h"

// The menus of the 3D view and of the orientation of volumes.

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

void MainWindow::buildVolumeMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&3D"));
    addChoices(menu->addMenu(tr("3D &shows")), this, {},
               {tr("Scene"), tr("Heatmap"), tr("Slices and peaks only")}, [this](int content) {
                   m_views->setVolumeContent(static_cast<viz::VolumeContent>(content));
               });
    addChoices(menu->addMenu(tr("S&lices")), this, QStringLiteral("volume/slices"),
               {tr("Transparent where black"), tr("Opaque"), tr("Frames only"), tr("Off")},
               [this](int style) {
                   m_views->volume().setSliceStyle(static_cast<viz::SliceStyle>(style));
               });
    addChoices(menu->addMenu(tr("&Clip")), this, {},
               {tr("Whole volume"), tr("Cut away the corner before the crosshair"),
                tr("Slab around the XY slice"), tr("Template box only"), tr("Region only")},
               [this](int clip) { m_views->volume().setClip(static_cast<viz::VolumeClip>(clip)); });
    m_actions->add(menu,
                   {"volumeEditorAction",
                    tr("&Transfer function …"),
                    tr("Chooses colours, threshold and opacity of the ray-cast scene"),
                    {}},
                   [this](bool) { (new VolumeEditor(*m_views, this))->show(); });
    m_actions->add(menu,
                   {"isosurface",
                    tr("&Isosurface of the heatmap"),
                    tr("Draws the surface on which the scores reach the threshold of the peaks"),
                    {},
                    nullptr,
                    Scope::Window,
                    true},
                   [this](bool on) { m_views->volume().setIsosurface(on); });
    menu->addSeparator();
    struct Entry {
        const char* name;
        QString text;
    };
    const std::array<Entry, 6> sides{{{"sideFront", tr("From the &front")},
                                      {"sideBack", tr("From the &back")},
                                      {"sideLeft", tr("From the &left")},
                                      {"sideRight", tr("From the &right")},
                                      {"sideTop", tr("From the &top")},
                                      {"sideBottom", tr("From below (&u)")}}};
    for (std::size_t i = 0; i < sides.size(); ++i) {
        m_actions->add(menu,
                       {sides[i].name,
                        sides[i].text,
                        tr("Shows the 3D view from this side: of the patient where the file says "
                           "how it lies, else of the grid"),
                        {QKeySequence(static_cast<int>(Qt::Key_F2) + static_cast<int>(i))},
                        nullptr,
                        Scope::Views},
                       [this, i](bool) { m_views->volume().lookFrom(static_cast<viz::Side>(i)); });
    }
    menu->addSeparator();
    m_actions
        ->add(menu,
              {"upright",
               tr("Patient &upright"),
               tr("Shows volumes whose file says how they lie in a patient with head or face up "
                  "and the right side at the left"),
               {},
               nullptr,
               Scope::Window,
               true},
              [this](bool on) { m_views->setUpright(on); })
        ->setChecked(true);
    m_actions->add(menu,
                   {"flipHorizontal",
                    tr("Mirror the active slice left to right"),
                    tr("Mirrors the active slice. Indices, box and exports stay as they are"),
                    {}},
                   [this](bool) { m_views->flipActive(true); });
    m_actions->add(menu,
                   {"flipVertical",
                    tr("Turn the active slice upside down"),
                    tr("Mirrors the active slice. Indices, box and exports stay as they are"),
                    {}},
                   [this](bool) { m_views->flipActive(false); });
}

} // namespace flcc::ui
