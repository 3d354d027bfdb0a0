#pragma once

#include "ui/match/fields/field_group.h"

class QComboBox;
class QDoubleSpinBox;

namespace flcc::ui {

/// How *Auto* finds the threshold of lcc, what counts false positives, and how much peaks overlap.
class LawFields : public FieldGroup {
    Q_OBJECT

  public:
    LawFields(FoldingForm& form, job::Job& job, OptionFields& options);

    /// After the threshold and the other options were read.
    void read(job::Job& job) const;
    void show();

  private:
    void showNumber();

    QComboBox* m_by = nullptr;
    QDoubleSpinBox* m_number = nullptr;
};

} // namespace flcc::ui
