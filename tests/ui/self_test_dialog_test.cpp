#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/cuda/plugin/engine.h"
#include "engine/selftest/self_test.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"
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
    void initTestCase() { cuda::Engine::standIn(&test::doubleTable()); }

    void theResultsOfTheChosenDeviceCanBeReadAndCopied() {
        const auto window = test::shownWindow();
        QDialog& dialog = opened(*window);
        auto& table = test::child<QTableWidget>(dialog, "selfTestTable");
        auto& copy = test::child<QPushButton>(dialog, "selfTestCopy");
        auto& again = test::child<QPushButton>(dialog, "selfTestStart");
        auto& device = test::child<QComboBox>(dialog, "selfTestDevice");
        QCOMPARE(device.currentData().toString(), QString("auto"));
        QVERIFY(!copy.isEnabled() && !device.isEnabled()); // all are under way
        test::click(test::child<QPushButton>(dialog, "selfTestCancel"));
        QTRY_VERIFY_WITH_TIMEOUT(again.isEnabled(), 5'000);

        device.setFocus();
        QTest::keyClicks(&device, "Double"); // the name of the GPU
        QCOMPARE(device.currentData().toString(), QString("cuda:0"));
        test::click(again);
        QTRY_VERIFY_WITH_TIMEOUT(table.rowCount() > 0, 60'000);
        QVERIFY(!copy.isEnabled()); // the other cases go on
        QCOMPARE(table.item(0, 0)->text().toStdString(), selftest::caseNames().front().name);
        QTRY_VERIFY_WITH_TIMEOUT(copy.isEnabled(), 120'000);
        const QString verdict = test::child<QLabel>(dialog, "selfTestVerdict").text();
        QVERIFY2(verdict.startsWith("Passed"), qPrintable(verdict));
        // Each case by each method in both precisions; the one tile of `fourier` has no seams, and
        // on a GPU `direct` refuses the two cases with masks and with panels beyond the scene. GPUs
        // have no operations but lcc.
        std::map<QString, int> cases;
        for (int row = 0; row < table.rowCount(); ++row) {
            ++cases[table.item(row, 1)->text()];
            QCOMPARE(table.item(row, 2)->text(), QString("CUDA 0"));
            QCOMPARE(table.item(row, table.columnCount() - 1)->text(), QString("passed"));
        }
        const std::vector<selftest::CaseName> names = selftest::caseNames();
        const auto all = 2 * static_cast<int>(std::count_if(
                                 names.begin(), names.end(), [](const selftest::CaseName& one) {
                                     return one.name.find("operation") == std::string::npos;
                                 }));
        QCOMPARE(cases, (std::map<QString, int>{
                            {"direct", all - 4}, {"fourier", all - 2}, {"tiled", all}}));
        test::click(copy);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.contains("passed: ") && copied.contains("cuda:0: Double 0"),
                 qPrintable(copied));
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
        QVERIFY2(verdict.text().startsWith("Stopped"), qPrintable(verdict.text()));
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

    /// Last: the device is lost for the process.
    void aDeviceThatIsGoneIsSaid() {
        const auto window = test::shownWindow();
        QDialog& dialog = opened(*window);
        auto& again = test::child<QPushButton>(dialog, "selfTestStart");
        test::click(test::child<QPushButton>(dialog, "selfTestCancel"));
        QTRY_VERIFY_WITH_TIMEOUT(again.isEnabled(), 5'000);
        auto& device = test::child<QComboBox>(dialog, "selfTestDevice");
        device.setFocus();
        QTest::keyClicks(&device, "Double");
        test::DeviceDouble& gpu = test::deviceDouble();
        gpu.call = test::Call::Direct;
        gpu.turn = gpu.calls[static_cast<std::size_t>(gpu.call)] + 1;
        gpu.result = test::DeviceDouble::kIllegalAddress;
        test::click(again);
        QTRY_VERIFY_WITH_TIMEOUT(again.isEnabled(), 30'000);
        const auto& table = test::child<QTableWidget>(dialog, "selfTestTable");
        QVERIFY(table.rowCount() > 0);
        QVERIFY(table.item(0, table.columnCount() - 1)->text().contains("illegal memory access"));
        test::click(again); // nothing is left to test
        const auto& said = test::child<QLabel>(dialog, "selfTestVerdict");
        QTRY_VERIFY_WITH_TIMEOUT(said.text().contains("cannot be used"), 5'000);
        QVERIFY(again.isEnabled());
    }
};

const flcc::test::TestClass<SelfTestDialogTest> kSelfTestDialogTest;
#include "self_test_dialog_test.moc"
