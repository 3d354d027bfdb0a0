#include <QtTest>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/run/map_parts.h"
#include "engine/cuda/run/reduction.h"
#include "engine/method/method_on_device.h"
#include "engine/reference/lcc.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/engine/cuda/reduced_cases.h"
#include "tests/engine/match/peak_judge.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Call;
using test::DeviceDouble;

namespace {

template <class T> base::Image<T> copyOf(const base::View<const T>& view) {
    base::Image<T> copy(view.extents());
    T* to = copy.data();
    for (std::int64_t z = 0; z < view.extents().z; ++z) {
        for (std::int64_t y = 0; y < view.extents().y; ++y) {
            to = std::copy_n(view.row(y, z), view.extents().x, to);
        }
    }
    return copy;
}

/// A part of a map as MapRun leaves it, from a map that is known; `becomes` is what it becomes.
void reducePart(const cuda::Reducer& reducer, cuda::Pipeline& pipe, const base::Box& box,
                const method::MatchMap& map, const method::MatchMap& becomes) {
    cuda::PartSlot& slot = pipe.slot(0);
    slot.box = box;
    float* value = slot.value.room(base::voxelCount(box.extents));
    std::uint8_t* status = slot.status.room(base::voxelCount(box.extents));
    const auto values = map.value.view().part(box);
    const auto statuses = map.status.view().part(box);
    for (std::int64_t line = 0; line < box.extents.y * box.extents.z; ++line) {
        const std::int64_t y = line % box.extents.y;
        const std::int64_t z = line / box.extents.y;
        for (std::int64_t x = 0; x < box.extents.x; ++x) {
            *value++ = values.at(x, y, z);
            *status++ = static_cast<std::uint8_t>(statuses.at(x, y, z));
        }
    }
    reducer.start(slot, pipe.compute);
    pipe.compute.wait("");
    reducer.bring(slot, pipe.download);
    pipe.download.wait("");
    (void)reducer.receive(slot, pipe.fetch());
    for (std::int64_t i = 0; i < base::voxelCount(method::shared::blockGrid(box.extents)); ++i) {
        for (int j = slot.reducedOnHost.data()[i].kept; j < cuda::kKeptMost; ++j) {
            QCOMPARE(slot.kept.data()[i * cuda::kKeptMost + j].marks, 0U); // it was written
        }
    }
    std::vector<method::ScoreTally> repaired;
    method::ReducedMap::Part& part = reducer.partOf(slot);
    for (std::int64_t block = 0; !part.whole && block + 1 < std::ssize(part.firstOf); ++block) {
        (void)reducer.repair(part, block, 0x1p-24, {}, repaired.emplace_back());
    }
    if (part.whole) { // which MapRun repairs as any other
        part.value = copyOf(becomes.value.view().part(box));
        part.status = copyOf(becomes.status.view().part(box));
    }
    reducer.addUp(slot, repaired);
}

} // namespace

/// Maps that stay on a device, which is stood in for.
class ReduceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void theListIsThatOfTheWholeMap_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("bound");
        QTest::addColumn<bool>("lowConf");
        test::Thinned rows(3);
        for (const std::string& name : test::caseNames()) {
            for (const double bound : {0.0, 1e-4, 0.02}) {
                for (const bool lowConf : {false, true}) {
                    if (!rows.next()) {
                        continue;
                    }
                    QTest::addRow("%s, bound %g%s", name.c_str(), bound,
                                  lowConf ? ", some to be repaired" : "")
                        << QString::fromStdString(name) << bound << lowConf;
                }
            }
        }
    }

    // A map of scores off by their bound, in parts of several sizes.
    void theListIsThatOfTheWholeMap() {
        QFETCH(QString, name);
        QFETCH(double, bound);
        QFETCH(bool, lowConf);
        const test::ReducedCase own = test::caseOf(name.toStdString());
        test::MapOf whole = test::mapWithErrors(own.sceneView(), own.templView(), bound, 11);
        const method::CanonicalTemplate canonical(own.templView());
        method::MatchMap onDevice(whole.map.value.extents());
        test::Random random(12);
        const Extents extents = onDevice.value.extents();
        for (std::int64_t i = 0; i < onDevice.value.count(); ++i) {
            onDevice.value.data()[i] = whole.map.value.data()[i];
            onDevice.status.data()[i] = whole.map.status.data()[i];
            if (lowConf && base::hasValue(whole.map.status.data()[i]) && random.below(60) == 0) {
                onDevice.status.data()[i] = base::Status::LowConf;
                onDevice.value.data()[i] = static_cast<float>(2 * random.uniform() - 1);
                const base::Index at{i % extents.x, i / extents.x % extents.y,
                                     i / (extents.x * extents.y)};
                whole.map.value.data()[i] =
                    static_cast<float>(method::canonicalScore(own.sceneView(), canonical, at));
            }
        }
        method::Problem problem = test::problemOf(own.sceneView(), own.templView());
        problem.promise = std::max(bound, 1e-6) + 0x1p-24;
        const method::MaskedView scene = own.sceneView();
        cuda::Engine engine(&test::doubleTable());
        for (const Extents& part : {extents, Extents{64, 16, 1}, Extents{64, 32, 4}}) {
            for (const double minScore : {0.5, 0.95, 0.0, -0.3}) {
                const method::Reduction wanted{minScore, false, test::someVoxels(extents)};
                method::ReducedMap reduced(extents, part);
                const cuda::ReducedRun run{wanted, reduced};
                const cuda::Templates templates{&canonical};
                const cuda::Reducer reducer(problem, templates, scene, run);
                cuda::Pipeline pipe(engine, 0);
                for (const base::Box& box : cuda::mapParts(extents, part)) {
                    reducePart(reducer, pipe, box, onDevice, whole.map);
                }
                match::SearchedMap all = test::searchedMap(own.templView(), whole);
                match::SearchedMap some = all;
                some.value = {};
                some.status = {};
                some.reduced = &reduced;
                some.statistics = match::statisticsOf(reduced.tally());
                QVERIFY(test::same(some.statistics, all.statistics));
                if (name == "texture" || name == "volume") { // else parts may come whole
                    QVERIFY(4 * reduced.count() < base::voxelCount(extents));
                }
                for (const base::Index& at : wanted.asked) {
                    const auto voxel = reduced.asked(at);
                    QVERIFY(voxel.known);
                    QCOMPARE(voxel.status, whole.map.status.view().at(at));
                    QCOMPARE(voxel.value, static_cast<double>(whole.map.value.view().at(at)));
                }
                for (const std::int64_t most : {1, 40}) {
                    const match::PeakOptions options{.minScore = minScore, .maxPeaks = most};
                    const auto list = [&](const match::SearchedMap& map) {
                        return match::findPeaks(scene, {map}, {}, options);
                    };
                    QCOMPARE(test::anyDifference(list(some), list(all)), std::string());
                }
            }
        }
    }

    void aRunGivesWhatTheWholeMapGives_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("way");
        QTest::addColumn<double>("promise");
        QTest::addColumn<bool>("recompute");
        QTest::addColumn<bool>("inDouble");
        test::Thinned rows(3);
        for (const std::string& name : test::caseNames()) {
            for (const int way : {0, 1, 2}) {
                const auto row = [&](double promise, bool recompute, bool inDouble) {
                    if (!rows.next()) {
                        return;
                    }
                    QTest::addRow("%s, %s, %g%s%s", name.c_str(),
                                  way == 0   ? "direct"
                                  : way == 1 ? "tiled"
                                             : "fourier",
                                  promise, recompute ? "" : ", kept", inDouble ? ", double" : "")
                        << QString::fromStdString(name) << way << promise << recompute << inDouble;
                };
                row(1e-4, true, false);
                row(1e-6, true, false); // broken everywhere
                row(1e-6, false, false);
                row(4e-6, false, false); // here and there
                row(1e-9, true, true);
                row(2e-14, true, true); // here and there, also by canonical values
                row(2e-14, false, true);
            }
        }
    }

    void aRunGivesWhatTheWholeMapGives() {
        QFETCH(QString, name);
        QFETCH(int, way);
        QFETCH(double, promise);
        QFETCH(bool, recompute);
        QFETCH(bool, inDouble);
        const test::ReducedCase own = test::caseOf(name.toStdString());
        method::Problem problem = test::problemOf(own.sceneView(), own.templView());
        problem.promise = promise;
        problem.recompute = recompute;
        problem.precision = inDouble ? method::Precision::Double : method::Precision::Single;
        compare(makerOf(way), tileOf(way, problem), problem, own.sceneView(), own.templView());
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked_data() {
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("outside");
        QTest::addColumn<bool>("masks");
        for (const auto extent :
             {method::Extent::Valid, method::Extent::Same, method::Extent::Full}) {
            for (const auto outside :
                 {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
                for (const bool masks : {false, true}) {
                    if (masks || extent != method::Extent::Valid) {
                        QTest::addRow("%s, %s%s", name(extent).data(), name(outside).data(),
                                      masks ? ", masks" : "")
                            << static_cast<int>(extent) << static_cast<int>(outside) << masks;
                    }
                }
            }
        }
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked() {
        QFETCH(int, extent);
        QFETCH(int, outside);
        QFETCH(bool, masks);
        const test::ReducedCase own = test::caseOf("texture");
        method::MaskedView scene = own.sceneView();
        method::MaskedView templ = own.templView();
        const test::Mask disc = test::disc(templ.extents());
        base::Image<std::uint8_t> seen(scene.extents(), std::uint8_t{1});
        for (std::int64_t y = 20; y < 35; ++y) {
            for (std::int64_t x = 55; x < 80; ++x) {
                seen.view().at(x, y, 0) = 0;
            }
        }
        if (masks) {
            templ.mask = disc.view();
            scene.mask = seen.view();
        }
        const method::Problem problem =
            test::problemOf(scene, templ,
                            {.extent = static_cast<method::Extent>(extent),
                             .outside = static_cast<method::Outside>(outside)});
        compare(cuda::tiledMethod, {50, 36, 1}, problem, scene, templ);
    }

    // Panels at the border see a part of the template that is constant: they are FLAT.
    void aTemplateThatIsConstantOnAnOverlapHasNoScore() {
        for (const double level : {3.0, 77.0, 91.0}) {
            test::ReducedCase own = test::caseOf("texture");
            own.templ = test::withLevelEdges(level);
            test::paste(own.scene, own.templ, {60, 30, 0});
            const method::Problem problem = test::problemOf(own.sceneView(), own.templView(),
                                                            {.extent = method::Extent::Full,
                                                             .outside = method::Outside::Overlap,
                                                             .minOverlap = 0.01});
            compare(cuda::tiledMethod, {50, 36, 1}, problem, own.sceneView(), own.templView());
        }
    }

    void devicesReduceTheirShares() {
        const test::ReducedCase own = test::caseOf("ties");
        DeviceDouble& device = test::deviceDouble();
        device.start.devices = 2;
        const method::Problem problem = test::problemOf(own.sceneView(), own.templView());
        for (const bool lost : {false, true}) {
            device.call = Call::Reduce;
            device.turn = lost ? 2 : 0;
            device.failing = 1;
            device.result = DeviceDouble::kInvalidValue;
            const test::OnDouble both(cuda::directMethod, {0, 1});
            compare(*both.method, {64, 16, 1}, problem, own.sceneView(), own.templView());
        }
    }

    void lessComesBackAsWasPredicted() {
        const test::ReducedCase own = test::caseOf("texture");
        for (const int way : {0, 1}) {
            test::deviceDouble().reset();
            const test::OnDouble device(makerOf(way));
            method::Problem problem = test::problemOf(own.sceneView(), own.templView());
            const auto bytes = [&](bool map) {
                problem.onDevice.map = map;
                const auto candidate = device.method->candidates(problem, {2}, {}).front();
                const auto predicted = std::get<method::Prediction>(
                    device.method->predict(problem, candidate, {2}, {}, nullptr));
                base::TilePool pool(2);
                const auto prepared =
                    device.method->prepare(problem, candidate, own.templView(), pool);
                const auto workspace = device.method->makeWorkspace(problem, candidate);
                method::MatchMap to(method::mapExtents(problem));
                const auto outcome =
                    map ? device.method->execute(problem, candidate, *prepared, own.sceneView(),
                                                 *workspace, {pool, {}, {}}, method::viewOf(to))
                        : device.method->onDevice()->reduce(problem, candidate, {prepared},
                                                            own.sceneView(), *workspace,
                                                            {pool, {}, {}}, {});
                return std::pair{predicted.onDevice.times->downloaded,
                                 outcome.onDevice.times->downloaded};
            };
            const auto whole = bytes(true);
            const auto some = bytes(false);
            QCOMPARE(whole.first, whole.second);
            QVERIFY(3 * some.second < whole.second);
            QVERIFY(3 * some.first < whole.first);
            // The whole is the map of 5 bytes and a tally for each block.
            QVERIFY(whole.second > 5 * 142 * 64 && whole.second < 6 * 142 * 64);
        }
    }

    void whatNeedsTheMapDoesNotReduce() {
        const test::ReducedCase own = test::caseOf("texture");
        method::Problem problem = test::problemOf(own.sceneView(), own.templView());
        QVERIFY(!cuda::isReduced(problem)); // the map is asked for
        problem.onDevice.map = false;
        QVERIFY(cuda::isReduced(problem));
        const auto without = [&](auto change) {
            method::Problem other = problem;
            change(other);
            return !cuda::isReduced(other);
        };
        problem.templates = 2;
        QVERIFY(cuda::isReduced(problem));
        QVERIFY(!without([](auto& one) { one.mask = true; }));
        problem.templates = 1;
        const test::OnDouble device;
        problem.onDevice.map = true;
        base::TilePool pool(1);
        const auto candidate = device.method->candidates(problem, {1}, {}).front();
        const auto prepared = device.method->prepare(problem, candidate, own.templView(), pool);
        const auto workspace = device.method->makeWorkspace(problem, candidate);
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)device.method->onDevice()->reduce(
                                                  problem, candidate, {prepared}, own.sceneView(),
                                                  *workspace, {pool, {}, {}}, {}));
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind_data() {
        QTest::addColumn<int>("call");
        for (const Call call : {Call::OpenStream, Call::Allocate, Call::Pin, Call::Download,
                                Call::Wait, Call::Await, Call::Reduce}) {
            QTest::addRow("call %d", static_cast<int>(call)) << static_cast<int>(call);
        }
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind() {
        QFETCH(int, call);
        const test::ReducedCase own = test::caseOf("texture");
        method::Problem problem = test::problemOf(own.sceneView(), own.templView());
        problem.onDevice.map = false;
        const auto pose = [] {
            test::deviceDouble().reset();
            test::deviceDouble().order = test::Order::Late;
        };
        const auto found = test::failEach(static_cast<Call>(call), pose, [&] {
            const test::OnDouble on;
            const auto candidate = on.method->candidates(problem, {2}, {64, 32, 1}).front();
            base::TilePool pool(2);
            const auto prepared = on.method->prepare(problem, candidate, own.templView(), pool);
            const auto workspace = on.method->makeWorkspace(problem, candidate);
            const auto outcome = on.method->onDevice()->reduce(
                problem, candidate, {prepared}, own.sceneView(), *workspace, {pool, {}, {}}, {});
            return std::string(outcome.onDevice.reduced ? "" : "nothing came back");
        });
        QCOMPARE(found.fault, std::string());
        QVERIFY(found.errors >= 4);
    }

  private:
    static cuda::MakeMethod makerOf(int way) {
        return std::array{cuda::directMethod, cuda::tiledMethod, cuda::fourierMethod}.at(
            static_cast<std::size_t>(way));
    }
    static Extents tileOf(int way, const method::Problem& problem) {
        return way == 0   ? Extents{64, 32, 2}
               : way == 1 ? Extents{40, 36, problem.scene.z > 1 ? 9 : 1}
                          : Extents{};
    }

    static void compare(cuda::MakeMethod make, const Extents& tile, const method::Problem& problem,
                        const method::MaskedView& scene, const method::MaskedView& templ) {
        test::deviceDouble().about.memoryBytes = 1 << 20; // some tiles a part
        const test::OnDouble own(make);
        compare(*own.method, tile, problem, scene, templ);
    }

    /// Runs a problem with its map and without, and compares all that is told.
    static void compare(const method::Method& method, const Extents& tile, method::Problem problem,
                        const method::MaskedView& scene, const method::MaskedView& templ) {
        const auto candidate = method.candidates(problem, {2}, tile).front();
        problem.onDevice.map = false;
        QVERIFY(method.onDevice()->reduces(problem));
        base::TilePool pool(2);
        const auto prepared = method.prepare(problem, candidate, templ, pool);
        const auto workspace = method.makeWorkspace(problem, candidate);
        const bool inDouble = problem.precision == method::Precision::Double;
        method::MatchMap map(method::mapExtents(problem), inDouble);
        const auto whole = method.execute(problem, candidate, *prepared, scene, *workspace,
                                          {pool, {}, {}}, method::viewOf(map));
        const match::MapStatistics statistics =
            match::mapStatistics(map.value.view(), map.status.view());
        for (const bool partial : {false, true}) {
            for (const double minScore : {0.6, -0.2}) {
                const method::Reduction wanted{minScore, partial,
                                               test::someVoxels(map.value.extents())};
                const auto outcome = method.onDevice()->reduce(
                    problem, candidate, {prepared}, scene, *workspace, {pool, {}, {}}, wanted);
                QVERIFY(outcome.onDevice.reduced);
                QVERIFY(test::same(outcome.facts, whole.facts));
                QVERIFY(
                    test::same(match::statisticsOf(outcome.onDevice.reduced->tally()), statistics));
                for (const base::Index& at : wanted.asked) {
                    QCOMPARE(outcome.onDevice.reduced->asked(at).status, map.status.view().at(at));
                    QCOMPARE(outcome.onDevice.reduced->asked(at).value,
                             inDouble ? map.exact.view().at(at)
                                      : static_cast<double>(map.value.view().at(at)));
                }
                for (const std::int64_t most : {1, 30}) {
                    const match::PeakOptions options{.minScore = minScore,
                                                     .maxPeaks = most,
                                                     .partialPeaks = partial,
                                                     .outside = problem.outside,
                                                     .minOverlap = problem.minOverlap};
                    match::SearchedMap some{.templates = {templ},
                                            .value = {},
                                            .status = {},
                                            .facts = whole.facts,
                                            .statistics = statistics,
                                            .firstPlacement = method::firstPlacement(problem),
                                            .index = {},
                                            .reduced = outcome.onDevice.reduced.get()};
                    const auto found = match::findPeaks(scene, {some}, {}, options);
                    some.reduced = nullptr;
                    some.value = map.value.view();
                    some.status = map.status.view();
                    const auto all = match::findPeaks(scene, {some}, {}, options);
                    QVERIFY(!all.empty());
                    QCOMPARE(test::anyDifference(found, all), std::string());
                }
            }
        }
    }
};

const flcc::test::TestClass<ReduceTest> kReduceTest;
#include "reduce_test.moc"
