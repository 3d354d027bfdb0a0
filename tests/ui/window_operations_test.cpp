#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <variant>
#include <vector>

#include "tests/support/scenes.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/views/views_panel.h"

using namespace flcc;

class WindowOperationsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void minimaAreChosenRunAndLimited();
    void coloursFollowTheValuesThatAreThere();
    void aJobFileSetsOperationAndThreshold();
    void differencesAreSummedOverChannels();

  private:
    /// Chooses an operation with the keyboard.
    void choose(const QString& title) {
        auto& box = test::child<QComboBox>(*m_window, "operation");
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Home);
        for (int i = 0; i < box.count() && box.currentText() != title; ++i) {
            QTest::keyClick(&box, Qt::Key_Down);
        }
        QCOMPARE(box.currentText(), title);
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowOperationsTest::minimaAreChosenRunAndLimited() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({90, 70, 1}, 11));
    document.setBox(base::Box{{40, 30, 0}, {13, 11, 1}});
    choose(QStringLiteral("Sum of absolute differences"));
    QCOMPARE(std::string(method::name(m_window->matchPanel().settings().operation)), "sad");
    auto& threshold = test::child<QDoubleSpinBox>(*m_window, "minScore");
    QCOMPARE(threshold.text(), QStringLiteral("none"));
    QVERIFY(!test::child<QSlider>(*m_window, "minScoreSlider").isEnabled());
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result()->title.contains(QStringLiteral(" · sad · ")));
    const ui::ResultEntry* result = document.result();
    QVERIFY(result != nullptr);
    QCOMPARE(result->job->peaks.at(0).score, 0.0);
    QVERIFY((result->job->peaks[0].corner == base::Index{40, 30, 0}));
    QCOMPARE(result->job->report.map->best->occurrences, std::int64_t{1});
    const std::size_t all = result->job->peaks.size();
    QVERIFY(all > 2);
    const double second = result->job->peaks[1].score;
    // A limit between the best and the second one, typed into the field.
    threshold.setFocus();
    threshold.selectAll();
    QTest::keyClicks(&threshold, threshold.locale()
                                     .toString(second / 2, 'f', 1)
                                     .remove(threshold.locale().groupSeparator()));
    QTest::keyClick(&threshold, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(document.result()->job->peaks.size(), std::size_t{1}, 10'000);
    QVERIFY(m_window->matchPanel().settings().maxScore.has_value());
    choose(QStringLiteral("Local correlation coefficient"));
    QVERIFY(!m_window->matchPanel().settings().maxScore.has_value());
    QCOMPARE(m_window->matchPanel().threshold(), 0.5);
    QVERIFY(test::child<QSlider>(*m_window, "minScoreSlider").isEnabled());
}

void WindowOperationsTest::coloursFollowTheValuesThatAreThere() {
    m_window->document().setScene(test::noiseScene({40, 30, 1}, 11));
    QVERIFY(test::waitUntilIdle(*m_window));
    ui::ViewsPanel& views = m_window->views();
    const auto map = std::make_shared<method::MatchMap>(base::Extents{36, 26, 1});
    for (std::int64_t i = 0; i < map->value.count(); ++i) {
        map->value.data()[i] = static_cast<float>(500 + i);
        map->status.data()[i] = base::Status::Ok;
    }
    views.showRunningMap(map, {5, 5, 1}, {0, 0, 0}, method::operationNamed("ssd").value());
    QVERIFY(views.mapScale().reversed); // the least value is the best
    views.addRegions({base::Box{{0, 1, 0}, {36, 1, 1}}});
    QCOMPARE(views.mapScale().low, 536.0);
    QCOMPARE(views.mapScale().high, 571.0);
    views.addRegions({base::Box{{0, 0, 0}, {36, 1, 1}}, base::Box{{0, 5, 0}, {36, 2, 1}}});
    QCOMPARE(views.mapScale().low, 500.0);
    QCOMPARE(views.mapScale().high, 751.0);
    views.endRunningMap();
    QVERIFY(!views.mapScale().reversed);
}

void WindowOperationsTest::aJobFileSetsOperationAndThreshold() {
    job::Job job;
    job.operation = method::operationNamed("ssd").value();
    job.maxScore = 1234.5;
    m_window->matchPanel().setSettings(job);
    QVERIFY(m_window->matchPanel().settings() == job);
    QCOMPARE(test::child<QComboBox>(*m_window, "operation").currentText(),
             QStringLiteral("Sum of squared differences"));
    job = job::Job{};
    job.operation = method::operationNamed("cosine").value();
    job.minScore = 0.75;
    m_window->matchPanel().setSettings(job);
    QVERIFY(m_window->matchPanel().settings() == job);
}

void WindowOperationsTest::differencesAreSummedOverChannels() {
    // Two copies of one brightness, red and blue exchanged in the other.
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("colours.nrrd"));
    const base::Extents extents{60, 50, 1};
    std::vector<base::AnyImage> planes;
    for (std::uint64_t i = 0; i < 3; ++i) {
        planes.push_back(test::noise(base::PixelType::UInt8, extents, 20 + i));
    }
    for (std::size_t plane = 0; plane < 3; ++plane) {
        test::paste(planes[plane], test::crop(planes[2 - plane], {{8, 9, 0}, {7, 6, 1}}),
                    {40, 30, 0});
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 60 50\nkinds: RGB-color domain "
               "domain\nencoding: raw\n\n");
    for (std::int64_t i = 0; i < base::voxelCount(extents); ++i) {
        for (const base::AnyImage& plane : planes) {
            file.write(reinterpret_cast<const char*>(
                           std::get<base::Image<std::uint8_t>>(plane).data() + i),
                       1);
        }
    }
    file.close();
    ui::SceneEntry scene;
    scene.path = path.toStdString();
    scene.image = job::loadImage(scene.path, {}, {});
    scene.name = QStringLiteral("colours");
    ui::Document& document = m_window->document();
    document.setScene(scene);
    document.setBox(base::Box{{8, 9, 0}, {7, 6, 1}});
    auto& channels = test::child<QComboBox>(*m_window, "channels");
    QVERIFY(!channels.isVisible());
    choose(QStringLiteral("Sum of squared differences"));
    QVERIFY(channels.isVisible());
    channels.setFocus();
    QTest::keyClick(&channels, Qt::Key_End);
    QCOMPARE(m_window->matchPanel().settings().channel, std::optional(job::kAllChannels));
    QVERIFY(test::runAndWait(*m_window));
    const ui::ResultEntry* result = document.result();
    QVERIFY(result != nullptr);
    QVERIFY((result->job->peaks.at(0).corner == base::Index{8, 9, 0}));
    QCOMPARE(result->job->peaks[0].score, 0.0);
    QCOMPARE(result->job->peaks[0].centre[2], 0.0);
    QCOMPARE(result->job->report.map->best->occurrences, std::int64_t{1});
    QCOMPARE(result->job->templates.at(0)->channels, 3);
    choose(QStringLiteral("Cosine"));
    QVERIFY(!channels.isVisible());
    QVERIFY(!m_window->matchPanel().settings().channel.has_value());
}

const flcc::test::TestClass<WindowOperationsTest> kWindowOperationsTest;
#include "window_operations_test.moc"
