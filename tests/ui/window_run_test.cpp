#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <cmath>
#include <filesystem>

#include "engine/base/tile_pool.h"
#include "engine/job/knowledge.h"
#include "engine/sample/sample.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/plan/plan_card.h"
#include "ui/plan/plan_model.h"
#include "ui/views/views_panel.h"

using namespace flcc;

namespace {

ui::MessageBar& messageBar(ui::MainWindow& window) {
    return test::child<ui::MessageBar>(window, "messageBar");
}

/// A run that takes seconds on the CPU, with tiles small enough to be stopped in the middle.
void chooseLongRun(ui::MainWindow& window) {
    job::Job job = window.matchPanel().settings();
    job.method = "direct";
    job.threads = 1;
    job.planning = plan::Planning::Estimate;
    window.matchPanel().setSettings(job);
}

} // namespace

class WindowRunTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aSampleGoesFromOpenToPeaksInTwoClicks();
    void aBoxDraggedWithTheMouseIsCutAndFound();
    void aRunStoppedHalfWayKeepsWhatIsFinished();
    void aRunStoppedWithAFinishedMapGetsItsPeaks();
    void anErrorIsOneSentenceAndTheNextRunWorks();
    void thePlanCardShowsPredictionBeforeAndMeasurementBesideItAfter();
    void theCardTellsOfARunThatWasNeverPlanned();
    void aMemoryLimitThatIsTooSmallIsRefusedWithReasons();
    void aDeviceThatCannotBeUsedIsListedWithItsReason();
    void everyControlOfTheMatchPanelReachesTheJob();
    void planningWritesNothingAndARunKeepsWhatWasLearnt();
    void closingTheWindowDuringARunIsSafe();

  private:
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowRunTest::init() { m_window = test::shownWindow(); }

void WindowRunTest::cleanup() { m_window.reset(); }

void WindowRunTest::aSampleGoesFromOpenToPeaksInTwoClicks() {
    const sample::Sample truth = sample::makeSample("cells");
    test::click(test::child<QWidget>(*m_window, "sample_cells"));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().templ() != nullptr, 30'000);
    test::click(test::child<QPushButton>(*m_window, "runButton"));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().result() != nullptr, 60'000);
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    QVERIFY(table.model()->rowCount() >= static_cast<int>(truth.centres.size()));
    // The best peak lies on a planted copy.
    const base::Point& best = m_window->document().result()->job->peaks.front().centre;
    double nearest = 1e9;
    for (const base::Point& centre : truth.centres) {
        nearest = std::min(nearest, std::hypot(centre[0] - best[0], centre[1] - best[1]));
    }
    QVERIFY(nearest < 0.5);
    const auto& device = test::child<QLabel>(*m_window, "statusDevice");
    QVERIFY2(device.text().startsWith(QStringLiteral("ran on ")), qPrintable(device.text()));
}

void WindowRunTest::aBoxDraggedWithTheMouseIsCutAndFound() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({160, 120, 1}, 11));
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    QTest::qWait(200);
    frame.widget()->setFocus();
    QTest::keyClick(frame.widget(), Qt::Key_4);
    QCOMPARE(m_window->tools().tool(), ui::Tool::Box);
    test::drag(frame, test::pointOf(frame, {40, 30, 0}), test::pointOf(frame, {63, 49, 0}));
    QVERIFY(document.box().has_value());
    QVERIFY(document.box() == (base::Box{{40, 30, 0}, {24, 20, 1}}));
    QCOMPARE(test::child<QSpinBox>(*m_window, "boxW").value(), 24);

    // The inside moves it, the corner resizes it, the arrows nudge it; each is one undo step.
    test::drag(frame, test::pointOf(frame, {50, 40, 0}), test::pointOf(frame, {56, 37, 0}));
    QVERIFY(document.box() == (base::Box{{46, 27, 0}, {24, 20, 1}}));
    QTest::keyClick(frame.widget(), Qt::Key_Right);
    QTest::keyClick(frame.widget(), Qt::Key_Up, Qt::ShiftModifier);
    QVERIFY(document.box() == (base::Box{{47, 22, 0}, {24, 20, 1}}));
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(frame.widget(), Qt::Key_Z, Qt::ControlModifier);
    }
    QVERIFY(document.box() == (base::Box{{40, 30, 0}, {24, 20, 1}}));

    QTest::keyClick(frame.widget(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(document.templ() != nullptr);
    QVERIFY(document.templ()->crop == document.box());
    QVERIFY(test::runAndWait(*m_window));
    const match::Peak& best = document.result()->job->peaks.front();
    QVERIFY(best.corner == (base::Index{40, 30, 0}));
    QVERIFY(best.score > 1 - 1e-9);
    QCOMPARE(document.selectedPeak(), 0);
}

void WindowRunTest::aRunStoppedHalfWayKeepsWhatIsFinished() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({2400, 2400, 1}, 5));
    document.setBox(base::Box{{100, 200, 0}, {63, 61, 1}});
    document.cutTemplate();
    chooseLongRun(*m_window);
    QVERIFY(test::waitUntilIdle(*m_window));
    ui::RunController& controller = m_window->controller();
    QElapsedTimer since;
    qint64 waited = -1;
    QString said;
    const auto stop = connect(&controller, &ui::RunController::regionsFinished, this, [&] {
        if (!since.isValid()) {
            since.start();
            QTest::keyClick(m_window.get(), Qt::Key_Escape);
            said = test::child<QPushButton>(*m_window, "runButton").text();
        }
    });
    const auto end = connect(&controller, &ui::RunController::finished, this, [&] {
        if (waited < 0 && since.isValid()) {
            waited = since.elapsed();
        }
    });
    QVERIFY(test::runAndWait(*m_window));
    disconnect(stop);
    disconnect(end);
    QVERIFY2(waited >= 0 && waited < 1000, qPrintable(QString::number(waited)));
    const std::shared_ptr<const job::JobResult> partial = document.result()->job;
    QVERIFY(partial->cancelled);
    QCOMPARE(said, QStringLiteral("Cancelling …"));
    const ui::DataModel data(document);
    const QModelIndex row = data.index(data.rowCount() - 1);
    QCOMPARE(row.data(ui::DataModel::DetailRole).toString(), QStringLiteral("cancelled"));
    QCOMPARE(row.data(ui::DataModel::BadgeRole).toString(), QStringLiteral("partial"));
    QCOMPARE(test::child<QPushButton>(*m_window, "runButton").text(), QStringLiteral("Run"));
    QVERIFY(messageBar(*m_window).isVisible());
    QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Warning);

    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(!messageBar(*m_window).isVisible()); // the warning was about the run before
    const std::shared_ptr<const job::JobResult> full = document.result()->job;
    QVERIFY(!full->cancelled);
    QVERIFY(!full->peaks.empty());
    std::int64_t done = 0;
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < full->map->value.count(); ++i) {
        if (partial->map->status.data()[i] != base::Status::NotComputed) {
            ++done;
            different += partial->map->value.data()[i] != full->map->value.data()[i] ||
                                 partial->map->status.data()[i] != full->map->status.data()[i]
                             ? 1
                             : 0;
        }
    }
    QVERIFY(done > 0);
    QVERIFY(done < full->map->value.count());
    QCOMPARE(different, std::int64_t{0});
}

/// The moment does not depend on the machine: the run is stopped by its sink.
void WindowRunTest::aRunStoppedWithAFinishedMapGetsItsPeaks() {
    struct Stopper : job::JobSink {
        std::stop_source source;
        void phase(job::Phase phase) override {
            if (phase == job::Phase::Peaks) {
                source.request_stop();
            }
        }
    } stopper;
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({200, 150, 1}, 5));
    document.setBox(base::Box{{100, 80, 0}, {15, 13, 1}});
    document.cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    const job::Job job = m_window->flow().currentJob();
    job::JobImages images;
    images.scene = document.scene().image;
    images.templates = {document.templ()->image};
    auto result = std::make_shared<job::JobResult>(
        job::runJob(job, images, stopper.source.get_token(), &stopper));
    QVERIFY(result->cancelled && result->peaks.empty());
    document.addResult({{result, job}, QStringLiteral("stopped"), 0, 0, document.inputs()});
    QTRY_VERIFY(!document.result()->job->peaks.empty());
    QVERIFY(document.result()->job->peaks.front().corner == (base::Index{100, 80, 0}));
    QVERIFY(test::child<QTableView>(*m_window, "peaksTable").model()->rowCount() > 0);
}

void WindowRunTest::anErrorIsOneSentenceAndTheNextRunWorks() {
    ui::SceneEntry scene = test::noiseScene({200, 150, 1}, 2);
    auto flat = std::make_shared<job::SceneImage>();
    base::Image<float> pixels({200, 150, 1});
    const auto& noise = std::get<base::Image<float>>(scene.image->pixels);
    std::copy(noise.data(), noise.data() + noise.count(), pixels.data());
    for (std::int64_t y = 0; y < 20; ++y) {
        std::fill_n(pixels.view().row(y, 0), 20, 3.0F);
    }
    flat->pixels = std::move(pixels);
    scene.image = flat;
    ui::Document& document = m_window->document();
    document.setScene(scene);
    document.setBox(base::Box{{2, 2, 0}, {9, 9, 1}});
    document.cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    QSignalSpy failed(&m_window->controller(), &ui::RunController::failed);
    QVERIFY(!test::child<QPushButton>(*m_window, "runButton").isEnabled());
    m_window->flow().run();
    QCOMPARE(failed.count(), 0);
    QVERIFY(messageBar(*m_window).isVisible());
    QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Error);
    QVERIFY2(messageBar(*m_window).sentence().contains(QStringLiteral("constant")),
             qPrintable(messageBar(*m_window).sentence()));

    document.setBox(base::Box{{60, 60, 0}, {9, 9, 1}});
    test::click(test::child<QPushButton>(*m_window, "cutTemplate"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document.result()->job->peaks.front().corner == (base::Index{60, 60, 0}));
}

void WindowRunTest::thePlanCardShowsPredictionBeforeAndMeasurementBesideItAfter() {
    ui::Document& document = m_window->document();
    ui::PlanCard& card = m_window->matchPanel().planCard();
    document.setScene(test::noiseScene({300, 300, 1}, 4));
    document.setBox(base::Box{{10, 10, 0}, {16, 16, 1}});
    document.cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    // Planned in the background, without a click.
    QVERIFY(m_window->flow().report().has_value());
    const plan::CandidateReport* chosen = m_window->flow().report()->plan.chosen();
    QVERIFY(chosen != nullptr);
    QVERIFY2(card.text().contains(QString::fromStdString(chosen->candidate.method)),
             qPrintable(card.text()));
    QVERIFY(card.text().contains(QStringLiteral("predicted")));
    QVERIFY(!card.text().contains(QStringLiteral("measured")));
    QVERIFY(card.text().contains(QStringLiteral("slower")));
    const QString predicted = test::child<QLabel>(card, "planTimePredicted").text();
    QVERIFY(!predicted.isEmpty());
    // The report's table has the same number.
    const QAbstractItemModel* table = test::child<QTableView>(*m_window, "reportTable").model();
    QCOMPARE(table->index(0, ui::PlanModel::Verdict).data().toString(), QStringLiteral("chosen"));
    QCOMPARE(table->index(0, ui::PlanModel::Predicted).data().toString(), predicted);
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(card.text().contains(QStringLiteral("measured")));
    QVERIFY(!test::child<QLabel>(card, "planTimeMeasured").text().isEmpty());
    QVERIFY(!test::child<QLabel>(card, "planMemoryMeasured").text().isEmpty());
}

/// As `--run` does: nothing was planned when the run begins.
void WindowRunTest::theCardTellsOfARunThatWasNeverPlanned() {
    m_window->document().setScene(test::noiseScene({400, 300, 1}, 5));
    m_window->document().setBox(base::Box{{70, 50, 0}, {13, 11, 1}});
    m_window->document().cutTemplate();
    const auto& line = test::child<QLabel>(*m_window, "planLine");
    QVERIFY(line.text().contains("Choose a template"));
    QStringList told;
    connect(&m_window->controller(), &ui::RunController::planned, this,
            [&] { told << line.text(); });
    m_window->flow().run();
    told << line.text();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(told.size(), 2);
    for (const QString& text : told) {
        QVERIFY2(text.contains("Running: "), qPrintable(text));
    }
    QVERIFY2(told.last().contains(" on CPU, "), qPrintable(told.last()));
    QVERIFY2(line.text().contains("ran "), qPrintable(line.text()));
    // A run that was planned keeps its plan on the card.
    m_window->flow().run();
    QVERIFY(!line.text().contains("Running"));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowRunTest::aMemoryLimitThatIsTooSmallIsRefusedWithReasons() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({300, 300, 1}, 4));
    document.setBox(base::Box{{10, 10, 0}, {16, 16, 1}});
    document.cutTemplate();
    auto& memory = test::child<QLineEdit>(*m_window, "memory");
    memory.setFocus();
    QTest::keyClicks(&memory, QStringLiteral("1000"));
    QTest::keyClick(&memory, Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString text = m_window->matchPanel().planCard().text();
    QVERIFY2(text.contains(QStringLiteral("refused")), qPrintable(text));
    QVERIFY(m_window->flow().report()->plan.chosen() == nullptr);
    // A text that is no size is a sentence; the field keeps it.
    memory.selectAll();
    QTest::keyClicks(&memory, QStringLiteral("much"));
    QTest::keyClick(&memory, Qt::Key_Return);
    QCOMPARE(messageBar(*m_window).kind(), ui::MessageBar::Kind::Error);
    QCOMPARE(memory.text(), QStringLiteral("much"));
}

void WindowRunTest::aDeviceThatCannotBeUsedIsListedWithItsReason() {
    const auto& combo = test::child<QComboBox>(*m_window, "device");
    bool found = false;
    for (const plan::Device& device : plan::devices()) {
        const int row = combo.findData(QString::fromStdString(device.id));
        QVERIFY(row >= 0);
        const bool enabled =
            combo.model()->flags(combo.model()->index(row, 0)).testFlag(Qt::ItemIsEnabled);
        QCOMPARE(enabled, device.usable);
        if (!device.usable) {
            found = true;
            const QString reason = QString::fromStdString(device.reason);
            QVERIFY(!reason.isEmpty());
            QVERIFY(combo.itemText(row).contains(reason));
            QCOMPARE(combo.itemData(row, Qt::ToolTipRole).toString(), reason);
        }
    }
    QCOMPARE(combo.itemData(0).toString(), QStringLiteral("auto"));
    QVERIFY2(found || combo.count() > 2, "neither a usable nor an unusable GPU is listed");
}

void WindowRunTest::everyControlOfTheMatchPanelReachesTheJob() {
    job::Job job;
    job.invert = true;
    job.method = "tiled";
    job.tile = {96, 64, 0};
    job.transforms = method::Transforms::Own;
    job.device = "cpu";
    job.threads = base::availableThreads();
    job.memoryBytes = 512LL << 20;
    job.planning = plan::Planning::Estimate;
    job.region = base::Box{{3, 4, 0}, {50, 60, 1}};
    job.precision = method::Precision::Double;
    job.promise = 1e-6;
    job.recompute = false;
    job.audit = job::Audit::Off;
    job.minScore = 0.25;
    job.maxPeaks = 17;
    job.minDistance = 6.5;
    job.maxOverlap = 0.375; // two digits are shown
    m_window->matchPanel().setSettings(job);
    job::Job read = m_window->matchPanel().settings();
    QVERIFY(read == job);
    QCOMPARE(test::child<QLineEdit>(*m_window, "tile").text(), QStringLiteral("96,64"));
    QCOMPARE(test::child<QLineEdit>(*m_window, "memory").text(), QStringLiteral("512 MiB"));
    test::child<QComboBox>(*m_window, "method").setCurrentIndex(1);
    read = m_window->matchPanel().settings();
    QCOMPARE(QString::fromStdString(read.method), QStringLiteral("direct"));
}

void WindowRunTest::planningWritesNothingAndARunKeepsWhatWasLearnt() {
    std::filesystem::remove(job::knowledgeFile());
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({173, 121, 1}, 11));
    for (int edit = 0; edit < 3; ++edit) {
        document.setBox(base::Box{{40, 30, 0}, {13 + edit, 11, 1}});
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(m_window->flow().report().has_value());
        QVERIFY(!std::filesystem::exists(job::knowledgeFile()));
    }
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(std::filesystem::exists(job::knowledgeFile()));
}

void WindowRunTest::closingTheWindowDuringARunIsSafe() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({2400, 2400, 1}, 5));
    document.setBox(base::Box{{100, 200, 0}, {63, 61, 1}});
    document.cutTemplate();
    chooseLongRun(*m_window);
    QVERIFY(test::waitUntilIdle(*m_window));
    bool mapStarted = false;
    connect(&m_window->controller(), &ui::RunController::mapStarted, this,
            [&mapStarted] { mapStarted = true; });
    test::click(test::child<QPushButton>(*m_window, "runButton"));
    QTRY_VERIFY_WITH_TIMEOUT(mapStarted, 30'000);
    QElapsedTimer time;
    time.start();
    m_window->close(); // asks
    m_window.reset();
    QVERIFY(time.elapsed() < 2000);
}

const flcc::test::TestClass<WindowRunTest> kWindowRunTest;

#include "window_run_test.moc"
