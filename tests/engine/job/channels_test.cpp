#include <QtTest>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/convolve_job.h"
#include "engine/job/kept_map.h"
#include "engine/reference/match_operation.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::Index;
using base::PixelType;
using job::Job;

namespace {

constexpr Extents kScene{60, 50, 1};
constexpr Extents kTempl{9, 8, 1};
constexpr Index kPlace{33, 21, 0};

/// The planes of a colour image.
using Planes = std::vector<base::AnyImage>;

Planes noisePlanes(PixelType type, const Extents& extents, std::uint64_t seed, int count) {
    Planes planes;
    for (int i = 0; i < count; ++i) {
        planes.push_back(test::noise(type, extents, seed + static_cast<std::uint64_t>(i)));
    }
    return planes;
}

/// Writes NRRD: colours with one, three or four planes, channels of any number with `listed`.
void writePlanes(const std::filesystem::path& path, const Planes& planes, bool listed = false) {
    std::ofstream file(path, std::ios::binary);
    const Extents extents = base::extentsOf(planes.front());
    const char* const kind = listed ? "list" : planes.size() == 4 ? "RGBA-color" : "RGB-color";
    const bool isFloat = base::pixelType(planes.front()) == PixelType::Float32;
    file << "NRRD0004\ntype: " << (isFloat ? "float" : "uchar")
         << "\ndimension: 3\nsizes: " << planes.size() << " " << extents.x << " " << extents.y
         << "\nkinds: " << kind << " domain domain\nencoding: raw\nendian: little\n\n";
    for (std::int64_t i = 0; i < base::voxelCount(extents); ++i) {
        for (const base::AnyImage& plane : planes) {
            std::visit(
                [&](const auto& image) {
                    file.write(reinterpret_cast<const char*>(image.data() + i),
                               sizeof image.data()[0]);
                },
                plane);
        }
    }
}

/// Scene and template of a job in files; the template was cut from the scene at kPlace.
struct Files {
    explicit Files(PixelType type = PixelType::UInt8, int count = 3, bool listed = false)
        : scene(noisePlanes(type, kScene, 1, count)) {
        for (const base::AnyImage& plane : scene) {
            templ.push_back(test::crop(plane, {kPlace, kTempl}));
        }
        writePlanes(folder.path("scene.nrrd"), scene, listed);
        writePlanes(folder.path("templ.nrrd"), templ, listed);
    }

    [[nodiscard]] Job job(std::string_view operation) const {
        Job job;
        job.operation = method::operationNamed(operation).value();
        job.precision = method::Precision::Double; // exact maps
        job.channel = job::kAllChannels;
        job.planning = plan::Planning::Estimate;
        job.scene = folder.path("scene.nrrd");
        job.templates = {folder.path("templ.nrrd")};
        job.audit = job::Audit::On;
        return job;
    }

    test::Folder folder;
    Planes scene;
    Planes templ;
};

/// The largest difference of a map from the sum over channels of the definition.
double furthest(const job::JobResult& result, const Files& files, std::size_t channels) {
    const method::Operation operation = result.report.plan.problem.operation;
    base::Image<double> sum(result.map->exact.extents(), 0.0);
    for (std::size_t i = 0; i < channels; ++i) {
        const reference::ScoreMap one =
            reference::MatchOperation(operation, base::viewOf(files.templ[i]))
                .map(base::viewOf(files.scene[i]), method::Extent::Valid);
        for (std::int64_t k = 0; k < sum.count(); ++k) {
            sum.data()[k] += one.value.data()[k];
        }
    }
    double worst = 0;
    for (std::int64_t k = 0; k < sum.count(); ++k) {
        worst = std::max(worst, std::abs(sum.data()[k] - result.map->exact.data()[k]));
    }
    return worst;
}

} // namespace

class JobChannelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void valuesAreSumsOverTheChannels_data() {
        QTest::addColumn<QString>("operation");
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("listed");
        QTest::addColumn<bool>("whole");
        for (const char* const operation : {"ssd", "sad"}) {
            QTest::addRow("%s of colours", operation) << operation << 3 << false << true;
            QTest::addRow("%s of colours and opacity", operation)
                << operation << 4 << false << true;
            QTest::addRow("%s of five channels", operation) << operation << 5 << true << true;
            QTest::addRow("%s of floats", operation) << operation << 3 << false << false;
        }
    }
    void valuesAreSumsOverTheChannels() {
        QFETCH(QString, operation);
        QFETCH(int, count);
        QFETCH(bool, listed);
        QFETCH(bool, whole);
        const Files files(whole ? PixelType::UInt8 : PixelType::Float32, count, listed);
        job::Job job = files.job(operation.toStdString());
        if (!listed && count == 4) {
            job.masks = {"none"}; // the opacity of the template is some pattern
        }
        const job::JobResult result = job::runJob(job);
        QVERIFY(result.map->value.extents() == (Extents{52, 43, 1}));
        const std::size_t channels = !listed && count == 4 ? 3 : static_cast<std::size_t>(count);
        const double bound = result.report.map->facts.largestBound;
        QVERIFY(furthest(result, files, channels) <= (whole ? 0 : 2 * bound));
        const match::Peak& best = result.peaks.at(0);
        QVERIFY(best.corner == kPlace);
        QVERIFY(std::abs(best.score) <= best.bound);
        QCOMPARE(best.centre[2], 0.0); // the image is flat
        QCOMPARE(best.world[2], 0.0);
        QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                 result.report.audit->reason.c_str());
        const std::string text = job::toText(result.report);
        QVERIFY2(text.find(" over " + std::to_string(channels) + " channels") != std::string::npos,
                 text.c_str());
        QVERIFY(result.notes.at(0).find("sums over its") != std::string::npos);
        QVERIFY((result.report.scene == kScene));
        const auto json = nlohmann::json::parse(job::toJson(result.report));
        QCOMPARE(json.at("problem").at("channels").get<std::size_t>(), channels);
    }

    void aCopyInOtherColoursIsNoCopy() {
        // A copy whose red and blue are exchanged has another sum over the channels.
        Files files(PixelType::UInt8);
        for (std::size_t i = 0; i < 3; ++i) {
            test::paste(files.scene[i], files.templ[2 - i], {5, 6, 0});
        }
        writePlanes(files.folder.path("scene.nrrd"), files.scene);
        const job::JobResult result = job::runJob(files.job("ssd"));
        QVERIFY(result.peaks.at(0).corner == kPlace);
        QCOMPARE(result.report.map->best->occurrences, std::int64_t{1});
    }

    void cropsRegionsAndMasksCoverAllChannels() {
        const Files files;
        Job job = files.job("sad");
        job.templates.clear();
        job.crops = {{kPlace, kTempl}};
        job.region = base::Box{{20, 10, 0}, {40, 40, 1}};
        base::Image<std::uint8_t> support(kTempl, 1);
        support.view().at(0, 0, 0) = 0;
        (void)io::writeImage(files.folder.path("mask.mha"), support.view(), {});
        job.masks = {files.folder.path("mask.mha")};
        const job::JobResult result = job::runJob(job);
        QVERIFY(result.peaks.at(0).corner == kPlace);
        QCOMPARE(result.peaks[0].score, 0.0);
        QCOMPARE(result.report.templates.at(0).support, std::int64_t{3 * 71});
    }

    void peaksOfAFinishedMapAreThoseOfItsChannels() {
        const Files files;
        const Job job = files.job("ssd");
        const job::JobResult result = job::runJob(job);
        // As the window does, whose scene is the brightness.
        const auto shown = job::loadImage(job.scene, {}, {});
        QVERIFY((base::extentsOf(shown->pixels) == kScene));
        const job::FoundPeaks found =
            job::extractPeaks(*job::keepMap(result, job, shown), job::thresholdsOf(job));
        QCOMPARE(found.peaks.size(), result.peaks.size());
        for (std::size_t i = 0; i < found.peaks.size(); ++i) {
            QVERIFY(found.peaks[i].corner == result.peaks[i].corner);
            QCOMPARE(found.peaks[i].score, result.peaks[i].score);
            QCOMPARE(found.peaks[i].centre[2], 0.0);
        }
    }

    void aRunOfTheWindowReadsTheChannelsFromTheFiles() {
        const Files files;
        const Job job = files.job("sad");
        const job::JobImages shown{job::loadImage(job.scene, {}, {}),
                                   {job::loadImage(job.templates[0], {}, {})}};
        const job::JobResult result = job::runJob(job, shown);
        QCOMPARE(furthest(result, files, 3), 0.0);
        Job none = job;
        none.scene.clear();
        const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(none, shown); });
        QVERIFY(thrown.code == ErrorCode::Problem);
        QVERIFY2(thrown.sentence.find("save the scene first") != std::string::npos,
                 thrown.sentence.c_str());
    }

    void whatCannotBeSummedIsRefused_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("lcc") << 0 << "use --operation ssd or sad with --channel all";
        QTest::newRow("cosine") << 1 << "use --operation ssd or sad with --channel all";
        QTest::newRow("extent") << 2 << "leave out --extent same";
        QTest::newRow("stream") << 3 << "leave out --stream";
        QTest::newRow("template-out") << 4 << "leave it out with --channel all";
        QTest::newRow("grey template") << 5 << "has 1 channel; --channel all needs the same number";
        QTest::newRow("volume") << 6 << "is a volume 5x4x3";
    }
    void whatCannotBeSummedIsRefused() {
        QFETCH(int, which);
        QFETCH(QString, sentence);
        const Files files;
        Job job = files.job(which == 0 ? "lcc" : which == 1 ? "cosine" : "ssd");
        job.extent = which == 2 ? method::Extent::Same : method::Extent::Valid;
        job.stream = which == 3;
        if (which == 4) {
            job.templateOut = files.folder.path("out.mha");
        }
        if (which == 5) {
            (void)io::writeImage(files.folder.path("grey.mha"), base::viewOf(files.templ[0]), {});
            job.templates = {files.folder.path("grey.mha")};
        }
        if (which == 6) {
            (void)io::writeImage(files.folder.path("volume.mha"),
                                 base::viewOf(test::noise(PixelType::UInt8, {5, 4, 3}, 1)), {});
            job.scene = files.folder.path("volume.mha");
        }
        const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
        QVERIFY(thrown.code == ErrorCode::Problem);
        QVERIFY2(thrown.sentence.find(sentence.toStdString()) != std::string::npos,
                 thrown.sentence.c_str());
    }

    void jobFilesAndCommandLinesSayAll() {
        Job job;
        job.operation = method::operationNamed("ssd").value();
        job.scene = "s.png";
        job.templates = {"t.png"};
        job.channel = job::kAllChannels;
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        QCOMPARE(nlohmann::json::parse(job::toJobFile(job)).at("channel").get<std::string>(),
                 std::string("all"));
        QVERIFY(job::toCommandLine(job).find("--channel all") != std::string::npos);
        for (const char* const wrong : {R"({"channel": "most"})", R"({"channel": -1})"}) {
            QVERIFY(test::thrownBy([&] { (void)job::fromJobFile(wrong); }).code ==
                    ErrorCode::CommandLine);
        }
        QVERIFY(test::thrownBy([&] { // has one channel
                    (void)job::parseArguments("convolve", {"s", "k", "--channel", "all"});
                })
                    .code == ErrorCode::CommandLine);
        job.channel = 2;
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        QCOMPARE(nlohmann::json::parse(job::toJobFile(job)).at("channel").get<int>(), 2);
    }
};

const flcc::test::TestClass<JobChannelsTest> kJobChannelsTest;
#include "channels_test.moc"
