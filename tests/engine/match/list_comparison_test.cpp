#include <QtTest>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/match/list_comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using match::ComparedPosition;
using match::ListComparison;

namespace {

std::vector<ComparedPosition> randomList(base::Random& random, std::int64_t most, double width) {
    std::vector<ComparedPosition> list(
        static_cast<std::size_t>(random.uniform(0, static_cast<double>(most) + 0.999)));
    for (ComparedPosition& position : list) {
        for (double& coordinate : position.centre) {
            coordinate = std::floor(random.uniform(0, width)); // many ties
        }
        position.score = std::floor(random.uniform(0, 4)) / 4; // equal scores
    }
    return list;
}

double distanceOf(const ComparedPosition& a, const ComparedPosition& b, const base::Point& voxel) {
    return std::hypot((a.centre[0] - b.centre[0]) * voxel[0],
                      (a.centre[1] - b.centre[1]) * voxel[1],
                      (a.centre[2] - b.centre[2]) * voxel[2]);
}

/// The largest number of pairs and the smallest sum with it, by trying all pairings.
struct Best {
    std::size_t pairs = 0;
    double sum = 0;
};
Best bruteForce(const std::vector<ComparedPosition>& a, const std::vector<ComparedPosition>& b,
                const match::ComparisonOptions& options, std::size_t from,
                std::vector<bool>& used) {
    if (from == a.size()) {
        return {};
    }
    Best best = bruteForce(a, b, options, from + 1, used); // a[from] stays alone
    for (std::size_t j = 0; j < b.size(); ++j) {
        const double distance = distanceOf(a[from], b[j], options.voxel);
        if (used[j] || distance > options.tolerance) {
            continue;
        }
        used[j] = true;
        Best other = bruteForce(a, b, options, from + 1, used);
        used[j] = false;
        ++other.pairs;
        other.sum += distance;
        if (other.pairs > best.pairs || (other.pairs == best.pairs && other.sum < best.sum)) {
            best = other;
        }
    }
    return best;
}

} // namespace

class ListComparisonTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void pairsAreThoseOfAllPairings() {
        base::Random random(1);
        for (int round = 0; round < 400; ++round) {
            const match::ComparisonOptions options{.tolerance = random.uniform(0, 4),
                                                   .voxel = {1, 0.5, 2},
                                                   .smallestIsBest = round % 2 == 1};
            const double width = random.uniform(1, 7);
            const auto a = randomList(random, 6, width);
            const auto b = randomList(random, 6, width);
            const ListComparison result = match::compareLists(a, b, options);
            std::vector<bool> used(b.size(), false);
            const Best best = bruteForce(a, b, options, 0, used);
            QCOMPARE(result.pairs.size(), best.pairs);
            double sum = 0;
            std::vector<int> all;
            std::vector<int> others;
            for (const match::MatchedPair& pair : result.pairs) {
                const double distance =
                    distanceOf(a[static_cast<std::size_t>(pair.a)],
                               b[static_cast<std::size_t>(pair.b)], options.voxel);
                QVERIFY(distance <= options.tolerance && pair.distance == distance);
                sum += distance;
                all.push_back(pair.a);
                others.push_back(pair.b);
            }
            // At most 12 additions of numbers below 4, each rounded to 2^-53 of the sum.
            QVERIFY(std::abs(sum - best.sum) < 12 * 24 * std::ldexp(1, -53));
            // Each position once.
            all.insert(all.end(), result.onlyA.begin(), result.onlyA.end());
            others.insert(others.end(), result.onlyB.begin(), result.onlyB.end());
            std::ranges::sort(all);
            std::ranges::sort(others);
            QVERIFY(all.size() == a.size() && std::ranges::adjacent_find(all) == all.end());
            QVERIFY(others.size() == b.size() &&
                    std::ranges::adjacent_find(others) == others.end());
            // The curve: the same for the positions that reach a threshold.
            std::size_t points = 0;
            for (const match::ThresholdPoint& point : result.curve) {
                std::vector<ComparedPosition> part;
                for (const ComparedPosition& position : a) {
                    if (options.smallestIsBest ? *position.score <= point.threshold
                                               : *position.score >= point.threshold) {
                        part.push_back(position);
                    }
                }
                used.assign(b.size(), false);
                QCOMPARE(point.matched,
                         static_cast<std::int64_t>(bruteForce(part, b, options, 0, used).pairs));
                QCOMPARE(point.listed, std::ssize(part));
                QVERIFY(result.best->f1 >= point.f1);
                ++points;
            }
            QVERIFY(points > 0 || a.empty());
        }
    }

    /// By hand: two true ones found, one missed, one false.
    void sharesAreThoseOfTheCounts() {
        const std::vector<ComparedPosition> a{
            {{10, 10, 0}, 0.9}, {{50, 50, 0}, 0.8}, {{31, 30, 0}, 0.6}};
        const std::vector<ComparedPosition> b{
            {{30, 30, 0}, {}}, {{13, 10, 0}, {}}, {{80, 80, 0}, {}}};
        const ListComparison result = match::compareLists(a, b, {.tolerance = 3});
        QVERIFY((result.pairs == std::vector<match::MatchedPair>{{0, 1, 3}, {2, 0, 1}}));
        QVERIFY(result.onlyA == std::vector{1} && result.onlyB == std::vector{2});
        QCOMPARE(result.precision, 2.0 / 3);
        QCOMPARE(result.recall, 2.0 / 3);
        QCOMPARE(result.curve.size(), std::size_t{3});
        QCOMPARE(result.curve[0].f1, 0.5);
        const double p = result.curve[0].precision;
        const double r = result.curve[0].recall;
        QCOMPARE(result.curve[0].f4, 17 * p * r / (16 * p + r));
        QCOMPARE(result.best->threshold, 0.6);
        QCOMPARE(result.distances->mean, 2.0);
        QCOMPARE(result.distances->median, 2.0);
        QCOMPARE(result.distances->largest, 3.0);
        QVERIFY(match::compareLists(a, b, {.tolerance = 2.9}).pairs.size() == 1);
        QVERIFY(match::compareLists(a, {}).precision == 0 && !match::compareLists(a, {}).distances);
    }

    /// A chain in which every position has two neighbours: taking the nearest first loses pairs.
    void allOfALongChainArePaired() {
        std::vector<ComparedPosition> a;
        std::vector<ComparedPosition> b;
        for (int i = 0; i < 2000; ++i) {
            a.push_back({{static_cast<double>(i), 0, 0}, {}});
            b.push_back({{i + 0.55, 0, 0}, {}});
        }
        std::ranges::reverse(a);
        const ListComparison result = match::compareLists(a, b, {.tolerance = 0.6});
        QCOMPARE(result.pairs.size(), std::size_t{2000});
        QVERIFY(result.curve.empty() && !result.best);
    }

    void aNegativeToleranceIsRefused() {
        QVERIFY_EXCEPTION_THROWN((void)match::compareLists({}, {}, {.tolerance = -1}), base::Error);
        QVERIFY_EXCEPTION_THROWN((void)match::compareLists({}, {}, {.tolerance = std::nan("")}),
                                 base::Error);
    }
};

const flcc::test::TestClass<ListComparisonTest> kListComparisonTest;
#include "list_comparison_test.moc"
