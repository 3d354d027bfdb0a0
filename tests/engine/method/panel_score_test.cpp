#include <QtTest>

#include <cmath>
#include <vector>

#include "engine/method/shared/panel_score.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using method::Outside;
using method::shared::PanelFrame;
using method::shared::PanelScore;
using method::shared::PanelSums;

namespace {

__extension__ using Quad = __float128;

/// A panel and its sums without rounding errors that matter.
struct Exact {
    Quad cn = 0, s1 = 0, s2 = 0, t1 = 0, t2 = 0;
    double n = 0;
};

Exact exactSums(const std::vector<double>& x, const std::vector<double>& that,
                const std::vector<bool>& inside) {
    Exact sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (inside[i]) {
            sums.cn += Quad(x[i]) * that[i];
            sums.s1 += x[i];
            sums.s2 += Quad(x[i]) * x[i];
            sums.t1 += that[i];
            sums.t2 += Quad(that[i]) * that[i];
            sums.n += 1;
        }
    }
    return sums;
}

/// The score of a panel by the formulas of engine/method/NUMERICS.md, section 1.
long double exactScore(const Exact& sums, const PanelFrame& frame) {
    const Quad n = sums.n;
    const Quad count = frame.count;
    const Quad w = sums.s2 - sums.s1 * sums.s1 / n;
    Quad numerator = sums.cn;
    Quad d = w;
    if (sums.n < frame.count && frame.outside == Outside::Overlap) {
        numerator -= sums.s1 * sums.t1 / n;
        d = w * (sums.t2 - sums.t1 * sums.t1 / n);
    } else if (sums.n < frame.count) {
        const Quad c = frame.level;
        const Quad m = c + sums.s1 / n;
        const Quad mu = (sums.s1 + n * c) / count;
        d = w + n * (count - n) / count * m * m;
        numerator += (frame.outside == Outside::Zero ? c : c - mu) * sums.t1;
    }
    return static_cast<long double>(numerator) / std::sqrt(static_cast<long double>(d));
}

} // namespace

/// Sums that are wrong by what is allowed must give scores that are wrong by no more than is told.
class PanelScoreTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void errorsOfSumsReachTheScoreWithinItsBound() {
        test::Random random(1);
        double tightest = 0;
        int scored = 0;
        for (int turn = 0; turn < (test::kSanitized ? 6000 : 60000); ++turn) {
            const auto count = static_cast<std::size_t>(2 + random.below(60));
            std::vector<double> x(count);
            std::vector<double> that(count);
            std::vector<bool> inside(count);
            // Contrast from 1 down to 1e-6 on a level of up to 1; some templates nearly constant.
            const double contrast = std::pow(10.0, -6 * random.uniform());
            const double level = 2 * random.uniform() - 1;
            const double share = random.below(3) == 0 ? 1 : random.uniform();
            const double flat = std::pow(10.0, -4 * random.uniform());
            double sum = 0;
            double squares = 0;
            bool any = false;
            for (std::size_t i = 0; i < count; ++i) {
                inside[i] = random.uniform() < share;
                x[i] = inside[i] ? level + contrast * random.normal() : 0;
                that[i] = (inside[i] ? flat : 1) * random.normal();
                sum += that[i];
                any = any || inside[i];
            }
            for (double& v : that) {
                v -= sum / static_cast<double>(count);
                squares += v * v;
            }
            for (double& v : that) {
                v /= std::sqrt(squares);
            }
            if (!any) {
                continue;
            }
            const Exact exact = exactSums(x, that, inside);
            PanelFrame frame;
            frame.count = static_cast<double>(count);
            frame.rootCount = std::sqrt(frame.count);
            frame.level = std::pow(10.0, 6 * random.uniform()) * (random.below(2) == 0 ? 1 : -1);
            frame.outside = static_cast<Outside>(random.below(3));
            frame.constant = 4 * 0x1p-53;
            const double size = std::pow(10.0, -16 + 10 * random.uniform());
            frame.errors.cnTile = size * random.uniform() + 0x1p-52;
            frame.errors.s1Tile = size * random.uniform() + 0x1p-46;
            frame.errors.s2Tile = size * random.uniform() + 0x1p-46;
            frame.errors.t1Tile = size * random.uniform() / std::abs(frame.level) + 0x1p-52;
            frame.errors.t2Tile = size * random.uniform() + 0x1p-52;
            const auto off = [&](Quad value, double error) { // also at its end
                const double part = random.below(2) == 0   ? 2 * random.uniform() - 1
                                    : random.below(2) == 0 ? 1
                                                           : -1;
                const double rounding = 0x1p-52 * std::abs(static_cast<double>(value));
                return static_cast<double>(value + Quad(part * std::max(0.0, error - rounding)));
            };
            const PanelSums sums{
                off(exact.cn, frame.errors.cnTile), off(exact.s1, frame.errors.s1Tile),
                off(exact.s2, frame.errors.s2Tile), exact.n,
                off(exact.t1, frame.errors.t1Tile), off(exact.t2, frame.errors.t2Tile)};
            const PanelScore score = scorePanel(sums, frame);
            if (score.open) {
                continue;
            }
            ++scored;
            const auto error =
                static_cast<double>(std::fabs(score.value - exactScore(exact, frame)));
            QVERIFY2(error <= score.bound,
                     qPrintable(QString("turn %1: off by %2, told %3, inside %4 of %5, rule %6")
                                    .arg(turn)
                                    .arg(error)
                                    .arg(score.bound)
                                    .arg(exact.n)
                                    .arg(frame.count)
                                    .arg(static_cast<int>(frame.outside))));
            tightest = std::max(tightest, error / score.bound);
        }
        QVERIFY(scored > (test::kSanitized ? 2000 : 20000));
        QVERIFY(tightest > 0.5); // and it is not many times what can happen
    }

    void sumsOfIntegersAreExact() {
        test::Random random(2);
        for (int turn = 0; turn < 2000; ++turn) {
            PanelFrame frame;
            frame.count = 40;
            frame.rootCount = std::sqrt(40.0);
            frame.unit = 0x1p12;
            frame.perUnit = 0x1p-12;
            frame.integer = true;
            frame.errors.s1Tile = 0.2 / frame.unit;
            frame.errors.s2Tile = 0.2 / frame.unit / frame.unit;
            double s1 = 0;
            double s2 = 0;
            for (int i = 0; i < 40; ++i) { // a high level, one count of contrast
                const double v = 4000 + static_cast<double>(random.below(2));
                s1 += v;
                s2 += v * v;
            }
            const double variance =
                s2 - s1 * s1 / 40; // below 2^53 times 40: exact but the division
            const PanelSums sums{1 / frame.unit,
                                 (s1 + 0.19) / frame.unit,
                                 (s2 - 0.19) / frame.unit / frame.unit,
                                 40,
                                 0,
                                 1};
            const PanelScore score = scorePanel(sums, frame);
            QCOMPARE(score.open, variance == 0);
            if (!score.open) {
                QVERIFY(std::fabs(score.value - 1 / std::sqrt(variance)) <= 1e-7);
                QVERIFY(score.bound < 1e-14);
            }
        }
    }

    void aConstantPanelIsOpen() {
        PanelFrame frame;
        frame.count = 9;
        frame.rootCount = 3;
        frame.errors = {.s1Panel = 0x1p-50, .s2Panel = 0x1p-50};
        QVERIFY(scorePanel({1e-9, 0.9, 0.09, 9, 0, 1}, frame).open);
        frame.outside = Outside::Overlap; // the template, on what is inside
        frame.errors.t2Tile = 0x1p-50;
        QVERIFY(scorePanel({0.1, 0.1, 0.9, 5, 0.5, 0.05}, frame).open);
    }
};

const flcc::test::TestClass<PanelScoreTest> kPanelScoreTest;
#include "panel_score_test.moc"
