#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDropEvent>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/views/views_panel.h"

// Nothing that a person made is lost without a question, and a result brings back its job.

using namespace flcc;

class WindowWorkTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void lettersDoNothingWhileAMenuIsOpen();
    void droppingASceneAsksBeforeItRemovesWork_data();
    void droppingASceneAsksBeforeItRemovesWork();
    void aPictureIsNotOfferedAsOneOfAListOfVolumes();
    void returnRemovesNothingAndDecisionsAreCounted();
    void settingsOfOnePictureDoNotDecideAboutTheNext();
    void aMessageMovesNothingUnderTheMouse();
    void aSampleAloneIsReplacedWithoutAQuestion();
    void quittingDuringARunAsks();
    void aResultBringsBackItsJob();
    void resultsHaveNamesOfTheirOwnAndCanBeRenamed();
    void aRemovedResultComesBack();
    void aListThatIsCutOffSaysHowManyThereAre();
    void aLowerThresholdTakesPeaksFromTheMap();
    void aRowMovesTheViews();
    void copiedPeaksAreThoseOfTheTable();

  private:
    [[nodiscard]] QString file(const char* name) const {
        return m_folder->filePath(QLatin1String(name));
    }
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    void openAndRun();
    void drop(const QString& path);
    [[nodiscard]] QString summary() {
        return test::child<QLabel>(*m_window, "peaksSummary").text();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowWorkTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    for (const char* name : {"first.mha", "second.mha"}) {
        const ui::SceneEntry scene = test::noiseScene({120, 90, 1}, 3);
        io::writeImage(file(name).toStdString(), base::viewOf(scene.image->pixels), {});
    }
    m_window = test::shownWindow();
}

void WindowWorkTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowWorkTest::openAndRun() {
    m_window->openFile(file("first.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.2);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

void WindowWorkTest::drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
}

void WindowWorkTest::lettersDoNothingWhileAMenuIsOpen() {
    openAndRun();
    auto& view = *m_window->views().frames()[0]->widget();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_N);
    const int peak = document().selectedPeak();
    QMenu menu(m_window.get());
    menu.addAction(QStringLiteral("Something"));
    menu.popup(m_window->mapToGlobal(QPoint(200, 200)));
    QTRY_VERIFY(QApplication::activePopupWidget() == &menu);
    QTest::keyClick(&menu, Qt::Key_P);
    QCOMPARE(document().selectedPeak(), peak);
    menu.close();
    QTest::keyClick(&view, Qt::Key_P);
    QVERIFY(document().selectedPeak() != peak);
}

void WindowWorkTest::droppingASceneAsksBeforeItRemovesWork_data() {
    QTest::addColumn<QByteArray>("button");
    QTest::addColumn<int>("scenes");
    QTest::addColumn<int>("templates");
    QTest::addColumn<int>("results");
    QTest::newRow("new") << QByteArray("openNew") << 1 << 0 << 0;
    QTest::newRow("add") << QByteArray("openAdd") << 2 << 1 << 1;
    QTest::newRow("keep") << QByteArray("openKeep") << 1 << 1 << 0;
    QTest::newRow("cancel") << QByteArray() << 1 << 1 << 1;
}

void WindowWorkTest::droppingASceneAsksBeforeItRemovesWork() {
    QFETCH(QByteArray, button);
    openAndRun();
    drop(file("second.mha"));
    QVERIFY(test::waitUntilIdle(*m_window)); // the header was read
    auto& question = test::child<QMessageBox>(*m_window, "openQuestion");
    QTRY_VERIFY(question.isVisible());
    QVERIFY2(question.text().contains(QStringLiteral("removes the template and the result")),
             qPrintable(question.text()));
    if (button.isEmpty()) {
        QTest::keyClick(&question, Qt::Key_Escape);
    } else {
        test::click(test::child<QPushButton>(question, button));
    }
    QVERIFY(test::waitUntilIdle(*m_window));
    QTEST(static_cast<int>(document().scenes().size()), "scenes");
    QTEST(static_cast<int>(document().templates().size()), "templates");
    QTEST(static_cast<int>(document().results().size()), "results");
    if (button == "openKeep") {
        QCOMPARE(document().scene().name, QStringLiteral("second.mha"));
        QVERIFY(!document().templ()->crop); // the new scene holds other voxels there
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(document().result()->job->peaks.front().corner == (base::Index{30, 40, 0}));
    }
}

void WindowWorkTest::aPictureIsNotOfferedAsOneOfAListOfVolumes() {
    const ui::SceneEntry volume = test::noiseScene({30, 26, 20}, 3);
    io::writeImage(file("volume.mha").toStdString(), base::viewOf(volume.image->pixels), {});
    m_window->openFile(file("volume.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    document().setBox(base::Box{{10, 10, 5}, {7, 7, 7}});
    document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    drop(file("second.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    auto& question = test::child<QMessageBox>(*m_window, "openQuestion");
    QTRY_VERIFY(question.isVisible());
    QVERIFY(question.findChild<QPushButton*>(QStringLiteral("openNew")) != nullptr);
    QVERIFY(question.findChild<QPushButton*>(QStringLiteral("openAdd")) == nullptr);
    // A template of seven slices fits into no flat picture.
    auto* keep = question.findChild<QPushButton*>(QStringLiteral("openKeep"));
    QVERIFY(!keep->isEnabled());
    QVERIFY2(keep->toolTip().contains(QStringLiteral("No template fits into second.mha")),
             qPrintable(keep->toolTip()));
    test::keepPictures(*m_window, QStringLiteral("open-question"));
    QTest::keyClick(&question, Qt::Key_Escape);
    QTRY_VERIFY(m_window->findChild<QMessageBox*>(QStringLiteral("openQuestion")) == nullptr);
    drop(file("volume.mha")); // fits
    QVERIFY(test::waitUntilIdle(*m_window));
    auto& again = test::child<QMessageBox>(*m_window, "openQuestion");
    QTRY_VERIFY(again.isVisible());
    QVERIFY(again.findChild<QPushButton*>(QStringLiteral("openAdd")) != nullptr);
    QTest::keyClick(&again, Qt::Key_Escape);
}

void WindowWorkTest::returnRemovesNothingAndDecisionsAreCounted() {
    openAndRun();
    job::DecisionEdit edit;
    for (std::size_t i = 0; i < 2; ++i) {
        edit.decisions.emplace_back(match::keyOf(document().result()->job->peaks[i]),
                                    match::Decision::Keep);
    }
    document().editResult(edit, QStringLiteral("decision"));
    const auto ask = [this](const char* name) -> QMessageBox& {
        drop(file(name));
        (void)test::waitUntilIdle(*m_window);
        return test::child<QMessageBox>(*m_window, "openQuestion");
    };
    const ui::SceneEntry other = test::noiseScene({50, 40, 1}, 4);
    io::writeImage(file("other.mha").toStdString(), base::viewOf(other.image->pixels), {});
    auto& cancel = ask("other.mha"); // no part of the list
    QTRY_VERIFY(cancel.isVisible());
    QVERIFY2(cancel.text().contains(QStringLiteral("the result with 2 decisions")),
             qPrintable(cancel.text()));
    QTest::keyClick(&cancel, Qt::Key_Return);
    QTRY_VERIFY(m_window->findChild<QMessageBox*>(QStringLiteral("openQuestion")) == nullptr);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().results().size(), std::size_t{1});
    QCOMPARE(document().scene().name, QStringLiteral("first.mha"));
    auto& add = ask("second.mha");
    QTRY_VERIFY(add.isVisible());
    QTest::keyClick(&add, Qt::Key_Return);
    QTRY_COMPARE(document().scenes().size(), std::size_t{2});
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().results().size(), std::size_t{1});
}

void WindowWorkTest::settingsOfOnePictureDoNotDecideAboutTheNext() {
    auto& match = m_window->matchPanel();
    const auto& message = test::child<ui::MessageBar>(*m_window, "messageBar");
    openAndRun(); // with a threshold
    job::Job job = match.settings();
    job.preparation.band = "4,20";
    job.preparation.whiten = true;
    job.region = base::Box{{10, 10, 0}, {80, 70, 1}};
    job.poses.rotations = "30";
    job.maxPeaks = 7;
    job.report = "report.json";
    match.setSettings(job);
    m_window->openFile(file("second.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    job::Job expected;
    expected.poses.rotations = "30"; // what is looked for, not what it is looked for in
    expected.maxPeaks = 7;
    QVERIFY(match.settings() == expected);
    QVERIFY(test::child<QCheckBox>(*m_window, "autoThreshold").isChecked());
    QVERIFY2(message.sentence().endsWith(
                 QStringLiteral("settings kept from before: peaks, rotations and scales.")),
             qPrintable(message.sentence()));
    QVERIFY(test::child<QPushButton>(*m_window, "messageAccept").isVisible());
    test::keepPictures(*m_window, QStringLiteral("kept-settings"));
    // The sentence follows the settings; its button resets all.
    expected.maxPeaks = 100;
    match.setSettings(expected);
    QVERIFY2(message.sentence().endsWith(QStringLiteral("before: rotations and scales.")),
             qPrintable(message.sentence()));
    test::click(test::child<QPushButton>(*m_window, "messageAccept"));
    QVERIFY(match.settings() == job::Job());
    // Several files are one announcement; where nothing was kept there is no word of it.
    m_window->opener().openScenes(
        {file("first.mha").toStdString(), file("second.mha").toStdString()}, false);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(!message.sentence().contains(QStringLiteral("kept")), qPrintable(message.sentence()));
    job.region.reset();
    match.setSettings(job);
    m_window->opener().openScenes(
        {file("first.mha").toStdString(), file("second.mha").toStdString()}, false);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(message.sentence().contains(QStringLiteral("kept from before: peaks, rotations")),
             qPrintable(message.sentence()));
    // By the menu.
    test::child<QAction>(*m_window, "resetSettings").trigger();
    QVERIFY(match.settings() == job::Job());
}

/// The next click hits what was under the mouse before.
void WindowWorkTest::aMessageMovesNothingUnderTheMouse() {
    openAndRun();
    const auto& view = *m_window->views().frames()[0]->widget();
    auto& message = test::child<ui::MessageBar>(*m_window, "messageBar");
    message.hide();
    QTest::qWait(20);
    const QRect before(view.mapToGlobal(QPoint()), view.size());
    const auto place = [&view] { return QRect(view.mapToGlobal(QPoint()), view.size()); };
    message.tell(ui::MessageBar::Kind::Info, QStringLiteral("A sentence. ").repeated(30));
    QTest::qWait(20);
    QCOMPARE(place(), before);
    QVERIFY(message.isVisible() && message.height() >= 2 * message.fontMetrics().height());
    QCOMPARE(message.width(), message.parentWidget()->width());
    test::keepPictures(*m_window, QStringLiteral("message-over-views"));
    // The bar of the mask lies below it.
    test::child<QAction>(*m_window, "toolMask").trigger();
    QTest::qWait(20);
    const auto& bar = test::child<QWidget>(*m_window, "maskBar");
    QVERIFY(bar.isVisible());
    QCOMPARE(bar.y(), message.geometry().bottom() + 1);
    QCOMPARE(place(), before);
    test::child<QAction>(*m_window, "toolPeaks").trigger();
    // Who goes on has read it; a warning stays.
    QWidget& clicked = *m_window->views().frames()[0]->widget();
    QTest::mouseClick(&clicked, Qt::LeftButton, {}, clicked.rect().center());
    QVERIFY(!message.isVisible());
    message.tell(ui::MessageBar::Kind::Warning, QStringLiteral("A warning."));
    QTest::mouseClick(&clicked, Qt::LeftButton, {}, clicked.rect().center());
    QVERIFY(message.isVisible());
    message.offer(QStringLiteral("An offer."), QStringLiteral("Take it"), [] {}, {});
    QTest::mouseClick(&clicked, Qt::LeftButton, {}, clicked.rect().center());
    QVERIFY(message.isVisible());
}

void WindowWorkTest::aSampleAloneIsReplacedWithoutAQuestion() {
    m_window->opener().openSample(QStringLiteral("tiny"));
    QVERIFY(test::waitUntilIdle(*m_window));
    drop(file("second.mha"));
    QVERIFY(m_window->findChild<QMessageBox*>(QStringLiteral("openQuestion")) == nullptr);
    QTRY_COMPARE(document().scene().name, QStringLiteral("second.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowWorkTest::quittingDuringARunAsks() {
    document().setScene(test::noiseScene({2000, 2000, 1}, 5));
    document().setBox(base::Box{{100, 200, 0}, {63, 61, 1}});
    document().cutTemplate();
    job::Job job = m_window->matchPanel().settings();
    job.method = "direct";
    job.threads = 1;
    job.planning = plan::Planning::Estimate;
    m_window->matchPanel().setSettings(job);
    QVERIFY(test::waitUntilIdle(*m_window));
    test::click(test::child<QPushButton>(*m_window, "runButton"));
    test::child<QAction>(*m_window, "quit").trigger();
    QVERIFY(m_window->isVisible());
    auto& question = test::child<QMessageBox>(*m_window, "quitQuestion");
    QTRY_VERIFY(question.isVisible());
    test::click(test::child<QPushButton>(question, "quitNow"));
    auto& unsaved = test::child<QMessageBox>(*m_window, "loseQuestion"); // the template
    QTRY_VERIFY(unsaved.isVisible());
    test::click(test::child<QPushButton>(unsaved, "loseIt"));
    QTRY_VERIFY(!m_window->isVisible());
}

void WindowWorkTest::aResultBringsBackItsJob() {
    openAndRun();
    const auto first = document().templ()->image;
    document().setBox(base::Box{{60, 20, 0}, {11, 11, 1}});
    document().cutTemplate();
    auto& score = test::child<QDoubleSpinBox>(*m_window, "minScore");
    score.setValue(0.6);
    test::child<QCheckBox>(*m_window, "invert").setChecked(true);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    auto& list = test::child<QListView>(*m_window, "dataList");
    const QModelIndex oldest = list.model()->index(list.model()->rowCount() - 2, 0);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                      list.visualRect(oldest).center());
    QCOMPARE(document().shownResult(), 0);
    QVERIFY(document().templ()->image == first);
    QCOMPARE(score.value(), 0.2);
    QVERIFY(!test::child<QCheckBox>(*m_window, "invert").isChecked());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowWorkTest::resultsHaveNamesOfTheirOwnAndCanBeRenamed() {
    openAndRun();
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QStringList names;
    for (const ui::ResultEntry& each : document().results()) {
        QVERIFY2(each.title.startsWith(QString::fromUtf8("first · ")), qPrintable(each.title));
        names << each.title;
    }
    QCOMPARE(names.removeDuplicates(), 0);
    test::child<QAction>(*m_window, "renameResult").trigger();
    auto& dialog = test::child<QInputDialog>(*m_window, "renameDialog");
    dialog.setTextValue(QStringLiteral("good one"));
    QTest::keyClick(&dialog, Qt::Key_Return);
    QTRY_COMPARE(document().result()->title, QStringLiteral("good one"));
}

void WindowWorkTest::aRemovedResultComesBack() {
    openAndRun();
    QVERIFY(test::runAndWait(*m_window));
    document().showResult(0);
    const auto& peaks = document().result()->job->peaks;
    document().editResult(job::DecisionEdit{{{match::keyOf(peaks.front()), match::Decision::Keep}}},
                          QStringLiteral("keep"));
    const int id = document().result()->id;
    const auto map = document().result()->job->map;
    test::child<QAction>(*m_window, "removeResult").trigger();
    QCOMPARE(document().results().size(), std::size_t{1});
    QVERIFY(document().result()->id != id);
    document().undoStack().undo();
    QCOMPARE(document().results().size(), std::size_t{2});
    QCOMPARE(document().results().front().id, id); // in its place, and shown
    QCOMPARE(document().result()->id, id);
    QVERIFY(document().result()->job->map == map);
    QCOMPARE(document().result()->decisions.all().size(), std::size_t{1});
    document().undoStack().undo(); // steps before it are still there
    QVERIFY(document().result()->decisions.all().empty());
    document().undoStack().redo();
    document().undoStack().redo();
    QCOMPARE(document().results().size(), std::size_t{1});
}

void WindowWorkTest::aListThatIsCutOffSaysHowManyThereAre() {
    m_window->openFile(file("first.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.1);
    auto& most = test::child<QSpinBox>(*m_window, "maxPeaks");
    most.setValue(4);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QCOMPARE(test::child<QTableView>(*m_window, "peaksTable").model()->rowCount(), 4);
    const job::Job job = document().result()->settings;
    const QString four = summary();
    QVERIFY2(four.startsWith(QStringLiteral("4 of ")), qPrintable(four));
    auto& all = test::child<QToolButton>(*m_window, "peaksAll");
    QVERIFY(all.isVisible());
    test::click(all);
    QVERIFY(test::waitUntilIdle(*m_window));
    const int rows = test::child<QTableView>(*m_window, "peaksTable").model()->rowCount();
    QVERIFY2(four.startsWith(QStringLiteral("4 of %1 shown").arg(rows)), qPrintable(four));
    QVERIFY(!all.isVisible());
    // The list is that of a run with this number.
    job::Job whole = m_window->flow().currentJob();
    const job::JobResult again = job::runJob(whole, {document().scene().image});
    QCOMPARE(static_cast<int>(again.peaks.size()), rows);
    for (int i = 0; i < rows; ++i) {
        const match::Peak& a = again.peaks[static_cast<std::size_t>(i)];
        const match::Peak& b = document().result()->job->peaks[static_cast<std::size_t>(i)];
        QVERIFY(a.corner == b.corner && a.score == b.score && a.centre == b.centre);
    }
}

void WindowWorkTest::aLowerThresholdTakesPeaksFromTheMap() {
    openAndRun();
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(10'000); // more than the map has
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto map = document().result()->job->map;
    const auto before = document().result()->job->peaks.size();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.1);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().results().size(), std::size_t{1});
    QVERIFY(document().result()->job->map == map);
    QVERIFY(document().result()->job->peaks.size() > before);
    QCOMPARE(test::child<QTableView>(*m_window, "peaksTable").model()->rowCount(),
             static_cast<int>(document().result()->job->peaks.size()));
}

void WindowWorkTest::aRowMovesTheViews() {
    openAndRun();
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    const auto centred = [&](int peak) {
        const auto& peaks = document().result()->job->peaks;
        const viz::DisplayPoint at =
            frame.scene().displayOf(peaks[static_cast<std::size_t>(peak)].centre);
        return std::abs(at.x - frame.scene().width() / 2.0) < 2 &&
               std::abs(at.y - frame.scene().height() / 2.0) < 2;
    };
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier,
                      table.visualRect(table.model()->index(1, 1)).center());
    QVERIFY(centred(1));
    QTest::keyClick(&table, Qt::Key_Down);
    QVERIFY(centred(2));
    QTest::keyClick(&table, Qt::Key_Up);
    QVERIFY(centred(1));
}

void WindowWorkTest::copiedPeaksAreThoseOfTheTable() {
    openAndRun();
    test::click(test::child<QWidget>(*m_window, "peaksCopy"));
    const QStringList lines =
        QApplication::clipboard()->text().split(QChar('\n'), Qt::SkipEmptyParts);
    const auto& table = test::child<QTableView>(*m_window, "peaksTable");
    QCOMPARE(static_cast<int>(lines.size()), table.model()->rowCount() + 1);
    QVERIFY2(lines[0].startsWith(QStringLiteral("#\tscore\tdecision\tx [0-based]\ty")),
             qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith(QStringLiteral("1\t1.0000\t\t30\t40\t")), qPrintable(lines[1]));
    QCOMPARE(lines[1].count(QStringLiteral("\t\t")), 1); // nothing is decided yet
}

const flcc::test::TestClass<WindowWorkTest> kWindowWorkTest;

#include "window_work_test.moc"
