#pragma once

#include "ui/match/fields/field_group.h"

class QComboBox;
class QDoubleSpinBox;

namespace flcc::ui {

/// How *Auto* finds the threshold of lcc, what counts false positives, and how much peaks overlap.
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
    QDoubleSpinBox* m_overlap = nullptr;
};

} // namespace flcc::ui
