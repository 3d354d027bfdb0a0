#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;
using flcc::test::runShell;
using flcc::test::SampleFolder;
using Json = nlohmann::json;

/// Commands that answer a question: by the exit code (0 the same, 1 different), or as JSON.
class CliAnswersTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void diffAnswersWithItsCode_data();
    void diffAnswersWithItsCode();
    void replayAnswersWithItsCode();
    void infoIsJson();

  private:
    SampleFolder m_tiny{"tiny"};
};

void CliAnswersTest::diffAnswersWithItsCode_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QStringList& arguments, int code,
                        const char* says) {
        QTest::newRow(name) << (QStringList{"diff"} + arguments) << code << QByteArray(says);
    };
    row("one image", {"scene.mha", "scene.mha"}, 0, "the same: ");
    row("other values", {"scene.mha", "other.mha"}, 1, "greatest difference ");
    row("all within a tolerance", {"scene.mha", "other.mha", "--tolerance", "1e9"}, 0, "within");
    row("as JSON", {"scene.mha", "other.mha", "--json"}, 1, "\"same\": false");
    row("quietly", {"scene.mha", "other.mha", "--quiet"}, 1, "");
    row("other extents", {"scene.mha", "template.mha"}, 4, "extents");
    row("one list", {"truth.csv", "truth.csv"}, 0, " in both");
    row("a list that lacks a position", {"truth.csv", "fewer.csv"}, 1, "1 only in A");
    row("a list and an image", {"truth.csv", "scene.mha"}, 4, "is an image");
    row("an option of lists", {"scene.mha", "scene.mha", "--box", "3,3"}, 2, "--box");
    row("an option of images", {"truth.csv", "truth.csv", "--channel", "1"}, 2, "--channel");
    row("a missing file", {"scene.mha", "missing.mha"}, 3, "missing.mha");
    row("the output is an input", {"scene.mha", "other.mha", "--output", "other.mha"}, 2, "other");
}

void CliAnswersTest::diffAnswersWithItsCode() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    if (!QFile::exists(m_tiny.path("other.mha"))) {
        const CliRun made = runShell("$CLI convolve scene.mha box:3 --output other.mha --quiet && "
                                     "head -n -1 truth.csv > fewer.csv",
                                     m_tiny.path());
        QVERIFY2(made.code == 0, made.errors.constData());
    }
    const CliRun run = runCli(arguments, m_tiny.path());
    QVERIFY2(run.code == code, (run.output + run.errors).constData());
    QVERIFY2((code < 2 ? run.output : run.errors).contains(says),
             (run.output + run.errors).constData());
    QVERIFY(!arguments.contains("--quiet") || run.output.isEmpty());
}

void CliAnswersTest::replayAnswersWithItsCode() {
    const CliRun same = runShell("$CLI convolve scene.mha box:3 --report r.json --quiet && "
                                 "$CLI replay r.json",
                                 m_tiny.path());
    QVERIFY2(same.code == 0 && same.output.startsWith("identical: "),
             (same.output + same.errors).constData());
    const CliRun other = runShell("sed 's/\"mean\": [^,]*/\"mean\": 1e9/; /map_sha256/d' r.json > "
                                  "s.json && $CLI replay s.json",
                                  m_tiny.path());
    QVERIFY2(other.code == 1 &&
                 other.output.startsWith("different: map.mean was 1000000000.0; now it is ") &&
                 other.output.contains("not compared: times (keys in _ms, "),
             (other.output + other.errors).constData());
}

void CliAnswersTest::infoIsJson() {
    const SampleFolder folder("tomogram");
    const CliRun run = runCli({"info", "scene.mha"}, folder.path());
    QCOMPARE(run.code, 0);
    const Json info = Json::parse(run.output.begin(), run.output.end());
    QVERIFY((info["extents"] == Json{192, 192, 96}));
    QCOMPARE(info["type"].get<std::string>(), std::string("float32"));
    QCOMPARE(info["components"].get<int>(), 1);
    for (const char* key : {"spacing", "origin", "direction", "unit"}) {
        QVERIFY2(info.contains(key), key);
    }
}

const flcc::test::TestClass<CliAnswersTest> kCliAnswersTest;
#include "answers_test.moc"
