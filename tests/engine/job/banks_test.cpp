#include <QtTest>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/job.h"
#include "engine/job/steps/audit.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using job::Job;
using Json = nlohmann::json;

namespace {

constexpr base::Box kFirst{{20, 30, 0}, {12, 10, 1}};
constexpr base::Box kSecond{{81, 47, 0}, {12, 10, 1}};
constexpr base::Box kLarge{{50, 12, 0}, {21, 17, 1}};

/// A job with some members set: with(&Job::minScore, 0.9, &Job::repeat, 2).
Job with() { return {}; }
template <class Member, class Value, class... More>
Job with(Member member, const Value& value, const More&... more) {
    Job job = with(more...);
    job.*member = value;
    return job;
}

job::JobImages imagesOf(base::AnyImage pixels, const std::vector<base::Box>& boxes) {
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(pixels);
    scene->source = "memory";
    job::JobImages images{scene};
    for (const base::Box& box : boxes) {
        images.templates.push_back(job::cutTemplate(*scene, box));
    }
    return images;
}

job::JobImages noiseImages(const std::vector<base::Box>& boxes, PixelType type = PixelType::UInt8) {
    return imagesOf(test::noise(type, {130, 96, 1}, 5), boxes);
}

/// The run of one of several templates alone.
job::JobResult alone(const job::JobImages& images, std::size_t templ, Job job = {}) {
    job::JobImages one{images.scene, {images.templates[templ]}};
    return job::runJob(job, one);
}

std::shared_ptr<const job::MaskImage> maskOf(const Extents& extents, std::int64_t from) {
    auto mask = std::make_shared<job::MaskImage>();
    mask->support = base::Image<std::uint8_t>(extents, 1);
    for (std::int64_t i = 0; i < mask->support.count(); ++i) {
        mask->support.data()[i] = i % extents.x >= from ? 1 : 0;
    }
    mask->source = "mask from " + std::to_string(from);
    return mask;
}

/// The first difference of two lists in bits; without `places` not in what lies between voxels.
QString difference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b,
                   bool places = true) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].corner != b[i].corner || a[i].score != b[i].score || a[i].templ != b[i].templ ||
            a[i].rival != b[i].rival || (places && a[i].shift != b[i].shift) ||
            (places && a[i].centre != b[i].centre)) {
            return QStringLiteral("rank %1: template %2 and %3, score %4 and %5")
                .arg(QString::number(i + 1), QString::number(a[i].templ),
                     QString::number(b[i].templ), QString::number(a[i].score, 'g', 17),
                     QString::number(b[i].score, 'g', 17));
        }
    }
    return a.size() == b.size() ? QString()
                                : QStringLiteral("%1 and %2").arg(a.size()).arg(b.size());
}

} // namespace

class JobBanksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTemplateIsFoundByItsNumber();
    void theMapIsTheBestOfTheTemplates_data();
    void theMapIsTheBestOfTheTemplates();
    void theListDoesNotDependOnTheMethod_data();
    void theListDoesNotDependOnTheMethod();
    void zScoresCountEveryScore();
    void theShareRecomputedIsThatOfAllScores();
    void oneTemplateHasAnIndexToo();
    void differentExtentsGiveOneList_data();
    void differentExtentsGiveOneList();
    void differentExtentsGivePeaksOnly_data();
    void differentExtentsGivePeaksOnly();
    void theReportHasEveryGroup();
    void aReportOfGroupsIsReplayed();
    void aMaskIsForAllOrForOne();
    void masksThatDoNotFitAreRefused();
    void templatesOfDifferentTypesAreMatched();
    void signsChangeForAll();
    void cropsComeBeforeFiles();
    void whatIsWrongNamesItsTemplate();
    void theAuditSeesTheBestOfTheTemplates();
    void aRegionKeepsTheList();
    void mapsOfAllGroupsCountAgainstTheMemory();
    void outputsAreWritten();
};

void JobBanksTest::everyTemplateIsFoundByItsNumber() {
    for (const bool swapped : {false, true}) {
        const job::JobImages images =
            noiseImages(swapped ? std::vector{kSecond, kFirst} : std::vector{kFirst, kSecond});
        const job::JobResult result = job::runJob(with(&Job::minScore, 0.9), images);
        QCOMPARE(result.peaks.size(), std::size_t{2});
        for (const match::Peak& peak : result.peaks) {
            const bool first = peak.corner == kFirst.corner;
            QVERIFY(first || peak.corner == kSecond.corner);
            QCOMPARE(peak.templ, first == swapped ? 1 : 0);
            QVERIFY(peak.score > 1 - 1e-12);
        }
        QVERIFY(result.index != nullptr);
        QCOMPARE(result.index->view().at(kFirst.corner), swapped ? 1 : 0);
        QCOMPARE(result.index->view().at(kSecond.corner), swapped ? 0 : 1);
        QCOMPARE(result.report.plan.problem.templates, 2);
        QCOMPARE(result.report.templates.size(), std::size_t{2});
        QVERIFY(result.report.groups.empty());
        QCOMPARE(result.templates.size(), std::size_t{2});
    }
}

void JobBanksTest::theMapIsTheBestOfTheTemplates_data() {
    QTest::addColumn<int>("extent");
    QTest::addColumn<bool>("inDouble");
    QTest::newRow("valid") << static_cast<int>(method::Extent::Valid) << false;
    QTest::newRow("full") << static_cast<int>(method::Extent::Full) << false;
    QTest::newRow("double") << static_cast<int>(method::Extent::Valid) << true;
}

void JobBanksTest::theMapIsTheBestOfTheTemplates() {
    QFETCH(int, extent);
    QFETCH(bool, inDouble);
    const job::JobImages images = noiseImages({kFirst, kSecond, {{3, 70, 0}, {12, 10, 1}}});
    Job job = with(&Job::extent, static_cast<method::Extent>(extent), &Job::method, "direct");
    job.precision = inDouble ? method::Precision::Double : method::Precision::Single;
    job.tile = {64, 64, 1}; // other tiles have other last bits
    const job::JobResult result = job::runJob(job, images);
    const std::array each{alone(images, 0, job), alone(images, 1, job), alone(images, 2, job)};
    std::array<std::int64_t, 3> won{};
    for (std::int64_t v = 0; v < result.map->value.count(); ++v) {
        int best = 0;
        const auto valueOf = [&](const method::MatchMap& map) {
            return inDouble ? map.exact.data()[v] : static_cast<double>(map.value.data()[v]);
        };
        for (int i = 1; i < 3; ++i) {
            const auto at = static_cast<std::size_t>(i);
            best = valueOf(*each[at].map) > valueOf(*each[static_cast<std::size_t>(best)].map)
                       ? i
                       : best;
        }
        QCOMPARE(valueOf(*result.map), valueOf(*each[static_cast<std::size_t>(best)].map));
        const bool scored = base::hasValue(result.map->status.data()[v]);
        QCOMPARE(result.index->data()[v], scored ? best : -1);
        ++won[static_cast<std::size_t>(best)];
    }
    QVERIFY(*std::min_element(won.begin(), won.end()) > 1000);
    QVERIFY(result.mapCorner == each[0].mapCorner);
    QVERIFY(result.mapGeometry.origin == each[0].mapGeometry.origin);
}

void JobBanksTest::theListDoesNotDependOnTheMethod_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("groups");
    for (int kind = 0; kind < 4; kind += test::kSanitized ? 3 : 1) {
        const bool groups = kind % 2 != 0;
        QTest::addRow("%s%s", kind < 2 ? "bytes" : "floats", groups ? ", groups" : "")
            << static_cast<int>(kind < 2 ? PixelType::UInt8 : PixelType::Float32) << groups;
    }
}

void JobBanksTest::theListDoesNotDependOnTheMethod() {
    QFETCH(int, type);
    QFETCH(bool, groups);
    std::vector<base::Box> boxes{kFirst, kSecond, {{3, 70, 0}, {12, 10, 1}}};
    if (groups) {
        boxes.insert(boxes.begin() + 1, kLarge);
    }
    const job::JobImages images = noiseImages(boxes, static_cast<PixelType>(type));
    std::vector<match::Peak> expected;
    for (const char* method : {"direct", "tiled", "fourier", "tiled-template", "dif"}) {
        for (const int threads : {1, 2}) {
            const Job job = with(&Job::method, method, &Job::audit, job::Audit::On, &Job::threads,
                                 threads, &Job::minScore, 0.2, &Job::maxPeaks, 400);
            const job::JobResult result = job::runJob(job, images);
            QVERIFY(result.peaks.size() > 20);
            QCOMPARE(result.report.audit->verdict, job::AuditVerdict::Passed);
            expected = expected.empty() ? result.peaks : expected;
            const QString wrong = difference(result.peaks, expected);
            QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(method) + ": " + wrong));
        }
    }
}

void JobBanksTest::zScoresCountEveryScore() {
    const job::JobImages images = noiseImages({kFirst, kSecond});
    const job::JobResult result = job::runJob({}, images);
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const job::JobResult one = alone(images, i);
        for (std::int64_t v = 0; v < one.map->value.count(); ++v) {
            const double score = static_cast<double>(one.map->value.data()[v]);
            sum += score;
            squares += score * score;
            ++count;
        }
    }
    const double mean = sum / count;
    const double deviation = std::sqrt(squares / count - mean * mean);
    const double expected = (result.peaks[0].score - mean) / deviation;
    // Maps of two methods differ by their bounds, and sums of scores are rounded to 2^-20.
    QVERIFY(std::abs(result.peaks[0].zscore.value_or(0) - expected) < 1e-3 * expected);
    // The best of two scores has a mean above 0 and a smaller deviation.
    const match::MapStatistics& best = result.report.map->statistics;
    const double wrong = (result.peaks[0].score - best.mean) / best.standardDeviation;
    QVERIFY(std::abs(wrong - expected) > 0.05 * expected);
}

void JobBanksTest::theShareRecomputedIsThatOfAllScores() {
    const job::JobImages images = noiseImages({kFirst, kSecond}, PixelType::Float32);
    const Job job = with(&Job::promise, 1e-9, &Job::method, "tiled"); // more than floats can keep
    const double share = job::recomputedShare(*job::runJob(job, images).report.map);
    QVERIFY2(share > 0.5 && share <= 1, std::to_string(share).c_str());
}

void JobBanksTest::oneTemplateHasAnIndexToo() {
    const test::Folder folder;
    base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 1}, 5);
    for (std::int64_t i = 0; i < 400; ++i) { // a flat corner
        test::setVoxel(scene, {i % 20, i / 20, 0}, 7);
    }
    const job::JobImages images = imagesOf(std::move(scene), {{{30, 20, 0}, {8, 8, 1}}});
    QVERIFY(job::runJob({}, images).index == nullptr);
    Job job;
    job.index = folder.path("index.mha");
    const job::JobResult result = job::runJob(job, images);
    const auto read = job::loadImage(job.index, {}, {});
    QCOMPARE(base::pixelType(read->pixels), PixelType::Int32);
    QCOMPARE(base::valueAt(base::viewOf(read->pixels), {2, 2, 0}), -1.0);
    QCOMPARE(base::valueAt(base::viewOf(read->pixels), {30, 20, 0}), 0.0);
    QVERIFY(read->geometry.origin == result.mapGeometry.origin);
}

void JobBanksTest::differentExtentsGiveOneList_data() {
    QTest::addColumn<int>("extent");
    QTest::newRow("valid") << static_cast<int>(method::Extent::Valid);
    QTest::newRow("same") << static_cast<int>(method::Extent::Same);
    QTest::newRow("full") << static_cast<int>(method::Extent::Full);
}

void JobBanksTest::differentExtentsGiveOneList() {
    QFETCH(int, extent);
    const job::JobImages images = noiseImages({kFirst, kLarge, kSecond});
    const Job job = with(&Job::extent, static_cast<method::Extent>(extent), &Job::minScore, 0.25);
    const job::JobResult result = job::runJob(job, images);
    QVERIFY(result.map == nullptr && result.index == nullptr && !result.report.map);
    QVERIFY(result.peaks.size() > 3);
    std::array<bool, 3> found{};
    for (const match::Peak& peak : result.peaks) {
        if (peak.score > 1 - 1e-12) {
            const std::array corners{kFirst.corner, kLarge.corner, kSecond.corner};
            QVERIFY(peak.corner == corners[static_cast<std::size_t>(peak.templ)]);
            found[static_cast<std::size_t>(peak.templ)] = true;
        }
    }
    QVERIFY(found[0] && found[1] && found[2]);
    QVERIFY(std::is_sorted(result.peaks.begin(), result.peaks.end(),
                           [](const auto& a, const auto& b) { return a.score > b.score; }));
    // A peak of one template that lies in the middle of a better one of another goes.
    for (const match::Peak& low : result.peaks) {
        for (const match::Peak& high : result.peaks) {
            const Extents templ =
                base::extentsOf(images.templates[static_cast<std::size_t>(high.templ)]->pixels);
            const Extents own =
                base::extentsOf(images.templates[static_cast<std::size_t>(low.templ)]->pixels);
            const std::int64_t dx = 2 * (low.corner.x - high.corner.x) + own.x - templ.x;
            const std::int64_t dy = 2 * (low.corner.y - high.corner.y) + own.y - templ.y;
            QVERIFY(&low == &high || high.score <= low.score || std::abs(dx) > templ.x ||
                    std::abs(dy) > templ.y);
        }
    }
}

void JobBanksTest::differentExtentsGivePeaksOnly_data() {
    QTest::addColumn<QString>("option");
    for (const char* option : {"--map", "--status", "--index", "--heatmap"}) {
        QTest::newRow(option) << option;
    }
}

void JobBanksTest::differentExtentsGivePeaksOnly() {
    QFETCH(QString, option);
    const test::Folder folder;
    Job job;
    job.peaks = folder.path("peaks.csv");
    (option == "--map"      ? job.map
     : option == "--status" ? job.status
     : option == "--index"  ? job.index
                            : job.heatmap) = folder.path("out.png");
    const test::Thrown thrown = test::thrownBy([&] {
        (void)job::runJob(job, noiseImages({kFirst, kSecond, kLarge}));
    });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    const QString sentence = QString::fromStdString(thrown.sentence);
    QVERIFY2(sentence.contains(option) && sentence.contains("peaks only") &&
                 sentence.contains("12x10x1") && sentence.contains("21x17x1") &&
                 sentence.contains("template 2"),
             qPrintable(sentence));
    QVERIFY(folder.names().empty());
}

void JobBanksTest::theReportHasEveryGroup() {
    const job::JobImages images = noiseImages({kFirst, kLarge, kSecond});
    const Job job = with(&Job::audit, job::Audit::On, &Job::minScore, 0.9);
    const job::JobReport report = job::runJob(job, images).report;
    const Json json = Json::parse(job::toJson(report));
    QCOMPARE(json["templates"].size(), std::size_t{3});
    QVERIFY((json["templates"][1]["extents"] == Json{21, 17, 1}));
    QCOMPARE(json["templates"][2]["number"].get<int>(), 2);
    QVERIFY(json["map"].is_null() && json["chosen"].is_null() && json["candidates"].empty());
    QCOMPARE(json["audit"]["verdict"].get<std::string>(), std::string("passed"));
    QCOMPARE(json["groups"].size(), std::size_t{2});
    QVERIFY((json["groups"][0]["templates"] == Json{0, 2}));
    QVERIFY((json["groups"][1]["templates"] == Json{1}));
    QCOMPARE(json["groups"][0]["problem"]["templates"].get<int>(), 2);
    QVERIFY((json["groups"][1]["problem"]["template"] == Json{21, 17, 1}));
    double medians = 0;
    for (const Json& group : json["groups"]) {
        QVERIFY(group["chosen"] == group["candidates"][0]);
        QVERIFY(group["map"]["max"].get<double>() > 0.99);
        QCOMPARE(group["audit"]["verdict"].get<std::string>(), std::string("passed"));
        medians += group["run"]["execute_ms"]["median"].get<double>();
    }
    QVERIFY(std::abs(json["run"]["execute_ms"]["median"].get<double>() - medians) < 1e-9);
    QCOMPARE(json["inputs"].size(), std::size_t{4});
    const std::string text = job::toText(report);
    for (const char* part : {"Templates 3", "1: 21x17 uint8", "Templates 0, 2 of 12x10x1 voxels",
                             "Templates 1 of 21x17x1 voxels"}) {
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
    QVERIFY(job::toSummary(report).find("template") != std::string::npos);
    // One group keeps the report of a single template, with the list of its templates beside.
    const Json one = Json::parse(job::toJson(job::planJob({}, noiseImages({kFirst, kSecond}))));
    QVERIFY(one["groups"].empty() && one["chosen"].is_object());
    QCOMPARE(one["problem"]["templates"].get<int>(), 2);
    QCOMPARE(one["templates"].size(), std::size_t{2});
}

void JobBanksTest::aReportOfGroupsIsReplayed() {
    const test::Folder folder;
    const job::JobImages images = noiseImages({kFirst, kLarge});
    Job job = with(&Job::report, folder.path("report.json"));
    const job::JobReport first = job::planJob(job, images);
    Job again = with(&Job::planReport, job.report);
    const job::JobReport second = job::planJob(again, images);
    for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY(first.groups[i].plan.chosen()->candidate ==
                second.groups[i].plan.chosen()->candidate);
    }
    const test::Thrown thrown = test::thrownBy([&] {
        (void)job::planJob(again, noiseImages({kFirst, {{3, 4, 0}, {5, 6, 1}}}));
    });
    QCOMPARE(thrown.code, ErrorCode::Input);
    QVERIFY2(thrown.sentence.find("5x6x1") != std::string::npos, thrown.sentence.c_str());
}

void JobBanksTest::aMaskIsForAllOrForOne() {
    job::JobImages images = noiseImages({kFirst, kSecond});
    const auto runOf = [&] {
        return job::runJob(with(&Job::audit, job::Audit::On, &Job::minScore, 0.3), images);
    };
    images.masks = {maskOf(kFirst.extents, 4)};
    job::JobResult result = runOf();
    QVERIFY(result.report.plan.problem.mask);
    QCOMPARE(result.report.audit->verdict, job::AuditVerdict::Passed);
    QCOMPARE(result.report.templates[1].support, std::int64_t{80});
    QVERIFY(result.masks[0] == images.masks[0] && result.masks[1] == images.masks[0]);
    QCOMPARE(result.report.inputs.size(), std::size_t{4}); // the mask once
    // One a template; one of them none.
    images.masks = {nullptr, maskOf(kFirst.extents, 6)};
    result = runOf();
    QCOMPARE(result.report.audit->verdict, job::AuditVerdict::Passed);
    QCOMPARE(result.report.templates[0].support, std::int64_t{120});
    QCOMPARE(result.report.templates[1].support, std::int64_t{60});
    QVERIFY(!result.report.templates[0].masked && result.report.templates[1].masked);
    QVERIFY(result.peaks.size() > 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const match::Peak& peak = result.peaks[i];
        QVERIFY(peak.corner == (peak.templ == 0 ? kFirst.corner : kSecond.corner));
        QVERIFY(peak.score > 1 - 1e-12);
    }
}

void JobBanksTest::masksThatDoNotFitAreRefused() {
    const test::Folder folder;
    Job job;
    job.masks = {"a.mha", "b.mha", "c.mha"};
    const job::JobImages images = noiseImages({kFirst, kSecond});
    test::Thrown thrown = test::thrownBy([&] { (void)job::planJob(job, images); });
    QCOMPARE(thrown.code, ErrorCode::CommandLine);
    QVERIFY2(thrown.sentence.find("3 masks for 2 templates") != std::string::npos,
             thrown.sentence.c_str());
    job::JobImages masked = noiseImages({kFirst, kLarge});
    masked.masks = {maskOf(kFirst.extents, 4)}; // for all, whose extents differ
    thrown = test::thrownBy([&] { (void)job::planJob({}, masked); });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    QVERIFY2(thrown.sentence.find("21x17x1") != std::string::npos, thrown.sentence.c_str());
    Job out;
    out.templateOut = folder.path("t.mha");
    thrown = test::thrownBy([&] { (void)job::runJob(out, images); });
    QCOMPARE(thrown.code, ErrorCode::CommandLine);
    QVERIFY(thrown.sentence.find("--template-out") != std::string::npos);
}

void JobBanksTest::templatesOfDifferentTypesAreMatched() {
    job::JobImages images = noiseImages({kFirst, kSecond});
    const job::JobResult bytes = job::runJob(with(&Job::minScore, 0.2), images);
    auto floats = std::make_shared<job::SceneImage>();
    floats->source = "floats";
    base::Image<float> pixels(kSecond.extents);
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        pixels.data()[i] = static_cast<float>(
            base::valueAt(base::viewOf(images.templates[1]->pixels), {i % 12, i / 12, 0}));
    }
    floats->pixels = std::move(pixels);
    images.templates[1] = floats;
    const job::JobResult mixed =
        job::runJob(with(&Job::audit, job::Audit::On, &Job::minScore, 0.2), images);
    QCOMPARE(mixed.report.plan.problem.templPixel, PixelType::Float32);
    QCOMPARE(mixed.report.templates[0].type, PixelType::UInt8); // as it was given
    QCOMPARE(mixed.report.audit->verdict, job::AuditVerdict::Passed);
    const QString wrong = difference(mixed.peaks, bytes.peaks);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    // What no type holds beside the others is refused, not rounded.
    auto wide = std::make_shared<job::SceneImage>();
    base::Image<std::int64_t> numbers(kSecond.extents, 3);
    numbers.data()[5] = (std::int64_t{1} << 53) + 1;
    wide->pixels = std::move(numbers);
    images.templates[1] = wide;
    const test::Thrown thrown = test::thrownBy([&] { (void)job::planJob({}, images); });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    QVERIFY2(thrown.sentence.find("9007199254740993") != std::string::npos,
             thrown.sentence.c_str());
}

void JobBanksTest::signsChangeForAll() {
    const job::JobImages images = noiseImages({kFirst, kSecond});
    const Job job = with(&Job::invert, true, &Job::method, "direct");
    const job::JobResult inverted = job::runJob(job, images);
    QVERIFY(inverted.map->value.view().at(kFirst.corner) < 0.9F);
    for (std::size_t i = 0; i < 2; ++i) {
        const job::JobResult one = alone(images, i, job);
        QVERIFY(one.map->value.view().at(i == 0 ? kFirst.corner : kSecond.corner) < -0.999F);
        QVERIFY(inverted.templates[i] == images.templates[i]);
    }
}

void JobBanksTest::cropsComeBeforeFiles() {
    const test::Folder folder;
    const job::JobImages images = noiseImages({kFirst, kSecond});
    (void)io::writeImage(folder.path("scene.mha"), base::viewOf(images.scene->pixels), {});
    (void)io::writeImage(folder.path("second.mha"), base::viewOf(images.templates[1]->pixels), {});
    Job job;
    job.scene = folder.path("scene.mha");
    job.crops = {kFirst, {{90, 70, 0}, kFirst.extents}};
    job.templates = {folder.path("second.mha")};
    job.minScore = 0.9;
    const job::JobResult result = job::runJob(job);
    QCOMPARE(result.peaks.size(), std::size_t{3});
    for (const match::Peak& peak : result.peaks) {
        const std::array corners{kFirst.corner, base::Index{90, 70, 0}, kSecond.corner};
        QVERIFY(peak.corner == corners[static_cast<std::size_t>(peak.templ)]);
    }
    QCOMPARE(result.report.inputs[3].path, job.templates[0].string());
    QCOMPARE(result.report.inputs[3].sha256.size(), std::size_t{64});
}

void JobBanksTest::whatIsWrongNamesItsTemplate() {
    job::JobImages images = noiseImages({kFirst, kSecond});
    auto flat = std::make_shared<job::SceneImage>();
    flat->pixels = base::Image<std::uint8_t>(kFirst.extents, 9);
    flat->source = "grey.mha";
    images.templates.push_back(flat);
    test::Thrown thrown = test::thrownBy([&] { (void)job::planJob({}, images); });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    QVERIFY2(thrown.sentence.find("template 2 (grey.mha)") != std::string::npos,
             thrown.sentence.c_str());
    QVERIFY(thrown.sentence.find("constant") != std::string::npos);
    images.templates.clear();
    thrown = test::thrownBy([&] { (void)job::planJob({}, images); });
    QCOMPARE(thrown.code, ErrorCode::CommandLine);
    QVERIFY(thrown.sentence.find("no template") != std::string::npos);
}

void JobBanksTest::theAuditSeesTheBestOfTheTemplates() {
    const job::JobImages images = noiseImages({kFirst, kSecond});
    const job::JobResult result =
        job::runJob(with(&Job::method, "direct", &Job::minScore, 0.25), images);
    const std::vector<base::Index> none;
    const auto verdictOf = [&](const method::MatchMap& map, const base::Image<std::int32_t>& index,
                               const std::vector<match::Peak>& peaks) {
        return job::detail::audit({.scene = base::viewOf(images.scene->pixels),
                                   .templates = {base::viewOf(images.templates[0]->pixels),
                                                 base::viewOf(images.templates[1]->pixels)},
                                   .problem = result.report.plan.problem,
                                   .map = &map,
                                   .index = index.view(),
                                   .facts = result.report.map->facts,
                                   .peaks = peaks,
                                   .lowest = none})
            .verdict;
    };
    QCOMPARE(verdictOf(*result.map, *result.index, result.peaks), job::AuditVerdict::Passed);
    // The map of one template alone is not that of the best.
    const job::JobResult first = alone(images, 0, with(&Job::method, "direct"));
    const base::Image<std::int32_t> zeros(result.index->extents(), 0);
    QCOMPARE(verdictOf(*first.map, zeros, {}), job::AuditVerdict::Failed);
    // A right map whose index names the wrong templates.
    base::Image<std::int32_t> wrong(result.index->extents());
    std::transform(result.index->data(), result.index->data() + wrong.count(), wrong.data(),
                   [](std::int32_t index) { return 1 - index; });
    QCOMPARE(verdictOf(*result.map, wrong, {}), job::AuditVerdict::Failed);
    // A peak that names the wrong one.
    std::vector<match::Peak> peaks = result.peaks;
    peaks.back().templ = 1 - peaks.back().templ;
    QCOMPARE(verdictOf(*result.map, *result.index, peaks), job::AuditVerdict::Failed);
}

void JobBanksTest::aRegionKeepsTheList() {
    const job::JobImages images = noiseImages({kFirst, kLarge, kSecond});
    const Job whole = with(&Job::minScore, 0.9);
    Job part = whole;
    part.region = base::Box{{15, 11, 0}, {80, 60, 1}};
    const job::JobResult a = job::runJob(whole, images);
    const job::JobResult b = job::runJob(part, images);
    QCOMPARE(a.peaks.size(), std::size_t{3});
    const QString wrong = difference(a.peaks, b.peaks, false); // nothing beyond a region is seen
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void JobBanksTest::mapsOfAllGroupsCountAgainstTheMemory() {
    const job::JobImages images = noiseImages({kFirst, kLarge});
    Job job =
        with(&Job::method, "direct", &Job::threads, 1, &Job::planning, plan::Planning::Estimate);
    job.tile = {64, 64, 1}; // otherwise smaller tiles would fit
    std::int64_t largest = 0;
    for (const auto groups = job::planJob(job, images).groups; const auto& group : groups) {
        largest = std::max(largest, group.plan.chosen()->prediction->hostBytes);
    }
    job.memoryBytes = largest + 1000; // enough for each of them alone
    const auto run = [&] { (void)job::runJob(job, images); };
    QVERIFY(test::thrownBy(run).sentence.find(base::bytesText(largest + 1000)) < 30);
    job.memoryBytes += largest;
    run();
}

void JobBanksTest::outputsAreWritten() {
    const test::Folder folder;
    const job::JobImages images = noiseImages({kFirst, kSecond});
    Job job = test::withOutputs({}, folder);
    job.templateOut.clear();
    job.index = folder.path("index.nrrd");
    job.minScore = 0.9;
    const job::JobResult result = job::runJob(job, images);
    QVERIFY((folder.names() == std::vector<std::string>{"heatmap.png", "index.nrrd", "map.mha",
                                                        "peaks.csv", "report.json", "status.mha"}));
    const auto index = job::loadImage(job.index, {}, {});
    QCOMPARE(base::pixelType(index->pixels), PixelType::Int32);
    QCOMPARE(base::valueAt(base::viewOf(index->pixels), kSecond.corner), 1.0);
    const std::string peaks = test::bytesOf(job.peaks);
    QVERIFY(peaks.find("# template 0: memory [20 30 0:12 10 1] (12x10x1 voxels)\n") !=
            std::string::npos);
    QVERIFY(peaks.find("# template 1: memory [81 47 0:12 10 1] (12x10x1 voxels)\n") !=
            std::string::npos);
    job.index = job.map;
    QCOMPARE(test::thrownBy([&] { (void)job::runJob(job, images); }).code, ErrorCode::CommandLine);
}

const flcc::test::TestClass<JobBanksTest> kJobBanksTest;
#include "banks_test.moc"
