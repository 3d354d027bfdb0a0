#include <QtTest>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::CliRun;
using test::runShell;

/// packaging/test-gpu, which runs for minutes on a GPU that is seldom there, must not rot
/// meanwhile.
class CliGpuScriptTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void withoutAGpuEveryStepSaysWhyItCannotRun() {
        const QTemporaryDir folder;
        // The folder with the programs counts as a pack; no GPU of this machine is seen.
        const CliRun run =
            runShell("FLCC_GPU_PACK=$(dirname \"$(dirname \"$CLI\")\") CUDA_VISIBLE_DEVICES= "
                     "bash " FLCC_SOURCE "/packaging/test-gpu first - results",
                     folder.path());
        QCOMPARE(run.code, 6);
        const QByteArrayList lines = run.output.trimmed().split('\n');
        QCOMPARE(lines.size(), 13);
        for (const QByteArray& line : lines) {
            QVERIFY2(line.startsWith("-- ") && line.contains(": not run: ") &&
                         line.contains("cuda:0"),
                     line.constData());
        }
        QVERIFY(lines.first().startsWith("-- machine:") && lines.last().startsWith("-- torch:"));
    }

    /// The comparison with the processor in double, with the processor in the place of the GPU.
    void tinyProblemsAreCompared() {
        const QTemporaryDir folder;
        const CliRun run = runShell("python3 -B " FLCC_SOURCE
                                    "/packaging/gpu_steps.py --cli \"$CLI\" --folder results "
                                    "--device cpu --only tiny --every 2",
                                    folder.path());
        QVERIFY2(run.code == 0, (run.output + run.errors).constData());
        QVERIFY2(run.output.contains("24 of 24 runs right, 0 refused, 0 wrong"),
                 run.output.constData());
        QVERIFY(QFile::exists(folder.filePath("results/summary.txt")));
        QVERIFY(QFile::exists(folder.filePath("results/first.json")));
    }

    void aWrongMapIsFound() {
        const QTemporaryDir folder;
        // A program that doubles the scores of every map of --device cuda:0, which it computes on
        // the processor.
        QFile wrong(folder.filePath("wrong"));
        QVERIFY(wrong.open(QIODevice::WriteOnly));
        wrong.write("#!/usr/bin/env python3\n"
                    "import array, os, subprocess, sys\n"
                    "given = ['cpu' if a == 'cuda:0' else a for a in sys.argv[1:]]\n"
                    "code = subprocess.run([os.environ['CLI'], *given]).returncode\n"
                    "if 'cuda:0' in sys.argv and '--map' in given and '--report' in given:\n"
                    "    path = given[given.index('--map') + 1]\n"
                    "    data = bytearray(open(path, 'rb').read())\n"
                    "    data[-1] ^= 0x40\n"
                    "    open(path, 'wb').write(data)\n"
                    "sys.exit(code)\n");
        wrong.close();
        QVERIFY(wrong.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        const CliRun run = runShell("export CLI; python3 -B " FLCC_SOURCE
                                    "/packaging/gpu_steps.py --cli ./wrong --folder results "
                                    "--only tiny --every 9",
                                    folder.path());
        QCOMPARE(run.code, 1);
        QVERIFY2(run.output.contains("tiny: FAILED"), run.output.constData());
    }
};

const flcc::test::TestClass<CliGpuScriptTest> kCliGpuScriptTest;
#include "gpu_script_test.moc"
