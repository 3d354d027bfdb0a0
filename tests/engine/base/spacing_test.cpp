#include <QtTest>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

class SpacingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTextIsReadAndWrittenAgain() {
        QVERIFY((parseSpacing("0.5um") == Spacing{{0.5, 0.5, 0.5}, "um"}));
        QVERIFY((parseSpacing("2") == Spacing{{2, 2, 2}, "px"}));
        QVERIFY((parseSpacing("0.25,0.5,2 mm") == Spacing{{0.25, 0.5, 2}, "mm"}));
        QVERIFY((parseSpacing("1,2cm") == Spacing{{10, 20, 0}, "mm"}));
        QVERIFY((parseSpacing("7.5\xC3\x85") == Spacing{{7.5, 7.5, 7.5}, "A"}));
        for (const char* text : {"0.5um", "2px", "0.25,0.5,2mm", "10,20mm", "3,3nm", "1,1,2A"}) {
            QCOMPARE(toString(parseSpacing(text)), std::string(text));
        }
    }

    void aTextThatIsNoSpacingIsRefused() {
        for (const char* text : {"", "um", "0", "-1mm", "1,0mm", "1,,2", "1,2,3,4mm", "1,2,", "nan",
                                 "inf", "1 inch", "1e999mm", "1mm,2mm"}) {
            QVERIFY_THROWS_EXCEPTION(Error, (void)parseSpacing(text));
        }
    }

    void theOriginStaysWhereItIs() {
        Geometry geometry;
        geometry.origin = {10, -4, 1};
        geometry.spacing = {0.5, 0.5, 2};
        geometry.unit = "mm";
        geometry.unitSource = UnitSource::Header;
        // Stated in mm, said in um: the same place.
        const Geometry um = withSpacing(geometry, {{250, 250, 1000}, "um"}, {4, 4, 4});
        QCOMPARE(um.origin[0], 10 * (1e-3 / 1e-6));
        QCOMPARE(um.spacing, (Point{250, 250, 1000}));
        QCOMPARE(um.unit, std::string("um"));
        QVERIFY(um.unitSource == UnitSource::User);
        QVERIFY(withSpacing(um, {{250, 250, 1000}, "um"}, {4, 4, 4}) == um);
        // Not stated: as many voxels from zero.
        geometry.unitSource = UnitSource::Missing;
        const Geometry voxels = withSpacing(geometry, {{1, 1, 1}, "um"}, {4, 4, 4});
        QCOMPARE(voxels.origin, (Point{20, -8, 0.5}));
    }

    void aVolumeNeedsTheSpacingOfZ() {
        const Spacing flat = parseSpacing("1,2mm");
        QCOMPARE(withSpacing({}, flat, {5, 5, 1}).spacing, (Point{1, 2, 1}));
        QVERIFY_THROWS_EXCEPTION(Error, (void)withSpacing({}, flat, {5, 5, 2}));
    }

    void spacingsAreComparedInOneUnit() {
        Geometry a;
        a.spacing = {0.5, 0.5, 2};
        a.unit = "um";
        a.unitSource = UnitSource::Header;
        Geometry b = a;
        b.unit = "nm";
        b.spacing = {500, 500, 1000};
        b.unitSource = UnitSource::User;
        QVERIFY(!spacingsDiffer(a, b, false));
        QVERIFY(spacingsDiffer(a, b, true)); // z differs
        // Units differ by a rounded factor of 1000 only.
        const double rounding = 4 * std::numeric_limits<double>::epsilon();
        QVERIFY(std::abs(spacingRatio(a, b)[0] - 1) <= rounding);
        QVERIFY(std::abs(spacingRatio(a, b)[2] - 2) <= 2 * rounding);
        b.unitSource = UnitSource::Missing;
        QVERIFY(!spacingsDiffer(a, b, true)); // nobody knows
        b.unitSource = UnitSource::User;
        b.unit = "px";
        QVERIFY(!spacingsDiffer(a, b, true));
    }
};

const flcc::test::TestClass<SpacingTest> kSpacingTest;
#include "spacing_test.moc"
