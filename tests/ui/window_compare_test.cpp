#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSlider>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextEdit>
#include <QUndoStack>

#include <fstream>

#include "engine/io/list_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/compare/compare_panel.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/views/views_panel.h"
#include "viz/slice_scene.h"

// The shown result beside another result or a list.

using namespace flcc;

namespace {

void writeList(const QString& file, const base::Extents& scene,
               const std::vector<base::Point>& centres) {
    io::PositionList list;
    list.columns = io::peakColumns();
    list.place.extents = scene;
    for (const base::Point& centre : centres) {
        list.positions.push_back({.centre = centre, .box = {9, 9, 1}});
    }
    io::fillPeakCells(list);
    io::AtomicFile out(file.toStdString());
    io::writeList(out, list, io::ListFormat::Csv);
    out.commit();
}

} // namespace

class WindowCompareTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void twoResultsAreComparedWithTheirMaps();
    void aDroppedListIsComparedAndItsBestThresholdTaken();
    void aSampleKnowsItsTruePositions();
    void aListOfAnotherSceneIsRefused();

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] ui::ComparePanel& panel() {
        return test::child<ui::ComparePanel>(*m_window, "comparePanel");
    }
    [[nodiscard]] const match::ListComparison& found() {
        return panel().comparison()->lists->comparison;
    }
    [[nodiscard]] double wipe() { return m_window->views().frames()[0]->slice()->wipe(); }
    void run(double minScore);
    void showTab();
    void choose(const char* box, int row);
    void drop(const QString& file);

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowCompareTest::init() { m_window = test::shownWindow(test::Panel::AsShipped); }

void WindowCompareTest::cleanup() { m_window.reset(); }

void WindowCompareTest::run(double minScore) {
    if (!document().hasScene()) {
        document().setScene(test::noiseScene({160, 120, 1}, 5));
        document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
        document().cutTemplate();
    }
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(minScore);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

void WindowCompareTest::showTab() {
    auto& tabs = test::child<QTabWidget>(*m_window, "resultTabs");
    for (int i = 0; i < tabs.count(); ++i) {
        if (tabs.tabText(i) == QStringLiteral("Compare")) {
            tabs.setCurrentIndex(i);
        }
    }
    QVERIFY(panel().isVisible());
}

/// Chooses a row as a person does: it is activated.
void WindowCompareTest::choose(const char* box, int row) {
    auto& chosen = test::child<QComboBox>(*m_window, box);
    chosen.setFocus();
    chosen.setCurrentIndex(row);
    Q_EMIT chosen.activated(row);
    QTRY_VERIFY(!panel().isBusy());
}

void WindowCompareTest::drop(const QString& file) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
    QTRY_VERIFY(!panel().isBusy());
}

void WindowCompareTest::twoResultsAreComparedWithTheirMaps() {
    run(0.3);
    const auto all = static_cast<int>(document().result()->job->peaks.size());
    run(0.4);
    const auto strict = static_cast<int>(document().result()->job->peaks.size());
    QVERIFY(strict > 2 && all > strict + 2);
    showTab();
    QVERIFY(!panel().comparison());
    choose("compareWith", 1);
    QTRY_VERIFY(panel().comparison());
    // Both lists are of one map: the strict one is the begin of the other.
    QCOMPARE(static_cast<int>(found().pairs.size()), strict);
    QCOMPARE(static_cast<int>(found().onlyB.size()), all - strict);
    QVERIFY(found().onlyA.empty());
    QCOMPARE(found().precision, 1.0);
    auto& table = test::child<QTableView>(*m_window, "compareTable");
    QCOMPARE(table.model()->rowCount(), all);
    table.setCurrentIndex(table.model()->index(strict - 1, 0));
    QCOMPARE(document().selectedPeak(), strict - 1);
    // The maps in turns, and beside each other.
    QCOMPARE(wipe(), 1.0);
    choose("compareMaps", 1);
    QCOMPARE(wipe(), 0.5);
    auto& slider = test::child<QSlider>(*m_window, "compareWipe");
    slider.setFocus();
    QTest::keyClick(&slider, Qt::Key_PageUp);
    QVERIFY(wipe() > 0.55 && wipe() < 0.65);
    choose("compareMaps", 2);
    QTRY_COMPARE(wipe(), 0.0);
    QTRY_COMPARE(wipe(), 1.0);
    test::keepPictures(*m_window, QStringLiteral("compare_results"));
    // A rejected peak is in neither list.
    const auto& peaks = document().result()->job->peaks;
    document().editResult(
        job::DecisionEdit{{{match::keyOf(peaks.front()), match::Decision::Reject}}},
        QStringLiteral("reject"));
    QTRY_VERIFY(!panel().isBusy() && static_cast<int>(found().pairs.size()) == strict - 1);
    QCOMPARE(static_cast<int>(found().onlyB.size()), all - strict + 1);
    // Colours and the other map end with the tab.
    choose("compareMaps", 3);
    QCOMPARE(wipe(), 0.0);
    test::child<QTabWidget>(*m_window, "resultTabs").setCurrentIndex(0);
    QCOMPARE(wipe(), 1.0);
}

void WindowCompareTest::aDroppedListIsComparedAndItsBestThresholdTaken() {
    run(0.3);
    const std::vector<match::Peak> peaks = document().result()->job->peaks;
    QVERIFY(peaks.size() > 8);
    // The truth: the five best peaks, moved by less than the tolerance, and a place without a peak.
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("truth.csv"));
    std::vector<base::Point> truth;
    for (std::size_t i = 0; i < 5; ++i) {
        truth.push_back(peaks[i].centre);
        truth.back()[0] += 1;
    }
    truth.push_back({140, 100, 0});
    writeList(file, {160, 120, 1}, truth);
    drop(file);
    QVERIFY2(panel().isVisible(), qPrintable(test::child<QLabel>(*m_window, "messageText").text()));
    QTRY_VERIFY(panel().comparison());
    QCOMPARE(static_cast<int>(found().pairs.size()), 5);
    QCOMPARE(static_cast<int>(found().onlyB.size()), 1);
    QCOMPARE(found().recall, 5.0 / 6);
    QVERIFY(found().best && found().best->matched == 5);
    test::keepPictures(*m_window, QStringLiteral("compare_list"));
    // A tolerance below the distance of 1 pairs nothing.
    auto& tolerance = test::child<QDoubleSpinBox>(*m_window, "compareTolerance");
    tolerance.setValue(0.5);
    QTRY_VERIFY(!panel().isBusy() && found().pairs.empty());
    tolerance.setValue(2);
    QTRY_VERIFY(!panel().isBusy() && found().pairs.size() == 5);
    test::click(test::child<QPushButton>(*m_window, "compareBest"));
    QTRY_COMPARE(document().result()->job->peaks.size(), std::size_t{5});
    QTRY_VERIFY(!panel().isBusy() && found().onlyA.empty());
    document().undoStack().undo();
    QCOMPARE(document().result()->job->peaks.size(), peaks.size());
    // Two species, of which the template is one.
    auto& species = test::child<QTextEdit>(*m_window, "compareSpecies");
    QVERIFY(!species.isVisible());
    std::string text = "species,cx,cy,cz\nother,140,100,0\n";
    for (std::size_t i = 0; i < 5; ++i) {
        text += '"' + panel().comparison()->lists->a.species.front() + "\"," +
                std::to_string(truth[i][0]) + ',' + std::to_string(truth[i][1]) + ",0\n";
    }
    const QString other = folder.filePath(QStringLiteral("species.csv"));
    std::ofstream(other.toStdString(), std::ios::binary) << text;
    drop(other);
    QTRY_VERIFY(panel().comparison() && panel().comparison()->lists->table);
    QVERIFY(species.isVisible());
    QVERIFY(species.toPlainText().endsWith(QStringLiteral("mean of 1 species")));
    test::keepPictures(*m_window, QStringLiteral("species"));
    QCOMPARE(panel().comparison()->lists->table->confusion.counts[1],
             (std::vector<std::int64_t>{5, 0}));
}

void WindowCompareTest::aSampleKnowsItsTruePositions() {
    m_window->opener().openSample(QStringLiteral("tiny"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    showTab();
    choose("compareWith", 1);
    QTRY_VERIFY(panel().comparison());
    QVERIFY(!found().pairs.empty());
    QVERIFY(found().onlyB.empty());
}

void WindowCompareTest::aListOfAnotherSceneIsRefused() {
    run(0.4);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("other.csv"));
    writeList(file, {50, 50, 1}, {{10, 10, 0}});
    drop(file);
    QVERIFY(!panel().comparison());
    const QString said = test::child<QLabel>(*m_window, "messageText").text();
    QVERIFY2(said.contains(QStringLiteral("50")), qPrintable(said));
}

const flcc::test::TestClass<WindowCompareTest> kWindowCompareTest;

#include "window_compare_test.moc"
