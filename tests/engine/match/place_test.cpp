#include <QtTest>

#include <cmath>
#include <limits>

#include "engine/match/place.h"
#include "engine/method/canonical.h"
#include "tests/engine/match/waves.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::Point;
using match::Place;
using match::PlacedBy;
using method::MaskedView;

namespace {

constexpr Index kCorner{9, 8, 7};
constexpr double kNoise = 0.31622776601683794; // of the contrast: a ratio of 10 of the variances

struct MovedScene {
    base::AnyImage scene;
    base::AnyImage templ;

    /// The scene is moved by `by`, the template is not.
    MovedScene(const test::Waves& waves, const Extents& extents, const Point& by)
        : scene(waves.seenBy({extents.x + 18, extents.y + 16, extents.z > 1 ? extents.z + 14 : 1},
                             [&](const Point& p) {
                                 return Point{p[0] - by[0], p[1] - by[1], p[2] - by[2]};
                             })),
          templ(waves.seenBy(extents, [&](const Point& p) {
              return Point{p[0] + kCorner.x, p[1] + kCorner.y,
                           extents.z > 1 ? p[2] + kCorner.z : 0};
          })) {}

    /// The place in the scene with white noise.
    [[nodiscard]] Place noisyPlace(double noise, std::uint64_t seed) const {
        base::Random random(seed);
        MovedScene made{base::copyOf(base::viewOf(scene)), base::copyOf(base::viewOf(templ))};
        auto& pixels = std::get<base::Image<float>>(made.scene);
        for (std::int64_t i = 0; i < pixels.count(); ++i) {
            pixels.data()[i] += static_cast<float>(noise * random.normal());
        }
        return made.place();
    }

    MovedScene(base::AnyImage sceneImage, base::AnyImage templImage)
        : scene(std::move(sceneImage)), templ(std::move(templImage)) {}

    [[nodiscard]] Place place(bool usesPixels = true, const MaskedView& sceneView = {},
                              const MaskedView& templView = {}, bool whole = true) const {
        const bool given = sceneView.extents().x > 0;
        const MaskedView view = given ? sceneView : MaskedView(scene);
        const MaskedView own = given ? templView : MaskedView(templ);
        const method::CanonicalTemplate canonical(own);
        const bool flat = own.extents().z == 1;
        const Index corner{kCorner.x, kCorner.y, flat ? 0 : kCorner.z};
        return match::placeOf(
            view, canonical, corner, method::canonicalScore(view, canonical, corner),
            [&](const Index& way) -> std::optional<double> {
                const Index at{corner.x + way.x, corner.y + way.y, corner.z + way.z};
                if (flat && way.z != 0) {
                    return std::nullopt;
                }
                const auto value =
                    method::canonicalValue(view, canonical, at, method::Outside::Zero);
                return value.scored && (!whole || method::isWhole(view, canonical, at))
                           ? std::optional(value.score)
                           : std::nullopt;
            },
            usesPixels);
    }
};

} // namespace

class PlaceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aShiftByAPartOfAVoxelIsFound_data();
    void aShiftByAPartOfAVoxelIsFound();
    void noPhaseDrawsThePlaceToTheGrid();
    void theErrorIsThatOfManyTrials();
    void theTopOfAnObliqueRidgeIsFoundByScoresAlone();
    void whatAMaskLeavesOutDoesNotMatter();
    void anAxisWithoutANeighbourHasNoShift();
};

void PlaceTest::aShiftByAPartOfAVoxelIsFound_data() {
    QTest::addColumn<Extents>("extents");
    QTest::addColumn<double>("finest");
    QTest::newRow("odd") << Extents{25, 21, 1} << 4.0;
    QTest::newRow("even") << Extents{32, 24, 1} << 4.0;
    QTest::newRow("smooth") << Extents{25, 33, 1} << 12.0;
    QTest::newRow("odd volume") << Extents{11, 13, 9} << 4.0;
    QTest::newRow("even volume") << Extents{12, 10, 14} << 4.0;
}

void PlaceTest::aShiftByAPartOfAVoxelIsFound() {
    QFETCH(Extents, extents);
    QFETCH(double, finest);
    const bool flat = extents.z == 1;
    const test::Waves waves(5, finest, flat);
    for (const double part : {-0.5, -0.31, 0.0, 0.13, 0.25, 0.49}) {
        const Point by{part, -0.6 * part, flat ? 0 : 0.8 * part};
        const Place place = MovedScene(waves, extents, by).place();
        QCOMPARE(place.by, PlacedBy::Pixels);
        // Splines of order 3 have an error of 1e-3 at four voxels a wave.
        QVERIFY2(test::apart(place.shift, by) < 0.005,
                 qPrintable(QString::number(test::apart(place.shift, by))));
        for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
            QVERIFY(place.curvature[axis] < 0);
        }
    }
}

void PlaceTest::noPhaseDrawsThePlaceToTheGrid() {
    // With waves of 2.6 voxels the parabola of three scores is drawn to the grid by 0.1 voxel.
    constexpr int kTrials = 20;
    const test::Waves waves(7, 2.6, true);
    for (const double phase : {-0.4, -0.25, -0.1, 0.1, 0.25, 0.4}) {
        double sum = 0;
        double error = 0;
        const MovedScene made(waves, {45, 44, 1}, {phase, 0, 0});
        for (int trial = 0; trial < kTrials; ++trial) {
            const Place place =
                made.noisyPlace(kNoise * waves.contrast(), static_cast<std::uint64_t>(trial + 100));
            sum += place.shift[0] - phase;
            error += place.error.value()[0];
        }
        const double bias = sum / kTrials;
        const double most = 4 * error / kTrials / std::sqrt(kTrials);
        QVERIFY2(std::abs(bias) < most && most < 0.02,
                 qPrintable(QString("%1: %2 of %3").arg(phase).arg(bias).arg(most)));
    }
}

void PlaceTest::theErrorIsThatOfManyTrials() {
    constexpr int kTrials = 40;
    for (const bool flat : {true, false}) {
        const test::Waves waves(11, 5, flat);
        const Point by{0.3, -0.2, flat ? 0 : 0.4};
        double squares = 0; // of deviations in errors
        const MovedScene made(waves, flat ? Extents{48, 45, 1} : Extents{14, 13, 15}, by);
        for (int trial = 0; trial < kTrials; ++trial) {
            const Place place =
                made.noisyPlace(kNoise * waves.contrast(), static_cast<std::uint64_t>(trial));
            QCOMPARE(place.by, PlacedBy::Pixels);
            for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
                const double part = (place.shift[axis] - by[axis]) / place.error.value()[axis];
                squares += part * part / (flat ? 2 : 3);
            }
        }
        // The mean of 80 squares has a standard deviation of 0.16.
        QVERIFY2(std::abs(squares / kTrials - 1) < 0.5,
                 qPrintable(QString::number(squares / kTrials)));
    }
}

void PlaceTest::theTopOfAnObliqueRidgeIsFoundByScoresAlone() {
    // Scores of a ridge at 45 degrees with its top between voxels.
    const Point top{0.3, -0.35, 0};
    const auto score = [&](const Index& at) -> std::optional<double> {
        const double x = static_cast<double>(at.x) - top[0];
        const double y = static_cast<double>(at.y) - top[1];
        return at.z != 0 ? std::nullopt
                         : std::optional(1 - 0.01 * (x - y) * (x - y) - 0.002 * (x + y) * (x + y));
    };
    const base::AnyImage any = test::noise(base::PixelType::Float32, {9, 9, 1}, 1);
    const method::CanonicalTemplate templ{MaskedView(any)};
    const Place place =
        match::placeOf(MaskedView(any), templ, {0, 0, 0}, *score({0, 0, 0}), score, false);
    QCOMPARE(place.by, PlacedBy::Surface);
    QVERIFY2(test::apart(place.shift, top) < 1e-9,
             qPrintable(QString::number(test::apart(place.shift, top))));
    QVERIFY(!place.error);
    QVERIFY(std::abs(place.curvature[0] + 0.024) < 1e-12);
    // Without one corner there is no surface, and the parabolas of the axes miss the top.
    const auto lacking = [&](const Index& at) {
        return at.x == 1 && at.y == 1 ? std::nullopt : score(at);
    };
    const Place axes =
        match::placeOf(MaskedView(any), templ, {0, 0, 0}, *score({0, 0, 0}), lacking, false);
    QCOMPARE(axes.by, PlacedBy::Axes);
    QVERIFY(test::apart(axes.shift, top) > 0.2);
}

void PlaceTest::whatAMaskLeavesOutDoesNotMatter() {
    const test::Waves waves(3, 5, true);
    const Point by{0.2, 0.4, 0};
    MovedScene made(waves, {25, 25, 1}, by);
    base::Image<std::uint8_t> templMask({25, 25, 1}, 1);
    base::Image<std::uint8_t> sceneMask(base::extentsOf(base::viewOf(made.scene)), 1);
    for (std::int64_t y = 0; y < 25; ++y) {
        for (std::int64_t x = 0; x < 25; ++x) {
            if (x + y < 18) {
                templMask.view().at(x, y, 0) = 0;
                test::setVoxel(made.templ, {x, y, 0}, 1e6);
            }
            if (x + y < 14) {
                sceneMask.view().at(x + kCorner.x, y + kCorner.y, 0) = 0;
                test::setVoxel(made.scene, {x + kCorner.x, y + kCorner.y, 0}, std::nan(""));
            }
        }
    }
    const Place place = made.place(true, {base::viewOf(made.scene), sceneMask.view()},
                                   {base::viewOf(made.templ), templMask.view()});
    QCOMPARE(place.by, PlacedBy::Pixels);
    QVERIFY2(test::apart(place.shift, by) < 0.005,
             qPrintable(QString::number(test::apart(place.shift, by))));
    // Of a partial placement the voxels that lie inside are compared.
    for (std::int64_t y = 0; y < 25; ++y) {
        for (std::int64_t x = 0; x < 25; ++x) {
            if (x + y >= 14 && x + y < 23) {
                sceneMask.view().at(x + kCorner.x, y + kCorner.y, 0) = 0;
                test::setVoxel(made.scene, {x + kCorner.x, y + kCorner.y, 0}, 1e6);
            }
        }
    }
    const Place partial = made.place(true, {base::viewOf(made.scene), sceneMask.view()},
                                     {base::viewOf(made.templ), templMask.view()}, false);
    QCOMPARE(partial.by, PlacedBy::Pixels);
    QVERIFY2(test::apart(partial.shift, by) < 0.02,
             qPrintable(QString::number(test::apart(partial.shift, by))));
}

void PlaceTest::anAxisWithoutANeighbourHasNoShift() {
    const test::Waves waves(3, 5, true);
    MovedScene made(waves, {25, 25, 1}, {0.2, 0.4, 0});
    test::setVoxel(made.scene, {kCorner.x + 25, kCorner.y + 12, 0}, std::nan(""));
    const Place place = made.place();
    QCOMPARE(place.shift[0], 0.0);
    QCOMPARE(place.curvature[0], 0.0);
    QVERIFY(std::abs(place.shift[1] - 0.4) < 0.05);
}

const flcc::test::TestClass<PlaceTest> kPlaceTest;
#include "place_test.moc"
