#include <QtTest>

#include <algorithm>
#include <csignal>
#include <limits>

#include "tests/app/cli_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runShell;
using flcc::test::SampleFolder;
using flcc::test::waitUntilItTakesSignals;
namespace test = flcc::test;

namespace {

#ifdef FLCC_IMAGE_IO
const QStringList kPicture{"--heatmap", "heatmap.png"};
#else // which writes no pictures
const QStringList kPicture{"--template-out", "out.mha"};
#endif
const QStringList kOutputs =
    QStringList{"--map",     "map.mha",  "--status",    "status.mha", "--peaks",
                "peaks.csv", "--report", "report.json", "--save-job", "job.json"} +
    kPicture;

/// Milliseconds in which a stop is at once, sanitizers and a busy machine allowed for.
constexpr qint64 kAtOnce = 8000;

} // namespace

class CliSignalsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aSignalEndsARunAndLeavesNothing_data();
    void aSignalEndsARunAndLeavesNothing();
    void aSignalAtAnyMomentLeavesAllOrNothing();
    void aSecondSignalEndsAtOnceAndLeavesNothing();
    void everyCommandCanBeInterrupted_data();
    void everyCommandCanBeInterrupted();
    void aCaseOfTheSelfTestIsPrintedWhenItEnds();
    void aKillLeavesNothing();
    void anIgnoredHangupStaysIgnored();
    void aFileThatMayNotGrowIsAFailedWrite();
    void aClosedPipeIsAFailedWrite();
    void closedStreamsDoNoHarm();
    void noHomeAndNoLocaleDoNoHarm();
    void theBarIsForTerminalsOnly();
    void aCommandEndsWithItsWork();
};

void CliSignalsTest::aSignalEndsARunAndLeavesNothing_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
    QTest::newRow("SIGQUIT") << SIGQUIT;
    QTest::newRow("SIGXCPU") << SIGXCPU;
}

void CliSignalsTest::aSignalEndsARunAndLeavesNothing() {
    QFETCH(int, signal);
    const SampleFolder folder("cells");
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.setReadChannel(QProcess::StandardError);
    process.start(FLCC_CLI, QStringList{"match", "scene.mha", "template.mha", "--verbose",
                                        "--repeat", "1000000"} +
                                kOutputs);
    QByteArray errors;
    while (!errors.contains("matching") && process.waitForReadyRead(30'000)) {
        errors += process.readAllStandardError();
    }
    QVERIFY2(errors.contains("matching"), errors.constData());
    QTest::qWait(100);
    QElapsedTimer timer;
    timer.start();
    ::kill(static_cast<pid_t>(process.processId()), signal);
    QVERIFY(process.waitForFinished(10'000));
    QVERIFY2(timer.elapsed() < kAtOnce, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().startsWith("flcc-cli: interrupted"));
    QVERIFY2(folder.added().isEmpty(), qPrintable(folder.added().join(' ')));
}

void CliSignalsTest::aSignalAtAnyMomentLeavesAllOrNothing() {
    int interrupted = 0;
    for (int delay = 0; delay < 400; delay += test::kSanitized ? 50 : 20) {
        const SampleFolder folder("cells");
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(FLCC_CLI,
                      QStringList{"match", "scene.mha", "template.mha", "--quiet"} + kOutputs);
        QVERIFY(waitUntilItTakesSignals(process, SIGINT));
        QTest::qSleep(delay);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const int code = process.exitCode();
        QVERIFY2(code == 0 || code == 130, qPrintable(QString::number(code)));
        interrupted += code == 130 ? 1 : 0;
        QCOMPARE(folder.added().size(), code == 0 ? 6 : 0);
    }
    QVERIFY(interrupted > 0);
}

void CliSignalsTest::aSecondSignalEndsAtOnceAndLeavesNothing() {
    int interrupted = 0;
    for (int delay = 20; delay < 300; delay += 40) {
        const SampleFolder folder("cells");
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(FLCC_CLI,
                      QStringList{"match", "scene.mha", "template.mha", "--quiet"} + kOutputs);
        QVERIFY(waitUntilItTakesSignals(process, SIGTERM));
        QTest::qSleep(delay);
        const auto id = static_cast<pid_t>(process.processId());
        // Two of a kind would count as one while the first is not taken.
        ::kill(id, SIGINT);
        ::kill(id, SIGTERM);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const int code = process.exitCode();
        QVERIFY2(code == 0 || code == 130, qPrintable(QString::number(code)));
        for (const QString& name : folder.added()) {
            QVERIFY2(!name.startsWith('.'), qPrintable(name));
        }
        interrupted += code == 130 ? 1 : 0;
    }
    QVERIFY(interrupted > 0);
}

void CliSignalsTest::everyCommandCanBeInterrupted_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("lasts"); // ms to spread the signals over; 0: as long as a whole run
    QTest::newRow("info") << QStringList{"info", "--verify", "large.nii.gz"} << 0;
    QTest::newRow("sample") << QStringList{"sample", "tomogram", "--output", "new/folder"} << 0;
    QTest::newRow("devices") << QStringList{"devices"} << 0;
    QTest::newRow("selftest") << QStringList{"selftest"} << 3000;
}

void CliSignalsTest::everyCommandCanBeInterrupted() {
    QFETCH(QStringList, arguments);
    QFETCH(int, lasts);
    const SampleFolder folder("tiny");
    if (arguments.front() == "info") {
        // 600 MB of voxels in packed members, 200 MB under a sanitizer.
        const int members = test::kSanitized ? 12 : 36;
        test::NiftiRecipe nifti;
        nifti.sizes = {4096, 4096, members};
        nifti.type = 2;
        nifti.bits = 8;
        test::Bytes file = test::gzip(test::makeNifti(nifti));
        const test::Bytes more = test::gzip(test::Bytes(std::size_t{1} << 24));
        for (int i = 0; i < members; ++i) {
            file.insert(file.end(), more.begin(), more.end());
        }
        test::writeFile(folder.path("large.nii.gz").toStdString(), file);
    }
    const QStringList before = folder.added();
    if (lasts == 0) {
        QElapsedTimer whole;
        whole.start();
        QProcess full;
        full.setWorkingDirectory(folder.path());
        full.start(FLCC_CLI, arguments);
        QVERIFY(full.waitForFinished(60'000));
        const QByteArray errors = full.readAllStandardError();
        if (errors.contains("built without zlib")) {
            QSKIP("this build reads no such file");
        }
        QVERIFY2(full.exitCode() == 0, errors.constData());
        lasts = static_cast<int>(whole.elapsed());
        QDir(folder.path("new")).removeRecursively();
    }
    int interrupted = 0;
    for (int part = 1; part < 6; part += test::kSanitized ? 2 : 1) {
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(FLCC_CLI, arguments);
        QVERIFY(waitUntilItTakesSignals(process, SIGINT));
        QTest::qSleep(lasts * part / 6);
        QElapsedTimer timer;
        timer.start();
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QVERIFY2(timer.elapsed() < kAtOnce, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const int code = process.exitCode();
        QVERIFY2(code == 0 || code == 130, qPrintable(QString::number(code)));
        interrupted += code == 130 ? 1 : 0;
        if (code == 130) {
            QCOMPARE(folder.added(), before);
            // The self-test has printed the cases that had ended.
            QVERIFY(process.readAllStandardOutput().isEmpty() || arguments.front() == "selftest");
        }
        QDir(folder.path("new")).removeRecursively();
    }
    QVERIFY(interrupted > 0 || arguments.front() == "devices");
}

void CliSignalsTest::aCaseOfTheSelfTestIsPrintedWhenItEnds() {
    QProcess process;
    process.start(FLCC_CLI, {"selftest", "--device", "cpu"});
    QByteArray output;
    while (output.count('\n') < 2 && process.waitForReadyRead(120'000)) {
        output += process.readAllStandardOutput();
    }
    QVERIFY2(output.count('\n') >= 2, output.constData()); // the names of columns, and a case
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130); // the others were still to come
    output += process.readAllStandardOutput();
    QVERIFY(output.endsWith('\n'));
    for (const QByteArray& line : output.split('\n').mid(1, output.count('\n') - 1)) {
        QVERIFY2(line.contains("passed"), line.constData());
    }
    QVERIFY(process.readAllStandardError().startsWith("flcc-cli: interrupted"));
}

void CliSignalsTest::aKillLeavesNothing() {
    int killed = 0;
    for (int delay = 0; delay < 300; delay += test::kSanitized ? 60 : 15) {
        const SampleFolder folder("cells");
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(FLCC_CLI,
                      QStringList{"match", "scene.mha", "template.mha", "--quiet"} + kOutputs);
        QVERIFY(process.waitForStarted());
        QTest::qSleep(delay);
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        killed += process.exitStatus() == QProcess::CrashExit ? 1 : 0;
        // The next run removes what a commit may have left.
        QCOMPARE(runShell("\"$CLI\" plan scene.mha template.mha --planning estimate "
                          "--report next.json --quiet",
                          folder.path())
                     .code,
                 0);
        for (const QString& name : folder.added()) {
            QVERIFY2(!name.startsWith('.'), qPrintable(name));
        }
    }
    QVERIFY(killed > 0);
}

void CliSignalsTest::anIgnoredHangupStaysIgnored() {
    const SampleFolder folder("tiny");
    const CliRun run = runShell("trap '' HUP; \"$CLI\" match scene.mha template.mha --repeat " +
                                    QString(test::kSanitized ? "500" : "20000") +
                                    " --peaks a.csv & sleep 0.3; kill -HUP $!; wait $!",
                                folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QVERIFY(!folder.bytes("a.csv").isEmpty());
}

void CliSignalsTest::aFileThatMayNotGrowIsAFailedWrite() {
    const SampleFolder folder("tiny");
    const CliRun run =
        runShell("ulimit -f 4; \"$CLI\" match scene.mha template.mha --map map.mha", folder.path());
    QCOMPARE(run.code, 7);
    QVERIFY2(run.errors.startsWith("flcc-cli: cannot write map.mha: "), run.errors.constData());
    QVERIFY2(folder.added().isEmpty(), qPrintable(folder.added().join(' ')));
}

void CliSignalsTest::aClosedPipeIsAFailedWrite() {
    const SampleFolder folder("tiny");
    const CliRun run =
        runShell("\"$CLI\" match scene.mha template.mha --json | true; exit ${PIPESTATUS[0]}",
                 folder.path());
    QCOMPARE(run.code, 7);
    QVERIFY2(run.errors.startsWith("flcc-cli: "), run.errors.constData());
    QCOMPARE(runShell("\"$CLI\" devices > /dev/full", folder.path()).code, 7);
}

void CliSignalsTest::closedStreamsDoNoHarm() {
    // Planned by estimate, as the last digits depend on the method and its tiles and a busy machine
    // may change what is measured.
    const SampleFolder folder("tiny");
    QCOMPARE(runShell("\"$CLI\" match scene.mha template.mha --planning estimate --peaks a.csv",
                      folder.path())
                 .code,
             0);
    QCOMPARE(
        runShell(
            "\"$CLI\" match scene.mha template.mha --planning estimate --peaks b.csv <&- >&- 2>&-",
            folder.path())
            .code,
        0);
    QVERIFY(!folder.bytes("a.csv").isEmpty());
    QCOMPARE(folder.bytes("b.csv"), folder.bytes("a.csv"));
}

void CliSignalsTest::noHomeAndNoLocaleDoNoHarm() {
    const SampleFolder folder("tiny");
    QCOMPARE(
        runShell("env -i \"$CLI\" match scene.mha template.mha --planning estimate --peaks a.csv",
                 folder.path())
            .code,
        0);
    QCOMPARE(runShell("LC_ALL=de_DE.UTF-8 HOME=/none \"$CLI\" match scene.mha template.mha "
                      "--planning estimate --min-score 0.5 --peaks b.csv",
                      folder.path())
                 .code,
             0);
    QCOMPARE(folder.bytes("b.csv"), folder.bytes("a.csv"));
}

void CliSignalsTest::theBarIsForTerminalsOnly() {
    const SampleFolder folder("cells");
    const CliRun plain = runShell("\"$CLI\" match scene.mha template.mha", folder.path());
    QCOMPARE(plain.code, 0);
    QVERIFY2(plain.errors.isEmpty(), plain.errors.constData());
    if (runShell("command -v script", folder.path()).code != 0) {
        QSKIP("the program script is not installed");
    }
    const CliRun terminal =
        runShell("script -qefc '\"$CLI\" match scene.mha template.mha --repeat " +
                     QString(test::kSanitized ? "4" : "40") + "' /dev/null < /dev/null",
                 folder.path());
    QCOMPARE(terminal.code, 0);
    QVERIFY2(terminal.output.contains("matching") && terminal.output.contains("[###"),
             terminal.output.constData());
    const CliRun quiet = runShell(
        "script -qefc '\"$CLI\" match scene.mha template.mha --quiet' /dev/null < /dev/null",
        folder.path());
    QVERIFY2(!quiet.output.contains("matching"), quiet.output.constData());
}

/// The thread that waits for signals has nothing to wait for once the work is done.
void CliSignalsTest::aCommandEndsWithItsWork() {
    const SampleFolder folder("tiny");
    const QStringList match{"match",    "scene.mha", "template.mha", "--planning",
                            "estimate", "--audit",   "off",          "--quiet"};
    const auto ms = [&](const QStringList& arguments) {
        QElapsedTimer timer;
        timer.start();
        (void)test::runCli(arguments, folder.path());
        return timer.elapsed();
    };
    // Taken in turn until one of each was not disturbed; a busy machine gets more turns.
    constexpr int kMostTurns = 60;
    const qint64 most = test::kSanitized ? 400 : 35;
    qint64 without = std::numeric_limits<qint64>::max(); // a command that watches no signals
    qint64 with = without;
    for (int turn = 0; turn < kMostTurns && (turn < 4 || with >= without + most); ++turn) {
        without = std::min(without, ms({"--version"}));
        with = std::min(with, ms(match));
    }
    QVERIFY2(with < without + most, qPrintable(QString("%1 ms, %2 ms").arg(without).arg(with)));
}

const flcc::test::TestClass<CliSignalsTest> kCliSignalsTest;
#include "signals_test.moc"
