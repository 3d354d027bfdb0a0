#include <QAbstractItemModel>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/plan/plan_card.h"
#include "ui/plan/plan_model.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"

using namespace flcc;
using test::Call;
using test::DeviceDouble;

namespace {

std::string noteOfMap(ui::MainWindow& window) {
    return window.views().frames()[0]->slice()->mapNote();
}

bool saysNotYetVerified(ui::MainWindow& window) {
    return test::child<QLabel>(window, "statusUnverified").isVisible();
}

QString textOf(ui::MainWindow& window, const char* label) {
    return test::child<QLabel>(window, label).text();
}

ui::MessageBar& messageBar(ui::MainWindow& window) {
    return test::child<ui::MessageBar>(window, "messageBar");
}

/// What stands in the list of devices for one of them, and whether it can be chosen.
struct Choice {
    QString text;
    bool enabled = false;
};
Choice choiceOf(ui::MainWindow& window, const char* device) {
    const auto& box = test::child<QComboBox>(window, "device");
    const int row = box.findData(QString(device));
    return {box.itemText(row),
            box.model()->flags(box.model()->index(row, 0)).testFlag(Qt::ItemIsEnabled)};
}

/// A scene with a template, to be matched in four parts by the direct method.
void pose(ui::MainWindow& window, const char* device) {
    window.document().setScene(test::noiseScene({256, 240, 1}, 7));
    window.document().setBox(base::Box{{60, 40, 0}, {48, 48, 1}});
    window.document().cutTemplate();
    job::Job job = window.matchPanel().settings();
    job.device = device;
    job.method = "direct";
    job.tile = {128, 128, 1};
    job.threads = 1;
    job.planning = plan::Planning::Estimate;
    window.matchPanel().setSettings(job);
    QVERIFY(test::waitUntilIdle(window));
}

/// Runs what is posed to its end, which may be an error.
bool runToItsEnd(ui::MainWindow& window) {
    bool ended = false;
    const QMetaObject::Connection end = QObject::connect(
        &window.controller(), &ui::RunController::finished, [&ended](ui::RunController::Task task) {
            ended = ended || task == ui::RunController::Task::Run;
        });
    test::click(test::child<QPushButton>(window, "runButton"));
    const bool waited = QTest::qWaitFor([&ended] { return ended; }, 60'000);
    QObject::disconnect(end);
    return waited && test::waitUntilIdle(window);
}

/// For looking at: FLCC_GPU_PICTURES names a folder.
void keepPicture(ui::MainWindow& window, const char* name) {
    if (const QString folder = qEnvironmentVariable("FLCC_GPU_PICTURES"); !folder.isEmpty()) {
        QVERIFY(window.grab().save(folder + QChar('/') + QString(name) + ".png"));
    }
}

/// Every kernel of a part takes so long that the window sees the map being filled.
void takeYourTime() {
    test::deviceDouble().starting = [](std::int32_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
    };
}

} // namespace

/// A window whose machine has a GPU, which is stood in for.
class WindowGpuTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().resetFast();
        cuda::Engine::standIn(&test::doubleTable());
    }
    void init() {
        test::deviceDouble().resetFast();
        m_window = test::shownWindow();
    }
    void cleanup() { m_window.reset(); }

    void aGpuIsAskedForItsMemoryWhenTheListIsOpened() {
        QCOMPARE(test::deviceDouble().memoryAsked, std::int64_t{0});
        QCOMPARE(choiceOf(*m_window, "cuda:0").text, QString("Double 0, 8.0 GiB"));
        auto& box = test::child<QComboBox>(*m_window, "device");
        test::click(box);
        QTRY_COMPARE(choiceOf(*m_window, "cuda:0").text,
                     QString("Double 0, 6.0 GiB free of 8.0 GiB"));
        QCOMPARE(test::deviceDouble().memoryAsked, std::int64_t{1});
        box.hidePopup();
        QCOMPARE(box.currentData().toString(), QString("auto"));
    }

    void theCardShowsBothDevicesWithTransfersAndComputeApart() {
        pose(*m_window, "auto");
        ui::PlanCard& card = m_window->matchPanel().planCard();
        const plan::PlanReport& plan = m_window->flow().report()->plan;
        QCOMPARE(plan.chosen()->candidate.device, std::string("cuda:0"));
        QVERIFY2(textOf(*m_window, "planHeadline").contains("on CUDA 0"),
                 qPrintable(textOf(*m_window, "planHeadline")));
        for (const char* part : {"planUpload", "planCompute", "planDownload"}) {
            const auto& predicted =
                test::child<QLabel>(card, qPrintable(QString(part) + "Predicted"));
            QVERIFY2(predicted.isVisible() && predicted.text().endsWith(" ms"), part);
            QVERIFY(!test::child<QLabel>(card, qPrintable(QString(part) + "Measured")).isVisible());
        }
        QVERIFY2(card.text().contains("on CPU — "), qPrintable(card.text()));
        QVERIFY(test::runAndWait(*m_window));
        for (const char* part : {"planUpload", "planCompute", "planDownload"}) {
            QVERIFY(test::child<QLabel>(card, qPrintable(QString(part) + "Measured")).isVisible());
        }

        // What a GPU does more slowly has its parts beside its time.
        pose(*m_window, "cuda:0");
        job::Job job = m_window->matchPanel().settings();
        job.method = "auto";
        job.tile = {0, 0, 0};
        m_window->matchPanel().setSettings(job);
        QVERIFY(test::waitUntilIdle(*m_window));
        const QRegularExpression parts(
            QStringLiteral("slower: [^\n]* m?s\\b[^\n]*\\(upload [^,]+ ms, compute [^,]+ ms, "
                           "download [^,]+ ms\\)"));
        QVERIFY2(parts.match(card.text()).hasMatch(), qPrintable(card.text()));

        job.device = "cpu";
        m_window->matchPanel().setSettings(job);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(!test::child<QLabel>(card, "planUploadPredicted").isVisible());
        QVERIFY2(!card.text().contains("(upload "), qPrintable(card.text()));
    }

    void aMapOfAGpuIsNotYetVerifiedUntilTheAuditHasItsVerdict() {
        pose(*m_window, "auto");
        takeYourTime();
        std::vector<job::Verification> reported;
        std::vector<std::string> names;
        std::vector<bool> said;
        connect(&m_window->controller(), &ui::RunController::verificationChanged, this,
                [&](job::Verification now, const QString&) {
                    reported.push_back(now);
                    names.push_back(noteOfMap(*m_window));
                    said.push_back(saysNotYetVerified(*m_window));
                });
        int filled = 0;
        connect(&m_window->controller(), &ui::RunController::regionsFinished, this, [&] {
            if (reported == std::vector{job::Verification::Open}) {
                ++filled;
                QVERIFY(noteOfMap(*m_window) == "not yet verified");
                QVERIFY(saysNotYetVerified(*m_window));
                if (filled == 1) {
                    QTest::qWait(1); // what was finished is drawn
                    keepPicture(*m_window, "filling");
                }
            }
        });
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(reported == (std::vector{job::Verification::Open, job::Verification::Passed}));
        QVERIFY(names == (std::vector<std::string>{"not yet verified", ""}));
        QVERIFY(said == (std::vector<bool>{true, false}));
        QVERIFY(filled > 0);
        const job::JobReport& report = m_window->document().result()->job->report;
        QCOMPARE(report.run->device, std::string("cuda:0"));
        QVERIFY(report.audit->verdict == job::AuditVerdict::Passed && report.audit->checked >= 64);
        QCOMPARE(textOf(*m_window, "statusDevice"), QString("ran on CUDA 0, Double 0"));
        QVERIFY(!messageBar(*m_window).isVisible());
        test::child<QTabWidget>(*m_window, "resultTabs").setCurrentIndex(1);
        QTest::qWait(50);
        keepPicture(*m_window, "verified");

        // What the processor computes needs no such words.
        reported.clear();
        pose(*m_window, "cpu");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(reported == (std::vector{job::Verification::NotNeeded}));
        QVERIFY(textOf(*m_window, "statusDevice").startsWith("ran on CPU, "));
    }

    void theStatusBarSaysHowLongARunWillTake() {
        pose(*m_window, "cuda:0");
        test::deviceDouble().starting = [](std::int32_t) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1200)); // a quarter of the run
        };
        QStringList texts;
        QTimer watch;
        connect(&watch, &QTimer::timeout, this, [&] { texts << textOf(*m_window, "statusWork"); });
        watch.start(100);
        QVERIFY(test::runAndWait(*m_window));
        const QRegularExpression left(QStringLiteral("^Run: matching, \\d s, about (\\d) s left$"));
        const QStringList found = texts.filter(left);
        QVERIFY2(!found.isEmpty(), qPrintable(texts.join(QChar('\n'))));
        const int seconds = left.match(found.front()).captured(1).toInt();
        QVERIFY2(seconds >= 1, qPrintable(found.front())); // three parts are under way at once
    }

    void aFigureIsThatOfTheChosenDevice() {
        test::child<QAction>(*m_window, "figureAction").trigger();
        auto& dialog = test::child<QDialog>(*m_window, "figure");
        auto& again = test::child<QPushButton>(dialog, "figureStart");
        auto& save = test::child<QPushButton>(dialog, "figureSave");
        const auto& picture = test::child<QLabel>(dialog, "figurePicture");
        test::click(test::child<QCheckBox>(dialog, "figureQuick"));
        test::click(again);
        QTRY_VERIFY_WITH_TIMEOUT(save.isEnabled(), 30'000);
        auto& device = test::child<QComboBox>(dialog, "figureDevice");
        QCOMPARE(device.currentData().toString(), QString("cpu"));
        const QImage ofCpu = picture.pixmap().toImage();
        device.setFocus();
        QTest::keyClicks(&device, "Double"); // the name of the GPU
        QCOMPARE(device.currentData().toString(), QString("cuda:0"));
        test::click(again);
        const auto& label = test::child<QLabel>(dialog, "figureVerdict");
        QTRY_VERIFY2_WITH_TIMEOUT(save.isEnabled() && picture.pixmap().toImage() != ofCpu,
                                  qPrintable(label.text()), 30'000);
        const QString verdict = label.text();
        QVERIFY2(verdict.contains("on Double 0") && verdict.contains("not calibrated"),
                 qPrintable(verdict));
        dialog.close();
    }

    void aResultThatFailsIsNeverShown() {
        pose(*m_window, "auto");
        test::deviceDouble().wrong = 0.01F;
        std::vector<job::Verification> reported;
        connect(&m_window->controller(), &ui::RunController::verificationChanged, this,
                [&](job::Verification now, const QString&) {
                    reported.push_back(now);
                    if (now == job::Verification::Failed) { // the wrong map is gone
                        QVERIFY(m_window->views().shownMap() == nullptr);
                        QVERIFY(messageBar(*m_window).sentence().contains("a wrong result"));
                    }
                });
        QVERIFY(test::runAndWait(*m_window));
        using enum job::Verification;
        QVERIFY(reported == (std::vector{Open, Failed, NotNeeded}));
        const job::JobResult& found = *m_window->document().result()->job;
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QVERIFY(found.peaks.front().corner == (base::Index{60, 40, 0}));
        QVERIFY(found.peaks.front().score > 1 - 1e-9);
        QCOMPARE(noteOfMap(*m_window), std::string());
        QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Warning);
        const QString sentence = messageBar(*m_window).sentence();
        QVERIFY2(sentence.startsWith("device 'cuda:0' gave a wrong result: ") &&
                     sentence.endsWith("; the run was done on the CPU instead"),
                 qPrintable(sentence));

        // A GPU that was asked for is not replaced.
        const std::size_t before = m_window->document().results().size();
        pose(*m_window, "cuda:0");
        QVERIFY(runToItsEnd(*m_window));
        QCOMPARE(m_window->document().results().size(), std::size_t{0}); // the scene is new
        QVERIFY(before == 1 && m_window->views().shownMap() == nullptr);
        QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Error);
        QVERIFY(messageBar(*m_window).sentence().contains("gave a wrong result"));
        QVERIFY(!saysNotYetVerified(*m_window));
        test::deviceDouble().resetFast();
        QVERIFY(test::runAndWait(*m_window)); // all is usable again
    }

    void whatWasNotVerifiedSaysSoAndIsNotWritten() {
        pose(*m_window, "cuda:0");
        takeYourTime();
        const auto stop = connect(&m_window->controller(), &ui::RunController::regionsFinished,
                                  this, [&] { QTest::keyClick(m_window.get(), Qt::Key_Escape); });
        QVERIFY(test::runAndWait(*m_window));
        disconnect(stop);
        QVERIFY(m_window->document().result()->job->cancelled);
        QCOMPARE(noteOfMap(*m_window), std::string("not verified"));
        const ui::DataModel model(m_window->document());
        const QModelIndex last = model.index(model.rowCount() - 1);
        QCOMPARE(last.data(ui::DataModel::DetailRole).toString(),
                 QString("cancelled, not verified"));
        QCOMPARE(last.data(ui::DataModel::BadgeRole).toString(), QString("partial"));
        const QTemporaryDir folder;
        m_window->exporter().writeMap(folder.filePath("map.mha").toStdString());
        QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Error);
        QVERIFY2(messageBar(*m_window).sentence().contains("not verified"),
                 qPrintable(messageBar(*m_window).sentence()));
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(!QFile::exists(folder.filePath("map.mha")));
    }

    // The last, as it ends the device for the process.
    void aDeviceLostInARunEndsInOneSentenceAndAResultOfTheProcessor() {
        pose(*m_window, "auto");
        QVERIFY(choiceOf(*m_window, "cuda:0").enabled);
        test::failAt(Call::Await, 2, DeviceDouble::kIllegalAddress);
        QVERIFY(test::runAndWait(*m_window));
        const job::JobResult& found = *m_window->document().result()->job;
        QVERIFY(!found.cancelled && found.peaks.front().corner == (base::Index{60, 40, 0}));
        QVERIFY(textOf(*m_window, "statusDevice").startsWith("ran on CPU, "));
        const QString sentence = messageBar(*m_window).sentence();
        QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Warning);
        QVERIFY2(sentence.startsWith("device 'cuda:0' failed: ") &&
                     sentence.endsWith("; the run was done on the CPU instead"),
                 qPrintable(sentence));
        QTest::qWait(50);
        keepPicture(*m_window, "lost");
        const Choice lost = choiceOf(*m_window, "cuda:0");
        QVERIFY2(!lost.enabled && lost.text.contains("start the program again"),
                 qPrintable(lost.text));
        QVERIFY2(m_window->matchPanel().planCard().text().contains("failed in the run"),
                 qPrintable(m_window->matchPanel().planCard().text()));
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(!messageBar(*m_window).isVisible());

        // One that was asked for ends in one sentence, and all is usable.
        job::Job job = m_window->matchPanel().settings();
        job.device = "cuda:0";
        m_window->matchPanel().setSettings(job);
        QVERIFY(test::waitUntilIdle(*m_window));
        const std::size_t before = m_window->document().results().size();
        QVERIFY(runToItsEnd(*m_window));
        QCOMPARE(m_window->document().results().size(), before);
        QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Error);
        QVERIFY(test::child<QPushButton>(*m_window, "runButton").isEnabled());
    }

  private:
    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowGpuTest> kWindowGpuTest;

#include "window_gpu_test.moc"
