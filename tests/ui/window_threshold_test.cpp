#include <QAction>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <numeric>

#include "engine/job/kept_map.h"
#include "tests/support/test_class.h"
#include "tests/ui/stall_watch.h"
#include "tests/ui/window_support.h"
#include "ui/base/theme.h"
#include "ui/judge/cockpit_panel.h"
#include "ui/judge/histogram_view.h"
#include "ui/match/match_panel.h"
#include "ui/views/views_panel.h"

// A threshold that is dragged in the histogram of the map's scores.

using namespace flcc;

class WindowThresholdTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void theCountsAreThoseOfTheMap();
    void draggingTakesPeaksFromTheMapBothWays();
    void aDragIsOneUndoStep();
    void peaksBelowTheLineAreMarkedWhileTheTabIsOpen();
    void arrowKeysMoveTheLine();
    void theSuggestionIsThatOfTheLaw();
    void otherOperationsAreDraggedToo();
    void aCountThatEndsLateLeavesTheDraggedList();
    void aDragOfALargeMapIsQuick();
    void theLegendHasTheColoursOfTheTheme();

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] ui::HistogramView& view() {
        return test::child<ui::HistogramView>(*m_window, "scoreHistogram");
    }
    [[nodiscard]] ui::CockpitPanel& panel() {
        return test::child<ui::CockpitPanel>(*m_window, "cockpitPanel");
    }
    [[nodiscard]] QString numbers() {
        return test::child<QLabel>(*m_window, "cockpitNumbers").text();
    }
    [[nodiscard]] double listed() { return job::thresholdOf(*document().result()); }
    void run();
    void showTab(const QString& title);
    void press(double score);
    void moveTo(double score);
    void release(double score);

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowThresholdTest::init() { m_window = test::shownWindow(test::Panel::AsShipped); }

void WindowThresholdTest::cleanup() { m_window.reset(); }

void WindowThresholdTest::run() {
    document().setScene(test::noiseScene({160, 120, 1}, 5));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.3);
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(5000);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    showTab(QStringLiteral("Threshold"));
    QTRY_VERIFY(view().histogram().total > 0);
}

void WindowThresholdTest::showTab(const QString& title) {
    auto& tabs = test::child<QTabWidget>(*m_window, "resultTabs");
    for (int i = 0; i < tabs.count(); ++i) {
        if (tabs.tabText(i) == title) {
            tabs.setCurrentIndex(i);
        }
    }
    QTest::qWait(20);
}

void WindowThresholdTest::press(double score) {
    QTest::mousePress(&view(), Qt::LeftButton, Qt::NoModifier,
                      QPoint(static_cast<int>(std::lround(view().placeOf(score))), 40));
}

void WindowThresholdTest::moveTo(double score) {
    const QPointF at(std::round(view().placeOf(score)), 40);
    QMouseEvent event(QEvent::MouseMove, at, view().mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                      Qt::NoModifier);
    QApplication::sendEvent(&view(), &event);
}

void WindowThresholdTest::release(double score) {
    QTest::mouseRelease(&view(), Qt::LeftButton, Qt::NoModifier,
                        QPoint(static_cast<int>(std::lround(view().placeOf(score))), 40));
    QTRY_VERIFY(!panel().isBusy());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowThresholdTest::theCountsAreThoseOfTheMap() {
    run();
    const ui::ScoreHistogram& histogram = view().histogram();
    const method::MatchMap& map = *document().result()->job->map;
    QCOMPARE(histogram.total, map.value.count());
    QCOMPARE(std::accumulate(histogram.bins.begin(), histogram.bins.end(), std::int64_t{0}),
             histogram.total);
    // Counted again, value by value, beside the borders of bins.
    const std::size_t bin = histogram.bins.size() / 2;
    const double low = histogram.low + static_cast<double>(bin) * histogram.width();
    std::int64_t inside = 0;
    std::int64_t near = 0;
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        const double value = map.value.data()[i];
        inside += value >= low && value < low + histogram.width() ? 1 : 0;
        near += std::min(std::abs(value - low), std::abs(value - low - histogram.width())) < 1e-12
                    ? 1
                    : 0;
    }
    QVERIFY(std::abs(histogram.bins[bin] - inside) <= near);
    QTRY_VERIFY2(numbers().contains(QStringLiteral("0.300")), qPrintable(numbers()));
    const auto peaks = document().result()->job->peaks.size();
    QVERIFY2(numbers().contains(QStringLiteral("<b>%1 peaks</b> survive").arg(peaks)),
             qPrintable(numbers()));
    test::keepPictures(*m_window, QStringLiteral("threshold"));
}

void WindowThresholdTest::draggingTakesPeaksFromTheMapBothWays() {
    run();
    const auto& table = test::child<QTableView>(*m_window, "peaksTable");
    const match::PeakKey best = match::keyOf(document().result()->job->peaks.front());
    document().selectPeak(0);
    press(0.3);
    for (const double score : {0.28, 0.2, 0.36, 0.24}) {
        moveTo(score); // the last one counts
    }
    release(0.24);
    QVERIFY(std::abs(listed() - 0.24) < view().histogram().width() * 2);
    // The list is that of a search with this threshold; table, panel and views show it.
    const ui::ResultEntry& result = *document().result();
    const auto expected = job::extractPeaks(*result.kept, job::thresholdsOf(result.settings));
    QCOMPARE(result.job->peaks.size(), expected.peaks.size());
    QCOMPARE(table.model()->rowCount(), static_cast<int>(expected.peaks.size()));
    QCOMPARE(m_window->matchPanel().threshold(), listed());
    // The selected peak stays the selected one.
    QVERIFY(match::keyOf(result.job->peaks[static_cast<std::size_t>(document().selectedPeak())]) ==
            best);
    const std::size_t many = result.job->peaks.size();
    press(0.24);
    moveTo(0.5);
    release(0.5);
    QVERIFY(document().result()->job->peaks.size() < many);
    QCOMPARE(document().result()->job->peaks.size(), std::size_t{1});
    QCOMPARE(m_window->matchPanel().threshold(), listed());
}

void WindowThresholdTest::aDragIsOneUndoStep() {
    run();
    const std::size_t before = document().result()->job->peaks.size();
    const int steps = document().undoStack().count();
    press(0.3);
    for (const double score : {0.25, 0.2, 0.15}) {
        moveTo(score);
        QTRY_VERIFY(!panel().isBusy());
    }
    release(0.15);
    QCOMPARE(document().undoStack().count(), steps + 1);
    QVERIFY(document().result()->job->peaks.size() > before);
    test::child<QAction>(*m_window, "undo").trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().result()->job->peaks.size(), before);
    QCOMPARE(m_window->matchPanel().threshold(), 0.3);
    QCOMPARE(document().undoStack().count(), steps + 1);
    // The next drag is another step.
    press(0.3);
    moveTo(0.2);
    release(0.2);
    QCOMPARE(document().undoStack().index(), steps + 1);
    QVERIFY(!document().undoStack().canRedo());
}

void WindowThresholdTest::peaksBelowTheLineAreMarkedWhileTheTabIsOpen() {
    document().setScene(test::noiseScene({160, 120, 1}, 5));
    std::vector<match::Peak> below;
    QObject::connect(&panel(), &ui::CockpitPanel::belowChanged, this,
                     [&below](const std::vector<match::Peak>& peaks) { below = peaks; });
    run();
    QTRY_VERIFY(!below.empty());
    // The best of those that are not listed.
    const std::vector<match::Peak>& peaks = document().result()->job->peaks;
    QCOMPARE(below.size(), 2 * peaks.size());
    QVERIFY(below.front().score + below.front().bound < 0.3);
    QVERIFY(below.front().score <= peaks.back().score);
    for (const match::Peak& each : peaks) {
        QCOMPARE(std::ranges::count(below, match::keyOf(each), match::keyOf), 0);
    }
    const match::PeakKey first = match::keyOf(below.front());
    press(0.3);
    moveTo(0.2);
    release(0.2);
    QVERIFY(std::ranges::find(document().result()->job->peaks, first, match::keyOf) !=
            document().result()->job->peaks.end());
    QVERIFY(below.front().score < 0.21);
    showTab(QStringLiteral("Peaks"));
    QVERIFY(below.empty());
}

void WindowThresholdTest::arrowKeysMoveTheLine() {
    run();
    view().setFocus();
    QTest::keyClick(&view(), Qt::Key_Left);
    QTRY_VERIFY(!panel().isBusy());
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(std::abs(listed() - 0.299) < 1e-9);
    QTest::keyClick(&view(), Qt::Key_Right, Qt::ShiftModifier);
    QTRY_VERIFY(!panel().isBusy());
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(std::abs(listed() - 0.309) < 1e-9);
}

void WindowThresholdTest::theSuggestionIsThatOfTheLaw() {
    run();
    QVERIFY2(numbers().contains(QStringLiteral("false positives expected")), qPrintable(numbers()));
    auto& suggest = test::child<QPushButton>(*m_window, "cockpitSuggest");
    QVERIFY(suggest.isVisible());
    const auto& told = test::child<QLabel>(*m_window, "cockpitLaw");
    QVERIFY2(told.isVisible() && told.text().startsWith(QStringLiteral("Law: ")),
             qPrintable(told.text()));
    test::keepPictures(*m_window, QStringLiteral("threshold"));
    const match::SearchLaw law = document().result()->job->report.threshold->law;
    const double suggested = law.thresholdFor(1);
    test::click(suggest);
    QTRY_VERIFY(!panel().isBusy());
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(listed() >= suggested - 1e-9 && listed() < suggested + 0.0011);
    QVERIFY(law.falsePositives(listed()) <= 1 + 1e-6);
    // It is a step like a drag.
    test::child<QAction>(*m_window, "undo").trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(listed(), 0.3);
}

void WindowThresholdTest::otherOperationsAreDraggedToo() {
    document().setScene(test::noiseScene({160, 120, 1}, 5));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    job::Job job = m_window->matchPanel().settings();
    job.operation = *method::operationNamed("nssd");
    m_window->matchPanel().setSettings(job);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    showTab(QStringLiteral("Threshold"));
    QTRY_VERIFY(view().histogram().total > 0);
    const double middle = (view().histogram().low + view().histogram().high) / 2;
    press(middle);
    release(middle);
    const ui::ResultEntry& result = *document().result();
    QVERIFY(result.settings.maxScore.has_value());
    QVERIFY(std::abs(*result.settings.maxScore - middle) < 2 * view().histogram().width());
    for (const match::Peak& each : result.job->peaks) {
        QVERIFY(each.score - each.bound <= *result.settings.maxScore);
    }
}

void WindowThresholdTest::aCountThatEndsLateLeavesTheDraggedList() {
    run();
    // Lists that are cut off: how many peaks there are is counted in the background.
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(20);
    QVERIFY(test::waitUntilIdle(*m_window));
    std::vector<double> later{0.19, 0.22, 0.26};
    QObject context;
    QObject::connect(&m_window->controller(), &ui::RunController::started, &context,
                     [&](ui::RunController::Task task) {
                         if (task == ui::RunController::Task::Peaks && !later.empty()) {
                             moveTo(later.back()); // while it counts
                             later.pop_back();
                         }
                     });
    press(0.3);
    moveTo(0.25);
    QTRY_VERIFY(later.empty());
    release(0.19);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(std::abs(listed() - 0.19) < view().histogram().width() * 2);
}

/// Small in the check; FLCC_DRAG_SIDE and FLCC_DRAG_DEPTH measure a large map. The processor time
/// of the GUI thread is bounded, and of steps that come faster than lists the last one counts.
void WindowThresholdTest::aDragOfALargeMapIsQuick() {
    const auto number = [](const char* name, int otherwise) {
        const int value = qEnvironmentVariableIntValue(name);
        return value > 0 ? value : otherwise;
    };
    const int side = number("FLCC_DRAG_SIDE", 300);
    const int depth = number("FLCC_DRAG_DEPTH", 1);
    const std::int64_t edge = depth > 1 ? 5 : 15;
    document().setScene(test::noiseScene({side, side, depth}, 5));
    document().setBox(base::Box{{30, 40, depth / 3}, {edge, edge, depth > 1 ? edge : 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.4);
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(5000);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    showTab(QStringLiteral("Threshold"));
    QTRY_VERIFY_WITH_TIMEOUT(view().histogram().total > 0, 120'000);
    QVERIFY(test::waitUntilIdle(*m_window));
    press(0.4);
    QTRY_VERIFY(!panel().isBusy());
    test::StallWatch stalls;
    std::vector<double> steps;
    std::size_t most = 0;
    for (const double score : {0.35, 0.3, 0.28, 0.26, 0.24, 0.22, 0.25, 0.27, 0.3, 0.4}) {
        QElapsedTimer timer;
        timer.start();
        moveTo(score);
        while (panel().isBusy()) {
            QApplication::processEvents(QEventLoop::AllEvents, 1);
        }
        QApplication::processEvents(); // draws
        steps.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        QVERIFY(std::abs(listed() - score) < view().histogram().width() * 2);
        most = std::max(most, document().result()->job->peaks.size());
    }
    std::ranges::sort(steps);
    qInfo("%dx%dx%d: a step takes %.1f ms in the median, %.1f at most, with up to %zu peaks; the "
          "window stands still for %.1f ms at most (%.1f ms of processor time)",
          side, side, depth, steps[steps.size() / 2], steps.back(), most, stalls.longestMs(),
          stalls.longestCpuMs());
    // The GUI thread draws, and does not search the map.
    QVERIFY(stalls.longestCpuMs() < 500);
    for (int i = 0; i < 30; ++i) {
        moveTo(0.4 - 0.004 * i);
    }
    moveTo(0.33);
    release(0.33);
    QVERIFY(std::abs(listed() - 0.33) < view().histogram().width() * 2);
    const ui::ResultEntry& result = *document().result();
    QCOMPARE(result.job->peaks.size(),
             job::extractPeaks(*result.kept, job::thresholdsOf(result.settings)).peaks.size());
}

void WindowThresholdTest::theLegendHasTheColoursOfTheTheme() {
    run();
    const auto& legend = test::child<QLabel>(*m_window, "cockpitLegend");
    for (const ui::Theme theme : {ui::Theme::Dark, ui::Theme::Light, ui::Theme::Dark}) {
        ui::applyTheme(theme);
        // The law is drawn in the colour of texts.
        const QString colour = QApplication::palette().color(QPalette::Text).name();
        QVERIFY2(legend.text().contains(colour), qPrintable(legend.text()));
        QVERIFY(legend.text().contains(ui::accents().good.name()));
    }
}

const flcc::test::TestClass<WindowThresholdTest> kWindowThresholdTest;

#include "window_threshold_test.moc"
