#include <QtTest>

#include <array>
#include <cmath>
#include <vector>

#include "engine/method/separation.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::AnyImage;
using base::Extents;
using base::Index;
using base::PixelType;
using method::Separability;

namespace {

constexpr double kMost = method::largestResidual(method::Precision::Single);

/// level + height * the product of a line an axis.
template <class Line>
AnyImage product(PixelType type, const Extents& m, double level, double height, Line&& line) {
    return test::makeScene(type, m, [&](const Index& i) {
        return level + height * line(i.x, m.x) * line(i.y, m.y) * line(i.z, m.z);
    });
}

double bell(std::int64_t i, std::int64_t length) {
    const double place = static_cast<double>(i) - 0.4 * static_cast<double>(length - 1);
    return std::exp(-place * place / 8);
}

} // namespace

class SeparationTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theLevelOfAProductIsFound() {
        for (const Extents& m : {Extents{15, 11, 1}, Extents{9, 7, 8}, Extents{60, 50, 1},
                                 Extents{1, 12, 9}, Extents{5, 4, 6}}) {
            for (const double level : {0.0, 10.0, -3.0}) {
                const Separability found =
                    method::separabilityOf(product(PixelType::Float64, m, level, 5, bell));
                QVERIFY2(found.residual < 1e-14, base::toString(m).c_str());
                // a is known as well as the voxels: 2^-53 of them, times what the fit enlarges
                QVERIFY(std::abs(found.level - level) < 1e-12);
            }
        }
    }

    void roundingToFloatsStaysWithinTheLimit() {
        const Separability found =
            method::separabilityOf(product(PixelType::Float32, {31, 29, 1}, 10, 100, bell));
        QVERIFY(found.residual > 1e-10 && found.residual <= kMost);
        QVERIFY(std::abs(found.level - 10) < 1e-4);
        // and rounding to bytes does not
        QVERIFY(
            method::separabilityOf(product(PixelType::UInt8, {31, 29, 1}, 10, 100, bell)).residual >
            100 * kMost);
    }

    // 1 - (1 - bar along x) (1 - bar along y)
    void aCrossOfWholeBarsIsAProductAboutItsOwnValue() {
        const AnyImage cross = test::makeScene(PixelType::UInt8, {21, 15, 1}, [](const Index& i) {
            return std::abs(i.x - 10) < 2 || std::abs(i.y - 7) < 3 ? 200 : 20;
        });
        const Separability found = method::separabilityOf(cross);
        QVERIFY(found.residual < 1e-14);
        QVERIFY(std::abs(found.level - 200) < 1e-10);
        const AnyImage shorter = test::makeScene(PixelType::UInt8, {21, 15, 1}, [](const Index& i) {
            return (std::abs(i.x - 10) < 2 && i.y > 0) || std::abs(i.y - 7) < 3 ? 200 : 20;
        });
        QVERIFY(method::separabilityOf(shorter).residual > 0.01);
    }

    void whatVariesAlongOneAxisTakesItsMean() {
        for (const Extents& m : {Extents{40, 1, 1}, Extents{12, 9, 1}, Extents{6, 5, 4}}) {
            double mean = 0;
            const auto value = [](const Index& i) { return std::sin(static_cast<double>(i.x)); };
            for (std::int64_t x = 0; x < m.x; ++x) {
                mean += value({x, 0, 0}) / static_cast<double>(m.x);
            }
            const Separability found =
                method::separabilityOf(test::makeScene(PixelType::Float64, m, value));
            QVERIFY(found.residual < 1e-14 && std::abs(found.level - mean) < 1e-12);
        }
    }

    void otherTemplatesHaveALargeResidual() {
        for (const Extents& m :
             {Extents{15, 11, 1}, Extents{9, 7, 8}, Extents{70, 60, 1}, Extents{20, 19, 18}}) {
            for (const AnyImage& templ :
                 {test::noise(PixelType::Float32, m, 1), test::texture(PixelType::UInt8, m, 2),
                  test::ramp(PixelType::Float32, m, 0, 1)}) { // a sum, not a product
                const double residual = method::separabilityOf(templ).residual;
                QVERIFY2(residual > 0.01 && residual <= 1, base::toString(m).c_str());
            }
        }
    }

    void theResidualIsThatOfTheProduct() {
        const Extents m{13, 9, 5};
        AnyImage disturbed = product(PixelType::Float64, m, 2, 3, bell);
        test::setVoxel(disturbed, {3, 4, 2},
                       base::valueAt(base::viewOf(disturbed), {3, 4, 2}) + 1e-4);
        const auto& values = std::get<base::Image<double>>(disturbed);
        const method::Separation found = method::separate(values.view());
        double miss = 0;
        double all = 0;
        double mean = 0;
        for (std::int64_t i = 0; i < values.count(); ++i) {
            mean += values.data()[i] / static_cast<double>(values.count());
        }
        for (std::int64_t i = 0; i < values.count(); ++i) {
            const auto& [x, y, z] = found.product.factors;
            const double value = values.data()[i];
            const double fit = found.level + x[static_cast<std::size_t>(i % m.x)] *
                                                 y[static_cast<std::size_t>(i / m.x % m.y)] *
                                                 z[static_cast<std::size_t>(i / (m.x * m.y))];
            miss += (value - fit) * (value - fit);
            all += (value - mean) * (value - mean);
        }
        const double expected = std::sqrt(miss / all);
        QVERIFY(expected > 1e-7 && expected < 1e-3);
        QVERIFY(std::abs(found.residual - expected) < 1e-9 * expected);
    }

    void whatCannotBeSearchedForHasNone() {
        QCOMPARE(
            method::separabilityOf(product(PixelType::Float32, {8, 7, 1}, 3, 0, bell)).residual,
            method::kUnknownResidual);
        AnyImage spoilt = product(PixelType::Float32, {50, 40, 1}, 3, 1, bell);
        test::setVoxel(spoilt, {0, 0, 0}, std::nan(""));
        QCOMPARE(method::separabilityOf(spoilt).residual, method::kUnknownResidual);
        const AnyImage templ = product(PixelType::Float32, {8, 7, 1}, 3, 1, bell);
        base::Image<std::uint8_t> mask({8, 7, 1}, 1);
        mask.data()[0] = 0;
        QCOMPARE(method::separabilityOf({base::viewOf(templ), mask.view()}).residual,
                 method::kUnknownResidual);
    }
};

const flcc::test::TestClass<SeparationTest> kSeparationTest;
#include "separation_test.moc"
