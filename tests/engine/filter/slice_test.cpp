#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/geometry.h"
#include "engine/filter/slice.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using filter::Kernel;
using method::Precision;

namespace {

std::int64_t lengthAlong(const Extents& extents, std::size_t axis) {
    return std::array{extents.x, extents.y, extents.z}[axis];
}

/// Compares a plane with that of the whole convolution in double. Empty, or what is wrong.
std::string planeFault(const base::AnyImage& scene, const Kernel& kernel, method::Extent extent,
                       filter::Border border, std::size_t depth) {
    const filter::Problem problem =
        test::problemOf(scene, kernel, extent, border, Precision::Double);
    const Extents result = filter::resultExtents(problem);
    const auto ways = test::waysOf(problem, kernel, scene, kernel.hasWeights() ? "direct" : "");
    const filter::Convolved whole =
        filter::convolve(problem, kernel, ways.front(), base::viewOf(scene), test::testPool());
    const std::int64_t planes = lengthAlong(problem.scene, depth);
    for (const std::int64_t position : {std::int64_t{0}, planes / 2, planes - 1}) {
        const filter::Convolved plane = filter::convolvePlane(
            problem, kernel, {}, base::viewOf(scene), {depth, position}, test::testPool());
        // The result whose kernel has its middle, m - 1 - floor((m - 1) / 2) behind its first
        // voxel, in the plane.
        const std::int64_t m = lengthAlong(problem.kernel, depth);
        const std::int64_t shift = extent == method::Extent::Same    ? 0
                                   : extent == method::Extent::Valid ? m - 1 - (m - 1) / 2
                                                                     : -((m - 1) / 2);
        const std::int64_t at =
            std::clamp<std::int64_t>(position - shift, 0, lengthAlong(result, depth) - 1);
        const auto [right, down] = filter::axesAcross(depth);
        const auto& pixels = std::get<base::Image<float>>(plane.pixels);
        if (pixels.extents() != Extents{lengthAlong(result, right), lengthAlong(result, down), 1}) {
            return "extents " + base::toString(pixels.extents());
        }
        for (std::int64_t b = 0; b < pixels.extents().y; ++b) {
            for (std::int64_t a = 0; a < pixels.extents().x; ++a) {
                std::array<std::int64_t, 3> index{};
                index[depth] = at;
                index[right] = a;
                index[down] = b;
                const double expected =
                    base::valueAt(base::viewOf(whole.pixels), {index[0], index[1], index[2]});
                const auto value = static_cast<double>(pixels.view().at(a, b, 0));
                if (std::isnan(expected) != std::isnan(value) ||
                    std::abs(value - expected) > plane.bound + whole.bound) {
                    return kernel.name() + " across axis " + std::to_string(depth) + " at " +
                           std::to_string(position) + ": " + std::to_string(value) + ", not " +
                           std::to_string(expected) + " within " + std::to_string(plane.bound);
                }
            }
        }
    }
    return {};
}

/// The name of a kernel of the table with small sizes.
std::string exampleOf(const filter::KernelForm& form) {
    std::string text = form.name;
    int number = 0;
    for (const filter::KernelParameter& parameter : form.parameters) {
        using Kind = filter::KernelParameter::Kind;
        ++number;
        text += parameter.kind == Kind::Axis    ? ":y"
                : parameter.kind == Kind::Count ? ":3"
                : number == 1                   ? ":0.4"
                                                : ":0.6";
    }
    return text;
}

} // namespace

class FilterSliceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void planesAreThoseOfTheWholeResult_data() {
        QTest::addColumn<QString>("name");
        for (const filter::KernelForm& form : filter::kernelForms()) {
            QTest::newRow(form.name.c_str()) << QString::fromStdString(exampleOf(form));
        }
        QTest::newRow("file") << QString();
    }

    void planesAreThoseOfTheWholeResult() {
        QFETCH(QString, name);
        const base::AnyImage scene = test::noise(PixelType::Int16, {14, 13, 12}, 1);
        const base::AnyImage weights = test::noise(PixelType::Float32, {4, 3, 5}, 2);
        const Kernel kernel =
            name.isEmpty() ? Kernel("file", base::viewOf(weights), Precision::Single)
                           : filter::kernelByName(name.toStdString(), base::extentsOf(scene), {});
        using filter::Border;
        using method::Extent;
        for (std::size_t depth = 0; depth < 3; ++depth) {
            for (const auto& [extent, border] :
                 {std::pair{Extent::Same, Border::Zero}, std::pair{Extent::Same, Border::Mirror},
                  std::pair{Extent::Valid, Border::Zero}, std::pair{Extent::Full, Border::Wrap},
                  std::pair{Extent::Full, Border::Replicate}}) {
                const std::string fault = planeFault(scene, kernel, extent, border, depth);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void anImageIsItsOwnPlane() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 30, 1}, 3);
        for (const char* const name : {"gaussian:3", "dog:1:2", "sobel:x"}) {
            const Kernel kernel = filter::kernelByName(name, base::extentsOf(scene), {});
            const std::string fault =
                planeFault(scene, kernel, method::Extent::Same, filter::Border::Mirror, 2);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void nanReachesWhatItsKernelTouches() {
        base::AnyImage scene = test::noise(PixelType::Float32, {14, 13, 12}, 4);
        test::setVoxel(scene, {5, 6, 4}, std::numeric_limits<double>::quiet_NaN());
        const Kernel kernel = filter::kernelByName("box:3", base::extentsOf(scene), {});
        for (std::size_t depth = 0; depth < 3; ++depth) {
            const std::string fault =
                planeFault(scene, kernel, method::Extent::Same, filter::Border::Zero, depth);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aKernelLargerThanTheSceneHasNoValidPlane() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {9, 9, 9}, 5);
        const Kernel kernel = filter::kernelByName("box:11", base::extentsOf(scene), {});
        const filter::Problem problem = test::problemOf(scene, kernel, method::Extent::Valid,
                                                        filter::Border::Zero, Precision::Single);
        QVERIFY_THROWS_EXCEPTION(
            base::Error, (void)filter::convolvePlane(problem, kernel, {}, base::viewOf(scene),
                                                     {2, 4}, test::testPool()));
    }
};

const flcc::test::TestClass<FilterSliceTest> kFilterSliceTest;
#include "slice_test.moc"
