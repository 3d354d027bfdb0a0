#include "ui/match/images/template_rows.h"

#include <QCheckBox>
#include <QToolButton>

#include "ui/base/elided_label.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/match/images/box_editor.h"
#include "ui/match/images/template_list.h"

namespace flcc::ui {

TemplateRows::TemplateRows(FoldingForm& form, job::Job& job, Document& document)
    : FieldGroup(form, job), m_document(document) {
    m_templ = new ElidedLabel(&m_form);
    m_templ->setObjectName(QStringLiteral("matchTemplate"));
    m_templ->setAccessibleName(tr("Template"));
    m_openTemplate =
        m_form.smallButton("openTemplate", icon(QStringLiteral("open")), tr("Open template"),
                           tr("Opens a template that replaces this one. If you choose "
                              "several files, the others are added"));
    m_addTemplate =
        m_form.smallButton("addTemplate", icon(QStringLiteral("add")), tr("Add templates"),
                           tr("Opens more templates from files. One run searches for all of them"));
    m_saveTemplate =
        m_form.smallButton("saveTemplate", icon(QStringLiteral("save")), tr("Save template"),
                           tr("Saves the active template with its position and source"));
    connect(m_openTemplate, &QToolButton::clicked, this, &TemplateRows::openTemplateRequested);
    connect(m_saveTemplate, &QToolButton::clicked, this, &TemplateRows::saveTemplateRequested);
    connect(m_addTemplate, &QToolButton::clicked, this, &TemplateRows::addTemplatesRequested);
    m_form.addRowWithButtons(tr("Template"), tr("Image that is searched for in the scene"), m_templ,
                             {m_openTemplate, m_addTemplate, m_saveTemplate});
    m_templates = new TemplateList(m_document, &m_form);
    m_form.add(m_templates);
    m_invert = new QCheckBox(tr("Invert the contrast"), &m_form);
    m_form.addRow(
        QString(), m_invert, "invert",
        tr("Mirrors the values of the templates between the smallest and the largest one under "
           "the mask: finds dark copies of a bright template"));
    m_invert->setAccessibleName(tr("Invert"));
    connect(m_invert, &QCheckBox::toggled, this, &TemplateRows::changed);

    m_stream = new QCheckBox(tr("Slices as a stream"), &m_form);
    m_form.addRow(
        QString(), m_stream, "stream",
        tr("Searches every slice of the stack on its own for flat templates. The slices of the "
           "views then step through the results like frames in time"));
    m_stream->setAccessibleName(tr("Stream"));
    connect(m_stream, &QCheckBox::toggled, this, [this] {
        Q_EMIT fitChanged(); // a flat template fits a frame
        Q_EMIT changed();
    });

    m_form.addSection(tr("Template box"), "Box", true);
    m_box = new BoxEditor(m_document, &m_form);
    connect(m_box, &BoxEditor::cutRequested, this, &TemplateRows::cutRequested);
    connect(m_box, &BoxEditor::addRequested, this, &TemplateRows::addCutRequested);
    m_form.add(m_box);
}

void TemplateRows::read(job::Job& job) const {
    job.invert = m_invert->isChecked();
    job.stream = m_stream->isChecked() && m_stream->isEnabled();
}

void TemplateRows::show() {
    m_invert->setChecked(m_job.invert);
    m_stream->setChecked(m_job.stream);
}

void TemplateRows::showData() {
    m_stream->setEnabled(m_document.searchedScenes() == 1 && m_document.isVolume());
    // No row for it where there are no slices.
    m_form.setRowVisible(m_stream, m_document.isVolume());
    const TemplateEntry* templ = m_document.templ();
    const auto count = static_cast<int>(m_document.templates().size());
    if (templ == nullptr && m_document.box()) {
        m_templ->showText(tr("the template box"), tr("The template box, cut when you run"));
    } else {
        m_templ->showText(count > 1          ? tr("%1 templates").arg(count)
                          : templ != nullptr ? templ->name
                                             : tr("none"));
    }
    m_openTemplate->setEnabled(m_document.hasScene());
    m_addTemplate->setEnabled(m_document.hasScene() && templ != nullptr);
    m_saveTemplate->setEnabled(templ != nullptr);
}

} // namespace flcc::ui
