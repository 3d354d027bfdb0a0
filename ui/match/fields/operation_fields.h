#pragma once

#include "ui/match/fields/field_group.h"

class QComboBox;

namespace flcc::ui {

/// What a run computes, and of which channels.
class OperationFields : public FieldGroup {
    Q_OBJECT

  public:
    OperationFields(FoldingForm& form, job::Job& job);

    [[nodiscard]] method::Operation operation() const;
    void read(job::Job& job) const;
    void show(); ///< without a signal

  Q_SIGNALS:
    void operationChanged();

  private:
    void showChannels();

    QComboBox* m_operation = nullptr;
    QComboBox* m_channels = nullptr;
};

} // namespace flcc::ui
