#pragma once

#include "engine/job/knowledge.h"
#include "ui/work/work_dialog.h"

class QSpinBox;

namespace flcc::ui {

/// Measures the constants of the cost model on this machine, within a time that the user sets.
class CalibrateDialog : public WorkDialog {
    Q_OBJECT

  public:
    CalibrateDialog(RunController& controller, QWidget* parent);

  private:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showResult(const job::Calibrated& result, bool stopped);

    QSpinBox* m_seconds = nullptr;
};

} // namespace flcc::ui
