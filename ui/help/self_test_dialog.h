#pragma once

#include <memory>

#include "engine/selftest/self_test.h"
#include "ui/work/work_dialog.h"

class QComboBox;
class QTableWidget;

namespace flcc::ui {

/// Runs the self-test of the engine on the chosen devices, initially on all. Shows a row for every
/// case, method, device and precision as soon as the case has ended.
class SelfTestDialog : public WorkDialog {
    Q_OBJECT

  public:
    SelfTestDialog(RunController& controller, QWidget* parent);

  private:
    struct Ended;

    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showSoFar() override;
    void showRows();
    void showReport(const selftest::Report& report);

    std::shared_ptr<Ended> m_ended; ///< shared with the background thread
    selftest::Report m_report;      ///< during the test: the rows shown so far
    QComboBox* m_device = nullptr;
    QTableWidget* m_table = nullptr;
    QPushButton* m_copy = nullptr;
};

} // namespace flcc::ui
