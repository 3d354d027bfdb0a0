#include <QTest>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/plan/detail/sampling.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

/// A method, how often it was asked, and of what the last time.
class CountedMethod final : public method::Method {
  public:
    explicit CountedMethod(const method::Method& of = cpu::directMethod()) : m_method(of) {}

    mutable int prepared = 0;
    mutable int executed = 0;
    mutable base::Extents scene;
    mutable base::Extents tile;

    [[nodiscard]] std::string_view name() const override { return m_method.name(); }
    [[nodiscard]] method::Traits traits() const override { return m_method.traits(); }
    [[nodiscard]] std::string_view device() const override { return m_method.device(); }
    [[nodiscard]] std::vector<method::Candidate>
    candidates(const method::Problem& problem, const method::Limits& limits,
               const base::Extents& asked) const override {
        return m_method.candidates(problem, limits, asked);
    }
    [[nodiscard]] method::Verdict
    predict(const method::Problem& problem, const method::Candidate& candidate,
            const method::Limits& limits, const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        return m_method.predict(problem, candidate, limits, model, statistics);
    }
    void warmUp(const method::Problem&, const method::Candidate&) const override {}
    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const method::Problem& problem, const method::Candidate& candidate,
            const method::MaskedView& templ, base::TilePool& pool) const override {
        ++prepared;
        scene = problem.scene;
        tile = candidate.tile;
        return m_method.prepare(problem, candidate, templ, pool);
    }
    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const method::Problem& problem,
                  const method::Candidate& candidate) const override {
        return m_method.makeWorkspace(problem, candidate);
    }
    method::Outcome execute(const method::Problem& problem, const method::Candidate& candidate,
                            const method::Prepared& made, const method::MaskedView& pixels,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        ++executed;
        return m_method.execute(problem, candidate, made, pixels, workspace, execution, map);
    }

  private:
    const method::Method& m_method;
};

} // namespace

class SamplingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Tiles of one method are many; the best of another is not to be forgotten over them.
    void theBestOfEachMethodIsAmongTheTimed() {
        const method::Method* const tiled = &cpu::tiledMethod();
        const method::Method* const direct = &cpu::directMethod();
        const method::Method* const fourier = &cpu::fourierMethod();
        const std::vector<plan::Guess> guesses{{tiled, 4},    {tiled, 4.5}, {tiled, 5},
                                               {direct, 5.5}, {tiled, 5.8}, {direct, 6},
                                               {tiled, 6.2},  {fourier, 9}};
        using Order = std::vector<std::size_t>;
        // Two that are close, the one that is far before the fifth, and two more in between.
        QCOMPARE(plan::timingOrder(guesses, 5, true), (Order{0, 3, 1, 2, 7, 4, 5, 6}));
        QCOMPARE(plan::timingOrder(guesses, 2, true), (Order{0, 3, 7, 1, 2, 4, 5, 6}));
        QCOMPARE(plan::timingOrder(guesses, 8, true), (Order{0, 3, 1, 2, 4, 5, 6, 7}));
        // Without calibration those of other methods are close up to twice the best.
        QCOMPARE(plan::timingOrder(guesses, 5, false), (Order{0, 3, 1, 2, 7, 4, 5, 6}));
        const std::vector<plan::Guess> nearer{{tiled, 4}, {tiled, 4.5}, {tiled, 5}, {fourier, 7}};
        QCOMPARE(plan::timingOrder(nearer, 4, false), (Order{0, 3, 1, 2}));
        QCOMPARE(plan::timingOrder(nearer, 4, true), (Order{0, 1, 2, 3}));
        QCOMPARE(plan::timingOrder({}, 5, true), Order());
        // So is the best one with other transforms.
        using method::Transforms;
        const std::vector<plan::Guess> kinds{{tiled, 4},
                                             {tiled, 4.2},
                                             {fourier, 5, Transforms::Own},
                                             {fourier, 5.5, Transforms::Fftw}};
        QCOMPARE(plan::timingOrder(kinds, 3, true), (Order{0, 2, 3, 1}));
    }

    // A machine that is busy for a moment makes one time longer than the others say.
    void timesThatContradictTheirPredictionAreDoubtful() {
        using plan::Timed;
        using Places = std::vector<std::size_t>;
        QCOMPARE(plan::doubtful({{127, 120}, {150, 74}}), (Places{1}));
        QCOMPARE(plan::doubtful({{127, 120}, {80, 74}}), Places());
        // A model that is off for all of them says nothing.
        QCOMPARE(plan::doubtful({{300, 100}, {240, 80}}), Places());
        QCOMPARE(plan::doubtful({{300, 100}}), Places());
        QCOMPARE(plan::doubtful({{139, 100}, {200, 200}}), Places());
        QCOMPARE(plan::doubtful({{141, 100}, {200, 200}}), Places{0});
    }

    void theModelDecidesWhereTimesDoNot() {
        QCOMPARE(plan::fastestOf({{98, 50}, {95, 80}, {200, 10}}), std::size_t{0});
        QCOMPARE(plan::fastestOf({{100, 50}, {95, 80}, {200, 10}}), std::size_t{1});
        QCOMPARE(plan::fastestOf({{100, 120}, {90, 74}}), std::size_t{1});
        QCOMPARE(plan::fastestOf({{5, 7}}), std::size_t{0});
        QCOMPARE(plan::fastestOf({{100, 50}, {95, 80}}, 1), std::size_t{1}); // timed on the whole
        QCOMPARE(plan::nearFastest({{100, 1}, {114, 1}, {116, 1}, {101, 1}, {102, 1}}),
                 (std::vector<std::size_t>{0, 1, 3}));
    }

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
            QCOMPARE(whole, 2 * ms); // runs as it will, twice
            QCOMPARE(costOf(*method, 50, 1e6).first, 2 * ms);
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

    // A small problem is run as it will be, with the buffers that stay; of a larger one a part is.
    void aProblemThatIsItsOwnSampleIsRunWhole() {
        base::Image<float> pixels({120, 90, 1}, 1.0F);
        pixels.view().at(3, 4, 0) = 2;
        const base::AnyImage scene(std::move(pixels));
        const method::MaskedView all(base::viewOf(scene));
        const method::MaskedView templ = method::partOf(all, {{0, 0, 0}, {9, 9, 1}});
        method::Problem problem;
        problem.scene = all.extents();
        problem.templ = templ.extents();
        problem.scenePixel = problem.templPixel = base::PixelType::Float32;
        base::TilePool pool(2);
        const method::CostModel model;
        const method::Limits limits{2};
        const plan::SampleInput input{all, templ, limits, model, pool, {}, {}};
        const auto runs = [&](double predictedMs, double budgetMs) {
            CountedMethod method;
            const auto candidate = method.candidates(problem, limits, {16, 16, 1}).front();
            (void)plan::timeOnSample(method, problem, candidate, predictedMs, budgetMs, input);
            return std::pair(method.prepared, method.executed);
        };
        QCOMPARE(runs(1, 1e6), std::pair(2, 2));
        QCOMPARE(runs(4e6, 1e6), std::pair(1, 2));
        // What takes far longer than it is to is run once.
        QCOMPARE(runs(1e-9, 1e-9), std::pair(1, 1));
        QCOMPARE(runs(1e-8, 1e-9), std::pair(1, 1));
    }

    // Of a whole scene a part is transformed by a length of its own, or by one that has the factors
    // of what was asked for.
    void aTileThatWasAskedForIsHalvedWithTheScene() {
        base::Image<float> pixels({512, 256, 1}, 1.0F);
        pixels.view().at(3, 4, 0) = 2;
        const base::AnyImage scene(std::move(pixels));
        const method::MaskedView all(base::viewOf(scene));
        const method::MaskedView templ = method::partOf(all, {{0, 0, 0}, {9, 9, 1}});
        method::Problem problem;
        problem.scene = all.extents();
        problem.templ = templ.extents();
        base::TilePool pool(1);
        const method::CostModel model;
        const method::Limits limits{1};
        const plan::SampleInput input{all, templ, limits, model, pool, {}, {}};
        const auto sampled = [&](const base::Extents& asked) {
            CountedMethod method(cpu::fourierMethod());
            const auto candidate = method.candidates(problem, limits, asked).front();
            (void)plan::timeOnSample(method, problem, candidate, 100, 1, input);
            return std::pair(method.scene, method.tile);
        };
        const auto [part, own] = sampled({0, 0, 0});
        QVERIFY(part.x == 128 && part.y == 256);
        QVERIFY(own == cpu::fourierMethod()
                           .candidates({.scene = part, .templ = problem.templ}, limits, {0, 0, 0})
                           .front()
                           .tile);
        QVERIFY(sampled({580, 262, 1}).second == (base::Extents{145, 262, 1}));
        QVERIFY(sampled({514, 256, 1}).second == (base::Extents{129, 256, 1}));
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

const flcc::test::TestClass<SamplingTest> kSamplingTest;
#include "sampling_test.moc"
