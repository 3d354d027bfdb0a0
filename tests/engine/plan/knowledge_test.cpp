#include <QTest>

#include <cmath>
#include <cstdint>
#include <mutex>

#include "engine/base/image.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/plan/calibration.h"
#include "engine/plan/detail/least_squares.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/planner.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

plan::Knowledge someKnowledge() {
    plan::Knowledge knowledge;
    knowledge.model = method::CostModel{};
    knowledge.model->calibrated = true;
    knowledge.model->loadRowNs = 0.1; // no short binary fraction
    knowledge.model->shapeTimes = {{{64, 32, 1}, 1e5 / 3, 2e6}};
    knowledge.model->instructionRates = {{"AVX9", 99.5}};
    knowledge.wisdomSingle = "(wisdom)\n";
    knowledge.wisdomDouble = "(more \"wisdom\")";
    knowledge.remember({"a key",
                        {{{.method = "dif",
                           .tile = {64, 32, 1},
                           .threads = 2,
                           .parts = 3,
                           .transforms = method::Transforms::Fftw},
                          1.5}}});
    return knowledge;
}

} // namespace

class KnowledgeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { plan::useWisdom({}); }

    void runsCorrectTimes() {
        const method::Candidate a{"direct"};
        const method::Candidate b{"tiled"};
        plan::KnownProblem known{"a key", {{a, 22}, {b, 33}}};
        const auto times = [&] { return std::pair(known.timings[0].ms, known.timings[1].ms); };
        known.correct(a, 2); // the samples were timed in a busy moment: all of them
        QCOMPARE(times(), std::pair(2.0, 3.0));
        known.correct(a, 10); // a busy moment of the run
        QCOMPARE(times(), std::pair(2.0, 3.0));
        known.correct(a, 2.5);
        known.correct(a, 2.5); // the first run is forgotten
        QCOMPARE(times(), std::pair(2.5, 3.75));
        QCOMPARE(known.timings[0].runs, (std::vector<double>{10, 2.5, 2.5}));
        plan::KnownProblem slow{"a key", {{a, 2}, {b, 3}}};
        slow.correct(a, 200); // a busy moment changes no choice
        QCOMPARE(slow.timings[1].ms, 300.0);
        known.correct(b, 30); // what has run keeps its own time
        QCOMPARE(times(), std::pair(2.5, 30.0));
        known.correct({"fourier"}, 4);
        QCOMPARE(known.timings.back().ms, 4.0);
    }

    void aKeyHoldsTheContentOfTheScene() {
        const auto keyOf = [](const method::SceneStatistics& statistics) {
            method::Problem problem;
            problem.scene = {64, 64, 1};
            problem.templ = {8, 8, 1};
            return plan::problemKey(problem, {}, "measure", "auto", "auto", {}, &statistics);
        };
        const method::SceneStatistics usual{
            .maximum = 255, .lowContrast = 10, .steps = 255, .lowest = {{1, 1, 0}}};
        method::SceneStatistics other = usual;
        other.mean = 3;
        other.lowest.clear();
        QCOMPARE(keyOf(other), keyOf(usual)); // these change no time
        const auto differs = [&](auto change) {
            method::SceneStatistics changed = usual;
            change(changed);
            return keyOf(changed) != keyOf(usual);
        };
        QVERIFY(differs([](auto& one) { one.flatShare = 0.01; }));
        QVERIFY(differs([](auto& one) { one.nonFinite = 1; }));
        QVERIFY(differs([](auto& one) { one.lowContrast = 0.1; }));
        QVERIFY(differs([](auto& one) { one.steps = 1e6; }));
    }

    void textGivesTheSameKnowledgeBack() {
        const plan::Knowledge before = someKnowledge();
        const auto after = plan::knowledgeFromText(plan::toText(before));
        QVERIFY(after.has_value());
        QCOMPARE(plan::toText(*after), plan::toText(before));
        QCOMPARE(after->model->loadRowNs, before.model->loadRowNs);
        QCOMPARE(after->model->shapeTimes[0].tileNs, before.model->shapeTimes[0].tileNs);
        QCOMPARE(after->wisdomDouble, before.wisdomDouble);
        QVERIFY(after->find("a key") != nullptr);
        QVERIFY(after->find("a key")->timings[0].candidate ==
                before.find("a key")->timings[0].candidate);
    }

    void impossibleValuesAreRefused_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("negative time") << "\"load_row_ns\": 0.1"
                                       << "\"load_row_ns\": -0.1";
        QTest::newRow("no number") << "\"load_row_ns\": 0.1"
                                   << "\"load_row_ns\": null";
        QTest::newRow("missing") << "\"load_row_ns\": 0.1"
                                 << "\"other\": 1";
        QTest::newRow("no rate") << "\"multiply_adds_per_ns\": 150.0"
                                 << "\"multiply_adds_per_ns\": 0";
        QTest::newRow("no JSON") << "{"
                                 << "[";
    }

    void impossibleValuesAreRefused() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const QString good = QString::fromStdString(plan::toText(someKnowledge()));
        QString bad = good;
        bad.replace(bad.indexOf(from), from.size(), to);
        QVERIFY(bad != good);
        QVERIFY(plan::knowledgeFromText(good.toStdString()).has_value());
        QVERIFY(!plan::knowledgeFromText(bad.toStdString()).has_value());
    }

    void aModelWithoutTimesOfTransformsIsRefused() {
        plan::Knowledge knowledge = someKnowledge();
        knowledge.model->transformTimes.clear();
        QVERIFY(!plan::knowledgeFromText(plan::toText(knowledge)).has_value());
    }

    void theOldestProblemsMakeRoom() {
        plan::Knowledge knowledge;
        for (std::size_t i = 0; i < plan::kMostKnownProblems + 10; ++i) {
            knowledge.remember({std::to_string(i), {}});
        }
        QCOMPARE(knowledge.problems.size(), plan::kMostKnownProblems);
        QVERIFY(knowledge.find("9") == nullptr);
        QVERIFY(knowledge.find("10") != nullptr);
        knowledge.remember({"10", {{{"direct"}, 2}}}); // again: in place of the old, and the newest
        QCOMPARE(knowledge.problems.size(), plan::kMostKnownProblems);
        QCOMPARE(knowledge.problems.back().key, std::string("10"));
    }

    void aFitFindsTheFactorsAndNoNegativeOnes() {
        std::vector<plan::Observation<3>> exact;
        std::vector<plan::Observation<3>> against;
        for (int i = 1; i <= 6; ++i) {
            const double a = i;
            const double b = i * i;
            exact.push_back({{1, a, b}, 3 + 0.5 * a + 0.25 * b});
            against.push_back({{1, a, b}, 30 - 0.5 * a + 0.25 * b});
        }
        const auto found = plan::fitted(exact);
        QVERIFY(std::abs(found[0] - 3) < 1e-9 && std::abs(found[1] - 0.5) < 1e-9 &&
                std::abs(found[2] - 0.25) < 1e-9);
        for (const double factor : plan::fitted(against)) {
            QVERIFY(factor >= 0);
        }
    }

    void aPlanThatWasSearchedForIsKeptInWisdom() {
        QVERIFY(effortOf({}) == cpu::FftEffort::Estimate);
        QVERIFY(effortOf({cpu::FftEffort::Measure, {}}) == cpu::FftEffort::Measure);
        QVERIFY(effortOf({}) == cpu::FftEffort::Measure);
        const cpu::FftWisdom wisdom = cpu::exportWisdom();
        plan::useWisdom({{}, "", "(none)", {}});
        QVERIFY(effortOf({}) == cpu::FftEffort::Estimate);
        plan::useWisdom({{}, wisdom.single, wisdom.inDouble, {}});
        QVERIFY(effortOf({}) == cpu::FftEffort::Measure);
    }

    void aStoppedSearchStillGivesAPlan() {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(effortOf({cpu::FftEffort::Patient, stop.get_token()}) == cpu::FftEffort::Estimate);
    }

  private:
    /// The effort behind the plans of a box that FFTW is asked for.
    static cpu::FftEffort effortOf(const cpu::FftSearch& search) {
        const std::lock_guard lock(cpu::plannerLock());
        return cpu::BoxPlans<cpu::Single>({88, 13, 1}, search).effort();
    }
};

const flcc::test::TestClass<KnowledgeTest> kKnowledgeTest;
#include "knowledge_test.moc"
