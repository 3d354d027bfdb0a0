#include "tests/app/memory_cases.h"

#include <QtTest>

#include <map>

#include "engine/base/image.h"
#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/engine/io/fixtures.h"

namespace flcc::test {

namespace {

constexpr base::Extents kExtents{64, 48, 1};

/// Writes the scene with its voxels in the format that the name says.
void writeScene(const std::filesystem::path& path) {
    const base::AnyImage image = patternImage(base::PixelType::UInt16, kExtents);
    const Bytes voxels = voxelBytes(image);
    const std::string name = path.filename().string();
    const std::string mha = "NDims = 2\nDimSize = 64 48\nElementType = MET_USHORT\n";
    const std::string nrrd = "NRRD0004\ntype: uint16\ndimension: 2\nsizes: 64 48\n"
                             "endian: little\nencoding: gzip\n";
    if (name == "s.mhd") {
        writeFile(path, mha + "ElementDataFile = s.raw\n");
        writeFile(path.parent_path() / "s.raw", voxels);
    } else if (name == "packed.mha") {
        writeFile(path, joined(mha + "CompressedData = True\nElementDataFile = LOCAL\n",
                               deflated(voxels)));
    } else if (name == "packed.nrrd") {
        writeFile(path, joined(nrrd + "\n", gzip(voxels)));
    } else if (name == "s.nii.gz") {
        NiftiRecipe nifti;
        nifti.sizes = {64, 48, 1};
        nifti.voxels = voxels;
        writeFile(path, gzip(makeNifti(nifti)));
    } else if (name == "s.mrc") {
        writeFile(path, makeMrc(1, kExtents, {64, 48, 2}, voxels));
    } else if (name == "s.jpg") {
        writeFile(path, makeJpeg(64, 48, 1, false, Bytes(voxels.begin(), voxels.begin() + 3072)));
    } else {
        (void)io::writeImage(path, base::viewOf(image), {});
    }
}

QStringList outputs() {
    return {"--map",          "map.mha",     "--peaks",    "peaks.csv",
            "--report",       "report.json", "--save-job", "job.json",
#ifdef FLCC_IMAGE_IO
            "--status",       "status.nrrd", "--heatmap",  "heat.png",
            "--template-out", "out.tif"
#endif
    };
}

/// How a run with a failing allocation ended.
struct Ended {
    bool exited = false;
    int code = -1;
    QByteArray errors;
};

Ended runFailing(const QStringList& arguments, const QString& folder,
                 const QMap<QString, QString>& variables) {
    QProcess process;
    process.setWorkingDirectory(folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_PRELOAD", FLCC_FAILING_ALLOCATION);
    environment.insert("XDG_CACHE_HOME", folder + "/cache");
    for (auto it = variables.begin(); it != variables.end(); ++it) {
        environment.insert(it.key(), it.value());
    }
    process.setProcessEnvironment(environment);
    process.start(FLCC_CLI, arguments);
    Ended ended;
    ended.exited = process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit;
    ended.code = process.exitCode();
    ended.errors = process.readAllStandardError();
    return ended;
}

} // namespace

void addMemoryRows() {
    QTest::addColumn<QString>("scene");
    QTest::addColumn<QStringList>("options");
    for (const char* name :
         {"s.mha", "s.mhd",
#ifdef FLCC_IMAGE_IO
          "packed.mha", "s.nrrd", "packed.nrrd", "s.nii.gz", "s.mrc", "s.png", "s.tif", "s.jpg"
#endif
         }) {
        QTest::newRow(name) << name << QStringList{};
    }
    QTest::newRow("FFTW") << "s.mha" << QStringList{"--method", "tiled", "--tile", "61"};
}

void verifyFailedAllocations(const QString& scene, const QStringList& options, int times) {
    const QTemporaryDir folder;
    writeScene(folder.filePath(scene).toStdString());
    const QStringList arguments =
        QStringList{"match", scene, "--crop", "20,16:9,8", "--planning", "estimate", "--quiet"} +
        outputs() + options;
    // The second run finds what the first one learnt, as do all that follow.
    long allocations = 0;
    for (int warm = 0; warm < 2; ++warm) {
        const Ended ended =
            runFailing(arguments, folder.path(), {{"FLCC_FAIL_COUNT", folder.filePath("count")}});
        QVERIFY2(ended.exited && ended.code == 0, ended.errors.constData());
        QFile count(folder.filePath("count"));
        QVERIFY(count.open(QIODevice::ReadOnly));
        allocations = count.readAll().trimmed().toLong();
    }
    QVERIFY2(allocations > 1000, "the library that counts allocations was not loaded");
    const auto results = [&] {
        Bytes bytes = readFile(folder.filePath("map.mha").toStdString());
        const Bytes peaks = readFile(folder.filePath("peaks.csv").toStdString());
        bytes.insert(bytes.end(), peaks.begin(), peaks.end());
        return bytes;
    };
    const Bytes right = results();
    const QDir written(folder.path());
    std::map<int, int> codes;
    for (int time = 0; time < times; ++time) {
        const long number = 1 + time * (allocations - 1) / std::max(1, times - 1);
        const bool later = time % 2 == 1; // all later allocations fail as well
        QMap<QString, QString> variables{{"FLCC_FAIL_AT", QString::number(number)}};
        if (later) {
            variables.insert("FLCC_FAIL_FROM", "1");
        }
        const Ended ended = runFailing(arguments, folder.path(), variables);
        const QByteArray what = "allocation " + QByteArray::number(qlonglong{number}) +
                                (later ? " and later ones" : "") + ": code " +
                                QByteArray::number(ended.code) + " " + ended.errors;
        QVERIFY2(ended.exited, what.constData());
        QVERIFY2(ended.code == 0 || ended.code == 5, what.constData());
        QVERIFY2(ended.code == 0 || ended.errors.split('\n').constLast().isEmpty(),
                 what.constData());
        QVERIFY2(ended.code == 0 || ended.errors.contains("flcc-cli: "), what.constData());
        QVERIFY2(results() == right, what.constData()); // those of the run before, where it failed
        const QStringList left = written.entryList({".flcc-*"}, QDir::Files | QDir::Hidden);
        QVERIFY2(left.isEmpty(), what.constData());
        ++codes[ended.code];
    }
    QVERIFY2(codes[5] > times / 4, "few allocations failed");
}

} // namespace flcc::test
