#include <QtTest>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "engine/base/error.h"
#include "engine/match/map_comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using match::MapComparison;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T> base::Image<T> rowOf(const std::vector<T>& values) {
    base::Image<T> image({static_cast<std::int64_t>(values.size()), 1, 1});
    std::copy(values.begin(), values.end(), image.data());
    return image;
}

template <class T>
MapComparison compared(const std::vector<T>& a, const std::vector<T>& b, double tolerance = 0) {
    return match::compareMaps(rowOf(a).view(), rowOf(b).view(), tolerance);
}

} // namespace

class MapComparisonTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Every figure against its definition in long doubles. The mean of n values is updated n
    /// times, each update with an error of a few units in the last place of the largest value.
    void figuresAreThoseOfTheDefinition() {
        const base::Extents n{17, 11, 5};
        base::Image<float> a(n);
        base::Image<std::int16_t> b(n);
        std::mt19937 random(3);
        std::uniform_int_distribution<int> value(-300, 300);
        for (std::int64_t i = 0; i < a.count(); ++i) {
            b.data()[i] = static_cast<std::int16_t>(value(random));
            a.data()[i] = static_cast<float>(b.data()[i]) + (i % 3 == 0 ? 0.25F : 0.0F);
        }
        a.view().at(3, 2, 1) += 7;
        a.view().at(12, 8, 4) -= 7; // as large, but later
        const MapComparison found = match::compareMaps(a.view(), b.view(), 0.25);
        long double sumA = 0;
        long double sumB = 0;
        long double squares = 0;
        for (std::int64_t i = 0; i < a.count(); ++i) {
            const long double off = static_cast<long double>(a.data()[i]) - b.data()[i];
            sumA += a.data()[i];
            sumB += b.data()[i];
            squares += off * off;
        }
        const auto count = static_cast<long double>(a.count());
        long double aa = 0;
        long double bb = 0;
        long double ab = 0;
        for (std::int64_t i = 0; i < a.count(); ++i) {
            const long double da = a.data()[i] - sumA / count;
            const long double db = b.data()[i] - sumB / count;
            aa += da * da;
            bb += db * db;
            ab += da * db;
        }
        const double bound = 8 * static_cast<double>(a.count()) * 300 * 0x1p-53;
        QCOMPARE(found.voxels, a.count());
        QCOMPARE(found.differing, std::int64_t{2});
        QVERIFY(found.where == (base::Box{{3, 2, 1}, {10, 7, 4}}));
        QVERIFY(found.greatestAt == (base::Index{3, 2, 1}));
        QCOMPARE(found.greatest, std::abs(found.a - found.b));
        QVERIFY(std::abs(found.mean - static_cast<double>((sumA - sumB) / count)) < bound);
        QVERIFY(std::abs(found.rms - static_cast<double>(std::sqrt(squares / count))) < bound);
        QVERIFY(std::abs(*found.correlation - static_cast<double>(ab / std::sqrt(aa * bb))) <
                bound);
        const base::AnyImage difference = match::differenceMap(a.view(), b.view());
        QVERIFY(base::pixelType(difference) == base::PixelType::Float32);
        QCOMPARE(base::valueAt(base::viewOf(difference), {3, 2, 1}), found.a - found.b);
    }

    void nanAndInfinityAreCounted() {
        const MapComparison found = compared<double>({kNan, kNan, 1, kInf, kInf, -kInf, 2},
                                                     {kNan, 0, kNan, kInf, -kInf, 5, 2}, 100);
        QCOMPARE(found.nanBoth, std::int64_t{1});
        QCOMPARE(found.nanOnlyA, std::int64_t{1});
        QCOMPARE(found.nanOnlyB, std::int64_t{1});
        QCOMPARE(found.infinite, std::int64_t{2});
        QCOMPARE(found.differing, std::int64_t{4});
        QCOMPARE(found.finite, std::int64_t{1});
        QVERIFY(found.where == (base::Box{{1, 0, 0}, {5, 1, 1}}));
        QVERIFY(found.greatest == 0 && found.rms == 0 && !found.correlation);
    }

    void equalImagesAreTheSame() {
        const std::vector<float> values{1, -0.0F, 3e38F, std::nanf("")};
        const MapComparison found = compared(values, values);
        QVERIFY(found.same() && !found.where && found.greatest == 0);
        QVERIFY(std::abs(*found.correlation - 1) < 1e-15);
        QVERIFY(compared<float>({0.0F}, {-0.0F}).same());
        QVERIFY(!compared<float>({4, 4}, {4, 4}).correlation);
    }

    /// As doubles these values are equal.
    void wideIntegersAreExact() {
        constexpr std::int64_t kLarge = (std::int64_t{1} << 60) + 1;
        const MapComparison found = compared<std::int64_t>({kLarge, 5}, {kLarge - 1, 5});
        QCOMPARE(found.differing, std::int64_t{1});
        QCOMPARE(found.greatest, 1.0);
        QVERIFY(compared<std::int64_t>({kLarge, 5}, {kLarge - 1, 5}, 1).same());
        const base::AnyImage off = match::differenceMap(rowOf<std::int64_t>({kLarge}).view(),
                                                        rowOf<std::uint64_t>({kLarge - 1}).view());
        QCOMPARE(base::valueAt(base::viewOf(off), {}), 1.0);
    }

    void squaresOfAnyMagnitudeStayInRange() {
        for (const double scale : {1e-200, 1e200}) {
            const MapComparison found = compared<double>({1 * scale, 2 * scale, 4 * scale},
                                                         {1 * scale, 3 * scale, 4 * scale});
            QVERIFY(std::abs(found.rms / scale - std::sqrt(1.0 / 3)) < 1e-15);
            // Of (1, 2, 4) and (1, 3, 4): covariance 13 / 3, variances 14 / 3 and 14 / 3.
            QVERIFY(std::abs(*found.correlation - 13.0 / 14) < 1e-15);
        }
    }

    void changesOfStatusesAreNamed() {
        using Bytes = std::vector<std::uint8_t>;
        const MapComparison found = compared<std::uint8_t>({0, 0, 1, 5, 0}, {0, 1, 1, 0, 1});
        const std::vector<match::ValueChange> expected{{0, 1, 2}, {5, 0, 1}};
        QVERIFY(found.changes == expected);
        QVERIFY(compared<std::uint8_t>({0, 6}, {1, 6}).changes.empty()); // no statuses
        QVERIFY(compared<std::uint8_t>(Bytes{3}, Bytes{3}).changes.empty());
    }

    void otherExtentsAreRefused() {
        try {
            (void)compared<float>({1, 2}, {1, 2, 3});
            QFAIL("compared");
        } catch (const base::Error& error) {
            QCOMPARE(error.code(), base::ErrorCode::Problem);
            const std::string sentence = error.what();
            QVERIFY2(sentence.find("2x1x1") != std::string::npos &&
                         sentence.find("3x1x1") != std::string::npos,
                     sentence.c_str());
        }
    }

    void aStopIsAResult() {
        std::stop_source stop;
        stop.request_stop();
        const base::Image<float> image({4, 4, 1});
        QVERIFY(match::compareMaps(image.view(), image.view(), 0, stop.get_token()).cancelled);
    }
};

const flcc::test::TestClass<MapComparisonTest> kMapComparisonTest;
#include "map_comparison_test.moc"
