#include <QtTest>

#include <algorithm>
#include <climits>

#include "engine/library/flcc.h"
#include "tests/support/test_class.h"

class LibraryMemoryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aFailedAllocationIsACode_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("least");
        QTest::newRow("direct") << QStringList{"direct", "estimate"} << 20;
        QTest::newRow("tiled") << QStringList{"tiled", "estimate"} << 20;
        // Planning drops a candidate that failed when it was timed, and takes as long as it likes.
        QTest::newRow("measured") << QStringList{"auto", "measure"} << 1;
    }

    // Allocations of a program in C fail, those of libraries that are loaded left out.
    void aFailedAllocationIsACode() {
        QFETCH(QStringList, arguments);
        QFETCH(int, least);
        const long start = allocationsOf({});
        const long all = allocationsOf(arguments);
        QVERIFY2(all > start + 50, "the library that counts allocations was not loaded");
        constexpr long kMostRuns = 60;
        const long step = std::max(1L, (all - start) / kMostRuns);
        int refused = 0;
        bool later = false; // all later allocations fail as well
        for (long number = start + 1; number <= all; number += step, later = !later) {
            QMap<QString, QString> variables{{"FLCC_FAIL_AT", QString::number(number)}};
            if (later) {
                variables.insert("FLCC_FAIL_FROM", "1");
            }
            const Ended ended = run(arguments, variables);
            const QByteArray what = "allocation " + QByteArray::number(qlonglong{number}) +
                                    ": code " + QByteArray::number(ended.code) + " " + ended.errors;
            QVERIFY2(ended.exited && (ended.code == FLCC_OK || ended.code == FLCC_MEMORY),
                     what.constData());
            refused += ended.code == FLCC_MEMORY ? 1 : 0;
        }
        QVERIFY2(refused >= least, "few allocations failed");
    }

  private:
    struct Ended {
        bool exited = false;
        int code = -1;
        QByteArray errors;
    };

    static Ended run(const QStringList& arguments, const QMap<QString, QString>& variables) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", FLCC_FAILING_ALLOCATION);
        for (auto it = variables.begin(); it != variables.end(); ++it) {
            environment.insert(it.key(), it.value());
        }
        process.setProcessEnvironment(environment);
        process.start(FLCC_PROBE, arguments);
        Ended ended;
        ended.exited =
            process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit;
        ended.code = process.exitCode();
        ended.errors = process.readAllStandardError();
        return ended;
    }

    /// The least of several runs, whose threads differ. Numbers beyond those of a run would fail
    /// nothing in it.
    static long allocationsOf(const QStringList& arguments) {
        constexpr int kRuns = 5;
        const QTemporaryDir folder;
        const QString file = folder.filePath("count");
        long least = LONG_MAX;
        for (int i = 0; i < kRuns; ++i) {
            const Ended ended = run(arguments, {{"FLCC_FAIL_COUNT", file}});
            QFile count(file);
            if (!ended.exited || ended.code != 0 || !count.open(QIODevice::ReadOnly)) {
                return 0;
            }
            least = std::min(least, count.readAll().trimmed().toLong());
        }
        return least;
    }
};

const flcc::test::TestClass<LibraryMemoryTest> kLibraryMemoryTest;
#include "memory_test.moc"
