#include <QtTest>

#include "engine/match/score_gap.h"
#include "tests/support/test_class.h"

using namespace flcc;

class ScoreGapTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Six scores from 0.60 to 0.65 have a deviation of 0.0187 and 5 of them are 0.0935.
    void aGapIsFiveDeviationsWide() {
        std::vector<double> scores{0.65, 0.64, 0.63, 0.62, 0.61, 0.60, 0.506, 0.46, 0.45};
        const auto gap = match::clearGap(scores);
        QVERIFY(gap && gap->above == 6 && gap->upper == 0.60 && gap->lower == 0.506);
        scores[6] = 0.507;
        QVERIFY(!match::clearGap(scores));
    }

    void fewScoresAndCopiesTellNothing() {
        std::vector<double> scores{0.61, 0.62, 0.63, 0.64, 0.65, 0.3, 0.29, 0.28};
        QVERIFY(!match::clearGap(scores)); // five above
        scores.push_back(1);               // a copy of the template
        QVERIFY(!match::clearGap(scores));
        scores.push_back(0.625);
        const auto gap = match::clearGap(scores);
        QVERIFY(gap && gap->above == 7 && gap->lower == 0.3);
        scores.erase(std::ranges::find(scores, 0.28));
        QVERIFY(!match::clearGap(scores)); // two below
        QVERIFY(!match::clearGap({}));
    }

    void equalScoresAreOneGroup() { QVERIFY(!match::clearGap(std::vector<double>(20, 0.5))); }
};

const flcc::test::TestClass<ScoreGapTest> kScoreGapTest;
#include "score_gap_test.moc"
