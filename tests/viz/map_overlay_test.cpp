#include <QTest>
#include <cmath>

#include "engine/match/colour_map.h"
#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/slice_scene.h"

using namespace flcc;
using test::imageOf;
using test::mapOf;

namespace {

constexpr int kTwoPercent = 5; // of 255

/// A 60x50 image of one grey, a map of a 7x6 template, ten pixels a voxel.
struct Overlay {
    base::Extents templ{7, 6, 1};
    base::Extents extents{54, 45, 1};
    viz::SliceScene scene;
    std::unique_ptr<viz::OffscreenWindow> window;

    Overlay() {
        scene.setImage(imageOf({60, 50, 1}, [](const base::Index&) { return 100; }), {});
        scene.setGreyWindow({0, 255});
        scene.setAxisLettersVisible(false);
        scene.setScaleBarVisible(false);
        scene.setScalarBarVisible(false);
        window = std::make_unique<viz::OffscreenWindow>(scene, 620, 520);
        scene.setZoom(10);
    }

    /// The colour drawn `dx`, `dy` pixels beside the centre of a placement.
    match::Colour at(const viz::Picture& picture, double u, double v, int dx = 0,
                     int dy = 0) const {
        const viz::DisplayPoint p = scene.displayOf({u + static_cast<double>(templ.x - 1) / 2,
                                                     v + static_cast<double>(templ.y - 1) / 2, 0});
        return picture.at(static_cast<int>(std::lround(p.x)) + dx,
                          static_cast<int>(std::lround(p.y)) + dy);
    }
};

} // namespace

class MapOverlayTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aPixelOverAPeakHasTheColourOfItsScore_data();
    void aPixelOverAPeakHasTheColourOfItsScore();
    void aScoreLiesOnTheCentreOfItsPlacement();
    void aVoxelWithoutAValueShowsBothGreys();
    void theHatchStaysOnTheScreenWhenZooming();
    void onlyFinishedRegionsAreDrawnDuringARun();
    void opacityAndVisibilityLetTheSceneThrough();
    void aVolumesMapFollowsTheSlice();
    void theScalarBarNamesTheRange();
    void aMapOfManyTilesIsDrawnWhole();
    void fitShowsAllOfAMapThatIsLargerThanTheScene();
    void wordsAreWrittenOverTheMap();
    void leftOfTheWipeIsOneMapAndRightOfItTheOther();
};

void MapOverlayTest::aPixelOverAPeakHasTheColourOfItsScore_data() {
    QTest::addColumn<int>("map");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("score");
    QTest::newRow("viridis") << static_cast<int>(match::ColourMap::Viridis) << 0.0 << 0.83;
    QTest::newRow("diverging") << static_cast<int>(match::ColourMap::Diverging) << -1.0 << -0.61;
    QTest::newRow("cividis") << static_cast<int>(match::ColourMap::Cividis) << 0.2 << 0.47;
    QTest::newRow("above the range") << static_cast<int>(match::ColourMap::Viridis) << 0.0 << 1.7;
}

void MapOverlayTest::aPixelOverAPeakHasTheColourOfItsScore() {
    QFETCH(int, map);
    QFETCH(double, low);
    QFETCH(double, score);
    Overlay o;
    const match::HeatmapScale scale{static_cast<match::ColourMap>(map), low, 1.0};
    o.scene.setMap(mapOf(o.extents,
                         [&](const base::Index& i) {
                             return i == base::Index{20, 15, 0} ? score : 0.1;
                         }),
                   o.templ, true);
    o.scene.setMapScale(scale);
    const viz::Picture picture = o.window->render();
    QVERIFY(test::distance(o.at(picture, 20, 15), match::colourOf(scale, score)) <= kTwoPercent);
    QVERIFY(test::distance(o.at(picture, 10, 10), match::colourOf(scale, 0.1)) <= kTwoPercent);
}

void MapOverlayTest::leftOfTheWipeIsOneMapAndRightOfItTheOther() {
    Overlay o;
    const auto flat = [&](double score) {
        return mapOf(o.extents, [score](const base::Index&) { return score; });
    };
    const match::Colour low = match::colourOf({}, 0.2);
    const match::Colour high = match::colourOf({}, 0.9);
    o.scene.setMap(flat(0.2), o.templ, true);
    o.scene.setOtherMap(flat(0.9), o.templ);
    const auto at = [&o](double x) { return o.at(o.window->render(), x, 15); };
    QVERIFY(test::distance(at(10), low) <= kTwoPercent);
    QVERIFY(test::distance(at(40), low) <= kTwoPercent);
    o.scene.setWipe(0.5);
    QVERIFY(test::distance(at(10), low) <= kTwoPercent);
    QVERIFY(test::distance(at(40), high) <= kTwoPercent);
    o.scene.setWipe(0.1);
    QVERIFY(test::distance(at(10), high) <= kTwoPercent);
    o.scene.setWipe(0);
    QVERIFY(test::distance(at(1), high) <= kTwoPercent);
    o.scene.setOtherMap(nullptr, o.templ);
    QVERIFY(test::distance(at(10), low) <= kTwoPercent);
}

void MapOverlayTest::aScoreLiesOnTheCentreOfItsPlacement() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents,
                         [](const base::Index& i) {
                             return i == base::Index{20, 15, 0} ? 1.0 : 0.0;
                         }),
                   o.templ, true);
    const match::Colour peak = match::colourOf({}, 1);
    const viz::Picture picture = o.window->render();
    // The voxel is ten pixels wide, so its colour reaches 4 pixels to each side and not 6.
    for (const int d : {-4, 4}) {
        QVERIFY(test::distance(o.at(picture, 20, 15, d, 0), peak) <= kTwoPercent);
        QVERIFY(test::distance(o.at(picture, 20, 15, 0, d), peak) <= kTwoPercent);
    }
    for (const int d : {-6, 6}) {
        QVERIFY(test::distance(o.at(picture, 20, 15, d, 0), peak) > 50);
        QVERIFY(test::distance(o.at(picture, 20, 15, 0, d), peak) > 50);
    }
    // The map is smaller than the scene: the frame around it shows the scene.
    QCOMPARE(int{o.at(picture, -2, 20)[0]}, 100);
    QCOMPARE(int{o.at(picture, 55, 20)[0]}, 100);
}

void MapOverlayTest::aVoxelWithoutAValueShowsBothGreys() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents,
                         [](const base::Index& i) -> std::optional<double> {
                             if (i.x == 30 && i.y == 12) {
                                 return std::nullopt;
                             }
                             return 0.0;
                         }),
                   o.templ, true);
    const viz::Picture picture = o.window->render();
    test::keep(picture, "hatch_one");
    int light = 0;
    int dark = 0;
    for (int dy = -4; dy <= 4; ++dy) {
        for (int dx = -4; dx <= 4; ++dx) {
            const match::Colour c = o.at(picture, 30, 12, dx, dy);
            light += test::distance(c, match::kHatchLight) <= 2 ? 1 : 0;
            dark += test::distance(c, match::kHatchDark) <= 2 ? 1 : 0;
        }
    }
    QCOMPARE(light + dark, 81);
    QVERIFY(light > 20 && dark > 20);
    QVERIFY(test::distance(o.at(picture, 29, 12), match::colourOf({}, 0)) <= kTwoPercent);
}

void MapOverlayTest::theHatchStaysOnTheScreenWhenZooming() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents, [](const base::Index&) { return std::nullopt; }), o.templ,
                   true);
    const viz::Picture before = o.window->render();
    o.scene.zoomAt({310, 260}, 2.7);
    const viz::Picture after = o.window->render();
    for (int y = 240; y < 280; ++y) {
        for (int x = 290; x < 330; ++x) {
            QCOMPARE(after.at(x, y), before.at(x, y));
        }
    }
}

void MapOverlayTest::onlyFinishedRegionsAreDrawnDuringARun() {
    Overlay o;
    const auto map = mapOf(o.extents, [](const base::Index&) { return 0.9; });
    o.scene.setMap(map, o.templ, false);
    const viz::Picture none = o.window->render();
    QCOMPARE(test::find(none, match::colourOf({}, 0.9)).count, 0);

    o.scene.mapRegionFinished({{10, 5, 0}, {12, 8, 1}});
    const viz::Picture some = o.window->render();
    test::keep(some, "partial");
    const test::Found found = test::find(some, match::colourOf({}, 0.9));
    QCOMPARE(found.count, 12 * 8 * 100);
    QVERIFY(test::distance(o.at(some, 10, 5), match::colourOf({}, 0.9)) <= kTwoPercent);
    QVERIFY(test::distance(o.at(some, 21, 12), match::colourOf({}, 0.9)) <= kTwoPercent);
    QCOMPARE(int{o.at(some, 22, 12)[0]}, 100);
    QCOMPARE(int{o.at(some, 9, 5)[0]}, 100);

    // What is written later into a region that was not reported is not read.
    map->value.view().at(30, 30, 0) = 0.1F;
    o.scene.mapRegionFinished({{40, 30, 0}, {3, 3, 1}});
    QCOMPARE(test::find(o.window->render(), match::colourOf({}, 0.9)).count, 12 * 8 * 100 + 900);

    // The end of a cancelled run: what was not computed is hatched.
    map->status.view().at(0, 0, 0) = base::Status::NotComputed;
    o.scene.mapEnded();
    const viz::Picture all = o.window->render();
    QVERIFY(test::distance(o.at(all, 53, 44), match::colourOf({}, 0.9)) <= kTwoPercent);
    QVERIFY(test::distance(o.at(all, 0, 0), match::kHatchDark) <= 2 ||
            test::distance(o.at(all, 0, 0), match::kHatchLight) <= 2);
}

void MapOverlayTest::opacityAndVisibilityLetTheSceneThrough() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents, [](const base::Index&) { return 1.0; }), o.templ, true);
    o.scene.setMapOpacity(0.5);
    const match::Colour peak = match::colourOf({}, 1);
    const viz::Picture half = o.window->render();
    for (std::size_t c = 0; c < 3; ++c) {
        QVERIFY(std::abs(o.at(half, 20, 20)[c] - (100 + peak[c]) / 2) <= 2);
    }
    o.scene.setMapVisible(false);
    QCOMPARE(int{o.at(o.window->render(), 20, 20)[0]}, 100);
    o.scene.setMapVisible(true);
    o.scene.setMapOpacity(0);
    QCOMPARE(int{o.at(o.window->render(), 20, 20)[0]}, 100);
}

void MapOverlayTest::aVolumesMapFollowsTheSlice() {
    viz::SliceScene scene(viz::Orientation::XZ);
    scene.setImage(imageOf({12, 10, 14}, [](const base::Index&) { return 100; }), {});
    scene.setGreyWindow({0, 255});
    scene.setScalarBarVisible(false);
    const base::Extents templ{3, 5, 3};
    // Voxel (4, 2, 6) of the map lies on (5, 4, 7) of the scene.
    scene.setMap(mapOf({10, 6, 12},
                       [](const base::Index& i) {
                           return i == base::Index{4, 2, 6} ? 1.0 : 0.0;
                       }),
                 templ, true);
    viz::OffscreenWindow window(scene, 300, 300);
    scene.setZoom(10);
    const match::Colour peak = match::colourOf({}, 1);
    for (int slice = 0; slice < 10; ++slice) {
        scene.setSlice(slice);
        const viz::Picture picture = window.render();
        const test::Found found = test::find(picture, peak);
        QCOMPARE(found.count, slice == 4 ? 100 : 0);
        if (slice == 4) {
            const viz::DisplayPoint at = scene.displayOf({5, 4, 7});
            QVERIFY(std::hypot(found.x - at.x, found.y - at.y) <= 1);
        }
        // The first two and the last two slices hold no placement's centre.
        const bool mapped = test::find(picture, match::colourOf({}, 0)).count > 0;
        QCOMPARE(mapped, slice >= 2 && slice < 8);
    }
}

void MapOverlayTest::theScalarBarNamesTheRange() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents, [](const base::Index&) { return 0.5; }), o.templ, true);
    const viz::Picture without = o.window->render();
    o.scene.setScalarBarVisible(true);
    const viz::Picture with = o.window->render();
    test::keep(with, "scalar_bar");
    QVERIFY(test::find(without, match::colourOf({}, 1), 2).count == 0);
    const test::Found top = test::find(with, match::colourOf({}, 1), 2);
    const test::Found bottom = test::find(with, match::colourOf({}, 0), 2);
    QVERIFY(top.count > 0 && bottom.count > 0);
    QVERIFY(top.y < bottom.y);
    o.scene.setMapScale({match::ColourMap::Viridis, -1, 1});
    QVERIFY(test::differences(with, o.window->render()) > 50); // other numbers
}

void MapOverlayTest::aMapOfManyTilesIsDrawnWhole() {
    viz::SliceScene scene;
    scene.setImage(imageOf({2200, 1500, 1}, [](const base::Index&) { return 100; }), {});
    scene.setGreyWindow({0, 255});
    scene.setScalarBarVisible(false);
    scene.setAxisLettersVisible(false);
    scene.setScaleBarVisible(false);
    scene.setMap(mapOf({2193, 1493, 1}, [](const base::Index&) { return 0.75; }), {8, 8, 1}, false);
    viz::OffscreenWindow window(scene, 660, 450);
    window.render();
    // Regions that cross the seams of the textures.
    for (int y = 0; y < 1493; y += 500) {
        for (int x = 0; x < 2193; x += 700) {
            scene.mapRegionFinished(
                {{x, y, 0}, {std::min(700, 2193 - x), std::min(500, 1493 - y), 1}});
        }
        window.render();
    }
    const viz::Picture picture = window.render();
    test::keep(picture, "many_tiles");
    const test::Found found = test::find(picture, match::colourOf({}, 0.75));
    const double wanted = 2193.0 * 1493 * scene.zoom() * scene.zoom();
    QVERIFY2(std::abs(found.count - wanted) < 0.01 * wanted,
             qPrintable(QString("%1 instead of %2").arg(found.count).arg(wanted)));
}

// The placements of `full` begin a template's length before the scene.
void MapOverlayTest::fitShowsAllOfAMapThatIsLargerThanTheScene() {
    Overlay o;
    const base::Extents full{66, 55, 1};
    const auto inView = [&](const viz::DisplayPoint& at) {
        return at.x >= 0 && at.y >= 0 && at.x < 620 && at.y < 520;
    };
    o.scene.fit();
    const double alone = o.scene.zoom();
    const base::Point first{-6 + 3.0, -5 + 2.5, 0}; // the centre of the first placement
    const base::Point last{59 + 3.0, 49 + 2.5, 0};
    o.scene.setMap(mapOf(full, [](const base::Index&) { return 0.5; }), o.templ, true, {-6, -5, 0});
    QVERIFY(inView(o.scene.displayOf(first)) && inView(o.scene.displayOf(last)));
    QVERIFY(o.scene.zoom() < alone);
    o.scene.setZoom(20); // of somebody's own choice, which a map leaves alone
    o.scene.setMap(mapOf(full, [](const base::Index&) { return 0.5; }), o.templ, true, {-6, -5, 0});
    QVERIFY(!inView(o.scene.displayOf(first)));
    QCOMPARE(o.scene.zoom(), 20.0);
    o.scene.fit();
    QVERIFY(inView(o.scene.displayOf(first)) && inView(o.scene.displayOf(last)));
    // A map inside the scene changes nothing.
    o.scene.setMap(mapOf(o.extents, [](const base::Index&) { return 0.5; }), o.templ, true);
    o.scene.fit();
    QCOMPARE(o.scene.zoom(), alone);
}

void MapOverlayTest::wordsAreWrittenOverTheMap() {
    Overlay o;
    o.scene.setMap(mapOf(o.extents, [](const base::Index&) { return 0.5; }), o.templ, true);
    const auto amber = [&] {
        const viz::Picture picture = o.window->render();
        int found = 0;
        for (int y = 0; y < 40; ++y) {
            for (int x = 0; x < 620; ++x) {
                const match::Colour c = picture.at(x, y);
                found += c[0] > 230 && c[1] > 170 && c[1] < 220 && c[2] < 90 ? 1 : 0;
            }
        }
        return found;
    };
    QCOMPARE(amber(), 0);
    o.scene.setMapNote("not yet verified");
    QVERIFY(amber() > 40);
    o.scene.setMapVisible(false);
    QCOMPARE(amber(), 0);
}

const flcc::test::TestClass<MapOverlayTest> kMapOverlayTest;
#include "map_overlay_test.moc"
