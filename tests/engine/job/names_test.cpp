#include <QtTest>

#include <QProcess>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/job/made_of.h"
#include "engine/job/peak_lists.h"
#include "engine/job/replay.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// Names of files are bytes. What a report, a list, a job file and a command line state of a name
// that is no UTF-8 leads to the same file.

using namespace flcc;
using Json = nlohmann::json;

namespace {

const std::string kScene = "caf\xe9 50%.mha";
const std::string kTemplate = "\xff\"a, b\".mha";

/// A job of files with such names in `folder`.
job::Job jobIn(const test::Folder& folder) {
    const base::AnyImage scene = test::noise(base::PixelType::UInt8, {60, 50, 1}, 5);
    const base::AnyImage templ = base::copyOf(
        std::get<base::Image<std::uint8_t>>(scene).view().part({{20, 10, 0}, {9, 8, 1}}));
    (void)io::writeImage(folder.path(kScene), base::viewOf(scene), {});
    (void)io::writeImage(folder.path(kTemplate), base::viewOf(templ), {});
    job::Job job;
    job.scene = folder.path(kScene);
    job.templates = {folder.path(kTemplate)};
    job.minScore = 0.3;
    job.report = folder.path("report.json");
    return job;
}

bool isPlainUtf8(const std::string& text) {
    return base::isUtf8(text) && text.find("\xef\xbf\xbd") == std::string::npos; // U+FFFD
}

} // namespace

class JobNamesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aReportLeadsToItsFiles();
    void aJobFileLeadsToItsFiles();
    void listsLeadToTheirScene_data();
    void listsLeadToTheirScene();
    void aShellReadsTheCommandLine();
    void anAverageNamesItsScene();
};

void JobNamesTest::aReportLeadsToItsFiles() {
    const test::Folder folder;
    const job::Job job = jobIn(folder);
    (void)job::runJob(job);
    const std::string text = test::bytesOf(job.report);
    QVERIFY(isPlainUtf8(text));
    const Json report = Json::parse(text);
    // By hand: "%" is %25, and each byte that is no UTF-8 is % and its digits.
    const std::string folderName = folder.path("").string();
    QCOMPARE(report.at("job").at("scene").get<std::string>(),
             "bytes:" + folderName + "caf%E9 50%25.mha");
    for (const Json& input : report.at("inputs")) {
        const std::string name = input.at("role") == "scene" ? kScene : kTemplate;
        QCOMPARE(base::restoredText(input.at("path").get<std::string>()),
                 folder.path(name).string());
        QVERIFY(input.at("note").get<std::string>().find("no UTF-8") != std::string::npos);
    }
    const job::Replay done = job::replay(job.report);
    QVERIFY2(done.verdict == job::Replay::Verdict::Identical, done.sentence.c_str());
    QVERIFY2(done.notes.empty(), done.notes.empty() ? "" : done.notes[0].c_str());
    // A report that was moved with its files finds them.
    const test::Folder other;
    for (const std::string& name : {kScene, kTemplate, std::string("report.json")}) {
        std::filesystem::copy_file(folder.path(name), other.path(name));
        std::filesystem::remove(folder.path(name));
    }
    const job::Replay moved = job::replay(other.path("report.json"));
    QVERIFY2(moved.verdict == job::Replay::Verdict::Identical, moved.sentence.c_str());
}

void JobNamesTest::aJobFileLeadsToItsFiles() {
    const test::Folder folder;
    job::Job job = jobIn(folder);
    job.poses.rotations = "list:" + folder.path("t\xfcrns.txt").string();
    const std::string text = job::toJobFile(job);
    QVERIFY(isPlainUtf8(text));
    QVERIFY(Json::accept(text));
    QVERIFY(job::fromJobFile(text) == job);
    // A name that looks like a stored one, and plain names.
    job.poses.rotations.clear();
    job.scene = "bytes:caf%E9.mha";
    QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    job.scene = "caf\xc3\xa9 50%.mha";
    job.templates = {"a.mha"};
    const Json plain = Json::parse(job::toJobFile(job));
    QCOMPARE(plain.at("scene").get<std::string>(), job.scene.string());
}

void JobNamesTest::listsLeadToTheirScene_data() {
    QTest::addColumn<std::string>("list");
    QTest::addColumn<std::string>("scene");
    for (const char* const list : {"peaks.csv", "peaks.tsv", "peaks.json"}) {
        QTest::newRow(list) << std::string(list) << kScene;
    }
    QTest::newRow("commas") << std::string("peaks.csv") << std::string("a,b, \"c\".mha");
    QTest::newRow("a line feed") << std::string("peaks.csv") << std::string("a\nb.mha");
    QTest::newRow("a tab") << std::string("peaks.tsv") << std::string("a\tb.mha");
}

void JobNamesTest::listsLeadToTheirScene() {
    QFETCH(std::string, list);
    QFETCH(std::string, scene);
    const test::Folder folder;
    job::Job job = jobIn(folder);
    if (scene != kScene) {
        std::filesystem::rename(job.scene, folder.path(scene));
        job.scene = folder.path(scene);
    }
    job.peaks = folder.path(list);
    job.report.clear();
    (void)job::runJob(job);
    QVERIFY(isPlainUtf8(test::bytesOf(job.peaks)));
    job::ListConversion conversion{.input = job.peaks};
    conversion.exports.stack = folder.path("stack.mha"); // cut from the scene that the list names
    const job::ConvertedList done = job::convertList(conversion);
    QVERIFY(done.stack && done.stack->count > 0);
    // And a list that is made of the list.
    conversion.exports = {};
    conversion.output = folder.path("again.json");
    (void)job::convertList(conversion);
    QVERIFY(isPlainUtf8(test::bytesOf(conversion.output)));
    QCOMPARE(base::restoredText(
                 Json::parse(test::bytesOf(conversion.output)).at("image").get<std::string>()),
             job.scene.string());
}

void JobNamesTest::aShellReadsTheCommandLine() {
    job::Job job;
    job.scene = "a'\\\xe9\n\t\x1b[31m.mha";
    job.templates = {"it's \xc3\xa9.mha", "\x7f$x.mha"};
    const std::string line = job::toCommandLine(job);
    QVERIFY(base::visibleText(line) == line && line.find('\n') == std::string::npos);
    QProcess shell;
    const std::string command = "flcc-cli() { printf '%s\\0' \"$@\"; }; " + line;
    shell.start("bash", {"-c", QString::fromUtf8(command.data(), std::ssize(command))});
    QVERIFY(shell.waitForFinished());
    std::string expected("match");
    for (const std::string& argument : job::toArguments(job)) {
        expected += '\0' + argument;
    }
    QCOMPARE(shell.readAllStandardOutput(),
             QByteArray(expected.data(), std::ssize(expected)) + '\0');
}

void JobNamesTest::anAverageNamesItsScene() {
    const test::Folder folder;
    job::Job job = jobIn(folder);
    job.exports.average = folder.path("mean.mha");
    (void)job::runJob(job);
    QVERIFY(isPlainUtf8(test::bytesOf(job::madeOfFile(job.exports.average))));
    QCOMPARE(job::readMadeOf(job.exports.average)->scene, folder.path(kScene).string());
}

const flcc::test::TestClass<JobNamesTest> kJobNamesTest;
#include "names_test.moc"
