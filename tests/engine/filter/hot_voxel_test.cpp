#include <QtTest>

#include <cmath>
#include <string>
#include <vector>

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

/// Texture from 0.25 to 0.75 with one voxel of `hot` in a corner; the right half is 0 if `half`.
base::AnyImage sceneWith(double hot, const Extents& n, bool half = false) {
    const base::AnyImage usual = test::noise(PixelType::Float32, n, 11);
    return test::makeScene(PixelType::Float32, n, [&](const base::Index& at) {
        if (at.x == 3 && at.y == 2 && at.z == n.z / 2) {
            return hot;
        }
        const double value = base::valueAt(base::viewOf(usual), at);
        return half && at.x >= n.x / 2 ? 0.0 : 0.5 + 0.25 * std::sin(value);
    });
}

/// The results of `direct` in double.
filter::Convolved exactOf(const Kernel& kernel, const base::AnyImage& scene) {
    const filter::Problem problem =
        test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Double);
    return filter::convolve(problem, kernel, test::waysOf(problem, kernel, scene, "direct").front(),
                            base::viewOf(scene), test::testPool());
}

/// The largest difference from `right` where the hot voxel is out of the kernel's reach, over the
/// sum of the weights' magnitudes.
double farError(const filter::Convolved& result, const filter::Convolved& right,
                const filter::Problem& problem, const Kernel& kernel) {
    const Extents& m = kernel.extents();
    const Extents out = base::extentsOf(right.pixels);
    double largest = 0;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            for (std::int64_t x = 0; x < out.x; ++x) {
                const bool near =
                    x <= 3 + m.x && y <= 2 + m.y && std::abs(z - problem.scene.z / 2) <= m.z;
                if (!near) {
                    largest = std::max(
                        largest, std::abs(base::valueAt(base::viewOf(result.pixels), {x, y, z}) -
                                          base::valueAt(base::viewOf(right.pixels), {x, y, z})));
                }
            }
        }
    }
    return largest * kernel.divisor() / kernel.sumOfMagnitudes();
}

Kernel fileKernel(const Extents& m) {
    const base::AnyImage weights = test::noise(PixelType::Float32, m, 5);
    return {"kernel.mha", base::viewOf(weights), Precision::Single};
}

} // namespace

class HotVoxelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void distantResultsAreRightWithEveryMethod() {
        for (const bool flat : {true, false}) {
            const Extents n = flat ? Extents{150, 130, 1} : Extents{40, 36, 30};
            for (const double hot : {1e10, -1e30}) {
                if (test::kSanitized && hot > 0) {
                    continue; // it differs in numbers only
                }
                const base::AnyImage scene = sceneWith(hot, n);
                for (const Kernel& kernel :
                     {fileKernel(flat ? Extents{9, 8, 1} : Extents{5, 4, 3}),
                      fileKernel(flat ? Extents{31, 27, 1} : Extents{11, 10, 9}),
                      filter::kernelByName("gaussian:1.5", n, {}),
                      filter::kernelByName("box:7", n, {})}) {
                    const filter::Convolved right = exactOf(kernel, scene);
                    for (const Precision precision : {Precision::Single, Precision::Double}) {
                        const filter::Problem problem =
                            test::problemOf(scene, kernel, Extent::Same, Border::Zero, precision);
                        for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
                            const filter::Convolved result = filter::convolve(
                                problem, kernel, way, base::viewOf(scene), test::testPool());
                            // Distant voxels are at most 0.75.
                            const double error = farError(result, right, problem, kernel);
                            QVERIFY2(error <= 0.75 * result.relativeBound,
                                     (way.method + " " + kernel.name() + " " +
                                      base::toString(kernel.extents()) + ": " +
                                      std::to_string(error) + " of " +
                                      std::to_string(result.relativeBound))
                                         .c_str());
                            // Recursive Gaussians approximate their kernel by 2e-3 of it.
                            const bool approximates =
                                way.method == "recursive" && kernel.name() != "box:7";
                            QVERIFY(result.relativeBound <= (approximates ? 2e-2 : 1e-3));
                        }
                    }
                }
            }
        }
    }

    // A scene of one magnitude costs no second computation.
    void usualScenesAreNotComputedAgain() {
        const Extents n{300, 200, 1};
        const base::AnyImage scene = sceneWith(0.7, n);
        const Kernel kernel = fileKernel({15, 15, 1});
        const filter::Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Mirror, Precision::Single);
        for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
            const filter::Convolved result =
                filter::convolve(problem, kernel, way, base::viewOf(scene), test::testPool());
            QCOMPARE(result.repeated, std::int64_t{0});
            QVERIFY(result.relativeBound > 0 && result.relativeBound < 2e-4);
        }
    }

    void onlyTheTilesThatAreSpoiledAreComputedAgain() {
        const Extents n{800, 700, 1};
        const base::AnyImage scene = sceneWith(1e10, n);
        const Kernel kernel = fileKernel({15, 15, 1});
        const filter::Problem problem =
            test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
        const filter::Convolved result = filter::convolve(
            problem, kernel, test::waysOf(problem, kernel, scene, "tiled", {128, 126, 1}).front(),
            base::viewOf(scene), test::testPool());
        // The hot voxel lies in one tile of 114 x 112 results.
        QCOMPARE(result.repeated, std::int64_t{114 * 112});
    }

    void nothingButZerosGivesZero() {
        const Extents n{200, 60, 1};
        const base::AnyImage scene = sceneWith(0.5, n, true);
        for (const Kernel& kernel :
             {fileKernel({9, 8, 1}), filter::kernelByName("gaussian:2", n, {})}) {
            const filter::Problem problem =
                test::problemOf(scene, kernel, Extent::Same, Border::Zero, Precision::Single);
            for (const method::Candidate& way : test::waysOf(problem, kernel, scene)) {
                const filter::Convolved result =
                    filter::convolve(problem, kernel, way, base::viewOf(scene), test::testPool());
                for (std::int64_t x = 100 + kernel.extents().x; x < n.x; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(result.pixels), {x, 30, 0}), 0.0);
                }
            }
        }
    }
};

const flcc::test::TestClass<HotVoxelTest> kHotVoxelTest;
#include "hot_voxel_test.moc"
