#pragma once

#include <QObject>

#include "engine/job/job.h"
#include "ui/forms/folding_form.h"
#include "ui/forms/option_fields.h"

namespace flcc::ui {

/// Fields of the Match panel that belong together. They read and show a part of its job.
class FieldGroup : public QObject {
    Q_OBJECT

  public:
    /// `job`: what setSettings() of the panel was called with, and the last valid values of text
    /// fields.
    FieldGroup(FoldingForm& form, job::Job& job) : QObject(&form), m_form(form), m_job(job) {}

  Q_SIGNALS:
    void changed();    ///< the job is another one
    void fitChanged(); ///< whether the template can be searched for may be another answer

  protected:
    FoldingForm& m_form;
    job::Job& m_job;
};

} // namespace flcc::ui
