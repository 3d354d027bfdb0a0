#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/features/pairs.h"
#include "tests/engine/features/pictures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;
using blob_pictures::detectGrey;
using blob_pictures::hills;

class PairsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void blobsOfATurnedEnlargedNoisyCopyAreFound();
    void anotherPictureHasFewPairs();
    void volumesAreMatched();
    void aCancelledMatchSaysSo();
};

namespace {

base::Image<float> floats(const base::Image<double>& image) {
    return greyImage(ChannelImage({image.view()}, Channels::Grey));
}

/// Many hills of many sizes.
base::Image<double> landscape(std::uint64_t seed) {
    base::Image<double> image({230, 210, 1}, 0.0);
    for (std::uint64_t part = 0; part < 6; ++part) {
        const base::Image<double> some = hills(image.extents(), seed * 100 + part);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] += some.data()[i];
        }
    }
    return image;
}

/// Turned by `degrees` and scaled around the centres.
struct Warp {
    double degrees = 10;
    double scale = 1.2;
    base::Point from{};
    base::Point to{};

    [[nodiscard]] base::Point forward(const base::Point& p) const {
        const double c = std::cos(degrees * M_PI / 180) * scale;
        const double s = std::sin(degrees * M_PI / 180) * scale;
        const double x = p[0] - from[0];
        const double y = p[1] - from[1];
        return {c * x - s * y + to[0], s * x + c * y + to[1], 0};
    }
    [[nodiscard]] base::Point backward(const base::Point& p) const {
        const double c = std::cos(degrees * M_PI / 180) / scale;
        const double s = std::sin(degrees * M_PI / 180) / scale;
        const double x = p[0] - to[0];
        const double y = p[1] - to[1];
        return {c * x + s * y + from[0], -s * x + c * y + from[1], 0};
    }
};

base::Image<double> warped(const base::Image<double>& image, const Warp& warp,
                           const base::Extents& extents) {
    base::Random random(9);
    base::Image<double> result(extents);
    const base::Extents& n = image.extents();
    for (std::int64_t y = 0; y < extents.y; ++y) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const base::Point p =
                warp.backward({static_cast<double>(x), static_cast<double>(y), 0});
            const double px = std::clamp(p[0], 0.0, static_cast<double>(n.x - 1) - 1e-9);
            const double py = std::clamp(p[1], 0.0, static_cast<double>(n.y - 1) - 1e-9);
            const auto x0 = static_cast<std::int64_t>(px);
            const auto y0 = static_cast<std::int64_t>(py);
            const double fx = px - static_cast<double>(x0);
            const double fy = py - static_cast<double>(y0);
            const auto v = image.view();
            result.view().at(x, y, 0) =
                (1 - fy) * ((1 - fx) * v.at(x0, y0, 0) + fx * v.at(x0 + 1, y0, 0)) +
                fy * ((1 - fx) * v.at(x0, y0 + 1, 0) + fx * v.at(x0 + 1, y0 + 1, 0)) +
                2 * random.normal();
        }
    }
    return result;
}

std::vector<Pair> pairsOf(const base::Image<double>& a, const base::Image<double>& b,
                          const std::vector<Blob>& ofA, const std::vector<Blob>& ofB) {
    const base::Image<float> first = floats(a);
    const base::Image<float> second = floats(b);
    std::vector<Pair> pairs;
    const bool done = matchBlobs(
        {first.view(), ofA}, {second.view(), ofB}, {.threads = 2}, {}, [](double) {}, pairs);
    return done ? pairs : std::vector<Pair>{};
}

const DetectorOptions kOptions{.scales = {2, 12, 8}, .levels = 32, .minStrength = 12.0};

} // namespace

void PairsTest::blobsOfATurnedEnlargedNoisyCopyAreFound() {
    const base::Image<double> image = landscape(1);
    const Warp warp{.from = {114.5, 104.5, 0}, .to = {159.5, 149.5, 0}};
    const base::Image<double> copy = warped(image, warp, {320, 300, 1});
    const Detection a = detectGrey(image, kOptions);
    const Detection b = detectGrey(copy, kOptions);
    const std::vector<Pair> pairs = pairsOf(image, copy, a.blobs, b.blobs);
    QVERIFY2(pairs.size() >= 50, qPrintable(QString::number(pairs.size())));
    QVERIFY(std::is_sorted(pairs.begin(), pairs.end(),
                           [](const Pair& x, const Pair& y) { return x.score > y.score; }));
    const std::size_t count = std::min<std::size_t>(100, pairs.size());
    std::size_t right = 0;
    std::size_t turned = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const base::Point expected = warp.forward(a.blobs[pairs[i].a].centre);
        const base::Point& found = pairs[i].place;
        right += std::hypot(found[0] - expected[0], found[1] - expected[1]) <= 2 ? 1U : 0U;
        turned += pairs[i].turn == 10 ? 1U : 0U;
    }
    qInfo("%zu of %zu right", right, count);
    QVERIFY(right * 10 >= count * 8);
    QVERIFY(turned * 10 >= count * 8);
}

void PairsTest::anotherPictureHasFewPairs() {
    if (test::kSanitized) {
        QSKIP("numbers only; the other tests make the same reads and writes");
    }
    const base::Image<double> image = landscape(1);
    const base::Image<double> other = landscape(2);
    const Detection a = detectGrey(image, kOptions);
    const Detection b = detectGrey(other, kOptions);
    const std::vector<Pair> pairs = pairsOf(image, other, a.blobs, b.blobs);
    // Round hills look alike; most of them are refused all the same.
    QVERIFY2(pairs.size() * 5 <= a.blobs.size(),
             qPrintable(QString("%1 of %2").arg(pairs.size()).arg(a.blobs.size())));
}

void PairsTest::volumesAreMatched() {
    const base::Image<double> image = hills({40, 36, 34}, 8);
    base::Image<double> moved({40, 36, 34});
    for (std::int64_t z = 0; z < 34; ++z) {
        for (std::int64_t y = 0; y < 36; ++y) {
            for (std::int64_t x = 0; x < 40; ++x) {
                moved.view().at(x, y, z) = image.view().at((x + 3) % 40, (y + 2) % 36, z);
            }
        }
    }
    const DetectorOptions options{.scales = {2, 5, 4}, .levels = 16, .minStrength = 5.0};
    const Detection a = detectGrey(image, options);
    const Detection b = detectGrey(moved, options);
    const std::vector<Pair> pairs = pairsOf(image, moved, a.blobs, b.blobs);
    QVERIFY(pairs.size() >= 2);
    const base::Point& first = a.blobs[pairs[0].a].centre;
    const base::Point& second = b.blobs[pairs[0].b].centre;
    QVERIFY(std::fabs(first[0] - 3 - second[0]) < 1 && std::fabs(first[1] - 2 - second[1]) < 1 &&
            std::fabs(first[2] - second[2]) < 1);
}

void PairsTest::aCancelledMatchSaysSo() {
    const base::Image<float> image({20, 20, 1}, 0.0F);
    const std::vector<Blob> blobs(5, Blob{.centre = {9, 9, 0}, .sigma = 2, .radius = 3});
    std::stop_source stop;
    stop.request_stop();
    std::vector<Pair> pairs;
    QVERIFY(!matchBlobs(
        {image.view(), blobs}, {image.view(), blobs}, {}, stop.get_token(), [](double) {}, pairs));
}

const flcc::test::TestClass<PairsTest> kPairsTest;
#include "pairs_test.moc"
