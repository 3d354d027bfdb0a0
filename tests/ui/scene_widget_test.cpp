#include "ui/bridge/scene_widget.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

using namespace flcc;
using test::imageOf;

namespace {

std::shared_ptr<viz::SliceScene> greyScene() {
    auto scene = std::make_shared<viz::SliceScene>();
    scene->setImage(imageOf({64, 48, 1}, [](const base::Index& i) { return i.x < 32 ? 60 : 200; }),
                    {});
    scene->setGreyWindow({0, 255});
    scene->setAxisLettersVisible(false);
    scene->setScaleBarVisible(false);
    return scene;
}

/// Grey of a logical position of what the widget shows.
int greyAt(QWidget& widget, const QPointF& at) {
    const QImage picture = widget.grab().toImage();
    const double ratio = picture.devicePixelRatio();
    return qGray(picture.pixel((at * ratio).toPoint()));
}

} // namespace

class SceneWidgetTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aShownViewHoldsThePicture();
    void aResizedViewFollows();
    void theMouseIsReportedInVoxels();
    void theWheelIsReportedInNotches();
    void lettersReachTheParentNotVtk();
    void aChangeOfTheSceneIsPainted();
    void aViewSurvivesMovingToAnotherWindow();
    void aMovingVolumeIsRefinedAfterwards();
    void aSnapshotNeedsNoShow();
    void deletingOneOfThreeViewsLeavesTheOthers();
};

void SceneWidgetTest::aShownViewHoldsThePicture() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(400, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QTRY_COMPARE(scene->width(), qRound(400 * widget.devicePixelRatioF()));
    QTRY_COMPARE(greyAt(widget, widget.fromDisplay(scene->displayOf({10, 24, 0}))), 60);
    QCOMPARE(greyAt(widget, widget.fromDisplay(scene->displayOf({50, 24, 0}))), 200);
}

void SceneWidgetTest::aResizedViewFollows() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(400, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    widget.resize(253, 377);
    QTRY_COMPARE(scene->height(), qRound(377 * widget.devicePixelRatioF()));
    scene->fit();
    QTRY_COMPARE(greyAt(widget, widget.fromDisplay(scene->displayOf({60, 24, 0}))), 200);
}

void SceneWidgetTest::theMouseIsReportedInVoxels() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(400, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    std::vector<ui::ScenePointer> seen;
    const auto note = [&](const ui::ScenePointer& pointer) { seen.push_back(pointer); };
    connect(&widget, &ui::SceneWidget::pressed, this, note);
    connect(&widget, &ui::SceneWidget::moved, this, note);
    connect(&widget, &ui::SceneWidget::released, this, note);
    const QPoint from = widget.fromDisplay(scene->displayOf({20, 10, 0})).toPoint();
    const QPoint to = widget.fromDisplay(scene->displayOf({40, 30, 0})).toPoint();
    QTest::mousePress(&widget, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&widget, to);
    QTest::mouseRelease(&widget, Qt::LeftButton, Qt::ShiftModifier, to);
    QVERIFY(seen.size() >= 2);
    QCOMPARE(seen.front().button, Qt::LeftButton);
    QVERIFY(seen.front().voxel);
    QVERIFY(std::abs((*seen.front().voxel)[0] - 20) < 0.6);
    QVERIFY(std::abs((*seen.front().voxel)[1] - 10) < 0.6);
    QVERIFY(std::abs((*seen.back().voxel)[0] - 40) < 0.6);
    QCOMPARE(seen.back().modifiers, Qt::KeyboardModifiers(Qt::ShiftModifier));
    QTest::mousePress(&widget, Qt::LeftButton, Qt::NoModifier, QPoint(2, 2));
    QVERIFY(!seen.back().voxel);
}

void SceneWidgetTest::theWheelIsReportedInNotches() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(400, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    double steps = 0;
    connect(&widget, &ui::SceneWidget::wheelTurned, this,
            [&](const ui::SceneWheel& wheel) { steps += wheel.steps; });
    const QPointF at(200, 150);
    QWheelEvent turn(at, widget.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &turn);
    QCOMPARE(steps, 2.0);
}

void SceneWidgetTest::lettersReachTheParentNotVtk() {
    class Parent : public QWidget {
      public:
        int keys = 0;

      protected:
        void keyPressEvent(QKeyEvent*) override { ++keys; }
    };
    Parent parent;
    const auto scene = greyScene();
    auto* widget = new ui::SceneWidget(scene, &parent);
    auto* layout = new QHBoxLayout(&parent);
    layout->addWidget(widget);
    parent.resize(300, 200);
    parent.show();
    QVERIFY(QTest::qWaitForWindowExposed(&parent));
    const QImage before = widget->grab().toImage();
    QTest::keyClicks(widget, "weqrspj3");
    QCOMPARE(parent.keys, 8);
    QCOMPARE(widget->grab().toImage(), before);
    // Whoever listens may take a key.
    connect(widget, &ui::SceneWidget::keyPressed, this, [](QKeyEvent* key) { key->accept(); });
    QTest::keyClick(widget, Qt::Key_F);
    QCOMPARE(parent.keys, 8);
}

void SceneWidgetTest::aChangeOfTheSceneIsPainted() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(400, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QTest::qWait(50);
    QSignalSpy painted(&widget, &QOpenGLWidget::frameSwapped);
    scene->setGreyWindow({0, 1000});
    QTRY_VERIFY(!painted.isEmpty());
    QTRY_COMPARE(greyAt(widget, widget.fromDisplay(scene->displayOf({50, 24, 0}))), 51);
}

void SceneWidgetTest::aViewSurvivesMovingToAnotherWindow() {
    const auto scene = greyScene();
    auto* widget = new ui::SceneWidget(scene);
    {
        QWidget first;
        widget->setParent(&first);
        widget->resize(300, 200);
        first.show();
        QVERIFY(QTest::qWaitForWindowExposed(&first));
        QTRY_COMPARE(greyAt(*widget, widget->fromDisplay(scene->displayOf({50, 24, 0}))), 200);
        widget->setParent(nullptr);
    }
    QWidget second;
    widget->setParent(&second);
    second.show();
    widget->show();
    QVERIFY(QTest::qWaitForWindowExposed(&second));
    QTRY_COMPARE(greyAt(*widget, widget->fromDisplay(scene->displayOf({50, 24, 0}))), 200);
}

void SceneWidgetTest::aMovingVolumeIsRefinedAfterwards() {
    auto scene = std::make_shared<viz::VolumeScene>();
    scene->setImage(imageOf({24, 24, 24},
                            [](const base::Index& i) {
                                return i.x > 8 && i.x < 16 && i.y > 8 && i.y < 16 ? 250 : 10;
                            }),
                    {});
    scene->setGreyWindow({0, 255});
    ui::SceneWidget widget(scene);
    widget.resize(240, 200);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QTRY_VERIFY(greyAt(widget, {120, 100}) > 100);
    scene->rotate(10, 5);
    QVERIFY(scene->interactive());
    QTRY_VERIFY_WITH_TIMEOUT(!scene->interactive(), 5000);
}

void SceneWidgetTest::aSnapshotNeedsNoShow() {
    const auto scene = greyScene();
    ui::SceneWidget widget(scene);
    widget.resize(200, 150);
    const viz::Picture picture = widget.snapshot();
    QCOMPARE(picture.width, qRound(200 * widget.devicePixelRatioF()));
    const viz::DisplayPoint at = scene->displayOf({50, 24, 0});
    QCOMPARE(int{picture.at(static_cast<int>(at.x), static_cast<int>(at.y))[0]}, 200);
    const viz::Picture clean = widget.snapshot(true);
    QCOMPARE(int{clean.rgba[3]}, 0);
}

void SceneWidgetTest::deletingOneOfThreeViewsLeavesTheOthers() {
    QWidget window;
    auto* layout = new QHBoxLayout(&window);
    std::vector<std::shared_ptr<viz::SliceScene>> scenes;
    std::vector<QWidget*> views;
    for (int i = 0; i < 3; ++i) {
        scenes.push_back(greyScene());
        views.push_back(ui::makeSceneWidget(scenes.back()));
        QVERIFY(qobject_cast<ui::SceneWidget*>(views.back()) != nullptr);
        layout->addWidget(views.back());
    }
    window.resize(600, 200);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    delete views[1];
    scenes[2]->fit();
    auto* last = qobject_cast<ui::SceneWidget*>(views[2]);
    QTRY_COMPARE(greyAt(*last, last->fromDisplay(scenes[2]->displayOf({50, 24, 0}))), 200);
}

const flcc::test::TestClass<SceneWidgetTest> kSceneWidgetTest;

#include "scene_widget_test.moc"
