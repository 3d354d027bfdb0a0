#include "ui/work/work_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <mutex>
#include <string>

#include "ui/base/text.h"

namespace flcc::ui {

namespace {

constexpr int kUpdateMs = 100;

} // namespace

/// Progress reported by the background thread; it may outlive the dialog.
struct WorkDialog::Shared {
    std::stop_source stop;
    std::mutex mutex;
    std::string doing; ///< guarded by mutex
    double share = 0;  ///< guarded by mutex
};

WorkDialog::WorkDialog(RunController& controller, RunController::Task task, const QString& name,
                       const QString& title, QWidget* parent)
    : QDialog(parent), m_controller(controller), m_task(task), m_name(name) {
    setObjectName(name);
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    m_verdict = new QLabel(this);
    m_verdict->setObjectName(name + QStringLiteral("Verdict"));
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bar = new QProgressBar(this);
    m_bar->setObjectName(name + QStringLiteral("Bar"));
    m_bar->setAccessibleName(tr("Progress"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->hide();
    m_content = new QVBoxLayout;
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_start = addButton("Start", tr("Start"));
    m_cancel = addButton("Cancel", tr("Stop"));
    m_cancel->setEnabled(false);
    connect(m_start, &QPushButton::clicked, this, &WorkDialog::start);
    connect(m_cancel, &QPushButton::clicked, this, &WorkDialog::stop);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&m_controller, &RunController::failed, this,
            [this](RunController::Task failed, const QString& sentence) {
                if (failed == m_task) {
                    end();
                    say(sentence);
                }
            });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_verdict);
    layout->addWidget(m_bar);
    layout->addLayout(m_content, 1);
    layout->addWidget(m_buttons);
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &WorkDialog::showProgress);
    timer->start(kUpdateMs);
}

WorkDialog::~WorkDialog() { stop(); }

QPushButton* WorkDialog::addButton(const char* part, const QString& text) {
    QPushButton* button = m_buttons->addButton(text, QDialogButtonBox::ActionRole);
    button->setObjectName(m_name + QLatin1String(part));
    button->setAutoDefault(false);
    return button;
}

void WorkDialog::addContent(QWidget* content, int stretch) {
    m_content->addWidget(content, stretch);
}

void WorkDialog::setStartText(const QString& text) { m_start->setText(text); }

void WorkDialog::setStartable(bool startable) {
    m_startable = startable;
    m_start->setEnabled(startable && !m_shared);
}

void WorkDialog::say(const QString& sentence, bool bad) {
    m_verdict->setForegroundRole(bad ? QPalette::BrightText : QPalette::NoRole);
    m_verdict->setText(sentence);
}

void WorkDialog::start() {
    if (m_shared || !m_startable) {
        return;
    }
    m_shared = std::make_shared<Shared>();
    m_bar->setValue(0);
    m_bar->show();
    m_start->setEnabled(false);
    m_cancel->setEnabled(true);
    say(tr("Waiting for the current work to end …"));
    workingChanged(true);
    const QPointer<WorkDialog> self(this);
    m_controller.start(
        m_task, windowTitle(),
        [self, shared = m_shared, work = work()](const std::stop_token& stop, job::JobSink* sink) {
            // The dialog or the window can stop the work.
            const std::stop_callback ended(stop, [&] { shared->stop.request_stop(); });
            auto done = work(shared->stop.get_token(), [&](std::string_view doing, double share) {
                sink->progress(share);
                const std::scoped_lock lock(shared->mutex);
                shared->doing = doing;
                shared->share = share;
            });
            return RunController::Done([self, done = std::move(done)] {
                if (self) {
                    self->end();
                    done();
                }
            });
        });
}

void WorkDialog::stop() {
    if (m_shared) {
        m_shared->stop.request_stop();
        say(tr("Stopping …"));
    }
}

void WorkDialog::end() {
    m_shared.reset();
    m_bar->hide();
    m_start->setEnabled(m_startable);
    m_cancel->setEnabled(false);
    workingChanged(false);
}

void WorkDialog::showProgress() {
    if (!m_shared || m_shared->stop.stop_requested()) {
        return;
    }
    showSoFar();
    const std::scoped_lock lock(m_shared->mutex);
    if (!m_shared->doing.empty()) {
        m_bar->setValue(static_cast<int>(m_shared->share * 1000));
        say(tr("Running: %1").arg(toQString(m_shared->doing)));
    }
}

} // namespace flcc::ui
