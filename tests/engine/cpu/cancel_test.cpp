#include <QtTest>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/cpu/operation/operation_run.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;

namespace {

/// Ways with tiles small enough for a run of many.
std::vector<test::Way> waysOfManyTiles(const base::AnyImage& scene, const base::AnyImage& templ) {
    std::vector<test::Way> ways = test::waysFor(scene, templ);
    const bool flat = base::isFlat2D(base::extentsOf(scene));
    for (const test::Way& way :
         test::waysFor(scene, templ, flat ? Extents{32, 32, 1} : Extents{16, 16, 16})) {
        ways.push_back(way);
    }
    return ways;
}

base::AnyImage sceneOf(bool flat) {
    return test::noise(PixelType::Float32, flat ? Extents{300, 260, 1} : Extents{60, 50, 40}, 1);
}

base::AnyImage templOf(bool flat) {
    return test::noise(PixelType::Float32, flat ? Extents{9, 9, 1} : Extents{5, 4, 4}, 2);
}

} // namespace

class CancelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aStopThatCameFirstComputesNothing() {
        for (const bool flat : {true, false}) {
            const base::AnyImage scene = sceneOf(flat);
            const base::AnyImage templ = templOf(flat);
            std::stop_source source;
            source.request_stop();
            test::Thinned some(4);
            for (const test::Way& way : waysOfManyTiles(scene, templ)) {
                if (!some.next()) {
                    continue;
                }
                test::RunOptions options;
                options.stop = source.get_token();
                const test::MethodRun run =
                    test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
                QVERIFY2(run.outcome.cancelled, way.words().c_str());
                QVERIFY(run.regions.empty());
                for (std::int64_t i = 0; i < run.map.status.count(); ++i) {
                    QVERIFY(run.map.status.data()[i] == Status::NotComputed);
                    QVERIFY(run.map.value.data()[i] == 0);
                }
            }
        }
    }

    // Of a tile at the border: it is left as it was.
    void aStopWithinATileWritesNothing() {
        const base::AnyImage scene = sceneOf(true);
        const base::AnyImage templ = templOf(true);
        const method::MaskedView templView = base::viewOf(templ);
        const method::MaskedView sceneView = base::viewOf(scene);
        const test::Asked asked{.extent = method::Extent::Full};
        const method::Problem problem = test::problemOf(sceneView, templView, asked);
        const method::CanonicalTemplate canonical(templView);
        const cpu::OperationPrepared prepared(problem, canonical, templView, {});
        const Extents tile{32, 24, 1};
        for (const bool stopped : {false, true}) {
            const auto values = cpu::makeValues(problem, tile, {});
            cpu::BestTile best(problem, tile);
            method::MatchMap map(tile);
            std::stop_source source;
            if (stopped) {
                source.request_stop();
            }
            cpu::WorkerTally tally;
            tally.clock.start();
            const bool done =
                cpu::runGeneralTile({problem, sceneView}, {&prepared}, {{0, 0, 0}, tile}, *values,
                                    best, {method::viewOf(map), {}}, tally, source.get_token());
            QCOMPARE(done, !stopped);
            const auto written =
                std::count_if(map.status.data(), map.status.data() + map.status.count(),
                              [](Status status) { return status != Status::NotComputed; });
            QCOMPARE(written, stopped ? 0 : base::voxelCount(tile));
        }
    }

    void aStopOnTheWayLeavesTheFinishedRegionsAsInTheFullRun() {
        for (const bool flat : {true, false}) {
            const base::AnyImage scene = sceneOf(flat);
            const base::AnyImage templ = templOf(flat);
            int stoppedHalfWay = 0;
            test::Thinned some(5);
            for (const test::Way& way : waysOfManyTiles(scene, templ)) {
                if (!some.next()) {
                    continue;
                }
                const test::MethodRun full =
                    test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                QVERIFY(!full.outcome.cancelled);
                for (const int threads : {1, 2}) {
                    for (const std::int64_t after : {std::int64_t{1}, std::int64_t{5}}) {
                        stoppedHalfWay += judgeStop(way, scene, templ, full, threads, after);
                    }
                }
            }
            QVERIFY(stoppedHalfWay > 4);
        }
    }

    void aCancelledWorkspaceServesTheNextRun() {
        const base::AnyImage scene = sceneOf(true);
        const base::AnyImage templ = templOf(true);
        test::Thinned some(5);
        for (const test::Way& way : waysOfManyTiles(scene, templ)) {
            if (!some.next()) {
                continue;
            }
            const method::Problem problem =
                way.of(test::problemOf(base::viewOf(scene), base::viewOf(templ)));
            base::TilePool pool(2);
            const auto prepared =
                way.method->prepare(problem, way.candidate, base::viewOf(templ), pool);
            const auto workspace = way.method->makeWorkspace(problem, way.candidate);
            std::stop_source source;
            method::MatchMap cut(method::mapExtents(problem));
            (void)way.method->execute(
                problem, way.candidate, *prepared, base::viewOf(scene), *workspace,
                {pool, source.get_token(), [&](const base::Box&) { source.request_stop(); }},
                method::viewOf(cut));
            method::MatchMap again(method::mapExtents(problem));
            const method::Outcome outcome =
                way.method->execute(problem, way.candidate, *prepared, base::viewOf(scene),
                                    *workspace, {pool, {}, {}}, method::viewOf(again));
            QVERIFY(!outcome.cancelled);
            const test::MethodRun full =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
            const std::string difference = test::firstDifferentBit(again, full.map);
            QVERIFY2(difference.empty(), (way.words() + difference).c_str());
        }
    }

  private:
    /// 1 when the run really ended half way.
    static int judgeStop(const test::Way& way, const base::AnyImage& scene,
                         const base::AnyImage& templ, const test::MethodRun& full, int threads,
                         std::int64_t after) {
        std::stop_source source;
        test::RunOptions options;
        options.threads = threads;
        options.stop = source.get_token();
        options.finished = [&](std::int64_t count) {
            if (count >= after) {
                source.request_stop();
            }
        };
        const test::MethodRun run =
            test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
        std::string fault = test::runFault(run);
        if (run.outcome.cancelled != (run.regions.size() < full.regions.size())) {
            fault = "cancelled disagrees with the regions";
        }
        for (const base::Box& region : run.regions) {
            if (fault.empty()) {
                fault = test::firstDifferentBit(run.map, full.map, region);
            }
        }
        [&] { QVERIFY2(fault.empty(), (way.words() + ": " + fault).c_str()); }();
        return run.outcome.cancelled && !run.regions.empty() ? 1 : 0;
    }
};

const flcc::test::TestClass<CancelTest> kCancelTest;
#include "cancel_test.moc"
