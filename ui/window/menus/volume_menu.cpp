#include "ui/window/menus/volume_menu.h"

#include <QActionGroup>
#include <QInputDialog>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <array>

#include "ui/base/menu_choices.h"
#include "ui/base/settings.h"
#include "ui/views/views_panel.h"
#include "ui/views/volume_editor.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

VolumeMenu::VolumeMenu(const Parts& parts) : m_parts(parts) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&3D"));
    addChoicesOfView(menu);
    addParts(menu);
    followViews();
    addSwitch(menu,
              {"parallelProjection",
               tr("&Parallel projection"),
               tr("Shows equal lengths equally long, however far away they are"),
               {}},
              false, [this](bool on) { m_parts.views.volume().setParallel(on); });
    menu->addSeparator();
    addSides(menu);
    menu->addSeparator();
    addOrientation(menu);
}

void VolumeMenu::addChoicesOfView(QMenu* menu) {
    addChoices(
        menu->addMenu(tr("3D &shows")), &m_parts.window, {},
        {tr("Scene"), tr("Heatmap"), tr("Slices and peaks only")},
        [this](int content) {
            m_parts.views.chooseVolumeView([content](VolumeView& view) {
                view.content = static_cast<viz::VolumeContent>(content);
            });
        },
        QStringLiteral("volumeContent"));
    addChoices(
        menu->addMenu(tr("S&lices")), &m_parts.window, {},
        {tr("Transparent where black"), tr("Opaque"), tr("Frames only"), tr("Off")},
        [this](int style) {
            m_parts.views.chooseVolumeView(
                [style](VolumeView& view) { view.slices = static_cast<viz::SliceStyle>(style); });
        },
        QStringLiteral("volumeSlices"));
    addChoices(
        menu->addMenu(tr("&Clip")), &m_parts.window, {},
        {tr("Whole volume"), tr("Cut away the corner before the crosshair"),
         tr("Slab around the XY slice"), tr("Template box only"), tr("Region only")},
        [this](int clip) {
            m_parts.views.chooseVolumeView(
                [clip](VolumeView& view) { view.clip = static_cast<viz::VolumeClip>(clip); });
        },
        QStringLiteral("volumeClip"));
}

void VolumeMenu::addParts(QMenu* menu) {
    m_parts.actions.add(
        menu,
        {"volumeEditorAction",
         tr("&Transfer function …"),
         tr("Chooses colours, threshold and opacity of the ray-cast scene"),
         {}},
        [this](bool) { (new VolumeEditor(m_parts.views, &m_parts.window))->show(); });
    m_parts.actions.add(
        menu,
        {"slabAction",
         tr("Ma&ximum over a slab …"),
         tr("Lets each slice show the brightest voxels of several slices, and makes the "
            "slab of the 3D view as thick"),
         {}},
        [this](bool) { askSlab(); });
    const auto addPart = [this, menu](Actions::Definition definition, bool VolumeView::*part) {
        definition.checkable = true;
        m_parts.actions.add(menu, definition, [this, part](bool on) {
            m_parts.views.chooseVolumeView([part, on](VolumeView& view) { view.*part = on; });
        });
    };
    addPart({"isosurface",
             tr("&Isosurface of the heatmap"),
             tr("Draws the surface on which the scores reach the threshold of the peaks"),
             {}},
            &VolumeView::isosurface);
    addPart({"peakSurfaces",
             tr("Te&mplate surfaces at the peaks"),
             tr("Shows each peak as the surface of its template, coloured by the score, instead "
                "of a box"),
             {}},
            &VolumeView::surfaces);
}

/// The view chooses for each volume.
void VolumeMenu::followViews() {
    QObject::connect(&m_parts.views, &ViewsPanel::volumeViewChanged, &m_parts.window, [this] {
        const VolumeView& view = m_parts.views.volumeView();
        const auto check = [this](const QString& name, bool on) {
            m_parts.window.findChild<QAction*>(name)->setChecked(on);
        };
        check(choiceName(QStringLiteral("volumeContent"), static_cast<int>(view.content)), true);
        check(choiceName(QStringLiteral("volumeSlices"), static_cast<int>(view.slices)), true);
        check(choiceName(QStringLiteral("volumeClip"), static_cast<int>(view.clip)), true);
        check(QStringLiteral("isosurface"), view.isosurface);
        check(QStringLiteral("peakSurfaces"), view.surfaces);
    });
}

void VolumeMenu::addSides(QMenu* menu) {
    struct Entry {
        const char* name;
        QString text;
    };
    const std::array<Entry, 6> sides{{{"sideFront", tr("From the &front")},
                                      {"sideBack", tr("From the &back")},
                                      {"sideLeft", tr("From the &left")},
                                      {"sideRight", tr("From the &right")},
                                      {"sideTop", tr("From the &top")},
                                      {"sideBottom", tr("From b&elow")}}};
    for (std::size_t i = 0; i < sides.size(); ++i) {
        m_parts.actions.add(
            menu,
            {sides[i].name,
             sides[i].text,
             tr("Shows the 3D view from this side: of the patient where the file says "
                "how it lies, else of the grid"),
             {QKeySequence(static_cast<int>(Qt::Key_F2) + static_cast<int>(i))},
             nullptr,
             Scope::Views},
            [this, i](bool) { m_parts.views.volume().lookFrom(static_cast<viz::Side>(i)); });
    }
}

void VolumeMenu::addOrientation(QMenu* menu) {
    addSwitch(menu,
              {"upright",
               tr("Patient &upright"),
               tr("Shows volumes whose file says how they lie in a patient with head or face up "
                  "and the right side at the left"),
               {}},
              true, [this](bool on) { m_parts.views.setUpright(on); });
    m_parts.actions.add(menu,
                        {"flipHorizontal",
                         tr("Mirror the active slice left to right"),
                         tr("Mirrors the active slice. Indices, box and exports stay as they are"),
                         {}},
                        [this](bool) { m_parts.views.flipActive(true); });
    m_parts.actions.add(menu,
                        {"flipVertical",
                         tr("Turn the active slice upside down"),
                         tr("Mirrors the active slice. Indices, box and exports stay as they are"),
                         {}},
                        [this](bool) { m_parts.views.flipActive(false); });
}

/// A switch that is remembered between starts; `initially`: as the views have it.
void VolumeMenu::addSwitch(QMenu* menu, Actions::Definition definition, bool initially,
                           const std::function<void(bool)>& apply) {
    const QString key = QStringLiteral("volume/") + QLatin1String(definition.name);
    definition.checkable = true;
    const bool on = Settings::flag(key, initially);
    m_parts.actions
        .add(menu, definition,
             [key, apply](bool chosen) {
                 Settings::setFlag(key, chosen);
                 apply(chosen);
             })
        ->setChecked(on);
    if (on != initially) {
        apply(on);
    }
}

/// The slices follow while the number is changed.
void VolumeMenu::askSlab() {
    auto* dialog = new QInputDialog(&m_parts.window);
    dialog->setObjectName(QStringLiteral("slabDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Maximum over a slab"));
    dialog->setLabelText(tr("Thickness in slices around the slice that is shown (1: no slab)"));
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setIntRange(1, kMostSlab);
    dialog->setIntValue(m_parts.views.slab());
    QObject::connect(dialog, &QInputDialog::intValueChanged, &m_parts.views, &ViewsPanel::setSlab);
    QObject::connect(dialog, &QDialog::rejected, &m_parts.views,
                     [this, before = m_parts.views.slab()] { m_parts.views.setSlab(before); });
    dialog->show();
}

} // namespace flcc::ui
