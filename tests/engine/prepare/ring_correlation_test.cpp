#include <QtTest>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "engine/prepare/ring_correlation.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
using Values = std::vector<std::complex<double>>;

template <class Visit> void forVoxels(const Extents& n, const Visit& visit) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                visit(x, y, z);
            }
        }
    }
}

/// Noise in -1 to 1, `shared` of which all seeds have in common.
base::Image<double> noise(const Extents& n, unsigned seed, double shared = 0) {
    std::mt19937 random(seed);
    std::mt19937 common(99);
    base::Image<double> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = (1 - shared) * (static_cast<double>(random() % 1000) / 500 - 1) +
                          shared * (static_cast<double>(common() % 1000) / 500 - 1);
    }
    return image;
}

/// The discrete Fourier transform of every frequency by its definition.
Values transformed(const base::Image<double>& image) {
    const Extents& n = image.extents();
    const auto turns = [](std::int64_t k, std::int64_t x, std::int64_t length) {
        return static_cast<double>(k * x % length) / static_cast<double>(length);
    };
    Values values;
    forVoxels(n, [&](std::int64_t kx, std::int64_t ky, std::int64_t kz) {
        std::complex<double> sum = 0;
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const double turn = turns(kx, x, n.x) + turns(ky, y, n.y) + turns(kz, z, n.z);
            sum += image.view().at(x, y, z) * std::polar(1.0, -2 * std::numbers::pi * turn);
        });
        values.push_back(sum);
    });
    return values;
}

/// How far the transform of `image` may be off at a frequency, by either computation. By the
/// definition: products and sums of as many terms as voxels, roots that are off by less than
/// 2 pi (3 + 1) units. By FFTW: less.
double errorOf(const base::Image<double>& image) {
    double sum = 0;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        sum += std::abs(image.data()[i]);
    }
    return 2 * (static_cast<double>(image.count()) + 30) * kUnit * sum;
}

struct Ring {
    double product = 0;
    double powerA = 0;
    double powerB = 0;
    double count = 0;
};

std::vector<Ring> ringsByDefinition(const base::Image<double>& a, const base::Image<double>& b,
                                    std::int64_t least) {
    const Extents& n = a.extents();
    const Values one = transformed(a);
    const Values other = transformed(b);
    const auto frequency = [](std::int64_t k, std::int64_t edge) {
        return static_cast<double>(2 * k > edge ? k - edge : k) / static_cast<double>(edge);
    };
    std::vector<Ring> rings(static_cast<std::size_t>(least / 2 + 1));
    std::size_t i = 0;
    forVoxels(n, [&](std::int64_t kx, std::int64_t ky, std::int64_t kz) {
        const double f = std::hypot(frequency(kx, n.x), frequency(ky, n.y), frequency(kz, n.z));
        const auto number = static_cast<std::size_t>(std::llround(f * static_cast<double>(least)));
        if (number < rings.size()) {
            rings[number].product += (one[i] * std::conj(other[i])).real();
            rings[number].powerA += std::norm(one[i]);
            rings[number].powerB += std::norm(other[i]);
            ++rings[number].count;
        }
        ++i;
    });
    return rings;
}

} // namespace

class RingCorrelationTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void ringsFollowTheirDefinition_data();
    void ringsFollowTheirDefinition();
    void anImageIsLikeItself();
    void theResolutionIsWhereTheCurveFalls();
    void aRingWithoutPowerHasNoCorrelation();
};

void RingCorrelationTest::ringsFollowTheirDefinition_data() {
    QTest::addColumn<int>("x");
    QTest::addColumn<int>("y");
    QTest::addColumn<int>("z");
    QTest::newRow("even") << 8 << 8 << 1;
    QTest::newRow("odd") << 7 << 7 << 1;
    QTest::newRow("unequal") << 9 << 6 << 1;
    QTest::newRow("oblong along x") << 40 << 5 << 1;
    QTest::newRow("oblong along y") << 6 << 37 << 1;
    QTest::newRow("primes") << 23 << 29 << 1;
    QTest::newRow("even volume") << 8 << 8 << 8;
    QTest::newRow("odd volume") << 7 << 9 << 5;
    QTest::newRow("mixed volume") << 6 << 5 << 4;
    QTest::newRow("oblong volume") << 5 << 4 << 26;
    QTest::newRow("line") << 11 << 1 << 1;
    QTest::newRow("line along z") << 1 << 1 << 12;
    QTest::newRow("plane of y and z") << 1 << 9 << 8;
    QTest::newRow("voxel") << 1 << 1 << 1;
}

void RingCorrelationTest::ringsFollowTheirDefinition() {
    QFETCH(int, x);
    QFETCH(int, y);
    QFETCH(int, z);
    const Extents n{x, y, z};
    const base::Image<double> a = noise(n, 4, 0.4);
    const base::Image<double> b = noise(n, 5, 0.4);
    const prepare::RingCorrelation rings = prepare::ringCorrelation(a.view(), b.view());
    std::int64_t least = std::max({x, y, z});
    for (const int edge : {x, y, z}) {
        least = edge > 1 ? std::min<std::int64_t>(least, edge) : least;
    }
    const std::vector<Ring> expected = ringsByDefinition(a, b, least);
    QCOMPARE(rings.frequency.size(), expected.size());
    QCOMPARE(rings.correlation.size(), expected.size());
    for (std::size_t r = 0; r < expected.size(); ++r) {
        QCOMPARE(rings.frequency[r], static_cast<double>(r) / static_cast<double>(least));
        const Ring& ring = expected[r];
        const double exact = ring.product / std::sqrt(ring.powerA * ring.powerB);
        // The vector of the frequencies of a ring moves by a part of its length, and the cosine of
        // two vectors by at most the sum of such parts of each, times 2 for its length.
        const double moved = std::sqrt(ring.count) * (errorOf(a) / std::sqrt(ring.powerA) +
                                                      errorOf(b) / std::sqrt(ring.powerB));
        const double bound = 2 * moved + 4 * ring.count * kUnit;
        QVERIFY2(bound < 1e-9, qPrintable(QString::number(bound))); // or the test says nothing
        QVERIFY2(
            std::abs(rings.correlation[r] - exact) <= bound,
            qPrintable(QString("ring %1: %2, not %3").arg(r).arg(rings.correlation[r]).arg(exact)));
    }
}

void RingCorrelationTest::anImageIsLikeItself() {
    for (const Extents& n : {Extents{16, 15, 1}, Extents{12, 9, 10}}) {
        const base::Image<double> a = noise(n, 4);
        const prepare::RingCorrelation same = prepare::ringCorrelation(a.view(), a.view());
        for (const double value : same.correlation) {
            QVERIFY(std::abs(value - 1) <= 4 * kUnit); // one sum, two roots and a quotient
        }
        QVERIFY(!same.resolution);
    }
}

// One wave that both images have, and one that they have with opposite signs.
void RingCorrelationTest::theResolutionIsWhereTheCurveFalls() {
    const auto wave = [](double sign) {
        base::Image<double> image({16, 16, 1});
        forVoxels(image.extents(), [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const double turn = 2 * std::numbers::pi / 16;
            image.view().at(x, y, z) = 1 + std::cos(turn * static_cast<double>(x)) +
                                       std::cos(2 * turn * static_cast<double>(y)) +
                                       sign * std::cos(3 * turn * static_cast<double>(x));
        });
        return image;
    };
    const prepare::RingCorrelation rings =
        prepare::ringCorrelation(wave(1).view(), wave(-1).view());
    QVERIFY(std::abs(rings.correlation[2] - 1) < 1e-12);
    QVERIFY(std::abs(rings.correlation[3] + 1) < 1e-12);
    // From 1 at 2/16 to -1 at 3/16 it falls below 0.143 at (1 - 0.143) / 2 of the way.
    const double frequency = (2 + (1 - prepare::kRingThreshold) / 2) / 16;
    QVERIFY(rings.resolution && std::abs(*rings.resolution - 1 / frequency) < 1e-9);
}

void RingCorrelationTest::aRingWithoutPowerHasNoCorrelation() {
    const base::Image<double> zeros({8, 8, 1}, 0.0);
    const base::Image<double> a = noise({8, 8, 1}, 4);
    const prepare::RingCorrelation rings = prepare::ringCorrelation(zeros.view(), a.view());
    QVERIFY(std::ranges::all_of(rings.correlation, [](double value) { return std::isnan(value); }));
    QVERIFY(!rings.resolution);
}

const flcc::test::TestClass<RingCorrelationTest> kRingCorrelationTest;
#include "ring_correlation_test.moc"
