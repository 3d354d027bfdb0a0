#include <QtTest>

#include <array>
#include <cmath>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/bank.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Status;
using method::MatchMap;

namespace {

constexpr Extents kMap{37, 5, 3};

/// Scores from few values, so that there are ties; `rough`: statuses of every kind.
MatchMap scoresOf(std::uint64_t seed, bool rough, bool inDouble) {
    test::Random random(seed);
    MatchMap map(kMap, inDouble);
    for (std::int64_t i = 0; i < map.value.count(); ++i) {
        const auto status = rough ? static_cast<Status>(random.below(6)) : Status::Ok;
        const double score = static_cast<double>(random.below(9) - 4) / 4;
        map.status.data()[i] = status;
        if (!base::hasValue(status)) {
            continue;
        }
        map.value.data()[i] = static_cast<float>(score);
        if (inDouble) { // differences that floats do not show
            const double hair = 1e-12 * static_cast<double>(random.below(3));
            map.exact.data()[i] = score + hair;
            map.value.data()[i] = static_cast<float>(map.exact.data()[i]);
        }
    }
    return map;
}

/// A bank's map with what no run left there.
struct Bank {
    MatchMap map;
    base::Image<std::int32_t> index{kMap, 77};

    explicit Bank(bool inDouble) : map(kMap, inDouble) {
        map.value.fill(9);
        map.status.fill(Status::LowConf);
    }
    method::BankView view() { return {method::viewOf(map), index.view()}; }
};

double scoreAt(const MatchMap& map, std::int64_t i) {
    return map.exact.empty() ? static_cast<double>(map.value.data()[i]) : map.exact.data()[i];
}

/// What a voxel must hold, by the definition.
struct Best {
    double score = 0;
    Status status = Status::NotComputed;
    std::int32_t index = -1;
};

Best bestAt(const std::vector<MatchMap>& maps, std::int64_t i) {
    Best best;
    best.status = maps.front().status.data()[i];
    bool doubtful = false;
    for (std::size_t t = 0; t < maps.size(); ++t) {
        const Status status = maps[t].status.data()[i];
        doubtful = doubtful || status == Status::LowConf;
        if (base::hasValue(status) && (best.index < 0 || scoreAt(maps[t], i) > best.score)) {
            best = {scoreAt(maps[t], i), status, static_cast<std::int32_t>(t)};
        }
    }
    best.status = doubtful ? Status::LowConf : best.status;
    return best;
}

} // namespace

class BankTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyVoxelHasTheLargestScoreOfTheTemplates_data() {
        QTest::addColumn<bool>("rough");
        QTest::addColumn<bool>("inDouble");
        QTest::newRow("all OK") << false << false;
        QTest::newRow("every status") << true << false;
        QTest::newRow("all OK in double") << false << true;
        QTest::newRow("every status in double") << true << true;
    }

    void everyVoxelHasTheLargestScoreOfTheTemplates() {
        QFETCH(bool, rough);
        QFETCH(bool, inDouble);
        std::vector<MatchMap> maps;
        for (std::uint64_t t = 0; t < 5; ++t) {
            maps.push_back(scoresOf(40 + t, rough && t != 2, inDouble));
        }
        for (const std::array<std::size_t, 5>& order :
             {std::array<std::size_t, 5>{0, 1, 2, 3, 4}, {0, 4, 2, 3, 1}}) {
            Bank bank(inDouble);
            for (const std::size_t t : order) {
                method::mergeBest(method::viewOf(maps[t]), static_cast<std::int32_t>(t),
                                  bank.view());
            }
            for (std::int64_t i = 0; i < bank.index.count(); ++i) {
                const Best best = bestAt(maps, i);
                QCOMPARE(bank.index.data()[i], best.index);
                QCOMPARE(static_cast<int>(bank.map.status.data()[i]),
                         static_cast<int>(best.status));
                QVERIFY(scoreAt(bank.map, i) == best.score);
                QVERIFY(bank.map.value.data()[i] == static_cast<float>(best.score));
            }
        }
    }

    void onlyThePartThatIsMergedChanges() {
        MatchMap first = scoresOf(1, false, false);
        MatchMap second = scoresOf(2, true, false);
        Bank bank(false);
        method::mergeBest(method::viewOf(first), 0, bank.view());
        const base::Box box{{3, 1, 1}, {20, 3, 2}};
        method::mergeBest(method::partOf(method::viewOf(second), box), 1,
                          method::partOf(bank.view(), box));
        std::int64_t changed = 0;
        for (std::int64_t i = 0; i < bank.index.count(); ++i) {
            const base::Index at{i % kMap.x, i / kMap.x % kMap.y, i / (kMap.x * kMap.y)};
            const bool inside = at.x >= 3 && at.x < 23 && at.y >= 1 && at.y < 4 && at.z >= 1;
            changed += bank.index.data()[i] == 1 ? 1 : 0;
            QVERIFY(inside || (bank.index.data()[i] == 0 &&
                               bank.map.value.data()[i] == first.value.data()[i]));
        }
        QVERIFY(changed > 10);
    }

    void aClearedPartIsAsBeforeTheRun() {
        MatchMap scores = scoresOf(3, true, true);
        Bank bank(true);
        method::mergeBest(method::viewOf(scores), 0, bank.view());
        method::clearBest(bank.view());
        for (std::int64_t i = 0; i < bank.index.count(); ++i) {
            QCOMPARE(bank.index.data()[i], -1);
            QVERIFY(bank.map.status.data()[i] == Status::NotComputed);
            QVERIFY(bank.map.value.data()[i] == 0 && bank.map.exact.data()[i] == 0);
        }
    }

    void sumsAreOverTheVoxelsWithAScore() {
        for (const bool inDouble : {false, true}) {
            MatchMap scores = scoresOf(4, true, inDouble);
            const method::ScoreSums sums = method::scoreSums(method::viewOf(scores));
            method::ScoreSums expected;
            for (std::int64_t i = 0; i < scores.value.count(); ++i) {
                if (base::hasValue(scores.status.data()[i])) {
                    const double score = scoreAt(scores, i);
                    ++expected.count;
                    expected.sum += score;
                    expected.squares += score * score;
                }
            }
            QVERIFY(expected.count > 100 && expected.count < scores.value.count());
            QCOMPARE(sums.count, expected.count);
            QVERIFY(std::abs(sums.sum - expected.sum) <= 0x1p-20);
            QVERIFY(std::abs(sums.squares - expected.squares) <= 0x1p-20);
        }
    }

    void factsOfTemplatesBecomeThoseOfTheBank() {
        method::MapFacts bank;
        method::MapFacts one;
        one.overRange = 1;
        one.recomputed = 5;
        one.largestBound = 1e-5;
        one.largestLowConf = 3e-3;
        one.scores = {10, 2, 1};
        method::MapFacts other = one;
        other.recomputed = 7;
        other.largestBound = 2e-5;
        other.largestLowConf = 0;
        method::addTemplate(one, bank);
        method::addTemplate(other, bank);
        QCOMPARE(bank.overRange, std::int64_t{2});
        QCOMPARE(bank.recomputed, std::int64_t{12});
        QCOMPARE(bank.largestBound, 2e-5);
        QCOMPARE(bank.largestLowConf, 3e-3);
        QCOMPARE(bank.scores.count, std::int64_t{20});
        QCOMPARE(bank.scores.sum, 4.0);
        QCOMPARE(bank.scores.squares, 2.0);
    }

    void aBankOfAnotherNumberOfTemplatesIsAnError() {
        method::Problem problem;
        problem.templates = 3;
        method::requireTemplates(problem, 3);
        QVERIFY_THROWS_EXCEPTION(base::Error, method::requireTemplates(problem, 2));
        problem.templates = 0;
        QVERIFY_THROWS_EXCEPTION(base::Error, method::requireTemplates(problem, 0));
    }
};

const flcc::test::TestClass<BankTest> kBankTest;
#include "bank_test.moc"
