#include "viz/slice_scene.h"

#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"

using namespace flcc;
using test::imageOf;
using viz::Orientation;

namespace {

/// A scene without furniture, grey window 0..255.
void show(viz::SliceScene& scene, std::shared_ptr<const base::AnyImage> image,
          const base::Geometry& geometry = {}) {
    scene.setImage(std::move(image), geometry);
    scene.setGreyWindow({0, 255});
    scene.setAxisLettersVisible(false);
    scene.setScaleBarVisible(false);
}

int pixelOf(double display) { return static_cast<int>(std::lround(display)); }

/// No two neighbours alike.
int pattern(const base::Index& i) {
    return static_cast<int>((i.x * 37 + i.y * 101 + i.z * 59 + i.x * i.y * 13) % 251);
}

} // namespace

class SliceSceneTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void anLIsNotMirrored_data();
    void anLIsNotMirrored();
    void atHundredPercentAVoxelIsAPixel();
    void aVoxelIsASquareUnlessInterpolated();
    void displayToVoxelAndBackIsTheIdentity();
    void zoomingKeepsTheAnchorInPlace();
    void panningMovesThePictureByPixels();
    void spacingStretchesTheVoxels();
    void theSliceThatWasAskedForIsShown();
    void imagesLargerThanATextureTileHaveNoSeams();
    void aResizedViewShowsTheImageStill();
    void theWindowMapsGreyValues();
    void nothingIsHitOutsideTheImage();
    void aCleanPictureIsTransparentAroundTheImage();
    void theAutomaticWindowIgnoresOutliers();
    void furnitureIsDrawnBesideTheImage();
    void anImageWiderThanATextureIsShown();
    void hugeValuesAreShown_data();
    void hugeValuesAreShown();
};

void SliceSceneTest::anLIsNotMirrored_data() {
    QTest::addColumn<int>("orientation");
    QTest::newRow("XY") << static_cast<int>(Orientation::XY);
    QTest::newRow("XZ") << static_cast<int>(Orientation::XZ);
    QTest::newRow("YZ") << static_cast<int>(Orientation::YZ);
}

void SliceSceneTest::anLIsNotMirrored() {
    QFETCH(int, orientation);
    const auto plane = static_cast<Orientation>(orientation);
    const viz::PlaneAxes axes = viz::axesOf(plane);
    // The stem stands at the low end of the axis to the right, the foot at the high end of the
    // axis down.
    const auto image = imageOf({20, 20, 20}, [&](const base::Index& i) {
        const std::array<std::int64_t, 3> at{i.x, i.y, i.z};
        const bool stem = at[axes.right] < 6;
        const bool foot = at[axes.down] >= 14;
        return stem || foot ? 255 : 60;
    });
    viz::SliceScene scene(plane);
    show(scene, image);
    viz::OffscreenWindow window(scene, 240, 240);
    const viz::Picture picture = window.render();
    test::keep(picture, std::string("l_") + QTest::currentDataTag());
    const int inset = 30;
    QVERIFY(picture.at(inset, inset)[0] > 200);             // top of the stem
    QVERIFY(picture.at(inset, 239 - inset)[0] > 200);       // the corner
    QVERIFY(picture.at(239 - inset, 239 - inset)[0] > 200); // end of the foot
    QVERIFY(picture.at(239 - inset, inset)[0] < 100);       // nothing
}

void SliceSceneTest::atHundredPercentAVoxelIsAPixel() {
    const base::Extents extents{90, 70, 1};
    const auto image = imageOf(extents, pattern);
    viz::SliceScene scene;
    show(scene, image);
    // Odd and even sizes: the image must fall on whole pixels in both.
    for (const int width : {150, 151}) {
        viz::OffscreenWindow window(scene, width, 120);
        scene.setZoom(1);
        const viz::Picture picture = window.render();
        const viz::DisplayPoint first = scene.displayOf({0, 0, 0});
        QCOMPARE(first.x, std::round(first.x));
        QCOMPARE(first.y, std::round(first.y));
        for (int y = 0; y < 70; ++y) {
            for (int x = 0; x < 90; ++x) {
                const int grey = picture.at(pixelOf(first.x) + x, pixelOf(first.y) + y)[1];
                QVERIFY2(std::abs(grey - pattern({x, y, 0})) <= 1,
                         qPrintable(QString("%1,%2: %3").arg(x).arg(y).arg(grey)));
            }
        }
    }
}

void SliceSceneTest::aVoxelIsASquareUnlessInterpolated() {
    const auto image = imageOf({2, 1, 1}, [](const base::Index& i) { return i.x == 0 ? 0 : 255; });
    viz::SliceScene scene;
    show(scene, image);
    viz::OffscreenWindow window(scene, 200, 100);
    scene.setZoom(50);
    const viz::Picture squares = window.render();
    QCOMPARE(int{squares.at(96, 50)[0]}, 0);
    QCOMPARE(int{squares.at(103, 50)[0]}, 255);
    scene.setInterpolated(true);
    const viz::Picture smooth = window.render();
    // Half-way between the centres of both voxels.
    QVERIFY(std::abs(int{smooth.at(100, 50)[0]} - 128) < 12);
    QVERIFY(std::abs(int{smooth.at(88, 50)[0]} - 64) < 12);
}

void SliceSceneTest::displayToVoxelAndBackIsTheIdentity() {
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.7, 2.0};
    for (const auto plane : {Orientation::XY, Orientation::XZ, Orientation::YZ}) {
        viz::SliceScene scene(plane);
        show(scene, imageOf({40, 30, 20}, pattern), geometry);
        scene.resize(333, 222);
        scene.zoomAt({40, 60}, 2.3);
        scene.pan(-17, 9);
        for (const auto& [x, y] : {std::pair{0.0, 0.0}, {100.0, 150.0}, {332.0, 221.0}}) {
            const viz::DisplayPoint back = scene.displayOf(scene.planePointAt({x, y}));
            QVERIFY(std::abs(back.x - x) < 1e-6 && std::abs(back.y - y) < 1e-6);
        }
    }
}

void SliceSceneTest::zoomingKeepsTheAnchorInPlace() {
    viz::SliceScene scene;
    show(scene, imageOf({400, 300, 1}, pattern));
    scene.resize(500, 400);
    scene.setZoom(1);
    const base::Point before = scene.planePointAt({180, 130});
    scene.zoomAt({180, 130}, 3);
    QCOMPARE(scene.zoom(), 3.0);
    const viz::DisplayPoint after = scene.displayOf(before);
    // The image is kept on whole pixels.
    QVERIFY(std::abs(after.x - 180) <= 0.5 && std::abs(after.y - 130) <= 0.5);
}

void SliceSceneTest::panningMovesThePictureByPixels() {
    viz::SliceScene scene;
    show(scene, imageOf({400, 300, 1}, pattern));
    scene.resize(200, 200);
    scene.setZoom(2);
    const viz::DisplayPoint before = scene.displayOf({200, 150, 0});
    scene.pan(25, -13);
    const viz::DisplayPoint after = scene.displayOf({200, 150, 0});
    QCOMPARE(after.x - before.x, 25.0);
    QCOMPARE(after.y - before.y, -13.0);
}

void SliceSceneTest::spacingStretchesTheVoxels() {
    base::Geometry geometry;
    geometry.spacing = {1, 1, 3};
    const auto image =
        imageOf({9, 9, 9}, [](const base::Index& i) { return i.x == 4 && i.z == 4 ? 255 : 40; });
    viz::SliceScene scene(Orientation::XZ);
    show(scene, image, geometry);
    viz::OffscreenWindow window(scene, 200, 400);
    scene.setZoom(10);
    const test::Found voxel = test::find(window.render(), {255, 255, 255});
    QCOMPARE(voxel.right - voxel.left + 1, 10);
    QCOMPARE(voxel.bottom - voxel.top + 1, 30);
}

void SliceSceneTest::theSliceThatWasAskedForIsShown() {
    const auto image =
        imageOf({8, 8, 5}, [](const base::Index& i) { return static_cast<int>(50 * i.z + 10); });
    viz::SliceScene scene;
    show(scene, image);
    viz::OffscreenWindow window(scene, 100, 100);
    QCOMPARE(scene.sliceCount(), 5);
    QCOMPARE(scene.slice(), 2);
    for (const int slice : {0, 4, 1}) {
        scene.setSlice(slice);
        QCOMPARE(int{window.render().at(50, 50)[0]}, 50 * slice + 10);
    }
    scene.setSlice(99);
    QCOMPARE(scene.slice(), 4);
}

void SliceSceneTest::imagesLargerThanATextureTileHaveNoSeams() {
    // A smooth ramp over the seam at 1024: every step between neighbours stays small.
    const auto image = imageOf(
        {1100, 1060, 1}, [](const base::Index& i) { return static_cast<int>((i.x + i.y) / 9); });
    for (const bool interpolated : {false, true}) {
        viz::SliceScene scene;
        show(scene, image);
        scene.setInterpolated(interpolated);
        viz::OffscreenWindow window(scene, 300, 200);
        scene.setZoom(4);
        scene.centreOn({1023.5, 1023.5, 0});
        const viz::Picture picture = window.render();
        for (int y = 1; y < 200; ++y) {
            for (int x = 1; x < 300; ++x) {
                QVERIFY(test::distance(picture.at(x, y), picture.at(x - 1, y)) <= 1);
                QVERIFY(test::distance(picture.at(x, y), picture.at(x, y - 1)) <= 1);
            }
        }
    }
}

void SliceSceneTest::aResizedViewShowsTheImageStill() {
    viz::SliceScene scene;
    show(scene, imageOf({30, 30, 1}, [](const base::Index&) { return 200; }));
    viz::OffscreenWindow window(scene, 200, 200);
    scene.fit();
    const viz::Picture first = window.render();
    QCOMPARE(int{first.at(100, 100)[0]}, 200);
    window.resize(311, 157);
    const viz::Picture second = window.render();
    QCOMPARE(second.width, 311);
    QCOMPARE(second.height, 157);
    QCOMPARE(int{second.at(155, 78)[0]}, 200);
    QVERIFY(int{second.at(3, 78)[0]} < 100);
}

void SliceSceneTest::theWindowMapsGreyValues() {
    base::Image<float> pixels({3, 1, 1});
    pixels.data()[0] = -1000;
    pixels.data()[1] = 1500;
    pixels.data()[2] = std::numeric_limits<float>::quiet_NaN();
    viz::SliceScene scene;
    show(scene, std::make_shared<const base::AnyImage>(std::move(pixels)));
    scene.setGreyWindow({1000, 2000});
    viz::OffscreenWindow window(scene, 90, 30);
    scene.setZoom(30);
    const viz::Picture picture = window.render();
    QCOMPARE(int{picture.at(15, 15)[0]}, 0);
    QVERIFY(std::abs(int{picture.at(45, 15)[0]} - 128) <= 1);
    QCOMPARE(int{picture.at(75, 15)[0]}, 0);
}

void SliceSceneTest::nothingIsHitOutsideTheImage() {
    viz::SliceScene scene;
    QVERIFY(!scene.voxelAt({5, 5}));
    show(scene, imageOf({10, 10, 1}, pattern));
    scene.resize(100, 100);
    scene.setZoom(2);
    QVERIFY(scene.voxelAt({50, 50}));
    QVERIFY(!scene.voxelAt({10, 50}));
    const viz::DisplayPoint last = scene.displayOf({9, 9, 0});
    QVERIFY(scene.voxelAt(last));
    QVERIFY(!scene.voxelAt({last.x + 2, last.y}));
}

void SliceSceneTest::aCleanPictureIsTransparentAroundTheImage() {
    viz::SliceScene scene;
    scene.setImage(imageOf({10, 10, 1}, [](const base::Index&) { return 200; }), {});
    scene.setGreyWindow({0, 255});
    scene.setCrosshair(base::Point{5, 5, 0});
    viz::OffscreenWindow window(scene, 300, 200);
    const viz::Picture marked = window.render();
    const viz::Picture clean = window.render(true);
    QCOMPARE(int{clean.rgba[3]}, 0);
    QCOMPARE(int{clean.rgba[(100 * 300 + 150) * 4 + 3]}, 255);
    QCOMPARE(test::find(clean, scene.colours().crosshair).count, 0);
    QVERIFY(test::differences(marked, clean) > 100);
}

void SliceSceneTest::theAutomaticWindowIgnoresOutliers() {
    base::Image<float> pixels({200, 200, 1});
    for (int i = 0; i < 40000; ++i) {
        pixels.data()[i] = static_cast<float>(i % 1000);
    }
    pixels.data()[5] = 1e6F;
    pixels.data()[6] = std::numeric_limits<float>::quiet_NaN();
    const viz::GreyWindow window = viz::autoWindow(base::AnyView(std::as_const(pixels).view()));
    QVERIFY(window.low >= 0 && window.low < 5);
    QVERIFY(window.high > 990 && window.high < 1000);
    const base::Image<std::uint8_t> flat({4, 4, 1}, 7);
    const viz::GreyWindow single = viz::autoWindow(base::AnyView(flat.view()));
    QVERIFY(single.low < 7 && single.high > 7);
}

void SliceSceneTest::furnitureIsDrawnBesideTheImage() {
    base::Geometry geometry;
    geometry.spacing = {0.25, 0.25, 1};
    geometry.unit = "um";
    viz::SliceScene scene;
    scene.setImage(imageOf({300, 200, 1}, pattern), geometry);
    scene.setGreyWindow({0, 255});
    viz::OffscreenWindow window(scene, 640, 420);
    scene.pan(0, 0); // from now on bars that come and go do not fit the picture anew
    const viz::Picture with = window.render();
    test::keep(with, "furniture");
    scene.setAxisLettersVisible(false);
    const viz::Picture withoutLetters = window.render();
    scene.setScaleBarVisible(false);
    const viz::Picture without = window.render();
    QVERIFY(test::differences(with, withoutLetters) > 50);
    QVERIFY(test::differences(withoutLetters, without) > 200);
    // The bar is as long as it says: a round number of units.
    const test::Found bar = [&] {
        viz::Picture strip = withoutLetters;
        strip.rgba.erase(strip.rgba.begin(), strip.rgba.begin() + 640 * 4 * (420 - 19));
        strip.height = 9;
        strip.width = 640;
        return test::find(strip, {242, 244, 247}, 2);
    }();
    const double length = (bar.right - bar.left + 1) / scene.zoom() * 0.25;
    const double first = length / std::pow(10, std::floor(std::log10(length * 1.02)));
    QVERIFY2(std::abs(first - 1) < 0.04 || std::abs(first - 2) < 0.04 || std::abs(first - 5) < 0.1,
             qPrintable(QString::number(length)));
}

void SliceSceneTest::anImageWiderThanATextureIsShown() {
    viz::SliceScene scene(Orientation::XY);
    show(scene, imageOf({20'000, 3000, 1}, [](const base::Index& i) {
             return static_cast<int>(40 + i.x / 5000 * 40 + i.y / 1500 * 20);
         }));
    viz::OffscreenWindow window(scene, 500, 300);
    scene.fit();
    const auto brightness = [&](const viz::Picture& picture, const base::Point& voxel) {
        const viz::DisplayPoint at = scene.displayOf(voxel);
        return int{picture.at(pixelOf(at.x), pixelOf(at.y))[0]};
    };
    const viz::Picture whole = window.render();
    test::keep(whole, "slice_wide");
    for (int field = 0; field < 8; ++field) {
        const int column = field % 4;
        const int row = field / 4;
        QCOMPARE(brightness(whole, {2500 + 5000.0 * column, 750 + 1500.0 * row, 0}),
                 40 + 40 * column + 20 * row);
    }
    scene.setZoom(1);
    scene.centreOn({19'900, 2900, 0});
    QCOMPARE(brightness(window.render(), {19'990, 2990, 0}), 180);
}

void SliceSceneTest::hugeValuesAreShown_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("constant 1e30") << 1e30 << 1e30;
    QTest::newRow("constant -1e38") << -1e38 << -1e38;
    QTest::newRow("constant 1e300") << 1e300 << 1e300;
    QTest::newRow("beyond float") << -1e300 << 1e300;
    QTest::newRow("whole range of double") << -1.7e308 << 1.7e308;
}

void SliceSceneTest::hugeValuesAreShown() {
    QFETCH(double, low);
    QFETCH(double, high);
    base::Image<double> pixels({40, 20, 1});
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        pixels.data()[i] = i % 40 < 20 ? low : high;
    }
    base::AnyImage image = std::move(pixels);
    if (std::abs(low) < 3e38) { // floats as well
        base::Image<float> narrow({40, 20, 1});
        const auto& wide = std::get<base::Image<double>>(image);
        std::transform(wide.data(), wide.data() + wide.count(), narrow.data(),
                       [](double v) { return static_cast<float>(v); });
        image = std::move(narrow);
    }
    const viz::GreyWindow window = viz::autoWindow(base::viewOf(image));
    QVERIFY(std::isfinite(window.low) && std::isfinite(window.high) && window.low < window.high);
    viz::SliceScene scene(Orientation::XY);
    show(scene, std::make_shared<const base::AnyImage>(std::move(image)));
    scene.setGreyWindow(window);
    viz::OffscreenWindow host(scene, 120, 60);
    scene.fit();
    const viz::Picture picture = host.render();
    const int left = picture.at(30, 30)[0];
    const int right = picture.at(90, 30)[0];
    if (low == high) {
        QVERIFY2(left == right && left > 100 && left < 155, qPrintable(QString::number(left)));
    } else {
        QCOMPARE(left, 0);
        QCOMPARE(right, 255);
    }
}

const flcc::test::TestClass<SliceSceneTest> kSliceSceneTest;
#include "slice_scene_test.moc"
