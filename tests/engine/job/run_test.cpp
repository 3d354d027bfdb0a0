#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>

#include "engine/sample/sample.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/comparison.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using job::Job;

namespace {

/// Writes down what a job tells.
class Recorder : public job::JobSink {
  public:
    std::vector<job::Phase> phases;
    std::vector<double> shares; // of the phase under way
    bool fellBack = false;
    int plans = 0;
    std::int64_t voxels = 0;
    std::shared_ptr<const method::MatchMap> map;

    void phase(job::Phase phase) override {
        phases.push_back(phase);
        shares.clear();
    }
    void progress(double share) override {
        fellBack = fellBack || share < 0 || share > 1 || (!shares.empty() && share < shares.back());
        shares.push_back(share);
    }
    void planned(const plan::PlanReport& report) override {
        plans += report.chosen() != nullptr ? 1 : 0;
    }
    void mapStarted(std::shared_ptr<const method::MatchMap> started) override {
        map = std::move(started);
    }
    void regionFinished(const base::Box& box) override { voxels += base::voxelCount(box.extents); }
};

job::JobImages noiseImages(PixelType type, const base::Extents& scene, const base::Extents& templ) {
    base::AnyImage image = test::noise(type, scene, 5);
    base::AnyImage cut = test::crop(image, {{3, 2, 0}, templ});
    return test::imagesOf(std::move(image), std::move(cut));
}

double distance(const base::Point& a, const base::Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

} // namespace

class JobRunTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void boxesOfNoPeakLeaveNoOlderFile() {
        const test::Folder folder;
        job::Job job;
        job.minScore = 0.999999;
        job.exports.stack = folder.path("stack.mha");
        job.exports.average = folder.path("mean.mha");
        job.exports.averageVariance = folder.path("variance.mha");
        job.peaks = folder.path("peaks.csv");
        std::ofstream(job.exports.stack) << "of an earlier run";
        std::ofstream(job.exports.average) << "of an earlier run";
        const job::JobResult result =
            job::runJob(job, test::imagesOf(test::noise(PixelType::UInt8, {40, 30, 1}, 5),
                                            test::noise(PixelType::UInt8, {9, 8, 1}, 6)));
        QVERIFY(result.peaks.empty());
        QVERIFY(std::filesystem::exists(job.peaks));
        for (const auto& file :
             {job.exports.stack, job.exports.average, job.exports.averageVariance}) {
            QVERIFY(!std::filesystem::exists(file));
        }
        QCOMPARE(std::ranges::count_if(result.notes,
                                       [](const std::string& note) {
                                           return note.find("is not written: no peak") !=
                                                  std::string::npos;
                                       }),
                 3);
    }

    void theBestPeaksOfTheSamplesAreThePlantedOnes_data();
    void theBestPeaksOfTheSamplesAreThePlantedOnes();
    void phasesProgressAndRegionsAreReported();
    void theMapLiesOnTheCentresOfThePlacements();
    void anInvertedTemplateChangesTheSign_data();
    void anInvertedTemplateChangesTheSign();
    void aCropIsTheTemplate();
    void everyMethodGivesTheSameListOfPeaks();
    void repeatsGiveASpreadOfTimes();
    void theRunSaysWhatItCost();
    void impossibleProblemsAreSentences();
    void aMemoryLimitThatIsTooSmallIsAnError();
    void aPlanSaysWhyNothingFits();
    void aPlanRunsNothing();
    void aDeviceThatIsNotThereIsAnError();
};

void JobRunTest::theBestPeaksOfTheSamplesAreThePlantedOnes_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("meanError");
    QTest::newRow("cells") << "cells" << 0.2;
    QTest::newRow("tomogram") << "tomogram" << 0.5;
    QTest::newRow("tiny") << "tiny" << 0.5;
}

void JobRunTest::theBestPeaksOfTheSamplesAreThePlantedOnes() {
    QFETCH(QString, name);
    QFETCH(double, meanError);
    const sample::Sample truth = sample::makeSample(name.toStdString());
    Job job;
    job.minScore = 0.2;
    const job::JobResult result = job::runJob(job, job::sampleImages(name.toStdString()));
    QVERIFY(result.peaks.size() >= truth.centres.size());
    std::vector<bool> found(truth.centres.size());
    double sum = 0;
    for (std::size_t rank = 0; rank < truth.centres.size(); ++rank) {
        const match::Peak& peak = result.peaks[rank];
        std::size_t nearest = 0;
        for (std::size_t i = 1; i < truth.centres.size(); ++i) {
            if (distance(peak.centre, truth.centres[i]) <
                distance(peak.centre, truth.centres[nearest])) {
                nearest = i;
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            QVERIFY2(std::abs(peak.centre[axis] - truth.centres[nearest][axis]) <= 0.5,
                     qPrintable(QString("rank %1 is no planted copy").arg(rank + 1)));
        }
        QVERIFY2(!found[nearest], "one copy is listed twice");
        found[nearest] = true;
        sum += distance(peak.centre, truth.centres[nearest]);
    }
    QVERIFY2(sum / static_cast<double>(found.size()) < meanError,
             qPrintable(QString::number(sum / static_cast<double>(found.size()))));
}

void JobRunTest::phasesProgressAndRegionsAreReported() {
    Recorder recorder;
    Job job;
    job.repeat = 2;
    const job::JobResult result =
        job::runJob(job, noiseImages(PixelType::UInt8, {200, 150, 1}, {9, 7, 1}), {}, &recorder);
    QVERIFY(!result.cancelled);
    QVERIFY((recorder.phases == std::vector<job::Phase>{job::Phase::Read, job::Phase::Plan,
                                                        job::Phase::Run, job::Phase::Peaks,
                                                        job::Phase::Write}));
    QVERIFY(!recorder.fellBack);
    QCOMPARE(recorder.shares.back(), 1.0);
    QCOMPARE(recorder.plans, 1);
    QVERIFY(recorder.map == result.map);
    // Every voxel once, although the run was repeated.
    QCOMPARE(recorder.voxels, std::int64_t{192 * 144});
}

void JobRunTest::theMapLiesOnTheCentresOfThePlacements() {
    base::Geometry geometry;
    geometry.origin = {10, 20, 30};
    geometry.spacing = {0.5, 2, 3};
    geometry.unit = "mm";
    base::AnyImage scene = test::noise(PixelType::Float32, {30, 20, 6}, 5);
    base::AnyImage templ = test::crop(scene, {{3, 2, 1}, {5, 4, 3}});
    const job::JobResult result =
        job::runJob({}, test::imagesOf(std::move(scene), std::move(templ), geometry));
    QCOMPARE(result.mapGeometry.origin, (base::Point{10 + 2 * 0.5, 20 + 1.5 * 2, 30 + 1 * 3}));
    QCOMPARE(result.mapGeometry.spacing, geometry.spacing);
    QCOMPARE(result.mapGeometry.unit, std::string("mm"));
    const match::Peak& best = result.peaks.front();
    QVERIFY((best.corner == base::Index{3, 2, 1}));
    QCOMPARE(best.world, base::toWorld(geometry, best.centre));
}

void JobRunTest::anInvertedTemplateChangesTheSign_data() {
    QTest::addColumn<base::PixelType>("type");
    for (const PixelType type :
         {PixelType::UInt8, PixelType::Int8, PixelType::UInt16, PixelType::Int16, PixelType::UInt32,
          PixelType::Int32, PixelType::UInt64, PixelType::Int64, PixelType::Float32,
          PixelType::Float64}) {
        QTest::newRow(std::string(base::name(type)).c_str()) << type;
    }
}

void JobRunTest::anInvertedTemplateChangesTheSign() {
    QFETCH(base::PixelType, type);
    base::AnyImage scene = test::noise(type, {40, 30, 1}, 3);
    base::AnyImage templ = test::crop(scene, {{10, 12, 0}, {6, 5, 1}});
    if (type == PixelType::Int8 || type == PixelType::UInt8) {
        // The ends of the range have no negative of their own type.
        test::setVoxel(templ, {0, 0, 0}, type == PixelType::Int8 ? -128 : 0);
        test::setVoxel(templ, {1, 0, 0}, type == PixelType::Int8 ? 127 : 255);
    }
    const job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
    Job job;
    job.minScore = -1;
    job.method = "direct";
    const job::JobResult plain = job::runJob(job, images);
    job.invert = true;
    const job::JobResult inverted = job::runJob(job, images);
    const double bound =
        plain.report.map->facts.largestBound + inverted.report.map->facts.largestBound;
    QVERIFY(bound < 1e-4);
    for (std::int64_t i = 0; i < plain.map->value.count(); ++i) {
        QVERIFY(std::abs(plain.map->value.data()[i] + inverted.map->value.data()[i]) <= bound);
    }
    QVERIFY(plain.report.map->statistics.maximum > 0.5);
    // What is kept and written is the template as it was.
    QCOMPARE(base::valueAt(base::viewOf(inverted.templates[0]->pixels), {2, 3, 0}),
             base::valueAt(base::viewOf(images.templates[0]->pixels), {2, 3, 0}));
}

void JobRunTest::aCropIsTheTemplate() {
    base::Geometry geometry;
    geometry.origin = {5, 5, 0};
    geometry.spacing = {2, 2, 1};
    job::JobImages images =
        test::imagesOf(test::noise(PixelType::UInt16, {60, 50, 1}, 9),
                       test::noise(PixelType::UInt16, {60, 50, 1}, 9), geometry);
    images.templates.clear();
    Job job;
    job.crops = {base::Box{{21, 17, 0}, {8, 6, 1}}};
    const job::JobResult result = job::runJob(job, images);
    QVERIFY((result.peaks.front().corner == base::Index{21, 17, 0}));
    QVERIFY(result.peaks.front().score > 1 - 1e-12);
    QCOMPARE(result.templates[0]->geometry.origin, (base::Point{5 + 42, 5 + 34, 0}));
    QVERIFY((base::extentsOf(result.templates[0]->pixels) == base::Extents{8, 6, 1}));

    job.crops = {base::Box{{55, 17, 0}, {8, 6, 1}}};
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, images); });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    QVERIFY2(QString::fromStdString(thrown.sentence).contains("60x50x1"), thrown.sentence.c_str());
}

void JobRunTest::everyMethodGivesTheSameListOfPeaks() {
    const job::JobImages images = noiseImages(PixelType::Float32, {150, 140, 1}, {12, 11, 1});
    std::vector<std::vector<match::Peak>> lists;
    const auto add = [&](const char* method, std::int64_t tile, int threads) {
        Job job;
        job.minScore = 0.1;
        job.maxPeaks = 200;
        job.method = method;
        job.tile = {tile, tile, tile};
        job.threads = threads;
        lists.push_back(job::runJob(job, images).peaks);
    };
    add("direct", 0, 1);
    add("direct", 0, 3);
    add("tiled", 0, 2);
    add("tiled", 32, 1);
    add("tiled", 75, 2);
    QVERIFY(lists.front().size() > 50);
    for (const auto& list : lists) {
        QCOMPARE(list.size(), lists.front().size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            QVERIFY(list[i].corner == lists.front()[i].corner);
            QCOMPARE(list[i].score, lists.front()[i].score);
            QCOMPARE(list[i].shift, lists.front()[i].shift);
            QVERIFY(list[i].rival == lists.front()[i].rival);
        }
    }
}

void JobRunTest::repeatsGiveASpreadOfTimes() {
    Job job;
    job.repeat = 5;
    job.planning = plan::Planning::Estimate; // the same plan both times
    const job::JobResult result =
        job::runJob(job, noiseImages(PixelType::UInt8, {300, 300, 1}, {9, 9, 1}));
    const job::RunReport& run = *result.report.run;
    QVERIFY(run.executeMs.min > 0);
    QVERIFY(run.executeMs.min <= run.executeMs.median && run.executeMs.median <= run.executeMs.max);
    QVERIFY(run.executeMs.min < run.executeMs.max);
    QVERIFY(run.streamMs.median <= run.executeMs.max);
    QVERIFY(result.report.plan.chosen()->measuredMs == run.executeMs.median);
    Job once = job;
    once.repeat = 1;
    const job::JobResult single =
        job::runJob(once, noiseImages(PixelType::UInt8, {300, 300, 1}, {9, 9, 1}));
    QCOMPARE(test::firstDifferentBit(*single.map, *result.map), std::string());
}

void JobRunTest::theRunSaysWhatItCost() {
    Job job;
    job.threads = 2;
    const job::JobResult result =
        job::runJob(job, noiseImages(PixelType::Float32, {1500, 1400, 1}, {16, 16, 1}));
    const job::RunReport& run = *result.report.run;
    QCOMPARE(run.device, std::string("cpu"));
    QCOMPARE(run.threads, result.report.plan.chosen()->candidate.threads);
    QVERIFY(run.readMs > 0 && run.peaksMs > 0);
    QVERIFY(!run.stagesMs.empty());
    // At least the map and its status were new memory; not a multiple of what was foreseen.
    QVERIFY2(run.peakHostBytes >= 1485 * 1385 * 5 / 2,
             qPrintable(QString::number(run.peakHostBytes)));
    if (!qEnvironmentVariableIsSet("TSAN_OPTIONS")) { // it keeps several bytes for each of ours
        QVERIFY(run.peakHostBytes < 3 * result.report.plan.chosen()->prediction->hostBytes);
    }
    std::int64_t count = 0;
    for (const std::int64_t status : result.report.map->facts.statusCounts) {
        count += status;
    }
    QCOMPARE(count, std::int64_t{1485 * 1385});
    QCOMPARE(result.report.map->facts.overRange, std::int64_t{0});
}

void JobRunTest::impossibleProblemsAreSentences() {
    const auto codeFor = [](base::AnyImage scene, base::AnyImage templ) {
        const job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
        return test::thrownBy([&] { (void)job::runJob({}, images); });
    };
    const auto scene = [] { return test::noise(PixelType::Float32, {20, 20, 1}, 1); };
    const auto flat = [](double value) {
        return test::makeScene(PixelType::Float32, {4, 4, 1},
                               [=](const base::Index&) { return value; });
    };
    base::AnyImage broken = test::noise(PixelType::Float32, {4, 4, 1}, 2);
    test::setVoxel(broken, {1, 1, 0}, std::numeric_limits<double>::infinity());
    const std::vector<test::Thrown> all{
        codeFor(scene(), flat(7)),
        codeFor(scene(), test::noise(PixelType::Float32, {1, 1, 1}, 1)),
        codeFor(scene(), test::noise(PixelType::Float32, {21, 4, 1}, 1)),
        codeFor(scene(), test::noise(PixelType::Float32, {4, 4, 2}, 1)),
        codeFor(scene(), std::move(broken)),
    };
    for (const test::Thrown& thrown : all) {
        QCOMPARE(thrown.code, ErrorCode::Problem);
        QVERIFY(!thrown.sentence.empty());
    }
    QVERIFY(all[2].sentence.find("21x4x1") != std::string::npos);
    QVERIFY(all[2].sentence.find("20x20x1") != std::string::npos);
    QCOMPARE(test::thrownBy([] { (void)job::runJob({}); }).code, ErrorCode::CommandLine);
}

void JobRunTest::aMemoryLimitThatIsTooSmallIsAnError() {
    Job job;
    job.memoryBytes = 100'000;
    const job::JobImages images = noiseImages(PixelType::UInt8, {400, 400, 1}, {9, 9, 1});
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, images); });
    QCOMPARE(thrown.code, ErrorCode::Memory);
    QVERIFY2(thrown.sentence.find("--memory") != std::string::npos, thrown.sentence.c_str());
    job.memoryBytes = std::int64_t{1} << 30;
    QVERIFY(!job::runJob(job, images).peaks.empty());
}

void JobRunTest::aPlanSaysWhyNothingFits() {
    Job job;
    job.memoryBytes = 100'000;
    const job::JobImages images = noiseImages(PixelType::UInt8, {400, 400, 1}, {9, 9, 1});
    const job::JobReport report = job::planJob(job, images);
    QVERIFY(report.plan.chosen() == nullptr);
    QVERIFY(!report.plan.candidates.empty());
    for (const plan::CandidateReport& row : report.plan.candidates) {
        QCOMPARE(row.verdict, plan::CandidateVerdict::Refused);
        QVERIFY(!row.reason.empty());
    }
    QCOMPARE(job::refusal(report.plan)->code(), ErrorCode::Memory);

    job.memoryBytes = 0;
    job.method = "tiled";
    job.tile = {4, 4, 1};
    const job::JobReport small = job::planJob(job, images);
    QVERIFY(small.plan.chosen() == nullptr);
    QCOMPARE(job::refusal(small.plan)->code(), ErrorCode::Problem);
}

void JobRunTest::aPlanRunsNothing() {
    Recorder recorder;
    const job::JobReport report =
        job::planJob({}, noiseImages(PixelType::UInt8, {200, 200, 1}, {9, 9, 1}), {}, &recorder);
    QVERIFY(report.plan.chosen() != nullptr);
    QVERIFY(!job::refusal(report.plan));
    QVERIFY(!report.run && !report.map && report.peaks.empty());
    QVERIFY((recorder.phases == std::vector<job::Phase>{job::Phase::Read, job::Phase::Plan}));
    QVERIFY(!recorder.map);
}

void JobRunTest::aDeviceThatIsNotThereIsAnError() {
    Job job;
    job.device = "cuda:7";
    const test::Thrown thrown = test::thrownBy([&] {
        (void)job::runJob(job, noiseImages(PixelType::UInt8, {50, 50, 1}, {9, 9, 1}));
    });
    QCOMPARE(thrown.code, ErrorCode::Device);
    QVERIFY2(thrown.sentence.find("cuda:7") != std::string::npos, thrown.sentence.c_str());
}

const flcc::test::TestClass<JobRunTest> kJobRunTest;
#include "run_test.moc"
