#include <QtTest>

#include <algorithm>
#include <cmath>

#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/match/score_law.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/noise_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::gaussian;
using test::searched;
using test::smooth;

namespace {

/// The left part, a share of the columns, is smooth.
base::Image<float> uneven(const base::Extents& extents, double share, int times,
                          std::uint64_t seed) {
    base::Image<float> image = gaussian(extents, seed);
    const base::Image<float> other = smooth(gaussian(extents, seed + 100), times);
    double squares = 0; // so that both parts have one deviation
    for (std::int64_t i = 0; i < other.count(); ++i) {
        squares += static_cast<double>(other.data()[i]) * static_cast<double>(other.data()[i]);
    }
    const double scale = std::sqrt(static_cast<double>(other.count()) / squares);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        if (static_cast<double>(i % extents.x) < share * static_cast<double>(extents.x)) {
            image.data()[i] = static_cast<float>(scale * static_cast<double>(other.data()[i]));
        }
    }
    return image;
}

bool warnsOf(const job::JobResult& result, const char* word) {
    const auto& warnings = result.report.warnings;
    return std::ranges::any_of(warnings, [word](const std::string& sentence) {
        return sentence.find(word) != std::string::npos;
    });
}

} // namespace

/// Scenes whose noise is not one statistic, and templates whose scores have several laws.
class UnevenThresholdTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void soManyAreFoundAsWereAskedFor_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>("templates");
        QTest::addColumn<QString>("options");
        QTest::newRow("half smoother") << 0.5 << 1 << 1 << "";
        QTest::newRow("tenth smoother") << 0.1 << 1 << 1 << "";
        QTest::newRow("half of a volume") << 0.5 << 72 << 1 << "";
        QTest::newRow("bank of 6") << 0.5 << 1 << 6 << "";
        QTest::newRow("36 turns, even") << 1.0 << 1 << 1 << "--rotations 10 --mask sphere:7";
        QTest::newRow("36 turns, half smoother")
            << 0.5 << 1 << 1 << "--rotations 10 --mask sphere:7";
        QTest::newRow("sizes in white noise") << 0.0 << 1 << 1 << "--scales 0.6,1,1.7";
    }

    void soManyAreFoundAsWereAskedFor() {
        QFETCH(double, share);
        QFETCH(int, depth);
        QFETCH(int, templates);
        QFETCH(QString, options);
        const bool volume = depth > 1;
        const std::int64_t edge = volume ? depth : options.isEmpty() ? 400 : 250;
        const std::int64_t own = volume ? 9 : 17;
        std::vector<std::string> words{"a.mha", "b.mha", "--refine", "off"};
        for (const QString& word : options.split(' ', Qt::SkipEmptyParts)) {
            words.push_back(word.toStdString());
        }
        job::Job job = test::matchOf(words);
        job.scene.clear();
        job.templates.clear();
        job.falsePositives = 10;
        std::size_t found = 0;
        constexpr int kScenes = 2;
        for (std::uint64_t seed = 1; seed <= kScenes; ++seed) {
            job::JobImages images =
                test::imagesOf(uneven({edge, edge, volume ? edge : 1}, share, volume ? 4 : 7, seed),
                               smooth(gaussian({own, own, volume ? own : 1}, 50 + seed), 2));
            for (int i = 1; i < templates; ++i) {
                images.templates.push_back(
                    test::imagesOf(base::Image<float>({2, 2, 1}),
                                   smooth(gaussian({own, own, 1},
                                                   60 + seed + 2 * static_cast<std::uint64_t>(i)),
                                          i % 3))
                        .templates.front());
            }
            const job::JobResult result = searched(images, job);
            found += result.peaks.size();
            QVERIFY(std::abs(*result.report.threshold->falsePositives - 10) < 0.5);
        }
        // A law of all scores together finds three times as many as were asked for, or a tenth.
        QVERIFY2(found >= 10 && found <= 40, qPrintable(QString::number(found)));
    }

    /// By the integral of the tail: E r^2 = 4 int r P(R > r) dr.
    void tailsKeepTheDeviation() {
        for (const double flatness : {6.0, 9.0, 13.0}) {
            match::LawPart part{.deviation = 0.18};
            match::setTail(part, flatness);
            double second = 0;
            double fourth = 0;
            constexpr int kSteps = 20'000;
            for (int i = 0; i < kSteps; ++i) {
                const double r = (i + 0.5) / kSteps;
                second += 4 * r * part.tail(r) / kSteps;
                fourth += 8 * r * r * r * part.tail(r) / kSteps;
            }
            QVERIFY(std::abs(second / (0.18 * 0.18) - 1) < 1e-4);
            // Flatness f is the kurtosis 3 - f s^2 / (1 + 2 s^2); 3 % of Student's law are in it.
            const double s2 = 0.18 * 0.18 / (1 + 2 * 0.18 * 0.18);
            const double kurtosis = 3 - (0.97 * flatness + 0.03 * 6) * s2;
            QVERIFY2(std::abs(fourth / (second * second) - kurtosis) < 1e-3,
                     qPrintable(QString::number(fourth / (second * second) - kurtosis)));
        }
    }

    void evenNoiseHasOneLawAndNoWarning() {
        const job::JobResult result =
            searched(test::imagesOf(gaussian({300, 300, 1}, 3), gaussian({9, 9, 1}, 4)), {});
        QVERIFY(result.report.warnings.empty() && result.report.threshold->warnings.empty());
        const match::ScoreLaw& law = result.report.threshold->law.maps.front();
        QVERIFY(law.tiles > 1);
        const auto [least, most] = law.deviations();
        QVERIFY(most < 1.03 * least);
        double count = 0;
        for (const match::LawPart& part : law.parts) {
            count += part.count;
        }
        QCOMPARE(count, law.count);
    }

    void sparseCountsAreReported() {
        base::Image<float> counts({300, 300, 1});
        base::Random random(5);
        for (std::int64_t i = 0; i < counts.count(); ++i) {
            counts.data()[i] = random.uniform(0, 1) < 0.04 ? 1.0F : 0.0F;
        }
        base::Image<float> spot({15, 15, 1});
        for (std::int64_t i = 0; i < spot.count(); ++i) {
            const auto x = static_cast<double>(i % 15 - 7);
            const auto y = static_cast<double>(i / 15 - 7);
            spot.data()[i] = static_cast<float>(std::exp(-(x * x + y * y) / 8));
        }
        const job::JobResult result =
            searched(test::imagesOf(std::move(counts), std::move(spot)), {});
        QVERIFY(warnsOf(result, "sparse counts"));
        QVERIFY(job::toJson(result.report).find("sparse counts") != std::string::npos);
        QVERIFY(result.report.threshold->warnings == result.report.warnings);
    }

    /// Copies of the negative of the template are no false peaks, but the law does not know them.
    void minimaThatTheLawDoesNotKnowAreReported() {
        const base::Image<float> templ = gaussian({9, 9, 1}, 6);
        base::Image<float> scene = gaussian({300, 300, 1}, 7);
        for (std::int64_t i = 0; i < 30; ++i) {
            for (std::int64_t k = 0; k < 81; ++k) {
                scene.view().at(10 + i % 6 * 45 + k % 9, 10 + i / 6 * 50 + k / 9, 0) -=
                    3 * templ.data()[k];
            }
        }
        base::Image<float> copy({9, 9, 1});
        std::copy(templ.data(), templ.data() + 81, copy.data());
        const job::JobResult result =
            searched(test::imagesOf(std::move(scene), std::move(copy)), {});
        QVERIFY(warnsOf(result, "minima"));
    }
};

const flcc::test::TestClass<UnevenThresholdTest> kUnevenThresholdTest;
#include "uneven_threshold_test.moc"
