#include <QtTest>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/any_job.h"
#include "engine/job/explain.h"
#include "engine/job/kept_map.h"
#include "engine/rotation/pose_bank.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Point;
using job::Job;
using job::JobResult;
using rotation::Pose;

namespace {

/// Three unequal arms in space, or in the plane: no turn and no mirror image is the same.
double armsAt(const Point& p, bool flat) {
    struct Blob {
        Point centre;
        double radius;
        double value;
    };
    static const std::vector<Blob> kBlobs{{{0, 0, 0}, 2, 1},         {{3, 0, 0}, 1.5, 1},
                                          {{5.5, 0, 0}, 1.2, 1.1},   {{0, 3.5, 0}, 1.3, -0.9},
                                          {{-2.5, -2, 0}, 1.5, 0.8}, {{0, 0, 3.5}, 1.5, 1.2},
                                          {{0, 1.5, -4}, 1.2, -1}};
    double sum = 0;
    for (const Blob& blob : kBlobs) {
        if (flat && blob.centre[2] != 0) {
            continue;
        }
        double square = 0;
        for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
            square += (p[axis] - blob.centre[axis]) * (p[axis] - blob.centre[axis]);
        }
        sum += blob.value * std::exp(-square / (2 * blob.radius * blob.radius));
    }
    return sum;
}

struct Planted {
    Point centre;
    Pose pose;
};

/// Adds the shape, posed by the inverse of the stated matrix: o -> F M^T o / scale.
void plant(base::Image<float>& image, const Planted& planted, bool flat) {
    const rotation::Matrix m = rotation::matrixOf(planted.pose.turn);
    const Extents& n = image.extents();
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const Point o{static_cast<double>(i % n.x) - planted.centre[0],
                      static_cast<double>(i / n.x % n.y) - planted.centre[1],
                      static_cast<double>(i / (n.x * n.y)) - planted.centre[2]};
        Point p{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            p[axis] =
                (m[axis] * o[0] + m[3 + axis] * o[1] + m[6 + axis] * o[2]) / planted.pose.scale;
        }
        p[0] *= planted.pose.mirrored ? -1 : 1;
        image.data()[i] += static_cast<float>(armsAt(p, flat));
    }
}

base::Image<float> noisy(const Extents& n, double share) {
    const base::AnyImage noise = test::noise(base::PixelType::Float32, n, 3);
    base::Image<float> image(n);
    double squares = 0;
    const auto& from = std::get<base::Image<float>>(noise);
    for (std::int64_t i = 0; i < from.count(); ++i) {
        squares += from.data()[i] * from.data()[i];
    }
    const double by = share / std::sqrt(squares / static_cast<double>(from.count()));
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(by * from.data()[i]);
    }
    return image;
}

job::JobImages pictureOf(const std::vector<Planted>& planted, const Extents& n, bool flat) {
    base::Image<float> scene = noisy(n, 0.1);
    for (const Planted& each : planted) {
        plant(scene, each, flat);
    }
    const std::int64_t edge = 19;
    base::Image<float> templ({edge, edge, flat ? 1 : edge}, 0.0F);
    const double middle = static_cast<double>(edge - 1) / 2;
    plant(templ, {{middle, middle, flat ? 0 : middle}, {}}, flat);
    base::Geometry geometry;
    geometry.spacing = {10, 10, 10};
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    return test::imagesOf(std::move(scene), std::move(templ), geometry);
}

Job searching(const char* rotations, const char* scales = "") {
    Job job;
    job.poses.rotations = rotations;
    job.poses.scales = scales;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.minScore = 0.6;
    job.poses.refine = false;
    return job;
}

const match::Peak* nearest(const std::vector<match::Peak>& peaks, const Point& centre) {
    for (const match::Peak& peak : peaks) {
        if (std::hypot(peak.centre[0] - centre[0], peak.centre[1] - centre[1],
                       peak.centre[2] - centre[2]) < 1) {
            return &peak;
        }
    }
    return nullptr;
}

std::vector<Planted> inTheVolume() {
    return {{{17, 18, 16}, {rotation::fromEuler({20, 60, -110}), 1, false}},
            {{42.3, 17.6, 20}, {rotation::fromEuler({-150, 100, 35}), 1, false}},
            {{28, 43, 18.5}, {rotation::fromEuler({75, 15, 170}), 1, false}}};
}

} // namespace

class PosesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void objectsInAPictureAreFoundAsTheyLie() {
        const std::vector<Planted> planted{{{30, 31, 0}, {rotation::inPlane(0), 1, false}},
                                           {{80, 30, 0}, {rotation::inPlane(133), 1, false}},
                                           {{30, 81, 0}, {rotation::inPlane(288), 1.2, false}},
                                           {{81, 82, 0}, {rotation::inPlane(41), 1.2, true}},
                                           {{56, 55, 0}, {rotation::inPlane(200), 1, true}}};
        Job job = searching("8", "1,1.2");
        job.poses.mirror = true;
        const JobResult result = job::runJob(job, pictureOf(planted, {112, 112, 1}, true));
        QCOMPARE(std::ssize(result.peaks), std::ssize(planted));
        for (const Planted& each : planted) {
            const match::Peak* const peak = nearest(result.peaks, each.centre);
            QVERIFY(peak != nullptr && peak->pose);
            const double off = rotation::angleBetween(peak->pose->turn, each.pose.turn);
            QVERIFY2(off <= 4 + 1e-9, qPrintable(QString::number(off)));
            QCOMPARE(peak->pose->scale, each.pose.scale);
            QCOMPARE(peak->pose->mirrored, each.pose.mirrored);
            // The corner is that of the template's own box about the centre.
            QVERIFY(std::abs(static_cast<double>(peak->corner.x) + 9 - each.centre[0]) <= 1.5);
        }
    }

    static void posesAreRefined_data() {
        QTest::addColumn<bool>("flat");
        QTest::newRow("image") << true;
        QTest::newRow("volume") << false;
    }

    static void posesAreRefined() {
        QFETCH(bool, flat);
        const auto turn = [flat](double degrees, const Point& euler) {
            return flat ? rotation::inPlane(degrees) : rotation::fromEuler(euler);
        };
        // Half a step from the poses that are searched, in the image.
        const std::vector<Planted> planted{
            {{17.3, 18.4, flat ? 0 : 16.2}, {turn(138.2, {20, 60, -110}), 1.07, false}},
            {{42.2, 17.6, flat ? 0 : 20.4}, {turn(29.9, {-150, 100, 35}), 1, false}},
            {{28.1, 43.3, flat ? 0 : 18.5}, {turn(282.1, {75, 15, 170}), 1.1, false}}};
        Job job = searching(flat ? "12" : "40", flat ? "1,1.1" : "1.05");
        if (!flat) {
            job.masks = {"sphere:9"};
        }
        job.minScore = 0.45;
        const job::JobImages images = pictureOf(planted, {60, 60, flat ? 1 : 38}, flat);
        const JobResult coarse = job::runJob(job, images);
        job.poses.refine = true;
        const JobResult fine = job::runJob(job, images);
        QVERIFY(std::ssize(fine.peaks) >= std::ssize(planted));
        const auto cover = flat ? rotation::flatCover(rotation::parseRotations("12"), {})
                                : rotation::spaceCover(rotation::parseRotations("30"), {});
        for (std::size_t i = 0; i < fine.peaks.size(); ++i) {
            const match::Peak& peak = fine.peaks[i];
            QVERIFY(std::max(peak.score, peak.refinement ? peak.refinement->score : -1) >= 0.45);
            QVERIFY(i == 0 || !peak.refinement || !fine.peaks[i - 1].refinement ||
                    peak.refinement->score <= fine.peaks[i - 1].refinement->score);
            // What the map says stays.
            const auto same = std::ranges::find(coarse.peaks, peak.corner, &match::Peak::corner);
            if (same != coarse.peaks.end()) {
                QCOMPARE(peak.score, same->score);
                QVERIFY(!same->refinement);
                QVERIFY(!peak.refinement || peak.refinement->searched == *same->pose);
            }
            QVERIFY(flat ? peak.pose->scale >= 1 && peak.pose->scale <= 1.1
                         : peak.pose->scale == 1.05);
        }
        double coarseOff = 0;
        double fineOff = 0;
        for (const Planted& each : planted) {
            const match::Peak* const peak = nearest(fine.peaks, each.centre);
            QVERIFY(peak != nullptr);
            const double off = rotation::angleBetween(peak->pose->turn, each.pose.turn);
            const match::Peak* const before = nearest(coarse.peaks, each.centre);
            coarseOff += rotation::angleBetween(before->pose->turn, each.pose.turn);
            fineOff += off;
            QVERIFY2(off < (flat ? 0.6 : 1), qPrintable(QString::number(off)));
            QVERIFY2(std::abs(peak->pose->scale - each.pose.scale) < (flat ? 0.01 : 0.06),
                     qPrintable(QString::number(peak->pose->scale)));
            const double moved =
                std::hypot(peak->centre[0] - each.centre[0], peak->centre[1] - each.centre[1],
                           peak->centre[2] - each.centre[2]);
            QVERIFY2(moved < (flat ? 0.05 : 0.1), qPrintable(QString::number(moved)));
            QVERIFY(peak->refinement->score > peak->score);
        }
        QVERIFY2(fineOff < 0.35 * coarseOff,
                 qPrintable(QString("%1 %2").arg(fineOff).arg(coarseOff)));
        if (!flat) {
            return;
        }
        // Of operations other than lcc nothing is refined.
        job.operation = *method::operationNamed("correlation");
        job.minScore = 5;
        const JobResult other = job::runJob(job, images);
        QVERIFY(!other.peaks.empty() && !other.peaks.front().refinement);
    }

    static void aVolumeIsSearchedOverAllOrientations() {
        const std::vector<Planted> planted = inTheVolume();
        Job job = searching("30");
        job.masks = {"sphere:9"};
        job.minScore = 0.5;
        const JobResult result = job::runJob(job, pictureOf(planted, {58, 60, 38}, false));
        const job::PosesReport& poses = *result.report.poses;
        QCOMPARE(poses.members, 12 * 2 * 2 * 12);    // nside 2: 48 >= 4 pi / (pi / 6)^2
        QVERIFY(poses.box == (Extents{19, 19, 19})); // a round mask does not grow
        for (const Planted& each : planted) {
            const match::Peak* const peak = nearest(result.peaks, each.centre);
            QVERIFY(peak != nullptr);
            QVERIFY(rotation::angleBetween(peak->pose->turn, each.pose.turn) <= poses.radius);
        }
    }

    static void peaksSuppressWithinTheTurnedTemplate() {
        // Two upright bars beside each other, sought by one that lies: within its turned box, but
        // not within half of the template as it is turned.
        base::Image<float> scene = noisy({70, 70, 1}, 0.02);
        for (const std::int64_t x : {30, 38}) {
            for (std::int64_t y = 25; y < 45; ++y) {
                scene.view().at(x, y, 0) += 1;
                scene.view().at(x + 1, y, 0) += 0.8F;
            }
        }
        base::Image<float> bar({26, 6, 1}, 0.0F);
        for (std::int64_t x = 3; x < 23; ++x) {
            bar.view().at(x, 2, 0) = 0.8F;
            bar.view().at(x, 3, 0) = 1;
        }
        Job job = searching("0:90:90");
        job.minScore = 0.8;
        const JobResult result = job::runJob(job, test::imagesOf(std::move(scene), std::move(bar)));
        QCOMPARE(std::ssize(result.peaks), 2);
        for (const match::Peak& peak : result.peaks) {
            QCOMPARE(rotation::inPlaneDegrees(peak.pose->turn), 90.0);
        }
    }

    static void posesReadAsAPersonSaysThem() {
        const auto text = [](const base::Point& euler, bool flat) {
            return job::poseText({rotation::fromEuler(euler), 1, false}, flat);
        };
        QCOMPARE(text({0, 0, -0.03}, true), std::string("0")); // not 360.0
        QCOMPARE(text({0, 0, 330.25}, true), std::string("330.3"));
        QCOMPARE(text({0, 0, 0}, false), std::string("rot 0 tilt 0 psi 0"));
        QCOMPARE(text({-158.4, 0.04, 158.4}, false), std::string("rot 0 tilt 0 psi 0"));
        QCOMPARE(text({-158.4, 0.06, 158.4}, false), std::string("rot -158.4 tilt 0.1 psi 158.4"));
        QCOMPARE(text({40, 179.98, 10}, false), std::string("rot 0 tilt 180 psi -30"));
        QCOMPARE(job::poseText({rotation::inPlane(90), 0.95, true}, true),
                 std::string("90 x0.950 mirrored"));
    }

    static void aKeptMapGivesThePeaksOfARun() {
        const std::vector<Planted> planted{{{30, 31, 0}, {rotation::inPlane(30), 1, false}},
                                           {{70.4, 40, 0}, {rotation::inPlane(130), 1, false}}};
        const test::Folder folder;
        const job::JobImages images = pictureOf(planted, {100, 90, 1}, true);
        Job job = searching("10");
        job.scene = folder.path("scene.mha");
        job.templates = {folder.path("templ.mha")};
        (void)io::writeImage(job.scene, base::viewOf(images.scene->pixels), images.scene->geometry);
        (void)io::writeImage(job.templates[0], base::viewOf(images.templates[0]->pixels),
                             images.templates[0]->geometry);
        job.map = folder.path("map.mha");
        job.status = folder.path("status.mha");
        job.index = folder.path("index.mha");
        job.report = folder.path("report.json");
        const JobResult result = job::runJob(job);
        QCOMPARE(std::ssize(result.peaks), 2);
        job::PeakThresholds looser = job::thresholdsOf(job);
        looser.threshold = 0.12;
        Job again = job::withThresholds(job, looser);
        again.map.clear();
        again.status.clear();
        again.index.clear();
        again.report.clear();
        const JobResult expected = job::runJob(again);
        QVERIFY(std::ssize(expected.peaks) > 2);
        const auto kept = job::keepMap(result, job, result.scene);
        for (const auto& map : {kept, job::loadKeptMap(job)}) {
            const std::vector<match::Peak> peaks = job::extractPeaks(*map, looser).peaks;
            QCOMPARE(std::ssize(peaks), std::ssize(expected.peaks));
            for (std::size_t i = 0; i < peaks.size(); ++i) {
                QVERIFY(peaks[i].corner == expected.peaks[i].corner);
                QCOMPARE(peaks[i].score, expected.peaks[i].score);
                QVERIFY(peaks[i].pose == expected.peaks[i].pose);
            }
            const auto why = job::explain(*map, peaks[0], looser);
            // Template and panel under the support of the pose: alike up to the noise.
            QVERIFY(why && std::abs(why->panelDeviation / why->templateDeviation - 1) < 0.1);
        }
    }

    static void memoryDoesNotDependOnTheNumberOfOrientations() {
        const job::JobImages images = pictureOf({}, {200, 200, 1}, true);
        const job::JobReport few = job::planJob(searching("2.25"), images);
        const job::JobReport many = job::planJob(searching("0.5"), images);
        QCOMPARE(few.poses->members, 160);
        QCOMPARE(many.poses->members, 720);
        QCOMPARE(few.poses->batch, 32);
        QCOMPARE(many.poses->batch, 32);
        QVERIFY(many.poses->memoryBytes <= few.poses->memoryBytes);
        QVERIFY(*many.poses->predictedMs > 3 * *few.poses->predictedMs);
    }

    static void thePlanStatesTheMemoryLimitOfTheRun() {
        Job job = searching("90");
        job.memoryBytes = 60 << 20; // of which the plan of a batch has a part
        const job::JobReport report = job::planJob(job, pictureOf({}, {200, 200, 1}, true));
        QVERIFY(report.plan.chosen() != nullptr);
        QCOMPARE(report.plan.limits.memoryBytes, job.memoryBytes);
        // Also where it is too small, and the memory that is needed does not depend on it.
        std::string needed;
        for (const std::int64_t limit : {std::int64_t{1} << 10, std::int64_t{1} << 19}) {
            job.memoryBytes = limit;
            const job::JobReport refused = job::planJob(job, pictureOf({}, {200, 200, 1}, true));
            const std::string reason = refused.plan.candidates.front().reason;
            QVERIFY2(reason.ends_with(" beside it, the limit is " + base::bytesText(limit)),
                     reason.c_str());
            const std::string sentence = job::refusal(refused)->what();
            const std::string least = sentence.substr(sentence.find("needs at least"));
            QVERIFY2(needed.empty() || needed == least, sentence.c_str());
            needed = least;
        }
    }

    static void filtersAreCountedInThePlan() {
        const job::JobImages images = pictureOf({}, {40, 40, 40}, false);
        Job job = searching("90");
        const auto bytes = [&] { return job::planJob(job, images).poses->memoryBytes; };
        const std::int64_t without = bytes();
        job.preparation.wedge = "30,30";
        const Extents box = job::planJob(job, images).poses->box;
        // Members are zeroed to twice their box and filtered in double, one on each thread.
        const std::int64_t points = 8 * base::voxelCount(box);
        QVERIFY(bytes() - without >= 4 * points + 2 * 8 * points);
        QVERIFY(bytes() - without < 2 * (4 * points + 2 * 9 * points));
    }

    // Measured once for each kind of search; the second time is remembered, not measured.
    static void aPlanRehearsesAndRemembers() {
        const job::JobImages images = pictureOf({}, {120, 100, 1}, true);
        Job job = searching("45");
        job.planning = plan::Planning::Measure;
        const job::JobReport first = job::planJob(job, images);
        const job::JobReport again = job::planJob(job, images);
        QVERIFY(!first.plan.known && again.plan.known);
        const double apart = *again.poses->predictedMs - *first.poses->predictedMs;
        QVERIFY(std::abs(apart) <=
                1e-5 * *first.poses->predictedMs); // kept with six digits or more
        job.preparation.band = "3,20px";           // a filter on each member
        QVERIFY(*job::planJob(job, images).poses->predictedMs != *first.poses->predictedMs);
    }

    static void badSearchesAreRefused() {
        const job::JobImages images = pictureOf({}, {60, 60, 1}, true);
        const auto code = [&](const Job& job) {
            return test::thrownBy([&] { (void)job::runJob(job, images); });
        };
        using enum base::ErrorCode;
        const test::Thrown many = code(searching("0.02"));
        QCOMPARE(many.code, CommandLine);
        QVERIFY(many.sentence.find("18000 orientations, more than 10000") != std::string::npos);
        QCOMPARE(job::planJob(searching("0.02"), images).poses->members, 18000);
        QCOMPARE(code(searching("0")).code, CommandLine);
        QCOMPARE(code(searching("10", "nan")).code, CommandLine);
        QCOMPARE(code(searching("10", "4")).code, Problem); // larger than the scene
        QCOMPARE(code(searching("list:/nowhere/list.txt")).code, Input);
        Job symmetry = searching("10");
        symmetry.poses.symmetry = "O";
        QCOMPARE(code(symmetry).code, CommandLine);
    }

    static void theOptionsReadBack() {
        const Job job = test::matchOf({"scene.mha", "t.mha", "--rotations=-30:30:5", "--scales",
                                       "0.9,1", "--mirror", "--symmetry", "C2", "--yes"});
        QVERIFY(job.poses.mirror && job.poses.yes && job.poses.rotations == "-30:30:5");
        QVERIFY(test::matchOf(job::toArguments(job)) == job);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    }
};

const flcc::test::TestClass<PosesTest> kPosesTest;
#include "poses_test.moc"
