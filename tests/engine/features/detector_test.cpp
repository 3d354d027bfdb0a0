#include <QtTest>

#include <chrono>
#include <cmath>
#include <stop_token>
#include <vector>

#include "engine/base/error.h"
#include "engine/features/detail/maxima.h"
#include "engine/features/detail/scale_response.h"
#include "engine/features/detector.h"
#include "tests/engine/features/pictures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;
using blob_pictures::detectGrey;
using blob_pictures::hills;

class DetectorTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void threadsChangeNoBit();
    void progressRisesAndBlobsArriveByScale();
    void aCancelledDetectionEndsSoon();
    void aConstantImageHasNoBlobs();
    void colourAddsTheChannels();
    void overlappingBlobsArePruned();
    void theListHasAMostLength();
    void theBytesAreThoseOfTheBuffers();
    void theBytesDoNotDependOnLevelsAndScales();
    void theScalesAreAGeometricSeries();
    void optionsOutOfRangeAreRefused();
    void anImageOfTwoVoxelsIsRefused();
};

void DetectorTest::threadsChangeNoBit() {
    const base::Image<double> image = hills({97, 71, 1}, 21);
    const ChannelImage channels({image.view()}, Channels::Grey);
    DetectorOptions options{.scales = {2, 8, 6}, .minStrength = 1.0, .maps = true};
    const Detection one = detect(channels, options);
    options.threads = 3;
    const Detection three = detect(channels, options);
    QVERIFY(one.blobs.size() > 5);
    QVERIFY(one.blobs == three.blobs);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        QVERIFY(one.strength.data()[i] == three.strength.data()[i]);
        QVERIFY(one.scale.data()[i] == three.scale.data()[i]);
    }
}

namespace {

class Recorder : public DetectorSink {
  public:
    void progress(double share) override { shares.push_back(share); }
    void found(double sigma, std::span<const Blob> blobs) override {
        sigmas.push_back(sigma);
        counts.push_back(blobs.size());
    }
    std::vector<double> shares;
    std::vector<double> sigmas;
    std::vector<std::size_t> counts;
};

class Canceller : public DetectorSink {
  public:
    void progress(double share) override {
        if (share > 0.1 && !source.stop_requested()) {
            source.request_stop();
            asked = std::chrono::steady_clock::now();
        }
    }
    std::stop_source source;
    std::chrono::steady_clock::time_point asked;
};

} // namespace

void DetectorTest::progressRisesAndBlobsArriveByScale() {
    const base::Image<double> image = hills({64, 64, 1}, 22);
    Recorder recorder;
    const Detection result = detect(ChannelImage({image.view()}, Channels::Grey),
                                    {.scales = {2, 8, 6}, .minStrength = 1.0}, {}, &recorder);
    QVERIFY(std::is_sorted(recorder.shares.begin(), recorder.shares.end()));
    QCOMPARE(recorder.shares.back(), 1.0);
    QCOMPARE(recorder.sigmas,
             std::vector<double>(result.scales.begin() + 1, result.scales.end() - 1));
    QCOMPARE(static_cast<std::int64_t>(recorder.counts.back()), result.found);
    QCOMPARE(result.found, result.overlapped + static_cast<std::int64_t>(result.blobs.size()));
}

void DetectorTest::aCancelledDetectionEndsSoon() {
    const base::Image<double> image = hills({400, 300, 1}, 23);
    Canceller canceller;
    const Detection result = detect(ChannelImage({image.view()}, Channels::Grey), {},
                                    canceller.source.get_token(), &canceller);
    QVERIFY(result.cancelled);
    QVERIFY(std::chrono::steady_clock::now() - canceller.asked <
            std::chrono::seconds(test::kSanitized ? 5 : 1));
}

void DetectorTest::aConstantImageHasNoBlobs() {
    const base::Image<double> image({40, 30, 1}, 3.0);
    const Detection result = detectGrey(image, {.maps = true});
    QCOMPARE(result.found, std::int64_t{0});
    QCOMPARE(result.strength.data()[17], 0.0F);
}

void DetectorTest::colourAddsTheChannels() {
    base::Image<std::uint8_t> grey({60, 60, 1}, 100);
    base::Image<std::uint8_t> red({60, 60, 1}, 100);
    for (std::int64_t y = 0; y < 60; ++y) {
        for (std::int64_t x = 0; x < 60; ++x) {
            if (std::hypot(static_cast<double>(x) - 30, static_cast<double>(y) - 30) <= 6) {
                red.view().at(x, y, 0) = 200;
            }
        }
    }
    const ChannelImage channels({red.view(), grey.view(), grey.view()}, Channels::Auto);
    const Detection result =
        detect(channels, {.scales = {2, 9, 7}, .levels = 256, .minStrength = 20.0});
    QCOMPARE(result.blobs.size(), std::size_t{1});
    QCOMPARE(result.channels.size(), std::size_t{3});
    // A red disc of contrast 100: 100/3 in I1, 50 in I2, 25 in I3; a disc of voxels is 2 % off.
    const double expected = 100.0 / 3 + 50 + 25;
    QVERIFY2(std::fabs(result.blobs[0].strength - expected) < 3 * 255.0 / 256 + 0.02 * expected,
             qPrintable(QString::number(result.blobs[0].strength)));
}

void DetectorTest::overlappingBlobsArePruned() {
    const auto blob = [](double x, double radius, double strength) {
        return Blob{.strength = strength, .centre = {x, 0, 0}, .radius = radius};
    };
    QCOMPARE(detail::overlapOf(blob(0, 2, 1), blob(4, 2, 1), false), 0.0);
    QCOMPARE(detail::overlapOf(blob(0, 1, 1), blob(1, 4, 1), false), 1.0);
    // Two unit discs one apart: 2 pi / 3 - sqrt(3) / 2; two unit balls: 5 pi / 12.
    QVERIFY(std::fabs(detail::overlapOf(blob(0, 1, 1), blob(1, 1, 1), false) * M_PI -
                      (2 * M_PI / 3 - std::sqrt(3.0) / 2)) < 1e-12);
    QVERIFY(std::fabs(detail::overlapOf(blob(0, 1, 1), blob(1, 1, 1), true) * 4 * M_PI / 3 -
                      5 * M_PI / 12) < 1e-12);
    const auto left = detail::prune(
        {blob(0, 3, 5), blob(1, 3, 9), blob(40, 2, 1), blob(41, 30, 2), blob(100, 3, 4)}, 0.5,
        false);
    QCOMPARE(left.size(), std::size_t{3});
    QCOMPARE(left[0].strength, 9.0);
    QCOMPARE(left[1].strength, 4.0);
    QCOMPARE(left[2].strength, 2.0);
    // Equal discs of radius 1 at a distance d share (2 acos(d/2) - d sqrt(1 - d^2/4)) / pi.
    for (const double limit : {0.2, 0.5, 0.8}) {
        for (double d = 0.05; d < 2; d += 0.05) {
            const double share = (2 * std::acos(d / 2) - d * std::sqrt(1 - d * d / 4)) / M_PI;
            QCOMPARE(detail::prune({blob(0, 1, 2), blob(d, 1, 1)}, limit, false).size(),
                     share > limit ? std::size_t{1} : std::size_t{2});
        }
    }
}

void DetectorTest::theListHasAMostLength() {
    const base::Image<double> image = hills({97, 71, 1}, 24);
    const DetectorOptions all{.scales = {2, 8, 6}, .minStrength = 1.0};
    DetectorOptions three = all;
    three.maxBlobs = 3;
    const Detection full = detectGrey(image, all);
    const Detection some = detectGrey(image, three);
    QCOMPARE(some.blobs, std::vector<Blob>(full.blobs.begin(), full.blobs.begin() + 3));
    QCOMPARE(some.found, full.found);
}

void DetectorTest::theBytesAreThoseOfTheBuffers() {
    DetectorOptions options;
    // 1024 x 1024, one level at a time: rows of 8192 bytes, two pages, are padded by 8 voxels,
    // but not in the copy whose rows lie in blocks.
    QCOMPARE(detectorBytes({1024, 1024, 1}, options),
             std::int64_t{42} * 1032 * 1024 + std::int64_t{2} * 1024 * 1024 + 320 * 1024);
    // 1016 x 1024: no padding.
    QCOMPARE(detectorBytes({1016, 1024, 1}, options), std::int64_t{44} * 1016 * 1024 + 320 * 1024);
    options.maps = true;
    options.threads = 4;
    QCOMPARE(detectorBytes({128, 128, 64}, options),
             std::int64_t{68} * 128 * 128 * 64 + 4 * 320 * 128);
}

void DetectorTest::theBytesDoNotDependOnLevelsAndScales() {
    DetectorOptions few{.scales = {2, 10, 4}, .levels = 8};
    DetectorOptions many{.scales = {2, 10, 40}, .levels = 1024};
    QCOMPARE(detectorBytes({500, 300, 1}, few), detectorBytes({500, 300, 1}, many));
}

void DetectorTest::theScalesAreAGeometricSeries() {
    const std::vector<double> scales = scalesOf({}, {1024, 768, 1});
    QCOMPARE(scales.size(), std::size_t{12});
    QCOMPARE(scales.front(), 2.0);
    QVERIFY(std::fabs(scales.back() - 76.8) < 1e-9);
    for (std::size_t i = 2; i < scales.size(); ++i) {
        QVERIFY(std::fabs(scales[i] / scales[i - 1] - scales[1] / scales[0]) < 1e-9);
    }
    QVERIFY(std::fabs(scalesOf({}, {20, 20, 1}).back() - 3) < 1e-12);
}

void DetectorTest::optionsOutOfRangeAreRefused() {
    const base::Image<double> image({40, 30, 1}, 1.0);
    const ChannelImage channels({image.view()}, Channels::Grey);
    const auto refused = [&](const DetectorOptions& options) {
        try {
            (void)detect(channels, options);
        } catch (const base::Error& error) {
            return error.code() == base::ErrorCode::CommandLine;
        }
        return false;
    };
    QVERIFY(refused({.scales = {0.5, 4, 5}}));
    QVERIFY(refused({.scales = {4, 2, 5}}));
    QVERIFY(refused({.scales = {2, 31, 5}}));
    QVERIFY(refused({.scales = {2, 4, 2}}));
    QVERIFY(refused({.scales = {2, NAN, 5}}));
    QVERIFY(refused({.levels = 1}));
    QVERIFY(refused({.levels = 5000}));
    QVERIFY(refused({.minStrength = -1.0}));
    QVERIFY(refused({.minStrength = NAN}));
    QVERIFY(refused({.maxBlobs = 0}));
    QVERIFY(refused({.overlap = 1.5}));
}

// The image is wrong, not the default scales.
void DetectorTest::anImageOfTwoVoxelsIsRefused() {
    for (const base::Extents& extents : {base::Extents{40, 2, 1}, base::Extents{2, 2, 1},
                                         base::Extents{1, 1, 1}, base::Extents{9, 8, 2}}) {
        const base::Image<double> thin(extents, 1.0);
        for (const DetectorOptions& options :
             {DetectorOptions{}, DetectorOptions{.scales = {0.8, 1.5, 3}}}) {
            try {
                (void)detect(ChannelImage({thin.view()}, Channels::Grey), options);
                QFAIL("no error");
            } catch (const base::Error& error) {
                QVERIFY(error.code() == base::ErrorCode::Problem);
            }
        }
    }
}

const flcc::test::TestClass<DetectorTest> kDetectorTest;
#include "detector_test.moc"
