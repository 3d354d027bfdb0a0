#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "engine/base/error.h"
#include "engine/job/arguments.h"
#include "engine/method/canonical.h"
#include "ui/box_editor.h"
#include "ui/elided_label.h"
#include "ui/match_fields.h"
#include "ui/match_panel.h"
#include "ui/option_names.h"
#include "ui/scene_list.h"
#include "ui/template_list.h"
#include "ui/text.h"

// What is searched for, and where: images, masks, region and the placements beyond the edges.

namespace flcc::ui {

void MatchPanel::addScenes(QFormLayout* form) {
    m_scene = new ElidedLabel(this);
    m_scene->setObjectName(QStringLiteral("matchScene"));
    m_scene->setAccessibleName(tr("Scene"));
    m_addScenes = smallButton("addScenes", tr("Add scenes"),
                              tr("Adds more scenes of the same extents from files. All scenes are "
                                 "searched for the same templates, one after the other"));
    addRowWithButtons(form, tr("Scene"), tr("Image or volume that is searched"), m_scene,
                      {m_addScenes});
    m_scenes = new SceneList(m_document, this);
    connect(m_addScenes, &QToolButton::clicked, this, &MatchPanel::addScenesRequested);
    connect(m_scenes, &RowList::chosen, this, &MatchPanel::sceneChosen);
    connect(m_scenes, &RowList::removed, this, &MatchPanel::removeSceneRequested);
    form->addRow(m_scenes);
}

void MatchPanel::addData(QFormLayout* form) {
    m_templ = new ElidedLabel(this);
    m_templ->setObjectName(QStringLiteral("matchTemplate"));
    m_templ->setAccessibleName(tr("Template"));
    m_openTemplate = smallButton("openTemplate", tr("Open template"),
                                 tr("Opens a template that replaces this one. If you choose "
                                    "several files, the others are added"));
    m_addTemplate =
        smallButton("addTemplate", tr("Add templates"),
                    tr("Opens more templates from files. One run searches for all of them"));
    m_saveTemplate = smallButton("saveTemplate", tr("Save template"),
                                 tr("Saves the active template with its position and source"));
    connect(m_openTemplate, &QToolButton::clicked, this, &MatchPanel::openTemplateRequested);
    connect(m_saveTemplate, &QToolButton::clicked, this, &MatchPanel::saveTemplateRequested);
    connect(m_addTemplate, &QToolButton::clicked, this, &MatchPanel::addTemplatesRequested);
    addRowWithButtons(form, tr("Template"), tr("Image that is searched for in the scene"), m_templ,
                      {m_openTemplate, m_addTemplate, m_saveTemplate});
    m_templates = new TemplateList(m_document, this);
    form->addRow(m_templates);
    m_invert = new QCheckBox(tr("Invert the contrast"), this);
    addRow(form, QString(), m_invert, "invert",
           tr("Mirrors the values of the templates between the smallest and the largest one under "
              "the mask: finds dark copies of a bright template"));
    m_invert->setAccessibleName(tr("Invert"));
    connect(m_invert, &QCheckBox::toggled, this, &MatchPanel::settingsChanged);

    m_stream = new QCheckBox(tr("Slices as a stream"), this);
    addRow(form, QString(), m_stream, "stream",
           tr("Searches every slice of the stack on its own for flat templates. The slices of the "
              "views then step through the results like frames in time"));
    m_stream->setAccessibleName(tr("Stream"));
    connect(m_stream, &QCheckBox::toggled, this, [this] {
        updateData(); // a flat template fits a frame
        Q_EMIT settingsChanged();
    });

    addSection(form, tr("Template box"), "Box", true);
    m_box = new BoxEditor(m_document, this);
    connect(m_box, &BoxEditor::cutRequested, this, &MatchPanel::cutRequested);
    connect(m_box, &BoxEditor::addRequested, this, &MatchPanel::addCutRequested);
    form->addRow(m_box);
    addRegion(form);
}

void MatchPanel::addRegion(QFormLayout* form) {
    const QString tip =
        tr("Box of the scene that is searched, as X,Y:W,H or X,Y,Z:W,H,D in voxels from 0. The "
           "whole template lies inside the box. Spaces may stand beside numbers. Empty: all of the "
           "scene. The views show the box in "
           "dashed green. Only with the placements Inside the scene");
    m_region = textField(tr("all of the scene"));
    m_region->setObjectName(QStringLiteral("region"));
    m_region->setAccessibleName(tr("Region"));
    m_region->setToolTip(tip);
    m_useBox = smallButton("regionUseBox", tr("Use the box"),
                           tr("Searches only the box that is drawn in the views"));
    m_clearRegion =
        smallButton("regionClear", tr("All of the scene"), tr("Searches all of the scene"));
    connect(m_region, &QLineEdit::editingFinished, this, &MatchPanel::readRegion);
    connect(m_region, &QLineEdit::textEdited, this, [this](const QString& text) {
        try {
            const base::Box region = job::parseBox(text.trimmed().toStdString());
            if (base::contains(m_document.sceneExtents(), region)) {
                Q_EMIT regionTyped(region);
            }
        } catch (const base::Error&) { // not complete yet
        }
    });
    connect(m_useBox, &QToolButton::clicked, this, [this] { setRegion(m_document.box()); });
    connect(m_clearRegion, &QToolButton::clicked, this, [this] { setRegion({}); });
    addRowWithButtons(form, tr("Region"), tip, m_region, {m_useBox, m_clearRegion});
}

void MatchPanel::setRegion(const std::optional<base::Box>& region) {
    const bool news = region != m_job.region;
    m_job.region = region;
    accept(m_region);
    showRegion();
    updateData();
    if (news) {
        Q_EMIT settingsChanged();
    }
}

void MatchPanel::showRegion() {
    if (!m_region->property("refused").toBool() && !m_region->isModified()) {
        m_region->setText(regionText(m_job.region, m_document.isVolume()));
    }
    m_region->setEnabled(m_document.hasScene());
    m_useBox->setEnabled(m_document.box().has_value());
    m_clearRegion->setEnabled(m_job.region.has_value());
}

void MatchPanel::readRegion() {
    const QString text = m_region->text().trimmed();
    try {
        std::optional<base::Box> region;
        if (!text.isEmpty()) {
            region = job::parseBox(text.toStdString());
            if (!base::contains(m_document.sceneExtents(), *region)) {
                refuse(m_region,
                       tr("the region %1 leaves the scene of %2; choose a region inside the scene")
                           .arg(regionText(region, m_document.isVolume()),
                                sizeText(m_document.sceneExtents())));
                return;
            }
        }
        setRegion(region);
    } catch (const base::Error& error) {
        refuse(m_region, inWindowWords(error.what()));
    }
}

void MatchPanel::addEdges(QFormLayout* form) {
    addSection(form, tr("Masks and edges"), "Edges", false);
    const auto maskRow = [&](const QString& label, const char* name, const QString& tip,
                             ElidedLabel*& shown, QToolButton*& open, QToolButton*& clear) {
        const QString base = QLatin1String(name);
        shown = new ElidedLabel(this);
        shown->setObjectName(base);
        shown->setAccessibleName(label);
        open = smallButton("", tr("Open %1").arg(label), tr("Opens a mask from a file"));
        open->setObjectName(base + QStringLiteral("Open"));
        clear =
            smallButton("", tr("No %1").arg(label), tr("Removes the mask: all voxels are used"));
        clear->setObjectName(base + QStringLiteral("Clear"));
        addRowWithButtons(form, label, tip, shown, {open, clear});
    };
    maskRow(tr("Mask"), "mask",
            tr("Image of the template's extents. Template voxels where the mask is 0 are ignored, "
               "and shaded in the template box. With several templates, choose one mask for all, "
               "or one file for each template in the order of the file names"),
            m_mask, m_openMask, m_clearMask);
    maskRow(tr("Scene mask"), "sceneMask",
            tr("Image of the scene's extents. Scene voxels where the mask is 0 are ignored, and "
               "shaded in the views"),
            m_sceneMask, m_openSceneMask, m_clearSceneMask);
    connect(m_openMask, &QToolButton::clicked, this, &MatchPanel::openMaskRequested);
    connect(m_openSceneMask, &QToolButton::clicked, this, &MatchPanel::openSceneMaskRequested);
    connect(m_clearMask, &QToolButton::clicked, this, [this] { m_document.clearMasks(); });
    connect(m_clearSceneMask, &QToolButton::clicked, this, [this] { m_document.setSceneMask({}); });
    m_extent = new QComboBox(this);
    m_extent->addItem(tr("Inside the scene"), static_cast<int>(method::Extent::Valid));
    m_extent->addItem(tr("Middle in the scene"), static_cast<int>(method::Extent::Same));
    m_extent->addItem(tr("All that touch it"), static_cast<int>(method::Extent::Full));
    addRow(form, tr("Placements"), m_extent, "extent",
           tr("Placements of the template that get a score: valid, same, full. Placements that "
              "leave the scene are marked PARTIAL"));
    m_outside = new QComboBox(this);
    m_outside->addItem(tr("Zero"), static_cast<int>(method::Outside::Zero));
    m_outside->addItem(tr("Eibl"), static_cast<int>(method::Outside::Eibl));
    m_outside->addItem(tr("Overlap only"), static_cast<int>(method::Outside::Overlap));
    addRow(form, tr("Outside"), m_outside, "outside",
           tr("Value of voxels outside the scene or its mask. Zero: 0. Eibl: the panel's mean in "
              "the numerator and 0 in the denominator. Overlap only: no value, only the overlap is "
              "scored"));
    m_minOverlap = new QDoubleSpinBox(this);
    m_minOverlap->setRange(0, 1);
    m_minOverlap->setSingleStep(0.05);
    m_minOverlap->setDecimals(3);
    addRow(form, tr("Least overlap"), m_minOverlap, "minOverlap",
           tr("With Overlap only: a placement with a smaller share of its voxels inside gets no "
              "score"));
    m_partialPeaks = new QCheckBox(tr("PARTIAL peaks too"), this);
    addRow(form, QString(), m_partialPeaks, "partialPeaks",
           tr("Placements that leave the scene or its mask can be peaks, too"));
    m_partialPeaks->setAccessibleName(tr("PARTIAL peaks"));
    for (QComboBox* combo : {m_extent, m_outside}) {
        connect(combo, &QComboBox::currentIndexChanged, this, [this] {
            updateData(); // other placements, and which template fits
            Q_EMIT settingsChanged();
        });
    }
    connect(m_minOverlap, &QDoubleSpinBox::valueChanged, this, &MatchPanel::settingsChanged);
    connect(m_partialPeaks, &QCheckBox::toggled, this, &MatchPanel::settingsChanged);
}

void MatchPanel::readEdges(job::Job& job) const {
    job.extent = static_cast<method::Extent>(m_extent->currentData().toInt());
    job.outside = static_cast<method::Outside>(m_outside->currentData().toInt());
    job.minOverlap = numberOf(*m_minOverlap, m_job.minOverlap);
    job.partialPeaks = m_partialPeaks->isChecked();
}

void MatchPanel::showEdges() {
    m_extent->setCurrentIndex(m_extent->findData(static_cast<int>(m_job.extent)));
    m_outside->setCurrentIndex(m_outside->findData(static_cast<int>(m_job.outside)));
    m_minOverlap->setValue(m_job.minOverlap);
    m_partialPeaks->setChecked(m_job.partialPeaks);
    showMasks();
}

/// Shows the masks, and enables the fields that have an effect with them.
void MatchPanel::showMasks() {
    const std::vector<MaskEntry>& masks = m_document.masks();
    QString names;
    for (const MaskEntry& mask : masks) {
        names += (names.isEmpty() ? QString() : QStringLiteral(", ")) + mask.name;
    }
    const bool opacity = masks.empty() && m_document.mask() != nullptr;
    m_mask->showText(opacity ? m_document.mask()->name : masks.empty() ? tr("none") : names);
    m_sceneMask->showText(m_document.sceneMask() ? m_document.sceneMask()->name : tr("none"));
    for (QToolButton* open : {m_openMask, m_openSceneMask}) {
        open->setEnabled(m_document.hasScene());
    }
    const bool none = masks.size() == 1 && masks.front().path == "none";
    m_clearMask->setEnabled(opacity || (!masks.empty() && !none));
    m_clearSceneMask->setEnabled(m_document.sceneMask().has_value());
    const bool partial = m_document.sceneMask() || m_extent->currentIndex() != 0;
    m_outside->setEnabled(partial);
    m_partialPeaks->setEnabled(partial);
    m_minOverlap->setEnabled(partial && m_outside->currentData().toInt() ==
                                            static_cast<int>(method::Outside::Overlap));
}

void MatchPanel::updateData() {
    const bool scene = m_document.hasScene();
    const auto scenes = static_cast<int>(m_document.searchedScenes());
    m_scene->showText(scenes > 1 ? tr("%1 scenes").arg(scenes)
                      : scene    ? m_document.scene().name
                                 : tr("none"));
    // Only a list that starts with a file can grow. The list must not change during a run, because
    // the results belong to its entries.
    m_addScenes->setEnabled(scene && !m_document.scenes().front().path.empty() && !m_running);
    m_scenes->setEnabled(!m_running);
    m_stream->setEnabled(scenes == 1 && m_document.isVolume());
    // No row for it where there are no slices.
    qobject_cast<QFormLayout*>(m_stream->parentWidget()->layout())
        ->setRowVisible(m_stream, m_document.isVolume());
    const TemplateEntry* templ = m_document.templ();
    const auto count = static_cast<int>(m_document.templates().size());
    if (templ == nullptr && m_document.box()) {
        m_templ->showText(tr("the template box"), tr("The template box, cut when you run"));
    } else {
        m_templ->showText(count > 1          ? tr("%1 templates").arg(count)
                          : templ != nullptr ? templ->name
                                             : tr("none"));
    }
    m_distance->setSuffix(m_document.isVolume() ? tr(" voxels") : tr(" pixels"));
    m_openTemplate->setEnabled(scene);
    m_addTemplate->setEnabled(scene && templ != nullptr);
    m_saveTemplate->setEnabled(templ != nullptr);
    const bool ready = scene && (templ != nullptr || m_document.box());
    m_templateReason = ready ? reasonAgainstTemplate() : QString();
    const QString reason = m_running ? QString() : reasonAgainstRun();
    m_plan->setEnabled(ready && !m_running);
    m_run->setEnabled((ready && reason.isEmpty()) || m_running);
    m_run->setToolTip(m_running           ? tr("Cancels the run and keeps its partial result (Esc)")
                      : !reason.isEmpty() ? reason
                                          : tr("Finds the template in the scene (Ctrl+Return)"));
    showRegion();
    showMasks();
    Q_EMIT readinessChanged();
}

QString MatchPanel::reasonAgainstTemplate() const {
    constexpr std::int64_t kMostVoxels = 4'000'000; // planning says it of larger ones
    const base::Extents searched = m_job.region ? m_job.region->extents : m_document.sceneExtents();
    const bool inside = m_extent->currentIndex() == 0;
    const auto reasonOf = [this, searched, inside](const method::MaskedView& view) -> QString {
        const base::Extents extents = view.extents();
        if (inside && (extents.x > searched.x || extents.y > searched.y ||
                       (extents.z > searched.z && !m_stream->isChecked()))) {
            return tr("The template of %1 is larger than the %2 of %3: choose a smaller template, "
                      "or other placements (Advanced > Masks and edges).")
                .arg(extentsText(extents), m_job.region ? tr("region") : tr("scene"),
                     extentsText(searched));
        }
        if (extents.x * extents.y * extents.z > kMostVoxels) {
            return {};
        }
        try {
            method::requireUsableTemplate(view, operation());
        } catch (const base::Error& error) {
            return inWindowWords(error.what());
        }
        return {};
    };
    if (m_document.templates().empty()) {
        return m_document.activeScene() == 0
                   ? reasonOf({base::partOf(base::viewOf(m_document.scene().image->pixels),
                                            *m_document.box())})
                   : QString();
    }
    const auto& masks = m_document.masks();
    for (std::size_t i = 0; i < m_document.templates().size(); ++i) {
        const job::SceneImage& image = *m_document.templates()[i].image;
        method::MaskedView view(base::viewOf(image.pixels));
        if (masks.empty() && image.opacity) {
            view.mask = image.opacity->support.view();
        }
        if (masks.size() == 1 || i < masks.size()) {
            const MaskEntry& mask = masks.size() == 1 ? masks.front() : masks[i];
            if (mask.image->support.extents() != view.extents()) {
                continue; // planning says it
            }
            view.mask = mask.image->support.view();
        }
        if (const QString reason = reasonOf(view); !reason.isEmpty()) {
            return reason;
        }
    }
    return {};
}

} // namespace flcc::ui
