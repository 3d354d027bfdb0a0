#include <QtTest>

#include "engine/match/list_comparison.h"
#include "tests/support/test_class.h"

using namespace flcc;
using Counts = std::vector<std::vector<std::int64_t>>;

namespace {

/// Positions on a line, in the order of their kinds.
match::KindPositions onLine(const std::vector<std::pair<double, int>>& places, int count) {
    match::KindPositions list;
    list.count = count;
    for (const auto& [x, kind] : places) {
        list.positions.push_back({{x, 0, 0}, 0.5});
        list.kinds.push_back(kind);
    }
    return list;
}

} // namespace

class ConfusionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Two species and two templates, worked out by hand: of species 0 one is found, one is found
    /// by template 1 and one is missed; of species 1 two are found; template 0 is at one place of
    /// nothing.
    void countsAreThoseOfTheHand() {
        const match::KindPositions truth = onLine({{0, 0}, {20, 0}, {40, 0}, {60, 1}, {80, 1}}, 2);
        const match::KindPositions found = onLine({{1, 0}, {20, 1}, {60, 1}, {81, 1}, {100, 0}}, 2);
        const match::Confusion result = match::confusionOf(found, truth, {0, 1}, {.tolerance = 2});
        QVERIFY((result.counts == Counts{{1, 1, 1}, {0, 2, 0}, {1, 0, 0}}));
        QVERIFY((result.present == std::vector<std::int64_t>{3, 2}));
        QCOMPARE(result.species[0].precision, 1.0 / 2);
        QCOMPARE(result.species[0].recall, 1.0 / 3);
        QCOMPARE(result.species[0].f1, 2.0 / 5);
        QCOMPARE(result.species[1].precision, 2.0 / 3);
        QCOMPARE(result.species[1].recall, 1.0);
        QCOMPARE(result.f4, (17.0 / (2 + 16 * 3) + 34.0 / (3 + 16 * 2)) / 2);
        QCOMPARE(result.scored, 2);
    }

    /// As many pairs as possible would take the wrong species at 0 and the right one at 3.
    void aRightPairIsNotGivenUpForMorePairs() {
        const match::KindPositions truth = onLine({{0, 0}, {3, 1}}, 2);
        const match::KindPositions found = onLine({{2, 0}, {4, 0}}, 2);
        const match::Confusion near = match::confusionOf(found, truth, {0, 1}, {.tolerance = 2});
        QVERIFY((near.counts == Counts{{1, 0, 0}, {1, 0, 0}, {0, 0, 0}}));
        const match::KindPositions wrong = onLine({{-1, 1}, {1, 0}}, 2);
        const match::Confusion right = match::confusionOf(wrong, truth, {0, 1}, {.tolerance = 2});
        QVERIFY((right.counts == Counts{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}));
    }

    /// A species without a template and a template without a species: neither is in the mean.
    void whatWasNotSearchedIsCountedButNotScored() {
        const match::KindPositions truth = onLine({{0, 0}, {20, 1}}, 3);
        const match::KindPositions found = onLine({{0, 0}, {20, 1}, {40, 2}}, 3);
        const match::Confusion result =
            match::confusionOf(found, truth, {0, -1, 2}, {.tolerance = 2});
        QVERIFY((result.counts == Counts{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}}));
        QCOMPARE(result.f4, 1.0);
        QCOMPARE(result.scored, 1);
        QCOMPARE(result.species[1].recall, 0.0);
    }
};

const flcc::test::TestClass<ConfusionTest> kConfusionTest;
#include "confusion_test.moc"
