#include <QTest>

#include <cmath>
#include <memory>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

// How a volume is shown: orientation, slices, transfer function, clipping, isosurface, sides.

using namespace flcc;
using test::imageOf;
using test::mapOf;

namespace {

/// RAS axes, as a NIfTI file has them after reading into LPS.
base::Geometry rightAnteriorSuperior() {
    base::Geometry geometry;
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    return geometry;
}

/// Black with one white block near the high ends of x, y and z.
std::shared_ptr<const base::AnyImage> whiteBlock() {
    return imageOf({40, 40, 40}, [](const base::Index& i) {
        return i.x >= 26 && i.x < 36 && i.y >= 26 && i.y < 36 && i.z >= 26 && i.z < 36 ? 250 : 0;
    });
}

int nearestPixel(double display) { return static_cast<int>(std::lround(display)); }

struct ShownVolume {
    viz::VolumeScene scene;
    std::unique_ptr<viz::OffscreenWindow> window;

    ShownVolume() {
        scene.setImage(whiteBlock(), rightAnteriorSuperior());
        scene.setGreyWindow({0, 255});
        window = std::make_unique<viz::OffscreenWindow>(scene, 320, 280);
        scene.fit();
    }
    /// Brightness of the picture at a voxel.
    int at(const base::Point& voxel) {
        scene.setInteractive(false);
        const viz::Picture picture = window->render();
        const viz::DisplayPoint p = scene.displayOf(voxel);
        return picture.at(nearestPixel(p.x), nearestPixel(p.y))[0];
    }
};

} // namespace

class VolumeLookTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void axesHaveTheirAnatomicalNames();
    void aHeadStandsUprightInEverySlice_data();
    void aHeadStandsUprightInEverySlice();
    void aMirroredSliceKeepsItsVoxels();
    void aBoxIsDraggedInAMirroredSlice();
    void blackPartsOfSlicesHideNothing();
    void theThresholdClearsWhatIsDarker();
    void everyLookDrawsTheBlock();
    void aCurveOfOnesOwnReplacesThePreset();
    void theHistogramCountsWhatIsInTheWindow();
    void partsOfAPictureMakeTheWhole();
    void theHorizonNeverRolls();
    void clippingLeavesOutWhatIsOutside();
    void aSlabShowsItsBrightestVoxels_data();
    void aSlabShowsItsBrightestVoxels();
    void theIsosurfaceFollowsTheThreshold();
    void sidesAreThoseOfThePatient();
    void blobsAreSpheres();
};

void VolumeLookTest::blobsAreSpheres() {
    ShownVolume s;
    s.scene.setContent(viz::VolumeContent::None);
    const base::Point centre{16, 18, 20};
    s.scene.setBlobs({{centre, 9}, {{30, 30, 30}, 3}});
    const viz::Picture picture = s.window->render();
    test::keep(picture, "volume_blobs");
    QVERIFY(test::find(picture, viz::kBlobColour).count > 60);
    s.scene.setBlobs({{centre, 9}});
    const test::Found sphere = test::find(s.window->render(), viz::kBlobColour);
    // Every circle runs about the centre.
    const viz::DisplayPoint at = s.scene.displayOf(centre);
    QVERIFY(std::hypot((sphere.left + sphere.right) / 2.0 - at.x,
                       (sphere.top + sphere.bottom) / 2.0 - at.y) <= 4);
    const viz::DisplayPoint side = s.scene.displayOf({centre[0] + 9, centre[1], centre[2]});
    QVERIFY(side.x >= sphere.left - 2 && side.x <= sphere.right + 2);
    s.scene.setBlobs({{centre, 9}}, 0);
    QCOMPARE(test::find(s.window->render(), viz::kBlobColour).count, 0);
    QVERIFY(test::find(s.window->render(), s.scene.colours().accent).count > 60);
    s.scene.setBlobs({});
    QCOMPARE(test::find(s.window->render(), s.scene.colours().accent).count, 0);
}

void VolumeLookTest::axesHaveTheirAnatomicalNames() {
    const viz::Anatomy ras = viz::anatomyOf(rightAnteriorSuperior());
    QVERIFY((ras.high == std::array{'R', 'A', 'S'}));
    QCOMPARE(ras.low(0), 'L');
    QCOMPARE(ras.low(1), 'P');
    QCOMPARE(ras.low(2), 'I');
    base::Geometry coronal; // x to the left, y to the feet, z to the back
    coronal.direction = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    QVERIFY((viz::anatomyOf(coronal).high == std::array{'L', 'I', 'P'}));
    coronal.direction = {1, 1, 0, 0, 0, 0, 0, 0, 1};
    QVERIFY(!viz::anatomyOf(coronal).known());
    QVERIFY(!viz::Anatomy{}.known());
}

void VolumeLookTest::aHeadStandsUprightInEverySlice_data() {
    QTest::addColumn<int>("orientation");
    // XY: face up, XZ: head up, YZ: head up, face at the left.
    QTest::newRow("axial") << static_cast<int>(viz::Orientation::XY);
    QTest::newRow("coronal") << static_cast<int>(viz::Orientation::XZ);
    QTest::newRow("sagittal") << static_cast<int>(viz::Orientation::YZ);
}

void VolumeLookTest::aHeadStandsUprightInEverySlice() {
    QFETCH(int, orientation);
    viz::SliceScene scene(static_cast<viz::Orientation>(orientation));
    const viz::PlaneAxes axes = viz::axesOf(scene.orientation());
    const viz::Anatomy anatomy = viz::anatomyOf(rightAnteriorSuperior());
    const auto [right, down] = viz::SliceScene::usualFlips(anatomy, scene.orientation());
    scene.setImage(whiteBlock(), rightAnteriorSuperior());
    scene.setGreyWindow({0, 255});
    scene.setFlips(right, down);
    scene.setSlice(30);
    viz::OffscreenWindow window(scene, 200, 160);
    scene.fit();
    const viz::Picture picture = window.render();
    test::keep(picture, "upright" + std::to_string(orientation));
    // The block lies at the high ends: R, A and S, which are at the left and on top.
    base::Point centre{30.5, 30.5, 30.5};
    centre[axes.depth] = 30;
    const viz::DisplayPoint p = scene.displayOf(centre);
    const base::Extents& size = scene.extents();
    const viz::DisplayPoint middle =
        scene.displayOf({static_cast<double>(size.x - 1) / 2, static_cast<double>(size.y - 1) / 2,
                         static_cast<double>(size.z - 1) / 2});
    QVERIFY(p.x < middle.x && p.y < middle.y);
    const double otherX = 2 * middle.x - p.x;
    const double otherY = 2 * middle.y - p.y;
    QVERIFY(picture.at(nearestPixel(p.x), nearestPixel(p.y))[0] > 200);
    QVERIFY(picture.at(nearestPixel(otherX), nearestPixel(p.y))[0] < 60);
    QVERIFY(picture.at(nearestPixel(p.x), nearestPixel(otherY))[0] < 60);
}

void VolumeLookTest::aMirroredSliceKeepsItsVoxels() {
    viz::SliceScene scene;
    scene.setImage(whiteBlock(), {});
    scene.resize(200, 160);
    scene.setAxisLettersVisible(false);
    scene.setScaleBarVisible(false); // the picture lies in the middle of the view
    for (const auto& [right, down] : {std::pair(true, false), {false, true}, {true, true}}) {
        scene.setFlips(right, down);
        scene.fit();
        scene.zoomAt({60, 40}, 1.7);
        const base::Point anchor = scene.planePointAt({60, 40});
        scene.zoomAt({60, 40}, 1.3);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            QVERIFY(std::abs(scene.planePointAt({60, 40})[axis] - anchor[axis]) < 0.6);
        }
        const viz::DisplayPoint before = scene.displayOf({20, 20, 20});
        scene.pan(7, -5);
        const viz::DisplayPoint after = scene.displayOf({20, 20, 20});
        QVERIFY(std::abs(after.x - before.x - 7) < 1.01 && std::abs(after.y - before.y + 5) < 1.01);
        const base::Point there = scene.planePointAt(scene.displayOf({12, 31, 20}));
        QVERIFY(std::abs(there[0] - 12) < 1e-9 && std::abs(there[1] - 31) < 1e-9);
    }
}

void VolumeLookTest::aBoxIsDraggedInAMirroredSlice() {
    viz::SliceScene scene;
    scene.setImage(whiteBlock(), {});
    scene.setFlips(true, true);
    scene.resize(400, 400);
    scene.fit();
    scene.setSlice(20);
    const base::Box box{{10, 12, 18}, {8, 6, 5}};
    scene.setTemplateBox(box);
    // The left edge on the screen is the high end of x.
    const viz::DisplayPoint high = scene.displayOf({17.5, 14.5, 20});
    QVERIFY(scene.templateBoxPartAt(high) == viz::BoxPart::Left);
    const base::Box wider =
        scene.draggedBox(box, viz::BoxPart::Left, {17.5, 14.5, 20}, {20.5, 14.5, 20});
    QVERIFY((wider == base::Box{{10, 12, 18}, {11, 6, 5}}));
}

void VolumeLookTest::blackPartsOfSlicesHideNothing() {
    ShownVolume s;
    // Opaque black slices between the eye and the block hide it.
    s.scene.lookFrom(viz::Side::Front);
    s.scene.setCrosshair(base::Point{20, 38, 20});
    s.scene.setSliceStyle(viz::SliceStyle::Opaque);
    s.scene.setTransfer({viz::VolumeLook::Grey, 0.27, 1});
    s.scene.setAnatomy(viz::anatomyOf(rightAnteriorSuperior()), true);
    s.scene.lookFrom(viz::Side::Front);
    const base::Point block{30.5, 30.5, 30.5};
    const int hidden = s.at(block);
    for (const auto style :
         {viz::SliceStyle::Transparent, viz::SliceStyle::Frame, viz::SliceStyle::Off}) {
        s.scene.setSliceStyle(style);
        QVERIFY2(s.at(block) > hidden + 60, qPrintable(QString::number(s.at(block))));
    }
}

void VolumeLookTest::theThresholdClearsWhatIsDarker() {
    ShownVolume s;
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    s.scene.setImage(imageOf({40, 40, 40}, [](const base::Index&) { return 120; }), {});
    s.scene.setTransfer({viz::VolumeLook::Grey, 0.1, 1});
    const int seen = s.at({20, 20, 20});
    s.scene.setTransfer({viz::VolumeLook::Grey, 0.1, 0.05});
    const int faint = s.at({20, 20, 20});
    s.scene.setTransfer({viz::VolumeLook::Grey, 0.6, 1});
    const int clear = s.at({20, 20, 20});
    QVERIFY2(seen > faint && faint >= clear && seen > clear + 20,
             qPrintable(QStringLiteral("%1 %2 %3").arg(seen).arg(faint).arg(clear)));
}

void VolumeLookTest::everyLookDrawsTheBlock() {
    for (int look = 0; look < 6; ++look) {
        ShownVolume s;
        s.scene.setSliceStyle(viz::SliceStyle::Off);
        s.scene.setTransfer({static_cast<viz::VolumeLook>(look), 0.3, 1});
        QVERIFY2(s.at({30.5, 30.5, 30.5}) > 90, qPrintable(QString::number(look)));
    }
}

void VolumeLookTest::aCurveOfOnesOwnReplacesThePreset() {
    // The curve of a preset, taken over as one's own, draws the same picture.
    ShownVolume s;
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    for (int look = 0; look < 6; ++look) {
        viz::VolumeTransfer transfer{static_cast<viz::VolumeLook>(look), 0.3, 0.8};
        s.scene.setTransfer(transfer);
        s.scene.setInteractive(false);
        const viz::Picture preset = s.window->render();
        transfer.points = viz::curveOf(transfer);
        transfer.threshold = 0.9; // without effect
        s.scene.setTransfer(transfer);
        s.scene.setInteractive(false);
        QCOMPARE(test::differences(preset, s.window->render(), 0), 0);
    }
    viz::VolumeTransfer own;
    own.points = {{0, 0, {255, 0, 0}}, {0.5, 0, {255, 0, 0}}, {0.9, 1, {255, 0, 0}}};
    s.scene.setTransfer(own);
    s.scene.setInteractive(false);
    const viz::Picture picture = s.window->render();
    const viz::DisplayPoint p = s.scene.displayOf({30.5, 30.5, 30.5});
    const match::Colour block = picture.at(nearestPixel(p.x), nearestPixel(p.y));
    QVERIFY(block[0] > 200 && block[1] < 60 && block[2] < 60);
    own.points[1].opacity = own.points[2].opacity = 0;
    s.scene.setTransfer(own);
    QVERIFY(s.at({30.5, 30.5, 30.5}) < 100);
}

void VolumeLookTest::theHistogramCountsWhatIsInTheWindow() {
    const auto image = imageOf({16, 16, 1}, [](const base::Index& i) {
        return static_cast<int>(i.x * 16); // 0, 16 .. 240, 16 of each
    });
    const auto counts = viz::histogramOf(base::viewOf(*image), {32, 96}, 4);
    QVERIFY((counts == std::vector<std::int64_t>{16, 16, 16, 32})); // 96 is the end
}

void VolumeLookTest::partsOfAPictureMakeTheWhole() {
    ShownVolume s;
    s.scene.setInteractive(false);
    const viz::Picture whole = s.window->render();
    constexpr int kParts = 3;
    int rows = 0;
    for (int part = 0; part < kParts; ++part) {
        s.scene.setPart(part, kParts);
        const viz::Picture picture = s.window->render();
        const auto [first, count] = viz::partRows(whole.height, part, kParts);
        for (int y = whole.height - first - count; y < whole.height - first; ++y) {
            for (int x = 0; x < whole.width; ++x) {
                QVERIFY2(picture.at(x, y) == whole.at(x, y),
                         qPrintable(QStringLiteral("%1 %2").arg(x).arg(y)));
            }
        }
        QVERIFY(picture.rgba != whole.rgba); // the rest was not drawn
        rows += count;
    }
    QCOMPARE(rows, whole.height);
    s.scene.setPart(0, 1);
    QVERIFY(s.window->render().rgba == whole.rgba);
}

void VolumeLookTest::theHorizonNeverRolls() {
    ShownVolume s;
    const auto lean = [&s] {
        const viz::DisplayPoint low = s.scene.displayOf({19.5, 30, 19.5});
        const viz::DisplayPoint high = s.scene.displayOf({19.5, 10, 19.5});
        return std::pair(high.x - low.x, low.y - high.y);
    };
    for (int i = 0; i < 40; ++i) {
        s.scene.rotate(17 + i, i % 7 * 5 - 13);
        const auto [aside, upwards] = lean();
        QVERIFY2(std::abs(aside) < 0.01 && upwards >= 0, qPrintable(QString::number(aside)));
    }
    s.scene.rotate(0, 10'000); // ends above the volume
    QVERIFY(lean().second >= 0);
}

void VolumeLookTest::clippingLeavesOutWhatIsOutside() {
    ShownVolume s;
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    s.scene.setCrosshair(base::Point{5, 5, 5});
    const base::Point block{30.5, 30.5, 30.5};
    const int seen = s.at(block);
    QVERIFY(seen > 90);
    s.scene.setClip(viz::VolumeClip::Slab); // around z = 5
    QVERIFY(s.at(block) < seen - 60);
    s.scene.setSlab(60); // to z = 35
    QVERIFY(s.at(block) > seen - 60);
    s.scene.setSlab(20); // to z = 15
    QVERIFY(s.at(block) < seen - 60);
    s.scene.setTemplateBox(base::Box{{2, 2, 2}, {9, 9, 9}});
    s.scene.setClip(viz::VolumeClip::Box);
    QVERIFY(s.at(block) < seen - 60);
    s.scene.setTemplateBox(base::Box{{22, 22, 22}, {16, 16, 16}});
    QVERIFY(s.at(block) > seen - 60);
    // The corner before the crosshair goes: the one that the eye looks on.
    s.scene.setTemplateBox(std::nullopt);
    s.scene.setAnatomy(viz::anatomyOf(rightAnteriorSuperior()), true);
    s.scene.setClip(viz::VolumeClip::Corner);
    s.scene.lookFrom(viz::Side::Front); // from the high end of y
    s.scene.setCrosshair(base::Point{39, 5, 39});
    s.scene.rotate(1, -1);
    QVERIFY(s.at({20, 30, 20}) < 90);
}

void VolumeLookTest::aSlabShowsItsBrightestVoxels_data() { aHeadStandsUprightInEverySlice_data(); }

void VolumeLookTest::aSlabShowsItsBrightestVoxels() {
    QFETCH(int, orientation);
    viz::SliceScene scene(static_cast<viz::Orientation>(orientation));
    const std::size_t depth = viz::axesOf(scene.orientation()).depth;
    // A grey volume with a white voxel at 23 and, in another column, NaN around.
    base::Image<float> image({40, 40, 40}, 60.0F);
    std::array<std::int64_t, 3> white{20, 20, 20};
    white[depth] = 23;
    image.view().at(white[0], white[1], white[2]) = 250;
    for (std::int64_t k = 0; k < 40; ++k) {
        std::array<std::int64_t, 3> at{10, 10, 10};
        at[depth] = k;
        image.view().at(at[0], at[1], at[2]) = k == 22 ? 200 : std::nanf("");
    }
    scene.setImage(std::make_shared<base::AnyImage>(std::move(image)), {});
    scene.setGreyWindow({0, 255});
    scene.setSlice(20);
    viz::OffscreenWindow window(scene, 200, 200);
    const auto at = [&](double place) {
        base::Point voxel{place, place, place};
        voxel[depth] = 20;
        const viz::DisplayPoint p = scene.displayOf(voxel);
        return int{window.render().at(nearestPixel(p.x), nearestPixel(p.y))[0]};
    };
    for (const double zoom : {4.0, 1.0}) { // pixels a voxel
        scene.setZoom(zoom);
        scene.setSlab(5); // 18 to 22
        QCOMPARE(at(20), 60);
        QCOMPARE(at(10), 200);
        scene.setSlab(7); // 17 to 23
        QVERIFY((scene.slab() == std::array<std::int64_t, 2>{17, 23}));
        QCOMPARE(at(20), 250);
        scene.setSlab(1);
        QCOMPARE(at(20), 60);
        QCOMPARE(at(10), 0);
    }
    // Zoomed out, a texel is the average of the maxima of its columns.
    scene.setSlab(9);
    scene.setZoom(0.5);
    const int mixed = at(20);
    QVERIFY2(mixed > 60 && mixed < 250, qPrintable(QString::number(mixed)));
}

void VolumeLookTest::theIsosurfaceFollowsTheThreshold() {
    ShownVolume s;
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setScalarBarVisible(false);
    s.scene.setMap(mapOf({36, 36, 36},
                         [](const base::Index& i) {
                             const double r = std::hypot(static_cast<double>(i.x) - 18,
                                                         static_cast<double>(i.y) - 18,
                                                         static_cast<double>(i.z) - 18);
                             return std::max(0.0, 1 - r / 16);
                         }),
                   {5, 5, 5}, true);
    s.scene.setMapVisible(false);
    s.scene.setScoreThreshold(0.5);
    const auto covered = [&s] {
        s.scene.setInteractive(false);
        const viz::Picture with = s.window->render();
        s.scene.setIsosurface(false);
        const viz::Picture without = s.window->render();
        s.scene.setIsosurface(true);
        int count = 0;
        for (int y = 0; y < with.height; ++y) {
            for (int x = 0; x < with.width; ++x) {
                count += with.at(x, y) != without.at(x, y) ? 1 : 0;
            }
        }
        return count;
    };
    s.scene.setIsosurface(true);
    const int half = covered(); // radius 8
    s.scene.setScoreThreshold(0.25);
    const int quarter = covered(); // radius 12
    QVERIFY2(half > 100, qPrintable(QString::number(half)));
    const double ratio = static_cast<double>(quarter) / half;
    QVERIFY2(ratio > 1.8 && ratio < 2.8, qPrintable(QString::number(ratio))); // (12 / 8)^2
    // It is cut as the volume is.
    s.scene.setCrosshair(base::Point{20, 20, 20});
    const int crossed = covered(); // its lines hide some pixels
    s.scene.setClip(viz::VolumeClip::Slab);
    s.scene.setSlab(4);
    const int slab = covered();
    QVERIFY2(slab > 0 && slab < quarter / 2, qPrintable(QString::number(slab)));
    s.scene.setClip(viz::VolumeClip::Box); // without a box nothing is cut
    QCOMPARE(covered(), crossed);
}

void VolumeLookTest::sidesAreThoseOfThePatient() {
    viz::VolumeScene scene;
    scene.setImage(whiteBlock(), rightAnteriorSuperior());
    scene.setAnatomy(viz::anatomyOf(rightAnteriorSuperior()), true);
    scene.resize(200, 200);
    const base::Point middle{20, 20, 20};
    const auto from = [&](viz::Side side, const base::Point& right, const base::Point& up) {
        scene.lookFrom(side);
        const viz::DisplayPoint centre = scene.displayOf(middle);
        const viz::DisplayPoint r = scene.displayOf(right);
        const viz::DisplayPoint u = scene.displayOf(up);
        return r.x > centre.x + 10 && std::abs(r.y - centre.y) < 2 && u.y < centre.y - 10 &&
               std::abs(u.x - centre.x) < 2;
    };
    const base::Point left{5, 20, 20}; // of the patient: the low end of x
    const base::Point rightSide{35, 20, 20};
    const base::Point head{20, 20, 35};
    const base::Point face{20, 35, 20};
    const base::Point back{20, 5, 20};
    QVERIFY(from(viz::Side::Front, left, head));
    QVERIFY(from(viz::Side::Back, rightSide, head));
    QVERIFY(from(viz::Side::Left, back, head));
    QVERIFY(from(viz::Side::Right, face, head));
    QVERIFY(from(viz::Side::Top, rightSide, face));
    // Without a patient: the first slice in front, row 0 on top.
    scene.setAnatomy({}, true);
    QVERIFY(from(viz::Side::Front, rightSide, back));
}

const flcc::test::TestClass<VolumeLookTest> kVolumeLookTest;

#include "volume_look_test.moc"
