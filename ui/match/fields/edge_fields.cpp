#include "ui/match/fields/edge_fields.h"

#include <QToolButton>

#include <vector>

#include "ui/base/elided_label.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/match/fields/sections.h"

namespace flcc::ui {

EdgeFields::EdgeFields(FoldingForm& form, job::Job& job, OptionFields& options, Document& document)
    : FieldGroup(form, job), m_document(document), m_options(options) {
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
    for (const std::string_view option : optionsOf(Section::Edges)) {
        m_options.addRow(m_form, option);
    }
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
    const bool partial = m_document.sceneMask() || m_options.text("extent") != "valid";
    m_options.field<QWidget>("outside").setEnabled(partial);
    m_options.field<QWidget>("partial-peaks").setEnabled(partial);
    m_options.field<QWidget>("min-overlap")
        .setEnabled(partial && m_options.text("outside") == "overlap");
}

} // namespace flcc::ui
