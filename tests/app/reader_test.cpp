#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/app/cli_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;
using flcc::test::runShell;
namespace test = flcc::test;
using Json = nlohmann::json;

/// DICOM series on the command line, through the installed program flcc-reader.
class CliReaderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A slice of 32x24 pixels that look random.
    static test::DicomRecipe slice(double z) {
        test::DicomRecipe recipe;
        recipe.columns = 32;
        recipe.rows = 24;
        recipe.position = flcc::base::Point{1, 2, z};
        std::uint32_t state = static_cast<std::uint32_t>(z * 97) + 5;
        test::ByteWriter pixels;
        for (int i = 0; i < 32 * 24; ++i) {
            state = state * 1664525U + 1013904223U;
            pixels.put(static_cast<std::uint16_t>(state >> 20));
        }
        recipe.pixels = pixels.bytes;
        return recipe;
    }
    void write(const QString& name, const test::DicomRecipe& recipe) const {
        test::writeFile(m_folder.filePath(name).toStdString(), test::makeDicom(recipe));
    }
    void verifyFailure(const QStringList& arguments, int code, const QByteArray& word) const {
        const CliRun run = runCli(arguments, m_folder.path());
        QVERIFY2(run.code == code, run.errors.constData());
        QCOMPARE(run.errors.count('\n'), 1);
        QVERIFY2(run.errors.startsWith("flcc-cli: ") && run.errors.contains(word),
                 run.errors.constData());
    }

  private Q_SLOTS:
    void initTestCase() {
        QVERIFY(QDir(m_folder.path()).mkpath("scan"));
        for (int i = 0; i < 8; ++i) {
            write(QString("scan/%1").arg((i * 3) % 8), slice(2.5 * i));
        }
        test::writeFile(m_folder.filePath("scan/notes.txt").toStdString(), std::string("text"));
        QVERIFY(QDir(m_folder.path()).mkpath("holes"));
        for (const int i : {0, 1, 2, 4}) {
            write(QString("holes/%1").arg(i), slice(i));
        }
        QVERIFY(QDir(m_folder.path()).mkpath("mixed"));
        write("mixed/a", slice(0));
        test::DicomRecipe other = slice(0);
        other.series = "1.2.3.77";
        write("mixed/b", other);
    }

    void infoOfAFolderCountsSkippedFiles() {
        for (const char* path : {"scan", "scan/", "scan/3"}) {
            const CliRun run = runCli({"info", path}, m_folder.path());
            QVERIFY2(run.code == 0, run.errors.constData());
            QCOMPARE(run.errors, QByteArray());
            const Json info = Json::parse(run.output.toStdString());
            QVERIFY((info["extents"] == Json{32, 24, 8}));
            QCOMPARE(info["format"].get<std::string>(), std::string("DICOM"));
            QCOMPARE(info["files"].get<int>(), 8);
            QCOMPARE(info["skipped_files"].get<int>(), 1);
            QCOMPARE(info["notes"].size(), std::size_t{1});
            QVERIFY((info["spacing"] == Json{0.25, 0.5, 2.5}));
            QCOMPARE(info["unit"].get<std::string>(), std::string("mm"));
        }
    }

    void aFolderIsMatched() {
        const CliRun run = runCli({"match", "scan", "--crop", "9,7,2:8,8,4", "--json", "--quiet"},
                                  m_folder.path());
        QVERIFY2(run.code == 0, run.errors.constData());
        const Json report = Json::parse(run.output.toStdString());
        QVERIFY((report["peaks"][0]["corner"] == Json{9, 7, 2}));
        const Json& input = report["inputs"][0];
        QVERIFY(input["sha256"].is_null());
        QCOMPARE(input["series"].size(), std::size_t{8});
        QCOMPARE(input["series"][0]["path"].get<std::string>(), std::string("scan/0"));
        QCOMPARE(input["series"][0]["sha256"].get<std::string>().size(), std::size_t{64});
        const CliRun noted = runCli({"match", "scan", "--crop", "9,7,2:8,8,4"}, m_folder.path());
        QVERIFY2(noted.errors.contains("note: 1 other file of the folder was skipped"),
                 noted.errors.constData());
    }

    void aSliceIsMatchedInItsSeries() {
        const CliRun run =
            runCli({"match", "scan/5", "--crop", "9,7,2:8,8,4", "--json"}, m_folder.path());
        QVERIFY2(run.code == 0, run.errors.constData());
        const Json report = Json::parse(run.output.toStdString());
        QVERIFY((report["peaks"][0]["corner"] == Json{9, 7, 2}));
    }

    void faultsHaveTheirCode() {
        verifyFailure({"info", "holes"}, 3, "slices are missing");
        verifyFailure({"match", "holes", "--crop", "1,1:8,8"}, 3, "slices are missing");
        verifyFailure({"info", "mixed"}, 4, "2 series");
        verifyFailure({"info", "."}, 3, "folder without DICOM");
    }

    void aMissingReaderIsNamedWhateverThePathSays() {
        QVERIFY(QDir(m_folder.path()).mkpath("alone"));
        QVERIFY(QFile::copy(FLCC_CLI, m_folder.filePath("alone/flcc-cli")));
        const CliRun run = runShell("PATH=$(dirname \"$CLI\"):$PATH exec alone/flcc-cli info scan",
                                    m_folder.path());
        QCOMPARE(run.code, 3);
        QVERIFY2(run.errors.contains("alone/flcc-reader, which cannot be started"),
                 run.errors.constData());
    }

    void theReaderStartedByHandSaysWhatItIs() {
        for (const char* arguments : {"", "--help", "dicom info scan '' -1 -1 -1 '' 1000000 x"}) {
            const CliRun run =
                runShell(QString("exec \"$(dirname \"$CLI\")/flcc-reader\" %1").arg(arguments),
                         m_folder.path());
            QCOMPARE(run.code, 2);
            QCOMPARE(run.output, QByteArray());
            QVERIFY(run.errors.startsWith("flcc-reader: flcc and flcc-cli start this program"));
        }
    }

    void theReaderPrintsNothingElse() {
        const CliRun run = runShell(
            "\"$(dirname \"$CLI\")/flcc-reader\" dicom read mixed/a '' -1 -1 -1 '' 1000000 "
            "| head -c 8",
            m_folder.path());
        QCOMPARE(run.output, QByteArray("FLCCDR04"));
        QVERIFY2(test::kSanitized || run.errors.isEmpty(), run.errors.constData()); // leaks of GDCM
    }
};

const flcc::test::TestClass<CliReaderTest> kCliReaderTest;
#include "reader_test.moc"
