#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include <array>
#include <cmath>
#include <random>

#include "tests/support/effort.h"
#include "tests/support/test_class.h"
#include "tests/ui/stall_watch.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/base/theme.h"
#include "ui/match/images/box_quality_view.h"
#include "ui/match/match_panel.h"
#include "ui/views/views_panel.h"
#include "ui/window/main_window.h"

using namespace flcc;
using namespace flcc::ui;

namespace {

struct Ball {
    base::Point centre;
    double radius = 0;
};

/// Bright balls (discs in an image) on weak noise.
SceneEntry ballScene(const base::Extents& extents, const std::vector<Ball>& balls) {
    std::mt19937 random(3);
    base::Image<float> image(extents);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                float value = static_cast<float>(random() % 1024) / 100.0F;
                for (const Ball& ball : balls) {
                    value += std::hypot(static_cast<double>(x) - ball.centre[0],
                                        static_cast<double>(y) - ball.centre[1],
                                        static_cast<double>(z) - ball.centre[2]) <= ball.radius
                                 ? 80.0F
                                 : 0.0F;
                }
                image.view().at(x, y, z) = value;
            }
        }
    }
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(image);
    scene->source = "memory:balls";
    SceneEntry entry;
    entry.image = scene;
    entry.name = QStringLiteral("balls");
    return entry;
}

constexpr base::Extents kImage{240, 180, 1};
const std::vector<Ball> kDiscs{{{70, 60, 0}, 9}, {{160, 120, 0}, 15}};

} // namespace

class WindowBoxTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void aClickFitsTheBoxToAnObject();
    void aClickInASliceFitsABoxInSpace();
    void aClickInASliceBringsTheOtherSlices();
    void aBoxBesideTheSliceIsMoved();
    void aDragWithCtrlDrawsANewBox();
    void theFieldsStayWhereTheyAre();
    void aClickOnNothingSaysSo();
    void theFirstOfTwoClicksFitsNothing();
    void longNumbersAreShownWhole_data();
    void longNumbersAreShownWhole();
    void keysChangeTheSizeOfTheBox();
    void keysActOnlyInAView();
    void theQualityFollowsTheBox();
    void aFlatBoxIsRedWithTheReason();
    void draggingALargeSceneJudgesTheNewestBox();

  private:
    void open(const base::Extents& extents, const std::vector<Ball>& balls) {
        document().setScene(ballScene(extents, balls));
        QVERIFY(test::waitUntilIdle(*m_window));
        QTest::keyClick(frame(0).widget(), Qt::Key_4);
    }
    [[nodiscard]] Document& document() { return m_window->document(); }
    [[nodiscard]] ViewFrame& frame(std::size_t i) { return *m_window->views().frames()[i]; }
    void clickAt(std::size_t view, const base::Point& voxel) {
        QTest::mouseClick(frame(view).widget(), Qt::LeftButton, Qt::NoModifier,
                          test::pointOf(frame(view), voxel));
    }
    /// The slices of all views go through the box.
    [[nodiscard]] bool crossed() {
        const base::Box& box = *document().box();
        const std::array<std::int64_t, 3> corner{box.corner.x, box.corner.y, box.corner.z};
        const std::array<std::int64_t, 3> size{box.extents.x, box.extents.y, box.extents.z};
        for (std::size_t view = 0; view < 3; ++view) {
            const std::size_t axis = viz::axesOf(frame(view).slice()->orientation()).depth;
            const std::int64_t slice = frame(view).slice()->slice();
            if (slice < corner[axis] || slice >= corner[axis] + size[axis]) {
                return false;
            }
        }
        return true;
    }
    template <class Widget> Widget& part(const char* name) {
        return test::child<Widget>(*m_window, name);
    }
    /// The box holds the ball and at most four voxels and a third of it beside it.
    [[nodiscard]] bool fits(const Ball& ball, bool volume) {
        const auto& box = document().box();
        const auto axis = [&](std::int64_t corner, std::int64_t size, double centre) {
            const double low = centre - ball.radius - static_cast<double>(corner);
            const double high = static_cast<double>(corner + size - 1) - centre - ball.radius;
            const double most = 4 + ball.radius / 3;
            return low > -1 && low <= most && high > -1 && high <= most;
        };
        return box && axis(box->corner.x, box->extents.x, ball.centre[0]) &&
               axis(box->corner.y, box->extents.y, ball.centre[1]) &&
               (!volume || axis(box->corner.z, box->extents.z, ball.centre[2]));
    }

    std::unique_ptr<MainWindow> m_window;
};

void WindowBoxTest::aClickFitsTheBoxToAnObject() {
    open(kImage, kDiscs);
    clickAt(0, {73, 58, 0});
    QTRY_VERIFY(fits(kDiscs[0], false));
    // A click inside a box fits it anew, and a drag still draws one.
    clickAt(0, {160, 120, 0});
    QTRY_VERIFY(fits(kDiscs[1], false));
    part<QAction>("undo").trigger();
    QVERIFY(fits(kDiscs[0], false));
    part<QAction>("undo").trigger();
    QVERIFY(!document().box());
    test::drag(frame(0), test::pointOf(frame(0), {20, 100, 0}),
               test::pointOf(frame(0), {60, 140, 0}));
    QVERIFY(document().box() && document().box()->extents.x > 35);
    // By the menu, without the mouse.
    m_window->views().setCrosshair({70, 60, 0});
    part<QAction>("fitBox").trigger();
    QTRY_VERIFY(fits(kDiscs[0], false));
}

void WindowBoxTest::aClickInASliceFitsABoxInSpace() {
    const Ball ball{{34, 28, 20}, 6};
    open({64, 56, 40}, {ball});
    m_window->views().setCrosshair({34, 28, 20});
    clickAt(1, {34, 28, 20}); // XZ
    QTRY_VERIFY(fits(ball, true));
    test::keepPictures(*m_window, QStringLiteral("box-volume"));
}

void WindowBoxTest::aClickInASliceBringsTheOtherSlices() {
    const Ball ball{{34, 28, 20}, 6};
    open({64, 56, 40}, {ball});
    m_window->views().setCrosshair({10, 28, 35}); // the YZ and the XY slice miss the ball
    clickAt(1, {34, 28, 20});                     // XZ
    QTRY_VERIFY(fits(ball, true));
    QVERIFY(crossed());
}

void WindowBoxTest::aBoxBesideTheSliceIsMoved() {
    open({64, 56, 40}, {});
    const base::Box box{{20, 14, 4}, {15, 13, 9}};
    document().setBox(box);
    m_window->views().setCrosshair({50, 45, 30}); // beside the box in all three views
    const base::Point inside{27, 20, 30};
    test::drag(frame(0), test::pointOf(frame(0), inside), test::pointOf(frame(0), {32, 24, 30}));
    QVERIFY(document().box()->extents == box.extents);
    QVERIFY(std::abs(document().box()->corner.x - 25) <= 1 &&
            std::abs(document().box()->corner.y - 18) <= 1);
    QCOMPARE(document().box()->corner.z, std::int64_t{4});
    QVERIFY(crossed()); // afterwards every view shows it
    // Its edges can be dragged in a view beside it too.
    document().setBox(box);
    m_window->views().setCrosshair({50, 45, 30});
    test::drag(frame(1), test::pointOf(frame(1), {27, 45, 12.5}),
               test::pointOf(frame(1), {27, 45, 20.5})); // XZ: the lower edge
    QVERIFY(document().box()->corner == box.corner);
    QVERIFY(std::abs(document().box()->extents.z - 17) <= 1);
    test::keepPictures(*m_window, QStringLiteral("box-beside"));
}

void WindowBoxTest::aDragWithCtrlDrawsANewBox() {
    open(kImage, kDiscs);
    document().setBox(base::Box{{40, 30, 0}, {80, 80, 1}});
    test::drag(frame(0), test::pointOf(frame(0), {60, 50, 0}), test::pointOf(frame(0), {80, 70, 0}),
               Qt::LeftButton, Qt::ControlModifier);
    const base::Box box = *document().box();
    QVERIFY(std::abs(box.corner.x - 60) <= 1 && std::abs(box.corner.y - 50) <= 1);
    QVERIFY(std::abs(box.extents.x - 21) <= 2 && std::abs(box.extents.y - 21) <= 2);
}

void WindowBoxTest::theFieldsStayWhereTheyAre() {
    m_window.reset();
    m_window = test::shownWindow(test::Panel::AsShipped);
    open(kImage, kDiscs);
    QVERIFY(part<QLabel>("boxHint").isVisible());
    auto& quality = part<BoxQualityView>("boxQuality");
    const auto place = [&] {
        QTest::qWait(30); // the layout
        return part<QLineEdit>("region").mapTo(m_window.get(), QPoint()).y();
    };
    const int before = place();
    test::drag(frame(0), test::pointOf(frame(0), {57, 47, 0}),
               test::pointOf(frame(0), {83, 73, 0}));
    QTRY_VERIFY(quality.isVisible());
    QCOMPARE(place(), before);
    QVERIFY(!part<QLabel>("boxHint").isVisible());
    document().setBox(std::nullopt);
    QCOMPARE(place(), before);
}

void WindowBoxTest::aClickOnNothingSaysSo() {
    base::Image<std::uint8_t> flat({90, 70, 1}, std::uint8_t{40});
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(flat);
    SceneEntry entry;
    entry.image = scene;
    document().setScene(entry);
    QVERIFY(test::waitUntilIdle(*m_window));
    QTest::keyClick(frame(0).widget(), Qt::Key_4);
    clickAt(0, {40, 30, 0});
    QTRY_VERIFY(part<MessageBar>("messageBar").sentence().contains(QStringLiteral("No object")));
    QVERIFY(!document().box());
}

void WindowBoxTest::longNumbersAreShownWhole_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("four digits") << 9999;
    QTest::newRow("five digits") << 20000;
}

void WindowBoxTest::longNumbersAreShownWhole() {
    QFETCH(int, width);
    m_window->document().setScene(test::noiseScene({width, 16, 1}, 5));
    m_window->document().setBox(base::Box{{width - 9, 3, 0}, {8, 8, 1}});
    QVERIFY(test::waitUntilIdle(*m_window));
    QTest::qWait(50); // layout
    const auto& field = *test::child<QSpinBox>(*m_window, "boxX").findChild<QLineEdit*>();
    QCOMPARE(field.text(), QString::number(width - 9));
    // QLineEdit leaves two pixels at each side.
    QVERIFY2(field.fontMetrics().horizontalAdvance(field.text()) + 4 <= field.width(),
             qPrintable(QString::number(field.width())));
}

void WindowBoxTest::theFirstOfTwoClicksFitsNothing() {
    open({64, 56, 40}, {{{34, 28, 20}, 6}});
    const base::Box before{{2, 3, 4}, {9, 9, 9}};
    document().setBox(before);
    const int steps = document().undoStack().count();
    const QPoint at = test::pointOf(frame(0), {34, 28, 20});
    QTest::mouseClick(frame(0).widget(), Qt::LeftButton, Qt::NoModifier, at);
    QTRY_VERIFY(document().box() != before);
    // The second click of the two: the view is maximised, and nothing else has happened.
    QTest::mouseDClick(frame(0).widget(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(m_window->views().isMaximised());
    QVERIFY(document().box() == before);
    QCOMPARE(document().undoStack().count(), steps);
    // So it is if the box comes late.
    QTest::mouseClick(frame(0).widget(), Qt::LeftButton, Qt::NoModifier, at);
    QTest::mouseDClick(frame(0).widget(), Qt::LeftButton, Qt::NoModifier, at);
    QTest::qWait(100);
    QVERIFY(!m_window->views().isMaximised());
    QVERIFY(document().box() == before);
}

void WindowBoxTest::keysChangeTheSizeOfTheBox() {
    open(kImage, kDiscs);
    document().setBox(base::Box{{60, 50, 0}, {21, 20, 1}});
    const auto press = [this](int key) {
        QTest::keyClick(frame(0).widget(), static_cast<Qt::Key>(key));
    };
    press(Qt::Key_BracketRight);
    QVERIFY(document().box() == (base::Box{{59, 49, 0}, {23, 22, 1}}));
    press(Qt::Key_BracketLeft);
    press(Qt::Key_BracketLeft);
    QVERIFY(document().box() == (base::Box{{61, 51, 0}, {19, 18, 1}}));
    press(Qt::Key_O);
    QVERIFY(document().box() == (base::Box{{61, 51, 0}, {19, 19, 1}}));
    press(Qt::Key_O);
    QVERIFY(document().box() == (base::Box{{61, 51, 0}, {20, 20, 1}}));
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(document().box() == (base::Box{{61, 51, 0}, {19, 19, 1}}));
    // The key sheet has the keys and the click.
    part<QAction>("keySheet").trigger();
    QWidget* sheet = nullptr;
    QTRY_VERIFY((sheet = m_window->findChild<QWidget*>(QStringLiteral("keySheet"))) != nullptr);
    QStringList rows;
    for (const QLabel* label : sheet->findChildren<QLabel*>()) {
        rows << label->text();
    }
    for (const char* row : {"[", "]", "O", "Left click with tool 4"}) {
        QVERIFY2(rows.contains(QLatin1String(row)), row);
    }
}

void WindowBoxTest::keysActOnlyInAView() {
    open(kImage, kDiscs);
    const base::Box box{{60, 50, 0}, {21, 20, 1}};
    document().setBox(box);
    auto& filter = part<QLineEdit>("peaksFilter");
    filter.setFocus();
    QTest::keyClicks(&filter, QStringLiteral("[o]"));
    QCOMPARE(filter.text(), QStringLiteral("[o]"));
    QVERIFY(document().box() == box);
}

void WindowBoxTest::theQualityFollowsTheBox() {
    open(kImage, kDiscs);
    auto& quality = part<BoxQualityView>("boxQuality");
    const auto& verdict = part<QLabel>("boxQualityVerdict");
    const auto& numbers = part<QLabel>("boxQualityNumbers");
    QVERIFY(!quality.isVisible());
    QSignalSpy shown(&quality, &BoxQualityView::shown);
    test::drag(frame(0), test::pointOf(frame(0), {57, 47, 0}),
               test::pointOf(frame(0), {83, 73, 0}));
    QTRY_VERIFY(!shown.isEmpty() && verdict.text().startsWith(QStringLiteral("Distinctive")));
    QVERIFY(quality.isVisible());
    QVERIFY(verdict.styleSheet().contains(accents().good.name()));
    QVERIFY2(numbers.text().contains(QStringLiteral("second 0.")), qPrintable(numbers.text()));
    const QPixmap picture = part<QLabel>("boxQualityPicture").pixmap();
    const QImage map = picture.toImage();
    // Bright in the middle, dark at the corner.
    QVERIFY(map.pixelColor(map.width() / 2, map.height() / 2).lightness() >
            map.pixelColor(2, map.height() / 2).lightness() + 40);
    test::keepPictures(*m_window, QStringLiteral("box-good"));
    // Along the edge of a bright band, the box can slide.
    std::vector<Ball> none;
    SceneEntry band = ballScene(kImage, none);
    base::Image<float> pixels(kImage);
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        pixels.data()[i] = i / kImage.x >= 90 ? 100.0F : static_cast<float>(i * 7919 % 13);
    }
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = std::move(pixels);
    band.image = image;
    document().setScene(band);
    QVERIFY(!quality.isVisible());
    document().setBox(base::Box{{100, 80, 0}, {21, 21, 1}});
    QTRY_VERIFY(verdict.text().startsWith(QStringLiteral("Slides along x")));
    QVERIFY(verdict.styleSheet().contains(accents().bad.name()));
    test::keepPictures(*m_window, QStringLiteral("box-slides"));
    applyTheme(Theme::Dark);
    QVERIFY(verdict.styleSheet().contains(accents().bad.name()));
    applyTheme(Theme::Light);
    document().setBox(std::nullopt);
    QVERIFY(!quality.isVisible());
}

void WindowBoxTest::aFlatBoxIsRedWithTheReason() {
    base::Image<std::uint8_t> flat({90, 70, 1}, std::uint8_t{40});
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(flat);
    SceneEntry entry;
    entry.image = scene;
    document().setScene(entry);
    document().setBox(base::Box{{10, 10, 0}, {20, 20, 1}});
    const auto& verdict = part<QLabel>("boxQualityVerdict");
    QTRY_VERIFY(verdict.isVisible() && verdict.text().startsWith(QStringLiteral("Flat")));
    QVERIFY(verdict.styleSheet().contains(accents().bad.name()));
    QVERIFY(!part<QLabel>("boxQualityPicture").isVisible());
}

/// The newest box of a drag is judged in the end, and it is that box. Times are printed.
void WindowBoxTest::draggingALargeSceneJudgesTheNewestBox() {
    const std::int64_t side = test::kSanitized ? 500 : 2000;
    open({side, side, 1}, {});
    auto& quality = part<BoxQualityView>("boxQuality");
    const auto& numbers = part<QLabel>("boxQualityNumbers");
    for (const std::int64_t size : {side / 60, side / 12, side / 3}) {
        QSignalSpy shown(&quality, &BoxQualityView::shown);
        const double from = static_cast<double>(side) / 3;
        const double to = from + static_cast<double>(size);
        test::StallWatch watch;
        test::drag(frame(0), test::pointOf(frame(0), {from, from, 0}),
                   test::pointOf(frame(0), {to, to, 0}));
        QTRY_VERIFY(!shown.isEmpty());
        const base::Box box = *document().box();
        const features::BoxQuality expected =
            features::boxQuality(base::viewOf(document().scene().image->pixels), box);
        QVERIFY2(
            numbers.text().contains(QStringLiteral("second %1").arg(expected.second, 0, 'f', 2)),
            qPrintable(numbers.text()));
        qInfo("box of %d x %d in %d x %d: %.1f ms a step; the window's thread: %.1f ms at most",
              static_cast<int>(box.extents.x), static_cast<int>(box.extents.y),
              static_cast<int>(side), static_cast<int>(side), quality.computedIn(),
              watch.longestCpuMs());
        document().setBox(std::nullopt);
    }
}

const flcc::test::TestClass<WindowBoxTest> kWindowBoxTest;

#include "window_box_test.moc"
