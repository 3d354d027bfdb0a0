#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "engine/base/error.h"
#include "engine/plan/planner.h"

using namespace flcc;

namespace {

method::Problem problemOf(const base::Extents& scene, const base::Extents& templ) {
    method::Problem problem;
    problem.scene = scene;
    problem.templ = templ;
    return problem;
}

/// A texture without repeats, and the template cut from it.
struct Pixels {
    base::Image<float> scene;
    base::AnyView sceneView;
    base::AnyImage templ;
    base::AnyView templView;

    Pixels(const base::Extents& extents, const base::Extents& m)
        : scene(extents), sceneView(scene.view()) {
        std::uint32_t state = 1;
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            state = state * 1664525U + 1013904223U;
            scene.data()[i] = static_cast<float>(state >> 8U) * 0x1p-24F;
        }
        templ = base::copyOf(base::partOf(
            sceneView, {{(extents.x - m.x) / 2, (extents.y - m.y) / 2, (extents.z - m.z) / 2}, m}));
        templView = base::viewOf(templ);
    }
};

plan::Planned estimate(const method::Problem& problem, const plan::Request& request,
                       const method::CostModel& model = {}) {
    base::TilePool pool(1);
    plan::Request asked = request;
    asked.planning = plan::Planning::Estimate;
    return plan::makePlan(problem, asked, nullptr, nullptr, nullptr, pool, {}, model);
}

std::string chosenMethod(const plan::Planned& planned) {
    return planned.plan ? planned.plan->candidate().method : "none";
}

/// The error code a plan ends with; 0 when it does not.
int errorCode(const method::Problem& problem, const plan::Request& request) {
    try {
        (void)estimate(problem, request);
    } catch (const base::Error& error) {
        return static_cast<int>(error.code());
    }
    return 0;
}

} // namespace

class PlanTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void smallTemplatesAreDirectAndLargeOnesTiled() {
        QCOMPARE(chosenMethod(estimate(problemOf({2000, 2000, 1}, {4, 4, 1}), {})), "direct");
        QCOMPARE(chosenMethod(estimate(problemOf({2000, 2000, 1}, {128, 128, 1}), {})), "tiled");
        QCOMPARE(chosenMethod(estimate(problemOf({192, 192, 192}, {3, 3, 3}), {})), "direct");
        QCOMPARE(chosenMethod(estimate(problemOf({192, 192, 192}, {32, 32, 32}), {})), "tiled");
    }

    void theChoiceFollowsThePredictions() {
        // The largest template that the built-in model gives to direct ...
        std::int64_t last = 0;
        for (std::int64_t m = 2; m <= 64; ++m) {
            if (chosenMethod(estimate(problemOf({2000, 2000, 1}, {m, m, 1}), {})) == "direct") {
                last = m;
            }
        }
        QVERIFY(last >= 4 && last < 64);
        // ... goes to tiled when multiply-adds cost twice, and a larger one to direct when
        // transforms do.
        method::CostModel slowSums;
        slowSums.multiplyAddsPerNs /= 2;
        const auto here = problemOf({2000, 2000, 1}, {last, last, 1});
        QCOMPARE(chosenMethod(estimate(here, {}, slowSums)), "tiled");
        method::CostModel slowTransforms;
        slowTransforms.transformFactor *= 2;
        const auto beyond = problemOf({2000, 2000, 1}, {last + 1, last + 1, 1});
        QCOMPARE(chosenMethod(estimate(beyond, {})), "tiled");
        QCOMPARE(chosenMethod(estimate(beyond, {}, slowTransforms)), "direct");
    }

    void theReportListsEveryCandidateWithAReason() {
        const auto problem = problemOf({512, 384, 1}, {15, 9, 1});
        const plan::Planned planned = estimate(problem, {});
        std::size_t expected = 0;
        method::Limits limits;
        for (const method::Method* method : plan::methods()) {
            expected += method->candidates(problem, limits, {0, 0, 0}).size();
        }
        QCOMPARE(planned.report.candidates.size(), expected);
        QVERIFY(planned.report.candidates.front().verdict == plan::CandidateVerdict::Chosen);
        double before = 0;
        for (const plan::CandidateReport& row : planned.report.candidates) {
            QVERIFY(!row.reason.empty());
            QVERIFY(row.prediction.has_value());
            QVERIFY(row.prediction->ms >= before);
            QVERIFY(row.prediction->operations > 0);
            before = row.prediction->ms;
            // Map and status are part of every candidate's memory.
            QVERIFY(row.prediction->hostBytes >= 5 * 498 * 376);
        }
    }

    void aCandidateThatDoesNotFitIsRefusedWithTheNumbers() {
        const auto problem = problemOf({512, 512, 1}, {32, 32, 1});
        plan::Request request;
        request.limits.threads = 2;
        const plan::Planned roomy = estimate(problem, request);
        std::int64_t largest = 0;
        for (const plan::CandidateReport& row : roomy.report.candidates) {
            largest = std::max(largest, row.prediction->hostBytes);
        }
        request.limits.memoryBytes = largest - 1;
        const plan::Planned tight = estimate(problem, request);
        QVERIFY(tight.plan != nullptr);
        const plan::CandidateReport& row = tight.report.candidates.back();
        QVERIFY(row.verdict == plan::CandidateVerdict::Refused);
        QVERIFY(row.reason.find("MiB") != std::string::npos);
        QVERIFY(!row.prediction.has_value());
    }

    void thatNothingFitsIsAResult() {
        plan::Request request;
        request.limits.memoryBytes = 1000;
        const plan::Planned planned = estimate(problemOf({512, 512, 1}, {32, 32, 1}), request);
        QVERIFY(planned.plan == nullptr);
        QVERIFY(!planned.cancelled);
        QVERIFY(!planned.report.candidates.empty());
        for (const plan::CandidateReport& row : planned.report.candidates) {
            QVERIFY(row.verdict == plan::CandidateVerdict::Refused);
        }
    }

    void aForcedMethodAndTileAreKept() {
        plan::Request request;
        request.method = "tiled";
        request.tile = {80, 48, 1};
        const plan::Planned planned = estimate(problemOf({300, 200, 1}, {9, 9, 1}), request);
        QCOMPARE(planned.report.candidates.size(), std::size_t{1});
        QVERIFY(planned.plan->candidate().tile == (base::Extents{80, 48, 1}));
        request.tile = {8, 48, 1};
        const plan::Planned small = estimate(problemOf({300, 200, 1}, {9, 9, 1}), request);
        QVERIFY(small.plan == nullptr);
        QVERIFY(small.report.candidates.front().reason.find("smaller than template") !=
                std::string::npos);
    }

    void impossibleRequestsAreErrorsWithTheirCodes() {
        const auto problem = problemOf({64, 64, 1}, {8, 8, 1});
        plan::Request request;
        request.method = "magic";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::CommandLine));
        request.method = "auto";
        request.device = "cuda";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::Device));
        request.device = "cuda:3";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::Device));
        request.device = "abacus";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::Device));
        request.device = "cpu";
        QCOMPARE(errorCode(problem, request), 0);
        QCOMPARE(errorCode(problemOf({8, 8, 1}, {9, 8, 1}), request),
                 static_cast<int>(base::ErrorCode::Problem));
    }

    void measuringTimesTheBestOfEachMethod() {
        const base::Extents m{11, 11, 1};
        const Pixels pixels({200, 160, 1}, m);
        base::TilePool pool(2);
        plan::Request request;
        request.limits.threads = 2;
        const plan::Planned planned =
            plan::makePlan(problemOf(pixels.scene.extents(), m), request, &pixels.sceneView,
                           &pixels.templView, nullptr, pool);
        QVERIFY(planned.plan != nullptr);
        QVERIFY(planned.report.chosen()->measuredMs.has_value());
        std::set<std::string> timed;
        double best = INFINITY;
        for (const plan::CandidateReport& row : planned.report.candidates) {
            if (row.measuredMs) {
                timed.insert(row.candidate.method);
                best = std::min(best, *row.measuredMs);
            }
        }
        QCOMPARE(timed.size(), std::size_t{2});
        QCOMPARE(*planned.report.chosen()->measuredMs, best);
        QVERIFY(planned.report.planningMs > 0);
    }

    void aStoppedPlanningHasNoPlan() {
        const base::Extents m{11, 11, 1};
        const Pixels pixels({200, 160, 1}, m);
        base::TilePool pool(2);
        std::stop_source stop;
        stop.request_stop();
        const plan::Planned planned =
            plan::makePlan(problemOf(pixels.scene.extents(), m), {}, &pixels.sceneView,
                           &pixels.templView, nullptr, pool, stop.get_token());
        QVERIFY(planned.cancelled);
        QVERIFY(planned.plan == nullptr);
    }

    void aReplayedCandidateIsTheOnlyOne() {
        const auto problem = problemOf({300, 200, 1}, {9, 9, 1});
        const plan::Planned first = estimate(problem, {});
        plan::Request request;
        request.replay = first.report.candidates.back().candidate;
        const plan::Planned again = estimate(problem, request);
        QCOMPARE(again.report.candidates.size(), std::size_t{1});
        QVERIFY(again.plan->candidate() == *request.replay);
        request.replay->method = "abacus";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::Problem));
    }

    void aConstantTemplateIsRefusedBeforeAnythingIsTimed() {
        const Pixels pixels({64, 64, 1}, {8, 8, 1});
        const base::Image<float> constant({8, 8, 1}, 3.0F);
        const base::AnyView templ = constant.view();
        base::TilePool pool(1);
        QVERIFY_EXCEPTION_THROWN((void)plan::makePlan(problemOf({64, 64, 1}, {8, 8, 1}), {},
                                                      &pixels.sceneView, &templ, nullptr, pool),
                                 base::Error);
    }

    void tilesCoverThinScenesToo() {
        for (const base::Extents& scene : {base::Extents{100000, 1, 1}, base::Extents{1, 100000, 1},
                                           base::Extents{1, 1, 100000}}) {
            const base::Extents m{std::min<std::int64_t>(scene.x, 7),
                                  std::min<std::int64_t>(scene.y, 7),
                                  std::min<std::int64_t>(scene.z, 7)};
            const plan::Planned planned = estimate(problemOf(scene, m), {});
            QVERIFY(planned.plan != nullptr);
            QVERIFY(planned.report.chosen()->prediction->ms < 1000);
        }
    }

    void devicesNameTheProcessorAndSayWhyThereIsNoGpu() {
        const auto devices = plan::devices();
        QVERIFY(devices.size() >= 2);
        QVERIFY(devices.front().usable && devices.front().threads >= 1);
        QVERIFY(devices.front().memoryTotal > 0 && !devices.front().instructions.empty());
        for (const plan::Device& device : devices) {
            QCOMPARE(device.usable, device.reason.empty());
        }
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
