#include <QtTest>

#include <atomic>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string>

#include "engine/base/error.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using filter::Border;
using filter::Kernel;
using method::Extent;
using method::Precision;

namespace {

Kernel named(const std::string& name, const base::AnyImage& scene) {
    return filter::kernelByName(name, base::extentsOf(scene), base::Geometry{});
}

filter::Plan planOf(const base::AnyImage& scene, const Kernel& kernel, const filter::Wanted& wanted,
                    std::int64_t memory = INT64_MAX, Precision precision = Precision::Single,
                    Extent extent = Extent::Same) {
    method::Limits limits;
    limits.threads = 2;
    limits.memoryBytes = memory;
    return filter::makePlan(test::problemOf(scene, kernel, extent, Border::Zero, precision), kernel,
                            limits, method::CostModel{}, wanted, base::viewOf(scene),
                            test::testPool());
}

filter::Wanted estimate(const std::string& method = "auto") {
    return {.method = method, .timing = filter::Wanted::Timing::None};
}

} // namespace

class ConvolutionFaultsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // faultOf() checks both: NaN where the kernel touches one, and the clean value elsewhere.
    void nanReachesTheResultsWhoseKernelTouchesIt() {
        for (const bool flat : {true, false}) {
            for (const double value :
                 {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
                const Extents n = flat ? Extents{33, 29, 1} : Extents{9, 8, 7};
                base::AnyImage scene = test::noise(PixelType::Float32, n, 1);
                test::setVoxel(scene, {2, 1, 0}, value);
                test::setVoxel(scene, {n.x - 1, n.y - 1, n.z - 1}, value);
                test::setVoxel(scene, {n.x / 2, n.y / 2, n.z / 2}, value);
                for (const char* const name : {"box:2", "gaussian:0.8", "sobel:y"}) {
                    const std::string fault = test::judgeConvolution(scene, named(name, scene));
                    QVERIFY2(fault.empty(), fault.c_str());
                }
                if (test::kSanitized) {
                    return;
                }
            }
        }
        const base::AnyImage all = test::makeScene(PixelType::Float64, {8, 7, 1},
                                                   [](const auto&) { return std::nan(""); });
        const std::string fault = test::judgeConvolution(all, named("gaussian:1", all));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void hugeAndTinyScenesNeitherOverflowNorVanish() {
        for (const double scale : {0x1p100, 0x1p-100}) {
            const base::AnyImage usual = test::noise(PixelType::Float32, {40, 30, 1}, 2);
            const base::AnyImage scene =
                test::mapped(usual, PixelType::Float32, [&](double v) { return v * scale; });
            const base::AnyImage weights = test::noise(PixelType::Float32, {5, 4, 1}, 3);
            const Kernel kernel("kernel.mha", base::viewOf(weights), Precision::Single);
            const std::string fault = test::judgeConvolution(scene, kernel);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aStopEndsEveryMethod() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {400, 300, 1}, 4);
        const Kernel kernel = named("gaussian:2", scene);
        const filter::Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Mirror, Precision::Single);
        for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
            std::stop_source before;
            before.request_stop();
            QVERIFY2(filter::convolve(problem, kernel, way, base::viewOf(scene), test::testPool(),
                                      before.get_token())
                         .cancelled,
                     way.method.c_str());
            std::stop_source during;
            const filter::Convolved stopped =
                filter::convolve(problem, kernel, way, base::viewOf(scene), test::testPool(),
                                 during.get_token(), [&](double share) {
                                     if (share < 1) {
                                         during.request_stop();
                                     }
                                 });
            QVERIFY(stopped.cancelled || !during.stop_requested() || way.method == "fourier");
        }
    }

    void progressEndsAtOne() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {200, 150, 1}, 5);
        for (const char* const name : {"log:2", "box:9"}) {
            const Kernel kernel = named(name, scene);
            const filter::Problem problem =
                test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
            for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
                std::atomic<double> last = 0;
                (void)filter::convolve(problem, kernel, way, base::viewOf(scene), test::testPool(),
                                       {}, [&](double share) { last = share; });
                QVERIFY2(last == 1.0, way.method.c_str());
            }
        }
    }

    void theNumberOfThreadsChangesNoBit() {
        const base::AnyImage scene = test::texture(PixelType::Float32, {211, 190, 1}, 6);
        base::TilePool one(1);
        base::TilePool three(3);
        for (const char* const name : {"log:1.7", "box:6"}) {
            const Kernel kernel = named(name, scene);
            const filter::Problem problem =
                test::problemOf(scene, kernel, Extent::Same, Border::Wrap, Precision::Single);
            for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
                const auto run = [&](base::TilePool& pool) {
                    return filter::convolve(problem, kernel, way, base::viewOf(scene), pool);
                };
                const filter::Convolved a = run(one);
                const filter::Convolved b = run(three);
                const auto& left = std::get<base::Image<float>>(a.pixels);
                const auto& right = std::get<base::Image<float>>(b.pixels);
                QVERIFY2(std::equal(left.data(), left.data() + left.count(), right.data()),
                         way.method.c_str());
                QCOMPARE(a.bound, b.bound);
            }
        }
    }

    void aMemoryLimitRefusesWhatDoesNotFit() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {700, 600, 1}, 7);
        const Kernel kernel = named("gaussian:4", scene);
        const filter::Plan free = planOf(scene, kernel, estimate());
        QVERIFY(free.chosen() != nullptr);
        std::int64_t least = INT64_MAX;
        std::int64_t most = 0;
        for (const method::CandidateReport& row : free.candidates) {
            if (row.prediction) {
                least = std::min(least, row.prediction->hostBytes);
                most = std::max(most, row.prediction->hostBytes);
            }
        }
        QVERIFY(least >= 4 * 700 * 600); // the result itself
        const filter::Plan tight = planOf(scene, kernel, estimate(), least);
        QVERIFY(tight.chosen() != nullptr);
        QVERIFY(tight.chosen()->prediction->hostBytes <= least);
        QVERIFY(most > least);
        QVERIFY(std::any_of(tight.candidates.begin(), tight.candidates.end(),
                            [](const method::CandidateReport& row) { return row.forMemory; }));
        const filter::Plan none = planOf(scene, kernel, estimate(), 4 * 700 * 600);
        QVERIFY(none.chosen() == nullptr);
    }

    void autoTakesNoRoughApproximation() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {300, 300, 1}, 8);
        const auto rowOf = [](const filter::Plan& plan, std::string_view method) {
            for (const method::CandidateReport& row : plan.candidates) {
                if (row.candidate.method == method) {
                    return row;
                }
            }
            return method::CandidateReport{};
        };
        const Kernel smooth = named("gaussian:10", scene);
        QVERIFY(rowOf(planOf(scene, smooth, estimate()), "recursive").prediction.has_value());
        QVERIFY(!rowOf(planOf(scene, smooth, estimate(), INT64_MAX, Precision::Double), "recursive")
                     .prediction);
        QVERIFY(rowOf(planOf(scene, smooth, estimate("recursive"), INT64_MAX, Precision::Double),
                      "recursive")
                    .prediction.has_value());
        // Running sums of a box are exact in both.
        QVERIFY(
            rowOf(planOf(scene, named("box:9", scene), estimate(), INT64_MAX, Precision::Double),
                  "recursive")
                .prediction.has_value());
    }

    void methodsRefuseWhatTheyCannotDo() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {60, 50, 1}, 9);
        const base::AnyImage weights = test::noise(PixelType::Float32, {5, 4, 1}, 10);
        const Kernel kernel("kernel.mha", base::viewOf(weights), Precision::Single);
        for (const char* const method : {"separable", "recursive"}) {
            const filter::Plan plan = planOf(scene, kernel, estimate(method));
            QVERIFY(plan.chosen() == nullptr);
            QVERIFY(!plan.candidates.front().reason.empty());
        }
        const Kernel gaussian = named("gaussian:2", scene);
        QVERIFY(planOf(scene, gaussian, estimate("recursive"), INT64_MAX, Precision::Single,
                       Extent::Full)
                    .chosen() == nullptr);
        for (const char* const method : {"difference", "fastest", ""}) {
            QVERIFY_EXCEPTION_THROWN((void)planOf(scene, kernel, estimate(method)), base::Error);
        }
        // A kernel larger than the scene has no valid voxel, and every voxel of same and full.
        const Kernel wide = named("box:70", scene);
        QVERIFY_EXCEPTION_THROWN(
            (void)planOf(scene, wide, estimate(), INT64_MAX, Precision::Single, Extent::Valid),
            base::Error);
        QVERIFY(planOf(scene, wide, estimate()).chosen() != nullptr);
    }

    void timingChoosesAmongPlausibleCandidates() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {3200, 2400, 1}, 11);
        const base::AnyImage weights = test::noise(PixelType::Float32, {21, 21, 1}, 12);
        const Kernel kernel("kernel.mha", base::viewOf(weights), Precision::Single);
        const filter::Plan plan = planOf(scene, kernel, filter::Wanted{});
        QVERIFY(plan.chosen() != nullptr);
        // The chosen one is not slower than any that was timed.
        QVERIFY(plan.chosen()->sampleMs.has_value());
        QVERIFY(std::any_of(plan.candidates.begin(), plan.candidates.end(),
                            [](const method::CandidateReport& row) { return row.measuredMs; }));
        for (const method::CandidateReport& row : plan.candidates) {
            QVERIFY(!row.reason.empty());
        }
    }
};

const flcc::test::TestClass<ConvolutionFaultsTest> kConvolutionFaultsTest;
#include "convolution_faults_test.moc"
