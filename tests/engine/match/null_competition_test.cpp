#include <QtTest>

#include <cmath>

#include "engine/match/null_competition.h"
#include "engine/match/null_template.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

match::Peak aloneAt(double x, double score) {
    match::Peak peak;
    peak.score = score;
    peak.centre = {x, 0, 0};
    return peak;
}

match::Exclusion::Turned elevenVoxels(const match::Peak& /*peak*/) {
    return {{11, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

} // namespace

class NullCompetitionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// By hand: the null wins at 0 and alone at 200, loses at 100 (5 voxels off), and at 300 it is
    /// too far away (6 voxels) to meet the template.
    void theHigherPeakHasThePlace() {
        const std::vector<match::Peak> own{aloneAt(100, 0.9), aloneAt(0, 0.7), aloneAt(300, 0.6)};
        const std::vector<match::Peak> nulls{aloneAt(2, 0.8), aloneAt(105, 0.75), aloneAt(306, 0.5),
                                             aloneAt(200, 0.4)};
        const match::NullCompetition made =
            match::compete(own, nulls, 0.65, {11, 1, 1}, elevenVoxels);
        QVERIFY((made.scores == std::vector<double>{0.8, 0.7, 0.5, 0.4}));
        QCOMPARE(made.peaks, std::int64_t{2});
        QCOMPARE(made.matched, std::int64_t{1});
        QVERIFY(!made.better);
    }

    /// Chance gives 8 of 8 in 1 of 256 scenes, 7 of 8 in 9 of 256, and 14 of 16 in 137 of 65 536.
    void eightPeaksOrSixteenTell() {
        std::vector<match::Peak> own;
        std::vector<match::Peak> nulls;
        const auto better = [&] {
            return match::compete(own, nulls, 0, {11, 1, 1}, elevenVoxels).better;
        };
        for (int i = 0; i < 8; ++i) {
            QVERIFY(!better());
            own.push_back(aloneAt(100 * i, 0.9 - 0.01 * i));
        }
        QVERIFY(better());
        nulls.push_back(aloneAt(4, 0.95));
        QVERIFY(!better());
        for (int i = 8; i < 16; ++i) {
            QVERIFY(!better());
            own.push_back(aloneAt(100 * i, 0.9 - 0.01 * i));
        }
        nulls.push_back(aloneAt(104, 0.945));
        QVERIFY(better());
        const match::NullCompetition made =
            match::compete(own, nulls, 0.8, {11, 1, 1}, elevenVoxels);
        QCOMPARE(made.peaks, std::int64_t{11}); // 0.9 to 0.8
        QCOMPARE(made.matched, std::int64_t{2});
        QCOMPARE(made.ratio, 0.0);
        own.insert(own.begin(), aloneAt(5000, 1)); // a copy of the template tells nothing
        QVERIFY(better());
    }

    /// A dark ball of radius 4 off the middle, in voxels twice as long in z: the ball that is found
    /// has its radius, its place and its sign. The edge is soft, so that a radius is found within
    /// half a voxel; the correlation of both balls is above that with a radius of one voxel more.
    void theBallIsThatOfTheTemplate() {
        base::Image<double> image({19, 17, 11});
        for (std::int64_t i = 0; i < image.count(); ++i) {
            const auto x = static_cast<double>(i % 19) - 8;
            const auto y = static_cast<double>(i / 19 % 17) - 7;
            const auto z = 2 * (static_cast<double>(i / (19 * 17)) - 6);
            image.data()[i] = x * x + y * y + z * z <= 16 ? -3 : 5;
        }
        const match::Ball ball = match::ballLike(image.view(), {}, {1, 1, 2});
        QVERIFY(std::abs(ball.radius - 4) <= 0.5);
        QVERIFY(ball.correlation < -0.9);
        const match::Ball round = match::ballLike(image.view(), {}, {1, 1, 1});
        QVERIFY(std::abs(round.correlation) < std::abs(ball.correlation) - 0.05);
    }
};

const flcc::test::TestClass<NullCompetitionTest> kNullCompetitionTest;
#include "null_competition_test.moc"
