#include "viz/reduced_volume.h"

#include <QTest>

#include <cmath>
#include <stop_token>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/volume_scene.h"

using namespace flcc;
using test::imageOf;

class ReducedVolumeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aLargeVolumeIsThinnedAndSaysSo();
    void aReducedVolumeHasTheAveragesOfItsBlocks();
};

void ReducedVolumeTest::aLargeVolumeIsThinnedAndSaysSo() {
    viz::VolumeScene scene;
    const auto image = imageOf({300, 300, 150}, [](const base::Index& i) {
        return i.x > 100 && i.x < 200 && i.y > 100 && i.y < 200 ? 250 : 5;
    });
    scene.setImage(image, {});
    scene.setGreyWindow({0, 255});
    viz::OffscreenWindow window(scene, 300, 300);
    scene.fit();
    const viz::DisplayPoint at = scene.displayOf({150, 150, 75});
    const auto middle = [&] {
        scene.setInteractive(false);
        return int{window.render().at(static_cast<int>(at.x), static_cast<int>(at.y))[0]};
    };
    QVERIFY(middle() > 120);
    QCOMPARE(scene.note(), std::string("first coarse picture: 75x75x38 of 300x300x150 voxels"));
    scene.setReduced(std::make_shared<viz::ReducedVolume>(base::viewOf(*image), std::stop_token()));
    const viz::Picture picture = window.render();
    test::keep(picture, "volume_badge");
    QVERIFY(middle() > 120);
    QCOMPARE(scene.note(), std::string("reduced: 150x150x75 of 300x300x150 voxels"));
    // That of another image is not taken.
    scene.setReduced(std::make_shared<viz::ReducedVolume>(
        base::viewOf(*imageOf({300, 300, 140}, [](const base::Index&) { return 0; })),
        std::stop_token()));
    QVERIFY(middle() > 120);
}

void ReducedVolumeTest::aReducedVolumeHasTheAveragesOfItsBlocks() {
    QVERIFY(!viz::ReducedVolume::serves({200, 200, 200}));
    QVERIFY(!viz::ReducedVolume::serves({20000, 20000, 1})); // a Pyramid does
    // 3 voxels a texel along x, as far as they go, 1 along the short axes.
    constexpr base::Extents kLong{1300, 2, 2};
    QVERIFY(viz::ReducedVolume::serves(kLong));
    base::Image<double> image(kLong);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<double>(i % 1300);
    }
    image.view().at(3, 0, 0) = std::nan("");
    image.view().at(6, 0, 0) = image.view().at(7, 0, 0) = image.view().at(8, 0, 0) = std::nan("");
    image.view().at(9, 0, 0) = image.view().at(10, 0, 0) = image.view().at(11, 0, 0) = 0x1p1023;
    image.view().at(1299, 0, 0) = 7;
    // Two rows and two slices are one texel.
    for (std::int64_t x = 0; x < 12; ++x) {
        for (const auto& [y, z] : {std::pair(1, 0), {0, 1}, {1, 1}}) {
            image.view().at(x, y, z) = image.view().at(x, 0, 0);
        }
    }
    const viz::ReducedVolume reduced(base::viewOf(base::AnyImage(std::move(image))), {});
    const auto& texels = std::get<base::Image<double>>(reduced.pixels());
    QVERIFY(texels.extents() == (base::Extents{434, 1, 1}));
    QCOMPARE(texels.data()[0], 1.0);
    QCOMPARE(texels.data()[1], 4.5);
    QVERIFY(std::isnan(texels.data()[2]));
    QCOMPARE(texels.data()[3], 0x1p1023);               // the sum is larger than any number
    QCOMPARE(texels.data()[433], (7 + 3 * 1299.0) / 4); // of the last block
    QCOMPARE(reduced.bytes(), std::int64_t{434 * 8});
}

const flcc::test::TestClass<ReducedVolumeTest> kReducedVolumeTest;

#include "reduced_volume_test.moc"
