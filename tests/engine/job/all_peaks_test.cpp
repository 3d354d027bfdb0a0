// Lists beside other outputs: of all scenes of a run, and of the boxes of a stack.

#include <QtTest>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/scene_folder.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using job::Job;
using Json = nlohmann::json;

class AllPeaksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void oneListHoldsThePeaksOfAllScenes() {
        const test::Scenes scenes;
        for (const char* format : {"relion-micrograph", "warp", "stopgap", "dynamo"}) {
            Job job = scenes.job();
            job.peaksFormat = io::listFormatNamed(format, "--peaks-format");
            job.allPeaks = scenes.path("particles.star");
            (void)job::runJob(job, {});
            const std::string text = test::bytesOf(job.allPeaks);
            for (int i = 0; i < 3; ++i) {
                io::ListPlace place{};
                place.extents = test::kScene;
                place.scene = scenes.path("scene" + std::to_string(i) + ".mha").string();
                place.unknowns.box = test::kCut.extents;
                const bool numbered = !io::infoOf(job.peaksFormat).named;
                place.unknowns.tomogram = numbered ? std::to_string(i + 1) : "";
                const io::PositionList list =
                    io::parseList(text, job.peaksFormat, place, "particles.star");
                QCOMPARE(list.positions.size(), std::size_t{1});
                const base::Index corner = test::placeIn(i);
                QVERIFY(std::abs(list.positions[0].centre[0] -
                                 (static_cast<double>(corner.x) + 5.5)) < 0.5);
                QVERIFY(std::abs(list.positions[0].centre[1] -
                                 (static_cast<double>(corner.y) + 4.5)) < 0.5);
            }
            QVERIFY2(std::string(format) != "warp" ||
                         text.find("\nscene2.tomostar\t") != std::string::npos,
                     text.c_str());
        }
        const auto refused = [&](const char* format, bool stream, const char* tomogram) {
            Job job = scenes.job();
            job.allPeaks = scenes.path("all.star");
            job.peaksFormat = io::listFormatNamed(format, "--peaks-format");
            job.peaksUnknowns.tomogram = tomogram;
            job.stream = stream;
            const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, {}); });
            return thrown.code == ErrorCode::CommandLine ? thrown.sentence : std::string();
        };
        QVERIFY(refused("imod", false, "").find("relion4, relion5, relion-micrograph, warp, m") !=
                std::string::npos);
        QVERIFY(refused("warp", false, "TS_01").find("--tomogram") != std::string::npos);
    }

    void ownTablesNameTheSceneOfARow() {
        const test::Scenes scenes;
        for (const char* name : {"all.csv", "all.tsv"}) {
            Job job = scenes.job();
            job.allPeaks = scenes.path(name);
            (void)job::runJob(job, {});
            const std::string text = test::bytesOf(job.allPeaks);
            QVERIFY(text.find("scene0.mha") == std::string::npos); // said of one scene alone
            for (int i = 0; i < 3; ++i) {
                const std::string scene = "scene" + std::to_string(i);
                io::ListPlace place{};
                place.scene = scenes.path(scene + ".mha").string();
                const io::PositionList list =
                    io::readList(job.allPeaks, io::ListFormat::Auto, place);
                QCOMPARE(list.positions.size(), std::size_t{1});
                QCOMPARE(list.columns.back().name, std::string("tomogram"));
                QCOMPARE(list.positions[0].cells.back(), scene);
                const base::Index corner = test::placeIn(i);
                QVERIFY(std::abs(list.positions[0].centre[0] -
                                 (static_cast<double>(corner.x) + 5.5)) < 0.5);
                QVERIFY(std::ranges::any_of(list.notes, [](const std::string& note) {
                    return note.find("of 3 rows 1 are of the tomogram") != std::string::npos;
                }));
            }
            io::ListPlace other{};
            other.scene = "x.mha";
            const auto none = test::thrownBy(
                [&] { (void)io::readList(job.allPeaks, io::ListFormat::Auto, other); });
            QVERIFY(none.code == ErrorCode::Input);
        }
    }

    /// The column counts the boxes from 0 and is empty where a box leaves the scene.
    void aRowNamesItsBoxOfTheStack() {
        const test::Scenes scenes;
        Job job = scenes.job({"scene0.mha"});
        job.templates.push_back(scenes.path("second.mha")); // farther from the border
        job.peaks = scenes.path("peaks.csv");
        job.exports.stack = scenes.path("stack.mrc");
        job.exports.size = Extents{60, 60, 0};
        const job::JobResult result = job::runJob(job, {});
        const std::vector<std::size_t>& ranks = result.report.stack->ranks;
        QVERIFY(ranks.size() == 1 && result.report.stack->leftOut == 1);
        const io::PositionList listed = io::readList(job.peaks, io::ListFormat::Auto, {});
        QCOMPARE(listed.columns.back().name, std::string("stack"));
        std::size_t box = 0;
        for (std::size_t i = 0; i < listed.positions.size(); ++i) {
            const bool taken = std::ranges::find(ranks, i + 1) != ranks.end();
            QCOMPARE(listed.positions[i].cells.back(), taken ? std::to_string(box++) : "");
        }
        QCOMPARE(box, ranks.size());
        // A list that is cut again names the new boxes, in JSON too.
        job::ListConversion again{.input = job.peaks};
        again.output = scenes.path("again.json");
        again.scene = scenes.path("scene0.mha");
        again.exports.stack = scenes.path("again.mrc");
        again.exports.size = Extents{4, 4, 0};
        const job::ConvertedList converted = job::convertList(again);
        const Json rows = Json::parse(test::bytesOf(again.output)).at("peaks");
        std::size_t next = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& now = converted.stack->ranks;
            const bool taken = std::ranges::find(now, i + 1) != now.end();
            QVERIFY(taken ? rows[i].at("stack") == next++ : rows[i].at("stack").is_null());
        }
        QCOMPARE(next, std::size_t{2});
        // The list states its boxes, so others are a contradiction, told with the input's name.
        job::ListConversion other{.input = job.peaks};
        other.unknowns.box = test::kCut.extents;
        (void)job::convertList(other);
        ++other.unknowns.box->x;
        const test::Thrown thrown = test::thrownBy([&] { (void)job::convertList(other); });
        QVERIFY(thrown.code == ErrorCode::Problem);
        QVERIFY2(thrown.sentence.find("peaks.csv states boxes of") != std::string::npos,
                 thrown.sentence.c_str());
    }
};

const flcc::test::TestClass<AllPeaksTest> kAllPeaksTest;
#include "all_peaks_test.moc"
