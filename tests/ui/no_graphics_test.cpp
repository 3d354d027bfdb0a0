#include <QApplication>
#include <QLabel>
#include <QTest>

#include "tests/support/test_class.h"
#include "ui/bridge/scene_widget.h"
#include "viz/slice_scene.h"

using namespace flcc;

class NoGraphicsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aPlatformWithoutOpenGlGetsALabelThatSaysSo();
};

void NoGraphicsTest::aPlatformWithoutOpenGlGetsALabelThatSaysSo() {
    QString reason;
    QVERIFY(!ui::graphicsAvailable(&reason));
    QVERIFY(reason.contains("offscreen"));
    const std::unique_ptr<QWidget> view(
        ui::makeSceneWidget(std::make_shared<viz::SliceScene>(), nullptr));
    const auto* label = qobject_cast<QLabel*>(view.get());
    QVERIFY(label != nullptr);
    QCOMPARE(label->text(), reason);
    view->show();
    QVERIFY(QTest::qWaitForWindowExposed(view.get()));
}

const flcc::test::TestClass<NoGraphicsTest> kNoGraphicsTest;

#include "no_graphics_test.moc"
