#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QContextMenuEvent>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "engine/io/image_file.h"
#include "engine/match/search_statistics.h"
#include "engine/rotation/cover.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/menu_choices.h"
#include "ui/base/text.h"
#include "ui/judge/hand_view.h"
#include "ui/match/fields/angle_dial.h"
#include "ui/match/fields/direction_sphere.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"
#include "ui/results/peaks_model.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

// The section "Rotations and scales" of the Match panel.

using namespace flcc;

class WindowPosesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window = test::windowWithTemplate({160, 120, 1}, {{70, 50, 0}, {13, 11, 1}}, "foldPoses");
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
            QVERIFY2(text.contains(QLocale().toString(6120) + " orientations"), qPrintable(text));
        }
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
        QVERIFY(table.model()->index(0, ui::PeaksModel::Pose).data().toString().startsWith("0 ("));
        test::keepPictures(*m_window, "poses");
        type("rotations", "");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(table.isColumnHidden(ui::PeaksModel::Pose));
    }

    /// Score, place and angles need no scrolling, with more columns than a narrow window holds.
    void theTableFitsNarrowWindows() {
        m_window->document().setScene(test::noiseScene({40, 40, 40}, 5));
        for (const int x : {8, 20}) {
            m_window->document().setBox(base::Box{{x, 10, 10}, {9, 9, 9}});
            m_window->document().addCutTemplate();
        }
        QVERIFY(test::waitUntilIdle(*m_window));
        type("rotations", "90");
        tick("searchStatistics");
        test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.1);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(test::runAndWait(*m_window));
        auto& table = test::child<QTableView>(*m_window, "peaksTable");
        QVERIFY(table.model()->rowCount() > 0);
        using Model = ui::PeaksModel;
        for (const int width : {1280, 1360}) {
            m_window->resize(width, 768);
            QTest::qWait(50);
            for (const int column :
                 {Model::Rank, Model::Score, Model::Templ, Model::Pose, Model::CentreX,
                  Model::CentreY, Model::CentreZ, Model::SearchZ, Model::Decision}) {
                QVERIFY2(!table.isColumnHidden(column), qPrintable(QString::number(column)));
                const QString text = table.model()->index(0, column).data().toString();
                QVERIFY(table.columnWidth(column) > table.fontMetrics().horizontalAdvance(text));
            }
            QVERIFY(table.isColumnHidden(Model::Bound));
            QCOMPARE(table.horizontalScrollBar()->maximum(), 0);
        }
        test::keepPictures(*m_window, "columns");
        m_window->resize(1900, 768);
        QTest::qWait(50);
        QVERIFY(!table.isColumnHidden(Model::Bound));
        // A person chooses columns; the choice is kept.
        const auto choose = [&](const char* name) {
            const QPoint place(20, 8);
            QContextMenuEvent event(QContextMenuEvent::Mouse, place,
                                    table.horizontalHeader()->mapToGlobal(place));
            QApplication::sendEvent(table.horizontalHeader()->viewport(), &event);
            auto& menu = test::child<QMenu>(table, "peakColumns");
            test::child<QAction>(menu, name).trigger();
            menu.close();
            QTest::qWait(1);
        };
        const std::string bound = "peakColumn" + std::to_string(Model::Bound);
        choose(bound.c_str());
        QVERIFY(table.isColumnHidden(Model::Bound));
        m_window->resize(1280, 768);
        choose(bound.c_str());
        QVERIFY(!table.isColumnHidden(Model::Bound));
        choose("peakColumnsAuto");
        QTRY_VERIFY(table.isColumnHidden(Model::Bound));
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
        QCOMPARE(test::child<QLabel>(*m_window, "planTimePredicted").text(),
                 ui::durationText(*result.report.poses->predictedMs +
                                  job::predictedMsOf(result.report.others)));
        QCOMPARE(test::child<QLabel>(*m_window, "planTimeMeasured").text(),
                 ui::durationText(result.report.run->executeMs.median +
                                  job::msOf(result.report.others)));
        const auto& table = test::child<QTableView>(*m_window, "peaksTable");
        QVERIFY(!table.isColumnHidden(ui::PeaksModel::SearchZ));
        QCOMPARE(table.model()->index(0, ui::PeaksModel::SearchZ).data().toString(),
                 QString::number(result.peaks[0].search->z, 'f', 1));
        QVERIFY(zMap.isEnabled());
        theHeatmapShows(result);
        auto& hand = test::child<ui::HandView>(*m_window, "handView");
        QVERIFY(!hand.isHidden() && hand.text().startsWith("Hand: undecided"));
        test::keepPictures(*m_window, "hands");
        tick("searchStatistics");
        tick("handedness");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(table.isColumnHidden(ui::PeaksModel::SearchZ) && hand.isHidden());
        QCOMPARE(m_window->views().shownValues(), ui::SearchValues::Score);
    }

  private:
    /// All values of a search, and what the mouse reads.
    void theHeatmapShows(const job::JobResult& result) {
        ui::ViewsPanel& views = m_window->views();
        const auto choose = [&](ui::SearchValues values) {
            auto& action = test::child<QAction>(
                *m_window, qPrintable(ui::choiceName("heatmapValues", static_cast<int>(values))));
            QVERIFY(action.isEnabled());
            action.trigger();
            QTRY_COMPARE(views.shownValues(), values);
        };
        const base::Image<float>* const images[] = {&result.search->z, &result.search->mean,
                                                    &result.search->deviation};
        const auto picture = [&] {
            QTest::qWait(20);
            return views.frames()[0]->widget()->snapshot().rgba;
        };
        auto before = picture();
        const auto& readout = test::child<QLabel>(*m_window, "statusScore");
        for (int i = 0; i < 3; ++i) {
            const auto values = static_cast<ui::SearchValues>(i + 1);
            choose(values);
            if (QTest::currentTestFailed()) {
                return;
            }
            const auto& shown = views.shownMap()->value;
            QCOMPARE(std::memcmp(shown.data(), images[i]->data(),
                                 sizeof(float) * static_cast<std::size_t>(shown.count())),
                     0);
            QVERIFY(readout.text().startsWith(ui::nameOf(values) + ' '));
            QVERIFY2(readout.text().contains(QString::fromUtf8(" · LCC ")),
                     qPrintable(readout.text()));
            const auto range = match::valueRange(shown.view(), result.map->status.view());
            QCOMPARE(views.mapScale().low, range->first); // where a pose fits
            QCOMPARE(views.mapScale().high, range->second);
            const auto now = picture();
            QVERIFY(now != before);
            before = now;
            test::keepPictures(*m_window, "values-" + ui::nameOf(values));
        }
        choose(ui::SearchValues::Score);
        QCOMPARE(views.shownMap(), result.map.get());
        QVERIFY(!readout.text().contains(QString::fromUtf8("·")));
        choose(ui::SearchValues::Z); // a result without them shows scores
    }

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
    void type(const char* name, const char* text) { test::type(*m_window, name, text); }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowPosesTest> kWindowPosesTest;
#include "window_poses_test.moc"
