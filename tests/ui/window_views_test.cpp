#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <cmath>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/views/view_tools.h"
#include "ui/views/views_panel.h"

using namespace flcc;

namespace {

void turnWheel(const ui::ViewFrame& frame, int notches,
               Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    ui::SceneWidget* widget = frame.widget();
    const QPointF at = widget->rect().center();
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

/// Middle of the widget in device pixels.
bool isCentred(const ui::ViewFrame& frame, const base::Point& voxel) {
    const viz::DisplayPoint at = frame.scene().displayOf(voxel);
    return std::abs(at.x - frame.scene().width() / 2.0) < 2 &&
           std::abs(at.y - frame.scene().height() / 2.0) < 2;
}

} // namespace

class WindowViewsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void anImageHasOneViewAndAVolumeFour();
    void wheelZoomsAnImageAndStepsThroughAVolume();
    void theCrosshairLinksTheViewsOfAVolume();
    void doubleClickMaximisesAViewAndBack();
    void dragsPanZoomAndChangeTheGreyWindow();
    void theMenuOfAViewDoesNotHoldTheProgram();
    void lettersActOnlyWhileAViewHasTheFocus();
    void aPeakIsOneSelectionInTableAndViews();
    void theThresholdHidesPeaksInTableAndViews();
    void theStatusBarTellsIndexValueAndScore();
    void typedNumbersMoveTheBox();
    void everyActionHasAMenuEntryAndATooltipWithItsKey();
    void everyControlHasANameAndATooltip();

  private:
    [[nodiscard]] ui::ViewFrame& frame(std::size_t i) { return *m_window->views().frames()[i]; }
    void open(const base::Extents& extents);
    void openAndRun();

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowViewsTest::init() { m_window = test::shownWindow(); }

void WindowViewsTest::cleanup() { m_window.reset(); }

void WindowViewsTest::open(const base::Extents& extents) {
    m_window->document().setScene(test::noiseScene(extents, 21));
    QTest::qWait(150);
    frame(0).widget()->setFocus();
}

void WindowViewsTest::openAndRun() {
    open({200, 160, 1});
    m_window->document().setBox(base::Box{{30, 40, 0}, {17, 15, 1}});
    m_window->document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.1);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result()->job->peaks.size() > 3);
}

void WindowViewsTest::anImageHasOneViewAndAVolumeFour() {
    open({120, 90, 1});
    QVERIFY(frame(0).isVisible());
    QVERIFY(!frame(1).isVisible());
    QVERIFY(!test::child<QSlider>(*m_window, "viewXYSlider").isVisible());
    open({40, 30, 20});
    for (std::size_t i = 0; i < 4; ++i) {
        QVERIFY(frame(i).isVisible());
    }
    for (const char* name : {"viewXYSlider", "viewXZSlider", "viewYZSlider"}) {
        QVERIFY(test::child<QSlider>(*m_window, name).isVisible());
    }
    QCOMPARE(test::child<QSlider>(*m_window, "viewXYSlider").maximum(), 19);
    QCOMPARE(test::child<QSlider>(*m_window, "viewYZSlider").maximum(), 39);
}

void WindowViewsTest::wheelZoomsAnImageAndStepsThroughAVolume() {
    open({120, 90, 1});
    const double before = frame(0).slice()->zoom();
    turnWheel(frame(0), 1);
    QVERIFY(frame(0).slice()->zoom() > before * 1.05);
    open({40, 30, 20});
    QCOMPARE(frame(0).slice()->slice(), std::int64_t{10});
    turnWheel(frame(0), 1);
    QCOMPARE(frame(0).slice()->slice(), std::int64_t{9});
    turnWheel(frame(0), -1, Qt::ShiftModifier);
    QCOMPARE(frame(0).slice()->slice(), std::int64_t{19});
    QTest::keyClick(frame(0).widget(), Qt::Key_PageUp);
    QCOMPARE(frame(0).slice()->slice(), std::int64_t{18});
    const double zoom = frame(0).slice()->zoom();
    turnWheel(frame(0), 1, Qt::ControlModifier);
    QVERIFY(frame(0).slice()->zoom() > zoom);
    QCOMPARE(frame(0).slice()->slice(), std::int64_t{18});
}

void WindowViewsTest::theCrosshairLinksTheViewsOfAVolume() {
    open({40, 30, 20});
    QTest::keyClick(frame(0).widget(), Qt::Key_1);
    const QPoint at = test::pointOf(frame(0), {7, 22, 10});
    test::drag(frame(0), at, at);
    QVERIFY(m_window->views().crosshair() == (base::Point{7, 22, 10}));
    QCOMPARE(frame(1).slice()->slice(), std::int64_t{22});
    QCOMPARE(frame(2).slice()->slice(), std::int64_t{7});
    test::child<QSlider>(*m_window, "viewXYSlider").setValue(3);
    QCOMPARE(m_window->views().crosshair()[2], 3.0);
    QTest::keyClick(frame(0).widget(), Qt::Key_Left);
    QCOMPARE(m_window->views().crosshair()[0], 6.0);
    QTest::keyClick(frame(0).widget(), Qt::Key_R);
    QVERIFY(m_window->views().crosshair() == (base::Point{20, 15, 10}));
}

void WindowViewsTest::doubleClickMaximisesAViewAndBack() {
    open({40, 30, 20});
    QTest::mouseDClick(frame(1).widget(), Qt::LeftButton, Qt::NoModifier,
                       frame(1).widget()->rect().center());
    QVERIFY(frame(1).isVisible());
    QVERIFY(!frame(0).isVisible());
    QTest::mouseDClick(frame(1).widget(), Qt::LeftButton, Qt::NoModifier,
                       frame(1).widget()->rect().center());
    QVERIFY(frame(0).isVisible());
    QVERIFY(frame(3).isVisible());
}

void WindowViewsTest::dragsPanZoomAndChangeTheGreyWindow() {
    open({120, 90, 1});
    const base::Point mark{60, 45, 0};
    const QPoint start = test::pointOf(frame(0), mark);
    test::drag(frame(0), start, start + QPoint(40, 25), Qt::MiddleButton);
    QPoint moved = test::pointOf(frame(0), mark) - start;
    QVERIFY((moved - QPoint(40, 25)).manhattanLength() <= 2);
    test::drag(frame(0), start, start - QPoint(40, 25), Qt::LeftButton, Qt::ShiftModifier);
    moved = test::pointOf(frame(0), mark) - start;
    QVERIFY(moved.manhattanLength() <= 4);
    const double zoom = frame(0).slice()->zoom();
    test::drag(frame(0), start, start - QPoint(0, 60), Qt::RightButton);
    QVERIFY(frame(0).slice()->zoom() > zoom * 1.1);
    QTest::keyClick(frame(0).widget(), Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(frame(0).slice()->zoom(), 1.0);
    QTest::keyClick(frame(0).widget(), Qt::Key_F);
    QVERIFY(frame(0).slice()->zoom() > 1);

    const viz::GreyWindow before = m_window->views().greyWindow();
    QTest::keyClick(frame(0).widget(), Qt::Key_3);
    test::drag(frame(0), start, start + QPoint(50, 20));
    QVERIFY(!(m_window->views().greyWindow() == before));
    QTest::keyClick(frame(0).widget(), Qt::Key_I, Qt::AltModifier);
    QVERIFY(m_window->views().greyWindow() == before);
}

void WindowViewsTest::theMenuOfAViewDoesNotHoldTheProgram() {
    open({120, 90, 1});
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    // Closes the menu where it opens an event loop of its own, which would not return.
    bool held = false;
    QTimer::singleShot(500, this, [&held] {
        held = true;
        if (QWidget* menu = QApplication::activePopupWidget()) {
            menu->close();
        }
    });
    const QPoint at = test::pointOf(frame(0), {60, 45, 0});
    QTest::mouseClick(frame(0).widget(), Qt::RightButton, Qt::NoModifier, at);
    QVERIFY(!held);
    auto& menu = test::child<QMenu>(*m_window, "viewMenu");
    QTRY_VERIFY(menu.isVisible());
    menu.setActiveAction(&test::child<QAction>(*m_window, "clearBox"));
    QTest::keyClick(&menu, Qt::Key_Return);
    QVERIFY(!m_window->document().box());
    QTest::qWait(600); // the timer must not outlive what it refers to
}

void WindowViewsTest::lettersActOnlyWhileAViewHasTheFocus() {
    openAndRun();
    auto& overlay = test::child<QAction>(*m_window, "overlay");
    auto& filter = test::child<QLineEdit>(*m_window, "peaksFilter");
    filter.setFocus();
    QTest::keyClick(&filter, Qt::Key_S);
    QCOMPARE(filter.text(), QStringLiteral("s"));
    QVERIFY(overlay.isChecked());
    filter.clear();
    frame(0).widget()->setFocus();
    QTest::keyClick(frame(0).widget(), Qt::Key_S);
    QVERIFY(!overlay.isChecked());
    QVERIFY(!frame(0).slice()->mapVisible());
    const double opacity = frame(0).slice()->mapOpacity();
    QTest::keyClick(frame(0).widget(), Qt::Key_D);
    QVERIFY(frame(0).slice()->mapOpacity() > opacity);
    QTest::keyClick(frame(0).widget(), Qt::Key_I);
    QVERIFY(frame(0).slice()->interpolated());
}

void WindowViewsTest::aPeakIsOneSelectionInTableAndViews() {
    openAndRun();
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    const auto& peaks = m_window->document().result()->job->peaks;
    const auto rowPoint = [&table](int row) {
        return table.visualRect(table.model()->index(row, 1)).center();
    };
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier, rowPoint(2));
    QCOMPARE(m_window->document().selectedPeak(), 2);
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, Qt::NoModifier, rowPoint(2));
    QVERIFY(isCentred(frame(0), peaks[2].centre));

    QTest::keyClick(frame(0).widget(), Qt::Key_F);
    QTest::keyClick(frame(0).widget(), Qt::Key_5);
    const QPoint at = test::pointOf(frame(0), peaks[0].centre);
    test::drag(frame(0), at, at);
    QCOMPARE(m_window->document().selectedPeak(), 0);
    QCOMPARE(table.currentIndex().row(), 0);
    frame(0).widget()->setFocus();
    QTest::keyClick(frame(0).widget(), Qt::Key_N);
    QCOMPARE(m_window->document().selectedPeak(), 1);
    QVERIFY(isCentred(frame(0), peaks[1].centre));
    QTest::keyClick(frame(0).widget(), Qt::Key_P);
    QCOMPARE(m_window->document().selectedPeak(), 0);
}

void WindowViewsTest::theThresholdHidesPeaksInTableAndViews() {
    openAndRun();
    const auto& peaks = m_window->document().result()->job->peaks;
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    QCOMPARE(table.model()->rowCount(), static_cast<int>(peaks.size()));
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.9);
    QCOMPARE(table.model()->rowCount(), 1);
    const viz::DisplayPoint second = frame(0).scene().displayOf(peaks[1].centre);
    const int under = m_window->views().peakAt(frame(0), second);
    QVERIFY(under != 1);
    frame(0).widget()->setFocus();
    QTest::keyClick(frame(0).widget(), Qt::Key_Period);
    QVERIFY(std::abs(test::child<QDoubleSpinBox>(*m_window, "minScore").value() - 0.91) < 1e-9);
}

void WindowViewsTest::theStatusBarTellsIndexValueAndScore() {
    openAndRun();
    // The template's own place: centre of a 17 x 15 box at 30, 40.
    const QPoint at = test::pointOf(frame(0), {38, 47, 0});
    QMouseEvent move(QEvent::MouseMove, at, frame(0).widget()->mapToGlobal(at), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(frame(0).widget(), &move);
    QCOMPARE(test::child<QLabel>(*m_window, "statusIndex").text(), QStringLiteral("38, 47"));
    const double value =
        base::valueAt(base::viewOf(m_window->document().scene().image->pixels), {38, 47, 0});
    QCOMPARE(test::child<QLabel>(*m_window, "statusValue").text(),
             QStringLiteral("value %1").arg(QString::number(value, 'g', 6)));
    QCOMPARE(test::child<QLabel>(*m_window, "statusScore").text(), QStringLiteral("LCC 1.0000"));
    QVERIFY(test::child<QLabel>(*m_window, "statusWorld").text().contains(QStringLiteral("px")));
    // The zoom is that of the view as it is now.
    const auto& view = test::child<QLabel>(*m_window, "statusView");
    const QString before = view.text();
    m_window->resize(1500, 980);
    QTRY_VERIFY(view.text() != before);
    QTRY_COMPARE(view.text(),
                 QStringLiteral("zoom %1 %").arg(frame(0).slice()->zoom() * 100, 0, 'f', 0));
}

void WindowViewsTest::typedNumbersMoveTheBox() {
    open({60, 50, 24});
    m_window->document().setBox(base::Box{{1, 2, 3}, {4, 5, 6}});
    auto& z = test::child<QSpinBox>(*m_window, "boxZ");
    z.setFocus();
    z.selectAll();
    QTest::keyClicks(&z, QStringLiteral("11"));
    QTest::keyClick(&z, Qt::Key_Return);
    QVERIFY(m_window->document().box() == (base::Box{{1, 2, 11}, {4, 5, 6}}));
    for (std::size_t i = 0; i < 3; ++i) {
        QVERIFY(frame(i).slice()->templateBox() == m_window->document().box());
    }
}

void WindowViewsTest::everyActionHasAMenuEntryAndATooltipWithItsKey() {
    int withKeys = 0;
    for (const QAction* action : m_window->findChildren<QAction*>()) {
        if (action->shortcuts().isEmpty() || action->objectName().isEmpty()) {
            continue;
        }
        ++withKeys;
        const auto widgets = action->associatedObjects();
        QVERIFY2(std::any_of(widgets.begin(), widgets.end(),
                             [](QObject* each) { return qobject_cast<QMenu*>(each) != nullptr; }),
                 qPrintable(action->objectName()));
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        QVERIFY2(action->toolTip().contains(key), qPrintable(action->toolTip()));
    }
    QVERIFY(withKeys >= 35);
}

void WindowViewsTest::everyControlHasANameAndATooltip() {
    int controls = 0;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        const bool control =
            qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
            qobject_cast<const QComboBox*>(widget) != nullptr ||
            qobject_cast<const QPushButton*>(widget) != nullptr ||
            qobject_cast<const QCheckBox*>(widget) != nullptr ||
            qobject_cast<const QSlider*>(widget) != nullptr ||
            qobject_cast<const QTableView*>(widget) != nullptr ||
            qobject_cast<const QPlainTextEdit*>(widget) != nullptr ||
            (qobject_cast<const QLineEdit*>(widget) != nullptr &&
             qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) == nullptr);
        if (!control || qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr) {
            continue;
        }
        ++controls;
        const QByteArray what =
            widget->metaObject()->className() + QByteArray(" ") + widget->objectName().toUtf8();
        QVERIFY2(!widget->objectName().isEmpty(), what);
        QVERIFY2(!widget->accessibleName().isEmpty(), what);
        QVERIFY2(!widget->toolTip().isEmpty(), what);
    }
    QVERIFY(controls > 25);
}

const flcc::test::TestClass<WindowViewsTest> kWindowViewsTest;

#include "window_views_test.moc"
