#pragma once

#include <QDialog>

#include <memory>

#include "engine/selftest/self_test.h"
#include "ui/run_controller.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace flcc::ui {

/// Runs the self-test of the engine on the background thread, with its progress, and shows a row
/// for every case and method; closing ends it.
class SelfTestDialog : public QDialog {
    Q_OBJECT

  public:
    SelfTestDialog(RunController& controller, QWidget* parent);
    ~SelfTestDialog() override;

  private:
    struct Shared;

    void start();
    void stop();
    void showReport(const selftest::Report& report);
    void showProgress();

    RunController& m_controller;
    std::shared_ptr<Shared> m_shared; ///< of this window and the background thread
    selftest::Report m_report;
    QLabel* m_verdict = nullptr;
    QProgressBar* m_bar = nullptr;
    QTableWidget* m_table = nullptr;
    QPushButton* m_again = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_cancel = nullptr;
};

} // namespace flcc::ui
