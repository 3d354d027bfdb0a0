#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/cpu/methods/methods.h"
#include "engine/method/separation.h"
#include "tests/engine/cpu/bound_checks.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/kinds.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::AnyImage;
using base::Extents;
using base::PixelType;

namespace {

std::vector<test::Way> waysOf(const AnyImage& scene, const AnyImage& templ,
                              const Extents& tile = {0, 0, 0}) {
    std::vector<test::Way> ways = test::waysFor(scene, templ, tile);
    std::erase_if(ways, [](const test::Way& way) { return way.method->name() != "separable"; });
    return ways;
}

std::string judged(const AnyImage& scene, const AnyImage& templ, const Extents& tile = {0, 0, 0}) {
    const std::vector<test::Way> ways = waysOf(scene, templ, tile);
    if (ways.empty()) {
        return "refused";
    }
    const reference::ScoreMap expected = test::judged(scene, templ);
    for (const test::Way& way : ways) {
        if (std::string fault = test::judge(way, scene, templ, expected); !fault.empty()) {
            return fault;
        }
    }
    return {};
}

/// Why the method refuses a problem; empty if it accepts it.
std::string refusalOf(const method::Problem& problem) {
    const method::Method& method = cpu::separableMethod();
    if (std::string reason = method.refusal(problem); !reason.empty()) {
        return reason;
    }
    const method::Limits limits{.threads = 2};
    const auto candidates = method.candidates(problem, limits, {0, 0, 0});
    const auto verdict = method.predict(problem, candidates.front(), limits, {}, nullptr);
    const auto* const refusal = std::get_if<method::Refusal>(&verdict);
    return refusal == nullptr ? std::string() : refusal->reason;
}

struct Shape {
    Extents scene;
    Extents templ;
};
const std::array kShapes{Shape{{64, 50, 1}, {15, 11, 1}}, Shape{{90, 44, 1}, {40, 35, 1}},
                         Shape{{26, 22, 18}, {9, 7, 8}}};

} // namespace

/// Method `separable`, and which templates it takes.
class SeparableTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyScoreIsWithinItsBound_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < test::kSeparableKinds; ++kind) {
            QTest::addRow("%d", kind) << kind;
        }
    }
    void everyScoreIsWithinItsBound() {
        QFETCH(int, kind);
        constexpr std::array kTypes{PixelType::UInt8, PixelType::UInt16, PixelType::Float32,
                                    PixelType::Float64};
        for (std::size_t i = 0; i < 2 * kShapes.size(); ++i) {
            const Shape& shape = kShapes[i / 2];
            const PixelType type = kTypes[(static_cast<std::size_t>(kind) + i) % kTypes.size()];
            const AnyImage scene = type == PixelType::UInt16
                                       ? test::oneCountOver(type, shape.scene, 60000, 3)
                                       : test::texture(type, shape.scene, 4);
            const std::string fault = judged(scene, test::separableTemplate(kind, shape.templ));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void whatIsNotFiniteOrFlatIsMarked() {
        for (const Shape& shape : kShapes) {
            AnyImage scene = test::makeScene(PixelType::Float32, shape.scene, [](const auto& i) {
                return i.x < 45 ? 0.1 : std::sin(static_cast<double>(i.x * i.y + i.z));
            });
            test::setVoxel(scene, {60 % shape.scene.x, 20, 0}, std::nan(""));
            test::setVoxel(scene, {3, 3, shape.scene.z / 2}, HUGE_VAL);
            for (const int kind : {0, 1, 6}) {
                const std::string fault = judged(scene, test::separableTemplate(kind, shape.templ));
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // Bright beside dark, steps, lines, one count over a high level: each promise that falls must
    // be kept by what is not marked.
    void noScoreOfAHardSceneIsBeyondItsBound_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < test::kKinds + 1; ++kind) {
            QTest::addRow("%d", kind) << kind;
        }
    }
    void noScoreOfAHardSceneIsBeyondItsBound() {
        QFETCH(int, kind);
        for (const Shape& shape :
             {Shape{{90, 70, 1}, {17, 13, 1}}, Shape{{30, 26, 20}, {7, 6, 5}}}) {
            const auto scene = [&] {
                return kind < test::kKinds
                           ? test::sceneOfKind(kind, shape.scene, 11)
                           : test::makeScene(PixelType::Float32, shape.scene, [](const auto& i) {
                                 return i.x < 45
                                            ? 60000.0 + static_cast<double>((i.x * 7 + i.y * 3) % 5)
                                            : 0.1 * static_cast<double>((i.x * 5 + i.y) % 7);
                             });
            };
            const int step = test::kSanitized ? test::kSeparableKinds : 1;
            for (int templ = kind % step; templ < test::kSeparableKinds; templ += step) {
                test::BoundSearch search;
                test::searchWholeMaps({scene(), test::separableTemplate(templ, shape.templ)},
                                      search, "separable", 3.0);
                QVERIFY2(search.fault.empty(), search.fault.c_str());
            }
        }
    }

    void tilesAndThreadsDoNotChangeABit() {
        const AnyImage scene = test::noise(PixelType::Float32, {200, 120, 1}, 5);
        const AnyImage templ = test::separableTemplate(0, {21, 19, 1});
        const std::string fault = judged(scene, templ, {48, 40, 1});
        QVERIFY2(fault.empty(), fault.c_str());
        for (const test::Way& way : waysOf(scene, templ)) {
            const auto run = [&](int threads) {
                test::RunOptions options;
                options.threads = threads;
                return test::runMethod(way, scene, templ, options);
            };
            const test::MethodRun one = run(1);
            const test::MethodRun two = run(2);
            QVERIFY(std::equal(one.map.value.data(), one.map.value.data() + one.map.value.count(),
                               two.map.value.data()));
        }
    }

    void aCancelLeavesWholeTiles() {
        const AnyImage scene = test::noise(PixelType::Float32, {200, 120, 1}, 5);
        const AnyImage templ = test::separableTemplate(0, {21, 19, 1});
        const test::Way way = waysOf(scene, templ, {48, 40, 1}).front();
        std::stop_source source;
        test::RunOptions options;
        options.stop = source.get_token();
        options.finished = [&](std::int64_t regions) {
            if (regions == 3) {
                source.request_stop();
            }
        };
        const test::MethodRun run = test::runMethod(way, scene, templ, options);
        QVERIFY(run.outcome.cancelled);
        QVERIFY(run.regions.size() >= 3 && run.regions.size() < 15);
        const std::string fault = test::runFault(run);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aDisturbedTemplateIsRefusedOrBounded() {
        const AnyImage scene = test::noise(PixelType::Float32, {80, 70, 1}, 6);
        int accepted = 0;
        int refused = 0;
        for (double by = 0x1p-24; by < 2e-3; by *= 4) { // of the height
            AnyImage templ = test::separableTemplate(0, {15, 13, 1});
            test::setVoxel(templ, {4, 5, 0},
                           base::valueAt(base::viewOf(templ), {4, 5, 0}) + 100 * by);
            if (waysOf(scene, templ).empty()) {
                ++refused;
                continue;
            }
            ++accepted;
            test::BoundSearch search;
            test::searchWholeMaps(
                {test::noise(PixelType::Float32, {80, 70, 1}, 6), std::move(templ)}, search,
                "separable", 1.5);
            QVERIFY2(search.fault.empty(), search.fault.c_str());
        }
        QVERIFY(accepted >= 1 && refused >= 4);
    }

    void aRefusalGivesTheResidual() {
        const AnyImage scene = test::noise(PixelType::Float32, {80, 70, 1}, 6);
        const AnyImage disc = test::makeScene(PixelType::UInt8, {21, 21, 1}, [](const auto& i) {
            return (i.x - 10) * (i.x - 10) + (i.y - 10) * (i.y - 10) < 64 ? 200 : 20;
        });
        const std::string reason = refusalOf(test::problemOf(scene, disc));
        const double residual = method::separabilityOf(disc).residual;
        char number[32];
        std::snprintf(number, sizeof(number), "residual %.2g,", residual);
        QVERIFY2(reason.find(number) != std::string::npos, reason.c_str());
        QVERIFY(residual > 0.1 && residual <= 1);
        QVERIFY_THROWS_EXCEPTION(
            base::Error,
            (void)test::runMethod({&cpu::separableMethod(), {"separable", "cpu", {16, 16, 1}, 1}},
                                  scene, disc));
    }

    void whatElseItDoesNotDoIsRefusedByName() {
        const AnyImage scene = test::noise(PixelType::Float32, {80, 70, 1}, 6);
        const AnyImage templ = test::separableTemplate(0, {15, 13, 1});
        const method::Problem problem = test::problemOf(scene, templ);
        QVERIFY(refusalOf(problem).empty());
        const auto says = [&](const char* word, auto&& change) {
            method::Problem other = problem;
            change(other);
            return refusalOf(other).find(word) != std::string::npos;
        };
        QVERIFY(says("--extent same", [](auto& p) { p.extent = method::Extent::Same; }));
        QVERIFY(says("mask", [](auto& p) { p.mask = true; }));
        QVERIFY(says("mask", [](auto& p) { p.sceneMask = true; }));
        QVERIFY(says("--statistics fourier",
                     [](auto& p) { p.statistics = method::WindowStatistics::Fourier; }));
        QVERIFY(says("sad", [](auto& p) { p.operation = *method::operationNamed("sad"); }));
        QVERIFY(says("not known", [](auto& p) { p.residual = method::kUnknownResidual; }));
        // 4 units of roundoff of the precision
        QVERIFY(says("residual 1e-10", [](auto& p) {
            p.residual = 1e-10;
            p.precision = method::Precision::Double;
        }));
    }

    void aBankHoldsTheBestOfItsTemplates() {
        const AnyImage scene = test::noise(PixelType::Float32, {90, 80, 1}, 8);
        const std::array templs{test::separableTemplate(0, {15, 13, 1}),
                                test::separableTemplate(6, {15, 13, 1})};
        const test::Way way = waysOf(scene, templs[0]).front();
        method::Problem problem = way.of(test::problemOf(scene, templs[0]));
        problem.templates = 2;
        base::TilePool pool(2);
        method::PreparedTemplates prepared;
        for (const AnyImage& templ : templs) {
            prepared.push_back(way.method->prepare(problem, way.candidate, templ, pool));
        }
        const auto workspace = way.method->makeWorkspace(problem, way.candidate);
        method::MatchMap map(method::mapExtents(problem));
        base::Image<std::int32_t> index(method::mapExtents(problem));
        (void)way.method->executeBank(problem, way.candidate, prepared, scene, *workspace,
                                      {pool, {}, {}}, {method::viewOf(map), index.view()});
        const std::array single{test::runMethod(way, scene, templs[0]),
                                test::runMethod(way, scene, templs[1])};
        for (std::int64_t i = 0; i < map.value.count(); ++i) {
            QCOMPARE(map.value.data()[i],
                     std::max(single[0].map.value.data()[i], single[1].map.value.data()[i]));
        }
    }
};

const flcc::test::TestClass<SeparableTest> kSeparableTest;
#include "separable_test.moc"
