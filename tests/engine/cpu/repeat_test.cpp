#include <QtTest>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;

namespace {

method::MatchMap execute(const test::Way& way, const method::Problem& problem,
                         const method::Prepared& prepared, method::Workspace& workspace,
                         const base::AnyImage& scene) {
    base::TilePool pool(way.candidate.threads);
    method::MatchMap map(method::mapExtents(problem));
    (void)way.method->execute(problem, way.candidate, prepared, base::viewOf(scene), workspace,
                              {pool, {}, {}}, method::viewOf(map));
    return map;
}

} // namespace

class RepeatTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theNumberOfThreadsChangesNoBitOfDirect() {
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32, PixelType::Float64}) {
            for (const bool flat : {true, false}) {
                if (test::kSanitized && flat == (type == PixelType::Float32)) {
                    continue;
                }
                const base::AnyImage scene =
                    test::texture(type, flat ? Extents{311, 207, 1} : Extents{50, 44, 39}, 1);
                const base::AnyImage templ =
                    test::noise(type, flat ? Extents{13, 12, 1} : Extents{5, 6, 4}, 2);
                test::Thinned some(4);
                for (const test::Way& way : test::waysFor(scene, templ)) {
                    if (way.candidate.method != "direct") {
                        continue;
                    }
                    const test::MethodRun first =
                        test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                    for (const int threads : {4, 1, 2, 3, 7, 1, 4}) {
                        if (!some.next()) {
                            continue;
                        }
                        test::RunOptions options;
                        options.threads = threads;
                        const std::string difference = test::firstDifferentBit(
                            first.map,
                            test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options)
                                .map);
                        QVERIFY2(difference.empty(), (way.words() + difference).c_str());
                    }
                }
            }
        }
    }

    void anotherRunGivesTheSameBits() {
        const base::AnyImage scene = test::texture(PixelType::UInt16, {311, 207, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt16, {13, 12, 1}, 2);
        test::Thinned some(3);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            if (!some.next()) {
                continue;
            }
            const test::MethodRun first =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
            for (int repeat = 0; repeat < (test::kSanitized ? 1 : 3); ++repeat) {
                const std::string difference = test::firstDifferentBit(
                    first.map, test::runMethod(way, base::viewOf(scene), base::viewOf(templ)).map);
                QVERIFY2(difference.empty(), (way.words() + difference).c_str());
            }
        }
    }

    void aWorkspaceKeepsNothingOfTheLastScene() {
        const base::AnyImage templ = test::noise(PixelType::Float32, {9, 8, 1}, 1);
        const base::AnyImage scene = test::noise(PixelType::Float32, {150, 140, 1}, 2);
        base::AnyImage spoilt = test::noise(PixelType::Float32, {150, 140, 1}, 3);
        for (std::int64_t i = 0; i < 140; ++i) {
            test::setVoxel(spoilt, {i, i, 0}, i % 3 == 0 ? std::nan("") : 1e9);
        }
        test::Thinned some(2);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            if (!some.next()) {
                continue;
            }
            const method::Problem problem =
                way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ)));
            base::TilePool pool(2);
            const auto prepared =
                way.method->prepare(problem, way.candidate, base::viewOf(templ), pool);
            const auto fresh = way.method->makeWorkspace(problem, way.candidate);
            const auto used = way.method->makeWorkspace(problem, way.candidate);
            (void)execute(way, problem, *prepared, *used, spoilt);
            const std::string difference =
                test::firstDifferentBit(execute(way, problem, *prepared, *fresh, scene),
                                        execute(way, problem, *prepared, *used, scene));
            QVERIFY2(difference.empty(), (way.words() + difference).c_str());
        }
    }

    void onePreparedTemplateServesSeveralThreadsAtOnce() {
        const base::AnyImage templ = test::noise(PixelType::Float32, {9, 8, 1}, 1);
        const base::AnyImage scene = test::noise(PixelType::Float32, {150, 140, 1}, 2);
        test::Thinned some(2);
        for (const test::Way& way : test::waysFor(scene, templ)) {
            if (!some.next()) {
                continue;
            }
            const method::Problem problem =
                way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ)));
            base::TilePool pool(2);
            const auto prepared =
                way.method->prepare(problem, way.candidate, base::viewOf(templ), pool);
            std::vector<method::MatchMap> maps(3);
            {
                std::vector<std::jthread> callers;
                for (method::MatchMap& map : maps) {
                    callers.emplace_back([&, target = &map] {
                        const auto workspace = way.method->makeWorkspace(problem, way.candidate);
                        *target = execute(way, problem, *prepared, *workspace, scene);
                    });
                }
            }
            for (const method::MatchMap& map : maps) {
                const std::string difference = test::firstDifferentBit(maps.front(), map);
                QVERIFY2(difference.empty(), (way.words() + difference).c_str());
            }
        }
    }
};

const flcc::test::TestClass<RepeatTest> kRepeatTest;
#include "repeat_test.moc"
