#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <memory>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/volume_scene.h"

// Peaks in 3D: surfaces of their templates, parallel projection, picking.

using namespace flcc;
using test::imageOf;

namespace {

double distanceTo(const base::Index& i, double centre) {
    return std::hypot(static_cast<double>(i.x) - centre, static_cast<double>(i.y) - centre,
                      static_cast<double>(i.z) - centre);
}

/// A ball of radius 5 in a template of 15.
std::shared_ptr<const base::AnyImage> ballTemplate(int ball, int around) {
    return imageOf({15, 15, 15},
                   [=](const base::Index& i) { return distanceTo(i, 7) < 5 ? ball : around; });
}

/// A black volume of 60 that shows peaks only, seen from the front in parallel projection.
struct ShownPeaks {
    viz::VolumeScene scene;
    std::unique_ptr<viz::OffscreenWindow> window;

    ShownPeaks() {
        scene.setImage(imageOf({60, 60, 60}, [](const base::Index&) { return 0; }), {});
        scene.setContent(viz::VolumeContent::None);
        scene.setScalarBarVisible(false);
        window = std::make_unique<viz::OffscreenWindow>(scene, 300, 300);
        scene.setParallel(true);
        scene.lookFrom(viz::Side::Front);
    }
    /// Pixels that surfaces change.
    int covered() {
        scene.setInteractive(false);
        const viz::Picture with = window->render();
        scene.setPeaksVisible(false);
        const int count = test::differences(with, window->render());
        scene.setPeaksVisible(true);
        return count;
    }
    /// Device pixels a voxel.
    double scale() {
        return (scene.displayOf({50, 30, 30}).x - scene.displayOf({10, 30, 30}).x) / 40;
    }
};

} // namespace

class VolumePeaksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aPeakIsTheSurfaceOfItsTemplate_data();
    void aPeakIsTheSurfaceOfItsTemplate();
    void surfacesHaveTheColourOfTheScoreAndOneSize();
    void aTurnedPeakHasATurnedSurface_data();
    void aTurnedPeakHasATurnedSurface();
    void manySurfacesArePlacedQuickly();
    void aMaskedTemplateHasASurfaceOfWhatCounts();
    void templatesWithoutAnObjectHaveNoSurface();
    void parallelProjectionShowsEqualLengths();
    void theMouseHitsWhatItShowsInBothProjections();
    void aClickOnTheBoxOfAPeakPicksTheNearest();
    void ofTwoCentresTheNearerOneIsPicked();
    void aPeakBehindTheEyeIsNotPicked();
};

void VolumePeaksTest::aPeakIsTheSurfaceOfItsTemplate_data() {
    QTest::addColumn<int>("ball");
    QTest::addColumn<int>("around");
    QTest::newRow("a bright object") << 200 << 20;
    QTest::newRow("a dark object") << 20 << 200;
}

void VolumePeaksTest::aPeakIsTheSurfaceOfItsTemplate() {
    QFETCH(int, ball);
    QFETCH(int, around);
    ShownPeaks s;
    s.scene.setTemplateShapes({{ballTemplate(ball, around)}});
    s.scene.setPeaks({{{30, 30, 30}, 0.9, 0, {}, true, 0}}, {15, 15, 15});
    const int box = s.covered();
    s.scene.setPeakSurfaces(true);
    const viz::Picture picture = s.window->render();
    test::keep(picture, "peak_surface_" + std::to_string(ball));
    const int surface = s.covered();
    // The outline of a ball of radius 5, within a voxel; the box has lines only.
    const double unit = s.scale();
    const double least = M_PI * 4 * 4 * unit * unit;
    const double most = M_PI * 6 * 6 * unit * unit;
    QVERIFY2(surface > least && surface < most,
             qPrintable(QStringLiteral("%1 of %2 to %3").arg(surface).arg(least).arg(most)));
    QVERIFY(box > 30 && box != surface);
    // Where the template lies.
    const viz::DisplayPoint at = s.scene.displayOf({30, 30, 30});
    const match::Colour middle =
        picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
    QVERIFY(test::distance(middle, s.scene.colours().background) > 40);
}

void VolumePeaksTest::surfacesHaveTheColourOfTheScoreAndOneSize() {
    ShownPeaks s;
    s.scene.setTemplateShapes({{ballTemplate(200, 20)}});
    s.scene.setPeakSurfaces(true);
    const auto covers = [&](const base::Point& shown, double score, const base::Point& other) {
        s.scene.setPeaks({{shown, score, 0, {}, true, 0}, {other, 1.0, 0, {}, true, 0}},
                         {15, 15, 15});
        const int both = s.covered();
        s.scene.setPeaks({{other, 1.0, 0, {}, true, 0}}, {15, 15, 15});
        return both - s.covered();
    };
    const int best = covers({15, 15, 30}, 1.0, {45, 45, 30});
    const int half = covers({15, 15, 30}, 0.5, {45, 45, 30});
    // The edge of a dark colour is a pixel less; half the size would be a quarter of the pixels.
    QVERIFY2(best > 0 && std::abs(best - half) < best / 10,
             qPrintable(QStringLiteral("%1 %2").arg(best).arg(half)));
    // Lit, a colour keeps the order of its channels: viridis is yellow at 1 and teal at 0.5.
    s.scene.setPeaks({{{15, 30, 30}, 1.0, 0, {}, true, 0}, {{45, 30, 30}, 0.5, 0, {}, true, 0}},
                     {15, 15, 15});
    const viz::Picture picture = s.window->render();
    test::keep(picture, "peak_surfaces");
    const auto at = [&](const base::Point& voxel) {
        const viz::DisplayPoint p = s.scene.displayOf(voxel);
        return picture.at(static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y)));
    };
    const match::Colour yellow = at({15, 30, 30});
    const match::Colour teal = at({45, 30, 30});
    QVERIFY(yellow[0] > yellow[2] + 60);
    QVERIFY(teal[2] > teal[0] + 40);
}

void VolumePeaksTest::aTurnedPeakHasATurnedSurface_data() {
    QTest::addColumn<QList<double>>("turn");
    QTest::addColumn<double>("size");
    QTest::newRow("as it is") << QList<double>{1, 0, 0, 0, 1, 0, 0, 0, 1} << 1.0;
    QTest::newRow("about z") << QList<double>{0, -1, 0, 1, 0, 0, 0, 0, 1} << 1.0;
    QTest::newRow("about x and y") << QList<double>{0, 0, 1, 1, 0, 0, 0, 1, 0} << 1.0;
    QTest::newRow("mirrored") << QList<double>{-1, 0, 0, 0, 1, 0, 0, 0, 1} << 1.0;
    QTest::newRow("mirrored, larger") << QList<double>{0, -1, 0, -1, 0, 0, 0, 0, 1} << 1.5;
}

void VolumePeaksTest::aTurnedPeakHasATurnedSurface() {
    QFETCH(QList<double>, turn);
    QFETCH(double, size);
    // A long arm along +x and a short one along +y.
    const auto arms = imageOf({15, 15, 15}, [](const base::Index& i) {
        const bool along =
            std::abs(i.z - 7) <= 1 && ((std::abs(i.y - 7) <= 1 && i.x >= 6) ||
                                       (std::abs(i.x - 7) <= 1 && i.y >= 6 && i.y <= 11));
        return along ? 200 : 20;
    });
    ShownPeaks s;
    s.scene.setPeakSurfaces(true);
    s.scene.setTemplateShapes({{arms}});
    viz::PeakMark peak{{30, 30, 30}, 0.2, 0, {15, 15, 15}, true, 0};
    peak.turn.emplace();
    for (std::size_t i = 0; i < 9; ++i) {
        (*peak.turn)[i] = size * turn[static_cast<qsizetype>(i)];
    }
    s.scene.setPeaks({peak}, {15, 15, 15});
    const viz::Picture with = s.window->render();
    test::keep(with, "turned_surface");
    s.scene.setPeaksVisible(false);
    const viz::Picture without = s.window->render();
    const auto isLit = [&](const base::Point& offset) {
        const base::Point at{30 + (*peak.turn)[0] * offset[0] + (*peak.turn)[1] * offset[1],
                             30 + (*peak.turn)[3] * offset[0] + (*peak.turn)[4] * offset[1],
                             30 + (*peak.turn)[6] * offset[0] + (*peak.turn)[7] * offset[1]};
        const viz::DisplayPoint p = s.scene.displayOf(at);
        const auto x = static_cast<int>(std::lround(p.x));
        const auto y = static_cast<int>(std::lround(p.y));
        return test::distance(with.at(x, y), without.at(x, y)) > 40;
    };
    for (const viz::Side side : {viz::Side::Front, viz::Side::Top, viz::Side::Left}) {
        s.scene.setPeaksVisible(true);
        s.scene.lookFrom(side);
        QVERIFY(test::differences(s.window->render(), without) > 0);
    }
    s.scene.lookFrom(viz::Side::Front);
    // Seen along z, where the arms lie across it.
    if (turn[6] == 0 && turn[7] == 0) {
        QVERIFY(isLit({6, 0, 0}) && isLit({0, 3.5, 0}));
        QVERIFY(!isLit({-4, 0, 0}) && !isLit({0, -4, 0}) && !isLit({0, 6.5, 0}));
    } else {
        QVERIFY(isLit({6, 0, 0}) && !isLit({-4, 0, 0})); // the long arm lies along y
    }
}

void VolumePeaksTest::manySurfacesArePlacedQuickly() {
    ShownPeaks s;
    s.scene.setPeakSurfaces(true);
    s.scene.setTemplateShapes({{ballTemplate(200, 20)}});
    std::vector<viz::PeakMark> peaks;
    for (int i = 0; i < 1000; ++i) {
        const double c = std::cos(i);
        const double n = std::sin(i);
        viz::PeakMark& peak = peaks.emplace_back(
            viz::PeakMark{{5.0 + i % 10 * 5, 5.0 + i / 10 % 10 * 5, 5.0 + i / 100 * 5},
                          0.5,
                          0,
                          {5, 5, 5},
                          true,
                          0});
        peak.turn = {c, -n, 0, n, c, 0, 0, 0, 1};
    }
    s.scene.setPeaks(peaks, {5, 5, 5});
    QElapsedTimer timer;
    timer.start();
    const viz::Picture picture = s.window->render();
    qInfo("1000 surfaces: first picture after %lld ms", timer.elapsed());
    timer.restart();
    (void)s.window->render();
    qInfo("the next one after %lld ms", timer.elapsed());
    s.scene.setPeaksVisible(false);
    QVERIFY(test::differences(picture, s.window->render()) > 5000);
}

void VolumePeaksTest::aMaskedTemplateHasASurfaceOfWhatCounts() {
    // Two balls, of which the mask leaves one.
    const auto pixels = imageOf({15, 15, 15}, [](const base::Index& i) {
        const std::int64_t dx = i.x < 7 ? i.x - 3 : i.x - 11;
        const bool inside = dx * dx + (i.y - 7) * (i.y - 7) + (i.z - 7) * (i.z - 7) < 9;
        return inside ? 200 : 20;
    });
    auto support = std::make_shared<base::Image<std::uint8_t>>(base::Extents{15, 15, 15}, 0);
    for (std::int64_t i = 0; i < support->count(); ++i) {
        support->data()[i] = i % 15 < 8 ? 1 : 0;
    }
    ShownPeaks s;
    s.scene.setPeakSurfaces(true);
    s.scene.setTemplateShapes({{pixels}});
    s.scene.setPeaks({{{30, 30, 30}, 0.9, 0, {}, true, 0}}, {15, 15, 15});
    const int two = s.covered();
    s.scene.setTemplateShapes({{pixels, support}});
    const int one = s.covered();
    QVERIFY2(one > 0.4 * two && one < 0.65 * two,
             qPrintable(QStringLiteral("%1 of %2").arg(one).arg(two)));
}

void VolumePeaksTest::templatesWithoutAnObjectHaveNoSurface() {
    ShownPeaks s;
    s.scene.setPeakSurfaces(true);
    s.scene.setTemplateShapes({{imageOf({5, 5, 5}, [](const base::Index&) { return 7; })}});
    s.scene.setPeaks({{{30, 30, 30}, 0.9, 0, {}, true, 0}}, {5, 5, 5});
    QCOMPARE(s.covered(), 0);
    // A flat template in a volume is a plate.
    s.scene.setTemplateShapes(
        {{imageOf({9, 9, 1}, [](const base::Index& i) { return i.x > 2 && i.x < 6 ? 200 : 0; })}});
    s.scene.setPeaks({{{30, 30, 30}, 0.9, 0, {}, true, 0}}, {9, 9, 1});
    QVERIFY(s.covered() > 50);
}

void VolumePeaksTest::parallelProjectionShowsEqualLengths() {
    ShownPeaks s;
    const auto length = [&](double z) {
        return s.scene.displayOf({50, 30, z}).x - s.scene.displayOf({10, 30, z}).x;
    };
    QVERIFY(std::abs(length(0) - length(59)) < 1e-6);
    const double fitted = length(30);
    QVERIFY(fitted > 150); // of 300 pixels
    s.scene.zoomAt({150, 150}, 2);
    QVERIFY(std::abs(length(30) - 2 * fitted) < 0.01);
    const viz::DisplayPoint before = s.scene.displayOf({30, 30, 30});
    s.scene.pan(12, -7);
    const viz::DisplayPoint after = s.scene.displayOf({30, 30, 30});
    QVERIFY(std::abs(after.x - before.x - 12) < 1e-6 && std::abs(after.y - before.y + 7) < 1e-6);
    // What lies at the depth of the middle keeps its size when the projection changes.
    s.scene.setParallel(false);
    QVERIFY(std::abs(length(29.5) - 2 * fitted) < 0.01);
    QVERIFY(length(0) > length(59) + 5);
    s.scene.fit();
    s.scene.setParallel(true);
    QVERIFY(std::abs(length(30) - fitted) < 0.01); // fitted again
}

void VolumePeaksTest::theMouseHitsWhatItShowsInBothProjections() {
    ShownPeaks s;
    for (const bool parallel : {true, false}) {
        s.scene.setParallel(parallel);
        s.scene.resetView();
        s.scene.setCrosshair(base::Point{59, 59, 20});
        s.window->render();
        const base::Point on{13, 9, 20};
        const auto hit = s.scene.voxelAt(s.scene.displayOf(on));
        QVERIFY(hit);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            QVERIFY2(std::abs((*hit)[axis] - on[axis]) < 0.05,
                     qPrintable(QString::number((*hit)[axis])));
        }
    }
}

void VolumePeaksTest::aClickOnTheBoxOfAPeakPicksTheNearest() {
    ShownPeaks s;
    // Boxes of 30 voxels behind each other, the second one in front; clicked far from the centres.
    s.scene.setPeaks({{{30, 30, 44}, 0.9, 0}, {{30, 30, 15}, 0.8, 0}}, {30, 30, 30});
    s.window->render();
    const viz::DisplayPoint corner = s.scene.displayOf({42, 42, 15});
    QCOMPARE(s.scene.peakAt(corner), std::optional<std::size_t>(1));
    s.scene.lookFrom(viz::Side::Back);
    s.window->render();
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({42, 42, 44})), std::optional<std::size_t>(0));
    QVERIFY(!s.scene.peakAt(s.scene.displayOf({50, 50, 30})));
    s.scene.setPeaksVisible(false);
    QVERIFY(!s.scene.peakAt(s.scene.displayOf({30, 30, 44})));
}

void VolumePeaksTest::ofTwoCentresTheNearerOneIsPicked() {
    ShownPeaks s;
    const viz::PeakMark left{{30, 30, 30}, 0.9, 0};
    const viz::PeakMark right{{32, 30, 30}, 0.8, 0};
    s.scene.setPeaks({left, right}, {3, 3, 3});
    s.window->render();
    QVERIFY(2 * s.scale() < 12); // both are within reach of a click
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({30.4, 30, 30})), std::optional<std::size_t>(0));
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({31.6, 30, 30})), std::optional<std::size_t>(1));
    s.scene.setPeaks({right, left}, {3, 3, 3});
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({30.4, 30, 30})), std::optional<std::size_t>(1));
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({31.6, 30, 30})), std::optional<std::size_t>(0));
}

void VolumePeaksTest::aPeakBehindTheEyeIsNotPicked() {
    ShownPeaks s;
    s.scene.setParallel(false);
    s.scene.lookFrom(viz::Side::Front); // along z
    const viz::PeakMark behind{{30, 30, 10}, 0.9, 0};
    s.scene.setPeaks({behind}, {3, 3, 3});
    s.window->render();
    QCOMPARE(s.scene.peakAt(s.scene.displayOf(behind.centre)), std::optional<std::size_t>(0));
    s.scene.zoomAt({149.5, 149.5}, 20); // the eye goes into the volume
    s.window->render();
    QVERIFY(!s.scene.peakAt(s.scene.displayOf(behind.centre)));
    s.scene.setPeaks({{{30, 30, 50}, 0.9, 0}}, {3, 3, 3});
    QCOMPARE(s.scene.peakAt(s.scene.displayOf({30, 30, 50})), std::optional<std::size_t>(0));
}

const flcc::test::TestClass<VolumePeaksTest> kVolumePeaksTest;

#include "volume_peaks_test.moc"
