#include <QtTest>

#include <cmath>

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
            match::compete(own, nulls, 0.65, 0.1, {11, 1, 1}, elevenVoxels);
        QVERIFY((made.scores == std::vector<double>{0.8, 0.7, 0.5, 0.4}));
        QCOMPARE(made.peaks, std::int64_t{2});
        QCOMPARE(made.matched, std::int64_t{1});
        QVERIFY(!made.better);
    }

    /// By hand, with scores of noise that deviate by 0.1: two places of equal scores differ by
    /// 0.141 on average, so one place tells from 0.438 on, and four from 0.219 each.
    void aClearDifferenceTells() {
        const auto better = [](const std::vector<double>& own, const std::vector<double>& nulls) {
            std::vector<match::Peak> a;
            std::vector<match::Peak> b;
            for (std::size_t i = 0; i < own.size(); ++i) {
                a.push_back(aloneAt(100 * static_cast<double>(i), own[i]));
            }
            for (std::size_t i = 0; i < nulls.size(); ++i) {
                b.push_back(aloneAt(100 * static_cast<double>(i) + 3, nulls[i]));
            }
            return match::compete(a, b, 0.4, 0.1, {11, 1, 1}, elevenVoxels).better;
        };
        QVERIFY(better({0.9}, {0.46}));
        QVERIFY(!better({0.9}, {0.47}));
        QVERIFY(better({0.9, 0.89, 0.88, 0.87}, {0.68, 0.67, 0.66, 0.65}));
        QVERIFY(!better({0.9, 0.89, 0.88, 0.87}, {0.69, 0.68, 0.67, 0.66}));
        // Places that the null has count against it, and a copy of the template tells nothing.
        const std::vector<match::Peak> own{aloneAt(0, 0.9), aloneAt(500, 0.41)};
        const std::vector<match::Peak> nulls{aloneAt(203, 0.95), aloneAt(3, 0.46)};
        QVERIFY(!match::compete(own, nulls, 0.4, 0.1, {11, 1, 1}, elevenVoxels).better);
        QVERIFY(!better({1.0}, {0.1}));
    }

    void placesAreComparedBothWays() {
        const std::vector<match::Peak> own{aloneAt(0, 0.9), aloneAt(100, 0.8), aloneAt(200, 0.5)};
        const std::vector<match::Peak> nulls{aloneAt(101, 0.84), aloneAt(2, 0.45)};
        const match::NullCompetition made =
            match::compete(own, nulls, 0.6, 0.1, {11, 1, 1}, elevenVoxels);
        QCOMPARE(made.peaks, std::int64_t{2});
        QCOMPARE(made.matched, std::int64_t{1});
        QCOMPARE(made.ratio, 0.84 / 0.8); // the upper of two
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
