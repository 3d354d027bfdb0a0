#include <QtTest>

#include <cstdint>
#include <limits>
#include <string>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// The sentence of the Problem that `call` throws; empty when it throws nothing of the kind.
template <class Call> std::string problemOf(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code() == ErrorCode::Problem ? error.what() : "";
    }
    return "";
}

} // namespace

class ExtentsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void countsBeyondThirtyTwoBitsAreRight() {
        QCOMPARE(voxelCount({65536, 65536, 2}), std::int64_t{1} << 33);
        QCOMPARE(voxelCount({2147483647, 2147483647, 1}), std::int64_t{4611686014132420609});
        QCOMPARE(byteCount({65536, 65536, 2}, 8), std::int64_t{1} << 36);
    }

    void theLargestCountIsStillACount() {
        QCOMPARE(voxelCount({kLargest, 1, 1}), kLargest);
        QCOMPARE(byteCount({kLargest / 8, 1, 1}, 8), kLargest / 8 * 8);
    }

    void countsBeyondSixtyThreeBitsAreAProblem() {
        QVERIFY(!problemOf([] { (void)voxelCount({kLargest, 2, 1}); }).empty());
        QVERIFY(!problemOf([] { (void)voxelCount({2097152, 2097152, 2097152}); }).empty());
        // Products that wrap round to something small and positive.
        QVERIFY(!problemOf([] {
                     (void)voxelCount({std::int64_t{1} << 32, std::int64_t{1} << 32, 1});
                 }).empty());
        QVERIFY(!problemOf([] { (void)byteCount({kLargest / 8 + 1, 1, 1}, 8); }).empty());
    }

    void extentsBelowOneAreAProblemThatNamesThem() {
        for (const Extents extents : {Extents{0, 1, 1}, Extents{1, 0, 1}, Extents{1, 1, 0},
                                      Extents{-4, 5, 6}, Extents{-4, -5, 6}}) {
            const std::string sentence = problemOf([&] { (void)voxelCount(extents); });
            QVERIFY2(sentence.find(toString(extents)) != std::string::npos, sentence.c_str());
        }
    }

    void theValidMapHasOnePlacementMoreThanTheDifference() {
        QVERIFY(validExtents({10, 20, 30}, {1, 20, 7}) == (Extents{10, 1, 24}));
        QVERIFY(validExtents({5, 5, 1}, {5, 5, 1}) == (Extents{1, 1, 1}));
    }

    void aTemplateLargerOnAnyAxisIsAProblemThatNamesBoth() {
        for (const Extents templ : {Extents{10, 1, 1}, Extents{1, 10, 1}, Extents{1, 1, 10}}) {
            const std::string sentence = problemOf([&] { (void)validExtents({9, 9, 9}, templ); });
            QVERIFY2(sentence.find(toString(templ)) != std::string::npos, sentence.c_str());
            QVERIFY2(sentence.find("9x9x9") != std::string::npos, sentence.c_str());
        }
    }

    void aBoxIsContainedUpToTheLastVoxel_data() {
        QTest::addColumn<qint64>("corner");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<bool>("inside");
        QTest::newRow("whole") << qint64{0} << qint64{8} << true;
        QTest::newRow("last voxel") << qint64{7} << qint64{1} << true;
        QTest::newRow("one beyond") << qint64{7} << qint64{2} << false;
        QTest::newRow("outside") << qint64{8} << qint64{1} << false;
        QTest::newRow("before") << qint64{-1} << qint64{3} << false;
        QTest::newRow("empty") << qint64{3} << qint64{0} << false;
        QTest::newRow("negative") << qint64{3} << qint64{-1} << false;
        QTest::newRow("sum overflows") << qint64{7} << qint64{kLargest} << false;
        QTest::newRow("corner overflows") << qint64{kLargest} << qint64{1} << false;
    }

    void aBoxIsContainedUpToTheLastVoxel() {
        QFETCH(qint64, corner);
        QFETCH(qint64, length);
        QFETCH(bool, inside);
        const std::int64_t c = corner;
        const std::int64_t l = length;
        QCOMPARE(contains({8, 9, 9}, {{c, 0, 0}, {l, 1, 1}}), inside);
        QCOMPARE(contains({9, 8, 9}, {{0, c, 0}, {1, l, 1}}), inside);
        QCOMPARE(contains({9, 9, 8}, {{0, 0, c}, {1, 1, l}}), inside);
    }

    void oneSliceIsTwoDimensional() {
        QVERIFY(isFlat2D({5, 1, 1}));
        QVERIFY(!isFlat2D({5, 1, 2}));
    }

    void theWordsAreThoseOfTheCommandLine() {
        QCOMPARE(toString(Extents{64, 32, 1}), std::string("64x32x1"));
        QCOMPARE(toString(Index{3, -4, 0}), std::string("3,-4,0"));
        QCOMPARE(toString(Box{{3, 4, 0}, {64, 32, 1}}), std::string("3,4,0:64,32,1"));
    }
};

const flcc::test::TestClass<ExtentsTest> kExtentsTest;
#include "extents_test.moc"
