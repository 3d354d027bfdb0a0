#include <QtTest>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/job/any_job.h"
#include "engine/job/kept_map.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/test_class.h"

// Turned objects are listed once each: maxima in other poses on their slopes are not.

using namespace flcc;
using base::Extents;
using base::Point;
using job::Job;

namespace {

/// An L of 19x10 pixels about the centre of its box.
float shapeAt(double x, double y) {
    const bool bar = std::abs(x) <= 9 && y >= -4.5 && y <= -0.5;
    const bool foot = x >= -9 && x <= -5 && std::abs(y) <= 4.5;
    return bar || foot ? 1.0F : 0.0F;
}

struct Objects {
    job::JobImages images;
    std::vector<Point> centres;
};

/// 25 objects turned at random in noise. Six of them have one more beside them, turned by half a
/// turn, that lies in the L with a gap of one pixel.
const Objects& objects() {
    static const Objects kMade = [] {
        constexpr std::int64_t kEdge = 400;
        std::mt19937 random(1);
        const auto any = [&random](double least, double most) {
            return std::uniform_real_distribution<double>(least, most)(random);
        };
        Objects made;
        base::Image<float> scene({kEdge, kEdge, 1}, 0.0F);
        const auto put = [&](const Point& centre, double radians) {
            for (std::int64_t i = 0; i < scene.count(); ++i) {
                const double x = static_cast<double>(i % kEdge) - centre[0];
                const double y = static_cast<double>(i / kEdge) - centre[1];
                scene.data()[i] += shapeAt(std::cos(radians) * x + std::sin(radians) * y,
                                           std::cos(radians) * y - std::sin(radians) * x);
            }
            made.centres.push_back(centre);
        };
        for (int i = 0; i < 25; ++i) {
            const Point centre{80.0 + 60 * (i % 5) + any(-3, 3), 80.0 + 60 * (i / 5) + any(-3, 3),
                               0};
            const double radians = any(0, 2 * std::numbers::pi);
            put(centre, radians);
            if (i < 6) {
                constexpr double kAway = 5;
                put({centre[0] - kAway * std::sin(radians), centre[1] + kAway * std::cos(radians),
                     0},
                    radians + std::numbers::pi);
            }
        }
        std::normal_distribution<float> noise(0, 0.2F);
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            scene.data()[i] += noise(random);
        }
        base::Image<float> templ({21, 12, 1}, 0.0F);
        auto mask = std::make_shared<job::MaskImage>();
        mask->support = base::Image<std::uint8_t>(templ.extents(), 0);
        for (std::int64_t i = 0; i < templ.count(); ++i) {
            const double x = static_cast<double>(i % 21) - 10;
            const double y = static_cast<double>(i / 21) - 5.5;
            templ.data()[i] = shapeAt(x, y);
            const bool beside = shapeAt(x - 1, y) + shapeAt(x + 1, y) + shapeAt(x, y - 1) +
                                    shapeAt(x, y + 1) + shapeAt(x, y) >
                                0;
            mask->support.data()[i] = beside ? 1 : 0;
        }
        made.images = test::imagesOf(std::move(scene), std::move(templ));
        made.images.masks = {std::move(mask)};
        return made;
    }();
    return kMade;
}

Job searching() {
    Job job;
    job.poses.rotations = "10";
    job.minDistance = 2;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.audit = job::Audit::Off;
    return job;
}

/// Objects with a peak within 3 pixels, each counted once.
int found(const std::vector<match::Peak>& peaks) {
    return static_cast<int>(std::ranges::count_if(objects().centres, [&](const Point& centre) {
        return std::ranges::count_if(peaks, [&](const match::Peak& peak) {
                   return std::hypot(peak.centre[0] - centre[0], peak.centre[1] - centre[1]) < 3;
               }) == 1;
    }));
}

} // namespace

class OverlapsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void everyObjectIsListedOnce() {
        const job::JobImages& images = objects().images;
        for (const bool refined : {true, false}) {
            Job job = searching();
            job.poses.refine = refined;
            const job::JobResult result = job::runJob(job, images);
            QCOMPARE(std::ssize(result.peaks), std::ptrdiff_t{31});
            QCOMPARE(found(result.peaks), 31);
            // The other way round from the map that is kept, and back.
            const auto kept = job::keepMap(result, job, result.scene);
            job::PeakThresholds any = job::thresholdsOf(job);
            any.maxOverlap = 1;
            const job::FoundPeaks all = job::extractPeaks(*kept, any);
            QVERIFY2(all.peaks.size() >= 75, qPrintable(QString::number(all.peaks.size())));
            const auto sure = std::ranges::count_if(all.peaks, [](const match::Peak& peak) {
                return peak.falsePositives && *peak.falsePositives < 1e-3;
            });
            QVERIFY2(sure >= 50, qPrintable(QString::number(sure)));
            QVERIFY(!job::stricterPeaks(*kept, all, any, job::thresholdsOf(job)));
            const job::FoundPeaks again = job::extractPeaks(*kept, job::thresholdsOf(job));
            QCOMPARE(again.peaks.size(), result.peaks.size());
            for (std::size_t i = 0; i < again.peaks.size(); ++i) {
                QVERIFY(again.peaks[i].corner == result.peaks[i].corner);
                QVERIFY(again.peaks[i].score == result.peaks[i].score);
            }
        }
    }

    /// The masks of the six pairs are a pixel larger than the objects all around.
    static void aPeakNamesTheOneThatItOverlaps() {
        const job::JobReport report = job::runJob(searching(), objects().images).report;
        const auto json = nlohmann::json::parse(job::toJson(report));
        int named = 0;
        for (std::size_t i = 0; i < report.peaks.size(); ++i) {
            const auto& overlap = json["peaks"][i]["overlap"];
            if (overlap.is_null()) {
                continue;
            }
            ++named;
            const auto under = overlap["under"].get<std::size_t>() - 1;
            QVERIFY(under < i && overlap["share"].get<double>() < 0.3);
            const Point& a = report.peaks[i].centre;
            const Point& b = report.peaks[under].centre;
            QVERIFY(std::abs(std::hypot(a[0] - b[0], a[1] - b[1]) - 5) < 1);
        }
        QCOMPARE(named, 6);
        QVERIFY(job::toText(report).find("and 3 more overlap better peaks") != std::string::npos);
        QVERIFY(job::toHtml(report).find("maxima on the slope") != std::string::npos);
    }

    /// Without rotations any overlap is listed unless the job states one.
    static void theOptionHasItsDefaultByTheSearch() {
        Job job;
        QVERIFY(!job::maxOverlapOf(job));
        job.poses.scales = "0.9,1";
        QCOMPARE(job::maxOverlapOf(job).value_or(0), 0.3);
        job.maxOverlap = 1;
        QVERIFY(!job::maxOverlapOf(job));
        job.maxOverlap = 0;
        QCOMPARE(job::maxOverlapOf(job).value_or(1), 0.0);
        const Job read = test::matchOf({"s", "t", "--max-overlap", "0.25"});
        QCOMPARE(read.maxOverlap.value_or(0), 0.25);
        QVERIFY(test::matchOf(job::toArguments(read)) == read);
        QVERIFY(job::fromJobFile(job::toJobFile(read)) == read);
        QVERIFY(job::fromJobFile(R"({"max-overlap": "auto"})") == Job{});
        QVERIFY(test::matchOf({"s", "t", "--max-overlap=auto"}).maxOverlap == std::nullopt);
        for (const char* text : {"-0.1", "1.1", "nan", "some"}) {
            QCOMPARE(test::thrownBy([&] {
                         (void)job::parseArguments(
                             "match", {"s", "t", std::string("--max-overlap=") + text});
                     }).code,
                     base::ErrorCode::CommandLine);
        }
        // Two copies of a template without rotations, half a template apart.
        base::Image<float> scene({40, 12, 1}, 0.0F);
        base::Image<float> templ({8, 8, 1}, 0.0F);
        for (const std::int64_t first : {4, 9}) {
            for (std::int64_t i = 0; i < 9; ++i) {
                scene.view().at({first + i % 3, 4 + i / 3, 0}) = static_cast<float>(1 + i % 4);
                templ.view().at({2 + i % 3, 2 + i / 3, 0}) = static_cast<float>(1 + i % 4);
            }
        }
        Job plain;
        plain.minScore = 0.5;
        plain.planning = plan::Planning::Estimate;
        const job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
        const std::vector<match::Peak> both = job::runJob(plain, images).peaks;
        QCOMPARE(both.size(), std::size_t{2});
        QVERIFY(!both[0].overlap);
        QCOMPARE(both[1].overlap.value_or(match::PeakOverlap{}).share, 3.0 / 8);
        plain.maxOverlap = 0.37;
        QCOMPARE(job::runJob(plain, images).peaks.size(), std::size_t{1});
        plain.maxOverlap = 0.375;
        QCOMPARE(job::runJob(plain, images).peaks.size(), std::size_t{2});
    }
};

const flcc::test::TestClass<OverlapsTest> kOverlapsTest;
#include "overlaps_test.moc"
