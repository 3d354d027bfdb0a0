#include "ui/match/fields/region_field.h"

#include <QLineEdit>
#include <QToolButton>

#include "engine/base/error.h"
#include "engine/job/command_line.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/forms/text_fields.h"
#include "ui/match/fields/match_fields.h"

namespace flcc::ui {

RegionField::RegionField(FoldingForm& form, job::Job& job, TextFields& texts, Document& document)
    : FieldGroup(form, job), m_texts(texts), m_document(document) {
    const QString tip =
        tr("Box of the scene that is searched, as X,Y:W,H or X,Y,Z:W,H,D in voxels from 0. The "
           "whole template lies inside the box. Spaces may stand beside numbers. Empty: all of the "
           "scene. The views show the box in "
           "dashed green. Only with the placements Inside the scene");
    m_region = m_texts.make(tr("all of the scene"), &m_form);
    m_region->setObjectName(QStringLiteral("region"));
    m_region->setAccessibleName(tr("Region"));
    m_region->setToolTip(tip);
    m_useBox = m_form.smallButton("regionUseBox", icon(QStringLiteral("box")), tr("Use the box"),
                                  tr("Searches only the box that is drawn in the views"));
    m_clear = m_form.smallButton("regionClear", icon(QStringLiteral("close")),
                                 tr("All of the scene"), tr("Searches all of the scene"));
    connect(m_region, &QLineEdit::editingFinished, this, &RegionField::read);
    connect(m_region, &QLineEdit::textEdited, this, [this](const QString& text) {
        try {
            const base::Box region = job::parseBox(text.trimmed().toStdString());
            if (base::contains(m_document.sceneExtents(), region)) {
                Q_EMIT typed(region);
            }
        } catch (const base::Error&) { // not complete yet
        }
    });
    connect(m_useBox, &QToolButton::clicked, this, [this] { set(m_document.box()); });
    connect(m_clear, &QToolButton::clicked, this, [this] { set({}); });
    m_form.addRowWithButtons(tr("Region"), tip, m_region, {m_useBox, m_clear});
}

void RegionField::set(const std::optional<base::Box>& region) {
    const bool news = region != m_job.region;
    m_job.region = region;
    m_texts.accept(m_region);
    show();
    Q_EMIT fitChanged();
    if (news) {
        Q_EMIT changed();
    }
}

void RegionField::clear() {
    m_job.region.reset();
    m_texts.accept(m_region);
}

void RegionField::show(bool anew) {
    if (anew) {
        m_texts.accept(m_region);
    }
    if (!m_region->property("refused").toBool() && !m_region->isModified()) {
        m_region->setText(regionText(m_job.region, m_document.isVolume()));
    }
    m_region->setEnabled(m_document.hasScene());
    m_useBox->setEnabled(m_document.box().has_value());
    m_clear->setEnabled(m_job.region.has_value());
}

void RegionField::read() {
    const QString text = m_region->text().trimmed();
    try {
        std::optional<base::Box> region;
        if (!text.isEmpty()) {
            region = job::parseBox(text.toStdString());
            if (!base::contains(m_document.sceneExtents(), *region)) {
                m_texts.refuse(
                    m_region,
                    tr("the region %1 leaves the scene of %2; choose a region inside the scene")
                        .arg(regionText(region, m_document.isVolume()),
                             sizeText(m_document.sceneExtents())));
                return;
            }
        }
        set(region);
    } catch (const base::Error& error) {
        m_texts.refuse(m_region, inWindowWords(error));
    }
}

} // namespace flcc::ui
