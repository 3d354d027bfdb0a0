#include <QTest>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "engine/cpu/methods.h"
#include "engine/plan/sampling.h"

using namespace flcc;

class SamplingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Templates of a bank are timed one at a time, and no sample is more than the whole.
    void aSampleCostsWhatItsRunsTake() {
        const base::Extents m{16, 16, 1};
        const method::MaskedView unread; // a prediction sees no pixels
        base::TilePool pool(2);
        const method::CostModel model;
        const method::Limits limits{2};
        const plan::SampleInput input{unread, unread, limits, model, pool, {}, {}};
        const auto costOf = [&](const method::Method& method, int templates, double budgetMs) {
            method::Problem problem;
            problem.scene = {900, 800, 1};
            problem.templ = m;
            problem.templates = templates;
            const auto candidate = method.candidates(problem, limits, {0, 0, 0}).front();
            const auto verdict = method.predict(problem, candidate, limits, model, nullptr);
            const double ms = std::get<method::Prediction>(verdict).ms;
            return std::pair(plan::sampleCostMs(method, problem, candidate, ms, budgetMs, input),
                             ms);
        };
        for (const method::Method* method : {&cpu::tiledMethod(), &cpu::directMethod()}) {
            const auto [whole, ms] = costOf(*method, 1, 1e6);
            QCOMPARE(whole, 2 * ms); // runs twice
            QCOMPARE(costOf(*method, 50, 1e6).first, whole);
            const double part = costOf(*method, 1, ms / 4).first;
            QVERIFY(part > ms / 4 && part < 1.5 * ms);
        }
        // Two tiles are what a sample has at least; so long a one is run once.
        const auto [least, ms] = costOf(cpu::directMethod(), 1, 1e-6);
        QVERIFY(least > 1e-6 && least < ms / 4);
        QCOMPARE(costOf(cpu::directMethod(), 1, least / 5).first, 2 * least);
        // Passes over a whole scene take a while, or there is nothing to learn from them.
        QVERIFY(costOf(cpu::fourierMethod(), 1, 1e-3).first > 1);
    }

    /// The first third of the scene is dark: a sample holds a third of dark, too, where the middle
    /// would hold none.
    void aSampleIsAsDarkAsTheScene() {
        const base::Extents scene{300, 90, 1};
        const base::Extents templ{11, 11, 1};
        std::vector<base::Index> dark;
        for (std::int64_t i = 0; i < 60; ++i) {
            dark.push_back({i % 10 * 9, i / 10 * 15, 0});
        }
        const base::Extents half{150, 90, 1};
        const auto isAt = [&](std::int64_t x, const std::vector<base::Index>& lowest) {
            return plan::representativeBox(scene, half, templ, lowest) ==
                   base::Box{{x, 0, 0}, half};
        };
        QVERIFY(isAt(37, dark));
        // Nothing known, and a place for every part of it: the middle.
        QVERIFY(isAt(75, {}));
        QVERIFY(isAt(75, {{20, 40, 0}, {150, 40, 0}, {270, 40, 0}}));
        QVERIFY(plan::representativeBox(scene, scene, templ, dark) ==
                (base::Box{{0, 0, 0}, scene}));
    }
};

QTEST_APPLESS_MAIN(SamplingTest)
#include "sampling_test.moc"
