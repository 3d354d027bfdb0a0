#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/pixels.h"
#include "engine/io/image_file.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;

/// Sessions of the program `flcc` (opening, a run, a picture, quitting) in which an allocation
/// fails.
class WindowMemoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    struct Ended {
        bool exited = false;
        int code = -1;
        QByteArray errors;
    };
    Ended session(const QMap<QString, QString>& variables) const {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", FLCC_FAILING_ALLOCATION);
        environment.insert("XDG_CACHE_HOME", m_folder.filePath("cache"));
        environment.insert("XDG_CONFIG_HOME", m_folder.filePath("config"));
        for (auto it = variables.begin(); it != variables.end(); ++it) {
            environment.insert(it.key(), it.value());
        }
        process.setProcessEnvironment(environment);
        process.start(FLCC_WINDOW, {"s.mha", "--crop", "20,16:9,8", "--run", "--screenshot",
                                    "shot.png", "--quit"});
        Ended ended;
        ended.exited =
            process.waitForFinished(30'000) && process.exitStatus() == QProcess::NormalExit;
        ended.code = process.exitCode();
        ended.errors = process.readAllStandardError();
        return ended;
    }

  private Q_SLOTS:
    void aFailedAllocationEndsTheWindowWithASentence() {
        const base::AnyImage scene = test::noise(base::PixelType::UInt16, {96, 64, 1}, 5);
        (void)io::writeImage(m_folder.filePath("s.mha").toStdString(), base::viewOf(scene), {});
        long allocations = 0;
        for (int warm = 0; warm < 2; ++warm) {
            const Ended ended = session({{"FLCC_FAIL_COUNT", m_folder.filePath("count")}});
            QVERIFY2(ended.exited && ended.code == 0, ended.errors.constData());
            QFile count(m_folder.filePath("count"));
            QVERIFY(count.open(QIODevice::ReadOnly));
            allocations = count.readAll().trimmed().toLong();
        }
        QVERIFY(allocations > 100'000);
        constexpr int kTimes = 60;
        // The first allocations are made before main(), by libraries that are being loaded.
        constexpr long kFirst = 1000;
        for (int time = 0; time < kTimes; ++time) {
            const long number = kFirst + time * (allocations - kFirst) / kTimes;
            QMap<QString, QString> variables{{"FLCC_FAIL_AT", QString::number(number)}};
            if (time % 2 == 1) {
                variables.insert("FLCC_FAIL_FROM", "1");
            }
            const Ended ended = session(variables);
            const QByteArray what = "allocation " + QByteArray::number(qlonglong{number}) +
                                    (time % 2 == 1 ? " and later ones" : "") + ": code " +
                                    QByteArray::number(ended.code) + " " + ended.errors;
            QVERIFY2(ended.exited, what.constData());
            QVERIFY2(ended.code == 0 || (ended.code == 5 && ended.errors.contains("flcc: ")),
                     what.constData());
        }
    }
};

const flcc::test::TestClass<WindowMemoryTest> kWindowMemoryTest;
#include "window_memory_test.moc"
