#pragma once

#include "engine/selftest/self_test.h"
#include "ui/work_dialog.h"

class QTableWidget;

namespace flcc::ui {

/// Runs the self-test of the engine, from the start, and shows a row for every case and method.
class SelfTestDialog : public WorkDialog {
    Q_OBJECT

  public:
    SelfTestDialog(RunController& controller, QWidget* parent);

  private:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showReport(const selftest::Report& report);

    selftest::Report m_report;
    QTableWidget* m_table = nullptr;
    QPushButton* m_copy = nullptr;
};

} // namespace flcc::ui
