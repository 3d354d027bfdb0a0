#include "ui/match/images/template_list.h"

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

TemplateList::TemplateList(Document& document, QWidget* parent)
    : RowList(QStringLiteral("template"), QStringLiteral("removeTemplate"), parent),
      m_document(document) {
    setObjectName(QStringLiteral("templateList"));
    setAccessibleName(tr("Templates"));
    connect(this, &RowList::chosen, &m_document, &Document::setActiveTemplate);
    connect(this, &RowList::removed, &m_document, &Document::removeTemplate);
    connect(&m_document, &Document::templateChanged, this, &TemplateList::rebuild);
    followTheme(this, [this] { rebuild(); });
}

void TemplateList::rebuild() {
    std::vector<Row> rows;
    for (const TemplateEntry& templ : m_document.templates()) {
        const auto index = static_cast<int>(rows.size());
        rows.push_back(
            {.name = tr("%1: %2").arg(index).arg(templ.name),
             .spoken = tr("Template %1: %2").arg(index).arg(templ.name),
             .tip = tr("Template %1: %2. Its peaks have the number of the template. Click to show "
                       "the template. Cutting and opening replace the template that is shown")
                        .arg(index)
                        .arg(templ.name),
             .word = extentsText(base::extentsOf(templ.image->pixels)).remove(QChar(' ')),
             .removeSpoken = tr("Remove template %1").arg(index),
             .removeTip = tr("Removes the template from the list (Ctrl+Z restores it)")});
    }
    setRows(rows, m_document.activeTemplate());
}

} // namespace flcc::ui
