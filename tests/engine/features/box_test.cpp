#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/features/object_box.h"
#include "engine/features/suggest.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;

namespace {

/// Noise of a normal distribution around `ground`, with balls (discs in an image).
struct Ball {
    base::Point centre;
    double radius = 0;
    double height = 0;
};

base::Image<float> scene(const base::Extents& extents, double noise, const std::vector<Ball>& balls,
                         unsigned seed = 5) {
    std::mt19937 random(seed);
    base::Image<float> image(extents);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                double value = 100;
                for (int i = 0; i < 12; ++i) {
                    value += noise * (static_cast<double>(random() % 65536) / 65536.0 - 0.5);
                }
                for (const Ball& ball : balls) {
                    const double away = std::hypot(static_cast<double>(x) - ball.centre[0],
                                                   static_cast<double>(y) - ball.centre[1],
                                                   static_cast<double>(z) - ball.centre[2]);
                    value += away <= ball.radius ? ball.height : 0;
                }
                image.view().at(x, y, z) = static_cast<float>(value);
            }
        }
    }
    return image;
}

QString text(const base::Box& box) { return QString::fromStdString(base::toString(box)); }

/// The box holds the ball and at most `beyond` voxels more on each side.
bool fits(const base::Box& box, const Ball& ball, double beyond, bool volume) {
    const auto axis = [&](std::int64_t corner, std::int64_t size, double centre) {
        const double low = centre - ball.radius - static_cast<double>(corner);
        const double high = static_cast<double>(corner + size - 1) - centre - ball.radius;
        return low > -1 && low <= beyond && high > -1 && high <= beyond;
    };
    return axis(box.corner.x, box.extents.x, ball.centre[0]) &&
           axis(box.corner.y, box.extents.y, ball.centre[1]) &&
           (!volume || axis(box.corner.z, box.extents.z, ball.centre[2]));
}

} // namespace

class BoxTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBoxFitsAroundADisc_data();
    void aBoxFitsAroundADisc();
    void aBoxFitsAroundABall();
    void itsNeighboursStayOutside();
    void anObjectAtTheEdgeOfTheImageIsWhole();
    void nothingStandsOutOfNoiseOrAFlatImage();
    void valuesThatAreNotFiniteAreBackground();
    void aBoxGrowsAndShrinksAroundItsCentre();
    void aBoxGetsOddThenEvenSides();
    void aDiscOnNoiseIsAGoodTemplate();
    void aFlatBoxIsPoor();
    void aBoxWithNanIsPoor();
    void aGridRepeats();
    void anEdgeSlides();
    void aWideSlopeIsBroad();
    void noiseAloneIsWeak();
    void onlyWhatTheMaskTakesInIsJudged();
    void aBlobIsLightOrDark();
    void whatLeavesTheImageHasNoScore();
    void largeBoxesAreComparedInBlocks();
};

void BoxTest::aBoxFitsAroundADisc_data() {
    QTest::addColumn<double>("radius");
    QTest::addColumn<double>("height");
    QTest::addColumn<double>("off");
    for (const double radius : {2.5, 6.0, 15.0, 40.0, 90.0}) {
        for (const double height : {60.0, -60.0}) {
            QTest::addRow("radius %g, height %g", radius, height) << radius << height << 0.0;
            QTest::addRow("radius %g, height %g, beside the middle", radius, height)
                << radius << height << 0.7;
        }
    }
}

void BoxTest::aBoxFitsAroundADisc() {
    QFETCH(double, radius);
    QFETCH(double, height);
    QFETCH(double, off);
    const Ball ball{{151, 143, 0}, radius, height};
    const auto image = scene({311, 301, 1}, 5, {ball});
    const auto at = static_cast<std::int64_t>(151 + off * radius);
    const auto box = boxAroundObject(base::AnyView(image.view()), {at, 143, 0});
    QVERIFY(box.has_value());
    // The margin, and two blocks of the window: it is at most 4.2 radii wide when the disc first
    // lies inside, in 64 blocks or more.
    const double beyond = 2 + 0.2 * radius + 2 * std::ceil(4.2 * radius / 64);
    QVERIFY2(fits(*box, ball, beyond, false), qPrintable(text(*box)));
    QCOMPARE(box->extents.z, std::int64_t{1});
}

void BoxTest::aBoxFitsAroundABall() {
    const Ball ball{{30, 26, 22}, 7, 60};
    const auto image = scene({61, 57, 49}, 5, {ball});
    const auto box = boxAroundObject(base::AnyView(image.view()), {33, 24, 22});
    QVERIFY(box.has_value());
    QVERIFY2(fits(*box, ball, 2 + 0.2 * 7 + 2 * std::ceil(4.2 * 7 / 24), true),
             qPrintable(text(*box)));
}

void BoxTest::itsNeighboursStayOutside() {
    const Ball ball{{60, 60, 0}, 8, 60};
    const auto image = scene(
        {121, 121, 1}, 4, {ball, {{85, 60, 0}, 8, 60}, {{35, 60, 0}, 8, 60}, {{60, 88, 0}, 8, 60}});
    const auto box = boxAroundObject(base::AnyView(image.view()), {60, 58, 0});
    QVERIFY(box.has_value());
    QVERIFY2(fits(*box, ball, 6, false), qPrintable(text(*box)));
}

void BoxTest::anObjectAtTheEdgeOfTheImageIsWhole() {
    const auto image = scene({80, 80, 1}, 4, {{{3, 40, 0}, 10, 80}});
    const auto box = boxAroundObject(base::AnyView(image.view()), {3, 40, 0});
    QVERIFY(box.has_value());
    QVERIFY2(box->corner.x == 0 && box->extents.x >= 14 && box->extents.x <= 18 &&
                 std::abs(box->extents.y - 23) <= 4,
             qPrintable(text(*box)));
}

void BoxTest::nothingStandsOutOfNoiseOrAFlatImage() {
    base::Image<std::uint16_t> flat({90, 70, 1}, std::uint16_t{7});
    QVERIFY(
        !boxAroundObject(base::AnyView(base::View<const std::uint16_t>(flat.view())), {40, 30, 0}));
    int found = 0;
    const auto image = scene({200, 200, 1}, 20, {});
    for (std::int64_t i = 0; i < 20; ++i) {
        found += boxAroundObject(base::AnyView(image.view()), {20 + 8 * i, 180 - 7 * i, 0}) ? 1 : 0;
    }
    // A block that is the most different of 25 smoothed ones rarely exceeds four deviations.
    QVERIFY2(found <= 4, qPrintable(QString::number(found)));
}

void BoxTest::valuesThatAreNotFiniteAreBackground() {
    const Ball ball{{50, 50, 0}, 8, 60};
    auto image = scene({101, 101, 1}, 4, {ball});
    for (std::int64_t y = 0; y < 101; ++y) {
        for (std::int64_t x = 64; x < 101; ++x) {
            image.view().at(x, y, 0) = x % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                  : std::numeric_limits<float>::infinity();
        }
    }
    const auto box = boxAroundObject(base::AnyView(image.view()), {50, 50, 0});
    QVERIFY(box.has_value());
    QVERIFY2(fits(*box, ball, 6, false), qPrintable(text(*box)));
    QVERIFY(!boxAroundObject(base::AnyView(image.view()), {90, 50, 0}));
}

void BoxTest::aBoxGrowsAndShrinksAroundItsCentre() {
    const base::Extents image{60, 50, 40};
    const base::Box box{{20, 20, 20}, {9, 6, 3}};
    const base::Box larger{{19, 19, 19}, {11, 8, 5}};
    QVERIFY(resized(box, 1, image) == larger);
    QVERIFY(resized(larger, -1, image) == box);
    const base::Box least{{23, 22, 20}, {3, 2, 3}};
    QVERIFY(resized(box, -3, image) == least);
    const base::Box flat{{20, 20, 7}, {9, 6, 1}};
    const base::Box wide{{19, 19, 7}, {11, 8, 1}};
    QVERIFY(resized(flat, 1, image) == wide);
    const base::Box whole{{0, 0, 0}, image};
    QVERIFY(resized(whole, 1, image) == whole);
    const base::Box corner{{0, 0, 0}, {10, 10, 10}};
    const base::Box grown{{0, 0, 0}, {12, 12, 12}};
    QVERIFY(resized(corner, 1, image) == grown);
}

void BoxTest::aBoxGetsOddThenEvenSides() {
    const base::Extents image{60, 50, 1};
    const base::Box mixed{{20, 20, 0}, {9, 6, 1}};
    const base::Box odd{{20, 20, 0}, {9, 7, 1}};
    const base::Box even{{20, 20, 0}, {10, 8, 1}};
    QVERIFY(withOtherParity(mixed, image) == odd);
    QVERIFY(withOtherParity(odd, image) == even);
    const base::Box whole{{0, 0, 0}, {60, 50, 1}};
    const base::Box smaller{{0, 0, 0}, {59, 49, 1}};
    QVERIFY(withOtherParity(whole, image) == smaller);
}

void BoxTest::aDiscOnNoiseIsAGoodTemplate() {
    const auto image = scene({200, 200, 1}, 5, {{{100, 100, 0}, 6, 60}});
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{92, 92, 0}, {17, 17, 1}});
    QVERIFY(quality.verdict == BoxVerdict::Good);
    QVERIFY(quality.fault == BoxFault::None);
    QVERIFY(quality.second < kFairSecond);
    QVERIFY(quality.width[0] > 2 && quality.width[0] < 11);
    // The structure is about 29; the noise has a deviation of 5. The edge of the disc adds to what
    // is taken for noise.
    QVERIFY2(quality.contrast > 1.5 && quality.contrast < 6.5,
             qPrintable(QString::number(quality.contrast)));
    QVERIFY(quality.scores.extents() == (base::Extents{35, 35, 1}));
    QVERIFY(std::abs(quality.scores.view().at(17, 17, 0) - 1) < 1e-6);
}

void BoxTest::aFlatBoxIsPoor() {
    base::Image<std::uint8_t> image({50, 50, 1}, std::uint8_t{9});
    const auto view = base::AnyView(base::View<const std::uint8_t>(image.view()));
    const base::Box box{{10, 10, 0}, {20, 20, 1}};
    QVERIFY(boxQuality(view, box).fault == BoxFault::Flat);
    QVERIFY(boxQuality(view, box).verdict == BoxVerdict::Poor);
    QVERIFY(boxQuality(view, {{4, 4, 0}, {1, 1, 1}}).fault == BoxFault::Small);
    image.view().at(29, 29, 0) = 10; // the last voxel is looked at, too
    QVERIFY(boxQuality(view, box).fault != BoxFault::Flat);
}

void BoxTest::aBoxWithNanIsPoor() {
    auto image = scene({60, 60, 1}, 5, {{{30, 30, 0}, 6, 60}});
    image.view().at(36, 36, 0) = std::numeric_limits<float>::quiet_NaN();
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{22, 22, 0}, {17, 17, 1}});
    QVERIFY(quality.verdict == BoxVerdict::Poor && quality.fault == BoxFault::NotFinite);
    QVERIFY(boxQuality(base::AnyView(image.view()), {{20, 20, 0}, {16, 16, 1}}).fault !=
            BoxFault::NotFinite);
}

void BoxTest::aGridRepeats() {
    std::vector<Ball> balls;
    for (int i = 0; i < 49; ++i) {
        balls.push_back({{20.0 + 18.0 * (i % 7), 20.0 + 18.0 * std::floor(i / 7.0), 0}, 5, 60});
    }
    const auto image = scene({190, 190, 1}, 3, balls);
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{64, 64, 0}, {21, 21, 1}});
    QVERIFY(quality.fault == BoxFault::Repeats);
    QVERIFY(quality.verdict == BoxVerdict::Poor);
    // A neighbour along an axis or along a diagonal.
    QVERIFY2(std::abs(quality.distance - 18) < 1e-9 ||
                 std::abs(quality.distance - 18 * std::sqrt(2)) < 1e-9,
             qPrintable(QString::number(quality.distance)));
}

void BoxTest::anEdgeSlides() {
    auto image = scene({120, 120, 1}, 3, {});
    for (std::int64_t y = 60; y < 120; ++y) {
        for (std::int64_t x = 0; x < 120; ++x) {
            image.view().at(x, y, 0) += 80;
        }
    }
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{50, 50, 0}, {21, 21, 1}});
    QVERIFY(quality.fault == BoxFault::Slides);
    QVERIFY(quality.verdict == BoxVerdict::Poor);
    QCOMPARE(quality.slides, std::size_t{0});
}

void BoxTest::aWideSlopeIsBroad() {
    // A hill as wide as the box: its peak is between 0.6 and 1 of a side.
    base::Image<float> image({160, 160, 1});
    for (std::int64_t y = 0; y < 160; ++y) {
        for (std::int64_t x = 0; x < 160; ++x) {
            const double r2 =
                std::pow(static_cast<double>(x - 80), 2) + std::pow(static_cast<double>(y - 80), 2);
            image.view().at(x, y, 0) = static_cast<float>(100 * std::exp(-r2 / (2 * 12.0 * 12.0)));
        }
    }
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{70, 70, 0}, {21, 21, 1}});
    QVERIFY(quality.fault == BoxFault::Broad || quality.fault == BoxFault::Slides ||
            quality.fault == BoxFault::Repeats);
    QVERIFY(quality.verdict != BoxVerdict::Good);
    QVERIFY(quality.width[0] > 12);
}

void BoxTest::noiseAloneIsWeak() {
    const auto image = scene({120, 120, 1}, 20, {});
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{50, 50, 0}, {21, 21, 1}});
    QVERIFY(quality.fault == BoxFault::Weak);
    QVERIFY(quality.verdict == BoxVerdict::Fair);
    QVERIFY2(quality.contrast >= 0 && quality.contrast < 0.5,
             qPrintable(QString::number(quality.contrast)));
    QVERIFY(expectedScore(quality.contrast) < 0.2);
    QCOMPARE(expectedScore(1), 0.5);
}

void BoxTest::onlyWhatTheMaskTakesInIsJudged() {
    auto image = scene({120, 120, 1}, 4, {{{60, 60, 0}, 5, 60}});
    const base::Box box{{50, 50, 0}, {21, 21, 1}};
    const base::AnyView view(image.view());
    const BoxQuality whole = boxQuality(view, box);
    base::Image<std::uint8_t> all(box.extents, std::uint8_t{1});
    QCOMPARE(boxQuality(view, box, {}, all.view()).second, whole.second);
    QCOMPARE(boxQuality(view, box, {}, all.view()).contrast, whole.contrast);
    // A box of noise alone beside the disc.
    base::Image<std::uint8_t> corner(box.extents, std::uint8_t{0});
    for (std::int64_t y = 0; y < 6; ++y) {
        std::fill_n(corner.view().row(y, 0), 6, std::uint8_t{1});
    }
    QVERIFY(whole.contrast > 1);
    QVERIFY(boxQuality(view, box, {}, corner.view()).contrast < 0.6);
    // What is excluded may be anything.
    image.view().at(60, 60, 0) = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(boxQuality(view, box).fault == BoxFault::NotFinite);
    QVERIFY(boxQuality(view, box, {}, corner.view()).fault != BoxFault::NotFinite);
    corner.fill(0);
    QVERIFY(boxQuality(view, box, {}, corner.view()).fault == BoxFault::Small);
    corner.view().at(3, 3, 0) = 1;
    QVERIFY(boxQuality(view, box, {}, corner.view()).fault == BoxFault::Small);
}

void BoxTest::aBlobIsLightOrDark() {
    for (const base::Extents& extents : {base::Extents{90, 80, 1}, base::Extents{50, 48, 46}}) {
        const double middle = extents.z > 1 ? 23 : 0;
        for (const double height : {60.0, -60.0}) {
            const auto image = scene(extents, 5, {{{24, 25, middle}, 7, height}});
            const Blob blob{
                .strength = 60, .voxel = {}, .centre = {24, 25, middle}, .sigma = 5, .radius = 7};
            QCOMPARE(isLight(image.view(), blob), height > 0);
        }
    }
}

void BoxTest::whatLeavesTheImageHasNoScore() {
    const auto image = scene({60, 60, 1}, 5, {{{10, 10, 0}, 5, 60}});
    const BoxQuality quality = boxQuality(base::AnyView(image.view()), {{2, 0, 0}, {17, 17, 1}});
    const auto scores = quality.scores.view();
    QVERIFY(std::isnan(scores.at(14, 17, 0)) && std::isnan(scores.at(17, 16, 0)));
    QVERIFY(!std::isnan(scores.at(15, 17, 0)) && !std::isnan(scores.at(17, 17, 0)));
    QVERIFY(std::abs(scores.at(17, 17, 0) - 1) < 1e-6);
}

void BoxTest::largeBoxesAreComparedInBlocks() {
    const auto image = scene({500, 420, 1}, 5, {{{250, 210, 0}, 40, 60}});
    const BoxQuality quality =
        boxQuality(base::AnyView(image.view()), {{190, 155, 0}, {120, 110, 1}});
    QVERIFY(quality.verdict == BoxVerdict::Good);
    QVERIFY((quality.step == std::array<std::int64_t, 3>{4, 4, 1}));
    QVERIFY(quality.width[0] > 20 && quality.width[0] < 72);
    const auto volume = scene({70, 66, 60}, 5, {{{35, 33, 30}, 7, 60}});
    const BoxQuality inSpace =
        boxQuality(base::AnyView(volume.view()), {{25, 23, 20}, {20, 20, 20}});
    QVERIFY(inSpace.verdict == BoxVerdict::Good);
    QVERIFY((inSpace.step == std::array<std::int64_t, 3>{3, 3, 3}));
    QVERIFY(inSpace.scores.extents().z > 1);
}

const flcc::test::TestClass<BoxTest> kBoxTest;

#include "box_test.moc"
