#include <QtTest>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;
using flcc::test::runShell;
using flcc::test::SampleFolder;

class CliOwnFilesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void noOutputReplacesAnInput_data();
    void noOutputReplacesAnInput();
};

void CliOwnFilesTest::noOutputReplacesAnInput_data() {
    QTest::addColumn<QStringList>("outputs");
    QTest::addColumn<QString>("input"); // that the output would replace
    QTest::newRow("voxels of a header as map") << QStringList{"--map", "scene.mha"} << "scene.mha";
    QTest::newRow("voxels through a link") << QStringList{"--map", "link.mha"} << "scene.mha";
    QTest::newRow("voxels by another name") << QStringList{"--map", "hard.mha"} << "scene.mha";
    QTest::newRow("the header") << QStringList{"--save-job", "scene.mhd"} << "scene.mhd";
    QTest::newRow("template") << QStringList{"--status", "template.mha"} << "template.mha";
    QTest::newRow("mask") << QStringList{"--mask", "mask.mha", "--template-out", "mask.mha"}
                          << "mask.mha";
    QTest::newRow("job file as report") << QStringList{"--report", "job.json"} << "job.json";
    QTest::newRow("plan") << QStringList{"--plan", "plan.json", "--report", "plan.json"}
                          << "plan.json";
    QTest::newRow("two outputs") << QStringList{"--map", "a.mha", "--status", "link-to-a.mha"}
                                 << "";
}

void CliOwnFilesTest::noOutputReplacesAnInput() {
    QFETCH(QStringList, outputs);
    QFETCH(QString, input);
    const SampleFolder folder("tiny");
    const auto write = [&](const char* name, const QByteArray& bytes) {
        QFile file(folder.path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    // A header whose voxels are the sample's file: everything behind that file's own header.
    const QByteArray scene = folder.bytes("scene.mha");
    const QByteArray end("ElementDataFile = LOCAL\n");
    QByteArray header = scene.left(scene.indexOf(end));
    write("scene.mhd", header + "HeaderSize = -1\nElementDataFile = scene.mha\n");
    write("job.json", R"({"scene": "scene.mhd", "template": "template.mha"})");
    write("mask.mha", folder.bytes("template.mha"));
    QCOMPARE(runCli({"plan", "--job", "job.json", "--planning", "estimate", "--report", "plan.json",
                     "--quiet"},
                    folder.path())
                 .code,
             0);
    QCOMPARE(runShell("ln -s scene.mha link.mha; ln scene.mha hard.mha; ln -s a.mha link-to-a.mha",
                      folder.path())
                 .code,
             0);
    const auto all = [&] {
        QMap<QString, QByteArray> files;
        for (const QString& name : folder.added() + QStringList{"scene.mha", "template.mha"}) {
            files[name] = folder.bytes(name);
        }
        return files;
    };
    const auto before = all();
    const CliRun run = runCli(QStringList{"match", "--job", "job.json"} + outputs, folder.path());
    QVERIFY2(run.code == 2 && run.errors.startsWith("flcc-cli: ") && run.errors.count('\n') == 1,
             run.errors.constData());
    QVERIFY2(run.errors.contains(input.isEmpty() ? "two outputs have the name"
                                                 : " would replace the input " + input.toUtf8()),
             run.errors.constData());
    QVERIFY(all() == before);
}

const flcc::test::TestClass<CliOwnFilesTest> kCliOwnFilesTest;
#include "own_files_test.moc"
