#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "engine/base/image.h"
#include "engine/base/random.h"
#include "engine/base/tile_pool.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/cpu/transform/tile_transform.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Image;
using cpu::TileTransform;
using cpu::TransformShape;
using method::Transforms;

namespace {

Image<double> noiseBox(const Extents& extents, std::uint64_t seed) {
    Image<double> image(extents);
    base::Random random(seed);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<double>(static_cast<float>(random.uniform(-0.5, 0.5)));
    }
    return image;
}

/// The circular correlation by its definition.
double correlationAt(const Image<double>& tile, const Image<double>& templ, const base::Index& at) {
    const Extents& n = tile.extents();
    const Extents& m = templ.extents();
    double sum = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        sum +=
            templ.data()[i] * tile.view().at((at.x + i % m.x) % n.x, (at.y + i / m.x % m.y) % n.y,
                                             (at.z + i / (m.x * m.y)) % n.z);
    }
    return sum;
}

template <class Real> struct FftwBuffers {
    explicit FftwBuffers(const TransformShape& points)
        : voxels({base::voxelCount(points) + TileTransform<Real>::kZeros, 1, 1}, Real{0}),
          work({TileTransform<Real>::spectrumValues(points), 1, 1}),
          to({base::voxelCount(points), 1, 1}) {}

    Image<Real> voxels;
    Image<Real> work;
    Image<Real> to;
};

} // namespace

class FftwTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // FFTW divides large boxes into jobs, here of lengths that ours do not have and of odd ones.
    void threadsShareALargeBox() {
        const auto check = [](auto real, const Extents& points) {
            using Real = decltype(real);
            const TransformShape shape(points, Transforms::Fftw);
            QVERIFY(cpu::jobsOf(points) > 1);
            const auto transform = TileTransform<Real>::of(shape);
            const Image<double> tile = noiseBox(points, 5);
            const Image<double> weights = noiseBox({7, 5, points.z > 1 ? 3 : 1}, 6);
            FftwBuffers<Real> own(shape);
            std::copy_n(tile.data(), tile.count(), own.voxels.data());
            const Image<Real> templ =
                transform->templateSpectrum(weights.view(), cpu::oneAfterTheOther());
            const cpu::TileEnergies energies = transform->correlate(
                templ.data(), own.voxels.data(), own.work.data(), own.to.data(), points);
            const auto total = [](const Image<double>& of) {
                return std::inner_product(of.data(), of.data() + of.count(), of.data(), 0.0);
            };
            // As in aTileIsCorrelated.
            const double most = 6 * std::sqrt(std::log2(static_cast<double>(tile.count()))) *
                                std::sqrt(total(tile) * total(weights)) *
                                (sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53) / 10;
            base::Random random(7);
            for (int i = 0; i < 500; ++i) {
                const auto at = static_cast<std::int64_t>(random.bits() %
                                                          static_cast<std::uint64_t>(tile.count()));
                const double exact = correlationAt(
                    tile, weights,
                    {at % points.x, at / points.x % points.y, at / points.x / points.y});
                QVERIFY(std::abs(static_cast<double>(own.to.data()[at]) - exact) <= most);
            }
            // Its energies are joined from parts; lines are sums of so many rounded squares.
            const auto whole = cpu::simd::lineEnergy(own.voxels.data(), points);
            const double lines = static_cast<double>(std::max({points.x, points.y, points.z})) *
                                 (sizeof(Real) == 4 ? 0x1p-23 : 0x1p-52);
            for (const auto& [a, b] : {std::pair{energies.in.total, whole.total},
                                       {energies.in.largestMeanSquare, whole.largestMeanSquare},
                                       {energies.in.largestGathered, whole.largestGathered},
                                       {energies.in.largestCrossing, whole.largestCrossing}}) {
                QVERIFY(std::abs(a - b) <= lines * b);
            }
            base::TilePool pool(3);
            int loops = 0;
            const cpu::ForItems shared = [&](std::int64_t count, const auto& item) {
                ++loops;
                return pool.run(count, item);
            };
            const Image<Real> again = transform->templateSpectrum(weights.view(), shared);
            QVERIFY(loops > 2); // FFTW's own among them
            QVERIFY(std::equal(templ.data(), templ.data() + templ.count(), again.data()));
            loops = 0;
            FftwBuffers<Real> other(shape);
            const auto found = transform->correlate({shared, 3}, templ.data(), own.voxels.data(),
                                                    other.work.data(), other.to.data(), points);
            QVERIFY(found.has_value());
            QVERIFY(std::equal(own.to.data(), own.to.data() + own.to.count(), other.to.data()));
            for (const auto& [a, b] :
                 {std::pair{found->in, energies.in}, {found->out, energies.out}}) {
                QCOMPARE(a.total, b.total);
                QCOMPARE(a.largestMeanSquare, b.largestMeanSquare);
                QCOMPARE(a.largestGathered, b.largestGathered);
                QCOMPARE(a.largestCrossing, b.largestCrossing);
            }
            // Whatever loop a stop comes in, a result is not given out.
            const int all = loops;
            for (int last = 0; last < all; last += 1 + all / 12) {
                int passed = 0;
                const cpu::ForItems stopped = [&](std::int64_t count, const auto& item) {
                    return passed++ < last && pool.run(count, item);
                };
                QVERIFY(!transform->correlate({stopped, 3}, templ.data(), own.voxels.data(),
                                              other.work.data(), other.to.data(), points));
            }
        };
        check(float{}, {520, 525, 1});
        check(double{}, {512, 539, 1});
        check(float{}, {63, 67, 65}); // a multitude of small loops
        check(double{}, {64, 64, 64});
    }
};

const flcc::test::TestClass<FftwTest> kFftwTest;
#include "fftw_test.moc"
