#pragma once

#include <QWidget>

class QPushButton;

namespace flcc::ui {

/// The buttons [Plan] and [Run]. During a run, [Run] is [Cancel].
class RunBar : public QWidget {
    Q_OBJECT

  public:
    explicit RunBar(QWidget* parent = nullptr);

    [[nodiscard]] bool running() const { return m_running; }
    /// `keeps`: what is finished when a run stops is kept, and another run goes on from there.
    void setRunning(bool running, bool keeps);
    void setCancelling(); ///< shows "Cancelling" until setRunning() is called
    /// `ready`: there is something to search for. `reason` speaks against a run; empty: nothing.
    void setReady(bool ready, const QString& reason);

  Q_SIGNALS:
    void planRequested();
    void runRequested();
    void cancelRequested();

  private:
    bool m_running = false;
    bool m_keeps = false;
    QPushButton* m_plan = nullptr;
    QPushButton* m_run = nullptr;
};

} // namespace flcc::ui
