#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/peaks_model.h"

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

  private:
    ui::MatchPanel& panel() { return m_window->matchPanel(); }
    QString count() { return test::child<QLabel>(*m_window, "poseCount").text(); }
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
