#pragma once

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace flcc::ui {

class TextFields;

/// How exact the scores are.
class ExactnessFields : public FieldGroup {
    Q_OBJECT

  public:
    ExactnessFields(FoldingForm& form, job::Job& job, TextFields& texts);

    void read(job::Job& job) const;
    void show();

  private:
    void readPromise();

    TextFields& m_texts;
    QComboBox* m_precision = nullptr;
    QLineEdit* m_promise = nullptr;
    QCheckBox* m_recompute = nullptr;
    QComboBox* m_audit = nullptr;
    QComboBox* m_statistics = nullptr;
};

} // namespace flcc::ui
