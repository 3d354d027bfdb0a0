#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/random_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using filter::Border;
using filter::Kernel;
using filter::Problem;
using method::Extent;
using method::Precision;

namespace {

/// A kernel by name whose sizes have a unit, and the same in voxels.
struct NamedKernel {
    std::string inUnit;
    std::string inVoxels;
};

class ConvolutionMaker {
  public:
    explicit ConvolutionMaker(std::uint64_t seed) : m_random(seed) {}

    /// Empty, or what is wrong.
    [[nodiscard]] std::string fault() {
        const bool volume = chance(0.3);
        const Extents n = volume ? Extents{one(4, 20), one(4, 18), one(3, 16)}
                                 : Extents{one(4, 90), one(4, 80), 1};
        const base::AnyImage scene = image(n);
        Problem problem;
        std::string text;
        const std::optional<Kernel> kernel = chooseKernel(n, text);
        if (!kernel) {
            return text;
        }
        const std::array kExtents{Extent::Same, Extent::Valid, Extent::Full};
        const std::array kBorders{Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap};
        problem = test::problemOf(scene, *kernel, kExtents[below(3)], kBorders[below(4)],
                                  chance(0.7) ? Precision::Single : Precision::Double);
        const Extents& m = kernel->extents();
        if (m.x > n.x || m.y > n.y || m.z > n.z) {
            problem.extent = problem.extent == Extent::Valid ? Extent::Same : problem.extent;
        }
        const std::vector<method::Candidate> ways = test::waysOf(problem, *kernel, scene);
        if (ways.empty()) {
            return {};
        }
        const method::Candidate& way = ways[below(std::ssize(ways))];
        const filter::Convolved result =
            filter::convolve(problem, *kernel, way, base::viewOf(scene), test::testPool());
        const std::string wrong = compared(result, problem, *kernel, scene, way);
        return wrong.empty()
                   ? wrong
                   : way.method + " " + base::toString(way.tile) + ", " + text + " " +
                         base::toString(m) + " over " +
                         std::string(base::name(problem.scenePixel)) + " " + base::toString(n) +
                         ", " + std::string(method::name(problem.extent)) + ", " +
                         std::string(filter::name(problem.border)) + ", " +
                         std::string(method::name(problem.precision)) + ": " + wrong;
    }

  private:
    [[nodiscard]] bool chance(double share) { return m_random.uniform() < share; }
    [[nodiscard]] std::int64_t one(std::int64_t least, std::int64_t most) {
        return least + m_random.below(most - least + 1);
    }
    [[nodiscard]] std::size_t below(std::int64_t count) {
        return static_cast<std::size_t>(m_random.below(count));
    }

    /// Noise or texture in some size, with one hot voxel, a NaN or a part of zeros.
    [[nodiscard]] base::AnyImage image(const Extents& n) {
        const auto type = chance(0.7) ? (chance(0.7) ? PixelType::Float32 : PixelType::Float64)
                                      : static_cast<PixelType>(m_random.below(10));
        const std::uint64_t seed = m_random.bits();
        base::AnyImage plain =
            chance(0.5) ? test::noise(type, n, seed) : test::texture(type, n, seed);
        if (type != PixelType::Float32 && type != PixelType::Float64) {
            return plain;
        }
        const double size = std::pow(10.0, 30 * m_random.uniform() - 15);
        const double zeros = chance(0.3) ? 0.9 : -1e9;
        base::AnyImage made =
            test::mapped(plain, type, [&](double v) { return v < zeros ? 0.0 : v * size; });
        const Index at = m_random.corner(n, {1, 1, 1});
        if (chance(0.6)) {
            const double hot = size * std::pow(10.0, 20 * m_random.uniform());
            test::setVoxel(made, at, chance(0.5) ? hot : -hot);
        } else if (chance(0.2)) {
            test::setVoxel(made, at, std::nan(""));
        }
        return made;
    }

    /// Empty: `text` says what is wrong with it.
    [[nodiscard]] std::optional<Kernel> chooseKernel(const Extents& n, std::string& text) {
        if (chance(0.5)) {
            const bool volume = n.z > 1;
            const Extents m{one(1, volume ? 7 : 14), one(1, volume ? 6 : 12),
                            volume ? one(1, 5) : 1};
            const base::AnyImage weights = test::noise(PixelType::Float32, m, m_random.bits());
            text = "file";
            return Kernel("kernel.mha", base::viewOf(weights), Precision::Single);
        }
        base::Geometry geometry;
        geometry.unit = "um";
        // Powers of two: sizes in micrometres and in voxels are the same numbers.
        for (double& spacing : geometry.spacing) {
            spacing = std::ldexp(1.0, static_cast<int>(one(-1, 0)));
        }
        const NamedKernel named = name(n, geometry);
        text = named.inUnit;
        Kernel inUnit = filter::kernelByName(named.inUnit, n, geometry);
        const Kernel inVoxels = filter::kernelByName(named.inVoxels, n, {});
        bool same = inUnit.extents() == inVoxels.extents();
        if (same && inUnit.hasWeights()) {
            const base::Image<double> a = inUnit.flippedWeights();
            const base::Image<double> b = inVoxels.flippedWeights();
            same = std::equal(a.data(), a.data() + a.count(), b.data());
        }
        if (!same) {
            text += " is not " + named.inVoxels;
            return std::nullopt;
        }
        return inUnit;
    }

    [[nodiscard]] NamedKernel name(const Extents& n, const base::Geometry& geometry) {
        const std::array<const char*, 6> kNames{"gaussian", "gaussian-x", "gaussian-xy",
                                                "log",      "dog",        "box"};
        const std::string form = kNames[below(6)];
        const std::size_t axes = n.z > 1 ? 3 : 2;
        // Multiples of 2 voxels for box, of 1/8 for others, along every axis.
        NamedKernel made{form, form};
        const int lists = form == "dog" ? 2 : 1;
        for (int list = 0; list < lists; ++list) {
            const bool each = chance(0.5);
            made.inUnit += ":";
            made.inVoxels += ":";
            double common = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const double voxels =
                    form == "box" ? static_cast<double>(2 * one(1, 3))
                                  : static_cast<double>(one(4, n.z > 1 ? 7 : 12) + 9 * list) / 8;
                // One size for all axes in micrometres has as many voxels as the spacing says.
                common = axis == 0 ? voxels * geometry.spacing[0] : common;
                const double length = each ? voxels * geometry.spacing[axis] : common;
                const double own = length / geometry.spacing[axis];
                if (axis == 0 || each) {
                    made.inUnit += (axis == 0 ? "" : ",") + number(length);
                }
                made.inVoxels += (axis == 0 ? "" : ",") +
                                 number(form == "box" ? std::max(1.0, std::round(own)) : own);
            }
        }
        made.inUnit += "um";
        return made;
    }

    [[nodiscard]] static std::string number(double value) {
        return QString::number(value, 'g', 17).toStdString();
    }

    /// The largest magnitude under the kernel of every result, axis by axis; NaN counts as 0.
    [[nodiscard]] static base::Image<double> magnitudes(const base::AnyView& scene,
                                                        const Problem& problem) {
        const Extents& n = problem.scene;
        const Extents out = filter::resultExtents(problem);
        const Index first = filter::firstVoxel(problem);
        base::Image<double> seen(n);
        for (std::int64_t i = 0; i < seen.count(); ++i) {
            const Index at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
            const double value = base::valueAt(scene, at);
            seen.data()[i] = std::isfinite(value) ? std::abs(value) : 0;
        }
        const auto along = [&](const Extents& to, std::int64_t Index::*axis, std::int64_t length,
                               std::int64_t begin, std::int64_t m) {
            base::Image<double> made(to, 0.0);
            for (std::int64_t i = 0; i < made.count(); ++i) {
                Index at{i % to.x, i / to.x % to.y, i / (to.x * to.y)};
                const std::int64_t place = at.*axis;
                for (std::int64_t k = 0; k < m; ++k) {
                    at.*axis = filter::borderIndex(problem.border, begin + place + k, length);
                    if (at.*axis >= 0) {
                        made.data()[i] = std::max(made.data()[i], seen.view().at(at));
                    }
                }
            }
            seen = std::move(made);
        };
        const Extents& m = problem.kernel;
        along({out.x, n.y, n.z}, &Index::x, n.x, first.x, m.x);
        along({out.x, out.y, n.z}, &Index::y, n.y, first.y, m.y);
        along(out, &Index::z, n.z, first.z, m.z);
        return seen;
    }

    [[nodiscard]] static std::string compared(const filter::Convolved& result,
                                              const Problem& problem, const Kernel& kernel,
                                              const base::AnyImage& scene,
                                              const method::Candidate& way) {
        Problem exact = problem;
        exact.precision = Precision::Double;
        const filter::Convolved right =
            filter::convolve(exact, kernel, test::waysOf(exact, kernel, scene, "direct").front(),
                             base::viewOf(scene), test::testPool());
        // A recursive Gaussian may be off by 1e-2 for the weights and 1e-2 from beyond them.
        const double most = way.method == "recursive"                ? 4e-2
                            : problem.precision == Precision::Single ? 1e-3
                                                                     : 1e-9;
        if (!(result.relativeBound <= most)) {
            return "the relative bound is " + number(result.relativeBound);
        }
        const double weights = kernel.sumOfMagnitudes() / kernel.divisor();
        const double least = base::isInteger(problem.scenePixel) ? 1 : 0;
        const base::Image<double> largest = magnitudes(base::viewOf(scene), problem);
        const Extents out = base::extentsOf(right.pixels);
        for (std::int64_t i = 0; i < base::voxelCount(out); ++i) {
            const Index at{i % out.x, i / out.x % out.y, i / (out.x * out.y)};
            const double value = base::valueAt(base::viewOf(result.pixels), at);
            const double wanted = base::valueAt(base::viewOf(right.pixels), at);
            const double size = std::max(largest.data()[i], least) * weights;
            const double allowed = (result.relativeBound + right.relativeBound) * size;
            if (std::isnan(wanted) ? !std::isnan(value) : !(std::abs(value - wanted) <= allowed)) {
                return "voxel " + base::toString(at) + " is " + number(value) + ", not " +
                       number(wanted) + " within " + number(allowed);
            }
        }
        return {};
    }

    test::Random m_random;
};

} // namespace

class RandomConvolutionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyValueIsThatOfDirectInDouble() {
        const std::string fault = test::judgeRandomCases(
            6000, [](std::uint64_t seed) { return ConvolutionMaker(seed).fault(); });
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<RandomConvolutionTest> kRandomConvolutionTest;
#include "random_convolution_test.moc"
