#include <QtTest>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/cpu/transform/decimation.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::AnyImage;
using base::Extents;
using base::PixelType;
using method::Precision;
using method::Transforms;

namespace {

/// The way with `parts` parts of the fewest points.
test::Way wayOf(const Extents& scene, int parts, Transforms by, Precision precision,
                bool recompute = true) {
    method::Limits limits{.threads = 2};
    limits.transforms = by;
    const bool slices = scene.z > 1;
    const auto list = cpu::Decimation::candidates("dif", cpu::Decimation::turned(scene, slices),
                                                  slices, parts, {0, 0, 0}, limits);
    return {.method = &cpu::difMethod(),
            .candidate = list.front(),
            .precision = precision,
            .recompute = recompute};
}

std::string judged(const AnyImage& scene, const AnyImage& templ, int parts) {
    const reference::ScoreMap expected = test::judged(scene, templ);
    const Extents extents = base::extentsOf(base::viewOf(scene));
    for (const Transforms by : {Transforms::Own, Transforms::Fftw}) {
        for (const Precision precision : {Precision::Single, Precision::Double}) {
            const std::string fault =
                test::judge(wayOf(extents, parts, by, precision), scene, templ, expected);
            if (!fault.empty()) {
                return fault;
            }
        }
    }
    return {};
}

method::Verdict verdictOf(const method::Problem& problem, const Extents& tile,
                          const method::Limits& limits = {.threads = 2}) {
    const method::Method& method = cpu::difMethod();
    return method.predict(problem, method.candidates(problem, limits, tile).front(), limits, {},
                          nullptr);
}

} // namespace

/// LCC in parts of a whole transform.
class MatchDifTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void anyNumberOfPartsKeepsThePromise_data() {
        QTest::addColumn<int>("parts");
        for (const int parts : {2, 3, 4, 5, 8, 11}) {
            QTest::addRow("%d parts", parts) << parts;
        }
    }
    void anyNumberOfPartsKeepsThePromise() {
        QFETCH(int, parts);
        struct Sizes {
            Extents scene;
            Extents templ;
        };
        for (const Sizes& sizes : {Sizes{{61, 47, 1}, {20, 31, 1}},
                                   {{64, 64, 1}, {7, 9, 1}},
                                   {{1, 45, 1}, {1, 16, 1}},
                                   {{13, 11, 1}, {13, 11, 1}},
                                   {{19, 17, 23}, {9, 8, 15}},
                                   {{9, 1, 26}, {4, 1, 9}}}) {
            for (const PixelType type :
                 {PixelType::UInt8, PixelType::Float32, PixelType::Float64}) {
                const AnyImage scene = test::texture(type, sizes.scene, 3);
                const AnyImage templ = test::noise(type, sizes.templ, 4);
                const std::string fault = judged(scene, templ, parts);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void scoresThatBreakThePromiseAreRecomputedInDouble() {
        // Faint noise beside bright stripes, in several regions of score tiles.
        const AnyImage scene = test::makeScene(
            PixelType::Float32, {200, test::kSanitized ? 150 : 300, 1}, [](const base::Index& i) {
                const auto mixed = static_cast<double>((i.x * 7919 + i.y * 104729) % 1013) / 1013;
                return i.x < 30 ? 5e4 * static_cast<double>(i.y % 3) : mixed;
            });
        const AnyImage templ = test::noise(PixelType::Float32, {25, 24, 1}, 6);
        const reference::ScoreMap expected = test::judged(scene, templ);
        const Extents extents = base::extentsOf(base::viewOf(scene));
        for (const bool recompute : {true, false}) {
            const test::Way way = wayOf(extents, 4, Transforms::Own, Precision::Single, recompute);
            const std::string fault = test::judge(way, scene, templ, expected);
            QVERIFY2(fault.empty(), fault.c_str());
            const test::MethodRun run =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
            const auto lowConf =
                run.outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
            QCOMPARE(lowConf > 0, !recompute);
            QCOMPARE(run.outcome.facts.recomputed > 0, recompute);
        }
    }

    void aStopLeavesNothingUnfinishedInTheMap() {
        const AnyImage scene = test::noise(PixelType::Float32, {600, 700, 1}, 1);
        const AnyImage templ = test::noise(PixelType::Float32, {60, 50, 1}, 2);
        for (const Precision precision : {Precision::Single, Precision::Double}) {
            const test::Way way = wayOf({600, 700, 1}, 4, Transforms::Own, precision);
            std::stop_source source;
            test::RunOptions options;
            options.stop = source.get_token();
            options.finished = [&](std::int64_t) { source.request_stop(); };
            const test::MethodRun run =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
            QVERIFY(run.outcome.cancelled); // after the first of several tiles
            const std::string fault = test::runFault(run);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aTileFixesTheParts() {
        method::Problem problem;
        problem.scene = {300, 200, 1};
        problem.templ = {90, 80, 1};
        const method::Candidate candidate =
            cpu::difMethod().candidates(problem, {.threads = 2}, {300, 70, 1}).front();
        QCOMPARE(candidate.parts, 3);
        QVERIFY(std::holds_alternative<method::Prediction>(verdictOf(problem, {300, 70, 1})));
        for (const Extents& tile : {Extents{300, 1, 1}, {299, 70, 1}, {64, 64, 1}}) {
            const method::Verdict verdict = verdictOf(problem, tile);
            QCOMPARE(std::holds_alternative<method::Refusal>(verdict), tile.y != 1);
        }
        problem.scene = {300, 1, 1};
        problem.templ = {90, 1, 1};
        const method::Verdict row = verdictOf(problem, {0, 0, 0});
        QVERIFY(std::holds_alternative<method::Refusal>(row));
        QVERIFY(std::get<method::Refusal>(row).reason.find("use fourier") != std::string::npos);
    }

    void everyPartTakesLessMemoryThanTheWhole() {
        for (const Extents& scene : {Extents{3000, 2800, 1}, {220, 200, 180}}) {
            method::Problem problem;
            problem.scene = scene;
            problem.templ = {scene.x * 3 / 4, scene.y * 3 / 4,
                             std::max<std::int64_t>(1, scene.z * 3 / 4)};
            const auto bytes = [&](const method::Method& method, int parts) {
                const method::Limits limits{.threads = 2};
                for (const method::Candidate& candidate :
                     method.candidates(problem, limits, {0, 0, 0})) {
                    if (candidate.parts == parts) {
                        return std::get<method::Prediction>(
                                   method.predict(problem, candidate, limits, {}, nullptr))
                            .hostBytes;
                    }
                }
                return std::int64_t{0};
            };
            const std::int64_t whole = bytes(cpu::fourierMethod(), 0);
            QVERIFY(bytes(cpu::difMethod(), 2) < whole);
            QVERIFY(bytes(cpu::difMethod(), 8) <= bytes(cpu::difMethod(), 4));
            QVERIFY(bytes(cpu::difMethod(), 8) < whole * 3 / 4);
        }
    }
};

const flcc::test::TestClass<MatchDifTest> kMatchDifTest;
#include "dif_test.moc"
