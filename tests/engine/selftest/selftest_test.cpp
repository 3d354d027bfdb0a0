#include <QtTest>

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/selftest/self_test.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

/// A method of the table, whose last score in every map is off by what no bound allows.
class Spoilt final : public method::Method {
  public:
    explicit Spoilt(const method::Method& sound) : m_sound(sound) {}

    [[nodiscard]] std::string_view name() const override { return m_sound.name(); }
    [[nodiscard]] method::Traits traits() const override { return m_sound.traits(); }
    [[nodiscard]] std::string_view device() const override { return m_sound.device(); }
    [[nodiscard]] std::vector<method::Candidate>
    candidates(const method::Problem& problem, const method::Limits& limits,
               const base::Extents& tile) const override {
        return m_sound.candidates(problem, limits, tile);
    }
    [[nodiscard]] method::Verdict
    predict(const method::Problem& problem, const method::Candidate& candidate,
            const method::Limits& limits, const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        return m_sound.predict(problem, candidate, limits, model, statistics);
    }
    void warmUp(const method::Problem& problem, const method::Candidate& candidate) const override {
        m_sound.warmUp(problem, candidate);
    }
    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const method::Problem& problem, const method::Candidate& candidate,
            const method::MaskedView& templ, base::TilePool& pool) const override {
        return m_sound.prepare(problem, candidate, templ, pool);
    }
    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const method::Problem& problem,
                  const method::Candidate& candidate) const override {
        return m_sound.makeWorkspace(problem, candidate);
    }
    method::Outcome execute(const method::Problem& problem, const method::Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        method::Outcome outcome =
            m_sound.execute(problem, candidate, prepared, scene, workspace, execution, map);
        const base::Extents n = map.value.extents();
        float& last = map.value.at(n.x - 1, n.y - 1, n.z - 1);
        last += last > 0 ? -2e-4F : 2e-4F;
        return outcome;
    }

  private:
    const method::Method& m_sound;
};

} // namespace

class SelfTestTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Every case with every method; instruction sets take turns, as all of them together are what
    /// the test of the program runs.
    void everyCasePasses_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("instructions");
        const std::vector<std::string> sets = plan::instructionSets();
        std::size_t turn = 0;
        const std::set<std::string> ofNumbers{"one-count",     "contrast",   "powers-of-two",
                                              "wide-integers", "non-finite", "gain-and-level",
                                              "range",         "stripes",    "pixel-types"};
        test::Thinned some(5);
        for (const selftest::CaseName& one : selftest::caseNames()) {
            if (test::kSanitized && ofNumbers.contains(one.name)) {
                continue; // the others make the same reads and writes
            }
            if (!some.next()) {
                continue; // which the tests of rooms cpu and cuda judge alike
            }
            const std::string& set = sets[turn++ % sets.size()];
            QTest::newRow((one.name + " " + set).c_str())
                << QString::fromStdString(one.name) << QString::fromStdString(set);
        }
    }

    void everyCasePasses() {
        QFETCH(QString, name);
        QFETCH(QString, instructions);
        selftest::Options options;
        options.cases = {name.toStdString()};
        options.instructionSets = {instructions.toStdString()};
        options.threads = 2;
        options.methods = plan::methodsOn("cpu");
        const selftest::Report report = selftest::runSelfTest(options);
        QVERIFY2(report.passed(), selftest::toText(report).c_str());
        std::set<std::string> methods;
        std::set<method::Precision> precisions;
        for (const selftest::Row& row : report.rows) {
            QCOMPARE(row.instructionSet, instructions.toStdString());
            methods.insert(row.method);
            precisions.insert(row.precision);
            QVERIFY(row.runs > 0);
            QVERIFY(row.overBound <= 1);
        }
        // Tiles smaller than the scene, masks and borders are for direct and tiled alone.
        const bool all = name != "seams" && !name.contains("masks") && !name.contains("borders");
        const bool product = methods.erase("separable") > 0;
        QVERIFY(product || name != "products");
        QCOMPARE(methods.size(), all ? plan::methodsOn("cpu").size() - 1 : std::size_t{2});
        QCOMPARE(precisions.size(), std::size_t{2});
    }

    void everyInstructionSetRunsUnlessOneIsAskedFor() {
        selftest::Options options;
        options.cases = {"copies"};
        options.threads = 1;
        options.methods = plan::methodsOn("cpu");
        std::map<std::string, int> runs;
        for (const selftest::Row& row : selftest::runSelfTest(options).rows) {
            QCOMPARE(row.device, std::string("cpu"));
            runs[row.instructionSet] += row.runs;
        }
        QCOMPARE(runs.size(), plan::instructionSets().size());
        for (const auto& [set, count] : runs) {
            QCOMPARE(count, runs.begin()->second);
        }
    }

    void oneWrongScoreIsFoundInEveryMethodAndSet() {
        std::vector<Spoilt> spoilt;
        for (const method::Method* sound : plan::methodsOn("cpu")) {
            spoilt.emplace_back(*sound);
        }
        selftest::Options options;
        options.cases = {"sizes"};
        options.threads = 1;
        options.methods.clear();
        for (const Spoilt& method : spoilt) {
            options.methods.push_back(&method);
        }
        const selftest::Report report = selftest::runSelfTest(options);
        QVERIFY(!report.passed());
        for (const selftest::Row& row : report.rows) {
            QVERIFY2(!row.fault.empty(), row.method.c_str());
        }
        QVERIFY(selftest::toText(report).find("FAILED sizes") != std::string::npos);
        const auto json = nlohmann::json::parse(selftest::toJson(report));
        QCOMPARE(json.at("verdict").get<std::string>(), std::string("failed"));
        QCOMPARE(json.at("rows").size(), report.rows.size());
        QCOMPARE(json.at("rows").at(0).at("verdict").get<std::string>(), std::string("failed"));
    }

    void aStopEndsItAndIsNoSuccess() {
        std::stop_source stop;
        selftest::Options options;
        options.instructionSets = {plan::instructionSets().front()};
        options.threads = 1;
        std::string last;
        const selftest::Report report = selftest::runSelfTest(
            options, stop.get_token(), [&](std::string_view name, double share) {
                last = name;
                QVERIFY(share >= 0 && share <= 1);
                if (name == selftest::caseNames().at(1).name) {
                    stop.request_stop();
                }
            });
        QVERIFY(report.cancelled);
        QVERIFY(!report.passed());
        QCOMPARE(last, selftest::caseNames().at(1).name);
        for (const selftest::Row& row : report.rows) {
            QCOMPARE(row.name, selftest::caseNames().at(0).name);
        }
    }

    void theInstructionSetsAreAllThereAfterwards() {
        const std::vector<std::string> before = plan::instructionSets();
        selftest::Options options;
        options.cases = {"anchor"};
        options.instructionSets = {before.back()};
        QVERIFY(selftest::runSelfTest(options).passed());
        QCOMPARE(plan::instructionSets(), before);
    }

    void anUnknownCaseOrSetIsRefused() {
        selftest::Options options;
        options.cases = {"no such"};
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)selftest::runSelfTest(options));
        options.cases = {"anchor"};
        options.instructionSets = {"no such"};
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)selftest::runSelfTest(options));
    }
};

const flcc::test::TestClass<SelfTestTest> kSelfTestTest;
#include "selftest_test.moc"
