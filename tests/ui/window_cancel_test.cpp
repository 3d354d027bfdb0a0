#include <QAction>
#include <QElapsedTimer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/exporter.h"
#include "ui/main_window.h"
#include "ui/match_flow.h"

// How long a cancel takes at each step of the work on a scene whose side FLCC_LARGE_SIDE states.
// The times are printed, not judged: run_controller_test judges those of a small scene.

using namespace flcc;
using ui::RunController;

class WindowCancelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void eachStepIsCancelled();

  private:
    /// Cancels as a person does, `delay` ms after the phase begins; empty: after the start.
    void cancelDuring(const QString& phase, int delay, const std::function<void()>& start);
    void report(const char* what) {
        qInfo("%-28s cancelled after %lld ms of work, ended %lld ms later", what,
              static_cast<long long>(m_worked), static_cast<long long>(m_waited));
    }

    std::unique_ptr<ui::MainWindow> m_window;
    qint64 m_worked = -1;
    qint64 m_waited = -1;
};

void WindowCancelTest::cancelDuring(const QString& phase, int delay,
                                    const std::function<void()>& start) {
    RunController& controller = m_window->controller();
    QElapsedTimer since;
    QElapsedTimer work;
    m_waited = m_worked = -1;
    QObject context;
    const auto cancel = [&] {
        if (since.isValid() || !controller.isWorking()) {
            return;
        }
        m_worked = work.elapsed();
        since.start();
        test::child<QAction>(*m_window, "cancel").trigger();
    };
    connect(&controller, &RunController::phaseChanged, &context, [&](const QString& now) {
        if (now == phase) {
            QTimer::singleShot(delay, &context, cancel);
        }
    });
    connect(&controller, &RunController::finished, &context, [&] {
        if (since.isValid() && m_waited < 0) {
            m_waited = since.elapsed();
        }
    });
    work.start();
    start();
    if (phase.isEmpty()) {
        QTimer::singleShot(delay, &context, cancel);
    }
    QVERIFY(QTest::qWaitFor([&] { return !controller.isBusy(); }, 120'000));
}

void WindowCancelTest::eachStepIsCancelled() {
    const int stated = qEnvironmentVariableIntValue("FLCC_LARGE_SIDE");
    const std::int64_t side = stated > 0 ? stated : 1500;
    const QTemporaryDir folder;
    const auto file = [&folder](const char* name) {
        return std::filesystem::path(folder.filePath(QLatin1String(name)).toStdString());
    };
    {
        const ui::SceneEntry noise = test::noiseScene({side, side, 1}, 5);
        (void)io::writeImage(file("large.mha"), base::viewOf(noise.image->pixels), {});
    }
    m_window = test::shownWindow(test::Panel::AsShipped);
    const auto open = [&] { m_window->openFile(folder.filePath(QStringLiteral("large.mha"))); };
    cancelDuring({}, 60, open);
    report("reading the scene");
    open();
    QVERIFY(test::waitUntilIdle(*m_window) && m_window->document().hasScene());
    m_window->document().setBox(base::Box{{side / 2, side / 3, 0}, {61, 61, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto run = [this] { test::click(test::child<QPushButton>(*m_window, "runButton")); };
    for (const job::Phase phase : {job::Phase::Read, job::Phase::Plan, job::Phase::Run,
                                   job::Phase::Peaks, job::Phase::Write}) {
        const QString name = QString::fromStdString(std::string(job::name(phase)));
        for (const int delay : {0, 60, 300}) {
            cancelDuring(name, delay, run);
            report(qPrintable(QStringLiteral("%1 +%2").arg(name).arg(delay)));
        }
    }
    for (int i = 0; i < 2; ++i) {
        QElapsedTimer clock;
        clock.start();
        run();
        QVERIFY(QTest::qWaitFor([this] { return m_window->controller().isBusy(); }, 5'000));
        QVERIFY(test::waitUntilIdle(*m_window));
        const auto& facts = m_window->document().result()->job->report;
        const auto* chosen = facts.plan.chosen();
        qInfo("%s: predicted %.0f ms, computed in %.0f ms; the whole run took %lld ms",
              chosen->candidate.label().c_str(), chosen->prediction->ms,
              facts.run->executeMs.median, static_cast<long long>(clock.elapsed()));
    }
    const auto write = [&] { m_window->exporter().writeMap(file("map.mha")); };
    for (const int delay : {0, 60, 200}) {
        cancelDuring({}, delay, write);
        report(qPrintable(QStringLiteral("writing the map +%1").arg(delay)));
        qInfo("a file is there: %s", std::filesystem::exists(file("map.mha")) ? "yes" : "no");
        std::filesystem::remove(file("map.mha"));
    }
    m_window.reset();
}

const flcc::test::TestClass<WindowCancelTest> kWindowCancelTest;

#include "window_cancel_test.moc"
