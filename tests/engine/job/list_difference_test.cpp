#include <QtTest>

#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/arguments.h"
#include "engine/job/list_difference.h"
#include "engine/job/listing.h"
#include "tests/engine/job/job_cases.h"
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
        put(folder.path("report.json"),
            R"({"problem": {"spacing": [1, 1, 1], "unit": "px", "unit_source": "missing"},
                "peaks": [{"centre": [12.5, 13, 0], "score": 0.5},
                          {"centre": [90, 90, 0], "score": 0.25}]})");
        for (const char* name : {"other.csv", "report.json"}) {
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
