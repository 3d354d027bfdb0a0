#include <QtTest>

#include <array>
#include <cmath>
#include <random>

#include "engine/match/peaks.h"
#include "engine/method/bank.h"
#include "tests/support/test_class.h"

using namespace flcc;

class MapStatisticsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void voxelsWithoutAValueDoNotCount();
    void aMapWithoutValuesHasNoStatistics();
    void theDeviationOfEqualScoresIsRounding_data();
    void theDeviationOfEqualScoresIsRounding();
    void theDeviationOfABankIsRounding();
    void oneScoreHasNoDeviation();
    void valuesOfAnyMagnitudeHaveADeviation();
    void theOrderOfTheVoxelsChangesNoBit();
};

void MapStatisticsTest::voxelsWithoutAValueDoNotCount() {
    method::MatchMap map({3, 2, 2});
    const std::array<float, 4> scores{0.25F, -0.5F, 0.75F, 0.5F};
    const std::array<base::Status, 4> statuses{base::Status::Ok, base::Status::Partial,
                                               base::Status::LowConf, base::Status::Ok};
    const std::array<base::Index, 4> places{{{0, 0, 0}, {2, 1, 0}, {1, 0, 1}, {2, 1, 1}}};
    map.status.fill(base::Status::Flat);
    map.status.view().at(1, 1, 1) = base::Status::NonFinite;
    map.status.view().at(0, 1, 1) = base::Status::NotComputed;
    for (std::size_t i = 0; i < places.size(); ++i) {
        map.value.view().at(places[i]) = scores[i];
        map.status.view().at(places[i]) = statuses[i];
    }
    const match::MapStatistics statistics =
        match::mapStatistics(map.value.view(), map.status.view());
    QCOMPARE(statistics.count, std::int64_t{4});
    QCOMPARE(statistics.minimum, -0.5);
    QCOMPARE(statistics.maximum, 0.75);
    QCOMPARE(statistics.mean, 0.25);
    QCOMPARE(statistics.standardDeviation, std::sqrt((0.0625 + 0.25 + 0.5625 + 0.25) / 4 - 0.0625));
}

void MapStatisticsTest::aMapWithoutValuesHasNoStatistics() {
    method::MatchMap map({4, 4, 1});
    const match::MapStatistics statistics =
        match::mapStatistics(map.value.view(), map.status.view());
    QCOMPARE(statistics.count, std::int64_t{0});
    QCOMPARE(statistics.minimum, 0.0);
    QCOMPARE(statistics.maximum, 0.0);
    QCOMPARE(statistics.standardDeviation, 0.0);
}

void MapStatisticsTest::theDeviationOfEqualScoresIsRounding_data() {
    QTest::addColumn<float>("score");
    for (const float score : {0.7F, 1.0F, -0.123456F, 0.0F, 1e-7F}) {
        QTest::addRow("%g", static_cast<double>(score)) << score;
    }
}

void MapStatisticsTest::theDeviationOfEqualScoresIsRounding() {
    QFETCH(float, score);
    method::MatchMap map({100, 100, 1});
    map.value.fill(score);
    map.status.fill(base::Status::Ok);
    const match::MapStatistics equal = match::mapStatistics(map.value.view(), map.status.view());
    QVERIFY(std::abs(equal.mean - static_cast<double>(score)) < 1e-12);
    QVERIFY(equal.standardDeviation <= equal.roundingDeviation);
    QVERIFY(equal.roundingDeviation < 2e-6);
    // One of ten thousand scores that differs by 0.001.
    map.value.data()[77] += 1e-3F;
    const match::MapStatistics other = match::mapStatistics(map.value.view(), map.status.view());
    QVERIFY(other.standardDeviation > other.roundingDeviation);
}

void MapStatisticsTest::theDeviationOfABankIsRounding() {
    method::MapFacts bank;
    method::MatchMap part({10, 10, 1});
    part.value.fill(0.7F);
    part.status.fill(base::Status::Ok);
    for (int i = 0; i < 50; ++i) {
        bank.scores.count += 100;
        const method::ScoreSums sums = method::scoreSums(method::viewOf(part));
        bank.scores.sum += sums.sum;
        bank.scores.squares += sums.squares;
        bank.scores.rounding += sums.rounding;
    }
    const match::MapStatistics statistics = match::bankStatistics({}, bank.scores);
    QCOMPARE(statistics.count, std::int64_t{5000});
    QVERIFY(statistics.standardDeviation <= statistics.roundingDeviation);
    QVERIFY(statistics.roundingDeviation < 3e-4);
    bank.scores.squares += 5000 * 1e-6; // a deviation of 0.001
    const match::MapStatistics other = match::bankStatistics({}, bank.scores);
    QVERIFY(other.standardDeviation > other.roundingDeviation);
}

void MapStatisticsTest::oneScoreHasNoDeviation() {
    for (const float score : {0.7F, -0.1F, 1.0F}) {
        method::MatchMap map({1, 1, 1}, true);
        map.status.fill(base::Status::Ok);
        map.value.fill(score);
        map.exact.fill(static_cast<double>(score));
        QVERIFY(match::mapStatistics(map.value.view(), map.status.view()).standardDeviation == 0);
        QVERIFY(match::mapStatistics(map.exact.view(), map.status.view()).standardDeviation == 0);
    }
}

void MapStatisticsTest::valuesOfAnyMagnitudeHaveADeviation() {
    for (const double size : {1e-200, 1e-12, 1.0, 1e200}) {
        method::MatchMap map({2, 2, 1}, true);
        map.status.fill(base::Status::Ok);
        method::ScoreSums sums;
        for (std::int64_t i = 0; i < 4; ++i) {
            const double value = (1 + static_cast<double>(i)) * size;
            map.exact.data()[i] = value;
            const int exponent = std::ilogb(value); // another one for each
            const double counted = std::ldexp(value, -exponent);
            sums.add({1, counted, counted * counted, 0, true, exponent});
        }
        const double deviation = std::sqrt(1.25) * size; // of 1, 2, 3, 4
        for (const match::MapStatistics& found :
             {match::mapStatistics(map.exact.view(), map.status.view()),
              match::bankStatistics({}, sums)}) {
            QVERIFY(std::abs(found.mean - 2.5 * size) <= 1e-14 * size);
            QVERIFY(std::abs(found.standardDeviation - deviation) <= 1e-14 * size);
        }
    }
}

void MapStatisticsTest::theOrderOfTheVoxelsChangesNoBit() {
    method::MatchMap map({5000, 3, 1});
    std::mt19937_64 random(3);
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        map.value.data()[i] = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
        map.status.data()[i] = random() % 5 == 0 ? base::Status::Flat : base::Status::Ok;
    }
    const match::MapStatistics rows = match::mapStatistics(map.value.view(), map.status.view());
    method::ScoreTally backwards;
    for (std::int64_t i = map.value.count() - 1; i >= 0; --i) {
        if (map.status.data()[i] == base::Status::Ok) {
            backwards.add(map.value.data()[i]);
        }
    }
    const match::MapStatistics single = match::statisticsOf(backwards);
    QCOMPARE(single.count, rows.count);
    QCOMPARE(single.minimum, rows.minimum);
    QCOMPARE(single.maximum, rows.maximum);
    QVERIFY(single.mean == rows.mean);
    QVERIFY(single.standardDeviation == rows.standardDeviation);
    QVERIFY(std::abs(rows.standardDeviation - std::sqrt(1.0 / 3)) < 0.01);
}

const flcc::test::TestClass<MapStatisticsTest> kMapStatisticsTest;
#include "map_statistics_test.moc"
