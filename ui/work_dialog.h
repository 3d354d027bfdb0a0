#pragma once

#include <QDialog>

#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "ui/run_controller.h"

class QDialogButtonBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace flcc::ui {

/// A dialog around a piece of work of the engine: a sentence, a bar, what comes of it, and buttons
/// to start and to end it. The work is done on the background thread; closing the dialog ends it.
class WorkDialog : public QDialog {
    Q_OBJECT

  public:
    ~WorkDialog() override;

  protected:
    using Tell = std::function<void(std::string_view doing, double share)>;
    /// On the background thread; what it returns is called on the GUI thread if the dialog is still
    /// there.
    using Work = std::function<std::function<void()>(const std::stop_token&, const Tell&)>;

    /// `name` begins the names of the dialog's parts: nameVerdict, nameBar, nameStart, nameCancel.
    WorkDialog(RunController& controller, RunController::Task task, const QString& name,
               const QString& title, QWidget* parent);

    /// Starts the work; nothing while one is under way.
    void start();
    /// Asks the work under way to end.
    void stop();
    /// The work to be done, asked for by start().
    [[nodiscard]] virtual Work work() = 0;
    /// The work has begun, or has ended or failed: for the parts of the derived dialog.
    virtual void workingChanged(bool working) = 0;
    /// Comes ten times a second while the work goes on: shows what it has brought so far.
    virtual void showSoFar() {}

    void say(const QString& sentence);
    void addContent(QWidget* content, int stretch);
    [[nodiscard]] QPushButton* addButton(const char* part, const QString& text);
    void setStartText(const QString& text);

  private:
    struct Shared;

    void showProgress();
    void end();

    RunController& m_controller;
    RunController::Task m_task;
    QString m_name;
    std::shared_ptr<Shared> m_shared; ///< of this window and the background thread; null: no work
    QLabel* m_verdict = nullptr;
    QProgressBar* m_bar = nullptr;
    QVBoxLayout* m_content = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_cancel = nullptr;
};

} // namespace flcc::ui
