#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"
#include "ui/results/peaks_model.h"
#include "ui/views/view_tools.h"
#include "ui/views/views_panel.h"

// A person judges the peaks of a result: decisions, added peaks, undo, exports.

using namespace flcc;
using match::Decision;

class WindowJudgeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void keysDecideOnTheSelectedPeaks();
    void decisionsSurviveANewExtraction();
    void aThresholdIsUndoneWithItsList();
    void aClickAddsThePeakThere();
    void aLassoSelectsWhatItGoesAround();
    void aSweepRejectsWhatItPasses();
    void exportsStateDecisions();
    void editsOutliveAnotherSceneAndARemovedOne();
    void aReleasedMapLeavesPeaksAndDecisions();
    void decisionsHoldForTheNextRun();

  private:
    [[nodiscard]] QString file(const char* name) const {
        return m_folder->filePath(QLatin1String(name));
    }
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] QTableView& table() { return test::child<QTableView>(*m_window, "peaksTable"); }
    [[nodiscard]] std::vector<Decision> decisions() {
        const ui::ResultEntry& result = *document().result();
        return result.decisions.of(result.job->peaks);
    }
    [[nodiscard]] std::int64_t count(Decision decision) {
        return std::ranges::count(decisions(), decision);
    }
    void trigger(const char* action) { test::child<QAction>(*m_window, action).trigger(); }
    void setThreshold(double score) {
        test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(score);
        QTRY_COMPARE(*document().result()->settings.minScore, score);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    void openAndRun();
    void select(int first, int last);
    [[nodiscard]] const ui::ViewFrame& takeTool(Qt::Key key);
    void stroke(const std::vector<base::Point>& line,
                Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    [[nodiscard]] std::vector<int> selectedRanks();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowJudgeTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const ui::SceneEntry scene = test::noiseScene({120, 90, 1}, 3);
    io::writeImage(file("scene.mha").toStdString(), base::viewOf(scene.image->pixels), {});
    const ui::SceneEntry other = test::noiseScene({120, 90, 1}, 4);
    io::writeImage(file("other.mha").toStdString(), base::viewOf(other.image->pixels), {});
    m_window = test::shownWindow();
}

void WindowJudgeTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowJudgeTest::openAndRun() {
    m_window->openFile(file("scene.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.25);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document().result()->job->peaks.size() > 8);
}

/// Clicks a row of the table, then another one with Shift.
void WindowJudgeTest::select(int first, int last) {
    const auto at = [this](int row) {
        return table().visualRect(table().model()->index(row, ui::PeaksModel::Score)).center();
    };
    QTest::mouseClick(table().viewport(), Qt::LeftButton, Qt::NoModifier, at(first));
    if (last != first) {
        QTest::mouseClick(table().viewport(), Qt::LeftButton, Qt::ShiftModifier, at(last));
    }
}

const ui::ViewFrame& WindowJudgeTest::takeTool(Qt::Key key) {
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    frame.widget()->setFocus();
    QTest::keyClick(frame.widget(), key);
    return frame;
}

/// Drags with the left button along voxels of the image, in small steps.
void WindowJudgeTest::stroke(const std::vector<base::Point>& line,
                             Qt::KeyboardModifiers modifiers) {
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    ui::SceneWidget* widget = frame.widget();
    const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButton which,
                          Qt::MouseButtons held) {
        QMouseEvent event(type, at, widget->mapToGlobal(at), which, held, modifiers);
        QApplication::sendEvent(widget, &event);
    };
    QPoint last = test::pointOf(frame, line.front());
    send(QEvent::MouseButtonPress, last, Qt::LeftButton, Qt::LeftButton);
    for (std::size_t i = 1; i < line.size(); ++i) {
        const QPoint to = test::pointOf(frame, line[i]);
        for (int step = 1; step <= 4; ++step) {
            send(QEvent::MouseMove, last + (to - last) * step / 4, Qt::NoButton, Qt::LeftButton);
        }
        last = to;
    }
    test::keepPictures(*m_window, QStringLiteral("stroke"));
    send(QEvent::MouseButtonRelease, last, Qt::LeftButton, Qt::NoButton);
}

/// Numbers of the selected peaks in the list, ascending.
std::vector<int> WindowJudgeTest::selectedRanks() {
    std::vector<int> ranks;
    for (const QModelIndex& row : table().selectionModel()->selectedRows(ui::PeaksModel::Rank)) {
        ranks.push_back(row.data().toInt() - 1);
    }
    std::ranges::sort(ranks);
    return ranks;
}

void WindowJudgeTest::keysDecideOnTheSelectedPeaks() {
    openAndRun();
    table().setFocus();
    select(1, 3);
    const int steps = document().undoStack().count();
    QTest::keyClick(&table(), Qt::Key_Space);
    QCOMPARE(count(Decision::Keep), 3);
    QVERIFY(decisions()[1] == Decision::Keep && decisions()[3] == Decision::Keep);
    // Three rows are one step; the selection stays.
    QCOMPARE(document().undoStack().count(), steps + 1);
    QCOMPARE(table().selectionModel()->selectedRows().size(), 3);
    select(5, 5);
    QTest::keyClick(&table(), Qt::Key_X);
    select(6, 6);
    QTest::keyClick(&table(), Qt::Key_U);
    QVERIFY(decisions()[5] == Decision::Reject && decisions()[6] == Decision::Unsure);
    QCOMPARE(table().model()->index(5, ui::PeaksModel::Decision).data().toString(),
             QStringLiteral("reject"));
    const QString summary = test::child<QLabel>(*m_window, "peaksSummary").text();
    QVERIFY2(summary.contains(QStringLiteral("3 kept, 1 rejected, 1 unsure")), qPrintable(summary));
    // The same key takes it back; so does undo.
    QTest::keyClick(&table(), Qt::Key_U);
    QCOMPARE(count(Decision::Unsure), 0);
    trigger("undo");
    QCOMPARE(count(Decision::Unsure), 1);
    // In a view, the keys decide on the peak that N went to.
    QWidget& view = *m_window->views().frames()[0]->widget();
    view.setFocus();
    document().selectPeak(-1);
    QTest::keyClick(&view, Qt::Key_N);
    QCOMPARE(document().selectedPeak(), 0);
    QTest::keyClick(&view, Qt::Key_Space);
    QVERIFY(decisions()[0] == Decision::Keep);
    // N works in the table, too, and keeps the zoom.
    m_window->views().zoom(2);
    const double zoom = m_window->views().frames()[0]->slice()->zoom();
    table().setFocus();
    QTest::keyClick(&table(), Qt::Key_N);
    QCOMPARE(document().selectedPeak(), 1);
    QCOMPARE(m_window->views().frames()[0]->slice()->zoom(), zoom);
    test::keepPictures(*m_window, QStringLiteral("decisions"));
}

void WindowJudgeTest::decisionsSurviveANewExtraction() {
    openAndRun();
    const match::PeakKey first = match::keyOf(document().result()->job->peaks[0]);
    const match::PeakKey last = match::keyOf(document().result()->job->peaks[7]);
    select(0, 0);
    QTest::keyClick(&table(), Qt::Key_Space);
    select(7, 7);
    QTest::keyClick(&table(), Qt::Key_X);
    const std::size_t before = document().result()->job->peaks.size();
    setThreshold(0.2);
    QVERIFY(document().result()->job->peaks.size() > before);
    QVERIFY(document().result()->decisions.of(first) == Decision::Keep);
    QVERIFY(document().result()->decisions.of(last) == Decision::Reject);
    QCOMPARE(count(Decision::Keep), 1);
    QCOMPARE(count(Decision::Reject), 1);
}

void WindowJudgeTest::aThresholdIsUndoneWithItsList() {
    openAndRun();
    const std::size_t before = document().result()->job->peaks.size();
    setThreshold(0.2);
    const std::size_t lower = document().result()->job->peaks.size();
    QVERIFY(lower > before);
    trigger("undo");
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().result()->job->peaks.size(), before);
    QCOMPARE(m_window->matchPanel().threshold(), 0.25);
    trigger("redo");
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().result()->job->peaks.size(), lower);
    QCOMPARE(m_window->matchPanel().threshold(), 0.2);
}

void WindowJudgeTest::aClickAddsThePeakThere() {
    openAndRun();
    // The places of the peaks that a stricter list leaves out.
    const match::Peak wanted = document().result()->job->peaks[6];
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.9);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(table().model()->rowCount(), 1);
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    frame.widget()->setFocus();
    QTest::keyClick(frame.widget(), Qt::Key_5);
    const base::Point beside{wanted.centre[0] + 1, wanted.centre[1] - 1, 0};
    QTest::mouseClick(frame.widget(), Qt::LeftButton, Qt::ControlModifier,
                      test::pointOf(frame, beside));
    QTRY_COMPARE(document().result()->added.size(), std::size_t{1});
    QVERIFY(match::keyOf(document().result()->added.front()) == match::keyOf(wanted));
    // It is below the threshold and listed all the same, kept and selected.
    QCOMPARE(document().result()->added.front().score, wanted.score);
    QTRY_COMPARE(table().model()->rowCount(), 2);
    const int selected = document().selectedPeak();
    QVERIFY(match::keyOf(document().result()->job->peaks[static_cast<std::size_t>(selected)]) ==
            match::keyOf(wanted));
    QVERIFY(document().result()->decisions.of(match::keyOf(wanted)) == Decision::Keep);
    // Delete removes it, undo brings it back, and another undo takes it away.
    QTest::keyClick(frame.widget(), Qt::Key_Delete);
    QVERIFY(document().result()->added.empty());
    trigger("undo");
    QCOMPARE(document().result()->added.size(), std::size_t{1});
    QCOMPARE(table().model()->rowCount(), 2);
    trigger("undo");
    QVERIFY(document().result()->added.empty());
    QVERIFY(document().result()->decisions.all().empty());
    // Delete rejects a peak that the map gave.
    document().selectPeak(0);
    QTest::keyClick(frame.widget(), Qt::Key_Delete);
    QVERIFY(decisions()[0] == Decision::Reject);
}

void WindowJudgeTest::aLassoSelectsWhatItGoesAround() {
    openAndRun();
    const auto& peaks = document().result()->job->peaks;
    // A vertical border that is not near a centre.
    double border = 50;
    const auto near = [&](const match::Peak& peak) {
        return std::abs(peak.centre[0] - border) < 1;
    };
    while (std::ranges::any_of(peaks, near)) {
        border += 0.5;
    }
    std::vector<int> left;
    std::vector<int> right;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        (peaks[i].centre[0] < border ? left : right).push_back(static_cast<int>(i));
    }
    QVERIFY(left.size() > 2 && right.size() > 2);
    (void)takeTool(Qt::Key_7);
    const base::Point crosshair = m_window->views().crosshair();
    const std::vector<base::Point> around{
        {-2, -2, 0}, {border, -2, 0}, {border, 91, 0}, {-2, 91, 0}};
    stroke(around);
    QCOMPARE(selectedRanks(), left);
    QVERIFY(m_window->views().crosshair() == crosshair);
    const auto& hint = test::child<QLabel>(*m_window, "statusHint");
    QVERIFY(hint.isVisible());
    QVERIFY2(hint.text().startsWith(QStringLiteral("%1 peaks selected").arg(left.size())),
             qPrintable(hint.text()));
    test::keepPictures(*m_window, QStringLiteral("lassoed"));
    // One key decides on all of them, in one step.
    const int steps = document().undoStack().count();
    QTest::keyClick(m_window->views().frames()[0]->widget(), Qt::Key_X);
    QCOMPARE(count(Decision::Reject), static_cast<std::int64_t>(left.size()));
    QCOMPARE(document().undoStack().count(), steps + 1);
    QCOMPARE(selectedRanks(), left);
    trigger("undo");
    QVERIFY(document().result()->decisions.all().empty());
    // With Ctrl, more are added; a new lasso without it begins anew, an empty one selects nothing.
    stroke({{border, -2, 0}, {122, -2, 0}, {122, 91, 0}, {border, 91, 0}}, Qt::ControlModifier);
    QCOMPARE(selectedRanks().size(), peaks.size());
    stroke(around);
    QCOMPARE(selectedRanks(), left);
    stroke({{-8, -2, 0}, {-3, -2, 0}, {-3, 91, 0}, {-8, 91, 0}});
    QCOMPARE(selectedRanks(), std::vector<int>());
    // A click selects a peak, as tool 5 does.
    QTest::mouseClick(m_window->views().frames()[0]->widget(), Qt::LeftButton, Qt::NoModifier,
                      test::pointOf(*m_window->views().frames()[0], peaks[0].centre));
    QCOMPARE(document().selectedPeak(), 0);
}

void WindowJudgeTest::aSweepRejectsWhatItPasses() {
    openAndRun();
    const match::Peak wanted = document().result()->job->peaks[60];
    const auto offLine = [&](const match::Peak& peak) {
        return std::abs(peak.centre[1] - wanted.centre[1]);
    };
    // One of the peaks that the stroke passes is an added one, which is below the threshold.
    test::child<QDoubleSpinBox>(*m_window, "minScore")
        .setValue(std::ceil(wanted.score * 1000 + 1) / 1000);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const ui::ViewFrame& frame = takeTool(Qt::Key_5);
    QTest::mouseClick(frame.widget(), Qt::LeftButton, Qt::ControlModifier,
                      test::pointOf(frame, wanted.centre));
    QTRY_COMPARE(document().result()->added.size(), std::size_t{1});
    QVERIFY(!document().result()->job->peaks.empty());
    std::vector<match::PeakKey> passed;
    for (const match::Peak& peak : document().result()->job->peaks) {
        QVERIFY(std::abs(offLine(peak) - 9.0 / 4) > 0.01); // a quarter of the box
        if (offLine(peak) < 9.0 / 4 && match::keyOf(peak) != match::keyOf(wanted)) {
            passed.push_back(match::keyOf(peak));
        }
    }
    QVERIFY(!passed.empty());
    (void)takeTool(Qt::Key_8);
    const int steps = document().undoStack().count();
    const std::vector<base::Point> across{{-1, wanted.centre[1], 0}, {121, wanted.centre[1], 0}};
    const auto verifySwept = [&] {
        QVERIFY(document().result()->added.empty());
        QCOMPARE(document().result()->decisions.all().size(), passed.size());
        for (const match::PeakKey& key : passed) {
            QVERIFY(document().result()->decisions.of(key) == Decision::Reject);
        }
    };
    stroke(across);
    verifySwept();
    QCOMPARE(document().undoStack().count(), steps + 1);
    test::keepPictures(*m_window, QStringLiteral("swept"));
    trigger("undo");
    QCOMPARE(document().result()->added.size(), std::size_t{1});
    QVERIFY(document().result()->decisions.of(match::keyOf(wanted)) == Decision::Keep);
    QCOMPARE(count(Decision::Reject), 0);
    trigger("redo");
    verifySwept();
    // Over rejected ones it is no step; with Ctrl it takes the rejections back.
    stroke(across);
    QCOMPARE(document().undoStack().count(), steps + 1);
    stroke(across, Qt::ControlModifier);
    QVERIFY(document().result()->decisions.all().empty());
    QCOMPARE(document().undoStack().count(), steps + 2);
    // An added peak that a lower threshold lists anyway is rejected: it would come back.
    trigger("undo");
    trigger("undo");
    QCOMPARE(document().result()->added.size(), std::size_t{1});
    setThreshold(0.25);
    stroke({wanted.centre, wanted.centre});
    QVERIFY(document().result()->added.empty());
    QVERIFY(document().result()->decisions.of(match::keyOf(wanted)) == Decision::Reject);
}

void WindowJudgeTest::exportsStateDecisions() {
    openAndRun();
    select(0, 2);
    QTest::keyClick(&table(), Qt::Key_Space);
    select(4, 4);
    QTest::keyClick(&table(), Qt::Key_X);
    trigger("exportPeaks");
    auto& dialog = test::child<QDialog>(*m_window, "peaksExportDialog");
    auto& only = test::child<QComboBox>(dialog, "peaksOnly");
    QVERIFY(only.isVisible());
    QVERIFY(only.currentText().startsWith(QStringLiteral("All but rejected")));
    const auto preview = [&] {
        return test::child<QPlainTextEdit>(dialog, "peaksPreview").toPlainText();
    };
    QVERIFY(preview().contains(QStringLiteral("decision")));
    QVERIFY(!preview().contains(QStringLiteral(",reject")));
    only.setCurrentIndex(0);
    QVERIFY(preview().contains(QStringLiteral(",reject")));
    only.setCurrentIndex(2);
    QCOMPARE(preview().count(QStringLiteral(",keep")), 3);
    QVERIFY(!preview().contains(QStringLiteral(",undecided")));
    test::keepPictures(*m_window, QStringLiteral("export-decided"));
    dialog.reject();
    m_window->exporter().writePeaks(file("kept.csv").toStdString(), io::ListFormat::Auto, {},
                                    {Decision::Keep});
    QVERIFY(test::waitUntilIdle(*m_window));
    const io::PositionList read =
        io::readList(file("kept.csv").toStdString(), io::ListFormat::Auto, {});
    QCOMPARE(read.positions.size(), std::size_t{3});
    QVERIFY(read.positions[0].decision == Decision::Keep);
}

void WindowJudgeTest::editsOutliveAnotherSceneAndARemovedOne() {
    openAndRun();
    m_window->opener().openScenes({file("other.mha").toStdString()}, true);
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->opener().showScene(1);
    QVERIFY(test::waitUntilIdle(*m_window));
    test::click(test::child<QPushButton>(*m_window, "runButton"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().activeScene(), 1);
    QTRY_VERIFY(document().result() != nullptr);
    document().selectPeak(0);
    QWidget& view = *m_window->views().frames()[0]->widget();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_X);
    QVERIFY(decisions()[0] == Decision::Reject);
    // Without the first scene its templates are gone; one step brings them back.
    m_window->opener().removeScene(0);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().scenes().size(), std::size_t{1});
    QVERIFY(document().templates().empty());
    QVERIFY(decisions()[0] == Decision::Reject);
    trigger("undo");
    QCOMPARE(document().scenes().size(), std::size_t{2});
    QCOMPARE(document().templates().size(), std::size_t{1});
    trigger("redo");
    QVERIFY(document().templates().empty() && decisions()[0] == Decision::Reject);
    // The steps before are those of the list that comes back.
    trigger("undo");
    trigger("undo");
    QVERIFY(std::ranges::all_of(document().results(), [](const ui::ResultEntry& each) {
        return each.decisions.all().empty();
    }));
    while (document().undoStack().canUndo()) {
        document().undoStack().undo();
    }
    QVERIFY(document().templates().empty() && !document().box());
}

void WindowJudgeTest::aReleasedMapLeavesPeaksAndDecisions() {
    openAndRun();
    const std::size_t peaks = document().result()->job->peaks.size();
    select(0, 0);
    QTest::keyClick(&table(), Qt::Key_Space);
    QVERIFY(test::runAndWait(*m_window)); // a newer result, whose map stays
    document().setMostResultBytes(1);
    QCOMPARE(document().results().size(), std::size_t{2});
    const ui::ResultEntry& first = document().results().front();
    QVERIFY(first.mapReleased && !first.job->map);
    // Its entry says what is left of it.
    ui::DataModel entries(document());
    QStringList texts;
    for (int row = 0; row < entries.rowCount(); ++row) {
        texts << entries.index(row, 0).data(ui::DataModel::DetailRole).toString();
    }
    QVERIFY2(texts.contains(QStringLiteral("%1 peaks, 1 kept").arg(peaks)),
             qPrintable(texts.join(QChar('|'))));
    document().showResult(0);
    QCOMPARE(document().result()->job->peaks.size(), peaks);
    QVERIFY(decisions()[0] == Decision::Keep);
    QCOMPARE(table().model()->rowCount(), static_cast<int>(peaks));
    // Decisions go on.
    select(1, 1);
    QTest::keyClick(&table(), Qt::Key_X);
    QVERIFY(decisions()[1] == Decision::Reject);
    trigger("undo");
    QVERIFY(decisions()[1] == Decision::Undecided);
}

void WindowJudgeTest::decisionsHoldForTheNextRun() {
    openAndRun();
    select(0, 1);
    QTest::keyClick(&table(), Qt::Key_Space);
    select(2, 2);
    QTest::keyClick(&table(), Qt::Key_X);
    QCOMPARE(count(Decision::Keep), std::int64_t{2});
    document().setBox(base::Box{{29, 39, 0}, {11, 11, 1}}); // the same object, another template
    document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QCOMPARE(document().results().size(), std::size_t{2});
    QVERIFY(count(Decision::Keep) >= 1);
    QCOMPARE(decisions().front(), Decision::Keep); // the place of the cut
    const QString sentence = test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    QVERIFY2(sentence.contains(QStringLiteral("hold for")), qPrintable(sentence));
    // Those of the result before stay as they are, and so does what is decided from here on.
    document().showResult(0);
    QCOMPARE(count(Decision::Keep), std::int64_t{2});
}

const flcc::test::TestClass<WindowJudgeTest> kWindowJudgeTest;

#include "window_judge_test.moc"
