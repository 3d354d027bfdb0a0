#include <QtTest>

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/base/spacing.h"
#include "engine/filter/resample.h"
#include "tests/support/test_class.h"

using namespace flcc;

class ResampleTest : public QObject {
    Q_OBJECT

    static base::Geometry grid(double x, double y, double z, const char* unit = "um") {
        base::Geometry geometry;
        geometry.spacing = {x, y, z};
        geometry.unit = unit;
        geometry.unitSource = base::UnitSource::Header;
        return geometry;
    }
    /// 3 x - 2 y + z + 1, which linear interpolation keeps.
    static base::Image<double> ramp(const base::Extents& n) {
        base::Image<double> image(n);
        for (std::int64_t z = 0; z < n.z; ++z) {
            for (std::int64_t y = 0; y < n.y; ++y) {
                for (std::int64_t x = 0; x < n.x; ++x) {
                    image.view().at(x, y, z) = static_cast<double>(3 * x - 2 * y + z + 1);
                }
            }
        }
        return image;
    }

  private Q_SLOTS:
    void aRampStaysARampInTheWorld() {
        const base::Image<double> image = ramp({9, 7, 5});
        const base::Geometry own = grid(1, 2, 3);
        const filter::Resampled made =
            filter::resample(image.view(), own, grid(500, 1000, 1500, "nm"));
        const base::Extents n = base::extentsOf(made.pixels);
        QVERIFY((n == base::Extents{18, 14, 10}));
        QCOMPARE(made.geometry.unit, std::string("nm"));
        QCOMPARE(made.geometry.spacing, (base::Point{500, 1000, 1500}));
        // Values up to 32, each a sum of two products an axis, and the place in the world.
        const double rounding = 32 * 32 * std::numeric_limits<double>::epsilon();
        for (std::int64_t z = 1; z + 1 < n.z; ++z) {
            for (std::int64_t y = 1; y + 1 < n.y; ++y) {
                for (std::int64_t x = 1; x + 1 < n.x; ++x) {
                    const base::Point world = base::toWorld(
                        made.geometry,
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    const double wanted =
                        3 * world[0] / 1000 - 2 * world[1] / 2000 + world[2] / 3000 + 1;
                    QVERIFY(std::abs(base::valueAt(base::viewOf(made.pixels), {x, y, z}) -
                                     wanted) <= rounding);
                }
            }
        }
    }

    void whatIsTooFineIsAveragedAndDoesNotAlias() {
        // 0.45 periods a voxel; picking every third voxel makes 0.35 periods of it.
        base::Image<double> image({90, 3, 1});
        for (std::int64_t x = 0; x < 90; ++x) {
            for (std::int64_t y = 0; y < 3; ++y) {
                image.view().at(x, y, 0) =
                    std::cos(2 * std::numbers::pi * 0.45 * static_cast<double>(x));
            }
        }
        const filter::Resampled made = filter::resample(image.view(), grid(1, 1, 1), grid(3, 1, 1));
        QVERIFY((base::extentsOf(made.pixels) == base::Extents{30, 3, 1}));
        // The response of a triangle of half width 3: (sin(3 w / 2) / (3 sin(w / 2)))^2.
        const double w = 2 * std::numbers::pi * 0.45;
        const double response = std::pow(std::sin(1.5 * w) / (3 * std::sin(w / 2)), 2);
        QVERIFY(response < 0.1);
        for (std::int64_t x = 1; x < 29; ++x) {
            QVERIFY(std::abs(base::valueAt(base::viewOf(made.pixels), {x, 1, 0})) <=
                    response + 90 * std::numeric_limits<double>::epsilon());
        }
    }

    void aConstantStaysConstantInEveryType() {
        base::Image<std::uint16_t> image({10, 8, 1}, 700);
        const filter::Resampled made =
            filter::resample(image.view(), grid(1, 1, 1), grid(0.7, 1.9, 5));
        QVERIFY(base::pixelType(made.pixels) == base::PixelType::Float32);
        QVERIFY((base::extentsOf(made.pixels) == base::Extents{14, 4, 1})); // flat stays flat
        for (std::int64_t y = 0; y < 4; ++y) {
            for (std::int64_t x = 0; x < 14; ++x) {
                // Weights in double sum to 1 but for rounding, far below half a step of floats.
                QCOMPARE(base::valueAt(base::viewOf(made.pixels), {x, y, 0}), 700.0);
            }
        }
        base::Image<std::int32_t> large({4, 4, 1}, 16'777'217); // no float holds it
        const filter::Resampled doubled =
            filter::resample(large.view(), grid(1, 1, 1), grid(0.5, 0.5, 1));
        QVERIFY(base::pixelType(doubled.pixels) == base::PixelType::Float64);
        QVERIFY(std::abs(base::valueAt(base::viewOf(doubled.pixels), {3, 3, 0}) - 16'777'217.0) <
                0.5);
    }

    void extentsAreAtLeastOneAndBounded() {
        QVERIFY((filter::resampledExtents({5, 6, 1}, {0.01, 2, 9}) == base::Extents{1, 12, 1}));
        QVERIFY(filter::resampledExtents({5, 5, 5}, {1e300, 1, 1}).x <= 1LL << 40);
    }
};

const flcc::test::TestClass<ResampleTest> kResampleTest;
#include "resample_test.moc"
