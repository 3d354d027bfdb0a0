#pragma once

#include <QDialog>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "ui/work/run_controller.h"

class QDialogButtonBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace flcc::ui {

/// A dialog for work of the engine: a sentence, a progress bar, the result, and buttons to start
/// and to stop the work. The work runs on the background thread. Closing the dialog stops it.
class WorkDialog : public QDialog {
    Q_OBJECT

  public:
    ~WorkDialog() override;

  protected:
    using Tell = std::function<void(std::string_view doing, double share)>;
    /// Passes the progress of a job to the dialog.
    class News : public job::JobSink {
      public:
        explicit News(const Tell& tell) : m_tell(tell) {}
        void doing(std::string_view word) override {
            m_word = word;
            m_tell(m_word, 0);
        }
        void progress(double share) override { m_tell(m_word, share); }

      private:
        const Tell& m_tell;
        std::string m_word;
    };
    /// Called on the background thread. The function it returns is called on the GUI thread if the
    /// dialog still exists.
    using Work = std::function<std::function<void()>(const std::stop_token&, const Tell&)>;

    /// `name` begins the names of the dialog's parts: nameVerdict, nameBar, nameStart, nameCancel.
    WorkDialog(RunController& controller, RunController::Task task, const QString& name,
               const QString& title, QWidget* parent);

    /// Starts the work. Does nothing while the work runs.
    void start();
    /// Asks the running work to stop.
    void stop();
    /// Returns the work to run; called by start().
    [[nodiscard]] virtual Work work() = 0;
    /// Called when the work has started, ended or failed, to update the derived dialog.
    virtual void workingChanged(bool working) = 0;
    /// Called ten times a second while the work runs, to show results so far.
    virtual void showSoFar() {}

    /// `bad`: in the colour of an error.
    void say(const QString& sentence, bool bad = false);
    void addContent(QWidget* content, int stretch);
    [[nodiscard]] QPushButton* addButton(const char* part, const QString& text);
    void setStartText(const QString& text);
    /// Whether the work may be started while none runs.
    void setStartable(bool startable);
    [[nodiscard]] bool isStarted() const { return m_shared != nullptr; }

  private:
    struct Shared;

    void showProgress();
    void end();

    RunController& m_controller;
    RunController::Task m_task;
    QString m_name;
    std::shared_ptr<Shared> m_shared; ///< shared with the background thread; null: no work runs
    QLabel* m_verdict = nullptr;
    QProgressBar* m_bar = nullptr;
    QVBoxLayout* m_content = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    QPushButton* m_start = nullptr;
    bool m_startable = true;
    QPushButton* m_cancel = nullptr;
};

} // namespace flcc::ui
