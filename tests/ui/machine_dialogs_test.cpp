#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <filesystem>

#include "engine/job/knowledge.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"

using namespace flcc;

namespace {

QDialog& opened(ui::MainWindow& window, const char* action, const char* dialog) {
    test::child<QAction>(window, action).trigger();
    return test::child<QDialog>(window, dialog);
}

/// For people: pictures of the dialogs.
void keepPicture(QWidget& widget, const char* name) {
    if (const QString folder = qEnvironmentVariable("FLCC_DIALOG_PICTURES"); !folder.isEmpty()) {
        QVERIFY(widget.grab().save(folder + '/' + QLatin1String(name) + ".png"));
    }
}

} // namespace

class MachineDialogsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void calibratingIsOfferedOnce();
    void theOfferOpensTheDialog();
    void nothingIsOfferedOnAMeasuredMachine();
    void aCalibrationIsKeptAndThePlanSaysSo();
    void aStopIsAnsweredWithinASecondAndKeepsNothing();
    void aFigureIsDrawnAndSaved_data();
    void aFigureIsDrawnAndSaved();
    void aFigureCanBeStopped();

  private:
    void openNoise();

    std::unique_ptr<ui::MainWindow> m_window;
};

void MachineDialogsTest::init() {
    std::filesystem::remove(job::knowledgeFile());
    m_window = test::shownWindow();
}

void MachineDialogsTest::openNoise() {
    m_window->document().setScene(test::noiseScene({160, 120, 1}, 11));
    m_window->document().setBox(base::Box{{60, 50, 0}, {15, 13, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
}

void MachineDialogsTest::calibratingIsOfferedOnce() {
    auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QVERIFY(bar.isVisible());
    QVERIFY(test::child<QPushButton>(*m_window, "messageAccept").isVisible());
    keepPicture(*m_window, "offer");
    openNoise();
    QVERIFY(!bar.isVisible());
    m_window = std::make_unique<ui::MainWindow>();
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QVERIFY(!test::child<ui::MessageBar>(*m_window, "messageBar").isVisible());
}

void MachineDialogsTest::theOfferOpensTheDialog() {
    test::click(test::child<QPushButton>(*m_window, "messageAccept"));
    auto& dialog = test::child<QDialog>(*m_window, "calibrate");
    QTRY_VERIFY(dialog.isVisible());
    QVERIFY(!test::child<ui::MessageBar>(*m_window, "messageBar").isVisible());
    // Later sentences have no button.
    m_window->openFile(QStringLiteral("/nowhere/scene.png"));
    QTRY_VERIFY(test::child<ui::MessageBar>(*m_window, "messageBar").isVisible());
    QVERIFY(!test::child<QPushButton>(*m_window, "messageAccept").isVisible());
}

void MachineDialogsTest::nothingIsOfferedOnAMeasuredMachine() {
    QVERIFY(job::updateKnowledge([](plan::Knowledge& now) {
        now.model = method::CostModel{};
        now.model->calibrated = true;
    }));
    m_window = test::shownWindow();
    QVERIFY(!test::child<ui::MessageBar>(*m_window, "messageBar").isVisible());
}

void MachineDialogsTest::aCalibrationIsKeptAndThePlanSaysSo() {
    openNoise();
    auto& note = test::child<QLabel>(*m_window, "planCalibration");
    QVERIFY(note.isVisibleTo(m_window.get()));
    QVERIFY(note.text().startsWith(QStringLiteral("not calibrated")));
    QDialog& dialog = opened(*m_window, "calibrateAction", "calibrate");
    keepPicture(dialog, "calibrate-before");
    test::child<QSpinBox>(dialog, "calibrateSeconds").setValue(2);
    test::click(test::child<QPushButton>(dialog, "calibrateStart"));
    const auto& verdict = test::child<QLabel>(dialog, "calibrateVerdict");
    QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith(QStringLiteral("Running: measuring")),
                             30'000);
    keepPicture(dialog, "calibrate-during");
    QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith(QStringLiteral("Calibrated")), 60'000);
    keepPicture(dialog, "calibrate-after");
    QVERIFY(verdict.text().contains(QString::fromStdString(job::knowledgeFile().string())));
    QVERIFY(job::knowledge()->model && job::knowledge()->model->calibrated);
    dialog.close();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(!note.isVisibleTo(m_window.get()));
}

void MachineDialogsTest::aStopIsAnsweredWithinASecondAndKeepsNothing() {
    QDialog& dialog = opened(*m_window, "calibrateAction", "calibrate");
    auto& start = test::child<QPushButton>(dialog, "calibrateStart");
    const auto& verdict = test::child<QLabel>(dialog, "calibrateVerdict");
    test::click(start);
    QVERIFY(!start.isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith(QStringLiteral("Running")), 30'000);
    QElapsedTimer timer;
    timer.start();
    test::click(test::child<QPushButton>(dialog, "calibrateCancel"));
    QTRY_VERIFY(start.isEnabled());
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY2(verdict.text().startsWith(QStringLiteral("Stopped")), qPrintable(verdict.text()));
    QVERIFY(!job::knowledge()->model);
}

void MachineDialogsTest::aFigureIsDrawnAndSaved_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("name");
    QTest::newRow("fig3, lcc") << "Chosen"
                               << "Local"
                               << "fig3-lcc";
    QTest::newRow("fig1, lcc") << "Time"
                               << "Local"
                               << "fig1-lcc";
    QTest::newRow("fig3, convolution") << "Chosen"
                                       << "Convolution"
                                       << "fig3-convolve";
    QTest::newRow("fig1, convolution") << "Time"
                                       << "Convolution"
                                       << "fig1-convolve";
}

void MachineDialogsTest::aFigureIsDrawnAndSaved() {
    QFETCH(QString, kind);
    QFETCH(QString, operation);
    QFETCH(QString, name);
    const QTemporaryDir folder;
    QSettings().setValue(QStringLiteral("folders/export"), folder.path());
    QDialog& dialog = opened(*m_window, "figureAction", "figure");
    auto& save = test::child<QPushButton>(dialog, "figureSave");
    QVERIFY(!save.isEnabled());
    const auto choose = [&](const char* box, const QString& begin) {
        auto& list = test::child<QComboBox>(dialog, box);
        list.setFocus();
        QTest::keyClicks(&list, begin);
        QVERIFY2(list.currentText().startsWith(begin), qPrintable(list.currentText()));
    };
    choose("figureKind", kind);
    choose("figureOperation", operation);
    QCOMPARE(test::child<QComboBox>(dialog, "figureDevice").isEnabled(), operation == "Local");
    auto& quick = test::child<QCheckBox>(dialog, "figureQuick");
    test::click(quick);
    QVERIFY(quick.isChecked());
    test::click(test::child<QPushButton>(dialog, "figureStart"));
    QVERIFY(!test::child<QComboBox>(dialog, "figureKind").isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(save.isEnabled(), 60'000);
    keepPicture(dialog, qPrintable(name));
    const QImage shown = test::child<QLabel>(dialog, "figurePicture")
                             .pixmap()
                             .toImage()
                             .convertToFormat(QImage::Format_Grayscale8);
    test::click(save);
    auto& chooser = test::child<QFileDialog>(dialog, "figureFile");
    const QString file = folder.filePath(QStringLiteral("figure.png"));
    chooser.setOption(QFileDialog::DontUseNativeDialog);
    chooser.selectFile(file);
    QTest::keyClick(&chooser, Qt::Key_Return);
    QTRY_VERIFY(QFile::exists(file));
    // 300 pixels on an inch; the dialog shows 144.
    QTRY_VERIFY(std::abs(QImage(file).width() * 144 - shown.width() * 300) <= 300);
    // And its numbers.
    const QString fileDialog = QStringLiteral("figureFile");
    QTRY_VERIFY(dialog.findChild<QFileDialog*>(fileDialog) == nullptr);
    test::click(save);
    auto& again = test::child<QFileDialog>(dialog, "figureFile");
    again.setOption(QFileDialog::DontUseNativeDialog);
    auto& kinds = test::child<QComboBox>(again, "fileTypeCombo");
    kinds.setFocus();
    QTest::keyClick(&kinds, Qt::Key_End);
    again.selectFile(folder.filePath(name));
    QTest::keyClick(&again, Qt::Key_Return);
    QFile numbers(folder.filePath(name + ".json"));
    QTRY_VERIFY(numbers.exists());
    QVERIFY(numbers.open(QIODevice::ReadOnly));
    const QJsonObject json = QJsonDocument::fromJson(numbers.readAll()).object();
    QCOMPARE(json.value("figure").toString() + "-" + json.value("operation").toString(), name);
}

void MachineDialogsTest::aFigureCanBeStopped() {
    QDialog& dialog = opened(*m_window, "figureAction", "figure");
    auto& start = test::child<QPushButton>(dialog, "figureStart");
    const auto& verdict = test::child<QLabel>(dialog, "figureVerdict");
    test::click(start);
    QTRY_VERIFY_WITH_TIMEOUT(verdict.text().startsWith(QStringLiteral("Running")), 30'000);
    QElapsedTimer timer;
    timer.start();
    test::click(test::child<QPushButton>(dialog, "figureCancel"));
    QTRY_VERIFY(start.isEnabled());
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY2(verdict.text().startsWith(QStringLiteral("Stopped")), qPrintable(verdict.text()));
    QVERIFY(!test::child<QPushButton>(dialog, "figureSave").isEnabled());
}

const flcc::test::TestClass<MachineDialogsTest> kMachineDialogsTest;

#include "machine_dialogs_test.moc"
