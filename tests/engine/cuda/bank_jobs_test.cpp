#include <QtTest>

#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/job/job.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"
#include "tests/support/text.h"

using namespace flcc;
using test::Call;
using test::calls;
using test::DeviceDouble;
using test::failAt;
using test::holds;

namespace {

/// Looks at no map.
struct Blind : job::JobSink {
    [[nodiscard]] bool wantsMaps() const override { return false; }
};

/// A job of three templates of one extent.
struct Work {
    job::Job job;
    job::JobImages images;

    explicit Work(const std::string& device, const std::string& method = "direct") {
        const base::Extents extents =
            test::kSanitized ? base::Extents{250, 200, 1} : base::Extents{500, 400, 1};
        job::SceneImage scene{
            test::texture(base::PixelType::UInt16, extents, 7), {}, "memory", {}, {}};
        images.scene = std::make_shared<const job::SceneImage>(std::move(scene));
        job.crops = {
            {{120, 80, 0}, {24, 24, 1}}, {{180, 100, 0}, {24, 24, 1}}, {{30, 150, 0}, {24, 24, 1}}};
        job.device = device;
        job.threads = 1;
        job.planning = plan::Planning::Estimate;
        job.method = method;
        job.minScore = 0.5; // else the scores decide, for which all of the map must come back
    }
    /// Without maps unless `wantsMaps`.
    [[nodiscard]] job::JobResult run(bool wantsMaps = false) const {
        Blind blind;
        return job::runJob(job, images, {}, wantsMaps ? nullptr : &blind);
    }
};

std::string peaksDifference(const job::JobResult& a, const job::JobResult& b) {
    if (a.peaks.empty() || a.peaks.size() != b.peaks.size()) {
        return "other peaks";
    }
    for (std::size_t i = 0; i < a.peaks.size(); ++i) {
        const match::Peak& one = a.peaks[i];
        const match::Peak& other = b.peaks[i];
        if (!(one.corner == other.corner) || one.score != other.score || one.templ != other.templ ||
            one.shift != other.shift || one.rival != other.rival) {
            return "peak " + std::to_string(i) + " differs";
        }
    }
    return {};
}

} // namespace

/// Jobs with several templates on a machine with a GPU, which is stood in for.
class BankJobsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        test::deviceDouble().resetFast();
        cuda::Engine::standIn(&test::doubleTable());
    }
    void init() { test::deviceDouble().resetFast(); }

    void aBankStaysOnTheDevice_data() {
        QTest::addColumn<QString>("method");
        for (const char* method : {"direct", "tiled", "fourier"}) {
            QTest::newRow(method) << method;
        }
    }

    void aBankStaysOnTheDevice() {
        QFETCH(QString, method);
        const Work work("cuda:0", method.toStdString());
        const job::JobResult stayed = work.run();
        QVERIFY(calls(Call::Reduce) > 0 && calls(Call::Merge) == 3 * calls(Call::Reduce));
        const std::int64_t reduced = stayed.report.run->times->downloaded;
        test::deviceDouble().resetFast();
        const job::JobResult whole = work.run(true);
        QCOMPARE(calls(Call::Reduce), std::int64_t{0});
        QVERIFY(!stayed.map && !stayed.index && whole.map && whole.index);
        QVERIFY(5 * reduced < whole.report.run->times->downloaded);
        const job::JobResult cpu = Work("cpu", method.toStdString()).run();
        QCOMPARE(peaksDifference(stayed, whole), std::string());
        QCOMPARE(peaksDifference(stayed, cpu), std::string());
        for (std::size_t i = 0; i < stayed.peaks.size(); ++i) {
            QCOMPARE(stayed.peaks[i].zscore, whole.peaks[i].zscore);
        }
        const match::MapStatistics& statistics = stayed.report.map->statistics;
        const method::MapFacts& facts = stayed.report.map->facts;
        QVERIFY(facts.statusCounts == whole.report.map->facts.statusCounts);
        QCOMPARE(facts.scores.sum, whole.report.map->facts.scores.sum);
        QCOMPARE(statistics.standardDeviation, whole.report.map->statistics.standardDeviation);
        QVERIFY(stayed.report.audit->verdict == job::AuditVerdict::Passed);
        QCOMPARE(stayed.report.audit->checked, whole.report.audit->checked);
        QCOMPARE(stayed.report.audit->largestDeviation, whole.report.audit->largestDeviation);
    }

    void aMaskedBankStaysUnlessTheSearchNeedsAllOfItsMap_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("equal");
        QTest::addColumn<bool>("same");
        QTest::addColumn<bool>("masked");
        QTest::addColumn<bool>("partial");
        for (const char* method : {"tiled", "fourier"}) {
            for (const bool equal : {true, false}) {
                for (const auto& [same, masked] :
                     {std::pair{false, false}, {true, false}, {false, true}}) {
                    for (const bool partial : {false, true}) {
                        if (test::kSanitized && (masked || equal == partial)) {
                            continue;
                        }
                        QTest::addRow("%s, %s%s%s%s", method, equal ? "one mask" : "masks",
                                      same ? ", same" : "", masked ? ", masked scene" : "",
                                      partial ? ", partial peaks" : "")
                            << method << equal << same << masked << partial;
                    }
                }
            }
        }
    }

    void aMaskedBankStaysUnlessTheSearchNeedsAllOfItsMap() {
        QFETCH(QString, method);
        QFETCH(bool, equal);
        QFETCH(bool, same);
        QFETCH(bool, masked);
        QFETCH(bool, partial);
        const auto pose = [&](const char* device, const std::string& by) {
            Work work(device, by);
            job::SceneImage scene{
                test::texture(base::PixelType::UInt16, {160, 120, 1}, 7), {}, "memory", {}, {}};
            work.images.scene = std::make_shared<const job::SceneImage>(std::move(scene));
            const base::Extents m{12, 10, 1};
            work.job.crops = {{{20, 8, 0}, m}, {{100, 60, 0}, m}, {{30, 100, 0}, m}};
            const auto add = [&](auto& to, test::Mask mask) {
                to = job::maskOf({std::move(mask), {}, "mask", {}, {}});
            };
            for (const int i : {0, 1, 2}) {
                add(work.images.masks.emplace_back(), equal || i == 0 ? test::disc(m)
                                                      : i == 1        ? test::lShape(m)
                                                                      : test::twoParts(m));
            }
            if (masked) {
                add(work.images.sceneMask, test::someOf({160, 120, 1}, 0.999, 3));
            }
            work.job.extent = same ? method::Extent::Same : method::Extent::Valid;
            work.job.partialPeaks = partial;
            return work;
        };
        const Work work = pose("cuda:0", method.toStdString());
        const job::JobResult stayed = work.run();
        const bool needed = !equal && (same || masked) && !partial;
        QCOMPARE(calls(Call::Reduce) == 0, needed);
        QVERIFY(calls(Call::Merge) >= 3);
        test::deviceDouble().resetFast();
        const job::JobResult whole = work.run(true);
        QCOMPARE(calls(Call::Reduce), std::int64_t{0});
        QCOMPARE(peaksDifference(stayed, whole), std::string());
        QCOMPARE(peaksDifference(stayed, pose("cpu", "direct").run()), std::string());
        QVERIFY(stayed.report.audit->verdict == job::AuditVerdict::Passed);
        QVERIFY(stayed.report.map->facts.statusCounts == whole.report.map->facts.statusCounts);
        QCOMPARE(stayed.report.map->statistics.standardDeviation,
                 whole.report.map->statistics.standardDeviation);
    }

    void theReportTellsOfTheOneUpload() {
        const job::JobResult found = Work("cuda:0").run();
        QCOMPARE(found.report.run->times->uploads, 1);
        QCOMPARE(found.report.plan.chosen()->prediction->onDevice.times->uploads, 1);
        const std::string text = job::toText(found.report);
        QVERIFY2(holds(text, " ms for 1 upload of the scene, compute "), text.c_str());
        QVERIFY(!holds(text, "is uploaded for each template"));
        QVERIFY(holds(job::toJson(found.report), "\"uploads\": 1"));
    }

    void whatTurnsOutToHaveNoRoomUploadsAgain_data() {
        QTest::addColumn<int>("call");
        QTest::addColumn<int>("turn");
        for (int turn = 1; turn < 11; turn += test::kSanitized ? 8 : 1) {
            QTest::addRow("allocation %d", turn) << static_cast<int>(Call::Allocate) << turn;
        }
        QTest::addRow("pinned memory") << static_cast<int>(Call::Pin) << 2;
    }

    void whatTurnsOutToHaveNoRoomUploadsAgain() {
        QFETCH(int, call);
        QFETCH(int, turn);
        const Work work("cuda:0");
        const job::JobResult expected = work.run();
        for (const bool wantsMaps : {false, true}) {
            if (test::kSanitized && wantsMaps) {
                continue;
            }
            test::deviceDouble().resetFast();
            failAt(static_cast<Call>(call), turn, cuda::kOutOfMemory);
            const job::JobResult found = work.run(wantsMaps);
            QCOMPARE(peaksDifference(found, expected), std::string());
            QCOMPARE(found.report.run->device, std::string("cuda:0"));
            QCOMPARE(found.report.run->times->uploads, 3);
            QVERIFY(found.report.audit->verdict == job::AuditVerdict::Passed);
            QCOMPARE(found.notes.size(), std::size_t{1});
            QVERIFY2(holds(found.notes.front(), "out of memory; each template uploaded the scene"),
                     found.notes.front().c_str());
            const std::string text = job::toText(found.report);
            QVERIFY2(holds(text, " ms for 3 uploads of the scene, compute "), text.c_str());
            QVERIFY(holds(job::toJson(found.report), "\"uploads\": 3"));
        }
    }

    void aWrongBankIsSeenAndDoneOnTheProcessor() {
        test::deviceDouble().wrong = 2e-3F;
        const job::JobResult found = Work("auto").run();
        QCOMPARE(found.report.run->device, std::string("cpu"));
        QCOMPARE(peaksDifference(found, Work("cpu").run()), std::string());
        QVERIFY_EXCEPTION_THROWN((void)Work("cuda:0").run(), base::Error);
    }

    void templatesOfTwoExtentsAreTwoBanks() {
        Work work("cuda:0");
        work.job.crops.push_back({{200, 100, 0}, {30, 20, 1}});
        work.job.crops.push_back({{210, 130, 0}, {30, 20, 1}});
        const job::JobResult found = work.run();
        QCOMPARE(found.report.groups.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) { // the second finds the scene on the device
            const int uploads = i == 0 ? 1 : 0;
            const job::GroupReport& group = found.report.groups[i];
            QCOMPARE(group.run->times->uploads, uploads);
            QCOMPARE(group.plan.chosen()->prediction->onDevice.times->uploads, uploads);
            QVERIFY(group.plan.chosen()->prediction->onDevice.keepsScene);
        }
        QCOMPARE(found.report.run->times->uploads, 1);
        QCOMPARE(test::deviceDouble().memoryBytes, std::int64_t{0});
        const std::string text = job::toText(found.report);
        QVERIFY2(holds(text, "the scene was on the device, compute "), text.c_str());
        QVERIFY2(holds(text, "0 uploads: templates of another size left the scene"), text.c_str());
        QVERIFY(holds(job::toJson(found.report), "\"uploads\": 0"));
        work.job.device = "cpu";
        QCOMPARE(peaksDifference(found, work.run()), std::string());
        if (test::kSanitized) {
            return;
        }
        // What is repeated brings all that it takes alone.
        work.job.device = "cuda:0";
        work.job.repeat = 2;
        const job::JobResult repeated = work.run();
        QCOMPARE(repeated.report.run->times->uploads, 2);
        QCOMPARE(peaksDifference(repeated, found), std::string());
    }

    void aSceneStaysForDifferentMethodsAndMasks_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("masked");
        for (const char* method : {"direct", "tiled", "fourier"}) {
            for (const bool masked : {false, true}) {
                if (test::kSanitized && masked) {
                    continue;
                }
                if (!masked || method != std::string("direct")) { // which takes no mask on a GPU
                    QTest::addRow("%s%s", method, masked ? ", masked" : "") << method << masked;
                }
            }
        }
    }

    void aSceneStaysForDifferentMethodsAndMasks() {
        QFETCH(QString, method);
        QFETCH(bool, masked);
        Work work("cuda:0", method.toStdString());
        work.job.crops.push_back({{200, 100, 0}, {30, 20, 1}});
        work.job.crops.push_back({{160, 130, 0}, {11, 40, 1}});
        if (masked) {
            work.images.sceneMask =
                job::maskOf({test::someOf({500, 400, 1}, 0.999, 3), {}, "scene mask", {}, {}});
            for (const base::Box& crop : work.job.crops) { // equal ones in the bank of three
                work.images.masks.push_back(
                    job::maskOf({test::disc(crop.extents), {}, "mask", {}, {}}));
            }
            work.job.partialPeaks = true;
        }
        const job::JobResult found = work.run();
        QCOMPARE(found.report.groups.size(), std::size_t{3});
        QCOMPARE(found.report.run->times->uploads, 1);
        work.job.device = "cpu";
        work.job.method = "direct";
        QCOMPARE(peaksDifference(found, work.run()), std::string());
    }

    // The processor does what is left, in memory of its own.
    void aDeviceThatFailsLaterLeavesTheRestToTheProcessor() {
        Work work("auto");
        work.job.crops.push_back({{200, 100, 0}, {30, 20, 1}});
        test::failAt(Call::Direct, 4, DeviceDouble::kInvalidValue);
        const job::JobResult found = work.run();
        QCOMPARE(found.report.groups[0].run->device, std::string("cuda:0"));
        QCOMPARE(found.report.groups[1].run->device, std::string("cpu"));
        QCOMPARE(test::deviceDouble().memoryBytes, std::int64_t{0});
        work.job.device = "cpu";
        QCOMPARE(peaksDifference(found, work.run()), std::string());
    }
};

const flcc::test::TestClass<BankJobsTest> kBankJobsTest;
#include "bank_jobs_test.moc"
