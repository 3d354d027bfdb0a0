#include <QtTest>

#include <algorithm>

#include "engine/plan/planner.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

plan::Planned estimate(const std::string& method, std::int64_t memory) {
    method::Problem problem;
    problem.scene = {3000, 3000, 1};
    problem.templ = {2200, 2200, 1};
    base::TilePool pool(1);
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    request.method = method;
    request.device = "cpu";
    request.limits = {.threads = 2, .memoryBytes = memory};
    return plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool);
}

} // namespace

/// When the planner lets a method in that decimates a whole transform.
class PartsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aMemoryLimitThatExcludesWholeTransformsLetsThemIn() {
        constexpr std::int64_t kMuch = std::int64_t{1} << 40;
        const auto bytesOf = [](const char* method) {
            return estimate(method, kMuch).report.chosen()->prediction->hostBytes;
        };
        // The best tile holds the whole scene, too.
        const std::int64_t whole = std::min(bytesOf("fourier"), bytesOf("tiled"));
        QVERIFY(estimate("fourier", whole - 1).plan == nullptr);
        for (const std::int64_t memory : {kMuch, whole - 1}) {
            const plan::Planned planned = estimate("auto", memory);
            const auto parts =
                std::count_if(planned.report.candidates.begin(), planned.report.candidates.end(),
                              [](const auto& row) {
                                  return row.candidate.parts > 0 && row.prediction.has_value();
                              });
            QCOMPARE(parts > 4, memory < whole);
            QCOMPARE(planned.report.chosen()->candidate.method == "dif", memory < whole);
        }
    }

    void theyCanBeChosenByName() {
        const plan::Planned planned = estimate("dif", std::int64_t{1} << 40);
        QCOMPARE(planned.report.chosen()->candidate.parts, 2);
    }
};

const flcc::test::TestClass<PartsTest> kPartsTest;
#include "parts_test.moc"
