#include <QtTest>

#include <csignal>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/support/drawn.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::CliRun;
using test::runCli;

namespace {

nlohmann::json jsonIn(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly)
               ? nlohmann::json::parse(file.readAll().toStdString(), nullptr, false)
               : nlohmann::json();
}

/// True if a row and a column of the picture hold a dark line over half of its length, and the
/// picture is not black.
bool hasBothAxes(const QString& name) {
    const io::LoadedImage picture = io::readImage(name.toStdString(), {});
    const auto& pixels = std::get<base::Image<std::uint8_t>>(picture.components.at(0));
    const base::Extents& n = pixels.extents();
    std::vector<std::int64_t> rows(static_cast<std::size_t>(n.y));
    std::vector<std::int64_t> columns(static_cast<std::size_t>(n.x));
    std::int64_t black = 0;
    for (std::int64_t y = 0; y < n.y; ++y) {
        for (std::int64_t x = 0; x < n.x; ++x) {
            if (pixels.view().at(x, y, 0) < 128) {
                ++rows[static_cast<std::size_t>(y)];
                ++columns[static_cast<std::size_t>(x)];
                ++black;
            }
        }
    }
    return 2 * *std::max_element(rows.begin(), rows.end()) > n.x &&
           2 * *std::max_element(columns.begin(), columns.end()) > n.y && 4 * black < n.x * n.y;
}

} // namespace

class CliFiguresTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toUtf8()); }
    void timesHaveTheirFields_data();
    void timesHaveTheirFields();
    void choicesHaveTheirFields();
    void aPictureHasBothAxes();
    void badInputIsRefused_data();
    void badInputIsRefused();
    void anInterruptedFigureWritesNothing();

  private:
    [[nodiscard]] QString file(const QString& name) const { return m_folder.filePath(name); }

    QTemporaryDir m_folder;
};

void CliFiguresTest::timesHaveTheirFields_data() {
    QTest::addColumn<QString>("operation");
    QTest::newRow("lcc") << "lcc";
    QTest::newRow("convolve") << "convolve";
}

void CliFiguresTest::timesHaveTheirFields() {
    QFETCH(QString, operation);
    const CliRun run = runCli({"bench", "--figure", "fig1", "--operation", operation, "--quick",
                               "--repeat", "3", "--threads", "1", "--output", "times.json"},
                              m_folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const auto json = jsonIn(file("times.json"));
    QCOMPARE(json.at("figure").get<std::string>(), std::string("fig1"));
    QCOMPARE(json.at("operation").get<std::string>(), operation.toStdString());
    QCOMPARE(json.at("device").get<std::string>(), std::string("cpu"));
    QCOMPARE(json.at("threads").get<int>(), 1);
    QCOMPARE(json.at("scene").size(), std::size_t{3});
    QVERIFY(!json.at("environment").at("processor").get<std::string>().empty());
    const std::size_t sides = json.at("templates").size();
    QVERIFY(sides >= 2 && json.at("methods").size() >= 3);
    for (const auto& method : json.at("methods")) {
        QVERIFY(!method.at("method").get<std::string>().empty());
        for (const char* const key : {"single_ms", "stream_ms", "not_run"}) {
            QCOMPARE(method.at(key).size(), sides);
        }
        for (std::size_t i = 0; i < sides; ++i) {
            QCOMPARE(method.at("single_ms")[i].is_null(), method.at("not_run")[i] != "");
        }
    }
}

void CliFiguresTest::choicesHaveTheirFields() {
    const CliRun run = runCli({"bench", "--figure", "fig3", "--operation", "convolve", "--quick",
                               "--repeat", "3", "--output", "choices.json"},
                              m_folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const auto json = jsonIn(file("choices.json"));
    QCOMPARE(json.at("figure").get<std::string>(), std::string("fig3"));
    QCOMPARE(json.at("maps").size(), std::size_t{4});
    for (const auto& map : json.at("maps")) {
        QCOMPARE(map.at("operation").get<std::string>(), std::string("convolve"));
        QCOMPARE(map.at("chosen").size(), map.at("scenes").size());
        QVERIFY(!map.at("critical").empty());
        for (const auto& side : map.at("critical")) {
            QVERIFY(side.at("scene").get<int>() > 0 && side.at("table_2_side").get<double>() > 2);
            QVERIFY(side.contains("predicted_side") && side.contains("measured_side"));
        }
    }
}

void CliFiguresTest::aPictureHasBothAxes() {
    if (!test::draws("figure.png")) {
        QSKIP("this build draws no such figures");
    }
    for (const char* const figure : {"fig1", "fig3"}) {
        const CliRun run = runCli(
            {"bench", "--figure", figure, "--quick", "--repeat", "3", "--output", "figure.png"},
            m_folder.path());
        QVERIFY2(run.code == 0, run.errors.constData());
        if (std::string(figure) == "fig1") {
            QVERIFY(hasBothAxes(file("figure.png")));
        }
        QVERIFY(QFile(file("figure.png")).size() > 1000);
    }
}

void CliFiguresTest::badInputIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    const auto add = [](const char* name, const QStringList& more, int code = 2) {
        QTest::newRow(name) << QStringList{"bench"} + more << code;
    };
    add("no such figure", {"--figure", "fig2", "--output", "a.json"});
    add("no such operation", {"--figure", "fig1", "--operation", "sad", "--output", "a.json"});
    add("no output", {"--figure", "fig1"});
    add("no picture", {"--figure", "fig1", "--output", "a.txt"});
    add("no repeat", {"--figure", "fig1", "--output", "a.json", "--repeat", "0"});
    add("all devices", {"--figure", "fig3", "--output", "a.json", "--device", "auto"});
    add("a scene", {"--figure", "fig1", "--output", "a.json", "--scene", "9,9"});
    add("a report", {"--figure", "fig1", "--output", "a.json", "--report", "b.json"});
    add("a crossover map", {"--figure", "fig3", "--output", "a.json", "--crossover", "b.png"});
    add("quick alone", {"--quick"});
    add("operation alone", {"--operation", "lcc"});
    add("output alone", {"--output", "a.json"});
    add("no folder", {"--figure", "fig1", "--output", "nowhere/a.json"}, 7);
    add("convolution on a GPU",
        {"--figure", "fig1", "--operation", "convolve", "--device", "cuda:0", "--output", "a.json"},
        6);
}

void CliFiguresTest::badInputIsRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    const CliRun run = runCli(arguments, m_folder.path());
    QCOMPARE(run.code, code);
    QVERIFY2(run.errors.startsWith("flcc-cli: ") && run.errors.count('\n') == 1,
             run.errors.constData());
    QVERIFY(!QFile::exists(file("a.json")) && !QFile::exists(file("a.txt")));
}

void CliFiguresTest::anInterruptedFigureWritesNothing() {
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.setReadChannel(QProcess::StandardError);
    process.start(FLCC_CLI, {"bench", "--figure", "fig1", "--output", "stopped.json"});
    QVERIFY(process.waitForReadyRead(30'000)); // the first measurement begins
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardError().contains("flcc-cli: interrupted"));
    QVERIFY(!QFile::exists(file("stopped.json")));
}

const flcc::test::TestClass<CliFiguresTest> kCliFiguresTest;

#include "figures_test.moc"
