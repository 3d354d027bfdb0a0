#include <QtTest>

#include <cmath>

#include "engine/base/geometry.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

class GeometryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aGridWithoutHeaderIsItsOwnWorld() {
        QCOMPARE(toWorld(Geometry{}, {3, 4.5, -2}), (Point{3, 4.5, -2}));
    }

    void originAndSpacingApplyAxisByAxis() {
        Geometry geometry;
        geometry.origin = {10, 20, 30};
        geometry.spacing = {0.5, 0.25, 2};
        QCOMPARE(toWorld(geometry, {0, 0, 0}), geometry.origin);
        QCOMPARE(toWorld(geometry, {2, 4, 8}), (Point{11, 21, 46}));
    }

    // Axis x of the grid runs along world y, axis y against world x: the columns of the direction
    // are the axes. Its transpose would turn the other way.
    void theColumnsOfTheDirectionAreTheAxes() {
        Geometry geometry;
        geometry.spacing = {2, 3, 1};
        geometry.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
        QCOMPARE(toWorld(geometry, {1, 0, 0}), (Point{0, 2, 0}));
        QCOMPARE(toWorld(geometry, {0, 1, 0}), (Point{-3, 0, 0}));
    }

    void aMovedGridSeesTheSameWorld() {
        Geometry geometry;
        geometry.origin = {1, 2, 4};
        geometry.spacing = {2, 4, 0.5};
        geometry.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
        geometry.unit = "nm";
        geometry.unitSource = UnitSource::Header;
        const Geometry moved = movedTo(geometry, {5, 6, 7});
        QCOMPARE(toWorld(moved, {0, 0, 0}), toWorld(geometry, {5, 6, 7}));
        QCOMPARE(toWorld(moved, {1, 2, 3}), toWorld(geometry, {6, 8, 10}));
        QCOMPARE(moved.spacing, geometry.spacing);
        QCOMPARE(moved.direction, geometry.direction);
        QCOMPARE(moved.unit, geometry.unit);
        QVERIFY(moved.unitSource == geometry.unitSource);
    }

    void positionsFollowTheNamedAxes() {
        Geometry geometry; // in LPS
        geometry.origin = {75, 107, -69.5};
        geometry.spacing = {0.5, 0.5, 0.5};
        geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
        geometry.axes = WorldAxes::Lps;
        QCOMPARE(toWorld(geometry, {178, 196, 177}), (Point{-14, 9, 19}));
        const Geometry left = movedTo(geometry, {178, 196, 177});
        geometry.axes = WorldAxes::Ras;
        QCOMPARE(toWorld(geometry, {178, 196, 177}), (Point{14, -9, 19}));
        // A moved grid is kept in LPS and states the same positions.
        const Geometry moved = movedTo(geometry, {178, 196, 177});
        QCOMPARE(moved.origin, left.origin);
        QCOMPARE(toWorld(moved, {0, 0, 0}), (Point{14, -9, 19}));
        const Geometry stated = asStated(geometry);
        QCOMPARE(stated.origin, (Point{-75, -107, -69.5}));
        QCOMPARE(stated.direction, (std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
        QVERIFY(!std::signbit(stated.direction[1])); // no -0 in texts
        QCOMPARE(name(geometry.axes), "RAS");
        QCOMPARE(name(Geometry{}.axes), "");
    }
};

const flcc::test::TestClass<GeometryTest> kGeometryTest;
#include "geometry_test.moc"
