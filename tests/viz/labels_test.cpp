#include <QTest>

#include <algorithm>
#include <cmath>

#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

// Bars, letters, notes and numbers over a picture: readable on any ground, none over another.

using namespace flcc;
using test::imageOf;
using test::mapOf;

namespace {

constexpr base::Extents kCrowdExtents{90, 60, 40};
constexpr base::Extents kCrowdTempl{7, 7, 7};

viz::Anatomy patient() {
    base::Geometry geometry;
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    return viz::anatomyOf(geometry);
}

/// Peaks so close that their numbers cannot all stand above their boxes; number 10 is the weakest.
std::vector<viz::PeakMark> crowd() {
    std::vector<viz::PeakMark> peaks;
    for (int i = 0; i < viz::kNumberedPeaks; ++i) {
        peaks.push_back({{40 + i % 4 * 1.5, 28 + i / 4 * 1.5, 20}, 0.9 - 0.02 * i, i + 1});
    }
    return peaks;
}

/// A scene with everything that writes on it.
template <class Scene> void fillCrowded(Scene& scene, int grey) {
    base::Geometry geometry;
    geometry.unit = "um";
    scene.setImage(imageOf(kCrowdExtents,
                           [grey](const base::Index& i) {
                               return grey >= 0 ? grey
                                                : static_cast<int>((i.x * 7 + i.y * 13) % 256);
                           }),
                   geometry);
    scene.setGreyWindow({0, 255});
    scene.setMap(mapOf({84, 54, 34}, [](const base::Index&) { return 0.1; }), kCrowdTempl, true);
    scene.setMapNote("not verified");
    scene.setPeaks(crowd(), kCrowdTempl);
    scene.setCrosshair(base::Point{40, 28, 20});
}

/// Lays the labels out; draws the picture if somebody wants to look at it.
void draw(viz::Scene& scene, viz::OffscreenWindow& window, const std::string& name) {
    if (qEnvironmentVariableIsSet("FLCC_TEST_PICTURES")) {
        test::keep(window.render(), name);
    } else {
        scene.prepare();
    }
}

/// Two labels that overlap, or empty.
QString overlap(const std::vector<viz::Label>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const viz::Label& a = labels[i];
            const viz::Label& b = labels[j];
            if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
                return QString::fromStdString("\"" + a.text + "\" and \"" + b.text + "\"");
            }
        }
    }
    return {};
}

bool shows(const std::vector<viz::Label>& labels, const std::string& text) {
    return std::ranges::any_of(labels, [&text](const auto& each) { return each.text == text; });
}

void addSizes() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<double>("ratio");
    QTest::newRow("one of four views at 1280x800") << 378 << 186 << 1.0;
    QTest::newRow("the same at twice the pixels") << 756 << 372 << 2.0;
    QTest::newRow("one view") << 770 << 466 << 1.0;
    QTest::newRow("a note beside the axes") << 330 << 250 << 1.0;
    QTest::newRow("narrow") << 205 << 190 << 1.0;
    QTest::newRow("low") << 600 << 150 << 1.0;
}

/// Luminance as WCAG defines it.
double luminance(const match::Colour& colour) {
    const auto linear = [](std::uint8_t value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

} // namespace

class LabelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void labelsOfASliceDoNotOverlap_data() { addSizes(); }
    void labelsOfASliceDoNotOverlap();
    void labelsInSpaceDoNotOverlap_data() { addSizes(); }
    void labelsInSpaceDoNotOverlap();
    void ofTwoNumbersTheBetterOneStays();
    void numbersOfPeaksOutOfViewAreNotShown();
    void theScaleBarKeepsOffThePicture();
    void barsOfAFittedPictureStandBesideIt_data();
    void barsOfAFittedPictureStandBesideIt();
    void aPictureStaysLargeWhereBarsWouldShrinkIt();
    void aPictureStaysInPlaceWhenItsHeatmapIsHidden();
    void textsAreReadableOnAnyGround_data();
    void textsAreReadableOnAnyGround();
};

void LabelsTest::labelsOfASliceDoNotOverlap() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(double, ratio);
    for (const auto orientation :
         {viz::Orientation::XY, viz::Orientation::XZ, viz::Orientation::YZ}) {
        viz::SliceScene scene(orientation);
        fillCrowded(scene, -1);
        scene.setAnatomy(patient());
        viz::OffscreenWindow window(scene, width, height, ratio);
        // As it is fitted, and with peaks under the bars.
        for (const double pan : {0.0, 0.3, -0.3}) {
            scene.fit();
            scene.pan(pan * width, -pan * height);
            draw(scene, window,
                 "labels" + std::to_string(static_cast<int>(orientation)) + "_" +
                     std::to_string(width) + "x" + std::to_string(height) + "_" +
                     std::to_string(pan));
            const std::vector<viz::Label>& labels = scene.labels();
            QVERIFY2(overlap(labels).isEmpty(), qPrintable(overlap(labels)));
            QVERIFY(shows(labels, "LCC") || height < 130 * ratio);
            QVERIFY(shows(labels, " not verified "));
            for (const char* letter : {" R ", " L ", " S ", " I ", " A ", " P "}) {
                const bool depth =
                    orientation == viz::Orientation::XY   ? letter[1] == 'S' || letter[1] == 'I'
                    : orientation == viz::Orientation::XZ ? letter[1] == 'A' || letter[1] == 'P'
                                                          : letter[1] == 'R' || letter[1] == 'L';
                QVERIFY2(shows(labels, letter) != depth, letter);
            }
            for (const viz::Label& label : labels) {
                QVERIFY(label.left >= 0 && label.top >= 0 && label.right <= width &&
                        label.bottom <= height);
            }
        }
    }
}

void LabelsTest::labelsInSpaceDoNotOverlap() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(double, ratio);
    viz::VolumeScene scene;
    fillCrowded(scene, -1);
    // Large enough for a note at the bottom right.
    scene.setImage(imageOf({300, 300, 100}, [](const base::Index&) { return 90; }), {});
    scene.setMap(mapOf({84, 54, 34}, [](const base::Index&) { return 0.1; }), kCrowdTempl, true);
    scene.setMapNote("not verified");
    scene.setPeaks(crowd(), kCrowdTempl);
    viz::OffscreenWindow window(scene, width, height, ratio);
    scene.fit();
    for (int turn = 0; turn < 4; ++turn) {
        draw(scene, window,
             "labels3d_" + std::to_string(width) + "x" + std::to_string(height) + "_" +
                 std::to_string(turn));
        const std::vector<viz::Label>& labels = scene.labels();
        QVERIFY(!scene.note().empty());
        QVERIFY2(overlap(labels).isEmpty(), qPrintable(overlap(labels)));
        QVERIFY(shows(labels, " 1 ") || width < 400 * ratio); // the bars may cover all places
        QVERIFY(shows(labels, "axes") || height < 160 * ratio);
        QVERIFY(shows(labels, " " + scene.note() + " ") || width < 400 * ratio);
        scene.rotate(0.2 * width, 0.1 * height);
    }
}

void LabelsTest::ofTwoNumbersTheBetterOneStays() {
    viz::SliceScene scene;
    fillCrowded(scene, 40);
    viz::OffscreenWindow window(scene, 378, 186);
    scene.setSlice(20);
    // All at one place: four of them find a side of their box that is free.
    std::vector<viz::PeakMark> peaks = crowd();
    for (viz::PeakMark& peak : peaks) {
        peak.centre = {45, 30, 20};
    }
    const auto numbers = [&] {
        scene.prepare();
        std::string shown;
        for (int number = 1; number <= viz::kNumberedPeaks; ++number) {
            shown += shows(scene.labels(), " " + std::to_string(number) + " ")
                         ? std::to_string(number) + " "
                         : "";
        }
        return shown;
    };
    scene.setPeaks(peaks, kCrowdTempl);
    QCOMPARE(numbers(), std::string("1 2 3 4 "));
    scene.setSelectedPeak(7);
    QCOMPARE(numbers(), std::string("1 2 3 8 "));
    // Where there is room all are shown.
    for (int i = 0; i < viz::kNumberedPeaks; ++i) {
        peaks[static_cast<std::size_t>(i)].centre = {22.0 + i % 5 * 11, 22.0 + i / 5 * 14, 20};
    }
    scene.setPeaks(peaks, kCrowdTempl);
    QCOMPARE(numbers(), std::string("1 2 3 4 5 6 7 8 9 10 "));
}

void LabelsTest::numbersOfPeaksOutOfViewAreNotShown() {
    viz::VolumeScene scene;
    fillCrowded(scene, 40);
    viz::OffscreenWindow window(scene, 378, 300);
    scene.fit();
    scene.prepare();
    QVERIFY(shows(scene.labels(), " 1 "));
    scene.pan(-378, 0); // where no bar covers the edge
    scene.prepare();
    QVERIFY(!shows(scene.labels(), " 1 "));
}

void LabelsTest::theScaleBarKeepsOffThePicture() {
    const auto barOf = [](viz::SliceScene& scene) {
        scene.prepare();
        return scene.labels().back(); // after the axes
    };
    viz::SliceScene low(viz::Orientation::XZ); // 90 x 40: a margin above and below
    fillCrowded(low, 200);
    low.setMap(nullptr, kCrowdTempl, true);
    low.setPeaks({}, kCrowdTempl);
    viz::OffscreenWindow window(low, 378, 206);
    for (const int height : {260, 210, 206}) { // the margin is 49, 24 and 22 pixels high
        window.resize(378, height);
        low.fit();
        const double below = low.displayOf({0, 0, 39.5}).y;
        const viz::Label bar = barOf(low);
        QVERIFY2(bar.top >= below, qPrintable(QStringLiteral("%1 %2").arg(bar.top).arg(below)));
    }
    viz::SliceScene narrow; // 90 x 60: a margin of 66 pixels at the left
    fillCrowded(narrow, 200);
    narrow.setMap(nullptr, kCrowdTempl, true);
    narrow.setPeaks({}, kCrowdTempl);
    const viz::OffscreenWindow beside(narrow, 378, 170);
    narrow.fit();
    const double left = narrow.displayOf({-0.5, 0, 0}).x;
    const viz::Label bar = barOf(narrow);
    QVERIFY2(bar.right <= left, qPrintable(QStringLiteral("%1 %2").arg(bar.right).arg(left)));
}

void LabelsTest::barsOfAFittedPictureStandBesideIt_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<base::Extents>("extents");
    QTest::newRow("as wide as the view") << 816 << 570 << 1.0 << base::Extents{640, 427, 1};
    QTest::newRow("a panorama") << 816 << 570 << 1.0 << base::Extents{900, 300, 1};
    QTest::newRow("the same at twice the pixels")
        << 1632 << 1140 << 2.0 << base::Extents{640, 427, 1};
    QTest::newRow("a high view") << 420 << 700 << 1.0 << base::Extents{640, 427, 1};
    QTest::newRow("a square picture in a square view")
        << 600 << 600 << 1.0 << base::Extents{300, 300, 1};
    QTest::newRow("low, without axes") << 224 << 110 << 1.0 << base::Extents{192, 96, 1};
    QTest::newRow("one of four views") << 405 << 240 << 1.0 << base::Extents{217, 181, 1};
}

void LabelsTest::barsOfAFittedPictureStandBesideIt() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(double, ratio);
    QFETCH(base::Extents, extents);
    base::Geometry geometry;
    geometry.unit = "px";
    for (const bool mirrored : {false, true}) {
        for (const bool map : {false, true}) {
            viz::SliceScene scene;
            viz::OffscreenWindow window(scene, width, height, ratio);
            scene.setImage(imageOf(extents, [](const base::Index&) { return 200; }), geometry);
            if (map) {
                scene.setMap(mapOf({extents.x - 6, extents.y - 6, 1},
                                   [](const base::Index&) { return 0.1; }),
                             {7, 7, 1}, true);
            }
            scene.setFlips(mirrored, mirrored);
            draw(scene, window, "bars_beside");
            const viz::DisplayPoint first = scene.displayOf({-0.5, -0.5, 0});
            const viz::DisplayPoint last = scene.displayOf(
                {static_cast<double>(extents.x) - 0.5, static_cast<double>(extents.y) - 0.5, 0});
            const std::size_t bars = height < 140 ? 1 : map ? 3 : 2; // scale bar, axes, map
            QCOMPARE(scene.labels().size(), bars);
            for (const viz::Label& label : scene.labels()) {
                const bool beside = label.right <= std::min(first.x, last.x) + 0.5 ||
                                    label.left >= std::max(first.x, last.x) + 0.5 ||
                                    label.bottom <= std::min(first.y, last.y) + 0.5 ||
                                    label.top >= std::max(first.y, last.y) + 0.5;
                QVERIFY2(beside, qPrintable(QString::fromStdString(label.text)));
            }
            QVERIFY(std::min(first.x, last.x) >= 0 && std::max(first.x, last.x) < width);
            QVERIFY(std::min(first.y, last.y) >= 0 && std::max(first.y, last.y) < height);
        }
    }
}

void LabelsTest::aPictureStaysLargeWhereBarsWouldShrinkIt() {
    viz::SliceScene scene;
    viz::OffscreenWindow window(scene, 205, 190);
    scene.setImage(imageOf({100, 100, 1}, [](const base::Index&) { return 200; }), {});
    scene.setMap(mapOf({94, 94, 1}, [](const base::Index&) { return 0.1; }), {7, 7, 1}, true);
    scene.prepare();
    QVERIFY(shows(scene.labels(), "LCC")); // over the picture
    QVERIFY(scene.zoom() >= 0.9 * 190 / 100);
}

void LabelsTest::aPictureStaysInPlaceWhenItsHeatmapIsHidden() {
    viz::SliceScene scene;
    viz::OffscreenWindow window(scene, 816, 570);
    scene.setImage(imageOf({640, 427, 1}, [](const base::Index&) { return 200; }), {});
    const double without = scene.zoom();
    scene.setMap(mapOf({634, 421, 1}, [](const base::Index&) { return 0.1; }), {7, 7, 1}, true);
    const double with = scene.zoom();
    QVERIFY(with < without); // the bar takes a strip
    const viz::DisplayPoint corner = scene.displayOf({0, 0, 0});
    scene.setMapVisible(false);
    QCOMPARE(scene.zoom(), with);
    QCOMPARE(scene.displayOf({0, 0, 0}).x, corner.x);
    scene.setScalarBarVisible(false);
    QCOMPARE(scene.zoom(), without);
}

void LabelsTest::textsAreReadableOnAnyGround_data() {
    QTest::addColumn<int>("grey");
    QTest::newRow("dark") << 0;
    QTest::newRow("grey") << 128;
    QTest::newRow("bright") << 255;
    QTest::newRow("busy") << -1;
}

void LabelsTest::textsAreReadableOnAnyGround() {
    QFETCH(int, grey);
    viz::SliceScene scene;
    fillCrowded(scene, grey);
    scene.setMap(nullptr, kCrowdTempl, true);
    scene.setAnatomy(patient());
    scene.setCrosshair(std::nullopt);
    scene.setPeaks({{{60, 45, 20}, 0.9, 1}}, kCrowdTempl);
    viz::OffscreenWindow window(scene, 500, 400);
    scene.setZoom(12); // under all labels there is picture
    scene.setSlice(20);
    scene.centreOn({50, 40, 20});
    const viz::Picture picture = window.render();
    test::keep(picture, "labels_ground" + std::to_string(grey));
    QCOMPARE(scene.labels().size(), std::size_t{7}); // axes, scale bar, four letters, a number
    for (const viz::Label& label : scene.labels()) {
        // The brightest pixel is text, the brightest of the plate's edge is ground.
        double text = 0;
        double ground = 0;
        for (int y = static_cast<int>(label.top) + 1; y < static_cast<int>(label.bottom) - 1; ++y) {
            for (int x = static_cast<int>(label.left) + 1; x < static_cast<int>(label.right) - 1;
                 ++x) {
                const double here = luminance(picture.at(x, y));
                text = std::max(text, here);
                if (y == static_cast<int>(label.top) + 1) {
                    ground = std::max(ground, here);
                }
            }
        }
        const double contrast = (text + 0.05) / (ground + 0.05);
        QVERIFY2(contrast >= 4.5, qPrintable(QString::fromStdString(label.text) +
                                             QStringLiteral(" %1").arg(contrast)));
        if (label.text == "axes") { // the darker of its two colours
            const double red = luminance({255, 105, 97});
            QVERIFY2((red + 0.05) / (ground + 0.05) >= 4.5, qPrintable(QString::number(ground)));
        }
    }
}

const flcc::test::TestClass<LabelsTest> kLabelsTest;

#include "labels_test.moc"
