#include "ui/match/fields/edge_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QToolButton>

#include <vector>

#include "ui/base/elided_label.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/match/fields/match_fields.h"

namespace flcc::ui {

EdgeFields::EdgeFields(FoldingForm& form, job::Job& job, Document& document)
    : FieldGroup(form, job), m_document(document) {
    m_form.addSection(tr("Masks and edges"), "Edges", false);
    const auto maskRow = [&](const QString& label, const char* name, const QString& tip,
                             ElidedLabel*& shown, QToolButton*& open, QToolButton*& clear) {
        const QString base = QLatin1String(name);
        shown = new ElidedLabel(&m_form);
        shown->setObjectName(base);
        shown->setAccessibleName(label);
        open = m_form.smallButton("", icon(QStringLiteral("open")), tr("Open %1").arg(label),
                                  tr("Opens a mask from a file"));
        open->setObjectName(base + QStringLiteral("Open"));
        clear = m_form.smallButton("", icon(QStringLiteral("close")), tr("No %1").arg(label),
                                   tr("Removes the mask: all voxels are used"));
        clear->setObjectName(base + QStringLiteral("Clear"));
        m_form.addRowWithButtons(label, tip, shown, {open, clear});
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
    connect(m_openMask, &QToolButton::clicked, this, &EdgeFields::openMaskRequested);
    connect(m_openSceneMask, &QToolButton::clicked, this, &EdgeFields::openSceneMaskRequested);
    connect(m_clearMask, &QToolButton::clicked, this, [this] { m_document.clearMasks(); });
    connect(m_clearSceneMask, &QToolButton::clicked, this, [this] { m_document.setSceneMask({}); });
    m_extent = new QComboBox(&m_form);
    m_extent->addItem(tr("Inside the scene"), static_cast<int>(method::Extent::Valid));
    m_extent->addItem(tr("Middle in the scene"), static_cast<int>(method::Extent::Same));
    m_extent->addItem(tr("All that touch it"), static_cast<int>(method::Extent::Full));
    m_form.addRow(
        tr("Placements"), m_extent, "extent",
        tr("Placements of the template that get a score: valid, same, full. Placements that "
           "leave the scene are marked PARTIAL"));
    m_outside = new QComboBox(&m_form);
    m_outside->addItem(tr("Zero"), static_cast<int>(method::Outside::Zero));
    m_outside->addItem(tr("Eibl"), static_cast<int>(method::Outside::Eibl));
    m_outside->addItem(tr("Overlap only"), static_cast<int>(method::Outside::Overlap));
    m_form.addRow(
        tr("Outside"), m_outside, "outside",
        tr("Value of voxels outside the scene or its mask. Zero: 0. Eibl: the panel's mean in "
           "the numerator and 0 in the denominator. Overlap only: no value, only the overlap is "
           "scored"));
    m_minOverlap = new QDoubleSpinBox(&m_form);
    m_minOverlap->setRange(0, 1);
    m_minOverlap->setSingleStep(0.05);
    m_minOverlap->setDecimals(3);
    m_form.addRow(
        tr("Least overlap"), m_minOverlap, "minOverlap",
        tr("With Overlap only: a placement with a smaller share of its voxels inside gets no "
           "score"));
    m_partialPeaks = new QCheckBox(tr("PARTIAL peaks too"), &m_form);
    m_form.addRow(QString(), m_partialPeaks, "partialPeaks",
                  tr("Placements that leave the scene or its mask can be peaks, too"));
    m_partialPeaks->setAccessibleName(tr("PARTIAL peaks"));
    for (QComboBox* combo : {m_extent, m_outside}) {
        connect(combo, &QComboBox::currentIndexChanged, this, [this] {
            Q_EMIT fitChanged(); // other placements, and which template fits
            Q_EMIT changed();
        });
    }
    connect(m_minOverlap, &QDoubleSpinBox::valueChanged, this, &EdgeFields::changed);
    connect(m_partialPeaks, &QCheckBox::toggled, this, &EdgeFields::changed);
}

void EdgeFields::read(job::Job& job) const {
    job.extent = static_cast<method::Extent>(m_extent->currentData().toInt());
    job.outside = static_cast<method::Outside>(m_outside->currentData().toInt());
    job.minOverlap = numberOf(*m_minOverlap, m_job.minOverlap);
    job.partialPeaks = m_partialPeaks->isChecked();
}

void EdgeFields::show() {
    m_extent->setCurrentIndex(m_extent->findData(static_cast<int>(m_job.extent)));
    m_outside->setCurrentIndex(m_outside->findData(static_cast<int>(m_job.outside)));
    m_minOverlap->setValue(m_job.minOverlap);
    m_partialPeaks->setChecked(m_job.partialPeaks);
    showMasks();
}

/// The name of a mask, and that it has weights.
static QString shownName(const MaskEntry& mask) {
    return mask.image->weights.empty() ? mask.name
                                       : EdgeFields::tr("%1 (by weights)").arg(mask.name);
}

void EdgeFields::showMasks() {
    const std::vector<MaskEntry>& masks = m_document.masks();
    QString names;
    for (const MaskEntry& mask : masks) {
        names += (names.isEmpty() ? QString() : QStringLiteral(", ")) + shownName(mask);
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

bool EdgeFields::inside() const { return m_extent->currentIndex() == 0; }

} // namespace flcc::ui
