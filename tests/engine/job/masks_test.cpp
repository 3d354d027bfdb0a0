#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include "engine/io/image_file.h"
#include "engine/job/steps/audit.h"
#include "engine/method/canonical.h"
#include "engine/reference/lcc.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using base::Status;
using job::Job;
using method::Extent;
using method::Outside;
using Json = nlohmann::json;

namespace {

constexpr base::Extents kScene{70, 60, 1};
constexpr base::Box kCut{{30, 20, 0}, {12, 10, 1}};

/// A mask of `extents` voxels, made of `type`: 0 outside an ellipse.
template <class T> job::SceneImage ellipse(const base::Extents& extents, T inside) {
    base::Image<T> image(extents, T{});
    for (std::int64_t y = 0; y < extents.y; ++y) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const double dx = (2.0 * static_cast<double>(x) + 1) / static_cast<double>(extents.x);
            const double dy = (2.0 * static_cast<double>(y) + 1) / static_cast<double>(extents.y);
            image.view().at(x, y, 0) = std::hypot(dx - 1, dy - 1) < 1 ? inside : T{};
        }
    }
    job::SceneImage made;
    made.pixels = std::move(image);
    made.source = "memory:ellipse";
    return made;
}

job::JobImages noiseImages() {
    base::AnyImage scene = test::noise(PixelType::Float32, kScene, 21);
    base::AnyImage templ = test::crop(scene, kCut);
    base::Geometry geometry;
    geometry.spacing = {0.5, 2, 1};
    geometry.origin = {100, -50, 0};
    return test::imagesOf(std::move(scene), std::move(templ), geometry);
}

void verifyAudited(const job::JobResult& result) {
    QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
             result.report.audit->reason.c_str());
}

} // namespace

class JobMasksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void scoresAreThoseOfTheDefinition_data();
    void scoresAreThoseOfTheDefinition();
    void peaksBeyondTheEdgeComeOnRequest();
    void aMaskOfAnyTypeIsRead_data();
    void aMaskOfAnyTypeIsRead();
    void whatIsNoMaskIsRefused();
    void aMaskOfOnesIsNone();
    void aCropMayHaveAMask();
    void aRegionKeepsThePanelInside();
    void theReportNamesMasksAndEdges();
    void theAuditJudgesWhatLeavesTheScene();
};

void JobMasksTest::scoresAreThoseOfTheDefinition_data() {
    QTest::addColumn<Extent>("extent");
    QTest::addColumn<Outside>("outside");
    QTest::addColumn<bool>("mask");
    QTest::addColumn<bool>("sceneMask");
    QTest::newRow("mask") << Extent::Valid << Outside::Zero << true << false;
    QTest::newRow("same, zero") << Extent::Same << Outside::Zero << false << false;
    QTest::newRow("full, eibl, mask") << Extent::Full << Outside::Eibl << true << false;
    QTest::newRow("full, overlap") << Extent::Full << Outside::Overlap << false << false;
    QTest::newRow("scene mask") << Extent::Valid << Outside::Overlap << false << true;
    QTest::newRow("all") << Extent::Same << Outside::Overlap << true << true;
}

void JobMasksTest::scoresAreThoseOfTheDefinition() {
    QFETCH(Extent, extent);
    QFETCH(Outside, outside);
    QFETCH(bool, mask);
    QFETCH(bool, sceneMask);
    job::JobImages images = noiseImages();
    if (mask) {
        images.masks = {job::maskOf(ellipse<std::uint8_t>(kCut.extents, 255))};
    }
    if (sceneMask) {
        images.sceneMask = job::maskOf(ellipse<std::uint8_t>(kScene, 1));
    }
    Job job;
    job.extent = extent;
    job.outside = outside;
    job.minOverlap = 0.25;
    job.audit = job::Audit::On;
    const job::JobResult result = job::runJob(job, images);
    verifyAudited(result);
    method::MaskedView scene(base::viewOf(images.scene->pixels));
    method::MaskedView templ(base::viewOf(images.templates[0]->pixels));
    if (mask) {
        templ.mask = images.masks[0]->support.view();
    }
    if (sceneMask) {
        scene.mask = images.sceneMask->support.view();
    }
    const reference::ScoreMap truth = reference::Lcc(templ, outside, 0.25).map(scene, extent);
    const method::MatchMap& map = *result.map;
    QVERIFY(map.value.extents() == truth.value.extents());
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        const Status status = map.status.data()[i];
        QVERIFY2(status == truth.status.data()[i],
                 qPrintable(QString("voxel %1: %2").arg(i).arg(static_cast<int>(status))));
        const double error =
            std::abs(static_cast<double>(map.value.data()[i]) - truth.value.data()[i]);
        QVERIFY2(error <= job.promise + method::canonicalBound(120),
                 qPrintable(QString::number(i)));
    }
    // Voxel 0 lies on the centre of the first placement, wherever that is.
    const base::Index first = method::firstPlacement(result.report.plan.problem);
    QVERIFY(result.mapCorner == first);
    QCOMPARE(result.mapGeometry.origin[0], 100 + 0.5 * (static_cast<double>(first.x) + 5.5));
    QCOMPARE(result.mapGeometry.origin[1], -50 + 2 * (static_cast<double>(first.y) + 4.5));
    QVERIFY(!result.peaks.empty());
    QVERIFY(result.peaks.front().corner == kCut.corner);
    QVERIFY(std::abs(result.peaks.front().score - 1) < 1e-12);
}

void JobMasksTest::peaksBeyondTheEdgeComeOnRequest() {
    // The template is that at the corner of the scene and something to the left of it.
    base::AnyImage scene = test::noise(PixelType::Float32, kScene, 22);
    base::AnyImage wide = test::noise(PixelType::Float32, {12, 10, 1}, 23);
    const auto& pixels = std::get<base::Image<float>>(scene);
    auto& templ = std::get<base::Image<float>>(wide);
    for (std::int64_t y = 0; y < 10; ++y) {
        for (std::int64_t x = 4; x < 12; ++x) {
            templ.view().at(x, y, 0) = pixels.view().at(x - 4, y + 7, 0);
        }
    }
    const job::JobImages images = test::imagesOf(std::move(scene), std::move(wide));
    Job job;
    job.extent = Extent::Full;
    job.outside = Outside::Overlap;
    job.minScore = 0.95;
    QVERIFY(job::runJob(job, images).peaks.empty());
    job.partialPeaks = true;
    const job::JobResult result = job::runJob(job, images);
    QCOMPARE(result.peaks.size(), std::size_t{1});
    QVERIFY((result.peaks.front().corner == base::Index{-4, 7, 0}));
    QVERIFY(result.peaks.front().status == Status::Partial);
    QVERIFY(std::abs(result.peaks.front().centre[0] - 1.5) <= 0.5);
    QVERIFY(result.report.map->facts.statusCounts[static_cast<std::size_t>(Status::Partial)] > 0);
}

void JobMasksTest::aMaskOfAnyTypeIsRead_data() {
    QTest::addColumn<QString>("type");
    for (const char* type : {"uint8", "int16", "float32", "float64"}) {
        QTest::newRow(type) << type;
    }
}

void JobMasksTest::aMaskOfAnyTypeIsRead() {
    QFETCH(QString, type);
    const test::Folder folder;
    job::SceneImage image = type == "uint8"     ? ellipse<std::uint8_t>(kCut.extents, 200)
                            : type == "int16"   ? ellipse<std::int16_t>(kCut.extents, -3)
                            : type == "float32" ? ellipse<float>(kCut.extents, 1e-30F)
                                                : ellipse<double>(kCut.extents, 1e300);
    Job job;
    job.masks = {folder.path("mask.mha")};
    (void)io::writeImage(job.masks[0], base::viewOf(image.pixels), {});
    const job::JobReport report = job::planJob(job, noiseImages());
    QVERIFY(report.plan.problem.mask);
    const auto expected = job::maskOf(ellipse<std::uint8_t>(kCut.extents, 1));
    const auto* first = expected->support.data();
    QCOMPARE(report.templates[0].support, std::int64_t{std::count(first, first + 120, 1)});
    QCOMPARE(report.inputs.size(), std::size_t{3});
    QCOMPARE(report.inputs[2].role, std::string("mask"));
    QCOMPARE(report.inputs[2].path, job.masks[0].string());
    QCOMPARE(report.inputs[2].sha256.size(), std::size_t{64});
}

void JobMasksTest::whatIsNoMaskIsRefused() {
    const test::Folder folder;
    Job job;
    job.masks = {folder.path("mask.mha")};
    const auto thrown = [&](const job::SceneImage& image) {
        (void)io::writeImage(job.masks[0], base::viewOf(image.pixels), {});
        return test::thrownBy([&] { (void)job::planJob(job, noiseImages()); });
    };
    const test::Thrown other = thrown(ellipse<std::uint8_t>({12, 11, 1}, 1));
    QCOMPARE(other.code, ErrorCode::Problem);
    QVERIFY2(other.sentence.find("12x11x1") != std::string::npos &&
                 other.sentence.find("12x10x1") != std::string::npos,
             other.sentence.c_str());
    const test::Thrown empty = thrown(ellipse<std::uint8_t>(kCut.extents, 0));
    QCOMPARE(empty.code, ErrorCode::Problem);
    job::SceneImage nan = ellipse<float>(kCut.extents, 1);
    std::get<base::Image<float>>(nan.pixels).view().at(3, 2, 0) =
        std::numeric_limits<float>::quiet_NaN();
    const test::Thrown hole = thrown(nan);
    QCOMPARE(hole.code, ErrorCode::Problem);
    QVERIFY2(hole.sentence.find("NaN at voxel 3,2,0") != std::string::npos, hole.sentence.c_str());
    job::SceneImage single = ellipse<float>(kCut.extents, 0);
    std::get<base::Image<float>>(single.pixels).view().at(3, 2, 0) = 1;
    QCOMPARE(thrown(single).code, ErrorCode::Problem); // a template of one voxel
    job.masks = {folder.path("none.mha")};
    QCOMPARE(test::thrownBy([&] { (void)job::planJob(job, noiseImages()); }).code,
             ErrorCode::Input);
    job.masks.clear();
    job.sceneMask = folder.path("scene.mha");
    (void)io::writeImage(job.sceneMask, base::viewOf(ellipse<std::uint8_t>({70, 59, 1}, 1).pixels),
                         {});
    const test::Thrown scene = test::thrownBy([&] { (void)job::planJob(job, noiseImages()); });
    QCOMPARE(scene.code, ErrorCode::Problem);
    QVERIFY2(scene.sentence.find("70x59x1") != std::string::npos &&
                 scene.sentence.find("70x60x1") != std::string::npos,
             scene.sentence.c_str());
}

void JobMasksTest::aMaskOfOnesIsNone() {
    job::JobImages images = noiseImages();
    Job job;
    job.method = "direct";
    job.planning = plan::Planning::Estimate;
    const job::JobResult plain = job::runJob(job, images);
    job::SceneImage ones;
    ones.pixels = base::Image<float>(kCut.extents, 7.0F);
    images.masks = {job::maskOf(ones)};
    const job::JobResult masked = job::runJob(job, images);
    QVERIFY(!masked.report.plan.problem.mask);
    const float* value = plain.map->value.data();
    QVERIFY(std::equal(value, value + plain.map->value.count(), masked.map->value.data()));
    QCOMPARE(masked.report.inputs.size(), std::size_t{3});
}

void JobMasksTest::aCropMayHaveAMask() {
    job::JobImages images = noiseImages();
    images.templates.clear();
    images.masks = {job::maskOf(ellipse<std::uint8_t>(kCut.extents, 1))};
    Job job;
    job.crops = {kCut};
    QVERIFY(job::planJob(job, images).plan.problem.mask);
    job.crops[0].extents.x = 11;
    QCOMPARE(test::thrownBy([&] { (void)job::planJob(job, images); }).code, ErrorCode::Problem);
}

void JobMasksTest::aRegionKeepsThePanelInside() {
    job::JobImages images = noiseImages();
    Job job;
    job.region = base::Box{{5, 5, 0}, {50, 40, 1}};
    for (const Extent extent : {Extent::Same, Extent::Full}) {
        job.extent = extent;
        const test::Thrown thrown = test::thrownBy([&] { (void)job::planJob(job, images); });
        QCOMPARE(thrown.code, ErrorCode::CommandLine);
        QVERIFY(thrown.sentence.find("--region") != std::string::npos);
    }
    // A scene mask that has its zeros outside the region is none there.
    job.extent = Extent::Valid;
    base::Image<std::uint8_t> ones(kScene, std::uint8_t{1});
    ones.view().at(69, 59, 0) = 0;
    job::SceneImage mask;
    mask.pixels = std::move(ones);
    images.sceneMask = job::maskOf(mask);
    QVERIFY(!job::planJob(job, images).plan.problem.sceneMask);
    job.region.reset();
    QVERIFY(job::planJob(job, images).plan.problem.sceneMask);
}

void JobMasksTest::theReportNamesMasksAndEdges() {
    job::JobImages images = noiseImages();
    images.masks = {job::maskOf(ellipse<std::uint8_t>(kCut.extents, 1))};
    images.sceneMask = job::maskOf(ellipse<std::uint8_t>(kScene, 1));
    Job job;
    job.extent = Extent::Full;
    job.outside = Outside::Overlap;
    job.minOverlap = 0.75;
    job.statistics = method::WindowStatistics::Fourier;
    job.partialPeaks = true;
    const job::JobReport report = job::planJob(job, images);
    const Json problem = Json::parse(job::toJson(report))["problem"];
    QCOMPARE(problem["extent"].get<std::string>(), std::string("full"));
    QCOMPARE(problem["outside"].get<std::string>(), std::string("overlap"));
    QCOMPARE(problem["min_overlap"].get<double>(), 0.75);
    QCOMPARE(problem["statistics"].get<std::string>(), std::string("fourier"));
    QVERIFY(problem["mask"].get<bool>() && problem["scene_mask"].get<bool>());
    QVERIFY(problem["partial_peaks"].get<bool>());
    QCOMPARE(problem["support"].get<std::int64_t>(), report.templates[0].support);
    QVERIFY(report.templates[0].support > 0 && report.templates[0].support < 120);
    const std::string text = job::toText(report);
    for (const std::string& part :
         {"masked: " + std::to_string(report.templates[0].support) + " voxels",
          std::string("extent full"), std::string("outside overlap of at least 0.75"),
          std::string("statistics fourier"), std::string("mask: memory:ellipse")}) {
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
}

void JobMasksTest::theAuditJudgesWhatLeavesTheScene() {
    const job::JobImages images = noiseImages();
    const method::MaskedView scene(base::viewOf(images.scene->pixels));
    const method::MaskedView templ(base::viewOf(images.templates[0]->pixels));
    method::Problem problem;
    problem.scene = kScene;
    problem.templ = kCut.extents;
    problem.extent = Extent::Full;
    problem.outside = Outside::Overlap;
    const reference::ScoreMap truth =
        reference::Lcc(templ, Outside::Overlap).map(scene, Extent::Full);
    method::MatchMap map(truth.value.extents());
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        map.value.data()[i] = static_cast<float>(truth.value.data()[i]);
        map.status.data()[i] = truth.status.data()[i];
    }
    method::MapFacts facts;
    facts.largestBound = 1e-7;
    match::Peak peak;
    peak.score = truth.value.view().at(30 + 11, 20 + 9, 0);
    peak.bound = 1e-13;
    peak.corner = kCut.corner;
    const std::vector<base::Index> lowest{{0, 0, 0}, {58, 50, 0}};
    const auto audit = [&](const std::vector<match::Peak>& peaks) {
        return job::detail::audit({.scene = scene,
                                   .templates = {templ},
                                   .problem = problem,
                                   .map = &map,
                                   .facts = facts,
                                   .peaks = peaks,
                                   .lowest = lowest});
    };
    const job::AuditReport honest = audit({peak});
    QVERIFY2(honest.verdict == job::AuditVerdict::Passed, honest.reason.c_str());
    // What is off by one voxel is noticed: positions count from the first placement.
    match::Peak moved = peak;
    moved.corner.x += 1;
    QCOMPARE(audit({moved}).verdict, job::AuditVerdict::Failed);
    for (std::int64_t i = 0; i < map.status.count(); ++i) {
        if (map.status.data()[i] == Status::Partial) {
            map.status.data()[i] = Status::Ok;
        }
    }
    const job::AuditReport unmarked = audit({peak});
    QCOMPARE(unmarked.verdict, job::AuditVerdict::Failed);
    QVERIFY2(unmarked.reason.find("PARTIAL") != std::string::npos, unmarked.reason.c_str());
}

const flcc::test::TestClass<JobMasksTest> kJobMasksTest;
#include "masks_test.moc"
