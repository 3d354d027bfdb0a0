#include <QtTest>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/run/map_run.h"
#include "tests/engine/cuda/banks.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/engine/cuda/reduced_bank.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Bank;
using test::Call;
using test::calls;
using test::DeviceDouble;
using test::Order;
using test::Ready;
using test::Whole;

/// Several templates on one scene, on a device that is stood in for.
class BanksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void aReducedBankGivesWhatTheWholeMapGives_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("way");
        QTest::addColumn<double>("promise");
        QTest::addColumn<bool>("recompute");
        QTest::addColumn<bool>("inDouble");
        test::Thinned rows(11);
        for (const std::string& name : test::caseNames()) {
            for (const int way : {0, 1, 2}) {
                const auto row = [&](double promise, bool recompute, bool inDouble) {
                    if (!rows.next()) {
                        return;
                    }
                    QTest::addRow("%s, %s, %g%s%s", name.c_str(), wayName(way), promise,
                                  recompute ? "" : ", kept", inDouble ? ", double" : "")
                        << QString::fromStdString(name) << way << promise << recompute << inDouble;
                };
                row(1e-4, true, false);
                if (way == 2) { // one tile of the same kernels
                    continue;
                }
                row(1e-6, true, false); // broken everywhere: parts are done again
                row(4e-6, true, false); // here and there
                row(4e-6, false, false);
                row(2e-14, true, true);
                row(2e-14, false, true);
            }
        }
    }

    void aReducedBankGivesWhatTheWholeMapGives() {
        QFETCH(QString, name);
        QFETCH(int, way);
        QFETCH(double, promise);
        QFETCH(bool, recompute);
        QFETCH(bool, inDouble);
        const Bank bank = Bank::of(name.toStdString());
        method::Problem problem = bank.problem();
        problem.promise = promise;
        problem.recompute = recompute;
        problem.precision = inDouble ? method::Precision::Double : method::Precision::Single;
        smallDevice(way == 1 && !inDouble && problem.scene.z == 1 ? 1 << 20 : 16 << 20);
        const test::OnDouble own(makerOf(way));
        QCOMPARE(test::reducedFault(*own.method, tileOf(way, problem), problem, bank),
                 std::string());
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked_data() {
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("outside");
        for (const auto extent : {method::Extent::Same, method::Extent::Full}) {
            for (const auto outside :
                 {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
                QTest::addRow("%s, %s", std::string(method::name(extent)).c_str(),
                              std::string(method::name(outside)).c_str())
                    << static_cast<int>(extent) << static_cast<int>(outside);
            }
        }
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked() {
        QFETCH(int, extent);
        QFETCH(int, outside);
        const Bank bank = Bank::of("texture");
        smallDevice(4 << 20);
        const test::OnDouble own(cuda::tiledMethod);
        const method::Problem problem =
            bank.problem({.extent = static_cast<method::Extent>(extent),
                          .outside = static_cast<method::Outside>(outside)});
        QCOMPARE(test::reducedFault(*own.method, {50, 36, 1}, problem, bank), std::string());
    }

    // Score 14 of the first part excludes score 15, which is 0 and excludes the first one of the
    // second part.
    void aScoreOfZeroAtTheBorderOfAPartExcludes() {
        const std::vector<double> rows{1, 3, 6, 3, 2, 1};
        const auto row = [&](std::int64_t y) {
            return y < 14 || y > 19 ? 0.0 : rows[static_cast<std::size_t>(y - 14)];
        };
        Bank bank{test::makeScene(PixelType::UInt8, {3, 40, 1},
                                  [&](const base::Index& at) { return row(at.y); }),
                  {}};
        for (int i = 0; i < 2; ++i) {
            bank.templs.push_back(
                test::makeScene(PixelType::UInt8, {3, 3, 1},
                                [](const base::Index& at) { return static_cast<double>(at.y); }));
        }
        const test::OnDouble own;
        const method::Problem problem = bank.problem();
        QCOMPARE(test::reducedFault(*own.method, {64, 16, 1}, problem, bank,
                                    {.leastParts = 2, .minScores = {-1}, .byProcessor = true}),
                 std::string());
        Ready ready(*own.method, problem, bank, {64, 16, 1});
        const Whole whole(ready);
        QVERIFY(whole.map.value.view().at(0, 14, 0) > 0.5F);
        QCOMPARE(whole.map.value.view().at(0, 15, 0), 0.0F);
        QCOMPARE(whole.map.status.view().at(0, 15, 0), base::Status::Ok);
        QVERIFY(whole.map.value.view().at(0, 16, 0) < -0.5F);
    }

    // Those that the host converts, and those that are computed in double.
    void scenesOfOtherTypesComeBackAsFloatsToo() {
        for (const PixelType type : {PixelType::Int8, PixelType::UInt32, PixelType::Float64}) {
            for (const int way : {0, 1}) {
                Bank bank{test::texture(type, {150, 70, 1}, 5), {}};
                bank.templs.push_back(test::crop(bank.scene, {{40, 10, 0}, {9, 7, 1}}));
                bank.templs.push_back(test::noise(type, {9, 7, 1}, 17));
                smallDevice(2 << 20);
                const test::OnDouble own(makerOf(way));
                const method::Problem problem = bank.problem();
                QCOMPARE(test::reducedFault(*own.method, tileOf(way, problem), problem, bank,
                                            {.byProcessor = true}),
                         std::string());
            }
        }
    }

    void theSceneIsUploadedOnce_data() { ways(); }

    void theSceneIsUploadedOnce() {
        QFETCH(int, way);
        const Bank bank = Bank::of("texture");
        const method::Problem problem = bank.problem();
        smallDevice();
        const test::OnDouble own(makerOf(way));
        Ready ready(*own.method, problem, bank, tileOf(way, problem));
        const Whole whole(ready);
        const auto parts = std::ssize(whole.regions);
        const auto templates = std::ssize(bank.templs);
        QVERIFY(way == 2 || parts >= 4);
        QCOMPARE(calls(Call::Upload), parts + templates);
        QCOMPARE(calls(Call::Merge), parts * templates);
        QCOMPARE(whole.outcome.onDevice.times->uploads, 1);
        QCOMPARE(ready.predicted().onDevice.times->uploads, 1);
        if (way == 0) {
            QCOMPARE(calls(Call::Direct), parts * templates);
            QCOMPARE(test::deviceDouble().sumsTaken, parts);
        } else { // load and sums of a part; place and round, multiply and score of a template
            QCOMPARE(calls(Call::Tiled), 2 * parts + 2 * templates + 2 * parts * templates);
            QCOMPARE(calls(Call::Transform), parts + templates + parts * templates);
        }
        // The spectra of the templates stay for their next scene.
        const std::int64_t before = calls(Call::Upload);
        const Whole again(ready);
        QCOMPARE(calls(Call::Upload), before + parts + (way == 0 ? templates : 0));
        QCOMPARE(difference(again, whole), std::string());
        std::swap(ready.prepared[0], ready.prepared[1]);
        const Whole swapped(ready);
        QCOMPARE(test::firstDifferentBit(swapped.map, whole.map), std::string());
        QVERIFY(!std::equal(swapped.index.data(), swapped.index.data() + swapped.index.count(),
                            whole.index.data()));
    }

    void panelsThatLeaveTheSceneShareWhatBelongsToTheScene() {
        const Bank bank = Bank::of("texture");
        smallDevice(4 << 20);
        const auto transforms = [&](const test::Asked& asked) {
            const test::OnDouble own(cuda::tiledMethod);
            const method::Problem problem = bank.problem(asked);
            Ready ready(*own.method, problem, bank, {50, 36, 1});
            const std::int64_t before = calls(Call::Transform);
            const Whole whole(ready);
            const std::int64_t each =
                asked.outside == method::Outside::Overlap ? 3 : 2; // of a template's weights
            return std::pair{calls(Call::Transform) - before - each * std::ssize(bank.templs),
                             std::ssize(whole.regions)};
        };
        const auto templates = std::ssize(bank.templs);
        // Three loaded, S1, S2 and N shared; Cn and T1 of each.
        const auto [zero, parts] = transforms({.extent = method::Extent::Same});
        QCOMPARE(zero, parts * (3 + 3 + 2 * templates));
        const auto [overlap, same] =
            transforms({.extent = method::Extent::Same, .outside = method::Outside::Overlap});
        QCOMPARE(overlap, same * (3 + 3 + 3 * templates));
    }

    void maskedTemplatesShareTheirSpectraAndEqualMasksTheirSums_data() {
        QTest::addColumn<int>("outside");
        QTest::addRow("inside") << -1;
        for (const auto outside :
             {method::Outside::Zero, method::Outside::Eibl, method::Outside::Overlap}) {
            QTest::addRow("%s", std::string(method::name(outside)).c_str())
                << static_cast<int>(outside);
        }
    }

    void maskedTemplatesShareTheirSpectraAndEqualMasksTheirSums() {
        QFETCH(int, outside);
        test::Asked asked;
        const bool partial = outside >= 0;
        if (partial) {
            asked.extent = method::Extent::Same;
            asked.outside = static_cast<method::Outside>(outside);
        }
        const std::int64_t overlap = asked.outside == method::Outside::Overlap ? 1 : 0;
        for (const bool holes : {false, true}) {
            Bank bank = Bank::of(holes ? "NaN" : "texture");
            const Extents m = base::extentsOf(bank.templs.front());
            bank.masks.push_back(test::disc(m)); // three supports, equal ones apart
            bank.masks.push_back(test::lShape(m));
            bank.masks.push_back(test::maskOf(m, [](const base::Index&) { return true; }));
            bank.masks.push_back(test::disc(m));
            smallDevice(partial ? 3 << 20 : 2 << 20);
            const test::OnDouble own(cuda::tiledMethod);
            Ready ready(*own.method, bank.problem(asked), bank, {50, 36, 1});
            QCOMPARE(ready.predicted().onDevice.times->uploads, 1);
            const auto reported = static_cast<double>(ready.predicted().onDevice.bytes);
            const Whole whole(ready);
            const auto parts = std::ssize(whole.regions);
            QVERIFY(parts > 1);
            const auto most = static_cast<double>(test::deviceDouble().mostBytes);
            QVERIFY2(reported >= most && reported <= 1.1 * most,
                     qPrintable(QStringLiteral("%1 for %2").arg(reported).arg(most)));
            const std::int64_t notFinite = base::isInteger(ready.problem.scenePixel) ? 0 : 1;
            const std::int64_t spectra = 2 + (partial ? overlap : 0);
            const std::int64_t loaded = 2 + notFinite + (partial ? 1 : 0);
            const std::int64_t supports = 2 + notFinite + (partial ? 1 : 0);
            const std::int64_t each = 1 + (partial ? 1 + overlap : 0);
            QCOMPARE(calls(Call::Transform),
                     4 * spectra + parts * (loaded + 3 * supports + 4 * each));
            method::MatchMap best(method::mapExtents(ready.problem));
            base::Image<std::int32_t> index(method::mapExtents(ready.problem), -1);
            for (std::size_t i = 0; i < 4; ++i) {
                method::MatchMap alone(method::mapExtents(ready.problem));
                (void)own.method->execute(ready.problem, ready.candidate, *ready.prepared[i],
                                          ready.scene, *ready.workspace, {ready.pool, {}, {}},
                                          method::viewOf(alone));
                method::mergeBest(method::viewOf(alone), static_cast<std::int32_t>(i),
                                  {method::viewOf(best), index.view()});
            }
            QCOMPARE(test::firstDifferentBit(whole.map, best), std::string());
            QVERIFY(std::equal(index.data(), index.data() + index.count(), whole.index.data()));
        }
    }

    // The predicted memory is never below what a run takes, and at most a tenth above it.
    void whatABankTakesIsPredicted_data() { ways(); }

    void whatABankTakesIsPredicted() {
        QFETCH(int, way);
        const Bank bank = Bank::of("texture");
        for (const bool map : {true, false}) {
            method::Problem problem = bank.problem();
            problem.onDevice.map = map;
            smallDevice();
            const test::OnDouble own(makerOf(way));
            Ready ready(*own.method, problem, bank, tileOf(way, problem));
            const method::Prediction predicted = ready.predicted();
            const auto outcome = map ? Whole(ready).outcome : reduced(ready, {});
            const DeviceDouble& device = test::deviceDouble();
            const auto holds = [](std::int64_t reported, std::int64_t most) {
                return reported >= most &&
                       static_cast<double>(reported) <= 1.1 * static_cast<double>(most);
            };
            QVERIFY2(holds(predicted.onDevice.bytes, device.mostBytes),
                     qPrintable(QStringLiteral("%1 for %2")
                                    .arg(predicted.onDevice.bytes)
                                    .arg(device.mostBytes)));
            QVERIFY(predicted.hostBytes >= device.mostPinned + method::mapBytes(problem));
            const std::int64_t reported = predicted.onDevice.times->downloaded;
            const std::int64_t came = outcome.onDevice.times->downloaded;
            if (map && way != 1) {
                QCOMPARE(came, reported);
            } else if (map) { // parts that are cut have no fewer blocks in proportion
                QVERIFY(came >= reported && 20 * (came - reported) < reported);
            } else {
                QVERIFY(came < 2 * reported && reported < 2 * came);
            }
        }
    }

    void lessComesBackOfABankThanOfItsTemplates() {
        const Bank bank = Bank::of("texture");
        const test::OnDouble own;
        method::Problem problem = bank.problem();
        const auto bytes = [&](bool map) {
            problem.onDevice.map = map;
            Ready ready(*own.method, problem, bank, {});
            return (map ? Whole(ready).outcome : reduced(ready, {})).onDevice.times->downloaded;
        };
        const std::int64_t voxels = base::voxelCount(method::mapExtents(problem));
        const std::int64_t whole = bytes(true); // of four templates alone 5 bytes a voxel each
        QVERIFY(whole > 9 * voxels && whole < 10 * voxels && 3 * bytes(false) < whole);
    }

    void withoutRoomForAllEachTemplateBringsTheScene_data() { ways(); }

    void withoutRoomForAllEachTemplateBringsTheScene() {
        QFETCH(int, way);
        const Bank bank = Bank::of("texture");
        method::Problem problem = bank.problem();
        smallDevice();
        const test::OnDouble roomy(makerOf(way));
        const Extents tile = way == 0 ? Extents{64, 32, 1} : tileOf(way, problem);
        Ready enough(*roomy.method, problem, bank, tile);
        const std::int64_t bytes = enough.predicted().onDevice.bytes;
        const Whole expected(enough);
        DeviceDouble& device = test::deviceDouble();
        device.reset();
        // As much as all need at once but for a byte, where parts get no smaller.
        device.about.memoryBytes = way == 1 ? leastOf(bank, way) - 1 : bytes - 1;
        const test::OnDouble tight(makerOf(way));
        Ready little(*tight.method, problem, bank, tile);
        const method::Prediction predicted = little.predicted();
        QCOMPARE(predicted.onDevice.times->uploads, problem.templates);
        QVERIFY(predicted.onDevice.bytes <= device.about.memoryBytes);
        const Whole whole(little);
        QVERIFY(device.mostBytes <= device.about.memoryBytes);
        QCOMPARE(whole.outcome.onDevice.times->uploads, problem.templates);
        QCOMPARE(test::firstDifferentBit(whole.map, expected.map), std::string());
        QCOMPARE(calls(Call::Merge), std::int64_t{0});
        QCOMPARE(
            test::reducedFault(*tight.method, tile, problem, bank, {.uploads = problem.templates}),
            std::string());
    }

    void bitsDoNotDependOnWhatOverlaps_data() {
        QTest::addColumn<int>("way");
        QTest::addColumn<int>("order");
        QTest::addColumn<double>("promise");
        test::Thinned rows(2);
        for (const int way : {0, 1}) {
            for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
                for (const double promise : {1e-4, 4e-6, 1e-6}) {
                    if (!rows.next()) {
                        continue;
                    }
                    QTest::addRow("%s, order %d, %g", wayName(way), static_cast<int>(order),
                                  promise)
                        << way << static_cast<int>(order) << promise;
                }
            }
        }
    }

    void bitsDoNotDependOnWhatOverlaps() {
        QFETCH(int, way);
        QFETCH(int, order);
        QFETCH(double, promise);
        const Bank bank = Bank::of("texture");
        method::Problem problem = bank.problem();
        problem.promise = promise;
        smallDevice();
        test::deviceDouble().about.copyEngines = 0;
        const test::OnDouble plain(makerOf(way));
        Ready one(*plain.method, problem, bank, tileOf(way, problem));
        const Whole alone(one);
        for (const bool backwards : {false, true}) {
            smallDevice();
            test::deviceDouble().order = static_cast<Order>(order);
            test::deviceDouble().backwards = backwards;
            const test::OnDouble own(makerOf(way));
            Ready ready(*own.method, problem, bank, tileOf(way, problem));
            const Whole whole(ready);
            QVERIFY(whole.regions.size() >= 4);
            QCOMPARE(difference(whole, alone), std::string());
            QCOMPARE(test::deviceDouble().waiting, std::int64_t{0});
        }
    }

    void devicesShareABank() {
        const Bank bank = Bank::of("ties");
        const method::Problem problem = bank.problem();
        const test::OnDouble plain;
        Ready one(*plain.method, problem, bank, {64, 16, 1});
        const Whole alone(one);
        for (const bool lost : {false, true}) {
            DeviceDouble& device = test::deviceDouble();
            device.reset();
            device.start.devices = 2;
            device.call = Call::Merge;
            device.turn = lost ? 2 : 0;
            device.failing = 1;
            device.result = DeviceDouble::kInvalidValue;
            const test::OnDouble both(cuda::directMethod, {0, 1});
            Ready ready(*both.method, problem, bank, {64, 16, 1});
            const Whole whole(ready);
            QCOMPARE(difference(whole, alone), std::string());
            QCOMPARE(whole.outcome.onDevice.times->uploads, 1);
            QCOMPARE(test::reducedFault(*both.method, {64, 16, 1}, problem, bank), std::string());
        }
    }

    void aStopLeavesWholeParts_data() {
        QTest::addColumn<double>("promise");
        QTest::newRow("parts at once") << 1e-4;
        QTest::newRow("one template after the other") << 1e-6;
    }

    void aStopLeavesWholeParts() {
        QFETCH(double, promise);
        const Bank bank = Bank::of("texture");
        method::Problem problem = bank.problem();
        problem.promise = promise;
        smallDevice();
        const test::OnDouble own;
        Ready ready(*own.method, problem, bank, {64, 32, 1});
        const Whole all(ready);
        std::stop_source stop;
        std::int64_t parts = 0;
        method::MatchMap map(method::mapExtents(problem));
        base::Image<std::int32_t> index(method::mapExtents(problem), -1);
        std::vector<base::Box> finished;
        const method::Outcome outcome = own.method->executeBank(
            problem, ready.candidate, ready.prepared, ready.scene, *ready.workspace,
            {ready.pool, stop.get_token(),
             [&](const base::Box& box) {
                 finished.push_back(box);
                 if (++parts == 2) {
                     stop.request_stop();
                 }
             }},
            {method::viewOf(map), index.view()});
        QVERIFY(outcome.cancelled);
        QCOMPARE(std::ssize(finished), std::ptrdiff_t{2});
        for (std::int64_t i = 0; i < index.count(); ++i) {
            const base::Index at{i % index.extents().x, i / index.extents().x, 0};
            const bool done = std::any_of(finished.begin(), finished.end(), [&](const auto& box) {
                return base::contains(box.extents,
                                      {{at.x - box.corner.x, at.y - box.corner.y, 0}, {1, 1, 1}});
            });
            QCOMPARE(map.value.data()[i], done ? all.map.value.data()[i] : 0.0F);
            QCOMPARE(map.status.data()[i],
                     done ? all.map.status.data()[i] : base::Status::NotComputed);
            QCOMPARE(index.data()[i], done ? all.index.data()[i] : -1);
        }
        QCOMPARE(test::deviceDouble().waiting, std::int64_t{0});
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind_data() {
        QTest::addColumn<int>("call");
        QTest::addColumn<double>("promise");
        for (const Call call :
             {Call::OpenStream, Call::Allocate, Call::Pin, Call::Upload, Call::Download, Call::Wait,
              Call::Record, Call::Follow, Call::Await, Call::Elapsed, Call::Tiled, Call::Transform,
              Call::MakeTransform, Call::Merge, Call::Reduce}) {
            for (const double promise : {1e-4, 1e-6}) {
                QTest::addRow("call %d, %g", static_cast<int>(call), promise)
                    << static_cast<int>(call) << promise;
            }
        }
    }

    void everyCallThatFailsIsAnErrorAndLeavesNothingBehind() {
        QFETCH(int, call);
        QFETCH(double, promise);
        Bank bank{test::texture(PixelType::UInt16, {60, 40, 1}, 5), {}};
        bank.templs.push_back(test::crop(bank.scene, {{30, 10, 0}, {7, 5, 1}}));
        bank.templs.push_back(test::noise(PixelType::UInt16, {7, 5, 1}, 6));
        method::Problem problem = bank.problem();
        problem.onDevice.map = false;
        problem.promise = promise;
        const auto pose = [] {
            smallDevice(200 << 10);
            test::deviceDouble().order = Order::Late;
        };
        const auto found = test::failEach(static_cast<Call>(call), pose, [&] {
            const test::OnDouble on(cuda::tiledMethod);
            Ready ready(*on.method, problem, bank, {36, 30, 1});
            const method::Outcome outcome = reduced(ready, {});
            return std::string(!outcome.onDevice.reduced              ? "nothing came back"
                               : outcome.onDevice.times->uploads != 1 ? "the scene came again"
                                                                      : "");
        });
        QCOMPARE(found.fault, std::string());
        QVERIFY(found.errors >= 1);
    }

  private:
    static const char* wayName(int way) {
        return way == 0 ? "direct" : way == 1 ? "tiled" : "fourier";
    }
    static cuda::MakeMethod makerOf(int way) {
        return std::array{cuda::directMethod, cuda::tiledMethod, cuda::fourierMethod}.at(
            static_cast<std::size_t>(way));
    }
    static Extents tileOf(int way, const method::Problem& problem) {
        return way == 0   ? Extents{71, 32, 2} // half of most maps
               : way == 1 ? Extents{40, 36, problem.scene.z > 1 ? 9 : 1}
                          : Extents{};
    }
    static void ways() {
        QTest::addColumn<int>("way");
        for (const int way : {0, 1, 2}) {
            QTest::newRow(wayName(way)) << way;
        }
    }
    /// Some tiles a part, but of volumes and in double.
    static void smallDevice(std::int64_t bytes = 1 << 20) {
        test::deviceDouble().reset();
        test::deviceDouble().about.memoryBytes = bytes;
    }
    /// What all templates need at once of a device that has as good as nothing.
    static std::int64_t leastOf(const Bank& bank, int way) {
        const method::Problem problem = bank.problem();
        std::int64_t bytes = std::int64_t{8} << 30;
        std::int64_t before = bytes + 1;
        while (bytes < before) { // parts get smaller with the memory
            before = bytes;
            test::deviceDouble().about.memoryBytes = bytes;
            const test::OnDouble own(makerOf(way));
            const Ready ready(*own.method, problem, bank, tileOf(way, problem));
            const auto predicted = ready.predicted();
            bytes = predicted.onDevice.times->uploads == 1 ? predicted.onDevice.bytes : before;
        }
        return bytes;
    }
};

const flcc::test::TestClass<BanksTest> kBanksTest;
#include "banks_test.moc"
