#include <QRegularExpression>
#include <QtTest>

#include "tests/app/cli_process.h"
#include "tests/app/prediction_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using test::Filling;
using test::PredictedRun;

/// The memory of a run is that of its prediction. More runs: slow_prediction_test.cpp.
class CliPredictionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void largeTemplatesTakeThePredictedMemory_data() {
        QTest::addColumn<PredictedRun>("run");
        const auto row = [](const char* name, const PredictedRun& run) {
            QTest::newRow(name) << run;
        };
        row("direct, the whole scene", {"direct", {3000, 2800, 1}, {3000, 2800, 1}});
        row("tiled, three quarters", {"tiled", {3000, 2800, 1}, {2250, 2100, 1}});
        row("tiled, volume", {"tiled", {220, 200, 180}, {165, 150, 135}, PixelType::UInt16});
        row("fourier, half", {"fourier", {3000, 2800, 1}, {1650, 1540, 1}, PixelType::UInt16});
        row("fourier, volume", {"fourier", {220, 200, 180}, {165, 150, 135}, PixelType::Float32});
        row("dif, three quarters", {"dif", {3600, 3200, 1}, {2700, 2400, 1}});
        row("dif, volume", {"dif", {220, 200, 180}, {165, 150, 135}, PixelType::UInt16});
        row("tiled-template, three quarters", {"tiled-template", {3000, 2800, 1}, {2250, 2100, 1}});
        row("tiled-template, the whole scene",
            {"tiled-template", {3000, 2800, 1}, {3000, 2800, 1}, PixelType::Float32});
        row("tiled-template, in double", {"tiled-template",
                                          {3000, 2800, 1},
                                          {900, 840, 1},
                                          PixelType::Float32,
                                          Filling::Uneven});
    }
    void largeTemplatesTakeThePredictedMemory() {
        QFETCH(PredictedRun, run);
        test::verifyPrediction(run);
    }

    // More than single precision takes, and never more than predicted.
    void partsInDoubleStayWithinThePrediction() {
        const test::RunMemory memory = test::memoryOf(
            {"dif", {3000, 2800, 1}, {900, 840, 1}, PixelType::Float32, Filling::Uneven});
        QVERIFY2(0 < memory.measured && memory.measured <= memory.predicted,
                 qPrintable(QString::number(memory.measured)));
    }

    void blocksStayWithinTheMemoryLimit() {
        const test::RunMemory memory = test::memoryOf({"tiled-template",
                                                       {3000, 2800, 1},
                                                       {1800, 1680, 1},
                                                       PixelType::UInt16,
                                                       Filling::Even,
                                                       {"--memory", "256MiB"}});
        QVERIFY2(memory.measured > 0 && memory.measured <= 0x1p28,
                 qPrintable(QString::number(memory.measured)));
    }

    void theLeastMemoryThatIsNamedIsThatOfACandidate() {
        PredictedRun run{"auto", {800, 700, 1}, {500, 450, 1}, PixelType::Float32};
        run.options = {"--memory", "1MiB"};
        const QByteArray errors = test::outcomeOf(run).errors;
        const QRegularExpressionMatch named =
            QRegularExpression("needs at least ([0-9.]+) MiB").match(errors);
        QVERIFY2(named.hasMatch(), errors.constData());
        const double tenth = 0.1; // the sentence has one decimal
        run.options.back() = QString::number(named.captured(1).toDouble() + tenth) + "MiB";
        QVERIFY2(test::outcomeOf(run).code == 0, errors.constData());
        run.options.back() = QString::number(named.captured(1).toDouble() - tenth) + "MiB";
        QCOMPARE(test::outcomeOf(run).code, 5);
    }
};

const flcc::test::TestClass<CliPredictionTest> kCliPredictionTest;
#include "prediction_test.moc"
