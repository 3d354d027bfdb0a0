#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/job/any_job.h"
#include "engine/job/steps/audit.h"
#include "engine/method/operation_template.h"
#include "engine/reference/match_operation.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Index;
using base::PixelType;
using job::Job;
using method::Operation;

namespace {

Job operationJob(std::string_view operation) {
    Job job;
    job.operation = method::operationNamed(operation).value();
    job.planning = plan::Planning::Estimate;
    return job;
}

/// Two exact copies of the template and a third one with a voxel changed by 3.
job::JobImages copies(PixelType type) {
    base::AnyImage scene = test::noise(type, {60, 50, 1}, 31);
    base::AnyImage templ = test::noise(type, {9, 8, 1}, 32);
    test::paste(scene, templ, {5, 6, 0});
    test::paste(scene, templ, {40, 30, 0});
    test::paste(scene, templ, {20, 35, 0});
    test::setVoxel(scene, {21, 36, 0}, base::valueAt(base::viewOf(scene), {21, 36, 0}) + 3);
    return test::imagesOf(std::move(scene), std::move(templ));
}

/// The local minima (or maxima) of the definition's map, best first, z, y, x.
std::vector<match::Peak> bruteForce(const job::JobImages& images, Operation operation,
                                    double threshold, std::size_t most) {
    const base::AnyImage& scene = images.scene->pixels;
    const base::AnyImage& templ = images.templates.front()->pixels;
    const reference::ScoreMap map =
        reference::MatchOperation(operation, templ).map(scene, method::Extent::Valid);
    const double sign = operation.traits().sign();
    const base::Extents n = map.value.extents();
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return sign * map.value.view().at(x, y, 0);
    };
    std::vector<match::Peak> found;
    for (std::int64_t y = 0; y < n.y; ++y) {
        for (std::int64_t x = 0; x < n.x; ++x) {
            bool highest = at(x, y) >= sign * threshold;
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    const bool inside = x + dx >= 0 && x + dx < n.x && y + dy >= 0 && y + dy < n.y;
                    const bool before = dy < 0 || (dy == 0 && dx < 0);
                    if (inside && (dx != 0 || dy != 0)) {
                        highest = highest && (before ? at(x, y) > at(x + dx, y + dy)
                                                     : at(x, y) >= at(x + dx, y + dy));
                    }
                }
            }
            if (highest) {
                match::Peak peak;
                peak.corner = {x, y, 0};
                peak.score = map.value.view().at(x, y, 0);
                found.push_back(peak);
            }
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](const auto& a, const auto& b) { return sign * a.score > sign * b.score; });
    // As --min-distance 3.
    std::vector<match::Peak> kept;
    for (const match::Peak& peak : found) {
        const bool near = std::any_of(kept.begin(), kept.end(), [&](const match::Peak& other) {
            return std::hypot(static_cast<double>(peak.corner.x - other.corner.x),
                              static_cast<double>(peak.corner.y - other.corner.y)) < 3;
        });
        if (!near && kept.size() < most) {
            kept.push_back(peak);
        }
    }
    return kept;
}

/// True if no panel has a value with a template that is constant.
bool isUndefinedFor(const method::OperationTraits& traits, float level) {
    const base::AnyImage scene = test::noise(PixelType::Float32, {6, 5, 1}, 5);
    const base::AnyImage templ = base::Image<float>({6, 5, 1}, level);
    const Operation operation = method::operationNamed(traits.name).value();
    return traits.ignoresContrast || // Lcc refuses such a template
           reference::MatchOperation(operation, templ).at(scene, {0, 0, 0}).status ==
               base::Status::Flat;
}

} // namespace

class JobOperationsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // The same picture in all types, with an outlier beside the mask that does not count.
    void anInvertedTemplateIsTheSameInAllTypes() {
        base::AnyImage bytes = test::noise(PixelType::UInt8, {7, 6, 1}, 3);
        const base::AnyImage scene = test::noise(PixelType::UInt8, {30, 25, 1}, 4);
        test::setVoxel(bytes, {3, 2, 0}, 255);
        auto mask = std::make_shared<job::MaskImage>();
        mask->support = base::Image<std::uint8_t>({7, 6, 1}, 1);
        mask->support.view().at(3, 2, 0) = 0;
        mask->source = "memory mask";
        for (const method::OperationTraits& traits : method::operationTable()) {
            Job job = operationJob(traits.name);
            job.precision = method::Precision::Double;
            job.invert = true;
            std::vector<double> first;
            for (int number = 0; number < 10; ++number) {
                const auto type = static_cast<PixelType>(number);
                const auto same = [](double v) { return v; };
                job::JobImages images = test::imagesOf(test::mapped(scene, type, same),
                                                       test::mapped(bytes, type, same));
                images.masks.push_back(mask);
                const job::JobResult result = job::runJob(job, images);
                const method::MatchMap& map = *result.map;
                for (std::int64_t i = 0; i < map.value.count(); ++i) {
                    const double value = map.exact.empty()
                                             ? static_cast<double>(map.value.data()[i])
                                             : map.exact.data()[i];
                    if (number == 0) {
                        first.push_back(value);
                    }
                    const double expected = first[static_cast<std::size_t>(i)];
                    // Bounds of floats are relative to sums of at most 42 squares of 240.
                    const double allowed = traits.isPure() ? 2e-6 : 1e-12 * 42 * 240 * 240;
                    QVERIFY2(std::abs(value - expected) <= allowed,
                             std::string(traits.name).c_str());
                }
            }
            // Values from 0 to 120 under the mask: 120 - v, or the largest of them.
            QVERIFY(!first.empty());
        }
    }

    // 10 20 30 becomes 30 20 10.
    void anInvertedTemplateIsMirroredBetweenItsExtremes() {
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
            const auto ramp = [](const base::Index& at) {
                return 10.0 * static_cast<double>(at.x + 1);
            };
            const auto ones = [](const base::Index&) { return 1.0; };
            Job job = operationJob("correlation");
            job.precision = method::Precision::Double;
            job.invert = true;
            const base::AnyImage weights = test::makeScene(type, {3, 1, 1}, ramp);
            for (std::int64_t place = 0; place < 3; ++place) {
                base::AnyImage scene = test::makeScene(type, {3, 1, 1}, ones);
                test::setVoxel(scene, {place, 0, 0}, 2);
                const job::JobResult result = job::runJob(
                    job, test::imagesOf(std::move(scene), base::copyOf(base::viewOf(weights))));
                QCOMPARE(result.map->exact.data()[0],
                         60.0 + 30 - 10.0 * static_cast<double>(place));
            }
        }
    }

    void peaksAreThoseOfTheDefinition_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("type");
        for (const method::OperationTraits& traits : method::operationTable().subspan(1)) {
            for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::Float32}) {
                QTest::addRow("%s of %s", std::string(traits.name).c_str(),
                              std::string(base::name(type)).c_str())
                    << QString::fromStdString(std::string(traits.name)) << static_cast<int>(type);
            }
        }
    }
    void peaksAreThoseOfTheDefinition() {
        QFETCH(QString, name);
        QFETCH(int, type);
        Job job = operationJob(name.toStdString());
        job.minDistance = 3;
        job.maxPeaks = 20;
        const job::JobImages images = copies(static_cast<PixelType>(type));
        const job::JobResult result = job::runJob(job, images);
        const auto expected = bruteForce(images, job.operation, job::thresholdOf(job), 20);
        QCOMPARE(result.peaks.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(result.peaks[i].corner == expected[i].corner);
            QVERIFY(std::abs(result.peaks[i].score - expected[i].score) <=
                    result.peaks[i].bound + 1e-12 * std::abs(expected[i].score));
        }
        if (job.operation.traits().best == method::Best::Smallest) {
            QVERIFY((result.peaks[0].corner == Index{5, 6, 0}));
            QVERIFY((result.peaks[1].corner == Index{40, 30, 0}));
            QVERIFY((result.peaks[2].corner == Index{20, 35, 0}));
            QCOMPARE(result.peaks[0].score, 0.0);
            QVERIFY(!result.peaks[0].rival.has_value());
        }
    }

    void aShortListIsTheBeginOfALongOne() {
        // The search looks at the best candidates first, and at the others only if it must: all
        // large sums of the ramp lie in one corner.
        const base::AnyImage noise = test::noise(PixelType::UInt8, {320, 240, 1}, 51);
        const base::AnyImage ramp =
            test::makeScene(PixelType::UInt8, {320, 240, 1}, [&](const Index& at) {
                return base::valueAt(base::viewOf(noise), at) / 2 +
                       static_cast<double>(at.x + at.y) / 3;
            });
        for (const method::OperationTraits& traits : method::operationTable()) {
            for (const base::AnyImage* scene : {&noise, &ramp}) {
                Job job = operationJob(traits.name);
                if (traits.hasThreshold()) {
                    job.minScore = -1;
                }
                job.minDistance = 30;
                job.maxPeaks = 1'000'000;
                const job::JobImages images =
                    test::imagesOf(base::copyOf(base::viewOf(*scene)),
                                   test::crop(*scene, {{150, 90, 0}, {9, 8, 1}}));
                const auto all = job::runJob(job, images).peaks;
                job.maxPeaks = 40;
                const auto few = job::runJob(job, images).peaks;
                QCOMPARE(few.size(), std::size_t{40});
                QVERIFY(all.size() > 45);
                for (std::size_t i = 0; i < few.size(); ++i) {
                    QVERIFY(few[i].corner == all[i].corner);
                    QCOMPARE(few[i].score, all[i].score);
                }
            }
        }
    }

    void theReportCountsThePlacementsThatReachTheBest() {
        const Job job = operationJob("ssd");
        const job::JobResult result = job::runJob(job, copies(PixelType::UInt8));
        const std::optional<match::BestPlaces>& best = result.report.map->best;
        QVERIFY(best.has_value());
        QCOMPARE(best->value, 0.0);
        QCOMPARE(best->occurrences, std::int64_t{2});
        QCOMPARE(best->tolerance, 0.0);
        QCOMPARE(result.peaks[2].score, 9.0);
        const auto json = nlohmann::json::parse(job::toJson(result.report));
        QCOMPARE(json.at("problem").at("operation").get<std::string>(), std::string("ssd"));
        QCOMPARE(json.at("map").at("occurrences").get<int>(), 2);
        QCOMPARE(json.at("map").at("best").get<double>(), 0.0);
        QVERIFY(result.map->exact.data() == nullptr);
        QVERIFY(job::toText(result.report).find("ssd") != std::string::npos);
    }

    void maxScoreLimitsTheList() {
        Job job = operationJob("sad");
        job.maxScore = 3;
        const job::JobResult result = job::runJob(job, copies(PixelType::UInt8));
        QCOMPARE(result.peaks.size(), std::size_t{3});
        QCOMPARE(result.peaks[2].score, 3.0);
        job.maxScore = 2.5;
        QCOMPARE(job::runJob(job, copies(PixelType::UInt8)).peaks.size(), std::size_t{2});
    }

    void largeIntegersStayExact() {
        // Sums beyond 2^24, which a float map could not hold.
        base::Image<std::uint16_t> scene({30, 20, 1}, 0);
        base::Image<std::uint16_t> templ({5, 4, 1}, 65535);
        templ.view().at(2, 2, 0) = 65534;
        const double expected = 19.0 * 65535 * 65535 + 65534.0 * 65534;
        for (const bool inDouble : {true, false}) { // lists and minima are exact in single, too
            Job job = operationJob("ssd");
            job.precision = inDouble ? method::Precision::Double : method::Precision::Single;
            const job::JobResult result =
                job::runJob(job, test::imagesOf(base::copyOf(base::AnyView(scene.view())),
                                                base::copyOf(base::AnyView(templ.view()))));
            QVERIFY(inDouble ? result.map->exact.view().at(3, 3, 0) == expected
                             : result.map->exact.empty());
            QCOMPARE(result.peaks.at(0).score, expected);
            QCOMPARE(result.report.map->best->value, expected);
            QCOMPARE(result.report.map->best->occurrences, std::int64_t{26 * 17});
        }
    }

    void aJobIsWrittenAndRead() {
        for (const method::OperationTraits& traits : method::operationTable()) {
            Job job = operationJob(traits.name);
            job.scene = "s.mha";
            job.templates = {"t.mha"};
            (traits.best == method::Best::Largest ? job.minScore : job.maxScore) = 0.75;
            const Job again = job::fromJobFile(job::toJobFile(job));
            QVERIFY(again == job);
            QVERIFY(job::toCommandLine(job).find(traits.best == method::Best::Largest
                                                     ? "--min-score 0.75"
                                                     : "--max-score 0.75") != std::string::npos);
        }
    }

    void wrongThresholdsAreRefusedWithTheOtherOption_data() {
        QTest::addColumn<QString>("operation");
        QTest::addColumn<bool>("largest");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("min of ssd") << "ssd" << false << 0.5 << "use --max-score";
        QTest::newRow("max of lcc") << "lcc" << true << 0.5 << "use --min-score";
        QTest::newRow("max of cosine") << "cosine" << true << 0.5 << "use --min-score";
        QTest::newRow("negative sad") << "sad" << true << -1.0 << "a number from 0 up";
    }
    void wrongThresholdsAreRefusedWithTheOtherOption() {
        QFETCH(QString, operation);
        QFETCH(bool, largest);
        QFETCH(double, value);
        QFETCH(QString, sentence);
        Job job = operationJob(operation.toStdString());
        (largest ? job.maxScore : job.minScore) = value;
        const test::Thrown thrown =
            test::thrownBy([&] { (void)job::runJob(job, copies(PixelType::UInt8)); });
        QVERIFY(thrown.code == ErrorCode::CommandLine);
        QVERIFY2(thrown.sentence.find(sentence.toStdString()) != std::string::npos,
                 thrown.sentence.c_str());
    }

    void methodsWithoutTheOperationSayWhatToUse() {
        Job job = operationJob("sad");
        job.method = "fourier";
        const test::Thrown thrown =
            test::thrownBy([&] { (void)job::runJob(job, copies(PixelType::UInt8)); });
        QVERIFY(thrown.code == ErrorCode::Problem);
        QVERIFY2(thrown.sentence.find("use --method direct") != std::string::npos,
                 thrown.sentence.c_str());
        Job outside = operationJob("ssd");
        outside.outside = method::Outside::Eibl;
        outside.extent = method::Extent::Same;
        const test::Thrown other =
            test::thrownBy([&] { (void)job::runJob(outside, copies(PixelType::UInt8)); });
        QVERIFY(other.code == ErrorCode::Problem);
        QVERIFY2(other.sentence.find("use zero or overlap") != std::string::npos,
                 other.sentence.c_str());
    }

    void theAuditComparesWithTheDefinition() {
        for (const method::OperationTraits& traits : method::operationTable().subspan(1)) {
            for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
                Job job = operationJob(traits.name);
                job.audit = job::Audit::On;
                job.extent =
                    type == PixelType::UInt8 ? method::Extent::Same : method::Extent::Valid;
                const job::JobImages images = copies(type);
                const job::JobResult result = job::runJob(job, images);
                QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                         result.report.audit->reason.c_str());
                QVERIFY(result.report.audit->checked >= 64);
                // The same map with every value a little off.
                const base::Extents extents = result.map->value.extents();
                method::MatchMap wrong(extents, true);
                for (std::int64_t i = 0; i < base::voxelCount(extents); ++i) {
                    wrong.status.data()[i] = result.map->status.data()[i];
                    const double value = result.map->exact.empty()
                                             ? static_cast<double>(result.map->value.data()[i])
                                             : result.map->exact.data()[i];
                    wrong.exact.data()[i] = value * (1 + 1e-3) + 1e-3;
                    wrong.value.data()[i] = static_cast<float>(wrong.exact.data()[i]);
                }
                const base::AnyView scene = base::viewOf(images.scene->pixels);
                const base::AnyView templ = base::viewOf(images.templates[0]->pixels);
                const std::vector<Index> none;
                const job::AuditReport found =
                    job::detail::audit({.scene = scene,
                                        .templates = {templ},
                                        .problem = result.report.plan.problem,
                                        .map = &wrong,
                                        .facts = result.report.map->facts,
                                        .peaks = {},
                                        .lowest = none});
                QVERIFY(found.verdict == job::AuditVerdict::Failed);
            }
        }
    }

    void aConstantTemplateIsRefusedOnlyWhereTheValueIsUndefined() {
        for (const method::OperationTraits& traits : method::operationTable()) {
            for (const float level : {0.0F, 3.5F}) {
                base::AnyImage scene = test::noise(PixelType::Float32, {40, 30, 1}, 5);
                base::AnyImage templ = base::Image<float>({6, 5, 1}, level);
                test::paste(scene, templ, {20, 10, 0});
                const bool undefined = isUndefinedFor(traits, level);
                const bool constant = isUndefinedFor(traits, 3.5F);
                Job job = operationJob(traits.name);
                job.audit = job::Audit::On;
                const auto run = [&] {
                    return job::runJob(job, test::imagesOf(base::copyOf(base::viewOf(scene)),
                                                           base::copyOf(base::viewOf(templ))));
                };
                if (undefined) {
                    const test::Thrown thrown = test::thrownBy([&] { (void)run(); });
                    QVERIFY(thrown.code == ErrorCode::Problem);
                    QVERIFY2(thrown.sentence.find(constant ? "is constant" : "is 0 everywhere") !=
                                 std::string::npos,
                             thrown.sentence.c_str());
                    continue;
                }
                const job::JobResult result = run();
                QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                         result.report.audit->reason.c_str());
                if (traits.best == method::Best::Smallest) {
                    QVERIFY((result.peaks.at(0).corner == Index{20, 10, 0}));
                    QVERIFY(std::abs(result.peaks[0].score) <= result.peaks[0].bound);
                }
            }
        }
    }

    /// Panels much darker than the template have an nssd far above 1, and a bound above the promise
    /// that is small beside them: of all operations but lcc the promise is relative.
    void theAuditJudgesByThePromiseOfTheOperation() {
        base::Image<float> scene({60, 50, 1});
        const base::AnyImage noise = test::noise(PixelType::UInt8, {60, 50, 1}, 3);
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            const Index at{i % 60, i / 60, 0};
            const bool dark = at.x >= 10 && at.x < 40 && at.y >= 10 && at.y < 30;
            scene.data()[i] =
                dark ? 1e-3F : static_cast<float>(base::valueAt(base::viewOf(noise), at));
        }
        const base::AnyImage picture = std::move(scene);
        const base::AnyImage templ = test::crop(picture, {{42, 30, 0}, {9, 8, 1}});
        for (const method::OperationTraits& traits : method::operationTable()) {
            Job job = operationJob(traits.name);
            job.audit = job::Audit::On;
            const job::JobResult result =
                job::runJob(job, test::imagesOf(base::copyOf(base::viewOf(picture)),
                                                base::copyOf(base::viewOf(templ))));
            QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                     result.report.audit->reason.c_str());
            const method::MapFacts& facts = result.report.map->facts;
            QVERIFY(traits.name != "nssd" || facts.largestBound > job.promise);
            QVERIFY(facts.largestRelative <= job.promise);
        }
    }

    void banksListMinimaOfEveryTemplate() {
        base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 1}, 41);
        base::AnyImage one = test::crop(scene, {{10, 12, 0}, {8, 7, 1}});
        const job::JobImages first =
            test::imagesOf(base::copyOf(base::viewOf(scene)), std::move(one));
        const job::JobImages second = test::imagesOf(base::copyOf(base::viewOf(scene)),
                                                     test::crop(scene, {{40, 30, 0}, {8, 7, 1}}));
        const job::JobImages images{first.scene,
                                    {first.templates.front(), second.templates.front()}};
        const job::JobResult result = job::runJob(operationJob("sad"), images);
        QVERIFY((result.peaks.at(0).corner == Index{10, 12, 0}));
        QVERIFY((result.peaks.at(1).corner == Index{40, 30, 0}));
        QCOMPARE(result.peaks[0].templ, 0);
        QCOMPARE(result.peaks[1].templ, 1);
        QCOMPARE(result.peaks[1].score, 0.0);
        QCOMPARE(result.index->view().at(40, 30, 0), 1);
    }
};

const flcc::test::TestClass<JobOperationsTest> kJobOperationsTest;
#include "operations_test.moc"
