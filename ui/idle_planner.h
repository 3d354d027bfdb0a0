#pragma once

#include <QObject>
#include <QTimer>

#include <stop_token>

#include "ui/run_controller.h"

namespace flcc::ui {

/// Looks for better FFTW plans while nobody does anything: some seconds after a run, for a limited
/// time, ended by any key, click or work. What it finds is kept and used by the next run.
class IdlePlanner : public QObject {
    Q_OBJECT

  public:
    IdlePlanner(RunController& controller, QObject* parent);

    void setEnabled(bool on);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }

  Q_SIGNALS:
    void improvingChanged(bool improving);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void wait();
    void improve();

    RunController& m_controller;
    QTimer m_timer;
    std::stop_source m_stop; ///< of the search under way
    bool m_enabled = true;
    bool m_due = false; ///< after a run, until a search came to its end
};

} // namespace flcc::ui
