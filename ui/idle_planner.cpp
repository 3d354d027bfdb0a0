#include "ui/idle_planner.h"

#include <QCoreApplication>
#include <QEvent>

#include "engine/job/knowledge.h"

namespace flcc::ui {

namespace {

constexpr int kIdleMs = 4000;
constexpr double kSearchSeconds = 20;

} // namespace

IdlePlanner::IdlePlanner(RunController& controller, QObject* parent)
    : QObject(parent), m_controller(controller) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kIdleMs);
    connect(&m_timer, &QTimer::timeout, this, &IdlePlanner::improve);
    connect(&m_controller, &RunController::started, this, [this](RunController::Task task) {
        if (task == RunController::Task::Improve) {
            Q_EMIT improvingChanged(true);
        }
    });
    connect(&m_controller, &RunController::finished, this, [this](RunController::Task task) {
        m_due = m_due || task == RunController::Task::Run;
        if (task == RunController::Task::Improve) {
            Q_EMIT improvingChanged(false);
        }
        wait();
    });
    QCoreApplication::instance()->installEventFilter(this);
}

void IdlePlanner::setEnabled(bool on) {
    m_enabled = on;
    if (!on) {
        m_stop.request_stop();
    }
    wait();
}

bool IdlePlanner::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::MouseButtonPress:
    case QEvent::Wheel:
        m_stop.request_stop();
        wait();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

/// Begins to count the idle time anew.
void IdlePlanner::wait() {
    if (m_enabled && m_due) {
        m_timer.start();
    } else {
        m_timer.stop();
    }
}

void IdlePlanner::improve() {
    if (m_controller.isBusy()) {
        wait();
        return;
    }
    m_stop = {};
    m_controller.start(
        RunController::Task::Improve, {},
        [this, source = m_stop](const std::stop_token& stop, job::JobSink*) {
            const std::stop_callback ended(stop, [source]() mutable { source.request_stop(); });
            const std::stop_token token = source.get_token();
            // What was ended is taken up again in the next idle time.
            (void)job::improvePlans(kSearchSeconds, token);
            return RunController::Done([this, token] { m_due = token.stop_requested(); });
        });
}

} // namespace flcc::ui
