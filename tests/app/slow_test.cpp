#include <QtTest>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/test_class.h"

namespace {

constexpr std::int64_t kSide = 30'000;
constexpr std::int64_t kMostBytes = std::int64_t{8} << 30;

/// Noise of 16 bits, written a row at a time.
void writeScene(const QString& path) {
    std::ofstream file(path.toStdString(), std::ios::binary);
    file << "ObjectType = Image\nNDims = 2\nDimSize = " << kSide << ' ' << kSide
         << "\nElementType = MET_USHORT\nBinaryDataByteOrderMSB = False\nElementDataFile = LOCAL\n";
    std::vector<std::uint16_t> row(kSide);
    std::uint64_t state = 1;
    for (std::int64_t y = 0; y < kSide; ++y) {
        for (std::uint16_t& voxel : row) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            voxel = static_cast<std::uint16_t>(state >> 48);
        }
        file.write(reinterpret_cast<const char*>(row.data()),
                   static_cast<std::streamsize>(2 * row.size()));
    }
    QVERIFY2(file.flush(), "the scene could not be written");
}

} // namespace

class CliSlowTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aSceneOf30000SquaredStaysInEightGigabytes();
};

void CliSlowTest::aSceneOf30000SquaredStaysInEightGigabytes() {
    if (std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) < kMostBytes) {
        QSKIP("this machine has less than 8 GiB of memory");
    }
    const QTemporaryDir folder;
    writeScene(folder.filePath("scene.mha"));
    if (QTest::currentTestFailed()) {
        return;
    }
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start(FLCC_CLI, {"match", "scene.mha", "--crop", "12345,23456:32,32", "--max-peaks",
                             "1", "--peaks", "peaks.csv", "--report", "report.json", "--quiet"});
    QVERIFY(process.waitForFinished(1'800'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());

    rusage used{};
    QCOMPARE(getrusage(RUSAGE_CHILDREN, &used), 0); // of the one child that was waited for
    const std::int64_t peak = std::int64_t{used.ru_maxrss} * 1024;
    qInfo("highest resident memory %.2f GiB", static_cast<double>(peak) / (1 << 30));
    // Less than scene, map and statuses would be a wrong measurement.
    QVERIFY(peak > 7 * (kSide - 32) * (kSide - 32));
    QVERIFY2(peak <= kMostBytes, qPrintable(QString::number(peak)));

    QFile peaks(folder.filePath("peaks.csv"));
    QVERIFY(peaks.open(QIODevice::ReadOnly));
    const QList<QByteArray> best = peaks.readAll().trimmed().split('\n').last().split(',');
    QVERIFY(best.size() > 4);
    QVERIFY2(best[1].toDouble() > 0.999999, best[1].constData());
    QCOMPARE(best[2], QByteArray("12345"));
    QCOMPARE(best[3], QByteArray("23456"));
    QVERIFY(QFile::exists(folder.filePath("report.json")));
}

const flcc::test::TestClass<CliSlowTest> kCliSlowTest;
#include "slow_test.moc"
