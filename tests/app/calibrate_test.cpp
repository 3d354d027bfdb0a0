#include <QtTest>

#include <csignal>

#include <nlohmann/json.hpp>

#include "engine/plan/planner.h"
#include "tests/app/cli_process.h"
#include "tests/support/drawn.h"
#include "tests/support/test_class.h"

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
    void theCrossoverMapIsWrittenAsNumbersToo();
    void aBenchmarkWritesItsRowsAsTheyCome();
    void aBenchmarkNamesItsDevice();
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
    for (const char* key : {"multiply_adds_per_ns", "thread_efficiency"}) {
        QVERIFY2(json[key].get<double>() > 0, key);
    }
    // Of times that are fitted together one may come out as nothing, on a machine with much to do.
    QVERIFY(json["load_voxel_ns"].get<double>() + json["load_row_ns"].get<double>() > 0);
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
    QTest::newRow("unknown of bench") << QStringList{"bench", "--all"};
    QTest::newRow("no scene") << QStringList{"bench", "--template", "8,8"};
    QTest::newRow("no extents") << QStringList{"bench", "--scene", "8,y", "--template", "8,8"};
    QTest::newRow("no device") << QStringList{"bench", "--device", "gpu"};
    QTest::newRow("no pixels") << QStringList{"bench", "--pixel", "float16"};
    QTest::newRow("two benches") << QStringList{"bench", "--crossover", "map.png", "--repeat", "3"};
    QTest::newRow("a map of all devices")
        << QStringList{"bench", "--crossover", "map.png", "--device", "auto"};
    QTest::newRow("no set") << QStringList{"bench", "--set", "all"};
    QTest::newRow("templates of a set") << QStringList{"bench", "--templates", "3"};
    QTest::newRow("set and scene")
        << QStringList{"bench", "--set", "banks", "--scene", "96,80", "--template", "9,7"};
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
    if (!flcc::test::draws("map.png")) {
        QSKIP("this build draws no such figures");
    }
    const Place place;
    QCOMPARE(runCli({"bench", "--crossover", "map.png"}, place.path()).code, 0);
    QFile file(place.file("map.png"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(8) == QByteArray("\x89PNG\r\n\x1a\n", 8));
    QCOMPARE(runCli({"bench", "--crossover", "nowhere/map.png"}, place.path()).code, 7);
}

void CliCalibrateTest::theCrossoverMapIsWrittenAsNumbersToo() {
    const Place place;
    QCOMPARE(runCli({"bench", "--crossover", "map.json"}, place.path()).code, 0);
    QFile file(place.file("map.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto maps = nlohmann::json::parse(file.readAll().toStdString()).at("maps");
    QCOMPARE(maps.size(), std::size_t{4}); // images and volumes, single and a stream
    for (const auto& map : maps) {
        QCOMPARE(map.at("device").get<std::string>(), std::string("cpu"));
        const auto methods = map.at("methods").size();
        QVERIFY(methods > 1);
        QCOMPARE(map.at("chosen").size(), map.at("scenes").size());
        for (const auto& row : map.at("chosen")) {
            QCOMPARE(row.size(), map.at("templates").size());
            for (const int method : row) {
                QVERIFY(method >= -1 && method < static_cast<int>(methods));
            }
        }
    }
}

void CliCalibrateTest::aBenchmarkWritesItsRowsAsTheyCome() {
    const Place place;
    QProcess process;
    process.setWorkingDirectory(place.path());
    process.start(FLCC_CLI,
                  {"bench", "--device", "cpu", "--set", "sizes", "--report", "rows.json"});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(place.file("rows.json")), 60'000);
    QCOMPARE(process.state(), QProcess::Running);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardError().startsWith("flcc-cli: interrupted after "));
    QFile file(place.file("rows.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto json = nlohmann::json::parse(file.readAll().toStdString());
    QVERIFY(!json.at("rows").empty() && json.at("rows").front().at("not_run") == "");
}

void CliCalibrateTest::aBenchmarkNamesItsDevice() {
    const Place place;
    const CliRun run = runCli({"bench", "--device", "cpu", "--scene", "96,80", "--template", "9,7",
                               "--repeat", "3", "--threads", "1", "--report", "rows.json"},
                              place.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QVERIFY(run.output.contains("| 96x80 | float32 | 9x7 | 1 | direct "));
    QFile file(place.file("rows.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto json = nlohmann::json::parse(file.readAll().toStdString());
    // all but `separable`, which refuses noise
    QCOMPARE(json.at("rows").size(), flcc::plan::methodsOn("cpu").size() - 1);
    for (const auto& row : json.at("rows")) {
        QVERIFY(!row.at("device_name").get<std::string>().empty());
        QVERIFY(row.at("not_run").get<std::string>().empty() && row.at("sound").get<bool>());
        QCOMPARE(row.at("stream_ms").size(), std::size_t{3});
        QVERIFY(row.at("largest_bound").get<double>() > 0);
    }
    const CliRun gone = runCli({"bench", "--device", "cuda:999"}, place.path());
    QCOMPARE(gone.code, 6);
    QVERIFY(gone.output.isEmpty());
    // A bank: one map of several templates.
    const CliRun bank = runCli({"bench", "--device", "cpu", "--scene", "96,80", "--template", "9,7",
                                "--templates", "3", "--repeat", "3", "--threads", "1"},
                               place.path());
    QVERIFY2(bank.code == 0, bank.errors.constData());
    QVERIFY2(bank.output.contains("| 96x80 | float32 | 9x7 | 3 | direct "),
             bank.output.constData());
    QCOMPARE(runCli({"bench", "--report", "nowhere/rows.json"}, place.path()).code, 7);
}

const flcc::test::TestClass<CliCalibrateTest> kCliCalibrateTest;
#include "calibrate_test.moc"
