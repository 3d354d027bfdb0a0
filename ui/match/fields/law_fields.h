#pragma once

#include "ui/match/fields/field_group.h"

class QComboBox;
class QDoubleSpinBox;

namespace flcc::ui {

/// How *Auto* finds the threshold of lcc, and what counts false positives.
class LawFields : public FieldGroup {
    Q_OBJECT

  public:
    LawFields(FoldingForm& form, job::Job& job);

    void read(job::Job& job) const; ///< after the threshold was read
    void show();

  private:
    void showNumber();

    QComboBox* m_by = nullptr;
    QDoubleSpinBox* m_number = nullptr;
    QComboBox* m_null = nullptr;
};

} // namespace flcc::ui
