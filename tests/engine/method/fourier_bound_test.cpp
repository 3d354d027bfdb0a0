#include <QtTest>

#include <cmath>

#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/smooth_length.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using method::shared::FourierBound;
using method::shared::TileEnergy;

class FourierBoundTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void smoothLengthsAreTheNearest() {
        using method::shared::isSmooth;
        using method::shared::lastSmooth;
        using method::shared::nextSmooth;
        for (std::int64_t length = 1; length < 70000; length += length < 5000 ? 1 : 37) {
            std::int64_t next = length;
            while (!isSmooth(next)) {
                ++next;
            }
            std::int64_t last = length;
            while (!isSmooth(last)) {
                --last;
            }
            QCOMPARE(nextSmooth(length), next);
            QCOMPARE(lastSmooth(length), last);
        }
        for (const std::int64_t length : {(std::int64_t{1} << 40) + 1, std::int64_t{1} << 58}) {
            QVERIFY(isSmooth(nextSmooth(length)) && nextSmooth(length) >= length);
            QVERIFY(isSmooth(lastSmooth(length)) && lastSmooth(length) <= length);
            QCOMPARE(nextSmooth(lastSmooth(length)), lastSmooth(length));
            QVERIFY(nextSmooth(lastSmooth(length) + 1) >= length);
        }
    }

    void theLargestTermDecidesWhatGoesIn() {
        const Extents points{16, 8, 4}; // log2 of 512 is 9
        const auto of = [&](const Extents& m, const TileEnergy& in, const TileEnergy& out) {
            return method::shared::fourierBound(points, m, in, out, {0.5, 4});
        };
        const TileEnergy noise{1, 1, 512};
        const FourierBound small = of({2, 2, 2}, noise, {});
        QCOMPARE(small.typical, 2.0 * 8 * 3);
        QCOMPARE(small.worst, 2.0 * (3 + 4) * std::sqrt(512.0));
        QCOMPARE(
            method::shared::fourierBound({1 << 25, 1, 1}, {2, 2, 2}, noise, {}, {0.5, 4}).worst,
            2.0 * 2 * 5 * std::sqrt(512.0));
        QCOMPARE(small.score, 0.5 * 64);
        QCOMPARE(of({8, 8, 4}, noise, {}).typical, 2.0 * 4 * 16); // a template of 256 voxels
        QCOMPARE(
            method::shared::fourierBound({64, 1024, 1}, {16, 2, 1}, noise, {}, {0.5, 4}).typical,
            2.0 * 4 * 32); // 16 columns of 1024
        QCOMPARE(of({2, 2, 2}, {4, 9, 512}, {}).typical, 2.0 * 8 * 3 * 2);
        QCOMPARE(of({8, 8, 4}, {4, 4, 512}, {}).typical, 2.0 * 4 * 16 * 2);
        QCOMPARE(of({2, 2, 2}, noise, {0, 9, 0}).typical, 2.0 * 8 * 3 * (1 + 3));
        QCOMPARE(of({2, 2, 2}, {1, 1, 512, 9}, {}).typical, 2.0 * 8 * 2 * 3); // 4 in a plane
        QCOMPARE(of({2, 2, 2}, {1, 1, 512, 2}, {}).typical, 2.0 * 8 * 3);
        QCOMPARE(of({8, 8, 4}, {1, 1, 512, 4}, {}).typical, 2.0 * 4 * 16 * 2); // of 256 voxels
    }

    // What is rounded off of one bright point gathers in few others however long the line is.
    void longLinesSpreadNoFurtherThanOthers() {
        const TileEnergy shortOne = TileEnergy::ofLines(100, 500, 7);
        QCOMPARE(shortOne.largestMeanSquare, 5.0);
        QCOMPARE(shortOne.largestGathered, 5.0);
        QCOMPARE(shortOne.total, 7.0);
        const TileEnergy longOne = TileEnergy::ofLines(4096, 4096 * 3, 0);
        QCOMPARE(longOne.largestMeanSquare, 3.0);
        QCOMPARE(longOne.largestGathered, 48.0);
        TileEnergy both = shortOne;
        both.join(longOne);
        QCOMPARE(both.largestMeanSquare, 5.0);
        QCOMPARE(both.largestGathered, 48.0);
        QCOMPARE(both.total, 7.0);
    }

    // What is rounded off along one axis adds to what is along another.
    void linesOfAllAxesAddUp() {
        TileEnergy energy = TileEnergy::ofLines(100, 500, 7);
        energy.countCrossing(512, 256 * 3);
        QCOMPARE(energy.largestMeanSquare, 5.0);
        QCOMPARE(energy.largestCrossing, 1.5);
        QCOMPARE(energy.largestGathered, 5.0 + 3);
        energy.countCrossing(10, 60);
        QCOMPARE(energy.largestCrossing, 60.0 / 16);
        QCOMPARE(energy.largestGathered, 5.0 + 3 + 60.0 / 256);
        QCOMPARE(energy.total, 7.0);
    }

    void theExpectedBoundIsThatOfNoise() {
        const Extents points{1024, 64, 1};
        const Extents m{16, 4, 1};
        const TileEnergy each{1, 1 + 4, 65536, 1}; // columns, and rows of more than are counted
        QCOMPARE(method::shared::expectedFourierBound(points, m, 3, {}),
                 method::shared::fourierBound(points, m, each, each, {}).typical * 3 / 8 +
                     4 * 0x1p-24);
    }
};

const flcc::test::TestClass<FourierBoundTest> kFourierBoundTest;
#include "fourier_bound_test.moc"
