#pragma once

#include "engine/selftest/self_test.h"
#include "ui/work_dialog.h"

class QComboBox;
class QTableWidget;

namespace flcc::ui {

/// Runs the self-test of the engine on the devices that are chosen, on all from the start, and
/// shows a row for every case, method and device.
class SelfTestDialog : public WorkDialog {
    Q_OBJECT

  public:
    SelfTestDialog(RunController& controller, QWidget* parent);

  private:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showReport(const selftest::Report& report);

    selftest::Report m_report;
    QComboBox* m_device = nullptr;
    QTableWidget* m_table = nullptr;
    QPushButton* m_copy = nullptr;
};

} // namespace flcc::ui
