#pragma once

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QToolButton;

namespace flcc::ui {

class BoxEditor;
class Document;
class ElidedLabel;
class TemplateList;

/// What is searched for: templates, the template box, and how they are taken.
class TemplateRows : public FieldGroup {
    Q_OBJECT

  public:
    TemplateRows(FoldingForm& form, job::Job& job, Document& document);

    void read(job::Job& job) const;
    void show();     ///< what the job says
    void showData(); ///< what the document holds
    [[nodiscard]] BoxEditor& box() { return *m_box; }

  Q_SIGNALS:
    void cutRequested();
    void addCutRequested();
    void openTemplateRequested();
    void addTemplatesRequested();
    void saveTemplateRequested();

  private:
    Document& m_document;
    ElidedLabel* m_templ = nullptr;
    TemplateList* m_templates = nullptr;
    QToolButton* m_openTemplate = nullptr;
    QToolButton* m_addTemplate = nullptr;
    QToolButton* m_saveTemplate = nullptr;
    QCheckBox* m_invert = nullptr;
    QCheckBox* m_stream = nullptr;
    BoxEditor* m_box = nullptr;
};

} // namespace flcc::ui
