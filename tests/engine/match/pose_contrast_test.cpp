#include <QtTest>

#include <cmath>

#include "engine/base/random.h"
#include "engine/match/pose_contrast.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

constexpr match::PoseContrast kOfSearch{
    .other = 3, .spread = 0.3, .own = 0.4, .ownDeviation = 0.0764};
constexpr double kScatter = 0.02;

/// A place whose best score lies `contrast` deviations above the mean.
match::PlaceScores scoresAt(double best, double contrast) {
    constexpr double kDeviation = 0.05;
    return {best, best - contrast * kDeviation, kDeviation};
}

} // namespace

class PoseContrastTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// By hand: at 0.6 the template has a contrast of 0.24 / 0.05 = 4.8, something else one of 3.
    /// The middle, by deviations of hypot(0.015, 0.01) and hypot(0.015, 0.02), is near 3.7.
    void somethingElseIsToldByTheOtherOrientations() {
        const match::PlaceVerdicts made = match::judgePlaces(
            {scoresAt(0.6, 4.8), scoresAt(0.6, 4.2), scoresAt(0.6, 3.1), scoresAt(0.6, 2.8),
             scoresAt(0.6, 2.0), scoresAt(0.6, 3.0), scoresAt(0.6, 3.2)},
            kOfSearch, kScatter, 1);
        QVERIFY((made.own == std::vector<bool>{true, true, false, false, false, false, false}));
        QCOMPARE(made.others(), std::int64_t{5});
        QCOMPARE(made.share, 0.5); // the template is never taken for rare
        // Twice the deviation that the template has, so that it would stand out less than that.
        QCOMPARE(
            match::judgePlaces({{0.6, 0.3, 0.1}, scoresAt(0.6, 4.8)}, kOfSearch, kScatter, 1).own,
            (std::vector<bool>{false, true}));
    }

    /// By hand: at a contrast of 3.85 the template is twice as probable as something else, so that
    /// each of these places counts 1/3 of the number that may be of something else.
    void asManyOthersAreListedAsAreAllowed() {
        std::vector<match::PlaceScores> places(40, scoresAt(0.6, 3));
        places.insert(places.end(), 6, scoresAt(0.6, 3.85));
        const auto others = [&places](double number) {
            return match::judgePlaces(places, kOfSearch, kScatter, number).others();
        };
        QCOMPARE(others(0.5), std::int64_t{45});
        QCOMPARE(others(1), std::int64_t{44});
        QCOMPARE(others(10), std::int64_t{40});
    }

    /// Where the template is too round to stand out from its other orientations, or its scores are
    /// too low beside noise, a place counts as its own.
    void whatCannotBeToldIsTheTemplate() {
        const std::vector<match::PlaceScores> places{scoresAt(0.6, 0.1), scoresAt(0.6, 3),
                                                     scoresAt(0.6, 2)};
        QCOMPARE(match::judgePlaces(places, {3, 0.3, 0.01, 0.0764}, kScatter, 1).others(),
                 std::int64_t{0});
        QCOMPARE(match::judgePlaces({scoresAt(0.3, 2.5), scoresAt(0.3, 2.9)}, kOfSearch, 0.05, 1)
                     .others(),
                 std::int64_t{0});
        QCOMPARE(match::judgePlaces({}, kOfSearch, kScatter, 1).others(), std::int64_t{0});
    }

    /// 200 lists of 30 places with the scatter of noise, of the template alone: none is left out
    /// but those that lie more than four deviations below what is expected.
    void objectsAloneStay() {
        base::Random random(1);
        std::int64_t left = 0;
        for (int list = 0; list < 200; ++list) {
            std::vector<match::PlaceScores> places;
            for (int i = 0; i < 30; ++i) {
                match::PlaceScores each = scoresAt(0.6, 4.8);
                each.best += kScatter * random.normal();
                places.push_back(each);
            }
            left += match::judgePlaces(places, kOfSearch, kScatter, 1).others();
        }
        QVERIFY2(left <= 60, qPrintable(QString::number(left))); // 1 in 100
    }
};

const flcc::test::TestClass<PoseContrastTest> kPoseContrastTest;
#include "pose_contrast_test.moc"
