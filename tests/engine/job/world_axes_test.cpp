#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/features.h"
#include "engine/job/input/world_axes.h"
#include "engine/job/listing.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// World positions are those of the program that wrote the file, and name their axes.

using namespace flcc;
using base::WorldAxes;
using Json = nlohmann::json;

namespace {

/// Voxel (178, 196, 177) of this grid lies at 14, -9, 19 in RAS.
base::Geometry headGeometry() {
    base::Geometry geometry;
    geometry.origin = {75, 107, -69.5};
    geometry.spacing = {0.5, 0.5, 0.5};
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    return geometry;
}

} // namespace

class WorldAxesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    base::AnyImage m_scene = test::noise(base::PixelType::UInt8, {24, 22, 20}, 5);

    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder.filePath(name).toStdString();
    }
    std::filesystem::path written(const char* name) const {
        io::writeImage(file(name), base::viewOf(m_scene), headGeometry());
        return file(name);
    }
    [[nodiscard]] static job::JobResult run(const std::filesystem::path& scene,
                                            const std::optional<WorldAxes>& world) {
        job::Job job;
        job.scene = scene;
        job.crops = {{{4, 5, 6}, {9, 7, 5}}};
        job.planning = plan::Planning::Estimate;
        job.threads = 1;
        job.world = world;
        return job::runJob(job);
    }

  private Q_SLOTS:
    void filesNameTheirAxes() {
        const auto axesOf = [](const std::filesystem::path& path) {
            return job::worldAxesOf(io::readImageInfo(path), path);
        };
        QVERIFY(axesOf(written("head.nii")) == WorldAxes::Ras);
        QVERIFY(axesOf(written("head.mrc")) == WorldAxes::Unnamed);
        QVERIFY(axesOf(written("head.mha")) == WorldAxes::Unnamed);
        QVERIFY(axesOf(written("head.nrrd")) == WorldAxes::Lps);
        const auto nrrd = [this](const char* space) {
            std::ofstream out(file("space.nrrd"), std::ios::binary);
            out << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1 1 1\n"
                << space << "\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n\n."
                << std::flush;
            return file("space.nrrd");
        };
        QVERIFY(axesOf(nrrd("space: right-anterior-superior")) == WorldAxes::Ras);
        QVERIFY(axesOf(nrrd("space: RAS")) == WorldAxes::Ras);
        QVERIFY(axesOf(nrrd("space: LAS")) == WorldAxes::Lps);
        QVERIFY(axesOf(nrrd("space: 3D-right-handed")) == WorldAxes::Unnamed);
        // A voxel of MGH, whose header has its place if the second byte of a flag is 1.
        for (const char flag : {'\0', '\1'}) {
            std::string mgh(284 + 1, '\0');
            for (const std::size_t at : {3U, 7U, 11U, 15U, 19U}) {
                mgh[at] = 1; // the version, and sizes
            }
            mgh[29] = flag;
            for (const std::size_t at : {30U, 34U, 38U, 42U, 58U, 74U}) {
                mgh.replace(at, 2, "\x3f\x80"); // 1 in float: spacing, and the axes along world's
            }
            std::ofstream(file("one.mgh"), std::ios::binary) << mgh << std::flush;
            QVERIFY(axesOf(file("one.mgh")) == (flag == 0 ? WorldAxes::Unnamed : WorldAxes::Ras));
        }
        // Without a code the header says nothing about a patient.
        const std::filesystem::path plain = written("plain.nii");
        std::fstream out(plain, std::ios::binary | std::ios::in | std::ios::out);
        out.seekp(252);
        out.write("\0\0\0\0", 4);
        out.close();
        QVERIFY(axesOf(plain) == WorldAxes::Unnamed);
    }

    void aHeadsPeaksStandInTheAxesOfItsHeader() {
        // The corner 4, 5, 6 and 9x7x5 voxels: the centre is 8, 8, 8.
        const std::filesystem::path head = written("head.nii");
        const auto near = [](const base::Point& a, const base::Point& b) {
            return std::abs(a[0] - b[0]) < 0.1 && std::abs(a[1] - b[1]) < 0.1 &&
                   std::abs(a[2] - b[2]) < 0.1; // the sub-voxel shift
        };
        job::JobResult own = run(head, {});
        QVERIFY(near(own.peaks.front().world, {-75 + 4, -107 + 4, -69.5 + 4}));
        const Json report = Json::parse(job::toJson(own.report));
        QCOMPARE(report.at("problem").at("world_axes").get<std::string>(), "RAS");
        QCOMPARE(report.at("peaks").at(0).at("world").at(0).get<double>(),
                 own.peaks.front().world[0]);
        QVERIFY(job::toText(own.report).find("mm (header), world positions in RAS") !=
                std::string::npos);
        const job::JobResult left = run(head, WorldAxes::Lps);
        QVERIFY(near(left.peaks.front().world, {75 - 4, 107 - 4, -69.5 + 4}));
        job::restate(own, {}, WorldAxes::Lps);
        QCOMPARE(own.peaks.front().world, left.peaks.front().world);
        // The map lies where the scene does, whatever the texts say.
        QCOMPARE(own.mapGeometry.origin, run(head, {}).mapGeometry.origin);
    }

    void blobsStandInTheAxesOfTheHeader() {
        job::FeaturesJob job;
        const base::AnyImage ball =
            test::makeScene(base::PixelType::UInt8, {24, 22, 20}, [](const base::Index& at) {
                const auto square = [](std::int64_t d) { return d * d; };
                return square(at.x - 13) + square(at.y - 10) + square(at.z - 9) < 16 ? 200.0 : 20.0;
            });
        io::writeImage(file("ball.nii"), base::viewOf(ball), headGeometry());
        job.scene = file("ball.nii");
        job.detector.scales = {1, 4, 5};
        const job::FeaturesResult own = job::runFeatures(job);
        QVERIFY(!own.detection.blobs.empty());
        const base::Point& centre = own.detection.blobs.front().centre;
        const Json list = Json::parse(job::blobsAsText(own, io::ListFormat::Json));
        QCOMPARE(list.at("world_axes").get<std::string>(), "RAS");
        QCOMPARE(list.at("origin").at(0).get<double>(), -75.0);
        const auto x = list.at("blobs").at(0).at("world").at(0).get<double>();
        QVERIFY(std::abs(x - (-75 + 0.5 * centre[0])) < 1e-9);
        const auto systemOf = [](const job::FeaturesResult& result) {
            const Json markups = Json::parse(job::blobsAsText(result, io::ListFormat::Slicer));
            return markups.at("markups").at(0).at("coordinateSystem").get<std::string>();
        };
        QCOMPARE(systemOf(own), "RAS");
        job.world = WorldAxes::Lps;
        QCOMPARE(systemOf(job::runFeatures(job)), "LPS");
    }

    void theOptionIsReadAndWritten() {
        job::Job job;
        job.scene = "a.nii";
        job.templates = {"b.nii"};
        job.world = WorldAxes::Ras;
        QVERIFY(job::toCommandLine(job).find("--world ras") != std::string::npos);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        job.world.reset();
        QVERIFY(job::toCommandLine(job).find("--world") == std::string::npos);
    }

    void infoNamesTheAxes() {
        const Json info = Json::parse(job::imageInfoJson(written("head.nii"), false));
        QCOMPARE(info.at("axes").get<std::string>(), "LPS"); // of origin and direction
        QCOMPARE(info.at("world_axes").get<std::string>(), "RAS");
        QVERIFY(
            Json::parse(job::imageInfoJson(written("head.mrc"), false)).at("world_axes").is_null());
    }
};

const flcc::test::TestClass<WorldAxesTest> kWorldAxesTest;

#include "world_axes_test.moc"
