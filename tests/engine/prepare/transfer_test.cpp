#include <QtTest>

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/prepare/response.h"
#include "engine/prepare/tilts.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::prepare;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kRadians = std::numbers::pi / 180;

Recipe recipeOf(double thickness) {
    Recipe recipe;
    recipe.thickness = thickness;
    return recipe;
}

} // namespace

/// Values with 40 digits by mpmath, from the formulas that the headers state.
class TransferTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void electronsHaveTheirRelativisticWavelength() {
        for (const auto& [voltage, wanted] :
             {std::pair(80.0, 0.04175716077283421), std::pair(200.0, 0.025079340450548003),
              std::pair(300.0, 0.019687489006848796)}) {
            QVERIFY(std::abs(wavelengthOf(voltage) / wanted - 1) <= 8 * kUnit);
        }
    }

    void theTransferOfContrastHasItsValues_data() {
        QTest::addColumn<Lens>("lens");
        QTest::addColumn<double>("frequency");
        QTest::addColumn<double>("phase");
        QTest::addColumn<double>("wanted");
        QTest::newRow("Krios") << Lens{300, 2.7, 0.07, 25000, 0} << 0.05 << 3.86360671220765847
                               << -0.7118096586862941974;
        QTest::newRow("Arctica") << Lens{200, 2.7, 0.08, 31000, 0} << 0.03 << 2.19767320357788146
                                 << 0.76033834759943710554;
        QTest::newRow("plate") << Lens{300, 0.01, 0.1, 5000, 90} << 0.12 << 4.45295654868111525
                               << -0.1585925620010563091;
        QTest::newRow("overfocus") << Lens{300, 2.7, 0.07, -10000, 0} << 0.04
                                   << -0.99042963727205634 << -0.7958271384918538276;
        QTest::newRow("low") << Lens{300, 2.7, 0.07, 30000, 0} << 0.01 << 0.18554697615101563
                             << 0.25283009170954249438;
    }
    void theTransferOfContrastHasItsValues() {
        QFETCH(Lens, lens);
        QFETCH(double, frequency);
        QFETCH(double, phase);
        QFETCH(double, wanted);
        // The sine carries over the error of its argument: some roundings of each of its terms.
        const double tolerance = 32 * kUnit * (std::abs(phase) + std::numbers::pi);
        QVERIFY(std::abs(contrastTransfer(lens, frequency) - wanted) <= tolerance);
    }

    void theLowestFrequencyKeepsItsSign() {
        QVERIFY(contrastTransfer({300, 2.7, 0.07, 30000, 0}, 0) > 0);
        QVERIFY(std::abs(contrastTransfer({300, 2.7, 0.07, 30000, 0}, 0) - 0.07) <= 4 * kUnit);
    }

    void doseTakesHighFrequenciesFirst() {
        const double kTolerance = 64 * kUnit;
        QVERIFY(std::abs(criticalDose(0.05, 300) / 38.72557120556335524 - 1) <= kTolerance);
        QVERIFY(std::abs(criticalDose(0.05, 200) / (0.8 * 38.72557120556335524) - 1) <= kTolerance);
        QVERIFY(std::abs(doseWeight(60, 0.01, 300) - 0.944597801930004576) <= kTolerance);
        QVERIFY(std::abs(doseWeight(60, 0.05, 300) - 0.460850343235871480) <= kTolerance);
        QVERIFY(std::abs(doseWeight(60, 0.3, 300) - 0.001539979297446703) <= kTolerance);
        QCOMPARE(doseWeight(60, 0, 300), 1.0);
    }

    void aBandHasHalfOfTheAmplitudeAtItsCuts() {
        const Band band{4, 40};
        for (const auto& [wavelength, wanted] :
             {std::pair(4.0, 0.5), std::pair(40.0, 0.5), std::pair(12.0, 1.0),
              std::pair(4 / 0.75, 1.0), std::pair(4 / 1.25, 0.0), std::pair(40 / 1.25, 1.0),
              std::pair(40 / 0.75, 0.0)}) {
            QVERIFY(std::abs(bandPass(band, 1 / wavelength) - wanted) <= 16 * kUnit);
        }
        QCOMPARE(bandPass(band, 0), 0.0);
        QCOMPARE(bandPass({4, 0}, 0), 1.0);
        QCOMPARE(bandPass({0, 40}, 1e6), 1.0);
    }

    void aRangeIsWholeWithinItsTiltsAndEmptyBeyond() {
        Recipe recipe = recipeOf(20);
        recipe.range = TiltRange{60, 40};
        const Response response(recipe);
        for (double angle = -89.5; angle < 90; angle += 1) {
            const double far = 0.4;
            const double own = response.at(
                {far * std::cos(angle * kRadians), 0.1, far * std::sin(angle * kRadians)});
            const double outside = angle < -60 ? -60 - angle : angle > 40 ? angle - 40 : 0;
            const double other = 180 - (angle > 40 ? angle + 60 : 40 - angle); // to the far plane
            const double d = far * std::sin(std::min(outside, other) * kRadians);
            QVERIFY2(std::abs(own - std::max(0.0, 1 - 20 * d)) <= 64 * kUnit,
                     qPrintable(QString::number(angle)));
            QCOMPARE(own > 0.999, outside == 0);
        }
        QCOMPARE(response.at({0, 0.3, 0}), 1.0); // the tilt axis is in every tilt
    }

    void aWholeRangeLeavesNothingOut() {
        Recipe recipe = recipeOf(20);
        recipe.range = TiltRange{90, 90};
        const Response response(recipe);
        for (const base::Point& g : {base::Point{0, 0, 0.5}, base::Point{0, 0, -0.5},
                                     base::Point{0.1, 0.2, -0.3}, base::Point{-0.5, 0, 1e-9}}) {
            QCOMPARE(response.at(g), 1.0);
        }
    }

    /// Tilts by the fraction of a slab are a range, but for the cosines.
    void denseTiltsAreARange() {
        Recipe recipe = recipeOf(30);
        for (double angle = -60; angle <= 60; angle += 0.5) {
            recipe.tilts.push_back({.angle = angle, .dose = {}, .defocus = {}, .phaseShift = {}});
        }
        const Response list(recipe);
        for (double angle = -85; angle <= 85; angle += 5) {
            const double far = 0.45;
            const base::Point g{far * std::cos(angle * kRadians), 0,
                                far * std::sin(angle * kRadians)};
            // Within a slab of 1 / 30 at 0.45 lie tilts up to 4.3 degrees away.
            const double slab = std::asin(1 / (30 * far)) / kRadians;
            if (std::abs(angle) > 60 + slab) {
                QCOMPARE(list.at(g), 0.0);
            } else if (std::abs(angle) < 60 - slab) {
                const double low = std::cos((std::abs(angle) + slab) * kRadians);
                const double high = std::cos(std::max(0.0, std::abs(angle) - slab) * kRadians);
                QVERIFY(list.at(g) >= low && list.at(g) <= high);
            }
        }
    }

    /// One tilt: its plane has cos(a) q C, a frequency 1 / thickness away from it has nothing.
    void aTiltHasItsOwnWeightDoseAndDefocus() {
        Recipe recipe = recipeOf(25);
        recipe.tilts = {{.angle = 30, .dose = 12.0, .defocus = 22000.0, .phaseShift = {}},
                        {.angle = -45, .dose = 40.0, .defocus = {}, .phaseShift = 90.0}};
        recipe.lens = Lens{300, 2.7, 0.07, 40000, 0};
        recipe.angstroms = 10; // nm
        const Response response(recipe);
        const double far = 0.35;
        for (const Tilt& tilt : recipe.tilts) {
            Lens lens = *recipe.lens;
            lens.defocus = tilt.defocus.value_or(lens.defocus);
            lens.phaseShift = tilt.phaseShift.value_or(0);
            const base::Point g{far * std::cos(tilt.angle * kRadians), 0.2,
                                far * std::sin(tilt.angle * kRadians)};
            const double f = std::hypot(far, 0.2) / 10;
            const double wanted = std::cos(tilt.angle * kRadians) * doseWeight(*tilt.dose, f, 300) *
                                  contrastTransfer(lens, f);
            // The distance from the plane is 0 but for roundings.
            QVERIFY(std::abs(response.at(g) - wanted) <= 64 * kUnit * recipe.thickness);
        }
        const base::Point off{-1.01 / 25 * std::sin(30 * kRadians) + far * std::cos(30 * kRadians),
                              0,
                              1.01 / 25 * std::cos(30 * kRadians) + far * std::sin(30 * kRadians)};
        QCOMPARE(response.at(off), 0.0);
    }

    void correctedSignsAreMagnitudes() {
        Recipe recipe;
        recipe.lens = Lens{300, 2.7, 0.07, 25000, 0};
        recipe.angstroms = 1;
        const Response signs(recipe);
        recipe.flipped = true;
        const Response flipped(recipe);
        QVERIFY(signs.at({0.05, 0, 0}) < 0);
        QCOMPARE(flipped.at({0.05, 0, 0}), -signs.at({0.05, 0, 0}));
    }
};

const flcc::test::TestClass<TransferTest> kTransferTest;

#include "transfer_test.moc"
