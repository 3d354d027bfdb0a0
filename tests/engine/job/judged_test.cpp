#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/io/atomic_file.h"
#include "engine/job/exports.h"
#include "engine/job/peak_lists.h"
#include "engine/job/report.h"
#include "engine/job/result.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/drawn.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using match::Decision;
using Json = nlohmann::json;

namespace {

/// Noise with its own panel pasted at another place.
job::JobResult twoCopies() {
    base::AnyImage pixels = test::noise(PixelType::Float32, {90, 60, 1}, 5);
    base::AnyImage cut = test::crop(pixels, {{20, 20, 0}, {9, 9, 1}});
    auto& scene = std::get<base::Image<float>>(pixels);
    const auto& templ = std::get<base::Image<float>>(cut);
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        scene.view().at(60 + i % 9, 30 + i / 9, 0) =
            templ.data()[i] + 0.3F * static_cast<float>(i % 5); // not an exact copy
    }
    job::Job job;
    job.minScore = 0.3;
    return job::runJob(job, test::imagesOf(std::move(pixels), std::move(cut)));
}

std::ptrdiff_t strokesOf(const io::Drawing& drawing, const match::Colour& colour) {
    return std::ranges::count_if(drawing.items, [&colour](const io::DrawnItem& item) {
        const auto* path = std::get_if<io::DrawnPath>(&item);
        return path != nullptr && path->closed && path->stroke == colour;
    });
}

std::size_t countOf(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

} // namespace

/// What a person decided, in all that is written of a result.
class JudgedTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Decisions belong to places: a peak takes the one within 3 voxels and a quarter of its
    // template.
    static void decisionsHoldForTheSamePlaces() {
        const job::JobResult before = twoCopies();
        job::Result judged{std::make_shared<job::JobResult>(before), {}};
        judged.decisions.set(match::keyOf(before.peaks[0]), Decision::Keep);
        judged.decisions.set(match::keyOf(before.peaks[1]), Decision::Reject);
        const match::PeakKey unlisted{{4, 50, 0}, 0};
        judged.decisions.set(unlisted, Decision::Unsure);
        QVERIFY(std::ranges::find(before.peaks, unlisted, match::keyOf) == before.peaks.end());

        job::JobResult now = before;
        const auto moveBy = [&](std::size_t peak, double x) {
            now.peaks[peak].centre[0] += x;
            now.peaks[peak].corner.x += static_cast<std::int64_t>(x);
        };
        QVERIFY(job::carriedDecisions(judged, now).of(match::keyOf(now.peaks[0])) ==
                Decision::Keep);
        moveBy(0, 2); // a quarter of 9 is more
        moveBy(1, 3);
        now.peaks[2].corner = {3, 50, 0};
        now.peaks[2].centre = {7.5, 54, 0};
        const match::DecisionList carried = job::carriedDecisions(judged, now);
        QCOMPARE(carried.of(match::keyOf(now.peaks[0])), Decision::Keep);
        QCOMPARE(carried.of(match::keyOf(now.peaks[1])), Decision::Undecided);
        QCOMPARE(carried.of(match::keyOf(now.peaks[2])), Decision::Unsure);
        QCOMPARE(carried.all().size(), std::size_t{2});
        // Frames do not mix.
        now = before;
        now.report.frames.resize(3);
        now.peaks[0].centre[2] = 1;
        now.peaks[0].corner.z = 1;
        QCOMPARE(job::carriedDecisions(judged, now).of(match::keyOf(now.peaks[0])),
                 Decision::Undecided);
    }

    static void everyFileOfAResultHasTheDecisions() {
        job::JobResult result = twoCopies();
        const auto count = std::ssize(result.peaks);
        QVERIFY(count > 3);
        const match::Colour orange{230, 120, 0};
        const match::Colour grey{150, 150, 150};
        QCOMPARE(strokesOf(job::drawingOf(result), orange), count);
        QVERIFY(job::toText(result.report).find("decision") == std::string::npos);
        QVERIFY(job::toHtml(result.report).find("decision") == std::string::npos);
        QVERIFY(Json::parse(job::toJson(result.report)).at("peaks")[0].at("decision").is_null());

        result.report.decisions.set(match::keyOf(result.peaks[0]), Decision::Keep);
        result.report.decisions.set(match::keyOf(result.peaks[1]), Decision::Reject);
        result.report.decisions.set(match::keyOf(result.peaks[2]), Decision::Reject);
        const std::string judged =
            "1 kept, 2 rejected, 0 unsure, " + std::to_string(count - 3) + " undecided";
        QCOMPARE(job::decisionsText(result.report), judged);
        const std::string text = job::toText(result.report);
        QVERIFY2(text.find("Judged: " + judged) != std::string::npos, text.c_str());
        QCOMPARE(countOf(text, "reject"), std::size_t{3}); // two rows and the sum
        const std::string page = job::toHtml(result, 0.3);
        QVERIFY(page.find("Judged: " + judged) != std::string::npos);
        QCOMPARE(countOf(page, "<td>reject</td>"), std::size_t{2});
        QCOMPARE(countOf(page, ", reject</figcaption>"), std::size_t{2}); // of the gallery
        QCOMPARE(strokesOf(job::drawingOf(result), orange), count - 2);
        QCOMPARE(strokesOf(job::drawingOf(result), grey), std::ptrdiff_t{2});

        // The next reader of the report finds them.
        const test::Folder folder;
        const auto file = folder.path("judged.json");
        io::writeText(file, job::toJson(result.report));
        const auto left = [&file](std::vector<Decision> only) {
            return job::convertList({.input = file, .only = std::move(only)}).positions;
        };
        QCOMPARE(left({}), result.peaks.size());
        QCOMPARE(left({Decision::Keep}), std::size_t{1});
        QCOMPARE(left({Decision::Reject}), std::size_t{2});
        QCOMPARE(left({Decision::Undecided}), result.peaks.size() - 3);
    }

    static void coloursLeaveTheOwnPlaceOfATemplateOut() {
        job::JobResult result = twoCopies();
        QVERIFY(result.peaks[0].score > 0.999 && result.peaks[1].score < 0.99);
        QVERIFY(result.report.map->statistics.maximum > 0.999);
        QCOMPARE(job::largestOfOthers(result.report), result.peaks[1].score);
        // A place that an average was made of neither.
        result.report.peaks[1].madeOf = true;
        QCOMPARE(job::largestOfOthers(result.report), result.peaks[2].score);
        // Two exact copies: the second one is an object like others.
        result.report.peaks[1].madeOf = false;
        result.report.peaks[1].score = 1;
        QCOMPARE(job::largestOfOthers(result.report), result.report.map->statistics.maximum);
        // Alone in the list it leaves the threshold as what objects have to be told from.
        result.report.peaks.resize(1);
        QCOMPARE(job::largestOfOthers(result.report), 0.3);
        // Without an exact copy all is as it was.
        result.report.peaks[0].score = 0.8;
        QCOMPARE(job::largestOfOthers(result.report), result.report.map->statistics.maximum);
    }

    static void aSceneWithoutPixelsIsNotDrawn() {
        job::JobResult result = twoCopies();
        result.scene = std::make_shared<job::SceneImage>();
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)job::drawingOf(result));
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)job::toHtml(result, 0.3));
    }
};

const flcc::test::TestClass<JudgedTest> kJudgedTest;
#include "judged_test.moc"
