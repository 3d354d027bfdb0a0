#include <QtTest>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/cuda/on_double.h"
#include "tests/engine/cuda/reduced_bank.h"
#include "tests/engine/cuda/uneven_bank.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using method::Extent;
using method::Outside;
using test::Bank;
using test::Call;
using test::DeviceDouble;
using test::kFourier;
using test::kTiled;
using test::makerOf;
using test::Mask;
using test::Ready;
using test::Whole;

namespace {

const char* nameOf(int kind) { return kind == kTiled ? "tiled" : "fourier"; }

/// One mask for all templates, or another one for each, one of them all ones.
void mask(Bank& bank, bool equal) {
    const Extents m = base::extentsOf(bank.templs.front());
    const auto ones = [](const base::Index&) { return true; };
    for (std::size_t i = 0; i < bank.templs.size(); ++i) {
        bank.masks.push_back(equal || i == 0 ? test::lShape(m)
                             : i == 1        ? test::disc(m)
                             : i == 2        ? test::maskOf(m, ones)
                                             : test::someOf(m, 0.6, 5));
        try {
            method::requireUsableTemplate({base::viewOf(bank.templs[i]), bank.masks[i].view()});
        } catch (const base::Error&) {
            bank.templs[i] = test::noise(base::pixelType(bank.view().pixels), m, 40 + i);
        }
    }
}

/// Few values: scores that are exactly equal, exactly 0, and panels that are flat under one support
/// alone.
Bank fewValues() {
    const auto values = [](const Extents& extents, int count, std::uint64_t seed) {
        test::Random random(seed);
        return test::makeScene(PixelType::UInt8, extents, [&](const base::Index&) {
            return static_cast<double>(random.below(count));
        });
    };
    Bank bank{values({150, 70, 1}, 2, 3), {}};
    while (bank.templs.size() < 4) {
        bank.templs.push_back(values({3, 3, 1}, 3, 20 + bank.templs.size()));
    }
    return bank;
}

Bank bankOf(const std::string& name, bool equal) {
    Bank bank = name == "few values" ? fewValues() : Bank::of(name);
    mask(bank, equal);
    return bank;
}

/// The scene without a box.
Mask without(const Extents& scene, const base::Box& box) {
    return test::maskOf(scene, [&](const base::Index& at) {
        return !base::contains(box.extents,
                               {{at.x - box.corner.x, at.y - box.corner.y, 0}, {1, 1, 1}});
    });
}

void smallDevice(std::int64_t bytes) {
    test::deviceDouble().reset();
    test::deviceDouble().about.memoryBytes = bytes;
}

} // namespace

/// Templates with masks on one scene, whose map stays on a device, which is stood in for.
class MaskedBanksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void aMapThatStaysGivesWhatTheWholeOneGives_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("equal");
        QTest::addColumn<double>("promise");
        QTest::addColumn<bool>("recompute");
        QTest::addColumn<bool>("inDouble");
        std::vector<std::string> names = test::caseNames();
        names.emplace_back("few values");
        test::Thinned rows(7);
        for (const std::string& name : names) {
            for (const int kind : {kTiled, kFourier}) {
                for (const bool equal : {true, false}) {
                    const auto row = [&](double promise, bool recompute, bool inDouble) {
                        if (!rows.next()) {
                            return;
                        }
                        QTest::addRow("%s, %s, %s, %g%s%s", name.c_str(), nameOf(kind),
                                      equal ? "one mask" : "masks", promise,
                                      recompute ? "" : ", kept", inDouble ? ", double" : "")
                            << QString::fromStdString(name) << kind << equal << promise << recompute
                            << inDouble;
                    };
                    row(1e-4, true, false);
                    if (kind == kTiled) {
                        row(1e-13, true, true); // broken here and there
                        row(1e-13, false, true);
                    }
                }
            }
        }
    }

    void aMapThatStaysGivesWhatTheWholeOneGives() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        QFETCH(bool, equal);
        QFETCH(double, promise);
        QFETCH(bool, recompute);
        QFETCH(bool, inDouble);
        const Bank bank = bankOf(name.toStdString(), equal);
        method::Problem problem = bank.problem();
        problem.promise = promise;
        problem.recompute = recompute;
        problem.precision = inDouble ? method::Precision::Double : method::Precision::Single;
        const bool volume = problem.scene.z > 1;
        smallDevice(kind == kTiled && !volume ? 3 << 19 : 16 << 20);
        const test::OnDouble own(makerOf(kind));
        const Extents tile = kind == kTiled ? Extents{40, 36, volume ? 9 : 1} : Extents{};
        const std::string fault =
            test::reducedFault(*own.method, tile, problem, bank,
                               {.leastParts = kind == kFourier || volume ? 1U : 2U,
                                .minScores = {0.6, -0.2, -1},
                                .byProcessor = recompute});
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked_data() {
        QTest::addColumn<bool>("equal");
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("outside");
        QTest::addColumn<bool>("seen");
        test::Thinned rows(7);
        for (const bool equal : {true, false}) {
            for (const auto extent : {Extent::Valid, Extent::Same, Extent::Full}) {
                for (const auto outside : {Outside::Zero, Outside::Eibl, Outside::Overlap}) {
                    for (const bool seen : {false, true}) {
                        if ((seen || extent != Extent::Valid) && rows.next()) {
                            QTest::addRow("%s, %s, %s%s", equal ? "one mask" : "masks",
                                          name(extent).data(), name(outside).data(),
                                          seen ? ", masked scene" : "")
                                << equal << static_cast<int>(extent) << static_cast<int>(outside)
                                << seen;
                        }
                    }
                }
            }
        }
    }

    void panelsThatLeaveTheSceneTakePartWhereAsked() {
        QFETCH(bool, equal);
        QFETCH(int, extent);
        QFETCH(int, outside);
        QFETCH(bool, seen);
        for (const char* name : {"texture", "NaN", "few values"}) {
            if (test::kSanitized && name != std::string("NaN")) {
                continue;
            }
            Bank bank = bankOf(name, equal);
            if (seen) {
                bank.seen = without(base::extentsOf(bank.scene), {{45, 8, 0}, {30, 21, 1}});
            }
            for (const double minOverlap : {0.5, 0.05}) {
                const method::Problem problem =
                    bank.problem({.extent = static_cast<Extent>(extent),
                                  .outside = static_cast<Outside>(outside),
                                  .minOverlap = minOverlap});
                QCOMPARE(match::needsWholeMap(problem, bank.views(), false), !equal);
                QVERIFY(!match::needsWholeMap(problem, bank.views(), true));
                smallDevice(2 << 20);
                const test::OnDouble own(cuda::tiledMethod);
                const std::string fault =
                    test::reducedFault(*own.method, {50, 36, 1}, problem, bank,
                                       {.leastParts = 2, .byProcessor = true});
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // Panels at the border see a part of the template that is constant: they are FLAT.
    void templatesThatAreConstantOnAnOverlapHaveNoScore() {
        for (const double level : {3.0, 77.0, 91.0}) {
            Bank bank{test::texture(PixelType::UInt16, {150, 70, 1}, 5), {}};
            for (int i = 0; i < 3; ++i) {
                bank.templs.push_back(test::withLevelEdges(level + i));
            }
            const method::Problem problem = bank.problem(
                {.extent = Extent::Full, .outside = Outside::Overlap, .minOverlap = 0.01});
            smallDevice(2 << 20);
            const test::OnDouble own(cuda::tiledMethod);
            const std::string fault = test::reducedFault(
                *own.method, {50, 36, 1}, problem, bank,
                {.leastParts = 2, .minScores = {0.3, -0.9}, .byProcessor = true});
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void whatNeedsTheWholeMapIsRefusedWithoutIt() {
        Bank bank = bankOf("texture", false);
        method::Problem problem = bank.problem({.extent = Extent::Same});
        problem.onDevice.map = false;
        QVERIFY(match::needsWholeMap(problem, bank.views(), false));
        problem.extent = Extent::Valid;
        QVERIFY(!match::needsWholeMap(problem, bank.views(), false));
        problem.sceneMask = true;
        QVERIFY(match::needsWholeMap(problem, bank.views(), false));
        problem.sceneMask = false;
        problem.extent = Extent::Same;
        const test::OnDouble own(cuda::tiledMethod);
        Ready ready(*own.method, problem, bank, {50, 36, 1});
        const Whole whole(ready);
        const auto some = reduced(ready, {});
        QVERIFY_THROWS_EXCEPTION(base::Error,
                                 (void)peaksOf(ready, whole, {}, some.onDevice.reduced.get()));
        const auto all = cuda::reduceOnHost(problem, [&](const method::BankView& to) {
            return own.method->executeBank(problem, ready.candidate, ready.prepared, ready.scene,
                                           *ready.workspace, {ready.pool, {}, {}}, to);
        });
        QCOMPARE(test::anyDifference(peaksOf(ready, whole, {}, all.onDevice.reduced.get()),
                                     peaksOf(ready, whole, {})),
                 std::string());
    }

    void aSceneMaskOfOnesLeavesNoneOut() {
        Bank bank = bankOf("texture", false);
        bank.seen = test::maskOf(base::extentsOf(bank.scene), [](const auto&) { return true; });
        smallDevice(2 << 20);
        const test::OnDouble own(cuda::tiledMethod);
        const std::string fault = test::reducedFault(*own.method, {50, 36, 1}, bank.problem(), bank,
                                                     {.leastParts = 2, .byProcessor = true});
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void withoutRoomForAllTheMapComesWhole_data() { everyKind(); }

    void withoutRoomForAllTheMapComesWhole() {
        QFETCH(int, kind);
        QFETCH(bool, equal);
        const Bank bank = bankOf("texture", equal);
        method::Problem problem = bank.problem();
        problem.onDevice.map = false;
        const Extents tile;
        std::int64_t bytes = 16 << 20;
        for (int uploads = 1; uploads == 1; bytes = bytes * 9 / 10) {
            smallDevice(bytes);
            const test::OnDouble own(makerOf(kind));
            uploads = Ready(*own.method, problem, bank, tile).predicted().onDevice.times->uploads;
        }
        const test::OnDouble tight(makerOf(kind));
        const std::string fault = test::reducedFault(*tight.method, tile, problem, bank,
                                                     {.uploads = 4, .byProcessor = true});
        QVERIFY2(fault.empty(), fault.c_str());
        QCOMPARE(test::deviceDouble().calls[static_cast<std::size_t>(Call::Reduce)],
                 std::int64_t{0});
    }

    void devicesShareABank() {
        for (const bool equal : {true, false}) {
            const Bank bank = bankOf("ties", equal);
            for (const bool lost : {false, true}) {
                DeviceDouble& device = test::deviceDouble();
                device.reset();
                device.start.devices = 2;
                device.call = Call::Reduce;
                device.turn = lost ? 2 : 0;
                device.failing = 1;
                device.result = DeviceDouble::kInvalidValue;
                const test::OnDouble both(cuda::tiledMethod, {0, 1});
                const std::string fault =
                    test::reducedFault(*both.method, {40, 24, 1}, bank.problem(), bank,
                                       {.leastParts = 4, .byProcessor = true});
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // The predicted memory is never below what a run takes, and at most a tenth above it.
    void whatABankTakesIsPredicted_data() { everyKind(); }

    void whatABankTakesIsPredicted() {
        QFETCH(int, kind);
        QFETCH(bool, equal);
        const Bank bank = bankOf("texture", equal);
        method::Problem problem = bank.problem();
        std::array<std::int64_t, 2> came{};
        for (const bool map : {true, false}) {
            problem.onDevice.map = map;
            smallDevice(2 << 20);
            const test::OnDouble own(makerOf(kind));
            const Extents tile = kind == kTiled ? Extents{40, 36, 1} : Extents{};
            if (kind == kFourier) {
                smallDevice(16 << 20);
            }
            Ready ready(*own.method, problem, bank, tile);
            const method::Prediction predicted = ready.predicted();
            const auto outcome = map ? Whole(ready).outcome : reduced(ready, {});
            const DeviceDouble& device = test::deviceDouble();
            const auto reported = static_cast<double>(predicted.onDevice.bytes);
            const auto most = static_cast<double>(device.mostBytes);
            // Of templates under one mask each is counted with its own.
            QVERIFY2(reported >= most && reported <= 1.1 * most,
                     qPrintable(QStringLiteral("%1 for %2").arg(reported).arg(most)));
            QVERIFY(predicted.hostBytes >= device.mostPinned + method::mapBytes(problem));
            came[map ? 1 : 0] = outcome.onDevice.times->downloaded;
            const std::int64_t expected = predicted.onDevice.times->downloaded;
            QVERIFY(came[map ? 1 : 0] < 2 * expected && expected < 2 * came[map ? 1 : 0]);
        }
        QVERIFY(3 * came[0] < came[1]);
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("equal");
        for (const int kind : {kTiled, kFourier}) {
            for (const bool equal : {true, false}) {
                QTest::addRow("%s, %s", nameOf(kind), equal ? "one mask" : "masks")
                    << kind << equal;
            }
        }
    }
};

const flcc::test::TestClass<MaskedBanksTest> kMaskedBanksTest;
#include "masked_banks_test.moc"
