#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/cpu/transform/decimation.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using filter::Border;
using filter::Kernel;
using filter::Problem;
using method::Extent;
using method::Precision;
using method::Transforms;

namespace {

Kernel randomKernel(const Extents& extents, std::uint64_t seed) {
    const base::AnyImage weights = test::noise(PixelType::Float32, extents, seed);
    return {"kernel.mha", base::viewOf(weights), Precision::Single};
}

filter::Plan planOf(const Problem& problem, const Kernel& kernel, const base::AnyImage& scene,
                    const std::string& method, int parts = 0,
                    std::int64_t memory = std::numeric_limits<std::int64_t>::max(),
                    Transforms transforms = Transforms::Auto, const Extents& tile = {0, 0, 0}) {
    method::Limits limits;
    limits.transforms = transforms;
    limits.threads = test::testPool().threads();
    limits.memoryBytes = memory;
    const filter::Wanted wanted{
        .method = method, .tile = tile, .parts = parts, .timing = filter::Wanted::Timing::None};
    return filter::makePlan(problem, kernel, limits, method::CostModel{}, wanted,
                            base::viewOf(scene), test::testPool());
}

filter::Convolved convolved(const Problem& problem, const Kernel& kernel,
                            const base::AnyImage& scene, const std::string& method, int parts = 0,
                            Transforms transforms = Transforms::Auto,
                            const Extents& tile = {0, 0, 0}) {
    const filter::Plan plan = planOf(problem, kernel, scene, method, parts,
                                     std::numeric_limits<std::int64_t>::max(), transforms, tile);
    return filter::convolve(problem, kernel, plan.chosen()->candidate, base::viewOf(scene),
                            test::testPool());
}

/// The largest difference of two results, over the sum of their bounds.
double apart(const filter::Convolved& one, const filter::Convolved& other) {
    double most = 0;
    const base::AnyView a = base::viewOf(one.pixels);
    const base::AnyView b = base::viewOf(other.pixels);
    const Extents n = base::extentsOf(a);
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                most = std::max(
                    most, std::abs(base::valueAt(a, {x, y, z}) - base::valueAt(b, {x, y, z})));
            }
        }
    }
    return most / (one.bound + other.bound);
}

struct Sizes {
    Extents scene;
    Extents kernel;
};

} // namespace

class DifTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Odd, prime and power-of-two extents, kernels of half a part to several parts.
    void everyRadixEqualsTheDefinitionAndTheWholeTransform_data() {
        QTest::addColumn<int>("parts");
        for (const int parts : {2, 3, 4, 5, 8, 11}) {
            QTest::addRow("%d parts", parts) << parts;
        }
    }

    void everyRadixEqualsTheDefinitionAndTheWholeTransform() {
        QFETCH(int, parts);
        const std::array<Sizes, 7> all{{{{33, 21, 1}, {5, 7, 1}},
                                        {{31, 37, 1}, {4, 30, 1}},
                                        {{64, 32, 1}, {3, 3, 1}},
                                        {{1, 45, 1}, {1, 6, 1}},
                                        {{9, 7, 11}, {3, 2, 5}},
                                        {{16, 8, 16}, {2, 3, 1}},
                                        {{5, 1, 13}, {2, 1, 9}}}};
        test::Thinned thinned(11);
        for (const Sizes& sizes : all) {
            const base::AnyImage scene = test::noise(PixelType::Float32, sizes.scene, 1);
            const Kernel kernel = randomKernel(sizes.kernel, 2);
            for (const Extent extent : {Extent::Same, Extent::Valid, Extent::Full}) {
                for (const Border border :
                     {Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap}) {
                    if (!thinned.next()) {
                        continue;
                    }
                    for (const Precision precision : {Precision::Single, Precision::Double}) {
                        const Problem problem =
                            test::problemOf(scene, kernel, extent, border, precision);
                        const filter::Convolved whole =
                            convolved(problem, kernel, scene, "fourier");
                        for (const Transforms by : {Transforms::Own, Transforms::Fftw}) {
                            const filter::Convolved result =
                                convolved(problem, kernel, scene, "dif", parts, by);
                            const std::string fault = test::faultOf(result, problem, kernel, scene);
                            QVERIFY2(fault.empty(),
                                     (base::toString(sizes.scene) + ": " + fault).c_str());
                            QVERIFY(apart(result, whole) <= 1);
                        }
                    }
                }
            }
        }
    }

    // The parts have lengths with factors of 11 and 13, and primes; parts of even and odd length
    // along the slowest axis are transformed by FFTW in different ways.
    void fftwTakesAnyLength() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {50, 41, 1}, 1);
        const Kernel kernel = randomKernel({6, 5, 1}, 2);
        for (const Extents& tile : {Extents{61, 23, 1}, {55, 26, 1}, {57, 27, 1}}) {
            for (const Precision precision : {Precision::Single, Precision::Double}) {
                const Problem problem =
                    test::problemOf(scene, kernel, Extent::Same, Border::Wrap, precision);
                const filter::Plan refused =
                    planOf(problem, kernel, scene, "dif", 2,
                           std::numeric_limits<std::int64_t>::max(), Transforms::Own, tile);
                QVERIFY(refused.chosen() == nullptr);
                QVERIFY(refused.candidates.front().reason.find("products of 2") !=
                        std::string::npos);
                const filter::Convolved result =
                    convolved(problem, kernel, scene, "dif", 2, Transforms::Auto, tile);
                QCOMPARE(test::faultOf(result, problem, kernel, scene), std::string());
            }
        }
    }

    // Transforms are chosen of methods that have them, and of auto; others refuse the choice.
    void transformsMayBeChosen() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {60, 50, 1}, 12);
        const Kernel kernel = randomKernel({5, 3, 1}, 13);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        const auto rowsOf = [&](const std::string& method, Transforms transforms) {
            return planOf(problem, kernel, scene, method, 0,
                          std::numeric_limits<std::int64_t>::max(), transforms)
                .candidates;
        };
        for (const std::string method : {"fourier", "dif"}) { // both kinds are considered
            std::set<std::string> labels;
            for (const method::CandidateReport& row : rowsOf(method, Transforms::Auto)) {
                labels.insert(row.candidate.label());
            }
            QCOMPARE(labels, (std::set<std::string>{method, method + ", FFTW"}));
        }
        for (const Transforms transforms : {Transforms::Own, Transforms::Fftw}) {
            for (const std::string method : {"tiled", "fourier", "tiled-template", "dif"}) {
                for (const method::CandidateReport& row : rowsOf(method, transforms)) {
                    QCOMPARE(row.candidate.transforms, transforms);
                }
            }
            for (const method::CandidateReport& row : rowsOf("auto", transforms)) {
                QVERIFY(row.candidate.transforms == transforms ||
                        row.candidate.transforms == Transforms::Auto);
            }
            QVERIFY(rowsOf("auto", transforms).front().verdict == method::CandidateVerdict::Chosen);
        }
        for (const std::string method : {"direct", "separable", "recursive"}) {
            const auto rows = rowsOf(method, Transforms::Fftw);
            QVERIFY(!rows.front().prediction);
            QVERIFY(rows.front().reason.find("leave out --transforms") != std::string::npos);
        }
    }

    // More columns than a strip has, on two threads.
    void widerThanAStrip() {
        const base::AnyImage scene = test::texture(PixelType::UInt16, {150, 70, 1}, 3);
        const Kernel kernel = randomKernel({40, 33, 1}, 4);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Full, Border::Mirror, Precision::Single);
        for (const int parts : {2, 6}) {
            for (const Transforms by : {Transforms::Own, Transforms::Fftw}) {
                const std::string fault = test::faultOf(
                    convolved(problem, kernel, scene, "dif", parts, by), problem, kernel, scene);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void largeAndSmallVoxels() {
        for (const double size : {1e-30, 1e25}) {
            const base::AnyImage scene =
                test::makeScene(PixelType::Float64, {30, 29, 1}, [&](const base::Index& at) {
                    return size * static_cast<double>((at.x * 7919 + at.y * 104729) % 251 - 100);
                });
            const Kernel kernel = randomKernel({6, 5, 1}, 5);
            const Problem problem =
                test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
            const std::string fault =
                test::faultOf(convolved(problem, kernel, scene, "dif", 4), problem, kernel, scene);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // The program's own count of the buffers of one part falls as Karas' Table 1 says.
    void buffersFallWithTheParts() {
        for (const Sizes& sizes :
             {Sizes{{1600, 1600, 1}, {449, 449, 1}}, Sizes{{90, 100, 200}, {39, 29, 57}}}) {
            const base::AnyImage scene = test::noise(PixelType::UInt8, {1, 1, 1}, 6);
            const Problem problem{sizes.scene,  PixelType::UInt8, sizes.kernel,
                                  Extent::Same, Border::Zero,     Precision::Single};
            const Extents n{sizes.scene.x + sizes.kernel.x - 1, sizes.scene.y + sizes.kernel.y - 1,
                            sizes.scene.z + sizes.kernel.z - 1};
            const Kernel kernel = randomKernel({3, 3, 1}, 7); // its extents are the problem's here
            for (const int parts : {2, 4, 8, 16}) {
                const filter::Plan plan = planOf(problem, kernel, scene, "dif", parts);
                method::Candidate candidate = plan.chosen()->candidate;
                for (const Transforms by : {Transforms::Own, Transforms::Fftw}) {
                    candidate.transforms = by;
                    const auto cut = cpu::Decimation::of(candidate, sizes.scene.z > 1);
                    const double formula =
                        (parts == 2 ? 2.0 : 4.0) * static_cast<double>(base::voxelCount(n)) / parts;
                    const double ratio = static_cast<double>(cut.bufferValues<float>()) / formula;
                    QVERIFY2(ratio >= 1 && ratio < 1.12, qPrintable(QString::number(ratio)));
                }
            }
        }
    }

    void theTableOfKaras() {
        const Problem problem{{100, 60, 1}, PixelType::UInt8, {28, 4, 1},
                              Extent::Same, Border::Zero,     Precision::Double};
        // N^f + N^g = 128 * 64 = 2^13
        const auto two = filter::decompositions(problem, 2);
        QCOMPARE(two.size(), std::size_t{3});
        QCOMPARE(two[0].method, std::string("dif"));
        QCOMPARE(two[0].operations, 8192 * (4.5 * 13 + 1));
        QCOMPARE(two[0].transfers, 3.0 * 8192);
        QCOMPARE(two[0].values, 8192.0);
        QCOMPARE(two[0].bytes, 8 * 8192.0);
        const auto eight = filter::decompositions(problem, 8);
        QCOMPARE(eight[0].values, 4096.0);
        QCOMPARE(eight[1].method, std::string("dit"));
        QCOMPARE(eight[1].operations, 8192 * (4.5 * 13 + 2));
        QCOMPARE(eight[1].transfers, 9.0 * 8192);
        QCOMPARE(eight[1].values, 4096.0);
        QCOMPARE(eight[2].method, std::string("tiling"));
        QCOMPARE(eight[2].operations, 8 * 8192 * (4.5 * 10 + 1));
        QCOMPARE(eight[2].transfers, 9.0 * 8192);
        QCOMPARE(eight[2].values, 1024.0);
    }

    // The whole transform does not fit, and no tile is larger than the kernel.
    void aMemoryLimitChoosesIt() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {300, 300, 1}, 8);
        const Kernel kernel = randomKernel({260, 250, 1}, 9);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        const auto needs = [&](const std::string& method, int parts) {
            return planOf(problem, kernel, scene, method, parts).chosen()->prediction->hostBytes;
        };
        // Twice as many parts of complex numbers take about half of the buffers.
        QVERIFY(needs("dif", 16) < needs("dif", 8));
        QVERIFY(needs("dif", 2) < needs("fourier", 0));
        const filter::Plan plan =
            planOf(problem, kernel, scene, "auto", 0, needs("fourier", 0) / 2);
        QVERIFY(plan.chosen() != nullptr);
        QCOMPARE(plan.chosen()->candidate.method, std::string("dif"));
        for (const method::CandidateReport& row : plan.candidates) {
            if (row.candidate.method == "fourier" || row.candidate.method == "tiled") {
                QVERIFY(row.forMemory);
            }
        }
        // The less memory, the more parts.
        const std::int64_t limit = needs("dif", 8);
        QVERIFY(limit < needs("dif", 6));
        const filter::Plan less = planOf(problem, kernel, scene, "dif", 0, limit, Transforms::Own);
        QVERIFY(less.chosen()->candidate.parts >= 8);
        QVERIFY(less.chosen()->prediction->hostBytes <= limit);
    }

    void aStopEndsIt_data() {
        QTest::addColumn<bool>("fftw");
        QTest::newRow("own") << false;
        QTest::newRow("FFTW") << true;
    }

    void aStopEndsIt() {
        QFETCH(bool, fftw);
        const base::AnyImage scene = test::noise(PixelType::Float32, {200, 200, 1}, 10);
        const Kernel kernel = randomKernel({9, 9, 1}, 11);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        const method::Candidate candidate =
            planOf(problem, kernel, scene, "dif", 4, std::numeric_limits<std::int64_t>::max(),
                   fftw ? Transforms::Fftw : Transforms::Own)
                .chosen()
                ->candidate;
        std::stop_source stop;
        double before = 0;
        bool rises = true;
        const auto run = [&](double until) {
            return filter::convolve(problem, kernel, candidate, base::viewOf(scene),
                                    test::testPool(), stop.get_token(), [&](double share) {
                                        rises = rises && share >= before;
                                        before = share;
                                        if (share > until) {
                                            stop.request_stop();
                                        }
                                    });
        };
        QVERIFY(!run(2).cancelled);
        QVERIFY(rises && before > 0.99 && before <= 1);
        before = 0;
        QVERIFY(run(0.5).cancelled);
        QVERIFY(rises && before < 0.9);
    }

    void wrongPartsAreRefused_data() {
        QTest::addColumn<int>("parts");
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("one") << 1 << "dif" << 2 << "--parts 2";
        QTest::newRow("negative") << -3 << "dif" << 2 << "--parts 2";
        QTest::newRow("other method") << 2 << "tiled" << 2 << "--method dif";
        QTest::newRow("any method") << 2 << "auto" << 2 << "--method dif";
        QTest::newRow("more than the axis") << 53 << "dif" << 4 << "from 2 to 52";
    }

    void wrongPartsAreRefused() {
        QFETCH(int, parts);
        QFETCH(QString, method);
        QFETCH(int, code);
        QFETCH(QString, says);
        const base::AnyImage scene = test::noise(PixelType::Float32, {60, 50, 1}, 12);
        const Kernel kernel = randomKernel({5, 3, 1}, 13);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        try {
            (void)planOf(problem, kernel, scene, method.toStdString(), parts);
            QFAIL("not refused");
        } catch (const base::Error& error) {
            QCOMPARE(static_cast<int>(error.code()), code);
            QVERIFY2(QString::fromUtf8(error.what()).contains(says), error.what());
        }
        // As many parts as points is possible.
        const filter::Convolved result = convolved(problem, kernel, scene, "dif", 52);
        QCOMPARE(test::faultOf(result, problem, kernel, scene), std::string());
    }

    // A scene of one row has nothing to decimate.
    void oneRowIsRefused() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {60, 1, 1}, 14);
        const Kernel kernel = randomKernel({5, 1, 1}, 15);
        const Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        const filter::Plan plan = planOf(problem, kernel, scene, "dif");
        QVERIFY(plan.chosen() == nullptr);
        QVERIFY(plan.candidates.front().reason.find("use fourier") != std::string::npos);
    }
};

const flcc::test::TestClass<DifTest> kDifTest;
#include "dif_test.moc"
