#include <QtTest>

#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/app/cli_process.h"

using flcc::test::CliRun;
using flcc::test::runCli;

namespace {

/// A folder to run in, with a cache of its own.
class Place {
  public:
    Place() { qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toUtf8()); }
    [[nodiscard]] QString path() const { return m_folder.path(); }
    [[nodiscard]] QString file(const QString& name) const { return m_folder.filePath(name); }
    /// What the cache holds beside its lock.
    [[nodiscard]] QStringList kept() const {
        QStringList names = QDir(m_folder.filePath("cache/flcc")).entryList(QDir::Files);
        names.removeAll("lock");
        return names;
    }

  private:
    QTemporaryDir m_folder;
};

} // namespace

class CliCalibrateTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void whatIsMeasuredIsPrintedKeptAndUsed();
    void aSignalBeforeAllIsMeasuredKeepsNothing();
    void optionsThatCannotBeUnderstoodAreRefused_data();
    void optionsThatCannotBeUnderstoodAreRefused();
    void theCrossoverMapIsAPicture();
};

void CliCalibrateTest::whatIsMeasuredIsPrintedKeptAndUsed() {
    if (qEnvironmentVariableIsSet("ASAN_OPTIONS")) {
        QSKIP("under a sanitizer the measurements alone take minutes");
    }
    const Place place;
    const CliRun run = runCli({"calibrate", "--seconds", "2", "--json"}, place.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QVERIFY(run.errors.contains("measuring"));
    const auto json = nlohmann::json::parse(run.output.toStdString());
    QVERIFY(json["calibrated"].get<bool>());
    for (const char* key : {"multiply_adds_per_ns", "thread_efficiency", "load_row_ns"}) {
        QVERIFY2(json[key].get<double>() > 0, key);
    }
    QVERIFY(!json["shape_times"].empty() && !json["transform_times"].empty());
    QVERIFY(!json["multiply_adds_per_ns_by_instructions"].empty());
    QCOMPARE(place.kept().size(), 1);
    QCOMPARE(runCli({"sample", "tiny", "--output", "."}, place.path()).code, 0);
    const QStringList plan{"plan", "scene.mha", "template.mha", "--planning", "estimate"};
    QVERIFY(runCli(plan, place.path()).output.contains(", calibrated"));
    QVERIFY(QDir(place.file("cache")).removeRecursively());
    QVERIFY(runCli(plan, place.path()).output.contains(", not calibrated"));
}

void CliCalibrateTest::aSignalBeforeAllIsMeasuredKeepsNothing() {
    const Place place;
    QProcess process;
    process.setWorkingDirectory(place.path());
    process.setReadChannel(QProcess::StandardError);
    process.start(FLCC_CLI, {"calibrate"});
    QVERIFY(process.waitForReadyRead(30'000));
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10'000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardError().contains("flcc-cli: interrupted"));
    QVERIFY(place.kept().empty());
}

void CliCalibrateTest::optionsThatCannotBeUnderstoodAreRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("unknown") << QStringList{"calibrate", "--fast"};
    QTest::newRow("no value") << QStringList{"calibrate", "--seconds"};
    QTest::newRow("zero") << QStringList{"calibrate", "--seconds", "0"};
    QTest::newRow("no number") << QStringList{"calibrate", "--threads", "many"};
    QTest::newRow("doubled") << QStringList{"calibrate", "--json", "--json"};
    QTest::newRow("bench of nothing") << QStringList{"bench"};
    QTest::newRow("no picture") << QStringList{"bench", "--crossover", "map.txt"};
}

void CliCalibrateTest::optionsThatCannotBeUnderstoodAreRefused() {
    QFETCH(QStringList, arguments);
    const Place place;
    const CliRun run = runCli(arguments, place.path());
    QCOMPARE(run.code, 2);
    QVERIFY(run.errors.startsWith("flcc-cli: ") && run.errors.count('\n') == 1);
    QVERIFY(place.kept().empty());
}

void CliCalibrateTest::theCrossoverMapIsAPicture() {
    const Place place;
    QCOMPARE(runCli({"bench", "--crossover", "map.png"}, place.path()).code, 0);
    QFile file(place.file("map.png"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(8) == QByteArray("\x89PNG\r\n\x1a\n", 8));
    QCOMPARE(runCli({"bench", "--crossover", "nowhere/map.png"}, place.path()).code, 7);
}

QTEST_GUILESS_MAIN(CliCalibrateTest)
#include "cli_calibrate_test.moc"
