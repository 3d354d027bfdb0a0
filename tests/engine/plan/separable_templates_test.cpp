#include <QtTest>

#include "engine/plan/planner.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

plan::PlanReport estimate(const method::Problem& problem) {
    base::TilePool pool(1);
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    return plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool).report;
}

} // namespace

/// What the planner makes of Problem::residual.
class SeparableTemplatesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theyAreKnownApart() {
        method::Problem problem;
        problem.scene = {64, 64, 1};
        problem.templ = {8, 8, 1};
        const auto key = [&](double residual) {
            problem.residual = residual;
            return plan::problemKey(problem, {}, "measure", "auto", "auto", {0, 0, 0});
        };
        QVERIFY(key(0) != key(0.3));
        QCOMPARE(key(0.3), key(0.5)); // templates of one kind share what is known
        QCOMPARE(key(0), key(1e-8));
        problem.residual = 1e-8;
        method::Problem other = problem;
        other.residual = 1e-9;
        QVERIFY(other == problem);
        other.residual = 0.3;
        QVERIFY(other != problem);
        problem.precision = method::Precision::Double;
        QVERIFY(key(0) != key(1e-8));
    }

    void onlyTheyAreGivenToTheMethod() {
        method::Problem problem;
        problem.scene = {2000, 2000, 1};
        problem.templ = {15, 15, 1};
        const plan::PlanReport other = estimate(problem);
        QVERIFY(other.chosen()->candidate.method != "separable");
        problem.residual = 1e-8;
        const plan::PlanReport product = estimate(problem);
        QCOMPARE(product.chosen()->candidate.method, std::string("separable"));
        // which says nothing about templates of other sizes
        QCOMPARE(product.critical.predicted, other.critical.predicted);
    }
};

const flcc::test::TestClass<SeparableTemplatesTest> kSeparableTemplatesTest;
#include "separable_templates_test.moc"
