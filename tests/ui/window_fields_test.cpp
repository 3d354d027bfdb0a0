#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QGuiApplication>
#include <QIcon>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <QUndoView>

#include <cmath>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/base/option_names.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"

// What the fields show is what runs, and keys go where they are meant.

using namespace flcc;

class WindowFieldsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void runUsesTheRegionThatWasJustTyped();
    void planUsesTheMemoryThatWasJustTyped();
    void cutUsesTheBoxThatWasJustTyped();
    void aCorrectedFieldEnablesRunWhileItIsTyped();
    void optionsThatExcludeEachOtherTurnRunOff();
    void returnChoosesInAnOpenList();
    void aRefusalKeepsItsButtonsAndStandsOnce();
    void aRunThatIsRefusedBeforeItsPlanShowsTheButtons();
    void aHiddenPanelSaysTheRefusalAboveTheViews();
    void aTabSwitchGivesTheListTheFocus();
    void theWindowFitsASmallScreen();
    void aTemplateLargerThanTheSceneDisablesRun();
    void sentencesGivePicturesTwoExtents();
    void thePaletteListsThemesAndNamesFirst();
    void iconsFollowTheTheme();
    void theKeySheetNeedsNoScrollingSideways();
    void fieldsAreUndoneByTheirNames();
    void theHistoryGoesBackToAStep();
    void tabsHaveKeysAndThePaletteShowsSwitches();

  private:
    void openWithTemplate();
    void type(const char* field, const char* text);
    [[nodiscard]] int timesSaid(const QString& part);

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowFieldsTest::init() { m_window = test::shownWindow(); }

void WindowFieldsTest::cleanup() { m_window.reset(); }

void WindowFieldsTest::openWithTemplate() {
    m_window->document().setScene(test::noiseScene({200, 160, 1}, 4));
    m_window->document().setBox(base::Box{{10, 10, 0}, {16, 16, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFieldsTest::type(const char* field, const char* text) {
    auto& edit = test::child<QLineEdit>(*m_window, field);
    edit.setFocus();
    edit.selectAll();
    QTest::keyClicks(&edit, QLatin1String(text));
}

/// How many visible labels of the window hold this text.
int WindowFieldsTest::timesSaid(const QString& part) {
    int times = 0;
    for (const QLabel* label : m_window->findChildren<QLabel*>()) {
        times += label->isVisible() && label->text().contains(part) ? 1 : 0;
    }
    return times;
}

void WindowFieldsTest::runUsesTheRegionThatWasJustTyped() {
    openWithTemplate();
    type("region", "5,6:60,50");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "region"), Qt::Key_Return,
                    Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().result() != nullptr, 60'000);
    const ui::ResultEntry& result = *m_window->document().result();
    QVERIFY(result.settings.region == (base::Box{{5, 6, 0}, {60, 50, 1}}));
    QVERIFY(result.job->map->value.extents() == (base::Extents{45, 35, 1}));
}

void WindowFieldsTest::planUsesTheMemoryThatWasJustTyped() {
    openWithTemplate();
    type("memory", "1000");
    test::child<QAction>(*m_window, "plan").trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(m_window->flow().report()->plan.limits.memoryBytes, std::int64_t{1000});
    type("memory", "300 MiB");
    test::child<QAction>(*m_window, "copyCommandLine").trigger();
    QCOMPARE(m_window->flow().currentJob().memoryBytes, std::int64_t{300} << 20);
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFieldsTest::cutUsesTheBoxThatWasJustTyped() {
    openWithTemplate();
    auto& width = test::child<QSpinBox>(*m_window, "boxW");
    width.setFocus();
    width.selectAll();
    QTest::keyClicks(&width, QStringLiteral("23"));
    QTest::keyClick(&width, Qt::Key_T, Qt::ControlModifier);
    QVERIFY(m_window->document().templ()->crop == (base::Box{{10, 10, 0}, {23, 16, 1}}));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFieldsTest::aCorrectedFieldEnablesRunWhileItIsTyped() {
    openWithTemplate();
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    type("memory", "much");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(!run.isEnabled());
    type("memory", "1 GiB");
    QVERIFY(run.isEnabled());
    test::child<QAction>(*m_window, "run").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().result() != nullptr, 60'000);
    QCOMPARE(m_window->document().result()->settings.memoryBytes, std::int64_t{1} << 30);
}

void WindowFieldsTest::optionsThatExcludeEachOtherTurnRunOff() {
    openWithTemplate();
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    QVERIFY(run.isEnabled());
    job::Job job = m_window->matchPanel().settings();
    job.poses.rotations = "90";
    job.poses.search = job::Search::Pruned; // with Auto, which needs all scores
    m_window->matchPanel().setSettings(job);
    QVERIFY(!run.isEnabled());
    QVERIFY2(run.toolTip().contains(QStringLiteral("leaves out what cannot reach a score")),
             qPrintable(run.toolTip()));
    QVERIFY(test::waitUntilIdle(*m_window));
    job.minScore = 0.6;
    m_window->matchPanel().setSettings(job);
    QVERIFY2(run.isEnabled(), qPrintable(run.toolTip()));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result() != nullptr);
}

void WindowFieldsTest::returnChoosesInAnOpenList() {
    openWithTemplate();
    auto& operation = test::child<QComboBox>(*m_window, "operation");
    const QString before = operation.currentText();
    operation.setFocus();
    operation.showPopup();
    QTRY_VERIFY(QApplication::activePopupWidget() != nullptr);
    QTest::keyClick(operation.view(), Qt::Key_Down);
    QTest::keyClick(operation.view(), Qt::Key_Return);
    QTRY_VERIFY(QApplication::activePopupWidget() == nullptr);
    QVERIFY(operation.currentText() != before);
    // The letters of the views behind it stay asleep.
    const bool overlay = test::child<QAction>(*m_window, "overlay").isChecked();
    operation.showPopup();
    QTRY_VERIFY(QApplication::activePopupWidget() != nullptr);
    QTest::keyClick(operation.view(), Qt::Key_S);
    QTest::keyClick(operation.view(), Qt::Key_Escape);
    QCOMPARE(test::child<QAction>(*m_window, "overlay").isChecked(), overlay);
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFieldsTest::aRefusalKeepsItsButtonsAndStandsOnce() {
    openWithTemplate();
    type("memory", "1000");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString reason = QStringLiteral("raise ");
    QCOMPARE(timesSaid(reason), 1);
    for (int i = 0; i < 2; ++i) {
        test::click(test::child<QPushButton>(*m_window, "runButton"));
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(timesSaid(reason), 1);
        auto& fix = test::child<QPushButton>(*m_window, "planFix0");
        QVERIFY(fix.isVisible());
        QVERIFY(fix.hasFocus()); // an answer to the click
    }
    test::click(test::child<QPushButton>(*m_window, "planFix0"));
    QTRY_VERIFY(m_window->matchPanel().settings().memoryBytes > 1000);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

void WindowFieldsTest::aRunThatIsRefusedBeforeItsPlanShowsTheButtons() {
    openWithTemplate();
    type("memory", "1000");
    test::child<QAction>(*m_window, "run").trigger(); // the plan of this limit is not made yet
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().results().empty());
    QVERIFY(test::child<QPushButton>(*m_window, "planFix0").isVisible());
    QCOMPARE(timesSaid(QStringLiteral("raise ")), 1);
}

void WindowFieldsTest::aHiddenPanelSaysTheRefusalAboveTheViews() {
    openWithTemplate();
    type("memory", "1000");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    test::child<QDockWidget>(*m_window, "matchDock").hide();
    test::child<QAction>(*m_window, "run").trigger();
    const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QTRY_VERIFY(bar.isVisible() && bar.kind() == ui::MessageBar::Kind::Error);
    QVERIFY2(bar.sentence().contains(QStringLiteral("Memory limit")), qPrintable(bar.sentence()));
}

void WindowFieldsTest::aTabSwitchGivesTheListTheFocus() {
    openWithTemplate();
    QVERIFY(test::runAndWait(*m_window));
    auto& tabs = test::child<QTabWidget>(*m_window, "resultTabs");
    const auto& table = test::child<QTableView>(*m_window, "peaksTable");
    auto& filter = test::child<QLineEdit>(*m_window, "peaksFilter");
    const int rows = table.model()->rowCount();
    QVERIFY(rows > 0);
    filter.setFocus();
    const auto choose = [&tabs](int tab) {
        QTest::mouseClick(tabs.tabBar(), Qt::LeftButton, Qt::NoModifier,
                          tabs.tabBar()->tabRect(tab).center());
    };
    choose(3);
    test::child<QPushButton>(*m_window, "findBlobs").setFocus();
    choose(0);
    QVERIFY(!filter.hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F);
    QVERIFY(filter.text().isEmpty());
    QCOMPARE(table.model()->rowCount(), rows);
}

void WindowFieldsTest::theWindowFitsASmallScreen() {
    openWithTemplate();
    QVERIFY(test::runAndWait(*m_window));
    m_window->document().setScene(test::noiseScene({40, 36, 30}, 4)); // four views
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->resize(940, 500); // 1920x1080 at scale 2, less frame and bar
    QTest::qWait(50);
    QVERIFY2(m_window->width() == 940 && m_window->height() == 500,
             qPrintable(QStringLiteral("%1x%2").arg(m_window->width()).arg(m_window->height())));
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    const QRect at(run.mapTo(m_window.get(), QPoint()), run.size());
    QVERIFY(m_window->rect().contains(at) && run.visibleRegion().boundingRect() == run.rect());
    const auto& tabs = test::child<QWidget>(*m_window, "resultTabs");
    const auto& match = test::child<QWidget>(*m_window, "matchPanel");
    QVERIFY(tabs.mapTo(m_window.get(), tabs.rect().bottomRight()).x() <=
            match.mapTo(m_window.get(), QPoint()).x()); // no panel lies over another
}

void WindowFieldsTest::aTemplateLargerThanTheSceneDisablesRun() {
    openWithTemplate();
    ui::TemplateEntry large;
    large.image = test::noiseScene({300, 20, 1}, 6).image;
    large.name = QStringLiteral("large");
    m_window->document().setTemplate(large);
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    QVERIFY(!run.isEnabled());
    QVERIFY2(run.toolTip().contains(QStringLiteral("300 × 20 is larger than the scene")),
             qPrintable(run.toolTip()));
    auto& extent = test::child<QComboBox>(*m_window, "extent");
    extent.setCurrentIndex(1);
    QVERIFY(run.isEnabled());
    extent.setCurrentIndex(0);
    QVERIFY(!run.isEnabled());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFieldsTest::sentencesGivePicturesTwoExtents() {
    openWithTemplate();
    type("region", "5,6:600,500");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "region"), Qt::Key_Return);
    const QRegularExpression flat(QStringLiteral("\\d+x\\d+x1\\b"));
    QString said;
    for (const QLabel* label : m_window->findChildren<QLabel*>()) {
        said += label->text() + label->toolTip();
    }
    said += test::child<QLineEdit>(*m_window, "region").toolTip() +
            test::child<QPushButton>(*m_window, "runButton").toolTip();
    QVERIFY2(said.contains(QStringLiteral("5,6:600,500 leaves the scene of 200 × 160 pixels")),
             qPrintable(said));
    QVERIFY2(!flat.match(said).hasMatch(), qPrintable(said));
    QCOMPARE(ui::inWindowWords("template 9x9x1 is larger than scene 5x5x1"),
             QStringLiteral("template 9 × 9 is larger than scene 5 × 5"));
    QCOMPARE(ui::inWindowWords("cannot read cut-10x10x1.raw: 9x9x12"),
             QStringLiteral("cannot read cut-10x10x1.raw: 9x9x12"));
}

void WindowFieldsTest::thePaletteListsThemesAndNamesFirst() {
    test::child<QAction>(*m_window, "commandPaletteAction").trigger();
    auto& words = test::child<QLineEdit>(*m_window, "commandWords");
    auto& list = test::child<QListWidget>(*m_window, "commandList");
    QTest::keyClicks(&words, QStringLiteral("dark"));
    QTRY_VERIFY(list.count() > 0);
    QVERIFY2(list.item(0)->text().startsWith(QStringLiteral("Theme > Dark")),
             qPrintable(list.item(0)->text()));
    words.clear();
    QTest::keyClicks(&words, QStringLiteral("fit"));
    QVERIFY2(list.item(0)->text().contains(QStringLiteral("> Fit")),
             qPrintable(list.item(0)->text()));
    words.clear();
    QTest::keyClicks(&words, QStringLiteral("zyxwv"));
    QCOMPARE(list.count(), 1);
    QVERIFY(list.item(0)->text().startsWith(QStringLiteral("No command")));
    QTest::keyClick(&words, Qt::Key_Return); // does nothing
    QTest::keyClick(&words, Qt::Key_Escape);
}

void WindowFieldsTest::iconsFollowTheTheme() {
    // The mean lightness of the drawn pixels.
    const auto ink = [](const QIcon& icon) {
        const QImage image = icon.pixmap(24, 24).toImage();
        double sum = 0;
        int drawn = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QColor colour = image.pixelColor(x, y);
                if (colour.alpha() > 200) {
                    sum += colour.lightness();
                    ++drawn;
                }
            }
        }
        return drawn > 0 ? sum / drawn : -1.0;
    };
    QAction* exports = nullptr;
    for (const QMenu* menu : m_window->findChildren<QMenu*>()) {
        exports = menu->title() == QStringLiteral("&Export") ? menu->menuAction() : exports;
    }
    QVERIFY(exports != nullptr);
    for (const char* theme : {"theme1", "theme2", "theme1"}) {
        test::child<QAction>(*m_window, theme).trigger();
        QTest::qWait(20);
        const double text = QGuiApplication::palette().color(QPalette::ButtonText).lightness();
        const double open = ink(test::child<QPushButton>(*m_window, "startOpen").icon());
        QVERIFY2(std::abs(open - text) < 40, qPrintable(QString::number(open)));
        QVERIFY2(std::abs(ink(exports->icon()) - text) < 40,
                 qPrintable(QString::number(ink(exports->icon()))));
    }
}

void WindowFieldsTest::theKeySheetNeedsNoScrollingSideways() {
    test::child<QAction>(*m_window, "keySheet").trigger();
    auto& sheet = test::child<QDialog>(*m_window, "keySheet");
    QTRY_VERIFY(sheet.isVisible());
    QTest::qWait(20); // the layout
    for (const QScrollArea* area : sheet.findChildren<QScrollArea*>()) {
        QVERIFY(!area->horizontalScrollBar()->isVisible());
    }
    sheet.close();
}

void WindowFieldsTest::fieldsAreUndoneByTheirNames() {
    openWithTemplate();
    QUndoStack& stack = m_window->document().undoStack();
    const int before = stack.count();
    auto& number = test::child<QSpinBox>(*m_window, "maxPeaks");
    const int usual = number.value();
    for (int i = 1; i <= 4; ++i) { // one step, as a wheel turns it
        number.setValue(usual + i);
    }
    QCOMPARE(stack.count(), before + 1);
    auto& tile = test::child<QComboBox>(*m_window, "extent");
    const QString extent = tile.currentText();
    tile.setCurrentIndex(1);
    QCOMPARE(stack.count(), before + 2);
    const QString last = stack.undoText();
    QVERIFY(last != stack.text(before));
    test::child<QAction>(*m_window, "undo").trigger();
    QCOMPARE(tile.currentText(), extent);
    QCOMPARE(number.value(), usual + 4);
    test::child<QAction>(*m_window, "undo").trigger();
    QCOMPARE(number.value(), usual);
    test::child<QAction>(*m_window, "redo").trigger();
    QCOMPARE(number.value(), usual + 4);
    // Back to what it was is no step.
    test::child<QAction>(*m_window, "undo").trigger();
    const int count = stack.count();
    number.setValue(usual + 1);
    number.setValue(usual);
    QVERIFY(stack.count() <= count);
    // What another scene resets is no step of a person, and a reset is one.
    m_window->document().setScene(test::noiseScene({200, 160, 1}, 5));
    QVERIFY(!stack.canUndo());
    number.setValue(usual + 9);
    test::child<QAction>(*m_window, "resetSettings").trigger();
    QCOMPARE(number.value(), usual);
    test::child<QAction>(*m_window, "undo").trigger();
    QCOMPARE(number.value(), usual + 9);
}

void WindowFieldsTest::theHistoryGoesBackToAStep() {
    openWithTemplate();
    QUndoStack& stack = m_window->document().undoStack();
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(17);
    test::child<QAction>(*m_window, "history").trigger();
    auto& dialog = test::child<QDialog>(*m_window, "historyDialog");
    auto& list = test::child<QUndoView>(dialog, "historyList");
    QCOMPARE(list.model()->rowCount(), stack.count() + 1);
    test::keepPictures(*m_window, QStringLiteral("history"));
    list.setCurrentIndex(list.model()->index(0, 0)); // as it was opened
    QCOMPARE(stack.index(), 0);
    QVERIFY(m_window->document().templates().empty());
    test::child<QAction>(*m_window, "history").trigger(); // the same window
    QCOMPARE(m_window->findChildren<QDialog*>(QStringLiteral("historyDialog")).size(), 1);
    dialog.close();
}

void WindowFieldsTest::tabsHaveKeysAndThePaletteShowsSwitches() {
    openWithTemplate();
    auto& tabs = test::child<QTabWidget>(*m_window, "resultTabs");
    for (int i = tabs.count() - 1; i >= 0; --i) {
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
        QCOMPARE(tabs.currentIndex(), i);
        QWidget* const focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr &&
                (focus == tabs.currentWidget() || tabs.currentWidget()->isAncestorOf(focus)));
    }
    test::child<QAction>(*m_window, "commandPaletteAction").trigger();
    auto& words = test::child<QLineEdit>(*m_window, "commandWords");
    auto& list = test::child<QListWidget>(*m_window, "commandList");
    QTest::keyClicks(&words, QStringLiteral("full screen"));
    QVERIFY2(list.item(0)->text().contains(QStringLiteral("(off)")),
             qPrintable(list.item(0)->text()));
    words.clear();
    QTest::keyClicks(&words, QStringLiteral("gallery"));
    QVERIFY2(list.item(0)->text().contains(QStringLiteral("Ctrl+2")),
             qPrintable(list.item(0)->text()));
}

const flcc::test::TestClass<WindowFieldsTest> kWindowFieldsTest;

#include "window_fields_test.moc"
