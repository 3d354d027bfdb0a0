#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/base/error.h"
#include "engine/cpu/methods/methods.h"
#include "engine/plan/detail/sampling.h"
#include "engine/plan/planner.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

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
    method::MaskedView sceneView;
    base::AnyImage templ;
    method::MaskedView templView;

    Pixels(const base::Extents& extents, const base::Extents& m)
        : scene(extents), sceneView(scene.view()) {
        std::uint32_t state = 1;
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            state = state * 1664525U + 1013904223U;
            scene.data()[i] = static_cast<float>(state >> 8U) * 0x1p-24F;
        }
        templ = base::copyOf(base::partOf(
            sceneView.pixels,
            {{(extents.x - m.x) / 2, (extents.y - m.y) / 2, (extents.z - m.z) / 2}, m}));
        templView = base::viewOf(templ);
    }
};

plan::Request onProcessor() {
    plan::Request request;
    request.device = "cpu";
    return request;
}

plan::Planned estimate(const method::Problem& problem, const plan::Request& request,
                       const method::CostModel& model = {}) {
    base::TilePool pool(1);
    plan::Request asked = request;
    asked.planning = plan::Planning::Estimate;
    return plan::makePlan(problem, asked, nullptr, nullptr, nullptr, pool, {}, model);
}

/// The candidates that are not refused; the refused ones come last.
std::vector<plan::CandidateReport> usable(const plan::PlanReport& report) {
    std::vector<plan::CandidateReport> rows = report.candidates;
    std::erase_if(rows, [](const plan::CandidateReport& row) {
        return row.verdict == plan::CandidateVerdict::Refused;
    });
    return rows;
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
    void aMethodIsDescribedAlikeOnEveryDevice() {
        for (const method::Method* method : plan::methods()) {
            const std::string device(method->device());
            const method::Traits own = method->traits();
            const method::Traits found =
                plan::traitsOf({.method = std::string(method->name()), .device = "cuda:9"});
            QVERIFY(!own.title.empty());
            QVERIFY(found.title == own.title && found.byDefinition == own.byDefinition &&
                    found.wholeScene == own.wholeScene && found.cutsTemplate == own.cutsTemplate);
            const method::Candidate candidate{std::string(method->name()), device};
            QCOMPARE(plan::methodOf(candidate), method);
            QCOMPARE(candidate.onProcessor(), method->onDevice() == nullptr);
        }
        QCOMPARE(plan::methodOf({.method = "direct", .device = "cuda:9"}), nullptr);
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)plan::traitsOf({.method = "none"}));
    }

    void smallTemplatesAreDirectAndLargeOnesTiled() {
        QCOMPARE(chosenMethod(estimate(problemOf({2000, 2000, 1}, {4, 4, 1}), {})), "direct");
        QCOMPARE(chosenMethod(estimate(problemOf({2000, 2000, 1}, {128, 128, 1}), {})), "tiled");
        QCOMPARE(chosenMethod(estimate(problemOf({192, 192, 192}, {3, 3, 3}), {})), "direct");
        QVERIFY(chosenMethod(estimate(problemOf({192, 192, 192}, {32, 32, 32}), {})) != "direct");
        // Templates that leave tiles little output go to the whole scene, or to one tile as large.
        QVERIFY(chosenMethod(estimate(problemOf({2000, 2000, 1}, {1500, 1500, 1}), {})) !=
                "direct");
        QCOMPARE(chosenMethod(estimate(problemOf({200, 200, 200}, {100, 100, 100}), {})),
                 "fourier");
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
        auto problem = problemOf({512, 384, 1}, {15, 9, 1});
        problem.residual = 0; // or `separable` refuses
        const plan::Planned planned = estimate(problem, onProcessor());
        std::size_t expected = 0;
        method::Limits limits;
        for (const method::Method* method : plan::methods()) {
            if (method->device() != "cpu") {
                continue;
            }
            const std::size_t all = method->candidates(problem, limits, {0, 0, 0}).size();
            expected += method->traits().savesMemory ? 1 : all; // which says that all is well
        }
        QCOMPARE(planned.report.candidates.size(), expected);
        QVERIFY(planned.report.candidates.front().verdict == plan::CandidateVerdict::Chosen);
        double before = 0;
        for (const plan::CandidateReport& row : planned.report.candidates) {
            QVERIFY(!row.reason.empty());
            if (row.candidate.parts > 0) {
                QVERIFY(row.verdict == plan::CandidateVerdict::Refused);
                continue;
            }
            QVERIFY(row.prediction.has_value());
            QVERIFY(row.prediction->ms >= before);
            QVERIFY(row.prediction->operations > 0);
            before = row.prediction->ms;
            // Map and status are part of every candidate's memory.
            QVERIFY(row.prediction->hostBytes >= 5 * 498 * 376);
        }
    }

    // A machine without a GPU still says why none of it can be had.
    void aDeviceThatCannotBeUsedIsARefusedRow() {
        const auto problem = problemOf({512, 384, 1}, {15, 9, 1});
        for (const plan::Device& device : plan::devices(plan::DeviceDetail::Names)) {
            const plan::Planned planned = estimate(problem, {});
            const auto row =
                std::find_if(planned.report.candidates.begin(), planned.report.candidates.end(),
                             [&](const auto& one) { return one.candidate.device == device.id; });
            QVERIFY(row != planned.report.candidates.end());
            QCOMPARE(row->verdict == plan::CandidateVerdict::Refused, !device.usable);
            if (!device.usable) {
                QCOMPARE(row->reason, device.reason);
                QCOMPARE(row->candidate.method, std::string("direct"));
            }
        }
        for (const auto& row : estimate(problem, onProcessor()).report.candidates) {
            QCOMPARE(row.candidate.device, std::string("cpu"));
        }
        plan::Request blocks;
        blocks.method = "tiled-template"; // which no GPU has
        for (const auto& row : estimate(problem, blocks).report.candidates) {
            QCOMPARE(row.candidate.device, std::string("cpu"));
        }
    }

    void aCandidateThatDoesNotFitIsRefusedWithTheNumbers() {
        auto problem = problemOf({512, 512, 1}, {32, 32, 1});
        problem.residual = 0; // or `separable` refuses for that
        plan::Request request = onProcessor();
        request.limits.threads = 2;
        const plan::Planned roomy = estimate(problem, request);
        std::int64_t largest = 0;
        for (const plan::CandidateReport& row : roomy.report.candidates) {
            largest = std::max(largest, row.prediction ? row.prediction->hostBytes : 0);
        }
        request.limits.memoryBytes = largest - 1;
        const plan::Planned tight = estimate(problem, request);
        QVERIFY(tight.plan != nullptr);
        const auto row = std::find_if(
            tight.report.candidates.begin(), tight.report.candidates.end(), [](const auto& one) {
                return one.verdict == plan::CandidateVerdict::Refused && one.candidate.parts == 0;
            });
        QVERIFY(row != tight.report.candidates.end());
        QVERIFY(row->reason.find("MiB") != std::string::npos);
        QVERIFY(!row->prediction.has_value());
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

    void furtherTemplatesCostLessWhereTheScenesPartIsShared() {
        for (const base::Extents& scene :
             {base::Extents{2000, 2000, 1}, base::Extents{128, 128, 128}}) {
            const bool volume = scene.z > 1;
            method::Problem problem = problemOf(scene, {16, 16, volume ? 16 : 1});
            const auto predicted = [&](int templates, const std::string& method) {
                problem.templates = templates;
                plan::Request request;
                request.method = method;
                return *estimate(problem, request).report.chosen()->prediction;
            };
            for (const std::string method : {"direct", "tiled", "fourier"}) {
                const double one = predicted(1, method).ms;
                const double further = (predicted(9, method).ms - predicted(8, method).ms) / one;
                QVERIFY2(further > 0.2 && further < (method == "tiled"    ? 0.75
                                                     : method == "direct" ? 0.99
                                                                          : 1.01),
                         (method + " " + std::to_string(further)).c_str());
                QVERIFY(predicted(8, method).operations > predicted(7, method).operations);
                // The index of a bank's map, and what is prepared of each template.
                QVERIFY(predicted(2, method).hostBytes >=
                        predicted(1, method).hostBytes +
                            4 * base::voxelCount(method::mapExtents(problem)));
                QVERIFY(predicted(3, method).hostBytes >
                        predicted(2, method).hostBytes + 8 * 16 * 16);
            }
        }
    }

    void spectraThatDoNotFitTheMemoryAreRefused() {
        method::Problem problem = problemOf({1000, 1000, 1}, {12, 12, 1});
        problem.templates = 20000;
        plan::Request request;
        request.limits.memoryBytes = std::int64_t{256} << 20;
        const plan::Planned planned = estimate(problem, request);
        QCOMPARE(chosenMethod(planned), "direct");
        std::size_t refused = 0;
        for (const plan::CandidateReport& row : planned.report.candidates) {
            refused += row.verdict == plan::CandidateVerdict::Refused ? 1 : 0;
        }
        QVERIFY(refused > 3);
    }

    void aBankIsMeasuredByOneOfItsTemplates() {
        if (test::kSanitized) {
            QSKIP("times under a sanitizer say nothing");
        }
        method::Problem problem = problemOf({300, 280, 1}, {12, 12, 1});
        problem.templates = 6;
        const Pixels pixels(problem.scene, problem.templ);
        base::TilePool pool(1);
        for (const plan::Planning planning :
             {plan::Planning::Measure, plan::Planning::Exhaustive}) {
            plan::Request request;
            request.planning = planning;
            const auto measured = [&](int templates, const std::string& method) {
                problem.templates = templates;
                request.method = method;
                double least = 1e9;
                for (int turn = 0; turn < 3; ++turn) {
                    const plan::Planned planned = plan::makePlan(
                        problem, request, &pixels.sceneView, &pixels.templView, nullptr, pool);
                    for (const plan::CandidateReport& row : planned.report.candidates) {
                        least = std::min(least, row.measuredMs.value_or(1e9));
                    }
                }
                return least;
            };
            // Of a machine that does other things, too: far from one template and from no sharing.
            const double ratio = measured(24, "tiled") / measured(1, "tiled");
            QVERIFY2(ratio > 4 && ratio < 48, std::to_string(ratio).c_str());
        }
    }

    void aProblemWithoutTemplatesIsAnError() {
        method::Problem problem = problemOf({64, 64, 1}, {8, 8, 1});
        problem.templates = 0;
        QCOMPARE(errorCode(problem, {}), static_cast<int>(base::ErrorCode::Problem));
    }

    void banksAreKnownApart() {
        method::Problem problem = problemOf({64, 64, 1}, {8, 8, 1});
        const auto key = [&](int templates) {
            problem.templates = templates;
            return plan::problemKey(problem, {}, "measure", "auto", "auto", {0, 0, 0});
        };
        QVERIFY(key(1) != key(2));
        QVERIFY(key(2) != key(3));
    }

    void aForcedMethodAndTileAreKept() {
        plan::Request request = onProcessor();
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
        QVERIFY(planned.plan && planned.report.chosen()->measuredMs);
        std::set<std::string> timed;
        double best = INFINITY;
        for (const plan::CandidateReport& row : planned.report.candidates) {
            if (row.measuredMs) {
                timed.insert(row.candidate.method);
                best = std::min(best, *row.measuredMs);
            }
        }
        QVERIFY(timed.contains("direct") && timed.contains("tiled"));
        QVERIFY(*planned.report.chosen()->measuredMs <= plan::kSeparates * best);
        QVERIFY(planned.report.planningMs > 0);
    }

    void exhaustivePlanningTimesEveryCandidateOnTheWhole() {
        const base::Extents m{11, 11, 1};
        const Pixels pixels({200, 160, 1}, m);
        base::TilePool pool(2);
        plan::Request request = onProcessor();
        request.planning = plan::Planning::Exhaustive;
        request.limits.threads = 2;
        const plan::Planned planned =
            plan::makePlan(problemOf(pixels.scene.extents(), m), request, &pixels.sceneView,
                           &pixels.templView, nullptr, pool);
        QVERIFY(planned.plan != nullptr);
        for (const plan::CandidateReport& row : planned.report.candidates) {
            const bool refused = row.candidate.method == "separable" || row.candidate.parts > 0;
            QCOMPARE(row.verdict == plan::CandidateVerdict::Refused, refused);
        }
        double before = 0;
        for (const plan::CandidateReport& row : usable(planned.report)) {
            QVERIFY(row.measuredMs.has_value());
            QVERIFY(*row.measuredMs >= before);
            before = *row.measuredMs;
        }
        QVERIFY(planned.report.chosen()->reason.find("whole problem") != std::string::npos);
        QCOMPARE(planned.learnt->timings.size(), usable(planned.report).size());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(plan::makePlan(problemOf(pixels.scene.extents(), m), request, &pixels.sceneView,
                               &pixels.templView, nullptr, pool, stop.get_token())
                    .cancelled);
    }

    void keptTimesTakeThePlaceOfMeasurements() {
        const base::Extents m{11, 11, 1};
        const Pixels pixels({200, 160, 1}, m);
        const auto problem = problemOf(pixels.scene.extents(), m);
        base::TilePool pool(2);
        plan::Request request = onProcessor();
        request.limits.threads = 2;
        const auto planned = [&](const plan::Knowledge* knowledge) {
            request.knowledge = knowledge;
            return plan::makePlan(problem, request, &pixels.sceneView, &pixels.templView, nullptr,
                                  pool);
        };
        const plan::Planned first = planned(nullptr);
        QVERIFY(!first.report.known && first.learnt.has_value());
        // Times that no machine has: the candidate that came last is said to be the fastest.
        plan::Knowledge knowledge;
        plan::KnownProblem problemOfOld = *first.learnt;
        const method::Candidate last = usable(first.report).back().candidate;
        problemOfOld.timings = {{last, 0.125}, {first.report.candidates.front().candidate, 0.25}};
        knowledge.remember(problemOfOld);
        const plan::Planned again = planned(&knowledge);
        QVERIFY(again.report.known && !again.learnt.has_value());
        QVERIFY(again.plan->candidate() == last);
        QCOMPARE(*again.report.chosen()->measuredMs, 0.125);
        // Of another way of planning nothing is known.
        request.planning = plan::Planning::Exhaustive;
        QVERIFY(!planned(&knowledge).report.known);
        request.planning = plan::Planning::Estimate;
        QVERIFY(!planned(&knowledge).report.known);
    }

    void aCalibratedModelIsUsedAndNamed() {
        plan::Knowledge knowledge;
        knowledge.model = method::CostModel{};
        knowledge.model->calibrated = true;
        knowledge.model->multiplyAddsPerNs = 1e6;
        knowledge.model->flushVoxelNs = 0;
        plan::Request request;
        request.knowledge = &knowledge;
        const auto problem = problemOf({2000, 2000, 1}, {64, 64, 1});
        QVERIFY(!estimate(problem, {}).report.calibrated);
        QCOMPARE(chosenMethod(estimate(problem, {})), "tiled");
        QVERIFY(estimate(problem, request).report.calibrated);
        QCOMPARE(chosenMethod(estimate(problem, request)), "direct");
    }

    void aMeasuredShapeReplacesTheGuess() {
        const auto problem = problemOf({2000, 2000, 1}, {64, 64, 1});
        method::CostModel model;
        plan::Request request = onProcessor();
        request.method = "tiled";
        model.shapeTimes = {{{1024, 64, 1}, 1, 1}}; // a tile in no time
        const plan::Planned planned = estimate(problem, request, model);
        QVERIFY(planned.report.candidates.size() > 2);
        model.shapeTimes[0].points = usable(planned.report).back().candidate.tile;
        QVERIFY(estimate(problem, request, model).plan->candidate().tile ==
                model.shapeTimes[0].points);
    }

    void theCriticalSizeIsWherePredictionsCross() {
        for (const base::Extents& scene :
             {base::Extents{1000, 800, 1}, base::Extents{96, 96, 96}}) {
            const bool volume = scene.z > 1;
            const auto chosenAt = [&](std::int64_t side) {
                return chosenMethod(
                    estimate(problemOf(scene, {side, side, volume ? side : 1}), {}));
            };
            const plan::Planned planned = estimate(problemOf(scene, {9, 9, volume ? 9 : 1}), {});
            const std::int64_t side = planned.report.critical.predicted.value_or(0);
            QVERIFY(side > 2);
            QCOMPARE(chosenAt(side - 1), "direct");
            QVERIFY(chosenAt(side) != "direct");
            QVERIFY(!planned.report.critical.measured.has_value());
        }
    }

    void theMeasuredCriticalSizeFollowsTheTimes() {
        const base::Extents m{11, 11, 1};
        const auto problem = problemOf({600, 500, 1}, m);
        const Pixels pixels(problem.scene, m);
        base::TilePool pool(1);
        plan::Request request;
        plan::Knowledge knowledge;
        request.knowledge = &knowledge;
        const plan::Planned guess = estimate(problem, {});
        const auto measured = [&](double slowness) {
            plan::KnownProblem known{
                plan::problemKey(problem, {}, "measure", "auto", "auto", {0, 0, 0}, nullptr), {}};
            for (const plan::CandidateReport& row : guess.report.candidates) {
                const bool direct = row.candidate.method == "direct";
                known.timings.push_back(
                    {row.candidate, row.prediction->ms * (direct ? slowness : 1)});
            }
            knowledge.problems = {known};
            return plan::makePlan(problem, request, &pixels.sceneView, &pixels.templView, nullptr,
                                  pool)
                .report.critical;
        };
        QCOMPARE(measured(1).measured.value(), measured(1).predicted.value());
        QVERIFY(measured(3).measured.value() < measured(1).predicted.value());
        QVERIFY(measured(0.3).measured.value() > measured(1).predicted.value());
    }

    // Five parts do not fit a grid, nor do seven: four of five threads are better than none.
    void mapsOfFewTilesAreCutForAnyNumberOfThreads() {
        const auto tiles = [](int threads) {
            std::vector<base::Extents> found;
            for (const auto& candidate : cpu::tiledMethod().candidates(
                     problemOf({600, 600, 1}, {300, 300, 1}), {threads}, {0, 0, 0})) {
                found.push_back(candidate.tile);
            }
            return found;
        };
        QVERIFY(tiles(5) == tiles(4));
        QVERIFY(tiles(7) == tiles(6));
        QVERIFY(tiles(16) == tiles(8));
        QVERIFY(tiles(4) != tiles(6));
    }

    void fourierCandidatesSayWhatTheirPaddingWastes() {
        plan::Request request;
        request.method = "tiled";
        request.tile = {64, 64, 1};
        // Two tiles of 64 points side by side, 49 placements each: nothing but halo is wasted.
        const plan::Planned fits = estimate(problemOf({113, 64, 1}, {16, 16, 1}), request);
        QCOMPARE(fits.report.chosen()->prediction->paddingWaste, 1 - 49.0 * 49.0 / (64.0 * 64.0));
        QCOMPARE(fits.report.chosen()->prediction->tilesInFlight, std::int64_t{1});
        // One column more needs a third tile.
        const plan::Planned spills = estimate(problemOf({114, 64, 1}, {16, 16, 1}), request);
        QCOMPARE(spills.report.chosen()->prediction->paddingWaste,
                 1 - 99.0 * 49.0 / (3 * 64.0 * 64.0));
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
        const plan::Planned first = estimate(problem, onProcessor());
        plan::Request request;
        request.replay = usable(first.report).back().candidate;
        const plan::Planned again = estimate(problem, request);
        QCOMPARE(again.report.candidates.size(), std::size_t{1});
        QVERIFY(again.plan->candidate() == *request.replay);
        request.replay->method = "abacus";
        QCOMPARE(errorCode(problem, request), static_cast<int>(base::ErrorCode::Problem));
    }

    void aConstantTemplateIsRefusedBeforeAnythingIsTimed() {
        const Pixels pixels({64, 64, 1}, {8, 8, 1});
        const base::Image<float> constant({8, 8, 1}, 3.0F);
        const method::MaskedView templ = constant.view();
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

const flcc::test::TestClass<PlanTest> kPlanTest;
#include "plan_test.moc"
