#include <QtTest>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::CliRun;
using test::runCli;
using test::SampleFolder;
using Json = nlohmann::json;

class CliFeaturesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void everyOutputIsWritten();
    void aListIsWrittenInEveryFormat();
    void theReportHasStagesAndTheListedBlobs();
    void twoImagesAreMatched();
    void aJobFileGivesTheSameBlobs();
    void failuresHaveTheirCodeAndWriteNothing_data();
    void failuresHaveTheirCodeAndWriteNothing();
    void theMemoryOfALargeImageIsPredicted();

  private:
    [[nodiscard]] QByteArray bytes(const QString& name) const {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] CliRun run(const QStringList& more) const {
        return runCli(QStringList{"features", "discs.mha", "--scales", "2:9:6"} + more,
                      m_folder.path());
    }

    QTemporaryDir m_folder;
};

namespace {

struct Spot {
    double x = 0;
    double y = 0;
    double radius = 0;
};

base::Image<std::uint8_t> picture(double dx) {
    base::Image<std::uint8_t> image({150, 120, 1}, 40);
    for (const Spot& spot : {Spot{30, 40, 5}, Spot{100, 50, 8}, Spot{60, 90, 6}}) {
        for (std::int64_t y = 0; y < 120; ++y) {
            for (std::int64_t x = 0; x < 150; ++x) {
                if (std::hypot(static_cast<double>(x) - spot.x - dx,
                               static_cast<double>(y) - spot.y) <= spot.radius) {
                    image.view().at(x, y, 0) = static_cast<std::uint8_t>(140 + 10 * spot.radius);
                }
            }
        }
    }
    return image;
}

Json parsed(const QByteArray& text) { return Json::parse(text.begin(), text.end()); }

} // namespace

void CliFeaturesTest::initTestCase() {
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.5, 1}; // round in voxels and in space
    geometry.origin = {10, 20, 0};
    geometry.unit = "um";
    geometry.unitSource = base::UnitSource::Header;
    const auto write = [&](const char* name, const base::AnyView& image) {
        (void)io::writeImage(m_folder.filePath(name).toStdString(), image, geometry);
    };
    write("discs.mha", picture(0).view());
    write("moved.mha", picture(7).view());
    base::Image<float> gap({40, 40, 1}, 1.0F);
    gap.view().at(5, 6, 0) = std::numeric_limits<float>::quiet_NaN();
    write("gap.mha", gap.view());
}

void CliFeaturesTest::everyOutputIsWritten() {
    const CliRun done = run({"--blobs", "b.csv", "--strength", "s.mha", "--scale-map", "m.nrrd"});
    QVERIFY2(done.code == 0, done.errors.constData());
    QVERIFY(done.output.contains("3 blobs"));
    const QList<QByteArray> lines = bytes("b.csv").split('\n');
    QList<QByteArray> rows;
    for (const QByteArray& line : lines) {
        if (!line.isEmpty() && !line.startsWith('#')) {
            rows << line;
        }
    }
    QCOMPARE(rows.size(), 4);
    QCOMPARE(rows[0], QByteArray("rank,strength,x,y,z,sigma,radius,wx,wy,wz"));
    const QList<QByteArray> best = rows[1].split(','); // the strongest: 8 voxels, contrast 180
    QVERIFY(std::fabs(best[2].toDouble() - 100) < 0.1);
    QVERIFY(std::fabs(best[3].toDouble() - 50) < 0.1);
    QVERIFY(std::fabs(best[6].toDouble() - 8) < 0.3);
    QVERIFY(std::fabs(best[7].toDouble() - (10 + 0.5 * best[2].toDouble())) < 1e-9);
    const io::LoadedImage strength = io::readImage(m_folder.filePath("s.mha").toStdString());
    QCOMPARE(strength.info.extents.x, std::int64_t{150});
    QVERIFY(strength.info.pixel == base::PixelType::Float32);
    const auto view = base::viewOf(strength.components[0]);
    QVERIFY(std::fabs(base::valueAt(view, {100, 50, 0}) - best[1].toDouble()) < 10);
    const io::LoadedImage scale = io::readImage(m_folder.filePath("m.nrrd").toStdString());
    const double sigma = base::valueAt(base::viewOf(scale.components[0]), {100, 50, 0});
    QVERIFY(sigma > 4 && sigma < 8);
}

void CliFeaturesTest::aListIsWrittenInEveryFormat() {
    QCOMPARE(run({"--blobs", "b.tsv", "--quiet"}).code, 0);
    QVERIFY(bytes("b.tsv").contains("rank\tstrength\tx"));
    QCOMPARE(run({"--blobs", "b.json", "--quiet"}).code, 0);
    const Json json = parsed(bytes("b.json"));
    QCOMPARE(json.at("blobs").size(), std::size_t{3});
    QCOMPARE(json.at("index_base").get<int>(), 0);
    QCOMPARE(run({"--blobs", "b.mrk.json", "--quiet"}).code, 0);
    const Json slicer = parsed(bytes("b.mrk.json"));
    const Json& points = slicer.at("markups").at(0).at("controlPoints");
    QCOMPARE(points.size(), std::size_t{3});
    QCOMPARE(points.at(0).at("position"), json.at("blobs").at(0).at("world"));
    QCOMPARE(run({"--blobs", "i.csv", "--blobs-format", "imagej-csv", "--quiet"}).code, 0);
    const QList<QByteArray> rows = bytes("i.csv").split('\n');
    QCOMPARE(rows[0], QByteArray(" ,X,Y,Slice,Strength,Sigma,Radius"));
    QVERIFY(std::fabs(rows[1].split(',')[1].toDouble() -
                      (json.at("blobs").at(0).at("centre").at(0).get<double>())) < 1e-9);
}

void CliFeaturesTest::theReportHasStagesAndTheListedBlobs() {
    const CliRun done = run({"--json", "--report", "r.json", "--levels", "64", "--max-blobs", "2"});
    QVERIFY2(done.code == 0, done.errors.constData());
    QVERIFY(done.errors.contains("1 weaker"));
    const Json report = parsed(done.output);
    QCOMPARE(report.at("blobs").size(), std::size_t{2});
    QCOMPARE(report.at("found").get<int>(), 3);
    QCOMPARE(report.at("problem").at("levels").get<int>(), 64);
    QCOMPARE(report.at("problem").at("scales").size(), std::size_t{6});
    for (const char* stage : {"levels", "filters", "maxima", "pairs"}) {
        QVERIFY2(report.at("run").at("stages_ms").contains(stage), stage);
    }
    QVERIFY(report.at("run").at("read_ms").get<double>() > 0);
    QCOMPARE(report.at("inputs").at(0).at("sha256").get<std::string>().size(), std::size_t{64});
    QCOMPARE(parsed(bytes("r.json")).at("blobs"), report.at("blobs"));
}

void CliFeaturesTest::twoImagesAreMatched() {
    const CliRun done = run({"--match", "moved.mha", "--pairs", "p.csv", "--quiet"});
    QVERIFY2(done.code == 0, done.errors.constData());
    QList<QByteArray> rows;
    for (const QByteArray& line : bytes("p.csv").split('\n')) {
        if (!line.isEmpty() && !line.startsWith('#')) {
            rows << line;
        }
    }
    QCOMPARE(rows[0], QByteArray("rank,score,ax,ay,az,bx,by,bz,asigma,bsigma,ratio,turn"));
    QVERIFY(rows.size() >= 2);
    const QList<QByteArray> first = rows[1].split(',');
    QVERIFY(std::fabs(first[5].toDouble() - first[2].toDouble() - 7) < 0.2);
    QVERIFY(std::fabs(first[6].toDouble() - first[3].toDouble()) < 0.2);
}

void CliFeaturesTest::aJobFileGivesTheSameBlobs() {
    const CliRun first = run({"--levels", "32", "--min-strength", "12.5", "--overlap", "0.25",
                              "--channels", "grey", "--max-blobs", "7", "--threads", "1", "--blobs",
                              "first.json", "--blobs-format", "json", "--save-job", "job.json"});
    QVERIFY2(first.code == 0, first.errors);
    const Json job = Json::parse(bytes("job.json").toStdString());
    QCOMPARE(job.at("command").get<std::string>(), std::string("features"));
    QCOMPARE(job.at("min-strength").get<double>(), 12.5);
    QCOMPARE(job.at("levels").get<int>(), 32);
    QCOMPARE(job.at("scales").get<std::string>(), std::string("2:9:6"));
    QCOMPARE(job.size(), std::size_t{11}); // what is as always is left out
    const CliRun again =
        runCli({"features", "--job", "job.json", "--blobs", "again.json"}, m_folder.path());
    QVERIFY2(again.code == 0, again.errors);
    QCOMPARE(bytes("again.json"), bytes("first.json"));
    const auto refused = [&](const QByteArray& text) {
        QFile file(m_folder.filePath("wrong.json"));
        (void)(file.open(QIODevice::WriteOnly) && file.write(text));
        file.close();
        return runCli({"features", "--job", "wrong.json"}, m_folder.path()).code;
    };
    QCOMPARE(refused(R"({"command": "features", "image": "discs.mha", "levels": "many"})"), 2);
    QCOMPARE(refused(R"({"command": "features", "image": "discs.mha", "mask": "m.mha"})"), 2);
    QCOMPARE(refused(R"({"command": "convolve", "image": "discs.mha"})"), 2);
    QCOMPARE(refused("image"), 3);
    // The file of the job that is read may be no output.
    QCOMPARE(
        runCli({"features", "--job", "job.json", "--report", "job.json"}, m_folder.path()).code, 2);
}

void CliFeaturesTest::failuresHaveTheirCodeAndWriteNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const QStringList& arguments, int code) {
        QTest::newRow(name) << arguments << code;
    };
    const QStringList image{"discs.mha"};
    row("no image", {}, 2);
    row("two images", {"discs.mha", "moved.mha"}, 2);
    row("a mask", image + QStringList{"--mask", "m.mha"}, 2);
    row("an unknown option", image + QStringList{"--tile", "64"}, 2);
    row("scales", image + QStringList{"--scales", "2:9"}, 2);
    row("scales in words", image + QStringList{"--scales", "a:b:c"}, 2);
    row("too small a scale", image + QStringList{"--scales", "0.2:9:5"}, 2);
    row("levels", image + QStringList{"--levels", "1"}, 2);
    row("channels", image + QStringList{"--channels", "hsv"}, 2);
    row("strength", image + QStringList{"--min-strength", "-1"}, 2);
    row("overlap", image + QStringList{"--overlap", "nan"}, 2);
    row("extension", image + QStringList{"--blobs", "new.txt"}, 2);
    row("a map as bytes", image + QStringList{"--strength", "new.png"}, 2);
    row("match alone", image + QStringList{"--match", "moved.mha"}, 2);
    row("the image itself", image + QStringList{"--strength", "discs.mha"}, 2);
    row("missing image", {"none.mha"}, 3);
    row("colour of a grey image", image + QStringList{"--channels", "ohta"}, 4);
    row("not finite", {"gap.mha", "--blobs", "new.csv"}, 4);
    row("memory", image + QStringList{"--memory", "100kB", "--blobs", "new.csv"}, 5);
    row("no folder", image + QStringList{"--blobs", "no/new.csv"}, 7);
}

void CliFeaturesTest::failuresHaveTheirCodeAndWriteNothing() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    const QStringList before = QDir(m_folder.path()).entryList(QDir::Files);
    const CliRun failed = runCli(QStringList{"features"} + arguments, m_folder.path());
    QVERIFY2(failed.code == code, failed.errors.constData());
    QVERIFY2(failed.errors.startsWith("flcc-cli: "), failed.errors.constData());
    QCOMPARE(failed.errors.count('\n'), 1);
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files), before);
}

void CliFeaturesTest::theMemoryOfALargeImageIsPredicted() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer has an allocator of its own");
#endif
    base::Image<std::uint16_t> image({1000, 800, 1}, 0);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<std::uint16_t>((i * 2654435761LL >> 8) % 1000);
    }
    (void)io::writeImage(m_folder.filePath("large.mha").toStdString(), image.view(), {});
    const CliRun done = runCli({"features", "large.mha", "--scales", "2:5:3", "--levels", "4",
                                "--strength", "ls.mha", "--json"},
                               m_folder.path());
    QVERIFY2(done.code == 0, done.errors.constData());
    const Json report = parsed(done.output);
    const auto predicted = report.at("run").at("host_bytes").get<double>();
    const auto measured = report.at("run").at("peak_host_bytes").get<double>();
    QVERIFY2(measured <= predicted && predicted <= 1.1 * measured,
             qPrintable(QString("%1 predicted, %2 measured").arg(predicted).arg(measured)));
}

const flcc::test::TestClass<CliFeaturesTest> kCliFeaturesTest;
#include "features_test.moc"
