#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "engine/base/tile_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/report.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/features/features_panel.h"
#include "ui/features/pairs_dialog.h"
#include "ui/filter/filter_dialog.h"
#include "ui/filter/filter_form.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/results/exporter.h"

using namespace flcc;

class WindowJobTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aJobFileKeepsItsExactNumbers_data();
    void aJobFileKeepsItsExactNumbers();
    void anEditedNumberReplacesTheExactOne();
    void theDistanceIsAutoZeroOrANumber();
    void aJobFileRunInTheWindowWritesWhatTheEngineWrites();
    void aDeviceThatDoesNotExistIsSaidAndKept();
    void aPlanReportIsReplayedAndDecidesTheRest();
    void reportsHoldTheDigestOfFiles();
    void aConvolveJobOpensTheFilterDialog();
    void aFeaturesJobFindsItsBlobs();

  private:
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    [[nodiscard]] job::Job fileJob() const {
        job::Job job;
        job.scene = file("scene.mha");
        job.crops = {base::Box{{5, 6, 0}, {11, 9, 1}}};
        return job;
    }
    void load(const job::Job& job) { load(job::toJobFile(job)); }
    void load(const std::string& text);
    [[nodiscard]] const ui::MessageBar& bar() {
        return test::child<ui::MessageBar>(*m_window, "messageBar");
    }

    [[nodiscard]] QString said() { return test::child<QLabel>(*m_window, "messageText").text(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowJobTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const ui::SceneEntry scene = test::noiseScene({90, 70, 1}, 3);
    io::writeImage(file("scene.mha"), base::viewOf(scene.image->pixels), {});
    m_window = test::shownWindow();
}

void WindowJobTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowJobTest::load(const std::string& text) {
    io::writeText(file("job.json"), text);
    m_window->loadJob(m_folder->filePath(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowJobTest::aConvolveJobOpensTheFilterDialog() {
    job::ConvolveJob job;
    job.scene = file("scene.mha");
    job.threads = 1;
    job.precision = method::Precision::Double;
    job.method = "separable";
    job.region = base::Box{{1, 1, 0}, {20, 20, 1}};
    job.kernel = "dog:1.5,2:4.25";
    job.border = filter::Border::Mirror;
    job.extent = method::Extent::Valid;
    load(job::toJobFile(job));
    auto& dialog = test::child<ui::FilterDialog>(*m_window, "filter");
    QTRY_VERIFY(!dialog.isPreviewDue() && test::waitUntilIdle(*m_window));
    QVERIFY(said().contains(QStringLiteral("region"))); // the dialog has none
    QCOMPARE(m_window->matchPanel().settings().threads, 1);
    const job::ConvolveJob shown = test::child<ui::FilterForm>(dialog, "filterForm").job();
    QCOMPARE(shown.kernel, std::string("dog:1.5,2:4.25,4.25"));
    QVERIFY(shown.border == job.border && shown.extent == job.extent);
    QVERIFY(shown.method == job.method && shown.precision == job.precision);
    // Parts and spacing come along.
    job.region.reset();
    job.method = "dif";
    job.parts = 4;
    job.spacing = base::parseSpacing("0.5um");
    load(job::toJobFile(job));
    QTRY_VERIFY(!dialog.isPreviewDue() && test::waitUntilIdle(*m_window));
    QCOMPARE(test::child<ui::FilterForm>(dialog, "filterForm").job().parts, 4);
    QVERIFY(m_window->document().spacing() == job.spacing);
    // A kernel that the scene cannot have is named.
    job.kernel = "gaussian-z:2";
    load(job::toJobFile(job));
    QVERIFY2(said().contains(QStringLiteral("gaussian-z:2")), qPrintable(said()));
}

void WindowJobTest::aFeaturesJobFindsItsBlobs() {
    job::FeaturesJob job;
    job.scene = file("scene.mha");
    job.detector.scales = {1.5, 6, 5};
    job.detector.levels = 16;
    job.detector.overlap = 0.25;
    job.channels = features::Channels::Grey;
    job.memoryBytes = std::int64_t{64} << 20;
    job.detector.minStrength = 2.0;
    job.match = file("scene.mha");
    job.minScore = 0.9;
    load(job::toJobFile(job));
    auto& panel = test::child<ui::FeaturesPanel>(*m_window, "featuresPanel");
    QVERIFY(panel.isVisible());
    job::FeaturesJob shown = panel.job();
    QVERIFY(shown.detector.scales == job.detector.scales);
    QCOMPARE(shown.detector.levels, 16);
    QCOMPARE(shown.detector.overlap, 0.25);
    QVERIFY(shown.channels == job.channels);
    QCOMPARE(shown.memoryBytes, job.memoryBytes);
    QVERIFY(!panel.shown().empty());
    // The slider has steps of a thousandth of the strongest blob.
    QVERIFY(panel.shown().back().strength > 2.0 - panel.shown().front().strength / 1000);
    QVERIFY(test::child<QSlider>(panel, "blobStrength").value() > 0);
    auto& pairs = test::child<ui::PairsDialog>(*m_window, "pairs");
    QVERIFY(pairs.isVisible());
    QCOMPARE(test::child<QDoubleSpinBox>(pairs, "pairsLeastScore").value(), 0.9);
}

void WindowJobTest::aJobFileKeepsItsExactNumbers_data() {
    QTest::addColumn<double>("minScore");
    QTest::addColumn<double>("distance"); // below 0: auto
    QTest::addColumn<int>("threads");
    QTest::addColumn<qlonglong>("maxPeaks");
    QTest::newRow("fine numbers") << 0.123456789 << 2.75 << 3 << 17LL;
    QTest::newRow("no suppression") << -0.3125 << 0.0 << 0 << 100LL;
    QTest::newRow("auto") << 0.75 << -1.0 << 0 << 100LL;
    QTest::newRow("many") << 1.0 << 1e12 << 4096 << 5'000'000'000'000LL;
    QTest::newRow("tiny distance") << 0.0004 << 1e-9 << 2000 << 2'000'000'000LL;
}

void WindowJobTest::aJobFileKeepsItsExactNumbers() {
    QFETCH(double, minScore);
    QFETCH(double, distance);
    QFETCH(int, threads);
    QFETCH(qlonglong, maxPeaks);
    job::Job job = fileJob();
    job.minScore = minScore;
    if (distance >= 0) {
        job.minDistance = distance;
    }
    job.threads = std::min(threads, base::availableThreads()); // the window has no more
    job.maxPeaks = maxPeaks;
    job.tile = {64, 64, 1};
    job.memoryBytes = (1LL << 30) + 1;
    job.planning = plan::Planning::Estimate;
    load(job);
    QVERIFY(m_window->flow().currentJob() == job);
    // Fields that were visited and left as they are change nothing.
    test::click(test::child<QToolButton>(*m_window, "foldMethod"));
    for (const char* name : {"tile", "memory"}) {
        auto& field = test::child<QLineEdit>(*m_window, name);
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Return);
    }
    QVERIFY(m_window->flow().currentJob() == job);
    m_window->exporter().writeJob(file("again.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(job::fromJobFile(job::readJobFile(file("again.json"))) == job);
    QCOMPARE(m_window->matchPanel().threshold(), minScore);
}

void WindowJobTest::anEditedNumberReplacesTheExactOne() {
    job::Job job = fileJob();
    job.minScore = 0.1236;
    job.minDistance = 2.26;
    load(job);
    auto& score = test::child<QDoubleSpinBox>(*m_window, "minScore");
    QCOMPARE(score.text(), QStringLiteral("0.124"));
    score.stepUp();
    QVERIFY(std::abs(m_window->flow().currentJob().minScore.value() - 0.174) < 1e-12);
    test::child<QDoubleSpinBox>(*m_window, "minDistance").stepUp();
    QVERIFY(std::abs(m_window->flow().currentJob().minDistance.value() - 3.3) < 1e-12);
}

void WindowJobTest::theDistanceIsAutoZeroOrANumber() {
    auto& field = test::child<QDoubleSpinBox>(*m_window, "minDistance");
    QCOMPARE(field.text(), QStringLiteral("auto"));
    QVERIFY(!m_window->matchPanel().settings().minDistance);
    field.stepUp();
    QCOMPARE(m_window->matchPanel().settings().minDistance.value_or(-1), 0.0);
    QVERIFY2(field.text().startsWith(QStringLiteral("0.0")), qPrintable(field.text()));
    field.setValue(-0.4);
    QCOMPARE(field.text(), QStringLiteral("auto"));
    QVERIFY(!m_window->matchPanel().settings().minDistance);
    auto& overlap = test::child<QDoubleSpinBox>(*m_window, "maxOverlap");
    QCOMPARE(overlap.text(), QStringLiteral("auto"));
    const job::Job key = job::planKey(m_window->matchPanel().settings());
    overlap.stepUp();
    QCOMPARE(m_window->matchPanel().settings().maxOverlap.value_or(-1), 0.0);
    QVERIFY(job::planKey(m_window->matchPanel().settings()) == key);
    overlap.setValue(-0.02);
    QCOMPARE(overlap.text(), QStringLiteral("auto"));
    QVERIFY(!m_window->matchPanel().settings().maxOverlap);
}

void WindowJobTest::aJobFileRunInTheWindowWritesWhatTheEngineWrites() {
    job::Job job = fileJob();
    job.minScore = 0.21; // with the next, peaks lie closer than half a template
    job.minDistance = 0;
    job.method = "tiled";
    job.tile = {40, 36, 1};
    job.maxPeaks = 400;
    const auto writes = [&](job::Job& to, const char* map, const char* peaks) {
        to.map = file(map);
        to.peaks = file(peaks);
    };
    job::Job direct = job;
    writes(direct, "a.mha", "a.csv");
    const job::JobResult expected = job::runJob(direct);
    QVERIFY(expected.peaks.size() > 20);
    writes(job, "b.mha", "b.csv");
    load(job);
    QVERIFY(test::runAndWait(*m_window));
    for (const char* name : {".mha", ".csv"}) {
        QFile a(m_folder->filePath(QLatin1Char('a') + QLatin1String(name)));
        QFile b(m_folder->filePath(QLatin1Char('b') + QLatin1String(name)));
        QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
        const QByteArray bytes = a.readAll();
        QVERIFY(!bytes.isEmpty());
        QVERIFY(bytes == b.readAll());
    }
}

void WindowJobTest::aDeviceThatDoesNotExistIsSaidAndKept() {
    job::Job job = fileJob();
    job.device = "cuda:77";
    load(job);
    QVERIFY(m_window->flow().currentJob() == job);
    QCOMPARE(bar().kind(), ui::MessageBar::Kind::Error);
    QVERIFY2(bar().sentence().contains(QStringLiteral("cuda:77")), qPrintable(bar().sentence()));
    auto& combo = test::child<QComboBox>(*m_window, "device");
    QVERIFY2(combo.currentText().startsWith(QStringLiteral("CUDA 77")),
             qPrintable(combo.currentText()));
    // A device of the machine is chosen instead.
    combo.setCurrentIndex(combo.findData(QStringLiteral("cpu")));
    QCOMPARE(m_window->flow().currentJob().device, std::string("cpu"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

void WindowJobTest::aPlanReportIsReplayedAndDecidesTheRest() {
    job::Job forced = fileJob();
    forced.method = "tiled";
    forced.tile = {40, 36, 1};
    forced.threads = 1;
    forced.report = file("plan.json");
    (void)job::planJob(forced);
    job::Job job = fileJob();
    job.planReport = file("plan.json");
    load(job);
    QVERIFY(m_window->flow().currentJob() == job);
    QCOMPARE(test::child<QLabel>(*m_window, "planReport").text(), QStringLiteral("plan.json"));
    for (const char* name : {"device", "method", "tile", "threads", "planning", "transforms"}) {
        QVERIFY2(!test::child<QWidget>(*m_window, name).isEnabled(), name);
    }
    QVERIFY(test::runAndWait(*m_window));
    const plan::CandidateReport* chosen = m_window->document().result()->job->report.plan.chosen();
    QVERIFY(chosen != nullptr);
    QCOMPARE(chosen->reason, std::string("replayed from a report"));
    QVERIFY(chosen->candidate.tile == (base::Extents{40, 36, 1}));
    QCOMPARE(chosen->candidate.threads, 1);
    test::click(test::child<QToolButton>(*m_window, "clearPlanReport"));
    QVERIFY(m_window->flow().currentJob().planReport.empty());
    QVERIFY(test::child<QComboBox>(*m_window, "method").isEnabled());
}

void WindowJobTest::reportsHoldTheDigestOfFiles() {
    load(fileJob());
    QVERIFY(test::runAndWait(*m_window));
    const auto inputs = [this] { return m_window->document().result()->job->report.inputs; };
    const std::string expected = job::runJob(fileJob()).report.inputs.front().sha256;
    QCOMPARE(expected.size(), std::size_t{64});
    QCOMPARE(inputs()[0].sha256, expected);
    QVERIFY(inputs()[1].sha256.empty()); // a cut is no file
    m_window->exporter().writeTemplate(file("template.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->openFile(m_folder->filePath(QStringLiteral("template.mha")), true);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QCOMPARE(inputs()[1].role, std::string("template"));
    QCOMPARE(inputs()[1].sha256.size(), std::size_t{64});
    QVERIFY(inputs()[1].sha256 != expected);
    // A sample comes from no file.
    m_window->document().setScene(test::noiseScene({90, 70, 1}, 3));
    m_window->document().setBox(base::Box{{5, 6, 0}, {11, 9, 1}});
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(inputs()[0].sha256.empty());
}

const flcc::test::TestClass<WindowJobTest> kWindowJobTest;

#include "window_job_test.moc"
