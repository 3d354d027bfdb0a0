#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/random.h"
#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/job/kept_map.h"
#include "engine/match/peaks.h"
#include "engine/match/score_law.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/noise_cases.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::gaussian;
using test::searched;
using test::smooth;

class ThresholdTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Closed forms for few degrees of freedom, and the Gaussian for many.
    void tailsAreThoseOfTheLaws() {
        for (const double r : {-0.9, -0.2, 0.0, 0.1, 0.5, 0.9, 0.999}) {
            QVERIFY(std::abs(match::studentTail(r, 2) - (1 - r) / 2) < 1e-13);
            QVERIFY(std::abs(match::studentTail(r, 4) - (0.5 - (3 * r - r * r * r) / 4)) < 1e-13);
            const double exact = std::acos(r) / 3.14159265358979323846; // nu = 1
            QVERIFY(std::abs(match::studentTail(r, 1) - exact) < 1e-13);
        }
        for (const double z : {0.5, 2.0, 4.0, 6.0}) {
            const double ratio =
                match::studentTail(z / std::sqrt(1e8 + z * z), 1e8) / match::gaussianTail(z);
            QVERIFY2(std::abs(ratio - 1) < 1e-4, qPrintable(QString::number(ratio)));
        }
        QVERIFY(match::studentTail(1, 10) == 0 && match::studentTail(-1, 10) == 1);
    }

    void onPureNoiseSoManyAreFoundAsWereAskedFor_data() {
        QTest::addColumn<int>("scene");
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>("templ");
        QTest::addColumn<int>("smoothing");
        QTest::addColumn<int>("templates");
        QTest::newRow("flat") << 600 << 1 << 11 << 0 << 1;
        QTest::newRow("volume") << 90 << 90 << 7 << 0 << 1;
        QTest::newRow("smooth, flat") << 600 << 1 << 21 << 3 << 1;
        QTest::newRow("smooth volume") << 100 << 100 << 11 << 2 << 1;
        QTest::newRow("bank of 30") << 300 << 1 << 9 << 0 << 30;
        QTest::newRow("bank of 30 in a volume") << 44 << 44 << 7 << 0 << 30;
        QTest::newRow("smooth bank of 30") << 500 << 1 << 15 << 2 << 30;
    }

    void onPureNoiseSoManyAreFoundAsWereAskedFor() {
        QFETCH(int, scene);
        QFETCH(int, depth);
        QFETCH(int, templ);
        QFETCH(int, smoothing);
        QFETCH(int, templates);
        job::JobImages images =
            test::imagesOf(smooth(gaussian({scene, scene, depth}, 1), smoothing),
                           smooth(gaussian({templ, templ, depth > 1 ? templ : 1}, 2), smoothing));
        for (int i = 1; i < templates; ++i) {
            images.templates.push_back(
                test::imagesOf(base::Image<float>({2, 2, 1}),
                               smooth(gaussian({templ, templ, depth > 1 ? templ : 1},
                                               static_cast<std::uint64_t>(2 + i)),
                                      smoothing))
                    .templates.front());
        }
        for (const double asked : {20.0, 80.0}) {
            job::Job job;
            job.falsePositives = asked;
            const job::JobResult result = searched(images, job);
            const auto found = static_cast<double>(result.peaks.size());
            QVERIFY2(found >= asked / 2 && found <= 2 * asked,
                     qPrintable(QString("asked for %1, found %2 at %3")
                                    .arg(asked)
                                    .arg(found)
                                    .arg(result.report.threshold->value)));
            QVERIFY(std::abs(*result.report.threshold->falsePositives - asked) < 0.05 * asked);
            // Each peak says how many accidents are as good.
            QVERIFY(*result.peaks.front().falsePositives <= *result.peaks.back().falsePositives);
            QVERIFY(*result.peaks.back().falsePositives <= 1.05 * asked);
        }
    }

    void onlyTheTrueOnesPassInTheBuiltInSamples_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<int>("least");
        QTest::newRow("cells") << "cells" << 40;
        QTest::newRow("tomogram") << "tomogram" << 30;
    }

    void onlyTheTrueOnesPassInTheBuiltInSamples() {
        QFETCH(QString, sample);
        QFETCH(int, least);
        job::Job job;
        job.falsePositives = 1;
        const job::JobResult result = searched(job::sampleImages(sample.toStdString()), job);
        const int found = static_cast<int>(result.peaks.size());
        QVERIFY2(found >= least && found <= least + 3, qPrintable(QString::number(found)));
        // The true ones are far from what an accident gives.
        const auto last = static_cast<std::size_t>(least - 1);
        QVERIFY(*result.peaks[last].falsePositives < 1e-3);
    }

    void aThresholdInDeviationsIsThatOfTheMap() {
        const job::JobImages images =
            test::imagesOf(gaussian({90, 80, 1}, 5), gaussian({9, 9, 1}, 6));
        job::Job job;
        job.zscore = 3;
        const job::JobResult result = searched(images, job);
        const match::MapStatistics& statistics = result.report.map->statistics;
        QVERIFY(std::abs(result.report.threshold->value -
                         (statistics.mean + 3 * statistics.standardDeviation)) < 1e-12);
        QVERIFY(!result.peaks.empty());
        for (const match::Peak& peak : result.peaks) {
            QVERIFY(*peak.zscore >= 3 - 1e-4);
        }
        // The window searches the same map again.
        const job::FoundPeaks again =
            job::extractPeaks(*job::keepMap(result, job, images.scene), job::thresholdsOf(job));
        QCOMPARE(again.peaks.size(), result.peaks.size());
        QCOMPARE(again.threshold->value, result.report.threshold->value);
    }

    /// By hand: a voxel of 0.5 in zeros, a ridge, and a plateau.
    void aPlateauIsNotSharp() {
        base::Image<float> value({12, 9, 1});
        base::Image<base::Status> status({12, 9, 1});
        value.fill(0.0F);
        status.fill(base::Status::Ok);
        value.view().at(2, 4, 0) = 0.5F;
        value.view().at(2, 3, 0) = 0.25F;
        for (std::int64_t y = 0; y < 9; ++y) {
            value.view().at(6, y, 0) = 0.75F;
        }
        for (std::int64_t x = 8; x < 12; ++x) {
            for (std::int64_t y = 3; y < 8; ++y) {
                value.view().at(x, y, 0) = 0.5F;
            }
        }
        match::SearchedMap map{.templates = {},
                               .numbers = {0},
                               .value = value.view(),
                               .status = status.view(),
                               .facts = {},
                               .statistics = {},
                               .firstPlacement = {10, 0, 0}};
        std::vector<match::Peak> peaks(3);
        peaks[0].corner = {12, 4, 0};
        peaks[1].corner = {16, 4, 0};
        peaks[2].corner = {18, 5, 0}; // at the border of the plateau
        match::setSharpness(peaks, {map});
        QCOMPARE(peaks[0].sharpness.value_or(-1), 0.5);
        QCOMPARE(peaks[1].sharpness.value_or(-1), 0.75); // one voxel wide: sharp across
        QCOMPARE(peaks[2].sharpness.value_or(-1), 0.0);
        status.view().at(2, 4, 0) = base::Status::Flat;
        peaks[0].sharpness.reset();
        match::setSharpness(peaks, {map});
        QVERIFY(!peaks[0].sharpness);
    }

    /// The frames share the false positives that are asked for.
    void aStreamIsOneSearch() {
        const base::Extents stack{200, 150, 5};
        const job::JobImages images = test::imagesOf(gaussian(stack, 7), gaussian({7, 7, 1}, 8));
        job::Job job;
        job.stream = true;
        job.falsePositives = 40;
        const job::JobResult result = searched(images, job);
        const auto found = static_cast<double>(result.peaks.size());
        QVERIFY2(found >= 20 && found <= 80, qPrintable(QString::number(found)));
        QVERIFY(std::abs(*result.report.threshold->falsePositives - 40) < 2);
        QCOMPARE(result.report.frames.size(), std::size_t{5});
        for (const job::FrameReport& frame : result.report.frames) {
            QVERIFY(std::abs(*frame.threshold->falsePositives - 40) < 2); // were all frames alike
        }
        const auto kept = job::keepMap(result, job, images.scene);
        const job::FoundPeaks again = job::extractPeaks(*kept, job::thresholdsOf(job));
        QCOMPARE(again.peaks.size(), result.peaks.size());
        QCOMPARE(again.threshold->value, result.report.threshold->value);
        for (std::size_t i = 0; i < again.peaks.size(); ++i) {
            QCOMPARE(*again.peaks[i].falsePositives, *result.peaks[i].falsePositives);
            QCOMPARE(*again.peaks[i].sharpness, *result.peaks[i].sharpness);
        }
        QCOMPARE(job::lawOf(*kept).maps.size(), std::size_t{5});
    }

    void theLawOfAKeptMapAnswersBothWays() {
        const job::JobImages images =
            test::imagesOf(gaussian({300, 200, 1}, 3), gaussian({9, 9, 1}, 4));
        const job::JobResult result = searched(images, {});
        const match::SearchLaw law = job::lawOf(*job::keepMap(result, {}, images.scene));
        QCOMPARE(law.maps.size(), std::size_t{1});
        QCOMPARE(law.maps.front().deviation, result.report.map->statistics.standardDeviation);
        QCOMPARE(law.thresholdFor(1), result.report.threshold->value);
        double before = 1;
        for (const double number : {0.01, 1.0, 100.0, 10'000.0}) {
            const double score = law.thresholdFor(number);
            QVERIFY(score < before);
            before = score;
            // The score is rounded up to 1e-5, which changes the number by less than 1 %.
            QVERIFY(law.falsePositives(score) <= number);
            QVERIFY(law.falsePositives(score - 2e-5) >= number);
        }
    }

    void aMapWithoutALawKeepsTheScoreOfTheOperation() {
        base::Image<float> flat({20, 20, 1});
        flat.fill(1.0F);
        const job::JobResult result =
            searched(test::imagesOf(std::move(flat), gaussian({5, 5, 1}, 4)), {});
        QCOMPARE(result.report.threshold->value, 0.5);
        QVERIFY(!result.report.threshold->falsePositives);
    }

    void aNullTemplateCountsTheFalsePositives_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("mirror") << static_cast<int>(match::NullTemplate::Mirror);
        QTest::newRow("phase") << static_cast<int>(match::NullTemplate::Phase);
    }

    /// On noise the template itself is a null like any other.
    void aNullTemplateCountsTheFalsePositives() {
        QFETCH(int, kind);
        const job::JobImages images = test::imagesOf(smooth(gaussian({400, 300, 1}, 11), 1),
                                                     smooth(gaussian({9, 9, 1}, 12), 1));
        job::Job job;
        job.null = static_cast<match::NullTemplate>(kind);
        job.falsePositives = 40;
        const job::JobResult result = searched(images, job);
        const auto found = static_cast<double>(result.peaks.size());
        QVERIFY2(found >= 20 && found <= 80, qPrintable(QString::number(found)));
        const std::vector<job::OtherSearch>& others = result.report.others;
        QCOMPARE(std::ssize(others), 1);
        QVERIFY(others[0].of == "the null template");
        QVERIFY(others[0].predictedMs > 0 && others[0].ms > 0);
        const match::SearchLaw& law = result.report.threshold->law;
        QCOMPARE(std::string(law.name()), std::string(match::name(job.null)));
        QVERIFY(law.nullScores.size() >= 1000);
        QVERIFY(std::ranges::is_sorted(law.nullScores, std::greater<>()));
        // Between two null peaks the number is that of those above.
        QVERIFY(std::abs(law.byNull(law.nullScores[199]) - 200) < 1e-9);
        QVERIFY(law.falsePositives(1) < law.falsePositives(law.nullScores[0]));
        // The larger of two numbers counts.
        QCOMPARE(law.falsePositives(0.3), std::max(law.byNull(0.3), law.byMaps(0.3)));
        const job::FoundPeaks again =
            job::extractPeaks(*job::keepMap(result, job, images.scene), job::thresholdsOf(job));
        QCOMPARE(again.peaks.size(), result.peaks.size());
        QCOMPARE(*again.peaks.back().falsePositives, *result.peaks.back().falsePositives);
    }

    void aTemplateLikeItsNullIsReported() {
        base::Image<float> symmetric({9, 9, 1});
        for (std::int64_t i = 0; i < symmetric.count(); ++i) {
            symmetric.data()[i] = static_cast<float>(std::abs(i % 9 - 4));
        }
        job::Job job;
        job.null = match::NullTemplate::Mirror;
        const job::JobImages images =
            test::imagesOf(gaussian({60, 50, 1}, 13), std::move(symmetric));
        const job::JobResult result = searched(images, job);
        QCOMPARE(result.warnings.size(), std::size_t{1});
        // A list that is made again says it too.
        const job::FoundPeaks again =
            job::extractPeaks(*job::keepMap(result, job, images.scene), job::thresholdsOf(job));
        QVERIFY(again.threshold->warnings == result.report.threshold->warnings);
        QVERIFY(QString::fromStdString(result.warnings[0]).contains("correlation of 1.00"));
        QVERIFY(result.report.warnings == result.warnings);
        const match::SearchLaw& law = result.report.threshold->law;
        QVERIFY(law.check.withdrawn && !law.hasNull() && law.nullScores.empty());
        QCOMPARE(std::string(law.name()), std::string("student"));
    }

    void aNullThatFindsTheObjectsIsNotAllowedToHideThem_data() {
        QTest::addColumn<bool>("disc");
        QTest::addColumn<QString>("rotations");
        QTest::addColumn<int>("kind");
        test::Thinned some(5);
        for (const match::NullTemplate kind :
             {match::NullTemplate::Mirror, match::NullTemplate::Phase,
              match::NullTemplate::Sphere}) {
            for (const char* rotations : {"", "90"}) {
                for (const bool disc : {true, false}) {
                    if (!some.next()) {
                        continue;
                    }
                    QTest::addRow("%s, %s, rotations %s", match::name(kind).data(),
                                  disc ? "disc" : "hook", rotations)
                        << disc << rotations << static_cast<int>(kind);
                }
            }
        }
    }

    /// 25 objects off the middle of their boxes: a disc, which its mirror image and a disc of its
    /// size find at another place of the box, and a hook, which a turn of its mirror image likes.
    void aNullThatFindsTheObjectsIsNotAllowedToHideThem() {
        QFETCH(bool, disc);
        QFETCH(QString, rotations);
        QFETCH(int, kind);
        constexpr std::int64_t kBox = 20;
        const auto object = [&](std::int64_t x, std::int64_t y) {
            const std::int64_t dx = x - 12, dy = y - 11;
            const bool hook =
                (x >= 5 && x < 9 && y >= 3 && y < 17) || (y >= 3 && y < 7 && x >= 5 && x < 15);
            return (disc ? dx * dx + dy * dy <= 36 : hook) ? 1.0F : 0.0F;
        };
        base::Image<float> scene = gaussian({250, 250, 1}, 21);
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            const std::int64_t x = i % 250, y = i / 250;
            const std::int64_t inX = x % 50 - 15, inY = y % 50 - 15;
            const bool inside = inX >= 0 && inX < kBox && inY >= 0 && inY < kBox;
            scene.data()[i] = 0.2F * scene.data()[i] + (inside ? object(inX, inY) : 0.0F);
        }
        base::Image<float> templ({kBox, kBox, 1});
        for (std::int64_t i = 0; i < templ.count(); ++i) {
            templ.data()[i] = scene.view().at(15 + i % kBox, 15 + i / kBox, 0);
        }
        job::Job job;
        job.null = static_cast<match::NullTemplate>(kind);
        job.poses.rotations = rotations.toStdString();
        const job::JobResult result =
            searched(test::imagesOf(std::move(scene), std::move(templ)), job);
        std::size_t found = 0;
        for (const match::Peak& peak : result.peaks) {
            const auto near = [](double at) { // the object, wherever it lies in its box
                return std::abs(std::remainder(at - 25, 50)) < 10;
            };
            if (near(peak.centre[0]) && near(peak.centre[1])) {
                ++found;
            }
        }
        QCOMPARE(found, std::size_t{25});
        QVERIFY(result.peaks.size() <= 27);
        const match::SearchLaw& law = result.report.threshold->law;
        const bool blind = disc && job.null != match::NullTemplate::Phase;
        QVERIFY2(law.check.withdrawn == blind,
                 qPrintable(QString::number(law.check.matched) + " of " +
                            QString::number(law.check.peaks)));
        const auto told = [&](const char* words) {
            return std::ranges::any_of(result.report.threshold->warnings, [&](const auto& each) {
                return each.find(words) != std::string::npos;
            });
        };
        QCOMPARE(told("does no better") || told("does hardly better"), blind);
    }

    /// A template with a slope likes a slope; its scrambled phases do not.
    void aNullThatKnowsNoSlopePromisesNothing() {
        base::Image<float> scene = gaussian({200, 200, 1}, 31);
        base::Image<float> templ = gaussian({15, 15, 1}, 32);
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            scene.data()[i] += 0.2F * static_cast<float>(i % 200);
        }
        for (std::int64_t i = 0; i < templ.count(); ++i) {
            templ.data()[i] += 0.2F * static_cast<float>(i % 15);
        }
        job::Job job;
        job.null = match::NullTemplate::Phase;
        job.falsePositives = 10;
        job.maxPeaks = 1000;
        const job::JobResult result =
            searched(test::imagesOf(std::move(scene), std::move(templ)), job);
        QVERIFY2(result.peaks.size() <= 20, qPrintable(QString::number(result.peaks.size())));
    }

    /// The sums of products at every shift along an axis are those of the image.
    void scrambledPhasesKeepThePowerSpectrum() {
        const base::Extents extents{6, 5, 4};
        base::Image<double> image(extents);
        base::Random random(14);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] = random.uniform(-1, 3);
        }
        const base::Image<float> null = match::phaseScrambled(image.view(), 1);
        const auto products = [&](const auto& of, std::int64_t shift) {
            double sum = 0;
            for (std::int64_t i = 0; i < of.count(); ++i) {
                const std::int64_t x = i % extents.x;
                const std::int64_t other = i - x + (x + shift) % extents.x;
                sum += static_cast<double>(of.data()[i]) * static_cast<double>(of.data()[other]);
            }
            return sum;
        };
        double most = 0;
        for (std::int64_t i = 0; i < image.count(); ++i) {
            most = std::max(most, std::abs(image.data()[i] - static_cast<double>(null.data()[i])));
        }
        QVERIFY(most > 0.5); // another image
        // 120 products of floats below 8, each with two errors of 2^-24 of them.
        const double bound = 120 * 8 * 2 * std::ldexp(1, -24) * 8;
        for (std::int64_t shift = 0; shift < 6; ++shift) {
            QVERIFY(std::abs(products(image, shift) - products(null, shift)) < bound);
        }
    }

    void optionsAreReadWrittenAndRefused() {
        const auto parsed = [](std::vector<std::string> words) {
            words.insert(words.begin(), {"a.mha", "b.mha"});
            return test::matchOf(words);
        };
        QCOMPARE(job::falsePositivesOf(parsed({})).value(), 1.0);
        QVERIFY(parsed({"--min-score", "auto"}) == parsed({}));
        QCOMPARE(parsed({"--min-score", "0.5"}).minScore.value(), 0.5);
        QVERIFY(!job::mapDecidesThreshold(parsed({"--min-score", "0.5"})));
        for (job::Job job : {parsed({"--false-positives", "5", "--null", "phase"}),
                             parsed({"--zscore", "-4.5", "--null", "mirror"}),
                             parsed({"--min-score", "0.5"}), parsed({})}) {
            QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
            QVERIFY(job::withThresholds(job, job::thresholdsOf(job)).minScore == job.minScore);
        }
        job::Job job = parsed({"--false-positives", "5"});
        job.zscore = 4;
        const auto sentence = [&] {
            return QString::fromStdString(
                test::thrownBy([&] { (void)job::planJob(job, {}); }).sentence);
        };
        QVERIFY(sentence().contains("give one of them"));
        job.zscore.reset();
        job.operation = *method::operationNamed("ssd");
        QVERIFY(sentence().contains("--max-score"));
        job.falsePositives.reset();
        job.null = match::NullTemplate::Phase;
        QVERIFY(sentence().contains("--max-score"));
    }
};

const flcc::test::TestClass<ThresholdTest> kThresholdTest;
#include "threshold_test.moc"
