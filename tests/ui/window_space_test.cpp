#include <QAction>
#include <QApplication>
#include <QColorDialog>
#include <QComboBox>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <utility>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/settings.h"
#include "ui/views/transfer_curve.h"
#include "ui/views/views_panel.h"
#include "ui/window/startup.h"

// The 3D view and its menu, by mouse and keys.

using namespace flcc;

namespace {

/// Saves a picture in the folder that FLCC_TEST_PICTURES names, if it is set, for looking at.
void keep(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("FLCC_TEST_PICTURES");
    if (!folder.isEmpty()) {
        widget.grab().save(folder + QChar('/') + name + QStringLiteral(".png"));
    }
}

/// The alpha of the first pixel, and how many pixels are not transparent.
std::pair<int, int> alphas(const QImage& image) {
    int covered = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            covered += qAlpha(image.pixel(x, y)) > 0 ? 1 : 0;
        }
    }
    return {image.isNull() ? -1 : qAlpha(image.pixel(0, 0)), covered};
}

} // namespace

class WindowSpaceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void aClickInSpacePicksAPeak();
    void pointsOfTheCurveAreDraggedAddedAndRemoved();
    void aSlabShowsTheMaximumOfItsSlices();
    void aKeySavesTheViewInSpaceOnATransparentBackground();
    void aCommandMakesAPictureOfAView();
    void switchesAndCurveAreRemembered();
    void aCurveThatNobodyWroteIsNotUsed_data();
    void aCurveThatNobodyWroteIsNotUsed();
    void whatIsChosenForASceneStaysWithIt();
    void noiseIsNotRayCastAndAShapeIs();
    void layersHaveOneListOfSwitches();
    void wordsOfACommandThatAreWrongAreNamed_data();
    void wordsOfACommandThatAreWrongAreNamed();

  private:
    [[nodiscard]] ui::ViewsPanel& views() { return m_window->views(); }
    [[nodiscard]] ui::ViewFrame& space() { return *views().frames()[3]; }
    void trigger(const char* action) { test::child<QAction>(*m_window, action).trigger(); }
    void open(const base::Extents& extents) {
        m_window->document().setScene(test::noiseScene(extents, 21));
        QTest::qWait(50);
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowSpaceTest::aClickInSpacePicksAPeak() {
    open({40, 36, 30});
    m_window->document().setBox(base::Box{{10, 12, 8}, {7, 7, 7}});
    m_window->document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.15);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const auto& peaks = m_window->document().result()->job->peaks;
    QVERIFY(peaks.size() > 2);
    // A result shows its templates where they were found.
    QVERIFY(views().volume().peakSurfaces());
    QVERIFY(test::child<QAction>(*m_window, "peakSurfaces").isChecked());
    QCOMPARE(views().volume().content(), viz::VolumeContent::None);
    for (const char* projection : {"perspective", "parallelProjection"}) {
        if (projection == std::string_view("parallelProjection")) {
            trigger(projection);
            QVERIFY(views().volume().parallel());
        }
        for (const std::size_t peak : {std::size_t{1}, std::size_t{0}}) {
            const QPoint at = test::pointOf(space(), peaks[peak].centre);
            QTest::mouseClick(space().widget(), Qt::LeftButton, Qt::NoModifier, at);
            const int picked = m_window->document().selectedPeak();
            QVERIFY(picked >= 0);
            // Another peak may lie before it.
            const QPoint there =
                test::pointOf(space(), peaks[static_cast<std::size_t>(picked)].centre);
            QVERIFY((there - at).manhattanLength() <= (picked == static_cast<int>(peak) ? 0 : 24));
        }
    }
    QCOMPARE(m_window->document().selectedPeak(), 0);
    // A drag turns the view and picks nothing.
    m_window->document().selectPeak(1);
    const QPoint at = test::pointOf(space(), peaks[0].centre);
    test::drag(space(), at, at + QPoint(30, 12));
    QCOMPARE(m_window->document().selectedPeak(), 1);
    QVERIFY((test::pointOf(space(), peaks[0].centre) - at).manhattanLength() > 0);
}

void WindowSpaceTest::pointsOfTheCurveAreDraggedAddedAndRemoved() {
    open({20, 22, 24});
    trigger("volumeEditorAction");
    auto& editor = test::child<QDialog>(*m_window, "volumeEditor");
    QVERIFY(QTest::qWaitForWindowExposed(&editor));
    auto& curve = test::child<ui::TransferCurve>(editor, "volumeCurve");
    auto& look = test::child<QComboBox>(editor, "volumeLook");
    const auto now = [this] { return views().volumeTransfer(); };
    look.setCurrentIndex(2); // CT
    const auto preset = curve.curve();
    QVERIFY(now().points.empty());
    QVERIFY(preset == viz::curveOf(now()));

    // A drag takes the point along and makes the curve one's own.
    const QPoint from = curve.placeOf(preset[2]).toPoint();
    QTest::mousePress(&curve, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&curve, from + QPoint(3, -20));
    QTest::mouseRelease(&curve, Qt::LeftButton, Qt::NoModifier, from + QPoint(3, -20));
    QCOMPARE(look.currentText(), QStringLiteral("Own curve"));
    QCOMPARE(now().points.size(), preset.size());
    QVERIFY(now().points[2].opacity > preset[2].opacity + 0.05);
    QVERIFY(now().look == viz::VolumeLook::Ct); // still shaded
    QVERIFY(!test::child<QSlider>(editor, "volumeThreshold").isEnabled());

    // A double click adds a point, keys move it between its neighbours, Del removes it.
    const QPointF last = curve.placeOf(curve.curve().back());
    const QPointF before = curve.placeOf(curve.curve()[curve.curve().size() - 2]);
    QTest::mouseDClick(&curve, Qt::LeftButton, Qt::NoModifier,
                       QPoint(static_cast<int>((last.x() + before.x()) / 2), 30));
    QCOMPARE(now().points.size(), preset.size() + 1);
    const auto added = static_cast<std::size_t>(curve.selected());
    const double opacity = now().points[added].opacity;
    editor.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&editor));
    curve.setFocus();
    QTest::keyClick(&curve, Qt::Key_Down);
    QVERIFY(now().points[added].opacity < opacity);
    for (int i = 0; i < 120; ++i) {
        QTest::keyClick(&curve, Qt::Key_Right);
    }
    QVERIFY(now().points[added].at < now().points[added + 1].at);
    QTest::keyClick(&curve, Qt::Key_Delete);
    QCOMPARE(now().points.size(), preset.size());
    QCOMPARE(curve.selected(), -1);
    QVERIFY(!test::child<QPushButton>(editor, "volumePointColour").isEnabled());

    keep(editor, QStringLiteral("transfer_curve"));

    // The colour of a point.
    QTest::keyClick(&curve, Qt::Key_Space);
    QCOMPARE(curve.selected(), 0);
    test::click(test::child<QPushButton>(editor, "volumePointColour"));
    auto* colours = editor.findChild<QColorDialog*>();
    QVERIFY(colours != nullptr);
    colours->setCurrentColor(QColor(10, 200, 30));
    QTest::keyClick(colours, Qt::Key_Return);
    QVERIFY((now().points[0].colour == match::Colour{10, 200, 30}));

    // A right click removes; two points stay.
    while (curve.curve().size() > 2) {
        const auto size = curve.curve().size();
        QTest::mouseClick(&curve, Qt::RightButton, Qt::NoModifier,
                          curve.placeOf(curve.curve()[1]).toPoint());
        QCOMPARE(curve.curve().size(), size - 1);
    }
    QTest::mouseClick(&curve, Qt::RightButton, Qt::NoModifier,
                      curve.placeOf(curve.curve()[1]).toPoint());
    QCOMPARE(now().points.size(), std::size_t{2});
    look.setCurrentIndex(1);
    QVERIFY(now().points.empty());
    editor.close();
    QTest::qWait(350); // the fine picture
}

void WindowSpaceTest::aSlabShowsTheMaximumOfItsSlices() {
    open({20, 22, 24});
    trigger("slabAction");
    auto& dialog = test::child<QInputDialog>(*m_window, "slabDialog");
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    auto& number = *dialog.findChild<QSpinBox*>();
    number.setFocus();
    number.selectAll();
    QTest::keyClicks(&number, QStringLiteral("7"));
    QCOMPARE(views().slab(), 7); // while it is typed
    QTest::keyClick(&dialog, Qt::Key_Return);
    QCOMPARE(views().slab(), 7);
    QVERIFY((views().frames()[0]->slice()->slab() == std::array<std::int64_t, 2>{9, 15}));
    views().setActiveFrame(views().frames()[0]);
    views().stepSlice(-10); // the slab ends at the first slice
    QVERIFY((views().frames()[0]->slice()->slab() == std::array<std::int64_t, 2>{0, 5}));
    keep(*m_window, QStringLiteral("slab"));
    bool told = false;
    for (const QLabel* label : views().frames()[0]->findChildren<QLabel*>()) {
        told = told || label->text() == QStringLiteral("maximum of z = 0–5");
    }
    QVERIFY(told);
    // The slab in space is as thick.
    trigger("volumeContent0"); // not by itself: the scene is noise
    trigger("volumeClip2");
    trigger("volumeSlices3");
    views().setActiveFrame(&space());
    const auto covered = [this] {
        const viz::Picture picture = views().cleanSnapshot();
        int count = 0;
        for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
            count += picture.rgba[i] > 0 ? 1 : 0;
        }
        return count;
    };
    views().setSlab(1); // a tenth of the depth: 2.4 slices
    const int thin = covered();
    views().setSlab(15);
    const int thick = covered();
    QVERIFY2(thin > 0 && thick > 1.05 * thin,
             qPrintable(QStringLiteral("%1 %2").arg(thick).arg(thin)));
    views().setSlab(7);
    trigger("slabAction");
    auto& again = *m_window->findChildren<QInputDialog*>().back();
    QVERIFY(QTest::qWaitForWindowExposed(&again));
    again.findChild<QSpinBox*>()->setValue(3);
    QTest::keyClick(&again, Qt::Key_Escape); // as it was
    QCOMPARE(views().slab(), 7);
}

void WindowSpaceTest::aKeySavesTheViewInSpaceOnATransparentBackground() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("space.png"));
    open({20, 22, 24});
    space().widget()->setFocus();
    QTest::keyClick(space().widget(), Qt::Key_F12, Qt::ControlModifier);
    auto& chooser = test::child<QFileDialog>(*m_window, "exportDialog");
    QTRY_VERIFY(chooser.isVisible());
    auto& name = test::child<QLineEdit>(chooser, "fileNameEdit");
    name.setText(file);
    QTest::keyClick(&name, Qt::Key_Return);
    QTRY_VERIFY(QFileInfo::exists(file));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(alphas(QImage(file)).first, 0);
    QVERIFY(alphas(QImage(file)).second > 1000);
}

void WindowSpaceTest::aCommandMakesAPictureOfAView() {
    const QTemporaryDir folder;
    const QString scene = folder.filePath(QStringLiteral("scene.mha"));
    const QString picture = folder.filePath(QStringLiteral("picture.png"));
    const ui::SceneEntry noise = test::noiseScene({30, 28, 26}, 4);
    io::writeImage(scene.toStdString(), base::viewOf(noise.image->pixels), {});
    const ui::StartOptions options = ui::readStartOptions(
        {"flcc", scene, "--crop", "8,8,8:7,7,7", "--run", "--screenshot", picture, "--show",
         "view=3d,surfaces,parallel,look=ct,threshold=0.4,slices=off,content=none,no-outline,"
         "no-heatmap,at=3/4/5,slab=3,clean"});
    QVERIFY(!options.end);
    ui::Startup startup(*m_window, options);
    startup.begin();
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(picture), 30'000);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(views().isMaximised() && space().isVisible());
    viz::VolumeScene& volume = views().volume();
    QVERIFY(volume.peakSurfaces() && volume.parallel());
    QCOMPARE(volume.transfer().look, viz::VolumeLook::Ct);
    QCOMPARE(volume.transfer().threshold, 0.4);
    QCOMPARE(volume.sliceStyle(), viz::SliceStyle::Off);
    QCOMPARE(volume.content(), viz::VolumeContent::None);
    QVERIFY(views().crosshair() == (base::Point{3, 4, 5}));
    QCOMPARE(views().slab(), 3);
    // The menu shows what is on.
    for (const char* name :
         {"peakSurfaces", "parallelProjection", "volumeSlices3", "volumeContent2"}) {
        QVERIFY2(test::child<QAction>(*m_window, name).isChecked(), name);
    }
    // A command's look is that of its picture, not of the next start.
    QVERIFY(!QSettings().contains(QStringLiteral("volume/peakSurfaces")));
    const QImage image(picture);
    QCOMPARE(image.width(), space().scene().width());
    const auto [corner, covered] = alphas(image);
    QCOMPARE(corner, 0);
    QVERIFY(covered > 100 && covered < image.width() * image.height() / 2);
}

void WindowSpaceTest::switchesAndCurveAreRemembered() {
    open({20, 22, 24});
    for (const char* name : {"isosurface", "peakSurfaces", "parallelProjection", "upright"}) {
        trigger(name);
    }
    trigger("volumeSlices2");
    trigger("volumeEditorAction");
    auto& editor = test::child<QDialog>(*m_window, "volumeEditor");
    test::child<QComboBox>(editor, "volumeLook").setCurrentIndex(2); // CT
    test::child<QSlider>(editor, "volumeOpacity").setValue(60);
    auto& curve = test::child<ui::TransferCurve>(editor, "volumeCurve");
    const QPoint from = curve.placeOf(curve.curve()[2]).toPoint();
    QTest::mousePress(&curve, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&curve, from + QPoint(3, -20));
    QTest::mouseRelease(&curve, Qt::LeftButton, Qt::NoModifier, from + QPoint(3, -20));
    const viz::VolumeTransfer own = views().volumeTransfer();
    QVERIFY(!own.points.empty());
    QTest::qWait(350); // the fine picture

    m_window = std::make_unique<ui::MainWindow>(); // with the settings of the first
    m_window->show();
    open({20, 22, 24});
    QVERIFY(views().volumeTransfer() == own);
    QVERIFY(views().volume().isosurface() && views().volume().peakSurfaces() &&
            views().volume().parallel());
    QCOMPARE(views().volume().sliceStyle(), viz::SliceStyle::Frame);
    for (const char* name : {"isosurface", "peakSurfaces", "parallelProjection"}) {
        QVERIFY2(test::child<QAction>(*m_window, name).isChecked(), name);
    }
    QVERIFY(!test::child<QAction>(*m_window, "upright").isChecked());
}

void WindowSpaceTest::aCurveThatNobodyWroteIsNotUsed_data() {
    QTest::addColumn<QStringList>("points");
    QTest::newRow("one point") << QStringList{"0.1 0.5 #ff0000"};
    QTest::newRow("no number") << QStringList{"0.1 0.5 #ff0000", "nan 1 #ff0000"};
    QTest::newRow("out of range") << QStringList{"0.1 0.5 #ff0000", "0.5 7 #ff0000"};
    QTest::newRow("descending") << QStringList{"0.6 0.5 #ff0000", "0.5 1 #ff0000"};
}

void WindowSpaceTest::aCurveThatNobodyWroteIsNotUsed() {
    QFETCH(QStringList, points);
    QSettings().setValue(QStringLiteral("volume/curve"), points);
    QSettings().setValue(QStringLiteral("volume/look"), 99);
    QSettings().setValue(QStringLiteral("volume/threshold"), -3);
    const viz::VolumeTransfer transfer = ui::Settings::volumeTransfer(QStringLiteral("volume/"));
    QVERIFY(transfer.points.empty());
    QCOMPARE(transfer.look, viz::VolumeLook::Maximum);
    QCOMPARE(transfer.threshold, viz::VolumeTransfer().threshold);
}

void WindowSpaceTest::whatIsChosenForASceneStaysWithIt() {
    open({20, 22, 24});
    trigger("isosurface");
    trigger("volumeSlices2");
    trigger("volumeClip1");
    views().setSlab(5);
    const ui::VolumeView chosen = views().volumeView();
    open({18, 16, 14});
    QVERIFY(!views().volume().isosurface());
    QVERIFY(!test::child<QAction>(*m_window, "isosurface").isChecked());
    QVERIFY(test::child<QAction>(*m_window, "volumeSlices0").isChecked());
    QVERIFY(test::child<QAction>(*m_window, "volumeClip0").isChecked());
    QCOMPARE(views().slab(), 1);
    open({20, 22, 24});
    QVERIFY(views().volumeView() == chosen);
    QVERIFY(test::child<QAction>(*m_window, "volumeSlices2").isChecked());
}

void WindowSpaceTest::noiseIsNotRayCastAndAShapeIs() {
    open({40, 36, 30});
    QCOMPARE(views().volume().content(), viz::VolumeContent::None);
    ui::SceneEntry scene = test::noiseScene({40, 36, 30}, 3);
    base::Image<float> ball({40, 36, 30});
    for (std::int64_t i = 0; i < ball.count(); ++i) {
        const auto x = static_cast<double>(i % 40 - 20);
        const auto y = static_cast<double>(i / 40 % 36 - 18);
        const auto z = static_cast<double>(i / (40 * 36) - 15);
        ball.data()[i] = std::hypot(x, y, z) < 9 ? 100.0F : 10.0F;
    }
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = std::move(ball);
    image->source = "memory:ball";
    scene.image = image;
    m_window->document().setScene(scene);
    QCOMPARE(views().volume().content(), viz::VolumeContent::Scene);
    // Between the greys of air and ball.
    const double threshold = views().volumeTransfer().threshold;
    QVERIFY2(threshold >= 0.12 && threshold <= 0.7, qPrintable(QString::number(threshold)));
}

void WindowSpaceTest::layersHaveOneListOfSwitches() {
    open({40, 36, 30});
    m_window->document().setBox(base::Box{{10, 12, 8}, {7, 7, 7}});
    views().setCrosshair({13, 15, 11});
    views().setBlobs({{{20, 18, 11}, 6}}, {});
    const QMenu& layers = test::child<QMenu>(*m_window, "layersMenu");
    QStringList names;
    for (const QAction* action : layers.actions()) {
        names << action->objectName();
    }
    QCOMPARE(names, (QStringList{"overlay", "showPeaks", "showBlobs", "showBox", "showMasks",
                                 "showCrosshair", "showBars"}));
    const ui::ViewFrame& view = *views().frames()[0];
    QTest::qWait(50);
    for (const char* name : {"showBlobs", "showBox", "showCrosshair", "showBars"}) {
        const QImage with = view.widget()->grabFramebuffer();
        trigger(name);
        const QImage without = view.widget()->grabFramebuffer();
        QVERIFY2(with != without, name);
        trigger(name);
        QVERIFY2(view.widget()->grabFramebuffer() == with, name);
    }
}

void WindowSpaceTest::wordsOfACommandThatAreWrongAreNamed_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("unknown word") << "view=3d,surface"
                                  << "but not \"surface\"";
    QTest::newRow("unknown choice") << "look=xray"
                                    << "maximum, not \"xray\"";
    QTest::newRow("no number") << "opacity=much"
                               << "from 0 to 1, not \"much\"";
    QTest::newRow("out of range") << "slab=0"
                                  << "from 1 to 101, not \"0\"";
    QTest::newRow("NaN") << "zoom=nan"
                         << "not \"nan\"";
    QTest::newRow("no voxel") << "at=1/2"
                              << "X/Y/Z, not \"1/2\"";
    QTest::newRow("needless value") << "clean=yes"
                                    << "no value, not \"yes\"";
}

void WindowSpaceTest::wordsOfACommandThatAreWrongAreNamed() {
    QFETCH(QString, list);
    QFETCH(QString, sentence);
    try {
        (void)ui::ViewOptions::parse(list);
        QFAIL("no error");
    } catch (const base::Error& error) {
        QCOMPARE(error.code(), base::ErrorCode::CommandLine);
        QVERIFY2(QString(error.what()).contains(sentence), error.what());
    }
    QCOMPARE(ui::readStartOptions({"flcc", "--show", list}).exitCode,
             static_cast<int>(base::ErrorCode::CommandLine));
}

const flcc::test::TestClass<WindowSpaceTest> kWindowSpaceTest;

#include "window_space_test.moc"
