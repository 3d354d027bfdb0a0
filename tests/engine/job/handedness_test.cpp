#include <QtTest>

#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <vector>

#include "engine/job/any_job.h"
#include "engine/job/steps/handedness.h"
#include "engine/match/null_template.h"
#include "engine/match/overlap.h"
#include "engine/rotation/turn.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// Which hand of a template a scene holds.

using namespace flcc;
using base::Extents;
using base::Point;
using job::Hand;
using job::HandednessReport;
using job::Job;

namespace {

match::Peak peakAt(double x, double score) {
    match::Peak peak;
    peak.centre = {x, 5, 0};
    peak.score = score;
    return peak;
}

/// `won` places of 100, 200, ... where the given hand scores more, and `lost` others, best first.
HandednessReport judged(int won, int lost, double alike = 0.3) {
    std::vector<match::Peak> given;
    std::vector<match::Peak> mirrored;
    for (int i = 0; i < won + lost; ++i) {
        const bool wins = i < won;
        given.push_back(peakAt(100.0 * i, wins ? 0.8 : 0.2));
        mirrored.push_back(peakAt(100.0 * i + 1, wins ? 0.4 : 0.8));
    }
    std::ranges::stable_sort(given, std::greater<>(), &match::Peak::score);
    std::ranges::stable_sort(mirrored, std::greater<>(), &match::Peak::score);
    return job::detail::judgeHands(given, mirrored, 0.5, 3, alike);
}

struct Shape {
    Point centre;
    double radius;
    double value;
};

/// A sum of Gaussians: with `chiral` no turn of it is its mirror image.
base::Image<float> shapeOf(bool flat, bool chiral) {
    const std::int64_t edge = 15;
    base::Image<float> image({edge, edge, flat ? 1 : edge}, 0.0F);
    std::vector<Shape> shapes{{{0, 0, 0}, 2, 1}, {{4, 0, 0}, 1.5, 1.2}, {{-4, 0, 0}, 1.5, 1.2}};
    if (chiral) {
        shapes = {{{0, 0, 0}, 2, 1},
                  {{4, 1, 0}, 1.5, 1.2},
                  {{4, 4, 0}, 1.2, -1},
                  {{-3, 3, 1}, 1.3, 0.9},
                  {{0, -2, flat ? 0 : 4.0}, 1.4, flat ? 0 : 1.2}};
    }
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const std::array<double, 3> o{static_cast<double>(i % edge - 7),
                                      static_cast<double>(i / edge % edge - 7),
                                      flat ? 0 : static_cast<double>(i / (edge * edge) - 7)};
        for (const Shape& shape : shapes) {
            double square = 0;
            for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
                square += (o[axis] - shape.centre[axis]) * (o[axis] - shape.centre[axis]);
            }
            image.data()[i] += static_cast<float>(
                shape.value * std::exp(-square / (2 * shape.radius * shape.radius)));
        }
    }
    return image;
}

const std::vector<Point> kAngles{{20, 60, -110}, {-150, 100, 35}, {75, 15, 170}, {5, 130, 60},
                                 {110, 75, -20}, {-60, 40, 95},   {10, 90, 0}};

/// So many shapes in noise, each turned, or none of them with `still`.
job::JobImages sceneOf(bool flat, bool chiral, bool still, int count = 7) {
    const Extents n = flat ? Extents{116, 60, 1} : Extents{92, 50, 23};
    const std::int64_t step = flat ? 28 : 22;
    base::Image<float> scene(n, 0.0F);
    const base::AnyImage noise = test::noise(base::PixelType::Float32, n, 3);
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] = 0.02F * std::get<base::Image<float>>(noise).data()[i];
    }
    base::Image<float> shape = shapeOf(flat, chiral);
    const rotation::Turner turner(base::AnyView(base::View<const float>(shape.view())), {}, flat,
                                  false);
    for (int i = 0; i < count; ++i) {
        rotation::Pose pose;
        if (!still) {
            pose.turn = flat ? rotation::inPlane(20.0 * (i + 1))
                             : rotation::fromEuler(kAngles[static_cast<std::size_t>(i)]);
        }
        const rotation::TurnedTemplate turned = turner.turned(pose, turner.frameOf(pose));
        const auto& pixels = std::get<base::Image<float>>(turned.pixels);
        const Extents& m = pixels.extents();
        const base::Index corner{step / 2 + i % 4 * step - m.x / 2,
                                 step / 2 + i / 4 * step - m.y / 2, flat ? 0 : 11 - m.z / 2};
        for (std::int64_t v = 0; v < pixels.count(); ++v) {
            const base::Index at{corner.x + v % m.x, corner.y + v / m.x % m.y,
                                 corner.z + v / (m.x * m.y)};
            const bool inside =
                at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < n.x && at.y < n.y && at.z < n.z;
            if (inside && turned.support.data()[v] != 0) {
                scene.view().at(at) += pixels.data()[v];
            }
        }
    }
    return test::imagesOf(std::move(scene), std::move(shape));
}

Job comparing(const std::string& rotations) {
    Job job;
    job.poses.rotations = rotations;
    job.handedness = true;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.audit = job::Audit::Off;
    job.minScore = 0.4;
    job.maxPeaks = 40;
    return job;
}

/// The same images with the template mirrored.
job::JobImages mirrored(const job::JobImages& images) {
    job::JobImages made = images;
    auto templ = std::make_shared<job::SceneImage>();
    const auto& from = std::get<base::Image<float>>(images.templates[0]->pixels);
    templ->pixels = base::AnyImage(match::mirrored(from.view()));
    templ->source = "mirrored";
    made.templates = {templ};
    return made;
}

/// What a simulated scene holds.
enum class Held { Chiral, Symmetric, Nothing };

/// Seven pictures turned at random in noise of deviation 0.3, blobs about 1 high, and their
/// template. Where the other hand lies on parts of a chiral one, it scores far above noise.
job::JobImages simulated(Held held, unsigned seed) {
    constexpr std::int64_t kEdge = 200;
    std::vector<Shape> shapes{{{0, 0, 0}, 2, 1},
                              {{7, 0, 0}, 1.6, 1.2},
                              {{7, 7, 0}, 1.6, 1.2},
                              {{-6, 5, 0}, 1.4, -1},
                              {{-7, -1, 0}, 1.6, 0.9}};
    if (held == Held::Symmetric) {
        shapes = {{{0, 0, 0}, 2, 1},
                  {{6, 0, 0}, 1.8, 1.2},
                  {{-4, 5, 0}, 1.6, 0.9},
                  {{-4, -5, 0}, 1.6, 0.9}};
    }
    const auto at = [&shapes](double x, double y) {
        double sum = 0;
        for (const Shape& each : shapes) {
            const double square = (x - each.centre[0]) * (x - each.centre[0]) +
                                  (y - each.centre[1]) * (y - each.centre[1]);
            sum += each.value * std::exp(-square / (2 * each.radius * each.radius));
        }
        return sum;
    };
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.3);
    std::uniform_real_distribution<double> any(-1, 1);
    base::Image<float> templ({21, 21, 1}, 0.0F);
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        templ.data()[i] = static_cast<float>(
            at(static_cast<double>(i % 21 - 10), static_cast<double>(i / 21 - 10)));
    }
    base::Image<float> scene({kEdge, kEdge, 1}, 0.0F);
    for (int each = 0; each < (held == Held::Nothing ? 0 : 7); ++each) {
        const Point centre{40.0 + 60 * (each % 3) + 4 * any(random),
                           40.0 + 60 * (each / 3) + 4 * any(random), 0};
        const double turn = 3.14159 * any(random);
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            const double x = static_cast<double>(i % kEdge) - centre[0];
            const double y = static_cast<double>(i / kEdge) - centre[1];
            scene.data()[i] += static_cast<float>(at(std::cos(turn) * x + std::sin(turn) * y,
                                                     std::cos(turn) * y - std::sin(turn) * x));
        }
    }
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] += static_cast<float>(noise(random));
    }
    return test::imagesOf(std::move(scene), std::move(templ));
}

HandednessReport handOf(const Job& job, const job::JobImages& images) {
    return *job::runJob(job, images).report.handedness;
}

} // namespace

class HandednessTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void theVerdictIsThatOfTheSignTest() {
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-12; };
        const HandednessReport six = judged(6, 0);
        QVERIFY(six.verdict == Hand::Given && near(six.p, 2.0 / 64));
        QCOMPARE(six.places, 6);
        QCOMPARE(six.won, 6);
        QCOMPARE(six.above, 1.0);
        QCOMPARE(six.givenMedian, 0.8);
        QCOMPARE(six.mirroredMedian, 0.4);
        QVERIFY(judged(0, 6).verdict == Hand::Mirrored);
        QVERIFY(judged(5, 0).verdict == Hand::Undecided);
        QVERIFY(judged(0, 0).verdict == Hand::Undecided);
        const HandednessReport eight = judged(8, 2); // 2 (1 + 10 + 45) / 1024
        QVERIFY(eight.verdict == Hand::Undecided && near(eight.p, 112.0 / 1024));
        const HandednessReport nine = judged(9, 1); // 2 (1 + 10) / 1024
        QVERIFY(nine.verdict == Hand::Given && near(nine.p, 22.0 / 1024));
        QVERIFY(near(judged(1, 9).p, nine.p) && judged(1, 9).verdict == Hand::Mirrored);
        QCOMPARE(judged(5, 5).p, 1.0);
        // A template that is its own mirror image has one hand, whatever the scores.
        QVERIFY(judged(9, 0, 0.96).verdict == Hand::Undecided);
        QVERIFY(judged(9, 0, 0.96).reason.find("mirror image") != std::string::npos);
    }

    static void aPeakOfOneHandAloneWinsItsPlace() {
        std::vector<match::Peak> given;
        for (int i = 0; i < 7; ++i) {
            given.push_back(peakAt(100.0 * i, 0.7));
        }
        // Too far away for the first place, below the threshold at its own.
        const HandednessReport report =
            job::detail::judgeHands(given, {peakAt(4, 0.45), peakAt(100, 0.7)}, 0.5, 3, 0);
        QCOMPARE(report.places, 6); // a tie counts for none
        QCOMPARE(report.won, 6);
    }

    static void theHandIsFound_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<bool>("still");
        QTest::newRow("image") << true << false;
        QTest::newRow("image without rotations") << true << true;
        QTest::newRow("volume") << false << false;
        QTest::newRow("volume without rotations") << false << true;
    }

    static void theHandIsFound() {
        QFETCH(bool, flat);
        QFETCH(bool, still);
        const test::Folder folder;
        std::string rotations = still ? "" : "20";
        if (!flat && !still) {
            std::ofstream text(folder.path("list.txt"));
            for (const Point& each : kAngles) {
                text << each[0] << ' ' << each[1] << ' ' << each[2] << '\n';
            }
            rotations = "list:" + folder.path("list.txt").string();
        }
        Job job = comparing(rotations);
        if (!flat) {
            job.masks = {"sphere:7"};
        }
        const job::JobImages images = sceneOf(flat, true, still);
        const job::JobResult result = job::runJob(job, images);
        const HandednessReport right = *result.report.handedness;
        QVERIFY2(right.verdict == Hand::Given, right.reason.c_str());
        QCOMPARE(right.won, 7);
        QVERIFY(right.p < 0.05 && right.alike < 0.95);
        QVERIFY(right.givenMedian > right.mirroredMedian && right.above == 1);
        QVERIFY(right.threshold >= 0.4);
        // The job's own list and outputs are those of the template as given.
        QCOMPARE(std::ssize(result.peaks), 7);
        QCOMPARE(result.peaks[0].score, right.given[0]);
        Job without = job;
        without.handedness = false;
        const job::JobReport alone = job::runJob(without, images).report;
        QCOMPARE(alone.mapSha256, result.report.mapSha256);
        // The plan tells the second search, and the run what it took.
        QVERIFY(alone.others.empty());
        const job::JobReport planned = job::planJob(job, images);
        const double own =
            planned.poses ? *planned.poses->predictedMs : *planned.plan.chosen()->expectedMs();
        QCOMPARE(std::ssize(planned.others), 1);
        QVERIFY(job::predictedMsOf(planned.others) >= own && !planned.others[0].ms);
        QVERIFY(job::msOf(result.report.others) > 0);
        QVERIFY(job::toText(planned).find("Beside    the search for the mirrored templates takes "
                                          "about ") != std::string::npos);
        QVERIFY(job::toText(result.report).find("mirrored templates took ") != std::string::npos);
        const HandednessReport wrong = handOf(job, mirrored(images));
        QVERIFY2(wrong.verdict == Hand::Mirrored, wrong.reason.c_str());
        // Both runs do the same two searches.
        QVERIFY(std::abs(wrong.mirrored[0] - right.given[0]) < 1e-6);
        QVERIFY(std::abs(wrong.alike - right.alike) < (flat ? 0.1 : 1));
    }

    static void whatIsItsOwnMirrorImageHasNoHand() {
        for (const char* rotations : {"", "20"}) {
            const job::JobImages images = sceneOf(true, false, *rotations == 0);
            const HandednessReport report = handOf(comparing(rotations), images);
            QVERIFY2(report.verdict == Hand::Undecided, report.reason.c_str());
            QVERIFY2(report.alike > 0.95, qPrintable(QString::number(report.alike)));
        }
    }

    /// Noise and peaks on the slopes of objects have no vote.
    static void everyClearSceneIsDecided() {
        Job job = comparing("10");
        job.minScore.reset();
        job.maxPeaks = 100;
        const auto hand = [&job](Held held, unsigned seed, bool other = false) {
            const job::JobImages images = simulated(held, seed);
            return handOf(job, other ? mirrored(images) : images);
        };
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const bool other = seed % 2 == 0;
            const HandednessReport report = hand(Held::Chiral, seed, other);
            QVERIFY2(report.verdict == (other ? Hand::Mirrored : Hand::Given),
                     report.reason.c_str());
            QCOMPARE(report.places, 7);
            QCOMPARE(report.won, other ? 0 : 7);
        }
        for (unsigned seed = 1; seed <= 2; ++seed) {
            QVERIFY(hand(Held::Symmetric, seed).verdict == Hand::Undecided);
            const HandednessReport noise = hand(Held::Nothing, seed);
            QVERIFY(noise.verdict == Hand::Undecided && noise.places <= 1);
        }
        // Whatever threshold lists noise too.
        job.minScore = 0.1;
        const HandednessReport low = hand(Held::Chiral, 1);
        QVERIFY2(low.verdict == Hand::Given && low.places == 7, low.reason.c_str());
    }

    static void aPeakOnABetterOneHasNoVote() {
        std::vector<match::Peak> given;
        std::vector<match::Peak> mirrored;
        for (int i = 0; i < 7; ++i) {
            given.push_back(peakAt(100.0 * i, 0.8));
            mirrored.push_back(peakAt(100.0 * i + 6, 0.6));
        }
        QCOMPARE(job::detail::judgeHands(given, mirrored, 0.5, 3, 0).places, 14);
        const auto support = std::make_shared<const match::Support>(
            Extents{10, 1, 1}, base::View<const std::uint8_t>());
        job::detail::Lies lies{.largest = {10, 1, 1}};
        lies.of = [support](const match::Peak& peak, bool) {
            const base::Index corner{std::llround(peak.centre[0]), 0, 0};
            return match::Lying{{corner, {10, 1, 1}}, [support, corner] {
                                    return match::Lying::Placed{support, corner};
                                }};
        };
        for (const auto& [most, places] : {std::pair{0.3, 7}, {0.4, 14}}) {
            lies.mostOverlap = most; // they have 4 of 10 voxels in common
            const HandednessReport report =
                job::detail::judgeHands(given, mirrored, 0.5, 3, 0, lies);
            QCOMPARE(report.places, places);
            QVERIFY((report.verdict == Hand::Given) == (places == 7));
        }
    }

    static void fewPlacesDecideNothing() {
        const HandednessReport report = handOf(comparing("20"), sceneOf(true, true, false, 4));
        QVERIFY(report.verdict == Hand::Undecided && report.places == 4);
        QVERIFY(report.reason.find("6 are needed") != std::string::npos);
    }

    static void whatCannotBeComparedIsRefused() {
        const job::JobImages images = sceneOf(true, true, true, 1);
        const auto code = [&](const std::function<void(Job&)>& change) {
            Job job = comparing("20");
            change(job);
            return test::thrownBy([&] { (void)job::runJob(job, images); }).code;
        };
        using enum base::ErrorCode;
        QCOMPARE(code([](Job& job) { job.poses.mirror = true; }), CommandLine);
        QCOMPARE(code([](Job& job) { job.stream = true; }), CommandLine);
        QCOMPARE(code([](Job& job) {
                     job.operation = *method::operationNamed("nssd");
                     job.minScore.reset();
                 }),
                 CommandLine);
    }

    static void theOptionReadsBack() {
        const Job job = test::matchOf({"scene.mha", "t.mha", "--handedness"});
        QVERIFY(job.handedness);
        QVERIFY(test::matchOf(job::toArguments(job)) == job);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    }
};

const flcc::test::TestClass<HandednessTest> kHandednessTest;
#include "handedness_test.moc"
