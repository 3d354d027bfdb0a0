#include <QtTest>

#include <cmath>
#include <mutex>

#include "engine/match/refine.h"
#include "tests/engine/match/waves.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::Point;
using match::Peak;
using match::PeakOptions;
using rotation::Pose;

namespace {

Point applied(const rotation::Matrix& m, const Point& v) {
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

/// A picture that was turned, and a template that was not.
struct Turned {
    base::AnyImage templ;
    base::AnyImage scene;
    std::shared_ptr<const rotation::PoseBank> bank;
    match::SearchedMap map;

    /// The template's centre lies in the scene at `centre`, in `pose`.
    Turned(const test::Waves& waves, const Extents& size, const Extents& room, const Point& centre,
           const Pose& pose, const rotation::Cover& cover, const Point& edges = {1, 1, 1},
           double noise = 0) {
        const Point middle{static_cast<double>(size.x - 1) / 2, static_cast<double>(size.y - 1) / 2,
                           static_cast<double>(size.z - 1) / 2};
        const rotation::Matrix back = rotation::inverse(rotation::matrixOf(pose, edges));
        templ = waves.seenBy(size, [&](const Point& p) {
            return Point{p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
        });
        scene = waves.seenBy(
            room,
            [&](const Point& p) {
                return applied(back, {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]});
            },
            noise * waves.contrast());
        std::vector<rotation::Turner> turners;
        turners.emplace_back(base::viewOf(templ), base::View<const std::uint8_t>(), size.z == 1,
                             false, base::View<const double>(), rotation::VoxelEdges{edges, edges});
        bank = std::make_shared<rotation::PoseBank>(std::move(turners), cover);
        map.numbers = {0};
        map.poses = bank;
    }

    /// As a search would find it in `pose` of the cover, with the centre near `centre`.
    [[nodiscard]] Peak peak(const Point& centre, const Pose& pose, double score) const {
        const Point own = bank->centreOf(0, pose);
        Peak peak;
        peak.score = score;
        peak.pose = pose;
        peak.status = base::Status::Ok;
        peak.corner = {std::llround(centre[0] - own[0]), std::llround(centre[1] - own[1]),
                       bank->cover().flat ? 0 : std::llround(centre[2] - own[2])};
        const Extents& box = bank->box();
        peak.shift = {own[0] - static_cast<double>(box.x - 1) / 2,
                      own[1] - static_cast<double>(box.y - 1) / 2,
                      bank->cover().flat ? 0 : own[2] - static_cast<double>(box.z - 1) / 2};
        return peak;
    }

    [[nodiscard]] Point centreOf(const Peak& peak) const {
        const Extents& box = bank->box();
        return {
            static_cast<double>(peak.corner.x) + static_cast<double>(box.x - 1) / 2 + peak.shift[0],
            static_cast<double>(peak.corner.y) + static_cast<double>(box.y - 1) / 2 + peak.shift[1],
            static_cast<double>(peak.corner.z) + static_cast<double>(box.z - 1) / 2 +
                peak.shift[2]};
    }

    void refine(std::vector<Peak>& peaks, const PeakOptions& options = {.minScore = 0},
                const std::function<void(double)>& progress = {}) const {
        base::TilePool pool(2);
        match::refinePeaks(peaks, method::MaskedView(scene), {map}, options, pool, {}, progress);
    }
};

rotation::Cover flatCover(const std::string& step, const std::vector<double>& scales = {1}) {
    rotation::Cover cover = rotation::flatCover(rotation::parseRotations(step), {});
    cover.scales = scales;
    return cover;
}

/// The pose of the cover nearest to `pose` among those that are `steps` steps away or more.
Pose turnedBy(const Pose& pose, const Point& about, double degrees) {
    Pose to = pose;
    to.turn = rotation::product(rotation::aboutAxis(about, degrees), pose.turn);
    return to;
}

} // namespace

class RefineTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTurnedPictureIsPlacedBetweenPosesAndVoxels();
    void aTurnedVolumeIsPlacedBetweenPosesAndVoxels();
    void voxelsThatAreNoCubesTurnInLengths();
    void placeAngleAndScaleAreFoundTogether();
    void theErrorsAreThoseOfManyTrials();
    void aScaleBeyondThoseSearchedIsStated();
    void aListOfOneRotationGetsItsPlace();
    void theRefinedScoreIsThatOfTheStatedPoseAndPlace();
    void theListIsOrderedByRefinedScores();
    void peaksThatBecomeTheSameAreListedOnce();
    void refinedScoresDecideTheThreshold();
    void aPeakThatAWorseOneHidIsListed();
    void candidatesReachBelowTheThreshold();
    void progressIsTold();
};

void RefineTest::aTurnedPictureIsPlacedBetweenPosesAndVoxels() {
    const test::Waves waves(21, 4, true);
    for (const double angle : {2.9, 13.6, 93.0, 221.2}) {
        for (const Extents& size : {Extents{33, 24, 1}, Extents{40, 41, 1}}) {
            const Point centre{45.3, 44.6, 0};
            const Pose pose{rotation::inPlane(angle), 1, false};
            const Turned made(waves, size, {90, 88, 1}, centre, pose, flatCover("6"));
            const Pose start{rotation::inPlane(6 * std::round(angle / 6)), 1, false};
            std::vector<Peak> peaks{made.peak({46.4, 43.7, 0}, start, 0.5)};
            made.refine(peaks);
            QVERIFY(peaks.size() == 1 && peaks[0].refinement);
            const double off = test::apart(made.centreOf(peaks[0]), centre);
            const double turned = rotation::angleBetween(peaks[0].pose->turn, pose.turn);
            QVERIFY2(off < 0.005 && turned < 0.02,
                     qPrintable(QString("%1 %2").arg(off).arg(turned)));
            QVERIFY(peaks[0].refinement->score > 0.98);
            QCOMPARE(peaks[0].score, 0.5);
        }
    }
}

void RefineTest::aTurnedVolumeIsPlacedBetweenPosesAndVoxels() {
    const test::Waves waves(22, 7, false);
    const rotation::Cover cover = rotation::spaceCover(rotation::parseRotations("20"), {});
    for (const bool mirrored : {false, true}) {
        const Pose pose{rotation::fromEuler({31, 77, -145}), 1, mirrored};
        const Point centre{20.4, 19.2, 20.9};
        const Turned made(waves, {16, 15, 17}, {41, 40, 42}, centre, pose, cover);
        // Half a step about each axis.
        const Pose start =
            turnedBy(turnedBy(turnedBy(pose, {1, 0, 0}, 10), {0, 1, 0}, -10), {0, 0, 1}, 10);
        std::vector<Peak> peaks{made.peak({21.3, 18.9, 20.1}, start, 0.5)};
        made.refine(peaks);
        QVERIFY(peaks.size() == 1 && peaks[0].refinement);
        const double off = test::apart(made.centreOf(peaks[0]), centre);
        const double turned = rotation::angleBetween(peaks[0].pose->turn, pose.turn);
        QVERIFY2(off < 0.01 && turned < 0.1, qPrintable(QString("%1 %2").arg(off).arg(turned)));
        QCOMPARE(peaks[0].pose->mirrored, mirrored);
    }
}

void RefineTest::voxelsThatAreNoCubesTurnInLengths() {
    const test::Waves waves(23, 6, true);
    const Point edges{1, 1.6, 1};
    const Point centre{40.3, 30.2, 0};
    const Pose pose{rotation::inPlane(41), 1, false};
    const Turned made(waves, {41, 25, 1}, {80, 60, 1}, centre, pose, flatCover("10"), edges);
    std::vector<Peak> peaks{made.peak(centre, {rotation::inPlane(40), 1, false}, 0.5)};
    made.refine(peaks);
    QVERIFY(peaks.size() == 1 && peaks[0].refinement);
    const double turned = rotation::angleBetween(peaks[0].pose->turn, pose.turn);
    QVERIFY2(turned < 0.02, qPrintable(QString::number(turned)));
    QVERIFY(test::apart(made.centreOf(peaks[0]), centre) < 0.005);
}

void RefineTest::placeAngleAndScaleAreFoundTogether() {
    const test::Waves waves(24, 6, true);
    const Point centre{44.3, 43.8, 0};
    const Pose pose{rotation::inPlane(33.3), 1.047, false};
    const Turned made(waves, {36, 35, 1}, {90, 88, 1}, centre, pose, flatCover("6", {0.9, 1, 1.1}));
    std::vector<Peak> peaks{made.peak({45, 43, 0}, {rotation::inPlane(36), 1, false}, 0.5)};
    made.refine(peaks);
    QVERIFY(peaks.size() == 1 && peaks[0].refinement);
    QVERIFY(rotation::angleBetween(peaks[0].pose->turn, pose.turn) < 0.03);
    QVERIFY2(std::abs(peaks[0].pose->scale - 1.047) < 5e-4,
             qPrintable(QString::number(peaks[0].pose->scale)));
    QVERIFY(test::apart(made.centreOf(peaks[0]), centre) < 0.01);
    QVERIFY(!peaks[0].refinement->scaleEnds);
}

void RefineTest::theErrorsAreThoseOfManyTrials() {
    constexpr int kTrials = 40;
    const Pose pose{rotation::inPlane(14), 1, false};
    const Point centre{30.4, 29.7, 0};
    double place = 0;
    double turn = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        // Waves of another seed have other noise too.
        const test::Waves waves(static_cast<std::uint64_t>(300 + trial), 5, true);
        const Turned made(waves, {25, 24, 1}, {60, 60, 1}, centre, pose, flatCover("6"), {1, 1, 1},
                          0.3);
        std::vector<Peak> peaks{made.peak(centre, {rotation::inPlane(12), 1, false}, 0.5)};
        made.refine(peaks);
        QVERIFY(peaks.size() == 1 && peaks[0].refinement && peaks[0].error);
        const double x = (made.centreOf(peaks[0])[0] - centre[0]) / (*peaks[0].error)[0];
        const double angle = rotation::angleBetween(peaks[0].pose->turn, pose.turn) /
                             peaks[0].refinement->turnError[2];
        place += x * x / kTrials;
        turn += angle * angle / kTrials;
    }
    // The mean of 40 squares has a standard deviation of 0.22.
    QVERIFY2(std::abs(place - 1) < 0.7 && std::abs(turn - 1) < 0.7,
             qPrintable(QString("%1 %2").arg(place).arg(turn)));
}

void RefineTest::aScaleBeyondThoseSearchedIsStated() {
    const test::Waves waves(24, 6, true);
    const Point centre{44.3, 43.8, 0};
    const Pose pose{rotation::inPlane(33.3), 1.12, false};
    const Turned made(waves, {36, 35, 1}, {90, 88, 1}, centre, pose, flatCover("6", {1, 1.1}));
    std::vector<Peak> peaks{made.peak(centre, {rotation::inPlane(36), 1.1, false}, 0.5)};
    made.refine(peaks);
    QVERIFY(peaks.size() == 1 && peaks[0].refinement);
    QCOMPARE(peaks[0].pose->scale, 1.1);
    QVERIFY(peaks[0].refinement->scaleEnds);
    QVERIFY(rotation::angleBetween(peaks[0].pose->turn, pose.turn) < 0.2);
}

void RefineTest::aListOfOneRotationGetsItsPlace() {
    const test::Waves waves(21, 4, true);
    const Point centre{45.3, 44.6, 0};
    const Pose pose{rotation::inPlane(37), 1, false};
    rotation::Cover cover;
    cover.turns = {pose.turn};
    const Turned made(waves, {33, 24, 1}, {90, 88, 1}, centre, pose, cover);
    std::vector<Peak> peaks{made.peak(centre, pose, 0.5)};
    made.refine(peaks);
    QVERIFY(peaks.size() == 1 && peaks[0].refinement);
    QVERIFY(test::apart(made.centreOf(peaks[0]), centre) < 0.005);
    QVERIFY(*peaks[0].pose == pose);
}

void RefineTest::theRefinedScoreIsThatOfTheStatedPoseAndPlace() {
    const test::Waves waves(21, 4, true);
    const Point centre{45.3, 44.6, 0};
    const Turned made(waves, {33, 24, 1}, {90, 88, 1}, centre, {rotation::inPlane(14.5), 1, false},
                      flatCover("6"), {1, 1, 1}, 0.2);
    std::vector<Peak> peaks{made.peak(centre, {rotation::inPlane(12), 1, false}, 0.5)};
    made.refine(peaks);
    const Peak& peak = peaks[0];
    const Point at = made.centreOf(peak);
    const Point own = made.bank->centreOf(0, *peak.pose);
    const Index corner{std::llround(at[0] - own[0]), std::llround(at[1] - own[1]), 0};
    const auto turned = made.bank->turnedWhole(0, *peak.pose,
                                               {at[0] - own[0] - static_cast<double>(corner.x),
                                                at[1] - own[1] - static_cast<double>(corner.y), 0});
    const method::MaskedView view(base::viewOf(turned.templ.pixels), turned.templ.support.view());
    const double score =
        method::canonicalScore(method::MaskedView(made.scene), method::CanonicalTemplate(view),
                               {corner.x + turned.shift.x, corner.y + turned.shift.y, 0});
    QVERIFY2(std::abs(peak.refinement->score - score) < 1e-9,
             qPrintable(QString("%1 %2").arg(peak.refinement->score).arg(score)));
}

namespace {

/// Two copies of a template in one scene: the first one is found, by its score, in a pose far off.
struct Two {
    Turned made;
    Point first{30.2, 40.1, 0};
    Point second{90.4, 40.3, 0};
    Two()
        : made(test::Waves(31, 5, true), {30, 31, 1}, {130, 80, 1}, {30.2, 40.1, 0},
               {rotation::inPlane(14.5), 1, false}, flatCover("6")) {
        // A copy without the turn, of half of the contrast under noise.
        const test::Waves waves(31, 5, true);
        base::Random random(9);
        for (std::int64_t y = 0; y < 80; ++y) {
            for (std::int64_t x = 65; x < 130; ++x) {
                const double value = waves.at({static_cast<double>(x) - second[0],
                                               static_cast<double>(y) - second[1], 0}) +
                                     0.8 * waves.contrast() * random.normal();
                test::setVoxel(made.scene, {x, y, 0}, value);
            }
        }
    }
    [[nodiscard]] Peak peakOf(bool isFirst, double score, double degrees) const {
        return made.peak(isFirst ? first : second, {rotation::inPlane(degrees), 1, false}, score);
    }
};

} // namespace

void RefineTest::theListIsOrderedByRefinedScores() {
    const Two two;
    std::vector<Peak> peaks{two.peakOf(false, 0.7, 0), two.peakOf(true, 0.6, 12)};
    two.made.refine(peaks);
    QCOMPARE(peaks.size(), std::size_t{2});
    QCOMPARE(peaks[0].score, 0.6);
    QVERIFY(peaks[0].refinement->score > 0.95 && peaks[1].refinement->score < 0.85);
    peaks.assign({two.peakOf(false, 0.7, 0), two.peakOf(true, 0.6, 12)});
    two.made.refine(peaks, {.minScore = 0, .maxPeaks = 1});
    QCOMPARE(peaks.size(), std::size_t{1});
    QCOMPARE(peaks[0].score, 0.6);
    // 60 voxels apart; 120 in space where they are twice as wide as high.
    for (const auto& [wide, count] : {std::pair{1.0, std::size_t{1}}, {2.0, std::size_t{2}}}) {
        peaks.assign({two.peakOf(false, 0.7, 0), two.peakOf(true, 0.6, 12)});
        two.made.refine(peaks, {.minScore = 0, .minDistance = 100, .edges = {wide, 1, 1}});
        QCOMPARE(peaks.size(), count);
    }
}

void RefineTest::peaksThatBecomeTheSameAreListedOnce() {
    const Two two;
    // A step and some voxels apart, as the two best poses beside an object are.
    const Point beside{two.first[0] + 1.4, two.first[1] - 1.2, 0};
    std::vector<Peak> peaks{two.peakOf(true, 0.6, 12),
                            two.made.peak(beside, {rotation::inPlane(18), 1, false}, 0.59)};
    two.made.refine(peaks, {.minScore = 0, .minDistance = 1.5});
    QCOMPARE(peaks.size(), std::size_t{1});
    QVERIFY(test::apart(two.made.centreOf(peaks[0]), two.first) < 0.01);
}

void RefineTest::refinedScoresDecideTheThreshold() {
    const Two two;
    std::vector<Peak> peaks{two.peakOf(true, 0.6, 12), two.peakOf(false, 0.7, 0)};
    two.made.refine(peaks, {.minScore = 0.9});
    QCOMPARE(peaks.size(), std::size_t{1});
    QCOMPARE(peaks[0].score, 0.6);
}

void RefineTest::aPeakThatAWorseOneHidIsListed() {
    const Two two;
    // A place beside the object has a higher score in the poses that are searched.
    const auto wrong = [&] {
        return two.made.peak({two.first[0] + 10, two.first[1] + 9, 0},
                             {rotation::inPlane(180), 1, false}, 0.62);
    };
    const auto list = [&](double likeness) {
        std::vector<Peak> peaks{wrong()};
        base::TilePool pool(1);
        match::refinePeaks(peaks, method::MaskedView(two.made.scene), {two.made.map},
                           {.minScore = 0.1}, pool, {}, {}, {wrong(), two.peakOf(true, 0.6, 12)},
                           likeness);
        return peaks;
    };
    const std::vector<Peak> peaks = list(0.7);
    QCOMPARE(peaks.size(), std::size_t{1});
    QVERIFY(test::apart(two.made.centreOf(peaks[0]), two.first) < 0.01);
    // What is not expected to be the better one is not looked at.
    QCOMPARE(list(1).front().score, 0.62);
}

void RefineTest::candidatesReachBelowTheThreshold() {
    const Two two;
    const PeakOptions options{.minScore = 0.8, .maxPeaks = 20};
    const match::CandidateOptions made = match::candidateOptions(options, {two.made.map});
    const PeakOptions& wider = made.peaks;
    QVERIFY(made.hidden && *made.hidden->minDistance == 7.5);
    // The template in a pose half a step away, between voxels, is less like itself.
    QVERIFY2(wider.minScore < 0.79 && wider.minScore >= 0.4,
             qPrintable(QString::number(wider.minScore)));
    QCOMPARE(wider.maxPeaks, std::int64_t{70});
    PeakOptions apart = options;
    apart.minDistance = 1;
    QVERIFY(!match::candidateOptions(apart, {two.made.map}).hidden);
    apart.maxOverlap = 0.3;
    const match::CandidateOptions less = match::candidateOptions(apart, {two.made.map});
    QVERIFY(less.peaks.maxOverlap == 0.5 && less.hidden && !less.hidden->maxOverlap);
    QCOMPARE(*less.hidden->minDistance, 1.0);
    match::SearchedMap plain = two.made.map;
    plain.poses = nullptr;
    QCOMPARE(match::candidateOptions(options, {plain}).peaks.minScore, 0.8);
    QCOMPARE(match::candidateOptions({.minScore = -0.5}, {two.made.map}).peaks.minScore, -0.5);
}

void RefineTest::progressIsTold() {
    const Two two;
    std::vector<Peak> peaks{two.peakOf(true, 0.6, 12), two.peakOf(false, 0.7, 0)};
    std::mutex lock;
    std::vector<double> told;
    two.made.refine(peaks, {.minScore = 0}, [&](double share) {
        const std::scoped_lock hold(lock);
        told.push_back(share);
    });
    QCOMPARE(told, (std::vector<double>{0.5, 1}));
}

const flcc::test::TestClass<RefineTest> kRefineTest;
#include "refine_test.moc"
