#include "viz/volume_scene.h"

#include <QTest>
#include <cmath>
#include <functional>

#include "engine/match/colour_map.h"
#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"

using namespace flcc;
using test::imageOf;
using test::mapOf;

namespace {

/// A bright ball of radius 8 in a dark cube of 40.
std::shared_ptr<const base::AnyImage> ball() {
    return imageOf({40, 40, 40}, [](const base::Index& i) {
        const double r =
            std::hypot(static_cast<double>(i.x) - 19.5, static_cast<double>(i.y) - 19.5,
                       static_cast<double>(i.z) - 19.5);
        return r < 8 ? 250 : 10;
    });
}

using Support = base::Image<std::uint8_t>;

std::shared_ptr<Support> supportOf(const base::Extents& extents,
                                   const std::function<bool(const base::Index&)>& inside) {
    auto support = std::make_shared<Support>(extents, std::uint8_t{0});
    for (std::int64_t i = 0; i < support->count(); ++i) {
        support->data()[i] =
            inside({i % extents.x, i / extents.x % extents.y, i / (extents.x * extents.y)}) ? 1 : 0;
    }
    return support;
}

struct Shown {
    viz::VolumeScene scene;
    std::unique_ptr<viz::OffscreenWindow> window;

    Shown() {
        scene.setImage(ball(), {});
        scene.setGreyWindow({0, 255});
        window = std::make_unique<viz::OffscreenWindow>(scene, 320, 280);
        scene.fit();
    }
    match::Colour at(const viz::Picture& picture, const base::Point& voxel) const {
        const viz::DisplayPoint p = scene.displayOf(voxel);
        return picture.at(static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y)));
    }
};

} // namespace

class VolumeSceneTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theSceneIsRayCast();
    void theHeatmapIsRayCastWhereItsPlacementsAre();
    void lowConfScoresAreRayCastPink();
    void voxelsWithoutAValueAreNotRayCast_data();
    void voxelsWithoutAValueAreNotRayCast();
    void aMapFillsInAsRegionsFinish();
    void peaksAreBoxesWithTheColourOfTheirScore();
    void theSlicePlanesCrossAtTheCrosshair();
    void placementsBeyondTheEdgesLeaveTheSlicesAsTheyAre();
    void theStandardViewIsNotMirrored();
    void rotatingZoomingAndPanningMoveThePicture();
    void zoomingKeepsTheAnchorInPlace();
    void aRayHitsTheSlicePlane();
    void thePictureIsFineAgainAfterInteraction();
    void aNewGreyWindowShowsAtOnceAndFinelyLater();
    void aResizedViewShowsTheVolumeStill();
    void theSelectedPeakAndTheNumbersShowThroughTheSlices();
    void aCleanPictureIsOpaqueWhereTheVolumeIs();
    void aSliceLargerThanATextureIsShown();
    void voxelsBeyondTheRangeOfFloatsAreRayCast();
    void whatTheMaskOfTheSceneLeavesOutIsBluishAndFaint();
    void aMaskOfTheSceneThatLeavesOutAllOrNothingIsDrawn();
    void theMaskOfTheTemplateIsASurfaceInItsBoxAndThePeak();
};

void VolumeSceneTest::theSceneIsRayCast() {
    Shown s;
    const viz::Picture picture = s.window->render();
    test::keep(picture, "volume_ball");
    QVERIFY(s.at(picture, {19.5, 19.5, 19.5})[0] > 120);
    QVERIFY(s.at(picture, {6, 9, 20})[0] < 60);
    s.scene.setContent(viz::VolumeContent::None);
    QVERIFY(s.at(s.window->render(), {19.5, 19.5, 19.5})[0] < 60);
}

void VolumeSceneTest::theHeatmapIsRayCastWhereItsPlacementsAre() {
    Shown s;
    const base::Extents templ{9, 9, 9};
    s.scene.setContent(viz::VolumeContent::Map);
    s.scene.setScalarBarVisible(false);
    s.scene.setMap(mapOf({32, 32, 32},
                         [](const base::Index& i) {
                             const bool near = std::abs(i.x - 5) < 3 && std::abs(i.y - 26) < 3 &&
                                               std::abs(i.z - 10) < 3;
                             return near ? 1.0 : 0.05;
                         }),
                   templ, true);
    const viz::Picture picture = s.window->render();
    test::keep(picture, "volume_map");
    const match::Colour best = match::colourOf({}, 1);
    const test::Found found = test::find(picture, best, 60);
    const viz::DisplayPoint at = s.scene.displayOf({9, 30, 14});
    QVERIFY(found.count > 20);
    QVERIFY(std::hypot(found.x - at.x, found.y - at.y) < 8);
}

void VolumeSceneTest::lowConfScoresAreRayCastPink() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::Map);
    s.scene.setScalarBarVisible(false);
    const auto map = mapOf({32, 32, 32}, [](const base::Index& i) {
        return (i.x - 16) * (i.x - 16) + (i.y - 16) * (i.y - 16) + (i.z - 16) * (i.z - 16) < 100
                   ? 0.9
                   : 0.0;
    });
    s.scene.setMap(map, {9, 9, 9}, true);
    const viz::Picture plain = s.window->render();
    const match::Colour score = match::colourOf({}, 0.9);
    const match::Colour pink = match::lowConfColour(score);
    const int all = test::find(plain, score, 40).count;
    QVERIFY2(all > 1000, qPrintable(QString::number(all)));
    QVERIFY(test::find(plain, pink, 40).count < all / 20); // blends at the rim come near it
    // The half with the larger y, which lies below.
    for (std::int64_t z = 0; z < 32; ++z) {
        for (std::int64_t y = 16; y < 32; ++y) {
            for (std::int64_t x = 0; x < 32; ++x) {
                map->status.view().at(x, y, z) = base::Status::LowConf;
            }
        }
    }
    s.scene.setMap(map, {9, 9, 9}, true);
    const viz::Picture marked = s.window->render();
    test::keep(marked, "volume_lowconf");
    const test::Found above = test::find(marked, score, 40);
    const test::Found below = test::find(marked, pink, 40);
    QVERIFY2(above.count > all / 5 && below.count > all / 5,
             qPrintable(QString("%1 and %2 of %3").arg(above.count).arg(below.count).arg(all)));
    QVERIFY(above.y < below.y);
}

void VolumeSceneTest::voxelsWithoutAValueAreNotRayCast_data() {
    QTest::addColumn<match::ColourMap>("colours");
    QTest::newRow("viridis") << match::ColourMap::Viridis;
    QTest::newRow("diverging") << match::ColourMap::Diverging;
}

void VolumeSceneTest::voxelsWithoutAValueAreNotRayCast() {
    QFETCH(match::ColourMap, colours);
    Shown s;
    s.scene.setContent(viz::VolumeContent::Map);
    s.scene.setScalarBarVisible(false);
    const match::HeatmapScale scale{colours, colours == match::ColourMap::Diverging ? -1.0 : 0.0,
                                    1.0};
    s.scene.setMapScale(scale);
    // A ball of good scores in nothing: no colour but theirs may be seen, least of all that of
    // negative scores, which lie between theirs and nothing.
    s.scene.setMap(mapOf({32, 32, 32},
                         [](const base::Index& i) -> std::optional<double> {
                             const auto r = (i.x - 16) * (i.x - 16) + (i.y - 16) * (i.y - 16) +
                                            (i.z - 16) * (i.z - 16);
                             return r < 100 ? std::optional(0.9) : std::nullopt;
                         }),
                   {9, 9, 9}, true);
    const viz::Picture picture = s.window->render();
    test::keep(picture, colours == match::ColourMap::Viridis ? "volume_holes" : "volume_holes_two");
    QVERIFY(test::find(picture, match::colourOf(scale, 0.9), 40).count > 1000);
    s.scene.setContent(viz::VolumeContent::None);
    const viz::Picture empty = s.window->render();
    // Blends of the background with the colour of the score alone.
    int strange = 0;
    const match::Colour good = match::colourOf(scale, 0.9);
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            const match::Colour seen = picture.at(x, y);
            const match::Colour ground = empty.at(x, y);
            double best = 1e9;
            for (int share = 0; share <= 20; ++share) {
                double away = 0;
                for (std::size_t c = 0; c < 3; ++c) {
                    const double mix = ground[c] + (good[c] - ground[c]) * share / 20.0;
                    away = std::max(away, std::abs(seen[c] - mix));
                }
                best = std::min(best, away);
            }
            strange += best > 60 ? 1 : 0;
        }
    }
    QVERIFY2(strange < 20, qPrintable(QString::number(strange)));
}

void VolumeSceneTest::aMapFillsInAsRegionsFinish() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::Map);
    s.scene.setScalarBarVisible(false);
    s.scene.setMap(mapOf({32, 32, 32}, [](const base::Index&) { return 1.0; }), {9, 9, 9}, false);
    const match::Colour best = match::colourOf({}, 1);
    QCOMPARE(test::find(s.window->render(), best, 60).count, 0);
    s.scene.mapRegionFinished({{0, 0, 0}, {32, 32, 8}});
    const int some = test::find(s.window->render(), best, 60).count;
    s.scene.mapEnded();
    const int all = test::find(s.window->render(), best, 60).count;
    QVERIFY2(some > 500 && all > some + 500, qPrintable(QString("%1 of %2").arg(some).arg(all)));
}

void VolumeSceneTest::peaksAreBoxesWithTheColourOfTheirScore() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::None);
    const base::Point centre{10.3, 28.2, 30.1};
    s.scene.setPeaks({{centre, 0.95, 0}}, {5, 5, 5});
    const viz::Picture picture = s.window->render();
    const test::Found glyph = test::find(picture, match::colourOf({}, 0.95));
    const viz::DisplayPoint at = s.scene.displayOf(centre);
    QVERIFY(glyph.count > 30);
    QVERIFY(std::hypot((glyph.left + glyph.right) / 2.0 - at.x,
                       (glyph.top + glyph.bottom) / 2.0 - at.y) <= 2);
    QCOMPARE(s.scene.peakAt(at), std::optional<std::size_t>(0));
    QVERIFY(!s.scene.peakAt({at.x + 60, at.y}));
    s.scene.setPeaks({{centre, 0.95, 3}}, {5, 5, 5});
    QVERIFY(test::differences(picture, s.window->render()) > 15); // the number
    s.scene.setSelectedPeak(0);
    QVERIFY(test::find(s.window->render(), s.scene.colours().accent).count > 30);
}

void VolumeSceneTest::theSlicePlanesCrossAtTheCrosshair() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setCrosshair(base::Point{19, 19, 19});
    const viz::Picture with = s.window->render();
    test::keep(with, "volume_planes");
    QVERIFY(s.at(with, {15, 19, 15})[0] > 200); // in the ball, on the XZ plane
    s.scene.setCrosshair(base::Point{19, 35, 19});
    QVERIFY(s.at(s.window->render(), {30, 35, 30})[0] < 60); // below the ball
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    QVERIFY(test::differences(with, s.window->render()) > 5000);
}

void VolumeSceneTest::placementsBeyondTheEdgesLeaveTheSlicesAsTheyAre() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setScalarBarVisible(false);
    s.scene.setCrosshair(base::Point{30, 30, 30});
    const viz::Picture plain = s.window->render();
    // Drawn from -8 to 3 along x and y.
    s.scene.setMap(mapOf({12, 12, 40}, [](const base::Index&) { return 1.0; }), {9, 9, 1}, true,
                   {-12, -12, 0});
    const viz::Picture shown = s.window->render();
    const base::Point inside{1, 1, 30};
    QVERIFY(test::distance(s.at(shown, inside), s.at(plain, inside)) > 60);
    // What comes before the first voxel of a row is not the end of the row above.
    for (const base::Point& beyond : {base::Point{38, 1, 30}, {37, 2, 30}, {38, 0, 30}}) {
        QCOMPARE(test::distance(s.at(shown, beyond), s.at(plain, beyond)), 0);
    }
}

void VolumeSceneTest::theStandardViewIsNotMirrored() {
    Shown s;
    const auto display = [&](const base::Point& voxel) { return s.scene.displayOf(voxel); };
    QVERIFY(display({30, 20, 20}).x > display({10, 20, 20}).x);
    QVERIFY(display({20, 30, 20}).y > display({20, 10, 20}).y);
    // A corner of the far side is hidden by a ray that enters at the near one: z grows away.
    const auto hit = s.scene.voxelAt(display({20, 20, 20}));
    QVERIFY(hit && (*hit)[2] < 20);
}

void VolumeSceneTest::rotatingZoomingAndPanningMoveThePicture() {
    Shown s;
    const viz::DisplayPoint before = s.scene.displayOf({39, 20, 20});
    const viz::DisplayPoint front = s.scene.displayOf({20, 20, 0});
    s.scene.rotate(40, 0);
    // What faces the user follows the mouse.
    QVERIFY(s.scene.displayOf({20, 20, 0}).x > front.x + 5);
    s.scene.resetView();
    QVERIFY(std::abs(s.scene.displayOf({39, 20, 20}).x - before.x) < 1e-6);
    const viz::DisplayPoint middle = s.scene.displayOf({19.5, 19.5, 19.5});
    s.scene.pan(30, -20);
    const viz::DisplayPoint moved = s.scene.displayOf({19.5, 19.5, 19.5});
    QVERIFY(std::hypot(moved.x - middle.x - 30, moved.y - middle.y + 20) < 0.5);
}

void VolumeSceneTest::zoomingKeepsTheAnchorInPlace() {
    Shown s;
    s.scene.pan(40, 25);
    const viz::DisplayPoint anchor = s.scene.displayOf({19.5, 19.5, 19.5});
    s.scene.pan(0.25, 0);
    const double size =
        s.scene.displayOf({30, 19.5, 19.5}).x - s.scene.displayOf({10, 19.5, 19.5}).x;
    s.scene.pan(-0.25, 0);
    s.scene.zoomAt(anchor, 1.5);
    const double larger =
        s.scene.displayOf({30, 19.5, 19.5}).x - s.scene.displayOf({10, 19.5, 19.5}).x;
    QVERIFY(larger > 1.3 * size);
    const viz::DisplayPoint after = s.scene.displayOf({19.5, 19.5, 19.5});
    QVERIFY(std::hypot(after.x - anchor.x, after.y - anchor.y) < 8);
}

void VolumeSceneTest::aRayHitsTheSlicePlane() {
    Shown s;
    s.window->render();
    s.scene.setCrosshair(base::Point{39, 39, 12});
    const base::Point on{8, 6, 12};
    const auto hit = s.scene.voxelAt(s.scene.displayOf(on));
    QVERIFY(hit);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        QVERIFY(std::abs((*hit)[axis] - on[axis]) < 0.05);
    }
    QVERIFY(!s.scene.voxelAt({2, 2}));
}

void VolumeSceneTest::thePictureIsFineAgainAfterInteraction() {
    Shown s;
    const viz::Picture fine = s.window->render();
    s.scene.rotate(0.0, 0.0);
    QVERIFY(s.scene.interactive());
    const viz::Picture coarse = s.window->render();
    QVERIFY(s.at(coarse, {19.5, 19.5, 19.5})[0] > 100);
    s.scene.setInteractive(false);
    QVERIFY(test::differences(fine, s.window->render()) < 300);
}

void VolumeSceneTest::aNewGreyWindowShowsAtOnceAndFinelyLater() {
    Shown s;
    const base::Point middle{19.5, 19.5, 19.5};
    QVERIFY(s.at(s.window->render(), middle)[0] > 120);
    // The ball's 250 is dark in the new window and so is not seen.
    s.scene.setGreyWindow({200, 2000});
    QVERIFY(s.scene.interactive());
    QVERIFY(s.at(s.window->render(), middle)[0] < 60);
    s.scene.setInteractive(false);
    QVERIFY(s.at(s.window->render(), middle)[0] < 60);
    s.scene.setGreyWindow({0, 255});
    s.window->render();
    s.scene.setInteractive(false);
    QVERIFY(s.at(s.window->render(), middle)[0] > 120);
}

void VolumeSceneTest::aResizedViewShowsTheVolumeStill() {
    Shown s;
    s.window->render();
    s.window->resize(200, 330);
    const viz::Picture picture = s.window->render();
    QCOMPARE(picture.width, 200);
    QVERIFY(s.at(picture, {19.5, 19.5, 19.5})[0] > 120);
}

void VolumeSceneTest::theSelectedPeakAndTheNumbersShowThroughTheSlices() {
    Shown s;
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setPeaks({{{20, 20, 20}, 0.95, 0}, {{30, 30, 34}, 0.9, 0}}, {9, 9, 9});
    s.scene.setCrosshair(base::Point{20, 20, 20});
    const viz::Picture plain = s.window->render();
    s.scene.setSelectedPeak(0);
    const viz::Picture selected = s.window->render();
    test::keep(selected, "volume_selected");
    // The far edges of the box lie behind the slices that pass through it.
    for (const base::Point& hidden : {base::Point{22, 24.5, 24.5}, {24.5, 24.5, 22}}) {
        QVERIFY(test::distance(s.at(selected, hidden), s.at(plain, hidden)) > 30);
    }
    // Those of the template box too.
    s.scene.setPeaks({}, {9, 9, 9});
    s.scene.setTemplateBox(base::Box{{16, 16, 16}, {9, 9, 9}});
    const viz::Picture boxed = s.window->render();
    for (const base::Point& hidden : {base::Point{22, 24.5, 24.5}, {24.5, 24.5, 22}}) {
        QVERIFY(test::distance(s.at(boxed, hidden), s.at(plain, hidden)) > 30);
    }
    s.scene.setTemplateBox({});
    // The number of a peak behind them is drawn too, and fainter than one before them.
    s.scene.setPeaks({{{20, 20, 20}, 0.95, 0}, {{30, 30, 34}, 0.9, 7}}, {9, 9, 9});
    const viz::Picture numbered = s.window->render();
    QVERIFY(test::differences(plain, numbered) > 15);
    s.scene.setSliceStyle(viz::SliceStyle::Off);
    const auto brightest = [](const viz::Picture& picture, const viz::Picture& without) {
        int most = 0;
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                if (test::distance(picture.at(x, y), without.at(x, y)) > 5) {
                    most = std::max(most, int{picture.at(x, y)[0]});
                }
            }
        }
        return most;
    };
    const viz::Picture open = s.window->render();
    s.scene.setPeaks({{{20, 20, 20}, 0.95, 0}, {{30, 30, 34}, 0.9, 0}}, {9, 9, 9});
    QVERIFY(brightest(open, s.window->render()) > brightest(numbered, plain) + 40);
}

void VolumeSceneTest::aCleanPictureIsOpaqueWhereTheVolumeIs() {
    Shown s;
    const viz::Picture picture = s.window->render(true);
    test::keep(picture, "volume_clean");
    const auto alphaAt = [&](const base::Point& voxel) {
        const viz::DisplayPoint p = s.scene.displayOf(voxel);
        const auto at = static_cast<std::size_t>(std::lround(p.y)) * 320 +
                        static_cast<std::size_t>(std::lround(p.x));
        return int{picture.rgba[4 * at + 3]};
    };
    QCOMPARE(alphaAt({19.5, 19.5, 19.5}), 255);
    QCOMPARE(alphaAt({19.5, 12.5, 19.5}), 255); // where the ball is thin
    QCOMPARE(int{picture.rgba[3]}, 0);
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
        QVERIFY(picture.rgba[i] == 0 || picture.rgba[i] == 255);
    }
}

void VolumeSceneTest::aSliceLargerThanATextureIsShown() {
    viz::VolumeScene scene;
    base::Geometry geometry;
    geometry.spacing = {1, 3000, 3000};
    // Four fields along x, one after another brighter.
    scene.setImage(
        imageOf({20'000, 4, 4},
                [](const base::Index& i) { return static_cast<int>(40 + i.x / 5000 * 60); }),
        geometry);
    scene.setGreyWindow({0, 255});
    scene.setContent(viz::VolumeContent::None);
    viz::OffscreenWindow window(scene, 400, 300);
    scene.fit();
    scene.setCrosshair(base::Point{10'000, 3, 3});
    const viz::Picture picture = window.render();
    test::keep(picture, "volume_long");
    for (int field = 0; field < 4; ++field) {
        const viz::DisplayPoint at = scene.displayOf({2500 + 5000.0 * field, 2, 3});
        const match::Colour colour =
            picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
        QVERIFY2(std::abs(int{colour[0]} - (40 + 60 * field)) <= 4,
                 qPrintable(QString("field %1: %2").arg(field).arg(colour[0])));
    }
}

void VolumeSceneTest::voxelsBeyondTheRangeOfFloatsAreRayCast() {
    base::Image<double> pixels({40, 40, 40});
    const auto& bytes = std::get<base::Image<std::uint8_t>>(*ball());
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        pixels.data()[i] = (bytes.data()[i] - 128) * 1.3e306;
    }
    viz::VolumeScene scene;
    scene.setImage(std::make_shared<const base::AnyImage>(std::move(pixels)), {});
    scene.setGreyWindow({-1.7e308, 1.7e308});
    viz::OffscreenWindow window(scene, 320, 280);
    scene.fit();
    const viz::DisplayPoint middle = scene.displayOf({19.5, 19.5, 19.5});
    const auto brightness = [&] {
        return int{window.render().at(static_cast<int>(std::lround(middle.x)),
                                      static_cast<int>(std::lround(middle.y)))[0]};
    };
    QVERIFY2(brightness() > 100, qPrintable(QString::number(brightness())));
    scene.setGreyWindow({1.6e308, 1.7e308}); // the ball's 1.586e308 is dark in it
    scene.setInteractive(false);
    QVERIFY(brightness() < 60);
}

void VolumeSceneTest::whatTheMaskOfTheSceneLeavesOutIsBluishAndFaint() {
    Shown s;
    const base::Point above{19.5, 16, 19.5};
    const base::Point below{19.5, 23, 19.5};
    const viz::Picture plain = s.window->render();
    const auto bluish = [](const match::Colour& c) { return c[2] > c[0] + 10; };
    s.scene.setSceneSupport(supportOf({40, 40, 40}, [](const base::Index& i) { return i.y < 20; }));
    const viz::Picture cast = s.window->render();
    test::keep(cast, "volume_scene_support");
    QVERIFY(test::distance(s.at(cast, above), s.at(plain, above)) < 12);
    QVERIFY(bluish(s.at(cast, below)) && s.at(cast, below)[0] < s.at(plain, below)[0] - 40);
    // The slice planes, and the bytes of a new grey window.
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setCrosshair(base::Point{20, 20, 20});
    s.scene.setGreyWindow({-255, 1});
    const base::Point onXY{14, 27, 20};
    const viz::Picture planes = s.window->render();
    QVERIFY(bluish(s.at(planes, onXY)));
    QVERIFY(!bluish(s.at(planes, {14, 13, 20})));
    // Only one of the image's extents.
    s.scene.setSceneSupport(supportOf({40, 40, 39}, [](const base::Index& i) { return i.y < 20; }));
    QVERIFY(!bluish(s.at(s.window->render(), onXY)));
}

void VolumeSceneTest::aMaskOfTheSceneThatLeavesOutAllOrNothingIsDrawn() {
    Shown s;
    const base::Point middle{19.5, 19.5, 19.5};
    s.scene.setSceneSupport(supportOf({40, 40, 40}, [](const base::Index&) { return true; }));
    QVERIFY(s.at(s.window->render(), middle)[0] > 120);
    s.scene.setSceneSupport(supportOf({40, 40, 40}, [](const base::Index&) { return false; }));
    const match::Colour outside = s.at(s.window->render(), middle);
    QVERIFY(outside[2] > 60 && outside[2] > outside[0] + 10);
}

void VolumeSceneTest::theMaskOfTheTemplateIsASurfaceInItsBoxAndThePeak() {
    const base::Extents templ{17, 17, 17};
    const auto round = supportOf(
        templ, [](const base::Index& i) { return std::hypot(i.x - 8, i.y - 8, i.z - 8) < 7; });
    Shown s;
    s.scene.setContent(viz::VolumeContent::None);
    s.scene.setTemplateBox(base::Box{{4, 12, 10}, templ});
    const base::Point middle{12, 20, 18};
    const base::Point edge{6, 26.5, 10.5}; // of the box, far from the ball
    const viz::Picture without = s.window->render();
    s.scene.setTemplateSupport(round);
    const viz::Picture shown = s.window->render();
    test::keep(shown, "volume_template_support");
    QVERIFY(test::distance(s.at(shown, middle), s.at(without, middle)) > 40);
    QCOMPARE(test::distance(s.at(shown, edge), s.at(without, edge)), 0);
    // The disc of a ball of radius 7, in pixels of the view.
    const viz::DisplayPoint left = s.scene.displayOf({5, 20, 18});
    const viz::DisplayPoint right = s.scene.displayOf({19, 20, 18});
    const double across = std::hypot(right.x - left.x, right.y - left.y);
    const int covered = test::differences(shown, without);
    QVERIFY2(covered > across * across * 0.6 && covered < across * across * 1.3,
             qPrintable(QString("%1 of %2").arg(covered).arg(across * across)));
    // It goes with the box, and stays away from one of other extents.
    s.scene.setTemplateBox(base::Box{{18, 12, 10}, templ});
    QVERIFY(test::distance(s.at(s.window->render(), {26, 20, 18}), s.at(without, middle)) > 40);
    s.scene.setTemplateBox(base::Box{{4, 12, 10}, {17, 17, 16}});
    QCOMPARE(test::distance(s.at(s.window->render(), middle), s.at(without, middle)), 0);
    // The selected peak has it, unless it is one of another template.
    s.scene.setTemplateBox({});
    for (const bool own : {true, false}) {
        s.scene.setPeaks({{middle, 0.9, 0, templ, own}}, templ);
        s.scene.setSelectedPeak(0);
        QCOMPARE(test::distance(s.at(s.window->render(), middle), s.at(without, middle)) > 40, own);
    }
    // On a slice plane through the box what does not count is shaded.
    s.scene.setGreyWindow({-255, 1});
    s.scene.setPeaksVisible(false);
    s.scene.setTemplateBox(base::Box{{4, 4, 20}, templ});
    s.scene.setCrosshair(base::Point{30, 30, 20});
    const base::Point corner{6, 18, 20};
    const match::Colour shaded = s.at(s.window->render(), corner);
    s.scene.setTemplateSupport(nullptr);
    QVERIFY(s.at(s.window->render(), corner)[0] > shaded[0] + 60);
}

const flcc::test::TestClass<VolumeSceneTest> kVolumeSceneTest;
#include "volume_scene_test.moc"
