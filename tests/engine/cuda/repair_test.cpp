#include <QtTest>

#include <string>

#include "tests/engine/cuda/reduced_bank.h"
#include "tests/engine/cuda/uneven_bank.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using test::Bank;
using test::Call;
using test::calls;
using test::kDirect;
using test::kFourier;
using test::kTiled;
using test::makerOf;
using test::Merged;
using test::Ready;
using test::smallDevice;
using test::tileOf;
using test::uneven;
using test::Whole;

namespace {

double stageOf(const method::Outcome& outcome, const std::string& name) {
    for (const auto& [stage, ms] : outcome.stagesMs) {
        if (stage == name) {
            return ms;
        }
    }
    return 0;
}

} // namespace

/// LOWCONF voxels of a device, which is stood in for: the host replaces them by canonical values.
class RepairTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void whateverBreaksThePromiseIsRepaired_data() { everyKind(); }

    void whateverBreaksThePromiseIsRepaired() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        const base::AnyView scene = base::viewOf(bank.scene);
        const base::AnyView templ = base::viewOf(bank.templs.front());
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        test::Way way = own.way(scene, templ, tileOf(kind));
        QCOMPARE(test::judge(way, scene, templ, test::judged(scene, templ)), std::string());
        const Call kernels = kind == kDirect ? Call::Direct : Call::Tiled;
        const std::int64_t before = calls(kernels);
        const test::MethodRun repaired = test::runMethod(way, scene, templ);
        const std::int64_t each = calls(kernels) - before;
        QCOMPARE(test::runFault(repaired), std::string());
        QVERIFY(stageOf(repaired.outcome, "recomputation") > 0);
        way.recompute = false;
        const test::MethodRun kept = test::runMethod(way, scene, templ);
        QCOMPARE(calls(kernels) - before, 2 * each); // the device computes every part once
        const method::MapFacts& facts = repaired.outcome.facts;
        const auto low = static_cast<std::size_t>(Status::LowConf);
        QVERIFY(10 * kept.outcome.facts.statusCounts[low] > kept.map.value.count());
        QCOMPARE(facts.recomputed, kept.outcome.facts.statusCounts[low]);
        QCOMPARE(facts.statusCounts[low], std::int64_t{0});
        QCOMPARE(facts.largestLowConf, 0.0);
        QVERIFY(facts.largestBound <= way.promise);
        for (std::int64_t i = 0; i < kept.map.value.count(); ++i) {
            if (kept.map.status.data()[i] != Status::LowConf) {
                QCOMPARE(repaired.map.value.data()[i], kept.map.value.data()[i]);
                QCOMPARE(repaired.map.status.data()[i], kept.map.status.data()[i]);
            }
        }
    }

    // Blocks with more LOWCONF scores than their lists hold, and blocks with few.
    void aBankHasTheScoresOfItsTemplates_data() { everyKind(); }

    void aBankHasTheScoresOfItsTemplates() {
        QFETCH(int, kind);
        const Bank bank = uneven();
        smallDevice(kind);
        const test::OnDouble own(makerOf(kind));
        const Merged expected(own, bank, tileOf(kind));
        Ready ready(*own.method, bank.problem(), bank, tileOf(kind));
        test::deviceDouble().mostBytes = 0;
        const Whole whole(ready);
        QCOMPARE(otherThan(expected, whole), std::string());
        QVERIFY(kind == kFourier || whole.regions.size() >= 4);
        QVERIFY(whole.outcome.facts.recomputed > 0);
        QCOMPARE(whole.outcome.onDevice.times->uploads, 1);
        QVERIFY(stageOf(whole.outcome, "recomputation") > 0);
        QVERIFY(ready.predicted().onDevice.bytes >= test::deviceDouble().mostBytes);
        if (!test::kSanitized || kind == kTiled) {
            QCOMPARE(test::reducedFault(*own.method, tileOf(kind), bank.problem(), bank,
                                        {.minScores = {0.6}}),
                     std::string());
        }
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::newRow("direct") << static_cast<int>(kDirect);
        QTest::newRow("tiled") << static_cast<int>(kTiled);
        QTest::newRow("fourier") << static_cast<int>(kFourier);
    }
};

const flcc::test::TestClass<RepairTest> kRepairTest;
#include "repair_test.moc"
