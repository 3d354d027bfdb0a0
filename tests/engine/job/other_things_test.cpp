#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/random.h"
#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/job/kept_map.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/noise_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::gaussian;

namespace {

constexpr std::int64_t kBox = 11;
constexpr std::int64_t kEdge = 48;

/// Adds a rod of radius 1.5 along `axis`, of length 1, or a ball of radius 3 where `axis` is 0.
void draw(base::Image<float>& image, const base::Point& centre, const base::Point& axis) {
    const base::Extents& n = image.extents();
    const bool ball = axis == base::Point{0, 0, 0};
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const base::Point at{static_cast<double>(i % n.x) - centre[0],
                             static_cast<double>(i / n.x % n.y) - centre[1],
                             static_cast<double>(i / (n.x * n.y)) - centre[2]};
        const double along =
            std::clamp(at[0] * axis[0] + at[1] * axis[1] + at[2] * axis[2], -3.0, 3.0);
        const double off =
            std::hypot(at[0] - along * axis[0], at[1] - along * axis[1], at[2] - along * axis[2]);
        image.data()[i] += static_cast<float>(std::clamp((ball ? 3.5 : 2.0) - off, 0.0, 1.0));
    }
}

base::Point anyAxis(base::Random& random) {
    const base::Point axis{random.normal(), random.normal(), random.normal()};
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    return {axis[0] / length, axis[1] / length, axis[2] / length};
}

constexpr std::array<base::Point, 5> kRods{
    {{8, 8, 8}, {38, 10, 9}, {10, 39, 24}, {24, 24, 24}, {38, 38, 38}}};
constexpr std::array<base::Point, 4> kBalls{{{9, 24, 38}, {38, 24, 20}, {24, 8, 38}, {24, 40, 8}}};

/// A scene of rods and balls in noise, and one of them as the template.
job::JobImages images(bool balls, bool ofBall) {
    base::Image<float> scene = gaussian({kEdge, kEdge, kEdge}, 3);
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] *= 0.3F;
    }
    base::Random random(4);
    for (const base::Point& at : kRods) {
        draw(scene, at, anyAxis(random));
    }
    for (std::size_t i = 0; balls && i < kBalls.size(); ++i) {
        draw(scene, kBalls[i], {0, 0, 0});
    }
    base::Image<float> templ({kBox, kBox, kBox});
    templ.fill(0);
    draw(templ, {5, 5, 5}, ofBall ? base::Point{0, 0, 0} : base::Point{0, 0, 1});
    return test::imagesOf(std::move(scene), std::move(templ));
}

job::Job turned() {
    job::Job job;
    job.masks = {"sphere:5"};
    job.poses.rotations = "30";
    job.poses.refine = false;
    return job;
}

template <class Places>
std::size_t foundAt(const std::vector<match::Peak>& peaks, const Places& places) {
    return static_cast<std::size_t>(std::ranges::count_if(places, [&](const base::Point& at) {
        return std::ranges::any_of(peaks, [&](const match::Peak& peak) {
            return std::hypot(peak.centre[0] - at[0], peak.centre[1] - at[1],
                              peak.centre[2] - at[2]) < 3;
        });
    }));
}

bool warns(const std::vector<std::string>& warnings) {
    return std::ranges::any_of(warnings, [](const std::string& each) {
        return each.find("--list-others lists them") != std::string::npos;
    });
}

} // namespace

/// Things in the scene that are not the template but score far above noise.
class OtherThingsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void ballsAreLeftOutOfAListOfRods() {
        const job::JobImages scene = images(true, false);
        job::Job job = turned();
        const job::JobResult result = test::searched(scene, job);
        QCOMPARE(foundAt(result.peaks, kRods), kRods.size());
        QCOMPARE(foundAt(result.peaks, kBalls), std::size_t{0});
        const job::ThresholdReport& threshold = *result.report.threshold;
        QVERIFY(threshold.others && threshold.others->others >= std::ssize(kBalls));
        QCOMPARE(threshold.others->places, threshold.others->others + std::ssize(result.peaks));
        QVERIFY(warns(threshold.warnings) && warns(result.report.warnings));
        QVERIFY(job::toJson(result.report).find("\"left_out\"") != std::string::npos);

        // A list that is made again leaves out the same, and one of a score nothing.
        const auto kept = job::keepMap(result, job, scene.scene);
        job::PeakThresholds wanted = job::thresholdsOf(job);
        wanted.maxPeaks = 1'000'000;
        const job::FoundPeaks again = job::extractPeaks(*kept, wanted);
        QCOMPARE(again.peaks.size(), result.peaks.size());
        QVERIFY(!job::stricterPeaks(*kept, again, wanted, wanted));
        wanted.falsePositives.reset();
        wanted.threshold = threshold.value;
        const job::FoundPeaks all = job::extractPeaks(*kept, wanted);
        QVERIFY(!all.threshold || !all.threshold->others);
        QCOMPARE(foundAt(all.peaks, kBalls), kBalls.size());

        // The list is full where others are left out.
        job.maxPeaks = std::ssize(kRods);
        job.planning = plan::Planning::Estimate;
        const job::JobResult few = job::runJob(job, scene);
        QCOMPARE(foundAt(few.peaks, kRods), kRods.size());
        QVERIFY(few.report.threshold->others->places > job.maxPeaks);

        job.listOthers = true;
        const job::JobResult listed = test::searched(scene, job);
        QCOMPARE(foundAt(listed.peaks, kBalls), kBalls.size());
        QVERIFY(!listed.report.threshold->others && !warns(listed.report.warnings));
    }

    /// Refining takes up peaks that better ones hide, and so those at the balls.
    void refiningBringsNoneBack() {
        job::Job job = turned();
        job.poses.refine = true;
        const job::JobResult result = test::searched(images(true, false), job);
        QCOMPARE(foundAt(result.peaks, kRods), kRods.size());
        QCOMPARE(foundAt(result.peaks, kBalls), std::size_t{0});
    }

    void rodsAloneStay() {
        const job::JobResult result = test::searched(images(false, false), turned());
        QCOMPARE(foundAt(result.peaks, kRods), kRods.size());
        QVERIFY(result.report.threshold->others && result.report.threshold->others->others == 0);
        QVERIFY(!warns(result.report.warnings));
    }

    /// A ball scores alike in all orientations, which tell nothing.
    void aRoundTemplateKeepsItsPlaces() {
        const job::JobResult result = test::searched(images(true, true), turned());
        QCOMPARE(foundAt(result.peaks, kBalls), kBalls.size());
        QCOMPARE(result.report.threshold->others->others, std::int64_t{0});
    }

    void turnsInAPlaneTellNothing() {
        job::Job job;
        job.poses.rotations = "5";
        const job::JobResult result =
            test::searched(test::imagesOf(gaussian({60, 60, 1}, 5), gaussian({9, 9, 1}, 6)), job);
        QVERIFY(!result.report.threshold->others);
    }
};

const flcc::test::TestClass<OtherThingsTest> kOtherThingsTest;
#include "other_things_test.moc"
