#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

#include "engine/plan/planner.h"
#include "engine/selftest/self_test.h"
#include "tests/ui/window_support.h"

using namespace flcc;

namespace {

/// Opens the dialog by its menu entry.
QDialog& opened(ui::MainWindow& window) {
    test::child<QAction>(window, "selfTestAction").trigger();
    return test::child<QDialog>(window, "selfTest");
}

} // namespace

class SelfTestDialogTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theResultsOfAllCasesCanBeReadAndCopied() {
        const auto window = test::shownWindow();
        QDialog& dialog = opened(*window);
        auto& table = test::child<QTableWidget>(dialog, "selfTestTable");
        auto& copy = test::child<QPushButton>(dialog, "selfTestCopy");
        QVERIFY(!copy.isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(copy.isEnabled(), 200'000);
        const QString verdict = test::child<QLabel>(dialog, "selfTestVerdict").text();
        QVERIFY2(verdict.startsWith("Passed"), qPrintable(verdict));
        // Each case with each method in both precisions; seams, masks and borders are for direct
        // and tiled alone.
        const std::size_t others = plan::methods().size() - 2;
        QCOMPARE(table.rowCount(),
                 static_cast<int>(
                     (selftest::caseNames().size() * plan::methods().size() - 3 * others) * 2));
        for (int row = 0; row < table.rowCount(); ++row) {
            QCOMPARE(table.item(row, table.columnCount() - 1)->text(), QString("passed"));
        }
        test::click(copy);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.contains("passed: "), qPrintable(copied));
        if (const QString file = qEnvironmentVariable("FLCC_SELFTEST_PICTURE"); !file.isEmpty()) {
            QVERIFY(dialog.grab().save(file));
        }
    }

    void aCancelIsAnsweredAndTheTestCanRunAgain() {
        const auto window = test::shownWindow();
        QDialog& dialog = opened(*window);
        auto& again = test::child<QPushButton>(dialog, "selfTestStart");
        const auto& verdict = test::child<QLabel>(dialog, "selfTestVerdict");
        QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith("Running"), 30'000);
        test::click(test::child<QPushButton>(dialog, "selfTestCancel"));
        QTRY_VERIFY_WITH_TIMEOUT(again.isEnabled(), 5'000);
        QVERIFY2(verdict.text().startsWith("Ended"), qPrintable(verdict.text()));
        test::click(again);
        QVERIFY(!again.isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith("Running"), 30'000);
        dialog.close();
        // The window is free again soon, and can be closed.
        QTRY_VERIFY_WITH_TIMEOUT(!window->controller().isBusy(), 5'000);
    }

    void closingTheWindowDuringTheTestIsSafe() {
        auto window = test::shownWindow();
        const QDialog& dialog = opened(*window);
        QTRY_VERIFY_WITH_TIMEOUT(
            dialog.findChild<QLabel*>("selfTestVerdict")->text().startsWith("Running"), 30'000);
        QElapsedTimer timer;
        timer.start();
        window.reset();
        QVERIFY(timer.elapsed() < 5'000);
    }
};

int main(int argc, char** argv) {
    SelfTestDialogTest test;
    return flcc::test::runWithApplication(argc, argv, test);
}
#include "self_test_dialog_test.moc"
