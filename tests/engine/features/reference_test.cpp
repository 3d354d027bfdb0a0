#include <QtTest>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/features/detail/levels.h"
#include "engine/features/detail/scale_response.h"
#include "engine/filter/recursive.h"
#include "engine/reference/csdd.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;

class ReferenceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theResponseIsThatOfTheDefinition_data();
    void theResponseIsThatOfTheDefinition();
    void theResponseOfOblongVoxelsIsThatOfSpace();
    void everyInstructionSetAgrees();
};

namespace {

base::Image<double> noise(const base::Extents& extents) {
    base::Random random(5);
    base::Image<double> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = random.uniform(0, 1) + 0.01 * static_cast<double>(i % 37);
    }
    return image;
}

base::Image<double> response(const base::Image<double>& image, const detail::LevelRange& range,
                             int levels, double sigma, const detail::LineKernels& kernels,
                             const base::Point& edges = {1, 1, 1}) {
    base::TilePool pool(2);
    const ChannelImage channels({image.view()}, Channels::Grey);
    const detail::Grid grid(image.extents());
    detail::LevelImage levelImage(grid);
    if (!detail::findLevels(channels, 0, range, levels, grid, pool, {}, levelImage)) {
        return {};
    }
    base::Image<double> sum({grid.stride, grid.rows, 1}, 0.0);
    detail::ScaleResponse scale(grid, kernels, pool, edges);
    if (!scale.add(levelImage, range.step, sigma, sum.data(), {}, [](std::size_t) {})) {
        return {};
    }
    const base::Extents& n = image.extents();
    base::Image<double> dense(n);
    for (std::int64_t row = 0; row < n.y * n.z; ++row) {
        std::copy_n(sum.data() + row * grid.stride, n.x, dense.data() + row * n.x);
    }
    return dense;
}

detail::LevelRange rangeOf(const base::Image<double>& image, int levels) {
    base::TilePool pool(1);
    detail::LevelRange range;
    (void)detail::findRange(ChannelImage({image.view()}, Channels::Grey), 0, levels, 1, pool, {},
                            range);
    return range;
}

/// Sums of |h| of the sampled kernels, and of |h - sampled| of the recursive ones.
struct KernelError {
    double smooth = 0;
    double second = 0;
    double smoothOff = 0;
    double secondOff = 0;
};

KernelError kernelError(double sigma) {
    KernelError error;
    const std::int64_t radius = static_cast<std::int64_t>(std::ceil(12 * sigma));
    const filter::RecursiveGaussian smooth(0, sigma);
    const filter::RecursiveGaussian second(2, sigma);
    const auto g = filter::gaussianTaps(0, sigma, radius);
    const auto h = filter::gaussianTaps(2, sigma, radius);
    for (std::int64_t i = -radius; i <= radius; ++i) {
        const auto at = static_cast<std::size_t>(i + radius);
        error.smooth += std::fabs(g[at]);
        error.second += std::fabs(h[at]);
        error.smoothOff += std::fabs(smooth.response(i) - g[at]);
        error.secondOff += std::fabs(second.response(i) - h[at]);
    }
    return error;
}

/// A bound on the difference of the responses: the difference of the kernels in the 1-norm, times
/// the weight, times the largest |indicator - 1/2|, times the range of the levels.
double tolerance(double sigma, bool volume, double range) {
    const KernelError e = kernelError(sigma);
    const double g = e.smooth + e.smoothOff;
    const double h = e.second + e.secondOff;
    const double terms = volume ? 3 * (e.secondOff * g * g + 2 * h * g * e.smoothOff)
                                : 2 * (e.secondOff * g + h * e.smoothOff);
    return 0.5 * detail::scaleWeight(sigma, volume) * terms * range;
}

} // namespace

void ReferenceTest::theResponseIsThatOfTheDefinition_data() {
    QTest::addColumn<int>("nx");
    QTest::addColumn<int>("ny");
    QTest::addColumn<int>("nz");
    QTest::addColumn<double>("sigma");
    QTest::addRow("image, sigma 2") << 37 << 29 << 1 << 2.0;
    QTest::addRow("image, sigma 3.3") << 31 << 44 << 1 << 3.3;
    QTest::addRow("volume, sigma 1.5") << 17 << 12 << 14 << 1.5;
}

void ReferenceTest::theResponseIsThatOfTheDefinition() {
    QFETCH(int, nx);
    QFETCH(int, ny);
    QFETCH(int, nz);
    QFETCH(double, sigma);
    const int levels = test::kSanitized ? 4 : 12;
    const base::Image<double> image = noise({nx, ny, nz});
    const detail::LevelRange range = rangeOf(image, levels);
    const base::Image<double> expected = reference::csddResponse(
        image.view(), {.sigma = sigma, .low = range.low, .high = range.high, .levels = levels});
    const base::Image<double> computed =
        response(image, range, levels, sigma, detail::lineKernels().front());
    double worst = 0;
    double largest = 0;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        worst = std::max(worst, std::fabs(expected.data()[i] - computed.data()[i]));
        largest = std::max(largest, expected.data()[i]);
    }
    const double bound = tolerance(sigma, nz > 1, range.high - range.low);
    qInfo("worst %g of %g, bound %g", worst, largest, bound);
    QVERIFY(worst <= bound);
    QVERIFY(worst <= 0.02 * largest); // what the bound cannot see: a weight or level that is wrong
}

void ReferenceTest::theResponseOfOblongVoxelsIsThatOfSpace() {
    const int levels = test::kSanitized ? 3 : 6;
    const base::Image<double> image = noise({19, 16, 13});
    const detail::LevelRange range = rangeOf(image, levels);
    const base::Point edges{1, 1.5, 2};
    const double sigma = 3;
    const base::Image<double> expected = reference::csddResponse(
        image.view(),
        {.sigma = sigma, .edges = edges, .low = range.low, .high = range.high, .levels = levels});
    const base::Image<double> computed =
        response(image, range, levels, sigma, detail::lineKernels().front(), edges);
    double worst = 0;
    double largest = 0;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        worst = std::max(worst, std::fabs(expected.data()[i] - computed.data()[i]));
        largest = std::max(largest, expected.data()[i]);
    }
    // The kernel of the coarsest axis, 1.5 voxels wide, is the worst of the three; its derivative
    // is weighed by 1 / 4 of it, the others by less of theirs.
    QVERIFY2(worst <= tolerance(sigma / edges[2], true, range.high - range.low),
             qPrintable(QString::number(worst)));
    QVERIFY2(worst <= 0.02 * largest, qPrintable(QString("%1 of %2").arg(worst).arg(largest)));
}

void ReferenceTest::everyInstructionSetAgrees() {
    for (const base::Extents& extents : {base::Extents{53, 38, 1}, base::Extents{19, 22, 13}}) {
        const base::Image<double> image = noise(extents);
        const detail::LevelRange range = rangeOf(image, 20);
        const auto& sets = detail::lineKernels();
        const base::Image<double> first = response(image, range, 20, 2.5, sets.front());
        for (const detail::LineKernels& set : sets) {
            const base::Image<double> other = response(image, range, 20, 2.5, set);
            for (std::int64_t i = 0; i < image.count(); ++i) {
                // A few roundings of values up to the weight times the range.
                QVERIFY2(std::fabs(first.data()[i] - other.data()[i]) < 1e-11,
                         std::string(set.name).c_str());
            }
        }
    }
}

const flcc::test::TestClass<ReferenceTest> kReferenceTest;
#include "reference_test.moc"
