#include <QtTest>

#include <cmath>
#include <limits>

#include "engine/match/colour_map.h"
#include "tests/support/test_class.h"

using namespace flcc;
using match::Colour;
using match::ColourMap;

namespace {

constexpr std::array kMaps{ColourMap::Viridis, ColourMap::Diverging, ColourMap::Cividis};

/// CIE lightness L* of an sRGB colour.
double lightness(const Colour& colour) {
    const auto linear = [](std::uint8_t value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

} // namespace

class ColourMapTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theEndsAreThoseOfThePublishedMaps() {
        QCOMPARE(match::colourAt(ColourMap::Viridis, 0), (Colour{68, 1, 84}));
        QCOMPARE(match::colourAt(ColourMap::Viridis, 1), (Colour{253, 231, 37}));
        QCOMPARE(match::colourAt(ColourMap::Cividis, 0), (Colour{0, 34, 78}));
        QCOMPARE(match::colourAt(ColourMap::Cividis, 1), (Colour{254, 232, 56}));
    }

    void theLightnessRisesFromEndToEnd() {
        for (const ColourMap map : {ColourMap::Viridis, ColourMap::Cividis}) {
            for (int step = 1; step < 256; ++step) {
                // A step of the map is about 0.3; rounding to 8 bits may take it back.
                QVERIFY(lightness(match::colourAt(map, step / 255.0)) >
                        lightness(match::colourAt(map, (step - 1) / 255.0)) - 0.3);
            }
            QVERIFY(lightness(match::colourAt(map, 1)) > lightness(match::colourAt(map, 0)) + 60);
        }
    }

    void theDivergingMapIsEquallyStrongOnBothSides() {
        for (int step = 0; step < 128; ++step) {
            const Colour low = match::colourAt(ColourMap::Diverging, step / 255.0);
            const Colour high = match::colourAt(ColourMap::Diverging, 1 - step / 255.0);
            // Colours outside sRGB were clipped: up to 3 of 100.
            QVERIFY2(std::abs(lightness(low) - lightness(high)) < 3,
                     qPrintable(QString::number(step)));
            if (step < 120) {
                QVERIFY(low[2] > low[0] && high[0] > high[2]);
            }
        }
        QVERIFY(lightness(match::colourAt(ColourMap::Diverging, 0.5)) > 94);
    }

    void positionsOutsideAreClamped() {
        for (const ColourMap map : kMaps) {
            const double nan = std::numeric_limits<double>::quiet_NaN();
            const double infinity = std::numeric_limits<double>::infinity();
            QCOMPARE(match::colourAt(map, -5), match::colourAt(map, 0));
            QCOMPARE(match::colourAt(map, 5), match::colourAt(map, 1));
            QCOMPARE(match::colourAt(map, infinity), match::colourAt(map, 1));
            QCOMPARE(match::colourAt(map, nan), match::colourAt(map, 0));
            QVERIFY(!match::name(map).empty());
        }
    }

    void scoresAreSpreadOverTheScale() {
        const match::HeatmapScale scale{ColourMap::Viridis, -1, 3};
        QCOMPARE(match::colourOf(scale, -1), match::colourAt(ColourMap::Viridis, 0));
        QCOMPARE(match::colourOf(scale, 2), match::colourAt(ColourMap::Viridis, 0.75));
        const match::HeatmapScale empty{ColourMap::Viridis, 1, 1};
        QCOMPARE(match::colourOf(empty, 1), match::colourAt(ColourMap::Viridis, 0.5));
    }

    void aLowConfScoreIsPinkOnEveryScale() {
        for (const auto map :
             {match::ColourMap::Viridis, match::ColourMap::Diverging, match::ColourMap::Cividis}) {
            for (int i = 0; i < 256; ++i) {
                const match::Colour score = match::colourAt(map, i / 255.0);
                const match::Colour marked = match::lowConfColour(score);
                // Red and blue stand further above green than those of the score.
                QVERIFY(marked[0] + marked[2] - 2 * marked[1] >
                        score[0] + score[2] - 2 * score[1] + 60);
                QVERIFY(marked[0] > marked[1]);
            }
        }
    }

    void theHatchRunsDiagonallyInFourPixels() {
        for (std::int64_t y = -9; y < 9; ++y) {
            for (std::int64_t x = -9; x < 9; ++x) {
                QCOMPARE(match::hatchColour(x, y), match::hatchColour(x + 1, y - 1));
                QVERIFY(match::hatchColour(x, y) != match::hatchColour(x + 4, y));
                QCOMPARE(match::hatchColour(x, y), match::hatchColour(x + 8, y));
            }
        }
        QCOMPARE(match::hatchColour(0, 0), match::kHatchLight);
        QCOMPARE(match::hatchColour(3, 0), match::kHatchLight);
        QCOMPARE(match::hatchColour(4, 0), match::kHatchDark);
    }
};

const flcc::test::TestClass<ColourMapTest> kColourMapTest;
#include "colour_map_test.moc"
