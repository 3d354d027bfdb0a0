#include <QtTest>

#include <cmath>
#include <cstdio>
#include <vector>

#include "engine/features/detail/maxima.h"
#include "engine/features/detector.h"
#include "tests/engine/features/pictures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;
using blob_pictures::detectGrey;
using blob_pictures::Disc;
using blob_pictures::discs;
using blob_pictures::nearest;

class BlobShapesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aDiscHasItsPlaceSizeAndContrast_data();
    void aDiscHasItsPlaceSizeAndContrast();
    void aBallHasItsPlaceSizeAndContrast_data();
    void aBallHasItsPlaceSizeAndContrast();
    void ballsAndDiscsOfOblongVoxelsAreFound();
    void theResponseOverTheScalesIsThatOfADisc();
    void aStepEdgeIsNoBlob_data();
    void aStepEdgeIsNoBlob();
    void aRampIsNoBlob();
    void anEnlargedImageHasBlobsOfTwiceTheSize();
    void theScaleFitIsExactForDiscs();
};

namespace {

DetectorOptions around(double sigma, double ratio) {
    return {.scales = {sigma / ratio, sigma * ratio, 5}, .minStrength = 20.0};
}

} // namespace

void BlobShapesTest::aDiscHasItsPlaceSizeAndContrast_data() {
    QTest::addColumn<double>("sigma");
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("y");
    for (const double sigma : {2.0, 4.0, 8.0, 16.0, 32.0}) {
        for (const double shift : {0.0, 0.25, 0.5}) {
            QTest::addRow("sigma %g, shift %g", sigma, shift) << sigma << shift << 0.7 * shift;
        }
    }
}

void BlobShapesTest::aDiscHasItsPlaceSizeAndContrast() {
    QFETCH(double, sigma);
    QFETCH(double, x);
    QFETCH(double, y);
    const double contrast = 100;
    const double radius = std::sqrt(2.0) * sigma;
    // The border repeats the ground: the image need not be much larger than the disc.
    const auto side = static_cast<std::int64_t>(std::ceil(4 * sigma)) + 8;
    const double middle = static_cast<double>(side / 2);
    const Disc disc{{middle + x, middle + y, 0}, radius, contrast};
    const Detection result = detectGrey(discs({side, side, 1}, 7, {disc}), around(1.1 * sigma, 2));
    QCOMPARE(result.blobs.size(), std::size_t{1});
    const Blob& blob = result.blobs.front();
    // The quantisation to levels, and 0.003 of the contrast. The averaged edge makes discs of
    // radius a + d, d of variance 1/12, of the levels: the mean of t e^(1 - t) is 1 - 1 / (6 a^2).
    const double step = contrast / 128;
    const double expected = contrast * (1 - 1 / (6 * radius * radius));
    QVERIFY2(std::fabs(blob.strength - expected) <= step + 0.003 * contrast,
             qPrintable(QString::number(blob.strength)));
    QVERIFY2(std::fabs(blob.sigma / sigma - 1) <= 0.01, qPrintable(QString::number(blob.sigma)));
    QVERIFY2(std::hypot(blob.centre[0] - disc.centre[0], blob.centre[1] - disc.centre[1]) <= 0.05,
             qPrintable(QString("%1 %2").arg(blob.centre[0]).arg(blob.centre[1])));
    QCOMPARE(blob.radius, std::sqrt(2.0) * blob.sigma);
}

void BlobShapesTest::aBallHasItsPlaceSizeAndContrast_data() {
    QTest::addColumn<double>("sigma");
    QTest::addColumn<double>("shift");
    const bool large = qEnvironmentVariableIsSet("FLCC_LARGE_BALLS"); // half a minute each
    for (const double sigma : {2.0, 3.0, 4.5, 8.0, 16.0, 32.0}) {
        if ((test::kSanitized && sigma > 2) || (!large && sigma > 8)) {
            break;
        }
        QTest::addRow("sigma %g, on a voxel", sigma) << sigma << 0.0;
        QTest::addRow("sigma %g, between voxels", sigma) << sigma << 0.3;
    }
}

void BlobShapesTest::aBallHasItsPlaceSizeAndContrast() {
    QFETCH(double, sigma);
    QFETCH(double, shift);
    const double contrast = 100;
    const double radius = std::sqrt(3.0) * sigma;
    const auto side = static_cast<std::int64_t>(std::ceil(5 * sigma)) + 8;
    const double middle = static_cast<double>(side / 2);
    const Disc ball{{middle + shift, middle - shift, middle + shift / 2}, radius, contrast};
    DetectorOptions options{
        .scales = {sigma / 1.5, sigma * 1.6, 4}, .levels = 32, .minStrength = 20.0};
    const Detection result = detectGrey(discs({side, side + 3, side - 2}, -3, {ball}), options);
    QCOMPARE(result.blobs.size(), std::size_t{1});
    const Blob& blob = result.blobs.front();
    const double step = contrast / options.levels;
    const double expected = contrast * (1 - 1 / (4 * radius * radius)); // as for discs
    QVERIFY2(std::fabs(blob.strength - expected) <= step + 0.003 * contrast,
             qPrintable(QString::number(blob.strength)));
    QVERIFY2(std::fabs(blob.sigma / sigma - 1) <= 0.01, qPrintable(QString::number(blob.sigma)));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        QVERIFY2(std::fabs(blob.centre[axis] - ball.centre[axis]) <= 0.05,
                 qPrintable(QString::number(blob.centre[axis] - ball.centre[axis])));
    }
    QCOMPARE(blob.radius, std::sqrt(3.0) * blob.sigma);
}

/// h t e^(1 - t), t = a^2 / (2 sigma^2): the maps at single scales.
namespace {

/// Discs or balls whose centres are in voxels and radii in shortest edges; 4 samples an axis.
base::Image<double> inSpace(const base::Extents& n, const base::Point& edges,
                            const std::vector<Disc>& shapes) {
    constexpr int kSamples = 4;
    base::Image<double> image(n, 10.0);
    const int deep = n.z > 1 ? kSamples : 1;
    const auto at = [](std::int64_t voxel, int sample, int samples) {
        return static_cast<double>(voxel) + (sample + 0.5) / samples - 0.5;
    };
    for (const Disc& disc : shapes) {
        for (std::int64_t i = 0; i < image.count(); ++i) {
            const base::Index v{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
            int inside = 0;
            for (int s = 0; s < kSamples * kSamples * deep; ++s) {
                const double x = at(v.x, s % kSamples, kSamples) - disc.centre[0];
                const double y = at(v.y, s / kSamples % kSamples, kSamples) - disc.centre[1];
                const double z = at(v.z, s / (kSamples * kSamples), deep) - disc.centre[2];
                inside += std::hypot(edges[0] * x, edges[1] * y, edges[2] * z) <= disc.radius;
            }
            image.data()[i] += disc.contrast * inside / (kSamples * kSamples * deep);
        }
    }
    return image;
}

} // namespace

void BlobShapesTest::ballsAndDiscsOfOblongVoxelsAreFound() {
    struct Case {
        base::Extents extents;
        base::Point edges;
        std::vector<Disc> shapes;
    };
    const std::vector<Case> cases{
        {{52, 50, 20},
         {1, 1, 3},
         {{{13, 14, 5.3}, 7, 100}, {{36.4, 13, 13}, 8, 80}, {{15, 36, 13.7}, 6, 100}}},
        {{60, 40, 1}, {1, 2.5, 1}, {{{15.2, 11, 0}, 9, 100}, {{42, 27.4, 0}, 12, 70}}}};
    for (const Case& each : cases) {
        const base::Image<double> image = inSpace(each.extents, each.edges, each.shapes);
        const Detection found = detectGrey(
            image,
            {.scales = {2.5, 12, 9}, .levels = 48, .minStrength = 40.0, .edges = each.edges});
        QCOMPARE(found.blobs.size(), each.shapes.size());
        for (const Disc& disc : each.shapes) {
            const Blob* const blob = nearest(found.blobs, disc.centre);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                QVERIFY2(std::abs(blob->centre[axis] - disc.centre[axis]) < 0.3,
                         qPrintable(QString::number(blob->centre[axis])));
            }
            QVERIFY2(std::abs(blob->radius / disc.radius - 1) < 0.1,
                     qPrintable(QString::number(blob->radius)));
        }
    }
}

void BlobShapesTest::theResponseOverTheScalesIsThatOfADisc() {
    const double contrast = 200;
    const double radius = 9;
    const Disc disc{{80, 80, 0}, radius, contrast};
    const base::Image<double> image = discs({161, 161, 1}, 10, {disc});
    for (const double sigma : {3.0, 5.0, 6.364, 9.0, 14.0}) {
        const DetectorOptions options{.scales = {sigma, sigma * 1.0001, 3}, .maps = true};
        const Detection result = detectGrey(image, options);
        const double t = radius * radius / (2 * sigma * sigma);
        const double expected = contrast * t * std::exp(1 - t);
        const double response = static_cast<double>(result.strength.view().at(80, 80, 0));
        // The slope of the curve over the width of the series is far below the tolerance.
        QVERIFY2(std::fabs(response - expected) <= contrast / 128 + 0.003 * contrast,
                 qPrintable(
                     QString("sigma %1: %2, expected %3").arg(sigma).arg(response).arg(expected)));
    }
}

void BlobShapesTest::aStepEdgeIsNoBlob_data() {
    QTest::addColumn<double>("angle");
    for (const double angle : {0.0, 90.0, 45.0, 30.0, 10.0}) {
        QTest::addRow("%g degrees", angle) << angle;
    }
}

void BlobShapesTest::aStepEdgeIsNoBlob() {
    QFETCH(double, angle);
    base::Image<double> image({160, 150, 1});
    const double cosine = std::cos(angle * M_PI / 180);
    const double sine = std::sin(angle * M_PI / 180);
    for (std::int64_t y = 0; y < 150; ++y) {
        for (std::int64_t x = 0; x < 160; ++x) {
            const double d =
                (static_cast<double>(x) - 80.2) * cosine + (static_cast<double>(y) - 75.4) * sine;
            image.view().at(x, y, 0) = 100 * std::clamp(d + 0.5, 0.0, 1.0);
        }
    }
    const Detection result = detectGrey(image, {.scales = {2, 16, 10}, .levels = 32});
    QCOMPARE(result.found, std::int64_t{0});
}

void BlobShapesTest::aRampIsNoBlob() {
    base::Image<double> image({200, 120, 1});
    for (std::int64_t y = 0; y < 120; ++y) {
        for (std::int64_t x = 0; x < 200; ++x) {
            image.view().at(x, y, 0) = static_cast<double>(2 * x + y);
        }
    }
    QCOMPARE(detectGrey(image, {.scales = {2, 12, 8}, .minStrength = 0.0}).found, std::int64_t{0});
}

void BlobShapesTest::anEnlargedImageHasBlobsOfTwiceTheSize() {
    const base::Image<double> image = blob_pictures::hills({110, 90, 1}, 11);
    base::Image<double> large({220, 180, 1});
    // Linear interpolation at (x - 1/2) / 2: the centre of voxel x of the large image.
    for (std::int64_t y = 0; y < 180; ++y) {
        for (std::int64_t x = 0; x < 220; ++x) {
            const auto clampTo = [](double v, std::int64_t n) {
                return std::clamp(v, 0.0, static_cast<double>(n - 1));
            };
            const double sx = clampTo((static_cast<double>(x) - 0.5) / 2, 110);
            const double sy = clampTo((static_cast<double>(y) - 0.5) / 2, 90);
            const auto x0 = std::min(static_cast<std::int64_t>(sx), std::int64_t{108});
            const auto y0 = std::min(static_cast<std::int64_t>(sy), std::int64_t{88});
            const double fx = sx - static_cast<double>(x0);
            const double fy = sy - static_cast<double>(y0);
            const auto v = image.view();
            large.view().at(x, y, 0) =
                (1 - fy) * ((1 - fx) * v.at(x0, y0, 0) + fx * v.at(x0 + 1, y0, 0)) +
                fy * ((1 - fx) * v.at(x0, y0 + 1, 0) + fx * v.at(x0 + 1, y0 + 1, 0));
        }
    }
    const double ratio = std::pow(4.0, 1.0 / 6); // a scale step of either series
    const Detection small = detectGrey(image, {.scales = {2, 8, 7}});
    const Detection big = detectGrey(large, {.scales = {4, 16, 7}});
    QVERIFY(small.blobs.size() >= 8);
    int checked = 0;
    for (const Blob& blob : small.blobs) {
        if (checked == 8) {
            break;
        }
        ++checked;
        const base::Point where{2 * blob.centre[0] + 0.5, 2 * blob.centre[1] + 0.5, 0};
        const Blob* other = nearest(big.blobs, where);
        QVERIFY(other != nullptr);
        const double off = std::hypot(other->centre[0] - where[0], other->centre[1] - where[1]);
        QVERIFY2(off <= 0.5 * other->sigma, qPrintable(QString::number(off)));
        const double growth = other->sigma / (2 * blob.sigma);
        QVERIFY2(growth < ratio && growth > 1 / ratio, qPrintable(QString::number(growth)));
    }
}

void BlobShapesTest::theScaleFitIsExactForDiscs() {
    for (const double power : {1.0, 1.5}) { // disc, ball
        const double true2 = 5.3 * 5.3;
        const auto response = [&](double sigma) {
            const double t = true2 / (sigma * sigma);
            return 42 * std::pow(t, power) * std::exp(power * (1 - t));
        };
        for (const double ratio : {1.1, 1.4, 2.0}) {
            const std::array<double, 3> sigma{5 / ratio, 5, 5 * ratio};
            const detail::ScaleFit fit = detail::fitScale(
                sigma, {response(sigma[0]), response(sigma[1]), response(sigma[2])});
            QVERIFY(std::fabs(fit.sigma - 5.3) < 1e-9);
            QVERIFY(std::fabs(fit.response - 42) < 1e-9);
        }
    }
}

const flcc::test::TestClass<BlobShapesTest> kBlobShapesTest;
#include "blob_shapes_test.moc"
