#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "engine/base/error.h"
#include "engine/rotation/cover.h"
#include "engine/rotation/orientation.h"
#include "engine/rotation/point_group.h"
#include "tests/support/test_class.h"

using namespace flcc;
using rotation::Cover;
using rotation::Matrix;
using rotation::Quaternion;

namespace {

/// Largest error of some products of unit quaternions and matrices, and of the angle from it.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
/// An angle in degrees whose cosine of the half has this error near 1: sqrt(2 e) 2 180 / pi.
const double kSmallAngle = 2 * std::sqrt(2 * kRounding) * 180 / std::numbers::pi;

std::vector<Quaternion> randomTurns(int count) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    std::vector<Quaternion> turns;
    for (int i = 0; i < count; ++i) {
        Quaternion q{normal(random), normal(random), normal(random), normal(random)};
        const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        turns.push_back({q.w / length, q.x / length, q.y / length, q.z / length});
    }
    return turns;
}

Matrix aboutZ(double degrees) {
    const double a = degrees * std::numbers::pi / 180;
    return {std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1};
}
Matrix aboutY(double degrees) {
    const double a = degrees * std::numbers::pi / 180;
    return {std::cos(a), 0, std::sin(a), 0, 1, 0, -std::sin(a), 0, std::cos(a)};
}

double largestDifference(const Matrix& a, const Matrix& b) {
    double largest = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

Cover covered(const char* rotations, const char* group, bool flat) {
    const rotation::Rotations asked = rotation::parseRotations(rotations);
    return flat ? rotation::flatCover(asked, rotation::pointGroup(group))
                : rotation::spaceCover(asked, rotation::pointGroup(group));
}

bool refuses(const std::function<void()>& body, base::ErrorCode code) {
    try {
        body();
    } catch (const base::Error& error) {
        return error.code() == code;
    }
    return false;
}

} // namespace

class CoverTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void anglesFollowTheStatedProducts() {
        for (const Quaternion& q : randomTurns(200)) {
            const Matrix m = rotation::matrixOf(q);
            QVERIFY(rotation::angleBetween(rotation::quaternionOf(m), q) < kSmallAngle);
            const base::Point euler = rotation::eulerOf(q);
            const Matrix stated = rotation::product(
                aboutZ(-euler[2]), rotation::product(aboutY(-euler[1]), aboutZ(-euler[0])));
            QVERIFY(largestDifference(m, stated) < kRounding);
            QVERIFY(rotation::angleBetween(rotation::fromEuler(euler), q) < kSmallAngle);
        }
    }

    static void quartersOfATurnAreExact() {
        // On the screen x points right and y down: counter-clockwise, right goes up.
        const Matrix m = rotation::matrixOf(rotation::inPlane(90));
        QVERIFY(m == (Matrix{0, 1, 0, -1, 0, 0, 0, 0, 1}));
        QVERIFY(std::abs(rotation::inPlaneDegrees(rotation::inPlane(237.5)) - 237.5) <
                360 * kRounding);
        // A turn in the plane is psi.
        const base::Point euler = rotation::eulerOf(rotation::inPlane(30));
        QVERIFY(euler[0] == 0 && euler[1] == 0 && std::abs(euler[2] - 30) < 360 * kRounding);
    }

    /// Where the tilt is 0 or 180 in what is printed, rot is 0 and the rotation the same within it.
    static void anglesNearAPoleReadAsOnesAtIt() {
        for (const double step : {rotation::kEulerStep, 0.1}) {
            for (const double share : {0.0, 0.3, 0.49}) {
                for (const double pole : {0.0, 180.0}) {
                    const double tilt = std::abs(pole - share * step);
                    const Quaternion q = rotation::fromEuler({-158.4, tilt, 158.4});
                    const base::Point read = rotation::roundedEuler(q, step);
                    QCOMPARE(read[0], 0.0);
                    QCOMPARE(read[1], pole);
                    QVERIFY(rotation::angleBetween(rotation::fromEuler(read), q) <
                            (share + 0.5) * step + kSmallAngle);
                }
            }
            // Beyond it the three angles stay.
            const base::Point read =
                rotation::roundedEuler(rotation::fromEuler({-158.4, 0.6 * step, 158.4}), step);
            QVERIFY(std::abs(read[0] + 158.4) < step && std::abs(read[1] - step) < 1e-9 * step);
        }
        for (const auto& [degrees, shown] :
             {std::pair{359.97, 0.0}, {-0.04, 0.0}, {0.04, 0.0}, {359.94, 359.9}, {30.0, 30.0}}) {
            const Quaternion q = rotation::inPlane(degrees);
            QVERIFY(std::abs(rotation::roundedInPlane(q, 0.1) - shown) < 1e-9);
            QVERIFY(!std::signbit(rotation::roundedInPlane(q, 0.1)));
        }
        QCOMPARE(rotation::inPlaneDegrees(rotation::inPlane(-1e-8)), 0.0);
        for (const double angle :
             rotation::roundedEuler(rotation::fromEuler({-0.01, 0.01, 0}), 0.1)) {
            QVERIFY(angle == 0 && !std::signbit(angle));
        }
    }

    static void groupsAreClosedAndHaveTheAxesOfRelion_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("order");
        QTest::addColumn<QList<double>>("axes"); // fold, x, y, z; as symmetries.cpp has them
        QTest::newRow("C7") << "C7" << 7 << QList<double>{7, 0, 0, 1};
        QTest::newRow("D3") << "D3" << 6 << QList<double>{3, 0, 0, 1, 2, 1, 0, 0};
        QTest::newRow("T") << "t" << 12 << QList<double>{3, 0, 0, 1, 2, 0, 0.816496, 0.577350};
        QTest::newRow("O") << "O" << 24
                           << QList<double>{3, .5773502, .5773502, .5773502, 4, 0, 0, 1};
        QTest::newRow("I") << "I" << 60
                           << QList<double>{2, 0,           0, 1, 5,           0.525731114,
                                            0, 0.850650807, 3, 0, 0.356822076, 0.934172364};
        QTest::newRow("I1") << "I1" << 60 << QList<double>{2,
                                                           1,
                                                           0,
                                                           0,
                                                           5,
                                                           0.85065080702670,
                                                           0,
                                                           -0.5257311142635,
                                                           3,
                                                           0.9341723640,
                                                           0.3568220765,
                                                           0};
    }

    static void groupsAreClosedAndHaveTheAxesOfRelion() {
        QFETCH(QString, name);
        QFETCH(int, order);
        QFETCH(QList<double>, axes);
        const rotation::PointGroup group = rotation::pointGroup(name.toStdString());
        QCOMPARE(std::ssize(group.elements), order);
        const auto numberOf = [&](const Quaternion& q, double within) {
            return std::ranges::count_if(group.elements, [&](const Quaternion& each) {
                return rotation::angleBetween(each, q) < within;
            });
        };
        for (const Quaternion& a : group.elements) {
            for (const Quaternion& b : group.elements) {
                QCOMPARE(numberOf(rotation::product(a, b), 1e-5), 1);
            }
        }
        for (qsizetype i = 0; i < axes.size(); i += 4) {
            // Their axes have six digits.
            const Quaternion turn =
                rotation::aboutAxis({axes[i + 1], axes[i + 2], axes[i + 3]}, 360 / axes[i]);
            QCOMPARE(numberOf(turn, 1e-3), 1);
        }
    }

    static void coversOfSpaceHaveTheirCount() {
        // pytom-match-pick, angles.py, has these for the same rule.
        QCOMPARE(covered("12.85", "C1", false).count(), 8700);
        QCOMPARE(covered("7", "C1", false).count(), 50544);
        QCOMPARE(covered("12.85", "C1", false).nside, 5);
        // A quarter of the pixels of HEALPix is the image of every other one.
        QCOMPARE(covered("12.85", "C4", false).count() * 4, 8700);
        QCOMPARE(covered("20", "C2", false).count() * 2, covered("20", "C1", false).count());
    }

    static void directionsAreThoseOfHealpix() {
        // Gorski 2005, figure 4, and healpy.pix2ang(nside, range(12 nside^2)): heights and
        // longitudes of the rings.
        struct Ring {
            double height;
            double first;
            int count;
        };
        const std::vector<std::vector<Ring>> rings{{{2.0 / 3, 45, 4}, {0, 0, 4}, {-2.0 / 3, 45, 4}},
                                                   {{11.0 / 12, 45, 4},
                                                    {2.0 / 3, 22.5, 8},
                                                    {1.0 / 3, 0, 8},
                                                    {0, 22.5, 8},
                                                    {-1.0 / 3, 0, 8},
                                                    {-2.0 / 3, 22.5, 8},
                                                    {-11.0 / 12, 45, 4}}};
        for (int nside : {1, 2}) {
            const Cover cover = covered(nside == 1 ? "60" : "30", "C1", false);
            QCOMPARE(cover.nside, nside);
            std::size_t at = 0;
            for (const Ring& ring : rings[static_cast<std::size_t>(nside - 1)]) {
                for (int i = 0; i < ring.count; ++i) {
                    const base::Point euler = rotation::eulerOf(cover.turns[at]);
                    const double tilt = std::acos(ring.height) * 180 / std::numbers::pi;
                    const double off = euler[0] - ring.first - 360.0 * i / ring.count;
                    QVERIFY(std::abs(euler[1] - tilt) < 1e-9);
                    QVERIFY(std::abs(off - 360 * std::round(off / 360)) < 1e-9);
                    at += static_cast<std::size_t>(cover.inPlane);
                }
            }
            QCOMPARE(at, cover.turns.size());
        }
    }

    static void everyOrientationIsNearOne_data() {
        QTest::addColumn<QString>("group");
        for (const char* group : {"C1", "C3", "D2", "D5", "T", "O", "I"}) {
            QTest::newRow(group) << group;
        }
    }

    static void everyOrientationIsNearOne() {
        QFETCH(QString, group);
        const Cover cover = covered("18", qPrintable(group), false);
        const Cover all = covered("18", "C1", false);
        const auto order = std::ssize(cover.group.elements);
        QVERIFY(cover.count() * order >= all.count());
        QVERIFY(order == 1 || cover.count() < all.count());
        QVERIFY(cover.radius < 1.1 * cover.step);
        double worst = 0;
        for (const Quaternion& q : randomTurns(60)) {
            double least = 180;
            for (const Quaternion& element : cover.group.elements) {
                const Quaternion turned = rotation::product(q, element);
                for (const Quaternion& each : cover.turns) {
                    least = std::min(least, rotation::angleBetween(turned, each));
                }
            }
            worst = std::max(worst, least);
        }
        QVERIFY2(worst <= cover.radius, qPrintable(QString::number(worst)));
        // A cover whose radius is far from reached would be finer than asked for.
        QVERIFY2(worst > cover.radius / 3, qPrintable(QString::number(worst)));
    }

    /// Between two angles, and between directions: of few of them the bound is nearly sharp.
    static void theRadiusIsNearlyReached() {
        const Cover cover = covered("90", "C1", false);
        double worst = 0;
        for (const Quaternion& q : randomTurns(3000)) {
            const base::Point euler = rotation::eulerOf(q);
            const Quaternion between =
                rotation::fromEuler({euler[0], euler[1], 180.0 / cover.inPlane});
            double least = 180;
            for (const Quaternion& each : cover.turns) {
                least = std::min(least, rotation::angleBetween(between, each));
            }
            worst = std::max(worst, least);
        }
        QVERIFY2(worst <= cover.radius && worst > 0.9 * cover.radius,
                 qPrintable(QString("%1 of %2").arg(worst).arg(cover.radius)));
    }

    static void representativesAreDistinct() {
        for (const char* group : {"C1", "C4", "D2", "O"}) {
            const Cover cover = covered("40", group, false);
            for (std::size_t i = 0; i < cover.turns.size(); ++i) {
                for (std::size_t j = i + 1; j < cover.turns.size(); ++j) {
                    QVERIFY(!rotation::areEquivalent(cover.turns[i], cover.turns[j], cover.group));
                }
            }
        }
    }

    static void turnsInThePlaneHaveTheirStep() {
        const auto count = [](const char* text, const char* group = "C1") {
            return covered(text, group, true).count();
        };
        QCOMPARE(count("10"), 36);
        QCOMPARE(count("7"), 52); // 6.92 degrees
        QCOMPARE(count("10", "C4"), 9);
        QCOMPARE(count("0:180:10"), 19);
        QCOMPARE(count("0:360:10"), 36);
        QCOMPARE(count("0:359:10"), 36);
        QCOMPARE(count("-30:30:5"), 13);
        QCOMPARE(count("0:0:1"), 1);
        QCOMPARE(count("-10:10:3"), 8); // -10, -7, ... 8, and 10
        QCOMPARE(rotation::inPlaneDegrees(covered("-10:10:3", "C1", true).turns[7]), 10.0);
        QCOMPARE(rotation::inPlaneDegrees(covered("-30:30:5", "C1", true).turns[0]), 330.0);
    }

    static void posesChangeTheirTurnFirst() {
        Cover cover = covered("90", "C1", true);
        cover.scales = rotation::parseScales("0.8:1.25:1.25");
        cover.mirror = true;
        QCOMPARE(std::ssize(cover.scales), 3); // 0.8, 1, 1.25
        const std::vector<double> uneven = rotation::parseScales("0.8:1.25:1.1");
        QCOMPARE(std::ssize(uneven), 6); // 0.8, 0.88, ... 1.17, and 1.25
        QCOMPARE(uneven.back(), 1.25);
        QCOMPARE(cover.count(), 4 * 3 * 2);
        QVERIFY(cover.pose(5).turn == cover.turns[1] && !cover.pose(5).mirrored);
        QVERIFY(std::abs(cover.pose(5).scale - 1) < kRounding);
        QVERIFY(cover.pose(12).mirrored && std::abs(cover.pose(12).scale - 0.8) < kRounding);
    }

    static void listsAreRead() {
        const auto turns =
            rotation::parseList("# rot tilt psi\n10 20 30\n\n0.5,0.5,0.5,0.5\r\n", false, "list");
        QCOMPARE(std::ssize(turns), 2);
        QVERIFY(rotation::angleBetween(turns[0], rotation::fromEuler({10, 20, 30})) < kSmallAngle);
        QVERIFY(rotation::angleBetween(turns[1], rotation::aboutAxis({1, 1, 1}, 120)) <
                kSmallAngle);
        QCOMPARE(std::ssize(rotation::parseList("5\n-7.5", true, "list")), 2);
        using enum base::ErrorCode;
        for (const char* bad : {"", "# only\n", "1 2\n", "x\n", "nan\n", "1 1 1 1\n", "0 30 0\n"}) {
            QVERIFY2(refuses([&] { (void)rotation::parseList(bad, true, "list"); }, Problem), bad);
        }
    }

    // Of each rotation a list holds three that a group takes to it, with either sign, and one that
    // is beside it.
    static void listsKeepOneOfThoseThatAGroupTakesToEachOther() {
        const rotation::PointGroup group = rotation::pointGroup("I");
        const rotation::Rotations rotations = rotation::parseRotations("list:file");
        std::vector<Quaternion> list = randomTurns(60);
        list.push_back({1, 0, 0, 0});
        list.push_back(rotation::aboutAxis({0, 0, 1}, 1e-12)); // the same, in another cell
        const std::size_t own = list.size();
        for (std::size_t i = 0; i < own; ++i) {
            for (const std::size_t element : {7U, 23U, 58U}) {
                Quaternion same = rotation::product(list[i], group.elements[element]);
                if (element == 23) {
                    same = {-same.w, -same.x, -same.y, -same.z};
                }
                list.push_back(same);
            }
            list.push_back(rotation::product(list[i], rotation::aboutAxis({1, 2, 3}, 1e-4)));
        }
        std::vector<Quaternion> expected; // by the definition
        for (const Quaternion& each : list) {
            if (std::ranges::none_of(expected, [&](const Quaternion& other) {
                    return rotation::areEquivalent(other, each, group);
                })) {
                expected.push_back(each);
            }
        }
        QCOMPARE(expected.size(), 2 * (own - 1));
        QVERIFY(rotation::spaceCover(rotations, group, list).turns == expected);
        QVERIFY(rotation::spaceCover(rotations, rotation::pointGroup("C1"), list).turns == list);
    }

    static void thousandScalesAreTheMost() {
        std::string text = "1";
        for (int i = 1; i < 1000; ++i) {
            text += "," + std::to_string(1 + i / 1000.0);
        }
        QCOMPARE(std::ssize(rotation::parseScales(text)), 1000);
        QVERIFY(refuses([&] { (void)rotation::parseScales(text + ",2.5"); },
                        base::ErrorCode::CommandLine));
        QVERIFY(refuses([] { (void)rotation::parseScales("0.05:20:1.005"); },
                        base::ErrorCode::CommandLine)); // 1203 of them
    }

    static void theStepOfCrowther() {
        // 200 A across at 20 A: 20 / 200 in radians.
        QVERIFY(std::abs(rotation::crowtherStep(200, 10) - 18 / std::numbers::pi) < 1e-12);
    }

    static void badTextsAreRefused() {
        using enum base::ErrorCode;
        for (const char* bad : {"0", "-5", "nan", "inf", "1e-9", "400", "x", "1:2", "5:1:1",
                                "1:2:0", "list:", "auto:", "auto:-3", "auto:0", "10 ", "1:2:3:4"}) {
            QVERIFY2(refuses([&] { (void)rotation::parseRotations(bad); }, CommandLine), bad);
        }
        for (const char* bad : {"0", "nan", "1,,2", "0.5:2:1", "2:1:1.1", "0.5:2", "30", "0.01"}) {
            QVERIFY2(refuses([&] { (void)rotation::parseScales(bad); }, CommandLine), bad);
        }
        for (const char* bad : {"", "C", "C0", "Cx", "K", "D1000", "OH", "C-3"}) {
            QVERIFY2(refuses([&] { (void)rotation::pointGroup(bad); }, CommandLine), bad);
        }
        QVERIFY(refuses([] { (void)covered("10", "O", true); }, CommandLine));
        QVERIFY(refuses([] { (void)covered("0:90:10", "C1", false); }, CommandLine));
        QVERIFY(refuses([] { (void)covered("0.1", "C1", false); }, Problem));
    }
};

const flcc::test::TestClass<CoverTest> kCoverTest;
#include "cover_test.moc"
