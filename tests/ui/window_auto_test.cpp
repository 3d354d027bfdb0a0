#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QTableView>
#include <QTest>

#include <cmath>

#include "engine/job/result.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_panel.h"

// The threshold that the law of the map gives.

using namespace flcc;

class WindowAutoTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window = test::shownWindow();
        document().setScene(test::noiseScene({160, 120, 1}, 5));
        document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
        document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    void cleanup() { m_window.reset(); }

    void autoIsTheDefaultAndShowsWhatItFinds() {
        QVERIFY(box().isChecked());
        QVERIFY(job::mapDecidesThreshold(m_window->matchPanel().settings()));
        QVERIFY(test::runAndWait(*m_window));
        const auto& threshold = document().result()->job->report.threshold;
        QCOMPARE(threshold->chosenBy, std::string("false-positives"));
        QVERIFY(std::abs(score().value() - threshold->value) <= 0.0005); // three digits
        QCOMPARE(m_window->matchPanel().threshold(), threshold->value);
        // Every listed peak is shown, also one between the value and its three digits.
        const auto& table = test::child<QTableView>(*m_window, "peaksTable");
        QCOMPARE(table.model()->rowCount(),
                 static_cast<int>(document().result()->job->peaks.size()));
        QVERIFY(box().isChecked());
    }

    void aChangedThresholdTurnsAutoOffAndTheBoxTurnsItOn() {
        QVERIFY(test::runAndWait(*m_window));
        const double found = listed();
        score().setFocus();
        QTest::keyClick(&score(), Qt::Key_Down);
        QVERIFY(!box().isChecked());
        QTRY_VERIFY(listed() < found - 0.04);
        QVERIFY(m_window->matchPanel().settings().minScore.has_value());
        test::click(box());
        QTRY_COMPARE(listed(), found);
        QVERIFY(!m_window->matchPanel().settings().minScore.has_value());
        QCOMPARE(m_window->matchPanel().threshold(), found);
        test::child<QSlider>(*m_window, "minScoreSlider").setValue(900);
        QVERIFY(!box().isChecked());
    }

    void theNumberOfFalsePositivesActsOnTheShownMap() {
        QVERIFY(test::runAndWait(*m_window));
        const double one = listed();
        test::child<QDoubleSpinBox>(*m_window, "autoNumber").setValue(50);
        QTRY_VERIFY(listed() < one);
        QVERIFY(std::abs(*document().result()->job->report.threshold->falsePositives - 50) < 1);
        QCOMPARE(*m_window->matchPanel().settings().falsePositives, 50.0);
        auto& by = test::child<QComboBox>(*m_window, "autoBy");
        by.setCurrentIndex(1);
        QTRY_COMPARE(document().result()->job->report.threshold->chosenBy, std::string("zscore"));
        QCOMPARE(*m_window->matchPanel().settings().zscore, 5.0);
        QVERIFY(!m_window->matchPanel().settings().falsePositives);
    }

    void theNullTemplateCountsInTheNextRun() {
        auto& null = test::child<QComboBox>(*m_window, "null");
        null.setCurrentIndex(2);
        QVERIFY(m_window->matchPanel().settings().null == match::NullTemplate::Phase);
        QVERIFY(test::runAndWait(*m_window));
        const match::SearchLaw& law = document().result()->job->report.threshold->law;
        QVERIFY(law.null == match::NullTemplate::Phase && !law.nullScores.empty());
    }

    void aJobBringsItsChoiceBack() {
        job::Job job = m_window->matchPanel().settings();
        job.minScore = 0.37;
        m_window->matchPanel().setSettings(job);
        QVERIFY(!box().isChecked());
        QCOMPARE(m_window->matchPanel().threshold(), 0.37);
        job.minScore.reset();
        job.zscore = 4.5;
        job.null = match::NullTemplate::Mirror;
        m_window->matchPanel().setSettings(job);
        QVERIFY(box().isChecked());
        QVERIFY(m_window->matchPanel().settings() == job);
    }

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] QCheckBox& box() { return test::child<QCheckBox>(*m_window, "autoThreshold"); }
    [[nodiscard]] QDoubleSpinBox& score() {
        return test::child<QDoubleSpinBox>(*m_window, "minScore");
    }
    [[nodiscard]] double listed() { return job::thresholdOf(*document().result()); }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowAutoTest> kWindowAutoTest;
#include "window_auto_test.moc"
