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

    // All members share the mask, and no member keeps a spectrum in double.
    void posesUnderOneMaskTakeLittleLessThanPredicted_data() {
        QTest::addColumn<QString>("promise");
        QTest::addColumn<double>("most");
        QTest::newRow("in single precision") << "1e-4" << 1.7;
        QTest::newRow("all in double") << "1e-12" << 1.35;
    }
    void posesUnderOneMaskTakeLittleLessThanPredicted() {
        QFETCH(QString, promise);
        QFETCH(double, most);
        PredictedRun run{"tiled", {96, 96, 72}, {17, 17, 17}, PixelType::Float32};
        run.options = {"--rotations", "90",        "--mask", "sphere:8",    "--tile",
                       "56,56,48",    "--promise", promise,  "--min-score", "0.5"};
        const test::RunMemory memory = test::memoryOf(run);
        QVERIFY2(0 < memory.measured && memory.measured <= memory.predicted &&
                     memory.predicted <= most * memory.measured,
                 qPrintable(QString("%1 predicted, %2 measured")
                                .arg(memory.predicted, 0, 'f', 0)
                                .arg(memory.measured, 0, 'f', 0)));
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
