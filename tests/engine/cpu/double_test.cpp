#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/random.h"
#include "engine/cpu/double_transform.h"
#include "engine/cpu/half_beam_transform.h"
#include "engine/cpu/simd/kernels.h"

using namespace flcc;
using base::Extents;
using base::Image;
using cpu::DoubleTransform;

namespace {

Image<double> random(const Extents& extents, std::uint64_t seed) {
    Image<double> image(extents);
    base::Random random(seed);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = random.uniform(-0.5, 0.5);
    }
    return image;
}

/// The circular correlation by its definition.
double correlation(const Image<double>& tile, const Image<double>& templ, const base::Index& at) {
    const Extents& n = tile.extents();
    const Extents& m = templ.extents();
    long double sum = 0;
    for (std::int64_t k = 0; k < m.z; ++k) {
        for (std::int64_t j = 0; j < m.y; ++j) {
            for (std::int64_t i = 0; i < m.x; ++i) {
                sum += static_cast<long double>(templ.view().at(i, j, k)) *
                       static_cast<long double>(tile.view().at((at.x + i) % n.x, (at.y + j) % n.y,
                                                               (at.z + k) % n.z));
            }
        }
    }
    return static_cast<double>(sum);
}

/// Buffers of a transform, each as large as what is said of it and no larger.
struct Buffers {
    explicit Buffers(const Extents& points)
        : voxels({base::voxelCount(points) + DoubleTransform::kZeros, 1, 1}, 0.0),
          templ({DoubleTransform::spectrumValues(points), 1, 1}, std::nan("")),
          work({DoubleTransform::spectrumValues(points), 1, 1}, std::nan("")),
          spectrum({DoubleTransform::spectrumValues(points), 1, 1}, std::nan("")),
          to({base::voxelCount(points), 1, 1}, std::nan("")) {}

    Image<double> voxels;
    Image<double> templ;
    Image<double> work;
    Image<double> spectrum;
    Image<double> to;
};

} // namespace

Q_DECLARE_METATYPE(flcc::base::Extents)

class DoubleTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTileIsCorrelated_data() {
        QTest::addColumn<Extents>("points");
        QTest::addColumn<Extents>("templ");
        QTest::addColumn<bool>("own");
        const auto row = [](const Extents& points, const Extents& templ, bool own) {
            QTest::addRow("%s with %s", base::toString(points).c_str(),
                          base::toString(templ).c_str())
                << points << templ << own;
        };
        // Volumes: one group of columns, two, a part of one, odd numbers of slices; halves of
        // 8 elements, which have an idle one beside them.
        row({16, 16, 16}, {3, 4, 5}, true);
        row({32, 8, 6}, {5, 3, 2}, true);
        row({32, 14, 5}, {17, 3, 2}, true);
        row({40, 12, 7}, {20, 3, 7}, true);
        row({24, 15, 9}, {24, 15, 9}, true);
        row({9, 21, 10}, {2, 7, 3}, true);
        row({28, 30, 3}, {3, 3, 3}, true);
        row({48, 14, 1}, {33, 5, 1}, true);
        row({28, 15, 1}, {10, 5, 1}, true);
        row({56, 27, 3}, {31, 5, 2}, true);
        row({8, 5, 144}, {3, 2, 5}, true);
        // Pictures and lines.
        row({64, 48, 1}, {16, 16, 1}, true);
        row({80, 45, 1}, {7, 9, 1}, true);
        row({175, 6, 1}, {9, 2, 1}, true);
        row({144, 1, 1}, {11, 1, 1}, true);
        row({16, 2, 1}, {3, 1, 1}, true);
        row({10, 256, 1}, {3, 20, 1}, true);
        row({12, 1, 20}, {3, 1, 4}, true);
        // FFTW's: narrow ones, and other factors.
        row({1, 1, 1}, {1, 1, 1}, false);
        row({7, 30, 1}, {2, 3, 1}, false);
        row({17, 24, 4}, {3, 3, 2}, false);
        row({18, 12, 4}, {3, 3, 2}, true);
        row({33, 26, 1}, {3, 4, 1}, false);
        row({22, 10, 3}, {3, 4, 2}, false);
    }
    void aTileIsCorrelated() {
        QFETCH(Extents, points);
        QFETCH(Extents, templ);
        QFETCH(bool, own);
        QCOMPARE(cpu::hasHalfBeamTransform(points), own);
        const Image<double> tile = random(points, 3);
        const Image<double> weights = random(templ, 4);
        std::vector<double> exact;
        double energies[2] = {0, 0};
        for (std::int64_t i = 0; i < tile.count(); ++i) {
            exact.push_back(correlation(
                tile, weights,
                {i % points.x, i / points.x % points.y, i / points.x / points.y}));
            energies[0] += tile.data()[i] * tile.data()[i];
        }
        for (std::int64_t i = 0; i < weights.count(); ++i) {
            energies[1] += weights.data()[i] * weights.data()[i];
        }
        const double points2 = std::max(2.0, static_cast<double>(tile.count()));
        // The guarantee (METHODS 2.2) with a template's spectrum of the same precision.
        const double guarantee = 6 * 0x1p-53 *
                                 std::sqrt(std::log2(points2)) *
                                 std::sqrt(energies[0] * energies[1]);
        const auto transform = DoubleTransform::of(points);
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            Buffers buffers(points);
            std::copy_n(tile.data(), tile.count(), buffers.voxels.data());
            transform->templateSpectrum(weights, buffers.work.data(), buffers.templ.data());
            transform->correlate(buffers.templ.data(), buffers.voxels.data(), buffers.work.data(),
                                 buffers.to.data());
            double worst = 0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const double error = std::abs(buffers.to.data()[i] - exact[i]);
                worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
            }
            QVERIFY2(worst <= guarantee / 10,
                     (set + " " + std::to_string(worst / guarantee)).c_str());
            QVERIFY(std::equal(tile.data(), tile.data() + tile.count(), buffers.voxels.data()));
            // In two steps to the bit; the result may lie where the template was.
            transform->forward(buffers.voxels.data(), buffers.work.data(),
                               buffers.spectrum.data());
            Image<double> over = std::move(buffers.templ);
            transform->inverse(over.data(), buffers.spectrum.data(), buffers.work.data(),
                               over.data());
            QVERIFY(std::equal(buffers.to.data(), buffers.to.data() + buffers.to.count(),
                               over.data()));
        }
        cpu::simd::forceInstructionSet("");
    }
};

QTEST_APPLESS_MAIN(DoubleTest)
#include "double_test.moc"
