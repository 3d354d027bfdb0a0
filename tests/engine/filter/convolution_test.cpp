#include <QtTest>

#include <string>

#include "engine/base/geometry.h"
#include "engine/cpu/simd/kernels.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using filter::Kernel;

namespace {

Kernel imageKernel(const Extents& extents, std::uint64_t seed,
                   PixelType type = PixelType::Float32) {
    const base::AnyImage weights = test::noise(type, extents, seed);
    return {"kernel.mha", base::viewOf(weights), method::Precision::Single};
}

Kernel named(const std::string& name, const base::AnyImage& scene) {
    return filter::kernelByName(name, base::extentsOf(scene), base::Geometry{});
}

} // namespace

class ConvolutionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everySizeOfSceneAndKernel() {
        test::Thinned thinned(7);
        for (const Extents& n : {Extents{1, 1, 1}, Extents{2, 3, 1}, Extents{7, 5, 1},
                                 Extents{33, 1, 1}, Extents{1, 29, 1}, Extents{41, 37, 1}}) {
            const base::AnyImage scene = test::noise(PixelType::Float32, n, 1);
            for (const Extents& m :
                 {Extents{1, 1, 1}, Extents{2, 1, 1}, Extents{1, 4, 1}, Extents{3, 3, 1},
                  Extents{5, 2, 1}, Extents{8, 9, 1}, Extents{17, 13, 1}}) {
                if (thinned.next()) {
                    const std::string fault = test::judgeConvolution(scene, imageKernel(m, 2));
                    QVERIFY2(fault.empty(), fault.c_str());
                }
            }
        }
    }

    void volumes() {
        test::Thinned thinned(5);
        for (const Extents& n : {Extents{5, 4, 3}, Extents{12, 11, 10}, Extents{9, 1, 7}}) {
            const base::AnyImage scene = test::noise(PixelType::Float32, n, 3);
            for (const Extents& m : {Extents{1, 1, 2}, Extents{3, 3, 3}, Extents{2, 5, 4}}) {
                if (thinned.next()) {
                    const std::string fault = test::judgeConvolution(scene, imageKernel(m, 4));
                    QVERIFY2(fault.empty(), fault.c_str());
                }
            }
        }
    }

    // Integer kernels over integers are exact, which the bounds of direct, separable and recursive
    // then claim.
    void everyPixelType() {
        test::Thinned some(3);
        for (int type = 0; type < 10; ++type) {
            if (!some.next()) {
                continue;
            }
            const auto pixel = static_cast<PixelType>(type);
            const base::AnyImage scene = test::noise(pixel, {21, 18, 1}, 5);
            for (const char* const name :
                 {"box:4", "box:3,5", "sobel:x", "sobel:y", "gaussian:1"}) {
                const std::string fault = test::judgeConvolution(scene, named(name, scene));
                QVERIFY2(fault.empty(), fault.c_str());
            }
            const std::string fault =
                test::judgeConvolution(scene, imageKernel({4, 3, 1}, 6, PixelType::UInt8));
            QVERIFY2(fault.empty(), fault.c_str());
            const base::AnyImage volume = test::noise(pixel, {7, 6, 5}, 7);
            const std::string inVolume = test::judgeConvolution(volume, named("box:3", volume));
            QVERIFY2(inVolume.empty(), inVolume.c_str());
        }
    }

    void integersAreExact() {
        const base::AnyImage scene =
            test::makeScene(PixelType::UInt16, {60, 50, 1}, [](const base::Index& at) {
                return static_cast<double>((at.x * 7919 + at.y * 104729) % 65536);
            });
        for (const char* const name : {"sobel:y", "box:1"}) {
            const Kernel kernel = named(name, scene);
            const filter::Problem problem =
                test::problemOf(scene, kernel, method::Extent::Same, filter::Border::Mirror,
                                method::Precision::Single);
            for (const char* const method : {"direct", "separable"}) {
                for (const method::Candidate& way : test::waysOf(problem, kernel, scene, method)) {
                    const filter::Convolved result = filter::convolve(
                        problem, kernel, way, base::viewOf(scene), test::testPool());
                    QCOMPARE(result.bound, 0.0);
                    QCOMPARE(test::faultOf(result, problem, kernel, scene), std::string());
                }
            }
        }
        // A mean of integers is rounded once.
        const Kernel kernel = named("box:7", scene);
        const filter::Problem problem =
            test::problemOf(scene, kernel, method::Extent::Same, filter::Border::Replicate,
                            method::Precision::Double);
        const auto ways = test::waysOf(problem, kernel, scene, "recursive");
        QCOMPARE(ways.size(), std::size_t{1});
        const filter::Convolved result =
            filter::convolve(problem, kernel, ways.front(), base::viewOf(scene), test::testPool());
        QVERIFY(result.bound <= 1.01 * 0x1p-53 * 65535);
        QCOMPARE(test::faultOf(result, problem, kernel, scene), std::string());
    }

    void everyNamedKernel_data() {
        QTest::addColumn<QString>("kernel");
        test::Thinned some(2);
        for (const char* const name :
             {"gaussian:0.3", "gaussian:1.2", "gaussian:0.5,2", "gaussian-x:1.5", "gaussian-y:1",
              "gaussian-xx:2", "gaussian-yy:0.6", "gaussian-xy:1.3", "log:1.5", "dog:1:1.6",
              "box:5", "box:1,8", "sobel:x"}) {
            if (some.next()) {
                QTest::newRow(name) << name;
            }
        }
    }

    void everyNamedKernel() {
        QFETCH(QString, kernel);
        for (const Extents& n : {Extents{45, 38, 1}, Extents{6, 3, 1}}) {
            const base::AnyImage scene = test::texture(PixelType::Float32, n, 8);
            const std::string fault =
                test::judgeConvolution(scene, named(kernel.toStdString(), scene));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void namedKernelsInVolumes() {
        const base::AnyImage scene = test::texture(PixelType::Float32, {9, 8, 7}, 9);
        for (const char* const name :
             {"gaussian:0.8", "gaussian-z:0.9", "log:0.7", "box:2", "sobel:z"}) {
            const std::string fault = test::judgeConvolution(scene, named(name, scene));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // More than a tile of each method, and more than a block of the kernel.
    void manyTiles() {
        const base::AnyImage scene = test::texture(PixelType::Float32, {150, 140, 1}, 10);
        const Kernel kernel = imageKernel({13, 11, 1}, 11);
        for (const Extents& tile : {Extents{16, 16, 1}, Extents{32, 24, 1}}) {
            for (const char* const method : {"direct", "tiled", "tiled-template"}) {
                const filter::Problem problem =
                    test::problemOf(scene, kernel, method::Extent::Same, filter::Border::Mirror,
                                    method::Precision::Single);
                const auto ways = test::waysOf(problem, kernel, scene, method, tile);
                QVERIFY(!ways.empty() || tile.x == 32);
                for (const method::Candidate& way : ways) {
                    const filter::Convolved result = filter::convolve(
                        problem, kernel, way, base::viewOf(scene), test::testPool());
                    const std::string fault = test::faultOf(result, problem, kernel, scene);
                    QVERIFY2(fault.empty(), (std::string(method) + ": " + fault).c_str());
                }
            }
        }
        const Kernel lines = named("gaussian:2", scene);
        const filter::Problem problem = test::problemOf(
            scene, lines, method::Extent::Full, filter::Border::Wrap, method::Precision::Double);
        for (const method::Candidate& way :
             test::waysOf(problem, lines, scene, "separable", {16, 8, 1})) {
            const filter::Convolved result =
                filter::convolve(problem, lines, way, base::viewOf(scene), test::testPool());
            QCOMPARE(test::faultOf(result, problem, lines, scene), std::string());
        }
    }

    void everyInstructionSet() {
        const base::AnyImage scene = test::texture(PixelType::Float32, {70, 23, 1}, 12);
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            for (const char* const name : {"gaussian:1.5", "box:6", "log:1"}) {
                const std::string fault = test::judgeConvolution(scene, named(name, scene));
                cpu::simd::forceInstructionSet(fault.empty() ? set : "");
                QVERIFY2(fault.empty(), (set + ": " + fault).c_str());
            }
        }
        cpu::simd::forceInstructionSet("");
    }

    // Transposing scene and kernel transposes the result.
    void aTransposedSceneGivesATransposedResult() {
        const base::AnyImage scene = test::texture(PixelType::Float64, {53, 34, 1}, 13);
        const base::AnyView view = base::viewOf(scene);
        const base::AnyImage turned =
            test::makeScene(PixelType::Float64, {34, 53, 1}, [&](const base::Index& at) {
                return base::valueAt(view, {at.y, at.x, 0});
            });
        const auto filtered = [](const base::AnyImage& image, const char* name) {
            const Kernel kernel = named(name, image);
            const filter::Problem problem =
                test::problemOf(image, kernel, method::Extent::Same, filter::Border::Replicate,
                                method::Precision::Double);
            return filter::convolve(problem, kernel,
                                    test::waysOf(problem, kernel, image, "recursive").front(),
                                    base::viewOf(image), test::testPool());
        };
        const filter::Convolved one = filtered(scene, "gaussian-x:2,3");
        const filter::Convolved other = filtered(turned, "gaussian-y:3,2");
        // Both approximate the kernel alike, so that they differ by their rounding alone.
        for (std::int64_t y = 0; y < 34; ++y) {
            for (std::int64_t x = 0; x < 53; ++x) {
                QVERIFY(std::abs(base::valueAt(base::viewOf(one.pixels), {x, y, 0}) -
                                 base::valueAt(base::viewOf(other.pixels), {y, x, 0})) <=
                        1e-12 * one.largest);
            }
        }
    }
};

const flcc::test::TestClass<ConvolutionTest> kConvolutionTest;
#include "convolution_test.moc"
