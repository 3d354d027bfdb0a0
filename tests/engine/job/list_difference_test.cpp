#include <QtTest>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/difference.h"
#include "engine/job/listing.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Tolerance;

namespace {

constexpr const char* kTruth = "x,y,z,cx,cy,cz\n10,10,0,12,13,0\n1,1,0,3,3,0\n";

void put(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace

class ListDifferenceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void tolerancesAreReadAndWritten() {
        QVERIFY((job::parseTolerance("3") == Tolerance{3, "px"}));
        QVERIFY((job::parseTolerance("2um") == Tolerance{2, "um"}));
        QCOMPARE(job::toString({2.5, "A"}), std::string("2.5A"));
        QCOMPARE(job::toString({3, "px"}), std::string("3"));
        for (const char* wrong : {"", "0", "-1", "2,3", "2 miles", "nan"}) {
            const test::Thrown thrown = test::thrownBy([&] { (void)job::parseTolerance(wrong); });
            QVERIFY2(thrown.code == base::ErrorCode::CommandLine &&
                         thrown.sentence.find("--tolerance") != std::string::npos,
                     wrong);
        }
    }

    /// Voxels of 2 um: a tolerance of 3 um is one of 1.5 voxels.
    void aToleranceMayBeALength() {
        io::PositionList a;
        a.positions.resize(1);
        a.positions[0].centre = {10, 10, 0};
        io::PositionList b = a;
        b.positions[0].centre = {11.6, 10, 0};
        QVERIFY(job::compared(a, b, {1.7, "px"}).comparison.pairs.size() == 1);
        QVERIFY(test::thrownBy([&] {
                    (void)job::compared(a, b, {3, "um"});
                }).code == base::ErrorCode::Problem);
        b.place.geometry.spacing = {0.002, 0.002, 0.002};
        b.place.geometry.unit = "mm";
        b.place.geometry.unitSource = base::UnitSource::Header;
        QVERIFY(job::compared(a, b, {3, "um"}).comparison.pairs.empty());
        const job::ComparedLists lists = job::compared(a, b, {3.3, "um"});
        QCOMPARE(lists.comparison.pairs.size(), std::size_t{1});
        QVERIFY(std::abs(lists.comparison.distances->mean - 3.2) < 1e-9);
    }

    void listsAndReportsAreCompared() {
        const test::Folder folder;
        put(folder.path("truth.csv"), kTruth);
        put(folder.path("other.csv"), "rank,score,cx,cy,cz\n1,0.5,12.5,13,0\n2,0.25,90,90,0\n");
        for (const char* name : {"other.csv"}) {
            job::ListDifference difference{.a = folder.path(name), .b = folder.path("truth.csv")};
            difference.output = folder.path("both.csv");
            difference.report = folder.path("both.json");
            const job::ComparedLists lists = job::diffLists(difference);
            QCOMPARE(lists.comparison.pairs.size(), std::size_t{1});
            QCOMPARE(lists.comparison.best->threshold, 0.5);
            const io::PositionList written =
                job::readPositions(difference.output, io::ListFormat::Auto, {});
            QCOMPARE(written.positions.size(), std::size_t{3});
            QVERIFY(
                (written.positions[0].cells ==
                 std::vector<std::string>{"1", "0.5", "both", "1", "1", "12.5", "13", "0", "0.5"}));
            QCOMPARE(written.positions[1].cells[2], std::string("only A"));
            QCOMPARE(written.positions[2].cells[2], std::string("only B"));
            const auto json = nlohmann::json::parse(test::bytesOf(difference.report));
            QCOMPARE(json["matched"].get<int>(), 1);
            QCOMPARE(json["curve"].size(), std::size_t{2});
            difference.output = difference.a;
            QVERIFY(test::thrownBy([&] { (void)job::diffLists(difference); }).code ==
                    base::ErrorCode::CommandLine);
        }
    }

    void listsOfOtherVoxelsOrOutsideTheSceneAreRefused() {
        const test::Folder folder;
        const auto list = [&](const char* name, const std::string& spacing, const char* rows) {
            put(folder.path(name), "# FLCC peaks\n# scene: s.mha (40x30x1 voxels)\n# wx wy wz: the "
                                   "centre in world units; unit um (header)\n# spacing: " +
                                       spacing + "\nrank,score,cx,cy,cz\n" + rows);
            return folder.path(name);
        };
        const auto refused = [](const auto& call) {
            const test::Thrown thrown = test::thrownBy(call);
            return thrown.code == base::ErrorCode::Problem ? thrown.sentence : std::string();
        };
        const auto a = list("a.csv", "2 2 2", "1,0.5,10,10,0\n");
        const auto b = list("b.csv", "3 3 3", "1,0.5,10,10,0\n");
        const auto out = list("out.csv", "2 2 2", "1,0.5,100,10,0\n2,0.4,10,3,0\n");
        const auto far = list("far.csv", "2 2 2", "1,0.5,100,10,0\n");
        const std::string voxels = refused([&] { (void)job::diffLists({.a = a, .b = b}); });
        QVERIFY2(voxels.find("states voxels of 3 um") != std::string::npos &&
                     voxels.find("have 2 um") != std::string::npos,
                 voxels.c_str());
        base::Image<float> pixels({40, 30, 1});
        base::Geometry geometry;
        geometry.spacing = {0.003, 0.003, 0.003};
        geometry.unit = "mm";
        geometry.unitSource = base::UnitSource::Header;
        (void)io::writeImage(folder.path("s.nrrd"), pixels.view(), geometry);
        job::ListConversion conversion{.input = a};
        conversion.scene = folder.path("s.nrrd");
        QVERIFY(refused([&] { (void)job::convertList(conversion); }).find("2 um") !=
                std::string::npos);
        conversion.input = b;
        QCOMPARE(job::convertList(conversion).positions, std::size_t{1});
        QVERIFY(refused([&] {
                    (void)job::diffLists({.a = a, .b = far});
                }).find("its position lies outside the scene of 40x30x1") != std::string::npos);
        const job::ComparedLists lists = job::diffLists({.a = a, .b = out});
        QVERIFY(job::comparisonText(lists).find("1 of 2 positions lies outside") !=
                std::string::npos);
    }

    void imagesOfAnyKindAreCompared() {
        const test::Folder folder;
        base::Image<float> pixels({6, 5, 4});
        for (std::int64_t i = 0; i < pixels.count(); ++i) {
            pixels.data()[i] = static_cast<float>(i);
        }
        base::Geometry geometry;
        geometry.spacing = {2, 2, 2};
        for (const char* name : {"a.mha", "same.nrrd", "same.mrc"}) {
            (void)io::writeImage(folder.path(name), pixels.view(), geometry);
        }
        pixels.view().at(4, 3, 2) += 2;
        (void)io::writeImage(folder.path("other.nii"), pixels.view(), geometry);
        QVERIFY(job::areImages(folder.path("a.mha"), folder.path("other.nii")));
        for (const char* same : {"a.mha", "same.nrrd", "same.mrc"}) {
            QVERIFY(job::diffMaps({.a = folder.path("a.mha"), .b = folder.path(same)}).same());
        }
        job::MapDifference difference{.a = folder.path("a.mha"), .b = folder.path("other.nii")};
        difference.output = folder.path("off.mha");
        difference.report = folder.path("off.json");
        const job::ComparedMaps maps = job::diffMaps(difference);
        QVERIFY(!maps.same());
        const std::string text = job::mapsText(maps);
        for (const char* part : {"different: ", "1 of 120 voxels differ", "in 4,3,2:1,1,1",
                                 "greatest difference 2 at voxel 4,3,2: A 82, B 84"}) {
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        }
        const auto json = nlohmann::json::parse(test::bytesOf(difference.report));
        QCOMPARE(json["components"][0]["differing"].get<int>(), 1);
        const io::LoadedImage off = io::readImage(difference.output);
        QCOMPARE(base::valueAt(base::viewOf(off.components.front()), {4, 3, 2}), -2.0);
        QCOMPARE(base::valueAt(base::viewOf(off.components.front()), {4, 3, 1}), 0.0);
        QVERIFY(off.info.geometry.spacing == geometry.spacing);
        difference.tolerance = 2;
        QVERIFY(job::diffMaps(difference).same());
    }

    void whatIsNoPairOfImagesIsRefused() {
        const test::Folder folder;
        const base::Image<float> pixels({3, 2, 1});
        (void)io::writeImage(folder.path("a.mha"), pixels.view(), {});
        (void)io::writeImage(folder.path("wide.mha"), base::Image<float>({4, 2, 1}).view(), {});
        put(folder.path("list.csv"), kTruth);
        put(folder.path("damaged.mrc"), "no voxels");
        QVERIFY(!job::areImages(folder.path("list.csv"), folder.path("list.csv")));
        QVERIFY(job::areImages(folder.path("a.mha"), folder.path("damaged.mrc")));
        const auto codeOf = [&](const job::MapDifference& difference) {
            return test::thrownBy([&] { (void)job::diffMaps(difference); }).code;
        };
        const auto a = folder.path("a.mha");
        QVERIFY(codeOf({.a = a, .b = folder.path("wide.mha")}) == base::ErrorCode::Problem);
        QVERIFY(codeOf({.a = a, .b = folder.path("damaged.mrc")}) == base::ErrorCode::Input);
        QVERIFY(codeOf({.a = a, .b = a, .output = a}) == base::ErrorCode::CommandLine);
        for (const char* other : {"list.csv", "missing.mha"}) {
            const test::Thrown thrown =
                test::thrownBy([&] { (void)job::areImages(a, folder.path(other)); });
            QVERIFY2(thrown.sentence.find(other) != std::string::npos, thrown.sentence.c_str());
        }
        job::MapDifference difference;
        QVERIFY(test::thrownBy([&] {
                    job::setMapDifferenceOptions(difference, {{"tolerance", {"2um"}}});
                }).code == base::ErrorCode::CommandLine);
    }

    /// A report is converted into what the job itself would have written.
    void reportsHoldWholeLists() {
        const test::Folder folder;
        base::Geometry geometry;
        geometry.spacing = {1, 1.5, 2};
        geometry.origin = {-30, 12, 7};
        geometry.direction = {0, -1, 0, 0.6, 0, -0.8, 0.8, 0, 0.6};
        geometry.unit = "nm";
        geometry.unitSource = base::UnitSource::Header;
        const base::AnyImage scene = test::noise(base::PixelType::Float32, {26, 24, 22}, 31);
        const base::Box box{{9, 5, 7}, {7, 6, 5}};
        job::Job job;
        job.poses.rotations = "90";
        job.maxPeaks = 5;
        job.minScore = 0.3;
        job.masks = {"sphere:3,1"};
        job.peaks = folder.path("peaks.csv");
        job.report = folder.path("report.json");
        job.planning = plan::Planning::Estimate;
        const auto result = job::runJob(job, test::imagesOf(base::copyOf(base::viewOf(scene)),
                                                            test::crop(scene, box), geometry));
        QCOMPARE(result.peaks.size(), std::size_t{5});
        const auto withoutAudit = [](const std::string& text) {
            const std::size_t from = text.find("# audit");
            return from == std::string::npos
                       ? text
                       : text.substr(0, from) + text.substr(text.find('\n', from) + 1);
        };
        const std::string own = test::bytesOf(job.peaks);
        job::ListConversion conversion;
        conversion.input = job.report;
        conversion.to = io::ListFormat::Csv;
        QCOMPARE(job::convertList(conversion).text, withoutAudit(own));
        for (const io::ListFormat to : {io::ListFormat::Slicer, io::ListFormat::Napari}) {
            conversion.to = to;
            conversion.input = job.peaks;
            const std::string ofList = job::convertList(conversion).text;
            conversion.input = job.report;
            QCOMPARE(withoutAudit(job::convertList(conversion).text), withoutAudit(ofList));
        }
        put(job.report, R"({"problem": {}, "peaks": [{"score": 0.5}]})");
        QVERIFY(test::thrownBy([&] { (void)job::convertList(conversion); }).code ==
                base::ErrorCode::Input);
    }

    /// The built-in sample is found completely, each copy within a voxel.
    void aMatchComparesItsPeaksWithTheTruth() {
        const test::Folder folder;
        const std::vector<std::filesystem::path> files =
            job::writeSample("cells", folder.path("cells"), {});
        QCOMPARE(files.size(), std::size_t{3});
        job::Job job;
        job.scene = folder.path("cells") / "scene.mha";
        job.templates = {folder.path("cells") / "template.mha"};
        job.truth = folder.path("cells") / "truth.csv";
        job.tolerance = {1, "um"};
        job.comparison = folder.path("comparison.csv");
        job.report = folder.path("report.json");
        job.planning = plan::Planning::Estimate;
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        const job::JobResult result = job::runJob(job);
        const match::ListComparison& found = result.report.truth->comparison;
        QCOMPARE(found.recall, 1.0);
        QVERIFY(found.distances->largest < 0.65); // um: one pixel
        QVERIFY(job::toSummary(result.report).find("only in B") != std::string::npos);
        const auto json = nlohmann::json::parse(test::bytesOf(job.report));
        QCOMPARE(json["truth"]["recall"].get<double>(), 1.0);
        const io::PositionList list = job::readPositions(job.comparison, io::ListFormat::Auto, {});
        QCOMPARE(list.positions.size(), result.peaks.size());
        QVERIFY(std::ranges::any_of(result.report.inputs, [&](const job::InputReport& each) {
            return each.role == "truth" && each.path == job.truth.string() &&
                   each.sha256 == io::textDigest(test::bytesOf(job.truth));
        }));
        const std::string page = job::toHtml(result.report);
        for (const char* said : {"<h2>Truth</h2>", "recall 1.000", "truth.csv</td>"}) {
            QVERIFY2(page.find(said) != std::string::npos, said);
        }
        // The report is a list too.
        job::ListDifference again{.a = job.report, .b = job.truth};
        again.tolerance = job.tolerance;
        QCOMPARE(job::diffLists(again).comparison.pairs.size(), found.pairs.size());

        put(folder.path("volume.csv"),
            "# FLCC peaks\n# scene: s.mha (9x9x9 voxels)\ncx,cy,cz\n1,1,1\n");
        job.truth = folder.path("volume.csv");
        QVERIFY(test::thrownBy([&] { (void)job::runJob(job); }).code == base::ErrorCode::Problem);
        job.truth.clear();
        QVERIFY(test::thrownBy([&] { (void)job::runJob(job); }).sentence.find("--truth") !=
                std::string::npos);
        job.truth = folder.path("cells") / "truth.csv";
        job.stream = true;
        QVERIFY(test::thrownBy([&] { (void)job::runJob(job); }).code ==
                base::ErrorCode::CommandLine);
    }
};

const flcc::test::TestClass<ListDifferenceTest> kListDifferenceTest;
#include "list_difference_test.moc"
