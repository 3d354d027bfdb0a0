#include <QtTest>

#include <cmath>

#include "engine/method/canonical.h"
#include "tests/engine/match/peak_judge.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using match::PeakOptions;

namespace {

constexpr double kSigma = 2.5;

/// A Gaussian blob at a sub-pixel place, in float.
base::AnyImage blob(const base::Extents& extents, const base::Point& centre) {
    return test::makeScene(PixelType::Float32, extents, [&](const base::Index& at) {
        const double dx = static_cast<double>(at.x) - centre[0];
        const double dy = static_cast<double>(at.y) - centre[1];
        const double dz = extents.z > 1 ? static_cast<double>(at.z) - centre[2] : 0;
        return std::exp(-(dx * dx + dy * dy + dz * dz) / (2 * kSigma * kSigma));
    });
}

std::vector<match::Peak> peaksOf(const base::AnyImage& scene, const base::AnyImage& templ,
                                 const PeakOptions& options, const base::Geometry& geometry = {}) {
    const test::MapOf map = test::mapWithErrors(base::viewOf(scene), base::viewOf(templ), 0, 1);
    return match::findPeaks(base::viewOf(scene), {test::searchedMap(templ, map)}, geometry,
                            options);
}

} // namespace

class PeakShapeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theCentreFollowsASubVoxelShift_data();
    void theCentreFollowsASubVoxelShift();
    void theCurvatureIsTheSecondDifferenceOfTheScores();
    void noFitBesideAVoxelWithoutAValue();
    void worldPositionsFollowTheGeometry();
    void theRivalIsTheBestOtherPeak();
    void theRivalIsFoundBelowTheThreshold();
    void zScoresMeasureFromTheMapsMean();
    void equalScoresHaveNoZScore_data();
    void equalScoresHaveNoZScore();
};

void PeakShapeTest::theCentreFollowsASubVoxelShift_data() {
    QTest::addColumn<double>("shift");
    QTest::addColumn<bool>("volume");
    for (const double shift : {-0.45, -0.2, 0.0, 0.1, 0.3, 0.49}) {
        QTest::addRow("image %g", shift) << shift << false;
        QTest::addRow("volume %g", shift) << shift << true;
    }
}

void PeakShapeTest::theCentreFollowsASubVoxelShift() {
    QFETCH(double, shift);
    QFETCH(bool, volume);
    const double depth = volume ? 8 - shift : 0;
    const base::Point place{16 + shift, 13 - shift, depth};
    const base::AnyImage scene = blob({33, 29, volume ? 17 : 1}, place);
    const base::AnyImage templ = blob({9, 9, volume ? 9 : 1}, {4, 4, volume ? 4.0 : 0.0});
    const std::vector<match::Peak> peaks = peaksOf(scene, templ, {.minScore = 0.9});
    QCOMPARE(peaks.size(), std::size_t{1});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        QVERIFY2(std::abs(peaks.front().centre[axis] - place[axis]) < 0.005,
                 qPrintable(QString::number(peaks.front().centre[axis])));
        QVERIFY(axis == 2 && !volume ? peaks.front().curvature[axis] == 0
                                     : peaks.front().curvature[axis] < 0);
    }
}

void PeakShapeTest::theCurvatureIsTheSecondDifferenceOfTheScores() {
    const base::AnyImage scene = test::texture(PixelType::Float32, {50, 44, 1}, 8);
    const base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {7, 7, 1}});
    const method::CanonicalTemplate canonical(base::viewOf(templ));
    for (const match::Peak& peak : peaksOf(scene, templ, {.minScore = 0})) {
        if (peak.corner.x == 0 || peak.corner.x == 43) {
            continue;
        }
        const auto score = [&](std::int64_t step) {
            return method::canonicalScore(base::viewOf(scene), canonical,
                                          {peak.corner.x + step, peak.corner.y, 0});
        };
        QCOMPARE(score(0), peak.score);
        const double second = score(1) + score(-1) - 2 * score(0);
        QVERIFY(std::abs(peak.curvature[0] - second) < 1e-14);
        QVERIFY(std::abs(peak.shift[0]) <= 1);
    }
}

void PeakShapeTest::noFitBesideAVoxelWithoutAValue() {
    base::AnyImage scene = test::noise(PixelType::Float32, {40, 40, 1}, 2);
    const base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {5, 5, 1}});
    // The panel one to the right of the copy touches this voxel, the copy does not.
    test::setVoxel(scene, {25, 22, 0}, std::nan(""));
    const std::vector<match::Peak> peaks = peaksOf(scene, templ, {.minScore = 0.99});
    QCOMPARE(peaks.size(), std::size_t{1});
    QVERIFY((peaks.front().corner == base::Index{20, 20, 0}));
    QCOMPARE(peaks.front().shift[0], 0.0);
    QCOMPARE(peaks.front().curvature[0], 0.0);
    QVERIFY(peaks.front().curvature[1] < 0);
}

void PeakShapeTest::worldPositionsFollowTheGeometry() {
    const base::AnyImage scene = blob({33, 29, 17}, {16, 13, 8});
    const base::AnyImage templ = blob({9, 9, 9}, {4, 4, 4});
    base::Geometry geometry;
    geometry.origin = {100, 200, 300};
    geometry.spacing = {0.5, 2, 4};
    geometry.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1}; // x of the grid points along world y
    const match::Peak peak = peaksOf(scene, templ, {.minScore = 0.9}, geometry).front();
    QVERIFY((peak.corner == base::Index{12, 9, 4}));
    QVERIFY(std::abs(peak.world[0] - (100 - 26)) < 1e-6);
    QVERIFY(std::abs(peak.world[1] - (200 + 8)) < 1e-6);
    QVERIFY(std::abs(peak.world[2] - (300 + 32)) < 1e-6);
}

void PeakShapeTest::theRivalIsTheBestOtherPeak() {
    const base::AnyImage scene = test::texture(PixelType::Float32, {50, 44, 1}, 8);
    const base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {7, 7, 1}});
    const std::vector<match::Peak> peaks = peaksOf(scene, templ, {.minScore = 0.1});
    QVERIFY(peaks.size() > 2);
    QCOMPARE(*peaks[0].rival, peaks[0].score / peaks[1].score);
    QCOMPARE(*peaks[1].rival, peaks[1].score / peaks[0].score);
    QCOMPARE(*peaks[2].rival, peaks[2].score / peaks[0].score);
}

void PeakShapeTest::theRivalIsFoundBelowTheThreshold() {
    const base::AnyImage scene = test::texture(PixelType::Float32, {50, 44, 1}, 8);
    const base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {7, 7, 1}});
    const std::vector<match::Peak> peaks = peaksOf(scene, templ, {.minScore = 0.1});
    const std::vector<match::Peak> best =
        peaksOf(scene, templ, {.minScore = (peaks[0].score + peaks[1].score) / 2});
    QCOMPARE(best.size(), std::size_t{1});
    QCOMPARE(best.front().rival, peaks.front().rival);
}

void PeakShapeTest::zScoresMeasureFromTheMapsMean() {
    const base::AnyImage scene = test::noise(PixelType::UInt8, {50, 44, 1}, 8);
    const base::AnyImage templ = test::crop(scene, {{20, 20, 0}, {7, 7, 1}});
    const test::MapOf map = test::mapWithErrors(base::viewOf(scene), base::viewOf(templ), 0, 1);
    const match::MapStatistics statistics =
        match::mapStatistics(map.map.value.view(), map.map.status.view());
    for (const match::Peak& peak :
         test::peaksOf(base::viewOf(scene), base::viewOf(templ), map, {.minScore = 0.2})) {
        QCOMPARE(peak.zscore.value_or(0),
                 (peak.score - statistics.mean) / statistics.standardDeviation);
    }
}

void PeakShapeTest::equalScoresHaveNoZScore_data() {
    QTest::addColumn<double>("bound");
    QTest::newRow("exact") << 0.0;
    QTest::newRow("within bounds") << 1e-6;
}

void PeakShapeTest::equalScoresHaveNoZScore() {
    QFETCH(double, bound);
    // Copies of one column side by side: every placement holds the template.
    const base::AnyImage column = test::noise(PixelType::UInt16, {1, 9, 1}, 4);
    const base::AnyImage scene =
        test::makeScene(PixelType::UInt16, {60, 9, 1}, [&](const base::Index& at) {
            return base::valueAt(base::viewOf(column), {0, at.y, 0});
        });
    const base::AnyImage templ = test::crop(scene, {{20, 0, 0}, {7, 9, 1}});
    test::MapOf map = test::mapWithErrors(base::viewOf(scene), base::viewOf(templ), bound, 1);
    map.facts.boundMedian = bound;
    const auto peaks =
        test::peaksOf(base::viewOf(scene), base::viewOf(templ), map, {.minScore = 0.2});
    QVERIFY(!peaks.empty());
    for (const match::Peak& peak : peaks) {
        QVERIFY2(!peak.zscore, qPrintable(QString::number(peak.zscore.value_or(0))));
    }
}

const flcc::test::TestClass<PeakShapeTest> kPeakShapeTest;
#include "peak_shape_test.moc"
