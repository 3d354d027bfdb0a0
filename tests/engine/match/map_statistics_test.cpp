#include <QtTest>

#include <array>
#include <cmath>
#include <random>

#include "engine/match/peaks.h"
#include "tests/support/test_class.h"

using namespace flcc;

class MapStatisticsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void voxelsWithoutAValueDoNotCount();
    void aMapWithoutValuesHasNoStatistics();
    void theDeviationOfEqualScoresIsZero();
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

void MapStatisticsTest::theDeviationOfEqualScoresIsZero() {
    method::MatchMap map({100, 100, 1});
    map.value.fill(0.7F);
    map.status.fill(base::Status::Ok);
    const match::MapStatistics statistics =
        match::mapStatistics(map.value.view(), map.status.view());
    QVERIFY(std::abs(statistics.mean - static_cast<double>(0.7F)) < 1e-13);
    QVERIFY(statistics.standardDeviation < 1e-7);
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

const flcc::test::TestClass<MapStatisticsTest> kTests;
#include "map_statistics_test.moc"
