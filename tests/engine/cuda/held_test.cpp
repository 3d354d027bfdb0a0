#include <QtTest>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/run/device_scene.h"
#include "engine/cuda/run/map_run.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Call;
using test::calls;
using test::DeviceDouble;
using test::Order;

namespace {

/// A scene that is matched with templates of several extents.
struct Scene {
    base::AnyImage pixels;
    std::optional<test::Mask> mask;

    [[nodiscard]] method::MaskedView view() const {
        method::MaskedView view = base::viewOf(pixels);
        view.mask = mask ? mask->view() : view.mask;
        return view;
    }
};

/// A template, a way to match it, and what came of that.
struct Match {
    Match(const method::Method& by, const Scene& in, const Extents& m, const test::Asked& asked,
          const Extents& tile, int runs)
        : method(by), scene(in.view()), pixels(test::noise(base::pixelType(scene.pixels), m, 17)) {
        const method::MaskedView templ(base::viewOf(pixels));
        problem = test::problemOf(scene, templ, asked);
        problem.onDevice.runs = runs;
        candidate = method.candidates(problem, {2}, tile).front();
        prepared = method.prepare(problem, candidate, templ, pool);
        map.emplace(method::mapExtents(problem));
    }

    [[nodiscard]] method::Prediction predicted(const std::string& sceneOn = {}) const {
        method::Limits limits{2};
        limits.onDevice.scene = sceneOn;
        return std::get<method::Prediction>(
            method.predict(problem, candidate, limits, {}, nullptr));
    }
    void run(method::SceneHold* hold, const std::stop_token& stop = {},
             const std::function<void()>& part = {}) {
        parts = 0;
        map.emplace(method::mapExtents(problem));
        const auto workspace = method.makeWorkspace(problem, candidate);
        outcome = method.execute(problem, candidate, *prepared, scene, *workspace,
                                 {pool,
                                  stop,
                                  [&](const base::Box&) {
                                      ++parts;
                                      if (part) {
                                          part();
                                      }
                                  },
                                  {hold}},
                                 method::viewOf(*map));
    }

    const method::Method& method;
    method::MaskedView scene;
    base::AnyImage pixels;
    method::Problem problem;
    method::Candidate candidate;
    std::shared_ptr<const method::Prepared> prepared;
    std::optional<method::MatchMap> map;
    method::Outcome outcome;
    int parts = 0;
    base::TilePool pool{2};
};

Scene sceneOf(const Extents& n, bool masked, PixelType type = PixelType::UInt16) {
    Scene scene{test::texture(type, n, 5), {}};
    if (masked) {
        scene.mask = test::someOf(n, 0.95, 3);
    }
    return scene;
}

} // namespace

/// A scene that stays on a device, which is stood in for, between runs.
class HeldTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void aSceneThatStaysGivesTheSameBits_data() {
        QTest::addColumn<int>("way");
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<bool>("masked");
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("order");
        test::Thinned thinned(3);
        for (const int way : {0, 1, 2}) {
            for (const Extents& n : {Extents{200, 117, 1}, Extents{60, 41, 19}}) {
                for (const bool masked : {false, true}) {
                    for (const auto extent :
                         {method::Extent::Valid, method::Extent::Same, method::Extent::Full}) {
                        for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
                            const bool general = masked || extent != method::Extent::Valid;
                            if ((order != Order::AtOnce && extent == method::Extent::Full) ||
                                (way == 0 && general)) { // which direct does not do
                                continue;
                            }
                            if (!thinned.next()) {
                                continue;
                            }
                            QTest::addRow("%s in %s%s, %s, order %d", wayName(way),
                                          base::toString(n).c_str(), masked ? " masked" : "",
                                          std::string(method::name(extent)).c_str(),
                                          static_cast<int>(order))
                                << way << n << masked << static_cast<int>(extent)
                                << static_cast<int>(order);
                        }
                    }
                }
            }
        }
    }

    void aSceneThatStaysGivesTheSameBits() {
        QFETCH(int, way);
        QFETCH(Extents, scene);
        QFETCH(bool, masked);
        QFETCH(int, extent);
        QFETCH(int, order);
        test::Asked asked;
        asked.extent = static_cast<method::Extent>(extent);
        const Scene own = sceneOf(scene, masked);
        const std::int64_t bytes = base::byteCount(scene, masked ? 3 : 2);
        DeviceDouble& device = test::deviceDouble();
        device.order = static_cast<Order>(order);
        if (way == 1) { // some tiles a part
            const bool general = masked || asked.extent != method::Extent::Valid;
            device.about.memoryBytes =
                scene.z > 1 ? (general ? 10 << 20 : 4 << 20) : (general ? 2 << 20 : 800 << 10);
        }
        const test::OnDouble on(makerOf(way));
        method::SceneHold hold;
        std::string sceneOn;
        for (const Extents& m :
             {Extents{9, 7, scene.z > 1 ? 4 : 1}, Extents{5, 12, scene.z > 1 ? 3 : 1}}) {
            const Extents tile = tileOf(way, scene);
            Match apart(*on.method, own, m, asked, tile, 1);
            apart.run(nullptr);
            QCOMPARE(apart.outcome.onDevice.times->uploads, 1);
            Match match(*on.method, own, m, asked, tile, 2);
            const bool first = sceneOn.empty();
            const method::Prediction predicted = match.predicted(sceneOn);
            QVERIFY(predicted.onDevice.keepsScene && !apart.predicted().onDevice.keepsScene);
            QCOMPARE(predicted.onDevice.times->uploads, first ? 1 : 0);
            QCOMPARE(predicted.onDevice.times->upload > 0, first);
            device.mostBytes = device.memoryBytes;
            device.mostPinned = device.pinnedBytes;
            const std::int64_t before = calls(Call::Upload);
            match.run(&hold);
            const std::int64_t came = calls(Call::Upload) - before;
            QVERIFY(way == 2 || match.parts > (way == 0 ? 3 : 1));
            QCOMPARE(match.parts, apart.parts);
            QCOMPARE(test::firstDifferentBit(*match.map, *apart.map), std::string());
            QCOMPARE(match.outcome.facts.largestBound, apart.outcome.facts.largestBound);
            QCOMPARE(match.outcome.onDevice.times->uploads, first ? 1 : 0);
            QVERIFY(match.outcome.onDevice.failures.empty());
            if (!first) { // the template alone
                QVERIFY(came <= 4);
            }
            const auto holds = [](std::int64_t reported, std::int64_t most) {
                return reported >= most &&
                       static_cast<double>(reported) <= 1.1 * static_cast<double>(most);
            };
            QVERIFY2(holds(predicted.onDevice.bytes, device.mostBytes),
                     qPrintable(QStringLiteral("%1 for %2")
                                    .arg(predicted.onDevice.bytes)
                                    .arg(device.mostBytes)));
            QVERIFY(predicted.hostBytes >= device.mostPinned + method::mapBytes(match.problem));
            QCOMPARE(device.memoryBytes, bytes);
            sceneOn = "cuda:0";
        }
        hold = {};
        QCOMPARE(device.memoryBytes, std::int64_t{0});
    }

    // Every voxel comes once, whatever the parts overlap.
    void everyVoxelComesOnce() {
        const Scene own = sceneOf({200, 117, 1}, false);
        const test::OnDouble on;
        Match match(*on.method, own, {9, 30, 1}, {}, {64, 16, 1}, 2);
        method::SceneHold hold;
        match.run(&hold);
        QCOMPARE(match.parts, 18);
        // Parts side by side see the same rows, and the template is one copy.
        QCOMPARE(calls(Call::Upload), std::int64_t{6 + 1});
        const auto& held = dynamic_cast<const cuda::DeviceScene&>(*hold.scene);
        QCOMPARE(held.slabs(), std::int64_t{117});
        const auto voxels = std::get<base::View<const std::uint16_t>>(own.view().pixels);
        QVERIFY(std::equal(voxels.data(), voxels.data() + 200 * 117,
                           reinterpret_cast<const std::uint16_t*>(held.pixels())));
    }

    void aSceneWithoutRoomComesAgain() {
        const Scene own = sceneOf({400, 1000, 1}, false);
        const test::OnDouble roomy;
        const Extents tile{128, 16, 1};
        const Match all(*roomy.method, own, {9, 7, 1}, {}, tile, 2);
        const std::int64_t bytes = all.predicted().onDevice.bytes;
        test::deviceDouble().about.memoryBytes = bytes - 1;
        const test::OnDouble tight;
        Match match(*tight.method, own, {9, 7, 1}, {}, tile, 2);
        const method::Prediction predicted = match.predicted();
        QVERIFY(!predicted.onDevice.keepsScene && predicted.onDevice.bytes < bytes);
        QCOMPARE(match.predicted("cuda:0").onDevice.times->uploads, 1);
        method::SceneHold hold;
        match.run(&hold);
        QVERIFY(!hold.scene && test::deviceDouble().mostBytes <= predicted.onDevice.bytes);
        QCOMPARE(match.outcome.onDevice.times->uploads, 1);
        // What another run left has to go first.
        test::deviceDouble().about.memoryBytes = bytes;
        const test::OnDouble enough;
        Match before(*enough.method, own, {9, 7, 1}, {}, tile, 2);
        before.run(&hold);
        QVERIFY(hold.scene);
        match.run(&hold);
        QVERIFY(!hold.scene);
        QCOMPARE(test::firstDifferentBit(*match.map, *before.map), std::string());
    }

    // A device that turns out to have no room: said, and done without.
    void aSceneThatFindsNoMemoryIsNotKept_data() {
        QTest::addColumn<int>("turn");
        QTest::newRow("for the scene") << 1;
        QTest::newRow("for what runs beside it") << 3;
    }

    void aSceneThatFindsNoMemoryIsNotKept() {
        QFETCH(int, turn);
        const Scene own = sceneOf({200, 117, 1}, false);
        const test::OnDouble on;
        Match apart(*on.method, own, {9, 7, 1}, {}, {64, 16, 1}, 1);
        apart.run(nullptr);
        Match match(*on.method, own, {9, 7, 1}, {}, {64, 16, 1}, 2);
        method::SceneHold hold;
        test::failAt(Call::Allocate, turn, cuda::kOutOfMemory);
        match.run(&hold);
        QVERIFY(!hold.scene && hold.refused);
        QCOMPARE(std::ssize(match.outcome.onDevice.failures), std::ptrdiff_t{1});
        QVERIFY(match.outcome.onDevice.failures.front().find(
                    "the scene did not stay on the device") != std::string::npos);
        QCOMPARE(match.outcome.onDevice.times->uploads, 1);
        QCOMPARE(test::firstDifferentBit(*match.map, *apart.map), std::string());
        QCOMPARE(test::deviceDouble().memoryBytes, std::int64_t{0});
    }

    void whatFailsLeavesNoSceneBehind() {
        const Scene own = sceneOf({200, 117, 1}, true);
        const test::OnDouble on;
        Match match(*on.method, own, {9, 7, 1}, {}, {64, 16, 1}, 2);
        for (const Call call : {Call::Upload, Call::Direct, Call::Download, Call::Await}) {
            method::SceneHold hold;
            match.run(&hold);
            hold = {};
            test::failAt(call, 4, DeviceDouble::kInvalidValue);
            QVERIFY_EXCEPTION_THROWN(match.run(&hold), base::Error);
            QVERIFY(!hold.scene && !hold.refused);
            QCOMPARE(test::deviceDouble().memoryBytes, std::int64_t{0});
        }
    }

    // What has come by then stays, and what has not comes with the next run.
    void aStopLeavesASceneThatGoesOn() {
        const Scene own = sceneOf({200, 117, 1}, true);
        for (const Order order : {Order::AtOnce, Order::Late}) {
            test::deviceDouble().order = order;
            const test::OnDouble on;
            Match match(*on.method, own, {9, 7, 1}, {}, {64, 16, 1}, 2);
            method::SceneHold hold;
            std::stop_source stop;
            match.run(&hold, stop.get_token(), [&] { stop.request_stop(); });
            QVERIFY(match.outcome.cancelled && hold.scene);
            QVERIFY(dynamic_cast<const cuda::DeviceScene&>(*hold.scene).slabs() < 117);
            Match next(*on.method, own, {5, 12, 1}, {}, {64, 16, 1}, 2);
            next.run(&hold);
            Match apart(*on.method, own, {5, 12, 1}, {}, {64, 16, 1}, 1);
            apart.run(nullptr);
            QCOMPARE(test::firstDifferentBit(*next.map, *apart.map), std::string());
        }
    }

    void devicesThatShareAMapKeepNoScene() {
        DeviceDouble& device = test::deviceDouble();
        device.start.devices = 2;
        const Scene own = sceneOf({200, 117, 1}, false);
        const test::OnDouble one;
        const test::OnDouble both(cuda::directMethod, {0, 1});
        Match apart(*one.method, own, {9, 7, 1}, {}, {64, 16, 1}, 2);
        method::SceneHold hold;
        apart.run(&hold);
        QVERIFY(hold.scene);
        Match match(*both.method, own, {9, 7, 1}, {}, {64, 16, 1}, 2);
        QVERIFY(!match.predicted().onDevice.keepsScene);
        match.run(&hold);
        QVERIFY(!hold.scene);
        QCOMPARE(match.outcome.onDevice.times->uploads, 1);
        QCOMPARE(test::firstDifferentBit(*match.map, *apart.map), std::string());
    }

  private:
    static const char* wayName(int way) {
        return way == 0 ? "direct" : way == 1 ? "tiled" : "fourier";
    }
    static cuda::MakeMethod makerOf(int way) {
        return std::array{cuda::directMethod, cuda::tiledMethod, cuda::fourierMethod}.at(
            static_cast<std::size_t>(way));
    }
    static Extents tileOf(int way, const Extents& n) {
        return way == 0   ? (n.z > 1 ? Extents{64, 48, 4} : Extents{128, 32, 1})
               : way == 1 ? Extents{40, 36, n.z > 1 ? 9 : 1}
                          : Extents{};
    }
};

const flcc::test::TestClass<HeldTest> kHeldTest;
#include "held_test.moc"
