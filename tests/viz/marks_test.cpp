#include <QTest>
#include <cmath>
#include <numbers>

#include "engine/match/colour_map.h"
#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/slice_scene.h"

using namespace flcc;
using test::imageOf;
using viz::BoxPart;

namespace {

const base::Extents kTempl{9, 7, 5};

/// A dark volume of 60x50x20 seen in XY with eight pixels a voxel, slice 10.
struct Marked {
    viz::SliceScene scene;
    std::unique_ptr<viz::OffscreenWindow> window;

    Marked() {
        scene.setImage(imageOf({60, 50, 20}, [](const base::Index&) { return 0; }), {});
        scene.setGreyWindow({0, 255});
        scene.setAxisLettersVisible(false);
        scene.setScaleBarVisible(false);
        window = std::make_unique<viz::OffscreenWindow>(scene, 500, 420);
        scene.setZoom(8);
        scene.setSlice(10);
    }
};

/// 1 in the even columns.
std::shared_ptr<const base::Image<std::uint8_t>> columns(const base::Extents& extents) {
    auto support = std::make_shared<base::Image<std::uint8_t>>(extents, std::uint8_t{0});
    for (std::int64_t i = 0; i < support->count(); ++i) {
        support->data()[i] = i % extents.x % 2 == 0 ? 1 : 0;
    }
    return support;
}

} // namespace

class MarksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aGlyphIsCentredOnItsPeak();
    void aPeakOfAnotherTemplateHasItsSize();
    void weightsAreShadedByTheirValue();
    void aTurnedTemplateIsDrawnTurned();
    void aTurnedBoxIsHitWhereItLies();
    void aTurnedTemplateOfAVolumeIsCutByItsSlices();
    void aLineSelectsThePeaksInsideIt();
    void aStrokePassesPeaksNearTheirCentre();
    void aPeakHasTheColourOfItsScore();
    void onlyPeaksThatCrossTheSliceAreDrawn();
    void theTenBestCarryNumbers();
    void theSelectedPeakStandsOut();
    void aPeakIsHitInsideItsBox();
    void theTemplateBoxHasEightHandles();
    void aDraggedBoxStaysInsideTheImage();
    void aDraggedEdgeMovesAlone();
    void aSpannedBoxHoldsBothEnds();
    void theCrosshairCrossesAtItsVoxel();
    void marksGrowWithThePixelRatio();
    void theRegionIsAFrameOfDashes();
    void whatTheMaskOfTheTemplateLeavesOutIsShaded();
    void whatTheMaskOfTheSceneLeavesOutIsShaded();
};

void MarksTest::theRegionIsAFrameOfDashes() {
    Marked m;
    m.scene.setRegion(base::Box{{10, 12, 3}, {30, 20, 10}});
    const match::Colour green = m.scene.colours().region;
    const test::Found frame = test::find(m.window->render(), green);
    const viz::DisplayPoint low = m.scene.displayOf({9.5, 11.5, 10});
    const viz::DisplayPoint high = m.scene.displayOf({39.5, 31.5, 10});
    QVERIFY(std::abs(frame.left - low.x) <= 2 && std::abs(frame.top - low.y) <= 2);
    QVERIFY(std::abs(frame.right - high.x) <= 16 && std::abs(frame.bottom - high.y) <= 16);
    // Two pixels wide, half of it dashes.
    const double edge = 2 * (30 + 20) * 8.0;
    QVERIFY2(frame.count > 0.7 * edge && frame.count < 1.3 * edge,
             qPrintable(QString::number(frame.count)));
    // Fainter on slices beside it.
    m.scene.setSlice(1);
    QCOMPARE(test::find(m.window->render(), green).count, 0);
    m.scene.setSlice(10);
    m.scene.setRegion({});
    QCOMPARE(test::find(m.window->render(), green).count, 0);
}

void MarksTest::whatTheMaskOfTheTemplateLeavesOutIsShaded() {
    Marked m;
    m.scene.setGreyWindow({-255, 1}); // a bright scene
    m.scene.setTemplateBox(base::Box{{20, 15, 8}, {9, 7, 5}});
    m.scene.setTemplateSupport(columns({9, 7, 5}));
    const auto brightAt = [&](const viz::Picture& picture, double x) {
        const viz::DisplayPoint at = m.scene.displayOf({x, 17, 10});
        return picture.at(static_cast<int>(std::lround(at.x)),
                          static_cast<int>(std::lround(at.y)))[0] > 200;
    };
    const viz::Picture shown = m.window->render();
    test::keep(shown, "template_support");
    for (int x = 22; x < 27; ++x) {
        QCOMPARE(brightAt(shown, x), x % 2 == 0);
    }
    // Only where it fits, and where the box crosses the slice.
    m.scene.setTemplateSupport(columns({9, 7, 4}));
    QVERIFY(brightAt(m.window->render(), 23));
    m.scene.setTemplateSupport(columns({9, 7, 5}));
    m.scene.setSlice(2);
    QVERIFY(brightAt(m.window->render(), 23));
    m.scene.setSlice(10);
    // The selected peak has it too.
    m.scene.setTemplateBox({});
    m.scene.setPeaks({{{24, 18, 10}, 0.9, 0}}, kTempl);
    QVERIFY(brightAt(m.window->render(), 23));
    m.scene.setSelectedPeak(0);
    QVERIFY(!brightAt(m.window->render(), 23));
    QVERIFY(brightAt(m.window->render(), 22));
    // One of another template has not.
    m.scene.setPeaks({{{24, 18, 10}, 0.9, 0, kTempl, false}}, kTempl);
    m.scene.setSelectedPeak(0);
    QVERIFY(brightAt(m.window->render(), 23));
}

void MarksTest::whatTheMaskOfTheSceneLeavesOutIsShaded() {
    Marked m;
    m.scene.setGreyWindow({-255, 1});
    m.scene.setSceneSupport(columns({60, 50, 20}));
    const auto colourAt = [&](double x) {
        const viz::DisplayPoint at = m.scene.displayOf({x, 20, 10});
        return m.window->render().at(static_cast<int>(std::lround(at.x)),
                                     static_cast<int>(std::lround(at.y)));
    };
    QVERIFY(colourAt(20)[0] > 200);
    const match::Colour outside = colourAt(21);
    QVERIFY(outside[0] < 180 && outside[2] > outside[0] + 10);
    m.scene.setSceneSupport(columns({60, 50, 19}));
    QVERIFY(colourAt(21)[0] > 200);
    m.scene.setSceneSupport(nullptr);
    QVERIFY(colourAt(21)[0] > 200);
}

void MarksTest::aGlyphIsCentredOnItsPeak() {
    Marked m;
    for (const base::Point& centre : {base::Point{20.3, 30.4, 10.2}, {40, 12, 9.6}}) {
        m.scene.setPeaks({{centre, 0.9, 0}}, kTempl);
        const viz::Picture picture = m.window->render();
        const test::Found glyph = test::find(picture, match::colourOf({}, 0.9));
        const viz::DisplayPoint at = m.scene.displayOf(centre);
        QVERIFY(glyph.count > 100);
        QVERIFY(std::abs((glyph.left + glyph.right) / 2.0 - at.x) <= 2);
        QVERIFY(std::abs((glyph.top + glyph.bottom) / 2.0 - at.y) <= 2);
        // It is as large as the template.
        QVERIFY(std::abs(glyph.right - glyph.left - 9 * 8) <= 3);
        QVERIFY(std::abs(glyph.bottom - glyph.top - 7 * 8) <= 3);
    }
}

void MarksTest::aPeakOfAnotherTemplateHasItsSize() {
    Marked m;
    constexpr base::Extents kOther{15, 11, 1};
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 0}, {{44, 30, 10}, 0.4, 0, kOther}}, kTempl);
    const viz::Picture picture = m.window->render();
    const test::Found same = test::find(picture, match::colourOf({}, 0.9));
    const test::Found other = test::find(picture, match::colourOf({}, 0.4));
    QVERIFY(std::abs(same.right - same.left - 9 * 8) <= 3);
    QVERIFY(std::abs(other.right - other.left - 15 * 8) <= 3);
    QVERIFY(std::abs(other.bottom - other.top - 11 * 8) <= 3);
    // It is hit where it is drawn, and in its own slices.
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({50, 30, 10})), std::optional<std::size_t>(1));
    QVERIFY(!m.scene.peakAt(m.scene.displayOf({26, 20, 10})));
    m.scene.setSlice(11);
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({20, 20, 11})), std::optional<std::size_t>(0));
    QVERIFY(!m.scene.peakAt(m.scene.displayOf({44, 30, 11})));
}

void MarksTest::weightsAreShadedByTheirValue() {
    Marked m;
    m.scene.setGreyWindow({-255, 1}); // a bright scene
    m.scene.setTemplateBox(base::Box{{20, 15, 8}, {9, 7, 5}});
    auto support = std::make_shared<base::Image<std::uint8_t>>(base::Extents{9, 7, 5}, 1);
    for (std::int64_t i = 0; i < support->count(); ++i) { // all of it, none, half, a quarter
        support->data()[i] = i % 9 == 3 ? 0 : i % 9 == 4 ? 128 : i % 9 == 5 ? 65 : 1;
    }
    m.scene.setTemplateSupport(support);
    const viz::Picture picture = m.window->render();
    test::keep(picture, "template_weights");
    const auto brightness = [&](double x) {
        const viz::DisplayPoint at = m.scene.displayOf({x, 17, 10});
        return static_cast<double>(picture.at(static_cast<int>(std::lround(at.x)),
                                              static_cast<int>(std::lround(at.y)))[0]);
    };
    const double whole = brightness(22);
    const double none = brightness(23);
    QVERIFY(whole > 200 && none < 130);
    QVERIFY(std::abs(brightness(24) - (whole + none) / 2) < 4);
    QVERIFY(std::abs(brightness(25) - (whole + 3 * none) / 4) < 4);
}

void MarksTest::aTurnedTemplateIsDrawnTurned() {
    Marked m;
    m.scene.setImage(imageOf({60, 50, 1}, [](const base::Index&) { return 0; }), {});
    m.scene.setGreyWindow({0, 255});
    m.scene.setZoom(8);
    for (const double degrees : {0.0, 30.0, 90.0}) {
        const double c = std::cos(degrees * std::numbers::pi / 180);
        const double s = std::sin(degrees * std::numbers::pi / 180);
        viz::PeakMark mark{{30, 25, 0}, 0.9, 0, {20, 6, 1}};
        mark.turn = {1.5 * c, 1.5 * s, 0, -1.5 * s, 1.5 * c, 0, 0, 0, 1.5};
        m.scene.setPeaks({mark}, kTempl);
        const test::Found box = test::find(m.window->render(), match::colourOf({}, 0.9));
        // Edges are two pixels wide.
        QVERIFY(std::abs(box.right - box.left - 8 * 1.5 * (20 * c + 6 * s)) <= 5);
        QVERIFY(std::abs(box.bottom - box.top - 8 * 1.5 * (20 * s + 6 * c)) <= 5);
    }
}

void MarksTest::aTurnedBoxIsHitWhereItLies() {
    Marked m;
    m.scene.setImage(imageOf({60, 50, 1}, [](const base::Index&) { return 0; }), {});
    m.scene.setZoom(8);
    // By 45 degrees counter-clockwise: the right end of a bar comes to lie on the right above.
    const double c = std::numbers::sqrt2 / 2;
    viz::PeakMark bar{{30, 25, 0}, 0.9, 0, {20, 4, 1}};
    bar.turn = {c, c, 0, -c, c, 0, 0, 0, 1};
    m.scene.setPeaks({bar}, kTempl);
    const auto hit = [&](double x, double y) {
        return m.scene.peakAt(m.scene.displayOf({x, y, 0})).has_value();
    };
    for (const double along : {-9.5, -5.0, 0.0, 5.0, 9.5}) {
        const double x = 30 + along * c;
        const double y = 25 - along * c;
        QVERIFY(hit(x, y));
        QVERIFY(hit(x + 1.8 * c, y + 1.8 * c));
        QVERIFY(!hit(x + 3 * c, y + 3 * c)); // beside it, half a voxel of 8 pixels is slack
        QVERIFY(std::abs(along) < 4 || !hit(x, 50 - y)); // the bar turned the other way
    }
    QVERIFY(!hit(30 + 11 * c, 25 - 11 * c)); // beyond its end
}

void MarksTest::aTurnedTemplateOfAVolumeIsCutByItsSlices() {
    // A bar along x, turned about y by 45 degrees: in slice z it lies around x = 30 + (z - 10).
    Marked m;
    m.scene.setZoom(8);
    const double c = std::numbers::sqrt2 / 2;
    viz::PeakMark bar{{30, 25, 10}, 0.9, 0, {20, 4, 4}};
    bar.turn = {c, 0, -c, 0, 1, 0, c, 0, c};
    m.scene.setPeaks({bar}, kTempl);
    m.scene.setScalarBarVisible(false);
    for (const std::int64_t z : {6, 10, 14}) {
        m.scene.setSlice(z);
        const test::Found box = test::find(m.window->render(), match::colourOf({}, 0.9));
        const double middle = m.scene.displayOf({30 + static_cast<double>(z - 10), 25, 0}).x;
        QVERIFY(std::abs((box.left + box.right) / 2.0 - middle) <= 2);
        QVERIFY(std::abs(box.right - box.left - 8 * 4 / c) <= 5);
        QVERIFY(std::abs(box.bottom - box.top - 8 * 4) <= 5);
        QVERIFY(m.scene.peakAt({middle, m.scene.displayOf({0, 25, 0}).y}));
        QVERIFY(!m.scene.peakAt({middle + 8 * 4, m.scene.displayOf({0, 25, 0}).y}));
    }
    m.scene.setSlice(19);
    QVERIFY(!m.scene.peakAt(m.scene.displayOf({39, 25, 0})));
}

void MarksTest::aLineSelectsThePeaksInsideIt() {
    Marked m;
    using Numbers = std::vector<std::size_t>;
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 0},
                      {{40, 20, 10}, 0.8, 0},
                      {{40, 40, 10}, 0.7, 0},
                      {{30, 30, 2}, 0.6, 0}},
                     kTempl);
    // A hook that goes around the first and the third one, and not around the second; the last one
    // lies in another slice.
    const std::vector<base::Point> hook{{15, 15, 10}, {25, 15, 10}, {25, 35, 10},
                                        {45, 35, 10}, {45, 45, 10}, {15, 45, 10}};
    QCOMPARE(m.scene.peaksInside(hook), (Numbers{0, 2}));
    // A figure of eight, whose loops turn opposite ways, and a loop that is drawn twice.
    const std::vector<base::Point> eight{{15, 15, 10}, {25, 15, 10}, {25, 25, 10}, {35, 35, 10},
                                         {35, 45, 10}, {45, 45, 10}, {45, 35, 10}, {35, 35, 10},
                                         {25, 25, 10}, {15, 25, 10}};
    QCOMPARE(m.scene.peaksInside(eight), (Numbers{0, 2}));
    std::vector<base::Point> twice{{35, 15, 10}, {45, 15, 10}, {45, 25, 10}, {35, 25, 10}};
    twice.insert(twice.end(), twice.begin(), twice.begin() + 4);
    QCOMPARE(m.scene.peaksInside(twice), Numbers{1});
    QCOMPARE(m.scene.peaksInside({{20, 20, 10}}), Numbers());
    m.scene.setSlice(2);
    QCOMPARE(m.scene.peaksInside({{0, 0, 2}, {50, 0, 2}, {50, 50, 2}, {0, 50, 2}}), Numbers{3});
    m.scene.setPeaksVisible(false);
    QCOMPARE(m.scene.peaksInside({{0, 0, 2}, {50, 0, 2}, {50, 50, 2}, {0, 50, 2}}), Numbers());
}

void MarksTest::aStrokePassesPeaksNearTheirCentre() {
    Marked m;
    using Numbers = std::vector<std::size_t>;
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 0}, {{40, 20, 10}, 0.8, 0}}, kTempl);
    // The box is 9 x 7: a stroke counts within 7 / 4 of the centre, and not beyond its ends.
    QCOMPARE(m.scene.peaksAlong({10, 21.6, 10}, {50, 21.6, 10}), (Numbers{0, 1}));
    QCOMPARE(m.scene.peaksAlong({10, 21.9, 10}, {50, 21.9, 10}), Numbers());
    QCOMPARE(m.scene.peaksAlong({10, 20, 10}, {38, 20, 10}), Numbers{0});
    QCOMPARE(m.scene.peaksAlong({10, 20, 10}, {38.5, 20, 10}), (Numbers{0, 1}));
    QCOMPARE(m.scene.peaksAlong({20, 20, 10}, {20, 20, 10}), Numbers{0}); // a click
    m.scene.setSlice(2);
    QCOMPARE(m.scene.peaksAlong({10, 20, 2}, {50, 20, 2}), Numbers());
}

void MarksTest::aPeakHasTheColourOfItsScore() {
    Marked m;
    m.scene.setMapScale({match::ColourMap::Cividis, 0.2, 0.8});
    m.scene.setPeaks({{{20, 20, 10}, 0.35, 0}, {{40, 30, 10}, 0.8, 0}}, kTempl);
    const viz::Picture picture = m.window->render();
    const match::HeatmapScale scale = m.scene.mapScale();
    QVERIFY(test::find(picture, match::colourOf(scale, 0.35)).x < 250);
    QVERIFY(test::find(picture, match::colourOf(scale, 0.8)).x > 250);
}

void MarksTest::onlyPeaksThatCrossTheSliceAreDrawn() {
    Marked m;
    m.scene.setPeaks({{{20, 20, 4}, 0.9, 0}}, kTempl);
    for (int slice = 0; slice < 20; ++slice) {
        m.scene.setSlice(slice);
        const bool drawn = test::find(m.window->render(), match::colourOf({}, 0.9)).count > 0;
        QCOMPARE(drawn, slice >= 2 && slice <= 6); // five slices around 4
    }
    m.scene.setSlice(4);
    m.scene.setPeaksVisible(false);
    QCOMPARE(test::find(m.window->render(), match::colourOf({}, 0.9)).count, 0);
}

void MarksTest::theTenBestCarryNumbers() {
    Marked m;
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 0}}, kTempl);
    const viz::Picture plain = m.window->render();
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 11}}, kTempl);
    QCOMPARE(test::differences(plain, m.window->render()), 0);
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 10}}, kTempl);
    QVERIFY(test::differences(plain, m.window->render()) > 20);
}

void MarksTest::theSelectedPeakStandsOut() {
    Marked m;
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 1}, {{24, 22, 10}, 0.7, 2}}, kTempl);
    QCOMPARE(test::find(m.window->render(), m.scene.colours().accent, 2).count, 0);
    m.scene.setSelectedPeak(1);
    const viz::Picture picture = m.window->render();
    test::keep(picture, "selected");
    const test::Found selected = test::find(picture, m.scene.colours().accent, 2);
    const viz::DisplayPoint at = m.scene.displayOf({24, 22, 10});
    QVERIFY(selected.count > 200);
    QVERIFY(std::abs((selected.left + selected.right) / 2.0 - at.x) <= 2);
}

void MarksTest::aPeakIsHitInsideItsBox() {
    Marked m;
    m.scene.setPeaks({{{20, 20, 10}, 0.9, 1}, {{24, 22, 10}, 0.7, 2}, {{20, 20, 1}, 0.6, 3}},
                     kTempl);
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({20, 20, 10})), std::optional<std::size_t>(0));
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({24, 22, 10})), std::optional<std::size_t>(1));
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({27, 22, 10})), std::optional<std::size_t>(1));
    QVERIFY(!m.scene.peakAt(m.scene.displayOf({40, 40, 10})));
    m.scene.setSlice(1);
    QCOMPARE(m.scene.peakAt(m.scene.displayOf({20, 20, 1})), std::optional<std::size_t>(2));
}

void MarksTest::theTemplateBoxHasEightHandles() {
    Marked m;
    const base::Box box{{20, 10, 8}, {16, 20, 5}};
    m.scene.setTemplateBox(box);
    const viz::Picture picture = m.window->render();
    test::keep(picture, "template_box");
    // Its edges run half a voxel outside of the outer voxels' centres.
    const double left = 19.5;
    const double middle = 27.5;
    const double right = 35.5;
    const double top = 9.5;
    const double centre = 19.5;
    const double bottom = 29.5;
    const struct {
        double x, y;
        BoxPart part;
    } handles[] = {{left, top, BoxPart::TopLeft},      {middle, top, BoxPart::Top},
                   {right, top, BoxPart::TopRight},    {left, centre, BoxPart::Left},
                   {right, centre, BoxPart::Right},    {left, bottom, BoxPart::BottomLeft},
                   {middle, bottom, BoxPart::Bottom},  {right, bottom, BoxPart::BottomRight},
                   {middle, centre, BoxPart::Inside},  {left - 3, centre, BoxPart::None},
                   {middle, bottom + 3, BoxPart::None}};
    for (const auto& handle : handles) {
        const viz::DisplayPoint at = m.scene.displayOf({handle.x, handle.y, 10});
        QCOMPARE(m.scene.templateBoxPartAt(at), handle.part);
        const bool drawn = handle.part != BoxPart::Inside && handle.part != BoxPart::None;
        const match::Colour c =
            picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
        QCOMPARE(test::distance(c, m.scene.colours().accent) <= 2, drawn);
    }
    // A slice that the box does not cross shows it fainter, with hollow handles that can be
    // dragged.
    m.scene.setSlice(2);
    const viz::Picture beside = m.window->render();
    test::keep(beside, "template_box_beside");
    QVERIFY(test::find(beside, m.scene.colours().accent, 2).count > 0);
    for (const auto& handle : handles) {
        const viz::DisplayPoint at = m.scene.displayOf({handle.x, handle.y, 2});
        QCOMPARE(m.scene.templateBoxPartAt(at), handle.part);
        const match::Colour c =
            beside.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
        QVERIFY(test::distance(c, m.scene.colours().accent) > 2);
    }
}

void MarksTest::aDraggedBoxStaysInsideTheImage() {
    Marked m;
    const base::Box box{{20, 10, 8}, {16, 20, 5}};
    const auto drag = [&](double dx, double dy) {
        return m.scene.draggedBox(box, BoxPart::Inside, {25, 15, 10}, {25 + dx, 15 + dy, 10});
    };
    QVERIFY(drag(3.4, -2.6) == (base::Box{{23, 7, 8}, {16, 20, 5}}));
    QVERIFY(drag(-100, 0) == (base::Box{{0, 10, 8}, {16, 20, 5}}));
    QVERIFY(drag(100, 100) == (base::Box{{44, 30, 8}, {16, 20, 5}}));
}

void MarksTest::aDraggedEdgeMovesAlone() {
    Marked m;
    const base::Box box{{20, 10, 8}, {16, 20, 5}};
    const auto drag = [&](BoxPart part, double dx, double dy) {
        return m.scene.draggedBox(box, part, {0, 0, 10}, {dx, dy, 10});
    };
    QVERIFY(drag(BoxPart::Left, -4, 9) == (base::Box{{16, 10, 8}, {20, 20, 5}}));
    QVERIFY(drag(BoxPart::Right, 4, 9) == (base::Box{{20, 10, 8}, {20, 20, 5}}));
    QVERIFY(drag(BoxPart::TopRight, 2, 3) == (base::Box{{20, 13, 8}, {18, 17, 5}}));
    QVERIFY(drag(BoxPart::Bottom, 0, 100) == (base::Box{{20, 10, 8}, {16, 40, 5}}));
    // Beyond the opposite edge it takes that one's place, as when a box is spanned.
    QVERIFY(drag(BoxPart::Left, 15, 0) == (base::Box{{35, 10, 8}, {1, 20, 5}}));
    QVERIFY(drag(BoxPart::Left, 20, 0) == (base::Box{{35, 10, 8}, {6, 20, 5}}));
    QVERIFY(drag(BoxPart::Left, 100, 0) == (base::Box{{35, 10, 8}, {25, 20, 5}}));
    QVERIFY(drag(BoxPart::TopRight, -30, 25) == (base::Box{{5, 29, 8}, {16, 7, 5}}));
    QVERIFY(drag(BoxPart::Bottom, 0, -100) == (base::Box{{20, 0, 8}, {16, 11, 5}}));
}

void MarksTest::aSpannedBoxHoldsBothEnds() {
    Marked m;
    QVERIFY(m.scene.spannedBox({30.2, 20.9, 10}, {25.6, 24.1, 10}, 5) ==
            (base::Box{{26, 21, 8}, {5, 4, 5}}));
    QVERIFY(m.scene.spannedBox({-5, -5, 10}, {500, 500, 10}, 99) ==
            (base::Box{{0, 0, 0}, {60, 50, 20}}));
    m.scene.setSlice(0);
    QVERIFY(m.scene.spannedBox({3, 3, 0}, {3, 3, 0}, 3) == (base::Box{{3, 3, 0}, {1, 1, 3}}));
}

void MarksTest::theCrosshairCrossesAtItsVoxel() {
    Marked m;
    const base::Point voxel{33, 17, 10};
    m.scene.setCrosshair(voxel);
    const viz::Picture picture = m.window->render();
    const viz::DisplayPoint at = m.scene.displayOf(voxel);
    const auto bright = [&](int x, int y) { return picture.at(x, y)[2] > 150; };
    const int x = static_cast<int>(std::lround(at.x));
    const int y = static_cast<int>(std::lround(at.y));
    QVERIFY(bright(x, 5) || bright(x + 1, 5));
    QVERIFY(bright(5, y) || bright(5, y + 1));
    QVERIFY(!bright(x + 4, 5) && !bright(x - 4, 5));
    QVERIFY(!bright(x, y)); // the voxel itself stays visible
}

void MarksTest::marksGrowWithThePixelRatio() {
    Marked m;
    m.scene.setTemplateBox(base::Box{{20, 10, 8}, {16, 20, 5}});
    const int once = test::find(m.window->render(), m.scene.colours().accent, 2).count;
    m.window->resize(500, 420, 2.0);
    const viz::Picture picture = m.window->render();
    const int twice = test::find(picture, m.scene.colours().accent, 2).count;
    QVERIFY(twice > 1.7 * once);
    const viz::DisplayPoint corner = m.scene.displayOf({19.5, 9.5, 10});
    QCOMPARE(m.scene.templateBoxPartAt({corner.x - 10, corner.y}), BoxPart::TopLeft);
}

const flcc::test::TestClass<MarksTest> kMarksTest;
#include "marks_test.moc"
