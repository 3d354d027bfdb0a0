#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QTest>

#include <cmath>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/main_window.h"
#include "ui/match_panel.h"
#include "ui/views_panel.h"

// The handles of the clip in the 3D view.

using namespace flcc;
using namespace flcc::ui;

class WindowClipTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void aHandleMovesAFaceOfTheTemplateBox();
    void aHandleMovesAFaceOfTheRegion();
    void aHandleMovesTheSlabAndTheCorner();
    void withoutAClipADragRotates();

  private:
    [[nodiscard]] Document& document() { return m_window->document(); }
    [[nodiscard]] ViewFrame& frame() { return *m_window->views().frames()[3]; }
    [[nodiscard]] viz::VolumeScene& volume() { return *frame().volume(); }
    void clip(int entry) {
        test::child<QAction>(*m_window, qPrintable(QStringLiteral("volumeClip%1").arg(entry)))
            .trigger();
        QTest::qWait(50);
    }
    [[nodiscard]] viz::ClipHandle handle(std::size_t axis, bool last) {
        for (const viz::ClipHandle& each : volume().clipHandles()) {
            if (each.axis == axis && each.last == last) {
                return each;
            }
        }
        qFatal("no handle");
    }
    /// Drags a handle so far that its face moves by `voxels`.
    void dragHandle(const viz::ClipHandle& from, double voxels) {
        base::Point to = from.at;
        to[from.axis] += voxels;
        test::drag(frame(), test::pointOf(frame(), from.at), test::pointOf(frame(), to));
    }

    std::unique_ptr<MainWindow> m_window;
};

void WindowClipTest::init() {
    m_window = test::shownWindow();
    document().setScene(test::noiseScene({60, 50, 40}, 5));
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->views().maximise(&frame());
    QTest::qWait(100);
}

void WindowClipTest::aHandleMovesAFaceOfTheTemplateBox() {
    const base::Box box{{15, 12, 10}, {30, 26, 20}};
    document().setBox(box);
    clip(3);
    QCOMPARE(volume().clipHandles().size(), std::size_t{6});
    test::keepPictures(*m_window, QStringLiteral("clip-box"));
    dragHandle(handle(0, true), 8);
    QVERIFY(document().box()->corner == box.corner);
    QVERIFY2(std::abs(document().box()->extents.x - 38) <= 2,
             qPrintable(QString::number(document().box()->extents.x)));
    QCOMPARE(document().box()->extents.y, box.extents.y);
    QCOMPARE(document().box()->extents.z, box.extents.z);
    dragHandle(handle(1, false), 5);
    QVERIFY(std::abs(document().box()->corner.y - 17) <= 2);
    QCOMPARE(document().box()->corner.y + document().box()->extents.y, std::int64_t{38});
    // Each drag is one step.
    test::child<QAction>(*m_window, "undo").trigger();
    test::child<QAction>(*m_window, "undo").trigger();
    QVERIFY(document().box() == box);
}

void WindowClipTest::aHandleMovesAFaceOfTheRegion() {
    auto& field = test::child<QLineEdit>(*m_window, "region");
    field.setFocus();
    QTest::keyClicks(&field, QStringLiteral("10,10,8:40,30,24"));
    QTest::keyClick(&field, Qt::Key_Return);
    clip(4);
    dragHandle(handle(1, true), -10);
    const auto region = m_window->matchPanel().settings().region;
    QVERIFY(region && region->corner == (base::Index{10, 10, 8}));
    QVERIFY(std::abs(region->extents.y - 20) <= 2 && region->extents.x == 40);
    QVERIFY(field.text().startsWith(QStringLiteral("10,10,8:40,")));
}

void WindowClipTest::aHandleMovesTheSlabAndTheCorner() {
    clip(2);
    QCOMPARE(volume().clipHandles().size(), std::size_t{2});
    const base::Point before = m_window->views().crosshair();
    dragHandle(handle(2, true), 9);
    QVERIFY(std::abs(m_window->views().crosshair()[2] - before[2] - 9) <= 2);
    QCOMPARE(m_window->views().crosshair()[0], before[0]);
    clip(1);
    const auto corners = volume().clipHandles();
    QCOMPARE(corners.size(), std::size_t{3});
    const base::Point at = m_window->views().crosshair();
    dragHandle(corners[0], -12);
    QVERIFY(std::abs(m_window->views().crosshair()[0] - at[0] + 12) <= 2);
    QCOMPARE(m_window->views().crosshair()[1], at[1]);
    test::keepPictures(*m_window, QStringLiteral("clip-corner"));
}

void WindowClipTest::withoutAClipADragRotates() {
    QVERIFY(volume().clipHandles().empty());
    const base::Point before = m_window->views().crosshair();
    const viz::DisplayPoint corner = volume().displayOf({0, 0, 0});
    test::drag(frame(), frame().widget()->rect().center(),
               frame().widget()->rect().center() + QPoint(60, 0));
    QVERIFY(std::abs(volume().displayOf({0, 0, 0}).x - corner.x) > 10);
    QVERIFY(m_window->views().crosshair() == before);
}

const flcc::test::TestClass<WindowClipTest> kWindowClipTest;

#include "window_clip_test.moc"
