#include <QtTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/features/detector.h"
#include "tests/engine/features/pictures.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using blob_pictures::Disc;
using features::Channels;
using features::Detection;
using features::DetectorOptions;

namespace {

const DetectorOptions kThreeDiscs{.scales = {2, 8, 6}, .levels = 48, .threads = 2};

/// Three discs (balls) of contrast 1 on weak noise.
base::Image<double> threeDiscs(bool volume) {
    const Extents n = volume ? Extents{48, 44, 40} : Extents{96, 90, 1};
    const double z = volume ? 20 : 0;
    base::Image<double> made = blob_pictures::discs(
        n, 10, {Disc{{14, 15, z}, 5, 1}, Disc{{34, 12, z}, 4, 1}, Disc{{22, 33, z}, 6, 1}});
    test::Random random(3);
    for (std::int64_t i = 0; i < made.count(); ++i) {
        made.data()[i] += 0.02 * random.normal();
    }
    return made;
}

Detection blobsOf(const base::AnyImage& image, const DetectorOptions& options = kThreeDiscs) {
    return features::detect(features::ChannelImage({base::viewOf(image)}, Channels::Grey), options);
}

base::AnyImage copyOfImage(const base::Image<double>& image) {
    return base::copyOf(base::AnyView(image.view()));
}

/// The three discs are among the blobs.
bool findsThree(const Detection& found, bool volume) {
    const double z = volume ? 20 : 0;
    for (const base::Point& centre :
         {base::Point{14, 15, z}, base::Point{34, 12, z}, base::Point{22, 33, z}}) {
        const features::Blob* const blob = blob_pictures::nearest(found.blobs, centre);
        if (blob == nullptr || std::hypot(blob->centre[0] - centre[0], blob->centre[1] - centre[1],
                                          blob->centre[2] - centre[2]) > 1) {
            return false;
        }
    }
    return true;
}

} // namespace

class FeaturesOutliersTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aHotVoxelHidesNothing_data() {
        QTest::addColumn<bool>("volume");
        QTest::addColumn<double>("hot");
        test::Thinned some(3);
        for (const bool volume : {false, true}) {
            for (const double hot : {20.0, 0.0, 1e6, -1e300}) {
                if (!some.next()) {
                    continue;
                }
                QTest::addRow("%s, %g", volume ? "volume" : "image", hot) << volume << hot;
            }
        }
    }
    void aHotVoxelHidesNothing() {
        QFETCH(bool, volume);
        QFETCH(double, hot);
        base::Image<double> image = threeDiscs(volume);
        QVERIFY(findsThree(blobsOf(copyOfImage(image)), volume));
        image.view().at(40, 38, volume ? 9 : 0) = hot;
        image.view().at(5, 30, volume ? 30 : 0) = hot;
        const Detection found = blobsOf(copyOfImage(image));
        QVERIFY(findsThree(found, volume));
        const features::ChannelFacts& channel = found.channels.front();
        QCOMPARE(channel.beyond, std::int64_t{2});
        QCOMPARE(hot > 10 ? channel.maximum : channel.minimum, hot);
        QVERIFY(channel.high - channel.low < 5);
        // A disc of contrast 1 has the strength 1, but for noise, levels and its size.
        const features::Blob* const blob =
            blob_pictures::nearest(found.blobs, {14, 15, volume ? 20.0 : 0.0});
        QVERIFY(std::abs(blob->strength - 1) < 0.2);
    }

    // Bright spots that cover less than a thousandth keep their strength.
    void aRareBrightBlobIsNoOutlier() {
        base::Image<double> image =
            blob_pictures::discs({300, 280, 1}, 10, {Disc{{100, 120, 0}, 4, 1000}});
        test::Random random(5);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] += random.normal();
        }
        const Detection found = blobsOf(copyOfImage(image));
        QVERIFY(!found.blobs.empty());
        QVERIFY(std::abs(found.blobs.front().strength - 1000) < 60);
        QCOMPARE(found.channels.front().beyond, std::int64_t{0});
    }

    void picturesOfEightBitsKeepTheirRange() {
        const auto values = [](const base::Index& at) {
            return at.x == 40 && at.y == 30 ? 255.0 : 10.0 + static_cast<double>((at.x + at.y) % 5);
        };
        const Detection found =
            blobsOf(test::makeScene(base::PixelType::UInt8, {90, 80, 1}, values));
        QCOMPARE(found.channels.front().low, 10.0);
        QCOMPARE(found.channels.front().high, 255.0);
        QCOMPARE(found.channels.front().beyond, std::int64_t{0});
    }

    void valuesOfAnyMagnitudeHaveBlobs() {
        for (const bool volume : {false, true}) {
            const base::Image<double> image = threeDiscs(volume);
            const Detection usual = blobsOf(copyOfImage(image));
            for (const int power : {-1060, -600, 100, 1015}) {
                if (volume && power != 1015) {
                    continue;
                }
                base::Image<double> scaled(image.extents());
                for (std::int64_t i = 0; i < image.count(); ++i) {
                    scaled.data()[i] = std::ldexp(image.data()[i], power);
                }
                const Detection found = blobsOf(copyOfImage(scaled));
                QVERIFY(findsThree(found, volume));
                if (power > -1000) { // no digit is lost
                    QCOMPARE(found.blobs.size(), usual.blobs.size());
                    for (std::size_t i = 0; i < found.blobs.size(); ++i) {
                        QVERIFY(found.blobs[i].centre == usual.blobs[i].centre);
                        QVERIFY(found.blobs[i].strength ==
                                std::ldexp(usual.blobs[i].strength, power));
                    }
                }
            }
        }
    }

    void integersBeyondFiftyThreeBitsHaveBlobs() {
        const base::Image<double> image = threeDiscs(false);
        const auto counts = [&](const base::Index& at) {
            return static_cast<std::int64_t>(std::lround(1000 * image.view().at(at)));
        };
        const Detection usual =
            blobsOf(test::makeIntegerScene(base::PixelType::Int32, image.extents(), counts));
        for (const base::PixelType type : {base::PixelType::Int64, base::PixelType::UInt64}) {
            const Detection found =
                blobsOf(test::makeIntegerScene(type, image.extents(), [&](const base::Index& at) {
                    return (std::int64_t{1} << 62) + counts(at);
                }));
            QVERIFY(!usual.blobs.empty());
            QCOMPARE(found.blobs.size(), usual.blobs.size());
            for (std::size_t i = 0; i < found.blobs.size(); ++i) {
                QVERIFY(found.blobs[i].voxel == usual.blobs[i].voxel);
                QVERIFY(std::abs(found.blobs[i].strength - usual.blobs[i].strength) <= 1e-9);
            }
        }
    }

    void mapsBeyondFloatAreRefused() {
        base::Image<double> image = threeDiscs(false);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] *= 1e60;
        }
        DetectorOptions options = kThreeDiscs;
        QVERIFY(findsThree(blobsOf(copyOfImage(image), options), false));
        options.maps = true;
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)blobsOf(copyOfImage(image), options));
    }

    void anEmptyListSaysWhy() {
        QVERIFY(features::whyEmpty(blobsOf(copyOfImage(threeDiscs(false)))).empty());
        base::Image<double> constant({40, 40, 1}, 3.0);
        const auto says = [](const Detection& found, const std::string& words) {
            return found.blobs.empty() &&
                   features::whyEmpty(found).find(words) != std::string::npos;
        };
        DetectorOptions options{.scales = {2, 4, 5}};
        QVERIFY(says(blobsOf(copyOfImage(constant), options), "constant"));
        options.minStrength = 1e9;
        QVERIFY(says(blobsOf(copyOfImage(threeDiscs(false)), options), "--min-strength"));
        base::Image<double> edge({60, 60, 1}, 0.0);
        for (std::int64_t i = 0; i < edge.count(); ++i) {
            edge.data()[i] = i % 60 < 30 ? 0 : 100;
        }
        options.minStrength = 0.0;
        QVERIFY(says(blobsOf(copyOfImage(edge), options), "--scales"));
    }
};

const flcc::test::TestClass<FeaturesOutliersTest> kFeaturesOutliersTest;
#include "outliers_test.moc"
