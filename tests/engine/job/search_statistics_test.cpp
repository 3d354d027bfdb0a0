#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/kept_map.h"
#include "engine/match/search_statistics.h"
#include "engine/method/shared/posed_view.h"
#include "engine/plan/planner.h"
#include "engine/reference/lcc.h"
#include "engine/rotation/pose_bank.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// Statistics of a search against the definition: every member of a bank is scored by the reference.

using namespace flcc;
using base::Extents;
using base::Index;
using job::Job;
using job::JobResult;

namespace {

base::Image<float> noiseOf(const Extents& n, std::uint64_t seed) {
    const base::AnyImage made = test::noise(base::PixelType::Float32, n, seed);
    base::Image<float> copy(n);
    std::copy_n(std::get<base::Image<float>>(made).data(), copy.count(), copy.data());
    return copy;
}

/// A search and what it is made of.
struct Case {
    Job job;
    job::JobImages images;
    rotation::Cover cover;
    bool flat = true;
};

/// A template with a masked corner in a scene with a flat part; `sceneMask`: with a hole too, and
/// placements that leave the scene.
Case caseOf(bool flat, bool sceneMask, const char* rotations) {
    Case made;
    made.flat = flat;
    const Extents n = flat ? Extents{41, 33, 1} : Extents{14, 13, 12};
    const Extents m = flat ? Extents{7, 5, 1} : Extents{4, 3, 3};
    base::Image<float> scene = noiseOf(n, 3);
    for (std::int64_t y = 0; y < n.y / 3; ++y) {
        for (std::int64_t x = 0; x < n.x / 2; ++x) {
            scene.view().at(x, y, 0) = 2; // flat panels for the small members
        }
    }
    made.images = test::imagesOf(std::move(scene), noiseOf(m, 4));
    auto mask = std::make_shared<job::MaskImage>();
    mask->support = base::Image<std::uint8_t>(m, std::uint8_t{1});
    mask->support.view().at(0, 0, 0) = 0;
    mask->support.view().at(1, 0, 0) = 0;
    mask->source = "mask";
    made.images.masks = {mask};
    if (sceneMask) {
        auto hole = std::make_shared<job::MaskImage>();
        hole->support = base::Image<std::uint8_t>(n, std::uint8_t{1});
        for (std::int64_t y = n.y / 2; y < n.y / 2 + 4; ++y) {
            for (std::int64_t x = n.x / 2; x < n.x / 2 + 5; ++x) {
                hole->support.view().at(x, y, 0) = 0;
            }
        }
        hole->source = "scene mask";
        made.images.sceneMask = hole;
        made.job.extent = method::Extent::Same;
        made.job.outside = method::Outside::Overlap;
    }
    made.job.poses.rotations = rotations;
    made.job.searchStatistics = true;
    made.job.threads = 2;
    made.job.planning = plan::Planning::Estimate;
    made.job.audit = job::Audit::Off;
    made.job.minScore = 0.3;
    const auto text = rotation::parseRotations(rotations);
    made.cover = flat ? rotation::flatCover(text, {}) : rotation::spaceCover(text, {});
    return made;
}

rotation::PoseBank bankOf(const Case& of) {
    std::vector<rotation::Turner> turners;
    turners.emplace_back(base::viewOf(of.images.templates[0]->pixels),
                         of.images.masks[0]->support.view(), of.flat, false);
    return {std::move(turners), of.cover};
}

/// Mean, deviation and z by their definition, in long double. The best score is one of a support
/// that lies inside, if there is any.
struct Expected {
    std::int64_t count = 0;
    double mean = 0;
    double deviation = 0;
    double z = 0;
    double meanOfSquares = 0;
};

Expected expectedOf(const std::vector<reference::Score>& scores) {
    Expected of;
    long double sum = 0;
    long double squares = 0;
    double best = -std::numeric_limits<double>::infinity();
    const bool whole = std::ranges::any_of(
        scores, [](const auto& score) { return score.status == base::Status::Ok; });
    for (const reference::Score& score : scores) {
        if (base::hasValue(score.status)) {
            ++of.count;
            sum += score.value;
            squares += static_cast<long double>(score.value) * score.value;
            if (score.status == base::Status::Ok || !whole) {
                best = std::max(best, score.value);
            }
        }
    }
    if (of.count < 2) {
        return of;
    }
    const auto count = static_cast<long double>(of.count);
    long double differences = 0;
    for (const reference::Score& score : scores) {
        if (base::hasValue(score.status)) {
            differences += (score.value - sum / count) * (score.value - sum / count);
        }
    }
    of.mean = static_cast<double>(sum / count);
    of.meanOfSquares = static_cast<double>(squares / count);
    of.deviation = static_cast<double>(std::sqrt(differences / count));
    of.z = of.deviation > 0 ? (best - of.mean) / of.deviation : 0;
    return of;
}

bool sameBytes(const base::Image<float>& a, const base::Image<float>& b) {
    return a.extents() == b.extents() &&
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.count()) * sizeof(float)) ==
               0;
}

bool sameBytes(const match::SearchMaps& a, const match::SearchMaps& b) {
    return sameBytes(a.mean, b.mean) && sameBytes(a.deviation, b.deviation) && sameBytes(a.z, b.z);
}

/// The members of a bank as templates with masks.
job::JobImages membersOf(const Case& of) {
    const rotation::PoseBank bank = bankOf(of);
    job::JobImages images = of.images;
    images.templates.clear();
    images.masks.clear();
    for (std::int64_t i = 0; i < bank.count(); ++i) {
        rotation::TurnedTemplate member = bank.member(i);
        auto image = std::make_shared<job::SceneImage>();
        image->pixels = std::move(member.pixels);
        image->source = "member " + std::to_string(i);
        images.templates.push_back(image);
        auto mask = std::make_shared<job::MaskImage>();
        mask->support = std::move(member.support);
        mask->source = image->source;
        images.masks.push_back(mask);
    }
    return images;
}

} // namespace

class SearchStatisticsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void everyVoxelHasTheStatisticsOfAllMembers_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<bool>("sceneMask");
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("inDouble");
        for (const char* method : {"direct", "tiled"}) {
            for (const bool inDouble : {false, true}) {
                const QString name = QString(method) + (inDouble ? ", double" : "");
                QTest::newRow(qPrintable("image, " + name)) << true << false << method << inDouble;
                QTest::newRow(qPrintable("scene mask, " + name))
                    << true << true << method << inDouble;
                QTest::newRow(qPrintable("volume, " + name))
                    << false << false << method << inDouble;
            }
        }
        QTest::newRow("volume, scene mask") << false << true << "tiled" << false;
    }

    static void everyVoxelHasTheStatisticsOfAllMembers() {
        QFETCH(bool, flat);
        QFETCH(bool, sceneMask);
        QFETCH(QString, method);
        QFETCH(bool, inDouble);
        Case of = caseOf(flat, sceneMask, flat ? "7" : "100");
        of.job.method = method.toStdString();
        of.job.precision = inDouble ? method::Precision::Double : method::Precision::Single;
        const JobResult result = job::runJob(of.job, of.images);
        QVERIFY(result.search != nullptr);
        const rotation::PoseBank bank = bankOf(of);
        QVERIFY(result.report.poses->members == bank.count() &&
                bank.count() >= 2 * result.report.poses->batch);
        std::vector<reference::Lcc> definitions;
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            const rotation::TurnedTemplate member = bank.member(i);
            definitions.emplace_back(method::viewOf(member), of.job.outside, of.job.minOverlap);
        }
        method::MaskedView scene(base::viewOf(of.images.scene->pixels));
        if (sceneMask) {
            scene.mask = of.images.sceneMask->support.view();
        }
        // The member's box lies about the placement of the template.
        const Index shift = bank.shift();
        const Index first{result.mapCorner.x - shift.x, result.mapCorner.y - shift.y,
                          result.mapCorner.z - shift.z};
        const Extents& n = result.map->value.extents();
        const match::SearchMaps& maps = *result.search;
        QVERIFY(maps.mean.extents() == n && maps.z.extents() == n);
        // Errors of a score: its promise, or that of a double, and the float that holds it.
        const double error = inDouble ? 1e-11 : of.job.promise + 0x1p-24;
        std::int64_t few = 0;
        std::int64_t some = 0;
        double largest = -1;
        for (std::int64_t i = 0; i < result.map->value.count(); ++i) {
            const Index at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
            std::vector<reference::Score> scores;
            for (const reference::Lcc& definition : definitions) {
                scores.push_back(
                    definition.at(scene, {at.x + first.x, at.y + first.y, at.z + first.z}));
                if (!sceneMask && scores.back().status == base::Status::Partial) {
                    scores.back() = {}; // of the extent `valid` it does not count
                }
            }
            const Expected expected = expectedOf(scores);
            few += expected.count < 2 ? 1 : 0;
            some += expected.count >= 2 && expected.count < bank.count() ? 1 : 0;
            const auto mean = static_cast<double>(maps.mean.data()[i]);
            const auto deviation = static_cast<double>(maps.deviation.data()[i]);
            const auto z = static_cast<double>(maps.z.data()[i]);
            largest = std::max(largest, z);
            const double rounding = std::sqrt(8 * static_cast<double>(bank.count() + 4) * 0x1p-52) *
                                    std::sqrt(expected.meanOfSquares);
            const double off = error + rounding + 0x1p-24;
            QVERIFY2(std::abs(mean - expected.mean) <= off, qPrintable(QString::number(i)));
            QVERIFY2(std::abs(deviation - expected.deviation) <= off,
                     qPrintable(QString::number(i)));
            const double allowed =
                expected.deviation > 2 * off
                    ? (2 * off + (std::abs(expected.z) + 1) * off) / (expected.deviation - off) +
                          std::abs(z) * 0x1p-23
                    : std::numeric_limits<double>::infinity();
            QVERIFY2(std::abs(z - expected.z) <= allowed, qPrintable(QString::number(i)));
        }
        QVERIFY(!sceneMask || some > 0);
        const job::SearchReport& report = *result.report.search;
        QCOMPARE(report.members, bank.count());
        QCOMPARE(report.voxels, result.map->value.count() - few);
        QCOMPARE(report.largestZ, largest);
        QCOMPARE(static_cast<double>(maps.z.view().at(report.at)), largest);
    }

    static void batchesThreadsAndTilesChangeNoDigit_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<bool>("sceneMask");
        QTest::newRow("image") << true << false;
        QTest::newRow("scene mask") << true << true;
        QTest::newRow("volume") << false << false;
    }

    static void batchesThreadsAndTilesChangeNoDigit() {
        QFETCH(bool, flat);
        QFETCH(bool, sceneMask);
        Case of = caseOf(flat, sceneMask, flat ? "6" : "100");
        of.job.method = "direct";
        of.job.precision = method::Precision::Double;
        const JobResult result = job::runJob(of.job, of.images);
        QVERIFY(result.report.poses->members >= 2 * result.report.poses->batch);
        of.job.threads = 1;
        const JobResult alone = job::runJob(of.job, of.images);
        QVERIFY(sameBytes(*result.search, *alone.search));
        of.job.tile = flat ? Extents{11, 9, 1} : Extents{5, 4, 3};
        const JobResult tiles = job::runJob(of.job, of.images);
        QVERIFY(sameBytes(*result.search, *tiles.search));
        of.job.repeat = 2; // sums start anew
        QVERIFY(sameBytes(*result.search, *job::runJob(of.job, of.images).search));
        of.job.repeat = 1;
        // One bank of template files in place of batches.
        of.job.poses = {};
        const JobResult bank = job::runJob(of.job, membersOf(of));
        QVERIFY(!bank.report.poses && bank.report.search);
        QVERIFY(std::abs(bank.report.search->likeness - result.report.search->likeness) < 1e-12);
        of.job.repeat = 2;
        QVERIFY(sameBytes(*bank.search, *job::runJob(of.job, membersOf(of)).search));
    }

    static void aBankOfAnyMethodHasTheSums() {
        Case of = caseOf(true, false, "60");
        of.images.masks.clear();
        for (std::uint64_t seed = 5; seed < 8; ++seed) {
            of.images.templates.push_back(
                test::imagesOf(noiseOf({3, 3, 1}, 1), noiseOf({7, 5, 1}, seed)).templates[0]);
        }
        of.job.poses = {};
        of.job.precision = method::Precision::Double;
        std::shared_ptr<const match::SearchMaps> first;
        for (const char* method : {"direct", "tiled", "fourier", "dif"}) {
            of.job.method = method;
            const JobResult result = job::runJob(of.job, of.images);
            QCOMPARE(result.report.search->members, 4);
            first = first ? first : result.search;
            for (std::int64_t i = 0; i < first->mean.count(); ++i) {
                QVERIFY(std::abs(first->mean.data()[i] - result.search->mean.data()[i]) < 1e-6F);
                QVERIFY(std::abs(first->deviation.data()[i] - result.search->deviation.data()[i]) <
                        1e-6F);
            }
        }
    }

    static void peaksFilesAndKeptMapsHaveThem() {
        const test::Folder folder;
        Case of = caseOf(true, false, "20");
        Job job = of.job;
        job.scene = folder.path("scene.mha");
        job.templates = {folder.path("templ.mha")};
        (void)io::writeImage(job.scene, base::viewOf(of.images.scene->pixels), {});
        (void)io::writeImage(job.templates[0], base::viewOf(of.images.templates[0]->pixels), {});
        job.searchMaps = folder.path("s.mha");
        job.map = folder.path("map.mha");
        job.status = folder.path("status.mha");
        job.index = folder.path("index.mha");
        job.report = folder.path("report.json");
        job.peaks = folder.path("peaks.csv");
        const auto outputs = job::outputFiles(job);
        for (const char* name : {"s-mean.mha", "s-deviation.mha", "s-z.mha"}) {
            QVERIFY(std::ranges::find(outputs, folder.path(name)) != outputs.end());
        }
        const JobResult result = job::runJob(job);
        QVERIFY(!result.peaks.empty());
        for (const match::Peak& peak : result.peaks) {
            const Index at{peak.corner.x - result.mapCorner.x, peak.corner.y - result.mapCorner.y,
                           0};
            QVERIFY(peak.search.has_value());
            QCOMPARE(peak.search->mean, static_cast<double>(result.search->mean.view().at(at)));
            QCOMPARE(peak.search->z, static_cast<double>(result.search->z.view().at(at)));
        }
        const std::string list = test::bytesOf(job.peaks);
        QVERIFY(list.find(",search_mean,search_deviation,search_z") != std::string::npos);
        const io::LoadedImage z = io::readImage(folder.path("s-z.mha"));
        QVERIFY(sameBytes(std::get<base::Image<float>>(z.components.front()), result.search->z));
        QCOMPARE(z.info.geometry.origin[0], result.mapGeometry.origin[0]);
        const auto kept = job::keepMap(result, job, result.scene);
        for (const auto& map : {kept, job::loadKeptMap(job)}) {
            const auto peaks = job::extractPeaks(*map, job::thresholdsOf(job)).peaks;
            QCOMPARE(std::ssize(peaks), std::ssize(result.peaks));
            QCOMPARE(peaks[0].search->z, result.peaks[0].search->z);
            QCOMPARE(peaks[0].search->deviation, result.peaks[0].search->deviation);
        }
    }

    static void membersThatAreAlikeAreToldOf() {
        // L is the mean correlation of all pairs.
        std::vector<base::AnyImage> members;
        std::vector<method::MaskedView> views;
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            members.emplace_back(noiseOf({6, 5, 2}, seed % 3)); // two pairs are equal
        }
        double expected = 0;
        for (const base::AnyImage& a : members) {
            views.emplace_back(a);
            for (const base::AnyImage& b : members) {
                base::Image<float> left = noiseOf({6, 5, 2}, 0);
                std::copy_n(std::get<base::Image<float>>(a).data(), left.count(), left.data());
                expected += reference::Lcc(method::MaskedView(b))
                                .at(method::MaskedView(left.view()), {0, 0, 0})
                                .value;
            }
        }
        expected /= 25;
        base::TilePool pool(2);
        match::Likeness likeness({6, 5, 2});
        QCOMPARE(likeness.value(), 0.0);
        likeness.add({views.begin(), views.begin() + 2}, pool);
        likeness.add({views.begin() + 2, views.end()}, pool);
        QVERIFY(std::abs(likeness.value() - expected) < 1e-12);

        Case of = caseOf(true, false, "30");
        const auto warns = [](const JobResult& result) {
            return std::ranges::any_of(result.warnings, [](const std::string& each) {
                return each.find("z hides the object") != std::string::npos;
            });
        };
        QVERIFY(!warns(job::runJob(of.job, of.images)));
        base::Image<float> disk({9, 9, 1}, 0.0F);
        for (std::int64_t i = 0; i < disk.count(); ++i) {
            const std::int64_t x = i % 9 - 4;
            const std::int64_t y = i / 9 - 4;
            disk.data()[i] = std::exp(-static_cast<float>(x * x + y * y) / 6);
        }
        job::JobImages round = test::imagesOf(noiseOf({41, 33, 1}, 3), std::move(disk));
        const JobResult result = job::runJob(of.job, round);
        QVERIFY(result.report.search->likeness > 0.9 &&
                result.report.search->likeness <= 1 + 1e-12);
        QVERIFY(warns(result));
    }

    static void theyAreCountedInThePlan() {
        const Case of = caseOf(true, false, "12");
        Job without = of.job;
        without.searchStatistics = false;
        for (const char* method : {"direct", "tiled"}) {
            Job with = of.job;
            with.method = without.method = method;
            const auto bytes = [&](const Job& job) {
                return job::planJob(job, of.images).poses->memoryBytes;
            };
            const std::int64_t voxels =
                base::voxelCount(method::mapExtents(job::planJob(with, of.images).plan.problem));
            QVERIFY(bytes(with) - bytes(without) >= 32 * voxels);
        }
    }

    static void whatHasNoStatisticsIsRefused() {
        const Case of = caseOf(true, false, "30");
        const auto thrown = [&](const std::function<void(Job&)>& change) {
            Job job = of.job;
            change(job);
            return test::thrownBy([&] { (void)job::runJob(job, of.images); });
        };
        using enum base::ErrorCode;
        QCOMPARE(thrown([](Job& job) { job.poses = {}; }).code, Problem);
        QCOMPARE(thrown([](Job& job) { job.stream = true; }).code, CommandLine);
        QCOMPARE(thrown([](Job& job) {
                     job.operation = *method::operationNamed("ssd");
                     job.minScore.reset();
                 }).code,
                 CommandLine);
        QCOMPARE(thrown([](Job& job) { job.searchMaps = "s.png"; }).code, CommandLine);
        method::Problem problem;
        problem.searchSums = true;
        for (const method::Method* const method : plan::methods()) {
            QCOMPARE(method->refusal(problem).empty(), method->onDevice() == nullptr);
        }
    }

    static void theOptionReadsBack() {
        for (const char* value : {"on", "s.mha"}) {
            const Job job = test::matchOf(
                {"scene.mha", "t.mha", "--rotations", "10", "--search-statistics", value});
            QVERIFY(job.searchStatistics);
            QCOMPARE(job.searchMaps.empty(), std::string(value) == "on");
            QVERIFY(test::matchOf(job::toArguments(job)) == job);
            QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        }
    }
};

const flcc::test::TestClass<SearchStatisticsTest> kSearchStatisticsTest;
#include "search_statistics_test.moc"
