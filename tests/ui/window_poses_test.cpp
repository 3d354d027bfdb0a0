#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/io/image_file.h"
#include "engine/rotation/cover.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/text.h"
#include "ui/judge/hand_view.h"
#include "ui/match/fields/angle_dial.h"
#include "ui/match/fields/direction_sphere.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/peaks_model.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

// The section "Rotations and scales" of the Match panel.

using namespace flcc;

class WindowPosesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window = test::shownWindow();
        m_window->document().setScene(test::noiseScene({160, 120, 1}, 5));
        m_window->document().setBox(base::Box{{70, 50, 0}, {13, 11, 1}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        auto& head = test::child<QToolButton>(*m_window, "foldPoses");
        if (!head.isChecked()) {
            QTest::qWait(1); // the layout
            test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&head);
            QTest::mouseClick(&head, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
        }
    }
    void cleanup() { m_window.reset(); }

    void theCountFollowsWhatIsTyped() {
        QVERIFY(count().contains("as they are"));
        type("rotations", "30");
        QCOMPARE(count(), QString::fromUtf8("12 orientations each, step 30.00°"));
        type("scales", "0.9,1,1.1");
        test::click(test::child<QCheckBox>(*m_window, "mirror"));
        QVERIFY(count().startsWith("72 orientations"));
        type("symmetry", "C2");
        QVERIFY(count().startsWith("36 orientations"));
        const job::Poses& poses = panel().settings().poses;
        QVERIFY(poses.mirror && poses.rotations == "30" && poses.symmetry == "C2");
        type("rotations", "");
        QVERIFY(panel().settings().poses.symmetry.empty()); // it belongs to rotations
    }

    void aTextWithoutAMeaningKeepsTheRunBack() {
        for (const char* bad : {"0", "nan", "ten"}) {
            type("rotations", bad);
            QVERIFY2(panel().reasonAgainstRun().contains("Rotations"),
                     qPrintable(panel().reasonAgainstRun()));
        }
        type("rotations", "45");
        QVERIFY(panel().reasonAgainstRun().isEmpty());
    }

    void theDialChangesRangeAndStep() {
        auto& dial = test::child<ui::AngleDial>(*m_window, "poseDial");
        QVERIFY(dial.isVisible() && !test::child<QWidget>(*m_window, "poseSphere").isVisible());
        QCOMPARE(dial.angles().size(), std::size_t{1}); // as it is
        show(dial);
        const auto drag = [&](double from, double to) {
            QTest::mousePress(&dial, Qt::LeftButton, {}, dial.placeOf(from).toPoint());
            QTest::mouseMove(&dial, dial.placeOf((from + to) / 2).toPoint());
            QTest::mouseMove(&dial, dial.placeOf(to).toPoint());
            QTest::mouseRelease(&dial, Qt::LeftButton, {}, dial.placeOf(to).toPoint());
        };
        const auto rotations = [&] {
            const auto text = panel().settings().poses.rotations;
            return rotation::parseRotations(text);
        };
        drag(0, 60); // from one angle to a range, either way round
        QCOMPARE(rotations().kind, rotation::Rotations::Kind::Range);
        QVERIFY(rotations().from == 0 && std::abs(rotations().to - 60) <= 1);
        type("rotations", "");
        drag(0, -60);
        QVERIFY(std::abs(rotations().from + 60) <= 1 && rotations().to == 0);
        type("rotations", "");
        drag(10, 20); // or to the whole circle
        QCOMPARE(rotations().kind, rotation::Rotations::Kind::Step);
        type("rotations", "10");
        QCOMPARE(dial.angles().size(), std::size_t{36});
        show(dial);
        drag(10, 30); // the step of the whole circle
        QVERIFY(rotations().kind == rotation::Rotations::Kind::Step);
        QVERIFY(std::abs(rotations().step - 30) <= 1);
        drag(0, -90); // its end: a part of the circle, counter-clockwise up to the right
        QVERIFY(rotations().kind == rotation::Rotations::Kind::Range);
        QVERIFY(rotations().from == 0 && std::abs(rotations().to - 270) <= 1);
        drag(0, -40); // its begin
        QVERIFY(std::abs(rotations().from + 40) <= 1 && std::abs(rotations().to - 270) <= 1);
        QVERIFY(count().startsWith(QString::number(dial.angles().size()) + " orientations"));
        // The same by keys: the step is the first knob.
        const double before = rotations().step;
        dial.setFocus();
        QTest::keyClick(&dial, Qt::Key_Space); // the begin was dragged last
        QTest::keyClick(&dial, Qt::Key_Space);
        QTest::keyClick(&dial, Qt::Key_Left);
        QCOMPARE(rotations().step, before + 1);
        test::keepPictures(*m_window, "poses-dial");
        // The place of an angle: 90 degrees counter-clockwise from the top is on the left.
        QVERIFY(dial.placeOf(90).x() < dial.placeOf(0).x() - 20);
        QVERIFY(std::abs(dial.placeOf(90).y() - dial.height() / 2.0) < 1);
    }

    void theSphereShowsTheDirections() {
        m_window->document().setScene(test::noiseScene({40, 40, 40}, 5));
        m_window->document().setBox(base::Box{{10, 10, 10}, {9, 9, 9}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        auto& sphere = test::child<ui::DirectionSphere>(*m_window, "poseSphere");
        QVERIFY(sphere.isVisible() && !test::child<QWidget>(*m_window, "poseDial").isVisible());
        const auto dots = [&](bool searched) {
            return std::ranges::count_if(
                sphere.dots(), [&](const auto& dot) { return (dot.element == 0) == searched; });
        };
        type("rotations", "30");
        QCOMPARE(dots(true), 48); // 12 nside^2, nside 2
        QCOMPARE(dots(false), 0);
        type("symmetry", "D2");
        QCOMPARE(dots(false), 3 * dots(true));
        QVERIFY(dots(true) >= 12 && dots(true) < 48);
        // Searched and equivalent ones are near every direction.
        for (const rotation::Quaternion& turn :
             job::coverOf({.rotations = "45", .scales = {}, .symmetry = {}}, false, {}).turns) {
            const rotation::Matrix m = rotation::matrixOf(turn);
            QVERIFY(std::ranges::any_of(sphere.dots(), [&](const auto& dot) {
                return dot.at[0] * m[6] + dot.at[1] * m[7] + dot.at[2] * m[8] >
                       std::cos(30 * std::numbers::pi / 180);
            }));
        }
        // A drag to the right moves what lies in front to the right.
        show(sphere);
        const auto fromMiddle = [&](const auto& dot) { // those behind last
            const auto at = sphere.shown(dot.at);
            return std::abs(at.at.x() - sphere.width() / 2.0) +
                   std::abs(at.at.y() - sphere.height() / 2.0) + (at.front ? 0 : 1000);
        };
        const base::Point front = std::ranges::min_element(sphere.dots(), {}, fromMiddle)->at;
        const double before = sphere.shown(front).at.x();
        const QPoint middle = sphere.rect().center();
        QTest::mousePress(&sphere, Qt::LeftButton, {}, middle);
        const auto move = [&](const QPoint& to) { // with the button down
            QMouseEvent event(QEvent::MouseMove, to, sphere.mapToGlobal(to), Qt::NoButton,
                              Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&sphere, &event);
        };
        move(middle + QPoint(20, 0));
        QTest::mouseRelease(&sphere, Qt::LeftButton, {}, middle + QPoint(20, 0));
        QVERIFY(sphere.shown(front).at.x() > before + 5);
        test::keepPictures(*m_window, "poses-sphere");
    }

    void aSearchTellsHowItGoesOn() {
        type("rotations", "1");
        type("scales", "0.8:1.25:1.03");
        const auto& work = test::child<QLabel>(*m_window, "statusWork");
        QStringList told;
        connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                [&] { told.append(work.text()); });
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(!told.isEmpty());
        for (const QString& text : told) {
            QVERIFY2(text.contains(QLocale().toString(5760) + " orientations"), qPrintable(text));
        }
    }

    void aPausedSearchGoesOn() {
        const QTemporaryDir folder;
        const QString kept = folder.filePath("kept");
        const std::filesystem::path scene = folder.filePath("scene.mha").toStdString();
        (void)io::writeImage(scene, base::viewOf(test::noiseScene({300, 240, 1}, 5).image->pixels),
                             {});
        bool opened = false;
        m_window->opener().openScenes({scene}, false, [&opened](bool) { opened = true; });
        QTRY_VERIFY(opened);
        m_window->document().setBox(base::Box{{70, 50, 0}, {33, 31, 1}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        type("rotations", "1");
        type("scales", "0.9,0.92,0.94,0.96,0.98,1,1.02,1.04,1.06,1.08");
        type("resume", kept.toLocal8Bit().constData());
        const auto& button = test::child<QPushButton>(*m_window, "runButton");
        std::int64_t first = 0; // orientations that a run begins with
        connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                [&](std::int64_t members, std::int64_t) { first = first > 0 ? first : members; });
        test::child<QAction>(*m_window, "run").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(first > 0, 60'000);
        QCOMPARE(button.text(), QString("Pause"));
        m_window->flow().cancel();
        QVERIFY(test::waitUntilIdle(*m_window));
        const auto& bar = test::child<QLabel>(*m_window, "messageText");
        QVERIFY2(bar.text().contains("paused after"), qPrintable(bar.text()));
        QVERIFY(bar.text().contains("search.json"));
        // As after a restart: another window, and the job that the folder holds.
        m_window = test::shownWindow();
        bool loaded = false;
        connect(&m_window->document(), &ui::Document::templateChanged, this,
                [&] { loaded = true; });
        m_window->loadJob(kept + "/search.json");
        QTRY_VERIFY_WITH_TIMEOUT(loaded, 20'000);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(panel().settings().poses.resume, std::filesystem::path(kept.toStdString()));
        std::int64_t again = 0;
        connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                [&](std::int64_t members, std::int64_t) { again = again > 0 ? again : members; });
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY2(again >= first, qPrintable(QString("%1, %2").arg(first).arg(again)));
        const auto& result = *m_window->document().result()->job;
        QVERIFY(!result.cancelled && !result.peaks.empty());
        QVERIFY(result.peaks.front().score > 0.999); // the template itself
    }

    void theBestScoresSoFarAreShown() {
        const base::Extents n{148, 110, 1};
        const auto mapOf = [&](float score) {
            auto map = std::make_shared<method::MatchMap>();
            map->value = base::Image<float>(n, score);
            map->status = base::Image<base::Status>(n, score > 0 ? base::Status::Ok
                                                                 : base::Status::NotComputed);
            return map;
        };
        ui::ViewsPanel& views = m_window->views();
        const auto picture = [&] {
            QTest::qWait(20);
            return views.frames()[0]->widget()->snapshot().rgba;
        };
        views.showRunningMap(mapOf(0), {13, 11, 1}, {0, 0, 0}, {});
        const auto before = picture();
        views.showBestSoFar(mapOf(0.3F));
        const auto some = picture();
        views.showBestSoFar(mapOf(0.9F));
        const auto more = picture();
        views.endRunningMap();
        const auto after = picture();
        QVERIFY(before != some && some != more && more != after);
        views.showBestSoFar(mapOf(0.9F)); // of a run that has ended
        QVERIFY(picture() == after);
    }

    void aTurnedSampleBringsItsRotations() {
        const auto openSample = [this](const char* name) {
            bool opened = false;
            m_window->opener().openSample(QLatin1String(name), [&opened](bool) { opened = true; });
            QTRY_VERIFY(opened);
            QVERIFY(test::waitUntilIdle(*m_window));
        };
        openSample("turned-cells");
        QCOMPARE(panel().settings().poses.rotations, std::string("10"));
        QCOMPARE(panel().settings().poses.scales, std::string("0.9,1,1.1"));
        QVERIFY(count().startsWith("108 orientations"));
        openSample("tiny");
        QVERIFY(!panel().settings().poses.any());
    }

    void aRunShowsPosesInTheTable() {
        type("rotations", "90");
        QVERIFY(test::runAndWait(*m_window));
        const auto& result = *m_window->document().result()->job;
        QCOMPARE(result.report.poses->members, 4);
        QVERIFY(!result.peaks.empty() && result.peaks[0].pose);
        const auto& table = test::child<QTableView>(*m_window, "peaksTable");
        QVERIFY(!table.isColumnHidden(ui::PeaksModel::Pose));
        QVERIFY(
            table.model()->index(0, ui::PeaksModel::Pose).data().toString().startsWith("0.0 ("));
        test::keepPictures(*m_window, "poses");
        type("rotations", "");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(table.isColumnHidden(ui::PeaksModel::Pose));
    }

    void statisticsAndHandAreShown() {
        type("rotations", "90");
        for (const char* box : {"searchStatistics", "handedness"}) {
            tick(box);
        }
        const auto& zMap = test::child<QAction>(*m_window, "exportSearchZ");
        QVERIFY(!zMap.isEnabled());
        QVERIFY(panel().settings().searchStatistics && panel().settings().handedness);
        QVERIFY(test::runAndWait(*m_window));
        const auto& result = *m_window->document().result()->job;
        QVERIFY(result.search && result.report.search && result.report.handedness);
        // Both searches count in the plan and in the time of the run.
        QCOMPARE(
            test::child<QLabel>(*m_window, "planTimePredicted").text(),
            ui::durationText(*result.report.poses->predictedMs + *result.report.handsPredictedMs));
        QCOMPARE(
            test::child<QLabel>(*m_window, "planTimeMeasured").text(),
            ui::durationText(result.report.run->executeMs.median + result.report.run->handsMs));
        const auto& table = test::child<QTableView>(*m_window, "peaksTable");
        QVERIFY(!table.isColumnHidden(ui::PeaksModel::SearchZ));
        QCOMPARE(table.model()->index(0, ui::PeaksModel::SearchZ).data().toString(),
                 QString::number(result.peaks[0].search->z, 'f', 1));
        QVERIFY(zMap.isEnabled());
        auto& hand = test::child<ui::HandView>(*m_window, "handView");
        QVERIFY(!hand.isHidden() && hand.text().startsWith("Hand: undecided"));
        test::keepPictures(*m_window, "hands");
        tick("searchStatistics");
        tick("handedness");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(table.isColumnHidden(ui::PeaksModel::SearchZ) && hand.isHidden());
    }

  private:
    void tick(const char* name) {
        auto& box = test::child<QCheckBox>(*m_window, name);
        test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&box);
        test::click(box);
    }
    ui::MatchPanel& panel() { return m_window->matchPanel(); }
    QString count() { return test::child<QLabel>(*m_window, "poseCount").text(); }
    void show(QWidget& widget) {
        QTest::qWait(1); // the layout
        test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&widget);
    }
    void type(const char* name, const char* text) {
        auto& field = test::child<QLineEdit>(*m_window, name);
        test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&field);
        field.setFocus();
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClicks(&field, QLatin1String(text));
        QTest::keyClick(&field, Qt::Key_Return);
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowPosesTest> kWindowPosesTest;
#include "window_poses_test.moc"
